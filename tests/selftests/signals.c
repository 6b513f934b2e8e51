// SPDX-License-Identifier: GPL-2.0
/*
 * Effects of a hit on a target that sleeps in a system call. With sigtrap, its
 * signal arrives long before the call's own end, and the call is restarted or
 * not, as signal(7) says. Without, the call is not disturbed.
 */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <time.h>
#include <linux/futex.h>
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include "harness.h"
#include "books.h"
#include "event.h"
#include "repeater.h"
#include "trap.h"

#define DATA		0x123456789abcdef0
#define ADDR		(REPEATER_VA + 4)
#define PATIENCE	60
#define FAR_MS		1000000
#define NEAR_MS		150
#define PACE		300	/* arithmetic operations for each store */
#define FEW		5

/* objects that the main thread sleeps on, and that wake it regularly */
static struct {
	pid_t main;
	int pipe[2];
	int epoll;
	uint32_t futex;
	pid_t child;
	int child_goes[2];
	volatile bool entered;
	volatile bool woken;	/* by SIGUSR1 */
	volatile bool returned;
} world;

static struct {
	volatile int traps;
	struct trap_info info;
} seen;

static void on_trap(int sig, siginfo_t *info, void *context)
{
	seen.info = *trap_info(info);
	seen.traps++;
}

static void on_usr1(int sig)
{
	world.woken = true;
}

/* ---- calls: 0 or an errno ------------------------------------------------ */

static int result(long ret)
{
	return ret < 0 ? errno : 0;
}

static struct timespec ms_to_timespec(long ms)
{
	return (struct timespec){ ms / 1000, ms % 1000 * 1000000 };
}

static int in_nanosleep(long ms)
{
	struct timespec wanted = ms_to_timespec(ms), left = {};
	int err = result(nanosleep(&wanted, &left));

	/* an interrupted call returns the remaining time */
	return err == EINTR && !left.tv_sec && !left.tv_nsec ? ERANGE : err;
}

static int in_poll(long ms)
{
	struct pollfd pfd = { .fd = world.pipe[0], .events = POLLIN };

	return result(poll(&pfd, 1, ms));
}

static int in_epoll_wait(long ms)
{
	struct epoll_event event;

	return result(epoll_wait(world.epoll, &event, 1, ms));
}

/*
 * Hits wake the thread in the kernel, which then waits again. A wake-up in
 * between is not lost, as its caller changes the value first (futex(2)).
 */
static int in_futex(long ms)
{
	int err = result(syscall(SYS_futex, &world.futex, FUTEX_WAIT_PRIVATE,
				 0, NULL, NULL, 0));

	return err == EAGAIN ? 0 : err;
}

static int in_futex_timeout(long ms)
{
	struct timespec wanted = ms_to_timespec(ms);

	return result(syscall(SYS_futex, &world.futex, FUTEX_WAIT_PRIVATE, 0,
			      &wanted, NULL, 0));
}

static int in_read(long ms)
{
	char c;

	return result(read(world.pipe[0], &c, 1));
}

static int in_waitpid(long ms)
{
	return result(waitpid(world.child, NULL, 0));
}

static int in_pause(long ms)
{
	return result(pause());
}

static int in_sigtimedwait(long ms)
{
	struct timespec wanted = ms_to_timespec(ms);
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR2);
	return result(sigtimedwait(&set, NULL, &wanted));
}

/* ---- regular wakeups of these calls -------------------------------------- */

