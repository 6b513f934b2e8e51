// SPDX-License-Identifier: GPL-2.0
/* Requests: when a device's worker runs, and waiting for what was requested. */
#include <kunit/visibility.h>
#include <linux/err.h>
#include <linux/export.h>
#include <linux/jiffies.h>
#include <linux/ktime.h>
#include <linux/lockdep.h>
#include <linux/math64.h>
#include <linux/minmax.h>

#include "../compat/version.h"
#include "context.h"
#include "device.h"
#include "request.h"

/* ---- the worker's timer -------------------------------------------------- */

static unsigned long jiffies_to(u64 when)
{
	u64 now = ktime_get_ns();

	return when > now ?
		       usecs_to_jiffies(div_u64(when - now, NSEC_PER_USEC)) :
		       0;
}

/* no later than that */
static void run_at(struct gpubp_requests *reqs, u64 when)
{
	lockdep_assert_held(&reqs->lock);
	if (reqs->stopped || when >= reqs->due)
		return;
	reqs->due = when;
	kthread_mod_delayed_work(reqs->worker, &reqs->work, jiffies_to(when));
}

/* requests shall not make quanta short in which another watch is armed */
static u64 time_of_run(const struct gpubp_requests *reqs, u8 urgency)
{
	u64 charged = reqs->rotates ? U64_MAX : reqs->charged;

	switch (urgency) {
	case GPUBP_URGENCY_NOW:
		return 0;
	case GPUBP_URGENCY_WAIT:
		return min(charged, reqs->quantum_ends);
	default:
		return charged;
	}
}

/* one that runs may have seen all, or not: there will be another */
static void want_run(struct gpubp_requests *reqs, u8 urgency)
{
	lockdep_assert_held(&reqs->lock);
	if (reqs->running)
		reqs->urgency = max(reqs->urgency, urgency);
	else
		run_at(reqs, time_of_run(reqs, urgency));
}

/**
 * gpubp_run_begin() - the worker runs
 * @dev: device
 *
 * Its worker only. Return: the number of the last request that it will know of.
 */
u64 gpubp_run_begin(struct gpubp_device *dev)
{
	struct gpubp_requests *reqs = &dev->requests;

	guard(raw_spinlock_irqsave)(&reqs->lock);
	reqs->running = true;
	reqs->urgency = GPUBP_URGENCY_NONE;
	reqs->due = U64_MAX;
	/* the number, then what is wanted; pairs with request_run() */
	return smp_load_acquire(&reqs->requested);
}

/* what was not paid off when it began is still to be paid, too */
static u64 paid_off(const struct gpubp_requests *reqs,
		    const struct gpubp_run_result *run)
{
	return min(max(reqs->charged, run->began) + run->interval,
		   ktime_get_ns() + NSEC_PER_SEC);
}

/**
 * gpubp_run_end() - it does not run any more
 * @dev: device
 * @run: how it ended
 *
 * Its worker only.
 */
void gpubp_run_end(struct gpubp_device *dev,
		   const struct gpubp_run_result *run)
{
	struct gpubp_requests *reqs = &dev->requests;
	u64 next = run->next;

	guard(raw_spinlock_irqsave)(&reqs->lock);
	reqs->running = false;
	reqs->rotates = next != U64_MAX;
	reqs->charged = paid_off(reqs, run);
	reqs->quantum_ends = ktime_get_ns() + run->quantum;
	if (reqs->requested != run->seq)
		next = min(next, time_of_run(reqs, reqs->urgency));
	run_at(reqs, next);
}

/**
 * gpubp_run_done() - nothing is to be tried at once for requests up to a number
 * @dev: device
 * @seq: the number
 * @in_hardware: what was requested is in the hardware
 *
 * The device's worker, or after it stopped.
 */
void gpubp_run_done(struct gpubp_device *dev, u64 seq, bool in_hardware)
{
	struct gpubp_requests *reqs = &dev->requests;

	if (in_hardware)
		/* the program, then the number; pairs with is_done() */
		smp_store_release(&reqs->done, seq);
	/* likewise; pairs with is_attempted() */
	smp_store_release(&reqs->attempted, seq);
	wake_up_all(&reqs->waiters);
}

/* ---- requests ------------------------------------------------------------ */

/* @whose: the last number that a waiter may have to wait for */
static void request_run(struct gpubp_device *dev, u64 *whose, u8 urgency)
{
	struct gpubp_requests *reqs = &dev->requests;

	if (!dev->desc.caps.nr_slots && !dev->desc.caps.exceptions &&
	    !dev->can_trap)
		return;
	guard(raw_spinlock_irqsave)(&reqs->lock);
	/* what is wanted, then the number; pairs with gpubp_run_begin() */
	smp_store_release(&reqs->requested, reqs->requested + 1);
	if (whose)
		WRITE_ONCE(*whose, reqs->requested);
	want_run(reqs, urgency);
}

/** gpubp_request() - more may be armed than is; any context */
void gpubp_request(struct gpubp_device *dev)
{
	request_run(dev, NULL, GPUBP_URGENCY_NONE);
}

