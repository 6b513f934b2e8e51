// SPDX-License-Identifier: GPL-2.0
/*
 * The scheduler: any number of watches on four comparators, each with its share
 * of the quanta. The tests evaluate the device's log, quantum by quantum; the
 * length of a quantum does not matter.
 */
#include <errno.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include "harness.h"
#include "books.h"
#include "child.h"
#include "event.h"
#include "gpu.h"
#include "session.h"
#include "simdev.h"
#include "turns.h"

#define SLOTS		4	/* of the software GPU */
#define TURNS		(SLOTS - 1)	/* the last armed watch is drawn at random */
#define STRIDE		(1ULL << 30)	/* no comparator covers two watches */
#define FAST		500		/* us; short quanta, whatever commits cost */
#define SLOW		1000000
#define LONG		20000	/* enough time to read registers within a quantum */
#define LOOKS		30
#define SIZE		4096
#define PATIENCE	120	/* s */
#define MAX_EVENTS	1024
#define USER		2000
#define BASE		0x380000000ULL	/* nothing must be mapped there */

FIXTURE(sched) {
	struct gpu gpu;
	struct turns turns;
	int session;
	long quantum_us;
	long overhead;
	int paranoid;
	int nr;
	int fd[MAX_EVENTS];
};

FIXTURE_SETUP(sched)
{
	struct rlimit files = { 2 * MAX_EVENTS, 2 * MAX_EVENTS };

	self->quantum_us = event_parameter("quantum_us", SLOW);
	self->overhead = event_parameter("max_overhead_percent", 100);
	self->paranoid = event_paranoid(2);
	ASSERT_LT(0, self->quantum_us);
	ASSERT_LT(0, self->overhead);
	ASSERT_EQ(0, setrlimit(RLIMIT_NOFILE, &files));
	ASSERT_EQ(0, gpu_open(&self->gpu, "loop"));
	self->session = session_open();
	ASSERT_LE(0, self->session);
	self->nr = 0;
	self->turns = (struct turns) {};
}

FIXTURE_TEARDOWN(sched)
{
	while (self->nr)
		close(self->fd[--self->nr]);
	if (self->turns.log)
		turns_close(&self->turns);
	close(self->session);
	gpu_close(&self->gpu);
	turns_policy("fair");
	event_paranoid(self->paranoid);
	event_parameter("quantum_us", self->quantum_us);
	event_parameter("max_overhead_percent", self->overhead);
}

static uint64_t address(int watch)
{
	return BASE + (uint64_t)watch * STRIDE;
}

/* open it disabled */
static int open_watch(uint64_t addr, int group)
{
	struct perf_event_attr attr = event_watch(addr, 4, EVENT_STORES);

	attr.disabled = group < 0;
	attr.exclude_kernel = 1;	/* not allowed for unprivileged users otherwise */
	return syscall(SYS_perf_event_open, &attr, 0, -1, group,
		       PERF_FLAG_FD_CLOEXEC);
}

static bool open_events(FIXTURE_DATA(sched) *self, int nr)
{
	int fd;

	while (nr--) {
		fd = open_watch(address(self->nr), -1);
		if (fd < 0)
			return false;
		self->fd[self->nr++] = fd;
	}
	return true;
}

/* enable all at once; on return the scheduler considers all of them */
static bool enable_all(FIXTURE_DATA(sched) *self)
{
	struct gpubp_sync sync;
	int i, err = prctl(PR_TASK_PERF_EVENTS_ENABLE);

	/* a sync concerns one event */
	for (i = 0; i < self->nr && !err; i++)
		err = session_sync(self->session, self->fd[i], PATIENCE, &sync);
	return !err;
}

/* all are requested: use short quanta from here on */
static void begin(FIXTURE_DATA(sched) *self)
{
	turns_begin(&self->turns);
	event_parameter("quantum_us", FAST);
}

static uint64_t longest_allowed(int nr)
{
	return 2 * ((nr + TURNS - 1) / TURNS);
}

/* ---- one user ------------------------------------------------------------ */

