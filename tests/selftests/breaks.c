// SPDX-License-Identifier: GPL-2.0
/*
 * Breaks and traps on machine code of which every word is known, through the
 * real ABI. Each execution is counted once, and the results of the program do
 * not change.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "harness.h"
#include "books.h"
#include "breakcode.h"
#include "child.h"
#include "event.h"
#include "session.h"
#include "trap.h"
#include "waves.h"

#define PATIENCE	120	/* s */
#define GROUPS		2
#define WAVES		(GROUPS * BC_WAVES)
#define LOOPS		(slow_kernel() ? 5 : 25)	/* a break is two stops */
#define EACH		((uint64_t)WAVES * LOOPS)
#define SUM		((uint32_t)EACH * BC_LANES)
#define RING_PAGES	256

static struct perf_event_attr event_trap(unsigned int id)
{
	struct perf_event_attr attr = event_watch(0, 0, 0);

	attr.config = GPUBP_KIND_TRAP |
		      (uint64_t)id << GPUBP_CONFIG_CODE_SHIFT;
	return attr;
}

static int open_trap(unsigned int id)
{
	struct perf_event_attr attr = event_trap(id);

	return event_open(&attr, 0, -1);
}

FIXTURE(breaks) {
	struct breakcode bc;
	int session;
};

FIXTURE_SETUP(breaks)
{
	ASSERT_EQ(0, bc_open(&self->bc));
	self->session = session_open();
	ASSERT_LE(0, self->session);
}

FIXTURE_TEARDOWN(breaks)
{
	unsigned int at;

	EXPECT_TRUE(books_idle(PATIENCE));
	/* after each test the code must be as it was loaded */
	for (at = 0; at < BC_TEXT_SIZE; at += 4)
		EXPECT_EQ(bc_original(at), bc_text(&self->bc, at));
	bc_close(&self->bc);
	close(self->session);
}

/* ---- counts -------------------------------------------------------------- */

/* 10^4, or as given in the environment; a slow kernel takes 7 ms for each */
static uint32_t many_loops(void)
{
	return env_number("GPUBP_BREAKS", slow_kernel() ? 200 : 10000) /
	       WAVES;
}

TEST_F(breaks, each_execution_is_one_count)
{
	uint32_t loops = many_loops();
	int64_t steps, delivered;
	struct gpubp_sync sync;
	int fd;

	fd = event_open_break(BC_PC(BC_LOOP_NOP), 0);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, session_sync(self->session, fd, PATIENCE, &sync));
	EXPECT_EQ(1, sync.nr_watches);
	EXPECT_EQ(1, sync.nr_armed);
	EXPECT_EQ(BC_WORD, bc_text(&self->bc, BC_LOOP_NOP));
	steps = books_get("step");
	delivered = books_get("delivered");
	ASSERT_EQ(0, bc_run(&self->bc, BC_LOOP, GROUPS, loops));
	EXPECT_EQ(WAVES * loops * BC_LANES, self->bc.data[0]);
	EXPECT_EQ(WAVES * BC_LANES, self->bc.data[1]);
	EXPECT_TRUE(books_settle(PATIENCE));
	EXPECT_EQ(WAVES * loops, event_count(fd));
	EXPECT_EQ(WAVES * loops, books_get("step") - steps);
	EXPECT_EQ(WAVES * loops, books_get("delivered") - delivered);
	close(fd);
	EXPECT_TRUE(books_idle(PATIENCE));
	EXPECT_EQ(bc_original(BC_LOOP_NOP), bc_text(&self->bc, BC_LOOP_NOP));
}

/**
 * struct place - an instruction and how often it executes
 * @name: its mnemonic
 * @kernel: kernel that executes it
 * @at: offset
 * @once: executed once a wave, else once a loop iteration
 */
struct place {
	const char *name;
	enum bc_kernel kernel;
	unsigned int at;
	bool once;
};

