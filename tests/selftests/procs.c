// SPDX-License-Identifier: GPL-2.0
/* Delivery of hits: threads of a process, sleeping targets. See also targets, family. */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
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

static uint64_t lane_va(uint64_t va)
{
	return va + LANE * sizeof(uint32_t);
}

static struct perf_event_attr lane_watch(uint64_t va)
{
	return event_watch(lane_va(va), 4, EVENT_STORES);
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

	/* it is awake while it takes what is left of many */
	while (n < 50 || !asleep) {
		struct pollfd pfd = { .fd = fd, .events = POLLIN };

		ASSERT_EQ(1, poll(&pfd, 1, PATIENCE * 1000)) {
			TH_LOG("no sample any more after %u", n);
			books_print();
		}
		asleep += task_state(child.pid) == 'S';
		for (; ring_next(&ring, &s); n++)
			EXPECT_EQ(lane_va(va), s.addr);
	}

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
 * exec: the point at which perf stat and perf record start to count.
 */

TEST_HARNESS_MAIN
