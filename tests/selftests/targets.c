// SPDX-License-Identifier: GPL-2.0
/*
 * Hit ownership: events of CPUs and cgroups next to those of tasks. Each hit
 * has one owner, which is on one CPU, so that each sum over copies equals the
 * number of stores.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include "harness.h"
#include "books.h"
#include "child.h"
#include "event.h"
#include "repeater.h"
#include "session.h"

#define LANE		3
#define ROUNDS		40
#define PATIENCE	60	/* s */
#define RING_PAGES	32
#define MAX_CPUS	64
#define USER		1000
#define NO_TASK		UINT32_MAX	/* perf's pid of a task that has exited */
#define CPU1		"/sys/devices/system/cpu/cpu1/online"

static struct perf_event_attr lane_watch(uint64_t va)
{
	return event_watch(va + LANE * sizeof(uint32_t), 4, EVENT_STORES);
}

static int nr_cpus(void)
{
	int n = sysconf(_SC_NPROCESSORS_ONLN);

	return n < MAX_CPUS ? n : MAX_CPUS;
}

/*
 * Copies of an event for every CPU: of all tasks, of one, or of a cgroup.
 */

struct copies {
	int nr;
	int fd[MAX_CPUS];
	struct ring ring[MAX_CPUS];
	bool sampling;
};

