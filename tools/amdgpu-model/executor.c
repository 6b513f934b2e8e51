// SPDX-License-Identifier: GPL-2.0
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "executor.h"

/**
 * struct executors - all of them
 * @nr: how many, with that of the caller, which is the first one
 * @own: of each thread
 * @thread: those that were started
 * @stale: a wave has invalidated the instructions of its executor
 * @lock: of what follows
 * @begin: there are workgroups, or it is the end
 * @end: none is executed any more
 * @group: workgroups
 * @nr_groups: how many
 * @next: the first one that no thread has taken
 * @insts: instructions of each wave
 * @busy: threads that have taken one
 * @ending: they end
 */
struct executors {
	unsigned int nr;
	struct executor *own[EXECUTORS_MAX];
	pthread_t thread[EXECUTORS_MAX];
	bool stale;
	pthread_mutex_t lock;
	pthread_cond_t begin;
	pthread_cond_t end;
	struct group * const *group;
	unsigned int nr_groups;
	unsigned int next;
	unsigned int insts;
	unsigned int busy;
	bool ending;
};

struct start {
	struct executors *all;
	struct executor *own;
};

/* the lock is held, but while a workgroup is executed */
static void execute(struct executors *all, struct executor *own)
{
	all->busy++;
	while (all->next < all->nr_groups) {
		struct group *group = all->group[all->next++];

		pthread_mutex_unlock(&all->lock);
		group_execute(group, own, all->insts);
		pthread_mutex_lock(&all->lock);
	}
	if (!--all->busy)
		pthread_cond_signal(&all->end);
}

static void *thread_main(void *arg)
{
	struct start start = *(struct start *)arg;
	struct executors *all = start.all;

	free(arg);
	pthread_mutex_lock(&all->lock);
	while (!all->ending) {
		if (all->next < all->nr_groups)
			execute(all, start.own);
		else
			pthread_cond_wait(&all->begin, &all->lock);
	}
	pthread_mutex_unlock(&all->lock);
	return NULL;
}

/* signals are for the thread that serves the driver */
static bool start_thread(struct executors *all, unsigned int nr)
{
	struct start *start = malloc(sizeof(*start));
	sigset_t every, before;
	bool started;

	if (!start)
		return false;
	*start = (struct start){ all, all->own[nr] };
	sigfillset(&every);
	pthread_sigmask(SIG_SETMASK, &every, &before);
	started = !pthread_create(&all->thread[nr], NULL, thread_main, start);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (!started)
		free(start);
	return started;
}

struct executors *executors_create(const struct vm_access *access, unsigned int nr)
{
	struct executors *all = calloc(1, sizeof(*all));

	if (!all)
		return NULL;
	pthread_mutex_init(&all->lock, NULL);
	pthread_cond_init(&all->begin, NULL);
	pthread_cond_init(&all->end, NULL);
	for (; all->nr < nr && all->nr < EXECUTORS_MAX; all->nr++) {
		struct executor *own = calloc(1, sizeof(*own));

		all->own[all->nr] = own;
		if (own)
			own->access = *access;
		if (own && (!all->nr || start_thread(all, all->nr)))
			continue;
		free(own);
		executors_destroy(all);
		return NULL;
	}
	return all;
}

void executors_destroy(struct executors *all)
{
	unsigned int i;

	if (!all)
		return;
	pthread_mutex_lock(&all->lock);
	all->ending = true;
	pthread_cond_broadcast(&all->begin);
	pthread_mutex_unlock(&all->lock);
	for (i = 0; i < all->nr; i++) {
		if (i)
			pthread_join(all->thread[i], NULL);
		free(all->own[i]);
	}
	pthread_cond_destroy(&all->end);
	pthread_cond_destroy(&all->begin);
	pthread_mutex_destroy(&all->lock);
	free(all);
}

unsigned int executors_nr(const struct executors *all)
{
	return all->nr;
}

void executors_forget(struct executors *all)
{
	unsigned int i;

	for (i = 0; i < all->nr; i++)
		memset(all->own[i]->page, 0, sizeof(all->own[i]->page));
}

void executors_invalidate(struct executors *all)
{
	unsigned int i;

	all->stale = false;
	for (i = 0; i < all->nr; i++)
		sim_fetch_invalidate(&all->own[i]->icache);
}

void executor_invalidate(struct executors *all, struct executor *executor)
{
	sim_fetch_invalidate(&executor->icache);
	__atomic_store_n(&all->stale, true, __ATOMIC_RELAXED);
}

void executors_run(struct executors *all, struct group * const *group, unsigned int nr,
		   unsigned int insts)
{
	unsigned int i;

	if (all->stale)
		executors_invalidate(all);
	pthread_mutex_lock(&all->lock);
	all->group = group;
	all->nr_groups = nr;
	all->next = 0;
	all->insts = insts;
	if (nr > 1)
		pthread_cond_broadcast(&all->begin);
	execute(all, all->own[0]);
	while (all->busy)
		pthread_cond_wait(&all->end, &all->lock);
	pthread_mutex_unlock(&all->lock);
	for (i = 0; i < nr; i++)
		group_reap(group[i]);
}
