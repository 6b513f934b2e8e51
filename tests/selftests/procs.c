// SPDX-License-Identifier: GPL-2.0
/* Delivery of hits: processes, threads, children, CPUs, sleeping targets. */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include "harness.h"
#include "books.h"
#include "event.h"
#include "repeater.h"
#include "session.h"

#define SIZE	4096
#define LANE	3
#define ROUNDS	20
#define PATIENCE 60	/* s */
#define RING_PAGES 128
#define MAX_CPUS 64

static uint64_t lane_va(uint64_t va)
{
	return va + LANE * sizeof(uint32_t);
}

static struct perf_event_attr lane_watch(uint64_t va)
{
	return event_watch(lane_va(va), 4, EVENT_STORES);
}

TEST(same_address_in_two_processes)
{
	struct child child[2];
	struct perf_event_attr attr;
	uint64_t va = 0;
	int fd[2], i;

	for (i = 0; i < 2; i++) {
		uint64_t got;

		ASSERT_EQ(0, child_start(&child[i], repeater, &va));
		ASSERT_TRUE(hear(child[i].sock, &got));
		if (i)
			ASSERT_EQ(va, got);
		va = got;
	}
	attr = lane_watch(va);
	fd[0] = event_open(&attr, child[0].pid, -1);
	ASSERT_LE(0, fd[0]);

	/* only the first is watched */
	ASSERT_TRUE(repeater_run(&child[1], ROUNDS));
	EXPECT_EQ(0, event_count(fd[0]));
	ASSERT_TRUE(repeater_run(&child[0], ROUNDS));
	EXPECT_EQ(ROUNDS, event_count(fd[0]));

	/* both are watched, each by its own event */
	fd[1] = event_open(&attr, child[1].pid, -1);
	ASSERT_LE(0, fd[1]);
	ASSERT_TRUE(repeater_run(&child[1], 2 * ROUNDS));
	EXPECT_EQ(2 * ROUNDS, event_count(fd[1]));
	EXPECT_EQ(ROUNDS, event_count(fd[0]));

	for (i = 0; i < 2; i++) {
		say(child[i].sock, 0);
		EXPECT_EQ(0, child_end(&child[i]));
		close(fd[i]);
	}
}

/* learns that the event exists before it creates a context */
static int late_opener(int sock, void *arg)
{
	uint64_t word;

	if (!hear(sock, &word))
		return 1;
	return repeater(sock, arg);
}

TEST(context_younger_than_the_event)
{
	struct perf_event_attr attr;
	struct child child;
	uint64_t va = 0;
	int fd, i;

	/* an address that is free in a fresh context */
	ASSERT_EQ(0, child_start(&child, repeater, &va));
	va = heard(child.sock);
	child_kill(&child);

	attr = lane_watch(va);
	for (i = 0; i < 10; i++) {
		ASSERT_EQ(0, child_start(&child, late_opener, &va));
		fd = event_open(&attr, child.pid, -1);
		ASSERT_LE(0, fd);
		say(child.sock, 0);
		ASSERT_EQ(va, (uint64_t)heard(child.sock));
		/* a single store, the first of the context */
		ASSERT_TRUE(repeater_run(&child, 1));
		EXPECT_EQ(1, event_count(fd));
		say(child.sock, 0);
		EXPECT_EQ(0, child_end(&child));
		close(fd);
	}
}

/*
 * Threads: the leader only watches, another thread has the context.
 */

static void *thread_repeater(void *arg)
{
	int sock = *(int *)arg;
	uint64_t va = 0;

	say(sock, syscall(SYS_gettid));
	return (void *)(long)repeater(sock, &va);
}

static int leader(int sock, void *arg)
{
	pthread_t thread;
	void *result;

	if (pthread_create(&thread, NULL, thread_repeater, &sock) ||
	    pthread_join(thread, &result))
		return 1;
	return result != NULL;
}

