// SPDX-License-Identifier: GPL-2.0
/*
 * Many waves at one break, with few and with many XOL buffers; and users who
 * occupy all that they can get, next to users who need some, too.
 *
 * environment:
 *	GPUBP_CROWD	waves, a multiple of 4; default 4096, on debug kernels 64
 */
#include <errno.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <unistd.h>
#include "harness.h"
#include "books.h"
#include "breakcode.h"
#include "child.h"
#include "event.h"
#include "roles.h"
#include "session.h"
#include "waves.h"

#define PATIENCE	120	/* s */
#define LONG		3000	/* s */
#define FOREVER		UINT32_MAX
#define USER		1000

static int open_break(unsigned int at, pid_t pid, bool pinned)
{
	struct perf_event_attr attr = event_break(BC_PC(at));

	attr.pinned = pinned;
	return event_open(&attr, pid, -1);
}

/* ---- many waves ---------------------------------------------------------- */

static unsigned int nr_waves(void)
{
	return env_number("GPUBP_CROWD", debug_kernel() ? 64 : 4096);
}

FIXTURE(crowd) {
	struct breakcode bc;
	int session;
	long slots;
};

FIXTURE_VARIANT(crowd) {
	long slots;
};

FIXTURE_VARIANT_ADD(crowd, of_2_buffers) { .slots = 2 };
FIXTURE_VARIANT_ADD(crowd, of_4_buffers) { .slots = 4 };
FIXTURE_VARIANT_ADD(crowd, of_64_buffers) { .slots = 64 };

FIXTURE_SETUP(crowd)
{
	self->slots = event_parameter("break_slots", variant->slots);
	ASSERT_LT(0, self->slots);
	ASSERT_EQ(0, bc_open(&self->bc));
	self->session = session_open();
	ASSERT_LE(0, self->session);
}

FIXTURE_TEARDOWN(crowd)
{
	close(self->session);
	EXPECT_TRUE(books_idle(PATIENCE)) books_print();
	EXPECT_TRUE(books_wait_none("buffers_in_use", PATIENCE));
	bc_close(&self->bc);
	event_parameter("break_slots", self->slots);
}

/*
 * Bounded waiting: a wave stops exactly twice for a break, however many waves
 * there are, and whatever those in the buffer wait for.
 */
TEST_F_TIMEOUT(crowd, passes_a_break, LONG)
{
	static const unsigned int at[] = { BC_LOOP_NOP, BC_LOOP_BARRIER };
	unsigned int i, waves = nr_waves();

	for (i = 0; i < 2; i++) {
		int64_t raised, step;
		uint64_t start;
		int fd = open_break(at[i], 0, false);

		ASSERT_LE(0, fd);
		ASSERT_EQ(0, session_sync(self->session, fd, PATIENCE, NULL));
		EXPECT_EQ(BC_WORD, bc_text(&self->bc, at[i]));
		raised = books_get("raised");
		step = books_get("step");
		start = now_ns();
		ASSERT_EQ(0, bc_run(&self->bc, BC_LOOP, waves / BC_WAVES, 1));
		EXPECT_TRUE(books_settle(PATIENCE)) books_print();
		raised = books_get("raised") - raised;
		step = books_get("step") - step;
		TH_LOG("%u waves, %.2f stops each, %.1f s", waves,
		       (double)raised / waves, (now_ns() - start) / 1e9);
		EXPECT_EQ(waves, event_count(fd));
		EXPECT_EQ(waves, step);
		EXPECT_EQ(2 * waves, raised);
		EXPECT_EQ(waves * BC_LANES, self->bc.data[0]);
		EXPECT_EQ(waves * BC_LANES, self->bc.data[1]);
		close(fd);
		EXPECT_TRUE(books_idle(PATIENCE));
		EXPECT_EQ(bc_original(at[i]), bc_text(&self->bc, at[i]));
	}
}

/* ---- users who keep their buffers ---------------------------------------- */

#define SLOTS		8
#define QUOTA		2	/* of them for one user */
#define NR_SESSIONS	3
#define S_NOP(n)	(0xbf800000u + (n))

/* a user who keeps buffers: kernel, sessions, and waves */
struct sleeper {
	struct breakcode bc;
	struct owner o[NR_SESSIONS];
	uint64_t w[MAX_WAVES];
	int nr;
};

/* each session holds the waves of a workgroup */
static int sleeper_open(struct sleeper *s)
{
	struct gpubp_wave_entry e[MAX_WAVES];
	int i, err;

	/* a process that dropped root is not traceable otherwise */
	prctl(PR_SET_DUMPABLE, 1);
	err = bc_open(&s->bc);
	for (i = 0; i < NR_SESSIONS && !err; i++)
		err = owner_open(&s->o[i], 0, true);
	err = err ?: bc_start(&s->bc, BC_LOOP, NR_SESSIONS + 1, FOREVER, 0);
	if (err)
		return err;
	do {
		usleep(1000);
		s->nr = list(&s->o[0], e, MAX_WAVES);
	} while (s->nr < (NR_SESSIONS + 1) * BC_WAVES);
	for (i = 0; i < s->nr; i++)
		s->w[i] = e[i].wave;
	return 0;
}

/* take all buffers that each session can get, each for a different instruction */
static int take_buffers(struct sleeper *s)
{
	struct gpubp_displaced d = {};
	int i, n, err, taken = 0;

	for (i = 0; i < NR_SESSIONS; i++)
		for (n = 0; n < BC_WAVES; n++) {
			uint64_t w = s->w[i * BC_WAVES + n];
			uint32_t insn = S_NOP(i * BC_WAVES + n);

			err = halt(&s->o[i], w) ?:
			      displaced_as(&s->o[i], w, &insn, 4, &d);
			if (err && err != -ENOBUFS)
				return err;
			taken += !err;
		}
	return taken;
}

