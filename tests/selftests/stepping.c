// SPDX-License-Identifier: GPL-2.0
/*
 * Single steps and displaced steps, on machine code of which every word is
 * known: the next pc of the wave, its results, the counts of breaks, and every
 * error of the ABI.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "harness.h"
#include "books.h"
#include "breakcode.h"
#include "child.h"
#include "event.h"
#include "roles.h"
#include "session.h"
#include "waves.h"

#define PATIENCE	60	/* s */
#define FOR_EVER	0x7fffffff	/* loops */
#define FEW		3
#define S_TRAP_3	0xbf920003u
#define S_LOOPS		6	/* the scalar register that is the loop counter */
#define S_SUM		10	/* and the one that BC_CALL's function uses */

FIXTURE(stepping) {
	struct breakcode bc;
	struct owner o;
	struct owner other;
	uint64_t w[MAX_WAVES];
	int nr;
};

FIXTURE_SETUP(stepping)
{
	ASSERT_EQ(0, caps_idle(CAP_BIT(KILL)));
	ASSERT_EQ(0, bc_open(&self->bc));
	ASSERT_EQ(0, owner_open(&self->o, 0, true));
	ASSERT_EQ(0, owner_open(&self->other, 0, true));
}

FIXTURE_TEARDOWN(stepping)
{
	owner_close(&self->o);
	owner_close(&self->other);
	bc_close(&self->bc);
	EXPECT_TRUE(books_idle(PATIENCE)) books_print();
}

static int set_s(struct owner *o, uint64_t wave, unsigned int reg,
		 uint32_t value)
{
	return regs(o, GPUBP_WRITE_REGS, wave,
		    range(GPUBP_REGS_SCALAR, reg, 1), &value, 1);
}

/* single steps until all waves are at @at of the code; 0 or an error */
static int step_all_to(FIXTURE_DATA(stepping) *self, unsigned int at)
{
	int i, err = 0;

	for (i = 0; i < self->nr && !err; i++)
		err = step_to(&self->o, self->w[i], BC_PC(at));
	return err;
}

/* launch all waves of @groups workgroups, and halt them where a loop begins */
static int start(FIXTURE_DATA(stepping) *self, enum bc_kernel kernel,
		 unsigned int groups)
{
	unsigned int first = kernel == BC_LOOP ? BC_LOOP_ADD : BC_CALL_GETPC;

	self->bc.data[0] = 0;
	self->bc.data[1] = 0;
	if (bc_start(&self->bc, kernel, groups, FOR_EVER, 0))
		return -EIO;
	self->nr = groups * BC_WAVES;
	return halt_started(&self->o, self->nr, self->bc.data, self->w) ?:
	       step_all_to(self, first);
}

/* sum of the increments of all lanes of all waves, by their counters */
static uint64_t added(FIXTURE_DATA(stepping) *self)
{
	uint64_t sum = 0;
	int i;

	for (i = 0; i < self->nr; i++)
		sum += FOR_EVER - get_s(&self->o, self->w[i], S_LOOPS);
	return sum * BC_LANES;
}

/* ---- single steps -------------------------------------------------------- */

static unsigned int insn_len(uint32_t word)
{
	uint32_t top = word >> 26;

	return top == 0x30 || top == 0x37 ? 8 : 4;	/* SMEM, FLAT */
}

/* true if @next can follow @pc: the instruction there is known */
static bool leads_to(uint64_t pc, uint64_t next)
{
	unsigned int at = pc - BC_PC(0);
	unsigned int len = insn_len(bc_original(at));

	switch (at) {
	case BC_LOOP_BRANCH:
		return next == BC_PC(BC_LOOP_ADD);
	case BC_CALL_SWAPPC:
		return next == BC_PC(BC_CALL_SWAPPC + 20);
	case BC_CALL_SWAPPC + 12:	/* s_cbranch_scc1 */
		return next == BC_PC(BC_CALL_GETPC);
	case BC_CALL_RETURN:
		return next == BC_PC(BC_CALL_SWAPPC + 4);
	default:
		return next == pc + len;
	}
}