static void wake_futex(void)
{
	__atomic_store_n(&world.futex, 1, __ATOMIC_SEQ_CST);
	syscall(SYS_futex, &world.futex, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

static void wake_read(void)
{
	write(world.pipe[1], "", 1);
}

static void wake_waitpid(void)
{
	write(world.child_goes[1], "", 1);
}

static void wake_pause(void)
{
	syscall(SYS_tgkill, getpid(), world.main, SIGUSR1);
}

/**
 * struct call - a system call
 * @name: name
 * @sleep: sleep in it for so many ms, or for ever if it has no time-out
 * @wake: wake it regularly; NULL: by its time-out
 * @end: its result then
 * @restarts: it is restarted after a signal whose handler has SA_RESTART
 */
struct call {
	const char *name;
	int (*sleep)(long ms);
	void (*wake)(void);
	int end;
	bool restarts;
};

static const struct call calls[] = {
	{ "nanosleep", in_nanosleep, NULL, 0, false },
	{ "poll", in_poll, NULL, 0, false },
	{ "epoll_wait", in_epoll_wait, NULL, 0, false },
	{ "futex with a time-out", in_futex_timeout, NULL, ETIMEDOUT, false },
	{ "sigtimedwait", in_sigtimedwait, NULL, EAGAIN, false },
	{ "futex", in_futex, wake_futex, 0, true },
	{ "read", in_read, wake_read, 0, true },
	{ "waitpid", in_waitpid, wake_waitpid, 0, true },
	{ "pause", in_pause, wake_pause, EINTR, false },
};

#define NR_CALLS	(sizeof(calls) / sizeof(calls[0]))

/* a child that exits on a message */
static bool child_born(void)
{
	char c;

	world.child = fork();
	if (!world.child)
		_exit(read(world.child_goes[0], &c, 1) != 1);
	return world.child > 0;
}

static void child_gone(void)
{
	wake_waitpid();
	waitpid(world.child, NULL, 0);
}

static int open_world(void)
{
	struct epoll_event event = { .events = EPOLLIN };
	struct sigaction action = { .sa_handler = on_usr1 };
	sigset_t set;

	/* sigwait() and signalfd() require these to be blocked */
	sigemptyset(&set);
	sigaddset(&set, SIGUSR2);
	sigprocmask(SIG_BLOCK, &set, NULL);
	world.main = syscall(SYS_gettid);
	world.epoll = epoll_create1(0);
	return pipe(world.pipe) ?: pipe(world.child_goes) ?:
	       epoll_ctl(world.epoll, EPOLL_CTL_ADD, world.pipe[0], &event) ?:
	       sigaction(SIGUSR1, &action, NULL);
}

/* sleep in it, with the state of the thread visible to the others */
static int enter(const struct call *call, long ms)
{
	int err;

	__atomic_store_n(&world.futex, 0, __ATOMIC_SEQ_CST);
	world.returned = false;
	world.entered = true;
	err = call->sleep(ms);
	world.entered = false;
	world.returned = true;
	return err;
}

/* ---- the other thread ---------------------------------------------------- */

static bool wait_for(bool (*what)(void))
{
	int i;

	for (i = 0; i < PATIENCE * 1000; i++) {
		if (what())
			return true;
		usleep(1000);
	}
	return false;
}

static bool is_asleep(void)
{
	return world.entered && task_state(world.main) == 'S';
}

static bool is_trapped(void)
{
	return seen.traps > 0;
}

static bool is_asleep_or_back(void)
{
	return world.returned || is_asleep();
}

/**
 * struct friend - a thread that has the GPU store while the main one sleeps
 * @gpu: the main thread's context: its creator owns the hits
 * @call: system call in which the main thread sleeps
 * @restart: the main thread shall be asleep again after the signal
 * @asleep: out: the main thread slept when the GPU stored
 * @prompt: out: the signal arrived long before the end of the call
 * @again: out: the main thread slept again
 */
struct friend {
	struct gpu *gpu;
	const struct call *call;
	bool restart;
	bool asleep;
	bool prompt;
	bool again;
};

static void end_call(const struct call *call)
{
	if (call->wake)
		call->wake();
	else
		wake_pause();
}

static void *hit_once(void *arg)
{
	struct friend *friend = arg;

	friend->asleep = wait_for(is_asleep);
	friend->prompt = !repeat(friend->gpu, REPEATER_VA, 1) &&
			 wait_for(is_trapped);
	if (friend->prompt && friend->restart) {
		wait_for(is_asleep_or_back);
		friend->again = !world.returned;
	}
	if (!friend->prompt || friend->restart)
		end_call(friend->call);
	return NULL;
}

FIXTURE(signals) {
	struct gpu gpu;
	struct grun_mem stop;
	int fd;
};

FIXTURE_SETUP(signals)
{
	uint64_t va = REPEATER_VA;

	ASSERT_EQ(0, open_world());
	ASSERT_EQ(0, repeater_open(&self->gpu, &va));
	ASSERT_EQ(0, gpu_buffer(&self->gpu, &self->stop, 4096, 0));
	self->fd = -1;
}

FIXTURE_TEARDOWN(signals)
{
	close(self->fd);
	gpu_close(&self->gpu);
}

static int open_trap(void)
{
	struct perf_event_attr attr = trap_watch(ADDR, EVENT_STORES, DATA);

	return event_open(&attr, 0, -1);
}

static void start(pthread_t *thread, void *(*fn)(void *), void *arg)
{
	sigset_t all, old;

	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &old);
	if (pthread_create(thread, NULL, fn, arg))
		exit(1);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
}

static void expect_info(struct __test_metadata *_metadata, uint32_t flags)
{
	EXPECT_EQ(TRAP_PERF, seen.info.code);
	EXPECT_EQ(ADDR, seen.info.addr);
	EXPECT_EQ(DATA, seen.info.data);
	EXPECT_EQ(event_type(), seen.info.type);
	EXPECT_EQ(flags, seen.info.flags);
}

static void trap_in(struct __test_metadata *_metadata, struct gpu *gpu,
		    const struct call *call, bool sa_restart)
{
	struct friend friend = {
		.gpu = gpu,
		.call = call,
		.restart = sa_restart && call->restarts,
	};
	pthread_t thread;
	int err;

	ASSERT_TRUE(child_born());
	ASSERT_EQ(0, trap_handle(on_trap, sa_restart ? SA_RESTART : 0));
	seen.traps = 0;
	start(&thread, hit_once, &friend);
	err = enter(call, FAR_MS);
	pthread_join(thread, NULL);
	EXPECT_EQ(friend.restart ? call->end : EINTR, err) TH_LOG("%s", call->name);
	EXPECT_TRUE(friend.asleep) TH_LOG("%s", call->name);
	EXPECT_TRUE(friend.prompt) TH_LOG("%s", call->name);
	EXPECT_EQ(friend.restart, friend.again) TH_LOG("%s", call->name);
	EXPECT_EQ(1, seen.traps);
	expect_info(_metadata, 0);
	if (call->sleep != in_waitpid || err)
		child_gone();
}

TEST_F(signals, sigtrap_interrupts)
{
	unsigned int i;

	self->fd = open_trap();
	ASSERT_LE(0, self->fd);
	for (i = 0; i < NR_CALLS; i++)
		trap_in(_metadata, &self->gpu, &calls[i], false);
}

TEST_F(signals, sigtrap_and_restart)
{
	unsigned int i;

	self->fd = open_trap();
	ASSERT_LE(0, self->fd);
	for (i = 0; i < NR_CALLS; i++)
		trap_in(_metadata, &self->gpu, &calls[i], true);
}

/* ---- blocked ------------------------------------------------------------- */

static void block_trap(int how)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGTRAP);
	pthread_sigmask(how, &set, NULL);
}