static int open_with(const struct perf_event_attr *attr, pid_t pid, int cpu,
		     unsigned long flags)
{
	int fd = syscall(SYS_perf_event_open, attr, pid, cpu, -1,
			 flags | PERF_FLAG_FD_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

/* 0 or a negative errno */
static int copies_open(struct copies *c, const struct perf_event_attr *attr,
		       pid_t pid, unsigned long flags)
{
	int err = 0;

	c->sampling = attr->sample_period;
	for (c->nr = 0; c->nr < nr_cpus(); c->nr++) {
		c->fd[c->nr] = open_with(attr, pid, c->nr, flags);
		if (c->fd[c->nr] < 0)
			return c->fd[c->nr];
		if (c->sampling)
			err = ring_map(&c->ring[c->nr], c->fd[c->nr],
				       RING_PAGES);
		if (err)
			return err;
	}
	return 0;
}

static void copies_close(struct copies *c)
{
	while (c->nr) {
		close(c->fd[--c->nr]);
		if (c->sampling)
			ring_unmap(&c->ring[c->nr]);
	}
}

/*
 * A hit is counted before its work completes, but a sample is written by the CPU of its
 * event, which may pause between drains (kernel/gpubp/perf/drain.c).
 */
static void copies_settle(const struct copies *c)
{
	if (c->sampling)
		books_settle(PATIENCE);
}

static int64_t copies_count(struct copies *c)
{
	int64_t sum = 0;
	int i;

	copies_settle(c);
	for (i = 0; i < c->nr; i++)
		sum += event_count(c->fd[i]);
	return sum;
}

/**
 * struct tallied - samples of all copies
 * @nr: samples
 * @theirs: of them, those of the expected task
 * @astray: of them, those with another CPU than their event
 */
struct tallied {
	int nr, theirs, astray;
};

static struct tallied copies_drain(struct copies *c, uint32_t pid, uint32_t tid)
{
	struct tallied t = {};
	struct sample s;
	int i;

	copies_settle(c);
	for (i = 0; i < c->nr; i++)
		while (ring_next(&c->ring[i], &s)) {
			t.nr++;
			t.theirs += s.pid == pid && s.tid == tid;
			t.astray += s.cpu != (uint32_t)i;
		}
	return t;
}

#define EXPECT_SAMPLES(c, times, pid, tid) do {				\
	struct tallied __t = copies_drain(c, pid, tid);			\
	EXPECT_EQ(times, __t.nr) books_print();				\
	EXPECT_EQ(__t.nr, __t.theirs);					\
	EXPECT_EQ(0, __t.astray);					\
} while (0)

/*
 * Targets.
 */

static int sleeper(int sock, void *arg)
{
	return repeater(sock, arg);
}

static int spinner(int sock, void *arg)
{
	repeat_polls = true;
	return repeater(sock, arg);
}

static void *wander(void *arg)
{
	int cpu = 0;

	for (;;) {
		run_on_cpu(*(pid_t *)arg, cpu++ % nr_cpus());
		usleep(1000);
	}
	return NULL;
}

static int wanderer(int sock, void *arg)
{
	pid_t tid = syscall(SYS_gettid);
	pthread_t thread;

	if (pthread_create(&thread, NULL, wander, &tid))
		return 1;
	return spinner(sock, arg);
}

static int dozing_wanderer(int sock, void *arg)
{
	pid_t tid = syscall(SYS_gettid);
	pthread_t thread;

	if (pthread_create(&thread, NULL, wander, &tid))
		return 1;
	return sleeper(sock, arg);
}

/**
 * struct two - a process of two threads that share a context
 * @gpu: the context
 * @mem: its buffer
 * @sock: source of requests
 */
struct two {
	struct gpu gpu;
	struct grun_mem mem;
	int sock;
};

static int two_open(struct two *two)
{
	return gpu_open(&two->gpu, "loop") ?:
	       gpu_buffer(&two->gpu, &two->mem, REPEATER_SIZE, 0);
}

static int two_serve(struct two *two)
{
	uint64_t times;

	while (hear(two->sock, &times) && times)
		if (repeat(&two->gpu, two->mem.va, times) || !say(two->sock, 0))
			return 1;
	return 0;
}

static void *two_open_thread(void *arg)
{
	return two_open(arg) ? arg : NULL;
}

/* the thread that created the queue has exited, its leader has not */
static int orphan(int sock, void *arg)
{
	struct two two = { .sock = sock };
	pthread_t thread;
	void *failed;

	if (pthread_create(&thread, NULL, two_open_thread, &two) ||
	    pthread_join(thread, &failed) || failed)
		return 1;
	say(sock, two.mem.va);
	return two_serve(&two);
}

static void *two_serve_thread(void *arg)
{
	struct two *two = arg;

	while (task_state(getpid()) != 'Z')
		usleep(1000);
	say(two->sock, two->mem.va);
	_exit(two_serve(two));
}

/* the leader, which created the queue, has exited, and the process continues */
static int headless(int sock, void *arg)
{
	static struct two two;
	pthread_t thread;

	two.sock = sock;
	if (two_open(&two) ||
	    pthread_create(&thread, NULL, two_serve_thread, &two))
		return 1;
	syscall(SYS_exit, 0);
	return 1;
}

/*
 * CPU-wide events.
 */

FIXTURE(cpu_wide) {
	struct child child;
	uint64_t va;
};

FIXTURE_VARIANT(cpu_wide) {
	int (*target)(int sock, void *arg);
	bool no_task;
};

FIXTURE_VARIANT_ADD(cpu_wide, sleeps) { .target = sleeper };
FIXTURE_VARIANT_ADD(cpu_wide, polls) { .target = spinner };
FIXTURE_VARIANT_ADD(cpu_wide, wanders) { .target = wanderer };
FIXTURE_VARIANT_ADD(cpu_wide, creator_exited) { .target = orphan };
FIXTURE_VARIANT_ADD(cpu_wide, leader_exited) { .target = headless, .no_task = true };

FIXTURE_SETUP(cpu_wide)
{
	ASSERT_EQ(0, child_start(&self->child, variant->target, &self->va));
	ASSERT_TRUE(hear(self->child.sock, &self->va));
}

FIXTURE_TEARDOWN(cpu_wide)
{
	say(self->child.sock, 0);
	EXPECT_EQ(0, child_end(&self->child));
}

TEST_F(cpu_wide, counted_and_sampled_on_all_cpus)
{
	struct perf_event_attr attr = lane_watch(self->va);
	uint32_t pid = variant->no_task ? NO_TASK : (uint32_t)self->child.pid;
	struct copies count, process, sample, sample_process;

	ASSERT_EQ(0, copies_open(&count, &attr, -1, 0));
	event_sample(&attr, 1);
	ASSERT_EQ(0, copies_open(&sample, &attr, -1, 0));
	attr.config |= GPUBP_CONFIG_PROCESS;
	ASSERT_EQ(0, copies_open(&sample_process, &attr, -1, 0));
	attr.sample_period = 0;
	ASSERT_EQ(0, copies_open(&process, &attr, -1, 0));

	ASSERT_TRUE(repeater_run(&self->child, ROUNDS));
	EXPECT_EQ(ROUNDS, copies_count(&count)) books_print();
	EXPECT_EQ(ROUNDS, copies_count(&process));
	EXPECT_EQ(ROUNDS, copies_count(&sample));
	EXPECT_SAMPLES(&sample, ROUNDS, pid, pid);
	EXPECT_SAMPLES(&sample_process, ROUNDS, pid, pid);

	copies_close(&process);
	copies_close(&sample_process);
	copies_close(&sample);
	copies_close(&count);
}

/* every kind of event, for the same hits */
static void expect_all_agree(struct __test_metadata *_metadata,
			     int (*target)(int sock, void *arg))
{
	struct perf_event_attr attr, sampling;
	struct copies cpus, task_cpus, sample, task_sample;
	struct child child;
	uint64_t va = 0;
	int task;

	ASSERT_EQ(0, child_start(&child, target, &va));
	ASSERT_TRUE(hear(child.sock, &va));
	attr = lane_watch(va);
	task = event_open(&attr, child.pid, -1);
	ASSERT_LE(0, task);
	ASSERT_EQ(0, copies_open(&cpus, &attr, -1, 0));
	ASSERT_EQ(0, copies_open(&task_cpus, &attr, child.pid, 0));
	sampling = attr;
	event_sample(&sampling, 1);
	sampling.inherit = 1;
	ASSERT_EQ(0, copies_open(&sample, &sampling, -1, 0));
	ASSERT_EQ(0, copies_open(&task_sample, &sampling, child.pid, 0));

	ASSERT_TRUE(repeater_run(&child, 5 * ROUNDS));
	EXPECT_EQ(5 * ROUNDS, copies_count(&cpus)) books_print();
	EXPECT_EQ(5 * ROUNDS, copies_count(&task_cpus));
	EXPECT_EQ(5 * ROUNDS, event_count(task));
	EXPECT_SAMPLES(&sample, 5 * ROUNDS, child.pid, child.pid);
	EXPECT_SAMPLES(&task_sample, 5 * ROUNDS, child.pid, child.pid);

	say(child.sock, 0);
	EXPECT_EQ(0, child_end(&child));
	copies_close(&task_sample);
	copies_close(&sample);
	copies_close(&task_cpus);
	copies_close(&cpus);
	close(task);
}

TEST(all_ways_agree) { expect_all_agree(_metadata, wanderer); }
TEST(all_ways_agree_while_it_sleeps) { expect_all_agree(_metadata, dozing_wanderer); }

static int store_and_exit(uint64_t va, uint64_t times)
{
	struct grun_mem mem;
	struct gpu gpu;

	return gpu_open(&gpu, "loop") ||
	       gpu_buffer(&gpu, &mem, REPEATER_SIZE, va) ||
	       repeat(&gpu, va, times);
}

static void *store_in_thread(void *arg)
{
	return store_and_exit(*(uint64_t *)arg, ROUNDS) ? arg : NULL;
}

/* a context for each child, which exits before the next one starts */
static int parent(int sock, void *arg)
{
	uint64_t va = *(uint64_t *)arg, word;
	pthread_t thread;
	int i, status;
	void *failed;
	pid_t pid;

	if (!hear(sock, &word))
		return 1;
	for (i = 0; i < 3; i++) {
		pid = fork();
		if (!pid)
			_exit(store_and_exit(va, ROUNDS));
		if (waitpid(pid, &status, 0) != pid || status)
			return 1;
	}
	if (pthread_create(&thread, NULL, store_in_thread, &va) ||
	    pthread_join(thread, &failed) || failed)
		return 1;
	return !say(sock, 0);
}

TEST(clones_of_copies)
{
	struct copies cpus, sample, task_cpus;
	struct perf_event_attr attr;
	struct child child;
	uint64_t va = 0;
	int task;

	ASSERT_EQ(0, child_start(&child, sleeper, &va));
	va = heard(child.sock);
	child_kill(&child);
	attr = lane_watch(va);
	ASSERT_EQ(0, child_start(&child, parent, &va));
	ASSERT_EQ(0, copies_open(&cpus, &attr, -1, 0));
	attr.inherit = 1;
	task = event_open(&attr, child.pid, -1);
	ASSERT_LE(0, task);
	ASSERT_EQ(0, copies_open(&task_cpus, &attr, child.pid, 0));
	attr.inherit = 0;
	event_sample(&attr, 1);
	ASSERT_EQ(0, copies_open(&sample, &attr, -1, 0));

	ASSERT_TRUE(repeater_run(&child, 1));
	EXPECT_EQ(0, child_end(&child));
	EXPECT_EQ(4 * ROUNDS, copies_count(&cpus)) books_print();
	EXPECT_EQ(4 * ROUNDS, event_count(task));
	EXPECT_EQ(4 * ROUNDS, copies_count(&task_cpus));
	EXPECT_EQ(4 * ROUNDS, copies_drain(&sample, 0, 0).nr);
	copies_close(&sample);
	copies_close(&task_cpus);
	copies_close(&cpus);
	close(task);
}

/*
 * So many events that a CPU does not write all samples in the interrupt of their hit:
 * some wait, whatever happens to their process and their watch, and are written all the
 * same.
 */
#define CROWD	100

static int crowd[CROWD][MAX_CPUS];

static int crowd_open(uint64_t va)
{
	struct perf_event_attr attr = lane_watch(va);
	int i, cpu;

	event_sample(&attr, 1);
	/* and samples are large */
	attr.sample_type |= PERF_SAMPLE_STACK_USER;
	attr.sample_stack_user = 1 << 15;
	for (i = 0; i < CROWD; i++)
		for (cpu = 0; cpu < nr_cpus(); cpu++) {
			crowd[i][cpu] = open_with(&attr, -1, cpu, 0);
			if (crowd[i][cpu] < 0)
				return crowd[i][cpu];
		}
	return 0;
}

/* each event of @stores; they are closed */
static int crowd_missing(int stores)
{
	int i, cpu, missing = CROWD * stores;

	for (i = 0; i < CROWD; i++)
		for (cpu = 0; cpu < nr_cpus(); cpu++) {
			missing -= event_count(crowd[i][cpu]);
			close(crowd[i][cpu]);
		}
	return missing;
}

TEST(samples_of_who_exits)
{
	struct child child;
	uint64_t va = 0;

	ASSERT_EQ(0, child_start(&child, sleeper, &va));
	va = heard(child.sock);
	child_kill(&child);
	ASSERT_EQ(0, child_start(&child, parent, &va));
	ASSERT_EQ(0, crowd_open(va));
	ASSERT_TRUE(repeater_run(&child, 1));
	EXPECT_EQ(0, child_end(&child));
	EXPECT_TRUE(books_settle(PATIENCE));
	EXPECT_EQ(0, crowd_missing(4 * ROUNDS));
}

TEST(samples_of_events_that_watch_something_else)
{
	int session = session_open(), i, cpu;
	struct child child;
	uint64_t va = 0;

	ASSERT_LE(0, session);
	ASSERT_EQ(0, child_start(&child, sleeper, &va));
	va = heard(child.sock);
	ASSERT_EQ(0, crowd_open(va));
	ASSERT_TRUE(repeater_run(&child, 4 * ROUNDS));
	/* the last ones first: their samples wait longest */
	for (i = CROWD; i--; )
		for (cpu = 0; cpu < nr_cpus(); cpu++)
			ASSERT_EQ(0, session_modify(session, crowd[i][cpu], va + REPEATER_SIZE));
	EXPECT_TRUE(books_settle(PATIENCE));
	EXPECT_EQ(0, crowd_missing(4 * ROUNDS));
	say(child.sock, 0);
	EXPECT_EQ(0, child_end(&child));
	close(session);
}

/* the process exits before its samples are read; no sample waits for a task */
TEST(who_comes_and_goes)
{
	struct perf_event_attr attr;
	struct copies count, sample;
	struct child child;
	uint64_t va = 0;
	int i;

	ASSERT_EQ(0, child_start(&child, sleeper, &va));
	ASSERT_TRUE(hear(child.sock, &va));
	attr = lane_watch(va);
	ASSERT_EQ(0, copies_open(&count, &attr, -1, 0));
	event_sample(&attr, 1);
	ASSERT_EQ(0, copies_open(&sample, &attr, -1, 0));
	for (i = 0; i < 8; i++) {
		ASSERT_TRUE(repeater_run(&child, ROUNDS));
		EXPECT_NE(0, child_kill(&child));
		ASSERT_EQ(0, child_start(&child, i % 2 ? sleeper : wanderer,
					 &va));
		ASSERT_EQ(va, (uint64_t)heard(child.sock));
	}
	child_kill(&child);
	EXPECT_EQ(8 * ROUNDS, copies_count(&count)) books_print();
	EXPECT_EQ(8 * ROUNDS, copies_drain(&sample, 0, 0).nr);
	copies_close(&sample);
	copies_close(&count);
}

/* nothing is resident, or all of it is armed: no time to be scaled */
TEST(times_of_a_cpu)
{
	struct perf_event_attr attr;
	struct event_value before, now;
	struct child child;
	uint64_t va = 0;
	int fd, i;

	ASSERT_EQ(0, child_start(&child, sleeper, &va));
	ASSERT_TRUE(hear(child.sock, &va));
	attr = lane_watch(va);
	fd = event_open(&attr, -1, 0);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, event_read(fd, &before));
	for (i = 0; i < 3; i++) {
		ASSERT_TRUE(repeater_run(&child, ROUNDS));
		ASSERT_EQ(0, event_read(fd, &now));
		EXPECT_LT(before.running, now.running);
		EXPECT_EQ(now.enabled, now.running);
		before = now;
	}
	say(child.sock, 0);
	EXPECT_EQ(0, child_end(&child));
	close(fd);
}

