// SPDX-License-Identifier: GPL-2.0
/*
 * Trap handler: write the ISA's trap handler, its code and its memory, into a
 * context when the context's first watch is about to be armed.
 *
 * It stays until the context is destroyed: waves take the handler's address at
 * launch, and a wave that outlives the last watch may still trap.
 */
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/moduleparam.h>
#include <linux/printk.h>

#include "../core/core.h"
#include "handler.h"
#include "trap.h"
#include "trap_point.h"

#define FLUSH_MS	1000

static unsigned int handler_check;
module_param(handler_check, uint, 0644);
MODULE_PARM_DESC(handler_check, "not 0: waves also stop at hits that the trap handler decides, and these are decided again: \"checked\" and \"differed\" of books; of contexts whose first watch is armed from then on; slow, for tests");

static bool handler_is_second(const struct gpubp_device *dev)
{
	return dev->desc.caps.trap_level == GPUBP_TRAP_SECOND;
}

static size_t handler_image_bytes(const struct gpubp_device *dev)
{
	const struct gpubp_handler *h = dev->desc.isa->handler;

	return (handler_is_second(dev) ? h->nr_second : h->nr_words) *
	       sizeof(u32);
}

static u64 handler_code_size(const struct gpubp_device *dev)
{
	return ALIGN((u64)handler_image_bytes(dev),
		     dev->desc.isa->handler->align);
}

static u64 handler_total_size(const struct gpubp_device *dev)
{
	const struct gpubp_isa *isa = dev->desc.isa;
	const struct gpubp_handler *h = isa->handler;

	return handler_code_size(dev) + h->record_offset +
	       (u64)isa->nr_records * h->record_size;
}

/* with -EAGAIN the caller may try again */
static int handler_rw(struct gpubp_ctx *ctx, u64 va, void *buf, size_t len,
		      unsigned int how)
{
	ssize_t n = gpubp_ctx_global_rw(ctx, va, buf, len, how);

	return n == len ? 0 : n == -EAGAIN ? -EAGAIN : -EFAULT;
}

static int handler_write_code(struct gpubp_ctx *ctx, u64 va)
{
	const struct gpubp_handler *h = ctx->dev->desc.isa->handler;
	const u32 *image = handler_is_second(ctx->dev) ? h->second : h->image;

	return handler_rw(ctx, va, (void *)image, handler_image_bytes(ctx->dev),
			  GPUBP_MEM_WRITE);
}

static int handler_write_checks(struct gpubp_ctx *ctx, u64 va)
{
	const struct gpubp_handler *h = ctx->dev->desc.isa->handler;
	bool second = handler_is_second(ctx->dev);
	const u32 *checks = second ? h->second_checks : h->checks;
	u32 i, nr = second ? h->nr_second_checks : h->nr_checks;
	int err = 0;

	for (i = 0; i + 1 < nr && !err; i += 2)
		err = handler_rw(ctx, va + checks[i], (void *)&checks[i + 1],
				 sizeof(u32), GPUBP_MEM_WRITE);
	return err;
}

static int handler_install_at(struct gpubp_ctx *ctx, u64 va)
{
	struct gpubp_device *dev = ctx->dev;
	u64 tma = va + handler_code_size(dev);
	int err;

	ctx->trap->checks = READ_ONCE(handler_check);
	err = handler_write_code(ctx, va);
	if (!err && ctx->trap->checks)
		err = handler_write_checks(ctx, va);
	if (err)
		return err;
	/* before a wave can trap: the resolver reads records from here */
	WRITE_ONCE(ctx->trap->tma, tma);
	return dev->ops.trap_install(ctx->priv, va, tma);
}

static u64 handler_memory(const struct gpubp_ctx *ctx, u32 offset)
{
	return READ_ONCE(ctx->trap->tma) + offset;
}

/**
 * gpubp_handler_read() - read the memory of the trap handler
 * @ctx: context with a handler
 * @offset: in the handler's memory, bytes
 * @buf: result
 * @len: bytes
 *
 * After gpubp_handler_flush() it is what waves have written before. May sleep.
 * Return: 0, -EFAULT, or -EAGAIN: the memory is busy.
 */
int gpubp_handler_read(struct gpubp_ctx *ctx, u32 offset, void *buf, size_t len)
{
	return handler_rw(ctx, handler_memory(ctx, offset), buf, len, 0);
}

/**
 * gpubp_handler_write() - write the memory of the trap handler
 * @ctx: context with a handler
 * @offset: in the handler's memory, bytes
 * @buf: what to write
 * @len: bytes
 *
 * Waves see it after gpubp_handler_flush(). May sleep. Return: as
 * gpubp_handler_read(); with -EAGAIN nothing was written.
 */
int gpubp_handler_write(struct gpubp_ctx *ctx, u32 offset, const void *buf,
			size_t len)
{
	return handler_rw(ctx, handler_memory(ctx, offset), (void *)buf, len,
			  GPUBP_MEM_WRITE);
}

/** gpubp_handler_flush() - between waves and the CPU; 0 or the provider's errno */
int gpubp_handler_flush(struct gpubp_ctx *ctx)
{
	return ctx->dev->ops.flush(ctx->priv, GPUBP_FLUSH_DATA, FLUSH_MS);
}

/**
 * gpubp_handler_install() - install the trap handler, if it is not yet
 * @ctx: context that is not dead; no lock is held
 *
 * The committer only; may sleep. Return: 0 or the provider's errno; -EAGAIN: its memory
 * is busy.
 */
