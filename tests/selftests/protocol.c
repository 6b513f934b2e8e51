// SPDX-License-Identifier: GPL-2.0
/*
 * Death of each participant at each step of the handling of a wave at a break,
 * and of a displaced step: nothing hangs, nothing is leaked, and the code is
 * restored.
 *
 * Waves are kept at a step of a break by losing their messages: the driver does
 * not learn of the stop before it looks for such waves.
 */
#include <stdio.h>
#include <unistd.h>
#include "harness.h"
#include "books.h"
#include "breakcode.h"
#include "child.h"
#include "event.h"
#include "roles.h"
#include "session.h"
#include "simdev.h"
#include "waves.h"

#define PATIENCE	60	/* s */
#define FOREVER		UINT32_MAX
#define GROUPS		2
#define LOOPS		5
#define AT		BC_LOOP_BARRIER

/* ---- the target ---------------------------------------------------------- */

/**
 * enum order - orders to the target
 * @RUN_ON: start a kernel that does not end by itself
 * @RUN_ONCE: start a workgroup that executes @AT once
 * @WAIT: wait for it; sends whether its results are right
 * @DESTROY: destroy the queue
 * @AGAIN: create a new queue and run a kernel; sends whether the results are
 *	right
 */
enum order {
	RUN_ON,
	RUN_ONCE,
	WAIT,
	DESTROY,
	AGAIN,
};

static bool is_original(const struct breakcode *bc)
{
	unsigned int at;

	for (at = 0; at < BC_TEXT_SIZE; at += 4)
		if (bc_text(bc, at) != bc_original(at))
			return false;
	return true;
}

static bool added(const struct breakcode *bc, unsigned int groups,
		  unsigned int loops)
{
	uint32_t lanes = groups * BC_WAVES * BC_LANES;

	return bc->data[0] == lanes * loops && bc->data[1] == lanes;
}

static bool follow(struct breakcode *bc, enum order order)
{
	switch (order) {
	case RUN_ON:
		return !bc_start(bc, BC_LOOP, 1, FOREVER, 0);
	case RUN_ONCE:
		return !bc_start(bc, BC_LOOP, 1, 1, 0);
	case WAIT:
		return !bc_wait(bc, PATIENCE) && added(bc, 1, 1);
	case DESTROY:
		return !bc_queue_destroy(bc);
	case AGAIN:
		return is_original(bc) && !bc_queue(bc) &&
		       !bc_run(bc, BC_LOOP, GROUPS, LOOPS) &&
		       added(bc, GROUPS, LOOPS);
	}
	return false;
}

static int target(int sock, void *arg)
{
	struct breakcode bc;
	uint64_t order;

	(void)arg;
	if (bc_open(&bc))
		return 1;
	say(sock, 1);
	while (hear(sock, &order))
		say(sock, follow(&bc, order));
	return 0;
}

static bool carry_out(const struct child *target, enum order order)
{
	return say(target->sock, order) && heard(target->sock) == 1;
}

/* ---- the debugger -------------------------------------------------------- */

/* progress of a displaced step */
enum phase {
	HALTED,
	STARTED,
	STEPPED,
	COMPLETED,
	NR_PHASES,
};

struct task {
	pid_t target;
	enum phase phase;
};

/* sends 1 when the phase is reached, and stays until it is killed */
static int breaks_in(int sock, void *arg)
{
	const struct task *task = arg;
	struct gpubp_sync sync = {};
	int session = session_open();
	uint64_t end;
	int fd;

	fd = event_open_break(BC_PC(AT), task->target);
	if (fd < 0 || session_sync(session, fd, PATIENCE, &sync) ||
	    sync.nr_armed != 1)
		return 1;
	say(sock, 1);
	hear(sock, &end);
	return 0;
}

static int steps(int sock, void *arg)
{
	struct gpubp_wave_entry e[MAX_WAVES];
	const struct task *task = arg;
	struct gpubp_displaced d = {};
	struct owner o;
	uint64_t end;

	if (caps_idle(CAP_BIT(KILL)) || owner_open(&o, task->target, true))
		return 1;
	while (list(&o, e, MAX_WAVES) < BC_WAVES)
		usleep(1000);
	if (halt(&o, e[0].wave))
		return 2;
	if (task->phase >= STARTED &&
	    displaced(&o, GPUBP_DISPLACED_START, e[0].wave, &d))
		return 3;
	if (task->phase >= STEPPED && step(&o, e[0].wave))
		return 4;
	if (task->phase >= COMPLETED &&
	    displaced(&o, GPUBP_DISPLACED_COMPLETE, e[0].wave, &d))
		return 5;
	say(sock, 1);
	hear(sock, &end);
	return 0;
}

/* ---- which process dies -------------------------------------------------- */

enum death {
	DEBUGGER,
	QUEUE,
	GPU,
	TARGET,
	NR_DEATHS,
};

static const char * const deaths[NR_DEATHS] = {
	[DEBUGGER] = "debugger", [QUEUE] = "queue", [GPU] = "GPU",
	[TARGET] = "target",
};

FIXTURE(protocol) {
	struct child target;
	struct child debugger;
};

FIXTURE_SETUP(protocol)
{
}

static void kill_child(struct child *child)
{
	if (child->pid)
		child_kill(child);
	child->pid = 0;
}

static void let_go(void)
{
	simdev_fault(0, "message", 0);
	simdev_sweep(SIMDEV_SWEEP);
}

FIXTURE_TEARDOWN(protocol)
{
	let_go();
}