/*
 * The owner sleeps on a CPU that goes offline, and another thread dispatches.
 */

static int write_text(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC), err = 0;

	if (fd < 0)
		return -errno;
	if (write(fd, text, strlen(text)) < 0)
		err = -errno;
	close(fd);
	return err;
}

static void *serve_on_cpu_0(void *arg)
{
	struct two *two = arg;

	run_on_cpu(0, 0);
	while (task_state(getpid()) != 'S')
		usleep(1000);
	say(two->sock, two->mem.va);
	return two_serve(two) ? arg : NULL;
}

static int asleep_on_cpu_1(int sock, void *arg)
{
	struct two two = { .sock = sock };
	pthread_t thread;
	void *failed;

	run_on_cpu(0, 1);
	if (two_open(&two) ||
	    pthread_create(&thread, NULL, serve_on_cpu_0, &two) ||
	    pthread_join(thread, &failed))
		return 1;
	return failed != NULL;
}

TEST(the_owner_s_cpu_goes_away)
{
	struct perf_event_attr attr;
	int count, gone, sample, task;
	struct child child;
	struct ring ring;
	struct sample s;
	uint64_t va = 0;
	int nr = 0;

	if (access(CPU1, W_OK))
		SKIP(return, "CPU 1 cannot be taken offline");
	ASSERT_EQ(0, child_start(&child, asleep_on_cpu_1, NULL));
	ASSERT_TRUE(hear(child.sock, &va));
	attr = lane_watch(va);
	task = event_open(&attr, child.pid, -1);
	ASSERT_LE(0, task);
	count = event_open(&attr, -1, 0);
	ASSERT_LE(0, count);
	gone = event_open(&attr, -1, 1);
	ASSERT_LE(0, gone);
	event_sample(&attr, 1);
	sample = event_open(&attr, -1, 0);
	ASSERT_LE(0, sample);
	ASSERT_EQ(0, ring_map(&ring, sample, RING_PAGES));

	/* without CPU 0 as its CPU, its hits are not CPU 0's */
	ASSERT_TRUE(repeater_run(&child, ROUNDS));
	EXPECT_EQ(0, event_count(count));
	EXPECT_EQ(ROUNDS, event_count(gone));
	EXPECT_EQ(ROUNDS, event_count(task));

	ASSERT_EQ(0, write_text(CPU1, "0"));
	EXPECT_TRUE(repeater_run(&child, ROUNDS));
	EXPECT_EQ(0, write_text(CPU1, "1"));
	EXPECT_EQ(ROUNDS, event_count(count)) books_print();
	EXPECT_EQ(2 * ROUNDS, event_count(task));
	/* perf disabled it permanently when its CPU went offline */
	EXPECT_EQ(ROUNDS, event_count(gone));
	for (; ring_next(&ring, &s); nr++)
		EXPECT_EQ(child.pid, (pid_t)s.tid);
	EXPECT_EQ(ROUNDS, nr);

	say(child.sock, 0);
	EXPECT_EQ(0, child_end(&child));
	close(sample);
	close(gone);
	close(count);
	close(task);
}

