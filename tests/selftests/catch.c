// SPDX-License-Identifier: GPL-2.0
/*
 * Catches: a hit of a perf event holds its wave for a session, on machine code of which
 * every word is known. What catches at watches and exceptions do is in catch_kinds.c.
 */
#include <errno.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include "harness.h"
#include "books.h"
#include "breakcode.h"
#include "catch.h"
#include "child.h"
#include "event.h"
#include "roles.h"
#include "session.h"
#include "waves.h"

#define PATIENCE	60	/* s */
#define USER		1000
#define LOOPS		3
#define STEPS		20
#define MANY		1000000	/* loops that take longer than a test */
#define S_LOOPS		6	/* the scalar register that is the loop counter */

FIXTURE(catch) {
	struct breakcode bc;
	struct owner o;
	struct owner other;
	struct gpubp_wave_entry w[MAX_WAVES];
	int fd;
};

FIXTURE_SETUP(catch)
{
	ASSERT_EQ(0, caps_idle(CAP_BIT(KILL)));
	ASSERT_EQ(0, bc_open(&self->bc));
	ASSERT_EQ(0, owner_open(&self->o, 0, true));
	ASSERT_EQ(0, owner_open(&self->other, 0, true));
	self->fd = -1;
}

FIXTURE_TEARDOWN(catch)
{
	owner_close(&self->o);
	owner_close(&self->other);
	close(self->fd);
	bc_close(&self->bc);
	EXPECT_TRUE(books_idle(PATIENCE)) books_print();
}

/* a caught break, in effect */
static int catch_at(struct owner *o, uint64_t pc)
{
	int fd = event_open_break(pc, 0);
	int err = fd < 0 ? fd : catch(o, fd) ?:
		  session_sync(o->session, fd, PATIENCE, NULL);

	return err ?: fd;
}

static int start_loop(FIXTURE_DATA(catch) *self, uint32_t loops)
{
	self->bc.data[0] = 0;
	self->bc.data[1] = 0;
	return bc_start(&self->bc, BC_LOOP, 1, loops, 0);
}

/* the waves go on, and compute what they do without a session */
static void expect_result(struct __test_metadata *_metadata,
			  FIXTURE_DATA(catch) *self, uint32_t loops)
{
	EXPECT_EQ(0, bc_wait(&self->bc, PATIENCE));
	EXPECT_EQ(BC_WAVES * BC_LANES * loops, self->bc.data[0]);
	EXPECT_EQ(BC_WAVES * BC_LANES, self->bc.data[1]);
	EXPECT_TRUE(books_settle(PATIENCE)) books_print();
}

/* ---- where a wave is held ------------------------------------------------ */

TEST_F(catch, in_front_of_the_instruction_of_a_break)
{
	unsigned int i, k;

	self->fd = catch_at(&self->o, BC_PC(BC_LOOP_SUB));
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(0, start_loop(self, STEPS));
	ASSERT_EQ(BC_WAVES, await_caught(&self->o, self->w, BC_WAVES));
	for (i = 0; i < BC_WAVES; i++) {
		EXPECT_EQ(GPUBP_WAVE_STOPPED | GPUBP_WAVE_HELD | GPUBP_WAVE_MINE |
			  GPUBP_WAVE_CAUGHT, self->w[i].flags);
		EXPECT_EQ(BC_PC(BC_LOOP_SUB), self->w[i].pc);
		EXPECT_EQ(BC_PC(BC_LOOP_SUB), get_pc(&self->o, self->w[i].wave));
		EXPECT_EQ(STEPS, get_s(&self->o, self->w[i].wave, S_LOOPS));
	}
	EXPECT_EQ(BC_WAVES, event_count(self->fd));
	for (k = 0; k < STEPS; k++)
		ASSERT_EQ(0, step(&self->o, self->w[0].wave)) TH_LOG("step %u", k);
	EXPECT_FALSE(entry(&self->o, self->w[0].wave).flags & GPUBP_WAVE_CAUGHT);
	ASSERT_EQ(0, uncatch(&self->o, self->fd));
	EXPECT_EQ(0, run(&self->o, GPUBP_RESUME, NULL, 0, 0));
	EXPECT_EQ(BC_WAVES, self->o.nr_done);
	expect_result(_metadata, self, STEPS);
	EXPECT_EQ(BC_WAVES * STEPS, event_count(self->fd));
	close(self->fd);
	self->fd = -1;
	while (!bc_intact(&self->bc))
		usleep(1000);
}

