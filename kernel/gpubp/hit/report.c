// SPDX-License-Identifier: GPL-2.0
/*
 * Report: the first step of the hit path, in the provider's interrupt.
 *
 * A cell is allocated and the hit's context looked up; all that may sleep is
 * left to the resolver.
 */
#include <linux/export.h>
#include <linux/ktime.h>

#include "../core/core.h"
#include "../event/event.h"
#include "../sched/sched.h"
#include "../trap/trap.h"
#include "hit.h"

static struct gpubp_ctx *hit_find_ctx(struct gpubp_device *dev,
				      const struct gpubp_queue *queue,
				      const struct gpubp_hit *hit)
{
	if (hit->valid & GPUBP_HITF_CTX)
		return hit->ctx && hit->ctx->dev == dev ? hit->ctx : NULL;
	if (hit->valid & GPUBP_HITF_VMID)
		return gpubp_ctx_by_vmid(dev, hit->vmid);
	return queue ? queue->ctx : NULL;
}

/* what the device reports must be consistent; it need not report the queue */
static bool hit_is_consistent(const struct gpubp_ctx *ctx,
			      const struct gpubp_queue *queue,
			      const struct gpubp_hit *hit)
{
	if (!ctx)
		return false;
	if ((hit->valid & GPUBP_HITF_PASID) && ctx->pasid != hit->pasid)
		return false;
	if (!(hit->valid & GPUBP_HITF_DOORBELL))
		return true;
	return queue && queue->ctx == ctx;
}

/*
 * False if the context is unknown. What is found is valid in the RCU section: no
 * reference is taken, which could be the last one when it is put, and contexts
 * are not freed in hard interrupts.
 */
static bool hit_identify(struct gpubp_device *dev, const struct gpubp_hit *hit,
			 struct gpubp_ctx **ctx, struct gpubp_queue **queue)
{
	*queue = NULL;
	if (hit->valid & GPUBP_HITF_DOORBELL)
		*queue = gpubp_queue_peek(dev, hit->doorbell);
	*ctx = hit_find_ctx(dev, *queue, hit);
	return hit_is_consistent(*ctx, *queue, hit);
}

/*
 * No cell is free: the hit is a lost sample of each event bound in its context.
 */
static void report_lost(struct gpubp_device *dev, const struct gpubp_hit *hit)
{
	struct gpubp_queue *queue;
	struct gpubp_ctx *ctx;

	gpubp_stat_inc(&dev->stats, GPUBP_STAT_DROP_CELLS);
	if (hit_identify(dev, hit, &ctx, &queue))
		atomic64_inc(&ctx->lost);
}

void gpubp_report_lost(struct gpubp_ctx *ctx, u64 nr)
{
	struct gpubp_stats *stats = &ctx->dev->stats;

	gpubp_stat_add(stats, GPUBP_STAT_RAISED, nr);
	gpubp_stat_add(stats, GPUBP_STAT_DROP_RECORD, nr);
	atomic64_add(nr, &ctx->lost);
	gpubp_cover_lost(ctx);
}
EXPORT_SYMBOL_GPL(gpubp_report_lost);

/* not if they are being freed; the cell puts what it has */
static bool cell_get_refs(struct gpubp_hit_cell *cell, struct gpubp_ctx *ctx,
			  struct gpubp_queue *queue)
{
	if (!kref_get_unless_zero(&ctx->ref))
		return false;
	cell->ctx = ctx;
	if (!queue)
		return true;
	if (!kref_get_unless_zero(&queue->ref))
		return false;
	cell->queue = queue;
	return true;
}

/* a suspended device has no waves, and the resolver must not call its ops */
static bool report_accept(struct gpubp_hit_cell *cell,
			  const struct gpubp_hit *hit)
{
	struct gpubp_queue *queue;
	struct gpubp_ctx *ctx;

	cell->outcome = GPUBP_STAT_DROP_SUSPENDED;
	if (READ_ONCE(cell->dev->suspended))
		return false;
	cell->outcome = GPUBP_STAT_DROP_UNKNOWN;
	return hit_identify(cell->dev, hit, &ctx, &queue) &&
	       cell_get_refs(cell, ctx, queue);
}

enum gpubp_verdict gpubp_report(struct gpubp_device *dev,
				const struct gpubp_hit *hit)
{
	struct gpubp_hit_cell *cell;

	/*
	 * dev->suspended is read below: gpubp_device_suspend() waits for us. And
	 * see hit_identify().
	 */
	guard(rcu)();
	gpubp_stat_inc(&dev->stats, GPUBP_STAT_RAISED);
	cell = gpubp_cell_alloc(dev);
	if (!cell) {
		report_lost(dev, hit);
		return GPUBP_DROP;
	}
	if (!report_accept(cell, hit)) {
		gpubp_cell_put(cell);
		return GPUBP_DROP;
	}
	cell->hit = *hit;
	if (!(hit->valid & GPUBP_HITF_TIME))
		cell->hit.gpu_time = ktime_get_ns();
	if (hit->stopped != GPUBP_STOPS_NONE)
		cell->stopped_at = gpubp_stopped_time_begin(&cell->ctx->stopped_time,
							    cell->hit.gpu_time);
	if (llist_add(&cell->lnode, &dev->reported))
		kthread_queue_work(dev->resolver, &dev->resolve_work);
	return GPUBP_TAKEN;
}
EXPORT_SYMBOL_GPL(gpubp_report);

/*
 * Devices without interrupts are polled while any event exists, and after each
 * commit until no hit of the old program can arrive: the last commit may have
 * disarmed a watch that a wave had hit already. They are also polled while
 * waves step over a break.
 */
static void report_poll_fn(struct kthread_work *work)
{
	struct gpubp_device *dev = container_of(work, struct gpubp_device,
						poll_work.work);

	if (READ_ONCE(dev->suspended))
		return;		/* the commit after resume polls again */
	dev->ops.poll(dev->priv);
	if (gpubp_events_exist() ||
	    ktime_get_ns() <= READ_ONCE(dev->poll_until) ||
	    gpubp_traps_still_stop(dev))
		gpubp_poll_again(dev);
}

/** gpubp_report_init() - initialise polling of a new device */
void gpubp_report_init(struct gpubp_device *dev)
{
	gpubp_poll_init(dev, report_poll_fn);
}
