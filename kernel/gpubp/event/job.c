// SPDX-License-Identifier: GPL-2.0
/* Jobs: see job.h. */
#include <kunit/visibility.h>
#include <linux/cleanup.h>
#include <linux/cred.h>
#include <linux/errno.h>
#include <linux/export.h>
#include <linux/kconfig.h>
#include <linux/ktime.h>
#include <linux/list.h>
#include <linux/lockdep.h>
#include <linux/memcontrol.h>
#include <linux/mutex.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/sched/mm.h>
#include <linux/seq_file.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>

#include "../compat/kcov.h"
#include "event.h"
#include "job.h"

static struct workqueue_struct *wq;
static void job_fn(struct work_struct *work);
static DECLARE_WORK(job_work, job_fn);
static struct gpubp_jobs jobs = GPUBP_JOBS_INIT(jobs);

/* the list of events and their bindings; the lock order is in core/device.h */
DEFINE_MUTEX(gpubp_events_lock);
EXPORT_SYMBOL_IF_KUNIT(gpubp_events_lock);

/**
 * struct job_longest - the longest time for which the lock was held for a function
 * @fn: the function
 * @ns: how long
 */
struct job_longest {
	void (*fn)(void *arg);
	u64 ns;
};

static struct job_longest longest;	/* under gpubp_events_lock */

/* what the worker does now; it alone writes them */
static struct task_struct *worker;
static struct task_struct *asker;

#ifdef CONFIG_LOCKDEP
static struct lockdep_map job_map =
	STATIC_LOCKDEP_MAP_INIT("gpubp_job", &job_map);
#endif

static struct gpubp_job *jobs_head_of(struct gpubp_jobs *jobs, kuid_t uid)
{
	struct gpubp_job *head;

	list_for_each_entry(head, &jobs->heads, node)
		if (uid_eq(head->uid, uid))
			return head;
	return NULL;
}

/** gpubp_jobs_add() - queue a job; may sleep with PREEMPT_RT */
void gpubp_jobs_add(struct gpubp_jobs *jobs, struct gpubp_job *job)
{
	struct gpubp_job *head;

	guard(spinlock)(&jobs->lock);
	head = jobs_head_of(jobs, job->uid);
	list_add_tail(&job->node, head ? &head->others : &jobs->heads);
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_jobs_add);

/* its user's next one waits until the others had a turn */
static void jobs_take(struct gpubp_jobs *jobs, struct gpubp_job *job)
{
	struct gpubp_job *next = list_first_entry_or_null(&job->others,
							  struct gpubp_job,
							  node);

	list_del(&job->node);
	if (!next)
		return;
	list_move_tail(&next->node, &jobs->heads);
	list_splice_init(&job->others, &next->others);
}

/** gpubp_jobs_next() - take the next job off the queue, or NULL */
struct gpubp_job *gpubp_jobs_next(struct gpubp_jobs *jobs)
{
	struct gpubp_job *job;

	guard(spinlock)(&jobs->lock);
	job = list_first_entry_or_null(&jobs->heads, struct gpubp_job, node);
	if (job)
		jobs_take(jobs, job);
	return job;
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_jobs_next);

static void job_call_locked(void (*fn)(void *arg), void *arg)
{
	u64 ns = ktime_get_ns();

	lockdep_assert_held(&gpubp_events_lock);
	fn(arg);
	ns = ktime_get_ns() - ns;
	if (ns > longest.ns)
		longest = (struct job_longest) { .fn = fn, .ns = ns };
}

/* an injected failure goes from the task to the worker, and back */
static void job_swap_fault(struct gpubp_job *job)
{
#ifdef CONFIG_FAULT_INJECTION
	swap(current->fail_nth, job->fail_nth);
#endif
}