/**
 * gpubp_request_ctx() - something is wanted or not wanted any more
 * @ctx: where; what it dispatches from now on waits for that
 *
 * Any context.
 */
void gpubp_request_ctx(struct gpubp_ctx *ctx)
{
	request_run(ctx->dev, &ctx->requested, GPUBP_URGENCY_NONE);
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_request_ctx);

/** gpubp_request_now() - the hardware is not what it was; any context */
void gpubp_request_now(struct gpubp_device *dev)
{
	request_run(dev, &dev->requests.requested_for_all, GPUBP_URGENCY_NOW);
}

/* there is a waiter for what was requested; if it is being done, it is not late */
static void hurry(struct gpubp_requests *reqs)
{
	guard(raw_spinlock_irqsave)(&reqs->lock);
	if (reqs->running || reqs->due != U64_MAX)
		want_run(reqs, GPUBP_URGENCY_WAIT);
}

static bool is_done(struct gpubp_requests *reqs, u64 seq)
{
	/* pairs with gpubp_run_done() */
	return smp_load_acquire(&reqs->done) >= seq;
}

static bool is_attempted(struct gpubp_requests *reqs, u64 seq)
{
	/* pairs with gpubp_run_done() */
	return smp_load_acquire(&reqs->attempted) >= seq;
}

/**
 * gpubp_request_wait_timeout() - what is wanted now has been committed
 * @dev: device; a reference is held
 * @timeout: jiffies
 *
 * May sleep. Return: 0, -EINTR or -ETIMEDOUT.
 */
int gpubp_request_wait_timeout(struct gpubp_device *dev, unsigned long timeout)
{
	struct gpubp_requests *reqs = &dev->requests;
	u64 seq = READ_ONCE(reqs->requested);
	long left;

	if (is_done(reqs, seq))
		return 0;
	if (!timeout)
		return -ETIMEDOUT;
	hurry(reqs);
	left = wait_event_interruptible_timeout(reqs->waiters,
						is_done(reqs, seq), timeout);
	return gpubp_wait_error(left);
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_request_wait_timeout);

/*
 * Not by a flush of the worker: of two requests at the same time one leaves it to
 * the other to queue the run, and may wait here before that is done.
 */
static int wait_for(struct gpubp_requests *reqs, u64 seq)
{
	if (is_done(reqs, seq))
		return 0;
	hurry(reqs);
	/* each round takes a slot or a context out that cannot serve */
	return wait_event_killable(reqs->waiters, is_attempted(reqs, seq)) ?
		-EINTR : 0;
}

/**
 * gpubp_request_wait() - what is wanted now is armed, as far as it can be
 * @dev: device
 *
 * May sleep, for a quantum and a commit. Return: 0 or -EINTR.
 */
int gpubp_request_wait(struct gpubp_device *dev)
{
	return wait_for(&dev->requests, READ_ONCE(dev->requests.requested));
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_request_wait);

/** gpubp_request_wait_ctx() - likewise, for what is wanted in a context */
int gpubp_request_wait_ctx(struct gpubp_ctx *ctx)
{
	struct gpubp_requests *reqs = &ctx->dev->requests;

	return wait_for(reqs, max(READ_ONCE(ctx->requested),
				  READ_ONCE(reqs->requested_for_all)));
}

/* ---- lifetime ------------------------------------------------------------ */

/**
 * gpubp_requests_init() - of a new device
 * @dev: device
 * @run: what the worker does
 */
void gpubp_requests_init(struct gpubp_device *dev, kthread_work_func_t run)
{
	struct gpubp_requests *reqs = &dev->requests;

	raw_spin_lock_init(&reqs->lock);
	reqs->due = U64_MAX;
	init_waitqueue_head(&reqs->waiters);
	kthread_init_delayed_work(&reqs->work, run);
}

/** gpubp_requests_start() - create the worker; may sleep; 0 or a negative errno */
int gpubp_requests_start(struct gpubp_device *dev)
{
	struct kthread_worker *worker;

	worker = kthread_run_worker(0, "gpubp%u/commit", dev->number);
	if (IS_ERR(worker))
		return PTR_ERR(worker);
	dev->requests.worker = worker;
	return 0;
}

/** gpubp_requests_flush() - a run that has begun is over; may sleep */
void gpubp_requests_flush(struct gpubp_device *dev)
{
	kthread_flush_worker(dev->requests.worker);
}

/** gpubp_requests_stop() - the worker does not run and will not; may sleep */
void gpubp_requests_stop(struct gpubp_device *dev)
{
	struct gpubp_requests *reqs = &dev->requests;

	scoped_guard(mutex, &dev->lock) {
		guard(raw_spinlock_irqsave)(&reqs->lock);
		WRITE_ONCE(reqs->stopped, true);	/* waits look without locks */
	}
	kthread_cancel_delayed_work_sync(&reqs->work);
	gpubp_run_done(dev, U64_MAX, true);
}

/** gpubp_requests_exit() - destroy the worker; may sleep */
void gpubp_requests_exit(struct gpubp_device *dev)
{
	kthread_destroy_worker(dev->requests.worker);
}
