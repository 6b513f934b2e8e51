// SPDX-License-Identifier: GPL-2.0
#include <pthread.h>
#include <time.h>
#include <unistd.h>

#include "drains.h"

#define WAIT_SECONDS	5

/*
 * @lock: of what follows
 * @news: @answered has changed
 * @asked: how often it was asked
 * @answered: up to which of them it is done
 */
static struct {
	pthread_mutex_t lock;
	pthread_cond_t news;
	uint64_t asked;
	uint64_t answered;
} drains = { .lock = PTHREAD_MUTEX_INITIALIZER, .news = PTHREAD_COND_INITIALIZER };

static void drains_forked(void)
{
	pthread_mutex_init(&drains.lock, NULL);
	pthread_cond_init(&drains.news, NULL);
}

static void __attribute__((constructor)) drains_init(void)
{
	pthread_atfork(NULL, NULL, drains_forked);
}

void drains_begin(void)
{
	pthread_mutex_lock(&drains.lock);
	drains.answered = drains.asked;
	pthread_mutex_unlock(&drains.lock);
}

void drains_wait(int kick)
{
	const uint64_t one = 1;
	struct timespec end;
	uint64_t asked;

	clock_gettime(CLOCK_REALTIME, &end);
	end.tv_sec += WAIT_SECONDS;
	pthread_mutex_lock(&drains.lock);
	asked = ++drains.asked;
	if (write(kick, &one, sizeof(one)) == sizeof(one))
		while (drains.answered < asked &&
		       !pthread_cond_timedwait(&drains.news, &drains.lock, &end))
			;
	pthread_mutex_unlock(&drains.lock);
}

uint64_t drains_asked(void)
{
	uint64_t asked;

	pthread_mutex_lock(&drains.lock);
	asked = drains.asked;
	pthread_mutex_unlock(&drains.lock);
	return asked;
}

void drains_answer(uint64_t asked)
{
	pthread_mutex_lock(&drains.lock);
	drains.answered = asked;
	pthread_cond_broadcast(&drains.news);
	pthread_mutex_unlock(&drains.lock);
}
