// SPDX-License-Identifier: GPL-2.0
/*
 * The monitor's side: signals and poll() for another process's events, and the
 * effects of ioctl() on them, while the target runs and while it sleeps.
 */
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <time.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include "harness.h"
#include "books.h"
#include "child.h"
#include "event.h"
#include "repeater.h"
#include "session.h"

#define PATIENCE	60
#define FEW		5
#define RING_PAGES	8
#define WORD(n)		(REPEATER_VA + 4 * (n))
#define SIG		SIGRTMIN

/*
 * A target: its main thread owns the hits, and either sleeps or runs for ever.
 * Another thread has the GPU store as often as the test requests.
 */

struct target {
	struct gpu gpu;
	int sock;
};

static void *store_on_request(void *arg)
{
	struct target *target = arg;
	uint64_t times;

	while (hear(target->sock, &times) && times)
		if (repeat(&target->gpu, REPEATER_VA, times) ||
		    !say(target->sock, 0))
			break;
	_exit(0);
}

static int target_main(int sock, void *arg)
{
	const bool *runs = arg;
	struct target target = { .sock = sock };
	uint64_t va = REPEATER_VA;
	pthread_t thread;

	if (repeater_open(&target.gpu, &va) ||
	    pthread_create(&thread, NULL, store_on_request, &target) ||
	    !say(sock, 0))
		return 1;
	for (;;)
		if (!*runs)
			pause();
}

FIXTURE(monitor) {
	struct child target;
	int session;
	int fd;
	int other;
	struct ring ring;
};

FIXTURE_VARIANT(monitor) {
	bool runs;
};

FIXTURE_VARIANT_ADD(monitor, of_one_asleep) { .runs = false };
FIXTURE_VARIANT_ADD(monitor, of_one_running) { .runs = true };

FIXTURE_SETUP(monitor)
{
	bool runs = variant->runs;
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIG);
	ASSERT_EQ(0, sigprocmask(SIG_BLOCK, &set, NULL));
	self->session = session_open();
	ASSERT_LE(0, self->session);
	ASSERT_EQ(0, child_start(&self->target, target_main, &runs));
	ASSERT_EQ(0, heard(self->target.sock));
	self->fd = -1;
	self->other = -1;
	self->ring.page = NULL;
}

FIXTURE_TEARDOWN(monitor)
{
	if (self->ring.page)
		ring_unmap(&self->ring);
	close(self->other);
	close(self->fd);
	close(self->session);
	child_kill(&self->target);
}

