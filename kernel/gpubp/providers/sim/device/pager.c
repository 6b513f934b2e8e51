// SPDX-License-Identifier: GPL-2.0
/*
 * Pages of a process for which its waves wait. Faulting one in may take long:
 * from a disk, from another process (userfaultfd), or with a full memory
 * cgroup. A work item of the context does it; compute units run other waves at
 * that time.
 */
#include <linux/errno.h>
#include <linux/jiffies.h>

#include "ctx.h"
#include "cu.h"
#include "pager.h"

/* longest time for which a process may block its own waves with mmap_lock */
#define BUSY_TIMEOUT	(10 * HZ)

static struct workqueue_struct *workqueue;

/*
 * While mmap_lock is contended, the page's timeout does not run, up to
 * BUSY_TIMEOUT.
 */
static bool pager_may_retry(struct sim_pager *pager, int err)
{
	if (err == -EBUSY && time_before(jiffies, pager->begin + BUSY_TIMEOUT))
		pager->end = jiffies + SIM_PAGE_TIMEOUT;
	return (err == -EAGAIN || err == -EBUSY) &&
	       time_before(jiffies, pager->end);
}

static void pager_fault_in(struct work_struct *work)
{
	struct sim_pager *pager = container_of(to_delayed_work(work),
					       struct sim_pager, work);
	struct sim_ctx *ctx = container_of(pager, struct sim_ctx, pager);
	int err = sim_vm_fault_in(&ctx->vm, pager->va, pager->write);

	if (pager_may_retry(pager, err)) {
		queue_delayed_work(workqueue, &pager->work, 1);
		return;
	}
	pager->failed = err;
	pager->end = jiffies;
	atomic_set_release(&pager->busy, 0);
	/* all compute units retry, and check whether the page is present */
	sim_cu_kick_all(ctx->dev);
}

/*
 * Did this page fail recently? The wave that waits retries soon; later requests
 * start again.
 */
static bool pager_has_failed(struct sim_pager *pager, u64 va, bool write)
{
	return pager->failed && pager->write == write &&
	       pager->va >> PAGE_SHIFT == va >> PAGE_SHIFT &&
	       time_before(jiffies, pager->end + SIM_PAGE_TIMEOUT);
}

/**
 * sim_pager_request() - request a page that a wave needs
 * @ctx: context
 * @va: GPU address in the page
 * @write: for writing
 *
 * One page per context is faulted in at a time; the wave retries until its page
 * is present. Called by threads of compute units; does not sleep.
 *
 * Return: -EAGAIN, or -EFAULT if the page cannot be faulted in.
 */
int sim_pager_request(struct sim_ctx *ctx, u64 va, bool write)
{
	struct sim_pager *pager = &ctx->pager;

	if (atomic_cmpxchg(&pager->busy, 0, 1))
		return -EAGAIN;
	if (pager_has_failed(pager, va, write)) {
		pager->failed = false;
		atomic_set_release(&pager->busy, 0);
		return -EFAULT;
	}
	pager->va = va;
	pager->write = write;
	pager->begin = jiffies;
	pager->end = pager->begin + SIM_PAGE_TIMEOUT;
	queue_delayed_work(workqueue, &pager->work, 0);
	return -EAGAIN;
}

/** sim_pager_init() - initialise the pager of a context */
void sim_pager_init(struct sim_ctx *ctx)
{
	INIT_DELAYED_WORK(&ctx->pager.work, pager_fault_in);
}

/** sim_pager_exit() - stop the pager of a context without waves; may sleep */
void sim_pager_exit(struct sim_ctx *ctx)
{
	cancel_delayed_work_sync(&ctx->pager.work);
}

/** sim_pager_wq_init() - create the workqueue of all pagers; 0 or -ENOMEM */
int sim_pager_wq_init(void)
{
	workqueue = alloc_workqueue("gpubp_sim_pager", WQ_UNBOUND,
				    WQ_MAX_ACTIVE);
	return workqueue ? 0 : -ENOMEM;
}

/** sim_pager_wq_exit() - destroy it; no context exists any more */
void sim_pager_wq_exit(void)
{
	destroy_workqueue(workqueue);
}
