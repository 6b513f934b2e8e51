// SPDX-License-Identifier: GPL-2.0
/* Queues: create, destroy, wait. */
#include <kunit/visibility.h>
#include <linux/err.h>
#include <linux/gpubp.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <uapi/linux/gpubp_sim.h>

#include "ctx.h"
#include "device.h"
#include "queue.h"
#include "save.h"
#include "user.h"

#define MAX_QUEUES	128	/* per context */

static void queue_release(struct kref *ref)
{
	struct sim_queue *queue = container_of(ref, struct sim_queue, ref);

	sim_save_area_free_all(queue);
	mutex_destroy(&queue->submit);
	kfree(queue);
}

/** sim_queue_put() - drop a reference */
void sim_queue_put(struct sim_queue *queue)
{
	kref_put(&queue->ref, queue_release);
}
EXPORT_SYMBOL_IF_KUNIT(sim_queue_put);

/** sim_queue_get() - queue @id of @ctx with a reference, or NULL */
struct sim_queue *sim_queue_get(struct sim_ctx *ctx, u32 id)
{
	struct sim_queue *queue;

	guard(mutex)(&ctx->lock);
	queue = xa_load(&ctx->queues, id);
	if (queue)
		kref_get(&queue->ref);
	return queue;
}
EXPORT_SYMBOL_IF_KUNIT(sim_queue_get);

static struct sim_queue *queue_alloc(struct sim_ctx *ctx)
{
	struct sim_queue *queue = kzalloc(sizeof(*queue), GFP_KERNEL_ACCOUNT);

	if (!queue)
		return NULL;
	kref_init(&queue->ref);
	queue->ctx = ctx;
	mutex_init(&queue->submit);
	INIT_LIST_HEAD(&queue->run_node);
	INIT_LIST_HEAD(&queue->dispatches);
	INIT_LIST_HEAD(&queue->save_areas);
	init_waitqueue_head(&queue->wait);
	return queue;
}

static int queue_alloc_doorbell(struct sim_queue *queue)
{
	struct sim_ctx *ctx = queue->ctx;
	int doorbell, err = sim_user_add_queue(ctx->dev, ctx->user);

	if (err)
		return err;
	doorbell = ida_alloc_max(&ctx->dev->doorbells, SIM_NR_DOORBELLS - 1,
				 GFP_KERNEL_ACCOUNT);
	if (doorbell < 0) {
		sim_user_del_queue(ctx->dev, ctx->user);
		return doorbell;
	}
	queue->doorbell = doorbell;
	return 0;
}

static void queue_free_doorbell(struct sim_queue *queue)
{
	struct sim_ctx *ctx = queue->ctx;

	ida_free(&ctx->dev->doorbells, queue->doorbell);
	sim_user_del_queue(ctx->dev, ctx->user);
}

static int queue_alloc_id(struct sim_queue *queue)
{
	int err = xa_alloc(&queue->ctx->queues, &queue->id, NULL,
			   XA_LIMIT(1, MAX_QUEUES), GFP_KERNEL_ACCOUNT);

	return err == -EBUSY ? -ENOSPC : err;
}

static int queue_register(struct sim_queue *queue)
{
	struct gpubp_queue_desc desc = {
		.creator = task_pid(current),
		.id = queue->id,
		.doorbell = queue->doorbell,
	};

	queue->core = gpubp_queue_create(queue->ctx->core, &desc);
	return PTR_ERR_OR_ZERO(queue->core);
}

static int queue_set_up(struct sim_queue *queue)
{
	struct sim_ctx *ctx = queue->ctx;
	int err = queue_alloc_doorbell(queue);

	if (err)
		return err;
	err = queue_alloc_id(queue);
	if (err)
		goto free_doorbell;
	err = sim_vm_alloc(&ctx->vm, SIM_MAP_CODE, PAGE_SIZE, &queue->packets);
	if (err)
		goto free_id;
	err = queue_register(queue);
	if (!err)
		return 0;
	sim_vm_free(&ctx->vm, queue->packets);
free_id:
	xa_erase(&ctx->queues, queue->id);
free_doorbell:
	queue_free_doorbell(queue);
	return err;
}

/**
 * sim_queue_create() - create a queue for the calling thread
 * @ctx: context
 * @id: the result
 *
 * Return: 0, -ENOSPC, -ENOMEM, -EINTR.
 */
