// SPDX-License-Identifier: GPL-2.0
/* Contexts: address spaces of KFD processes, and their queues. */
#include <linux/sched/mm.h>
#include <linux/slab.h>

#include "amdgpu.h"
#include "kfd_device_queue_manager.h"

#include "provider.h"
#include "run.h"

static int attach(struct gpubp_amd_ctx *ctx)
{
	struct kfd_process *process = ctx->pdd->process;
	struct gpubp_ctx_desc desc = {
		.pid = get_task_pid(process->lead_thread, PIDTYPE_TGID),
		.pasid = process->pasid,
	};

	ctx->core = gpubp_ctx_create(ctx->node->core, ctx, &desc);
	put_pid(desc.pid);
	return PTR_ERR_OR_ZERO(ctx->core);
}

static struct gpubp_amd_ctx *alloc_ctx(struct kfd_process_device *pdd)
{
	struct gpubp_amd_ctx *ctx = kzalloc(sizeof(*ctx), GFP_KERNEL);

	if (!ctx)
		return NULL;
	ctx->node = pdd->dev->gpubp;
	ctx->pdd = pdd;
	ctx->mm = pdd->process->mm;
	mmgrab(ctx->mm);
	mutex_init(&ctx->lock);
	spin_lock_init(&ctx->old_lock);
	INIT_LIST_HEAD(&ctx->blocks);
	return ctx;
}

static void free_ctx(struct gpubp_amd_ctx *ctx)
{
	mmdrop(ctx->mm);
	kfree(ctx);
}

static void link_ctx(struct gpubp_amd_ctx *ctx)
{
	guard(mutex)(&ctx->node->lock);
	guard(rwsem_write)(&ctx->node->report_lock);
	list_add_tail(&ctx->link, &ctx->node->ctxs);
}

static void unlink_ctx(struct gpubp_amd_ctx *ctx)
{
	guard(mutex)(&ctx->node->lock);
	gpubp_amd_commit_forget(ctx);
	guard(rwsem_write)(&ctx->node->report_lock);
	list_del(&ctx->link);
	gpubp_amd_waves_drop(ctx->node, ctx);
}

/* as for nodes: a process without gpubp is still a process */
void gpubp_amd_ctx_add(struct kfd_process_device *pdd)
{
	struct gpubp_amd_ctx *ctx;

	if (!pdd->dev->gpubp)
		return;
	ctx = alloc_ctx(pdd);
	if (!ctx)
		return;
	link_ctx(ctx);
	pdd->gpubp = ctx;
	if (!attach(ctx))
		return;
	dev_warn(pdd->dev->adev->dev, "gpubp: process %d is not watched\n",
		 pdd->process->lead_thread->tgid);
	pdd->gpubp = NULL;
	unlink_ctx(ctx);
	free_ctx(ctx);
}

void gpubp_amd_ctx_remove(struct kfd_process_device *pdd)
{
	struct gpubp_amd_ctx *ctx = pdd->gpubp;

	if (!ctx)
		return;
	gpubp_ctx_destroy(ctx->core);
	pdd->gpubp = NULL;
	unlink_ctx(ctx);
	free_ctx(ctx);
}

/* without control words, of all contexts only the one with the debug VMID */
bool gpubp_amd_ctx_watched(struct kfd_process_device *pdd)
{
	struct gpubp_amd_ctx *ctx = pdd->gpubp;

	if (!ctx || !READ_ONCE(ctx->watched))
		return false;
	return ctx->node->gen->banked || READ_ONCE(ctx->node->holder) == ctx;
}

/* a first-level handler, without HWS, is nobody's to load but ours */
static void load_handler(struct gpubp_amd_ctx *ctx, u32 vmid)
{
	struct qcm_process_device *qpd = &ctx->pdd->qpd;
	struct gpubp_amd_steps list = {};

	if (qpd->cwsr_kaddr || !qpd->tba_addr)
		return;
	gpubp_amd_handler(ctx->node->gen, vmid, qpd->tba_addr, qpd->tma_addr,
			  &list);
	gpubp_amd_run(ctx->node->node->adev, ctx->node->gen, 0, &list);
}

/* DQM's lock is held, so what a commit holds the node's lock for comes later */
void gpubp_amd_ctx_resident(struct kfd_process_device *pdd, u32 vmid)
{
	struct gpubp_amd_ctx *ctx = pdd->gpubp;

	if (!ctx)
		return;
	WRITE_ONCE(ctx->vmid, vmid);
	schedule_work(&ctx->node->reload_work);
	if (!vmid) {
		gpubp_ctx_evicted(ctx->core);
		return;
	}
	load_handler(ctx, vmid);
	gpubp_ctx_resident(ctx->core, vmid);
}

