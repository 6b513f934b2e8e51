// SPDX-License-Identifier: GPL-2.0
/* Requests: when a device's commit worker runs, and waits for its commits. */
#include <kunit/visibility.h>
#include <linux/err.h>
#include <linux/export.h>
#include <linux/hrtimer.h>
#include <linux/ktime.h>
#include <linux/lockdep.h>
#include <linux/minmax.h>

#include "../compat/version.h"
#include "context.h"
#include "device.h"
#include "request.h"

/* ---- the worker's timer -------------------------------------------------- */

static enum hrtimer_restart requests_timer_fn(struct hrtimer *timer)
{
	struct gpubp_requests *reqs = container_of(timer, struct gpubp_requests,
						   timer);

	kthread_queue_work(reqs->worker, &reqs->work);
	return HRTIMER_NORESTART;
}

/* run at @when or earlier */
static void requests_run_at(struct gpubp_requests *reqs, u64 when)
{
	lockdep_assert_held(&reqs->lock);
	if (reqs->stopped || when >= reqs->due)
		return;
	reqs->due = when;
	if (when > ktime_get_ns())
		hrtimer_start(&reqs->timer, ns_to_ktime(when),
			      HRTIMER_MODE_ABS_HARD);
	else
		kthread_queue_work(reqs->worker, &reqs->work);
}

/* requests must not shorten quanta while watches rotate */
static u64 requests_run_time(const struct gpubp_requests *reqs, u8 urgency)
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

/* a running commit may have missed this request: queue one more */
static void requests_want_run(struct gpubp_requests *reqs, u8 urgency)
{
	lockdep_assert_held(&reqs->lock);
	if (reqs->running)
		reqs->urgency = max(reqs->urgency, urgency);
	else
		requests_run_at(reqs, requests_run_time(reqs, urgency));
}

/**
 * gpubp_run_begin() - the worker begins a run
 * @dev: device
 * @due: (out) when it was to begin, ns of CLOCK_MONOTONIC; 0: at once
 *
 * Its worker only. Return: the number of the last request that the run covers.
 */
u64 gpubp_run_begin(struct gpubp_device *dev, u64 *due)
{
	struct gpubp_requests *reqs = &dev->requests;

	guard(raw_spinlock_irqsave)(&reqs->lock);
	reqs->running = true;
	reqs->urgency = GPUBP_URGENCY_NONE;
	*due = reqs->due;
	reqs->due = U64_MAX;
	/* a run at once leaves the timer of a later one */
	hrtimer_try_to_cancel(&reqs->timer);
	/* the number, then the data; pairs with request_run() */
	return smp_load_acquire(&reqs->requested);
}

/* add the run's cost to what earlier runs still owe */
static u64 requests_paid_off(const struct gpubp_requests *reqs,
			     const struct gpubp_run_result *run)
{
	return min(max(reqs->charged, run->began) + run->interval,
		   ktime_get_ns() + GPUBP_MAX_DEBT_NS);
}

/**
 * gpubp_run_end() - the worker ends a run
 * @dev: device
 * @run: result of the run
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
	reqs->charged = requests_paid_off(reqs, run);
	reqs->quantum_ends = ktime_get_ns() + run->quantum;
	if (reqs->requested != run->seq)
		next = min(next, requests_run_time(reqs, reqs->urgency));
	requests_run_at(reqs, next);
}

/**
 * gpubp_run_done() - requests up to a number need no further immediate try
 * @dev: device
 * @seq: the number
 * @in_hardware: the requested state is in the hardware
 *
 * The device's worker, or any caller after it stopped.
 */
void gpubp_run_done(struct gpubp_device *dev, u64 seq, bool in_hardware)
{
	struct gpubp_requests *reqs = &dev->requests;

	if (in_hardware)
		/* the program, then the number; pairs with request_is_done() */
		smp_store_release(&reqs->done, seq);
	/* likewise; pairs with request_is_attempted() */
	smp_store_release(&reqs->attempted, seq);
	wake_up_all(&reqs->waiters);
}

/* ---- requests ------------------------------------------------------------ */

/* @seq: where to store the request number for waiters, or NULL */
static void request_run(struct gpubp_device *dev, u64 *seq, u8 urgency)
{
	struct gpubp_requests *reqs = &dev->requests;

	if (!dev->desc.caps.nr_slots && !dev->desc.caps.exceptions &&
	    !dev->can_trap)
		return;
	guard(raw_spinlock_irqsave)(&reqs->lock);
	/* the data, then the number; pairs with gpubp_run_begin() */
	smp_store_release(&reqs->requested, reqs->requested + 1);
	if (seq)
		WRITE_ONCE(*seq, reqs->requested);
	requests_want_run(reqs, urgency);
}

/** gpubp_request() - request a run, as more could be armed; any context */
void gpubp_request(struct gpubp_device *dev)
{
	request_run(dev, NULL, GPUBP_URGENCY_NONE);
}

/**
 * gpubp_request_ctx() - request a run, as the bindings of a context changed
 * @ctx: context; its further dispatches wait for that run
 *
 * Any context.
 */
void gpubp_request_ctx(struct gpubp_ctx *ctx)
{
	request_run(ctx->dev, &ctx->requested, GPUBP_URGENCY_NONE);
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_request_ctx);

/**
 * gpubp_request_now() - request a run at once, as the hardware has changed
 * @dev: device: it was reset, or slots were lost
 *
 * Any context.
 */
