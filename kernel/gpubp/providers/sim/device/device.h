/* SPDX-License-Identifier: GPL-2.0 */
/*
 * device/ is a software GPU as the kernel sees it: device files, contexts,
 * address spaces, queues, compute units that run waves (../wave/wave.h),
 * registers, interrupts, and the provider operations that the core calls. This
 * header declares the device itself.
 *
 * Locks, outermost first:
 *  0. sim_device.reset_lock (mutex): one reset at a time
 *  1. sim_ctx.lock, sim_queue.submit (mutexes, never nested): the table of
 *     queues; submissions to one queue
 *  2. sim_vm.lock (mutex): insertion and removal of mappings
 *  3. sim_device.lock (mutex): the run queue, dispatches, owners of VMIDs. Held
 *     around gpubp_ctx_resident(), _evicted() and _settled().
 *  4. sim_device.lds_lock (mutex): LDS of workgroups that are saved or restored, or
 *     that a debugger accesses
 *  5. sim_device.sq_lock (raw, irqs off): GRBM_GFX_CNTL, GRBM_GFX_INDEX and
 *     SQ_IND_INDEX, which select banked, shader and SQ registers, and the ids
 *     of stops. amdgpu has srbm_mutex and grbm_idx_mutex; one lock is enough
 *     here, as each banked access needs broadcast, too.
 *  6. sim_cu.lock (raw, irqs off): states of the wave slots
 *  7. sim_regs.lock, sim_ih.lock (raw, irqs off): innermost
 *
 * A selection is valid only within one critical section of lock 5: root may
 * change the selects at any time (mmio.c). So each section selects the
 * registers that it accesses.
 *
 * Data that only the thread of a compute unit accesses needs no lock. A slice
 * takes none of the mutexes, so that a commit can wait for the end of slices
 * while it holds sim_device.lock.
 */
#ifndef _GPUBP_PROVIDERS_SIM_DEVICE_DEVICE_H
#define _GPUBP_PROVIDERS_SIM_DEVICE_DEVICE_H

#include <linux/atomic.h>
#include <linux/gpubp.h>
#include <linux/hashtable.h>
#include <linux/idr.h>
#include <linux/list.h>
#include <linux/miscdevice.h>
#include <linux/mutex.h>
#include <linux/refcount.h>
#include <linux/spinlock.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

#include "config.h"
#include "fault.h"
#include "ih.h"
#include "regs.h"

#define SIM_NR_SIMDS		4
#define SIM_REALTIME_NS		10	/* between two ticks of s_memrealtime */
#define SIM_SIMD_SLOTS		10
#define SIM_CU_SLOTS		(SIM_NR_SIMDS * SIM_SIMD_SLOTS)
#define SIM_MAX_DEVICES		16
#define SIM_NR_DOORBELLS	1024	/* 10 bits of the interrupt payload */

/**
 * enum sim_stat - counters of the device
 * @SIM_STAT_RAISED: stops: privileged wave-trap messages that waves sent,
 *	except those counted by @SIM_STAT_STEPS
 * @SIM_STAT_LOST: of these, the lost ones: the interrupt ring was full, or a
 *	fault was injected
 * @SIM_STAT_SWEPT: stops without a message that the sweep found and reported.
 *	Reported stops are @SIM_STAT_RAISED - (@SIM_STAT_LOST -
 *	@SIM_STAT_SWEPT): waves of the other lost stops were killed before the
 *	sweep.
 * @SIM_STAT_OVERFLOWS: messages of any kind for which the ring was full
 * @SIM_STAT_USER_MSGS: messages of user code; ignored, as drivers do
 * @SIM_STAT_OTHER_MSGS: privileged messages with any other code; ignored
 * @SIM_STAT_RELEASED: stops that the core did not take; the wave was resumed
 * @SIM_STAT_MATCHES: instructions that matched a comparator
 * @SIM_STAT_DISPATCHES: dispatches accepted
 * @SIM_STAT_GROUPS: workgroups launched
 * @SIM_STAT_WAVES: waves launched
 * @SIM_STAT_FAULTS: waves that an exception ended
 * @SIM_STAT_COMMITS: programs committed
 * @SIM_STAT_UNDRAINED: of these, commits that did not wait for all old hits
 * @SIM_STAT_VMID_MAPS: allocations of a VMID to a context
 * @SIM_STAT_RESETS: resets of the device
 * @SIM_STAT_SAVES: workgroups saved
 * @SIM_STAT_RESTORES: workgroups restored
 * @SIM_STAT_STEPS: messages that reported a single step only
 * @SIM_STAT_CTX_RESETS: contexts reset because they could not be saved in time
 * @SIM_NR_STATS: number of counters
 */
