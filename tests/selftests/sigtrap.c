// SPDX-License-Identifier: GPL-2.0
/*
 * sigtrap=1: the target gets SIGTRAP with the GPU address, busy or asleep.
 */
#include <pthread.h>
#include <signal.h>
#include <sys/ioctl.h>
#include "harness.h"
#include "books.h"
#include "event.h"
#include "gpu.h"
#include "trap.h"

#define SIZE	4096
#define LANE	7
#define ROUNDS	20
#define DATA	0xabcdef1234
#define PATIENCE 60

static struct {
	volatile sig_atomic_t traps;
	volatile sig_atomic_t strange;
	uint64_t addr;
	uint32_t type;
} seen;

static void on_trap(int sig, siginfo_t *siginfo, void *context)
{
	const struct trap_info *info = trap_info(siginfo);

	if (info->code != TRAP_PERF || info->addr != seen.addr ||
	    info->data != DATA || info->type != seen.type ||
	    info->flags & ~TRAP_ASYNC)
		seen.strange++;
	seen.traps++;
}

FIXTURE(sigtrap) {
	struct gpu gpu;
	struct grun_mem out;
	struct grun_mem stop;
	int fd;
};

FIXTURE_SETUP(sigtrap)
{
	struct perf_event_attr attr;

	ASSERT_EQ(0, gpu_open(&self->gpu, "loop"));
	ASSERT_EQ(0, gpu_buffer(&self->gpu, &self->out, SIZE, 0));
	ASSERT_EQ(0, gpu_buffer(&self->gpu, &self->stop, SIZE, 0));
	seen.addr = self->out.va + 4 * LANE;
	seen.type = event_type();
	ASSERT_EQ(0, trap_handle(on_trap, SA_RESTART));

	attr = trap_watch(seen.addr, EVENT_STORES, DATA);
	self->fd = event_open(&attr, 0, -1);
	ASSERT_LE(0, self->fd);
}

FIXTURE_TEARDOWN(sigtrap)
{
	close(self->fd);
	gpu_close(&self->gpu);
}

static int64_t dropped(void)
{
	return books_get("drop_cells") + books_get("drop_unreachable");
}

/* the target never leaves user mode voluntarily */
TEST_F(sigtrap, busy_target)
{
	int64_t before = dropped();
	uint64_t spins = 0;

	ASSERT_EQ(0, gpu_start(&self->gpu, "until", 1,
			       GPU_ARGS(self->out.va, self->stop.va)));
	while (seen.traps < ROUNDS && ++spins < 20000000000)
		__asm__ volatile("pause");
	*(volatile uint32_t *)self->stop.cpu = 1;
	EXPECT_LE(ROUNDS, seen.traps);
	EXPECT_EQ(0, gpu_wait(&self->gpu, PATIENCE));
	EXPECT_EQ(0, seen.strange);
	/* signals coalesce, counts do not; a GPU does not wait for its owner */
	EXPECT_GE(event_count(self->fd), seen.traps);
	EXPECT_EQ(((uint32_t *)self->out.cpu)[LANE],
		  event_count(self->fd) + dropped() - before);
}

/* the wait call is restarted after each signal */
TEST_F(sigtrap, sleeping_target)
{
	ASSERT_EQ(0, gpu_run(&self->gpu, "repeat", 1,
			     GPU_ARGS(self->out.va, ROUNDS)));
	EXPECT_LT(0, seen.traps);
	EXPECT_GE(ROUNDS, seen.traps);
	EXPECT_EQ(0, seen.strange);
	EXPECT_EQ(ROUNDS, event_count(self->fd));
}

static void *stop_after_traps(void *arg)
{
	volatile uint32_t *stop = arg;
	sigset_t set;
	int i;

	sigfillset(&set);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	for (i = 0; seen.traps < ROUNDS && i < PATIENCE * 100; i++)
		usleep(10000);
	*stop = 1;
	return NULL;
}

/* signals arrive during its sleep, not at its end */
TEST_F(sigtrap, before_the_sleep_ends)
{
	pthread_t thread;

	ASSERT_EQ(0, pthread_create(&thread, NULL, stop_after_traps,
				    self->stop.cpu));
	ASSERT_EQ(0, gpu_run(&self->gpu, "until", 1,
			     GPU_ARGS(self->out.va, self->stop.va)));
	EXPECT_LE(ROUNDS, seen.traps);
	EXPECT_EQ(0, seen.strange);
	pthread_join(thread, NULL);
}

TEST_F(sigtrap, none_when_disabled)
{
	ASSERT_EQ(0, ioctl(self->fd, PERF_EVENT_IOC_DISABLE, 0));
	ASSERT_EQ(0, gpu_run(&self->gpu, "repeat", 1,
			     GPU_ARGS(self->out.va, ROUNDS)));
	EXPECT_EQ(0, seen.traps);
	EXPECT_EQ(0, event_count(self->fd));
}

TEST_HARNESS_MAIN