/*
 * Cgroups: "in" is below "above", "beside" is not.
 */

#define CGROUPS	"/sys/fs/cgroup/"

static const char * const cgroups[] = {
	CGROUPS "gpubp_above", CGROUPS "gpubp_above/in", CGROUPS "gpubp_beside",
};

enum { ABOVE, IN, BESIDE, NR_CGROUPS };

static int enter(pid_t pid, const char *dir)
{
	char path[128], text[16];

	snprintf(path, sizeof(path), "%s/cgroup.procs", dir);
	snprintf(text, sizeof(text), "%d", (int)pid);
	return write_text(path, text);
}

FIXTURE(cgroup) {
	struct child child;
	uint64_t va;
	int fd[NR_CGROUPS];
};

FIXTURE_SETUP(cgroup)
{
	int i;

	if (access(CGROUPS "cgroup.procs", W_OK))
		SKIP(return, "no cgroup2");
	/* perf's controller is in all cgroups, once any controller is enabled */
	ASSERT_EQ(0, write_text(CGROUPS "cgroup.subtree_control", "+pids"));
	for (i = 0; i < NR_CGROUPS; i++) {
		ASSERT_TRUE(!mkdir(cgroups[i], 0755) || errno == EEXIST);
		self->fd[i] = open(cgroups[i], O_RDONLY | O_CLOEXEC);
		ASSERT_LE(0, self->fd[i]);
	}
}