enum sim_stat {
	SIM_STAT_RAISED,
	SIM_STAT_LOST,
	SIM_STAT_SWEPT,
	SIM_STAT_OVERFLOWS,
	SIM_STAT_USER_MSGS,
	SIM_STAT_OTHER_MSGS,
	SIM_STAT_RELEASED,
	SIM_STAT_MATCHES,
	SIM_STAT_DISPATCHES,
	SIM_STAT_GROUPS,
	SIM_STAT_WAVES,
	SIM_STAT_FAULTS,
	SIM_STAT_COMMITS,
	SIM_STAT_UNDRAINED,
	SIM_STAT_VMID_MAPS,
	SIM_STAT_RESETS,
	SIM_STAT_SAVES,
	SIM_STAT_RESTORES,
	SIM_STAT_STEPS,
	SIM_STAT_CTX_RESETS,
	SIM_NR_STATS,
};

struct sim_cu;
struct sim_ctx;

/**
 * struct sim_device - a software GPU
 * @nr: index of the device, for @name
 * @name: name of the device file, the interrupt, the threads
 * @users: references: the creator, and each context
 * @destroy: frees the device after the last put; may sleep
 * @config: configuration; constant
 * @misc: device file
 * @core: the core's object
 * @lock: see above
 * @lds_lock: see above
 * @sq_lock: see above
 * @reset_lock: see above
 * @resetting: a reset is in progress: no launches, interrupts are lost; written
 *	under @lock
 * @nr_resets: number of resets that have begun; written under @reset_lock and
 *	@lock, read under either
 * @reset: reset by the device itself (injected fault)
 * @user_list: users with contexts (sim_user.node); under @lock
 * @ctxs: all contexts (sim_ctx.node); under @lock
 * @queues: all queues (sim_queue.node); under @lock
 * @runq: queues with workgroups to launch (sim_queue.run_node); under @lock
 * @vmid_owner: context of each VMID; entry 0 stays empty; under @lock
 * @resident: contexts that have a VMID, longest first (sim_ctx.vmid_node);
 *	under @lock
 * @vmid_waiters: contexts with work and without VMID, longest first
 *	(sim_ctx.vmid_node); under @lock
 * @starving: context with a VMID and work whose workgroups do not fit on any
 *	compute unit, or NULL; under @lock
 * @starving_since: since when, ns; likewise
 * @starving_cus: bitmap of compute units on which it did not fit; likewise
 * @next_waiter: per kind, the context that gets the next VMID, or NULL if
 *	unknown; likewise
 * @saved_ctxs: contexts with saved workgroups (sim_ctx.saved_node); under @lock
 * @nr_evicting: contexts that are being evicted; written under @lock
 * @preempt: evicts contexts (preempt.c)
 * @preempt_due: time of its next run, jiffies; under @lock
 * @vmid_wait: waiters for sim_ctx.vmid to become 0
 * @saved_waves: struct sim_saved_wave by stop; under @sq_lock
 * @saved_ids: the same by wave id; under @sq_lock
 * @nr_saved_hit_pending: of them, those with sim_saved_wave.hit_pending;
 *	likewise, and read without the lock
 * @nr_stops: number of stop ids allocated; under @sq_lock
 * @nr_wave_ids: number of wave ids allocated; under @sq_lock
 * @nr_cus: entries of @cu
 * @cu: compute units
 * @regs: registers
 * @ih: interrupt ring
 * @sweep: finds stops that were not reported
 * @quiet: do not report stops any more
 * @doorbells: doorbell numbers of queues
 * @pasids: PASIDs of contexts
 * @stats: enum sim_stat
 * @longest_stop: longest time that a wave was halted, ns
 * @faults: fault injection
 * @root: register selects of debugfs users
 * @taken: comparators that the debugfs file "taken" takes from the core
 * @debugfs: debugfs directory
 */
