// SPDX-License-Identifier: GPL-2.0
/*
 * Scheduler: the worker that programs the comparators of a device.
 *
 * Each device has one worker. It runs on request, when the wanted watches
 * change; while more are wanted than there are comparators it runs again every
 * quantum.
 */
#include <kunit/visibility.h>
#include <linux/export.h>
#include <linux/kthread.h>
#include <linux/ktime.h>
#include <linux/moduleparam.h>
#include <linux/random.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/sysfs.h>

#include "../compat/kcov.h"
#include "../core/core.h"
#include "../trap/trap.h"
#include "candidate.h"
#include "coalesce.h"
#include "commit.h"
#include "quantum.h"
#include "sched.h"
#include "watch.h"

static unsigned int quantum_us = 10000;
module_param(quantum_us, uint, 0644);
MODULE_PARM_DESC(quantum_us, "mean time between rotations of a device's comparators, in us");

static unsigned int max_overhead_percent = 10;
module_param(max_overhead_percent, uint, 0644);
MODULE_PARM_DESC(max_overhead_percent, "maximum share of time spent in commits, 1 to 100; the quantum is stretched to keep it");

/*
 * A commit that preempts the GPU costs more than the provider's time: waves of
 * all processes are saved, restored, and refill their caches.
 */
#define PREEMPTION_COST_FACTOR	4
#define PREEMPTION_QUANTA	10	/* of other devices: the mean between two */
#define WAIT_COST_FACTOR	4	/* between commits with waiters */

/* ---- policy -------------------------------------------------------------- */

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
MODULE_PARM_DESC(policy, "default scheduling policy for devices registered later: fair or random");

/** gpubp_sched_policy() - name of a device's policy */
const char *gpubp_sched_policy(const struct gpubp_device *dev)
{
	return policies[READ_ONCE(dev->sched->policy_kind)];
}

/** gpubp_sched_set_policy() - from the next quantum on; 0 or -EINVAL */
int gpubp_sched_set_policy(struct gpubp_device *dev, const char *name)
{
	int i = sysfs_match_string(policies, name);

	if (i < 0)
		return i;
	WRITE_ONCE(dev->sched->policy_kind, i);
	return 0;
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_sched_set_policy);

/* secret key: occupancy must not predict the schedule */
static void policy_init(struct gpubp_device *dev)
{
	siphash_key_t key;

	get_random_bytes(&key, sizeof(key));
	gpubp_policy_init(&dev->sched->policy, &key);
	memzero_explicit(&key, sizeof(key));
	dev->sched->policy_kind = READ_ONCE(default_policy);
}

/* ---- worker -------------------------------------------------------------- */

static u64 ns_from_now(u64 ns)
{
	return ktime_get_ns() + ns;
}

/* a commit that preempts the GPU delays the work of all processes */
static unsigned int overhead_percent(const struct gpubp_device *dev)
{
	unsigned int percent = READ_ONCE(max_overhead_percent);

	if (dev->desc.caps.commit_preempts)
		percent /= PREEMPTION_COST_FACTOR;
	return clamp(percent, 1u, 100u);
}

/* minimum time between the starts of commits that take @cost each */
static u64 interval_ns(const struct gpubp_device *dev, u64 cost)
{
	return gpubp_quantum_mean(0, cost, overhead_percent(dev));
}

static u64 min_quantum_ns(void)
{
	return (u64)READ_ONCE(quantum_us) * NSEC_PER_USEC;
}

static u64 wanted_quantum_ns(const struct gpubp_device *dev)
{
	return min_quantum_ns() *
	       (dev->desc.caps.commit_preempts ? PREEMPTION_QUANTA : 1);
}

static u64 quantum_dither_ns(struct gpubp_device *dev, u64 mean)
{
	guard(mutex)(&dev->lock);
	return (u64)gpubp_policy_dither(&dev->sched->policy,
					div_u64(mean, NSEC_PER_USEC)) *
	       NSEC_PER_USEC;
}

/* a device with slow commits, or such that preempt, rotates less often */
static u64 next_quantum_ns(struct gpubp_device *dev, u64 due, u64 began,
			   u64 cost)
{
	struct gpubp_quanta *quanta = &dev->sched->quanta;
	u64 wanted = wanted_quantum_ns(dev);
	u64 mean = gpubp_quantum_mean(wanted, cost, overhead_percent(dev));

	WRITE_ONCE(quanta->wanted, wanted);
	WRITE_ONCE(quanta->target, mean);
	quanta->began = began;
	return gpubp_quantum_end(due, began, mean, quantum_dither_ns(dev, mean));
}