/* it reads the pc, so that it is simulated: no sooner than the wave goes on */
TEST_F(catch, in_front_of_an_instruction_that_is_simulated)
{
	unsigned int round, i;

	self->fd = catch_at(&self->o, BC_PC(BC_LOOP_BRANCH));
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(0, start_loop(self, LOOPS));
	for (round = 1; round <= LOOPS; round++) {
		ASSERT_EQ(BC_WAVES, await_caught(&self->o, self->w, BC_WAVES));
		EXPECT_EQ(BC_WAVES * round, event_count(self->fd));
		for (i = 0; i < BC_WAVES; i++)
			EXPECT_EQ(BC_PC(BC_LOOP_BRANCH), self->w[i].pc);
		/* one by a step, one by a displaced step, the others by going on */
		ASSERT_EQ(0, step(&self->o, self->w[0].wave));
		EXPECT_EQ(BC_PC(round < LOOPS ? BC_LOOP_ADD : BC_LOOP_BARRIER),
			  get_pc(&self->o, self->w[0].wave));
		ASSERT_EQ(0, step_displaced(&self->o, self->w[1].wave));
		EXPECT_EQ(BC_PC(round < LOOPS ? BC_LOOP_ADD : BC_LOOP_BARRIER),
			  get_pc(&self->o, self->w[1].wave));
		ASSERT_EQ(0, run(&self->o, GPUBP_RESUME, NULL, 0, 0));
	}
	expect_result(_metadata, self, LOOPS);
	EXPECT_EQ(BC_WAVES * LOOPS, event_count(self->fd));
}

/* the wave stands there until the last of its holders lets go */
TEST_F(catch, a_simulated_instruction_and_another_holder)
{
	uint64_t w;

	self->fd = catch_at(&self->o, BC_PC(BC_LOOP_BRANCH));
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(0, start_loop(self, LOOPS));
	ASSERT_EQ(BC_WAVES, await_caught(&self->o, self->w, BC_WAVES));
	w = self->w[0].wave;
	ASSERT_EQ(0, halt(&self->other, w));
	ASSERT_EQ(0, uncatch(&self->o, self->fd));
	ASSERT_EQ(0, run(&self->o, GPUBP_RESUME, NULL, 0, 0));
	EXPECT_TRUE(has_stopped(&self->other, w));
	EXPECT_EQ(BC_PC(BC_LOOP_BRANCH), get_pc(&self->other, w));
	ASSERT_EQ(0, resume(&self->other, w));
	expect_result(_metadata, self, LOOPS);
}

/* every instruction that a program can execute: caught, and let go */
TEST_F(catch, each_instruction_of_the_loop)
{
	static const unsigned int at[] = {
		BC_LOOP_ADD, BC_LOOP_WAIT, BC_LOOP_NOP, BC_LOOP_NOP2, BC_LOOP_SUB,
		BC_LOOP_BRANCH, BC_LOOP_BARRIER, BC_LOOP_END,
	};
	unsigned int i, k;

	for (i = 0; i < ARRAY_SIZE(at); i++) {
		self->fd = catch_at(&self->o, BC_PC(at[i]));
		ASSERT_LE(0, self->fd);
		ASSERT_EQ(0, start_loop(self, 1));
		ASSERT_EQ(BC_WAVES, await_caught(&self->o, self->w, BC_WAVES))
			TH_LOG("at %#x", at[i]);
		for (k = 0; k < BC_WAVES; k++)
			EXPECT_EQ(BC_PC(at[i]), self->w[k].pc);
		ASSERT_EQ(0, run(&self->o, GPUBP_RESUME, NULL, 0, 0));
		expect_result(_metadata, self, 1);
		close(self->fd);
	}
	self->fd = -1;
}

