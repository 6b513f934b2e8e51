// SPDX-License-Identifier: GPL-2.0
/*
 * Events that are opened or enabled while a kernel runs, without GPUBP_SYNC: hits that
 * were made before the watch was armed are missing, and then time running is less than
 * time enabled. And those that are opened before a dispatch, which waits for them: no
 * hit is missing, and the two times are equal.
 */
#include <pthread.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "harness.h"
#include "event.h"
#include "gpu.h"
#include "session.h"

#define ROUNDS		env_number("GPUBP_ROUNDS", slow_kernel() ? 8 : 40)
#define PATIENCE	60	/* s */
#define STORES		12
#define MAX_DELAY_US	12000

/**
 * struct target - a kernel that stores until it is stopped
 * @gpu: context
 * @out: by lane, the number of the store
 * @stop: set to stop it
 */
struct target {
	struct gpu gpu;
	struct grun_mem out;
	struct grun_mem stop;
};

static bool target_open(struct target *t)
{
	*t = (struct target) {};
	return !gpu_open(&t->gpu, "loop") && !gpu_buffer(&t->gpu, &t->out, 256, 0) &&
	       !gpu_buffer(&t->gpu, &t->stop, 4, 0);
}

static void target_close(struct target *t)
{
	gpu_close(&t->gpu);
}

static uint32_t stores(const struct target *t)
{
	return *(volatile uint32_t *)t->out.cpu;
}

/* returns once it stores */
static bool target_start(struct target *t)
{
	*(volatile uint32_t *)t->stop.cpu = 0;
	*(volatile uint32_t *)t->out.cpu = 0;
	if (gpu_start(&t->gpu, "until", 1, GPU_ARGS(t->out.va, t->stop.va)))
		return false;
	while (!stores(t))
		usleep(100);
	return true;
}

static bool target_end(struct target *t)
{
	*(volatile uint32_t *)t->stop.cpu = 1;
	return !gpu_wait(&t->gpu, PATIENCE);
}

/**
 * struct tally - rounds, by what was seen
 * @missed: hits were missing
 * @complete: none was
 * @wrong: hits were missing, and the times say that none is
 */
struct tally {
	unsigned int missed;
	unsigned int complete;
	unsigned int wrong;
};

/* @least: stores that were certainly made while the event was enabled */
static void tally_add(struct tally *tally, const struct event_value *value, uint64_t least)
{
	if (value->count >= least) {
		tally->complete++;
		return;
	}
	tally->missed++;
	/* 0 is "not counted" */
	if (!value->running || value->running < value->enabled)
		return;
	tally->wrong++;
	printf("# %llu of %llu at least, enabled %llu, running %llu\n",
	       (unsigned long long)value->count, (unsigned long long)least,
	       (unsigned long long)value->enabled, (unsigned long long)value->running);
}

static void pass_some_time(void)
{
	uint64_t until = now_ns() + 1000ULL * (rand() % MAX_DELAY_US);

	if (rand() % 3)
		while (now_ns() < until)
			;
}

FIXTURE(midway)
{
	struct target t;
	struct tally tally;
};

FIXTURE_SETUP(midway)
{
	srand(env_number("GPUBP_SEED", 1));
	ASSERT_TRUE(target_open(&self->t));
}

FIXTURE_TEARDOWN(midway)
{
	printf("# hits missing in %u rounds, complete in %u\n", self->tally.missed,
	       self->tally.complete);
	EXPECT_EQ(self->tally.wrong, 0);
	target_close(&self->t);
}

TEST_F(midway, opened_while_it_runs)
{
	struct perf_event_attr attr = event_watch(self->t.out.va, 4, EVENT_STORES);
	struct event_value value;
	uint32_t before;
	int i, fd;

	for (i = 0; i < ROUNDS; i++) {
		ASSERT_TRUE(target_start(&self->t));
		fd = event_open(&attr, 0, -1);
		before = stores(&self->t);
		ASSERT_GE(fd, 0);
		pass_some_time();
		ASSERT_TRUE(target_end(&self->t));
		ASSERT_EQ(event_read(fd, &value), 0);
		tally_add(&self->tally, &value, stores(&self->t) - before);
		close(fd);
	}
	/* else the test shows nothing */
	EXPECT_GT(self->tally.missed, 0);
}

