// SPDX-License-Identifier: GPL-2.0
/*
 * SIGKILL of targets and of tools at random points: nothing stays behind.
 *
 * environment:
 *	GPUBP_STORM	rounds, default 100
 *	GPUBP_SEED	of the random numbers
 */
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>
#include <sys/prctl.h>
#include "harness.h"
#include "books.h"
#include "child.h"
#include "event.h"
#include "gpu.h"

#define SIZE		4096
#define ROUNDS		100
#define MAX_CPUS	64
#define SECONDS		3000
#define PERF		"/usr/bin/perf"

static int number(const char *name, int fallback)
{
	const char *text = getenv(name);

	return text ? atoi(text) : fallback;
}

static void nap(int max_us)
{
	usleep(max_us ? random() % max_us : 0);
}

/*
 * Targets.
 */

/* one kernel that never ends */
static int endless(struct gpu *gpu, uint64_t out, uint64_t zero)
{
	return gpu_run(gpu, "until", 2, GPU_ARGS(out, zero));
}

/* many short ones */
static int many(struct gpu *gpu, uint64_t out, uint64_t zero)
{
	int ret;

	do {
		ret = gpu_run(gpu, "repeat", 1, GPU_ARGS(out, 3));
	} while (!ret);
	return ret;
}

static int child_of_target(int sock, void *arg)
{
	uint64_t out = *(uint64_t *)arg;
	struct grun_mem mem;
	struct gpu gpu;

	if (gpu_open(&gpu, "loop") || gpu_buffer(&gpu, &mem, SIZE, out))
		return 1;
	return many(&gpu, mem.va, 0);
}

/* a crowd of children, which die with it */
static int forks(struct gpu *gpu, uint64_t out, uint64_t zero)
{
	struct child child[3];
	int i;

	for (i = 0; i < 3; i++)
		if (child_start(&child[i], child_of_target, &out))
			return 1;
	return many(gpu, out, zero);
}

static int target(int sock, void *arg)
{
	int (*fn)(struct gpu *gpu, uint64_t out, uint64_t zero) = arg;
	struct grun_mem out, zero;
	struct gpu gpu;

	if (gpu_open(&gpu, "loop") || gpu_buffer(&gpu, &out, SIZE, 0) ||
	    gpu_buffer(&gpu, &zero, SIZE, 0) || !say(sock, out.va) ||
	    heard(sock))
		return 1;
	return fn(&gpu, out.va, zero.va);
}

/*
 * Tools: each opens events on a target, says so, and goes on until killed.
 */

struct job {
	pid_t pid;
	uint64_t va;
};

/* as perf record: an inherited event a CPU, each with a ring */
static int recorder(int sock, void *arg)
{
	int nr_cpus = sysconf(_SC_NPROCESSORS_ONLN), cpu;
	const struct job *job = arg;
	struct perf_event_attr attr = event_watch(job->va, 4, EVENT_STORES);
	struct pollfd pfd[MAX_CPUS];
	struct ring ring[MAX_CPUS];

	attr.inherit = 1;
	event_sample(&attr, 1 + random() % 3);
	for (cpu = 0; cpu < nr_cpus && cpu < MAX_CPUS; cpu++) {
		pfd[cpu].fd = event_open(&attr, job->pid, cpu);
		pfd[cpu].events = POLLIN;
		if (pfd[cpu].fd < 0 || ring_map(&ring[cpu], pfd[cpu].fd, 8))
			return 1;
	}
	say(sock, 0);
	for (;;) {
		poll(pfd, cpu, 10);
		for (nr_cpus = 0; nr_cpus < cpu; nr_cpus++)
			ring_drain(&ring[nr_cpus]);
	}
}

/* as perf stat: counters, more than there are comparators */
static int counters(int sock, void *arg)
{
	const struct job *job = arg;
	int fd[8], i;

	for (i = 0; i < 8; i++) {
		struct perf_event_attr attr = event_watch(job->va + 32 * i, 4,
							  EVENT_WRITES);

		attr.inherit = i & 1;
		fd[i] = event_open(&attr, job->pid, -1);
		if (fd[i] < 0)
			return 1;
	}
	say(sock, 0);
	for (i = 0;; i++) {
		event_count(fd[i % 8]);
		usleep(1000);
	}
}

/* the real one; slow to start, so not always */
static int perf(int sock, void *arg)
{
	const struct job *job = arg;
	char event[128], pid[16];
	int null = open("/dev/null", O_RDWR);

	snprintf(event, sizeof(event), "gpubp/watch_w,addr=%#llx,len=4/",
		 (unsigned long long)job->va);
	snprintf(pid, sizeof(pid), "%d", (int)job->pid);
	dup2(null, 1);
	dup2(null, 2);
	say(sock, 0);
	execl(PERF, PERF, "record", "-q", "-c", "1", "-d", "-o", "/dev/null",
	      "-e", event, "-p", pid, NULL);
	return 1;
}

static int one_round(int n)
{
	static int (*const targets[])(struct gpu *, uint64_t, uint64_t) = {
		endless, many, forks,
	};
	bool real = !access(PERF, X_OK) && n % 10 == 9;
	int (*const tool)(int, void *) = real ? perf : n & 1 ? counters : recorder;
	struct child victim, watcher;
	struct job job;

	if (child_start(&victim, target, targets[random() % 3]) ||
	    !hear(victim.sock, &job.va))
		return -1;
	job.pid = victim.pid;
	if (child_start(&watcher, tool, &job) || heard(watcher.sock))
		return -1;
	say(victim.sock, 0);
	nap(real ? 2000000 : 60000);
	if (random() & 1) {
		child_kill(&victim);
		nap(20000);
		child_kill(&watcher);
	} else {
		child_kill(&watcher);
		nap(20000);
		child_kill(&victim);
	}
	return 0;
}

FIXTURE(storm) {
	int rounds;
};

FIXTURE_SETUP(storm)
{
	int seed = number("GPUBP_SEED", time(NULL) ^ getpid());

	self->rounds = number("GPUBP_STORM", ROUNDS);
	srandom(seed);
	event_type();
	TH_LOG("%d rounds, seed %d", self->rounds, seed);
}

FIXTURE_TEARDOWN(storm)
{
}

TEST_F_TIMEOUT(storm, kill_at_random_points, SECONDS)
{
	int i;

	for (i = 0; i < self->rounds; i++)
		ASSERT_EQ(0, one_round(i)) TH_LOG("round %d", i);
	EXPECT_TRUE(books_idle(60)) books_print();
}

/* the device still works, exactly */
TEST_F(storm, calm_afterwards)
{
	struct perf_event_attr attr;
	struct grun_mem mem;
	struct gpu gpu;
	int fd;

	ASSERT_EQ(0, gpu_open(&gpu, "loop"));
	ASSERT_EQ(0, gpu_buffer(&gpu, &mem, SIZE, 0));
	attr = event_watch(mem.va, 4, EVENT_STORES);
	fd = event_open(&attr, 0, -1);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, gpu_run(&gpu, "repeat", 1, GPU_ARGS(mem.va, 10)));
	EXPECT_TRUE(books_settle(60));
	EXPECT_EQ(10, event_count(fd));
	gpu_close(&gpu);
	close(fd);
}

TEST_HARNESS_MAIN
