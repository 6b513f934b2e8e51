// SPDX-License-Identifier: GPL-2.0
/*
 * Report: the first step of the hit road, in the provider's interrupt.
 *
 * Nothing is decided here but whether there is a cell: the rest may sleep and
 * is the resolver's.
 */
#include <linux/export.h>
#include <linux/ktime.h>

#include "context.h"
#include "device.h"
#include "hit.h"

static struct gpubp_ctx *find_ctx(struct gpubp_hit_cell *cell,
				  const struct gpubp_hit *hit)
{
	if (hit->valid & GPUBP_HITF_CTX)
		return gpubp_ctx_hold_ref(cell->dev, hit->ctx);
	if (hit->valid & GPUBP_HITF_VMID)
		return gpubp_ctx_by_vmid(cell->dev, hit->vmid);
	return cell->queue ? gpubp_ctx_hold_ref(cell->dev, cell->queue->ctx) :
			     NULL;
}

/* what the device tells must fit together; it need not tell the queue */
static bool identify(struct gpubp_hit_cell *cell, const struct gpubp_hit *hit)
{
	struct gpubp_device *dev = cell->dev;

	if (hit->valid & GPUBP_HITF_DOORBELL)
		cell->queue = gpubp_queue_by_doorbell(dev, hit->doorbell);
	cell->ctx = find_ctx(cell, hit);
	if (!cell->ctx)
		return false;
	if ((hit->valid & GPUBP_HITF_PASID) && cell->ctx->pasid != hit->pasid)
		return false;
	if (!(hit->valid & GPUBP_HITF_DOORBELL))
		return true;
	return cell->queue && cell->queue->ctx == cell->ctx;
}

/* a suspended device has no waves, and the resolver may not ask it */
static bool take(struct gpubp_hit_cell *cell, const struct gpubp_hit *hit)
{
	cell->verdict = GPUBP_STAT_DROP_SUSPENDED;
	if (READ_ONCE(cell->dev->suspended))
		return false;
	cell->verdict = GPUBP_STAT_DROP_UNKNOWN;
	return identify(cell, hit);
}

enum gpubp_verdict gpubp_report(struct gpubp_device *dev,
				const struct gpubp_hit *hit)
{
	struct gpubp_hit_cell *cell;

	/* from the look at dev->suspended on; gpubp_device_suspend() waits */
	guard(rcu)();
	gpubp_stat_inc(&dev->stats, GPUBP_STAT_RAISED);
	cell = gpubp_cell_get(dev);
	if (!cell) {
		gpubp_stat_inc(&dev->stats, GPUBP_STAT_DROP_CELLS);
		return GPUBP_DROP;
	}
	if (!take(cell, hit)) {
		gpubp_cell_put(cell);
		return GPUBP_DROP;
	}
	cell->hit = *hit;
	if (!(hit->valid & GPUBP_HITF_TIME))
		cell->hit.gpu_time = ktime_get_ns();
	if (llist_add(&cell->lnode, &dev->reported))
		kthread_queue_work(dev->resolver, &dev->resolve_work);
	return GPUBP_TAKEN;
}
EXPORT_SYMBOL_GPL(gpubp_report);