/* again and again: it was bound before, and is read when it is disabled */
TEST_F(midway, enabled_while_it_runs)
{
	struct perf_event_attr attr = event_watch(self->t.out.va, 4, EVENT_STORES);
	struct event_value value, last = {};
	uint32_t before, after;
	int i, fd;

	attr.disabled = 1;
	fd = event_open(&attr, 0, -1);
	ASSERT_GE(fd, 0);
	for (i = 0; i < ROUNDS; i++) {
		ASSERT_TRUE(target_start(&self->t));
		ASSERT_EQ(ioctl(fd, PERF_EVENT_IOC_ENABLE, 0), 0);
		before = stores(&self->t);
		pass_some_time();
		after = stores(&self->t);
		ASSERT_EQ(ioctl(fd, PERF_EVENT_IOC_DISABLE, 0), 0);
		ASSERT_TRUE(target_end(&self->t));
		ASSERT_EQ(event_read(fd, &value), 0);
		last = (struct event_value) {
			.count = value.count - last.count,
			.enabled = value.enabled - last.enabled,
			.running = value.running - last.running,
		};
		/* the store that is being made when it is disabled */
		tally_add(&self->tally, &last, after - before ? after - before - 1 : 0);
		last = value;
		/* else it may still be bound in the next round */
		if (i % 2)
			usleep(50000);
	}
	close(fd);
	EXPECT_GT(self->tally.missed, 0);
}

/* the kernel ends, too, while its owner sleeps: perf tells no PMU */
struct sleeper {
	struct target t;
	volatile pid_t tid;
	volatile bool done;
	volatile bool failed;
	volatile unsigned int round;
	volatile unsigned int ended;
};

static void *sleep_and_wait(void *arg)
{
	struct sleeper *s = arg;
	unsigned int round = 0;

	s->failed = !target_open(&s->t);
	s->tid = syscall(SYS_gettid);
	while (!s->failed && !s->done) {
		if (s->round == round) {
			usleep(200);
			continue;
		}
		round = s->round;
		if (!target_start(&s->t)) {
			s->failed = true;
			break;
		}
		s->ended = round | 1U << 31;
		/* no signal and no timeout wakes it before the end */
		if (gpu_wait(&s->t.gpu, PATIENCE))
			s->failed = true;
		usleep(3000);
		s->ended = round;
	}
	return NULL;
}

TEST_F(midway, opened_while_the_owner_sleeps)
{
	struct perf_event_attr attr;
	static struct sleeper s;
	struct event_value value;
	pthread_t thread;
	uint32_t before;
	unsigned int i;
	int fd;

	ASSERT_EQ(pthread_create(&thread, NULL, sleep_and_wait, &s), 0);
	while (!s.tid)
		usleep(1000);
	attr = event_watch(s.t.out.va, 4, EVENT_STORES);
	for (i = 1; i <= (unsigned int)ROUNDS && !s.failed; i++) {
		s.round = i;
		while (s.ended != (i | 1U << 31) && !s.failed)
			usleep(100);
		usleep(2000);
		fd = event_open(&attr, s.tid, -1);
		before = stores(&s.t);
		ASSERT_GE(fd, 0);
		pass_some_time();
		*(volatile uint32_t *)s.t.stop.cpu = 1;
		while (s.ended != i && !s.failed)
			usleep(100);
		ASSERT_EQ(event_read(fd, &value), 0);
		tally_add(&self->tally, &value, stores(&s.t) - before);
		close(fd);
	}
	s.done = true;
	pthread_join(thread, NULL);
	EXPECT_FALSE(s.failed);
	target_close(&s.t);
	EXPECT_GT(self->tally.missed, 0);
}

/* ---- dispatches wait ----------------------------------------------------- */

static bool run_some(struct target *t)
{
	return !gpu_run(&t->gpu, "repeat", 1, GPU_ARGS(t->out.va, STORES));
}

#define EXPECT_ALL(fd, nr)							\
do {										\
	struct event_value all;							\
										\
	ASSERT_EQ(event_read(fd, &all), 0);					\
	EXPECT_EQ(all.count, nr);						\
	EXPECT_GT(all.running, 0);						\
	EXPECT_EQ(all.enabled, all.running);					\
} while (0)