TEST_F(stepping, one_instruction_at_a_time)
{
	static const enum bc_kernel kernels[] = { BC_LOOP, BC_CALL };
	unsigned int k, i;

	for (k = 0; k < 2; k++) {
		uint64_t pc, next, w;

		ASSERT_EQ(0, start(self, kernels[k], 1));
		w = self->w[0];
		pc = get_pc(&self->o, w);
		for (i = 0; i < 40; i++) {
			ASSERT_EQ(0, step(&self->o, w));
			next = get_pc(&self->o, w);
			EXPECT_TRUE(leads_to(pc, next))
				TH_LOG("%lx to %lx", pc - BC_PC(0), next - BC_PC(0));
			EXPECT_TRUE(has_stopped(&self->o, w));
			pc = next;
		}
		/* then they run to their end */
		for (i = 0; i < BC_WAVES; i++)
			EXPECT_EQ(0, set_s(&self->o, self->w[i], S_LOOPS, 2));
		EXPECT_EQ(0, run(&self->o, GPUBP_RESUME, NULL, 0, 0));
		EXPECT_EQ(0, bc_wait(&self->bc, PATIENCE));
	}
}

TEST_F(stepping, a_wave_that_ends_in_its_step_is_reported)
{
	unsigned int i;
	int err = 0;

	ASSERT_EQ(0, start(self, BC_CALL, 1));
	ASSERT_EQ(0, step_to(&self->o, self->w[0], BC_PC(BC_CALL_GETPC)));
	ASSERT_EQ(0, set_s(&self->o, self->w[0], S_LOOPS, 1));
	for (i = 0; i < 20 && !err; i++)
		err = step(&self->o, self->w[0]);
	EXPECT_EQ(-ESRCH, err);
	EXPECT_EQ(11, i);
	EXPECT_EQ(-ESRCH, halt(&self->o, self->w[0]));
	EXPECT_EQ(-ESRCH, resume(&self->o, self->w[0]));
	EXPECT_EQ(-ESRCH, step(&self->o, self->w[0]));
}

/* ---- changed registers --------------------------------------------------- */

/* one step adds the value written to v1, lane by lane */
TEST_F(stepping, what_is_written_to_registers_is_what_the_wave_has)
{
	uint32_t v1[BC_LANES], sum;
	unsigned int lane;

	ASSERT_EQ(0, start(self, BC_LOOP, 1));
	ASSERT_EQ(0, step_to(&self->o, self->w[0], BC_PC(BC_LOOP_ADD)));
	sum = self->bc.data[0];
	for (lane = 0; lane < BC_LANES; lane++)
		v1[lane] = lane * lane;
	ASSERT_EQ(0, regs(&self->o, GPUBP_WRITE_REGS, self->w[0],
			  range(GPUBP_REGS_VECTOR, 1, 1), v1, BC_LANES));
	ASSERT_EQ(0, step(&self->o, self->w[0]));
	EXPECT_EQ(sum + 63 * 64 * 127 / 6, self->bc.data[0]);
}

/* and a dump contains its location */
TEST_F(stepping, a_dump_names_the_code)
{
	struct gpubp_wave_dump d;

	ASSERT_EQ(0, start(self, BC_LOOP, 1));
	ASSERT_EQ(0, step_to(&self->o, self->w[0], BC_PC(BC_LOOP_SUB)));
	ASSERT_EQ(0, dump(&self->o, self->w[0], &d));
	EXPECT_EQ(BC_PC(BC_LOOP_SUB), d.pc);
	EXPECT_TRUE(d.valid & GPUBP_DUMP_CODE);
	EXPECT_STREQ(BC_NAME, d.code_name);
	EXPECT_LT(d.pc - d.code_start, d.code_size);
	EXPECT_EQ(~0ull, d.exec);
	EXPECT_EQ(bc_original(BC_LOOP_SUB),
		  d.words[(d.pc - d.words_addr) / 4]);
}

/* ---- breaks -------------------------------------------------------------- */

