// SPDX-License-Identifier: GPL-2.0
/*
 * The work of "perf bench breakpoint": threads created and joined by a task
 * with inherited events, and an event that is disabled and enabled while other
 * threads with copies of it sleep or run.
 */
#include <pthread.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <linux/futex.h>
#include "bench.h"
#include "gpu.h"

#define MAX_THREADS	8

/* a GPU context for the process, if the subject has one */
static void context_open(enum subject subject, struct gpu *gpu)
{
	if (subject == ARMED && gpu_open(gpu, "loop"))
		die("gpu_open");
}

static void context_close(enum subject subject, struct gpu *gpu)
{
	if (subject == ARMED)
		gpu_close(gpu);
}

static void *wait_for(void *arg)
{
	unsigned int *done = arg;

	while (!__atomic_load_n(done, __ATOMIC_RELAXED))
		syscall(SYS_futex, done, FUTEX_WAIT_PRIVATE, 0, NULL, NULL, 0);
	return NULL;
}

static void *spin_for(void *arg)
{
	unsigned int *done = arg;

	while (!__atomic_load_n(done, __ATOMIC_RELAXED))
		;
	return NULL;
}

static void finish(unsigned int *done, pthread_t *threads, unsigned int nr)
{
	unsigned int i;

	__atomic_store_n(done, 1, __ATOMIC_RELAXED);
	syscall(SYS_futex, done, FUTEX_WAKE_PRIVATE, nr, NULL, NULL, 0);
	for (i = 0; i < nr; i++)
		pthread_join(threads[i], NULL);
}

static void start(pthread_t *thread, void *(*fn)(void *), unsigned int *done)
{
	if (pthread_create(thread, NULL, fn, done))
		die("pthread_create");
}

static uint64_t run_threads(enum subject subject, const struct figure *fig)
{
	unsigned int i, nr = *(const unsigned int *)fig->arg;
	static char watched[BREAKPOINTS * 64];
	int fd[BREAKPOINTS];
	pthread_t thread;
	struct gpu gpu;
	uint64_t ns;

	context_open(subject, &gpu);
	for (i = 0; i < nr; i++)
		fd[i] = bench_event(subject, (uint64_t)(watched + 64 * i),
				    BENCH_INHERIT, 0);
	usleep(10000);
	bench_begin();
	for (i = 0; i < fig->ops; i++) {
		unsigned int done = 0;

		start(&thread, wait_for, &done);
		finish(&done, &thread, 1);
	}
	ns = bench_end();
	for (i = 0; i < nr; i++)
		bench_close(fd[i]);
	context_close(subject, &gpu);
	return ns;
}

void bench_threads(void)
{
	static const unsigned int one = 1, all = BREAKPOINTS;
	static const struct figure figures[] = {
		{ "thread made and joined, 1 event", ALL_SUBJECTS, 200,
		  run_threads, &one },
		{ "thread made and joined, 4 events", ALL_SUBJECTS, 200,
		  run_threads, &all },
	};

	bench_compare(&figures[0]);
	bench_compare(&figures[1]);
}

struct others {
	unsigned int asleep;
	unsigned int running;
};

static void start_all(const struct others *others, pthread_t *threads,
		      unsigned int *done)
{
	unsigned int i;

	for (i = 0; i < others->asleep + others->running; i++)
		start(&threads[i], i < others->asleep ? wait_for : spin_for,
		      done);
}

static void off_and_on(int fd, unsigned int times)
{
	while (times--)
		if (ioctl(fd, PERF_EVENT_IOC_DISABLE, 0) ||
		    ioctl(fd, PERF_EVENT_IOC_ENABLE, 0))
			die("ioctl");
}

static uint64_t run_enables(enum subject subject, const struct figure *fig)
{
	const struct others *others = fig->arg;
	pthread_t threads[MAX_THREADS];
	unsigned int done = 0;
	static char watched;
	struct gpu gpu;
	uint64_t ns;
	int fd;

	context_open(subject, &gpu);
	fd = bench_event(subject, (uint64_t)&watched & ~3ULL, BENCH_INHERIT, 0);
	start_all(others, threads, &done);
	usleep(10000);
	bench_begin();
	off_and_on(fd, fig->ops);
	ns = bench_end();
	finish(&done, threads, others->asleep + others->running);
	bench_close(fd);
	context_close(subject, &gpu);
	return ns;
}

void bench_enables(void)
{
	static const struct others none, asleep = { 4, 0 }, running = { 0, 1 };
	static const struct figure figures[] = {
		{ "disabled and enabled, no other thread",
		  ALL_SUBJECTS & ~ONLY(NOTHING), 1000, run_enables, &none },
		{ "disabled and enabled, 4 threads asleep",
		  ALL_SUBJECTS & ~ONLY(NOTHING), 500, run_enables, &asleep },
		{ "disabled and enabled, 1 thread running",
		  ALL_SUBJECTS & ~ONLY(NOTHING), 200, run_enables, &running },
	};
	unsigned int i;

	for (i = 0; i < sizeof(figures) / sizeof(figures[0]); i++)
		bench_compare(&figures[i]);
}
