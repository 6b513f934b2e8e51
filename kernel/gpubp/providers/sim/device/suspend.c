// SPDX-License-Identifier: GPL-2.0
/* Suspend: keep contexts off the GPU, with their workgroups saved. */
#include <linux/errno.h>
#include <linux/gpubp.h>
#include <linux/jiffies.h>

#include "ctx.h"
#include "cu.h"
#include "device.h"
#include "provider.h"

static void suspend_ctx(struct sim_ctx *ctx, unsigned int grace_ms)
{
	/* for step_check_all() */
	WRITE_ONCE(ctx->suspended, ctx->suspended + 1);
	if (ctx->vmid)
		sim_vmid_evict(ctx, grace_ms);
	else
		list_del_init(&ctx->vmid_node);
}

static bool ctxs_are_off(void * const *ctxs, unsigned int nr)
{
	unsigned int i;

	for (i = 0; i < nr; i++) {
		const struct sim_ctx *ctx = ctxs[i];

		/* saved waves are visible: pairs with unmap_ctx() */
		if (smp_load_acquire(&ctx->vmid))
			return false;
	}
	return true;
}

/**
 * sim_resume() - gpubp_ops.ctx_resume
 * @priv: device
 * @ctxs: contexts
 * @nr: entries of @ctxs
 */
void sim_resume(void *priv, void * const *ctxs, unsigned int nr)
{
	struct sim_device *dev = priv;
	unsigned int i;

	scoped_guard(mutex, &dev->lock)
		for (i = 0; i < nr; i++) {
			struct sim_ctx *ctx = ctxs[i];

			WRITE_ONCE(ctx->suspended, ctx->suspended - 1);
		}
	/* contexts with work request a VMID again */
	sim_cu_kick_all(dev);
}

/**
 * sim_suspend() - gpubp_ops.ctx_suspend
 * @priv: device
 * @ctxs: contexts
 * @nr: entries of @ctxs
 * @grace_ms: time after which contexts that are not saved are reset
 *
 * Return: 0, or -ETIMEDOUT and no context is suspended.
 */
int sim_suspend(void *priv, void * const *ctxs, unsigned int nr,
		unsigned int grace_ms)
{
	unsigned long timeout = msecs_to_jiffies(grace_ms) + SIM_SLICE_TIMEOUT;
	struct sim_device *dev = priv;
	unsigned int i;

	if (sim_fault(dev, SIM_FAULT_SUSPEND))
		return -ETIMEDOUT;
	scoped_guard(mutex, &dev->lock)
		for (i = 0; i < nr; i++)
			suspend_ctx(ctxs[i], grace_ms);
	/* after a reset waves end when their slices end */
	if (wait_event_timeout(dev->vmid_wait, ctxs_are_off(ctxs, nr), timeout))
		return 0;
	sim_resume(dev, ctxs, nr);
	return -ETIMEDOUT;
}