void gpubp_request_now(struct gpubp_device *dev)
{
	request_run(dev, &dev->requests.requested_for_all, GPUBP_URGENCY_NOW);
}

/* a waiter needs a run soon; not if one that covers the request is running */
static void requests_expedite(struct gpubp_requests *reqs)
{
	guard(raw_spinlock_irqsave)(&reqs->lock);
	if (reqs->running || reqs->due != U64_MAX)
		requests_want_run(reqs, GPUBP_URGENCY_WAIT);
}

static bool request_is_done(struct gpubp_requests *reqs, u64 seq)
{
	/* pairs with gpubp_run_done() */
	return smp_load_acquire(&reqs->done) >= seq;
}

static bool request_is_attempted(struct gpubp_requests *reqs, u64 seq)
{
	/* pairs with gpubp_run_done() */
	return smp_load_acquire(&reqs->attempted) >= seq;
}

/**
 * gpubp_request_wait_timeout() - wait until requests so far are in the hardware
 * @dev: device; a reference is held
 * @timeout: jiffies
 *
 * May sleep. Return: 0, -ERESTARTSYS or -ETIMEDOUT.
 */
int gpubp_request_wait_timeout(struct gpubp_device *dev, unsigned long timeout)
{
	struct gpubp_requests *reqs = &dev->requests;
	u64 seq = READ_ONCE(reqs->requested);
	long left;

	if (request_is_done(reqs, seq))
		return 0;
	if (!timeout)
		return -ETIMEDOUT;
	requests_expedite(reqs);
	left = wait_event_interruptible_timeout(reqs->waiters,
						request_is_done(reqs, seq),
						timeout);
	return gpubp_wait_error(left);
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_request_wait_timeout);

/*
 * Flushing the worker does not suffice: of two concurrent requests one relies
 * on the other to queue the run, and may wait here before it is queued.
 */
static int request_wait_seq(struct gpubp_requests *reqs, u64 seq,
			    unsigned long limit)
{
	long left;

	if (request_is_done(reqs, seq))
		return 0;
	requests_expedite(reqs);
	/* each failed run disables a slot or a context, or is one of few, so this ends */
	left = wait_event_killable_timeout(reqs->waiters,
					   request_is_attempted(reqs, seq),
					   limit);
	return left < 0 ? -EINTR : gpubp_wait_error(left);
}

/**
 * gpubp_request_wait() - wait until requests so far are armed or were attempted
 * @dev: device
 *
 * May sleep, for a quantum and a commit. Return: 0 or -EINTR.
 */
int gpubp_request_wait(struct gpubp_device *dev)
{
	return request_wait_seq(&dev->requests,
				READ_ONCE(dev->requests.requested),
				MAX_SCHEDULE_TIMEOUT);
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_request_wait);

/**
 * gpubp_request_wait_ctx() - likewise, for requests that concern a context
 * @ctx: context
 * @limit: jiffies; MAX_SCHEDULE_TIMEOUT: until it is over
 *
 * May sleep. Return: 0, -EINTR or -ETIMEDOUT.
 */
int gpubp_request_wait_ctx(struct gpubp_ctx *ctx, unsigned long limit)
{
	struct gpubp_requests *reqs = &ctx->dev->requests;

	return request_wait_seq(reqs,
				max(READ_ONCE(ctx->requested),
				    READ_ONCE(reqs->requested_for_all)),
				limit);
}

/* ---- lifetime ------------------------------------------------------------ */

/**
 * gpubp_requests_init() - initialise the requests of a new device
 * @dev: device
 * @run: the worker's function
 */
void gpubp_requests_init(struct gpubp_device *dev, kthread_work_func_t run)
{
	struct gpubp_requests *reqs = &dev->requests;

	raw_spin_lock_init(&reqs->lock);
	reqs->due = U64_MAX;
	init_waitqueue_head(&reqs->waiters);
	kthread_init_work(&reqs->work, run);
	hrtimer_setup(&reqs->timer, requests_timer_fn, CLOCK_MONOTONIC,
		      HRTIMER_MODE_ABS_HARD);
}

/** gpubp_requests_start() - create the worker; may sleep; 0 or -errno */
int gpubp_requests_start(struct gpubp_device *dev)
{
	struct kthread_worker *worker;

	worker = kthread_run_worker(0, "gpubp%u/commit", dev->number);
	if (IS_ERR(worker))
		return PTR_ERR(worker);
	dev->requests.worker = worker;
	return 0;
}

/** gpubp_requests_flush() - wait for runs that have begun; may sleep */
void gpubp_requests_flush(struct gpubp_device *dev)
{
	kthread_flush_worker(dev->requests.worker);
}

/** gpubp_requests_stop() - stop the worker; it does not run again; may sleep */
void gpubp_requests_stop(struct gpubp_device *dev)
{
	struct gpubp_requests *reqs = &dev->requests;

	scoped_guard(mutex, &dev->lock) {
		guard(raw_spinlock_irqsave)(&reqs->lock);
		WRITE_ONCE(reqs->stopped, true);	/* read without locks */
	}
	hrtimer_cancel(&reqs->timer);
	kthread_cancel_work_sync(&reqs->work);
	gpubp_run_done(dev, U64_MAX, true);
}

/** gpubp_requests_exit() - destroy the worker; may sleep */
void gpubp_requests_exit(struct gpubp_device *dev)
{
	kthread_destroy_worker(dev->requests.worker);
}
