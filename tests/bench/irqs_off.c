// SPDX-License-Identifier: GPL-2.0
/*
 * The longest time with interrupts off, while hits that waited for their task
 * become samples of many events of one word.
 *
 * It is seen by a timer: perf's cpu-clock interrupts the processor at a fixed
 * rate, and samples when it does. Where interrupts were off the next sample is
 * late.
 *
 * environment:
 *	BENCH_ONE_WORD	most events of one word; default 1000
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "event.h"
#include "gpu.h"
#include "others.h"

#define HITS		64	/* that wait */
#define PERIOD_NS	20000
#define CLOCK_PAGES	2048
#define RING_PAGES	4

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
 * struct hits - what the second thread does while the main one waits
 * @gpu: context
 * @va: word to store to
 * @done: a pipe; a byte at the end
 */
struct hits {
	struct gpu *gpu;
	uint64_t va;
	int done[2];
};

static void *make_hits(void *arg)
{
	struct hits *hits = arg;

	usleep(100000);
	if (gpu_run(hits->gpu, "repeat", 1, GPU_ARGS(hits->va, HITS)))
		die("gpu_run");
	usleep(100000);
	if (write(hits->done[1], "", 1) != 1)
		die("write");
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

static struct ring *map_rings(const struct events *events)
{
	struct ring *rings = calloc(events->nr, sizeof(*rings));
	unsigned int i;

	for (i = 0; i < events->nr; i++)
		if (ring_map(&rings[i], events->fd[i], RING_PAGES))
			die("ring buffer");
	return rings;
}

/* each event must have sampled each hit */
static void expect_samples(struct ring *rings, unsigned int nr)
{
	unsigned int i, n;

	for (i = 0; i < nr; i++) {
		n = ring_drain(&rings[i]);
		ring_unmap(&rings[i]);
		if (n == HITS)
			continue;
		printf("event %u: %u samples of %u\n", i, n, HITS);
		exit(1);
	}
	free(rings);
}

static uint64_t longest_with(unsigned int nr)
{
	struct hits hits = {};
	struct events events;
	struct grun_mem out;
	struct timer timer;
	struct ring *rings;
	pthread_t thread;
	struct gpu gpu;
	uint64_t ns;

	if (gpu_open(&gpu, "loop") || gpu_buffer(&gpu, &out, 256, 0))
		die("gpu");
	events_open_on(&events, nr, out.va, BENCH_SAMPLE, 0);
	rings = map_rings(&events);
	usleep(500000);
	hits.gpu = &gpu;
	hits.va = out.va;
	bench_pipe(hits.done);
	if (pthread_create(&thread, NULL, make_hits, &hits))
		die("pthread_create");
	timer_start(&timer);
	wait_soundly(hits.done[0]);
	usleep(200000);
	ns = timer_stop(&timer);
	pthread_join(thread, NULL);
	expect_samples(rings, nr);
	events_close(&events);
	gpu_close(&gpu);
	close(hits.done[0]);
	close(hits.done[1]);
	return ns;
}

void bench_irqs_off(void)
{
	static const unsigned int nr[] = { 1, 300, 1000, 10000 };
	const char *text = getenv("BENCH_ONE_WORD");
	unsigned int i, most = text ? atoi(text) : 1000;
	char name[64];

	for (i = 0; i < sizeof(nr) / sizeof(nr[0]) && nr[i] <= most; i++) {
		snprintf(name, sizeof(name),
			 "interrupts off, 64 hits, %u sampling events", nr[i]);
		bench_value(name, ARMED, longest_with(nr[i]));
	}
}
