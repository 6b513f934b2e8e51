// SPDX-License-Identifier: GPL-2.0
/*
 * Waves that are off the GPU: the device counts how many of them would run,
 * instead of looking at each. Whatever is done to them there, its count equals
 * that of looking at all.
 *
 * Two contexts share the only VMID; a quantum is long enough to access the
 * waves of the waiting context. Debugfs shows the device's count next to the
 * other one.
 */
#include <errno.h>
#include <unistd.h>
#include "harness.h"
#include "books.h"
#include "gpu.h"
#include "simdev.h"
#include "waves.h"

#define NAME		"saved"
#define PATIENCE	120	/* s */
#define QUANTUM_MS	"1000"
#define PREEMPT_MS	"60000"
#define TRIES		20	/* an emulator may stop for a whole quantum */
#define LANES		64
#define GROUPS		4	/* of a wave each */
#define SIZE		(GROUPS * LANES * sizeof(uint32_t))

enum { RUN, PAUSE, STOP };	/* commands of "on_demand" of tests/gpu/loop.cl */

/**
 * struct kern - a context with a kernel that runs until it is to stop
 * @gpu: context
 * @out: by lane, the number of its last store
 * @want: its command
 * @seen: by lane, the last command that it read
 */
struct kern {
	struct gpu gpu;
	struct grun_mem out;
	struct grun_mem want;
	struct grun_mem seen;
};

FIXTURE(saved) {
	int nr;
	struct kern k[2];
	struct owner o;
	struct gpubp_context c[2];
};

static int make(void)
{
	return simdev_mkdir(NAME) ?: simdev_set(NAME, "cus", "1") ?:
	       simdev_set(NAME, "vmids", "1") ?:
	       simdev_set(NAME, "quantum_ms", QUANTUM_MS) ?:
	       simdev_set(NAME, "preempt_ms", PREEMPT_MS) ?:
	       simdev_set(NAME, "live", "1") ?: simdev_get(NAME, "number");
}

static int start(struct kern *k)
{
	*(volatile uint32_t *)k->want.cpu = RUN;
	return gpu_start(&k->gpu, "on_demand", GROUPS,
			 GPU_ARGS(k->out.va, k->want.va, k->seen.va));
}

static int kern_open(struct kern *k, int nr)
{
	return gpu_open_on(&k->gpu, nr, "loop") ?:
	       gpu_buffer(&k->gpu, &k->out, SIZE, 0) ?:
	       gpu_buffer(&k->gpu, &k->want, sizeof(uint32_t), 0) ?:
	       gpu_buffer(&k->gpu, &k->seen, SIZE, 0) ?: start(k);
}

/* wait until all of its waves have run */
static void wait_for(const struct kern *k)
{
	unsigned int g;

	for (g = 0; g < GROUPS; g++)
		while (!((volatile uint32_t *)k->out.cpu)[g * LANES])
			usleep(1000);
}

FIXTURE_SETUP(saved)
{
	unsigned int i;

	self->nr = make();
	ASSERT_LT(0, self->nr) simdev_rmdir(NAME);
	books_of(self->nr);
	for (i = 0; i < 2; i++)
		ASSERT_EQ(0, kern_open(&self->k[i], self->nr));
	for (i = 0; i < 2; i++)
		wait_for(&self->k[i]);
	ASSERT_EQ(0, owner_open(&self->o, 0, true));
	ASSERT_EQ(2, contexts(&self->o, self->c, 2));
}

FIXTURE_TEARDOWN(saved)
{
	unsigned int i;

	owner_close(&self->o);
	for (i = 0; i < 2; i++)
		gpu_close(&self->k[i].gpu);
	EXPECT_TRUE(books_idle(PATIENCE)) books_print();
	books_of(0);
	EXPECT_EQ(0, simdev_rmdir(NAME));
}

static void look(struct __test_metadata *_metadata, FIXTURE_DATA(saved) *self,
		 struct simdev_context rows[2])
{
	ASSERT_EQ(2, simdev_contexts(self->nr, rows, 2));
	EXPECT_EQ(rows[0].recount, rows[0].can_run);
	EXPECT_EQ(rows[1].recount, rows[1].can_run);
}

static struct simdev_context row_of(struct __test_metadata *_metadata,
				    FIXTURE_DATA(saved) *self, uint32_t ctx)
{
	struct simdev_context rows[2];

	look(_metadata, self, rows);
	return rows[rows[1].id == ctx];
}

/* all waves are saved, and as many of them would run as expected */
static bool is_saved(const struct simdev_context *row, unsigned int can_run)
{
	return !row->vmid && row->saved == GROUPS && row->can_run == can_run;
}

/* wait until @self->o is a context with saved waves; false: timeout */
static bool find_saved(struct __test_metadata *_metadata, FIXTURE_DATA(saved) *self,
		       unsigned int can_run)
{
	struct simdev_context rows[2];
	int i, ms;

	for (ms = 0; ms < PATIENCE * 1000; ms++) {
		look(_metadata, self, rows);
		for (i = 0; i < 2; i++) {
			self->o.ctx = rows[i].id;
			if (is_saved(&rows[i], can_run))
				return true;
		}
		usleep(1000);
	}
	return false;
}

