// SPDX-License-Identifier: GPL-2.0
/*
 * The hit path: the additional cost of a store that hits, compared with the
 * same store while another address is watched. A wave's hit is an exception in
 * the GPU, an interrupt, and work of the core. The part that the software GPU's
 * own threads execute for it, including a trap handler, is a separate figure.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "bench.h"
#include "device.h"
#include "event.h"
#include "gpu.h"

#define HITS		300
#define RING_PAGES	64
#define ROUNDS		3
#define OUT		32	/* a wave stores to 256 bytes from here on */
#define BESIDE		(OUT + 256 + 8)

/**
 * struct run - parameters of a run
 * @subject: BREAKPOINT or ARMED
 * @flags: flags of its event
 * @hits: the stores go to the watched address
 * @beside: they go to others of its granule
 * @device: out: time of the device's threads in it
 */
struct run {
	enum subject subject;
	unsigned int flags;
	bool hits;
	bool beside;
	uint64_t device;
};

/* all hits are counted, and no sample is lost */
static void expect_hits(int fd, bool hits)
{
	struct event_value value;

	if (event_read(fd, &value))
		die("read");
	if (value.count == (hits ? HITS : 0) && !value.lost)
		return;
	printf("%lu hits of %d, %lu lost\n", (long)value.count, HITS,
	       (long)value.lost);
	exit(1);
}

static int open_event(struct run *run, struct ring *ring, uint64_t addr)
{
	int fd = bench_event(run->subject, addr, run->flags, 0);

	if (run->flags & BENCH_SAMPLE && ring_map(ring, fd, RING_PAGES))
		die("mmap");
	return fd;
}

/* what the handler has counted comes ten times a second */
static void await_count(int fd)
{
	int tries = 100;

	while (event_count(fd) < HITS && --tries)
		usleep(20000);
}

static void close_event(struct run *run, struct ring *ring, int fd)
{
	if (run->hits && run->flags & BENCH_METER)
		await_count(fd);
	expect_hits(fd, run->hits);
	if (run->flags & BENCH_SAMPLE)
		ring_unmap(ring);
	close(fd);
}

static uint64_t run_breakpoint(struct run *run)
{
	static volatile char watched[128];
	struct ring ring;
	uint64_t ns;
	int fd, i;

	fd = open_event(run, &ring, (uint64_t)(watched + (run->hits ? 0 : 64)));
	usleep(20000);
	bench_begin();
	for (i = 0; i < HITS; i++)
		watched[0] = i;
	ns = bench_end();
	close_event(run, &ring, fd);
	return ns;
}

static uint64_t run_watch(struct run *run)
{
	struct grun_mem out, other;
	struct ring ring;
	struct gpu gpu;
	uint64_t ns;
	int fd;

	if (gpu_open(&gpu, "loop") || gpu_buffer(&gpu, &out, 512, 0) ||
	    gpu_buffer(&gpu, &other, 256, 0))
		die("gpu");
	fd = open_event(run, &ring, run->hits ? out.va :
				    run->beside ? out.va + BESIDE : other.va);
	usleep(50000);
	run->device = device_runtime();
	bench_begin();
	if (gpu_run(&gpu, "repeat", 1,
		    GPU_ARGS(out.va + (run->beside ? OUT : 0), HITS)))
		die("gpu_run");
	ns = bench_end();
	run->device = device_runtime() - run->device;
	close_event(run, &ring, fd);
	gpu_close(&gpu);
	return ns;
}

static uint64_t run_best(struct run *run)
{
	uint64_t best = UINT64_MAX, device = 0, ns;
	int i;

	for (i = 0; i < ROUNDS; i++) {
		ns = run->subject == ARMED ? run_watch(run) :
					     run_breakpoint(run);
		if (ns >= best)
			continue;
		best = ns;
		device = run->device;
	}
	run->device = device;
	return best;
}

static void compare(const char *name, const char *part, unsigned int flags)
{
	static const enum subject subjects[] = { BREAKPOINT, ARMED };
	double value[NR_SUBJECTS] = { -1, -1, -1, -1, -1 };
	struct run hits, none;
	unsigned int i;

	for (i = 0; i < 2; i++) {
		hits = (struct run){ subjects[i], flags, true, false, 0 };
		none = (struct run){ subjects[i], flags, false, false, 0 };
		value[subjects[i]] = run_best(&hits);
		value[subjects[i]] -= run_best(&none);
		value[subjects[i]] /= HITS;
	}
	bench_row(name, value);
	bench_value(part, ARMED, ((double)hits.device - none.device) / HITS);
}

/*
 * Stores next to watched bytes, in the same granule; and stores that the handler
 * counts, of an event for a part of a block.
 */
static void by_the_handler(const char *name, const char *part, bool hits,
			   unsigned int flags)
{
	double value[NR_SUBJECTS] = { -1, -1, -1, -1, -1 };
	struct run beside = { ARMED, flags, hits, !hits, 0 };
	struct run none = { ARMED, flags, false, false, 0 };

	value[ARMED] = run_best(&beside);
	value[ARMED] -= run_best(&none);
	value[ARMED] /= HITS;
	bench_row(name, value);
	bench_value(part, ARMED, ((double)beside.device - none.device) / HITS);
}

void bench_hits(void)
{
	long records;

	by_the_handler("stray", "  of it the software GPU, stray", false, 0);
	by_the_handler("hit, counted by the handler",
		       "  of it the software GPU, handler", true, BENCH_METER);
	compare("hit, counted", "  of it the software GPU", 0);
	compare("hit, sampled", "  of it the software GPU, sampled",
		BENCH_SAMPLE);
	records = event_parameter("handler_records", 0);
	compare("hit that stops, counted", "  of it the software GPU, stops", 0);
	compare("hit that stops, sampled",
		"  of it the software GPU, stops, sampled", BENCH_SAMPLE);
	event_parameter("handler_records", records);
}