static const struct place places[] = {
	{ "an atomic of 8 bytes", BC_LOOP, BC_LOOP_ADD },
	{ "s_waitcnt", BC_LOOP, BC_LOOP_WAIT },
	{ "an addition", BC_LOOP, BC_LOOP_SUB },
	{ "a back edge", BC_LOOP, BC_LOOP_BRANCH },
	{ "s_barrier", BC_LOOP, BC_LOOP_BARRIER, .once = true },
	{ "s_endpgm", BC_LOOP, BC_LOOP_END, .once = true },
	{ "s_getpc_b64", BC_CALL, BC_CALL_GETPC },
	{ "s_swappc_b64", BC_CALL, BC_CALL_SWAPPC },
	{ "s_setpc_b64", BC_CALL, BC_CALL_RETURN },
	{ "s_trap of the program's", BC_TRAP, BC_TRAP_3 },
	{ "the break word of the program's", BC_TRAP, BC_TRAP_1 },
};

#define NR_PLACES	(sizeof(places) / sizeof(places[0]))

/* sum in the first word: added in each iteration, or at the end */
static uint32_t sum_of(enum bc_kernel kernel)
{
	return kernel == BC_TRAP ? WAVES * BC_LANES : SUM;
}

/* a runtime's handler would stop waves at traps that no event wants */
static int open_all_traps(int fd[3])
{
	fd[0] = open_trap(1);
	fd[1] = open_trap(3);
	fd[2] = open_trap(200);
	return fd[0] < 0 || fd[1] < 0 || fd[2] < 0 ? -1 : 0;
}

TEST_F(breaks, every_kind_of_instruction)
{
	unsigned int i;
	int traps[3];

	ASSERT_EQ(0, open_all_traps(traps));
	for (i = 0; i < NR_PLACES; i++) {
		const struct place *p = &places[i];
		int fd = event_open_break(BC_PC(p->at), 0);

		TH_LOG("%s", p->name);
		ASSERT_LE(0, fd);
		ASSERT_EQ(0, session_sync(self->session, fd, PATIENCE, NULL));
		ASSERT_EQ(0, bc_run(&self->bc, p->kernel, GROUPS, LOOPS));
		EXPECT_EQ(sum_of(p->kernel), self->bc.data[0]);
		EXPECT_EQ(p->once ? WAVES : EACH, event_count(fd));
		close(fd);
	}
	for (i = 0; i < 3; i++)
		close(traps[i]);
}

TEST_F(breaks, neighbours)
{
	static const unsigned int at[] = {
		BC_LOOP_ADD, BC_LOOP_WAIT, BC_LOOP_NOP, BC_LOOP_NOP2,
		BC_LOOP_SUB, BC_LOOP_BRANCH,
	};
	int fd[6];
	unsigned int i;

	for (i = 0; i < 6; i++) {
		fd[i] = event_open_break(BC_PC(at[i]), 0);
		ASSERT_LE(0, fd[i]);
	}
	for (i = 0; i < 6; i++)
		ASSERT_EQ(0, session_sync(self->session, fd[i], PATIENCE, NULL));
	ASSERT_EQ(0, bc_run(&self->bc, BC_LOOP, GROUPS, LOOPS));
	EXPECT_EQ(SUM, self->bc.data[0]);
	for (i = 0; i < 6; i++) {
		EXPECT_EQ(EACH, event_count(fd[i]));
		close(fd[i]);
	}
}

TEST_F(breaks, a_watch_on_the_same_instruction)
{
	struct perf_event_attr attr = event_watch(BC_DATA_VA, 4,
						  GPUBP_ACCESS_ATOMIC);
	int fd[2];

	fd[0] = event_open_break(BC_PC(BC_LOOP_ADD), 0);
	fd[1] = event_open(&attr, 0, -1);
	ASSERT_LE(0, fd[0]);
	ASSERT_LE(0, fd[1]);
	ASSERT_EQ(0, bc_run(&self->bc, BC_LOOP, GROUPS, LOOPS));
	EXPECT_EQ(SUM, self->bc.data[0]);
	EXPECT_EQ(EACH, event_count(fd[0]));
	EXPECT_EQ(EACH, event_count(fd[1]));
	close(fd[0]);
	close(fd[1]);
}

