// SPDX-License-Identifier: GPL-2.0
/*
 * Events stopped by perf core: at the sample limit that a user set, and
 * together with a group whose leader is throttled. Hits without a sample are
 * reported as lost.
 */
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include "harness.h"
#include "books.h"
#include "child.h"
#include "event.h"
#include "gpu.h"

#define SIZE		4096
#define ROUNDS		40	/* fewer than are delivered at once */
#define LIMIT		3
#define PATIENCE	60
#define MAX_RATE	"/proc/sys/kernel/perf_event_max_sample_rate"

FIXTURE(throttle) {
	struct gpu gpu;
	struct grun_mem out;
	struct perf_event_attr attr;
	struct ring ring;
	int fd;
};

FIXTURE_SETUP(throttle)
{
	ASSERT_EQ(0, gpu_open(&self->gpu, "loop"));
	ASSERT_EQ(0, gpu_buffer(&self->gpu, &self->out, SIZE, 0));
	self->attr = event_watch(self->out.va + 8, 4, EVENT_STORES);
	event_sample(&self->attr, 1);
	self->fd = -1;
}

FIXTURE_TEARDOWN(throttle)
{
	if (self->fd >= 0) {
		ring_unmap(&self->ring);
		close(self->fd);
	}
	gpu_close(&self->gpu);
}

static int open_in_group(const struct perf_event_attr *attr, int leader)
{
	return syscall(SYS_perf_event_open, attr, 0, -1, leader,
		       PERF_FLAG_FD_CLOEXEC);
}

static int64_t lost(int fd)
{
	struct event_value value;

	return event_read(fd, &value) ? -1 : (int64_t)value.lost;
}

/*
 * A real-time thread on the caller's CPU, so that all hits wait for it and are
 * then delivered together.
 */
struct hog {
	pthread_t thread;
	int go[2];
	int ms;
};

static void *hog_main(void *arg)
{
	struct sched_param param = { .sched_priority = 1 };
	struct hog *hog = arg;
	struct timespec start, now;
	char c;

	sched_setscheduler(0, SCHED_FIFO, &param);
	if (read(hog->go[0], &c, 1) != 1)
		return NULL;
	clock_gettime(CLOCK_MONOTONIC, &start);
	do {
		clock_gettime(CLOCK_MONOTONIC, &now);
	} while ((now.tv_sec - start.tv_sec) * 1000 +
		 (now.tv_nsec - start.tv_nsec) / 1000000 < hog->ms);
	return NULL;
}

static int hog_start(struct hog *hog, int ms)
{
	hog->ms = ms;
	return run_on_cpu(0, 1) ?:
	       pipe2(hog->go, O_CLOEXEC) ?:
	       pthread_create(&hog->thread, NULL, hog_main, hog);
}

static void hog_go(struct hog *hog)
{
	cpu_set_t cpus;

	write(hog->go[1], "", 1);
	pthread_join(hog->thread, NULL);
	close(hog->go[0]);
	close(hog->go[1]);
	memset(&cpus, 0xff, sizeof(cpus));
	sched_setaffinity(0, sizeof(cpus), &cpus);
}

TEST_F(throttle, refresh_gives_no_sample_too_many)
{
	struct hog hog;
	unsigned int i;

	if (sysconf(_SC_NPROCESSORS_ONLN) < 2)
		SKIP(return, "needs two CPUs: waves run while one is kept busy");
	self->attr.disabled = 1;
	self->fd = event_open(&self->attr, 0, -1);
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(0, ring_map(&self->ring, self->fd, 8));
	ASSERT_EQ(0, hog_start(&hog, 300));
	for (i = 1; i <= 3; i++) {
		ASSERT_EQ(0, ioctl(self->fd, PERF_EVENT_IOC_REFRESH, LIMIT));
		ASSERT_EQ(0, gpu_start(&self->gpu, "repeat", 1,
				       GPU_ARGS(self->out.va, ROUNDS)));
		if (i == 1)
			hog_go(&hog);
		ASSERT_EQ(0, gpu_wait(&self->gpu, PATIENCE));
		EXPECT_EQ(LIMIT, ring_drain(&self->ring));
		EXPECT_EQ(i * LIMIT, event_count(self->fd));
	}
}

static void write_rate(const char *text)
{
	int fd = open(MAX_RATE, O_WRONLY | O_CLOEXEC);

	if (fd >= 0) {
		write(fd, text, strlen(text));
		close(fd);
	}
}

/* a leader that perf core throttles at its first sample in every tick */
TEST_F(throttle, a_throttled_group_loses_no_hit_unseen)
{
	struct perf_event_attr clock = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(clock),
		.config = PERF_COUNT_SW_CPU_CLOCK,
		.sample_period = 100000,
		.sample_type = PERF_SAMPLE_IP,
	};
	unsigned int sampled = 0, round;
	int leader;

	write_rate("1");
	leader = event_open(&clock, 0, -1);
	write_rate("100000");
	ASSERT_LE(0, leader);
	self->fd = open_in_group(&self->attr, leader);
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(0, ring_map(&self->ring, self->fd, 64));
	write_rate("1");
	for (round = 1; round <= 10; round++) {
		ASSERT_EQ(0, gpu_start(&self->gpu, "repeat", 1,
				       GPU_ARGS(self->out.va, ROUNDS)));
		/* busy, because the leader's clock stops during sleep */
		while (gpu_wait(&self->gpu, 0))
			;
		sampled += ring_drain(&self->ring);
	}
	write_rate("100000");
	EXPECT_EQ(10 * ROUNDS, sampled + lost(self->fd))
		TH_LOG("sampled %u, lost %lld", sampled, (long long)lost(self->fd));
	EXPECT_LT(0, sampled);
	close(leader);
}

TEST_HARNESS_MAIN
