// SPDX-License-Identifier: GPL-2.0
/*
 * Reset of the GPU at any moment: running work is lost and returns an error,
 * everything else continues; events count again, and nothing leaks.
 *
 * environment:
 *	GPUBP_RESETS	rounds of the storm, default 15
 */
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include "harness.h"
#include "books.h"
#include "event.h"
#include "gpu.h"
#include "session.h"
#include "simdev.h"

#define SIZE	4096
#define PATIENCE 60	/* s */
#define WATCHES	8

struct target {
	struct gpu gpu;
	struct grun_mem out, stop;
};

/* events of this process cover all its contexts: each has its own addresses */
static int open_target(struct target *t)
{
	static _Atomic uint64_t last = 0x200000000000;
	uint64_t va = last += 0x1000000;

	return gpu_open(&t->gpu, "loop") ?:
	       gpu_buffer(&t->gpu, &t->out, SIZE, va) ?:
	       gpu_buffer(&t->gpu, &t->stop, SIZE, 0);
}

static int start_until(struct target *t, unsigned int groups)
{
	return gpu_start(&t->gpu, "until", groups,
			 GPU_ARGS(t->out.va, t->stop.va));
}

static int repeat(struct target *t, unsigned int n)
{
	return gpu_run(&t->gpu, "repeat", 1, GPU_ARGS(t->out.va, n));
}

static int watch(const struct target *t, unsigned int offset)
{
	struct perf_event_attr attr = event_watch(t->out.va + offset, 4,
						  EVENT_STORES);

	return event_open(&attr, 0, -1);
}

TEST(work_is_lost_and_says_so)
{
	struct target t;

	ASSERT_EQ(0, open_target(&t));
	ASSERT_EQ(0, gpu_start(&t.gpu, "forever", 2, 0, NULL));
	EXPECT_EQ(0, simdev_reset(0));
	EXPECT_EQ(-EIO, gpu_wait(&t.gpu, PATIENCE));
	/* the queue stays in the error state */
	EXPECT_EQ(-EIO, repeat(&t, 1));
	gpu_close(&t.gpu);
	ASSERT_EQ(0, open_target(&t));
	EXPECT_EQ(0, repeat(&t, 5));
	EXPECT_EQ(4, *(volatile uint32_t *)t.out.cpu);
	gpu_close(&t.gpu);
}

/* its event does not count while the comparators are invalid, then continues */
TEST(idle_queues_go_on)
{
	struct event_value before, after;
	struct target idle, busy;
	int fd, i;

	ASSERT_EQ(0, open_target(&idle));
	ASSERT_EQ(0, open_target(&busy));
	fd = watch(&idle, 0);
	ASSERT_LE(0, fd);
	for (i = 1; i <= 5; i++) {
		ASSERT_EQ(0, repeat(&idle, 10));
		if (i == 1)
			ASSERT_EQ(0, start_until(&busy, 2));
		ASSERT_TRUE(books_settle(PATIENCE));
		ASSERT_EQ(0, event_read(fd, &before));
		ASSERT_EQ(0, simdev_reset(0));
		ASSERT_EQ(0, repeat(&idle, 10));
		ASSERT_TRUE(books_settle(PATIENCE));
		ASSERT_EQ(0, event_read(fd, &after));
		EXPECT_EQ(20 * i, after.count);
		EXPECT_GT(after.enabled - before.enabled,
			  after.running - before.running);
	}
	EXPECT_EQ(-EIO, gpu_wait(&busy.gpu, PATIENCE));
	gpu_close(&busy.gpu);
	gpu_close(&idle.gpu);
	close(fd);
}

static unsigned int rounds(void)
{
	return env_number("GPUBP_RESETS", 15);
}

/* a lane's last number is how often its wave stored, or will have stored after its hit */
static int64_t stores_to(const struct target *t, unsigned int offset)
{
	return *(volatile uint32_t *)((char *)t->out.cpu + offset);
}

