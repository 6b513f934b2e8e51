// SPDX-License-Identifier: GPL-2.0
/*
 * Functions for providers: create and destroy devices, contexts and queues.
 *
 * Each room has its part of a device and of a context; the order in which these
 * parts are set up and torn down is defined in this file only.
 */
#include <linux/err.h>
#include <linux/export.h>
#include <linux/jiffies.h>
#include <linux/jump_label.h>
#include <linux/kthread.h>
#include <linux/list.h>
#include <linux/moduleparam.h>
#include <linux/mutex.h>
#include <linux/rcupdate.h>

#include "compat/version.h"
#include "core/core.h"
#include "debugfs.h"
#include "event/event.h"
#include "hit/hit.h"
#include "perf/perf.h"
#include "sched/sched.h"
#include "session/session.h"
#include "trap/trap.h"

static unsigned int queue_wait_ms = 5000;
module_param(queue_wait_ms, uint, 0644);
MODULE_PARM_DESC(queue_wait_ms, "how long a new queue waits at most until its watches are armed, where dispatches cannot wait, in ms");

/* ---- devices ------------------------------------------------------------- */

static int device_start_workers(struct gpubp_device *dev)
{
	int err = gpubp_requests_start(dev);

	if (err)
		return err;
	dev->resolver = kthread_run_worker(0, "gpubp%u/resolve", dev->number);
	err = PTR_ERR_OR_ZERO(dev->resolver);
	if (err)
		goto stop_committer;
	err = gpubp_trap_enable_start_worker(dev);
	if (!err)
		return 0;
	kthread_destroy_worker(dev->resolver);
stop_committer:
	gpubp_requests_exit(dev);
	return err;
}

static int device_init_rooms(struct gpubp_device *dev,
			     const struct gpubp_device_desc *desc)
{
	gpubp_report_init(dev);
	return gpubp_trap_init_device(dev, desc) ?:
	       gpubp_sched_init_device(dev) ?: gpubp_resolve_init(dev);
}

struct gpubp_device *gpubp_device_register(const struct gpubp_device_desc *desc,
					   void *priv)
{
	struct gpubp_device *dev = gpubp_device_alloc(desc, priv);
	int err;

	if (IS_ERR(dev))
		return dev;
	err = device_init_rooms(dev, desc);
	if (err)
		goto put_dev;
	err = device_start_workers(dev);
	if (err)
		goto put_dev;
	gpubp_debugfs_add_device(dev);
	gpubp_device_list(dev);
	gpubp_aliases_update();
	return dev;

put_dev:
	gpubp_device_put_number(dev);
	gpubp_device_put(dev);
	return ERR_PTR(err);
}
EXPORT_SYMBOL_GPL(gpubp_device_register);

void gpubp_device_unregister(struct gpubp_device *dev)
{
	gpubp_device_unlist(dev);
	gpubp_aliases_update();
	gpubp_requests_stop(dev);
	gpubp_sched_exit_device(dev);
	gpubp_trap_exit_device(dev);
	gpubp_poll_stop(dev);
	dev->ops.quiesce(dev->priv);
	kthread_destroy_worker(dev->resolver);
	gpubp_requests_exit(dev);
	gpubp_cells_drain(dev);
	gpubp_slots_release(dev);
	gpubp_debugfs_del_device(dev);
	gpubp_device_put_number(dev);
	gpubp_device_put(dev);
}
EXPORT_SYMBOL_GPL(gpubp_device_unregister);

void gpubp_device_reset(struct gpubp_device *dev)
{
	gpubp_clocks_stop(dev);
	gpubp_request_now(dev);
}
EXPORT_SYMBOL_GPL(gpubp_device_reset);

void gpubp_device_suspend(struct gpubp_device *dev)
{
	gpubp_records_flush_device(dev);
	mutex_lock(&dev->lock);
	WRITE_ONCE(dev->suspended, true);	/* read without the lock */
	mutex_unlock(&dev->lock);
	synchronize_rcu();	/* earlier reports have queued their hits */
	gpubp_requests_flush(dev);
	gpubp_trap_enable_flush(dev);
	gpubp_ctx_ops_wait_device(dev);
	gpubp_sched_suspended(dev);
	kthread_flush_worker(dev->resolver);
	wake_up_all(&dev->resolved_wait);
}
EXPORT_SYMBOL_GPL(gpubp_device_suspend);

void gpubp_device_resume(struct gpubp_device *dev)
{
	mutex_lock(&dev->lock);
	/*
	 * Before the flag is clear, as a commit may run from then on: it must
	 * know that the hardware lost its state. gpubp_device_reset() stops the
	 * clocks again, which is harmless, and requests a commit.
	 */
	gpubp_clocks_stop(dev);
	WRITE_ONCE(dev->suspended, false);
	mutex_unlock(&dev->lock);
	gpubp_device_reset(dev);
	gpubp_poll_start(dev);
}
EXPORT_SYMBOL_GPL(gpubp_device_resume);

/* ---- contexts ------------------------------------------------------------ */