int sim_queue_create(struct sim_ctx *ctx, u32 *id)
{
	struct sim_queue *queue = queue_alloc(ctx);
	int err;

	if (!queue)
		return -ENOMEM;
	guard(mutex)(&ctx->lock);
	err = queue_set_up(queue);
	if (err) {
		sim_queue_put(queue);
		return err;
	}
	scoped_guard(mutex, &ctx->dev->lock)
		list_add_tail(&queue->node, &ctx->dev->queues);
	/* the entry is reserved */
	xa_store(&ctx->queues, queue->id, queue, GFP_KERNEL);
	*id = queue->id;
	return 0;
}
EXPORT_SYMBOL_IF_KUNIT(sim_queue_create);

/*
 * The thread that ended the last group uses the queue until it drops the lock.
 */
static void queue_wait_for_groups(struct sim_queue *queue)
{
	wait_event(queue->wait, !READ_ONCE(queue->nr_groups));
	guard(mutex)(&queue->ctx->dev->lock);
	WARN_ON_ONCE(queue->nr_groups || !list_empty(&queue->dispatches));
	list_del(&queue->node);
}

/**
 * sim_queue_destroy() - kill all dispatches, wait for their end, free
 * @queue: queue that is not in the table any more, or whose table is unused
 *
 * The table's reference is dropped.
 */
void sim_queue_destroy(struct sim_queue *queue)
{
	struct sim_ctx *ctx = queue->ctx;
	struct sim_device *dev = ctx->dev;

	scoped_guard(mutex, &dev->lock)
		sim_queue_kill(queue, GPUBP_SIM_KILLED, 0, 0);
	queue_wait_for_groups(queue);
	gpubp_queue_destroy(queue->core);
	/* a submission may still be in progress */
	scoped_guard(mutex, &queue->submit) {
		if (queue->scratch)
			sim_vm_free(&ctx->vm, queue->scratch);
		queue->scratch = 0;
		sim_vm_free(&ctx->vm, queue->packets);
		queue->packets = 0;
	}
	queue_free_doorbell(queue);
	sim_queue_put(queue);
}

/** sim_queue_remove() - destroy queue @id of @ctx; 0 or -ENOENT */
int sim_queue_remove(struct sim_ctx *ctx, u32 id)
{
	struct sim_queue *queue;

	scoped_guard(mutex, &ctx->lock)
		queue = xa_erase(&ctx->queues, id);
	if (!queue)
		return -ENOENT;
	sim_queue_destroy(queue);
	return 0;
}

static void queue_read_status(struct sim_queue *queue,
			      struct gpubp_sim_wait *args)
{
	guard(mutex)(&queue->ctx->dev->lock);
	args->status = queue->status;
	args->pc = queue->pc;
	args->addr = queue->addr;
}

static s64 ns_until(ktime_t end)
{
	return max(ktime_to_ns(ktime_sub(end, ktime_get())), 0LL);
}

/**
 * sim_queue_wait() - wait until a dispatch has ended
 * @queue: queue
 * @args: GPUBP_SIM_WAIT; timeout_ns becomes what is left of it for a restart
 *
 * Return: 0, -ENOENT (no such dispatch), -ETIME, -ERESTARTSYS.
 */
int sim_queue_wait(struct sim_queue *queue, struct gpubp_sim_wait *args)
{
	ktime_t timeout = args->timeout_ns < 0 ? KTIME_MAX :
			  ns_to_ktime(args->timeout_ns);
	ktime_t end = ktime_add_safe(ktime_get(), timeout);
	u64 seq = args->seq;
	int err;

	if (!seq || seq > READ_ONCE(queue->submitted))
		return -ENOENT;
	err = wait_event_interruptible_hrtimeout(queue->wait,
						 READ_ONCE(queue->ended) >= seq,
						 timeout);
	if (!err)
		err = gpubp_ctx_work_done(queue->ctx->core);
	if (!err)
		queue_read_status(queue, args);
	else if (err == -ERESTARTSYS && args->timeout_ns > 0)
		args->timeout_ns = ns_until(end);
	return err;
}
EXPORT_SYMBOL_IF_KUNIT(sim_queue_wait);