TEST_F(breaks, events_share_one)
{
	int fd[3], i;

	for (i = 0; i < 3; i++) {
		fd[i] = event_open_break(BC_PC(BC_LOOP_NOP), 0);
		ASSERT_LE(0, fd[i]);
	}
	ASSERT_EQ(0, bc_run(&self->bc, BC_LOOP, GROUPS, LOOPS));
	EXPECT_TRUE(books_settle(PATIENCE));
	for (i = 0; i < 3; i++)
		EXPECT_EQ(EACH, event_count(fd[i]));
	/* the break stays until its last event is closed */
	close(fd[0]);
	close(fd[1]);
	ASSERT_EQ(0, bc_run(&self->bc, BC_LOOP, GROUPS, LOOPS));
	EXPECT_EQ(2 * EACH, event_count(fd[2]));
	close(fd[2]);
}

TEST_F(breaks, modified_in_place)
{
	struct gpubp_modify m = { .config = GPUBP_KIND_BREAK };
	int fd = event_open_break(BC_PC(BC_LOOP_NOP), 0);

	ASSERT_LE(0, fd);
	ASSERT_EQ(0, bc_run(&self->bc, BC_LOOP, GROUPS, LOOPS));
	m.id = session_id(fd);
	m.config1 = BC_PC(BC_LOOP_BARRIER);
	ASSERT_EQ(0, session_call(self->session, GPUBP_MODIFY, &m));
	ASSERT_EQ(0, session_sync(self->session, fd, PATIENCE, NULL));
	EXPECT_EQ(bc_original(BC_LOOP_NOP), bc_text(&self->bc, BC_LOOP_NOP));
	ASSERT_EQ(0, bc_run(&self->bc, BC_LOOP, GROUPS, LOOPS));
	EXPECT_EQ(EACH + WAVES, event_count(fd));
	m.config1 = BC_PC(BC_LOOP_BARRIER) + 1;
	EXPECT_EQ(-EINVAL, session_call(self->session, GPUBP_MODIFY, &m));
	close(fd);
}

/* ---- the program's own s_trap -------------------------------------------- */

TEST_F(breaks, traps_of_the_program)
{
	static const unsigned int ids[] = { 1, 3, 200, 4 };
	int fd[4], on_3, i;

	for (i = 0; i < 4; i++) {
		fd[i] = open_trap(ids[i]);
		ASSERT_LE(0, fd[i]);
	}
	on_3 = event_open_break(BC_PC(BC_TRAP_3), 0);
	ASSERT_LE(0, on_3);
	ASSERT_EQ(0, bc_run(&self->bc, BC_TRAP, GROUPS, LOOPS));
	EXPECT_EQ(WAVES * BC_LANES, self->bc.data[0]);
	for (i = 0; i < 4; i++) {
		EXPECT_EQ(ids[i] == 4 ? 0 : EACH, event_count(fd[i]));
		close(fd[i]);
	}
	EXPECT_EQ(EACH, event_count(on_3));
	close(on_3);
}

/* ---- visibility to others ------------------------------------------------ */

/* keeps a break in its parent until it is killed */
static int watcher(int sock, void *arg)
{
	struct perf_event_attr attr = event_break(BC_PC(BC_CALL_RETURN));
	int fd = event_open(&attr, getppid(), -1);
	uint64_t end;

	(void)arg;
	if (fd < 0 || session_sync(session_open(), fd, PATIENCE, NULL))
		return 1;
	say(sock, 1);
	hear(sock, &end);
	return 0;
}

