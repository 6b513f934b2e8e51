// SPDX-License-Identifier: GPL-2.0
/*
 * Life cycle of breaks: more than there are slots, inserted into running code,
 * removed by the death of their opener or of their target.
 */
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <linux/gpubp_sim.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>
#include "harness.h"
#include "books.h"
#include "breakcode.h"
#include "child.h"
#include "event.h"
#include "session.h"
#include "simdev.h"

#define PATIENCE	120	/* s */
#define GROUPS		2
#define WAVES		(GROUPS * BC_WAVES)
#define LOOPS		20
#define EACH		((uint64_t)WAVES * LOOPS)
#define SUM		((uint32_t)EACH * BC_LANES)
#define FOREVER		UINT32_MAX	/* loops */
#define USER		1000

/* the change is asynchronous: wait until the text is as expected; false: timeout */
static bool wait_for_text(const struct breakcode *bc, unsigned int at,
			  uint32_t word)
{
	int i;

	for (i = 0; i < PATIENCE * 100; i++) {
		if (bc_text(bc, at) == word)
			return true;
		usleep(10000);
	}
	return false;
}

static bool wait_for_count(int fd, int64_t count)
{
	int i;

	for (i = 0; i < PATIENCE * 100; i++) {
		if (event_count(fd) >= count)
			return true;
		usleep(10000);
	}
	return false;
}

/* ---- slots --------------------------------------------------------------- */

#define NR_BREAKS	6
#define SLOTS		2
#define TURNS		(SLOTS - 1)	/* the last slot is assigned at random */
#define LONGEST_WAIT	(2 * NR_BREAKS / TURNS)	/* quanta */

/* quanta by which each break was hit: code runs in all of them, but not all the time */
#define ENOUGH		(20 * LONGEST_WAIT)

static const unsigned int breaks[NR_BREAKS] = {
	BC_LOOP_ADD, BC_LOOP_WAIT, BC_LOOP_NOP, BC_LOOP_NOP2, BC_LOOP_SUB,
	BC_LOOP_BRANCH,
};

static bool all_counted(const int *fd, int nr)
{
	while (nr)
		if (event_count(fd[--nr]) <= 0)
			return false;
	return true;
}

static uint64_t quanta_of(int session, int fd)
{
	struct gpubp_event_stats stats;

	return session_stats(session, fd, &stats) ? UINT64_MAX :
						    stats.wanted_quanta;
}

TEST(more_breaks_than_slots)
{
	long slots = event_parameter("break_slots", SLOTS);
	struct gpubp_event_stats stats;
	uint64_t runs = 0, loops;
	struct event_value value;
	struct gpubp_sync sync;
	struct breakcode bc;
	int session, i, fd[NR_BREAKS];

	ASSERT_LT(0, slots);
	ASSERT_EQ(0, bc_open(&bc));
	session = session_open();
	for (i = 0; i < NR_BREAKS; i++) {
		fd[i] = event_open_break(BC_PC(breaks[i]), 0);
		ASSERT_LE(0, fd[i]);
	}
	ASSERT_EQ(0, session_sync(session, fd[0], PATIENCE, &sync));
	EXPECT_EQ(1, sync.nr_armed + sync.nr_rotating);
	do {
		ASSERT_EQ(0, bc_run(&bc, BC_LOOP, 1, LOOPS));
		ASSERT_EQ(BC_WAVES * LOOPS * BC_LANES, bc.data[0]);
		runs++;
	} while (!all_counted(fd, NR_BREAKS) &&
		 quanta_of(session, fd[0]) < ENOUGH);
	TH_LOG("%lu runs, %lu quanta", runs, quanta_of(session, fd[0]));
	loops = runs * BC_WAVES * LOOPS;
	for (i = 0; i < NR_BREAKS; i++) {
		ASSERT_EQ(0, event_read(fd[i], &value));
		EXPECT_LT(0, value.count);
		EXPECT_GE(loops, value.count);
		EXPECT_LT(0, value.running);
		EXPECT_GT(value.enabled, value.running);
		ASSERT_EQ(0, session_stats(session, fd[i], &stats));
		EXPECT_GE(LONGEST_WAIT, stats.longest_gap);
		EXPECT_GE((stats.armed_quanta + 1) * NR_BREAKS,
			  stats.wanted_quanta * TURNS);
		close(fd[i]);
	}
	close(session);
	EXPECT_TRUE(books_idle(PATIENCE));
	EXPECT_TRUE(bc_intact(&bc));
	bc_close(&bc);
	event_parameter("break_slots", slots);
}

