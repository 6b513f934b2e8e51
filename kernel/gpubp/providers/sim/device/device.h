/* SPDX-License-Identifier: GPL-2.0 */
/*
 * device/ is a software GPU as the kernel sees one: device files, contexts, address
 * spaces, queues, compute units that run waves (../wave/wave.h), registers,
 * interrupts, and what the core asks of a provider. This header has the device
 * itself.
 *
 * Locks, outermost first:
 *  0. sim_device.reset_lock (mutex): one reset at a time
 *  1. sim_ctx.lock, sim_queue.submit (mutexes, never both): the table of
 *     queues; submissions to one queue
 *  2. sim_vm.lock (mutex): mappings come and go
 *  3. sim_device.lock (mutex): the run queue, dispatches, who has which VMID.
 *     Held around gpubp_ctx_resident(), _evicted() and _settled().
 *  4. sim_device.sq_lock (raw, irqs off): GRBM_GFX_CNTL, GRBM_GFX_INDEX and
 *     SQ_IND_INDEX, which banked, shader and SQ registers go by, and the ids of
 *     stops. amdgpu has srbm_mutex and grbm_idx_mutex; as each banked access
 *     needs broadcast, too, one lock is enough.
 *  5. sim_cu.lock (raw, irqs off): states of the wave slots
 *  6. sim_regs.lock, sim_ih.lock (raw, irqs off): innermost
 *
 * What is selected does not last from one critical section of 4 to the next:
 * root selects as he likes (mmio.c). So each section selects what it is about
 * to access.
 *
 * What only a compute unit's thread touches needs no lock. A slice of that
 * thread takes none of the mutexes, so that a commit can wait for slices to
 * end while it holds sim_device.lock.
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
#define SIM_SIMD_SLOTS		10
#define SIM_CU_SLOTS		(SIM_NR_SIMDS * SIM_SIMD_SLOTS)
#define SIM_MAX_DEVICES		16
#define SIM_NR_DOORBELLS	1024	/* 10 bits of an interrupt's payload */

