// SPDX-License-Identifier: GPL-2.0
/*
 * The kernel's sigtrap_threads and perf's test "Sigtrap", which use a
 * breakpoint of the CPU, repeated with a watch: see mirrors.sh. For an access
 * of a thread, the thread has the GPU store.
 *
 * The GPU does not wait for the signal, and a pending signal also represents
 * those that follow: where signals are counted, a thread waits for each.
 */
#include <pthread.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include "harness.h"
#include "books.h"
#include "event.h"
#include "repeater.h"
#include "session.h"
#include "trap.h"

#define NUM_THREADS	5
#define STRESS		20	/* accesses of a thread */
#define ROUNDS		3	/* toggled so often, then with signals */
#define TOGGLES		5
#define SOME		10
#define ADDR		(REPEATER_VA + 4)
#define ELSEWHERE	(REPEATER_VA + 2048)
#define SIG_DATA(id)	(~ADDR + (id))
#define PATIENCE	60

static struct {
	int tids_want_signal;	/* sum of the ids of threads still without a signal */
	volatile int signal_count;
	struct trap_info first;
	volatile bool end;
} ctx;

static __thread volatile int own_signals;

static int gettid_(void)
{
	return syscall(SYS_gettid);
}

static void on_trap(int sig, siginfo_t *siginfo, void *context)
{
	const struct trap_info *info = trap_info(siginfo);

	if (info->code != TRAP_PERF)
		return;
	if (!__atomic_fetch_add(&ctx.signal_count, 1, __ATOMIC_RELAXED))
		ctx.first = *info;
	__atomic_fetch_sub(&ctx.tids_want_signal, gettid_(), __ATOMIC_RELAXED);
	own_signals++;
}

/**
 * struct crew - threads, each with a context
 * @thread: threads
 * @ready: threads that have their contexts
 * @go: start
 * @accesses: accesses of each thread
 * @await: wait for the signal of each access before the next one
 * @failed: number of failed threads
 */
struct crew {
	pthread_t thread[NUM_THREADS];
	pthread_barrier_t ready;
	pthread_barrier_t go;
	int accesses;
	bool await;
	int failed;
};

static bool access_and_await(struct crew *crew, struct gpu *gpu, int n)
{
	__atomic_fetch_add(&ctx.tids_want_signal, gettid_(), __ATOMIC_RELAXED);
	return !repeat(gpu, REPEATER_VA, 1) &&
	       (!crew->await || trap_spin(&own_signals, n));
}

/* endless accesses, without waiting for any */
static bool access_until_end(struct gpu *gpu)
{
	struct grun_mem stop;

	if (gpu_buffer(gpu, &stop, 4096, 0) ||
	    gpu_start(gpu, "until", 1, GPU_ARGS(REPEATER_VA, stop.va)))
		return false;
	while (!ctx.end)
		;
	*(volatile uint32_t *)stop.cpu = 1;
	return !gpu_wait(gpu, PATIENCE);
}

static void *test_thread(void *arg)
{
	uint64_t va = REPEATER_VA;
	struct crew *crew = arg;
	struct gpu gpu;
	bool good = !repeater_open(&gpu, &va);
	int i;

	pthread_barrier_wait(&crew->ready);
	pthread_barrier_wait(&crew->go);
	for (i = 1; good && i <= crew->accesses; i++)
		good = access_and_await(crew, &gpu, i);
	if (good && !crew->accesses)
		good = access_until_end(&gpu);
	if (!good)
		__atomic_fetch_add(&crew->failed, 1, __ATOMIC_RELAXED);
	gpu_close(&gpu);
	return NULL;
}

static int open_event(uint64_t addr, bool enabled)
{
	struct perf_event_attr attr = trap_watch(addr, EVENT_ANY, SIG_DATA(0));

	attr.disabled = !enabled;
	attr.inherit = 1;
	attr.inherit_thread = 1;
	return event_open(&attr, 0, -1);
}

FIXTURE(sigtrap_threads) {
	struct crew crew;
	int session;
	int fd;
};

FIXTURE_SETUP(sigtrap_threads)
{
	memset(&ctx, 0, sizeof(ctx));
	ASSERT_EQ(0, trap_handle(on_trap, SA_NODEFER));
	self->session = session_open();
	ASSERT_LE(0, self->session);
	self->fd = -1;
}

FIXTURE_TEARDOWN(sigtrap_threads)
{
	close(self->fd);
	close(self->session);
}

/* threads inherit the event of @addr, and create their contexts */
static bool crew_start(struct crew *crew, int *fd, uint64_t addr, bool enabled)
{
	int i;

	*fd = open_event(addr, enabled);
	pthread_barrier_init(&crew->ready, NULL, NUM_THREADS + 1);
	pthread_barrier_init(&crew->go, NULL, NUM_THREADS + 1);
	for (i = 0; i < NUM_THREADS; i++)
		if (pthread_create(&crew->thread[i], NULL, test_thread, crew))
			return false;
	pthread_barrier_wait(&crew->ready);
	return *fd >= 0;
}

static void crew_join(struct crew *crew)
{
	int i;

	for (i = 0; i < NUM_THREADS; i++)
		pthread_join(crew->thread[i], NULL);
}

/* true once all accesses were made, and all signals seen if @await */
static bool crew_run(struct crew *crew)
{
	pthread_barrier_wait(&crew->go);
	crew_join(crew);
	return !crew->failed && books_settle(PATIENCE);
}