TEST(a_pinned_break_has_its_slot)
{
	long slots = event_parameter("break_slots", SLOTS);
	struct perf_event_attr attr = event_break(BC_PC(BC_LOOP_NOP));
	int fd[3], runs = 0, session = session_open();
	struct breakcode bc;

	ASSERT_LT(0, slots);
	ASSERT_LE(0, session);
	ASSERT_EQ(0, bc_open(&bc));
	attr.pinned = 1;
	fd[0] = event_open(&attr, 0, -1);
	ASSERT_LE(0, fd[0]);
	/* one slot is left for the breaks that rotate */
	attr.config1 = BC_PC(BC_LOOP_SUB);
	EXPECT_EQ(-ENOSPC, event_open(&attr, 0, -1));
	fd[1] = event_open_break(BC_PC(BC_LOOP_SUB), 0);
	fd[2] = event_open_break(BC_PC(BC_LOOP_WAIT), 0);
	ASSERT_LE(0, fd[1]);
	ASSERT_LE(0, fd[2]);
	ASSERT_EQ(0, session_sync(session, fd[0], PATIENCE, NULL));
	do {
		ASSERT_EQ(0, bc_run(&bc, BC_LOOP, 1, LOOPS));
		runs++;
		EXPECT_EQ(runs * BC_WAVES * LOOPS, event_count(fd[0]));
	} while (!all_counted(fd + 1, 2) &&
		 quanta_of(session, fd[0]) < ENOUGH);
	EXPECT_LT(0, event_count(fd[1]));
	EXPECT_LT(0, event_count(fd[2]));
	close(session);
	close(fd[0]);
	close(fd[1]);
	close(fd[2]);
	EXPECT_TRUE(books_idle(PATIENCE));
	bc_close(&bc);
	event_parameter("break_slots", slots);
}

#define MAX_BREAKS	4	/* of NR_BREAKS */

/* reports how many are requested and how many are served, on request */
static int many_breaks(int sock, void *arg)
{
	struct breakcode bc;
	uint64_t more;
	int session, i, fd[NR_BREAKS];

	(void)arg;
	if (become(USER) || bc_open(&bc))
		return 1;
	session = session_open();
	for (i = 0; i < NR_BREAKS; i++) {
		struct perf_event_attr attr = event_break(BC_PC(breaks[i]));

		attr.exclude_kernel = 1;
		fd[i] = event_open(&attr, 0, -1);
		if (fd[i] < 0)
			return 1;
	}
	do {
		struct gpubp_sync sync;
		int wanted = 0, served = 0;

		for (i = 0; i < NR_BREAKS; i++) {
			if (session_sync(session, fd[i], PATIENCE, &sync))
				return 1;
			wanted += sync.nr_watches;
			served += sync.nr_watches - sync.nr_unserved;
		}
		say(sock, wanted);
		say(sock, served);
	} while (hear(sock, &more) && more);
	return 0;
}

/* a user over the limit has that many breaks armed; the others follow later */
TEST(a_user_with_too_many_has_some)
{
	long limit = event_parameter("max_breaks_per_user", MAX_BREAKS);
	int paranoid = event_paranoid(2);
	struct child child;

	ASSERT_LT(0, limit);
	ASSERT_EQ(0, child_start(&child, many_breaks, NULL));
	EXPECT_EQ(NR_BREAKS, heard(child.sock));
	EXPECT_EQ(MAX_BREAKS, heard(child.sock));
	event_parameter("max_breaks_per_user", limit);
	say(child.sock, 1);
	EXPECT_EQ(NR_BREAKS, heard(child.sock));
	EXPECT_EQ(NR_BREAKS, heard(child.sock));
	say(child.sock, 0);
	EXPECT_EQ(0, child_end(&child));
	EXPECT_TRUE(books_idle(PATIENCE));
	event_paranoid(paranoid);
}