TEST_F(breaks, the_program_reads_its_own_code)
{
	const uint32_t loads = (BC_TEXT_SIZE - BC_SUM_LOAD) / 4;
	uint32_t text[BC_TEXT_SIZE / 4], sum = 0, i;
	struct child child;
	struct owner o;
	int fd;

	for (i = 0; i < loads; i++)
		sum += bc_original(BC_SUM_LOAD + 4 * i);
	fd = event_open_break(BC_PC(BC_CALL_RETURN), 0);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, bc_start(&self->bc, BC_SUM, 1, loads, BC_PC(BC_SUM_LOAD)));
	ASSERT_EQ(0, bc_wait(&self->bc, -1));
	EXPECT_EQ(sum - bc_original(BC_CALL_RETURN) + BC_WORD,
		  self->bc.data[0]);
	/* reads through gpubp do not show the break word */
	ASSERT_EQ(0, owner_open(&o, 0, true));
	ASSERT_EQ(sizeof(text), peek(&o, BC_PC(0), text, sizeof(text)));
	EXPECT_EQ(BC_WORD, bc_text(&self->bc, BC_CALL_RETURN));
	for (i = 0; i < BC_TEXT_SIZE; i += 4)
		EXPECT_EQ(bc_original(i), text[i / 4]);
	owner_close(&o);
	close(fd);
	EXPECT_TRUE(books_idle(PATIENCE));
	ASSERT_EQ(0, bc_start(&self->bc, BC_SUM, 1, loads, BC_PC(BC_SUM_LOAD)));
	ASSERT_EQ(0, bc_wait(&self->bc, -1));
	EXPECT_EQ(sum, self->bc.data[0]);
	/* the break is also removed when its opener was killed */
	ASSERT_EQ(0, child_start(&child, watcher, NULL));
	ASSERT_EQ(1, heard(child.sock));
	EXPECT_EQ(BC_WORD, bc_text(&self->bc, BC_CALL_RETURN));
	child_kill(&child);
	EXPECT_TRUE(books_idle(PATIENCE));
	ASSERT_EQ(0, bc_start(&self->bc, BC_SUM, 1, loads, BC_PC(BC_SUM_LOAD)));
	ASSERT_EQ(0, bc_wait(&self->bc, -1));
	EXPECT_EQ(sum, self->bc.data[0]);
}

TEST_F(breaks, samples)
{
	struct perf_event_attr attr = event_break(BC_PC(BC_LOOP_SUB));
	uint64_t groups = 0, waves = 0;
	unsigned int nr = 0;
	struct sample s;
	struct ring ring;
	int fd;

	event_sample(&attr, 1);
	attr.precise_ip = 2;
	fd = event_open(&attr, 0, -1);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, ring_map(&ring, fd, RING_PAGES));
	ASSERT_EQ(0, bc_run(&self->bc, BC_LOOP, GROUPS, LOOPS));
	EXPECT_TRUE(books_settle(PATIENCE));
	while (ring_next(&ring, &s)) {
		nr++;
		ASSERT_EQ(BC_PC(BC_LOOP_SUB), s.ip);
		ASSERT_EQ(BC_PC(BC_LOOP_SUB), s.addr);
		ASSERT_EQ(s.ip, s.rec.pc);
		ASSERT_EQ(GPUBP_KIND_BREAK, s.rec.kind);
		ASSERT_EQ(0, s.rec.trap_id);
		ASSERT_EQ(0, s.rec.exceptions);
		ASSERT_EQ(GPUBP_ADDR_EXACT, s.rec.addr_state);
		ASSERT_TRUE(s.rec.flags & GPUBP_HIT_PC_EXACT);
		ASSERT_TRUE(s.rec.flags & GPUBP_HIT_COORDS);
		ASSERT_EQ(~0ULL, s.rec.lanes);
		ASSERT_EQ(~0ULL, s.rec.exec);
		groups |= 1ULL << s.rec.wg_x;
		waves |= 1ULL << s.rec.wave_in_group;
	}
	EXPECT_EQ(EACH, nr);
	EXPECT_EQ((1 << GROUPS) - 1, groups);
	EXPECT_EQ((1 << BC_WAVES) - 1, waves);
	EXPECT_EQ(0, ring.lost);
	EXPECT_EQ(0, ring.bad);
	ring_unmap(&ring);
	close(fd);
}

static volatile int nr_traps, nr_strange;

static void on_trap(int sig, siginfo_t *info, void *context)
{
	const struct trap_info *t = trap_info(info);

	(void)sig;
	(void)context;
	nr_traps = nr_traps + 1;
	nr_strange = nr_strange +
		     (t->addr != (unsigned long)BC_PC(BC_LOOP_BARRIER) ||
		      t->data != 7);
}

