// SPDX-License-Identifier: GPL-2.0
/* Compute units: their memory and the threads that run waves. */
#include <linux/jiffies.h>
#include <linux/kthread.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>

#include "ctx.h"
#include "cu.h"
#include "group.h"
#include "queue.h"
#include "save.h"
#include "slice.h"
#include "user.h"

/* tasks of the CPU come first */
#define THREAD_NICE	5

#define PAGE_POLL	max(HZ / 100, 1)

static bool run_slot(struct sim_slot *slot)
{
	bool busy = sim_slice_run(slot);

	if (busy)
		cond_resched();
	return busy;
}

static struct sim_user *user_of(const struct sim_slot *slot)
{
	return slot->group->queue->ctx->user;
}

/* whose waves in the slots of @todo ran least on this compute unit of late */
static struct sim_user *next_user(struct sim_cu *cu, const unsigned long *todo)
{
	struct sim_user *user, *next = NULL;
	u64 used, least = 0;
	unsigned int i;

	for_each_set_bit(i, todo, SIM_CU_SLOTS) {
		user = user_of(&cu->slot[i]);
		if (user == next)
			continue;
		used = sim_user_used_cu(user, cu->nr);
		if (!next || used < least) {
			next = user;
			least = used;
		}
	}
	return next;
}

/* of the slots of @todo with a wave of @user, the one whose turn it is; or SIM_CU_SLOTS */
static unsigned int next_slot(struct sim_cu *cu, const struct sim_user *user,
			      const unsigned long *todo)
{
	unsigned int i;

	for_each_set_bit_wrap(i, todo, SIM_CU_SLOTS, user->used[cu->nr].turn)
		if (user_of(&cu->slot[i]) == user)
			return i;
	return SIM_CU_SLOTS;
}

/* the last wave of a user may take him with it */
static bool run_one_of(struct sim_cu *cu, struct sim_user *user, unsigned long *todo,
		       bool *last)
{
	unsigned int i = next_slot(cu, user, todo);

	__clear_bit(i, todo);
	user->used[cu->nr].turn = (i + 1) % SIM_CU_SLOTS;
	*last = next_slot(cu, user, todo) == SIM_CU_SLOTS;
	return run_slot(&cu->slot[i]);
}

/* others wait for these, whosever they are */
static bool run_urgent(struct sim_cu *cu, unsigned long *todo)
{
	bool busy = false;
	unsigned int i;

	for_each_set_bit(i, todo, SIM_CU_SLOTS) {
		if (!sim_slice_is_urgent(&cu->slot[i]))
			continue;
		__clear_bit(i, todo);
		busy |= run_slot(&cu->slot[i]);
	}
	return busy;
}

/*
 * A round: slices go to the user who had least, until each wave of one of them has had
 * its turn, or something else may come first: a wave is resumed, a context leaves.
 */
static bool run_waves(struct sim_cu *cu)
{
	DECLARE_BITMAP(todo, SIM_CU_SLOTS);
	bool urgent, last, busy = false;
	struct sim_user *user;
	unsigned int i;

	for (i = 0; i < SIM_CU_SLOTS; i++)
		__assign_bit(i, todo, cu->slot[i].group);
	urgent = run_urgent(cu, todo);
	do {
		user = next_user(cu, todo);
		if (!user)
			break;
		busy |= run_one_of(cu, user, todo, &last);
	} while (!busy || (!last && !READ_ONCE(cu->kicked)));
	return busy || urgent;
}

/* somebody else's page may have kept the pager busy, so it is asked again */
static void wait_for_work(struct sim_cu *cu)
{
	long timeout = cu->paging ? PAGE_POLL : MAX_SCHEDULE_TIMEOUT;

	cu->paging = false;
	while (timeout) {
		set_current_state(TASK_IDLE);
		/* cleared after the state is set: pairs with sim_cu_kick() */
		if (xchg(&cu->kicked, false) || kthread_should_stop())
			break;
		timeout = schedule_timeout(timeout);
	}
	__set_current_state(TASK_RUNNING);
}

/* what others do is seen after a tick at the latest */
static bool place(struct sim_cu *cu)
{
	if (!xchg(&cu->place, false) && !time_after(jiffies, cu->placed_at))
		return false;
	cu->placed_at = jiffies;
	if (!sim_group_place(cu))
		return false;
	sim_cu_place_soon(cu);	/* another one */
	return true;
}

static int cu_thread(void *data)
{
	struct sim_cu *cu = data;
	bool busy;

	set_user_nice(current, THREAD_NICE);
	while (!kthread_should_stop()) {
		/* then look: pairs with sim_cu_kick() */
		xchg(&cu->kicked, false);
		busy = sim_save_groups(cu);
		busy |= place(cu);
		busy |= run_waves(cu);
		if (!busy)
			wait_for_work(cu);
	}
	return 0;
}

/** sim_cu_place_soon() - there is room, or something to be placed; any context */
void sim_cu_place_soon(struct sim_cu *cu)
{
	WRITE_ONCE(cu->place, true);
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

static void init_slots(struct sim_cu *cu)
{
	int i;

	for (i = 0; i < SIM_CU_SLOTS; i++) {
		cu->slot[i].cu = cu;
		cu->slot[i].simd = i / SIM_SIMD_SLOTS;
		cu->slot[i].nr = i % SIM_SIMD_SLOTS;
		cu->group[i].cu = cu;
	}
}

static void free_cu(struct sim_cu *cu)
{
	vfree(cu->vgprs);
	vfree(cu->lds);
	kvfree(cu);
}

static struct sim_cu *alloc_cu(void)
{
	struct sim_cu *cu = kvzalloc(sizeof(*cu), GFP_KERNEL);

	if (!cu)
		return NULL;
	cu->vgprs = vzalloc(array3_size(SIM_NR_SIMDS, SIM_NR_VGPRS,
					sizeof(*cu->vgprs)));
	cu->lds = vzalloc(SIM_LDS_SIZE);
	if (cu->vgprs && cu->lds)
		return cu;
	free_cu(cu);
	return NULL;
}

/**
 * sim_cu_create() - a compute unit, idle
 * @dev: device
 * @nr: number in the device
 *
 * Return: the unit or an ERR_PTR.
 */
struct sim_cu *sim_cu_create(struct sim_device *dev, unsigned int nr)
{
	struct sim_cu *cu = alloc_cu();
	struct task_struct *thread;

	if (!cu)
		return ERR_PTR(-ENOMEM);
	cu->dev = dev;
	cu->nr = nr;
	cu->tlb.inst = SIM_NO_INST;
	raw_spin_lock_init(&cu->lock);
	init_waitqueue_head(&cu->wait);
	init_slots(cu);
	thread = kthread_create(cu_thread, cu, "%s/cu%u", dev->name, nr);
	if (IS_ERR(thread)) {
		free_cu(cu);
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
	free_cu(cu);
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

static bool slice_over(struct sim_cu *cu, u64 slices)
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
		/* even: the last slice is over, as in slice_over() */
		u64 slices = smp_load_acquire(&cu->slices);

		if (!wait_event_timeout(cu->wait, slice_over(cu, slices),
					timeout))
			done = false;
	}
	return done;
}
