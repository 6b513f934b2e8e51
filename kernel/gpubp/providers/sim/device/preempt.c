// SPDX-License-Identifier: GPL-2.0
/*
 * Preemption: a work item evicts contexts whose quantum expired (vmid.c), and
 * resets those that cannot be saved in time.
 */
#include <linux/jiffies.h>
#include <linux/workqueue.h>
#include <uapi/linux/gpubp_sim.h>

#include "ctx.h"
#include "device.h"
#include "queue.h"

/*
 * All work of the context is lost. Its queues end with GPUBP_SIM_RESET. A queue
 * that is being destroyed was removed from the table, or waits for the lock.
 */
static void reset_ctx(struct sim_ctx *ctx)
{
	struct sim_queue *queue;
	unsigned long id;

	lockdep_assert_held(&ctx->dev->lock);
	sim_stat_inc(ctx->dev, SIM_STAT_CTX_RESETS);
	xa_for_each(&ctx->queues, id, queue)
		sim_queue_kill(queue, GPUBP_SIM_RESET, 0, 0);
}

static void reset_overdue(struct sim_device *dev)
{
	struct sim_ctx *ctx;

	list_for_each_entry(ctx, &dev->resident, vmid_node) {
		if (!ctx->evicting)
			continue;
		if (!time_before(jiffies, ctx->evict_deadline)) {
			/* its waves end now: no further deadline */
			ctx->evict_deadline = jiffies + MAX_JIFFY_OFFSET / 2;
			reset_ctx(ctx);
		} else {
			sim_vmid_recheck(dev, ctx->evict_deadline);
		}
	}
}

static void preempt_fn(struct work_struct *work)
{
	struct sim_device *dev = container_of(to_delayed_work(work),
					      struct sim_device, preempt);

	guard(mutex)(&dev->lock);
	reset_overdue(dev);
	sim_vmid_evict_for_waiters(dev);
}

/** sim_preempt_init() - initialise preemption of a new device */
void sim_preempt_init(struct sim_device *dev)
{
	INIT_DELAYED_WORK(&dev->preempt, preempt_fn);
}

/** sim_preempt_exit() - stop preemption; no context exists any more */
void sim_preempt_exit(struct sim_device *dev)
{
	cancel_delayed_work_sync(&dev->preempt);
}
