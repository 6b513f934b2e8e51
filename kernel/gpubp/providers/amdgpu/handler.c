// SPDX-License-Identifier: GPL-2.0
/*
 * The core's trap handler in a process: second level behind the KFD's handler,
 * which saves preempted waves (CWSR), or, without CWSR, first level.
 */
#include "amdgpu.h"
#include "kfd_debug.h"
#include "kfd_device_queue_manager.h"

#include "provider.h"

/* ---- handler ------------------------------------------------------------- */

static void handler_set(struct gpubp_amd_ctx *ctx, u64 tba, u64 tma)
{
	lockdep_assert_held(&ctx->lock);
	kfd_process_set_trap_handler(&ctx->pdd->qpd, tba, tma);
}

static void handler_get(struct gpubp_amd_ctx *ctx, u64 *tba, u64 *tma)
{
	struct qcm_process_device *qpd = &ctx->pdd->qpd;
	u64 *second = qpd->cwsr_kaddr ?
		      qpd->cwsr_kaddr + KFD_CWSR_TMA_OFFSET : NULL;

	*tba = second ? second[0] : qpd->tba_addr;
	*tma = second ? second[1] : qpd->tma_addr;
}

static void handler_apply(struct gpubp_amd_ctx *ctx)
{
	if (ctx->hidden)
		handler_set(ctx, ctx->user_tba, ctx->user_tma);
	else
		handler_set(ctx, ctx->tba, ctx->tma);
}

static int handler_write(struct gpubp_amd_ctx *ctx, u64 offset, void *data,
			 size_t len)
{
	const struct gpubp_where where = {
		.space = GPUBP_SPACE_GLOBAL,
		.va = ctx->tma + offset,
	};

	return gpubp_amd_mem_rw(ctx, &where, data, len, GPUBP_MEM_WRITE) ==
	       len ? 0 : -EIO;
}

/* the process's own handler, for what ours does not handle */
static int handler_write_third(struct gpubp_amd_ctx *ctx)
{
	u64 third[] = { ctx->user_tba, ctx->user_tma };

	lockdep_assert_held(&ctx->lock);
	return handler_write(ctx, ctx->node->isa->handler->third_offset, third,
			     sizeof(third));
}

static int handler_write_memory(struct gpubp_amd_ctx *ctx)
{
	u32 first[GPUBP_AMD_HANDLER_ARRAYS];

	gpubp_amd_first_records(first);
	return handler_write(ctx, 0, first, sizeof(first)) ?:
	       handler_write_third(ctx);
}

/* while a debugger is attached, it is not entered */
int gpubp_amd_trap_install(void *priv, u64 tba, u64 tma)
{
	struct gpubp_amd_ctx *ctx = priv;
	int err;

	if ((tba | tma) & 0xff)
		return -EIO;
	guard(mutex)(&ctx->lock);
	ctx->tba = tba;
	ctx->tma = tma;
	if (!ctx->handler)
		handler_get(ctx, &ctx->user_tba, &ctx->user_tma);
	err = handler_write_memory(ctx);
	if (err)
		return err;
	handler_apply(ctx);
	WRITE_ONCE(ctx->handler, true);
	return 0;
}

void gpubp_amd_trap_remove(void *priv)
{
	struct gpubp_amd_ctx *ctx = priv;

	guard(mutex)(&ctx->lock);
	if (!ctx->handler)
		return;
	handler_set(ctx, ctx->user_tba, ctx->user_tma);
	WRITE_ONCE(ctx->handler, false);
}

/**
 * gpubp_amd_handler_hide() - a debugger attached or detached
 * @ctx: context without watches that are armed
 * @hide: it expects that only the process's own handler stops waves
 */
void gpubp_amd_handler_hide(struct gpubp_amd_ctx *ctx, bool hide)
{
	guard(mutex)(&ctx->lock);
	ctx->hidden = hide;
	if (ctx->handler)
		handler_apply(ctx);
}

bool gpubp_amd_set_handler(struct kfd_process_device *pdd, u64 tba, u64 tma)
{
	struct gpubp_amd_ctx *ctx = pdd->gpubp;

	if (!ctx)
		return false;
	guard(mutex)(&ctx->lock);
	if (!ctx->handler)
		return false;
	ctx->user_tba = tba;
	ctx->user_tma = tma;
	if (handler_write_third(ctx))
		dev_err(ctx->node->node->adev->dev,
			"gpubp: process %d: its trap handler is not called\n",
			pdd->process->lead_thread->tgid);
	handler_apply(ctx);
	return true;
}
