// SPDX-License-Identifier: GPL-2.0
/*
 * perf's tests of breakpoints and watchpoints of the CPU, repeated with
 * watches: see mirrors.sh. What the test's own function does there, the GPU
 * does here; where the CPU's exception is taken before the next instruction,
 * the test waits for the signal before it continues.
 */
#include <fcntl.h>
#include <signal.h>
#include <sys/ioctl.h>
#include "harness.h"
#include "books.h"
#include "event.h"
#include "repeater.h"
#include "session.h"
#include "trap.h"

#define PATIENCE	60
#define GRANULE		64
#define MAX_WATCHES	100

/* ---- bp_account ---------------------------------------------------------- */

/* equal ones would share one comparator */
static int pinned_watch(unsigned int n)
{
	struct perf_event_attr attr = event_watch(REPEATER_VA + n * GRANULE, 4,
						  EVENT_STORES);

	attr.sample_period = 1;
	attr.sample_type = PERF_SAMPLE_IP;
	attr.exclude_kernel = 1;
	attr.exclude_hv = 1;
	attr.pinned = 1;
	return event_open(&attr, 0, -1);
}

/* open as many as possible; returns the last error */
static int open_all(int *fd, int *nr)
{
	for (*nr = 0; *nr < MAX_WATCHES; (*nr)++) {
		fd[*nr] = pinned_watch(*nr);
		if (fd[*nr] < 0)
			return fd[*nr];
	}
	return 0;
}

static void close_all(int *fd, int nr)
{
	while (nr--)
		close(fd[nr]);
}

TEST(perf_bp_account)
{
	const uint64_t elsewhere = REPEATER_VA + MAX_WATCHES * GRANULE;
	struct perf_event_attr attr = event_watch(elsewhere, 4, EVENT_STORES);
	int session = session_open(), fd[MAX_WATCHES], nr, again, more;

	ASSERT_LE(0, session);
	EXPECT_EQ(-ENOSPC, open_all(fd, &nr));
	ASSERT_LT(0, nr);
	close_all(fd, nr);
	/* no comparator was leaked */
	EXPECT_EQ(-ENOSPC, open_all(fd, &again));
	EXPECT_EQ(nr, again);

	EXPECT_EQ(-1, ioctl(fd[0], PERF_EVENT_IOC_MODIFY_ATTRIBUTES, &attr));
	EXPECT_EQ(EOPNOTSUPP, errno);
	EXPECT_EQ(0, session_modify(session, fd[0], elsewhere));
	/* it keeps its reservation, so there is no other one */
	EXPECT_EQ(-ENOSPC, pinned_watch(0));
	close(fd[0]);
	more = pinned_watch(0);
	EXPECT_LE(0, more);
	fd[0] = more;
	close_all(fd, nr);
	close(session);
}

/* ---- bp_signal ----------------------------------------------------------- */

#define ON_FUNCTION	REPEATER_VA
#define ON_VARIABLE	(REPEATER_VA + 1024)
#define ON_HANDLER	(REPEATER_VA + 2048)

static volatile int overflows, overflows_2;
static struct gpu of_handler;	/* a context of its own, because it interrupts the other's user */

static void on_sigusr1(int sig)
{
	overflows_2++;
}

/* the handler is itself watched, through accesses of the GPU; it nests in the other */
static void on_sigio(int sig)
{
	if (repeat(&of_handler, ON_HANDLER, 1) ||
	    !trap_spin(&overflows_2, overflows + 1))
		return;
	overflows++;
}

static void on_overflow(int sig)
{
	overflows++;
}

static int handle(int sig, void (*fn)(int sig))
{
	struct sigaction action = { .sa_handler = fn };

	return sigaction(sig, &action, NULL);
}

