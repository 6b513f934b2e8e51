// SPDX-License-Identifier: GPL-2.0
/*
 * Rounds of a compute unit's thread: save workgroups that are evicted, place a
 * workgroup, execute slices of waves.
 */
#include <linux/jiffies.h>
#include <linux/kthread.h>
#include <linux/sched.h>

#include "ctx.h"
#include "cu.h"
#include "queue.h"
#include "rounds.h"
#include "save.h"
#include "slice.h"
#include "spi.h"
#include "user.h"

/* CPU tasks have priority */
#define THREAD_NICE	5

#define PAGE_POLL	max(HZ / 100, 1)

static bool run_slot(struct sim_slot *slot)
{
	bool busy = sim_slice_run(slot);

	if (busy)
		cond_resched();
	return busy;
}

static struct sim_user *slot_user(const struct sim_slot *slot)
{
	return slot->group->queue->ctx->user;
}

/*
 * The user whose waves in the slots of @todo ran least on this compute unit
 * recently.
 */
static struct sim_user *next_user(struct sim_cu *cu, const unsigned long *todo)
{
	struct sim_user *user, *next = NULL;
	u64 used, least = 0;
	unsigned int i;

	for_each_set_bit(i, todo, SIM_CU_SLOTS) {
		user = slot_user(&cu->slot[i]);
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

/* the next slot of @todo with a wave of @user, round robin, or SIM_CU_SLOTS */
static unsigned int next_slot(struct sim_cu *cu, const struct sim_user *user,
			      const unsigned long *todo)
{
	unsigned int i;

	for_each_set_bit_wrap(i, todo, SIM_CU_SLOTS,
			      user->used[cu->nr].next_slot)
		if (slot_user(&cu->slot[i]) == user)
			return i;
	return SIM_CU_SLOTS;
}

/* @user may be freed with its last wave: do not use it afterwards */
static bool run_wave_of(struct sim_cu *cu, struct sim_user *user,
			unsigned long *todo, bool *last)
{
	unsigned int i = next_slot(cu, user, todo);

	__clear_bit(i, todo);
	user->used[cu->nr].next_slot = (i + 1) % SIM_CU_SLOTS;
	*last = next_slot(cu, user, todo) == SIM_CU_SLOTS;
	return run_slot(&cu->slot[i]);
}

/* slices for which others wait, of any user */
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
 * A round: the user with the least time gets the next slice, until all waves of
 * one user have had a slice, or the thread was kicked: a wave was resumed, or a
 * context is evicted.
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
		busy |= run_wave_of(cu, user, todo, &last);
	} while (!busy || (!last && !READ_ONCE(cu->kicked)));
	return busy || urgent;
}

/*
 * Poll while a wave waits for a page: the pager may have been busy with another
 * one.
 */
static void wait_for_work(struct sim_cu *cu)
{
	long timeout = cu->paging ? PAGE_POLL : MAX_SCHEDULE_TIMEOUT;

	cu->paging = false;
	while (timeout) {
		set_current_state(TASK_IDLE);
		/* clear after the state is set: pairs with sim_cu_kick() */
		if (xchg(&cu->kicked, false) || kthread_should_stop())
			break;
		timeout = schedule_timeout(timeout);
	}
	__set_current_state(TASK_RUNNING);
}

/* also try once per tick, to see changes elsewhere by then at the latest */
static bool place_groups(struct sim_cu *cu)
{
	if (!xchg(&cu->try_place, false) &&
	    !time_after(jiffies, cu->place_tried_at))
		return false;
	cu->place_tried_at = jiffies;
	if (!sim_spi_place(cu))
		return false;
	sim_cu_place_soon(cu);	/* there may be another */
	return true;
}

/**
 * sim_rounds_thread() - thread function of a compute unit
 * @data: the compute unit
 */
int sim_rounds_thread(void *data)
{
	struct sim_cu *cu = data;
	bool busy;

	set_user_nice(current, THREAD_NICE);
	while (!kthread_should_stop()) {
		/* clear, then look for work: pairs with sim_cu_kick() */
		xchg(&cu->kicked, false);
		busy = sim_save_groups(cu);
		busy |= place_groups(cu);
		busy |= run_waves(cu);
		if (!busy)
			wait_for_work(cu);
	}
	return 0;
}
