// SPDX-License-Identifier: GPL-2.0
/*
 * A watch set of many members whose event is closed, and which is destroyed:
 * what both cost, and how long another process needs at most during that until
 * an event that it opens is armed, and for a dispatch, from when it was due. That
 * process and the threads of the device run before all others, and the kernel
 * can be preempted, so that they wait for locks and for code that cannot.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>
#include "books.h"
#include "device.h"
#include "event.h"
#include "gpu.h"
#include "others.h"
#include "watch_set.h"

#define PREEMPT		"/sys/kernel/debug/sched/preempt"
#define PERIOD_NS	20000000
#define ALONE_S		1
#define FEW		10	/* watches that are not of the set */

/**
 * struct witness - the other process; shared
 * @open: longest time of opening an event until it is armed, and closing it, ns
 * @dispatch: longest time of a dispatch, ns
 */
struct witness {
	uint64_t open;
	uint64_t dispatch;
};

static struct witness *longest;
static struct gpu gpu;
static struct grun_mem out;
static int session;

static void keep_longest(uint64_t *ns, uint64_t since)
{
	uint64_t time = now_ns() - since;

	if (time > *ns)
		*ns = time;
}

static void witness_prepare(const void *unused)
{
	session = session_open();
	if (session < 0 || gpu_open(&gpu, "loop") ||
	    gpu_buffer(&gpu, &out, 256, 0))
		_exit(1);
}

/* sleep for a period; returns the end of it */
static uint64_t wait_due(void)
{
	uint64_t due = now_ns() + PERIOD_NS;

	usleep(PERIOD_NS / 1000);
	return due;
}

static void witness_work(const void *unused)
{
	uint64_t since = wait_due();
	int fd;

	fd = bench_event(ARMED, out.va + 128, 0, 0);
	if (session_sync(session, fd, PATIENCE, NULL))
		_exit(1);
	close(fd);
	keep_longest(&longest->open, since);
	since = wait_due();
	if (gpu_run(&gpu, "repeat", 1, GPU_ARGS(out.va, 1)))
		_exit(1);
	keep_longest(&longest->dispatch, since);
}

/* the longest times since the last call */
static struct witness take_longest(void)
{
	struct witness w = *longest;

	*longest = (struct witness) {};
	return w;
}

static void report(const char *text, unsigned int nr, double nothing,
		   double armed)
{
	double value[NR_SUBJECTS] = { nothing, -1, -1, -1, armed };
	char name[64];

	snprintf(name, sizeof(name), text, nr);
	bench_row(name, value);
}

static uint64_t close_set(struct watch_set *set, uint64_t *destroyed)
{
	uint64_t ns;

	bench_begin();
	bench_close(set->event);
	watch_sets_gone();
	ns = bench_end();
	set->event = -1;
	bench_begin();
	watch_set_close(set);
	usleep(100000);
	*destroyed = bench_end();
	return ns;
}

/* the whole cost, without the other process */
static void total(unsigned int nr)
{
	uint64_t closed, destroyed;
	struct watch_set set;

	watch_set_open(&set, nr);
	usleep(100000);
	closed = close_set(&set, &destroyed);
	report("event of a set of %u closed", nr, -1, closed);
	report("  the set destroyed", nr, -1, destroyed);
}

static void set_preemption(const char *mode)
{
	FILE *file = fopen(PREEMPT, "we");

	if (!file || fputs(mode, file) < 0 || fclose(file))
		die(PREEMPT);
}

static void longest_waits(unsigned int nr)
{
	static const struct task_kind kind = {
		.prepare = witness_prepare,
		.work = witness_work,
	};
	struct witness alone, beside;
	struct watch_set set;
	struct tasks tasks;

	set_preemption("full");
	tasks_start(&tasks, 1, &kind);	/* without the files of the set */
	watch_set_open(&set, nr);
	be_first(tasks.pid[0]);
	device_first();
	usleep(100000);
	take_longest();
	sleep(ALONE_S);
	alone = take_longest();
	watch_set_close(&set);
	while (books_state("watches") > FEW)
		usleep(10000);
	sleep(ALONE_S);
	beside = take_longest();
	tasks_end(&tasks);
	set_preemption("voluntary");
	watch_sets_gone();
	report("  longest until armed, during both", nr, alone.open,
	       beside.open);
	report("  longest dispatch, during both", nr, alone.dispatch,
	       beside.dispatch);
}

void bench_set_close(void)
{
	static const unsigned int nr[] = { 1000, 100000, 1000000 };
	struct gpu own;
	unsigned int i;

	longest = mmap(NULL, sizeof(*longest), PROT_READ | PROT_WRITE,
		       MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (longest == MAP_FAILED || gpu_open(&own, "loop"))
		die("gpu");
	for (i = 0; i < sizeof(nr) / sizeof(nr[0]); i++) {
		total(nr[i]);
		longest_waits(nr[i]);
	}
	gpu_close(&own);
}
