// SPDX-License-Identifier: GPL-2.0
/*
 * Single steps that execute nothing, and steps whose trap is lost, as silicon has
 * them where a context save or a host trap comes in between: here one in so many
 * does, at changing rates. No call hangs, no instruction and no break is
 * executed twice or not at all, and a step that is not lost is one instruction.
 */
#include <errno.h>
#include "harness.h"
#include "books.h"
#include "breakcode.h"
#include "event.h"
#include "session.h"
#include "simdev.h"
#include "waves.h"

#define NAME		"disturbed"
#define PATIENCE	60	/* s */
#define LOOP_INSNS	7
#define STEPS		1000
#define RATE_STEPS	50	/* then at another rate */
#define S_LOOPS		6	/* the scalar register that is the loop counter */
#define MANY		1000000	/* loops */

FIXTURE(disturbed) {
	int nr;
	struct breakcode bc;
	struct owner o;
	uint64_t w[MAX_WAVES];
};

static int make(void)
{
	return simdev_mkdir(NAME) ?: simdev_set(NAME, "live", "1") ?:
	       simdev_get(NAME, "number");
}

FIXTURE_SETUP(disturbed)
{
	struct gpubp_context c;

	self->nr = make();
	ASSERT_LT(0, self->nr) simdev_rmdir(NAME);
	books_of(self->nr);
	ASSERT_EQ(0, bc_open_on(&self->bc, self->nr));
	ASSERT_EQ(0, owner_open(&self->o, 0, true));
	ASSERT_EQ(1, contexts(&self->o, &c, 1));
	self->o.ctx = c.id;
}

FIXTURE_TEARDOWN(disturbed)
{
	EXPECT_EQ(0, simdev_fault(self->nr, "spurious", 0));
	EXPECT_EQ(0, simdev_fault(self->nr, "overstep", 0));
	owner_close(&self->o);
	bc_close(&self->bc);
	EXPECT_TRUE(books_idle(PATIENCE)) books_print();
	books_of(0);
	EXPECT_EQ(0, simdev_rmdir(NAME));
}

static int nr_steps(void)
{
	return debug_kernel() ? STEPS / 5 : STEPS;
}

/* step @i of a test begins: each fault that is not NULL has its rate */
static void disturb(FIXTURE_DATA(disturbed) *self, int i, const char *spurious,
		    const char *overstep)
{
	static const unsigned int rates[] = { 2, 3, 5, 7, 11, 0 };
	unsigned int nr = i / RATE_STEPS;

	if (i % RATE_STEPS)
		return;
	if (spurious)
		simdev_fault(self->nr, spurious, rates[nr % 6]);
	if (overstep)
		simdev_fault(self->nr, overstep, rates[(nr + 2) % 5]);
}

/* all waves of a workgroup, halted in their loops, the first one where the loop begins */
static int start_and_halt(FIXTURE_DATA(disturbed) *self)
{
	return bc_start(&self->bc, BC_LOOP, 1, MANY, 0) ?:
	       halt_started(&self->o, BC_WAVES, self->bc.data, self->w) ?:
	       step_to(&self->o, self->w[0], BC_PC(BC_LOOP_ADD));
}

static uint32_t loops_left(FIXTURE_DATA(disturbed) *self, uint64_t wave)
{
	uint32_t value = 0;

	regs(&self->o, GPUBP_READ_REGS, wave,
	     range(GPUBP_REGS_SCALAR, S_LOOPS, 1), &value, 1);
	return value;
}

/* the loop of the kernel, in order */
static const unsigned int loop[LOOP_INSNS] = {
	BC_LOOP_ADD, BC_LOOP_WAIT, BC_LOOP_NOP, BC_LOOP_NOP2, BC_LOOP_SUB,
	BC_LOOP_SUB + 4, BC_LOOP_BRANCH,
};

static int place_in_loop(uint64_t pc)
{
	int i;

	for (i = 0; i < LOOP_INSNS; i++)
		if (pc == BC_PC(loop[i]))
			return i;
	return -1;
}

/* how many instructions the wave has executed since it was at @from */
static int steps_since(FIXTURE_DATA(disturbed) *self, int from)
{
	int at = place_in_loop(get_pc(&self->o, self->w[0]));

	return at < 0 ? at : (at - from + LOOP_INSNS) % LOOP_INSNS;
}

/* the loops that wave 0 has made agree with what it added */
static bool adds_up(FIXTURE_DATA(disturbed) *self, uint32_t data, uint32_t left,
		    int insns)
{
	uint32_t adds = (self->bc.data[0] - data) / BC_LANES;

	return adds == (insns + LOOP_INSNS - 1) / LOOP_INSNS &&
	       (left - loops_left(self, self->w[0])) ==
	       (uint32_t)(insns + LOOP_INSNS - 5) / LOOP_INSNS;
}