TEST_F(catch, at_a_trap_of_the_program)
{
	struct perf_event_attr attr = event_break(0);

	attr.config = GPUBP_KIND_TRAP | 3ULL << GPUBP_CONFIG_CODE_SHIFT;
	self->fd = event_open(&attr, 0, -1);
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(0, catch(&self->o, self->fd));
	ASSERT_EQ(0, session_sync(self->o.session, self->fd, PATIENCE, NULL));
	ASSERT_EQ(0, bc_start(&self->bc, BC_BEAT, 1, 1, 0));
	ASSERT_EQ(BC_WAVES, await_caught(&self->o, self->w, BC_WAVES));
	EXPECT_EQ(0, self->bc.data[0]);
	ASSERT_EQ(0, run(&self->o, GPUBP_RESUME, NULL, 0, 0));
	EXPECT_EQ(0, bc_wait(&self->bc, PATIENCE));
	EXPECT_EQ(BC_WAVES * BC_LANES, self->bc.data[0]);
}

/* the session exists, and names the kernel, before there is any code, or a context */
TEST(a_kernel_that_is_named_before_it_is_loaded)
{
	struct perf_event_attr attr = event_break(0);
	struct gpubp_wave_entry w[MAX_WAVES];
	struct breakcode bc;
	struct gpubp_context c;
	struct owner o;
	int fd, i;

	ASSERT_EQ(0, caps_idle(CAP_BIT(KILL)));
	ASSERT_EQ(0, owner_open(&o, 0, true));
	attr.config |= GPUBP_CONFIG_NAMED |
		       (uint64_t)gpubp_name_hash(BC_NAME) << GPUBP_CONFIG_CODE_SHIFT;
	fd = event_open(&attr, 0, -1);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, catch(&o, fd));
	ASSERT_EQ(0, bc_open(&bc));
	ASSERT_EQ(0, bc_start(&bc, BC_LOOP, 1, LOOPS, 0));
	ASSERT_EQ(1, contexts(&o, &c, 1));
	EXPECT_EQ(GPUBP_CONTEXT_STEPS | GPUBP_CONTEXT_CATCHES, c.flags);
	o.ctx = c.id;
	ASSERT_EQ(BC_WAVES, await_caught(&o, w, BC_WAVES));
	for (i = 0; i < BC_WAVES; i++)
		EXPECT_EQ(BC_PC(0), w[i].pc);
	EXPECT_EQ(0, bc.data[0]);
	EXPECT_EQ(BC_WAVES, event_count(fd));
	/* none goes on by itself */
	usleep(100000);
	EXPECT_EQ(BC_WAVES, nr_caught(&o, w));
	ASSERT_EQ(0, run(&o, GPUBP_RESUME, NULL, 0, 0));
	EXPECT_EQ(0, bc_wait(&bc, PATIENCE));
	EXPECT_EQ(BC_WAVES * BC_LANES * LOOPS, bc.data[0]);
	EXPECT_EQ(BC_WAVES, event_count(fd));
	owner_close(&o);
	close(fd);
	bc_close(&bc);
	EXPECT_TRUE(books_idle(PATIENCE)) books_print();
}

/* ---- what ends a hold ---------------------------------------------------- */

static void hold_all(struct __test_metadata *_metadata, FIXTURE_DATA(catch) *self)
{
	self->fd = catch_at(&self->o, BC_PC(BC_LOOP_ADD));
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(0, start_loop(self, LOOPS));
	ASSERT_EQ(BC_WAVES, await_caught(&self->o, self->w, BC_WAVES));
}

TEST_F(catch, the_event_is_closed)
{
	hold_all(_metadata, self);
	close(self->fd);
	self->fd = -1;
	expect_result(_metadata, self, LOOPS);
	EXPECT_EQ(0, nr_caught(&self->o, self->w));
}

