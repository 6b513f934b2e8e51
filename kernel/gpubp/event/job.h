/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Jobs: what tasks of users want done under gpubp_events_lock.
 *
 * A task may be preempted with a mutex, and users choose how long that takes, by
 * its priority, its cgroup, and how many others they run: all who need the mutex
 * would wait for as long. So a worker that comes before all of these takes it.
 * The users that wait have turns, so one with many tasks is no longer than another.
 */
#ifndef _GPUBP_EVENT_JOB_H
#define _GPUBP_EVENT_JOB_H

#include <linux/completion.h>
#include <linux/list.h>
#include <linux/spinlock.h>
#include <linux/uidgid.h>

struct cred;
struct mem_cgroup;
struct seq_file;
struct task_struct;

/**
 * struct gpubp_job - a function to be called by the worker, on the stack of its task
 * @node: in heads if it is the user's first, else in @others of that one
 * @others: of the user's first job: the user's further ones
 * @uid: the user
 * @task: waits for it
 * @cred: its credentials, which the function has
 * @memcg: charged with what the function allocates
 * @fail_nth: which of these fails, of a task that asked for that (CONFIG_FAULT_INJECTION)
 * @kcov: the task's KCOV handle
 * @fn: function
 * @arg: for @fn
 * @done: the function has returned
 */
struct gpubp_job {
	struct list_head node;
	struct list_head others;
	kuid_t uid;
	struct task_struct *task;
	const struct cred *cred;
	struct mem_cgroup *memcg;
	unsigned int fail_nth;
	u64 kcov;
	void (*fn)(void *arg);
	void *arg;
	struct completion done;
};

/**
 * struct gpubp_jobs - jobs that wait
 * @lock: protects them; innermost
 * @heads: the first job of each user
 */
struct gpubp_jobs {
	spinlock_t lock;
	struct list_head heads;
};

#define GPUBP_JOBS_INIT(name) {				\
	.lock = __SPIN_LOCK_UNLOCKED((name).lock),	\
	.heads = LIST_HEAD_INIT((name).heads),		\
}

void gpubp_job_run(void (*fn)(void *arg), void *arg);
void gpubp_job_run_short(void (*fn)(void *arg), void *arg);
struct task_struct *gpubp_job_asker(void);
void gpubp_jobs_add(struct gpubp_jobs *jobs, struct gpubp_job *job);
struct gpubp_job *gpubp_jobs_next(struct gpubp_jobs *jobs);
void gpubp_jobs_show(struct seq_file *m);
int gpubp_jobs_init(void);
void gpubp_jobs_exit(void);

#endif /* _GPUBP_EVENT_JOB_H */