/* properties of the log for @nr watches of one user that all want to be armed */
static void expect_fair(struct __test_metadata *_metadata, struct turns *t,
			uint64_t quanta)
{
	ASSERT_TRUE(turns_wait(t, quanta)) TH_LOG("%lu changes lost", t->lost);
	EXPECT_EQ(t->nr, turns_distinct(t));
	EXPECT_EQ(0, t->short_of);
	EXPECT_GE(longest_allowed(t->nr), turns_longest_gap(t));
	/* no comparator is idle, and no watch is armed twice */
	EXPECT_EQ(SLOTS * turns_ended(t), turns_sum(t));
}

#define EVENTS	16

/* other numbers of watches: tests/host/policy, and the set below */
TEST_F(sched, sixteen_events)
{
	ASSERT_EQ(0, turns_open(&self->turns, BASE, STRIDE, EVENTS, TURNS));
	ASSERT_TRUE(open_events(self, EVENTS));
	ASSERT_TRUE(enable_all(self));
	begin(self);
	expect_fair(_metadata, &self->turns, 2 * longest_allowed(EVENTS) + 100);
}

/* ---- the log against the registers --------------------------------------- */

#define NR_VMIDS	16
#define WATCH_ADDR_H	0x12a0	/* dword offsets: ADDR_L and CNTL follow */
#define WATCH_STRIDE	3
#define CNTL_VALID	0x80000000u

/* the address that a comparator is set for; 0: it is invalid for all VMIDs */
static uint64_t armed_for(int regs, unsigned int slot)
{
	uint32_t reg = WATCH_ADDR_H + WATCH_STRIDE * slot;
	unsigned int vmid;

	for (vmid = 0; vmid < NR_VMIDS; vmid++)
		if (simdev_read(regs, reg + 2, vmid) & CNTL_VALID)
			return (uint64_t)simdev_read(regs, reg, 0) << 32 |
			       simdev_read(regs, reg + 1, 0);
	return 0;
}

/*
 * watches that the registers are set for, as a mask; -1 if one is set for
 * another address
 */
static int64_t in_registers(int regs)
{
	int64_t on = 0;
	unsigned int s;

	for (s = 0; s < SLOTS; s++) {
		uint64_t addr = armed_for(regs, s), n = (addr - BASE) / STRIDE;

		if (addr && (addr % STRIDE != BASE % STRIDE || n >= EVENTS))
			return -1;
		if (addr)
			on |= 1LL << n;
	}
	return on;
}

static int64_t in_log(const struct turns *t)
{
	int64_t on = 0;
	unsigned int i;

	for (i = 0; i < t->nr; i++)
		on |= (int64_t)t->turn[i].on << i;
	return on;
}

/* registers that were read within a quantum agree with the log, in many quanta */
TEST_F(sched, the_log_is_what_registers_say)
{
	struct turns *t = &self->turns;
	int regs = simdev_regs(0), same = 0, looks = 0, i;
	struct grun_mem out, stop;
	uint64_t number, seen = 0;
	int64_t on, commits;

	ASSERT_LE(0, regs);
	ASSERT_EQ(0, gpu_buffer(&self->gpu, &out, SIZE, 0));
	ASSERT_EQ(0, gpu_buffer(&self->gpu, &stop, SIZE, 0));
	ASSERT_EQ(0, gpu_start(&self->gpu, "until", 1, GPU_ARGS(out.va, stop.va)));
	/* the registers have no watches of a context that does not run yet */
	for (i = 0; i < PATIENCE * 1000 && !*(volatile uint32_t *)out.cpu; i++)
		usleep(1000);
	ASSERT_EQ(0, turns_open(t, BASE, STRIDE, EVENTS, TURNS));
	ASSERT_TRUE(open_events(self, EVENTS));
	ASSERT_TRUE(enable_all(self));
	event_parameter("quantum_us", LONG);
	/* nor of one that was suspended for its first events and waits for a VMID */
	for (i = 0; i < PATIENCE * 1000 && !in_registers(regs); i++)
		usleep(1000);
	for (; same < LOOKS && looks < 100 * LOOKS; looks++) {
		ASSERT_TRUE(turns_read(t));
		number = t->number;
		commits = books_device("commits");
		on = in_registers(regs);
		usleep(LONG / 4);
		ASSERT_TRUE(turns_read(t));
		if (t->number != number || number == seen ||
		    books_device("commits") != commits)
			continue;
		seen = number;
		same++;
		EXPECT_EQ(in_log(t), on) TH_LOG("look %d", looks);
		EXPECT_EQ(SLOTS, __builtin_popcountll(on));
	}
	EXPECT_EQ(LOOKS, same) TH_LOG("%d looks", looks);
	EXPECT_LT(SLOTS * 2, turns_distinct(t));
	*(volatile uint32_t *)stop.cpu = 1;
	EXPECT_EQ(0, gpu_wait(&self->gpu, PATIENCE));
	close(regs);
}

