// SPDX-License-Identifier: GPL-2.0
/*
 * Waves that are stopped where their program ends: gfx9 cannot save a wave that
 * is halted there. Whatever stopped them, they are saved when another context
 * needs the GPU, their pc is that of the end, and they end when they are resumed.
 */
#include <errno.h>
#include "harness.h"
#include "books.h"
#include "breakcode.h"
#include "event.h"
#include "session.h"
#include "simdev.h"
#include "waves.h"

#define NAME		"ends"
#define PATIENCE	60	/* s */
#define PREEMPT_MS	"50000"	/* what waited for that would be late */
#define SOON		10	/* s */
#define FOR_EVER	0x7fffffff	/* loops */
#define FEW		3
#define LAST_ADD	0x3c	/* the instruction before BC_LOOP_END */
#define S_NOP		0xbf800000u
#define S_SETHALT	0xbf8d0001u

/**
 * FIXTURE(ends) - two contexts that share the only VMID
 * @nr: number of the device
 * @bc: their code
 * @o: who holds the waves of the first one
 * @w: these
 */
FIXTURE(ends) {
	int nr;
	struct breakcode bc[2];
	struct owner o;
	uint64_t w[MAX_WAVES];
};

FIXTURE_VARIANT(ends) {
	const char *end_halts;
};

FIXTURE_VARIANT_ADD(ends, silicon) {
	.end_halts = "0",
};

FIXTURE_VARIANT_ADD(ends, kinder) {
	.end_halts = "1",
};

/* the last access of each wave */
static int open_watch(void)
{
	struct perf_event_attr attr = event_watch(BC_DATA_VA + 4, 4,
						  GPUBP_ACCESS_ATOMIC);

	return event_open(&attr, 0, -1);
}

static int make(const char *end_halts)
{
	return simdev_mkdir(NAME) ?: simdev_set(NAME, "cus", "1") ?:
	       simdev_set(NAME, "vmids", "1") ?:
	       simdev_set(NAME, "quantum_ms", "20") ?:
	       simdev_set(NAME, "preempt_ms", PREEMPT_MS) ?:
	       simdev_set(NAME, "end_halts", end_halts) ?:
	       simdev_set(NAME, "live", "1") ?: simdev_get(NAME, "number");
}

FIXTURE_SETUP(ends)
{
	struct gpubp_context c;

	self->nr = make(variant->end_halts);
	ASSERT_LT(0, self->nr) simdev_rmdir(NAME);
	books_of(self->nr);
	ASSERT_EQ(0, bc_open_on(&self->bc[0], self->nr));
	ASSERT_EQ(0, owner_open(&self->o, 0, true));
	ASSERT_EQ(1, contexts(&self->o, &c, 1));
	self->o.ctx = c.id;
	ASSERT_EQ(0, bc_open_on(&self->bc[1], self->nr));
}

FIXTURE_TEARDOWN(ends)
{
	owner_close(&self->o);
	bc_close(&self->bc[0]);
	bc_close(&self->bc[1]);
	EXPECT_TRUE(books_idle(PATIENCE)) books_print();
	books_of(0);
	EXPECT_EQ(0, simdev_rmdir(NAME));
}

/* all waves of a workgroup, halted where their loops begin */
static int start_and_halt(FIXTURE_DATA(ends) *self)
{
	int i, err;

	if (bc_start(&self->bc[0], BC_LOOP, 1, FOR_EVER, 0))
		return -EIO;
	err = halt_started(&self->o, BC_WAVES, self->bc[0].data, self->w);
	for (i = 0; i < BC_WAVES && !err; i++)
		err = step_to(&self->o, self->w[i], BC_PC(BC_LOOP_ADD));
	return err;
}

static unsigned int count_at_end(FIXTURE_DATA(ends) *self)
{
	unsigned int i, nr = 0;

	for (i = 0; i < BC_WAVES; i++)
		nr += get_pc(&self->o, self->w[i]) == BC_PC(BC_LOOP_END);
	return nr;
}

/* the other context runs to its end, as often as @times */
static int run_other(FIXTURE_DATA(ends) *self, unsigned int times)
{
	int err = 0;

	while (!err && times--)
		err = bc_run(&self->bc[1], BC_LOOP, 1, FEW);
	return err;
}