TEST_F_TIMEOUT(disturbed, a_step_is_one_instruction, 120)
{
	uint32_t data, left;
	int i, at = 0;

	ASSERT_EQ(0, start_and_halt(self));
	data = self->bc.data[0];
	left = loops_left(self, self->w[0]);
	for (i = 0; i < nr_steps(); i++) {
		disturb(self, i, "spurious", NULL);
		ASSERT_EQ(0, step(&self->o, self->w[0]));
		ASSERT_EQ(1, steps_since(self, at)) TH_LOG("step %d", i);
		at = (at + 1) % LOOP_INSNS;
	}
	EXPECT_TRUE(adds_up(self, data, left, i));
	EXPECT_LT(nr_steps() / 10, simdev_planted(self->nr, "spurious"));
}

TEST_F_TIMEOUT(disturbed, a_lost_one_is_two, 120)
{
	int i, n, at = 0, twice = 0, insns = 0;
	uint32_t data, left;

	ASSERT_EQ(0, start_and_halt(self));
	data = self->bc.data[0];
	left = loops_left(self, self->w[0]);
	for (i = 0; i < nr_steps(); i++) {
		disturb(self, i, "spurious", "overstep");
		ASSERT_EQ(0, step(&self->o, self->w[0]));
		n = steps_since(self, at);
		ASSERT_TRUE(n == 1 || n == 2) TH_LOG("step %d: %d", i, n);
		at = (at + n) % LOOP_INSNS;
		insns += n;
		twice += n == 2;
	}
	EXPECT_TRUE(adds_up(self, data, left, insns));
	EXPECT_LT(0, twice);
	EXPECT_GE(simdev_planted(self->nr, "overstep"), twice);
}

/* in its buffer a wave cannot get beyond the next instruction */
TEST_F_TIMEOUT(disturbed, a_displaced_one_is_one, 120)
{
	struct gpubp_displaced d;
	uint32_t data, left;
	int i, at = 0;

	ASSERT_EQ(0, start_and_halt(self));
	data = self->bc.data[0];
	left = loops_left(self, self->w[0]);
	for (i = 0; i < nr_steps() / 2; i++) {
		disturb(self, i, "spurious", "overstep");
		d = (struct gpubp_displaced){ };
		ASSERT_EQ(0, displaced(&self->o, GPUBP_DISPLACED_START,
				       self->w[0], &d));
		ASSERT_EQ(0, step(&self->o, self->w[0])) TH_LOG("step %d", i);
		ASSERT_EQ(0, displaced(&self->o, GPUBP_DISPLACED_COMPLETE,
				       self->w[0], &d));
		ASSERT_EQ(1, steps_since(self, at)) TH_LOG("step %d", i);
		at = (at + 1) % LOOP_INSNS;
	}
	EXPECT_TRUE(adds_up(self, data, left, i));
	EXPECT_LT(0, simdev_planted(self->nr, "overstep"));
}

/* one wave is stepped through breaks that all others meet as they run */
TEST_F_TIMEOUT(disturbed, breaks_are_counted_once, 300)
{
	static const unsigned int at[] = { BC_LOOP_ADD, BC_LOOP_NOP2, BC_LOOP_BRANCH };
	uint32_t loops = slow_kernel() ? 60 : 400;
	int fd[3], i, session = session_open();
	struct gpubp_wave_entry e[BC_WAVES];
	struct gpubp_sync sync;

	ASSERT_LE(0, session);
	for (i = 0; i < 3; i++) {
		fd[i] = event_open_break(BC_PC(at[i]), 0);
		ASSERT_LE(0, fd[i]);
		ASSERT_EQ(0, session_sync(session, fd[i], PATIENCE, &sync));
	}
	ASSERT_EQ(0, simdev_fault(self->nr, "spurious", 3));
	ASSERT_EQ(0, simdev_fault(self->nr, "overstep", 5));
	self->bc.data[0] = self->bc.data[1] = 0;
	ASSERT_EQ(0, bc_start(&self->bc, BC_LOOP, 1, loops, 0));
	while (list(&self->o, e, BC_WAVES) != BC_WAVES)
		usleep(1000);
	ASSERT_EQ(0, halt(&self->o, e[0].wave));
	for (i = 0; i < (int)loops; i++)
		ASSERT_EQ(0, step(&self->o, e[0].wave)) TH_LOG("step %d", i);
	ASSERT_EQ(0, resume(&self->o, e[0].wave));
	ASSERT_EQ(0, bc_wait(&self->bc, PATIENCE));
	EXPECT_TRUE(books_settle(PATIENCE));
	EXPECT_EQ(BC_WAVES * loops * BC_LANES, self->bc.data[0]);
	EXPECT_EQ(BC_WAVES * BC_LANES, self->bc.data[1]);
	for (i = 0; i < 3; i++) {
		EXPECT_EQ(BC_WAVES * loops, event_count(fd[i])) TH_LOG("break %d", i);
		close(fd[i]);
	}
	/* breaks are removed some time after their events were closed */
	for (i = 0; i < PATIENCE * 1000 && !bc_intact(&self->bc); i++)
		usleep(1000);
	EXPECT_TRUE(bc_intact(&self->bc));
	close(session);
}

TEST_HARNESS_MAIN