static bool start_both(FIXTURE_DATA(protocol) *self, struct task *task,
		       int (*debugger)(int sock, void *arg), bool runs)
{
	if (child_start(&self->target, target, NULL) ||
	    heard(self->target.sock) != 1)
		return false;
	task->target = self->target.pid;
	if (runs && !carry_out(&self->target, RUN_ON))
		return false;
	return !child_start(&self->debugger, debugger, task) &&
	       heard(self->debugger.sock) == 1;
}

/* buffers of waves that died inside are reclaimed on the next allocation */
static bool buffers_come_back(pid_t target)
{
	struct gpubp_sync sync = {};
	int session = session_open();
	int fd, err;

	fd = event_open_break(BC_PC(BC_LOOP_NOP), target);
	err = fd < 0 ? fd : session_sync(session, fd, PATIENCE, &sync);
	close(fd);
	close(session);
	return !err && sync.nr_armed == 1 && books_idle(PATIENCE) &&
	       books_wait_none("buffers_in_use", PATIENCE);
}

/* check the state after any death; @runs: the kernel does not end by itself */
static bool end(FIXTURE_DATA(protocol) *self, enum death death, bool runs)
{
	bool ok = true;

	if (death == QUEUE)
		ok &= carry_out(&self->target, DESTROY);
	if (death == GPU)
		ok &= !simdev_reset(0);
	if (death == TARGET)
		kill_child(&self->target);
	else if (death == DEBUGGER)
		kill_child(&self->debugger);
	let_go();
	if (death == DEBUGGER && !runs)
		ok &= carry_out(&self->target, WAIT);
	if (death == DEBUGGER && runs)
		ok &= carry_out(&self->target, DESTROY);
	if (death != DEBUGGER)
		kill_child(&self->debugger);
	ok &= books_idle(PATIENCE) && books_wait_none("holds", PATIENCE) &&
	      simdev_await_waves(0, "cu ", 0, PATIENCE);
	if (death != TARGET) {
		ok &= carry_out(&self->target, AGAIN);
		ok &= buffers_come_back(self->target.pid);
		kill_child(&self->target);
	}
	ok &= books_wait_none("buffers_in_use", PATIENCE);
	return ok;
}

/* ---- a break ------------------------------------------------------------- */

/**
 * enum step - position of the waves that execute the break
 * @ARMED: not at the break
 * @STOPPED: they stopped, and the driver does not know
 * @INSIDE: all but one wait in the buffer for the one that the driver does not
 *	know of
 * @AT_GUARD: one executed it and stopped at the guard, and the driver does not
 *	know
 * @NR_STEPS: number of steps
 */
enum step {
	ARMED,
	STOPPED,
	INSIDE,
	AT_GUARD,
	NR_STEPS,
};

static const char * const step_names[NR_STEPS] = {
	[ARMED] = "armed", [STOPPED] = "stopped", [INSIDE] = "inside",
	[AT_GUARD] = "at the guard",
};

static bool wait_for_waves(const char *state, int nr, int all)
{
	int ms;

	for (ms = 0; ms < PATIENCE * 1000; ms++) {
		if (simdev_waves(0, state) == nr && simdev_waves(0, "cu ") == all)
			return true;
		usleep(1000);
	}
	return false;
}

/*
 * the first message is the first wave's at the break, the fifth is its second,
 * at the guard
 */
static bool go_to(FIXTURE_DATA(protocol) *self, enum step step)
{
	if (step == ARMED)
		return carry_out(&self->target, RUN_ON);
	simdev_sweep(0);
	if (step == STOPPED)
		simdev_fault(0, "message", 1);
	else
		simdev_fault_at(0, "message", step == INSIDE ? BC_WAVES :
				BC_WAVES + 1);
	if (!carry_out(&self->target, RUN_ONCE))
		return false;
	if (step == STOPPED)
		return wait_for_waves("halted", BC_WAVES, BC_WAVES);
	if (step == INSIDE)
		return wait_for_waves("barrier", BC_WAVES - 1, BC_WAVES) &&
		       wait_for_waves("halted", 1, BC_WAVES);
	return wait_for_waves("halted", 1, 1);
}

static bool is_out(void)
{
	return books_wait_none("breaks", PATIENCE);
}

/* and repeated with the break removed during or before that */
TEST_F_TIMEOUT(protocol, of_a_break, 900)
{
	enum death death;
	enum step step;
	int out;

	for (step = ARMED; step < NR_STEPS; step++)
		for (death = DEBUGGER; death < NR_DEATHS; death++)
			for (out = 0; out <= (death != DEBUGGER); out++) {
				struct task task = {};
				bool ok;

				ASSERT_TRUE(start_both(self, &task, breaks_in,
						       false));
				ok = go_to(self, step);
				if (out) {
					kill_child(&self->debugger);
					ok &= is_out();
				}
				ok &= end(self, death, step == ARMED);
				EXPECT_TRUE(ok)
					TH_LOG("%s, the %s dies%s",
					       step_names[step], deaths[death],
					       out ? ", taken out" : "");
				if (!ok)
					books_print();
			}
}

/* ---- a displaced step ---------------------------------------------------- */

TEST_F_TIMEOUT(protocol, of_a_displaced_step, 900)
{
	enum phase phase;
	enum death death;

	for (phase = HALTED; phase < NR_PHASES; phase++)
		for (death = DEBUGGER; death < NR_DEATHS; death++) {
			struct task task = { .phase = phase };
			bool ok;

			ASSERT_TRUE(start_both(self, &task, steps, true));
			ok = end(self, death, true);
			EXPECT_TRUE(ok) TH_LOG("phase %d, the %s dies", phase,
					       deaths[death]);
			if (!ok)
				books_print();
		}
}

TEST_HARNESS_MAIN