static bool enable(int session, int fd)
{
	return !ioctl(fd, PERF_EVENT_IOC_ENABLE, 0) && session_armed(session, fd, PATIENCE);
}

static void expect_info(struct __test_metadata *_metadata)
{
	EXPECT_EQ(ADDR, ctx.first.addr);
	EXPECT_EQ(event_type(), ctx.first.type);
	EXPECT_EQ(SIG_DATA(0), ctx.first.data);
}

/* each access raised a signal of its own, in the thread that made it */
static void expect_signals(struct __test_metadata *_metadata, int n)
{
	EXPECT_EQ(n, ctx.signal_count);
	EXPECT_EQ(0, ctx.tids_want_signal);
	expect_info(_metadata);
}

static void expect_parent_s(struct __test_metadata *_metadata)
{
	int before = ctx.signal_count;
	uint64_t va = REPEATER_VA;
	struct gpu gpu;

	ASSERT_EQ(0, repeater_open(&gpu, &va));
	ASSERT_EQ(0, repeat(&gpu, va, 1));
	EXPECT_TRUE(trap_spin(&ctx.signal_count, before + 1));
	EXPECT_EQ(before + 1, ctx.signal_count);
	gpu_close(&gpu);
}

TEST_F(sigtrap_threads, remain_disabled)
{
	self->crew.accesses = 1;
	ASSERT_TRUE(crew_start(&self->crew, &self->fd, ADDR, false));
	EXPECT_TRUE(crew_run(&self->crew));
	EXPECT_EQ(0, ctx.signal_count);
	EXPECT_NE(0, ctx.tids_want_signal);
}

TEST_F(sigtrap_threads, enable_event)
{
	self->crew.accesses = 1;
	self->crew.await = true;
	ASSERT_TRUE(crew_start(&self->crew, &self->fd, ADDR, false));
	EXPECT_TRUE(enable(self->session, self->fd));
	EXPECT_TRUE(crew_run(&self->crew));
	expect_signals(_metadata, NUM_THREADS);
	expect_parent_s(_metadata);
}

/*
 * perf core modifies attributes of the CPU's breakpoints only: gpubp has an
 * ioctl for that, which does not change sig_data.
 */
TEST_F(sigtrap_threads, modify_and_enable_event)
{
	struct perf_event_attr attr = trap_watch(ADDR, EVENT_ANY, SIG_DATA(42));

	self->crew.accesses = 1;
	self->crew.await = true;
	ASSERT_TRUE(crew_start(&self->crew, &self->fd, ELSEWHERE, false));
	EXPECT_EQ(-1, ioctl(self->fd, PERF_EVENT_IOC_MODIFY_ATTRIBUTES, &attr));
	EXPECT_EQ(EOPNOTSUPP, errno);
	ASSERT_EQ(0, session_modify(self->session, self->fd, ADDR));
	EXPECT_TRUE(enable(self->session, self->fd));
	EXPECT_TRUE(crew_run(&self->crew));
	expect_signals(_metadata, NUM_THREADS);
	expect_parent_s(_metadata);
}

static void stress(struct __test_metadata *_metadata, struct crew *crew, int *fd,
		   int session)
{
	crew->accesses = STRESS;
	crew->await = true;
	ASSERT_TRUE(crew_start(crew, fd, ADDR, false));
	EXPECT_TRUE(enable(session, *fd));
	EXPECT_TRUE(crew_run(crew));
	EXPECT_EQ(0, ioctl(*fd, PERF_EVENT_IOC_DISABLE, 0));
	expect_signals(_metadata, NUM_THREADS * STRESS);
}

TEST_F(sigtrap_threads, signal_stress)
{
	stress(_metadata, &self->crew, &self->fd, self->session);
}

static bool off_and_on(int fd)
{
	int i;

	for (i = 0; i < TOGGLES; i++)
		if (ioctl(fd, PERF_EVENT_IOC_DISABLE, 0) ||
		    ioctl(fd, PERF_EVENT_IOC_ENABLE, 0))
			return false;
	return true;
}

/* sleeping: the threads use all CPUs while they wait for their end */
static bool some_signals(void)
{
	int i, until = ctx.signal_count + SOME;

	for (i = 0; i < PATIENCE * 100 && ctx.signal_count < until; i++)
		usleep(10000);
	return ctx.signal_count >= until;
}

TEST_F(sigtrap_threads, signal_stress_with_disable)
{
	int round;

	ASSERT_TRUE(crew_start(&self->crew, &self->fd, ADDR, false));
	EXPECT_EQ(0, ioctl(self->fd, PERF_EVENT_IOC_ENABLE, 0));
	pthread_barrier_wait(&self->crew.go);
	for (round = 0; round < ROUNDS; round++) {
		EXPECT_TRUE(off_and_on(self->fd));
		EXPECT_TRUE(some_signals()) TH_LOG("round %d", round);
	}
	ctx.end = true;
	crew_join(&self->crew);
	EXPECT_EQ(0, self->crew.failed);
	EXPECT_EQ(0, ioctl(self->fd, PERF_EVENT_IOC_DISABLE, 0));
	expect_info(_metadata);
}

/* perf's own test */
TEST(perf_sigtrap)
{
	struct crew crew = {};
	int session, fd;

	memset(&ctx, 0, sizeof(ctx));
	ASSERT_EQ(0, trap_handle(on_trap, SA_NODEFER));
	session = session_open();
	ASSERT_LE(0, session);
	stress(_metadata, &crew, &fd, session);
	close(fd);
	close(session);
}

TEST_HARNESS_MAIN