TEST_F(breaks, signals)
{
	struct perf_event_attr attr = event_break(BC_PC(BC_LOOP_BARRIER));
	int fd;

	attr.sample_period = 1;
	attr.sigtrap = 1;
	attr.remove_on_exec = 1;
	attr.exclude_kernel = 1;
	attr.sig_data = 7;
	ASSERT_EQ(0, trap_handle(on_trap, 0));
	nr_traps = 0;
	nr_strange = 0;
	fd = event_open(&attr, 0, -1);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, bc_start(&self->bc, BC_LOOP, GROUPS, LOOPS, 0));
	EXPECT_TRUE(trap_spin(&nr_traps, 1));
	while (bc_wait(&self->bc, -1) == -EINTR)
		;
	EXPECT_TRUE(books_settle(PATIENCE));
	EXPECT_LE(1, nr_traps);
	EXPECT_GE(WAVES, nr_traps);
	EXPECT_EQ(0, nr_strange);
	close(fd);
}

/* ---- cost to others ------------------------------------------------------ */

/* a break stops waves, too: over the stall budget it is removed for a while */
TEST_F(breaks, a_hot_one_is_throttled)
{
	long percent = event_parameter("max_stall_percent", 1);
	struct event_value value, before;
	int fd, other, i;

	fd = event_open_break(BC_PC(BC_LOOP_NOP), 0);
	other = event_open_break(BC_PC(BC_LOOP_BARRIER), 0);
	ASSERT_LE(0, fd);
	ASSERT_LE(0, other);
	ASSERT_EQ(0, session_sync(self->session, fd, PATIENCE, NULL));
	ASSERT_EQ(0, session_sync(self->session, other, PATIENCE, NULL));
	for (i = 0; i < 100 && session_stall_throttled(self->session, fd) < 1; i++)
		EXPECT_EQ(0, bc_run(&self->bc, BC_LOOP, GROUPS, 10 * LOOPS));
	EXPECT_GT(100, i);
	event_parameter("max_stall_percent", 0);
	/*
	 * it is inserted again by itself and counts again, once pending stops
	 * are handled
	 */
	for (i = 0; i < PATIENCE; i++) {
		ASSERT_EQ(0, event_read(fd, &before));
		ASSERT_EQ(0, bc_run(&self->bc, BC_LOOP, GROUPS, LOOPS));
		ASSERT_EQ(0, event_read(fd, &value));
		if (value.count - before.count == EACH)
			break;
		usleep(1000000);
	}
	EXPECT_GT(PATIENCE, i);
	EXPECT_EQ(session_stall_throttled(self->session, fd), value.lost);
	EXPECT_GT(value.enabled / 1000, value.enabled - value.running);
	event_parameter("max_stall_percent", percent);
	close(fd);
	close(other);
}

/* ---- invalid breaks; those that are not opened are in reason.c ------------ */

TEST_F(breaks, refused)
{
	static const uint64_t unserved[] = {
		BC_PC(BC_LOOP_ADD) + 4,		/* second dword of the instruction */
		BC_PC(BC_TEXT_SIZE),		/* behind the code */
		BC_CODE_VA,			/* before it */
		BC_DATA_VA,
		0x40,
		~0ULL << 2,
	};
	struct perf_event_attr attr;
	struct gpubp_sync sync;
	unsigned int i;
	int fd;

	for (i = 0; i < sizeof(unserved) / sizeof(unserved[0]); i++) {
		attr = event_break(unserved[i]);
		fd = event_open(&attr, 0, -1);
		ASSERT_LE(0, fd);
		ASSERT_EQ(0, session_sync(self->session, fd, PATIENCE, &sync));
		EXPECT_EQ(1, sync.nr_watches);
		EXPECT_EQ(1, sync.nr_unserved);
		ASSERT_EQ(0, bc_run(&self->bc, BC_LOOP, GROUPS, LOOPS));
		EXPECT_EQ(SUM, self->bc.data[0]);
		EXPECT_EQ(0, event_count(fd));
		close(fd);
	}
}

TEST_HARNESS_MAIN
