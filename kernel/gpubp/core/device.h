/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A device: one GPU instance, its contexts, comparators, workers and
 * statistics.
 *
 * Locks, outermost first:
 *  1. gpubp_events_lock (mutex): the list of events and their bindings. Tasks of
 *     users have jobs done under it: see event/job.h
 *  2. reservations_lock of event/reserve.c (mutex): reservations
 *  3. gpubp_devices_lock (mutex): the list of devices
 *  4. gpubp_device.lock (mutex): contexts, queues, names, watches, trap points
 *     and which of them are armed
 *  5. users_lock of core/quota.c (mutex): users and what is charged to them
 *  6. perf's ctx->lock (raw, irqs off): held when perf core calls the PMU;
 *     compat/times.c tries it
 *  7. gpubp_event_time.lock (raw, irqs off): the context times of an event
 *  8. gpubp_device.table_lock (raw, irqs off): VMID and doorbell tables as
 *     the hit path reads them in hard interrupts, also under RCU; slots;
 *     clocks of contexts and the context times that they measure
 *  9. gpubp_tickets.lock (raw, irqs off): hits that wait for a task or a CPU
 * 10. gpubp_requests.lock (raw, irqs off): when the worker runs
 *
 * Outside of 1:
 *  - gpubp_consumer.modify_lock of perf/kernel_watch.c (mutex): the events of a
 *    kernel consumer
 *  - perf's ctx->mutex: perf adds inherited events, and modifies events, with
 *    it held
 *  - open_lock of event/event.c (mutex): the static key gpubp_active; inside
 *    modify_lock, and no lock of this list is taken inside
 *  - aliases_lock of perf/aliases.c (mutex): files in sysfs; 3 is inside it
 *  - gpubp_session.lock (mutex): attachments and sets of a session
 *  - attached_lock of session/notice.c (mutex): attachments of which sessions have
 *    notices; inside gpubp_session.lock
 *  - gpubp_session.op_sem (semaphore): operations of a session on waves; also
 *    tried inside gpubp_holds_lock
 *
 * Outside of 4, and taken with none of 1 to 4 held:
 *  - gpubp_ctx.unmapping (mutex): an unmapping of memory of the context, or a write of
 *    a session to it; inside gpubp_session.op_sem. Its holder waits for the committer
 *  - gpubp_wave_regs_lock() (a bit): read-modify-write of wave registers;
 *    inside gpubp_session.op_sem
 *
 * Inside 1: gpubp_holds_lock (mutex): waves that sessions hold. 5 is inside it.
 *
 * Innermost, no lock of this list is taken inside:
 *  - gpubp_device.cell_lock (raw, irqs off): free cells
 *  - gpubp_stopped_time.lock (raw, irqs off): stopped waves; inside 8
 *  - gpubp_throttle_ctx.lock (raw): stall times; inside 4; no interrupt takes
 *    it
 *  - gpubp_count_sink.lock (raw, irqs off): the event of handler counts; inside
 *    4
 *  - owners_lock of core/owner.c (raw, irqs off): tables of hit owners and
 *    users
 *  - the lock of the table of sets, event/set.c (spinlock)
 *  - rooms_lock of core/room.c (spinlock): memory cgroups short of room
 *  - changes_lock of event/changes.c (raw, irqs off): what has changed; inside 6
 *  - refusals_lock of event/refusal.c (spinlock): why events were refused
 *  - gpubp_notices.lock (spinlock): what a session can read
 *  - gpubp_consumer.call_lock (raw, irqs off): held during a callback of a
 *    consumer, which may take locks of the scheduler: never inside 6
 *  - gpubp_consumer.deferred_lock (raw, irqs off): callbacks to be made later;
 *    inside 6
 *
 * A provider's op is never called with one of them held, but for op_sem, the bit and,
 * around the callback of gpubp_mem_unmap() and a write of a session, unmapping: no
 * function that a provider calls waits for the first two. So a provider may hold its own
 * locks around a call into the core, unless that waits for ops, or for
 * unmapping: <linux/gpubp.h> says which functions do.
 */