TEST_F(catch, the_event_is_closed_after_uncatch)
{
	hold_all(_metadata, self);
	ASSERT_EQ(0, uncatch(&self->o, self->fd));
	close(self->fd);
	self->fd = -1;
	/* the holds are the session's: longer than the thread takes to end others */
	usleep(600000);
	EXPECT_EQ(BC_WAVES, nr_caught(&self->o, self->w));
	ASSERT_EQ(0, run(&self->o, GPUBP_RESUME, NULL, 0, 0));
	expect_result(_metadata, self, LOOPS);
}

TEST_F(catch, the_session_is_closed)
{
	hold_all(_metadata, self);
	close(self->o.session);
	self->o.session = -1;
	expect_result(_metadata, self, LOOPS);
	EXPECT_EQ(BC_WAVES * LOOPS, event_count(self->fd));
}

TEST_F(catch, the_attachment_is_detached)
{
	struct gpubp_attach a = { .id = self->o.id };

	hold_all(_metadata, self);
	ASSERT_EQ(0, session_call(self->o.session, GPUBP_DETACH, &a));
	expect_result(_metadata, self, LOOPS);
	EXPECT_EQ(BC_WAVES * LOOPS, event_count(self->fd));
}

TEST_F(catch, the_event_of_the_attachment_is_closed)
{
	hold_all(_metadata, self);
	close(self->o.fd);
	self->o.fd = -1;
	expect_result(_metadata, self, LOOPS);
}

TEST_F(catch, a_time_limit)
{
	struct gpubp_catch c = { .event = self->o.id, .timeout_ms = 1 };

	self->fd = event_open_break(BC_PC(BC_LOOP_ADD), 0);
	ASSERT_LE(0, self->fd);
	c.fd = self->fd;
	ASSERT_EQ(0, session_call(self->o.session, GPUBP_CATCH, &c));
	EXPECT_EQ(session_id(self->fd), c.id);
	ASSERT_EQ(0, session_sync(self->o.session, self->fd, PATIENCE, NULL));
	ASSERT_EQ(0, start_loop(self, LOOPS));
	expect_result(_metadata, self, LOOPS);
	EXPECT_EQ(BC_WAVES * LOOPS, event_count(self->fd));
	ASSERT_EQ(0, session_call(self->o.session, GPUBP_CATCH, &c));
	EXPECT_EQ(0, c.missed);
}

/* catches all waves of its parent at a break, and waits to be killed */
static int catcher(int sock, void *arg)
{
	const uint64_t *pc = arg;
	struct owner o;
	uint64_t unused;
	int fd;

	if (owner_open(&o, getppid(), true))
		return 1;
	fd = event_open_break(*pc, getppid());
	if (fd < 0 || catch(&o, fd) || session_sync(o.session, fd, PATIENCE, NULL))
		return 2;
	say(sock, 0);
	hear(sock, &unused);
	return 0;
}

TEST_F(catch, the_process_is_killed)
{
	uint64_t pc = BC_PC(BC_LOOP_ADD);
	struct gpubp_wave_entry e[MAX_WAVES];
	struct child child;
	int i, n, held = 0;

	ASSERT_EQ(0, child_start(&child, catcher, &pc));
	ASSERT_EQ(0, heard(child.sock));
	ASSERT_EQ(0, start_loop(self, LOOPS));
	while (held < BC_WAVES) {
		n = list(&self->o, e, MAX_WAVES);
		for (i = held = 0; i < n; i++)
			held += !!(e[i].flags & GPUBP_WAVE_HELD);
		usleep(1000);
	}
	EXPECT_EQ(0, nr_caught(&self->o, self->w));
	EXPECT_EQ(128 + 9, child_kill(&child));
	expect_result(_metadata, self, LOOPS);
}

/* ---- several catches ----------------------------------------------------- */

