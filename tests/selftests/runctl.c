// SPDX-License-Identifier: GPL-2.0
/*
 * Run control: sessions halt, step, read, write and resume waves, while waves
 * that no session holds keep running.
 *
 * The target is the test's own process, with a kernel that counts in memory.
 * The other holders of its waves are sessions of the same process, or of
 * children.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "harness.h"
#include "books.h"
#include "child.h"
#include "event.h"
#include "gpu.h"
#include "roles.h"
#include "session.h"
#include "waves.h"

#define LANES		64
#define GROUPS		4
#define SIZE		(GROUPS * LANES * sizeof(uint32_t))
#define PATIENCE	60	/* s */
#define SOME		(debug_kernel() ? 4 : 20)	/* stores of each wave */
#define PC_LO		8	/* control registers */
#define PC_HI		9

/* command of the kernel; "on_demand" of tests/gpu/loop.cl */
enum want {
	RUN,
	PAUSE,
	STOP,
};

/**
 * struct kern - a kernel that runs
 * @gpu: context
 * @out: by lane, the number of its last store
 * @want: enum want
 * @seen: by lane, the last command that it read
 */
struct kern {
	struct gpu gpu;
	struct grun_mem out;
	struct grun_mem want;
	struct grun_mem seen;
};

static uint32_t count(const struct kern *t, unsigned int group)
{
	return ((volatile uint32_t *)t->out.cpu)[group * LANES];
}

/* true once every wave has stored so often since the call; false on timeout */
static bool all_run(const struct kern *t)
{
	uint32_t before[GROUPS];
	unsigned int g, ms = 0;

	for (g = 0; g < GROUPS; g++)
		before[g] = count(t, g);
	for (g = 0; g < GROUPS; g++)
		while (count(t, g) - before[g] < SOME)
			if (usleep(1000), ++ms > PATIENCE * 1000)
				return false;
	return true;
}

static int kern_start(struct kern *t)
{
	int err = gpu_open(&t->gpu, "loop") ?:
		  gpu_buffer(&t->gpu, &t->out, SIZE, 0) ?:
		  gpu_buffer(&t->gpu, &t->want, sizeof(uint32_t), 0) ?:
		  gpu_buffer(&t->gpu, &t->seen, SIZE, 0);

	if (err)
		return err;
	*(volatile uint32_t *)t->want.cpu = RUN;
	err = gpu_start(&t->gpu, "on_demand", GROUPS,
			GPU_ARGS(t->out.va, t->want.va, t->seen.va));
	return err ?: all_run(t) ? 0 : -ETIMEDOUT;
}

static int kern_stop(struct kern *t)
{
	int err;

	*(volatile uint32_t *)t->want.cpu = STOP;
	err = gpu_wait(&t->gpu, PATIENCE);
	gpu_close(&t->gpu);
	return err;
}

FIXTURE(runctl) {
	struct kern t;
	struct owner o;
	struct owner other;
	struct gpubp_wave_entry e[MAX_WAVES];
	uint64_t w[GROUPS];
};

FIXTURE_SETUP(runctl)
{
	unsigned int i;

	ASSERT_EQ(0, caps_idle(CAP_BIT(KILL)));
	ASSERT_EQ(0, kern_start(&self->t));
	ASSERT_EQ(0, owner_open(&self->o, 0, true));
	ASSERT_EQ(0, owner_open(&self->other, 0, true));
	ASSERT_EQ(GROUPS, list(&self->o, self->e, MAX_WAVES));
	for (i = 0; i < GROUPS; i++)
		self->w[i] = self->e[i].wave;
}

FIXTURE_TEARDOWN(runctl)
{
	owner_close(&self->o);
	owner_close(&self->other);
	EXPECT_TRUE(all_run(&self->t));
	EXPECT_EQ(0, kern_stop(&self->t));
	EXPECT_TRUE(books_idle(PATIENCE)) books_print();
}

/* ---- lists --------------------------------------------------------------- */