static int signalling_watch(uint64_t addr, uint64_t period, int sig)
{
	struct perf_event_attr attr = event_watch(addr, 4, EVENT_STORES);
	int fd;

	attr.sample_period = period;
	attr.sample_type = PERF_SAMPLE_IP;
	attr.wakeup_events = 1;
	attr.disabled = 1;
	attr.exclude_kernel = 1;
	attr.exclude_hv = 1;
	fd = event_open(&attr, 0, -1);
	if (fd < 0)
		return fd;
	if (fcntl(fd, F_SETFL, O_RDWR | O_NONBLOCK | O_ASYNC) ||
	    fcntl(fd, F_SETSIG, sig) || fcntl(fd, F_SETOWN, getpid()) ||
	    ioctl(fd, PERF_EVENT_IOC_RESET, 0))
		return -1;
	return fd;
}

/* let the GPU do it, and wait for the signal */
static bool call(struct gpu *gpu, uint64_t va, unsigned int times)
{
	int before = overflows;

	return !repeat(gpu, va, times) && trap_spin(&overflows, before + 1);
}

TEST(perf_bp_signal)
{
	uint64_t va = REPEATER_VA;
	struct gpu gpu;
	int fd[3], i;

	ASSERT_EQ(0, repeater_open(&gpu, &va));
	ASSERT_EQ(0, repeater_open(&of_handler, &va));
	ASSERT_EQ(0, handle(SIGIO, on_sigio));
	ASSERT_EQ(0, handle(SIGUSR1, on_sigusr1));
	fd[0] = signalling_watch(ON_FUNCTION, 1, SIGIO);
	fd[1] = signalling_watch(ON_HANDLER, 1, SIGUSR1);
	fd[2] = signalling_watch(ON_VARIABLE, 1, SIGIO);
	for (i = 0; i < 3; i++) {
		ASSERT_LE(0, fd[i]);
		ASSERT_EQ(0, ioctl(fd[i], PERF_EVENT_IOC_ENABLE, 0));
	}
	EXPECT_TRUE(call(&gpu, ON_FUNCTION, 1));
	EXPECT_TRUE(call(&gpu, ON_VARIABLE, 1));
	EXPECT_TRUE(call(&gpu, ON_VARIABLE, 1));
	for (i = 0; i < 3; i++)
		ASSERT_EQ(0, ioctl(fd[i], PERF_EVENT_IOC_DISABLE, 0));
	EXPECT_EQ(1, event_count(fd[0]));
	EXPECT_EQ(3, event_count(fd[1]));
	EXPECT_EQ(2, event_count(fd[2]));
	EXPECT_EQ(3, overflows);
	EXPECT_EQ(3, overflows_2);
	for (i = 0; i < 3; i++)
		close(fd[i]);
	gpu_close(&of_handler);
	gpu_close(&gpu);
}

/* ---- bp_signal_overflow -------------------------------------------------- */

#define THRESHOLD	100
#define OVERFLOWS	5

TEST(perf_bp_signal_overflow)
{
	uint64_t va = REPEATER_VA;
	struct gpu gpu;
	int fd, i;

	ASSERT_EQ(0, repeater_open(&gpu, &va));
	ASSERT_EQ(0, handle(SIGIO, on_overflow));
	fd = signalling_watch(va, THRESHOLD, SIGIO);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_ENABLE, 0));
	for (i = 0; i < OVERFLOWS; i++)
		EXPECT_TRUE(call(&gpu, va, THRESHOLD));
	ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_DISABLE, 0));
	EXPECT_EQ(OVERFLOWS * THRESHOLD, event_count(fd));
	EXPECT_EQ(OVERFLOWS, overflows);
	close(fd);
	gpu_close(&gpu);
}

/* ---- wp ------------------------------------------------------------------ */

#define DATA1	REPEATER_VA
#define DATA2	(REPEATER_VA + 2048)
#define OTHER	(REPEATER_VA + 1024)

FIXTURE(perf_wp) {
	struct gpu gpu;
	int fd;
};

