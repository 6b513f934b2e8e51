// SPDX-License-Identifier: GPL-2.0
/*
 * usage: latency
 *
 * From a hit to its sample, and to the handler of its SIGTRAP, for a running
 * target and for a sleeping one: a histogram. There is one hit at a time.
 */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include "event.h"
#include "gpu.h"
#include "repeater.h"
#include "trap.h"

#define HITS		300
#define BUCKETS		24	/* powers of two in us */
#define RING_PAGES	8

/**
 * struct series - a column
 * @title: two lines of text
 * @sigtrap: measure the handler rather than the sample
 * @runs: the target runs, rather than sleeps
 * @us: latency of each hit
 */
struct series {
	const char *title[2];
	bool sigtrap;
	bool runs;
	long us[HITS];
};

static struct series all[] = {
	{ { "sample", "runs" }, false, true, {} },
	{ { "sample", "asleep" }, false, false, {} },
	{ { "SIGTRAP", "runs" }, true, true, {} },
	{ { "SIGTRAP", "asleep" }, true, false, {} },
};

#define NR_SERIES	(sizeof(all) / sizeof(all[0]))

static volatile uint64_t handled_ns;
static volatile bool done;

static void die(const char *what)
{
	perror(what);
	exit(1);
}

static void on_trap(int sig, siginfo_t *info, void *context)
{
	handled_ns = now_ns();
}

/**
 * struct job - state of the thread that makes the GPU store
 * @series: out: the times
 * @gpu: of the main thread, which is the target
 * @ring: ring buffer of its event
 */
struct job {
	struct series *series;
	struct gpu *gpu;
	struct ring ring;
};

static long one_hit(struct job *job)
{
	struct sample s;

	handled_ns = 0;
	if (repeat(job->gpu, REPEATER_VA, 1))
		die("repeat");
	while (!ring_next(&job->ring, &s))
		usleep(100);
	while (job->series->sigtrap && !handled_ns)
		usleep(100);
	return ((job->series->sigtrap ? handled_ns : s.time) - s.rec.gpu_time) /
	       1000;
}

static void *store(void *arg)
{
	struct job *job = arg;
	int i;

	for (i = 0; i < HITS; i++)
		job->series->us[i] = one_hit(job);
	done = true;
	return NULL;
}

static void start(pthread_t *thread, struct job *job)
{
	sigset_t set, old;

	sigfillset(&set);
	pthread_sigmask(SIG_BLOCK, &set, &old);
	if (pthread_create(thread, NULL, store, job))
		die("pthread_create");
	pthread_sigmask(SIG_SETMASK, &old, NULL);
}

static int open_event(const struct series *series)
{
	struct perf_event_attr attr = trap_watch(REPEATER_VA, EVENT_STORES, 0);
	int fd;

	event_sample(&attr, 1);
	attr.sigtrap = series->sigtrap;
	attr.use_clockid = 1;
	attr.clockid = CLOCK_MONOTONIC;
	fd = event_open(&attr, 0, -1);
	if (fd < 0)
		die("perf_event_open");
	return fd;
}

static void measure(struct series *series)
{
	struct job job = { .series = series };
	uint64_t va = REPEATER_VA;
	pthread_t thread;
	struct gpu gpu;
	int fd;

	job.gpu = &gpu;
	if (repeater_open(&gpu, &va))
		die("gpu");
	fd = open_event(series);
	if (ring_map(&job.ring, fd, RING_PAGES))
		die("mmap");
	done = false;
	start(&thread, &job);
	if (series->runs)
		while (!done)
			;
	pthread_join(thread, NULL);	/* the target sleeps here */
	ring_unmap(&job.ring);
	close(fd);
	gpu_close(&gpu);
}

static int compare(const void *a, const void *b)
{
	return (*(const long *)a > *(const long *)b) -
	       (*(const long *)a < *(const long *)b);
}

static unsigned int count(const struct series *series, long from, long to)
{
	unsigned int n = 0;
	int i;

	for (i = 0; i < HITS; i++)
		n += series->us[i] >= from && series->us[i] < to;
	return n;
}

static void print_titles(int line)
{
	unsigned int i;

	printf("%14s", line ? "us" : "");
	for (i = 0; i < NR_SERIES; i++)
		printf(" %10s", all[i].title[line]);
	putchar('\n');
}

static void print_bucket(long from, long to)
{
	unsigned int i, n = 0;

	for (i = 0; i < NR_SERIES; i++)
		n += count(&all[i], from, to);
	if (!n)
		return;
	printf("  %3s %8ld", "<", to);
	for (i = 0; i < NR_SERIES; i++)
		printf(" %10u", count(&all[i], from, to));
	putchar('\n');
}

int main(void)
{
	unsigned int i;

	if (trap_handle(on_trap, SA_RESTART))
		die("sigaction");
	for (i = 0; i < NR_SERIES; i++) {
		measure(&all[i]);
		qsort(all[i].us, HITS, sizeof(all[i].us[0]), compare);
	}
	printf("hit to sample and to the handler of SIGTRAP, %d hits each:\n",
	       HITS);
	print_titles(0);
	print_titles(1);
	for (i = 3; i < BUCKETS; i++)
		print_bucket(i > 3 ? 1L << (i - 1) : 0, 1L << i);
	printf("%14s", "median");
	for (i = 0; i < NR_SERIES; i++)
		printf(" %10ld", all[i].us[HITS / 2]);
	putchar('\n');
	return 0;
}
