/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Trap points: what makes a wave enter the trap handler for an event, other than
 * a comparator: an instruction (break), an s_trap of the program by its id, or
 * classes of exceptions. Equal trap points of a context are one object, however
 * many events want it.
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
 * struct gpubp_trap_point - a break, s_trap id or set of exception classes that
 *	waves of a context have to trap for; under the device lock
 * @node: in gpubp_trap_ctx.traps
 * @rb: in gpubp_trap_ctx.by_key
 * @ctx: context
 * @kind: GPUBP_KIND_BREAK, _TRAP or _EXCEPTION
 * @key: pc of a break, id of an s_trap, or exception classes (0: all)
 * @id: unique among traps and watches since the module was loaded
 * @bindings: bindings of events that want it (gpubp_binding.watch_node)
 * @share: share of the user that it is charged to
 * @fq: of a break: its entry in the fair queue (break_sched.c)
 * @patch: of a break: its patch; NULL: it is not in memory
 * @err: of a break: errno: why it cannot be in memory; 0: no error is known
 * @tried: gpubp_trap_ctx.changes when @err was found
 * @checked: gpubp_trap_ctx.changes when an instruction was found to begin at
 *	@key
 * @nr_pinning: bindings of events that are pinned, and have a slot for it
 * @nr_pinning_first: of them, those of events of a process
 * @pinned: there are such bindings
 * @pinned_first: ... of an event of a process: it comes before those of all
 * @chosen: of a break: the break scheduler gave it a slot in this quantum
 * @accounted: its bindings are accounted as armed
 * @new_binding: some binding was added and is not accounted yet
 * @throttled: of a break: throttled until @backoff ends (sched/throttle.c)
 * @backoff: end of the last throttling, and how often its length was doubled
 * @stalled: how long waves were stopped for it lately, ns
 * @since: first quantum of its current period: armed, or not armed, as
 *	@accounted
 * @since_ns: when that period began, ns of CLOCK_MONOTONIC
 * @quanta: quanta in which it was armed, in periods before @since
 * @gap: longest time that it waited to be armed, in quanta and in ns
 */
struct gpubp_trap_point {
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
	unsigned int nr_pinning;
	unsigned int nr_pinning_first;
	bool pinned:1;
	bool pinned_first:1;
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
 * struct gpubp_trap_ctx - traps of a context; under the device lock
 * @traps: struct gpubp_trap_point, in order of gpubp_trap_point.id
 * @by_key: the same, by kind and key
 * @nr: entries of @traps, by kind; also read without the lock
 * @patches: struct gpubp_patch that are or may be in memory; changed by the
 *	committer only
 * @retired: struct gpubp_patch that were removed from memory, oldest first;
 *	likewise
 * @nr_patches: entries of @patches; also read without the lock
 * @seq: number of changes of @patches, @retired and gpubp_patch.state
 * @changes: number of changes to what decides whether a break can be in memory
 *	(code objects, unmapping), from 1
 * @walk: gpubp_dev_trap.walks when the committer last handled this context
 * @fairq: fair queue of breaks, used when there are more breaks than slots
 * @break_flows: struct gpubp_break_flow: one flow in @fairq for each user
 * @xol: buffers for execution out of line
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

/* any context; takes no lock, so the answer may be out of date */
static inline bool gpubp_trap_ctx_any_patch(const struct gpubp_trap_ctx *traps)
{
	return READ_ONCE(traps->nr_patches);
}

/* likewise: may waves stop at breaks, or be in XOL buffers */
static inline bool gpubp_trap_ctx_has_xol(const struct gpubp_trap_ctx *traps)
{
	return READ_ONCE(traps->xol.va);
}

void gpubp_traps_init_ctx(struct gpubp_ctx *ctx);
bool gpubp_traps_wanted(const struct gpubp_ctx *ctx);

struct gpubp_trap_point *gpubp_trap_get(struct gpubp_ctx *ctx, u8 kind, u64 key,
					struct gpubp_user *user, bool reserved);
void gpubp_trap_binding_added(struct gpubp_trap_point *trap);
void gpubp_trap_free_unused(struct gpubp_trap_point *trap);
u32 gpubp_exceptions_of(const struct gpubp_device *dev, u64 key);
u32 gpubp_exceptions_wanted(const struct gpubp_ctx *ctx);
struct gpubp_trap_point *gpubp_trap_find(struct gpubp_ctx *ctx, u8 kind,
					 u64 key);
u64 gpubp_trap_key(const struct gpubp_spec *spec, u64 addr);

struct gpubp_gap gpubp_trap_gap(const struct gpubp_trap_point *trap);
bool gpubp_trap_is_pending(const struct gpubp_trap_point *trap);
void gpubp_trap_sync(const struct gpubp_trap_point *trap,
		     struct gpubp_sync *sync);
void gpubp_traps_committed(struct gpubp_ctx *ctx);
void gpubp_traps_suspended(struct gpubp_device *dev);
bool gpubp_traps_still_stop(struct gpubp_device *dev);
void gpubp_traps_show(struct gpubp_device *dev, struct seq_file *m);

#endif /* _GPUBP_TRAP_TRAP_POINT_H */