TEST_F(runctl, contexts_and_waves_are_listed)
{
	struct gpubp_context c[4] = {};
	unsigned int i, j;

	EXPECT_EQ(1, contexts(&self->o, c, 4));
	EXPECT_EQ(self->o.ctx, c[0].id);
	EXPECT_EQ(GPUBP_SCOPE_WAVE, c[0].scope);
	EXPECT_EQ(1, contexts(&self->o, NULL, 0));
	EXPECT_EQ(GROUPS, list(&self->o, NULL, 0));
	for (i = 0; i < GROUPS; i++) {
		EXPECT_EQ(0, self->e[i].flags);
		EXPECT_EQ(0, self->e[i].nr_holders);
		EXPECT_NE(0, self->e[i].pc);
		for (j = 0; j < i; j++)
			EXPECT_NE(self->w[j], self->w[i]);
	}
}

TEST_F(runctl, ids_are_not_used_again)
{
	struct gpubp_wave_entry e[MAX_WAVES];
	int i, j, n;

	ASSERT_EQ(0, kern_stop(&self->t));
	ASSERT_EQ(0, kern_start(&self->t));
	owner_close(&self->o);
	ASSERT_EQ(0, owner_open(&self->o, 0, true));
	n = list(&self->o, e, MAX_WAVES);
	ASSERT_EQ(GROUPS, n);
	for (i = 0; i < n; i++)
		for (j = 0; j < GROUPS; j++)
			EXPECT_NE(self->w[j], e[i].wave);
	EXPECT_EQ(-ESRCH, halt(&self->o, self->w[0]));
}

/* ---- holds --------------------------------------------------------------- */

TEST_F(runctl, a_halted_wave_stands_still_and_the_others_run)
{
	struct gpubp_wave_entry e;
	uint64_t pc;
	unsigned int g, moved = 0;
	uint32_t before[GROUPS];

	ASSERT_EQ(0, halt(&self->o, self->w[0]));
	EXPECT_EQ(1, self->o.nr_done);
	EXPECT_EQ(GPUBP_SCOPE_WAVE, self->o.scope);
	e = entry(&self->o, self->w[0]);
	EXPECT_EQ(GPUBP_WAVE_STOPPED | GPUBP_WAVE_HELD | GPUBP_WAVE_MINE,
		  e.flags);
	EXPECT_EQ(1, e.nr_holders);
	pc = e.pc;
	for (g = 0; g < GROUPS; g++)
		before[g] = count(&self->t, g);
	while (moved < GROUPS - 1) {
		usleep(1000);
		for (g = moved = 0; g < GROUPS; g++)
			moved += count(&self->t, g) - before[g] >= SOME;
	}
	EXPECT_EQ(GROUPS - 1, moved);
	EXPECT_EQ(pc, entry(&self->o, self->w[0]).pc);
	EXPECT_EQ(0, resume(&self->o, self->w[0]));
	EXPECT_TRUE(all_run(&self->t));
	EXPECT_EQ(-EBADFD, resume(&self->o, self->w[0]));
}

TEST_F(runctl, it_goes_on_when_no_session_holds_it)
{
	ASSERT_EQ(0, halt(&self->o, self->w[0]));
	ASSERT_EQ(0, halt(&self->o, self->w[0]));
	ASSERT_EQ(0, halt(&self->other, self->w[0]));
	EXPECT_EQ(2, entry(&self->o, self->w[0]).nr_holders);
	EXPECT_EQ(0, resume(&self->o, self->w[0]));
	EXPECT_TRUE(has_stopped(&self->o, self->w[0]));
	EXPECT_EQ(GPUBP_WAVE_STOPPED | GPUBP_WAVE_HELD,
		  entry(&self->o, self->w[0]).flags);
	EXPECT_EQ(0, resume(&self->other, self->w[0]));
	EXPECT_TRUE(all_run(&self->t));
}

