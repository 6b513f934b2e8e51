// SPDX-License-Identifier: GPL-2.0
/*
 * Scheduler: the worker that makes the hardware equal to what is wanted.
 *
 * One worker a device. It runs when something is wanted or not wanted any
 * more; while more is wanted than there are comparators it runs again every
 * quantum. Whoever must know that a wish was seen waits here.
 */
#include <kunit/visibility.h>
#include <linux/export.h>
#include <linux/kthread.h>
#include <linux/ktime.h>
#include <linux/moduleparam.h>
#include <linux/wait.h>

#include "commit.h"
#include "context.h"
#include "device.h"
#include "late.h"
#include "sched.h"
#include "watch.h"

static unsigned int quantum_us = 10000;
module_param(quantum_us, uint, 0644);
MODULE_PARM_DESC(quantum_us, "time between two rotations of a device's comparators, in us");

static unsigned int max_overhead_percent = 10;
module_param(max_overhead_percent, uint, 0644);
MODULE_PARM_DESC(max_overhead_percent, "share of time that rotation may take, 1 to 100; the quantum is stretched for it");

#define PREEMPTION_PRICE	4

static void run_again(struct gpubp_device *dev, unsigned int us)
{
	kthread_queue_delayed_work(dev->committer, &dev->commit_work,
				   usecs_to_jiffies(us));
}

static void run_late(struct gpubp_device *dev)
{
	u64 next = gpubp_late_next(dev), now = ktime_get_ns();
	u64 us = READ_ONCE(quantum_us);

	if (next == U64_MAX)
		return;
	if (next > now)
		us = max(us, div_u64(next - now, NSEC_PER_USEC));
	run_again(dev, us);
}

/* where a commit stops what runs, everybody pays for it */
static unsigned int overhead_percent(const struct gpubp_device *dev)
{
	unsigned int percent = READ_ONCE(max_overhead_percent);

	if (dev->desc.caps.commit_preempts)
		percent /= PREEMPTION_PRICE;
	return clamp(percent, 1u, 100u);
}

/* a device whose commits are slow rotates less often, not all the time */
static unsigned int next_quantum_us(const struct gpubp_device *dev, u64 began)
{
	unsigned int percent = overhead_percent(dev);
	u64 cost_us = div_u64(ktime_get_ns() - began, NSEC_PER_USEC);
	u64 least = div_u64(cost_us * 100, percent);

	return clamp_t(u64, least, READ_ONCE(quantum_us), USEC_PER_SEC);
}

static void note_settled(struct gpubp_device *dev, u64 asked,
			 enum gpubp_rerun rerun)
{
	/* who waits must not take a run that goes on for a success */
	if (rerun == GPUBP_RERUN_NOW)
		return;
	/* the program, then the numbers; pair with is_settled(), is_tried() */
	if (rerun != GPUBP_RERUN_NOMEM)
		smp_store_release(&dev->settled, asked);
	smp_store_release(&dev->tried, asked);
	wake_up_all(&dev->settle_wait);
}

static void commit_fn(struct kthread_work *work)
{
	struct gpubp_device *dev = container_of(work, struct gpubp_device,
						commit_work.work);
	u64 began = ktime_get_ns();
	/* the number, then what is wanted; pairs with gpubp_sched_kick() */
	u64 asked = atomic64_read_acquire(&dev->asked);
	enum gpubp_rerun rerun = gpubp_commit(dev);

	if (rerun == GPUBP_RERUN_NOMEM)
		run_again(dev, quantum_us);
	else if (rerun == GPUBP_RERUN_ROTATE)
		run_again(dev, next_quantum_us(dev, began));
	else if (rerun == GPUBP_RERUN_LATE)
		run_late(dev);
	else if (rerun == GPUBP_RERUN_NOW)
		run_again(dev, 0);
	note_settled(dev, asked, rerun);
}

/* ---- for the others ------------------------------------------------------ */

void gpubp_sched_init(struct gpubp_device *dev)
{
	INIT_LIST_HEAD(&dev->fresh);
	INIT_LIST_HEAD(&dev->turns);
	init_waitqueue_head(&dev->settle_wait);
	kthread_init_delayed_work(&dev->commit_work, commit_fn);
}

/** gpubp_sched_kick() - something is wanted or not wanted any more; any context */
void gpubp_sched_kick(struct gpubp_device *dev)
{
	if (!dev->desc.caps.nr_slots)
		return;
	atomic64_inc_return_release(&dev->asked);
	kthread_mod_delayed_work(dev->committer, &dev->commit_work, 0);
}

/** gpubp_sched_flush() - a commit that runs or was asked for is done; may sleep */
void gpubp_sched_flush(struct gpubp_device *dev)
{
	kthread_flush_worker(dev->committer);
}

static bool is_settled(struct gpubp_device *dev, u64 asked)
{
	/* pairs with note_settled() */
	return smp_load_acquire(&dev->settled) >= asked;
}

static bool is_tried(struct gpubp_device *dev, u64 asked)
{
	/* pairs with note_settled() */
	return smp_load_acquire(&dev->tried) >= asked;
}

/**
 * gpubp_sched_wait_timeout() - what is wanted now has been committed
 * @dev: device; a reference is held
 * @timeout: jiffies
 *
 * May sleep. Return: 0, -EINTR or -ETIMEDOUT.
 */
int gpubp_sched_wait_timeout(struct gpubp_device *dev, unsigned long timeout)
{
	u64 asked = atomic64_read(&dev->asked);
	long left;

	if (is_settled(dev, asked))
		return 0;
	if (!timeout)
		return -ETIMEDOUT;
	left = wait_event_interruptible_timeout(dev->settle_wait,
						is_settled(dev, asked),
						timeout);
	if (left < 0)
		return -EINTR;
	return left ? 0 : -ETIMEDOUT;
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_sched_wait_timeout);

/**
 * gpubp_sched_wait() - what is wanted now is armed, as far as it can be
 * @dev: device
 *
 * May sleep, for one commit. Not by a flush of the worker: of two that ask at
 * the same time one leaves it to the other to queue the run, and may be here
 * before that is done. Return: 0 or -EINTR.
 */
int gpubp_sched_wait(struct gpubp_device *dev)
{
	u64 asked = atomic64_read(&dev->asked);

	if (is_settled(dev, asked))
		return 0;
	/* each round takes a slot or a context out that cannot serve */
	return wait_event_killable(dev->settle_wait, is_tried(dev, asked)) ?
		-EINTR : 0;
}

/** gpubp_sched_stop() - no commit runs or will; may sleep */
void gpubp_sched_stop(struct gpubp_device *dev)
{
	mutex_lock(&dev->lock);
	dev->stopped = true;
	mutex_unlock(&dev->lock);
	kthread_cancel_delayed_work_sync(&dev->commit_work);
	note_settled(dev, U64_MAX, GPUBP_RERUN_NEVER);
}

/** gpubp_sched_suspended() - nothing is armed until the next commit; may sleep */
void gpubp_sched_suspended(struct gpubp_device *dev)
{
	struct gpubp_watch *w;
	struct gpubp_ctx *ctx;

	guard(mutex)(&dev->lock);
	list_for_each_entry(ctx, &dev->ctxs, node)
		for (w = gpubp_watch_first(ctx, 0, U64_MAX); w;
		     w = gpubp_watch_next(w, 0, U64_MAX))
			gpubp_watch_account(w, false);
}

/** gpubp_sched_reset() - the hardware forgot everything; any context */
void gpubp_sched_reset(struct gpubp_device *dev)
{
	gpubp_clocks_stop(dev);
	gpubp_sched_kick(dev);
}