/* all waves of both; the context that is off the GPU is that of @self->o */
static void halt_all_waves(struct __test_metadata *_metadata, FIXTURE_DATA(saved) *self)
{
	int i;

	for (i = 0; i < 2; i++) {
		self->o.ctx = self->c[i].id;
		ASSERT_EQ(0, halt_all(&self->o));
		ASSERT_EQ(GROUPS, self->o.nr_done);
	}
	/* one of them may be in transition */
	ASSERT_TRUE(find_saved(_metadata, self, 0));
}

static void resume_all_waves(struct __test_metadata *_metadata, FIXTURE_DATA(saved) *self)
{
	int i;

	for (i = 0; i < 2; i++) {
		self->o.ctx = self->c[i].id;
		EXPECT_EQ(0, run(&self->o, GPUBP_RESUME, NULL, 0, 0));
	}
}

/* let every wave run to its end */
static void stop_all_waves(struct __test_metadata *_metadata, FIXTURE_DATA(saved) *self)
{
	struct simdev_context rows[2];
	int i;

	for (i = 0; i < 2; i++)
		*(volatile uint32_t *)self->k[i].want.cpu = STOP;
	for (i = 0; i < 2; i++)
		EXPECT_EQ(0, gpu_wait(&self->k[i].gpu, PATIENCE));
	look(_metadata, self, rows);
	EXPECT_EQ(0, rows[0].saved + rows[1].saved);
	EXPECT_EQ(0, rows[0].can_run + rows[1].can_run);
}

TEST_F_TIMEOUT(saved, halted_and_resumed_off_the_gpu, 600)
{
	bool halted = false, resumed = false;
	struct simdev_context row;
	int i;

	for (i = 0; i < TRIES && !(halted && resumed); i++) {
		ASSERT_TRUE(find_saved(_metadata, self, GROUPS));
		ASSERT_EQ(0, halt_all(&self->o));
		row = row_of(_metadata, self, self->o.ctx);
		halted |= is_saved(&row, 0);
		ASSERT_EQ(0, run(&self->o, GPUBP_RESUME, NULL, 0, 0));
		row = row_of(_metadata, self, self->o.ctx);
		resumed |= is_saved(&row, GROUPS);
	}
	EXPECT_TRUE(halted);
	EXPECT_TRUE(resumed);
	stop_all_waves(_metadata, self);
}

/* one of the saved waves that is halted makes all of them be restored */
TEST_F_TIMEOUT(saved, one_wave_of_all_goes_on, 600)
{
	struct gpubp_wave_entry e[GROUPS] = {};
	struct simdev_context row;
	int ms = 0;

	halt_all_waves(_metadata, self);
	ASSERT_EQ(GROUPS, list(&self->o, e, GROUPS));
	ASSERT_EQ(0, resume(&self->o, e[0].wave));
	do {
		usleep(1000);
		row = row_of(_metadata, self, self->o.ctx);
	} while (row.groups != GROUPS && ++ms < PATIENCE * 1000);
	EXPECT_EQ(GROUPS, row.groups);
	EXPECT_EQ(0, row.saved);
	resume_all_waves(_metadata, self);
	stop_all_waves(_metadata, self);
}

TEST_F_TIMEOUT(saved, its_session_is_closed, 600)
{
	halt_all_waves(_metadata, self);
	owner_close(&self->o);
	stop_all_waves(_metadata, self);
	ASSERT_EQ(0, owner_open(&self->o, 0, true));
}

TEST_F_TIMEOUT(saved, the_gpu_is_reset, 600)
{
	struct simdev_context rows[2];
	int i;

	halt_all_waves(_metadata, self);
	ASSERT_EQ(0, simdev_reset(self->nr));
	for (i = 0; i < 2; i++)
		EXPECT_EQ(-EIO, gpu_wait(&self->k[i].gpu, PATIENCE));
	look(_metadata, self, rows);
	EXPECT_EQ(0, rows[0].saved + rows[1].saved);
}

/* waves that would run, and waves that would not, end with their file */
TEST_F_TIMEOUT(saved, its_file_is_closed, 600)
{
	struct gpubp_wave_entry e[GROUPS] = {};
	struct simdev_context rows[2];
	int i;

	ASSERT_TRUE(find_saved(_metadata, self, GROUPS));
	ASSERT_EQ(GROUPS, list(&self->o, e, GROUPS));
	ASSERT_EQ(0, halt(&self->o, e[0].wave));
	look(_metadata, self, rows);
	/* debugfs lists them in the order in which they were opened */
	i = rows[1].id == self->o.ctx;
	gpu_close(&self->k[i].gpu);
	ASSERT_EQ(0, kern_open(&self->k[i], self->nr));
	wait_for(&self->k[i]);
	stop_all_waves(_metadata, self);
}

TEST_HARNESS_MAIN