TEST_F(runctl, all_waves_at_once)
{
	unsigned int i;

	ASSERT_EQ(0, halt_all(&self->o));
	EXPECT_EQ(GROUPS, self->o.nr_done);
	for (i = 0; i < GROUPS; i++)
		EXPECT_TRUE(has_stopped(&self->o, self->w[i]));
	EXPECT_EQ(0, run(&self->o, GPUBP_RESUME, NULL, 0, 0));
	EXPECT_EQ(GROUPS, self->o.nr_done);
	EXPECT_EQ(0, run(&self->o, GPUBP_RESUME, NULL, 0, 0));
	EXPECT_EQ(0, self->o.nr_done);
}

/* applied as often as it is named, but a session has only one hold of a wave */
TEST_F(runctl, a_wave_named_more_than_once)
{
	uint64_t many[GPUBP_WAVES_MAX];
	unsigned int i;

	for (i = 0; i < GPUBP_WAVES_MAX; i++)
		many[i] = self->w[(i + 1) % 2];
	EXPECT_EQ(0, run(&self->o, GPUBP_HALT, many, GPUBP_WAVES_MAX, 0));
	EXPECT_EQ(GPUBP_WAVES_MAX, self->o.nr_done);
	EXPECT_EQ(1, entry(&self->o, self->w[0]).nr_holders);
	EXPECT_EQ(1, entry(&self->o, self->w[1]).nr_holders);
	EXPECT_EQ(0, run(&self->o, GPUBP_STEP, many, 4, 0));
	EXPECT_EQ(4, self->o.nr_done);
	EXPECT_EQ(-EBADFD, run(&self->o, GPUBP_RESUME, many, 4, 0));
	EXPECT_EQ(2, self->o.nr_done);
	EXPECT_EQ(0, entry(&self->o, self->w[0]).nr_holders);
	EXPECT_EQ(0, entry(&self->o, self->w[1]).nr_holders);
	EXPECT_TRUE(all_run(&self->t));
}

TEST_F(runctl, a_session_that_is_closed_lets_go)
{
	ASSERT_EQ(0, halt_all(&self->other));
	close(self->other.session);
	EXPECT_TRUE(all_run(&self->t));
}

TEST_F(runctl, so_does_one_that_detaches)
{
	struct gpubp_attach a = { .id = self->other.id };

	ASSERT_EQ(0, halt_all(&self->other));
	ASSERT_EQ(0, session_call(self->other.session, GPUBP_DETACH, &a));
	EXPECT_TRUE(all_run(&self->t));
	EXPECT_EQ(-ENOENT, halt_all(&self->other));
}

TEST_F(runctl, so_does_one_whose_event_is_closed)
{
	ASSERT_EQ(0, halt_all(&self->other));
	close(self->other.fd);
	EXPECT_TRUE(all_run(&self->t));
	EXPECT_EQ(-ESRCH, halt_all(&self->other));
}

TEST_F(runctl, a_time_limit_lets_go_and_another_halt_moves_it)
{
	ASSERT_EQ(0, run(&self->o, GPUBP_HALT, self->w, 1, 1));
	EXPECT_TRUE(goes_on(&self->o, self->w[0]));
	EXPECT_EQ(-EBADFD, resume(&self->o, self->w[0]));
	ASSERT_EQ(0, run(&self->o, GPUBP_HALT, self->w, 2, 3600000));
	ASSERT_EQ(0, run(&self->o, GPUBP_HALT, self->w, 1, 1));
	EXPECT_TRUE(goes_on(&self->o, self->w[0]));
	EXPECT_TRUE(has_stopped(&self->o, self->w[1]));
}

/* ---- holders in other processes ------------------------------------------ */

/* halts all waves of its parent, reports that, and waits to be killed */
static int holder(int sock, void *arg)
{
	struct owner o;
	uint64_t unused;

	if (owner_open(&o, getppid(), true) || halt_all(&o))
		return 1;
	say(sock, o.nr_done);
	hear(sock, &unused);
	return 0;
}

TEST_F(runctl, an_owner_that_is_killed_lets_go)
{
	struct child child;

	ASSERT_EQ(0, child_start(&child, holder, NULL));
	ASSERT_EQ(GROUPS, heard(child.sock));
	EXPECT_TRUE(has_stopped(&self->o, self->w[0]));
	EXPECT_EQ(128 + 9, child_kill(&child));
	EXPECT_TRUE(all_run(&self->t));
}