static u64 next_run_ns(struct gpubp_device *dev, enum gpubp_rerun rerun,
		       u64 due, u64 began, u64 cost)
{
	switch (rerun) {
	case GPUBP_RERUN_NOW:
		return 0;
	case GPUBP_RERUN_NOMEM:
		return ns_from_now(min_quantum_ns());
	case GPUBP_RERUN_BUSY:
		return ns_from_now(GPUBP_HANDLER_RETRY_NS);
	case GPUBP_RERUN_ROTATE:
		return next_quantum_ns(dev, due, began, cost);
	default:
		return U64_MAX;
	}
}

static void run_end(struct gpubp_device *dev, u64 seq, u64 due, u64 began,
		    enum gpubp_rerun rerun, u64 cost)
{
	const struct gpubp_run_result run = {
		.seq = seq,
		.began = began,
		.next = next_run_ns(dev, rerun, due, began, cost),
		.interval = interval_ns(dev, cost),
		.quantum = max(min_quantum_ns(), WAIT_COST_FACTOR * cost),
	};

	gpubp_run_end(dev, &run);
	/* waiters must not take a run that is repeated soon for a success */
	if (rerun != GPUBP_RERUN_NOW && rerun != GPUBP_RERUN_BUSY)
		gpubp_run_done(dev, seq, rerun != GPUBP_RERUN_NOMEM);
}

static void commit_fn(struct kthread_work *work)
{
	struct gpubp_device *dev = container_of(work, struct gpubp_device,
						requests.work);
	u64 due, seq = gpubp_run_begin(dev, &due);
	u64 began = ktime_get_ns(), cost = 0;
	enum gpubp_rerun rerun;

	gpubp_quanta_end_one(&dev->sched->quanta, began);
	gpubp_kcov_start(READ_ONCE(dev->kcov));
	rerun = gpubp_commit(dev, &cost);
	kcov_remote_stop();
	run_end(dev, seq, due, began, rerun, cost);
}

static void again_fn(struct kthread_work *work)
{
	gpubp_commit_begin_again(container_of(work, struct gpubp_dev_sched,
					      again.work)->dev);
}

/* ---- devices and contexts ------------------------------------------------ */

/**
 * gpubp_sched_init_device() - allocate a new device's scheduler state
 * @dev: device; frees dev->sched when it is freed
 *
 * Return: 0 or -ENOMEM.
 */
int gpubp_sched_init_device(struct gpubp_device *dev)
{
	dev->sched = kzalloc(sizeof(*dev->sched), GFP_KERNEL_ACCOUNT);
	if (!dev->sched)
		return -ENOMEM;
	dev->sched->dev = dev;
	INIT_LIST_HEAD(&dev->armed);
	INIT_LIST_HEAD(&dev->fresh);
	INIT_LIST_HEAD(&dev->pinned);
	policy_init(dev);
	gpubp_requests_init(dev, commit_fn);
	kthread_init_delayed_work(&dev->sched->again, again_fn);
	gpubp_handler_ctxs_init(dev);
	gpubp_handler_counts_init(dev);
	gpubp_handler_filters_init(dev);
	gpubp_records_init(dev);
	gpubp_throttle_init(dev);
	return 0;
}

/** gpubp_sched_exit_device() - no commit runs any more; may sleep */
void gpubp_sched_exit_device(struct gpubp_device *dev)
{
	kthread_cancel_delayed_work_sync(&dev->sched->again);
	gpubp_handler_counts_exit(dev);
	gpubp_handler_filters_exit(dev);
	gpubp_records_exit(dev);
	gpubp_throttle_exit(dev);
}

/**
 * gpubp_sched_init_ctx() - allocate a new context's scheduler state
 * @ctx: context; frees ctx->sched when it is freed
 *
 * Return: 0 or -ENOMEM.
 */
int gpubp_sched_init_ctx(struct gpubp_ctx *ctx)
{
	ctx->sched = kzalloc(struct_size(ctx->sched, plans,
					 2 * ctx->dev->desc.caps.nr_slots),
			     GFP_KERNEL_ACCOUNT);
	if (!ctx->sched)
		return -ENOMEM;
	gpubp_coalesce_init_ctx(ctx);
	gpubp_cover_init_ctx(ctx);
	gpubp_handler_ctx_init(ctx);
	gpubp_handler_filters_init_ctx(ctx);
	gpubp_records_init_ctx(ctx);
	gpubp_throttle_init_ctx(ctx);
	return 0;
}

/** gpubp_sched_suspended() - all is disarmed until a commit; may sleep */
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

/** gpubp_sched_init() - create the caches, before any device; 0 or -ENOMEM */
int gpubp_sched_init(void)
{
	int err = gpubp_watch_init() ?: gpubp_coalesce_init() ?:
		  gpubp_candidates_init();

	if (err)
		gpubp_sched_exit();
	return err;
}

/** gpubp_sched_exit() - destroy the caches; no device is left */
void gpubp_sched_exit(void)
{
	gpubp_candidates_exit();
	gpubp_coalesce_exit();
	gpubp_watch_exit();
}
