// SPDX-License-Identifier: GPL-2.0
/* Contexts: from open() to the last close(). */
#include <kunit/visibility.h>
#include <linux/delay.h>
#include <linux/err.h>
#include <linux/gpubp.h>
#include <linux/kcov.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <uapi/linux/gpubp_sim.h>

#include "ctx.h"
#include "device.h"
#include "queue.h"
#include "user.h"

#define MAX_PASID	0xffff

static struct sim_ctx *ctx_alloc(struct sim_device *dev, struct sim_user *user,
				 u32 pasid)
{
	struct sim_ctx *ctx = kzalloc(sizeof(*ctx), GFP_KERNEL_ACCOUNT);

	if (!ctx)
		return NULL;
	kref_init(&ctx->ref);
	init_rwsem(&ctx->life);
	ctx->dev = dev;
	ctx->pasid = pasid;
	ctx->user = user;
	ctx->kcov = kcov_common_handle();
	sim_vm_init(&ctx->vm, user);
	sim_pager_init(ctx);
	mutex_init(&ctx->lock);
	xa_init_flags(&ctx->queues, XA_FLAGS_ALLOC1 | XA_FLAGS_ACCOUNT);
	INIT_LIST_HEAD(&ctx->vmid_node);
	INIT_LIST_HEAD(&ctx->saved);
	INIT_LIST_HEAD(&ctx->saved_waves);
	INIT_LIST_HEAD(&ctx->groups);
	INIT_LIST_HEAD(&ctx->saved_node);
	return ctx;
}

static void ctx_free(struct sim_ctx *ctx)
{
	sim_vm_exit(&ctx->vm);
	xa_destroy(&ctx->queues);
	mutex_destroy(&ctx->lock);
	kfree(ctx);
}

static struct gpubp_ctx *ctx_register(struct sim_ctx *ctx)
{
	struct gpubp_ctx_desc desc = {
		.pid = task_tgid(current),
		.pasid = ctx->pasid,
	};

	return gpubp_ctx_create(ctx->dev->core, ctx, &desc);
}

static struct sim_ctx *ctx_create(struct sim_device *dev, struct sim_user *user,
				  u32 pasid)
{
	struct sim_ctx *ctx = ctx_alloc(dev, user, pasid);

	if (!ctx)
		return ERR_PTR(-ENOMEM);
	ctx->core = ctx_register(ctx);
	if (IS_ERR(ctx->core)) {
		struct gpubp_ctx *err = ctx->core;

		ctx_free(ctx);
		return ERR_CAST(err);
	}
	guard(mutex)(&dev->lock);
	list_add_tail(&ctx->node, &dev->ctxs);
	return ctx;
}

static struct sim_ctx *ctx_create_numbered(struct sim_device *dev,
					   struct sim_user *user)
{
	struct sim_ctx *ctx;
	int pasid;

	pasid = ida_alloc_range(&dev->pasids, 1, MAX_PASID, GFP_KERNEL_ACCOUNT);
	if (pasid < 0)
		return ERR_PTR(pasid);
	ctx = ctx_create(dev, user, pasid);
	if (IS_ERR(ctx))
		ida_free(&dev->pasids, pasid);
	return ctx;
}

static struct sim_ctx *ctx_create_charged(struct sim_device *dev)
{
	struct sim_user *user = sim_user_add_ctx(dev);
	struct sim_ctx *ctx;

	if (IS_ERR(user))
		return ERR_CAST(user);
	ctx = ctx_create_numbered(dev, user);
	if (IS_ERR(ctx))
		sim_user_del_ctx(dev, user);
	return ctx;
}

/**
 * sim_ctx_create() - create a context of the calling process
 * @dev: device
 *
 * Return: the context, which holds a reference to the device until it ends, or
 * an ERR_PTR: -ENODEV, -ENOMEM, or -ENOSPC: there is no free PASID, or the user
 * has reached its limit of contexts.
 */
struct sim_ctx *sim_ctx_create(struct sim_device *dev)
{
	struct sim_ctx *ctx;

	if (!sim_device_get(dev))
		return ERR_PTR(-ENODEV);
	ctx = ctx_create_charged(dev);
	if (IS_ERR(ctx))
		sim_device_put(dev);
	return ctx;
}
EXPORT_SYMBOL_IF_KUNIT(sim_ctx_create);

static void ctx_destroy_queues(struct sim_ctx *ctx)
{
	struct sim_queue *queue;
	unsigned long id;

	xa_for_each(&ctx->queues, id, queue) {
		xa_erase(&ctx->queues, id);
		sim_queue_destroy(queue);
	}
}

static void ctx_shut_down(struct sim_ctx *ctx)
{
	struct sim_device *dev = ctx->dev;

	lockdep_assert_held_write(&ctx->life);
	ctx_destroy_queues(ctx);
	sim_pager_exit(ctx);
	scoped_guard(mutex, &dev->lock) {
		sim_vmid_release(ctx);
		list_del(&ctx->node);
	}
	gpubp_ctx_destroy(ctx->core);
	ctx->core = NULL;
	ida_free(&dev->pasids, ctx->pasid);
	sim_user_del_ctx(dev, ctx->user);
	sim_device_put(dev);
}

static void ctx_kill_queues(struct sim_ctx *ctx)
{
	struct sim_queue *queue;
	unsigned long id;

	guard(mutex)(&ctx->lock);
	guard(mutex)(&ctx->dev->lock);
	xa_for_each(&ctx->queues, id, queue)
		sim_queue_kill(queue, GPUBP_SIM_KILLED, 0, 0);
}

/* killing the queues ends the waits of system calls */
static void ctx_end(struct sim_ctx *ctx)
{
	WRITE_ONCE(ctx->gone, true);
	while (!down_write_trylock(&ctx->life)) {
		ctx_kill_queues(ctx);
		usleep_range(200, 1000);
	}
	if (ctx->core)
		ctx_shut_down(ctx);
	up_write(&ctx->life);
}

static void ctx_release(struct kref *ref)
{
	ctx_free(container_of(ref, struct sim_ctx, ref));
}

/**
 * sim_ctx_destroy() - kill all dispatches, free all mappings
 * @ctx: context that no system call uses
 */
void sim_ctx_destroy(struct sim_ctx *ctx)
{
	/* unless sim_ctx_end_all() did it, or is doing it */
	scoped_guard(rwsem_write, &ctx->life)
		if (ctx->core)
			ctx_shut_down(ctx);
	kref_put(&ctx->ref, ctx_release);
}
EXPORT_SYMBOL_IF_KUNIT(sim_ctx_destroy);

static struct sim_ctx *ctx_get_first(struct sim_device *dev)
{
	struct sim_ctx *ctx;

	guard(mutex)(&dev->lock);
	ctx = list_first_entry_or_null(&dev->ctxs, struct sim_ctx, node);
	if (ctx)
		kref_get(&ctx->ref);
	return ctx;
}

/**
 * sim_ctx_end_all() - end all contexts of a device that is being removed
 * @dev: device that cannot be opened any more; the caller has a reference
 *
 * Waiting system calls return; later ones fail with -ENODEV. CPU mappings stay
 * valid.
 */
void sim_ctx_end_all(struct sim_device *dev)
{
	struct sim_ctx *ctx;

	while ((ctx = ctx_get_first(dev))) {
		ctx_end(ctx);
		kref_put(&ctx->ref, ctx_release);
	}
}
