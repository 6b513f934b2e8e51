/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A context: one GPU address space, the process that owns it, and its queues.
 */
#ifndef _GPUBP_CORE_CONTEXT_H
#define _GPUBP_CORE_CONTEXT_H

#include <linux/gpubp.h>
#include <linux/interval_tree.h>
#include <linux/kref.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/rcupdate.h>

#include "event_time.h"

struct gpubp_ctx_sched;
struct gpubp_ctx_trap;
struct gpubp_device;
struct gpubp_event;
struct gpubp_owner;
struct gpubp_spans;
struct gpubp_user;

/**
 * struct gpubp_unmap_range - a range that is about to be unmapped: published
 *	code in it does not count, and no code may be published in it
 * @start: first address
 * @size: bytes, 0 none
 */
struct gpubp_unmap_range {
	u64 start;
	u64 size;
};

/**
 * struct gpubp_va_range - addresses
 * @start: first one
 * @last: last one, inclusive
 */
struct gpubp_va_range {
	u64 start;
	u64 last;
};

/**
 * struct gpubp_forgotten - the last ranges whose memory was unmapped, or whose
 *	buffer was freed
 * @range: number n is in entry n modulo their number
 * @nr: how many there were; also read without the device lock
 */
struct gpubp_forgotten {
	struct gpubp_va_range range[64];
	u64 nr;
};

/**
 * struct gpubp_reading - the first bytes of a range, as they were read
 * @read_after: gpubp_ctx_nr_forgotten() before they were
 * @len: valid bytes of @bytes; 0 none
 * @bytes: they
 */
struct gpubp_reading {
	u64 read_after;
	u8 len;
	u8 bytes[GPUBP_CHANGED_MAX];
};

/**
 * struct gpubp_pass - a context changed: its events are bound to it again
 * @seen: value of gpubp_ctx.changes before
 * @owners: gpubp_ctx_owners() before
 * @after: events up to this one, by address, are done; not to be dereferenced
 * @running: more are left
 */
struct gpubp_pass {
	u64 seen;
	u64 owners;
	const struct gpubp_event *after;
	bool running;
};

/**
 * struct gpubp_ctx - a GPU address space
 * @node: in gpubp_device.ctxs; under gpubp_device.lock
 * @dev: its device; a reference is held
 * @priv: provider's data
 * @id: from 1; no other context has it before this one is freed, or soon after
 * @pid: thread group that owns it
 * @pasid: as interrupts report it
 * @doorbells: bits that doorbells of its queues have, and that its waves do not know
 * @ref: held by the provider, by queues and by pending hits
 * @dead: being destroyed; no op may be called any more; under the device lock
 * @shown: attached sessions were told of it; under attached_lock of session/notice.c
 * @stepped: sessions step its waves, so the trap handler is needed; under the
 *	device lock
 * @nr_ctx_ops: ctx op references (ctx_ops.c); under the device lock
 * @watches: interval tree of struct gpubp_watch; under the device lock
 * @unread: struct gpubp_copy whose bytes were not all mapped when their watches
 *	were armed; likewise
 * @nr_unread: length of @unread; likewise, and read without
 * @forgotten: memory that was freed; under the device lock
 * @grouped: bindings of events in groups, by group (sched/group.c); likewise
 * @names: published ranges, struct gpubp_name; under the device lock
 * @names_by_hash: the same names, in that order among those of one hash;
 *	likewise
 * @nr_names: length of @names; likewise
 * @unmapping: held while an unmap is announced, or a session writes memory; serializes
 *	writers of @unmap
 * @unmap: the range; written under @unmapping and the device lock
 * @queues: struct gpubp_queue.node; RCU, written under gpubp_device.table_lock
 * @ctx_owners: struct gpubp_ctx_owner; RCU, written under @owners_lock
 * @owners_lock: of @ctx_owners (mutex)
 * @bindings: gpubp_binding.ctx_node; under gpubp_events_lock
 * @nr_unwanted: of them, those that wait for records of before: the first ones; likewise,
 *	and read without
 * @change_node: in the list of changed contexts; event/changes.c
 * @revisit_node: in the list of contexts to look at again; under
 *	gpubp_events_lock
 * @withdrawn: it is dead and events have no bindings to it any more; under the
 *	lock of event/changes.c
 * @user: who created it, with a reference until it is unlisted
 * @owner: owner of its thread group leader, for hits whose queue is not known
 * @fenced: its waves must not be halted: nothing is armed in it
 * @max_stall_ns: longest time that a hit may stop a wave
 * @handler_failed: the trap handler could not be installed; written by the
 *	committer under the device lock
 * @prog: this context's part of the program in the hardware; committer only
 * @next: this context's part of the next program; committer only
 * @holds: holds on its waves; under gpubp_holds_lock
 * @trap: data of trap/
 * @sched: data of sched/
 * @stopped_time: how long its waves were stopped for hits
 * @clock: how long it was resident; under gpubp_device.table_lock
 * @lost: dropped hits of it that events might have matched
 * @changes: counts changes of its names and queues
 * @reconciled: value of @changes before the last complete reconciliation
 * @reconciled_owners: gpubp_ctx_owners() before that
 * @pass: what its events have seen of a change; under gpubp_events_lock
 * @requested: number of its last request; under the requests' lock
 * @kcov: KCOV handle of its opener, which gets coverage of its hits
 * @rcu: freed, and its number with it, after hit path readers of
 *	gpubp_device.vmids
 */