struct gpubp_ctx *gpubp_ctx_create(struct gpubp_device *dev, void *priv,
				   const struct gpubp_ctx_desc *desc)
{
	struct gpubp_ctx *ctx = gpubp_ctx_alloc(dev, priv, desc);
	int err;

	if (!ctx)
		return ERR_PTR(-ENOMEM);
	err = gpubp_trap_init_ctx(ctx) ?: gpubp_sched_init_ctx(ctx);
	if (err) {
		gpubp_ctx_put_user(ctx);
		gpubp_ctx_put(ctx);
		return ERR_PTR(err);
	}
	gpubp_ctx_list(ctx);
	gpubp_session_ctx_created(ctx);
	return ctx;
}
EXPORT_SYMBOL_GPL(gpubp_ctx_create);

/* let nothing bind to it any more, then remove all bindings to it */
static void ctx_withdraw(struct gpubp_ctx *ctx)
{
	scoped_guard(mutex, &ctx->dev->lock)
		WRITE_ONCE(ctx->dead, true);	/* read without the lock */
	gpubp_watches_withdraw(ctx);
	gpubp_events_unbind_ctx(ctx);
}

void gpubp_ctx_destroy(struct gpubp_ctx *ctx)
{
	struct gpubp_device *dev = ctx->dev;

	gpubp_session_ctx_destroyed(ctx);
	gpubp_ctx_evicted(ctx);
	gpubp_records_flush(ctx);
	ctx_withdraw(ctx);
	gpubp_ctx_unlist(ctx);

	/* after these, users that saw it alive call none of its ops */
	kthread_flush_worker(dev->resolver);
	gpubp_requests_flush(dev);
	gpubp_trap_enable_exit_ctx(ctx);
	gpubp_ctx_ops_wait(ctx);
	gpubp_holds_exit_ctx(ctx);
	gpubp_handler_counts_finish(ctx);
	gpubp_ranges_finish(ctx);
	gpubp_records_exit_ctx(ctx);
	gpubp_trap_exit_ctx(ctx);
	gpubp_ctx_put(ctx);
}
EXPORT_SYMBOL_GPL(gpubp_ctx_destroy);

/* ---- queues -------------------------------------------------------------- */

struct gpubp_queue *gpubp_queue_create(struct gpubp_ctx *ctx,
				       const struct gpubp_queue_desc *desc)
{
	struct gpubp_queue *queue;

	if (desc->held)
		gpubp_clock_hold_queue(ctx, 1);
	queue = gpubp_queue_add(ctx, desc);
	if (IS_ERR(queue)) {
		if (desc->held)
			gpubp_clock_hold_queue(ctx, -1);
		return queue;
	}
	/* until gpubp_queue_wait_armed() */
	if (desc->held)
		kref_get(&queue->ref);
	gpubp_handler_counts_queue_added(ctx);
	return queue;
}
EXPORT_SYMBOL_GPL(gpubp_queue_create);

static int queue_wait(struct gpubp_queue *queue)
{
	unsigned long limit = msecs_to_jiffies(READ_ONCE(queue_wait_ms));

	if (!static_branch_unlikely(&gpubp_active))
		return 0;
	return limit ? gpubp_ctx_wait_armed_for(queue->ctx, limit) : -ETIMEDOUT;
}

static void queue_end_hold(struct gpubp_queue *queue, bool armed)
{
	gpubp_clock_release_queue(queue, armed);
	gpubp_queue_put(queue);
}

int gpubp_queue_wait_armed(struct gpubp_queue *queue)
{
	int err = queue_wait(queue);

	queue_end_hold(queue, !err);
	return err;
}
EXPORT_SYMBOL_GPL(gpubp_queue_wait_armed);

void gpubp_queue_release(struct gpubp_queue *queue)
{
	queue_end_hold(queue, false);
}
EXPORT_SYMBOL_GPL(gpubp_queue_release);

void gpubp_ctx_dispatch_begins(struct gpubp_ctx *ctx)
{
	gpubp_clock_dispatches(ctx, 1);
}
EXPORT_SYMBOL_GPL(gpubp_ctx_dispatch_begins);

void gpubp_ctx_dispatch_ended(struct gpubp_ctx *ctx)
{
	gpubp_clock_dispatches(ctx, -1);
}
EXPORT_SYMBOL_GPL(gpubp_ctx_dispatch_ended);

void gpubp_queue_destroy(struct gpubp_queue *queue)
{
	struct gpubp_ctx *ctx = queue->ctx;

	/* while they have an owner */
	gpubp_records_flush(ctx);
	gpubp_records_keep_queue(queue);
	gpubp_queue_del(queue);
	scoped_guard(mutex, &ctx->dev->lock)
		gpubp_pending_accesses_drop_queue(ctx, queue);
	gpubp_clock_queue_removed(queue);
	gpubp_ctx_changed(ctx);
	gpubp_queue_put(queue);
}
EXPORT_SYMBOL_GPL(gpubp_queue_destroy);
