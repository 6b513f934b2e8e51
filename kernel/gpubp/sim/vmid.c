// SPDX-License-Identifier: GPL-2.0
/*
 * VMIDs: 15 for any number of contexts. A context gets one when it has work
 * and keeps it until somebody else needs it. Who waits longest is served
 * first; if nobody is idle, who has had his longest launches nothing new until
 * his waves have ended.
 */
#include <linux/gpubp.h>

#include "ctx.h"
#include "cu.h"
#include "device.h"

/* VMID 0 is the kernel's */
static u32 find_free(const struct sim_device *dev)
{
	u32 vmid;

	for (vmid = 1; vmid < SIM_NR_VMIDS; vmid++)
		if (!dev->vmid_owner[vmid])
			return vmid;
	return 0;
}

/** sim_vmid_load() - make the registers what @ctx's shall be */
void sim_vmid_load(struct sim_ctx *ctx)
{
	lockdep_assert_held(&ctx->dev->lock);
	if (ctx->vmid)
		sim_bank_write(ctx->dev, ctx->vmid, &ctx->bank);
}

static void map_ctx(struct sim_ctx *ctx, u32 vmid)
{
	struct sim_device *dev = ctx->dev;

	dev->vmid_owner[vmid] = ctx;
	ctx->vmid = vmid;
	ctx->yield = false;
	list_move_tail(&ctx->vmid_node, &dev->resident);
	sim_vmid_load(ctx);
	sim_stat_inc(dev, SIM_STAT_VMID_MAPS);
	gpubp_ctx_resident(ctx->core, vmid);
}

/* no wave of it exists, and what its waves had to report is reported */
static void unmap_ctx(struct sim_ctx *ctx)
{
	static const struct sim_bank none;
	struct sim_device *dev = ctx->dev;

	WARN_ON_ONCE(ctx->nr_groups);
	sim_bank_write(dev, ctx->vmid, &none);
	dev->vmid_owner[ctx->vmid] = NULL;
	ctx->vmid = 0;
	ctx->yield = false;
	list_del_init(&ctx->vmid_node);
	gpubp_ctx_evicted(ctx->core);
}

static void unmap_idle(struct sim_device *dev)
{
	struct sim_ctx *ctx;

	list_for_each_entry(ctx, &dev->resident, vmid_node) {
		if (!ctx->nr_groups) {
			unmap_ctx(ctx);
			return;
		}
	}
}

static void ask_to_yield(struct sim_device *dev)
{
	struct sim_ctx *ctx;

	list_for_each_entry(ctx, &dev->resident, vmid_node)
		if (ctx->yield)
			return;
	ctx = list_first_entry_or_null(&dev->resident, struct sim_ctx,
				       vmid_node);
	if (ctx)
		ctx->yield = true;
}

static bool is_next(const struct sim_ctx *ctx)
{
	return list_is_first(&ctx->vmid_node, &ctx->dev->vmid_waiters);
}

/**
 * sim_vmid_get() - is @ctx resident, or can it be now?
 * @ctx: context with work
 *
 * Return: true if its waves may be launched.
 */
bool sim_vmid_get(struct sim_ctx *ctx)
{
	struct sim_device *dev = ctx->dev;

	lockdep_assert_held(&dev->lock);
	if (ctx->vmid)
		return !ctx->yield;
	if (list_empty(&ctx->vmid_node))
		list_add_tail(&ctx->vmid_node, &dev->vmid_waiters);
	if (!is_next(ctx))
		return false;
	if (!find_free(dev))
		unmap_idle(dev);
	if (!find_free(dev)) {
		ask_to_yield(dev);
		return false;
	}
	map_ctx(ctx, find_free(dev));
	return true;
}

/**
 * sim_vmid_work_gone() - the last workgroup or the last runnable queue of
 *	@ctx is gone
 * @ctx: context
 */
void sim_vmid_work_gone(struct sim_ctx *ctx)
{
	struct sim_device *dev = ctx->dev;

	lockdep_assert_held(&dev->lock);
	if (!ctx->vmid && !ctx->nr_runnable)
		list_del_init(&ctx->vmid_node);
	if (ctx->vmid && !ctx->nr_groups && ctx->yield)
		unmap_ctx(ctx);
	/* a waiter may be next, or who yielded for one that is gone */
	if (!list_empty(&dev->runq))
		sim_cu_kick_all(dev);
}

/** sim_vmid_drop() - @ctx, without queues, needs no VMID any more */
void sim_vmid_drop(struct sim_ctx *ctx)
{
	lockdep_assert_held(&ctx->dev->lock);
	if (ctx->vmid)
		unmap_ctx(ctx);
	sim_vmid_work_gone(ctx);
}

static void forget_control(struct sim_bank *bank)
{
	memset(bank->watch_cntl, 0, sizeof(bank->watch_cntl));
	bank->per_vmid_cntl = 0;
	bank->debug = 0;
}

/**
 * sim_vmid_reset() - nobody has a VMID any more, nobody watches anything
 * @dev: device without waves
 *
 * Where a context's trap handler lies is not the GPU's to forget: it is loaded
 * with the next VMID.
 */
void sim_vmid_reset(struct sim_device *dev)
{
	static const struct sim_bank none;
	struct sim_ctx *ctx;
	u32 vmid;

	lockdep_assert_held(&dev->lock);
	list_for_each_entry(ctx, &dev->ctxs, node) {
		if (ctx->vmid)
			unmap_ctx(ctx);
		forget_control(&ctx->bank);
	}
	for (vmid = 0; vmid < SIM_NR_VMIDS; vmid++)
		sim_bank_write(dev, vmid, &none);
}