FIXTURE_TEARDOWN(cgroup)
{
	int i;

	say(self->child.sock, 0);
	EXPECT_EQ(0, child_end(&self->child));
	for (i = NR_CGROUPS; i--;) {
		close(self->fd[i]);
		EXPECT_EQ(0, rmdir(cgroups[i]));
	}
}

static void start_target(struct __test_metadata *_metadata,
			 FIXTURE_DATA(cgroup) *self,
			 int (*target)(int sock, void *arg))
{
	ASSERT_EQ(0, child_start(&self->child, target, &self->va));
	ASSERT_TRUE(hear(self->child.sock, &self->va));
}

static void expect_members_only(struct __test_metadata *_metadata,
				FIXTURE_DATA(cgroup) *self,
				int (*target)(int sock, void *arg))
{
	struct copies count[NR_CGROUPS], sample[NR_CGROUPS];
	struct perf_event_attr attr;
	uint32_t pid;
	int i;

	start_target(_metadata, self, target);
	attr = lane_watch(self->va);
	pid = self->child.pid;
	for (i = 0; i < NR_CGROUPS; i++) {
		attr.sample_period = 0;
		ASSERT_EQ(0, copies_open(&count[i], &attr, self->fd[i],
					 PERF_FLAG_PID_CGROUP));
		event_sample(&attr, 1);
		ASSERT_EQ(0, copies_open(&sample[i], &attr, self->fd[i],
					 PERF_FLAG_PID_CGROUP));
	}
	ASSERT_TRUE(repeater_run(&self->child, ROUNDS));
	EXPECT_EQ(0, copies_count(&count[ABOVE]));

	ASSERT_EQ(0, enter(self->child.pid, cgroups[IN]));
	ASSERT_TRUE(repeater_run(&self->child, ROUNDS));
	EXPECT_EQ(ROUNDS, copies_count(&count[ABOVE])) books_print();
	EXPECT_EQ(ROUNDS, copies_count(&count[IN]));
	EXPECT_EQ(0, copies_count(&count[BESIDE]));
	EXPECT_SAMPLES(&sample[ABOVE], ROUNDS, pid, pid);
	EXPECT_SAMPLES(&sample[IN], ROUNDS, pid, pid);
	EXPECT_SAMPLES(&sample[BESIDE], 0, pid, pid);

	/* it leaves, and its next hit belongs to another cgroup */
	ASSERT_EQ(0, enter(self->child.pid, cgroups[BESIDE]));
	ASSERT_TRUE(repeater_run(&self->child, 2 * ROUNDS));
	EXPECT_EQ(ROUNDS, copies_count(&count[ABOVE])) books_print();
	EXPECT_EQ(ROUNDS, copies_count(&count[IN]));
	EXPECT_EQ(2 * ROUNDS, copies_count(&count[BESIDE]));
	EXPECT_SAMPLES(&sample[ABOVE], 0, pid, pid);
	EXPECT_SAMPLES(&sample[BESIDE], 2 * ROUNDS, pid, pid);

	for (i = NR_CGROUPS; i--;) {
		copies_close(&sample[i]);
		copies_close(&count[i]);
	}
}