#ifndef _GPUBP_CORE_DEVICE_H
#define _GPUBP_CORE_DEVICE_H

#include <linux/gpubp.h>
#include <linux/kref.h>
#include <linux/kthread.h>
#include <linux/list.h>
#include <linux/llist.h>
#include <linux/mutex.h>
#include <linux/wait.h>
#include <linux/xarray.h>

#include "../lib/block_cover.h"
#include "../lib/slotset.h"
#include "occupancy_log.h"
#include "request.h"
#include "ring_poll.h"
#include "stats.h"

struct gpubp_dev_sched;
struct gpubp_dev_trap;
struct gpubp_hit_cell;
struct gpubp_resolution;

/**
 * struct gpubp_device - one GPU
 * @node: in gpubp_devices; under gpubp_devices_lock
 * @number: shown in events, records and file names: see GPUBP_DEVICE_MAX in the
 *	uapi header; reused only after all other numbers were used
 * @serial: from 1, never reused: binds an event to the device that it named
 * @desc: as registered, but for @ops and @name; constant
 * @ops: as registered, completed with the core's defaults; constant
 * @name: copy of desc.name
 * @priv: provider's data
 * @ref: held by the provider, by contexts and by other users
 * @gone: unregistered; under @lock
 * @lock: see above
 * @ctxs: contexts (gpubp_ctx.node); under @lock
 * @shares: each user's share of it (gpubp_user_share.node); under @lock
 * @nr_watches: watches of all contexts; under @lock
 * @nr_holds: holds on its waves; under gpubp_holds_lock
 * @armed: of them, those armed, or that were so recently (gpubp_watch.node);
 *	under @lock
 * @fresh: of the others, those with bindings that the scheduler has not
 *	considered yet; under @lock
 * @pinned: bindings of pinned watches, one per watch
 *	(gpubp_binding.pin_node); under @lock
 * @table_lock: see above
 * @vmids: contexts by VMID; RCU, written under @table_lock
 * @doorbells: queues by doorbell; RCU
 * @requests: requests of commits, and the worker that runs them, the committer
 * @quantum: number of the current quantum; under @table_lock, written by the
 *	committer
 * @log: occupancy log: which watch was in which slots when; under @lock
 * @prog: what is in the hardware; committer only
 * @lost: the hardware was reset and @prog is not valid any more; set under
 *	@table_lock
 * @lost_at: time of the reset, ns of CLOCK_MONOTONIC; 0 after the next complete
 *	commit; under @table_lock
 * @suspended: no power: no op is called; under @lock
 * @slots: slots that the core may use and that work; written under @table_lock
 * @resolved_wait: waiters for hits to be resolved
 * @resolver: runs @resolve_work and nothing else
 * @resolve_work: takes hits off @reported
 * @resolution: scratch data of @resolve_work
 * @nr_rings: contexts with a ring for hits that waves record; under @lock, and read
 *	without
 * @nr_recording: of them, those whose waves record hits now
 * @ring_poll: when the resolver looks at these
 * @poll_work: polls a device without interrupts; run by @resolver
 * @poll_until: poll until then even without events; ns of CLOCK_MONOTONIC
 * @nr_resolved: hits resolved so far; @resolver only
 * @reported: hits to be resolved, pushed in hard interrupts
 * @resolving: @resolver has taken hits (gpubp_hits_take()) and is not done
 * @nr_rounds: completed rounds of taking and resolving hits
 * @round_asked: number of the last request of a round; any context
 * @round_answered: of the last request that a completed round began after
 * @nr_parts: parts of rounds so far: hits that were reported in a round are taken in the
 *	next part of it; @resolver only
 * @part_answered: number of the last request that a completed part began after
 * @free_cells: cells not in use; taken in hard interrupts under @cell_lock
 * @cell_lock: serializes takers of @free_cells (an llist has one consumer)
 * @cells: array of all cells
 * @nr_cells: its length
 * @can_trap: its waves can trap for events: stop reasons are readable and the
 *	pc can be set; constant
 * @trap: data of trap/
 * @sched: data of sched/
 * @nr_ctx_ops: ctx op references of all its contexts; under @lock
 * @ctx_ops_wait: waiters for ctx op references to be put
 * @nr_commits: commits done; for users
 * @kcov: kcov handle of the newest context, which gets the worker's coverage
 * @stats: counters of hits
 * @debugfs: directory
 */
