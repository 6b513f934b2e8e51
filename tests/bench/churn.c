// SPDX-License-Identifier: GPL-2.0
/*
 * Processes that open, disable, enable and close events as fast as they can,
 * beside one that uses its GPU: what the dispatches and hits of the latter cost
 * itself and the threads of the device, which run before all others; and the
 * same with all that is executed until they are done.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>
#include "device.h"
#include "event.h"
#include "gpu.h"
#include "others.h"

#define CHURNERS	8
#define USER		1000
#define PAUSE_US	1777
#define DISPATCHES	100
#define HITS		50	/* by each dispatch */

static void churn(const void *unused)
{
	int fd = bench_event(WATCH, 0x100000, 0, 0);

	if (ioctl(fd, PERF_EVENT_IOC_DISABLE, 0) ||
	    ioctl(fd, PERF_EVENT_IOC_ENABLE, 0))
		_exit(1);
	close(fd);
}

static void be_user(const void *unused)
{
	if (setuid(USER))
		_exit(1);
	churn(NULL);
}

static void start_churners(struct tasks *tasks, bool wanted)
{
	static const struct task_kind kind = {
		.prepare = be_user,
		.work = churn,
	};

	tasks_start(tasks, wanted ? CHURNERS : 0, &kind);
	usleep(500000);
}

static uint64_t read_ns(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return ts.tv_sec * 1000000000ULL + ts.tv_nsec;
}

/**
 * struct bill - what a run costs
 * @own: instructions of the process and of the device
 * @all: instructions until it was done
 */
struct bill {
	double own;
	double all;
};

/* others may run before each dispatch, and hold locks then */
static struct bill dispatch(struct gpu *gpu, uint64_t va, unsigned int stores)
{
	uint64_t own, all = 0, since, device = device_threads_runtime();
	unsigned int i;

	own = read_ns(CLOCK_PROCESS_CPUTIME_ID);
	for (i = 0; i < DISPATCHES; i++) {
		usleep(PAUSE_US);
		since = read_ns(CLOCK_MONOTONIC);
		if (gpu_run(gpu, "repeat", 1, GPU_ARGS(va, stores)))
			die("gpu_run");
		all += read_ns(CLOCK_MONOTONIC) - since;
	}
	own = read_ns(CLOCK_PROCESS_CPUTIME_ID) - own;
	own += device_threads_runtime() - device;
	return (struct bill) {
		(double)own / DISPATCHES, (double)all / DISPATCHES,
	};
}

static void report(const char *name, double alone, double beside)
{
	double value[NR_SUBJECTS] = { alone, -1, -1, -1, beside };

	bench_row(name, value);
}

/* dispatches with one store, which hits or not, and with many that do */
static void measure(bool churners, struct bill bills[3])
{
	struct grun_mem out;
	struct tasks tasks;
	struct gpu gpu;
	int fd;

	if (gpu_open(&gpu, "loop") || gpu_buffer(&gpu, &out, 256, 0))
		die("gpu");
	device_first();
	start_churners(&tasks, churners);
	bills[0] = dispatch(&gpu, out.va, 1);
	fd = bench_event(ARMED, out.va, 0, 0);
	usleep(500000);
	bills[1] = dispatch(&gpu, out.va, 1);
	bills[2] = dispatch(&gpu, out.va, HITS + 1);
	usleep(500000);
	if (event_count(fd) != DISPATCHES * (HITS + 2))
		die("count");
	close(fd);
	tasks_end(&tasks);
	gpu_close(&gpu);
}

void bench_churn(void)
{
	struct bill alone[3], beside[3];

	int paranoid = event_paranoid(1);

	be_first(0);
	measure(false, alone);
	measure(true, beside);
	be_ordinary(0);
	event_paranoid(paranoid);
	report("dispatch, 8 processes open and close, own", alone[0].own,
	       beside[0].own);
	report("  until it has ended", alone[0].all, beside[0].all);
	report("hit, 8 processes open and close, own",
	       (alone[2].own - alone[1].own) / HITS,
	       (beside[2].own - beside[1].own) / HITS);
	report("  until it has ended", (alone[2].all - alone[1].all) / HITS,
	       (beside[2].all - beside[1].all) / HITS);
}