TEST(process_bit)
{
	struct perf_event_attr attr, whole;
	int of_leader, of_process, of_thread;
	struct child child;
	uint64_t va;
	pid_t tid;

	ASSERT_EQ(0, child_start(&child, leader, NULL));
	tid = heard(child.sock);
	ASSERT_TRUE(hear(child.sock, &va));
	attr = whole = lane_watch(va);
	whole.config |= GPUBP_CONFIG_PROCESS;
	of_leader = event_open(&attr, child.pid, -1);
	of_process = event_open(&whole, child.pid, -1);
	of_thread = event_open(&attr, tid, -1);
	ASSERT_LE(0, of_leader);
	ASSERT_LE(0, of_process);
	ASSERT_LE(0, of_thread);

	ASSERT_TRUE(repeater_run(&child, ROUNDS));
	EXPECT_EQ(ROUNDS, event_count(of_process));
	EXPECT_EQ(ROUNDS, event_count(of_thread));
	EXPECT_EQ(0, event_count(of_leader));
	say(child.sock, 0);
	EXPECT_EQ(0, child_end(&child));
	close(of_leader);
	close(of_process);
	close(of_thread);
}

TEST(process_bit_samples)
{
	struct perf_event_attr attr;
	unsigned int n = 0;
	struct child child;
	struct sample s;
	struct ring ring;
	int fd, session;
	uint64_t va;

	ASSERT_EQ(0, child_start(&child, leader, NULL));
	heard(child.sock);
	ASSERT_TRUE(hear(child.sock, &va));
	attr = lane_watch(va);
	attr.config |= GPUBP_CONFIG_PROCESS;
	event_sample(&attr, 1);
	fd = event_open(&attr, child.pid, -1);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, ring_map(&ring, fd, RING_PAGES));
	ASSERT_TRUE(repeater_run(&child, ROUNDS));
	/* the thread is done; the leader sleeps, and must run to get its samples */
	session = session_open();
	ASSERT_EQ(0, session_sync(session, fd, PATIENCE, NULL));
	close(session);
	for (; ring_next(&ring, &s); n++) {
		EXPECT_EQ(child.pid, s.pid);
		EXPECT_EQ(child.pid, s.tid);
		EXPECT_EQ(lane_va(va), s.addr);
	}
	EXPECT_EQ(ROUNDS, n);
	say(child.sock, 0);
	EXPECT_EQ(0, child_end(&child));
	close(fd);
}

/*
 * Inheritance: the target forks a child and starts a thread, each with a
 * context of its own, and also stores itself.
 */

static int nothing_to_say(uint64_t va)
{
	struct grun_mem mem;
	struct gpu gpu;

	if (gpu_open(&gpu, "loop") || gpu_buffer(&gpu, &mem, SIZE, va) ||
	    repeat(&gpu, mem.va, ROUNDS))
		return 1;
	gpu_close(&gpu);
	return 0;
}

static void *thread_main(void *arg)
{
	return (void *)(long)nothing_to_say(*(uint64_t *)arg);
}

static int child_main(int sock, void *arg)
{
	return nothing_to_say(*(uint64_t *)arg);
}

static int family(int sock, void *arg)
{
	struct child child;
	pthread_t thread;
	void *result;

	if (heard(sock) || nothing_to_say(*(uint64_t *)arg) ||
	    child_start(&child, child_main, arg) || child_end(&child) ||
	    pthread_create(&thread, NULL, thread_main, arg) ||
	    pthread_join(thread, &result))
		return 1;
	return result || !say(sock, 0);
}

/* an address that is free in every new context */
static uint64_t free_va(void)
{
	struct child child;
	uint64_t va = 0;

	if (child_start(&child, repeater, &va))
		return 0;
	va = heard(child.sock);
	child_kill(&child);
	return va;
}