TEST_F(midway, the_first_dispatch_waits)
{
	int i, fd;

	for (i = 0; i < ROUNDS / 4; i++) {
		struct perf_event_attr attr;
		struct target t;

		/* the address is the same in each */
		attr = event_watch(self->t.out.va, 4, EVENT_STORES);
		fd = event_open(&attr, 0, -1);
		ASSERT_GE(fd, 0);
		ASSERT_TRUE(target_open(&t));
		if (t.out.va != self->t.out.va) {
			close(fd);
			attr = event_watch(t.out.va, 4, EVENT_STORES);
			fd = event_open(&attr, 0, -1);
		}
		ASSERT_TRUE(run_some(&t));
		EXPECT_ALL(fd, STORES);
		ASSERT_TRUE(run_some(&t));
		EXPECT_ALL(fd, 2 * STORES);
		target_close(&t);
		close(fd);
	}
}

/* the context is on the GPU, and executes nothing */
TEST_F(midway, a_later_dispatch_waits)
{
	struct perf_event_attr attr = event_watch(self->t.out.va, 4, EVENT_STORES);
	int i, fd;

	for (i = 0; i < ROUNDS; i++) {
		ASSERT_TRUE(run_some(&self->t));
		fd = event_open(&attr, 0, -1);
		ASSERT_GE(fd, 0);
		if (i % 2)
			pass_some_time();
		ASSERT_TRUE(run_some(&self->t));
		EXPECT_ALL(fd, STORES);
		close(fd);
	}
}

TEST_F(midway, a_dispatch_waits_for_an_event_that_was_enabled)
{
	struct perf_event_attr attr = event_watch(self->t.out.va, 4, EVENT_STORES);
	int i, fd;

	attr.disabled = 1;
	for (i = 0; i < ROUNDS; i++) {
		fd = event_open(&attr, 0, -1);
		ASSERT_GE(fd, 0);
		ASSERT_TRUE(run_some(&self->t));
		ASSERT_EQ(ioctl(fd, PERF_EVENT_IOC_ENABLE, 0), 0);
		ASSERT_TRUE(run_some(&self->t));
		ASSERT_EQ(ioctl(fd, PERF_EVENT_IOC_DISABLE, 0), 0);
		EXPECT_ALL(fd, STORES);
		close(fd);
	}
}

TEST_F(midway, a_dispatch_waits_for_a_name)
{
	struct perf_event_attr attr = event_named("midway", 0, 4, EVENT_STORES);
	int i, fd;

	for (i = 0; i < ROUNDS; i++) {
		ASSERT_TRUE(run_some(&self->t));
		fd = event_open(&attr, 0, -1);
		ASSERT_GE(fd, 0);
		ASSERT_EQ(gpu_name(&self->t.gpu, self->t.out.va, 256, "midway"), 0);
		ASSERT_TRUE(run_some(&self->t));
		EXPECT_ALL(fd, STORES);
		ASSERT_EQ(gpu_name(&self->t.gpu, self->t.out.va, 0, "midway"), 0);
		close(fd);
	}
}

static void *run_in_thread(void *arg)
{
	struct target *t = arg;
	struct target own;

	/* a queue of this thread, in a context of its own */
	if (!target_open(&own))
		return NULL;
	*t = own;
	return run_some(t) ? t : NULL;
}

TEST_F(midway, a_thread_that_comes_later)
{
	struct perf_event_attr attr = event_watch(self->t.out.va, 4, EVENT_STORES);
	struct target t = {};
	pthread_t thread;
	void *done;
	int i, fd;

	attr.inherit = 1;
	for (i = 0; i < ROUNDS / 4; i++) {
		fd = event_open(&attr, 0, -1);
		ASSERT_GE(fd, 0);
		ASSERT_EQ(pthread_create(&thread, NULL, run_in_thread, &t), 0);
		ASSERT_EQ(pthread_join(thread, &done), 0);
		ASSERT_NE(done, NULL);
		if (t.out.va == self->t.out.va)
			EXPECT_ALL(fd, STORES);
		target_close(&t);
		close(fd);
	}
}

TEST_HARNESS_MAIN
