// SPDX-License-Identifier: GPL-2.0
/*
 * Page faults: amdkfd takes the queues of the process off the GPU, and with them
 * the waves whose accesses failed. While an event wants memory violations, it gets
 * the interrupt later: when such a wave has stopped and its hit is resolved.
 */
#include <linux/workqueue.h>

#include "amdgpu_amdkfd.h"
#include "kfd_priv.h"
#include "soc15_int.h"

#include "provider.h"

/*
 * Until amdkfd gets it if no such hit is resolved; copy engines fault, too. A wave
 * stops within microseconds, but its interrupt and its hit wait for others.
 */
#define HOLD_TIME	HZ

/* after the first such hit, for those of waves that failed at the same time */
#define GRACE_TIME	(HZ / 50)

/* as long as waves of the process are stopped, as their hits wait */
#define MAX_TIME	(5 * HZ)

static_assert(sizeof_field(struct gpubp_amd_fault, entry) ==
	      KFD_MAX_RING_ENTRY_SIZE * sizeof(u32));

/* as if it had just arrived */
static void fault_return(struct work_struct *work)
{
	struct gpubp_amd_ctx *ctx = container_of(to_delayed_work(work),
						 struct gpubp_amd_ctx,
						 fault.work);
	struct gpubp_amd_fault *fault = &ctx->fault;

	if (time_before(jiffies, fault->until) &&
	    gpubp_amd_waves_any(ctx->node, ctx)) {
		schedule_delayed_work(&fault->work, GRACE_TIME);
		return;
	}
	scoped_guard(spinlock, &fault->lock) {
		if (fault->state != GPUBP_AMD_FAULT_HELD &&
		    fault->state != GPUBP_AMD_FAULT_RESOLVED)
			return;
		fault->state = GPUBP_AMD_FAULT_RETURNED;
	}
	kgd2kfd_interrupt(ctx->node->node->kfd, fault->entry);
}

/** gpubp_amd_fault_init() - initialise a context that has no fault */
void gpubp_amd_fault_init(struct gpubp_amd_ctx *ctx)
{
	spin_lock_init(&ctx->fault.lock);
	INIT_DELAYED_WORK(&ctx->fault.work, fault_return);
}

/** gpubp_amd_fault_exit() - a context has no queues and no waves any more */
void gpubp_amd_fault_exit(struct gpubp_amd_ctx *ctx)
{
	cancel_delayed_work_sync(&ctx->fault.work);
}

static bool fault_is_wanted(const struct gpubp_amd_ctx *ctx)
{
	return READ_ONCE(ctx->watched) && READ_ONCE(ctx->handler) &&
	       READ_ONCE(ctx->prog.exceptions) & GPUBP_EXC_MEM_VIOL;
}

static void fault_hold(struct gpubp_amd_fault *fault, const u32 *entry)
{
	lockdep_assert_held(&fault->lock);
	fault->state = GPUBP_AMD_FAULT_HELD;
	fault->until = jiffies + MAX_TIME;
	memcpy(fault->entry, entry, sizeof(fault->entry));
	schedule_delayed_work(&fault->work, HOLD_TIME);
}

/*
 * Each lane of a wave may fault: for its process, all of it is the first one, which
 * names the page. Return: amdkfd does not get it now.
 */
static bool fault_catch(struct gpubp_amd_ctx *ctx, const u32 *entry)
{
	struct gpubp_amd_fault *fault = &ctx->fault;

	guard(spinlock)(&fault->lock);
	switch (fault->state) {
	case GPUBP_AMD_FAULT_NONE:
		if (!fault_is_wanted(ctx))
			return false;
		fault_hold(fault, entry);
		return true;
	case GPUBP_AMD_FAULT_RETURNED:
		if (!memcmp(fault->entry, entry, sizeof(fault->entry)))
			fault->state = GPUBP_AMD_FAULT_NONE;
		return false;
	default:
		return true;
	}
}

bool gpubp_amd_fault(struct kfd_node *node, const u32 *entry)
{
	struct gpubp_amd_node *n = node->gpubp;
	struct gpubp_amd_ctx *ctx;

	if (!n)
		return false;
	guard(rwsem_read)(&n->report_lock);
	ctx = gpubp_amd_ctx_find(n, SOC15_PASID_FROM_IH_ENTRY(entry));
	return ctx && fault_catch(ctx, entry);
}

/**
 * gpubp_amd_fault_resolved() - the hit of a memory violation is resolved
 * @ctx: its context; does not sleep
 *
 * Return: amdkfd is about to get the fault, and to take the wave off the GPU.
 */
bool gpubp_amd_fault_resolved(struct gpubp_amd_ctx *ctx)
{
	struct gpubp_amd_fault *fault = &ctx->fault;

	guard(spinlock)(&fault->lock);
	if (fault->state == GPUBP_AMD_FAULT_HELD) {
		fault->state = GPUBP_AMD_FAULT_RESOLVED;
		cancel_delayed_work(&fault->work);
		schedule_delayed_work(&fault->work, GRACE_TIME);
	}
	return fault->state == GPUBP_AMD_FAULT_RESOLVED;
}
