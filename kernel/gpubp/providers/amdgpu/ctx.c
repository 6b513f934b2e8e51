// SPDX-License-Identifier: GPL-2.0
/* Contexts: address spaces of KFD processes, and their queues. */
#include <linux/sched/mm.h>
#include <linux/slab.h>

#include "amdgpu.h"
#include "kfd_device_queue_manager.h"

#include "provider.h"
#include "run.h"

static int ctx_register(struct gpubp_amd_ctx *ctx)
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

static struct gpubp_amd_ctx *ctx_alloc(struct kfd_process_device *pdd)
{
	struct gpubp_amd_ctx *ctx = kzalloc(sizeof(*ctx), GFP_KERNEL);

	if (!ctx)
		return NULL;
	ctx->node = pdd->dev->gpubp;
	ctx->pdd = pdd;
	ctx->mm = pdd->process->mm;
	mmgrab(ctx->mm);
	mutex_init(&ctx->lock);
	spin_lock_init(&ctx->stale_lock);
	INIT_LIST_HEAD(&ctx->blocks);
	return ctx;
}

static void ctx_free(struct gpubp_amd_ctx *ctx)
{
	mmdrop(ctx->mm);
	kfree(ctx);
}

static void ctx_link(struct gpubp_amd_ctx *ctx)
{
	guard(mutex)(&ctx->node->lock);
	guard(rwsem_write)(&ctx->node->report_lock);
	list_add_tail(&ctx->link, &ctx->node->ctxs);
}

static void ctx_unlink(struct gpubp_amd_ctx *ctx)
{
	guard(mutex)(&ctx->node->lock);
	gpubp_amd_commit_exit_ctx(ctx);
	guard(rwsem_write)(&ctx->node->report_lock);
	list_del(&ctx->link);
	gpubp_amd_waves_drop(ctx->node, ctx);
}

/* failures are not returned: the process then runs without gpubp */
void gpubp_amd_ctx_add(struct kfd_process_device *pdd)
{
	struct gpubp_amd_ctx *ctx;

	if (!pdd->dev->gpubp)
		return;
	ctx = ctx_alloc(pdd);
	if (!ctx)
		return;
	ctx_link(ctx);
	pdd->gpubp = ctx;
	if (!ctx_register(ctx))
		return;
	dev_warn(pdd->dev->adev->dev, "gpubp: process %d is not watched\n",
		 pdd->process->lead_thread->tgid);
	pdd->gpubp = NULL;
	ctx_unlink(ctx);
	ctx_free(ctx);
}

void gpubp_amd_ctx_remove(struct kfd_process_device *pdd)
{
	struct gpubp_amd_ctx *ctx = pdd->gpubp;

	if (!ctx)
		return;
	gpubp_ctx_destroy(ctx->core);
	pdd->gpubp = NULL;
	ctx_unlink(ctx);
	ctx_free(ctx);
}

/* without control words, only the context with the debug VMID is watched */
bool gpubp_amd_ctx_watched(struct kfd_process_device *pdd)
{
	struct gpubp_amd_ctx *ctx = pdd->gpubp;

	if (!ctx || !READ_ONCE(ctx->watched))
		return false;
	return ctx->node->gen->banked || READ_ONCE(ctx->node->vmid_ctx) == ctx;
}

/* without HWS, the KFD does not load a first-level handler */
static void ctx_load_handler(struct gpubp_amd_ctx *ctx, u32 vmid)
{
	struct qcm_process_device *qpd = &ctx->pdd->qpd;
	struct gpubp_amd_steps list = {};

	if (qpd->cwsr_kaddr || !qpd->tba_addr)
		return;
	gpubp_amd_handler(ctx->node->gen, vmid, qpd->tba_addr, qpd->tma_addr,
			  &list);
	gpubp_amd_run(ctx->node->node->adev, ctx->node->gen, 0, &list);
}

/* DQM's lock is held: what needs the node's lock is left to reload_work */
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
	ctx_load_handler(ctx, vmid);
	gpubp_ctx_resident(ctx->core, vmid);
}

/* ---- queues -------------------------------------------------------------- */

static int queue_register(struct gpubp_amd_queue *queue, struct queue *q)
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
	if (queue_register(queue, q)) {
		kfree(queue);
		return;
	}
	q->gpubp = queue;
}

/* return: the last commit if its stale waves ended with this queue, else 0 */
static u64 queue_clear_stale(struct gpubp_amd_queue *queue)
{
	struct gpubp_amd_ctx *ctx = queue->ctx;

	guard(spinlock)(&ctx->stale_lock);
	if (!queue->stale)
		return 0;
	queue->stale = false;
	return --ctx->stale_queues ? 0 : ctx->stale_seq;
}

void gpubp_amd_queue_remove(struct queue *q)
{
	struct gpubp_amd_queue *queue = q->gpubp;
	u64 seq;

	if (!queue)
		return;
	q->gpubp = NULL;
	gpubp_queue_destroy(queue->core);
	seq = queue_clear_stale(queue);
	if (seq)
		gpubp_ctx_settled(queue->ctx->core, seq);
	kfree(queue);
}

static void queue_mark_stale(struct gpubp_amd_queue *queue)
{
	guard(spinlock)(&queue->ctx->stale_lock);
	queue->ctx->stale_queues += !queue->stale;
	queue->stale = true;
}

/**
 * gpubp_amd_ctx_mark_stale() - waves of all queues lack a trap from now on
 * @ctx: context
 *
 * No interrupt reports the end of these waves; only the end of a queue does.
 */
void gpubp_amd_ctx_mark_stale(struct gpubp_amd_ctx *ctx)
{
	struct device_queue_manager *dqm = ctx->node->node->dqm;
	struct queue *q;

	dqm_lock(dqm);
	list_for_each_entry(q, &ctx->pdd->qpd.queues_list, list)
		if (q->gpubp)
			queue_mark_stale(q->gpubp);
	dqm_unlock(dqm);
}

/**
 * gpubp_amd_ctx_is_stale() - may a running wave lack a trap
 * @ctx: context
 * @seq: commit that reports it as pending
 */
bool gpubp_amd_ctx_is_stale(struct gpubp_amd_ctx *ctx, u64 seq)
{
	guard(spinlock)(&ctx->stale_lock);
	ctx->stale_seq = seq;
	return ctx->stale_queues;
}

/* ---- suspension ---------------------------------------------------------- */

/* the KFD counts evictions, as it evicts queues for other reasons, too */
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

/* the KFD's own preemption timeout applies, not @grace_ms */
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