TEST_F(catch, two_sessions)
{
	int fd;

	self->fd = catch_at(&self->o, BC_PC(BC_LOOP_SUB));
	ASSERT_LE(0, self->fd);
	EXPECT_EQ(-EBUSY, catch(&self->other, self->fd));
	fd = catch_at(&self->other, BC_PC(BC_LOOP_SUB));
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, start_loop(self, 1));
	ASSERT_EQ(BC_WAVES, await_caught(&self->o, self->w, BC_WAVES));
	ASSERT_EQ(BC_WAVES, await_caught(&self->other, self->w, BC_WAVES));
	EXPECT_EQ(2, self->w[0].nr_holders);
	ASSERT_EQ(0, run(&self->o, GPUBP_RESUME, NULL, 0, 0));
	EXPECT_EQ(0, nr_caught(&self->o, self->w));
	EXPECT_EQ(BC_WAVES, nr_caught(&self->other, self->w));
	EXPECT_TRUE(has_stopped(&self->o, self->w[0].wave));
	ASSERT_EQ(0, run(&self->other, GPUBP_RESUME, NULL, 0, 0));
	expect_result(_metadata, self, 1);
	EXPECT_EQ(BC_WAVES, event_count(fd));
	close(fd);
}

/* a step of one session past a break that another one catches */
TEST_F(catch, a_wave_that_another_session_steps)
{
	struct gpubp_catch c = { .event = self->other.id };
	uint64_t w;

	hold_all(_metadata, self);
	w = self->w[0].wave;
	c.fd = catch_at(&self->other, BC_PC(BC_LOOP_SUB));
	ASSERT_LE(0, c.fd);
	ASSERT_EQ(0, step_to(&self->o, w, BC_PC(BC_LOOP_SUB)));
	ASSERT_EQ(0, step(&self->o, w));
	EXPECT_EQ(1, event_count(c.fd));
	EXPECT_EQ(0, nr_caught(&self->other, self->w));
	ASSERT_EQ(0, session_call(self->other.session, GPUBP_CATCH, &c));
	EXPECT_EQ(1, c.missed);
	close(c.fd);
	ASSERT_EQ(0, uncatch(&self->o, self->fd));
	ASSERT_EQ(0, run(&self->o, GPUBP_RESUME, NULL, 0, 0));
	expect_result(_metadata, self, LOOPS);
}

/* waves that a session halts while they run into its break */
TEST_F(catch, halts_and_catches)
{
	unsigned int i;

	self->fd = catch_at(&self->o, BC_PC(BC_LOOP_SUB));
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(0, start_loop(self, MANY));
	/* there are waves from then on */
	ASSERT_EQ(BC_WAVES, await_caught(&self->o, self->w, BC_WAVES));
	for (i = 0; i < 20; i++) {
		ASSERT_EQ(0, halt_all(&self->o));
		EXPECT_EQ(BC_WAVES, self->o.nr_done);
		ASSERT_EQ(0, run(&self->o, GPUBP_RESUME, NULL, 0, 0));
		EXPECT_EQ(BC_WAVES, self->o.nr_done);
	}
	/* all go on: no halt is left over */
	ASSERT_EQ(0, uncatch(&self->o, self->fd));
	ASSERT_EQ(0, run(&self->o, GPUBP_RESUME, NULL, 0, 0));
	i = self->bc.data[0];
	while (self->bc.data[0] - i < 8 * BC_WAVES * BC_LANES)
		usleep(1000);
	ASSERT_EQ(0, bc_queue_destroy(&self->bc));
}

/* ---- the reserve --------------------------------------------------------- */