static void *hit_sleeper(void *arg)
{
	struct friend *friend = arg;

	friend->asleep = wait_for(is_asleep);
	friend->prompt = !repeat(friend->gpu, REPEATER_VA, 1) &&
			 books_settle(PATIENCE);
	wake_read();
	return NULL;
}

/* the signal stays pending, disturbs no call, and is marked as late */
TEST_F(signals, blocked)
{
	struct friend friend = { .gpu = &self->gpu };
	pthread_t thread;
	sigset_t pending;

	self->fd = open_trap();
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(0, trap_handle(on_trap, 0));
	block_trap(SIG_BLOCK);
	start(&thread, hit_sleeper, &friend);
	EXPECT_EQ(0, enter(&(struct call){ .sleep = in_read }, 0));
	pthread_join(thread, NULL);
	EXPECT_TRUE(friend.asleep);
	EXPECT_TRUE(friend.prompt);
	EXPECT_EQ(0, seen.traps);
	ASSERT_EQ(0, sigpending(&pending));
	EXPECT_TRUE(sigismember(&pending, SIGTRAP));
	block_trap(SIG_UNBLOCK);
	EXPECT_EQ(1, seen.traps);
	expect_info(_metadata, TRAP_ASYNC);
}

static int in_sigwaitinfo(long ms)
{
	siginfo_t info;
	sigset_t set;
	int sig;

	sigemptyset(&set);
	sigaddset(&set, SIGTRAP);
	/* perf core sends it on return from a call, which it has interrupted */
	do {
		sig = sigwaitinfo(&set, &info);
	} while (sig < 0 && errno == EINTR && !world.woken);
	if (sig == SIGTRAP)
		on_trap(sig, &info, NULL);
	return sig == SIGTRAP ? 0 : errno;
}