/* ---- queues ------------------------------------------------------------------ */

static int attach_queue(struct gpubp_amd_queue *queue, struct queue *q)
{
	struct gpubp_queue_desc desc = {
		.creator = task_pid(current),
		.id = q->properties.queue_id,
		.doorbell = gpubp_amd_doorbell(q->process->pasid,
					       q->doorbell_id),
	};

	queue->core = gpubp_queue_create(queue->ctx->core, &desc);
	return PTR_ERR_OR_ZERO(queue->core);
}

void gpubp_amd_queue_add(struct kfd_process_device *pdd, struct queue *q)
{
	struct gpubp_amd_queue *queue;

	if (!pdd->gpubp)
		return;
	queue = kzalloc(sizeof(*queue), GFP_KERNEL);
	if (!queue)
		return;
	queue->ctx = pdd->gpubp;
	if (attach_queue(queue, q)) {
		kfree(queue);
		return;
	}
	q->gpubp = queue;
}

/* the commit whose old waves ended with this queue, or 0 */
static u64 forget_old(struct gpubp_amd_queue *queue)
{
	struct gpubp_amd_ctx *ctx = queue->ctx;

	guard(spinlock)(&ctx->old_lock);
	if (!queue->old)
		return 0;
	queue->old = false;
	return --ctx->old_queues ? 0 : ctx->old_seq;
}

void gpubp_amd_queue_remove(struct queue *q)
{
	struct gpubp_amd_queue *queue = q->gpubp;
	u64 seq;

	if (!queue)
		return;
	q->gpubp = NULL;
	gpubp_queue_destroy(queue->core);
	seq = forget_old(queue);
	if (seq)
		gpubp_ctx_settled(queue->ctx->core, seq);
	kfree(queue);
}

static void make_old(struct gpubp_amd_queue *queue)
{
	guard(spinlock)(&queue->ctx->old_lock);
	queue->ctx->old_queues += !queue->old;
	queue->old = true;
}

/**
 * gpubp_amd_ctx_age_queues() - waves that run now lack traps
 * @ctx: context
 *
 * Nothing tells when the last of them has ended, but for the end of their queue.
 */
void gpubp_amd_ctx_age_queues(struct gpubp_amd_ctx *ctx)
{
	struct device_queue_manager *dqm = ctx->node->node->dqm;
	struct queue *q;

	dqm_lock(dqm);
	list_for_each_entry(q, &ctx->pdd->qpd.queues_list, list)
		if (q->gpubp)
			make_old(q->gpubp);
	dqm_unlock(dqm);
}

/**
 * gpubp_amd_ctx_is_old() - may waves run that lack traps
 * @ctx: context
 * @seq: the commit that is told
 */
bool gpubp_amd_ctx_is_old(struct gpubp_amd_ctx *ctx, u64 seq)
{
	guard(spinlock)(&ctx->old_lock);
	ctx->old_seq = seq;
	return ctx->old_queues;
}

/* ---- suspension ----------------------------------------------------------------- */

/* counted by the KFD, which evicts queues for reasons of its own, too */
int gpubp_amd_ctx_evict(struct gpubp_amd_ctx *ctx)
{
	struct device_queue_manager *dqm = ctx->node->node->dqm;

	return dqm->ops.evict_process_queues(dqm, &ctx->pdd->qpd);
}

void gpubp_amd_ctx_restore(struct gpubp_amd_ctx *ctx)
{
	struct device_queue_manager *dqm = ctx->node->node->dqm;

	if (dqm->ops.restore_process_queues(dqm, &ctx->pdd->qpd))
		dev_err(ctx->node->node->adev->dev,
			"gpubp: queues of process %d stay off the GPU\n",
			ctx->pdd->process->lead_thread->tgid);
}

/* the KFD's own time for a preemption applies, not @grace_ms */
int gpubp_amd_ctx_suspend(void *dev, void * const *ctxs, unsigned int nr,
			  unsigned int grace_ms)
{
	unsigned int i;

	for (i = 0; i < nr; i++) {
		if (!gpubp_amd_ctx_evict(ctxs[i]))
			continue;
		gpubp_amd_ctx_resume(dev, ctxs, i + 1);
		return -ETIMEDOUT;
	}
	return 0;
}

void gpubp_amd_ctx_resume(void *dev, void * const *ctxs, unsigned int nr)
{
	while (nr--)
		gpubp_amd_ctx_restore(ctxs[nr]);
}