static int open_at(const struct child *target, int word, uint64_t period,
		   int leader, bool disabled)
{
	struct perf_event_attr attr = event_watch(WORD(word), 4, EVENT_STORES);
	int fd;

	if (period)
		event_sample(&attr, period);
	attr.disabled = disabled;
	fd = syscall(SYS_perf_event_open, &attr, target->pid, -1, leader,
		     PERF_FLAG_FD_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

/* have the target store so often to each word; true once all hits have arrived */
static bool store(struct child *target, unsigned int times)
{
	return repeater_run(target, times) && books_settle(PATIENCE);
}

static bool sync_with(int session, int fd)
{
	return !session_sync(session, fd, PATIENCE, NULL);
}

static bool readable(int fd, int seconds, short *revents)
{
	struct pollfd pfd = { .fd = fd, .events = POLLIN };
	int n = poll(&pfd, 1, seconds * 1000);

	*revents = pfd.revents;
	return n == 1 && pfd.revents & POLLIN;
}

/* ---- signals and poll() -------------------------------------------------- */

static int sign(int fd, pid_t tid)
{
	struct f_owner_ex owner = { F_OWNER_TID, tid };

	return fcntl(fd, F_SETOWN_EX, &owner) ?: fcntl(fd, F_SETSIG, SIG) ?:
	       fcntl(fd, F_SETFL, O_ASYNC);
}

/* take a signal of this thread; si_code, or -1 after the timeout */
static int take_signal(int fd, int seconds)
{
	struct timespec time = { .tv_sec = seconds };
	siginfo_t info;
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIG);
	if (sigtimedwait(&set, &info, &time) != SIG || info.si_fd != fd)
		return -1;
	return info.si_code;
}

TEST_F(monitor, a_signal_for_each_sample)
{
	int i;

	self->fd = open_at(&self->target, 1, 1, -1, false);
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(0, ring_map(&self->ring, self->fd, RING_PAGES));
	ASSERT_EQ(0, sign(self->fd, syscall(SYS_gettid)));
	for (i = 0; i < FEW; i++) {
		ASSERT_TRUE(store(&self->target, 1));
		EXPECT_EQ(POLL_IN, take_signal(self->fd, PATIENCE));
		EXPECT_EQ(1, ring_drain(&self->ring));
	}
	EXPECT_EQ(-1, take_signal(self->fd, 0));
}

struct signalled {
	int fd;
	int sock[2];
	int code;
};

static void *signalled_thread(void *arg)
{
	struct signalled *s = arg;

	say(s->sock[1], syscall(SYS_gettid));
	s->code = take_signal(s->fd, PATIENCE);
	return NULL;
}

/* the thread that F_SETOWN_EX names gets the signal, no other of the process */
TEST_F(monitor, whose_signal)
{
	struct signalled s = {};
	pthread_t thread;

	self->fd = s.fd = open_at(&self->target, 1, 1, -1, false);
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(0, ring_map(&self->ring, self->fd, RING_PAGES));
	ASSERT_EQ(0, socketpair(AF_UNIX, SOCK_STREAM, 0, s.sock));
	ASSERT_EQ(0, pthread_create(&thread, NULL, signalled_thread, &s));
	ASSERT_EQ(0, sign(self->fd, heard(s.sock[0])));
	ASSERT_TRUE(store(&self->target, 1));
	EXPECT_EQ(0, pthread_join(thread, NULL));
	EXPECT_EQ(POLL_IN, s.code);
	EXPECT_EQ(-1, take_signal(self->fd, 0));
	close(s.sock[0]);
	close(s.sock[1]);
}

TEST_F(monitor, poll_wakes_up)
{
	short revents;
	int i;

	self->fd = open_at(&self->target, 1, 1, -1, false);
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(0, ring_map(&self->ring, self->fd, RING_PAGES));
	EXPECT_FALSE(readable(self->fd, 0, &revents));
	for (i = 0; i < FEW; i++) {
		/* it sleeps in poll() by now, or not yet */
		ASSERT_TRUE(say(self->target.sock, 1));
		EXPECT_TRUE(readable(self->fd, PATIENCE, &revents));
		ASSERT_EQ(0, heard(self->target.sock));
		EXPECT_EQ(1, ring_drain(&self->ring));
	}
	child_kill(&self->target);
	for (i = 0; i < PATIENCE && !(revents & POLLHUP); i++)
		readable(self->fd, 1, &revents);
	EXPECT_TRUE(revents & POLLHUP);
}

/* so many samples fit; one more triggers the wakeup */
TEST_F(monitor, watermark)
{
	struct perf_event_attr attr = event_watch(WORD(1), 4, EVENT_STORES);
	uint64_t size;
	short revents;

	event_sample(&attr, 1);
	attr.watermark = 1;
	attr.wakeup_watermark = 4096;
	self->fd = event_open(&attr, self->target.pid, -1);
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(0, ring_map(&self->ring, self->fd, RING_PAGES));
	ASSERT_TRUE(store(&self->target, 1));
	size = self->ring.page->data_head;
	ASSERT_LT(0, size);
	ASSERT_TRUE(store(&self->target, 4096 / size - 1));
	EXPECT_GE(4096, self->ring.page->data_head);
	EXPECT_FALSE(readable(self->fd, 0, &revents));
	ASSERT_TRUE(store(&self->target, 1));
	EXPECT_TRUE(readable(self->fd, PATIENCE, &revents));
	EXPECT_EQ(4096 / size + 1, ring_drain(&self->ring));
}

/* ---- ioctl() ------------------------------------------------------------- */

TEST_F(monitor, refresh)
{
	int i, round;

	self->fd = open_at(&self->target, 1, 1, -1, true);
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(0, ring_map(&self->ring, self->fd, RING_PAGES));
	ASSERT_EQ(0, sign(self->fd, syscall(SYS_gettid)));
	for (round = 1; round <= 2; round++) {
		ASSERT_EQ(0, ioctl(self->fd, PERF_EVENT_IOC_REFRESH, FEW));
		ASSERT_TRUE(sync_with(self->session, self->fd));
		for (i = 1; i <= FEW; i++) {
			ASSERT_TRUE(store(&self->target, 1));
			EXPECT_EQ(i < FEW ? POLL_IN : POLL_HUP,
				  take_signal(self->fd, PATIENCE));
		}
		ASSERT_TRUE(store(&self->target, FEW));
		EXPECT_EQ(-1, take_signal(self->fd, 0));
		EXPECT_EQ(round * FEW, event_count(self->fd));
		EXPECT_EQ(FEW, ring_drain(&self->ring));
	}
}

TEST_F(monitor, period)
{
	uint64_t period = 4;

	self->fd = open_at(&self->target, 1, 2, -1, false);
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(0, ring_map(&self->ring, self->fd, RING_PAGES));
	ASSERT_TRUE(store(&self->target, 8));
	EXPECT_EQ(4, ring_drain(&self->ring));
	ASSERT_EQ(0, ioctl(self->fd, PERF_EVENT_IOC_PERIOD, &period));
	ASSERT_TRUE(store(&self->target, 8));
	EXPECT_EQ(2, ring_drain(&self->ring));
	EXPECT_EQ(16, event_count(self->fd));
	period = 0;
	EXPECT_EQ(-1, ioctl(self->fd, PERF_EVENT_IOC_PERIOD, &period));
	EXPECT_EQ(EINVAL, errno);
}

TEST_F(monitor, set_output)
{
	unsigned int of[2] = {};
	struct sample s;

	self->fd = open_at(&self->target, 1, 1, -1, false);
	self->other = open_at(&self->target, 2, 1, -1, false);
	ASSERT_LE(0, self->fd);
	ASSERT_LE(0, self->other);
	ASSERT_EQ(0, ring_map(&self->ring, self->fd, RING_PAGES));
	ASSERT_EQ(0, ioctl(self->other, PERF_EVENT_IOC_SET_OUTPUT, self->fd));
	ASSERT_TRUE(store(&self->target, FEW));
	while (ring_next(&self->ring, &s))
		of[s.addr == WORD(2)]++;
	EXPECT_EQ(FEW, of[0]);
	EXPECT_EQ(FEW, of[1]);
	/* and without a ring: hits are counted, and nothing is written */
	ASSERT_EQ(0, ioctl(self->other, PERF_EVENT_IOC_SET_OUTPUT, -1L));
	ASSERT_TRUE(store(&self->target, FEW));
	EXPECT_EQ(FEW, ring_drain(&self->ring));
	EXPECT_EQ(2 * FEW, event_count(self->other));
}

TEST_F(monitor, pause_output)
{
	struct event_value value;

	self->fd = open_at(&self->target, 1, 1, -1, false);
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(0, ring_map(&self->ring, self->fd, RING_PAGES));
	ASSERT_EQ(0, ioctl(self->fd, PERF_EVENT_IOC_PAUSE_OUTPUT, 1));
	ASSERT_TRUE(store(&self->target, FEW));
	EXPECT_EQ(0, ring_drain(&self->ring));
	ASSERT_EQ(0, event_read(self->fd, &value));
	EXPECT_EQ(FEW, value.count);
	EXPECT_EQ(FEW, value.lost);
	ASSERT_EQ(0, ioctl(self->fd, PERF_EVENT_IOC_PAUSE_OUTPUT, 0));
	ASSERT_TRUE(store(&self->target, 1));
	EXPECT_EQ(1, ring_drain(&self->ring));
	EXPECT_EQ(FEW, self->ring.lost);
	EXPECT_EQ(FEW + 1, event_count(self->fd));
}

/* reset of a counter, which counts when the GPU stores, and of samples */
TEST_F(monitor, reset)
{
	int i;

	self->fd = open_at(&self->target, 1, 0, -1, false);
	self->other = open_at(&self->target, 1, 2, -1, false);
	ASSERT_LE(0, self->fd);
	ASSERT_LE(0, self->other);
	ASSERT_TRUE(store(&self->target, FEW));
	EXPECT_EQ(FEW, event_count(self->fd));
	EXPECT_EQ(FEW, event_count(self->other));
	for (i = 0; i < 2; i++) {
		ASSERT_EQ(0, ioctl(self->fd, PERF_EVENT_IOC_RESET, 0));
		ASSERT_EQ(0, ioctl(self->other, PERF_EVENT_IOC_RESET, 0));
		EXPECT_EQ(0, event_count(self->fd));
		EXPECT_EQ(0, event_count(self->other));
		ASSERT_TRUE(store(&self->target, 1));
		EXPECT_EQ(1, event_count(self->fd));
		EXPECT_EQ(1, event_count(self->other));
	}
}

/* expected increments of the next stores */
static void expect_more(struct __test_metadata *_metadata, struct child *target,
			const int fd[2], int first, int second)
{
	int64_t before[2] = { event_count(fd[0]), event_count(fd[1]) };

	ASSERT_TRUE(store(target, FEW));
	EXPECT_EQ(first * FEW, event_count(fd[0]) - before[0]);
	EXPECT_EQ(second * FEW, event_count(fd[1]) - before[1]);
}

struct group_step {
	unsigned long cmd;
	int member;		/* 0 leader, 1 sibling */
	int group;
	int counts[2];		/* expected count of leader and sibling */
};

#define ON	PERF_EVENT_IOC_ENABLE
#define OFF	PERF_EVENT_IOC_DISABLE
#define GROUP	PERF_IOC_FLAG_GROUP

static const struct group_step group_steps[] = {
	{ ON, 0, 0, { 1, 0 } },		/* both were disabled */
	{ ON, 1, 0, { 1, 1 } },
	{ OFF, 0, 0, { 0, 0 } },	/* a sibling follows its leader */
	{ ON, 0, 0, { 1, 1 } },
	{ OFF, 1, 0, { 1, 0 } },
	{ ON, 0, GROUP, { 1, 1 } },
	{ OFF, 1, GROUP, { 0, 0 } },	/* with either descriptor */
	{ ON, 1, 0, { 0, 0 } },
	{ ON, 1, GROUP, { 1, 1 } },
	{ OFF, 0, GROUP, { 0, 0 } },
	{ ON, 0, 0, { 1, 0 } },
};

static void walk(struct __test_metadata *_metadata, struct child *target,
		 int session, const int fd[2])
{
	unsigned int i;

	for (i = 0; i < sizeof(group_steps) / sizeof(group_steps[0]); i++) {
		const struct group_step *step = &group_steps[i];

		ASSERT_EQ(0, ioctl(fd[step->member], step->cmd, step->group));
		ASSERT_TRUE(sync_with(session, fd[0]));
		expect_more(_metadata, target, fd, step->counts[0],
			    step->counts[1]);
		if (_metadata->exit_code)
			TH_LOG("step %u", i);
	}
}

TEST_F(monitor, enable_and_disable_counters)
{
	self->fd = open_at(&self->target, 1, 0, -1, true);
	ASSERT_LE(0, self->fd);
	self->other = open_at(&self->target, 2, 0, self->fd, true);
	ASSERT_LE(0, self->other);
	walk(_metadata, &self->target, self->session,
	     (int []){ self->fd, self->other });
}

TEST_F(monitor, enable_and_disable_samples)
{
	self->fd = open_at(&self->target, 1, 1, -1, true);
	ASSERT_LE(0, self->fd);
	self->other = open_at(&self->target, 2, 1, self->fd, true);
	ASSERT_LE(0, self->other);
	ASSERT_EQ(0, ring_map(&self->ring, self->fd, RING_PAGES));
	walk(_metadata, &self->target, self->session,
	     (int []){ self->fd, self->other });
}

TEST_HARNESS_MAIN