struct sim_device {
	unsigned int nr;
	char name[24];
	refcount_t users;
	void (*destroy)(struct sim_device *dev);
	struct sim_config config;
	struct miscdevice misc;
	struct gpubp_device *core;
	struct mutex lock;
	struct mutex lds_lock;
	raw_spinlock_t sq_lock;
	struct mutex reset_lock;
	bool resetting;
	unsigned int nr_resets;
	struct work_struct reset;
	struct list_head user_list;
	struct list_head ctxs;
	struct list_head queues;
	struct list_head runq;
	struct sim_ctx *vmid_owner[SIM_NR_VMIDS];
	struct list_head resident;
	struct list_head vmid_waiters;
	struct sim_ctx *starving;
	u64 starving_since;
	unsigned long starving_cus;
	struct sim_ctx *next_waiter[2];
	struct list_head saved_ctxs;
	unsigned int nr_evicting;
	struct delayed_work preempt;
	unsigned long preempt_due;
	wait_queue_head_t vmid_wait;
	DECLARE_HASHTABLE(saved_waves, 10);
	DECLARE_HASHTABLE(saved_ids, 10);
	unsigned int nr_saved_hit_pending;
	u64 nr_stops;
	u64 nr_wave_ids;
	unsigned int nr_cus;
	struct sim_cu *cu[SIM_MAX_CUS];
	struct sim_regs regs;
	struct sim_ih ih;
	struct delayed_work sweep;
	bool quiet;
	struct ida doorbells;
	struct ida pasids;
	atomic64_t stats[SIM_NR_STATS];
	atomic64_t longest_stop;
	struct sim_faults faults;
	struct sim_selection root;
	u32 taken;
	struct dentry *debugfs;
};

#if IS_ENABLED(CONFIG_KUNIT)
extern struct sim_device *gpubp_sim;	/* for the conformance tests */
#endif

struct sim_device *sim_device_create(const struct sim_config *config);
void sim_device_remove(struct sim_device *dev);
int sim_device_remove_idle(struct sim_device *dev);

/** sim_device_get() - get a reference, unless the device is being removed */
static inline bool sim_device_get(struct sim_device *dev)
{
	return refcount_inc_not_zero(&dev->users);
}

/** sim_device_put() - drop a reference; the last put destroys the device */
static inline void sim_device_put(struct sim_device *dev)
{
	if (refcount_dec_and_test(&dev->users))
		dev->destroy(dev);
}

/** sim_device_nr_slots() - number of wave positions */
static inline unsigned int sim_device_nr_slots(const struct sim_device *dev)
{
	return dev->nr_cus * SIM_CU_SLOTS;
}

/** sim_device_nr_waves() - number of waves that can be on the GPU at once */
static inline unsigned int sim_device_nr_waves(const struct sim_device *dev)
{
	return dev->nr_cus * SIM_NR_SIMDS * dev->config.simd_slots;
}

static inline void sim_stat_inc(struct sim_device *dev, enum sim_stat stat)
{
	atomic64_inc(&dev->stats[stat]);
}

#endif /* _GPUBP_PROVIDERS_SIM_DEVICE_DEVICE_H */
