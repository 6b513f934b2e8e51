// SPDX-License-Identifier: GPL-2.0
/*
 * The longest time with interrupts off, while hits that waited for their task
 * become samples of many events of one word.
 *
 * It is seen by a timer: perf's cpu-clock interrupts the processor at a fixed
 * rate, and samples when it does. Where interrupts were off the next sample is
 * late. They are off in a switch of the task as well, in which perf schedules
 * its events, so the longest drain alone is shown, too.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "books.h"
#include "event.h"
#include "gpu.h"
#include "others.h"

#define HITS		64	/* that wait */
#define PERIOD_NS	20000
#define CLOCK_PAGES	2048
#define RING_PAGES	4
#define PATIENCE	60	/* s */

/**
 * struct timer - samples of the cpu-clock
 * @fd: event
 * @page: control page of its ring buffer
 */
struct timer {
	int fd;
	struct perf_event_mmap_page *page;
};

struct record {
	struct perf_event_header header;
	uint64_t time;
};

static void timer_start(struct timer *timer)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_CPU_CLOCK,
		.sample_period = PERIOD_NS,
		.sample_type = PERF_SAMPLE_TIME,
		.use_clockid = 1,
		.clockid = CLOCK_MONOTONIC,
	};

	timer->fd = event_open(&attr, -1, 0);
	if (timer->fd < 0)
		die("cpu-clock");
	timer->page = mmap(NULL, (1 + CLOCK_PAGES) * 4096,
			   PROT_READ | PROT_WRITE, MAP_SHARED, timer->fd, 0);
	if (timer->page == MAP_FAILED)
		die("mmap");
}

/* the longest time by which a sample was late */
static uint64_t timer_stop(struct timer *timer)
{
	const char *data = (const char *)timer->page + 4096;
	uint64_t at = 0, last = 0, longest = 0;
	const struct record *record;

	if (ioctl(timer->fd, PERF_EVENT_IOC_DISABLE, 0))
		die("disable");
	while (at < timer->page->data_head) {
		record = (const void *)(data + at);
		at += record->header.size;
		if (record->header.type != PERF_RECORD_SAMPLE) {
			printf("record %u of the timer\n", record->header.type);
			exit(1);
		}
		if (last && record->time - last > longest)
			longest = record->time - last;
		last = record->time;
	}
	munmap(timer->page, (1 + CLOCK_PAGES) * 4096);
	close(timer->fd);
	return longest - PERIOD_NS;
}

/**
 * struct pipes - between the task with the events and the one that measures
 * @va: written by the first: the word that it stores to
 * @go: a byte: it shall do so
 * @done: a byte: its events have the samples
 */
struct pipes {
	int va[2];
	int go[2];
	int done[2];
};

static struct gpu gpu;
static struct grun_mem out;

static void use_gpu(const void *arg)
{
	const struct pipes *pipes = arg;

	if (gpu_open(&gpu, "loop") || gpu_buffer(&gpu, &out, 256, 0) ||
	    write(pipes->va[1], &out.va, sizeof(out.va)) < 0)
		_exit(1);
}

static void *make_hits(void *done)
{
	usleep(100000);
	if (gpu_run(&gpu, "repeat", 1, GPU_ARGS(out.va, HITS)))
		_exit(1);
	sleep(1);	/* all hits are matched, and wait */
	if (write(*(const int *)done, "", 1) != 1)
		_exit(1);
	return NULL;
}

/* sleeps without being woken for hits, as the parent of a vfork() does */
static void wait_soundly(int fd)
{
	char byte;
	pid_t pid = vfork();

	if (!pid)
		_exit(read(fd, &byte, 1) != 1);
	if (pid < 0 || waitpid(pid, NULL, 0) != pid)
		die("vfork");
}

/* the second thread stores while the main one waits */
static void store_when_asked(const void *arg)
{
	const struct pipes *pipes = arg;
	pthread_t thread;
	int done[2];
	char byte;

	if (read(pipes->go[0], &byte, 1) != 1)
		_exit(1);
	bench_pipe(done);
	if (pthread_create(&thread, NULL, make_hits, &done[1]))
		_exit(1);
	wait_soundly(done[0]);
	if (!books_settle(PATIENCE) || write(pipes->done[1], "", 1) != 1)
		_exit(1);
}

static struct ring *map_rings(const struct events *events)
{
	struct ring *rings = calloc(events->nr, sizeof(*rings));
	unsigned int i;

	for (i = 0; i < events->nr; i++)
		if (ring_map(&rings[i], events->fd[i], RING_PAGES))
			die("ring buffer");
	return rings;
}

/* each event must have so many samples */
static void expect_samples(struct ring *rings, unsigned int nr,
			   unsigned int hits)
{
	unsigned int i, n;

	for (i = 0; i < nr; i++) {
		n = ring_drain(&rings[i]);
		ring_unmap(&rings[i]);
		if (n == hits)
			continue;
		printf("event %u: %u samples of %u\n", i, n, hits);
		exit(1);
	}
	free(rings);
}

static void pipes_open(struct pipes *pipes)
{
	bench_pipe(pipes->va);
	bench_pipe(pipes->go);
	bench_pipe(pipes->done);
}

static void pipes_close(struct pipes *pipes)
{
	unsigned int i;

	for (i = 0; i < 2; i++) {
		close(pipes->va[i]);
		close(pipes->go[i]);
		close(pipes->done[i]);
	}
}

/* perf schedules all events of a running task for each that is opened */
static uint64_t longest_with(enum subject subject, unsigned int nr)
{
	struct pipes pipes;
	struct task_kind kind = {
		.prepare = use_gpu,
		.work = store_when_asked,
		.arg = &pipes,
	};
	struct events events;
	struct tasks target;
	struct timer timer;
	struct ring *rings;
	uint64_t va, ns;
	char byte;

	pipes_open(&pipes);
	tasks_start(&target, 1, &kind);
	if (read(pipes.va[0], &va, sizeof(va)) != sizeof(va))
		die("va");
	if (subject == ARMED)
		events_open_on(&events, nr, va, BENCH_SAMPLE, target.pid[0]);
	else
		events_open(&events, nr, subject, BENCH_SAMPLE, target.pid[0]);
	rings = map_rings(&events);
	usleep(500000);
	timer_start(&timer);
	if (write(pipes.go[1], "", 1) != 1 ||
	    read(pipes.done[0], &byte, 1) != 1)
		die("done");
	ns = timer_stop(&timer);
	expect_samples(rings, nr, subject == ARMED ? HITS : 0);
	events_close(&events);
	tasks_end(&target);
	pipes_close(&pipes);
	return ns;
}

/* so far */
static double longest_drain(void)
{
	FILE *file = fopen("/sys/kernel/debug/gpubp/drain", "re");
	double ns;

	if (!file || fscanf(file, "longest_ns %lf", &ns) != 1)
		die("drain");
	fclose(file);
	return ns;
}

void bench_irqs_off(void)
{
	static const unsigned int nr[] = { 1, 300, 1000, 10000 };
	double longest[NR_SUBJECTS] = { -1, -1, -1, -1, -1 };
	unsigned int i;
	char name[64];

	for (i = 0; i < sizeof(nr) / sizeof(nr[0]); i++) {
		snprintf(name, sizeof(name),
			 "interrupts off, 64 hits, %u sampling events", nr[i]);
		longest[DUMMY] = longest_with(DUMMY, nr[i]);
		longest[ARMED] = longest_with(ARMED, nr[i]);
		bench_row(name, longest);
		bench_value("  the longest drain", ARMED, longest_drain());
	}
}
