// SPDX-License-Identifier: GPL-2.0
/*
 * Lost interrupts, including their messages: the sweep finds the stopped waves
 * and reports them to the core in place of the interrupt. Every store that the
 * program itself counted is also counted by the event.
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include "harness.h"
#include "books.h"
#include "event.h"
#include "gpu.h"
#include "simdev.h"

#define SIZE	4096
#define WAVES	8
#define STORES	60	/* of each wave */
#define PATIENCE 60	/* s */

/*
 * A wave stays stopped for at most two periods of the sweep, plus the time
 * until the core has handled the hit: that is a few times the latency with
 * which any other thread gets a CPU.
 */
#define SWEEP_US	(SIMDEV_SWEEP * 1000)
#define LOOKS		4

static volatile bool enough;

/* worst wakeup latency, in us */
static void *sleep_and_wake(void *arg)
{
	int64_t *latest = arg, late;

	while (!enough) {
		late = now_ns() / 1000;
		usleep(SWEEP_US / 10);
		late = now_ns() / 1000 - late - SWEEP_US / 10;
		if (late > *latest)
			*latest = late;
	}
	return NULL;
}

/* one in @every; 0 none */
static int plant(const char *fault, unsigned int every)
{
	return simdev_fault(0, fault, every);
}

static void plant_nothing(void)
{
	plant("interrupt", 0);
	plant("message", 0);
	plant("overflow", 0);
}

FIXTURE(lost) {
	struct gpu gpu;
	struct grun_mem out, count;
	int fd;
	int64_t raised, lost, swept, longest, late;
	pthread_t waker;
};

FIXTURE_SETUP(lost)
{
	struct perf_event_attr attr;

	ASSERT_EQ(0, gpu_open(&self->gpu, "loop"));
	ASSERT_EQ(0, gpu_buffer(&self->gpu, &self->out, SIZE, 0));
	ASSERT_EQ(0, gpu_buffer(&self->gpu, &self->count, SIZE, 0));
	attr = event_watch(self->out.va, SIZE, EVENT_STORES);
	self->fd = event_open(&attr, 0, -1);
	ASSERT_LE(0, self->fd);
	ASSERT_TRUE(books_settle(PATIENCE));
	self->raised = books_device("raised");
	self->lost = books_device("lost");
	self->swept = books_device("swept");
	self->longest = books_device("longest_stop_us");
	self->late = 0;
	enough = false;
	ASSERT_EQ(0, pthread_create(&self->waker, NULL, sleep_and_wake,
				    &self->late));
}

FIXTURE_TEARDOWN(lost)
{
	plant_nothing();
	enough = true;
	pthread_join(self->waker, NULL);
	gpu_close(&self->gpu);
	close(self->fd);
}

static int run_counted(struct gpu *gpu, uint64_t out, uint64_t count,
		       unsigned int stores)
{
	return gpu_run(gpu, "counted", WAVES, GPU_ARGS(out, count, stores));
}

/* the longest stop so far, if it is one of this test's */
#define EXPECT_FOUND_SOON(_self) do {					     \
	int64_t us = books_device("longest_stop_us");			     \
									     \
	TH_LOG("longest stop %ld us, longest wait for a CPU %ld us", us,     \
	       (_self)->late);						     \
	EXPECT_TRUE(us == (_self)->longest ||				     \
		    us < 2 * SWEEP_US + LOOKS * (_self)->late);		     \
} while (0)

/* three counts of the same: the program's, the device's, the event's */
#define EXPECT_ALL_COUNTED(_self, _stores) do {				     \
	EXPECT_EQ(_stores, *(volatile uint32_t *)(_self)->count.cpu);	     \
	EXPECT_TRUE(books_settle(PATIENCE));				     \
	EXPECT_EQ(_stores, books_device("raised") - (_self)->raised);	     \
	EXPECT_EQ(books_device("lost") - (_self)->lost,			     \
		  books_device("swept") - (_self)->swept);		     \
	EXPECT_EQ(_stores, event_count((_self)->fd));			     \
	EXPECT_FOUND_SOON(_self);					     \
} while (0)

TEST_F(lost, nothing)
{
	ASSERT_EQ(0, run_counted(&self->gpu, self->out.va, self->count.va, 20));
	EXPECT_ALL_COUNTED(self, WAVES * 20);
	EXPECT_EQ(self->lost, books_device("lost"));
}

