// SPDX-License-Identifier: GPL-2.0
/* Compute units: memory, wave slots, and wakeups of their threads. */
#include <linux/kthread.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>

#include "cu.h"

/*
 * sim_cu_place_soon() - space or a workgroup to place became available; any
 * context
 */
void sim_cu_place_soon(struct sim_cu *cu)
{
	WRITE_ONCE(cu->try_place, true);
}

/** sim_cu_kick() - wake the thread: there may be work; any context */
void sim_cu_kick(struct sim_cu *cu)
{
	/* the work, then the flag: pairs with the two xchg() */
	smp_store_release(&cu->kicked, true);
	/* implies a full barrier before the thread's state is read */
	wake_up_process(cu->thread);
}

/** sim_cu_kick_all() - wake all compute units; any context */
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
	kvfree(cu->decoded);
	kvfree(cu->icache);
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
	cu->icache = kvzalloc(sizeof(*cu->icache), GFP_KERNEL);
	cu->decoded = kvcalloc(SIM_NR_DECODED, sizeof(*cu->decoded),
			       GFP_KERNEL);
	if (cu->vgprs && cu->lds && cu->icache && cu->decoded)
		return cu;
	cu_free(cu);
	return NULL;
}

/**
 * sim_cu_create() - create an idle compute unit
 * @dev: device
 * @nr: number in the device
 * @run: thread function, called with the unit
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

/** sim_cu_destroy() - free a compute unit without waves */
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
	/* effects of the slice are visible: pairs with end_slice() */
	return !(slices & 1) || smp_load_acquire(&cu->slices) != slices;
}

/**
 * sim_cu_drain() - wait for the end of all slices that run now
 * @dev: device
 * @timeout: jiffies at most, for each compute unit
 *
 * Slices that begin afterwards see all earlier writes of the caller. May sleep.
 *
 * Return: false on timeout.
 */
bool sim_cu_drain(struct sim_device *dev, unsigned long timeout)
{
	bool done = true;
	unsigned int i;

	smp_mb();	/* writes, then slice counts: see begin_slice() */
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
