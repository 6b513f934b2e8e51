// SPDX-License-Identifier: GPL-2.0
/*
 * Hits that waves record, beside the same hits when they stop: of one wave, of as many
 * waves as the device has at once, and of a ring that fills while the resolver does
 * not run, so that it is drained at once; of those also with few lanes. What is left of the whole without the software
 * GPU's own threads, which interpret the waves and their handler, is the host's part.
 *
 * environment:
 *	BENCH_RECORDED	hits of perf record -c 1; default 10000; a tenth of it when they stop
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "bench.h"
#include "books.h"
#include "device.h"
#include "event.h"
#include "gpu.h"

#define GROUP		64	/* work-items */
#define WAVE_BYTES	256
#define ROUNDS		3
#define RING_PAGES	512
#define PLACES		4096
#define PERF_HITS	10000
#define PATIENCE	60	/* s */

/**
 * struct load - hits, and how they come
 * @name: text
 * @waves: workgroups of a wave each, at once
 * @rounds: hits of each
 * @lanes: of the last wave, that store; all of the others do
 * @batch: the device runs before all other tasks: what it records is drained later
 */
struct load {
	const char *name;
	unsigned int waves;
	unsigned int rounds;
	unsigned int lanes;
	bool batch;
};

static const struct load loads[] = {
	{ "1 wave", 1, 1000, 64, false },
	{ "64 waves at once", 64, 16, 64, false },
	{ "a batch of 2000", 1, 2000, 64, true },
	{ "a batch, 4 lanes", 1, 2000, 4, true },
	{ "a batch, 1 lane", 1, 2000, 1, true },
};

/**
 * struct cost - instructions of a run
 * @all: of all tasks
 * @device: of the threads that are the software GPU
 */
struct cost {
	double all;
	double device;
};

static unsigned int nr_hits(const struct load *load)
{
	return load->waves * load->rounds;
}

static int open_event(const struct load *load, bool sample, uint64_t va)
{
	struct perf_event_attr attr =
		event_watch(va, load->waves * WAVE_BYTES, EVENT_STORES);
	int fd;

	if (sample)
		event_sample(&attr, 1);
	fd = event_open(&attr, 0, -1);
	if (fd < 0)
		die("perf_event_open");
	return fd;
}

static void expect_count(int fd, unsigned int hits)
{
	struct event_value value;

	if (!books_settle(PATIENCE) || event_read(fd, &value))
		die("books");
	if (value.count == hits && !value.lost)
		return;
	printf("%" PRIu64 " hits of %u, %" PRIu64 " lost\n",
	       (uint64_t)value.count, hits, (uint64_t)value.lost);
	exit(1);
}

/* the last workgroup has as many work-items as store */
static int run_load(struct gpu *gpu, const struct load *load, uint64_t va)
{
	const struct grun_kernel *kernel = grun_code_find(gpu->code, "repeat");
	struct grun_launch launch = { .workgroup = { GROUP, 1, 1 } };
	union grun_value values[] = { { .va = va }, { .va = load->rounds } };
	struct grun_err err;

	launch.grid[0] = (load->waves - 1) * GROUP + load->lanes;
	launch.grid[1] = 1;
	launch.grid[2] = 1;
	if (!kernel || grun_dispatch(gpu->dev, gpu->code, kernel, &launch, values,
				     2, NULL, &err))
		return -1;
	return gpu_wait(gpu, -1);
}

static struct cost run_once(const struct load *load, bool sample, bool hits)
{
	struct grun_mem out, other;
	struct cost cost;
	struct ring ring;
	struct gpu gpu;
	int fd;

	if (gpu_open(&gpu, "loop") ||
	    gpu_buffer(&gpu, &out, load->waves * WAVE_BYTES, 0) ||
	    gpu_buffer(&gpu, &other, load->waves * WAVE_BYTES, 0))
		die("gpu");
	fd = open_event(load, sample, hits ? out.va : other.va);
	if (sample && ring_map(&ring, fd, RING_PAGES))
		die("mmap");
	usleep(50000);
	cost.device = device_runtime();
	bench_begin();
	if (run_load(&gpu, load, out.va))
		die("run_load");
	cost.all = bench_end();
	cost.device = device_runtime() - cost.device;
	expect_count(fd, hits ? nr_hits(load) : 0);
	if (sample)
		ring_unmap(&ring);
	close(fd);
	gpu_close(&gpu);
	return cost;
}

static struct cost run_best(const struct load *load, bool sample, bool hits)
{
	struct cost best = {}, cost;
	int i;

	for (i = 0; i < ROUNDS; i++) {
		cost = run_once(load, sample, hits);
		if (!i || cost.all < best.all)
			best = cost;
	}
	return best;
}

static void say(const struct load *load, const char *what, const char *how)
{
	struct cost hit, none;
	bool sample = !strcmp(what, "sampled");
	char text[80];

	hit = run_best(load, sample, true);
	none = run_best(load, sample, false);
	hit.all = (hit.all - none.all) / nr_hits(load);
	hit.device = (hit.device - none.device) / nr_hits(load);
	snprintf(text, sizeof(text), "%s, %s, %s", load->name, how, what);
	bench_value(text, ARMED, hit.all);
	bench_value("  of it the host", ARMED, hit.all - hit.device);
}

static void say_both(const struct load *load, const char *how)
{
	say(load, "counted", how);
	say(load, "sampled", how);
}

/* ---- perf record --------------------------------------------------------- */

#define RUN	"/bench/gpubp-run "
#define FILE_NAME "/tmp/recorded.data"

static void shell(const char *command)
{
	if (system(command)) {
		fprintf(stderr, "%s\n", command);
		die("system");
	}
}

static uint64_t perf_record(const char *buffer, unsigned int hits)
{
	char command[512];

	snprintf(command, sizeof(command),
		 "perf record -q -B -N -c 1 -R -d -m 4096 -o " FILE_NAME
		 " -e $(" RUN "--event '%s:u32[0]:w') -- " RUN
		 "/bench/gpu/loop.elf 'buf out u32 64, other u32 64; run repeat out %u' >/dev/null",
		 buffer, hits);
	bench_begin();
	shell(command);
	return bench_end();
}

static void say_perf(const char *how, unsigned int hits)
{
	int64_t before = books_get("delivered");
	uint64_t hit = perf_record("out", hits);
	char text[80];

	if (books_get("delivered") - before != hits)
		die("perf record");
	snprintf(text, sizeof(text), "perf record -c 1 of %u hits, %s", hits, how);
	bench_value(text, ARMED,
		    ((double)hit - perf_record("other", hits)) / hits);
	unlink(FILE_NAME);
}

void bench_recorded(void)
{
	unsigned int hits = env_number("BENCH_RECORDED", PERF_HITS), i;
	long records, places = event_parameter("record_places", PLACES);

	for (i = 0; i < sizeof(loads) / sizeof(loads[0]); i++) {
		device_units_first(loads[i].batch);
		records = event_parameter("handler_records", 0);
		if (!loads[i].batch)
			say_both(&loads[i], "stop");
		event_parameter("handler_records", records);
		say_both(&loads[i], "recorded");
		device_units_first(false);
	}
	event_parameter("record_places", places);
	say_perf("recorded", hits);
	records = event_parameter("handler_records", 0);
	say_perf("stop", hits / 10);
	event_parameter("handler_records", records);
}