TEST_F(lost, one_interrupt_in_100)
{
	ASSERT_EQ(0, plant("interrupt", 100));
	ASSERT_EQ(0, run_counted(&self->gpu, self->out.va, self->count.va,
				 STORES));
	EXPECT_ALL_COUNTED(self, WAVES * STORES);
	EXPECT_EQ(self->lost, books_device("lost"));
}

TEST_F(lost, one_message_in_100)
{
	ASSERT_EQ(0, plant("message", 100));
	ASSERT_EQ(0, run_counted(&self->gpu, self->out.va, self->count.va,
				 STORES));
	EXPECT_ALL_COUNTED(self, WAVES * STORES);
	EXPECT_EQ(WAVES * STORES / 100, books_device("lost") - self->lost);
}

TEST_F(lost, everything_at_once)
{
	ASSERT_EQ(0, plant("interrupt", 3));
	ASSERT_EQ(0, plant("message", 25));
	ASSERT_EQ(0, plant("overflow", 25));
	ASSERT_EQ(0, run_counted(&self->gpu, self->out.va, self->count.va,
				 STORES));
	EXPECT_ALL_COUNTED(self, WAVES * STORES);
	EXPECT_LT(WAVES * STORES / 25, books_device("lost") - self->lost);
}

/* no message arrives: only the sweep reports hits */
TEST_F(lost, all_messages)
{
	ASSERT_EQ(0, plant("message", 1));
	ASSERT_EQ(0, run_counted(&self->gpu, self->out.va, self->count.va, 5));
	EXPECT_ALL_COUNTED(self, WAVES * 5);
	EXPECT_EQ(WAVES * 5, books_device("lost") - self->lost);
}

#define WAVE_SIZE	256	/* bytes that each wave stores to */

/* count samples of a wave's own stores; all samples must be */
static int64_t own_samples(struct ring *ring, uint64_t addr, unsigned int wave)
{
	struct sample s;
	int64_t n = 0;

	while (ring_next(ring, &s))
		n += s.addr == addr && s.rec.wg_x == wave;
	return n;
}

/* hits of a slot that has another watch by now are not attributed to that watch */
TEST_F(lost, while_watches_rotate)
{
	struct ring ring[WAVES];
	int64_t sum = 0;
	int i, fd[WAVES];

	for (i = 0; i < WAVES; i++) {
		struct perf_event_attr attr =
			event_watch(self->out.va + WAVE_SIZE * i, 4, EVENT_STORES);

		event_sample(&attr, 1);
		fd[i] = event_open(&attr, 0, -1);
		ASSERT_LE(0, fd[i]);
		ASSERT_EQ(0, ring_map(&ring[i], fd[i], 16));
	}
	close(self->fd);
	self->fd = -1;
	ASSERT_EQ(0, plant("message", 20));
	ASSERT_EQ(0, plant("interrupt", 20));
	ASSERT_EQ(0, run_counted(&self->gpu, self->out.va, self->count.va,
				 2 * STORES));
	EXPECT_TRUE(books_settle(PATIENCE));
	EXPECT_EQ(0, books_device("lost") - self->lost -
		     (books_device("swept") - self->swept));
	for (i = 0; i < WAVES; i++) {
		int64_t n = event_count(fd[i]);

		EXPECT_GE(2 * STORES, n);
		EXPECT_EQ(n, own_samples(&ring[i], self->out.va + WAVE_SIZE * i, i))
			TH_LOG("watch %d", i);
		EXPECT_EQ(0, ring[i].lost);
		sum += n;
		ring_unmap(&ring[i]);
		close(fd[i]);
	}
	EXPECT_LT(0, sum);
	EXPECT_GE(books_device("raised") - self->raised, sum);
}

/* only a wave that is killed before the sweep finds it is missed */
TEST_F(lost, killed_before_the_sweep)
{
	ASSERT_EQ(0, plant("message", 1));
	ASSERT_EQ(0, gpu_start(&self->gpu, "counted", WAVES,
			       GPU_ARGS(self->out.va, self->count.va, STORES)));
	while (books_device("lost") - self->lost < 3)
		usleep(1000);
	gpu_close(&self->gpu);
	ASSERT_EQ(0, gpu_open(&self->gpu, "loop"));
	EXPECT_TRUE(books_settle(PATIENCE));
	EXPECT_LE(books_device("swept") - self->swept,
		  books_device("lost") - self->lost);
}

TEST_HARNESS_MAIN
