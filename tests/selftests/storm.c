// SPDX-License-Identifier: GPL-2.0
/*
 * SIGKILL of targets and of tools at random points: no object is left.
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
#include <sys/mman.h>
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

/* many children, which die with it */
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
 * Tools: each opens events on a target, reports that, and runs until killed.
 * One that exits by itself has found an error.
 */

/**
 * struct seen - results of all tools, in shared memory
 * @counted: hits
 * @sampled: samples
 */
struct seen {
	uint64_t counted;
	uint64_t sampled;
};

struct job {
	pid_t pid;
	uint64_t va;
	struct seen *seen;
};

static struct seen *seen_map(void)
{
	void *seen = mmap(NULL, sizeof(struct seen), PROT_READ | PROT_WRITE,
			  MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	return seen == MAP_FAILED ? NULL : seen;
}

static bool drain(struct ring *ring, const struct job *job)
{
	struct sample s;

	while (ring_next(ring, &s)) {
		if (s.addr != job->va)
			return false;
		job->seen->sampled++;
	}
	return !ring->bad;
}

/* like perf record: an inherited event for each CPU, each with a ring */
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
			if (!drain(&ring[nr_cpus], job))
				return 2;
	}
}

/* like perf stat: counters, more than comparators */
static int counters(int sock, void *arg)
{
	const struct job *job = arg;
	int64_t now, before[8] = {};
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
	for (i = 0;; i = (i + 1) % 8) {
		now = event_count(fd[i]);
		if (now < before[i])
			return 2;
		job->seen->counted += now - before[i];
		before[i] = now;
		usleep(1000);
	}
}

/* perf itself; slow to start, so not used in each round */
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

/* perf has opened its event on each CPU, or ended */
static bool perf_watches(const struct child *perf)
{
	int i, nr_cpus = sysconf(_SC_NPROCESSORS_ONLN);

	for (i = 0; i < 24000 && task_state(perf->pid) != 'Z'; i++) {
		if (books_events() >= nr_cpus)
			return true;
		usleep(10000);
	}
	return false;
}

/* perf exits successfully with its target; the other tools run until killed */
static bool ended_well(int status, bool real)
{
	return status == 128 + SIGKILL || (real && !status);
}

static int one_round(int n, struct seen *seen)
{
	static int (*const targets[])(struct gpu *, uint64_t, uint64_t) = {
		endless, many, forks,
	};
	bool real = !access(PERF, X_OK) && n % 20 == 19;
	int (*const tool)(int, void *) = real ? perf : n & 1 ? counters : recorder;
	struct child victim, watcher;
	struct job job = { .seen = seen };
	int status;

	if (child_start(&victim, target, targets[random() % 3]) ||
	    !hear(victim.sock, &job.va))
		return -1;
	job.pid = victim.pid;
	if (child_start(&watcher, tool, &job) || heard(watcher.sock))
		return -1;
	if (real && !perf_watches(&watcher))
		return -1;
	say(victim.sock, 0);
	/* most kills shall come after the first hits */
	nap(debug_kernel() ? 400000 : 60000);
	if (random() & 1) {
		child_kill(&victim);
		nap(20000);
		status = child_kill(&watcher);
	} else {
		status = child_kill(&watcher);
		nap(20000);
		child_kill(&victim);
	}
	return ended_well(status, real) ? 0 : status;
}

FIXTURE(storm) {
	int rounds;
};

FIXTURE_SETUP(storm)
{
	int seed = env_number("GPUBP_SEED", time(NULL) ^ getpid());

	self->rounds = env_number("GPUBP_STORM", ROUNDS);
	srandom(seed);
	event_type();
	TH_LOG("%d rounds, seed %d", self->rounds, seed);
}

FIXTURE_TEARDOWN(storm)
{
}

TEST_F_TIMEOUT(storm, kill_at_random_points, SECONDS)
{
	struct seen *seen = seen_map();
	int i;

	ASSERT_NE(NULL, seen);
	for (i = 0; i < self->rounds; i++)
		ASSERT_EQ(0, one_round(i, seen)) TH_LOG("round %d", i);
	TH_LOG("%lu counted, %lu sampled", seen->counted, seen->sampled);
	/* results of tools that were not killed before they could store them */
	EXPECT_LT(0, seen->counted + seen->sampled);
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
	EXPECT_EQ(10, event_count(fd));
	gpu_close(&gpu);
	close(fd);
}

TEST_HARNESS_MAIN