/* ---- code that runs ------------------------------------------------------ */

TEST(in_and_out_of_code_that_runs)
{
	struct gpubp_sync sync;
	struct breakcode bc;
	int i, fd, session = session_open();

	ASSERT_EQ(0, bc_open(&bc));
	ASSERT_EQ(0, bc_start(&bc, BC_LOOP, GROUPS, FOREVER, 0));
	for (i = 0; i < 5; i++) {
		fd = event_open_break(BC_PC(breaks[i]), 0);
		ASSERT_LE(0, fd);
		ASSERT_EQ(0, session_sync(session, fd, PATIENCE, &sync));
		EXPECT_EQ(0, sync.nr_unserved);
		EXPECT_TRUE(wait_for_count(fd, 20));
		close(fd);
	}
	EXPECT_TRUE(books_idle(PATIENCE));
	EXPECT_TRUE(bc_intact(&bc));
	bc_close(&bc);
	close(session);
}

/* ---- deaths -------------------------------------------------------------- */

/* opens a break on the process whose pid it receives, and stays */
static int watcher(int sock, void *arg)
{
	unsigned int at = *(unsigned int *)arg;
	uint64_t pid;

	if (!hear(sock, &pid) || !say(sock, event_open_break(BC_PC(at), pid) >= 0))
		return 1;
	pause();
	return 0;
}

TEST(who_watches_is_killed)
{
	unsigned int at = BC_LOOP_SUB;
	struct breakcode bc;
	struct child child;

	ASSERT_EQ(0, bc_open(&bc));
	ASSERT_EQ(0, bc_start(&bc, BC_LOOP, GROUPS, FOREVER, 0));
	ASSERT_EQ(0, child_start(&child, watcher, &at));
	ASSERT_TRUE(say(child.sock, getpid()));
	ASSERT_EQ(1, heard(child.sock));
	EXPECT_TRUE(wait_for_text(&bc, at, BC_WORD));
	child_kill(&child);
	EXPECT_TRUE(wait_for_text(&bc, at, bc_original(at)));
	EXPECT_TRUE(bc_intact(&bc));
	bc_close(&bc);
	EXPECT_TRUE(books_idle(PATIENCE));
}

/* runs an endless kernel */
static int victim(int sock, void *arg)
{
	uint32_t loops = *(uint32_t *)arg;
	struct breakcode bc;
	uint64_t go;

	/* a process that dropped root is not traceable otherwise */
	prctl(PR_SET_DUMPABLE, 1);
	if (bc_open(&bc) || !say(sock, 1) || !hear(sock, &go))
		return 1;
	if (bc_start(&bc, BC_LOOP, GROUPS, loops, 0) || !say(sock, 2))
		return 1;
	if (bc_wait(&bc, -1))
		return 2;
	bc_close(&bc);
	return 0;
}

TEST(who_is_watched_is_killed)
{
	uint32_t loops = FOREVER;
	struct child child;
	int fd, round;

	for (round = 0; round < 3; round++) {
		ASSERT_EQ(0, child_start(&child, victim, &loops));
		ASSERT_EQ(1, heard(child.sock));
		fd = event_open_break(BC_PC(breaks[round]), child.pid);
		ASSERT_LE(0, fd);
		ASSERT_TRUE(say(child.sock, 0));
		ASSERT_EQ(2, heard(child.sock));
		EXPECT_TRUE(wait_for_count(fd, 20));
		child_kill(&child);
		close(fd);
		EXPECT_TRUE(books_idle(PATIENCE));
	}
}

/* ---- memory that outlives the break ---------------------------------------- */

