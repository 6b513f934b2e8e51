// SPDX-License-Identifier: GPL-2.0
/*
 * Attaching to a running kernel. The kernel counts its own stores in memory,
 * and pauses on request, so that its count and the event's can be compared at
 * any time: from the moment at which GPUBP_SYNC reports the event armed, both
 * must grow by the same number. Before that the event is not running.
 */
#include <errno.h>
#include <fcntl.h>
#include <sys/ioctl.h>
#include "harness.h"
#include "books.h"
#include "child.h"
#include "event.h"
#include "gpu.h"
#include "session.h"
#include "simdev.h"

#define LANES		64
#define MAX_GROUPS	16
#define SIZE		(MAX_GROUPS * LANES * sizeof(uint32_t))
#define PATIENCE	60	/* s */
#define SOME_STORES	20	/* by one wave, or by all waves with two each at least */
#define RING_PAGES	128

/* command of the kernel; "on_demand" of tests/gpu/loop.cl */
enum want {
	RUN,
	PAUSE,
	STOP,
};

/* request to the process with the kernel */
enum request {
	END,
	REST,		/* pause, and send the number of stores so far */
	GO,		/* resume */
	AGAIN,		/* end, and start again */
};

/**
 * struct target - the kernel, in its process
 * @gpu: context
 * @out: its output: by lane, the number of the store
 * @want: enum want
 * @seen: by lane, the last command that it read
 * @groups: workgroups, of one wave each
 */
struct target {
	struct gpu gpu;
	struct grun_mem out;
	struct grun_mem want;
	struct grun_mem seen;
	unsigned int groups;
};

static uint32_t word(const struct grun_mem *mem, unsigned int group)
{
	return ((volatile uint32_t *)mem->cpu)[group * LANES];
}

static void set_want(struct target *t, enum want want)
{
	unsigned int g;

	*(volatile uint32_t *)t->want.cpu = want;
	if (want == STOP)
		return;
	for (g = 0; g < t->groups; g++)
		while (word(&t->seen, g) != want)
			usleep(1000);
}

static uint64_t nr_stores(const struct target *t)
{
	uint64_t sum = 0;
	unsigned int g;

	for (g = 0; g < t->groups; g++)
		sum += word(&t->out, g);
	return sum;
}

/* each is a hit, which stops its wave: not all of many waves need to store that often */
static void wait_for_stores(const struct target *t)
{
	unsigned int some = SOME_STORES / t->groups + 2;
	uint32_t before[MAX_GROUPS];
	unsigned int g;

	for (g = 0; g < t->groups; g++)
		before[g] = word(&t->out, g);
	for (g = 0; g < t->groups; g++)
		while (word(&t->out, g) - before[g] < some)
			usleep(1000);
}

static int start(struct target *t)
{
	*(volatile uint32_t *)t->want.cpu = RUN;
	memset(t->out.cpu, 0, SIZE);
	memset(t->seen.cpu, 0, SIZE);
	if (gpu_start(&t->gpu, "on_demand", t->groups,
		      GPU_ARGS(t->out.va, t->want.va, t->seen.va)))
		return -1;
	wait_for_stores(t);
	return 0;
}

static int stop(struct target *t)
{
	set_want(t, STOP);
	return gpu_wait(&t->gpu, PATIENCE);
}

/* reply to the request */
static int64_t answer(struct target *t, enum request what)
{
	switch (what) {
	case REST:
		wait_for_stores(t);
		set_want(t, PAUSE);
		return nr_stores(t);
	case GO:
		set_want(t, RUN);
		return 0;
	default:
		return stop(t) || start(t) ? -1 : 0;
	}
}

/* sends the address of its output once it stores; then handles requests */
static int target(int sock, void *arg)
{
	struct target t = { .groups = *(unsigned int *)arg };
	uint64_t what;
	int64_t said;

	if (gpu_open(&t.gpu, "loop") || gpu_buffer(&t.gpu, &t.out, SIZE, 0) ||
	    gpu_buffer(&t.gpu, &t.want, sizeof(uint32_t), 0) ||
	    gpu_buffer(&t.gpu, &t.seen, SIZE, 0) || start(&t) ||
	    !say(sock, t.out.va))
		return 1;
	while (hear(sock, &what) && what != END) {
		said = answer(&t, what);
		if (said < 0 || !say(sock, said))
			return 2;
	}
	if (stop(&t))
		return 3;
	gpu_close(&t.gpu);
	return 0;
}

