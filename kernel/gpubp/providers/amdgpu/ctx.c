// SPDX-License-Identifier: GPL-2.0
/* Contexts: address spaces of KFD processes, and their queues. */
#include <linux/sched/mm.h>
#include <linux/slab.h>
#include <linux/task_work.h>

#include "amdgpu.h"
#include "kfd_device_queue_manager.h"
#include "v9_structs.h"

#include "compat.h"
#include "provider.h"
#include "run.h"
#include "saved.h"
#include "wave.h"

static int ctx_register(struct gpubp_amd_ctx *ctx)
{
	struct kfd_process *process = ctx->pdd->process;
	struct gpubp_ctx_desc desc = {
		.pid = get_task_pid(process->lead_thread, PIDTYPE_TGID),
		.pasid = gpubp_amd_pasid(ctx->pdd),
		.doorbells = gpubp_amd_doorbell(gpubp_amd_pasid(ctx->pdd), 0),
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
	ctx->debugged = pdd->process->debug_trap_enabled;
	ctx->hidden = ctx->debugged;
	mutex_init(&ctx->lock);
	mutex_init(&ctx->records_lock);
	mutex_init(&ctx->off_lock);
	spin_lock_init(&ctx->stale_lock);
	INIT_LIST_HEAD(&ctx->blocks);
	init_rwsem(&ctx->blocks_lock);
	gpubp_amd_fault_init(ctx);
	return ctx;
}

static void ctx_free(struct gpubp_amd_ctx *ctx)
{
	gpubp_amd_fault_exit(ctx);
	mmdrop(ctx->mm);
	kfree(ctx);
}

static void ctx_link(struct gpubp_amd_ctx *ctx)
{
	guard(mutex)(&ctx->node->lock);
	guard(rwsem_write)(&ctx->node->report_lock);
	list_add_tail(&ctx->link, &ctx->node->ctxs);
	hash_add(ctx->node->by_pasid, &ctx->by_pasid, gpubp_amd_pasid(ctx->pdd));
}

static void ctx_unlink(struct gpubp_amd_ctx *ctx)
{
	guard(mutex)(&ctx->node->lock);
	gpubp_amd_commit_exit_ctx(ctx);
	guard(rwsem_write)(&ctx->node->report_lock);
	list_del(&ctx->link);
	hash_del(&ctx->by_pasid);
	gpubp_amd_waves_drop(ctx->node, ctx);
}

/** gpubp_amd_ctx_use() - it is not freed until gpubp_amd_ctx_unuse() */
void gpubp_amd_ctx_use(struct gpubp_amd_ctx *ctx)
{
	lockdep_assert_held(&ctx->node->stop_lock);
	ctx->users++;
}

/* the waiter frees it as soon as it sees that */
void gpubp_amd_ctx_unuse(struct gpubp_amd_ctx *ctx)
{
	struct gpubp_amd_node *n = ctx->node;

	guard(spinlock)(&n->stop_lock);
	if (!--ctx->users)
		wake_up_all(&n->none_using);
}

static bool ctx_is_unused(struct gpubp_amd_ctx *ctx)
{
	guard(spinlock)(&ctx->node->stop_lock);
	return !ctx->users;
}

/* none of its waves is known any more, so there are no new users */
static void ctx_wait_unused(struct gpubp_amd_ctx *ctx)
{
	wait_event(ctx->node->none_using, ctx_is_unused(ctx));
	/* and those that a work had taken aside */
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
	ctx_wait_unused(ctx);
	ctx_free(ctx);
}

/*
 * The KFD counts all queues as inactive and then destroys one after the other: what we
 * evicted or restored in between would be counted twice.
 */
void gpubp_amd_ctx_dequeue(struct kfd_process_device *pdd)
{
	struct gpubp_amd_ctx *ctx = pdd->gpubp;

	if (!ctx)
		return;
	guard(mutex)(&ctx->off_lock);
	ctx->dequeued = true;
}

void gpubp_amd_ctx_remove(struct kfd_process_device *pdd)
{
	struct gpubp_amd_ctx *ctx = pdd->gpubp;

	if (!ctx)
		return;
	gpubp_ctx_destroy(ctx->core);
	pdd->gpubp = NULL;
	ctx_unlink(ctx);
	ctx_wait_unused(ctx);
	ctx_free(ctx);
}

/** gpubp_amd_ctx_find() - the context that has a PASID, or NULL */
struct gpubp_amd_ctx *gpubp_amd_ctx_find(struct gpubp_amd_node *n, u32 pasid)
{
	struct gpubp_amd_ctx *ctx;

	lockdep_assert_held(&n->report_lock);
	hash_for_each_possible(n->by_pasid, ctx, by_pasid, pasid)
		if (gpubp_amd_pasid(ctx->pdd) == pasid)
			return ctx;
	return NULL;
}

/* without control words, only the context with the debug VMID is watched */
bool gpubp_amd_ctx_watched(struct kfd_process_device *pdd)
{
	struct gpubp_amd_ctx *ctx = pdd->gpubp;

	if (!ctx || !READ_ONCE(ctx->watched))
		return false;
	return ctx->node->gen->banked || READ_ONCE(ctx->node->vmid_ctx) == ctx;
}

/* DQM's lock is held, or (MES) node->lock or process->mutex */
bool gpubp_amd_ctx_map(struct kfd_process_device *pdd, u32 *spi_dbg, u32 *watch)
{
	struct gpubp_amd_ctx *ctx = pdd->gpubp;
	unsigned int i;

	if (!ctx || !ctx->node->gen->banked)
		return false;
	if (!READ_ONCE(ctx->watched))
		return false;
	*spi_dbg |= ctx->words.trap;
	for (i = 0; i < GPUBP_AMD_NR_SLOTS; i++)
		watch[i] |= ctx->words.watch[i];
	return ctx->words.precise;
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

/**
 * struct gpubp_amd_queue_wait - current does not use its new queue before watches are armed
 * @work: waits when the ioctl returns to user space, with no lock held
 * @process: the process; a reference is held, with which its contexts stay, the device,
 *	and this module
 * @queue: the core's queue, which may be destroyed during the wait; NULL: there is none
 */
struct gpubp_amd_queue_wait {
	struct callback_head work;
	struct kfd_process *process;
	struct gpubp_queue *queue;
};

static void queue_wait_fn(struct callback_head *work)
{
	struct gpubp_amd_queue_wait *wait =
		container_of(work, struct gpubp_amd_queue_wait, work);
	struct kfd_process *process = wait->process;

	/* whether in time or not: what is missing has no time running */
	if (wait->queue)
		gpubp_queue_wait_armed(wait->queue);
	kfree(wait);
	/* last, as the module may be unloaded some time after that */
	kfd_unref_process(process);
}

/* Return: NULL if current cannot wait */
static struct gpubp_amd_queue_wait *queue_wait_add(struct gpubp_amd_ctx *ctx)
{
	struct gpubp_amd_queue_wait *wait;

	if (current->flags & PF_KTHREAD)
		return NULL;
	wait = kzalloc(sizeof(*wait), GFP_KERNEL);
	if (!wait)
		return NULL;
	wait->process = ctx->pdd->process;
	init_task_work(&wait->work, queue_wait_fn);
	if (task_work_add(current, &wait->work, TWA_RESUME)) {
		kfree(wait);
		return NULL;
	}
	/* the caller has one as well */
	kref_get(&wait->process->ref);
	return wait;
}

/* the doorbell is a store of user space: a dispatch cannot be held, but the queue can */
static int queue_register(struct gpubp_amd_queue *queue, struct queue *q)
{
	struct gpubp_amd_queue_wait *wait = queue_wait_add(queue->ctx);
	struct gpubp_queue_desc desc = {
		.held = wait,
		.creator = task_pid(current),
		.id = q->properties.queue_id,
		.doorbell = gpubp_amd_doorbell(gpubp_amd_pasid(queue->ctx->pdd),
					       q->doorbell_id),
	};

	queue->core = gpubp_queue_create(queue->ctx->core, &desc);
	if (IS_ERR(queue->core))
		return PTR_ERR(queue->core);
	if (wait)
		wait->queue = queue->core;
	return 0;
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

/* return: it was the last stale queue of its context */
static bool queue_clear_stale(struct gpubp_amd_queue *queue)
{
	struct gpubp_amd_ctx *ctx = queue->ctx;

	lockdep_assert_held(&ctx->stale_lock);
	if (!queue->stale)
		return false;
	queue->stale = false;
	return !--ctx->stale_queues;
}

static bool queue_end_stale(struct gpubp_amd_queue *queue)
{
	guard(spinlock)(&queue->ctx->stale_lock);
	return queue_clear_stale(queue);
}

void gpubp_amd_queue_remove(struct queue *q)
{
	struct gpubp_amd_queue *queue = q->gpubp;

	if (!queue)
		return;
	q->gpubp = NULL;
	gpubp_queue_destroy(queue->core);
	if (queue_end_stale(queue) && !queue->ctx->debugged)
		gpubp_amd_ctx_settle(queue->ctx);
	kfree(queue);
}

static void queue_mark_stale(struct gpubp_amd_queue *queue)
{
	guard(spinlock)(&queue->ctx->stale_lock);
	queue->ctx->stale_queues += !queue->stale;
	queue->stale = true;
}

/* copy engines have no waves */
static bool queue_has_waves(const struct queue *q)
{
	return q->gpubp && q->properties.type == KFD_QUEUE_TYPE_COMPUTE;
}

/**
 * gpubp_amd_ctx_mark_stale() - waves of all queues lack a trap from now on
 * @ctx: context
 *
 * No interrupt reports the end of these waves: gpubp_amd_ctx_clear_stale() has
 * to look for it.
 */
void gpubp_amd_ctx_mark_stale(struct gpubp_amd_ctx *ctx)
{
	struct device_queue_manager *dqm = ctx->node->node->dqm;
	struct queue *q;

	dqm_lock(dqm);
	list_for_each_entry(q, &ctx->pdd->qpd.queues_list, list)
		if (queue_has_waves(q))
			queue_mark_stale(q->gpubp);
	dqm_unlock(dqm);
}

/* @q is off the GPU; one descriptor for each graphics core */
static bool queue_was_saved(struct device_queue_manager *dqm, struct queue *q)
{
	struct mqd_manager *mm = dqm->mqd_mgrs[KFD_MQD_TYPE_CP];
	u32 stride = mm->mqd_stride(mm, &q->properties);
	unsigned int i;

	for (i = 0; i < NUM_XCC(dqm->dev->xcc_mask); i++) {
		const struct v9_mqd *mqd = q->mqd + i * stride;
		const struct gpubp_amd_saved saved = {
			.size = mqd->cp_hqd_cntl_stack_size,
			.offset = mqd->cp_hqd_cntl_stack_offset,
		};

		if (gpubp_amd_saved_waves(&saved))
			return true;
	}
	return false;
}

/**
 * gpubp_amd_ctx_clear_stale() - a queue without saved waves is not stale
 * @ctx: context on gfx9, all queues of which are off the GPU; DQM's lock is
 *	held
 */
void gpubp_amd_ctx_clear_stale(struct gpubp_amd_ctx *ctx)
{
	struct device_queue_manager *dqm = ctx->node->node->dqm;
	struct queue *q;

	guard(spinlock)(&ctx->stale_lock);
	list_for_each_entry(q, &ctx->pdd->qpd.queues_list, list)
		if (q->gpubp && !queue_was_saved(dqm, q))
			queue_clear_stale(q->gpubp);
}

/** gpubp_amd_ctx_is_stale() - may a running wave lack a trap */
bool gpubp_amd_ctx_is_stale(struct gpubp_amd_ctx *ctx)
{
	guard(spinlock)(&ctx->stale_lock);
	return ctx->stale_queues;
}

/** gpubp_amd_ctx_set_pending() - commit @seq is reported pending */
void gpubp_amd_ctx_set_pending(struct gpubp_amd_ctx *ctx, u64 seq)
{
	guard(spinlock)(&ctx->stale_lock);
	ctx->stale_seq = seq;
}

/**
 * gpubp_amd_ctx_settle() - the last commit that was pending is not any more
 * @ctx: context without stale queues, and not debugged
 */
void gpubp_amd_ctx_settle(struct gpubp_amd_ctx *ctx)
{
	u64 seq = 0;

	if (!ctx->core)
		return;
	scoped_guard(spinlock, &ctx->stale_lock)
		swap(seq, ctx->stale_seq);
	if (seq)
		gpubp_ctx_settled(ctx->core, seq);
}

/* ---- suspension ---------------------------------------------------------- */

/**
 * gpubp_amd_ctx_is_off() - has the core suspended or halted it
 * @ctx: context
 *
 * Not while it is evicted for a moment only, to find a wave or to let one go on, nor if
 * the KFD has evicted it: its waves run, as far as others can see.
 */
bool gpubp_amd_ctx_is_off(const struct gpubp_amd_ctx *ctx)
{
	return atomic_read(&ctx->nr_suspended);
}

static void ctx_count_off(struct gpubp_amd_ctx *ctx)
{
	lockdep_assert_held(&ctx->off_lock);
	guard(spinlock)(&ctx->node->stop_lock);
	if (!ctx->nr_off++)
		ctx->off_seq++;
}

/**
 * gpubp_amd_ctx_evict() - take the queues of a context off the GPU
 * @ctx: context
 *
 * It nests, also with what the KFD does for other reasons: both are counted by the KFD.
 * Return: 0, or an error: they are not off.
 */
int gpubp_amd_ctx_evict(struct gpubp_amd_ctx *ctx)
{
	struct device_queue_manager *dqm = ctx->node->node->dqm;
	int err;

	scoped_guard(mutex, &ctx->off_lock) {
		if (ctx->dequeued)
			return -ESRCH;
		ctx_count_off(ctx);
		err = dqm->ops.evict_process_queues(dqm, &ctx->pdd->qpd);
	}
	/* it is counted all the same */
	if (err)
		gpubp_amd_ctx_restore(ctx);
	return err;
}

/** gpubp_amd_ctx_restore() - undo gpubp_amd_ctx_evict() */
void gpubp_amd_ctx_restore(struct gpubp_amd_ctx *ctx)
{
	struct device_queue_manager *dqm = ctx->node->node->dqm;

	guard(mutex)(&ctx->off_lock);
	ctx->nr_off--;
	if (ctx->dequeued)
		return;
	if (dqm->ops.restore_process_queues(dqm, &ctx->pdd->qpd))
		dev_err(ctx->node->node->adev->dev,
			"gpubp: queues of process %d stay off the GPU\n",
			ctx->pdd->process->lead_thread->tgid);
}

/*
 * Report the hits of waves that are in memory now: what stopped them sent its interrupt
 * before they were saved.
 */
static void find_stopped(struct gpubp_amd_node *n)
{
	struct amdgpu_device *adev = n->node->adev;

	amdgpu_ih_wait_on_checkpoint_process_ts(adev, &adev->irq.ih);
	flush_work(&n->node->interrupt_work);
	gpubp_amd_find_now(n);
}

/**
 * gpubp_amd_ctx_stop() - take a context off the GPU, for the core
 * @ctx: context
 *
 * Return: as gpubp_amd_ctx_evict().
 */
int gpubp_amd_ctx_stop(struct gpubp_amd_ctx *ctx)
{
	int err = gpubp_amd_ctx_evict(ctx);

	if (!err)
		atomic_inc(&ctx->nr_suspended);
	return err;
}

/** gpubp_amd_ctx_go_on() - undo gpubp_amd_ctx_stop() */
void gpubp_amd_ctx_go_on(struct gpubp_amd_ctx *ctx)
{
	atomic_dec(&ctx->nr_suspended);
	gpubp_amd_ctx_restore(ctx);
}

/*
 * The KFD's own preemption timeout applies, not @grace_ms. The waves of a process that
 * has a debugger are the debugger's: what the core wants of them waits.
 */
int gpubp_amd_ctx_suspend(void *dev, void * const *ctxs, unsigned int nr,
			  unsigned int grace_ms)
{
	unsigned int i;
	int err;

	for (i = 0; i < nr; i++) {
		struct gpubp_amd_ctx *ctx = ctxs[i];

		err = READ_ONCE(ctx->debugged) ? -EBUSY :
		      gpubp_amd_ctx_stop(ctx) ? -ETIMEDOUT : 0;
		if (!err)
			continue;
		gpubp_amd_ctx_resume(dev, ctxs, i);
		return err;
	}
	find_stopped(dev);
	return 0;
}

void gpubp_amd_ctx_resume(void *dev, void * const *ctxs, unsigned int nr)
{
	while (nr--)
		gpubp_amd_ctx_go_on(ctxs[nr]);
}