static struct gpubp_set_watch *members(uint64_t base, int nr)
{
	struct gpubp_set_watch *w = calloc(nr, sizeof(*w));
	int i;

	for (i = 0; w && i < nr; i++) {
		w[i].addr = base + (uint64_t)i * STRIDE;
		w[i].len = 4;
		w[i].access = GPUBP_ACCESS_STORE;
	}
	return w;
}

/* an event for a set; or a negative errno */
static int open_set_of(int session, struct gpubp_set_watch *w, int nr)
{
	struct perf_event_attr attr = event_watch(0, 0, 0);
	uint32_t set;
	int ret;

	ret = session_set(session, &set);
	if (!ret)
		ret = session_update(session, set, w, nr, NULL);
	if (ret)
		return ret;
	attr.config = GPUBP_KIND_WATCH_SET |
		      (uint64_t)set << GPUBP_CONFIG_CODE_SHIFT;
	attr.disabled = 1;
	attr.exclude_kernel = 1;
	return event_open(&attr, 0, -1);
}

/* of watches in different blocks */
static int open_set(int session, uint64_t base, int nr)
{
	struct gpubp_set_watch *w = members(base, nr);
	int fd;

	if (!w)
		return -ENOMEM;
	fd = open_set_of(session, w, nr);
	free(w);
	return fd;
}

static void set_of(struct __test_metadata *_metadata, FIXTURE_DATA(sched) *self,
		   int nr)
{
	struct gpubp_sync sync;
	int fd;

	ASSERT_EQ(0, turns_open(&self->turns, BASE, STRIDE, nr, TURNS));
	fd = open_set(self->session, BASE, nr);
	ASSERT_LE(0, fd);
	self->fd[self->nr++] = fd;
	ASSERT_TRUE(enable_all(self));
	ASSERT_EQ(0, session_sync(self->session, fd, PATIENCE, &sync));
	EXPECT_EQ(nr, sync.nr_watches);
	EXPECT_EQ(0, sync.nr_unserved);
	begin(self);
}

TEST_F(sched, a_set_of_a_thousand)
{
	set_of(_metadata, self, 1000);
	expect_fair(_metadata, &self->turns, 2 * longest_allowed(1000));
}

#define IN_GRANULE	1024	/* number of different ranges within 64 bytes */

/* one comparator serves all: all are armed, and the assignment never changes */
TEST_F(sched, a_thousand_in_one_granule)
{
	static struct gpubp_set_watch w[IN_GRANULE];
	struct gpubp_sync sync;
	int64_t commits;
	int i, fd;

	for (i = 0; i < IN_GRANULE; i++)
		w[i] = (struct gpubp_set_watch) {
			.addr = BASE + i / 32,
			.len = 1 + i % 32,
			.access = GPUBP_ACCESS_STORE,
		};
	fd = open_set_of(self->session, w, IN_GRANULE);
	ASSERT_LE(0, fd);
	self->fd[self->nr++] = fd;
	ASSERT_TRUE(enable_all(self));
	event_parameter("quantum_us", FAST);
	commits = books_state("commits");
	for (i = 0; i < 20; i++) {
		ASSERT_EQ(0, session_sync(self->session, fd, PATIENCE, &sync));
		EXPECT_EQ(IN_GRANULE, sync.nr_watches);
		EXPECT_EQ(IN_GRANULE, sync.nr_armed);
		usleep(10000);
	}
	EXPECT_EQ(commits, books_state("commits"));
}