/* a break is counted at each pass, stepped or not, and its instruction executed */
TEST_F(stepping, breaks_count_who_steps_into_them)
{
	static const unsigned int at[] = { BC_CALL_GETPC, BC_CALL_SWAPPC + 20 };
	unsigned int b, pass;

	for (b = 0; b < 2; b++) {
		int64_t before;
		int fd;

		ASSERT_EQ(0, start(self, BC_CALL, 1));
		fd = event_open_break(BC_PC(at[b]), 0);
		ASSERT_LE(0, fd);
		ASSERT_EQ(0, session_sync(self->o.session, fd, PATIENCE, NULL));
		ASSERT_EQ(0, step_to(&self->o, self->w[0], BC_PC(at[b])));
		before = event_count(fd);
		for (pass = 1; pass <= FEW; pass++) {
			uint64_t pc = get_pc(&self->o, self->w[0]), next;

			ASSERT_EQ(0, step(&self->o, self->w[0]));
			next = get_pc(&self->o, self->w[0]);
			EXPECT_TRUE(leads_to(pc, next))
				TH_LOG("pass %u: from 0x%lx to 0x%lx", pass, pc,
				       next);
			ASSERT_EQ(0, step_to(&self->o, self->w[0], BC_PC(at[b])));
			EXPECT_TRUE(books_settle(PATIENCE)) books_print();
			EXPECT_EQ(before + pass, event_count(fd));
		}
		close(fd);
		EXPECT_EQ(0, step_all_to(self, BC_CALL_GETPC));
		EXPECT_EQ(added(self), self->bc.data[0]);
		EXPECT_EQ(0, run(&self->o, GPUBP_RESUME, NULL, 0, 0));
		bc_close(&self->bc);
		ASSERT_EQ(0, bc_open(&self->bc));
		owner_close(&self->o);
		ASSERT_EQ(0, owner_open(&self->o, 0, true));
	}
}

TEST_F(stepping, memory_is_shown_without_breaks)
{
	uint32_t word;
	int fd;

	ASSERT_EQ(0, start(self, BC_CALL, 1));
	fd = event_open_break(BC_PC(BC_CALL_SWAPPC), 0);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, session_sync(self->o.session, fd, PATIENCE, NULL));
	EXPECT_EQ(BC_WORD, bc_text(&self->bc, BC_CALL_SWAPPC));
	EXPECT_EQ(4, peek(&self->o, BC_PC(BC_CALL_SWAPPC), &word, 4));
	EXPECT_EQ(bc_original(BC_CALL_SWAPPC), word);
	close(fd);
}

/* ---- displaced steps ----------------------------------------------------- */

/* one displaced step; -ESRCH: the wave ended */
static int displace(struct owner *o, uint64_t wave)
{
	struct gpubp_displaced d = {};
	int err = displaced(o, GPUBP_DISPLACED_START, wave, &d) ?:
		  step(o, wave);

	return err ?: displaced(o, GPUBP_DISPLACED_COMPLETE, wave, &d) ?:
	       d.state == GPUBP_DISPLACED_DONE ? 0 : -EPROTO;
}

/* displaced steps to the end of the kernel: the sum is the same as without */
TEST_F(stepping, every_instruction_displaced)
{
	static const enum bc_kernel kernels[] = { BC_LOOP, BC_CALL };
	static const unsigned int first[] = { BC_LOOP_ADD, BC_CALL_GETPC };
	unsigned int k, i;

	for (k = 0; k < 2; k++) {
		uint64_t sum, pc, next, w;
		int err = 0;

		ASSERT_EQ(0, start(self, kernels[k], 1));
		ASSERT_EQ(0, step_all_to(self, first[k]));
		sum = added(self);
		EXPECT_EQ(sum, self->bc.data[0]);
		w = self->w[0];
		for (i = 0; i < BC_WAVES; i++)
			ASSERT_EQ(0, set_s(&self->o, self->w[i], S_LOOPS, FEW));
		/* the waves that it meets at the barrier are there already */
		for (i = 1; i < BC_WAVES; i++)
			ASSERT_EQ(0, resume(&self->o, self->w[i]));
		for (i = 0; i < 100 && !err; i++) {
			pc = get_pc(&self->o, w);
			err = displace(&self->o, w);
			next = get_pc(&self->o, w);
			if (!err && get_s(&self->o, w, S_LOOPS))
				EXPECT_TRUE(leads_to(pc, next))
					TH_LOG("%lx to %lx", pc - BC_PC(0),
					       next - BC_PC(0));
		}
		EXPECT_EQ(-ESRCH, err);
		EXPECT_EQ(0, bc_wait(&self->bc, PATIENCE));
		EXPECT_EQ(sum + FEW * BC_WAVES * BC_LANES, self->bc.data[0]);
		if (kernels[k] == BC_LOOP)
			EXPECT_EQ(BC_WAVES * BC_LANES, self->bc.data[1]);
	}
}