TEST(inherit)
{
	struct perf_event_attr attr;
	uint64_t va = free_va();
	struct child child;
	int with, without;

	ASSERT_EQ(0, child_start(&child, family, &va));
	attr = lane_watch(va);
	without = event_open(&attr, child.pid, -1);
	attr.inherit = 1;
	with = event_open(&attr, child.pid, -1);
	ASSERT_LE(0, without);
	ASSERT_LE(0, with);
	say(child.sock, 0);
	ASSERT_EQ(0, heard(child.sock));
	EXPECT_EQ(3 * ROUNDS, event_count(with));
	EXPECT_EQ(ROUNDS, event_count(without));
	EXPECT_EQ(0, child_end(&child));
	EXPECT_EQ(3 * ROUNDS, event_count(with));
	close(with);
	close(without);
}

/* like perf record: one event for each CPU, inherited */
TEST(inherit_samples)
{
	int nr_cpus = sysconf(_SC_NPROCESSORS_ONLN), cpu;
	struct perf_event_attr attr;
	uint64_t va = free_va();
	struct ring ring[MAX_CPUS];
	struct child child;
	unsigned int n = 0;
	int fd[MAX_CPUS];

	ASSERT_GE(MAX_CPUS, nr_cpus);
	ASSERT_EQ(0, child_start(&child, family, &va));
	attr = lane_watch(va);
	attr.inherit = 1;
	event_sample(&attr, 1);
	for (cpu = 0; cpu < nr_cpus; cpu++) {
		fd[cpu] = event_open(&attr, child.pid, cpu);
		ASSERT_LE(0, fd[cpu]);
		ASSERT_EQ(0, ring_map(&ring[cpu], fd[cpu], RING_PAGES));
	}
	say(child.sock, 0);
	ASSERT_EQ(0, heard(child.sock));
	EXPECT_EQ(0, child_end(&child));
	for (cpu = 0; cpu < nr_cpus; cpu++) {
		n += ring_drain(&ring[cpu]);
		EXPECT_EQ(0, ring[cpu].lost);
		EXPECT_EQ(0, ring[cpu].bad);
		close(fd[cpu]);
	}
	EXPECT_EQ(3 * ROUNDS, n);
}

/*
 * A target that sleeps in its wait call while its kernel stores for ever.
 * Another thread of it receives the request to end that.
 */

struct stopper {
	int sock;
	volatile uint32_t *stop;
};

static void *stop_on_request(void *arg)
{
	struct stopper *stopper = arg;

	heard(stopper->sock);
	*stopper->stop = 1;
	return NULL;
}

/* sends the address; receives start and stop; sends how often each lane stored */
static int sleeper(int sock, void *arg)
{
	struct stopper stopper = { .sock = sock };
	struct grun_mem out, stop;
	pthread_t thread;
	struct gpu gpu;

	if (gpu_open(&gpu, "loop") || gpu_buffer(&gpu, &out, SIZE, 0) ||
	    gpu_buffer(&gpu, &stop, SIZE, 0) || !say(sock, out.va) ||
	    heard(sock))
		return 1;
	stopper.stop = stop.cpu;
	if (pthread_create(&thread, NULL, stop_on_request, &stopper) ||
	    gpu_run(&gpu, "until", 1, GPU_ARGS(out.va, stop.va)) ||
	    pthread_join(thread, NULL))
		return 1;
	if (!say(sock, ((volatile uint32_t *)out.cpu)[LANE]) || heard(sock))
		return 1;
	gpu_close(&gpu);
	return 0;
}