enum death { UNMAPPED, EXITED, EXECUTED, KILLED };

/**
 * struct witness - a process that maps the same memory and reads it
 * @over: the process shall exit
 * @word: the break word was seen
 * @original: only the program's own words were seen
 */
struct witness {
	bool over;
	bool word;
	bool original;
};

struct mortal {
	enum death death;
	unsigned int at;
	volatile struct witness *witness;
};

/* only the mapping is the witness's own: file and context are its parent's */
static void look(const struct mortal *m, const struct breakcode *bc)
{
	close_range(3, ~0U, 0);
	while (!m->witness->over) {
		m->witness->word = bc_text(bc, m->at) == BC_WORD;
		m->witness->original = bc_intact(bc);
		usleep(1000);
	}
	_exit(0);
}

static int die(const struct mortal *m, const struct breakcode *bc)
{
	struct gpubp_sim_unmap unmap = { .va = BC_CODE_VA };

	switch (m->death) {
	case UNMAPPED:
		return ioctl(bc->fd, GPUBP_SIM_UNMAP, &unmap) ? errno : 0;
	case EXECUTED:
		execl("/proc/self/exe", "breaks_life", "-l", NULL);
		return 1;
	case EXITED:
		return 0;
	case KILLED:
		raise(SIGKILL);
	}
	return 1;
}

static int mortal(int sock, void *arg)
{
	const struct mortal *m = arg;
	struct breakcode bc;
	uint64_t go;
	pid_t pid;

	if (bc_open(&bc))
		return 1;
	pid = fork();
	if (!pid) {
		/* the witness outlives its parent */
		prctl(PR_SET_PDEATHSIG, 0);
		look(m, &bc);
	}
	if (pid < 0 || !say(sock, 0) || !hear(sock, &go))
		return 1;
	if (bc_start(&bc, BC_LOOP, GROUPS, FOREVER, 0) || !hear(sock, &go))
		return 1;
	if (die(m, &bc))
		return 1;
	/* a survivor waits until its memory was checked */
	if (m->death == UNMAPPED && say(sock, 0))
		hear(sock, &go);
	return 0;
}

static bool wait_until(const volatile bool *what)
{
	int i;

	for (i = 0; i < PATIENCE * 100 && !*what; i++)
		usleep(10000);
	return *what;
}

FIXTURE(memory_after) {
	volatile struct witness *witness;
};

FIXTURE_VARIANT(memory_after) {
	enum death death;
};

FIXTURE_VARIANT_ADD(memory_after, unmap) { UNMAPPED };
FIXTURE_VARIANT_ADD(memory_after, exit) { EXITED };
FIXTURE_VARIANT_ADD(memory_after, exec) { EXECUTED };
FIXTURE_VARIANT_ADD(memory_after, kill) { KILLED };

FIXTURE_SETUP(memory_after)
{
	self->witness = mmap(NULL, sizeof(*self->witness), PROT_READ | PROT_WRITE,
			     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, self->witness);
}

FIXTURE_TEARDOWN(memory_after)
{
	self->witness->over = true;
	EXPECT_TRUE(books_idle(PATIENCE));
}

/* the event is still open */
TEST_F(memory_after, has_no_word_of_ours)
{
	struct mortal m = {
		.death = variant->death,
		.at = BC_LOOP_SUB,
		.witness = self->witness,
	};
	struct child child;
	int fd;

	ASSERT_EQ(0, child_start(&child, mortal, &m));
	ASSERT_EQ(0, heard(child.sock));
	fd = event_open_break(BC_PC(m.at), child.pid);
	ASSERT_LE(0, fd);
	ASSERT_TRUE(say(child.sock, 0));
	EXPECT_TRUE(wait_until(&self->witness->word));
	ASSERT_TRUE(say(child.sock, 0));
	if (variant->death == UNMAPPED)
		EXPECT_EQ(0, heard(child.sock));
	EXPECT_TRUE(wait_until(&self->witness->original));
	say(child.sock, 0);
	child_end(&child);
	EXPECT_TRUE(wait_until(&self->witness->original));
	close(fd);
}

