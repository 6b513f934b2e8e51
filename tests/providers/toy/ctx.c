// SPDX-License-Identifier: GPL-2.0
/* Contexts of the toy: one queue each, three regions of memory. */
#include <linux/err.h>
#include <linux/export.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>

#include "toy.h"

static const u64 region_start[TOY_NR_REGIONS] = {
	TOY_DATA, TOY_CODE, TOY_SAVE,
};

/* doorbells are unique within a device; VMIDs repeat every fifteen contexts */
u32 toy_ctx_doorbell(const struct toy_ctx *ctx)
{
	return 0x40 + ctx->nr;
}
EXPORT_SYMBOL_GPL(toy_ctx_doorbell);

u32 toy_ctx_vmid(const struct toy_ctx *ctx)
{
	return 1 + ctx->nr % (GPUBP_MAX_VMIDS - 1);
}
EXPORT_SYMBOL_GPL(toy_ctx_vmid);

void toy_ctx_free(struct toy_ctx *ctx)
{
	unsigned int i;

	for (i = 0; i < TOY_NR_REGIONS; i++)
		kvfree(ctx->mem[i]);
	put_pid(ctx->creator);
	kfree(ctx);
}

static struct toy_ctx *ctx_alloc(struct toy_gpu *gpu)
{
	struct toy_ctx *ctx = kzalloc(sizeof(*ctx), GFP_KERNEL);
	unsigned int i;

	if (!ctx)
		return NULL;
	for (i = 0; i < TOY_NR_REGIONS; i++) {
		ctx->mem[i] = kvzalloc(TOY_SIZE, GFP_KERNEL);
		if (!ctx->mem[i]) {
			toy_ctx_free(ctx);
			return NULL;
		}
	}
	ctx->gpu = gpu;
	ctx->creator = get_pid(task_pid(current));
	return ctx;
}

/* before gpubp_ctx_create(): ops may be called before it returns */
static void ctx_add(struct toy_ctx *ctx)
{
	struct toy_gpu *gpu = ctx->gpu;

	guard(mutex)(&gpu->run);
	guard(raw_spinlock_irqsave)(&gpu->lock);
	ctx->nr = gpu->nr_ctxs++;
	ctx->alive = true;
	list_add_tail(&ctx->node, &gpu->ctxs);
}

/* kernel threads create contexts: each counts as a process */
static struct pid *reported_creator(struct toy_ctx *ctx)
{
	if (!toy_fault(TOY_FAULT_CREATOR))
		return ctx->creator;
	return list_first_entry(&ctx->gpu->ctxs, struct toy_ctx, node)->creator;
}

static int register_ctx(struct toy_ctx *ctx, u32 max_stall_us)
{
	struct gpubp_ctx_desc desc = {
		.pid = reported_creator(ctx),
		.fenced = ctx->fenced && !toy_fault(TOY_FAULT_UNFENCED),
		.max_stall_us = toy_fault(TOY_FAULT_STALL_UNTOLD) ?
				0 : max_stall_us,
	};
	struct gpubp_queue_desc queue = {
		.creator = reported_creator(ctx),
		.id = 1,
		.doorbell = toy_ctx_doorbell(ctx) +
			    0x1000 * toy_fault(TOY_FAULT_DOORBELL),
	};
	struct gpubp_ctx *core = gpubp_ctx_create(ctx->gpu->core, ctx, &desc);

	if (IS_ERR(core))
		return PTR_ERR(core);
	ctx->queue = gpubp_queue_create(core, &queue);
	if (!IS_ERR(ctx->queue)) {
		ctx->core = core;
		return 0;
	}
	gpubp_ctx_destroy(core);
	return PTR_ERR(ctx->queue);
}

/* for the calling process and thread */
struct toy_ctx *toy_ctx_create(struct toy_gpu *gpu, bool fenced,
			       u32 max_stall_us)
{
	struct toy_ctx *ctx = ctx_alloc(gpu);
	int err;

	if (!ctx)
		return ERR_PTR(-ENOMEM);
	ctx->fenced = fenced;
	ctx_add(ctx);
	err = register_ctx(ctx, max_stall_us);
	if (err) {
		WRITE_ONCE(ctx->alive, false);
		return ERR_PTR(err);
	}
	if (gpu->desc.caps.residency == GPUBP_RESIDENCY_REPORTED) {
		guard(mutex)(&gpu->run);
		gpubp_ctx_resident(ctx->core, toy_ctx_vmid(ctx));
	}
	return ctx;
}
EXPORT_SYMBOL_GPL(toy_ctx_create);

static void kill_waves(struct toy_ctx *ctx)
{
	struct toy_gpu *gpu = ctx->gpu;
	unsigned int i;

	guard(mutex)(&gpu->run);
	guard(raw_spinlock_irqsave)(&gpu->lock);
	ctx->going = true;
	for (i = 0; i < TOY_WAVES; i++)
		if (gpu->wave[i].id && gpu->wave[i].ctx == ctx)
			toy_wave_end(&gpu->wave[i]);
}

void toy_ctx_destroy(struct toy_ctx *ctx)
{
	kill_waves(ctx);
	gpubp_queue_destroy(ctx->queue);
	gpubp_ctx_destroy(ctx->core);
	guard(raw_spinlock_irqsave)(&ctx->gpu->lock);
	ctx->alive = false;
	ctx->valid = 0;
}
EXPORT_SYMBOL_GPL(toy_ctx_destroy);

/* the memory at @va; limits @len to the bytes that exist */
u8 *toy_ctx_mem(struct toy_ctx *ctx, u64 va, size_t *len,
		enum toy_region *region)
{
	unsigned int i;

	for (i = 0; i < TOY_NR_REGIONS; i++) {
		u64 at = va - region_start[i];

		if (va < region_start[i] || at >= TOY_SIZE)
			continue;
		*len = min_t(u64, *len, TOY_SIZE - at);
		if (region)
			*region = i;
		return ctx->mem[i] + at;
	}
	return NULL;
}
EXPORT_SYMBOL_GPL(toy_ctx_mem);

/* loads a program; returns its address, or 0 if there is no room */
u64 toy_ctx_load(struct toy_ctx *ctx, const struct toy_insn *insn,
		 unsigned int nr)
{
	size_t size = nr * sizeof(*insn);
	u32 at;

	guard(raw_spinlock_irqsave)(&ctx->gpu->lock);
	if (!ctx->nr_waves)
		ctx->code_used = 0;
	if (size > TOY_SIZE - ctx->code_used)
		return 0;
	at = ctx->code_used;
	memcpy(ctx->mem[TOY_REGION_CODE] + at, insn, size);
	ctx->code_used += size;
	return TOY_CODE + at;
}
EXPORT_SYMBOL_GPL(toy_ctx_load);