FIXTURE(late) {
	struct child child;
	int session;
	uint64_t va;
};

FIXTURE_VARIANT(late) {
	unsigned int groups;
};

FIXTURE_VARIANT_ADD(late, one_wave) { .groups = 1 };
FIXTURE_VARIANT_ADD(late, many_waves) { .groups = MAX_GROUPS };

FIXTURE_SETUP(late)
{
	unsigned int groups = variant->groups;

	self->session = session_open();
	ASSERT_LE(0, self->session);
	ASSERT_EQ(0, child_start(&self->child, target, &groups));
	ASSERT_TRUE(hear(self->child.sock, &self->va));
}

FIXTURE_TEARDOWN(late)
{
	say(self->child.sock, END);
	EXPECT_EQ(0, child_end(&self->child));
	close(self->session);
}

static struct perf_event_attr watch_all(uint64_t va)
{
	return event_watch(va, SIZE, EVENT_STORES);
}

/* pending contexts are retried; false: timeout */
static bool wait_armed(int session, int fd)
{
	int i;

	for (i = 0; i < PATIENCE * 50; i++) {
		if (session_armed(session, fd, PATIENCE))
			return true;
		usleep(20000);
	}
	return false;
}

static int64_t ask(struct child *child, enum request what)
{
	uint64_t said;

	return say(child->sock, what) && hear(child->sock, &said) ?
		(int64_t)said : -1;
}

/**
 * struct counts - both counts while the kernel pauses
 * @stores: of the kernel
 * @value: of the event
 */
struct counts {
	int64_t stores;
	struct event_value value;
};

/* false: a read or the kernel failed */
static bool read_counts(struct child *child, int fd, struct counts *counts)
{
	counts->stores = ask(child, REST);
	return counts->stores >= 0 && books_settle(PATIENCE) &&
	       !event_read(fd, &counts->value) && !ask(child, GO);
}

/* stores since @from that the event's count lacks; 0 is exact */
static int64_t nr_missed(struct child *child, int fd)
{
	struct counts from, to;
	int64_t stores, counted;

	if (!read_counts(child, fd, &from) || !read_counts(child, fd, &to))
		return -1;
	stores = to.stores - from.stores;
	counted = to.value.count - from.value.count;
	if (stores != counted) {
		printf("# %lld stores, %lld counted\n", (long long)stores,
		       (long long)counted);
		books_print();
	}
	return stores > 0 ? stores - counted : -1;
}

/* the times show which part of it was armed: all of it, from then on */
TEST_F(late, running_all_the_time_once_armed)
{
	struct perf_event_attr attr = watch_all(self->va);
	int fd = event_open(&attr, self->child.pid, -1);
	struct counts from, to;

	ASSERT_LE(0, fd);
	ASSERT_TRUE(wait_armed(self->session, fd));
	ASSERT_TRUE(read_counts(&self->child, fd, &from));
	do {
		usleep(20000);
		ASSERT_TRUE(read_counts(&self->child, fd, &to));
	} while (to.value.enabled == from.value.enabled);
	EXPECT_GT(to.value.running, from.value.running);
	EXPECT_GT(1000, llabs((long long)(to.value.running - from.value.running) -
			      (long long)(to.value.enabled - from.value.enabled)));
	close(fd);
}

TEST_F(late, three_times_in_a_row)
{
	struct perf_event_attr attr = watch_all(self->va);
	int i, fd;

	for (i = 0; i < 3; i++) {
		fd = event_open(&attr, self->child.pid, -1);
		ASSERT_LE(0, fd);
		ASSERT_TRUE(wait_armed(self->session, fd));
		EXPECT_EQ(0, nr_missed(&self->child, fd));
		close(fd);
	}
}

/* also waves of a second kernel that was launched before any watch existed */
TEST_F(late, another_kernel_in_between)
{
	struct perf_event_attr attr = watch_all(self->va);
	int i, fd;

	for (i = 0; i < 2; i++) {
		fd = event_open(&attr, self->child.pid, -1);
		ASSERT_LE(0, fd);
		ASSERT_TRUE(wait_armed(self->session, fd));
		EXPECT_EQ(0, nr_missed(&self->child, fd));
		close(fd);
		ASSERT_EQ(0, ask(&self->child, AGAIN));
	}
}