static void job_call(struct gpubp_job *job)
{
	struct mem_cgroup *old = set_active_memcg(job->memcg);
	const struct cred *old_cred = override_creds(job->cred);

	lock_map_acquire(&job_map);
	WRITE_ONCE(asker, job->task);
	WRITE_ONCE(worker, current);
	gpubp_kcov_start(job->kcov);
	job_swap_fault(job);
	scoped_guard(mutex, &gpubp_events_lock)
		job_call_locked(job->fn, job->arg);
	job_swap_fault(job);
	kcov_remote_stop();
	WRITE_ONCE(worker, NULL);
	lock_map_release(&job_map);
	revert_creds(old_cred);
	set_active_memcg(old);
}

/* one a run: others of the workqueue are not kept waiting */
static void job_fn(struct work_struct *work)
{
	struct gpubp_job *job = gpubp_jobs_next(&jobs);

	if (!job)
		return;
	queue_work(wq, work);
	job_call(job);
	/* the task may return, and with it goes the job */
	complete(&job->done);
}

/**
 * gpubp_job_run() - have the worker call a function with gpubp_events_lock held
 * @fn: function, which does a bounded amount of work. current has the caller's
 *	credentials, but is not the caller: see gpubp_job_asker()
 * @arg: for @fn
 *
 * Waits for that, so the caller holds no lock that @fn takes; not in a job. May
 * sleep.
 */
void gpubp_job_run(void (*fn)(void *arg), void *arg)
{
	struct gpubp_job job = {
		.others = LIST_HEAD_INIT(job.others),
		.uid = gpubp_uid_of(current_cred()),
		.task = current,
		.cred = current_cred(),
		.kcov = gpubp_kcov_handle(),
		.fn = fn,
		.arg = arg,
		.done = COMPLETION_INITIALIZER_ONSTACK(job.done),
	};

	might_sleep();
	/* what the caller holds, the function must not take */
	lock_map_acquire(&job_map);
	lock_map_release(&job_map);
	job.memcg = get_mem_cgroup_from_mm(current->mm);
	job_swap_fault(&job);
	gpubp_jobs_add(&jobs, &job);
	queue_work(wq, &job_work);
	wait_for_completion(&job.done);
	job_swap_fault(&job);
	mem_cgroup_put(job.memcg);
}

/* current cannot be preempted before it has unlocked it */
static bool job_try_here(void (*fn)(void *arg), void *arg)
{
	guard(preempt)();
	if (!mutex_trylock(&gpubp_events_lock))
		return false;
	job_call_locked(fn, arg);
	mutex_unlock(&gpubp_events_lock);
	return true;
}

/**
 * gpubp_job_run_short() - as gpubp_job_run(), of a function that does not sleep
 * @fn: function; some hundred instructions
 * @arg: for @fn
 *
 * May sleep. By current if the lock is free.
 */
void gpubp_job_run_short(void (*fn)(void *arg), void *arg)
{
	/* spinlocks sleep there */
	if (IS_ENABLED(CONFIG_PREEMPT_RT) || !job_try_here(fn, arg))
		gpubp_job_run(fn, arg);
}

/** gpubp_job_asker() - current or, in a job, the task that waits for it */
struct task_struct *gpubp_job_asker(void)
{
	return READ_ONCE(worker) == current ? READ_ONCE(asker) : current;
}

/** gpubp_jobs_show() - print the longest job since the last call; may sleep */
void gpubp_jobs_show(struct seq_file *m)
{
	guard(mutex)(&gpubp_events_lock);
	seq_printf(m, "longest_ns %llu %ps\n", longest.ns, longest.fn);
	longest = (struct job_longest) {};
}

/** gpubp_jobs_init() - before the first event; 0 or -ENOMEM */
int gpubp_jobs_init(void)
{
	wq = alloc_workqueue("gpubp_events",
			     WQ_UNBOUND | WQ_HIGHPRI | WQ_MEM_RECLAIM, 0);
	return wq ? 0 : -ENOMEM;
}

/** gpubp_jobs_exit() - no event exists any more */
void gpubp_jobs_exit(void)
{
	if (wq)
		destroy_workqueue(wq);
}