/* also on a break, which does not count waves that step past it this way */
TEST_F(stepping, displaced_past_a_break)
{
	int64_t before;
	int fd;

	ASSERT_EQ(0, start(self, BC_LOOP, 1));
	fd = event_open_break(BC_PC(BC_LOOP_NOP2), 0);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, session_sync(self->o.session, fd, PATIENCE, NULL));
	ASSERT_EQ(0, step_to(&self->o, self->w[0], BC_PC(BC_LOOP_NOP2)));
	EXPECT_TRUE(books_settle(PATIENCE));
	before = event_count(fd);
	EXPECT_EQ(0, displace(&self->o, self->w[0]));
	EXPECT_EQ(BC_PC(BC_LOOP_SUB), get_pc(&self->o, self->w[0]));
	EXPECT_EQ(before, event_count(fd));
	close(fd);
}

TEST_F(stepping, cancelled_and_tried_again)
{
	struct gpubp_displaced d = {};
	uint64_t w, pc;

	ASSERT_EQ(0, start(self, BC_LOOP, 1));
	w = self->w[0];
	ASSERT_EQ(0, step_to(&self->o, w, BC_PC(BC_LOOP_SUB)));
	pc = BC_PC(BC_LOOP_SUB);
	EXPECT_EQ(0, displaced(&self->o, GPUBP_DISPLACED_START, w, &d));
	EXPECT_EQ(pc, d.from);
	EXPECT_NE(0, d.to);
	EXPECT_EQ(4, d.len);
	EXPECT_EQ(GPUBP_DISPLACED_PLACED, d.state);
	EXPECT_EQ(pc, get_pc(&self->o, w));
	EXPECT_EQ(GPUBP_WAVE_STOPPED | GPUBP_WAVE_HELD | GPUBP_WAVE_MINE |
		  GPUBP_WAVE_DISPLACED, entry(&self->o, w).flags);
	EXPECT_EQ(0, displaced(&self->o, GPUBP_DISPLACED_COMPLETE, w, &d));
	EXPECT_EQ(GPUBP_DISPLACED_PLACED, d.state);
	EXPECT_EQ(pc, get_pc(&self->o, w));
	EXPECT_EQ(0, displaced(&self->o, GPUBP_DISPLACED_START, w, &d));
	EXPECT_EQ(0, step(&self->o, w));
	EXPECT_EQ(0, displaced(&self->o, GPUBP_DISPLACED_INFO, w, &d));
	EXPECT_EQ(GPUBP_DISPLACED_DONE, d.state);
	EXPECT_EQ(0, displaced(&self->o, GPUBP_DISPLACED_COMPLETE, w, &d));
	EXPECT_EQ(pc + 4, get_pc(&self->o, w));
}

/* an instruction that reads the pc is simulated, and uses no buffer */
TEST_F(stepping, what_reads_the_pc_is_simulated)
{
	struct gpubp_displaced d = {};
	uint64_t w;

	ASSERT_EQ(0, start(self, BC_CALL, 1));
	w = self->w[0];
	ASSERT_EQ(0, step_to(&self->o, w, BC_PC(BC_CALL_GETPC)));
	EXPECT_EQ(0, displaced(&self->o, GPUBP_DISPLACED_START, w, &d));
	EXPECT_EQ(0, d.to);
	EXPECT_EQ(0, displaced(&self->o, GPUBP_DISPLACED_COMPLETE, w, &d));
	EXPECT_EQ(BC_PC(BC_CALL_GETPC), get_pc(&self->o, w));
	EXPECT_EQ(0, displace(&self->o, w));
	EXPECT_EQ(BC_PC(BC_CALL_GETPC + 4), get_pc(&self->o, w));
	EXPECT_EQ((uint32_t)BC_PC(BC_CALL_GETPC + 4),
		  get_s(&self->o, w, S_SUM));
}

/*
 * a debugger's own breakpoint stays in the code; a displaced step executes the
 * original
 */
TEST_F(stepping, past_a_breakpoint_that_no_event_knows)
{
	const uint32_t insn = bc_original(BC_LOOP_SUB);
	volatile uint32_t *word;
	struct gpubp_displaced d = {};
	uint32_t loops;
	uint64_t w;

	ASSERT_EQ(0, start(self, BC_LOOP, 1));
	w = self->w[0];
	ASSERT_EQ(0, step_to(&self->o, w, BC_PC(BC_LOOP_SUB)));
	loops = get_s(&self->o, w, S_LOOPS);
	word = bc_word(&self->bc, BC_LOOP_SUB);
	*word = S_TRAP_3;
	EXPECT_EQ(0, displaced_as(&self->o, w, &insn, sizeof(insn), &d));
	EXPECT_EQ(4, d.len);
	EXPECT_EQ(0, step(&self->o, w));
	EXPECT_EQ(0, displaced(&self->o, GPUBP_DISPLACED_COMPLETE, w, &d));
	EXPECT_EQ(GPUBP_DISPLACED_DONE, d.state);
	EXPECT_EQ(BC_PC(BC_LOOP_SUB) + 4, get_pc(&self->o, w));
	EXPECT_EQ(loops - 1, get_s(&self->o, w, S_LOOPS));
	EXPECT_EQ(S_TRAP_3, *word);
	*word = insn;
	EXPECT_EQ(-EINVAL, displaced_as(&self->o, w, &insn, 0, &d));
	EXPECT_EQ(-EINVAL, displaced_as(&self->o, w, &insn, GPUBP_INSN_MAX + 1,
					&d));
	EXPECT_EQ(-EFAULT, displaced_as(&self->o, w, (void *)8, 4, &d));
}