/* sent there by a debugger, and by single steps */
TEST_F(ends, stopped_by_a_session)
{
	struct gpubp_wave_dump d = { };
	int i;

	ASSERT_EQ(0, start_and_halt(self));
	EXPECT_EQ(0, set_pc(&self->o, self->w[0], BC_PC(BC_LOOP_END)));
	for (i = 1; i < BC_WAVES; i++) {
		EXPECT_EQ(0, set_pc(&self->o, self->w[i], BC_PC(LAST_ADD)));
		EXPECT_EQ(0, step(&self->o, self->w[i]));
	}
	EXPECT_EQ(BC_WAVES, count_at_end(self));
	EXPECT_EQ(0, dump(&self->o, self->w[0], &d));
	EXPECT_EQ(BC_PC(BC_LOOP_END), d.pc);
	EXPECT_EQ(0, run_other(self, 5));
	EXPECT_EQ(BC_WAVES, count_at_end(self));
	EXPECT_EQ(-ESRCH, step(&self->o, self->w[1]));
	EXPECT_EQ(0, run(&self->o, GPUBP_RESUME, NULL, 0, 0));
	EXPECT_EQ(0, bc_wait(&self->bc[0], PATIENCE));
	EXPECT_EQ((BC_WAVES - 1) * BC_LANES, self->bc[0].data[1]);
}

/* and moved away again */
TEST_F(ends, sent_elsewhere)
{
	int i;

	ASSERT_EQ(0, start_and_halt(self));
	for (i = 0; i < BC_WAVES; i++)
		EXPECT_EQ(0, set_pc(&self->o, self->w[i], BC_PC(BC_LOOP_END)));
	EXPECT_EQ(0, run_other(self, 1));
	for (i = 0; i < BC_WAVES; i++)
		EXPECT_EQ(0, set_pc(&self->o, self->w[i], BC_PC(LAST_ADD)));
	EXPECT_EQ(0, run_other(self, 1));
	EXPECT_EQ(0, run(&self->o, GPUBP_RESUME, NULL, 0, 0));
	EXPECT_EQ(0, bc_wait(&self->bc[0], PATIENCE));
	EXPECT_EQ(BC_WAVES * BC_LANES, self->bc[0].data[1]);
}

/* hits of the last access and breaks at the end, while contexts alternate */
TEST_F(ends, stopped_by_events)
{
	unsigned int i, runs = 20;
	struct gpubp_sync sync;
	int session = session_open();
	int hits = open_watch();
	int ends = event_open_break(BC_PC(BC_LOOP_END), 0);

	ASSERT_LE(0, session);
	ASSERT_LE(0, hits);
	ASSERT_LE(0, ends);
	ASSERT_EQ(0, session_sync(session, ends, PATIENCE, &sync));
	ASSERT_EQ(0, session_sync(session, hits, PATIENCE, &sync));
	for (i = 0; i < runs; i++) {
		ASSERT_EQ(0, bc_start(&self->bc[0], BC_LOOP, 2, FEW, 0));
		ASSERT_EQ(0, bc_run(&self->bc[1], BC_LOOP, 2, FEW));
		ASSERT_EQ(0, bc_wait(&self->bc[0], PATIENCE));
	}
	EXPECT_TRUE(books_settle(PATIENCE));
	EXPECT_EQ(2 * 2 * runs * BC_WAVES, event_count(hits));
	EXPECT_EQ(2 * 2 * runs * BC_WAVES, event_count(ends));
	close(hits);
	close(ends);
	close(session);
}

/* the waves of the first context: all where their program ends? */
static bool await_end(FIXTURE_DATA(ends) *self)
{
	char pc[32];

	snprintf(pc, sizeof(pc), "pc %012llx ",
		 (unsigned long long)BC_PC(BC_LOOP_END));
	return simdev_await_waves(self->nr, pc, BC_WAVES, PATIENCE);
}

/* a program that halts itself there is out of help, and others do not wait for it */
TEST_F(ends, halted_by_itself)
{
	int fd = open_watch();
	struct gpubp_sync sync;
	int session = session_open();
	uint64_t from;

	ASSERT_LE(0, session);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, session_sync(session, fd, PATIENCE, &sync));
	*bc_word(&self->bc[0], LAST_ADD) = S_NOP;
	*bc_word(&self->bc[0], LAST_ADD + 4) = S_SETHALT;
	ASSERT_EQ(0, bc_start(&self->bc[0], BC_LOOP, 1, FEW, 0));
	/* not only halted: they are that at each hit, too */
	ASSERT_TRUE(await_end(self)) simdev_print_waves(self->nr);
	from = now_ns();
	EXPECT_EQ(0, run_other(self, 1));
	EXPECT_GT(SOON * 1000000000ull, now_ns() - from);
	EXPECT_EQ(*variant->end_halts == '0' ? -EIO : -ETIME,
		  bc_wait(&self->bc[0], 1));
	EXPECT_EQ(0, bc_queue_destroy(&self->bc[0]));
	close(fd);
	close(session);
}

TEST_HARNESS_MAIN