/**
 * enum sim_stat - what the device counts
 * @SIM_STAT_RAISED: stops: privileged wave-trap messages that waves sent, but
 *	those of @SIM_STAT_STEPS
 * @SIM_STAT_LOST: of these, were lost: no room in the interrupt ring, or planted
 * @SIM_STAT_SWEPT: stops that no message told of, found by the sweep and
 *	reported. What was raised is @SIM_STAT_LOST less this one short of what
 *	was reported: these waves were killed before they were found.
 * @SIM_STAT_OVERFLOWS: messages of any kind that found no room
 * @SIM_STAT_USER_MSGS: messages of user code; ignored, as drivers do
 * @SIM_STAT_OTHER_MSGS: privileged messages with another code; ignored
 * @SIM_STAT_RELEASED: stops that the core did not take; the wave went on
 * @SIM_STAT_MATCHES: instructions that met a comparator
 * @SIM_STAT_DISPATCHES: dispatches accepted
 * @SIM_STAT_GROUPS: workgroups launched
 * @SIM_STAT_WAVES: waves launched
 * @SIM_STAT_FAULTS: waves that ended by an exception
 * @SIM_STAT_COMMITS: programs committed
 * @SIM_STAT_UNDRAINED: of these, without waiting for all old hits
 * @SIM_STAT_VMID_MAPS: times a context got a VMID
 * @SIM_STAT_RESETS: resets of the device
 * @SIM_STAT_SAVES: workgroups saved
 * @SIM_STAT_RESTORES: workgroups restored
 * @SIM_STAT_STEPS: messages that told of nothing but a single step
 * @SIM_STAT_CTX_RESETS: contexts reset, as they did not let themselves be saved
 * @SIM_NR_STATS: how many there are
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
 * @nr: number among those that exist, for @name
 * @name: of the device file, the interrupt, the threads
 * @users: who made it, and contexts
 * @destroy: takes the device away after the last of them; may sleep
 * @config: what it is; constant
 * @misc: device file
 * @core: the core's object
 * @lock: see above
 * @sq_lock: see above
 * @reset_lock: see above
 * @resetting: a reset is in progress: nothing is launched, interrupts are lost;
 *	written under @lock
 * @reset: a reset that the device itself decided upon
 * @user_list: who has contexts (sim_user.node); under @lock
 * @ctxs: all contexts (sim_ctx.node); under @lock
 * @queues: all queues (sim_queue.node); under @lock
 * @runq: queues with workgroups to launch (sim_queue.run_node); under @lock
 * @vmid_owner: who has which VMID; entry 0 stays empty; under @lock
 * @resident: contexts that have a VMID, longest first (sim_ctx.vmid_node);
 *	under @lock
 * @vmid_waiters: contexts with work and without VMID, longest first
 *	(sim_ctx.vmid_node); under @lock
 * @starving: has a VMID and work, and no workgroup on a compute unit, for want of
 *	room; NULL nobody; under @lock
 * @starving_since: ns; likewise
 * @starving_cus: bitmap of compute units that had no room for it; likewise
 * @next_waiter: of each kind, the context that gets the next VMID; NULL not known;
 *	likewise
 * @saved_ctxs: contexts with saved workgroups (sim_ctx.saved_node); under @lock
 * @nr_evicting: contexts that leave the GPU; written under @lock
 * @preempt: takes VMIDs away
 * @preempt_due: when it looks next, jiffies; under @lock
 * @vmid_wait: for sim_ctx.vmid to become 0
 * @saved_waves: struct sim_saved_wave by stop; under @sq_lock
 * @saved_ids: the same by wave; under @sq_lock
 * @nr_saved_hit_pending: of them, those that owe; likewise, and read without
 * @nr_stops: ids of stops given out; under @sq_lock
 * @nr_wave_ids: likewise ids of waves
 * @nr_cus: entries of @cu
 * @cu: compute units
 * @regs: registers
 * @ih: interrupt ring
 * @sweep: looks for stops that nobody was told of
 * @quiet: report no stop any more
 * @doorbells: of queues
 * @pasids: of contexts
 * @stats: enum sim_stat
 * @longest_stop: ns that a wave was halted for, the longest so far
 * @faults: that somebody planted
 * @root: what root selected by debugfs
 * @taken: comparators that another debugger has
 * @debugfs: directory
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
	raw_spinlock_t sq_lock;
	struct mutex reset_lock;
	bool resetting;
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
extern struct sim_device *gpubp_sim;	/* for the rig of the conformance suite */
#endif

struct sim_device *sim_device_create(const struct sim_config *config);
void sim_device_remove(struct sim_device *dev);
int sim_device_remove_idle(struct sim_device *dev);

/** sim_device_get() - another context, unless the device goes */
static inline bool sim_device_get(struct sim_device *dev)
{
	return refcount_inc_not_zero(&dev->users);
}

/** sim_device_put() - undo; the last one destroys the device */
static inline void sim_device_put(struct sim_device *dev)
{
	if (refcount_dec_and_test(&dev->users))
		dev->destroy(dev);
}

/** sim_device_nr_slots() - positions of waves */
static inline unsigned int sim_device_nr_slots(const struct sim_device *dev)
{
	return dev->nr_cus * SIM_CU_SLOTS;
}

/** sim_device_nr_waves() - waves that can be on the GPU at once */
static inline unsigned int sim_device_nr_waves(const struct sim_device *dev)
{
	return dev->nr_cus * SIM_NR_SIMDS * dev->config.simd_slots;
}

static inline void sim_stat_inc(struct sim_device *dev, enum sim_stat stat)
{
	atomic64_inc(&dev->stats[stat]);
}

#endif /* _GPUBP_PROVIDERS_SIM_DEVICE_DEVICE_H */