/* the same table is in Documentation/gpubp/use/runctl.rst */
TEST_F(stepping, errors)
{
	struct gpubp_displaced d = {}, second = {};
	struct owner *o = &self->o, reader;
	uint64_t w, pc;

	ASSERT_EQ(0, start(self, BC_LOOP, 1));
	w = self->w[0];
	ASSERT_EQ(0, step_to(o, w, BC_PC(BC_LOOP_NOP)));
	pc = BC_PC(BC_LOOP_NOP);
	/* no valid instruction: reserved, or nothing mapped */
	self->bc.data[64] = 0xbfff0000;
	ASSERT_EQ(0, set_pc(o, w, BC_DATA_VA + 256));
	EXPECT_EQ(-EILSEQ, displaced(o, GPUBP_DISPLACED_START, w, &d));
	ASSERT_EQ(0, set_pc(o, w, 0x1000));
	EXPECT_EQ(-EFAULT, displaced(o, GPUBP_DISPLACED_START, w, &d));
	ASSERT_EQ(0, set_pc(o, w, pc));
	/* no such wave, an ended one, and a running one */
	EXPECT_EQ(-ESRCH, displaced(o, GPUBP_DISPLACED_START, 12345, &d));
	EXPECT_EQ(-ESRCH, step(o, 12345));
	EXPECT_EQ(-ESRCH, resume(o, 12345));
	EXPECT_EQ(-ENOENT, displaced(o, GPUBP_DISPLACED_COMPLETE, 12345, &d));
	ASSERT_EQ(0, resume(o, self->w[1]));
	EXPECT_EQ(-EBADFD, displaced(o, GPUBP_DISPLACED_START, self->w[1], &d));
	EXPECT_EQ(-EBADFD, step(o, self->w[1]));
	EXPECT_EQ(-EBADFD, resume(o, self->w[1]));
	EXPECT_EQ(-EBADFD, set_pc(o, self->w[1], pc));
	/* a session with read access only */
	ASSERT_EQ(0, owner_open(&reader, 0, false));
	EXPECT_EQ(-EPERM, displaced(&reader, GPUBP_DISPLACED_START, w, &d));
	EXPECT_EQ(-EPERM, displaced(&reader, GPUBP_DISPLACED_COMPLETE, w, &d));
	owner_close(&reader);
	/* a wave held by another session */
	EXPECT_EQ(-EBADFD, displaced(&self->other, GPUBP_DISPLACED_START, w, &d));
	ASSERT_EQ(0, halt(&self->other, w));
	EXPECT_EQ(-EBUSY, displaced(o, GPUBP_DISPLACED_START, w, &d));
	EXPECT_EQ(-EBUSY, step(o, w));
	ASSERT_EQ(0, resume(&self->other, w));
	/* a step that is not complete */
	EXPECT_EQ(-ENOENT, displaced(o, GPUBP_DISPLACED_COMPLETE, w, &d));
	ASSERT_EQ(0, displaced(o, GPUBP_DISPLACED_START, w, &d));
	EXPECT_EQ(-EALREADY, displaced(o, GPUBP_DISPLACED_START, w, &second));
	EXPECT_EQ(-EINPROGRESS, resume(o, w));
	EXPECT_EQ(-EINPROGRESS, run(o, GPUBP_RESUME, NULL, 0, 0));
	EXPECT_EQ(-EINPROGRESS, set_pc(o, w, pc));
	second.id = d.id + 1;
	EXPECT_EQ(-ENOENT, displaced(o, GPUBP_DISPLACED_INFO, w, &second));
	EXPECT_EQ(0, step(o, w));
	EXPECT_EQ(-EINPROGRESS, step(o, w));
	EXPECT_EQ(0, displaced(o, GPUBP_DISPLACED_COMPLETE, w, &d));
	EXPECT_EQ(-ENOENT, displaced(o, GPUBP_DISPLACED_COMPLETE, w, &d));
	EXPECT_EQ(pc + 4, get_pc(o, w));
}