TEST_F(catch, no_more_waves_than_are_reserved)
{
	struct gpubp_catch c = { .event = self->o.id, .waves = 1 };

	self->fd = event_open_break(BC_PC(BC_LOOP_END), 0);
	ASSERT_LE(0, self->fd);
	c.fd = self->fd;
	ASSERT_EQ(0, session_call(self->o.session, GPUBP_CATCH, &c));
	ASSERT_EQ(0, session_sync(self->o.session, self->fd, PATIENCE, NULL));
	ASSERT_EQ(0, start_loop(self, 1));
	while (event_count(self->fd) < BC_WAVES)
		usleep(1000);
	/* until the resolver is through with them */
	ASSERT_EQ(0, session_sync(self->o.session, self->fd, PATIENCE, NULL));
	ASSERT_EQ(1, await_caught(&self->o, self->w, 1));
	ASSERT_EQ(0, session_call(self->o.session, GPUBP_CATCH, &c));
	EXPECT_EQ(BC_WAVES - 1, c.missed);
	EXPECT_EQ(1, nr_caught(&self->o, self->w));
	/* it is used again */
	ASSERT_EQ(0, resume(&self->o, self->w[0].wave));
	expect_result(_metadata, self, 1);
	ASSERT_EQ(0, start_loop(self, 1));
	ASSERT_EQ(1, await_caught(&self->o, self->w, 1));
	ASSERT_EQ(0, uncatch(&self->o, self->fd));
	ASSERT_EQ(0, run(&self->o, GPUBP_RESUME, NULL, 0, 0));
	expect_result(_metadata, self, 1);
}

/* with half of what it may have; then with more, and again when the rest is given back */
static int reserver(int sock, void *arg)
{
	struct gpubp_catch c = { .waves = 50 };
	struct owner a, b;

	(void)arg;
	if (become(USER) || owner_open(&a, 0, true) || owner_open(&b, 0, true))
		return 1;
	c.fd = event_open_break(BC_PC(0), 0);
	c.event = a.id;
	say(sock, -session_call(a.session, GPUBP_CATCH, &c));
	c.fd = event_open_break(BC_PC(0), 0);
	c.event = b.id;
	c.waves = 51;
	say(sock, -session_call(b.session, GPUBP_CATCH, &c));
	c.waves = 50;
	say(sock, -session_call(b.session, GPUBP_CATCH, &c));
	c.waves = 51;
	say(sock, -session_call(b.session, GPUBP_CATCH, &c));
	owner_close(&a);
	say(sock, -session_call(b.session, GPUBP_CATCH, &c));
	return 0;
}

TEST(the_reserve_is_of_the_waves_that_a_user_may_hold)
{
	long before = event_parameter("max_holds_per_user", 100);
	int paranoid = event_paranoid(1);
	struct child child;

	ASSERT_EQ(0, child_start(&child, reserver, NULL));
	EXPECT_EQ(0, heard(child.sock));
	EXPECT_EQ(EDQUOT, heard(child.sock));
	EXPECT_EQ(0, heard(child.sock));
	EXPECT_EQ(EDQUOT, heard(child.sock));
	EXPECT_EQ(0, heard(child.sock));
	EXPECT_EQ(0, child_end(&child));
	event_parameter("max_holds_per_user", before);
	event_paranoid(paranoid);
}

TEST_F(catch, so_many_events)
{
	struct rlimit files = { 2 * GPUBP_CATCH_MAX, 2 * GPUBP_CATCH_MAX };
	static int fd[GPUBP_CATCH_MAX + 1];
	unsigned int i;

	if (slow_kernel())
		SKIP(return, "so many events take too long on a debug kernel");
	ASSERT_EQ(0, setrlimit(RLIMIT_NOFILE, &files));

	for (i = 0; i <= GPUBP_CATCH_MAX; i++) {
		fd[i] = event_open_break(BC_PC(BC_LOOP_ADD), 0);
		ASSERT_LE(0, fd[i]);
		ASSERT_EQ(i < GPUBP_CATCH_MAX ? 0 : -ENOSPC, catch(&self->o, fd[i]))
			TH_LOG("event %u", i);
	}
	ASSERT_EQ(0, uncatch(&self->o, fd[0]));
	EXPECT_EQ(0, catch(&self->o, fd[GPUBP_CATCH_MAX]));
	/* a hit of all of them holds its wave once */
	ASSERT_EQ(0, session_sync(self->o.session, fd[0], PATIENCE, NULL));
	ASSERT_EQ(0, start_loop(self, 1));
	ASSERT_EQ(BC_WAVES, await_caught(&self->o, self->w, BC_WAVES));
	EXPECT_EQ(1, self->w[0].nr_holders);
	ASSERT_EQ(0, run(&self->o, GPUBP_RESUME, NULL, 0, 0));
	expect_result(_metadata, self, 1);
	for (i = 0; i <= GPUBP_CATCH_MAX; i++)
		close(fd[i]);
}

