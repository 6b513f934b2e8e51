// SPDX-License-Identifier: GPL-2.0
/*
 * A crowd: processes with contexts, threads, and events that each thread has
 * inherited; all of them sleep. What a fork, an open and a dispatch cost in a
 * process without events then, and a fork in one with as many events.
 *
 * environment:
 *	BENCH_CROWD	processes, and threads of each; default 16, at most 64
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
#include "gpu.h"
#include "others.h"

#define INHERITED	10
#define TIMES		20
#define OPENS		2000	/* events that are bound and committed among them */
#define ROUNDS		3

static unsigned int size(void)
{
	const char *text = getenv("BENCH_CROWD");
	int nr = text ? atoi(text) : 16;

	return nr < 1 || nr > MAX_TASKS ? MAX_TASKS : nr;
}

static __attribute__((noreturn)) void *sleep_on(void *unused)
{
	for (;;)
		pause();
}

static void prepare(const void *arg)
{
	enum subject subject = *(const enum subject *)arg;
	unsigned int i, nr = size();
	struct events events;
	static struct gpu gpu;
	pthread_attr_t attr;
	pthread_t thread;

	if (gpu_open(&gpu, "loop"))
		_exit(1);
	events_open(&events, subject == NOTHING ? 0 : INHERITED, subject,
		    BENCH_INHERIT, 0);
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, 65536);
	for (i = 1; i < nr; i++)
		if (pthread_create(&thread, &attr, sleep_on, NULL))
			_exit(1);
}

static void fork_once(void)
{
	pid_t pid = fork();

	if (!pid)
		_exit(0);
	if (pid < 0 || waitpid(pid, NULL, 0) != pid)
		die("fork");
}

static enum subject subject_now;

static void open_once(void)
{
	bench_close(bench_event(subject_now, 0x100000, 0, 0));
}

static struct gpu gpu;
static struct grun_mem out;

static void dispatch_once(void)
{
	if (gpu_run(&gpu, "repeat", 1, GPU_ARGS(out.va, 1)))
		die("gpu_run");
}

static double time_each(void (*once)(void), unsigned int times)
{
	unsigned int i;

	bench_begin();
	for (i = 0; i < times; i++)
		once();
	return (double)bench_end() / times;
}

static double best_of_each(void (*once)(void), unsigned int times)
{
	double best = time_each(once, times), time;
	unsigned int i;

	for (i = 1; i < ROUNDS; i++) {
		time = time_each(once, times);
		if (time < best)
			best = time;
	}
	return best;
}

enum { FORK, OPEN, DISPATCH, FORK_WITH, NR_ROWS };

static void measure(enum subject subject, double rows[NR_ROWS][NR_SUBJECTS])
{
	const struct task_kind kind = { .prepare = prepare, .arg = &subject };
	struct events events;
	struct tasks tasks, sleeper;
	int first;

	tasks_sleep(&sleeper, 1);
	tasks_start(&tasks, size(), &kind);
	if (gpu_open(&gpu, "loop") || gpu_buffer(&gpu, &out, 256, 0))
		die("gpu");
	sleep(1);
	rows[FORK][subject] = best_of_each(fork_once, TIMES);
	rows[DISPATCH][subject] = best_of_each(dispatch_once, TIMES);
	/* of gpubp without a crowd's events, to compare with */
	subject_now = subject == NOTHING ? ARMED : subject;
	/* the first event of all switches on code */
	first = bench_event(WATCH, 0x100000, 0, sleeper.pid[0]);
	rows[OPEN][subject] = best_of_each(open_once, OPENS);
	close(first);
	events_open(&events, subject == NOTHING ? 0 : INHERITED, subject,
		    BENCH_INHERIT, 0);
	usleep(100000);
	rows[FORK_WITH][subject] = best_of_each(fork_once, TIMES);
	events_close(&events);
	gpu_close(&gpu);
	tasks_end(&tasks);
	tasks_end(&sleeper);
}

void bench_crowd(void)
{
	static const char * const names[NR_ROWS] = {
		"fork and exit beside %u x %u threads",
		"opened and closed beside %u x %u threads",
		"dispatch beside %u x %u threads",
		"fork and exit with 10 events, %u x %u threads",
	};
	double rows[NR_ROWS][NR_SUBJECTS];
	unsigned int i, s, nr = size();
	char name[64];

	for (i = 0; i < NR_ROWS; i++)
		for (s = 0; s < NR_SUBJECTS; s++)
			rows[i][s] = -1;
	measure(NOTHING, rows);
	measure(DUMMY, rows);
	measure(ARMED, rows);
	for (i = 0; i < NR_ROWS; i++) {
		snprintf(name, sizeof(name), names[i], nr, nr);
		bench_row(name, rows[i]);
	}
}