static int buffer_sleeper(int sock, void *arg)
{
	struct sleeper s = {};
	uint64_t end;

	(void)arg;
	if (become(USER) || sleeper_open(&s))
		return 1;
	say(sock, take_buffers(&s));
	hear(sock, &end);
	return 0;
}

/*
 * sessions of other users, breaks of events, and waves that no session holds
 * make progress
 */
TEST(sleeping_owners_of_buffers_starve_no_user)
{
	static const unsigned int at[SLOTS] = {
		BC_LOOP_ADD, BC_LOOP_WAIT, BC_LOOP_NOP, BC_LOOP_NOP2,
		BC_LOOP_SUB, BC_LOOP_SUB + 4, BC_LOOP_BRANCH, BC_LOOP_BARRIER,
	};
	long slots = event_parameter("break_slots", SLOTS);
	int paranoid = event_paranoid(1);
	struct gpubp_wave_entry e[MAX_WAVES];
	struct gpubp_displaced d = {};
	struct gpubp_sync sync;
	struct child child;
	struct owner o;
	int fd[SLOTS], i, n, taken = 0;

	ASSERT_EQ(0, child_start(&child, buffer_sleeper, NULL));
	EXPECT_EQ(QUOTA, heard(child.sock));
	/* another user, who also gets no more than the quota */
	ASSERT_EQ(0, caps_idle(CAP_BIT(KILL)));
	ASSERT_EQ(0, owner_open(&o, child.pid, true));
	n = list(&o, e, MAX_WAVES);
	for (i = 0; i < n; i++) {
		uint32_t insn = S_NOP(15);

		if (e[i].flags & GPUBP_WAVE_HELD)
			continue;
		ASSERT_EQ(0, halt(&o, e[i].wave));
		EXPECT_EQ(taken < QUOTA ? 0 : -ENOBUFS,
			  displaced_as(&o, e[i].wave, &insn, 4, &d));
		taken += taken < QUOTA;
		if (taken == QUOTA && i < n - 1)
			break;
	}
	EXPECT_EQ(QUOTA, taken);
	/* all slots for breaks are used by breaks of events */
	for (i = 0; i < SLOTS; i++) {
		fd[i] = open_break(at[i], child.pid, i < SLOTS - 1);
		ASSERT_LE(0, fd[i]);
	}
	for (i = 0; i < SLOTS; i++) {
		ASSERT_EQ(0, session_sync(o.session, fd[i], PATIENCE, &sync));
		EXPECT_EQ(1, sync.nr_armed) TH_LOG("break %d", i);
		EXPECT_EQ(0, sync.nr_rotating);
	}
	while (event_count(fd[0]) < 20)
		usleep(10000);
	say(child.sock, 0);
	EXPECT_EQ(0, child_end(&child));
	for (i = 0; i < SLOTS; i++)
		close(fd[i]);
	owner_close(&o);
	EXPECT_TRUE(books_idle(PATIENCE)) books_print();
	event_parameter("break_slots", slots);
	event_paranoid(paranoid);
}

#define MAX_HOLDS	6

/* a workgroup in the first session, the remaining waves in the second */
static int hold_sleeper(int sock, void *arg)
{
	struct sleeper s = {};
	uint64_t end;

	(void)arg;
	if (become(USER) || sleeper_open(&s))
		return 1;
	say(sock, -run(&s.o[0], GPUBP_HALT, s.w, BC_WAVES, 0));
	say(sock, -run(&s.o[1], GPUBP_HALT, s.w, BC_WAVES, 0));
	say(sock, -run(&s.o[1], GPUBP_HALT, s.w, MAX_HOLDS - BC_WAVES, 0));
	say(sock, -halt(&s.o[2], s.w[BC_WAVES]));
	hear(sock, &end);
	say(sock, -resume(&s.o[0], s.w[0]));
	say(sock, -halt(&s.o[2], s.w[BC_WAVES]));
	hear(sock, &end);
	return 0;
}

TEST(holds_of_a_user_are_limited)
{
	long limit = event_parameter("max_holds_per_user", MAX_HOLDS);
	int paranoid = event_paranoid(1);
	struct child child;
	struct owner o;

	ASSERT_LT(0, limit);
	ASSERT_EQ(0, child_start(&child, hold_sleeper, NULL));
	EXPECT_EQ(0, heard(child.sock));
	EXPECT_EQ(EDQUOT, heard(child.sock));
	EXPECT_EQ(0, heard(child.sock));
	EXPECT_EQ(EDQUOT, heard(child.sock));
	/* CAP_PERFMON lifts the limit, without changing that of other users */
	ASSERT_EQ(0, caps_idle(CAP_BIT(KILL)));
	ASSERT_EQ(0, owner_open(&o, child.pid, true));
	EXPECT_EQ(0, halt_all(&o));
	EXPECT_LT(MAX_HOLDS, o.nr_done);
	EXPECT_EQ(0, run(&o, GPUBP_RESUME, NULL, 0, 0));
	say(child.sock, 0);
	EXPECT_EQ(0, heard(child.sock));
	EXPECT_EQ(0, heard(child.sock));
	say(child.sock, 0);
	EXPECT_EQ(0, child_end(&child));
	owner_close(&o);
	EXPECT_TRUE(books_idle(PATIENCE)) books_print();
	event_parameter("max_holds_per_user", limit);
	event_paranoid(paranoid);
}

TEST_HARNESS_MAIN