int gpubp_handler_install(struct gpubp_ctx *ctx)
{
	struct gpubp_device *dev = ctx->dev;
	const struct gpubp_isa *isa = dev->desc.isa;
	u64 va;
	int err;

	if (ctx->trap->handler_va || !isa || !isa->handler)
		return 0;
	err = dev->ops.code_alloc(ctx->priv, handler_total_size(dev), &va);
	if (err)
		return err;
	err = handler_install_at(ctx, va);
	if (err) {
		WRITE_ONCE(ctx->trap->tma, 0);
		dev->ops.code_free(ctx->priv, va);
		if (err != -EAGAIN)
			pr_warn_once("gpubp: %s: no trap handler in context %u: %d\n",
				     dev->name, ctx->id, err);
		return err;
	}
	ctx->trap->handler_va = va;
	return 0;
}

/* those that a wave survives */
#define ARITHMETIC	(GPUBP_EXC_FP | GPUBP_EXC_INT_DIV0)

static void handler_want_trap(struct gpubp_handler_wanted *wanted, u64 id)
{
	if (id < 32 * ARRAY_SIZE(wanted->traps))
		wanted->traps[id / 32] |= BIT(id % 32);
}

/**
 * gpubp_handler_choose() - choose the traps that a second-level handler reports
 * @ctx: context; the device lock is held
 * @exceptions: GPUBP_EXC_* that its events want
 *
 * All others go to the process's own handler, but for arithmetic exceptions that an
 * event wanted before: waves trap for them until they are masked in each one, and that
 * handler may stop them for good. gpubp_handlers_update() writes the choice into the
 * handler's memory. The committer only.
 */
void gpubp_handler_choose(struct gpubp_ctx *ctx, u32 exceptions)
{
	const struct gpubp_isa *isa = ctx->dev->desc.isa;
	struct gpubp_handler_wanted *wanted = &ctx->trap->wanted;
	const struct gpubp_trap_point *trap;
	u32 before;

	lockdep_assert_held(&ctx->dev->lock);
	if (!handler_is_second(ctx->dev) || !isa || !isa->handler)
		return;
	before = wanted->reasons & isa->trap_reasons(ARITHMETIC);
	*wanted = (struct gpubp_handler_wanted) {
		.reasons = before | isa->trap_reasons(exceptions),
	};
	list_for_each_entry(trap, &ctx->trap->traps.traps, node)
		if (trap->kind == GPUBP_KIND_TRAP)
			handler_want_trap(wanted, trap->key);
}

/*
 * Return: a context whose handler has an older choice, or NULL. A live context
 * is not freed before the end of the committer's run.
 */
static struct gpubp_ctx *handler_find_outdated(struct gpubp_device *dev)
{
	struct gpubp_ctx *ctx;

	guard(mutex)(&dev->lock);
	list_for_each_entry(ctx, &dev->ctxs, node)
		if (!ctx->dead && ctx->trap->handler_va &&
		    memcmp(&ctx->trap->wanted, &ctx->trap->written,
			   sizeof(ctx->trap->written)))
			return ctx;
	return NULL;
}

static int handler_write_wanted(struct gpubp_ctx *ctx)
{
	const struct gpubp_isa *isa = ctx->dev->desc.isa;
	int err;

	err = gpubp_handler_write(ctx, isa->handler->wanted_offset,
				  &ctx->trap->wanted,
				  sizeof(ctx->trap->wanted)) ?:
	      gpubp_handler_flush(ctx);
	if (!err)
		ctx->trap->written = ctx->trap->wanted;
	return err;
}

/**
 * gpubp_handlers_update() - write what was chosen into the handlers' memory
 * @dev: device; no lock is held
 *
 * The committer only; may sleep. A failed write is tried again in the next run:
 * until then newly wanted traps go to the process's own handler. Return: false: a
 * handler's memory was busy, so that the next run should come soon.
 */
bool gpubp_handlers_update(struct gpubp_device *dev)
{
	struct gpubp_ctx *ctx;
	int err = 0;

	if (!handler_is_second(dev))
		return true;
	while (!err && (ctx = handler_find_outdated(dev)))
		err = handler_write_wanted(ctx);
	return err != -EAGAIN;
}

/**
 * gpubp_handler_exit() - remove the handler of a context without waves
 * @ctx: context, which the committer does not use any more
 *
 * May sleep.
 */
void gpubp_handler_exit(struct gpubp_ctx *ctx)
{
	const struct gpubp_ops *ops = &ctx->dev->ops;

	if (!ctx->trap->handler_va)
		return;
	ops->trap_remove(ctx->priv);
	ops->code_free(ctx->priv, ctx->trap->handler_va);
	ctx->trap->handler_va = 0;
}

/**
 * gpubp_handler_park_pc() - where the handler parks waves
 * @ctx: context
 *
 * Any context. Return: 0 if waves may be halted at their end, if there is no
 * handler yet, or if it is a second level: then the provider changes a wave in
 * memory, and lets it go on with that.
 */
u64 gpubp_handler_park_pc(const struct gpubp_ctx *ctx)
{
	const struct gpubp_isa *isa = ctx->dev->desc.isa;
	u64 tma = READ_ONCE(ctx->trap->tma);

	return tma && isa->park_offset && !handler_is_second(ctx->dev) ?
	       tma - handler_code_size(ctx->dev) + isa->park_offset : 0;
}

/**
 * gpubp_handler_overlaps() - do these bytes overlap the handler or its memory
 * @ctx: context
 * @va: first address
 * @len: bytes
 *
 * The committer only.
 */
bool gpubp_handler_overlaps(const struct gpubp_ctx *ctx, u64 va, u64 len)
{
	u64 at = ctx->trap->handler_va;

	return at && va < at + PAGE_ALIGN(handler_total_size(ctx->dev)) &&
	       at < va + len;
}