TEST_F(runctl, one_owner_of_two_is_killed)
{
	struct child child;

	ASSERT_EQ(0, child_start(&child, holder, NULL));
	ASSERT_EQ(GROUPS, heard(child.sock));
	ASSERT_EQ(0, halt(&self->o, self->w[0]));
	EXPECT_EQ(-EBUSY, step(&self->o, self->w[0]));
	EXPECT_EQ(128 + 9, child_kill(&child));
	EXPECT_TRUE(goes_on(&self->o, self->w[1]));
	EXPECT_TRUE(has_stopped(&self->o, self->w[0]));
	EXPECT_EQ(1, entry(&self->o, self->w[0]).nr_holders);
	EXPECT_EQ(0, resume(&self->o, self->w[0]));
}

/* a process with a kernel of its own: reports on request whether it runs */
static int bystander(int sock, void *arg)
{
	struct kern t;
	uint64_t unused;

	if (kern_start(&t))
		return 1;
	say(sock, 1);
	while (hear(sock, &unused) && unused)
		say(sock, all_run(&t));
	return kern_stop(&t) ? 2 : 0;
}

TEST_F(runctl, other_processes_run_on)
{
	struct child child;

	ASSERT_EQ(0, child_start(&child, bystander, NULL));
	ASSERT_EQ(1, heard(child.sock));
	ASSERT_EQ(0, halt_all(&self->o));
	say(child.sock, 1);
	EXPECT_EQ(1, heard(child.sock));
	EXPECT_TRUE(has_stopped(&self->o, self->w[0]));
	say(child.sock, 0);
	EXPECT_EQ(0, child_end(&child));
}

/*
 * for a watch the context is taken off the GPU and its waves are edited: they
 * stay halted
 */
TEST_F(runctl, preemption_does_not_wait_for_halted_waves)
{
	struct perf_event_attr attr = event_watch(self->t.out.va, 4,
						  EVENT_STORES);
	int64_t resets = books_device("ctx_resets");
	int64_t saves = books_device("saves");
	struct gpubp_sync sync = {};
	uint32_t before[GROUPS];
	unsigned int g;
	int fd;

	ASSERT_EQ(0, halt_all(&self->o));
	for (g = 0; g < GROUPS; g++)
		before[g] = count(&self->t, g);
	fd = event_open(&attr, 0, -1);
	ASSERT_LE(0, fd);
	EXPECT_EQ(0, session_sync(self->o.session, fd, PATIENCE, &sync));
	EXPECT_EQ(1, sync.nr_armed);
	/* it was suspended, not reset */
	EXPECT_LT(saves, books_device("saves"));
	EXPECT_EQ(resets, books_device("ctx_resets"));
	for (g = 0; g < GROUPS; g++) {
		EXPECT_TRUE(has_stopped(&self->o, self->w[g]));
		EXPECT_EQ(before[g], count(&self->t, g));
	}
	EXPECT_EQ(0, run(&self->o, GPUBP_RESUME, NULL, 0, 0));
	EXPECT_TRUE(all_run(&self->t));
	EXPECT_LT(0, event_count(fd));
	close(fd);
}

/* waves halted by sessions while hits stop them, and vice versa */
TEST_F(runctl, halts_and_hits)
{
	struct perf_event_attr attr = event_watch(self->t.out.va, SIZE,
						  EVENT_STORES);
	int i, fd = event_open(&attr, 0, -1);

	ASSERT_LE(0, fd);
	EXPECT_EQ(0, session_sync(self->o.session, fd, PATIENCE, NULL));
	for (i = 0; i < 20; i++) {
		EXPECT_EQ(0, halt_all(&self->o));
		EXPECT_EQ(GROUPS, self->o.nr_done);
		EXPECT_EQ(0, run(&self->o, GPUBP_RESUME, NULL, 0, 0));
	}
	EXPECT_TRUE(all_run(&self->t));
	close(fd);
	EXPECT_TRUE(books_settle(PATIENCE)) books_print();
}