TEST_F(cgroup, who_sleeps) { expect_members_only(_metadata, self, sleeper); }
TEST_F(cgroup, who_polls) { expect_members_only(_metadata, self, spinner); }
TEST_F(cgroup, who_wanders) { expect_members_only(_metadata, self, wanderer); }

/* also on a CPU where none of its tasks ran */
TEST_F(cgroup, times)
{
	struct perf_event_attr attr;
	struct event_value v;
	struct copies copies;
	int i;

	start_target(_metadata, self, sleeper);
	attr = lane_watch(self->va);
	ASSERT_EQ(0, enter(self->child.pid, cgroups[IN]));
	ASSERT_EQ(0, copies_open(&copies, &attr, self->fd[IN],
				 PERF_FLAG_PID_CGROUP));
	ASSERT_TRUE(repeater_run(&self->child, ROUNDS));
	EXPECT_EQ(ROUNDS, copies_count(&copies)) books_print();
	for (i = 0; i < copies.nr; i++) {
		do {
			ASSERT_EQ(0, event_read(copies.fd[i], &v));
		} while (!v.running && !usleep(1000));
		EXPECT_EQ(v.enabled, v.running);
	}
	copies_close(&copies);
}

/* a process outside of it has none of its comparators, and does not trap */
TEST_F(cgroup, others_are_not_burdened)
{
	struct perf_event_attr attr;
	struct copies copies;
	int64_t raised;

	start_target(_metadata, self, sleeper);
	attr = lane_watch(self->va);
	ASSERT_EQ(0, copies_open(&copies, &attr, self->fd[IN],
				 PERF_FLAG_PID_CGROUP));
	ASSERT_TRUE(repeater_run(&self->child, 1));
	EXPECT_TRUE(books_settle(PATIENCE));
	raised = books_raised();
	EXPECT_EQ(0, books_state("watches"));
	ASSERT_TRUE(repeater_run(&self->child, ROUNDS));
	EXPECT_TRUE(books_settle(PATIENCE));
	EXPECT_EQ(raised, books_raised());

	ASSERT_EQ(0, enter(self->child.pid, cgroups[IN]));
	ASSERT_TRUE(repeater_run(&self->child, ROUNDS));
	EXPECT_EQ(ROUNDS, copies_count(&copies)) books_print();
	copies_close(&copies);
}

