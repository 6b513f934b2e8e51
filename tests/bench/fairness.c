// SPDX-License-Identifier: GPL-2.0
/*
 * Fairness: how much of the time the only watch of a user is armed, alone and
 * beside other users with very many. Users have equal shares of all
 * comparators, so beside one it is always armed, and beside N it has 4 / (N + 1)
 * of the time.
 */
#include <stdio.h>
#include <time.h>
#include <unistd.h>
#include "event.h"
#include "gpu.h"
#include "others.h"
#include "watch_set.h"

#define USER		1000
#define MANY		10000
#define SECONDS		3

static void use_gpu(const void *unused)
{
	static struct grun_mem out;
	static struct gpu gpu;

	if (!out.va && (gpu_open(&gpu, "loop") ||
			gpu_buffer(&gpu, &out, 256, 0)))
		die("gpu");
	if (gpu_run(&gpu, "repeat", 1, GPU_ARGS(out.va, 1)))
		die("gpu_run");
	usleep(5000);
}

static void be_user(unsigned int nr)
{
	if (setuid(USER + nr))
		die("setuid");
	use_gpu(NULL);
}

static void watch_many(const void *nr)
{
	static struct watch_set set;

	be_user(*(const unsigned int *)nr);
	watch_set_open(&set, MANY);
}

static void use_gpu_for(unsigned int seconds)
{
	time_t end = time(NULL) + seconds;

	while (time(NULL) < end)
		use_gpu(NULL);
}

/* percent of the time that it could be armed */
static void watch_one(const void *result)
{
	struct event_value from, to;
	double percent;
	int fd;

	be_user(0);
	fd = bench_event(ARMED, events_address(0), 0, 0);
	use_gpu_for(1);
	if (event_read(fd, &from))
		die("read");
	use_gpu_for(SECONDS);
	if (event_read(fd, &to))
		die("read");
	percent = 100.0 * (to.running - from.running) /
		  (to.enabled - from.enabled);
	if (write(*(const int *)result, &percent, sizeof(percent)) < 0)
		die("write");
}

static double share_beside(unsigned int users)
{
	struct tasks others[MAX_TASKS], one;
	unsigned int i, nr[MAX_TASKS];
	double percent;
	int result[2];

	for (i = 0; i < users; i++) {
		nr[i] = i + 1;
		tasks_start(&others[i], 1, &(struct task_kind) {
				    .prepare = watch_many,
				    .work = use_gpu,
				    .arg = &nr[i],
			    });
	}
	bench_pipe(result);
	tasks_start(&one, 1, &(struct task_kind) {
			    .prepare = watch_one,
			    .arg = &result[1],
		    });
	if (read(result[0], &percent, sizeof(percent)) != sizeof(percent))
		die("read");
	close(result[0]);
	close(result[1]);
	tasks_end(&one);
	for (i = 0; i < users; i++)
		tasks_end(&others[i]);
	return percent;
}

void bench_fairness(void)
{
	static const unsigned int users[] = { 0, 1, 4, 8 };
	int old = event_paranoid(-1);
	unsigned int i;
	char name[64];

	for (i = 0; i < sizeof(users) / sizeof(users[0]); i++) {
		snprintf(name, sizeof(name),
			 "%% armed, 1 watch beside %u users of %u", users[i],
			 MANY);
		bench_value(name, ARMED, share_beside(users[i]));
	}
	watch_sets_gone();
	event_paranoid(old);
}