/* ---- ids ----------------------------------------------------------------- */

#define NEARBY		4096	/* ids around a wave's */

/* compute units number their waves as they launch them: in no order of the list */
static uint64_t newest(const uint64_t *w)
{
	uint64_t id = 0;
	unsigned int i;

	for (i = 0; i < GROUPS; i++)
		id = w[i] > id ? w[i] : id;
	return id;
}

/* a sample names the wave as GPUBP_WAVES does; nothing that is like it is another name */
TEST_F(runctl, samples_name_the_waves_that_are_listed)
{
	struct perf_event_attr attr = event_watch(self->t.out.va, SIZE,
						  EVENT_STORES);
	struct owner *o = &self->o;
	struct gpubp_wave_dump d;
	unsigned int i, ms, nr = 0;
	bool seen[GROUPS] = {};
	struct sample s;
	struct ring ring;
	uint64_t id;
	int fd;

	attr.sigtrap = 1;	/* each stops its wave */
	attr.remove_on_exec = 1;
	attr.exclude_kernel = 1;
	event_sample(&attr, 1);
	signal(SIGTRAP, SIG_IGN);
	fd = event_open(&attr, 0, -1);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, ring_map(&ring, fd, 64));
	ASSERT_EQ(0, session_sync(o->session, fd, PATIENCE, NULL));
	for (ms = 0; nr < 8 * GROUPS && ms < PATIENCE * 1000; ms++) {
		usleep(1000);
		for (; ring_next(&ring, &s); nr++) {
			for (i = 0; i < GROUPS && self->w[i] != s.rec.wave; i++)
				;
			ASSERT_NE(GROUPS, i) TH_LOG("%llx", (long long)s.rec.wave);
			seen[i] = true;
		}
	}
	ASSERT_LE(8 * GROUPS, nr);
	for (i = 0; i < GROUPS; i++)
		EXPECT_TRUE(seen[i]);
	ASSERT_EQ(0, halt(o, s.rec.wave));
	EXPECT_EQ(0, dump(o, s.rec.wave, &d));
	EXPECT_EQ(0, resume(o, s.rec.wave));
	for (i = 0; i < NEARBY; i++) {
		id = newest(self->w) + 1 + i;
		EXPECT_EQ(-ESRCH, halt(&self->other, id));
		/* ids of stops, of the software GPU: without the bit of waves */
		EXPECT_EQ(-ESRCH, halt(&self->other, (uint64_t)i << 16 | i % 16));
	}
	ring_unmap(&ring);
	close(fd);
}

/* ---- rights and errors --------------------------------------------------- */

TEST_F(runctl, readers_read)
{
	struct owner reader;
	struct gpubp_wave_dump d;
	uint32_t pc[2];

	ASSERT_EQ(0, owner_open(&reader, 0, false));
	EXPECT_EQ(self->o.ctx, reader.ctx);
	EXPECT_EQ(GROUPS, list(&reader, NULL, 0));
	EXPECT_EQ(-EPERM, halt(&reader, self->w[0]));
	EXPECT_EQ(-EPERM, resume(&reader, self->w[0]));
	EXPECT_EQ(-EPERM, step(&reader, self->w[0]));
	ASSERT_EQ(0, halt(&self->o, self->w[0]));
	EXPECT_EQ(0, dump(&reader, self->w[0], &d));
	EXPECT_EQ(0, regs(&reader, GPUBP_READ_REGS, self->w[0],
			  range(GPUBP_REGS_CONTROL, 8, 2), pc, 2));
	EXPECT_EQ(d.pc, pc[0] | (uint64_t)pc[1] << 32);
	EXPECT_EQ(-EPERM, regs(&reader, GPUBP_WRITE_REGS, self->w[0],
			       range(GPUBP_REGS_CONTROL, 8, 2), pc, 2));
	owner_close(&reader);
}