/* each is armed as often as any other, and the order cannot be predicted */
TEST_F(sched, all_at_random)
{
	const int nr = 16, quanta = 1600, mean = quanta * SLOTS / nr;
	struct turns *t = &self->turns;
	int i;

	ASSERT_EQ(0, turns_policy("random"));
	ASSERT_EQ(0, turns_open(t, BASE, STRIDE, nr, TURNS));
	ASSERT_TRUE(open_events(self, nr));
	ASSERT_TRUE(enable_all(self));
	begin(self);
	ASSERT_TRUE(turns_wait(t, quanta));
	EXPECT_EQ(SLOTS * turns_ended(t), turns_sum(t));
	for (i = 0; i < nr; i++) {
		long off = turns_armed(t, i) * quanta / turns_ended(t) - mean;

		/* six sigma of a binomial distribution, 17.3 each */
		EXPECT_GT(104, labs(off)) TH_LOG("watch %d: %ld", i, off);
	}
	/* with an order that is fixed for an epoch, gaps would be shorter */
	EXPECT_LT(longest_allowed(nr), turns_longest_gap(t));
}

/* the statistics of an event agree with the log */
TEST_F(sched, figures)
{
	struct gpubp_event_stats stats;
	struct turns *t = &self->turns;
	int i;

	ASSERT_EQ(0, turns_open(t, BASE, STRIDE, 16, TURNS));
	ASSERT_TRUE(open_events(self, 16));
	ASSERT_TRUE(enable_all(self));
	begin(self);
	ASSERT_TRUE(turns_wait(t, 100));
	for (i = 0; i < 16; i++) {
		stats = (struct gpubp_event_stats) {
			.id = session_id(self->fd[i]),
		};
		ASSERT_EQ(0, session_call(self->session, GPUBP_STATS, &stats));
		EXPECT_LE(turns_armed(t, i), stats.armed_quanta);
		EXPECT_LT(stats.armed_quanta, stats.wanted_quanta);
		EXPECT_LE(turns_ended(t), stats.wanted_quanta);
		EXPECT_LE(t->turn[i].gap, stats.longest_gap);
		EXPECT_GE(longest_allowed(16), stats.longest_gap);
		EXPECT_LT(0, stats.longest_gap_ns);
	}
}

/* ---- groups, pinned events, fork ----------------------------------------- */

TEST_F(sched, a_group_is_armed_all_or_none)
{
	struct turns *t = &self->turns;
	int i, leader;

	ASSERT_EQ(0, turns_open(t, BASE, STRIDE, 16, TURNS));
	ASSERT_TRUE(open_events(self, 14));
	leader = self->fd[13];
	for (i = 14; i < 16; i++) {
		self->fd[i] = open_watch(address(i), leader);
		ASSERT_LE(0, self->fd[i]);
		self->nr++;
	}
	ASSERT_TRUE(enable_all(self));
	begin(self);
	ASSERT_TRUE(turns_wait(t, 300));
	EXPECT_EQ(16, turns_distinct(t));
	EXPECT_LT(0, turns_armed(t, 13));
	for (i = 14; i < 16; i++) {
		EXPECT_EQ(t->turn[13].on, t->turn[i].on);
		EXPECT_EQ(t->turn[13].times, t->turn[i].times);
		EXPECT_EQ(turns_armed(t, 13), turns_armed(t, i));
		EXPECT_EQ(t->turn[13].gap, t->turn[i].gap);
	}
}

TEST_F(sched, a_pinned_event_keeps_its_slot)
{
	struct perf_event_attr attr = event_watch(address(0), 4, EVENT_STORES);
	struct turns *t = &self->turns;

	ASSERT_EQ(0, turns_open(t, BASE, STRIDE, 65, TURNS - 1));
	attr.pinned = 1;
	self->fd[0] = event_open(&attr, 0, -1);
	ASSERT_LE(0, self->fd[0]);
	self->nr = 1;
	ASSERT_TRUE(enable_all(self));
	ASSERT_TRUE(open_events(self, 64));
	ASSERT_TRUE(enable_all(self));
	begin(self);
	ASSERT_TRUE(turns_wait(t, 300));
	EXPECT_TRUE(t->turn[0].on);
	EXPECT_EQ(1, t->turn[0].times);
	EXPECT_EQ(turns_ended(t), turns_armed(t, 0));
	EXPECT_EQ(SLOTS * turns_ended(t), turns_sum(t));
	EXPECT_EQ(65, turns_distinct(t));
}