FIXTURE_SETUP(perf_wp)
{
	struct grun_mem mem;

	ASSERT_EQ(0, gpu_open(&self->gpu, "copy"));
	ASSERT_EQ(0, gpu_buffer(&self->gpu, &mem, REPEATER_SIZE, REPEATER_VA));
	self->fd = -1;
}

FIXTURE_TEARDOWN(perf_wp)
{
	close(self->fd);
	gpu_close(&self->gpu);
}

static int wp_open(unsigned int access, uint64_t addr, uint64_t len)
{
	struct perf_event_attr attr = event_watch(addr, len, access);

	attr.sample_period = 1;
	attr.sample_type = PERF_SAMPLE_IP;
	attr.exclude_kernel = 1;
	attr.exclude_hv = 1;
	return event_open(&attr, 0, -1);
}

/* one wave loads from there and stores here; returns the event's count after that */
static int64_t copied(int fd, struct gpu *gpu, uint64_t from, uint64_t to)
{
	if (gpu_run(gpu, "copy", 1, GPU_ARGS(from, to, 64)) ||
	    !books_settle(PATIENCE))
		return -1;
	return event_count(fd);
}

static int64_t loaded(int fd, struct gpu *gpu, uint64_t va)
{
	return copied(fd, gpu, va, OTHER);
}

static int64_t stored(int fd, struct gpu *gpu, uint64_t va)
{
	return copied(fd, gpu, OTHER, va);
}

TEST_F(perf_wp, read_only)
{
	self->fd = wp_open(GPUBP_ACCESS_LOAD, DATA1, 8);
	ASSERT_LE(0, self->fd);
	EXPECT_EQ(1, loaded(self->fd, &self->gpu, DATA1));
	EXPECT_EQ(1, stored(self->fd, &self->gpu, DATA1));
}

TEST_F(perf_wp, write_only)
{
	self->fd = wp_open(EVENT_WRITES, DATA1, 8);
	ASSERT_LE(0, self->fd);
	EXPECT_EQ(0, loaded(self->fd, &self->gpu, DATA1));
	EXPECT_EQ(1, stored(self->fd, &self->gpu, DATA1));
}

TEST_F(perf_wp, read_write)
{
	self->fd = wp_open(EVENT_ANY, DATA1, 8);
	ASSERT_LE(0, self->fd);
	EXPECT_EQ(1, loaded(self->fd, &self->gpu, DATA1));
	EXPECT_EQ(2, stored(self->fd, &self->gpu, DATA1));
}

TEST_F(perf_wp, modify)
{
	struct perf_event_attr attr = event_watch(DATA2, 4, EVENT_STORES);
	int session = session_open();

	ASSERT_LE(0, session);
	self->fd = wp_open(EVENT_STORES, DATA1, 8);
	ASSERT_LE(0, self->fd);
	EXPECT_EQ(1, stored(self->fd, &self->gpu, DATA1));

	EXPECT_EQ(-1, ioctl(self->fd, PERF_EVENT_IOC_MODIFY_ATTRIBUTES, &attr));
	EXPECT_EQ(EOPNOTSUPP, errno);
	ASSERT_EQ(0, ioctl(self->fd, PERF_EVENT_IOC_DISABLE, 0));
	ASSERT_EQ(0, session_modify(session, self->fd, DATA2));
	EXPECT_EQ(1, stored(self->fd, &self->gpu, DATA2));
	ASSERT_EQ(0, ioctl(self->fd, PERF_EVENT_IOC_ENABLE, 0));
	ASSERT_EQ(0, session_sync(session, self->fd, PATIENCE, NULL));
	EXPECT_EQ(2, stored(self->fd, &self->gpu, DATA2));
	/* next to it, and where it was */
	EXPECT_EQ(2, stored(self->fd, &self->gpu, DATA2 + 4));
	EXPECT_EQ(2, stored(self->fd, &self->gpu, DATA1));
	close(session);
}

TEST_HARNESS_MAIN
