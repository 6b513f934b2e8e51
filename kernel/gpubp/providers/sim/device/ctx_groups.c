// SPDX-License-Identifier: GPL-2.0
/* Workgroups of a context, on the GPU or saved. */
#include "ctx.h"
#include "device.h"
#include "save.h"

/** sim_ctx_update_saved() - update membership in sim_device.saved_ctxs */
void sim_ctx_update_saved(struct sim_ctx *ctx)
{
	struct sim_device *dev = ctx->dev;

	lockdep_assert_held(&dev->lock);
	if (list_empty(&ctx->saved))
		list_del_init(&ctx->saved_node);
	else if (list_empty(&ctx->saved_node))
		list_add_tail(&ctx->saved_node, &dev->saved_ctxs);
}

/** sim_ctx_first_saved() - the workgroup that is restored first, or NULL */
struct sim_save_area *sim_ctx_first_saved(struct sim_ctx *ctx)
{
	lockdep_assert_held(&ctx->dev->lock);
	return list_first_entry_or_null(&ctx->saved, struct sim_save_area,
					node);
}

/**
 * sim_ctx_has_untrapped_group() - was a workgroup launched without a trap that
 *	is requested now?
 * @ctx: context; sim_device.lock is held
 */
bool sim_ctx_has_untrapped_group(const struct sim_ctx *ctx)
{
	const struct sim_save_area *save;

	lockdep_assert_held(&ctx->dev->lock);
	list_for_each_entry(save, &ctx->groups, group_node)
		if (ctx->bank.per_vmid_cntl & ~save->traps)
			return true;
	return false;
}
