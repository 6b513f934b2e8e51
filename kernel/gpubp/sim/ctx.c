// SPDX-License-Identifier: GPL-2.0
/* Contexts: from open() to the last close(). */
#include <kunit/visibility.h>
#include <linux/err.h>
#include <linux/gpubp.h>
#include <linux/sched.h>
#include <linux/slab.h>

#include "ctx.h"
#include "device.h"
#include "queue.h"

#define MAX_PASID	0xffff

static struct sim_ctx *new_ctx(struct sim_device *dev, u32 pasid)
{
	struct sim_ctx *ctx = kzalloc(sizeof(*ctx), GFP_KERNEL_ACCOUNT);

	if (!ctx)
		return NULL;
	ctx->dev = dev;
	ctx->pasid = pasid;
	sim_vm_init(&ctx->vm);
	mutex_init(&ctx->lock);
	xa_init_flags(&ctx->queues, XA_FLAGS_ALLOC1);
	INIT_LIST_HEAD(&ctx->vmid_node);
	return ctx;
}

static void free_ctx(struct sim_ctx *ctx)
{
	sim_vm_fini(&ctx->vm);
	xa_destroy(&ctx->queues);
	mutex_destroy(&ctx->lock);
	kfree(ctx);
}

static struct gpubp_ctx *tell_core(struct sim_ctx *ctx)
{
	struct gpubp_ctx_desc desc = {
		.pid = task_tgid(current),
		.pasid = ctx->pasid,
	};

	return gpubp_ctx_create(ctx->dev->core, ctx, &desc);
}

/**
 * sim_ctx_create() - a context of the calling process
 * @dev: device
 *
 * Return: the context or an ERR_PTR.
 */
struct sim_ctx *sim_ctx_create(struct sim_device *dev)
{
	int pasid = ida_alloc_range(&dev->pasids, 1, MAX_PASID,
				    GFP_KERNEL_ACCOUNT);
	struct sim_ctx *ctx;
	int err = -ENOMEM;

	if (pasid < 0)
		return ERR_PTR(pasid);
	ctx = new_ctx(dev, pasid);
	if (!ctx)
		goto free_pasid;
	ctx->core = tell_core(ctx);
	if (!IS_ERR(ctx->core)) {
		guard(mutex)(&dev->lock);
		list_add_tail(&ctx->node, &dev->ctxs);
		return ctx;
	}
	err = PTR_ERR(ctx->core);
	free_ctx(ctx);
free_pasid:
	ida_free(&dev->pasids, pasid);
	return ERR_PTR(err);
}
EXPORT_SYMBOL_IF_KUNIT(sim_ctx_create);

/**
 * sim_ctx_destroy() - kill what runs, free what is mapped
 * @ctx: context that no system call uses any more
 */
void sim_ctx_destroy(struct sim_ctx *ctx)
{
	struct sim_device *dev = ctx->dev;
	struct sim_queue *queue;
	unsigned long id;

	xa_for_each(&ctx->queues, id, queue)
		sim_queue_destroy(queue);
	scoped_guard(mutex, &dev->lock) {
		sim_vmid_drop(ctx);
		list_del(&ctx->node);
	}
	gpubp_ctx_destroy(ctx->core);
	ida_free(&dev->pasids, ctx->pasid);
	free_ctx(ctx);
}
EXPORT_SYMBOL_IF_KUNIT(sim_ctx_destroy);
