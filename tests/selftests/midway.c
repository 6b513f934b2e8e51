// SPDX-License-Identifier: GPL-2.0
/*
 * Events that are opened or enabled while a kernel runs, without GPUBP_SYNC: hits that
 * were made before the watch was armed are missing, and then time running is less than
 * time enabled. And those that are opened before a dispatch, which waits for them: no
 * hit is missing, and the two times are equal.
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <unistd.h>
#include "harness.h"
#include "books.h"
#include "event.h"
#include "gpu.h"
#include "session.h"

#define ROUNDS		env_number("GPUBP_ROUNDS", slow_kernel() ? 8 : 40)
#define PATIENCE	60	/* s */
#define STORES		12
#define MAX_DELAY_US	12000
#define MAX_CPUS	64
#define CGROUPS		"/tmp/midway-cgroup"

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
	struct event_value value;
	int i, fd;

	attr.disabled = 1;
	for (i = 0; i < ROUNDS; i++) {
		fd = event_open(&attr, 0, -1);
		ASSERT_GE(fd, 0);
		ASSERT_TRUE(run_some(&self->t));
		ASSERT_EQ(ioctl(fd, PERF_EVENT_IOC_ENABLE, 0), 0);
		/* before it is bound, usually: the dispatch above was over */
		ASSERT_EQ(event_read(fd, &value), 0);
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

TEST_F(midway, a_dispatch_waits_for_a_pinned_event)
{
	struct perf_event_attr attr = event_watch(self->t.out.va, 4, EVENT_STORES);
	int i, fd;

	attr.pinned = 1;
	for (i = 0; i < ROUNDS; i++) {
		fd = event_open(&attr, 0, -1);
		ASSERT_GE(fd, 0);
		ASSERT_TRUE(run_some(&self->t));
		EXPECT_ALL(fd, STORES);
		close(fd);
	}
}

/* one member when it is opened, another one in place of it later */
TEST_F(midway, a_dispatch_waits_for_a_set)
{
	struct gpubp_set_watch watch[2] = {};
	struct perf_event_attr attr = event_watch(0, 0, 0);
	int i, fd, session = session_open();
	struct event_value value;
	uint32_t set;

	ASSERT_GE(session, 0);
	for (i = 0; i < ROUNDS; i++) {
		ASSERT_EQ(session_set(session, &set), 0);
		watch[0] = (struct gpubp_set_watch) { .addr = self->t.out.va, .len = 4 };
		watch[1] = (struct gpubp_set_watch) { .addr = self->t.out.va + 128, .len = 4 };
		ASSERT_EQ(session_update(session, set, &watch[0], 1, NULL), 0);
		attr.config = GPUBP_KIND_WATCH_SET |
			      (uint64_t)set << GPUBP_CONFIG_CODE_SHIFT;
		fd = event_open(&attr, 0, -1);
		ASSERT_GE(fd, 0);
		ASSERT_TRUE(run_some(&self->t));
		EXPECT_ALL(fd, STORES);
		watch[0].len = 0;
		ASSERT_EQ(session_update(session, set, watch, 2, NULL), 0);
		ASSERT_TRUE(run_some(&self->t));
		/* a change of what was armed once takes time, whether work waits or not */
		ASSERT_EQ(event_read(fd, &value), 0);
		EXPECT_EQ(value.count, 2 * STORES);
		EXPECT_GE(value.enabled, value.running);
		close(fd);
		ASSERT_EQ(session_drop_set(session, set), 0);
	}
	close(session);
}

/* where its store is, from the beginning of the code object; 0: not found */
static uint64_t store_offset(struct target *t)
{
	struct perf_event_attr attr = event_watch(t->out.va, 4, EVENT_STORES);
	struct sample sample = {};
	struct ring ring;
	int fd;

	event_sample(&attr, 1);
	fd = event_open(&attr, 0, -1);
	if (fd < 0 || ring_map(&ring, fd, 1))
		return 0;
	if (run_some(t) && books_settle(PATIENCE))
		ring_next(&ring, &sample);
	ring_unmap(&ring);
	close(fd);
	return sample.ip ? sample.ip - gpu_code_va(&t->gpu) : 0;
}

/* it has its name when it is loaded, for the first dispatch */
TEST_F(midway, a_dispatch_waits_for_a_break_in_code_that_is_loaded)
{
	uint64_t offset = store_offset(&self->t);
	struct perf_event_attr attr = event_break(offset);
	int i, fd;

	ASSERT_NE(offset, 0);
	attr.config |= GPUBP_CONFIG_NAMED |
		       (uint64_t)gpubp_name_hash("loop") << GPUBP_CONFIG_CODE_SHIFT;
	for (i = 0; i < ROUNDS / 4; i++) {
		struct target t = {};

		fd = event_open(&attr, 0, -1);
		ASSERT_GE(fd, 0);
		ASSERT_EQ(gpu_open_named(&t.gpu, 0, "loop"), 0);
		ASSERT_EQ(gpu_buffer(&t.gpu, &t.out, 256, 0), 0);
		ASSERT_TRUE(run_some(&t));
		EXPECT_ALL(fd, STORES);
		target_close(&t);
		close(fd);
	}
}

/* by each CPU's copy; @pid, @flags: as of perf_event_open(2) */
static void expect_all_of_cpus(struct __test_metadata *_metadata,
			       FIXTURE_DATA(midway) *self, int pid, unsigned long flags)
{
	struct perf_event_attr attr = event_watch(self->t.out.va, 4, EVENT_STORES);
	int i, cpu, nr = get_nprocs(), fd[MAX_CPUS];
	struct event_value value;
	uint64_t sum;

	ASSERT_LE(nr, MAX_CPUS);
	for (i = 0; i < ROUNDS; i++) {
		for (cpu = 0; cpu < nr; cpu++) {
			fd[cpu] = syscall(SYS_perf_event_open, &attr, pid, cpu, -1,
					  flags | PERF_FLAG_FD_CLOEXEC);
			ASSERT_GE(fd[cpu], 0);
		}
		ASSERT_TRUE(run_some(&self->t));
		for (sum = 0, cpu = 0; cpu < nr; cpu++) {
			ASSERT_EQ(event_read(fd[cpu], &value), 0);
			EXPECT_EQ(value.enabled, value.running);
			sum += value.count;
			close(fd[cpu]);
		}
		EXPECT_EQ(sum, STORES);
	}
}

TEST_F(midway, a_dispatch_waits_for_events_of_cpus)
{
	expect_all_of_cpus(_metadata, self, -1, 0);
}

TEST_F(midway, a_dispatch_waits_for_events_of_a_cgroup)
{
	int dir;

	mkdir(CGROUPS, 0700);
	ASSERT_EQ(mount("none", CGROUPS, "cgroup2", 0, NULL), 0);
	dir = open(CGROUPS, O_RDONLY | O_DIRECTORY);
	ASSERT_GE(dir, 0);
	expect_all_of_cpus(_metadata, self, dir, PERF_FLAG_PID_CGROUP);
	close(dir);
	EXPECT_EQ(umount(CGROUPS), 0);
	rmdir(CGROUPS);
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
	int i, fd, session = session_open();
	pthread_t thread;
	void *done;

	ASSERT_GE(session, 0);
	attr.inherit = 1;
	for (i = 0; i < ROUNDS / 4; i++) {
		fd = event_open(&attr, 0, -1);
		ASSERT_GE(fd, 0);
		ASSERT_EQ(pthread_create(&thread, NULL, run_in_thread, &t), 0);
		ASSERT_EQ(pthread_join(thread, &done), 0);
		ASSERT_NE(done, NULL);
		ASSERT_EQ(t.out.va, self->t.out.va);
		EXPECT_ALL(fd, STORES);
		/* the queue is its leader's now, whose event has a watch there, too */
		ASSERT_EQ(session_sync(session, fd, PATIENCE, NULL), 0);
		EXPECT_ALL(fd, STORES);
		target_close(&t);
		close(fd);
	}
	close(session);
}

TEST_HARNESS_MAIN