/* pending hits, watches that rotate, waves that are stopped */
TEST(storm)
{
	int64_t counted = 0;
	struct gpubp_event_stats stats, after;
	struct event_value value;
	struct target t, idle;
	int fd[WATCHES], extra, session = session_open();
	unsigned int i, n;

	ASSERT_EQ(0, open_target(&idle));
	extra = watch(&idle, 0);
	ASSERT_LE(0, extra);
	for (n = 0; n < rounds(); n++) {
		ASSERT_EQ(0, open_target(&t));
		for (i = 0; i < WATCHES; i++)
			fd[i] = watch(&t, 256 * i);
		ASSERT_EQ(0, start_until(&t, WATCHES));
		usleep(random() % 30000);
		ASSERT_EQ(0, simdev_reset(0));
		if (n & 1)
			ASSERT_EQ(0, simdev_reset(0));
		EXPECT_EQ(-EIO, gpu_wait(&t.gpu, PATIENCE));
		for (i = 0; i < WATCHES; i++) {
			ASSERT_EQ(0, event_read(fd[i], &value));
			ASSERT_EQ(0, session_stats(session, fd[i], &stats));
			EXPECT_GE(value.enabled, value.running);
			/* no address can be read of a wave that is lost */
			EXPECT_GE(stores_to(&t, 256 * i),
				  value.count - stats.possible)
				TH_LOG("round %u, watch %u", n, i);
			counted += value.count;
			close(fd[i]);
		}
		gpu_close(&t.gpu);
	}
	EXPECT_LT(0, counted);
	/*
	 * The first one's event is for all contexts of this process. A wave that was
	 * lost in another one has no address: near a rotation its hit may be of the
	 * watch that had its comparator before, or after, but is never an exact one.
	 */
	EXPECT_TRUE(books_settle(PATIENCE));
	ASSERT_EQ(0, session_stats(session, extra, &stats));
	EXPECT_EQ(stats.possible, event_count(extra));
	/* and works as before */
	ASSERT_EQ(0, repeat(&idle, 7));
	EXPECT_TRUE(books_settle(PATIENCE));
	EXPECT_EQ(stats.possible + 7, event_count(extra));
	ASSERT_EQ(0, session_stats(session, extra, &after));
	EXPECT_EQ(stats.possible, after.possible);
	gpu_close(&idle.gpu);
	close(extra);
	close(session);
	EXPECT_TRUE(books_idle(PATIENCE));
}

static atomic_bool over;

/* a reset takes longer while waves run */
static int lose_waves(void)
{
	struct target busy;
	int err = open_target(&busy) ?: start_until(&busy, 2) ?: simdev_reset(0);

	if (!err && gpu_wait(&busy.gpu, PATIENCE) != -EIO)
		err = -EPROTO;
	gpu_close(&busy.gpu);
	return err;
}

static void *reset_again_and_again(void *unused)
{
	intptr_t err = 0;

	while (!err && !over)
		err = lose_waves();
	return (void *)err;
}

/* what is dispatched during a reset runs behind it, and its events are armed then */
TEST(dispatched_meanwhile)
{
	struct target t;
	unsigned int n, done;
	pthread_t thread;
	void *err;
	int fd;

	over = false;
	ASSERT_EQ(0, pthread_create(&thread, NULL, reset_again_and_again, NULL));
	for (n = 0; n < rounds(); n++) {
		ASSERT_EQ(0, open_target(&t));
		fd = watch(&t, 0);
		ASSERT_LE(0, fd);
		for (done = 0; done < 10 && !repeat(&t, 10); done++)
			;
		EXPECT_TRUE(books_settle(PATIENCE));
		/* the last one may have been lost in the middle */
		EXPECT_LE(10 * done, event_count(fd));
		EXPECT_GE(10 * (done + (done < 10)), event_count(fd));
		close(fd);
		gpu_close(&t.gpu);
	}
	over = true;
	ASSERT_EQ(0, pthread_join(thread, &err));
	EXPECT_EQ(NULL, err);
	EXPECT_TRUE(books_idle(PATIENCE));
}

/* reset while a hit is being reported, and so not recorded */
TEST(planted)
{
	long records = event_parameter("handler_records", 0);
	int64_t resets = books_device("resets");
	struct target t;
	int fd, i;

	ASSERT_EQ(0, simdev_fault(0, "reset", 20));
	for (i = 0; i < 8; i++) {
		ASSERT_EQ(0, open_target(&t));
		fd = watch(&t, 0);
		ASSERT_LE(0, fd);
		EXPECT_EQ(-EIO, repeat(&t, 1000));
		EXPECT_TRUE(books_settle(PATIENCE));
		EXPECT_LE(1, event_count(fd));
		close(fd);
		gpu_close(&t.gpu);
	}
	event_parameter("handler_records", records);
	ASSERT_EQ(0, simdev_fault(0, "reset", 0));
	EXPECT_EQ(resets + 8, books_device("resets"));
	ASSERT_EQ(0, open_target(&t));
	fd = watch(&t, 0);
	EXPECT_EQ(0, repeat(&t, 30));
	EXPECT_TRUE(books_settle(PATIENCE));
	EXPECT_EQ(30, event_count(fd));
	close(fd);
	gpu_close(&t.gpu);
}

TEST_HARNESS_MAIN