TEST(samples_of_a_sleeping_target)
{
	struct perf_event_attr attr;
	unsigned int n = 0, asleep = 0;
	struct child child;
	struct sample s;
	struct ring ring;
	uint64_t va, stored;
	int fd, counter;

	ASSERT_EQ(0, child_start(&child, sleeper, NULL));
	ASSERT_TRUE(hear(child.sock, &va));
	attr = lane_watch(va);
	counter = event_open(&attr, child.pid, -1);
	ASSERT_LE(0, counter);
	event_sample(&attr, 1);
	fd = event_open(&attr, child.pid, -1);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, ring_map(&ring, fd, RING_PAGES));
	say(child.sock, 0);

	while (n < 50) {
		struct pollfd pfd = { .fd = fd, .events = POLLIN };

		ASSERT_EQ(1, poll(&pfd, 1, PATIENCE * 1000)) {
			TH_LOG("no sample any more after %u", n);
			books_print();
		}
		asleep += task_state(child.pid) == 'S';
		for (; ring_next(&ring, &s); n++)
			EXPECT_EQ(lane_va(va), s.addr);
	}
	EXPECT_LT(0, asleep);

	say(child.sock, 0);
	ASSERT_TRUE(hear(child.sock, &stored));
	EXPECT_EQ(stored, event_count(counter));
	n += ring_drain(&ring);
	EXPECT_EQ(stored, n + ring.lost);
	EXPECT_EQ(0, ring.lost);
	say(child.sock, 0);
	EXPECT_EQ(0, child_end(&child));
	close(counter);
	close(fd);
}

TEST(counter_of_a_sleeping_target)
{
	struct event_value before, now;
	struct perf_event_attr attr;
	struct child child;
	uint64_t va, stored;
	int fd, i;

	ASSERT_EQ(0, child_start(&child, sleeper, NULL));
	ASSERT_TRUE(hear(child.sock, &va));
	attr = lane_watch(va);
	/* it sleeps, like a target of perf stat -p may */
	fd = event_open(&attr, child.pid, -1);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, event_read(fd, &before));
	say(child.sock, 0);

	/* the count grows between reads, and so do the times */
	for (i = 0; i < 5; i++) {
		int64_t end = PATIENCE * 100;

		do {
			usleep(10000);
			ASSERT_EQ(0, event_read(fd, &now));
		} while (now.count == before.count && --end);
		ASSERT_LT(before.count, now.count) books_print();
		EXPECT_LT(0, now.running);
		EXPECT_EQ(now.enabled, now.running);
		before = now;
	}
	EXPECT_EQ('S', task_state(child.pid));

	say(child.sock, 0);
	ASSERT_TRUE(hear(child.sock, &stored));
	EXPECT_EQ(stored, event_count(fd));
	say(child.sock, 0);
	EXPECT_EQ(0, child_end(&child));
	close(fd);
}

/* wait until the kernel has executed so many more instructions */
static bool kernel_goes_on(int64_t more)
{
	int64_t from = books_device("instructions");
	int i;

	for (i = 0; i < PATIENCE * 100; i++) {
		if (books_device("instructions") - from >= more)
			return true;
		usleep(10000);
	}
	return false;
}

/* disabled and enabled again, without the target ever running */
TEST(disable_and_enable_while_it_sleeps)
{
	struct perf_event_attr attr;
	struct child child;
	int64_t still;
	uint64_t va;
	int fd, i;

	ASSERT_EQ(0, child_start(&child, sleeper, NULL));
	ASSERT_TRUE(hear(child.sock, &va));
	attr = lane_watch(va);
	fd = event_open(&attr, child.pid, -1);
	ASSERT_LE(0, fd);
	say(child.sock, 0);
	for (i = 0; !event_count(fd) && i < PATIENCE * 100; i++)
		usleep(10000);
	ASSERT_LT(0, event_count(fd));

	ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_DISABLE, 0));
	still = event_count(fd);
	ASSERT_TRUE(kernel_goes_on(20000));
	EXPECT_EQ(still, event_count(fd));

	ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_ENABLE, 0));
	for (i = 0; event_count(fd) == still && i < PATIENCE * 100; i++)
		usleep(10000);
	EXPECT_LT(still, event_count(fd));

	say(child.sock, 0);
	heard(child.sock);
	say(child.sock, 0);
	EXPECT_EQ(0, child_end(&child));
	close(fd);
}