/*
 * Watchers with limited permissions.
 */

/* sends the pid of the last store, and the memory values of its record */
static int watch_all(int sock, void *arg)
{
	struct perf_event_attr attr = lane_watch(*(uint64_t *)arg);
	struct copies copies;
	struct sample s = {};
	int i;

	attr.exclude_kernel = 1;
	event_sample(&attr, 1);
	if (copies_open(&copies, &attr, -1, 0) || !say(sock, 0) || heard(sock))
		return 1;
	for (i = 0; i < copies.nr; i++)
		while (ring_next(&copies.ring[i], &s))
			;
	copies_close(&copies);
	return !say(sock, s.pid) || !say(sock, s.tid) ||
	       !say(sock, s.rec.flags) || !say(sock, s.rec.value_len) ||
	       !say(sock, s.rec.addr);
}

/* its first child is process 1 of a new pid namespace */
static int watch_from_elsewhere(int sock, void *arg)
{
	int status;
	pid_t pid;

	if (unshare(CLONE_NEWPID))
		return 1;
	pid = fork();
	if (!pid)
		_exit(watch_all(sock, arg));
	return waitpid(pid, &status, 0) != pid || status;
}

static int watch_as_user(int sock, void *arg)
{
	return become(USER) ?: watch_all(sock, arg);
}