TEST_F(late, inherited)
{
	struct perf_event_attr attr = watch_all(self->va);
	int fd;

	attr.inherit = 1;
	fd = event_open(&attr, self->child.pid, -1);
	ASSERT_LE(0, fd);
	ASSERT_TRUE(wait_armed(self->session, fd));
	EXPECT_EQ(0, nr_missed(&self->child, fd));
	close(fd);
}

/* like perf record -p */
TEST_F(late, sampling)
{
	struct perf_event_attr attr = watch_all(self->va);
	unsigned int nr_samples;
	struct ring ring;
	int fd;

	event_sample(&attr, 7);
	fd = event_open(&attr, self->child.pid, -1);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, ring_map(&ring, fd, RING_PAGES));
	ASSERT_TRUE(wait_armed(self->session, fd));
	EXPECT_EQ(0, nr_missed(&self->child, fd));
	nr_samples = ring_drain(&ring);
	EXPECT_LT(0, nr_samples);
	EXPECT_LE(7 * nr_samples, event_count(fd));
	EXPECT_EQ(0, ring.bad);
	ring_unmap(&ring);
	close(fd);
}

/* while waves of another process are halted by hits nearly all the time */
TEST_F(late, while_others_are_halted)
{
	unsigned int groups = variant->groups;
	struct child other;
	struct perf_event_attr attr;
	uint64_t va;
	int fd[2];

	ASSERT_EQ(0, child_start(&other, target, &groups));
	ASSERT_TRUE(hear(other.sock, &va));
	attr = watch_all(va);
	fd[0] = event_open(&attr, other.pid, -1);
	ASSERT_LE(0, fd[0]);
	ASSERT_TRUE(wait_armed(self->session, fd[0]));
	EXPECT_EQ(0, nr_missed(&other, fd[0]));

	attr = watch_all(self->va);
	fd[1] = event_open(&attr, self->child.pid, -1);
	ASSERT_LE(0, fd[1]);
	ASSERT_TRUE(wait_armed(self->session, fd[1]));
	/* both are watched, one of them pauses: the statistics settle */
	ASSERT_LE(0, ask(&other, REST));
	EXPECT_EQ(0, nr_missed(&self->child, fd[1]));
	ASSERT_EQ(0, ask(&other, GO));
	ASSERT_LE(0, ask(&self->child, REST));
	EXPECT_EQ(0, nr_missed(&other, fd[0]));
	ASSERT_EQ(0, ask(&self->child, GO));
	say(other.sock, END);
	EXPECT_EQ(0, child_end(&other));
	close(fd[0]);
	close(fd[1]);
}

/* no hit is counted, the event does not run, and GPUBP_SYNC returns the reason */
TEST_F(late, not_running_while_it_cannot_be)
{
	struct perf_event_attr attr = watch_all(self->va);
	struct event_value from, to;
	struct gpubp_sync sync;
	int fd;

	if (simdev_fault(0, "suspend", 1))
		SKIP(return, "no debugfs");
	fd = event_open(&attr, self->child.pid, -1);
	ASSERT_LE(0, fd);
	EXPECT_EQ(0, session_sync(self->session, fd, PATIENCE, &sync));
	EXPECT_EQ(1, sync.nr_watches);
	EXPECT_EQ(1, sync.nr_pending);
	EXPECT_EQ(0, sync.nr_armed);
	ASSERT_EQ(0, event_read(fd, &from));
	do {
		usleep(20000);
		ASSERT_EQ(0, event_read(fd, &to));
	} while (to.enabled == from.enabled);
	EXPECT_EQ(0, to.count);
	EXPECT_LT(from.enabled, to.enabled);
	EXPECT_GT(1000, to.running - from.running);
	EXPECT_LT(0, books_state("late_failed"));
	EXPECT_LE(0, books_state("pending"));

	ASSERT_EQ(0, simdev_fault(0, "suspend", 0));
	ASSERT_TRUE(wait_armed(self->session, fd));
	EXPECT_EQ(0, nr_missed(&self->child, fd));
	EXPECT_EQ(-1, books_state("pending"));
	close(fd);
}

TEST_HARNESS_MAIN
