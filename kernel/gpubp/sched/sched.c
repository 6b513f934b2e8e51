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
#include <linux/kcov.h>
#include <linux/kthread.h>
#include <linux/ktime.h>
#include <linux/moduleparam.h>
#include <linux/random.h>
#include <linux/string.h>
#include <linux/sysfs.h>
#include <linux/wait.h>

#include "../core/context.h"
#include "../core/device.h"
#include "../trap/trap_point.h"
#include "commit.h"
#include "sched.h"
#include "watch.h"

static unsigned int quantum_us = 10000;
module_param(quantum_us, uint, 0644);
MODULE_PARM_DESC(quantum_us, "mean time between two rotations of a device's comparators, in us");

static unsigned int max_overhead_percent = 10;
module_param(max_overhead_percent, uint, 0644);
MODULE_PARM_DESC(max_overhead_percent, "share of time that commits may take, 1 to 100; the quantum is stretched for it");

#define PREEMPTION_PRICE	4
#define WAIT_PRICE		4	/* commits' time between those that are waited for */

/* ---- which policy -------------------------------------------------------- */

static const char *const policies[] = {
	[GPUBP_POLICY_FAIR]	= "fair",
	[GPUBP_POLICY_RANDOM]	= "random",
};

static unsigned int default_policy = GPUBP_POLICY_FAIR;

static int set_default_policy(const char *val, const struct kernel_param *kp)
{
	int i = sysfs_match_string(policies, val);

	if (i < 0)
		return i;
	WRITE_ONCE(default_policy, i);
	return 0;
}

static int get_default_policy(char *buffer, const struct kernel_param *kp)
{
	return sysfs_emit(buffer, "%s\n", policies[READ_ONCE(default_policy)]);
}

static const struct kernel_param_ops policy_ops = {
	.set = set_default_policy,
	.get = get_default_policy,
};
module_param_cb(policy, &policy_ops, NULL, 0644);
MODULE_PARM_DESC(policy, "who is armed when not all can be, on devices that come later: fair or random");

/** gpubp_sched_policy() - the name of a device's policy */
const char *gpubp_sched_policy(const struct gpubp_device *dev)
{
	return policies[READ_ONCE(dev->policy_kind)];
}

/** gpubp_sched_set_policy() - by its name, from the next quantum on; 0 or -EINVAL */
int gpubp_sched_set_policy(struct gpubp_device *dev, const char *name)
{
	int i = sysfs_match_string(policies, name);

	if (i < 0)
		return i;
	WRITE_ONCE(dev->policy_kind, i);
	return 0;
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_sched_set_policy);

/* nobody can tell from what he sees armed who will be next */
static void policy_init(struct gpubp_device *dev)
{
	siphash_key_t key;

	get_random_bytes(&key, sizeof(key));
	gpubp_policy_init(&dev->policy, &key);
	memzero_explicit(&key, sizeof(key));
	dev->policy_kind = READ_ONCE(default_policy);
}

/* ---- when it runs -------------------------------------------------------- */

static u64 ns_from_now(u64 ns)
{
	return ktime_get_ns() + ns;
}

static unsigned long jiffies_to(u64 when)
{
	u64 now = ktime_get_ns();

	return when > now ? usecs_to_jiffies(div_u64(when - now, NSEC_PER_USEC)) :
			    0;
}

/* no later than that */
static void run_at(struct gpubp_device *dev, u64 when)
{
	struct gpubp_pace *pace = &dev->pace;

	lockdep_assert_held(&pace->lock);
	if (dev->stopped || when >= pace->due)
		return;
	pace->due = when;
	kthread_mod_delayed_work(dev->committer, &dev->commit_work,
				 jiffies_to(when));
}

/* who asks for runs shall not make quanta short when somebody else is armed */
static u64 when_in_haste(const struct gpubp_pace *pace, u8 haste)
{
	u64 paid = pace->rotates ? U64_MAX : pace->paid;

	switch (haste) {
	case GPUBP_HASTE_NOW:
		return 0;
	case GPUBP_HASTE_WAIT:
		return min(paid, pace->quantum_ends);
	default:
		return paid;
	}
}

/* one that runs may have seen all, or not: there will be another */
static void want_run(struct gpubp_device *dev, u8 haste)
{
	struct gpubp_pace *pace = &dev->pace;

	lockdep_assert_held(&pace->lock);
	if (pace->running)
		pace->haste = max(pace->haste, haste);
	else
		run_at(dev, when_in_haste(pace, haste));
}