struct gpubp_ctx {
	struct list_head node;
	struct gpubp_device *dev;
	void *priv;
	u32 id;
	struct pid *pid;
	u32 pasid;
	u32 doorbells;
	struct kref ref;
	bool dead;
	bool shown;
	bool stepped;
	unsigned int nr_ctx_ops;
	struct rb_root_cached watches;
	struct list_head unread;
	unsigned int nr_unread;
	struct gpubp_forgotten forgotten;
	struct rb_root grouped;
	struct list_head names;
	struct rb_root names_by_hash;
	unsigned int nr_names;
	struct mutex unmapping;
	struct gpubp_unmap_range unmap;
	struct list_head queues;
	struct list_head holds;
	struct list_head ctx_owners;
	struct mutex owners_lock;
	struct list_head bindings;
	unsigned int nr_unwanted;
	struct list_head change_node;
	struct list_head revisit_node;
	bool withdrawn;
	struct gpubp_user *user;
	struct gpubp_owner *owner;
	bool fenced;
	u64 max_stall_ns;
	bool handler_failed;
	struct gpubp_ctx_prog prog;
	struct gpubp_ctx_prog next;
	struct gpubp_ctx_trap *trap;
	struct gpubp_ctx_sched *sched;
	struct gpubp_stopped_time stopped_time;
	struct gpubp_clock clock;
	atomic64_t lost;
	atomic64_t changes;
	u64 reconciled;
	u64 reconciled_owners;
	struct gpubp_pass pass;
	u64 requested;
	u64 kcov;
	struct rcu_head rcu;
};

/**
 * struct gpubp_queue - a user queue that work is submitted to
 * @node: in gpubp_ctx.queues
 * @ctx: its context; a reference is held
 * @id: provider's number, shown to users
 * @doorbell: key in gpubp_device.doorbells
 * @creator: owner of its hits
 * @leader: the creator's thread group leader: owner once the creator exits
 * @held: gpubp_queue_desc.held, until it may be used or is removed; under
 *	gpubp_device.table_lock
 * @ref: held by the provider, by pending hits, and until gpubp_queue_wait_armed()
 * @rcu: freed after hit path readers of gpubp_device.doorbells
 */
struct gpubp_queue {
	struct list_head node;
	struct gpubp_ctx *ctx;
	u32 id;
	u32 doorbell;
	struct gpubp_owner *creator;
	struct gpubp_owner *leader;
	bool held;
	struct kref ref;
	struct rcu_head rcu;
};

/**
 * struct gpubp_name - a published range
 * @node: in gpubp_ctx.names
 * @hash_node: in gpubp_ctx.names_by_hash
 * @va: first address
 * @size: bytes
 * @hash: gpubp_name_hash() of @name
 * @since: when it was published, ns of CLOCK_MONOTONIC
 * @code: the range is a code object
 * @user: charged with it; the context has a reference
 * @charged: bytes
 * @spans: of a code object: where its instructions begin (trap/insn_map.c)
 * @name: the name
 */
struct gpubp_name {
	struct list_head node;
	struct rb_node hash_node;
	u64 va;
	u64 size;
	u32 hash;
	u64 since;
	bool code;
	struct gpubp_user *user;
	size_t charged;
	struct gpubp_spans *spans;
	char name[];
};

/* Can watches be armed in it? False is final. The device lock is held. */
static inline bool gpubp_ctx_can_arm(const struct gpubp_ctx *ctx)
{
	return !ctx->dead && !ctx->fenced && !ctx->handler_failed;
}

extern u32 gpubp_next_ctx_id;

struct gpubp_ctx *gpubp_ctx_alloc(struct gpubp_device *dev, void *priv,
				  const struct gpubp_ctx_desc *desc);
void gpubp_ctx_put_user(struct gpubp_ctx *ctx);
void gpubp_ctx_list(struct gpubp_ctx *ctx);
void gpubp_ctx_unlist(struct gpubp_ctx *ctx);
struct gpubp_ctx *gpubp_ctx_find(u32 id);
struct gpubp_ctx *gpubp_ctx_next_of(struct pid *pid, u32 after);
void gpubp_ctx_put(struct gpubp_ctx *ctx);
struct gpubp_queue *gpubp_queue_add(struct gpubp_ctx *ctx,
				    const struct gpubp_queue_desc *desc);
void gpubp_queue_del(struct gpubp_queue *queue);
void gpubp_queue_put(struct gpubp_queue *queue);
void gpubp_ctx_set_on_change(void (*fn)(struct gpubp_ctx *ctx));
void gpubp_ctx_changed(struct gpubp_ctx *ctx);
u64 gpubp_ctx_nr_forgotten(const struct gpubp_ctx *ctx);
void gpubp_ctx_forget(struct gpubp_ctx *ctx, u64 va, u64 size);
bool gpubp_ctx_has_forgotten(const struct gpubp_ctx *ctx, u64 since, u64 start,
			     u64 last);
ssize_t gpubp_ctx_global_rw(struct gpubp_ctx *ctx, u64 va, void *buf,
			    size_t len, unsigned int how);
u64 gpubp_new_id(void);
bool gpubp_contexts_exist(void);
struct gpubp_queue *gpubp_queue_by_doorbell(struct gpubp_device *dev,
					    u32 doorbell);
struct gpubp_queue *gpubp_queue_peek(struct gpubp_device *dev, u32 doorbell);
struct gpubp_ctx *gpubp_ctx_by_vmid(struct gpubp_device *dev, u32 vmid);

#endif /* _GPUBP_CORE_CONTEXT_H */
