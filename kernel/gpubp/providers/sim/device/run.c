// SPDX-License-Identifier: GPL-2.0
/*
 * Execution of a queue: the first dispatch in its list runs until all its
 * workgroups have ended; a killed queue runs nothing.
 */
#include <linux/gpubp.h>
#include <linux/slab.h>
#include <uapi/linux/gpubp_sim.h>

#include "ctx.h"
#include "cu.h"
#include "device.h"
#include "queue.h"
#include "save.h"

/**
 * sim_queue_next() - the dispatch whose workgroups are launched next
 * @queue: queue
 *
 * Return: NULL if there is none.
 */
struct sim_dispatch *sim_queue_next(struct sim_queue *queue)
{
	struct sim_dispatch *first;

	lockdep_assert_held(&queue->ctx->dev->lock);
	first = list_first_entry_or_null(&queue->dispatches,
					 struct sim_dispatch, node);
	if (!first || queue->killed || first->next == first->total)
		return NULL;
	return first;
}

/* a queue is runnable iff it is in sim_device.runq */
static void update_runnable(struct sim_queue *queue)
{
	struct sim_ctx *ctx = queue->ctx;
	bool runnable = sim_queue_next(queue);

	if (runnable == !list_empty(&queue->run_node))
		return;
	if (runnable) {
		list_add_tail(&queue->run_node, &ctx->dev->runq);
		ctx->nr_runnable++;
		sim_cu_kick_all(ctx->dev);
		return;
	}
	list_del_init(&queue->run_node);
	if (!--ctx->nr_runnable)
		sim_vmid_work_ended(ctx);
}

/* before waves are launched; and before tasks that wait for their end see it */
static void update_busy(struct sim_queue *queue)
{
	bool busy = !list_empty(&queue->dispatches);

	if (busy == queue->busy)
		return;
	queue->busy = busy;
	if (busy)
		gpubp_ctx_dispatch_begins(queue->ctx->core);
	else
		gpubp_ctx_dispatch_ended(queue->ctx->core);
}

static void end_first_dispatch(struct sim_queue *queue)
{
	struct sim_dispatch *first;

	first = list_first_entry(&queue->dispatches, struct sim_dispatch, node);
	list_del(&first->node);
	update_busy(queue);
	WRITE_ONCE(queue->ended, first->seq);
	kfree(first);
}

/* end dispatches without further workgroups */
static void end_dispatches(struct sim_queue *queue)
{
	if (!queue->nr_groups)
		while (!list_empty(&queue->dispatches) &&
		       !sim_queue_next(queue))
			end_first_dispatch(queue);
	update_runnable(queue);
	wake_up_all(&queue->wait);
}

/**
 * sim_queue_add() - append a dispatch
 * @queue: queue
 * @dispatch: owned by the queue, which may free it at once
 *
 * The dispatch ends at once on a queue that had an exception. Return: false, and
 * nothing is done, if the device was reset since sim_dispatch.nr_resets: its
 * comparators are not armed any more.
 */
bool sim_queue_add(struct sim_queue *queue, struct sim_dispatch *dispatch)
{
	struct sim_device *dev = queue->ctx->dev;

	guard(mutex)(&dev->lock);
	if (dispatch->nr_resets != dev->nr_resets)
		return false;
	dispatch->seq = queue->submitted + 1;
	WRITE_ONCE(queue->submitted, dispatch->seq);
	list_add_tail(&dispatch->node, &queue->dispatches);
	update_busy(queue);
	sim_stat_inc(dev, SIM_STAT_DISPATCHES);
	end_dispatches(queue);
	return true;
}

/**
 * sim_queue_launched() - account a workgroup that was launched
 * @queue: queue
 * @dispatch: sim_queue_next()
 */
void sim_queue_launched(struct sim_queue *queue, struct sim_dispatch *dispatch)
{
	struct sim_ctx *ctx = queue->ctx;

	lockdep_assert_held(&ctx->dev->lock);
	/* as an acquire fence of the packet does */
	if (!dispatch->next++)
		sim_vm_flush_code(&ctx->vm);
	WRITE_ONCE(queue->nr_groups, queue->nr_groups + 1);
	ctx->nr_groups++;
	/* round robin between queues */
	list_move_tail(&queue->run_node, &ctx->dev->runq);
	update_runnable(queue);
	sim_stat_inc(ctx->dev, SIM_STAT_GROUPS);
}

/** sim_queue_group_ended() - account a workgroup that has ended */
void sim_queue_group_ended(struct sim_queue *queue)
{
	struct sim_ctx *ctx = queue->ctx;

	lockdep_assert_held(&ctx->dev->lock);
	WRITE_ONCE(queue->nr_groups, queue->nr_groups - 1);
	if (!--ctx->nr_groups)
		sim_vmid_work_ended(ctx);
	end_dispatches(queue);
}

/**
 * sim_queue_kill() - kill all dispatches of a queue
 * @queue: queue
 * @status: reason; the first one is kept
 * @pc: pc of an exception
 * @addr: address of a memory violation
 *
 * Does not wait: waves may still exist on return.
 */
void sim_queue_kill(struct sim_queue *queue, u32 status, u64 pc, u64 addr)
{
	lockdep_assert_held(&queue->ctx->dev->lock);
	if (!queue->killed) {
		queue->status = status;
		queue->pc = pc;
		queue->addr = addr;
	}
	WRITE_ONCE(queue->killed, true);
	sim_save_area_drop(queue);
	end_dispatches(queue);
	sim_cu_kick_all(queue->ctx->dev);
}