/* ---- contexts and devices that are destroyed --------------------------------- */

TEST(the_context_goes_with_its_waves_stopped)
{
	struct breakcode bc;
	int fd;

	fd = event_open_break(BC_PC(BC_LOOP_BRANCH), 0);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, bc_open(&bc));
	ASSERT_EQ(0, bc_start(&bc, BC_LOOP, GROUPS, FOREVER, 0));
	EXPECT_TRUE(wait_for_count(fd, 20));
	bc_close(&bc);
	/* a second context for the same event */
	ASSERT_EQ(0, bc_open(&bc));
	ASSERT_EQ(0, bc_run(&bc, BC_LOOP, GROUPS, LOOPS));
	EXPECT_EQ(SUM, bc.data[0]);
	bc_close(&bc);
	close(fd);
	EXPECT_TRUE(books_idle(PATIENCE));
}

TEST(the_gpu_is_reset)
{
	struct breakcode busy, bc;
	int64_t before;
	int fd;

	ASSERT_EQ(0, bc_open(&busy));
	ASSERT_EQ(0, bc_open(&bc));
	fd = event_open_break(BC_PC(BC_LOOP_SUB), 0);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, bc_start(&busy, BC_LOOP, GROUPS, FOREVER, 0));
	EXPECT_TRUE(wait_for_count(fd, 20));
	ASSERT_EQ(0, simdev_reset(0));
	EXPECT_EQ(-EIO, bc_wait(&busy, -1));
	EXPECT_TRUE(books_settle(PATIENCE));
	before = event_count(fd);
	ASSERT_EQ(0, bc_run(&bc, BC_LOOP, GROUPS, LOOPS));
	EXPECT_EQ(SUM, bc.data[0]);
	EXPECT_EQ(EACH, event_count(fd) - before);
	close(fd);
	EXPECT_TRUE(books_idle(PATIENCE));
	EXPECT_TRUE(bc_intact(&bc));
	EXPECT_TRUE(bc_intact(&busy));
	bc_close(&busy);
	bc_close(&bc);
}

/* ---- rights -------------------------------------------------------------- */

/* breaks of a user in a child process, without and with a tracer's rights */
static int user(int sock, void *arg)
{
	struct perf_event_attr attr = event_break(BC_PC(BC_LOOP_NOP));
	struct perf_event_attr watch = event_watch(BC_DATA_VA, 4, EVENT_WRITES);
	uint32_t loops = 1;
	struct child child;
	uint64_t end;

	(void)arg;
	attr.exclude_kernel = 1;
	if (become(USER) || child_start(&child, victim, &loops) ||
	    heard(child.sock) != 1)
		return 1;
	say(sock, -event_open(&attr, 0, -1) > 0);
	watch.exclude_kernel = 1;
	say(sock, -event_open(&watch, child.pid, -1) > 0);
	say(sock, -event_open(&attr, child.pid, -1));
	attr.sigtrap = 1;
	attr.remove_on_exec = 1;
	attr.sample_period = 1;
	say(sock, -event_open(&attr, child.pid, -1) > 0);
	hear(sock, &end);
	child_kill(&child);
	return 0;
}

TEST(rights)
{
	int paranoid = event_paranoid(2);
	struct child child;

	ASSERT_EQ(0, child_start(&child, user, NULL));
	EXPECT_EQ(0, heard(child.sock)) TH_LOG("in the own process");
	EXPECT_EQ(0, heard(child.sock)) TH_LOG("a watch in the child");
	EXPECT_EQ(EACCES, heard(child.sock)) TH_LOG("in the child");
	EXPECT_EQ(0, heard(child.sock)) TH_LOG("as a tracer");
	say(child.sock, 0);
	EXPECT_EQ(0, child_end(&child));
	EXPECT_TRUE(books_idle(PATIENCE));
	event_paranoid(paranoid);
}

TEST_HARNESS_MAIN