/*
 * One event for each CPU, as perf opens them: the copies add up to the hits, on
 * whichever CPUs the target runs.
 */

static void *wander(void *arg)
{
	int nr_cpus = sysconf(_SC_NPROCESSORS_ONLN), cpu = 0;
	cpu_set_t set;

	for (;;) {
		CPU_ZERO(&set);
		CPU_SET(cpu++ % nr_cpus, &set);
		sched_setaffinity(*(pid_t *)arg, sizeof(set), &set);
		usleep(cpu % 3 ? 0 : 2000);
	}
	return NULL;
}

#define WANDER_ROUNDS	2000

static int wanderer(int sock, void *arg)
{
	pid_t tid = syscall(SYS_gettid);
	pthread_t thread;

	if (pthread_create(&thread, NULL, wander, &tid))
		return 1;
	return repeater(sock, arg);
}

static int busy_wanderer(int sock, void *arg)
{
	repeat_polls = true;
	return wanderer(sock, arg);
}

FIXTURE(wanderer) {
	struct child child;
	uint64_t va;
	int nr_cpus;
};

FIXTURE_VARIANT(wanderer) {
	int (*target)(int sock, void *arg);
};

FIXTURE_VARIANT_ADD(wanderer, sleeps) { .target = wanderer };
FIXTURE_VARIANT_ADD(wanderer, polls) { .target = busy_wanderer };

FIXTURE_SETUP(wanderer)
{
	self->nr_cpus = sysconf(_SC_NPROCESSORS_ONLN);
	ASSERT_GE(MAX_CPUS, self->nr_cpus);
	ASSERT_EQ(0, child_start(&self->child, variant->target, &self->va));
	ASSERT_TRUE(hear(self->child.sock, &self->va));
}

FIXTURE_TEARDOWN(wanderer)
{
	say(self->child.sock, 0);
	EXPECT_EQ(0, child_end(&self->child));
}

TEST_F(wanderer, counted_on_all_cpus)
{
	struct perf_event_attr attr = lane_watch(self->va);
	int fd[MAX_CPUS], cpu;
	int64_t counted = 0;

	for (cpu = 0; cpu < self->nr_cpus; cpu++) {
		fd[cpu] = event_open(&attr, self->child.pid, cpu);
		ASSERT_LE(0, fd[cpu]);
	}
	ASSERT_TRUE(repeater_run(&self->child, WANDER_ROUNDS));
	for (cpu = 0; cpu < self->nr_cpus; cpu++) {
		counted += event_count(fd[cpu]);
		close(fd[cpu]);
	}
	EXPECT_EQ(WANDER_ROUNDS, counted);
}

TEST_F(wanderer, sampled_on_all_cpus)
{
	struct perf_event_attr attr = lane_watch(self->va);
	struct ring ring[MAX_CPUS];
	int fd[MAX_CPUS], cpu;
	int64_t sampled = 0;

	event_sample(&attr, 1);
	for (cpu = 0; cpu < self->nr_cpus; cpu++) {
		fd[cpu] = event_open(&attr, self->child.pid, cpu);
		ASSERT_LE(0, fd[cpu]);
		ASSERT_EQ(0, ring_map(&ring[cpu], fd[cpu], RING_PAGES));
	}
	ASSERT_TRUE(repeater_run(&self->child, WANDER_ROUNDS));
	EXPECT_TRUE(books_settle(PATIENCE));
	for (cpu = 0; cpu < self->nr_cpus; cpu++) {
		struct sample s;

		for (; ring_next(&ring[cpu], &s); sampled++)
			EXPECT_EQ(cpu, s.cpu);
		EXPECT_EQ(0, ring[cpu].lost);
	}
	EXPECT_EQ(WANDER_ROUNDS, sampled) {
		books_print();
	}
	for (cpu = 0; cpu < self->nr_cpus; cpu++)
		close(fd[cpu]);
}

#define FREQUENT	4000
#define RARELY		20	/* samples a second */