#define QUOTA	8	/* half of the 16 of sessions */

TEST_F(stepping, one_user_does_not_get_all_buffers)
{
	struct gpubp_displaced d = {}, first = {};
	unsigned int i;

	ASSERT_EQ(0, start(self, BC_LOOP, 3));
	ASSERT_EQ(0, step_all_to(self, BC_LOOP_SUB));
	for (i = 0; i < QUOTA; i++) {
		EXPECT_EQ(0, displaced(&self->o, GPUBP_DISPLACED_START,
				       self->w[i], &d));
		if (!i)
			first = d;
	}
	EXPECT_EQ(-ENOBUFS, displaced(&self->o, GPUBP_DISPLACED_START,
				      self->w[i], &d));
	/* nor does another session of the same user get more: the wave does not move */
	ASSERT_EQ(0, halt(&self->other, self->w[i]));
	ASSERT_EQ(0, resume(&self->o, self->w[i]));
	EXPECT_EQ(-ENOBUFS, displaced(&self->other, GPUBP_DISPLACED_START,
				      self->w[i], &d));
	EXPECT_EQ(0, displaced(&self->o, GPUBP_DISPLACED_COMPLETE, self->w[0],
			       &first));
	EXPECT_EQ(0, displace(&self->other, self->w[i]));
}

/* ---- owners that are killed ---------------------------------------------- */

enum phase {
	HALTED,
	STARTED,
	STEPPED,
	COMPLETED,
	NR_PHASES,
};

/* holds a wave of its parent, in a phase of a displaced step, until it is killed */
static int holder(int sock, void *arg)
{
	struct gpubp_displaced d = {};
	uint64_t unused, w[MAX_WAVES];
	enum phase phase = *(enum phase *)arg;
	struct owner o;
	int err;

	if (owner_open(&o, getppid(), true) || find_waves(&o, w) < 1)
		return 1;
	err = halt(&o, w[0]);
	if (!err && phase >= STARTED)
		err = displaced(&o, GPUBP_DISPLACED_START, w[0], &d);
	if (!err && phase >= STEPPED)
		err = step(&o, w[0]);
	if (!err && phase >= COMPLETED)
		err = displaced(&o, GPUBP_DISPLACED_COMPLETE, w[0], &d);
	if (err)
		return -err;
	say(sock, 1);
	hear(sock, &unused);
	return 0;
}

TEST_F(stepping, owners_that_are_killed_let_go)
{
	enum phase phase;

	ASSERT_EQ(0, start(self, BC_LOOP, 1));
	ASSERT_EQ(0, run(&self->o, GPUBP_RESUME, NULL, 0, 0));
	for (phase = HALTED; phase < NR_PHASES; phase++) {
		struct child child;

		ASSERT_EQ(0, child_start(&child, holder, &phase));
		EXPECT_EQ(1, heard(child.sock));
		EXPECT_TRUE(has_stopped(&self->o, self->w[0]));
		EXPECT_EQ(128 + 9, child_kill(&child));
		EXPECT_TRUE(goes_on(&self->o, self->w[0]));
	}
	/* the break counts as before */
	ASSERT_EQ(0, halt_all(&self->o));
	ASSERT_EQ(0, step_all_to(self, BC_LOOP_ADD));
	EXPECT_EQ(added(self), self->bc.data[0]);
}

/* the target exits with a step in each phase */
TEST_F(stepping, targets_that_end_take_steps_along)
{
	struct gpubp_displaced d = {};

	ASSERT_EQ(0, start(self, BC_LOOP, 1));
	ASSERT_EQ(0, displaced(&self->o, GPUBP_DISPLACED_START, self->w[0], &d));
	ASSERT_EQ(0, displaced(&self->o, GPUBP_DISPLACED_START, self->w[1], &d));
	ASSERT_EQ(0, step(&self->o, self->w[1]));
	bc_close(&self->bc);
	EXPECT_EQ(-ESRCH, displaced(&self->o, GPUBP_DISPLACED_COMPLETE,
				    self->w[1], &d));
	ASSERT_EQ(0, bc_open(&self->bc));
}

TEST_HARNESS_MAIN
