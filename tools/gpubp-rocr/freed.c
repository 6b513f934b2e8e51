// SPDX-License-Identifier: GPL-2.0
#include <pthread.h>
#include <stdbool.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "freed.h"

/**
 * struct range - memory that was freed, on the stack of who waits
 * @at: first address
 * @size: bytes
 * @is_said: it need not wait any more; under the lock
 * @next: the one that was freed before it
 */
struct range {
	uint64_t at;
	uint64_t size;
	bool is_said;
	struct range *next;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;	/* the rest */
static pthread_cond_t said = PTHREAD_COND_INITIALIZER;
static struct range *ranges;
static int file = -1;
static _Thread_local bool hears;

/* a child has no agent, nor those who wait */
static void freed_forked(void)
{
	lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
	said = (pthread_cond_t)PTHREAD_COND_INITIALIZER;
	ranges = NULL;
	if (file >= 0)
		close(file);
	file = -1;
}

static void __attribute__((constructor)) freed_begin(void)
{
	pthread_atfork(NULL, NULL, freed_forked);
}

static void range_wait(struct range *range)
{
	const uint64_t one = 1;

	if (file < 0 || write(file, &one, sizeof(one)) != sizeof(one))
		return;
	range->next = ranges;
	ranges = range;
	while (!range->is_said)
		pthread_cond_wait(&said, &lock);
}

void freed_is_heard_here(void)
{
	hears = true;
}

void freed_wait(const void *at, size_t size)
{
	struct range range = { .at = (uintptr_t)at, .size = size };
	int state;

	if (hears)
		return;
	/* the range is this thread's until it is said */
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
	pthread_mutex_lock(&lock);
	range_wait(&range);
	pthread_mutex_unlock(&lock);
	pthread_setcancelstate(state, NULL);
}

int freed_listen(void)
{
	pthread_mutex_lock(&lock);
	file = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	pthread_mutex_unlock(&lock);
	return file;
}

/* the lock is held */
static void ranges_end(struct range *range)
{
	struct range *next;

	for (; range; range = next) {
		next = range->next;
		range->is_said = true;
	}
	pthread_cond_broadcast(&said);
}

void freed_take(void (*say)(uint64_t at, uint64_t size))
{
	struct range *taken, *range;
	uint64_t nr;

	pthread_mutex_lock(&lock);
	taken = read(file, &nr, sizeof(nr)) == sizeof(nr) ? ranges : NULL;
	if (taken)
		ranges = NULL;
	pthread_mutex_unlock(&lock);
	for (range = taken; range; range = range->next)
		say(range->at, range->size);
	pthread_mutex_lock(&lock);
	ranges_end(taken);
	pthread_mutex_unlock(&lock);
}

void freed_deaf(void)
{
	pthread_mutex_lock(&lock);
	if (file >= 0)
		close(file);
	file = -1;
	ranges_end(ranges);
	ranges = NULL;
	pthread_mutex_unlock(&lock);
}