/* like a thread of a debugger */
TEST_F(signals, waited_for)
{
	const struct call call = { .name = "sigwaitinfo", .sleep = in_sigwaitinfo };
	struct friend friend = { .gpu = &self->gpu, .call = &call };
	pthread_t thread;

	self->fd = open_trap();
	ASSERT_LE(0, self->fd);
	block_trap(SIG_BLOCK);
	start(&thread, hit_once, &friend);
	EXPECT_EQ(0, enter(&call, 0));
	pthread_join(thread, NULL);
	EXPECT_TRUE(friend.asleep);
	EXPECT_TRUE(friend.prompt);
	EXPECT_EQ(1, seen.traps);
	expect_info(_metadata, TRAP_ASYNC);
}

/* ---- a plain watch ------------------------------------------------------- */

static int counter = -1;	/* event that counts the stores while they happen */
static int64_t counted_before;

static bool has_hit_a_few(void)
{
	return event_count(counter) >= counted_before + FEW;
}

static void *wake_after_a_few(void *arg)
{
	struct friend *friend = arg;

	friend->asleep = wait_for(is_asleep);
	counted_before = event_count(counter);
	friend->prompt = wait_for(has_hit_a_few);
	friend->again = !world.returned;
	friend->call->wake();
	return NULL;
}

static void stay_until_woken(struct __test_metadata *_metadata,
			     const struct call *call)
{
	struct friend friend = { .call = call };
	pthread_t thread;

	start(&thread, wake_after_a_few, &friend);
	EXPECT_EQ(call->end, enter(call, 0)) TH_LOG("%s", call->name);
	pthread_join(thread, NULL);
	EXPECT_TRUE(friend.asleep) TH_LOG("%s", call->name);
	EXPECT_TRUE(friend.prompt) TH_LOG("%s", call->name);
	EXPECT_TRUE(friend.again) TH_LOG("%s", call->name);
}

static long ms_since(const struct timespec *start)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (now.tv_sec - start->tv_sec) * 1000 +
	       (now.tv_nsec - start->tv_nsec) / 1000000;
}

/* if each hit restarted the time-out, the call would never end */
static void stay_until_time_out(struct __test_metadata *_metadata,
				const struct call *call)
{
	struct timespec start;

	counted_before = event_count(counter);
	do {
		clock_gettime(CLOCK_MONOTONIC, &start);
		ASSERT_EQ(call->end, enter(call, NEAR_MS)) TH_LOG("%s", call->name);
		EXPECT_LE(NEAR_MS - 1, ms_since(&start));
	} while (!has_hit_a_few());
}

TEST_F(signals, a_plain_watch_disturbs_nothing)
{
	struct perf_event_attr attr = event_watch(ADDR, 4, EVENT_STORES);
	struct ring ring;
	unsigned int i;

	counter = event_open(&attr, 0, -1);
	ASSERT_LE(0, counter);
	event_sample(&attr, 1);
	self->fd = event_open(&attr, 0, -1);
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(0, ring_map(&ring, self->fd, 256));
	ASSERT_TRUE(child_born());
	ASSERT_EQ(0, gpu_start(&self->gpu, "paced", 1,
			       GPU_ARGS(REPEATER_VA, self->stop.va, PACE)));
	for (i = 0; i < NR_CALLS; i++)
		if (calls[i].wake)
			stay_until_woken(_metadata, &calls[i]);
		else
			stay_until_time_out(_metadata, &calls[i]);
	*(volatile uint32_t *)self->stop.cpu = 1;
	ASSERT_EQ(0, gpu_wait(&self->gpu, PATIENCE));
	EXPECT_LT(0, ring_drain(&ring));
	ring_unmap(&ring);
	close(counter);
}

TEST_HARNESS_MAIN