struct sampled {
	int64_t pid, tid, flags, value_len, addr;
};

static struct sampled sampled_by(int (*watch)(int sock, void *arg),
				 struct child *target, uint64_t va)
{
	struct sampled sampled = { .pid = -2 };
	struct child watcher;

	if (child_start(&watcher, watch, &va))
		return sampled;
	if (!heard(watcher.sock) && repeater_run(target, 1) &&
	    books_settle(PATIENCE) && say(watcher.sock, 0)) {
		sampled.pid = heard(watcher.sock);
		sampled.tid = heard(watcher.sock);
		sampled.flags = heard(watcher.sock);
		sampled.value_len = heard(watcher.sock);
		sampled.addr = heard(watcher.sock);
	}
	if (child_end(&watcher))
		sampled.pid = -3;
	return sampled;
}

FIXTURE(watched) {
	struct child child;
	uint64_t va;
	int paranoid;
};

FIXTURE_SETUP(watched)
{
	struct child child;	/* separate: *self is shared with it */

	self->paranoid = event_paranoid(0);
	ASSERT_NE(-1, self->paranoid);
	event_type();
	ASSERT_EQ(0, child_start(&child, sleeper, &self->va));
	ASSERT_TRUE(hear(child.sock, &self->va));
	self->child = child;
}

FIXTURE_TEARDOWN_PARENT(watched)
{
	event_paranoid(self->paranoid);
}

TEST_F(watched, by_root)
{
	struct sampled sampled = sampled_by(watch_all, &self->child, self->va);

	EXPECT_EQ(self->child.pid, sampled.pid);
	EXPECT_EQ(self->child.pid, sampled.tid);
	EXPECT_TRUE(sampled.flags & GPUBP_HIT_NEW_VALUE);
	EXPECT_EQ(4, sampled.value_len);
	say(self->child.sock, 0);
	EXPECT_EQ(0, child_end(&self->child));
}

TEST_F(watched, from_another_pid_namespace)
{
	struct sampled sampled = sampled_by(watch_from_elsewhere, &self->child,
					    self->va);

	EXPECT_EQ(0, sampled.pid);
	EXPECT_EQ(0, sampled.tid);
	EXPECT_EQ((int64_t)(self->va + LANE * 4), sampled.addr);
	say(self->child.sock, 0);
	EXPECT_EQ(0, child_end(&self->child));
}

/* perf_event_paranoid 0 lets any user watch CPUs, but not read memory */
TEST_F(watched, by_a_user)
{
	struct sampled sampled = sampled_by(watch_as_user, &self->child, self->va);

	EXPECT_EQ(self->child.pid, sampled.tid);
	EXPECT_EQ((int64_t)(self->va + LANE * 4), sampled.addr);
	EXPECT_FALSE(sampled.flags & (GPUBP_HIT_OLD_VALUE | GPUBP_HIT_NEW_VALUE));
	EXPECT_EQ(0, sampled.value_len);
	say(self->child.sock, 0);
	EXPECT_EQ(0, child_end(&self->child));
}

TEST_HARNESS_MAIN
