// SPDX-License-Identifier: GPL-2.0
/* Compute units: their memory, their positions, when their threads run. */
#include <linux/kthread.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>

#include "cu.h"

/** sim_cu_place_soon() - there is room, or something to be placed; any context */
void sim_cu_place_soon(struct sim_cu *cu)
{
	WRITE_ONCE(cu->try_place, true);
}

/** sim_cu_kick() - there may be something to do; any context */
void sim_cu_kick(struct sim_cu *cu)
{
	/* what there is to do, then that: pairs with the two xchg() */
	smp_store_release(&cu->kicked, true);
	/* a full barrier before the thread's state is looked at */
	wake_up_process(cu->thread);
}

/** sim_cu_kick_all() - there may be something to do for all; any context */
void sim_cu_kick_all(struct sim_device *dev)
{
	unsigned int i;

	for (i = 0; i < dev->nr_cus; i++) {
		sim_cu_place_soon(dev->cu[i]);
		sim_cu_kick(dev->cu[i]);
	}
}

static void cu_init_slots(struct sim_cu *cu)
{
	int i;

	for (i = 0; i < SIM_CU_SLOTS; i++) {
		cu->slot[i].cu = cu;
		cu->slot[i].simd = i / SIM_SIMD_SLOTS;
		cu->slot[i].nr = i % SIM_SIMD_SLOTS;
		cu->group[i].cu = cu;
	}
}

static void cu_free(struct sim_cu *cu)
{
	vfree(cu->vgprs);
	vfree(cu->lds);
	kvfree(cu);
}

static struct sim_cu *cu_alloc(void)
{
	struct sim_cu *cu = kvzalloc(sizeof(*cu), GFP_KERNEL);

	if (!cu)
		return NULL;
	cu->vgprs = vzalloc(array3_size(SIM_NR_SIMDS, SIM_NR_VGPRS,
					sizeof(*cu->vgprs)));
	cu->lds = vzalloc(SIM_LDS_SIZE);
	if (cu->vgprs && cu->lds)
		return cu;
	cu_free(cu);
	return NULL;
}

/**
 * sim_cu_create() - a compute unit, idle
 * @dev: device
 * @nr: number in the device
 * @run: what its thread does, with the unit as argument
 *
 * Return: the unit or an ERR_PTR.
 */
struct sim_cu *sim_cu_create(struct sim_device *dev, unsigned int nr,
			     int (*run)(void *cu))
{
	struct sim_cu *cu = cu_alloc();
	struct task_struct *thread;

	if (!cu)
		return ERR_PTR(-ENOMEM);
	cu->dev = dev;
	cu->nr = nr;
	cu->tlb.inst = SIM_NO_INST;
	raw_spin_lock_init(&cu->lock);
	init_waitqueue_head(&cu->wait);
	cu_init_slots(cu);
	thread = kthread_create(run, cu, "%s/cu%u", dev->name, nr);
	if (IS_ERR(thread)) {
		cu_free(cu);
		return ERR_CAST(thread);
	}
	cu->thread = thread;
	wake_up_process(thread);
	return cu;
}

/** sim_cu_destroy() - a compute unit without waves goes */
void sim_cu_destroy(struct sim_cu *cu)
{
	kthread_stop(cu->thread);
	cu_free(cu);
}

/**
 * sim_cu_slot() - a wave slot by its position
 * @dev: device
 * @cu: compute unit
 * @simd: SIMD of the unit
 * @nr: slot of the SIMD
 *
 * Return: NULL if there is no such slot.
 */
struct sim_slot *sim_cu_slot(struct sim_device *dev, unsigned int cu,
			     unsigned int simd, unsigned int nr)
{
	if (cu >= dev->nr_cus || simd >= SIM_NR_SIMDS || nr >= SIM_SIMD_SLOTS)
		return NULL;
	return &dev->cu[cu]->slot[simd * SIM_SIMD_SLOTS + nr];
}

static bool slice_is_over(struct sim_cu *cu, u64 slices)
{
	/* what the slice did is visible: pairs with end_slice() */
	return !(slices & 1) || smp_load_acquire(&cu->slices) != slices;
}

/**
 * sim_cu_drain() - wait until no slice that runs now is running
 * @dev: device
 * @timeout: jiffies at most, for each compute unit
 *
 * Whatever the caller wrote before is seen by all slices that begin
 * afterwards. May sleep.
 *
 * Return: false if it took too long.
 */
bool sim_cu_drain(struct sim_device *dev, unsigned long timeout)
{
	bool done = true;
	unsigned int i;

	smp_mb();	/* what was written, then the slices: see begin_slice() */
	for (i = 0; i < dev->nr_cus; i++) {
		struct sim_cu *cu = dev->cu[i];
		/* even: the last slice is over, as in slice_is_over() */
		u64 slices = smp_load_acquire(&cu->slices);

		if (!wait_event_timeout(cu->wait, slice_is_over(cu, slices),
					timeout))
			done = false;
	}
	return done;
}
