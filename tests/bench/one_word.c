// SPDX-License-Identifier: GPL-2.0
/*
 * Many events of one word: what one more costs until it is armed, and what a
 * hit of all costs in addition to the same store when they watch another word.
 */
#include <stdio.h>
#include <unistd.h>
#include "event.h"
#include "gpu.h"
#include "others.h"
#include "watch_set.h"

#define STEP	100	/* events that are opened at once */
#define MANY	1000
#define HITS	50

static void wait_armed(int fd)
{
	int session = session_open();

	if (session < 0 || session_sync(session, fd, PATIENCE, NULL))
		die("sync");
	close(session);
}

/*
 * Instructions for each event of one step after the other. Their target sleeps:
 * perf schedules all events of a running one for each that is opened.
 */
static void open_in_steps(struct events events[MANY / STEP], pid_t pid,
			  double cost[MANY / STEP])
{
	unsigned int i;

	for (i = 0; i < MANY / STEP; i++) {
		bench_begin();
		events_open_on(&events[i], STEP, events_address(0), 0, pid);
		wait_armed(events[i].fd[STEP - 1]);
		cost[i] = (double)bench_end() / STEP;
	}
}

static void bind_one_by_one(void)
{
	struct events events[MANY / STEP];
	double cost[MANY / STEP];
	struct tasks target;
	unsigned int i;

	allow_files(MANY);
	tasks_contexts(&target, 1);
	open_in_steps(events, target.pid[0], cost);
	for (i = 0; i < MANY / STEP; i++)
		events_close(&events[i]);
	tasks_end(&target);
	bench_value("event of one word armed, 1st to 100th", ARMED, cost[0]);
	bench_value("event of one word armed, 901st to 1000th", ARMED,
		    cost[MANY / STEP - 1]);
}

static uint64_t run_stores(unsigned int nr, bool hit)
{
	struct grun_mem out, other;
	struct events events;
	struct gpu gpu;
	uint64_t ns;

	if (gpu_open(&gpu, "loop") || gpu_buffer(&gpu, &out, 256, 0) ||
	    gpu_buffer(&gpu, &other, 256, 0))
		die("gpu");
	events_open_on(&events, nr, hit ? out.va : other.va, 0, 0);
	wait_armed(events.fd[nr - 1]);
	usleep(100000);
	bench_begin();
	if (gpu_run(&gpu, "repeat", 1, GPU_ARGS(out.va, HITS)))
		die("gpu_run");
	usleep(100000);
	ns = bench_end();
	if (event_count(events.fd[0]) != (hit ? HITS : 0))
		die("count");
	events_close(&events);
	gpu_close(&gpu);
	return ns;
}

static double hit_of(unsigned int nr)
{
	return ((double)run_stores(nr, true) - run_stores(nr, false)) / HITS;
}

void bench_one_word(void)
{
	double one, many;

	bind_one_by_one();
	one = hit_of(1);
	many = hit_of(MANY);
	bench_value("hit of 1 counting event", ARMED, one);
	bench_value("hit of 1000 counting events", ARMED, many);
	bench_value("  for each event", ARMED, (many - one) / (MANY - 1));
}