/* @whose: the last number of whoever may have to wait for it */
static void kick(struct gpubp_device *dev, u64 *whose, u8 haste)
{
	if (!dev->desc.caps.nr_slots && !dev->desc.caps.exceptions &&
	    !dev->traps)
		return;
	guard(raw_spinlock_irqsave)(&dev->pace.lock);
	/* what is wanted, then the number; pairs with run_begins() */
	smp_store_release(&dev->asked, dev->asked + 1);
	if (whose)
		WRITE_ONCE(*whose, dev->asked);
	want_run(dev, haste);
}

/* somebody waits for what was asked for; if it is being done, it is not late */
static void hurry(struct gpubp_device *dev)
{
	struct gpubp_pace *pace = &dev->pace;

	guard(raw_spinlock_irqsave)(&pace->lock);
	if (pace->running || pace->due != U64_MAX)
		want_run(dev, GPUBP_HASTE_WAIT);
}

/* where a commit stops what runs, everybody pays for it */
static unsigned int overhead_percent(const struct gpubp_device *dev)
{
	unsigned int percent = READ_ONCE(max_overhead_percent);

	if (dev->desc.caps.commit_preempts)
		percent /= PREEMPTION_PRICE;
	return clamp(percent, 1u, 100u);
}

/* from one commit to the next, if each takes so long */
static u64 interval_ns(const struct gpubp_device *dev, u64 cost)
{
	return min_t(u64, div_u64(cost * 100, overhead_percent(dev)),
		     NSEC_PER_SEC);
}

static u64 quantum_ns(void)
{
	return (u64)READ_ONCE(quantum_us) * NSEC_PER_USEC;
}

/* a device whose commits are slow rotates less often, not all the time */
static u64 next_quantum_ns(struct gpubp_device *dev, u64 cost)
{
	u64 ns = min_t(u64, max(interval_ns(dev, cost), quantum_ns()),
		       NSEC_PER_SEC);

	guard(mutex)(&dev->lock);
	return (u64)gpubp_policy_dither(&dev->policy,
					div_u64(ns, NSEC_PER_USEC)) *
	       NSEC_PER_USEC;
}

static u64 next_run(struct gpubp_device *dev, enum gpubp_rerun rerun, u64 cost)
{
	switch (rerun) {
	case GPUBP_RERUN_NOW:
		return 0;
	case GPUBP_RERUN_NOMEM:
		return ns_from_now(quantum_ns());
	case GPUBP_RERUN_ROTATE:
		return ns_from_now(next_quantum_ns(dev, cost));
	default:
		return U64_MAX;
	}
}

/* the number of what this run will know of */
static u64 run_begins(struct gpubp_device *dev)
{
	struct gpubp_pace *pace = &dev->pace;

	guard(raw_spinlock_irqsave)(&pace->lock);
	pace->running = true;
	pace->haste = GPUBP_HASTE_NONE;
	pace->due = U64_MAX;
	/* the number, then what is wanted; pairs with kick() */
	return smp_load_acquire(&dev->asked);
}

/* what was not paid off when it began is still to be paid, too */
static u64 paid_off(const struct gpubp_pace *pace, u64 began, u64 interval)
{
	return min(max(pace->paid, began) + interval, ns_from_now(NSEC_PER_SEC));
}

static void run_ends(struct gpubp_device *dev, u64 asked, u64 next, u64 began,
		     u64 cost)
{
	struct gpubp_pace *pace = &dev->pace;

	guard(raw_spinlock_irqsave)(&pace->lock);
	pace->running = false;
	pace->rotates = next != U64_MAX;
	pace->paid = paid_off(pace, began, interval_ns(dev, cost));
	pace->quantum_ends = ns_from_now(max(quantum_ns(), WAIT_PRICE * cost));
	if (dev->asked != asked)
		next = min(next, when_in_haste(pace, pace->haste));
	run_at(dev, next);
}

/* ---- the worker ---------------------------------------------------------- */

static void note_settled(struct gpubp_device *dev, u64 asked,
			 enum gpubp_rerun rerun)
{
	/* who waits must not take a run that goes on for a success */
	if (rerun == GPUBP_RERUN_NOW)
		return;
	if (rerun != GPUBP_RERUN_NOMEM)
		/* the program, then the number; pairs with is_settled() */
		smp_store_release(&dev->settled, asked);
	/* likewise; pairs with is_tried() */
	smp_store_release(&dev->tried, asked);
	wake_up_all(&dev->settle_wait);
}