/* ---- errors -------------------------------------------------------------- */

/* has an event of its parent, which it cannot have caught; and one on itself */
static int heir(int sock, void *arg)
{
	int *fd = arg;
	struct owner o;

	if (owner_open(&o, 0, true))
		return 1;
	say(sock, -catch(&o, *fd));
	return 0;
}

TEST_F(catch, refused)
{
	struct perf_event_attr attr = event_break(BC_PC(0));
	struct gpubp_catch c = { .event = self->o.id };
	struct child child;
	struct owner reader;
	int foreign, inherited, lost, null, end[2];
	pid_t pid;

	self->fd = event_open_break(BC_PC(0), 0);
	ASSERT_LE(0, self->fd);
	c.fd = -1;
	EXPECT_EQ(-EBADF, session_call(self->o.session, GPUBP_CATCH, &c));
	ASSERT_EQ(0, pipe(end));
	EXPECT_EQ(-EINVAL, catch(&self->o, end[0]));
	EXPECT_EQ(-EINVAL, catch(&self->o, self->o.session));
	/* another attachment */
	c.fd = self->fd;
	c.event = session_id(self->fd);
	EXPECT_EQ(-ENOENT, session_call(self->o.session, GPUBP_CATCH, &c));
	/* no right to stop waves */
	ASSERT_EQ(0, owner_open(&reader, 0, false));
	EXPECT_EQ(-EPERM, catch(&reader, self->fd));
	owner_close(&reader);
	/* more waves than there can be */
	c.event = self->o.id;
	c.waves = GPUBP_CATCH_WAVES_MAX + 1;
	EXPECT_EQ(-EINVAL, session_call(self->o.session, GPUBP_CATCH, &c));
	/* events of other kinds */
	attr.inherit = 1;
	inherited = event_open(&attr, 0, -1);
	ASSERT_LE(0, inherited);
	EXPECT_EQ(-EINVAL, catch(&self->o, inherited));
	attr = event_watch(0x1000, 4, EVENT_STORES);
	attr.config |= GPUBP_CONFIG_LOST;
	lost = event_open(&attr, 0, -1);
	ASSERT_LE(0, lost);
	EXPECT_EQ(-EINVAL, catch(&self->o, lost));
	/* of another process, and on another process */
	ASSERT_EQ(0, child_start(&child, heir, &self->fd));
	EXPECT_EQ(EPERM, heard(child.sock));
	EXPECT_EQ(0, child_end(&child));
	pid = fork();
	if (!pid)
		for (;;)
			pause();
	foreign = event_open_break(BC_PC(0), pid);
	ASSERT_LE(0, foreign);
	EXPECT_EQ(-EXDEV, catch(&self->o, foreign));
	kill(pid, SIGKILL);
	waitpid(pid, &null, 0);
	EXPECT_EQ(-ESRCH, catch(&self->o, foreign));
	/* not caught, or by another session */
	EXPECT_EQ(-ENOENT, uncatch(&self->o, self->fd));
	ASSERT_EQ(0, catch(&self->o, self->fd));
	EXPECT_EQ(-ENOENT, uncatch(&self->other, self->fd));
	EXPECT_EQ(0, uncatch(&self->o, self->fd));
	EXPECT_EQ(-ENOENT, uncatch(&self->o, self->fd));
	/* nothing of all that holds a wave */
	ASSERT_EQ(0, start_loop(self, LOOPS));
	expect_result(_metadata, self, LOOPS);
	close(end[0]);
	close(end[1]);
	close(foreign);
	close(inherited);
	close(lost);
}

TEST_HARNESS_MAIN
