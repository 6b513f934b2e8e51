// SPDX-License-Identifier: GPL-2.0
/*
 * Pages of a process that its waves wait for. What it takes to bring one in, from a
 * disk, from another process (userfaultfd), out of a memory cgroup that is full, is for
 * a work item of that context alone: compute units run other waves meanwhile.
 */
#include <linux/errno.h>
#include <linux/jiffies.h>

#include "ctx.h"
#include "cu.h"
#include "pager.h"

/* longest time that a process may keep its own waves from its address space */
#define BUSY_TIMEOUT	(10 * HZ)

static struct workqueue_struct *workqueue;

/* what the process does with its address space takes no time of the page's, or not much */
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
	/* whoever waits looks for himself whether it is there */
	sim_cu_kick_all(ctx->dev);
}

/* who waited for it asks soon; it is nothing to who comes later */
static bool pager_has_failed(struct sim_pager *pager, u64 va, bool write)
{
	return pager->failed && pager->write == write &&
	       pager->va >> PAGE_SHIFT == va >> PAGE_SHIFT &&
	       time_before(jiffies, pager->end + SIM_PAGE_TIMEOUT);
}

/**
 * sim_pager_request() - a wave cannot go on without a page
 * @ctx: context
 * @va: GPU address in the page
 * @write: to be written to
 *
 * One page of a context is on its way at a time; the wave asks again for its own. In
 * the thread of a compute unit; does not sleep.
 *
 * Return: -EAGAIN, or -EFAULT: it does not come.
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

/** sim_pager_init() - a context begins */
void sim_pager_init(struct sim_ctx *ctx)
{
	INIT_DELAYED_WORK(&ctx->pager.work, pager_fault_in);
}

/** sim_pager_exit() - a context that has no waves any more ends; may sleep */
void sim_pager_exit(struct sim_ctx *ctx)
{
	cancel_delayed_work_sync(&ctx->pager.work);
}

/** sim_pager_wq_init() - for all contexts; 0 or -ENOMEM */
int sim_pager_wq_init(void)
{
	workqueue = alloc_workqueue("gpubp_sim_pager", WQ_UNBOUND, WQ_MAX_ACTIVE);
	return workqueue ? 0 : -ENOMEM;
}

/** sim_pager_wq_exit() - there is no context any more */
void sim_pager_wq_exit(void)
{
	destroy_workqueue(workqueue);
}
