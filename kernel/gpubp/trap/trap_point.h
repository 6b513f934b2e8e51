/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A trap: what makes a wave enter the trap handler for an event, but for
 * comparators: an instruction (break), an s_trap of the program's own by its
 * id, or classes of exceptions. Equal traps of a context are one object,
 * however many events want it.
 */
#ifndef _GPUBP_TRAP_TRAP_POINT_H
#define _GPUBP_TRAP_TRAP_POINT_H

#include "../core/core.h"
#include "../lib/budget.h"
#include "xol.h"

struct gpubp_device;
struct gpubp_patch;
struct seq_file;

/**
 * struct gpubp_trap - what a context's waves are to trap for; all under the
 *	device lock
 * @node: in gpubp_trap_ctx.traps
 * @rb: in gpubp_trap_ctx.by_key
 * @ctx: context
 * @kind: GPUBP_KIND_BREAK, _TRAP or _EXCEPTION
 * @key: pc, trap id, or classes (0: all)
 * @id: unique since the module was loaded, among watches, too
 * @bindings: events that want it (gpubp_binding.watch_node)
 * @share: its user's, which it is charged to
 * @fq: of a break, its entry in the fair queue (break_sched.c)
 * @patch: of a break, what is in memory for it; NULL if it is not armed
 * @err: of a break, why it cannot be armed
 * @tried: gpubp_trap_ctx.changes when that was found out
 * @checked: gpubp_trap_ctx.changes when an instruction was found to begin there
 * @pinned: some event that wants it is pinned
 * @chosen: the roster has it in this quantum
 * @accounted: its bindings are accounted as armed
 * @new_binding: some of its bindings is not accounted as yet
 * @throttled: of a break, it is throttled until @backoff ends (throttle.c)
 * @backoff: see @throttled
 * @stalled: for how long waves stood still for it lately, ns
 * @since: first quantum of those in a row in which it is, or is not, armed
 * @since_ns: when that began, ns of CLOCK_MONOTONIC
 * @quanta: quanta in which it was armed, up to @since
 * @gap: the longest that it waited until it was armed
 */
struct gpubp_trap {
	struct list_head node;
	struct rb_node rb;
	struct gpubp_ctx *ctx;
	u8 kind;
	u64 key;
	u64 id;
	struct list_head bindings;
	struct gpubp_user_share *share;
	struct gpubp_fairq_entry fq;
	struct gpubp_patch *patch;
	int err;
	u64 tried;
	u64 checked;
	bool pinned:1;
	bool chosen:1;
	bool accounted:1;
	bool new_binding:1;
	bool throttled:1;
	struct gpubp_backoff backoff;
	u64 stalled;
	u64 since;
	u64 since_ns;
	u64 quanta;
	struct gpubp_gap gap;
};

/**
 * struct gpubp_trap_ctx - of a context; under the device lock
 * @traps: struct gpubp_trap, by gpubp_trap.id
 * @by_key: the same, by kind and key
 * @nr: entries of @traps, by kind; also read without the lock
 * @patches: struct gpubp_patch; written by the committer
 * @retired: those that were taken out; likewise
 * @nr_patches: entries of @patches; also read without the lock
 * @seq: changes of @patches and @retired
 * @changes: of what decides whether a break can be armed, from 1
 * @walk: last walk of the committer over contexts that came here
 * @fairq: of breaks, when there are more than slots
 * @break_flows: struct gpubp_break_flow: flows of users in this queue
 * @xol: where instructions are executed instead
 */
struct gpubp_trap_ctx {
	struct list_head traps;
	struct rb_root by_key;
	unsigned int nr[GPUBP_KIND_TRAP + 1];
	struct list_head patches;
	struct list_head retired;
	unsigned int nr_patches;
	u64 seq;
	u64 changes;
	u64 walk;
	struct gpubp_fairq fairq;
	struct list_head break_flows;
	struct gpubp_xol xol;
};

/* any context; the answer may be old */
static inline bool gpubp_trap_ctx_any_patch(const struct gpubp_trap_ctx *traps)
{
	return READ_ONCE(traps->nr_patches);
}

/* likewise: waves may stop for traps, or are on their way past a break */
static inline bool gpubp_trap_ctx_any(const struct gpubp_trap_ctx *traps)
{
	return READ_ONCE(traps->xol.va);
}

void gpubp_traps_init_ctx(struct gpubp_ctx *ctx);
bool gpubp_traps_wanted(const struct gpubp_ctx *ctx);

struct gpubp_trap *gpubp_trap_get(struct gpubp_ctx *ctx, u8 kind, u64 key,
				  struct gpubp_user *user, bool promised);
void gpubp_trap_binding_added(struct gpubp_trap *trap);
void gpubp_trap_free_unused(struct gpubp_trap *trap);
u32 gpubp_exceptions_of(const struct gpubp_device *dev, u64 key);
u32 gpubp_exceptions_wanted(const struct gpubp_ctx *ctx);
struct gpubp_trap *gpubp_trap_find(struct gpubp_ctx *ctx, u8 kind, u64 key);
u64 gpubp_trap_key(const struct gpubp_spec *spec, u64 addr);

struct gpubp_gap gpubp_trap_gap(const struct gpubp_trap *trap);
bool gpubp_trap_is_pending(const struct gpubp_trap *trap);
void gpubp_trap_sync(const struct gpubp_trap *trap, struct gpubp_sync *sync);
void gpubp_traps_committed(struct gpubp_ctx *ctx);
void gpubp_traps_suspended(struct gpubp_device *dev);
bool gpubp_traps_still_stop(struct gpubp_device *dev);
void gpubp_traps_show(struct gpubp_device *dev, struct seq_file *m);

#endif /* _GPUBP_TRAP_TRAP_POINT_H */
