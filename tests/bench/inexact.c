// SPDX-License-Identifier: GPL-2.0
/*
 * A hit whose load wrote its result to its address register, so that the
 * address is unknown: its additional cost, beside many other watches of the
 * context, which rotate. The watch itself is pinned.
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include "event.h"
#include "gpu.h"
#include "others.h"
#include "watch_set.h"

#define HITS	50
#define ROUNDS	3

static int open_pinned(uint64_t addr)
{
	struct perf_event_attr attr = event_watch(addr, 4, GPUBP_ACCESS_LOAD);
	int fd;

	attr.pinned = 1;
	fd = event_open(&attr, 0, -1);
	if (fd < 0)
		die("perf_event_open");
	return fd;
}

static uint64_t load(struct gpu *gpu, uint64_t in, uint64_t out)
{
	unsigned int i;

	bench_begin();
	for (i = 0; i < HITS; i++)
		if (gpu_run(gpu, "ld_eat", 1, GPU_ARGS(in, out)))
			die("gpu_run");
	return bench_end();
}

/* loads that hit, or not */
static uint64_t run_loads(unsigned int nr_others, bool hits)
{
	struct watch_set others;
	struct grun_mem in, out;
	struct gpu gpu;
	uint64_t ns;
	int fd;

	if (gpu_open(&gpu, "loads") || gpu_buffer(&gpu, &in, 4096, 0) ||
	    gpu_buffer(&gpu, &out, 4096, 0))
		die("gpu");
	watch_set_open(&others, nr_others);
	fd = open_pinned(in.va + (hits ? 0 : 1024));
	if (session_sync(others.session, fd, PATIENCE, NULL))
		die("sync");
	ns = load(&gpu, in.va, out.va);
	usleep(100000);
	if (event_count(fd) != (hits ? HITS : 0)) {
		printf("%ld hits of %d\n", (long)event_count(fd), HITS);
		exit(1);
	}
	close(fd);
	watch_set_close(&others);
	gpu_close(&gpu);
	return ns;
}

static double cost(unsigned int nr_others)
{
	uint64_t best[2] = { UINT64_MAX, UINT64_MAX }, ns;
	unsigned int i;

	for (i = 0; i < 2 * ROUNDS; i++) {
		ns = run_loads(nr_others, i % 2);
		if (ns < best[i % 2])
			best[i % 2] = ns;
	}
	return ((double)best[1] - best[0]) / HITS;
}

void bench_inexact(void)
{
	static const unsigned int nr_others[] = { 0, 1000, 10000, 100000 };
	long points = event_parameter("escalations", 0);
	unsigned int i;
	char name[64];

	for (i = 0; i < sizeof(nr_others) / sizeof(nr_others[0]); i++) {
		snprintf(name, sizeof(name),
			 "hit, address unknown, %u other watches",
			 nr_others[i]);
		bench_value(name, ARMED, cost(nr_others[i]));
	}
	event_parameter("escalations", points);
}