/*
 * perf adjusts the period, which does not change the count. A hit takes far
 * less than the 50 ms from one sample to the next, so only a small part of the
 * hits are samples.
 */
TEST(frequency)
{
	struct perf_event_attr attr;
	struct child child;
	struct ring ring;
	uint64_t va = 0;
	unsigned int n;
	int fd;

	ASSERT_EQ(0, child_start(&child, repeater, &va));
	ASSERT_TRUE(hear(child.sock, &va));
	attr = lane_watch(va);
	event_sample(&attr, 0);
	attr.freq = 1;
	attr.sample_freq = RARELY;
	fd = event_open(&attr, child.pid, -1);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, ring_map(&ring, fd, RING_PAGES));
	ASSERT_TRUE(repeater_run(&child, FREQUENT));
	EXPECT_EQ(FREQUENT, event_count(fd));
	n = ring_drain(&ring);
	TH_LOG("%u samples of %d hits", n, FREQUENT);
	EXPECT_LT(0, n);
	EXPECT_GE(FREQUENT / 4, n);
	EXPECT_EQ(0, ring.lost);
	say(child.sock, 0);
	EXPECT_EQ(0, child_end(&child));
	close(fd);
}

TEST(period_of_seven)
{
	struct perf_event_attr attr;
	struct child child;
	struct ring ring;
	uint64_t va = 0;
	int fd;

	ASSERT_EQ(0, child_start(&child, repeater, &va));
	ASSERT_TRUE(hear(child.sock, &va));
	attr = lane_watch(va);
	event_sample(&attr, 7);
	fd = event_open(&attr, child.pid, -1);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, ring_map(&ring, fd, RING_PAGES));
	ASSERT_TRUE(repeater_run(&child, 7 * 30 + 3));
	EXPECT_EQ(7 * 30 + 3, event_count(fd));
	EXPECT_EQ(30, ring_drain(&ring));
	say(child.sock, 0);
	EXPECT_EQ(0, child_end(&child));
	close(fd);
}

/*
 * exec: the point at which perf stat and perf record start to count.
 */

static int exec_app(int sock, void *arg)
{
	char va[32];

	snprintf(va, sizeof(va), "%#llx", *(unsigned long long *)arg);
	/* before exec: must not be counted */
	if (heard(sock) || nothing_to_say(*(uint64_t *)arg))
		return 1;
	execl("/proc/self/exe", "procs", "app", va, NULL);
	return 1;
}

TEST(enable_on_exec)
{
	struct perf_event_attr attr;
	uint64_t va = free_va();
	struct child child;
	int fd;

	ASSERT_EQ(0, child_start(&child, exec_app, &va));
	attr = lane_watch(va);
	attr.disabled = 1;
	attr.enable_on_exec = 1;
	fd = event_open(&attr, child.pid, -1);
	ASSERT_LE(0, fd);
	say(child.sock, 0);
	EXPECT_EQ(0, child_end(&child));
	EXPECT_EQ(ROUNDS, event_count(fd));
	close(fd);
}

TEST(own_process)
{
	struct perf_event_attr attr;
	struct grun_mem mem;
	struct gpu gpu;
	int fd;

	ASSERT_EQ(0, gpu_open(&gpu, "loop"));
	ASSERT_EQ(0, gpu_buffer(&gpu, &mem, SIZE, 0));
	attr = lane_watch(mem.va);
	fd = event_open(&attr, 0, -1);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, repeat(&gpu, mem.va, ROUNDS));
	EXPECT_EQ(ROUNDS, event_count(fd));
	gpu_close(&gpu);
	EXPECT_EQ(ROUNDS, event_count(fd));
	close(fd);
}

/* a program that is executed with enable_on_exec, or the tests */
int main(int argc, char **argv)
{
	if (argc == 3 && !strcmp(argv[1], "app"))
		return nothing_to_say(strtoull(argv[2], NULL, 0));
	return test_harness_run(argc, argv);
}