TEST_F(runctl, errors)
{
	struct owner o = self->o;
	struct gpubp_wave_dump d;
	uint32_t v[LANES] = {};
	uint64_t none = 12345;

	EXPECT_EQ(-ESRCH, halt(&o, none));
	EXPECT_EQ(-EBADFD, resume(&o, self->w[0]));
	EXPECT_EQ(-EBADFD, dump(&o, self->w[0], &d));
	EXPECT_EQ(-ESRCH, dump(&o, none, &d));
	EXPECT_EQ(-EINVAL, run(&o, GPUBP_HALT, self->w, GPUBP_WAVES_MAX + 1, 0));
	EXPECT_EQ(-EINVAL, run(&o, GPUBP_STEP, NULL, 0, 0));
	EXPECT_EQ(-EFAULT, run(&o, GPUBP_HALT, (void *)8, 1, 0));
	EXPECT_EQ(-EBADFD, regs(&o, GPUBP_READ_REGS, self->w[0],
				range(GPUBP_REGS_SCALAR, 0, 1), v, 1));
	EXPECT_EQ(-EBADFD, regs(&o, GPUBP_WRITE_REGS, self->w[0],
				range(GPUBP_REGS_SCALAR, 0, 1), v, 1));
	ASSERT_EQ(0, halt(&o, self->w[0]));
	EXPECT_EQ(-EINVAL, regs(&o, GPUBP_READ_REGS, self->w[0],
				range(GPUBP_REGS_SCALAR, 0, 2), v, 1));
	EXPECT_EQ(-EINVAL, regs(&o, GPUBP_READ_REGS, self->w[0],
				range(GPUBP_REGS_VECTOR, 511, 1), v, LANES));
	EXPECT_EQ(-EINVAL, regs(&o, GPUBP_READ_REGS, self->w[0],
				range(3, 0, 1), v, 1));
	/* a register of the trap handler */
	EXPECT_EQ(-EACCES, regs(&o, GPUBP_WRITE_REGS, self->w[0],
				range(GPUBP_REGS_SCALAR, 108, 1), v, 1));
	/* one of them has exited: none is halted */
	o.ctx = 0;
	EXPECT_EQ(-ESRCH, halt(&o, self->w[0]));
	o.id = 1;
	EXPECT_EQ(-ENOENT, halt(&o, self->w[0]));
}

TEST_F(runctl, one_wave_that_is_gone_halts_none)
{
	uint64_t w[2] = { self->w[0], 12345 };

	EXPECT_EQ(-ESRCH, run(&self->o, GPUBP_HALT, w, 2, 0));
	EXPECT_EQ(0, entry(&self->o, self->w[0]).flags);
}

static int idle(int sock, void *arg)
{
	uint64_t unused;

	say(sock, 1);
	hear(sock, &unused);
	return 0;
}

TEST_F(runctl, contexts_of_others_are_none)
{
	struct gpubp_context c;
	struct child child;
	struct owner o;

	ASSERT_EQ(0, child_start(&child, idle, NULL));
	ASSERT_EQ(1, heard(child.sock));
	ASSERT_EQ(0, owner_open(&o, child.pid, true));
	EXPECT_EQ(0, contexts(&o, &c, 1));
	o.ctx = self->o.ctx;
	EXPECT_EQ(-ESRCH, halt(&o, self->w[0]));
	EXPECT_EQ(-ESRCH, list(&o, NULL, 0));
	owner_close(&o);
	child_kill(&child);
}

/* the context is destroyed together with its holds */
TEST_F(runctl, the_target_ends_with_waves_held)
{
	struct child child;
	struct owner o;

	ASSERT_EQ(0, child_start(&child, bystander, NULL));
	ASSERT_EQ(1, heard(child.sock));
	ASSERT_EQ(0, owner_open(&o, child.pid, true));
	ASSERT_EQ(0, halt_all(&o));
	EXPECT_EQ(GROUPS, o.nr_done);
	EXPECT_EQ(128 + 9, child_kill(&child));
	EXPECT_EQ(-ESRCH, run(&o, GPUBP_RESUME, NULL, 0, 0));
	owner_close(&o);
}

