// SPDX-License-Identifier: GPL-2.0
/*
 * Handler: the ISA's trap handler, its code and its memory, put into a
 * context when its first watch is about to be armed.
 *
 * It stays until the context goes: waves take the handler's address at
 * launch, and a wave that outlives the last watch may still trap.
 */
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/printk.h>

#include "context.h"
#include "device.h"
#include "handler.h"

static u64 code_size(const struct gpubp_handler *h)
{
	return ALIGN((u64)h->nr_words * sizeof(u32), h->align);
}

static u64 total_size(const struct gpubp_isa *isa)
{
	const struct gpubp_handler *h = isa->handler;

	return code_size(h) + h->record_offset +
	       (u64)isa->nr_records * h->record_size;
}

static int write_code(struct gpubp_ctx *ctx, u64 va)
{
	const struct gpubp_handler *h = ctx->dev->desc.isa->handler;
	size_t len = h->nr_words * sizeof(u32);
	ssize_t n;

	n = gpubp_ctx_global_rw(ctx, va, (void *)h->image, len, true);
	return n == len ? 0 : -EFAULT;
}

static int install_at(struct gpubp_ctx *ctx, u64 va)
{
	struct gpubp_device *dev = ctx->dev;
	u64 tma = va + code_size(dev->desc.isa->handler);
	int err;

	err = write_code(ctx, va);
	if (err)
		return err;
	/* before the first wave can trap: the resolver looks for records */
	WRITE_ONCE(ctx->tma, tma);
	return dev->ops.trap_install(ctx->priv, va, tma);
}

/**
 * gpubp_handler_install() - if it is not there yet
 * @ctx: context that is not dead; no lock is held
 *
 * The committer only; may sleep. Return: 0 or the provider's errno.
 */
int gpubp_handler_install(struct gpubp_ctx *ctx)
{
	struct gpubp_device *dev = ctx->dev;
	const struct gpubp_isa *isa = dev->desc.isa;
	u64 va;
	int err;

	if (ctx->handler_va || !isa || !isa->handler)
		return 0;
	err = dev->ops.code_alloc(ctx->priv, total_size(isa), &va);
	if (err)
		return err;
	err = install_at(ctx, va);
	if (err) {
		WRITE_ONCE(ctx->tma, 0);
		dev->ops.code_free(ctx->priv, va);
		pr_warn_once("gpubp: %s: no trap handler in context %u: %d\n",
			     dev->name, ctx->id, err);
		return err;
	}
	ctx->handler_va = va;
	return 0;
}

/**
 * gpubp_handler_remove() - the context goes; no wave exists any more
 * @ctx: context; the committer is done with it
 */
void gpubp_handler_remove(struct gpubp_ctx *ctx)
{
	const struct gpubp_ops *ops = &ctx->dev->ops;

	if (!ctx->handler_va)
		return;
	ops->trap_remove(ctx->priv);
	ops->code_free(ctx->priv, ctx->handler_va);
	ctx->handler_va = 0;
}

/**
 * gpubp_handler_is_at() - is any of these bytes the handler's
 * @ctx: context
 * @va: first address
 * @len: bytes
 *
 * The committer only.
 */
bool gpubp_handler_is_at(const struct gpubp_ctx *ctx, u64 va, u64 len)
{
	u64 at = ctx->handler_va;

	return at && va < at + PAGE_ALIGN(total_size(ctx->dev->desc.isa)) &&
	       at < va + len;
}