TEST_F(sched, fork_never_fails)
{
	int i, status;
	pid_t pid;

	for (self->nr = 0; self->nr < 64; self->nr++) {
		struct perf_event_attr attr =
			event_watch(address(self->nr), 4, EVENT_STORES);

		attr.inherit = 1;
		self->fd[self->nr] = event_open(&attr, 0, -1);
		ASSERT_LE(0, self->fd[self->nr]);
	}
	for (i = 0; i < 20; i++) {
		pid = fork();
		ASSERT_LE(0, pid);
		if (!pid)
			_exit(0);
		ASSERT_EQ(pid, waitpid(pid, &status, 0));
		EXPECT_EQ(0, status);
	}
}

/* ---- users --------------------------------------------------------------- */

/**
 * struct want - watches of a user in a context of that user
 * @uid: user
 * @base: address of the first watch
 * @nr: number of watches
 */
struct want {
	uid_t uid;
	uint64_t base;
	int nr;
};

/* reports how many watches are served, and keeps them until the stop message */
static int wanting(int sock, void *arg)
{
	const struct want *want = arg;
	struct gpubp_sync sync = {};
	struct gpu gpu;
	int session, fd;

	if (gpu_open(&gpu, "loop") || become(want->uid))
		return 1;
	session = session_open();
	if (want->nr > 1)
		fd = open_set(session, want->base, want->nr);
	else
		fd = open_watch(want->base, -1);
	if (session < 0 || fd < 0 || ioctl(fd, PERF_EVENT_IOC_ENABLE, 0) ||
	    session_sync(session, fd, PATIENCE, &sync))
		return 1;
	if (!say(sock, sync.nr_watches - sync.nr_unserved))
		return 1;
	heard(sock);
	return 0;
}

#define SMALL	5
#define LARGE	1000

/* five users with one watch each, and one with a thousand */
TEST_F(sched, a_user_with_many_takes_no_more)
{
	/* each gets two thirds; six sigma of the random part more or less */
	const int quanta = debug_kernel() ? 800 : 2400;
	const int chance = debug_kernel() ? 92 : 160;
	struct want want[SMALL + 1] = { { USER, BASE, LARGE } };
	struct turns *t = &self->turns;
	struct child child[SMALL + 1];
	uint64_t many = 0, one;
	int i;

	ASSERT_EQ(0, turns_open(t, BASE, STRIDE, LARGE + SMALL, TURNS));
	for (i = 0; i <= SMALL; i++) {
		if (i)
			want[i] = (struct want) {
				USER + i, address(LARGE + i - 1), 1
			};
		ASSERT_EQ(0, child_start(&child[i], wanting, &want[i]));
		ASSERT_EQ(want[i].nr, heard(child[i].sock));
	}
	begin(self);
	ASSERT_TRUE(turns_wait(t, quanta));
	for (i = 0; i < LARGE; i++)
		many += turns_armed(t, i);
	EXPECT_EQ(SLOTS * turns_ended(t), turns_sum(t));
	for (i = LARGE; i < LARGE + SMALL; i++) {
		one = turns_armed(t, i);
		EXPECT_LE(many, one + chance)
			TH_LOG("the large one %lu, a small one %lu of %lu",
			       many, one, turns_ended(t));
	}
	for (i = 0; i <= SMALL; i++) {
		say(child[i].sock, 0);
		EXPECT_EQ(0, child_end(&child[i]));
	}
}

/* a user over the limit has that many watches armed; the others follow later */
TEST_F(sched, a_user_with_too_many_has_some)
{
	struct want want = { USER, BASE, 100 };
	long limit = event_parameter("max_watches_per_user", 40);
	struct child child;

	ASSERT_LT(0, limit);
	ASSERT_EQ(0, child_start(&child, wanting, &want));
	ASSERT_EQ(40, heard(child.sock));
	EXPECT_EQ(40, books_state("watches"));
	event_parameter("max_watches_per_user", limit);
	/* retried when bindings are reconciled */
	while (books_state("watches") < 100)
		usleep(10000);
	say(child.sock, 0);
	EXPECT_EQ(0, child_end(&child));
}

TEST_HARNESS_MAIN