struct gpubp_device {
	/* identity; constant, but for references and @gone */
	struct list_head node;
	u8 number;
	u64 serial;
	struct gpubp_device_desc desc;
	struct gpubp_ops ops;
	char name[32];
	void *priv;
	struct kref ref;
	bool gone;

	/* contexts and their watches */
	struct mutex lock;
	struct list_head ctxs;
	struct list_head shares;
	unsigned int nr_watches;
	unsigned int nr_holds;
	struct list_head armed;
	struct list_head fresh;
	struct list_head pinned;

	/* hot: looked up in hard interrupts */
	raw_spinlock_t table_lock;
	struct gpubp_ctx __rcu *vmids[GPUBP_MAX_VMIDS];
	struct xarray doorbells;

	/* the committer, and the state of the hardware */
	struct gpubp_requests requests;
	u64 quantum;
	struct gpubp_log log;
	struct gpubp_program prog;
	struct gpubp_slotset slots;
	bool suspended;
	bool lost;
	u64 lost_at;
	wait_queue_head_t resolved_wait;

	/* the resolver; hot in hard interrupts: @reported to @cell_lock */
	struct kthread_worker *resolver;
	struct kthread_work resolve_work;
	struct gpubp_resolution *resolution;
	unsigned int nr_rings;
	atomic_t nr_recording;
	struct gpubp_ring_poll ring_poll;
	struct kthread_delayed_work poll_work;
	u64 poll_until;
	u64 nr_resolved;
	struct llist_head reported;
	bool resolving;
	u64 nr_rounds;
	atomic64_t round_asked;
	u64 round_answered;
	u64 nr_parts;
	u64 part_answered;
	struct llist_head free_cells;
	raw_spinlock_t cell_lock;
	struct gpubp_hit_cell *cells;
	unsigned int nr_cells;

	/* data of other rooms, users of ops, statistics */
	bool can_trap;
	struct gpubp_dev_trap *trap;
	struct gpubp_dev_sched *sched;
	unsigned int nr_ctx_ops;
	wait_queue_head_t ctx_ops_wait;
	atomic64_t nr_commits;
	u64 kcov;
	struct gpubp_stats stats;
	struct dentry *debugfs;
};

extern struct list_head gpubp_devices;
extern struct mutex gpubp_devices_lock;
extern u32 gpubp_next_number;

struct gpubp_device *gpubp_device_alloc(const struct gpubp_device_desc *desc,
					void *priv);
void gpubp_device_put_number(struct gpubp_device *dev);
void gpubp_device_list(struct gpubp_device *dev);
void gpubp_device_unlist(struct gpubp_device *dev);
void gpubp_device_put(struct gpubp_device *dev);

/* parameters of block_cover for a device */
static inline struct gpubp_block_caps
gpubp_device_cover(const struct gpubp_device *dev)
{
	return (struct gpubp_block_caps) {
		.granule = dev->desc.caps.granule,
		.max_block = dev->desc.caps.max_block,
		.va_bits = dev->desc.caps.va_bits,
	};
}

/*
 * From the result of wait_event_interruptible_timeout(), or of its killable
 * like: 0, -ERESTARTSYS or -ETIMEDOUT
 */
static inline int gpubp_wait_error(long left)
{
	if (left < 0)
		return left;
	return left ? 0 : -ETIMEDOUT;
}

#endif /* _GPUBP_CORE_DEVICE_H */
