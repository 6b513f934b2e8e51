// SPDX-License-Identifier: GPL-2.0
/*
 * With a trap handler that sends no message (see "make nomsg") the wave stays
 * halted and no interrupt is raised, unless the device looks for such waves.
 * This shows that our handler, which the wave runs as GPU code, turns a hit
 * into an interrupt.
 */
#include <errno.h>
#include <signal.h>
#include "harness.h"
#include "books.h"
#include "child.h"
#include "event.h"
#include "gpu.h"
#include "simdev.h"

#define SIZE	4096
#define LANE	3
#define SWEEP	"/sys/module/gpubp_sim/parameters/sweep_ms"
#define PATIENCE 60

/* sends the address; receives the start; sends how the kernel ended after a while */
static int target(int sock, void *arg)
{
	struct grun_mem mem;
	struct gpu gpu;

	if (gpu_open(&gpu, "loop") || gpu_buffer(&gpu, &mem, SIZE, 0) ||
	    !say(sock, mem.va) || heard(sock) ||
	    gpu_start(&gpu, "repeat", 1, GPU_ARGS(mem.va, 3)))
		return 1;
	say(sock, gpu_wait(&gpu, 5));
	return gpu_wait(&gpu, -1) ? 2 : 0;
}

/* how often the device looks for stopped waves without an interrupt; 0 never */
static int set_sweep(unsigned int ms)
{
	FILE *file = fopen(SWEEP, "we");

	if (!file)
		return -1;
	fprintf(file, "%u", ms);
	return fclose(file);
}

TEST(no_message_no_sample)
{
	int64_t raised = books_raised();
	struct perf_event_attr attr;
	int counter, sampler;
	struct child child;
	struct ring ring;
	uint64_t va;

	ASSERT_EQ(0, set_sweep(0));
	ASSERT_EQ(0, child_start(&child, target, NULL));
	ASSERT_TRUE(hear(child.sock, &va));
	attr = event_watch(va + 4 * LANE, 4, EVENT_STORES);
	counter = event_open(&attr, child.pid, -1);
	ASSERT_LE(0, counter);
	event_sample(&attr, 1);
	sampler = event_open(&attr, child.pid, -1);
	ASSERT_LE(0, sampler);
	ASSERT_EQ(0, ring_map(&ring, sampler, 16));
	say(child.sock, 0);

	/* the wave stays halted at its first store */
	EXPECT_EQ(-ETIME, heard(child.sock));
	EXPECT_EQ(1, simdev_waves(0, "halted"));
	EXPECT_EQ(0, event_count(counter));
	EXPECT_EQ(0, event_count(sampler));
	EXPECT_EQ(0, ring_drain(&ring));
	EXPECT_EQ(raised, books_raised());

	EXPECT_EQ(128 + SIGKILL, child_kill(&child));
	EXPECT_TRUE(simdev_await_waves(0, "wave", 0, PATIENCE));
	ring_unmap(&ring);
	close(counter);
	close(sampler);
	EXPECT_TRUE(books_idle(PATIENCE));
	EXPECT_EQ(0, set_sweep(100));
}

/* what the handler stored and did suffices to find the wave */
TEST(the_sweep_finds_it)
{
	int64_t raised = books_device("raised"), swept = books_device("swept");
	struct perf_event_attr attr;
	struct grun_mem mem;
	struct gpu gpu;
	int fd;

	ASSERT_EQ(0, gpu_open(&gpu, "loop"));
	ASSERT_EQ(0, gpu_buffer(&gpu, &mem, SIZE, 0));
	attr = event_watch(mem.va + 4 * LANE, 4, EVENT_STORES);
	fd = event_open(&attr, 0, -1);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, gpu_run(&gpu, "repeat", 1, GPU_ARGS(mem.va, 3)));
	EXPECT_EQ(3, event_count(fd));
	EXPECT_EQ(raised, books_device("raised"));
	EXPECT_EQ(swept + 3, books_device("swept"));
	close(fd);
	gpu_close(&gpu);
}

/* the device works as before */
TEST(unwatched_kernels_run)
{
	struct grun_mem mem;
	struct gpu gpu;
	int i;

	ASSERT_EQ(0, gpu_open(&gpu, "loop"));
	ASSERT_EQ(0, gpu_buffer(&gpu, &mem, SIZE, 0));
	for (i = 1; i <= 5; i++) {
		ASSERT_EQ(0, gpu_run(&gpu, "repeat", 1, GPU_ARGS(mem.va, i)));
		EXPECT_EQ(i - 1, ((volatile uint32_t *)mem.cpu)[LANE]);
	}
	gpu_close(&gpu);
}

TEST_HARNESS_MAIN