/* ---- registers and memory ------------------------------------------------ */

TEST_F(runctl, memory_is_read_up_to_the_end_of_its_mapping)
{
	uint32_t *buf = malloc(3 * 4096);
	struct grun_mem *seen = &self->t.seen;
	int64_t n;

	ASSERT_EQ(0, halt_all(&self->o));
	EXPECT_EQ(SIZE, peek(&self->o, self->t.out.va, buf, SIZE));
	EXPECT_EQ(0, memcmp(buf, self->t.out.cpu, SIZE));
	n = peek(&self->o, seen->va, buf, 3 * 4096);
	EXPECT_LE(SIZE, n);
	EXPECT_EQ(-EFAULT, peek(&self->o, 0x10, buf, 16));
	EXPECT_EQ(-EFAULT, peek(&self->o, self->t.out.va, (void *)8, 16));
	EXPECT_EQ(-EINVAL, peek(&self->o, self->t.out.va, buf, 0));
	EXPECT_EQ(-EINVAL, peek(&self->o, -8ull, buf, 16));
	free(buf);
}

TEST_F(runctl, scalar_registers_keep_what_is_written)
{
	uint32_t old[16], new[16], got[16];
	struct gpubp_reg_range r = range(GPUBP_REGS_SCALAR, 0, 16);
	unsigned int i;

	ASSERT_EQ(0, halt(&self->o, self->w[0]));
	ASSERT_EQ(0, regs(&self->o, GPUBP_READ_REGS, self->w[0], r, old, 16));
	for (i = 0; i < 16; i++)
		new[i] = ~old[i];
	EXPECT_EQ(0, regs(&self->o, GPUBP_WRITE_REGS, self->w[0], r, new, 16));
	EXPECT_EQ(0, regs(&self->o, GPUBP_READ_REGS, self->w[0], r, got, 16));
	EXPECT_EQ(0, memcmp(new, got, sizeof(new)));
	EXPECT_EQ(0, regs(&self->o, GPUBP_WRITE_REGS, self->w[0], r, old, 16));
}

/* registers of the pc, in ranges of one each */
static int write_pc(struct owner *o, uint64_t wave, const uint32_t *first,
		    unsigned int nr)
{
	struct gpubp_reg_range r[4];
	uint32_t value[4] = {};
	struct gpubp_regs args = {
		.event = o->id,
		.wave = wave,
		.ranges = (uintptr_t)r,
		.values = (uintptr_t)value,
		.context = o->ctx,
		.nr_ranges = nr,
		.nr_values = nr,
		.entry_len = sizeof(*r),
	};
	uint64_t pc = get_pc(o, wave);
	unsigned int i;

	for (i = 0; i < nr; i++) {
		r[i] = range(GPUBP_REGS_CONTROL, first[i], 1);
		value[i] = first[i] == PC_LO ? pc : pc >> 32;
	}
	return session_call(o->session, GPUBP_WRITE_REGS, &args);
}

TEST_F(runctl, each_register_of_the_pc_is_written_once)
{
	static const uint32_t lo_hi[] = { PC_LO, PC_HI, PC_LO, PC_HI };
	static const uint32_t hi_lo[] = { PC_HI, PC_LO };
	static const uint32_t lo_lo[] = { PC_LO, PC_LO };
	static const uint32_t hi_hi[] = { PC_HI, PC_HI };
	static const uint32_t lo_lo_hi[] = { PC_LO, PC_LO, PC_HI };
	uint64_t w = self->w[0], pc;

	ASSERT_EQ(0, halt(&self->o, w));
	pc = get_pc(&self->o, w);
	EXPECT_EQ(-EINVAL, write_pc(&self->o, w, lo_hi, 1));
	EXPECT_EQ(-EINVAL, write_pc(&self->o, w, lo_lo, 2));
	EXPECT_EQ(-EINVAL, write_pc(&self->o, w, hi_hi, 2));
	EXPECT_EQ(-EINVAL, write_pc(&self->o, w, lo_lo_hi, 3));
	EXPECT_EQ(-EINVAL, write_pc(&self->o, w, lo_hi, 4));
	EXPECT_EQ(0, write_pc(&self->o, w, lo_hi, 2));
	EXPECT_EQ(0, write_pc(&self->o, w, hi_lo, 2));
	EXPECT_EQ(pc, get_pc(&self->o, w));
}