static void commit_fn(struct kthread_work *work)
{
	struct gpubp_device *dev = container_of(work, struct gpubp_device,
						commit_work.work);
	u64 asked = run_begins(dev), began = ktime_get_ns(), cost = 0;
	enum gpubp_rerun rerun;

	kcov_remote_start_common(READ_ONCE(dev->kcov));
	rerun = gpubp_commit(dev, &cost);
	kcov_remote_stop();
	run_ends(dev, asked, next_run(dev, rerun, cost), began, cost);
	note_settled(dev, asked, rerun);
}

/* ---- for the others ------------------------------------------------------ */

void gpubp_sched_init(struct gpubp_device *dev)
{
	INIT_LIST_HEAD(&dev->armed);
	INIT_LIST_HEAD(&dev->fresh);
	INIT_LIST_HEAD(&dev->pinned);
	policy_init(dev);
	raw_spin_lock_init(&dev->pace.lock);
	dev->pace.due = U64_MAX;
	init_waitqueue_head(&dev->settle_wait);
	kthread_init_delayed_work(&dev->commit_work, commit_fn);
}

/** gpubp_sched_kick() - more may be armed than is; any context */
void gpubp_sched_kick(struct gpubp_device *dev)
{
	kick(dev, NULL, GPUBP_HASTE_NONE);
}

/**
 * gpubp_sched_kick_ctx() - something is wanted or not wanted any more
 * @ctx: where; what it dispatches from now on waits for that
 *
 * Any context.
 */
void gpubp_sched_kick_ctx(struct gpubp_ctx *ctx)
{
	kick(ctx->dev, &ctx->asked, GPUBP_HASTE_NONE);
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_sched_kick_ctx);

/** gpubp_sched_kick_now() - the hardware is not what it was; any context */
void gpubp_sched_kick_now(struct gpubp_device *dev)
{
	kick(dev, &dev->asked_for_all, GPUBP_HASTE_NOW);
}

/** gpubp_sched_flush() - a run that has begun is over; may sleep */
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
	u64 asked = READ_ONCE(dev->asked);
	long left;

	if (is_settled(dev, asked))
		return 0;
	if (!timeout)
		return -ETIMEDOUT;
	hurry(dev);
	left = wait_event_interruptible_timeout(dev->settle_wait,
						is_settled(dev, asked),
						timeout);
	return gpubp_wait_error(left);
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_sched_wait_timeout);

/*
 * Not by a flush of the worker: of two that ask at the same time one leaves it
 * to the other to queue the run, and may be here before that is done.
 */
static int wait_for(struct gpubp_device *dev, u64 asked)
{
	if (is_settled(dev, asked))
		return 0;
	hurry(dev);
	/* each round takes a slot or a context out that cannot serve */
	return wait_event_killable(dev->settle_wait, is_tried(dev, asked)) ?
		-EINTR : 0;
}

/**
 * gpubp_sched_wait() - what is wanted now is armed, as far as it can be
 * @dev: device
 *
 * May sleep, for a quantum and a commit. Return: 0 or -EINTR.
 */
int gpubp_sched_wait(struct gpubp_device *dev)
{
	return wait_for(dev, READ_ONCE(dev->asked));
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_sched_wait);

/** gpubp_sched_wait_ctx() - likewise, for what is wanted in a context */
int gpubp_sched_wait_ctx(struct gpubp_ctx *ctx)
{
	return wait_for(ctx->dev, max(READ_ONCE(ctx->asked),
				      READ_ONCE(ctx->dev->asked_for_all)));
}

/** gpubp_sched_stop() - no commit runs or will; may sleep */
void gpubp_sched_stop(struct gpubp_device *dev)
{
	scoped_guard(mutex, &dev->lock) {
		guard(raw_spinlock_irqsave)(&dev->pace.lock);
		WRITE_ONCE(dev->stopped, true);	/* waits look without locks */
	}
	kthread_cancel_delayed_work_sync(&dev->commit_work);
	note_settled(dev, U64_MAX, GPUBP_RERUN_NEVER);
}

/** gpubp_sched_suspended() - nothing is armed until the next commit; may sleep */
void gpubp_sched_suspended(struct gpubp_device *dev)
{
	struct gpubp_watch *w;

	guard(mutex)(&dev->lock);
	list_for_each_entry(w, &dev->armed, node)
		gpubp_watch_account(w, false);
	list_for_each_entry(w, &dev->fresh, node)
		gpubp_watch_account(w, false);
	gpubp_traps_suspended(dev);
}

/** gpubp_sched_reset() - the hardware forgot everything; any context */
void gpubp_sched_reset(struct gpubp_device *dev)
{
	gpubp_clocks_stop(dev);
	gpubp_sched_kick_now(dev);
}