#define MODE_KERNELS	0x00080800u	/* watch traps, DEBUG_EN */

TEST_F(runctl, what_makes_waves_trap_is_kept)
{
	struct gpubp_reg_range r = range(GPUBP_REGS_CONTROL, 1, 1);
	uint32_t old, new, got;

	ASSERT_EQ(0, halt(&self->o, self->w[0]));
	ASSERT_EQ(0, regs(&self->o, GPUBP_READ_REGS, self->w[0], r, &old, 1));
	new = old ^ MODE_KERNELS ^ 0xf;
	EXPECT_EQ(0, regs(&self->o, GPUBP_WRITE_REGS, self->w[0], r, &new, 1));
	EXPECT_EQ(0, regs(&self->o, GPUBP_READ_REGS, self->w[0], r, &got, 1));
	EXPECT_EQ(old ^ 0xf, got);
	EXPECT_EQ(0, regs(&self->o, GPUBP_WRITE_REGS, self->w[0], r, &old, 1));
}

/* ---- dumps --------------------------------------------------------------- */

TEST_F(runctl, dumps)
{
	struct gpubp_wave_dump d[GROUPS];
	unsigned int i, j;
	uint32_t word;

	ASSERT_EQ(0, halt_all(&self->o));
	for (i = 0; i < GROUPS; i++) {
		ASSERT_EQ(0, dump(&self->o, self->w[i], &d[i]));
		/* the code has no name */
		EXPECT_EQ(GPUBP_DUMP_PLACE | GPUBP_DUMP_ALLOC, d[i].valid);
		EXPECT_EQ(entry(&self->o, self->w[i]).pc, d[i].pc);
		EXPECT_EQ(~0ull, d[i].exec);
		EXPECT_EQ(GPUBP_WAVE_STOPPED | GPUBP_WAVE_HELD |
			  GPUBP_WAVE_MINE, d[i].wave_flags);
		/* STATUS: HALT, and no trap handler */
		EXPECT_EQ(0x2000, d[i].regs[1] & 0x2020);
		EXPECT_EQ(GPUBP_DUMP_WORDS, d[i].nr_words);
		ASSERT_EQ(4, peek(&self->o, d[i].pc, &word, 4));
		EXPECT_EQ(word, d[i].words[(d[i].pc - d[i].words_addr) / 4]);
		EXPECT_LT(0, d[i].nr_scalars);
		EXPECT_LT(0, d[i].nr_vectors);
		EXPECT_LT(0, d[i].place[GPUBP_PLACE_GFX9_VMID]);
		for (j = 0; j < i; j++)
			EXPECT_NE(0, memcmp(d[j].place, d[i].place,
					    sizeof(d[i].place)));
	}
}

/* lines of the file with @what in them; -1 without debugfs */
static int waves_file(const char *what)
{
	char line[512];
	FILE *f = fopen("/sys/kernel/debug/gpubp/gpubp_sim0/waves", "r");
	int n = 0;

	if (!f)
		return -1;
	while (fgets(line, sizeof(line), f))
		n += !!strstr(line, what);
	fclose(f);
	return n;
}

TEST_F(runctl, root_sees_all_waves_and_they_run_on)
{
	ASSERT_EQ(0, halt(&self->o, self->w[0]));
	EXPECT_EQ(GROUPS, waves_file("wave "));
	EXPECT_EQ(GROUPS, waves_file("TRAP_EN="));
	EXPECT_EQ(1, waves_file(" stopped"));
	EXPECT_TRUE(has_stopped(&self->o, self->w[0]));
	EXPECT_TRUE(goes_on(&self->o, self->w[1]));
	EXPECT_EQ(0, resume(&self->o, self->w[0]));
}

TEST_HARNESS_MAIN
