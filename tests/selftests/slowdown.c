// SPDX-License-Identifier: GPL-2.0
/*
 * A foreign trap handler: root writes one that sleeps into a running program's
 * memory and its address into the registers of the VMID, as hobby debuggers do.
 * The program is slower, but its results are right, for as long as the handler
 * is installed.
 *
 * Time is that of the GPU: a compute unit executes its waves in turn, so the
 * progress of a wave without that handler is a clock.
 */
#include <errno.h>
#include <string.h>
#include <unistd.h>
#include "harness.h"
#include "books.h"
#include "breakcode.h"
#include "event.h"
#include "simdev.h"
#include "waves.h"

#define NAME		"slowdown"
#define PATIENCE	120	/* s */
#define FOREVER		UINT32_MAX
#define LOOPS		5
#define TICKS		2000	/* iterations of all waves of the clock */
#define MAX_CONTEXTS	8	/* of the device */
#define VISIBLE		8	/* slowdown factor, at least */

/* dword offsets */
#define TBA_LO		0x031c	/* TBA_HI, TMA_LO, TMA_HI follow */
#define PER_VMID_CNTL	0x11d3
#define TRAP_EN		0x8u

#define QUICK		0xc00	/* offset in the page of the code */
#define SLOW		0xd00
#define NR_SLEEPS	48

/* skips an s_trap, which changes SCC */
static const uint32_t handler[] = {
	0xb8eef802,		/* s_getreg_b32 ttmp2, hwreg(HW_REG_STATUS) */
	0x866dff6d, 0x0000ffff,	/* s_and_b32 ttmp1, ttmp1, 0xffff */
	0x806c846c,		/* s_add_u32 ttmp0, ttmp0, 4 */
	0x826d806d,		/* s_addc_u32 ttmp1, ttmp1, 0 */
	0xbf0d806e,		/* s_bitcmp1_b32 ttmp2, 0 */
	0xbe801f6c,		/* s_rfe_b64 [ttmp0, ttmp1] */
};

#define S_SLEEP		0xbf8e007f	/* 127 times 64 clocks */

static void put_handlers(const struct breakcode *bc)
{
	uint32_t *slow = (uint32_t *)(bc->page + SLOW);
	int i;

	memcpy(bc->page + QUICK, handler, sizeof(handler));
	for (i = 0; i < NR_SLEEPS; i++)
		*slow++ = S_SLEEP;
	memcpy(slow, handler, sizeof(handler));
}

FIXTURE(slowdown) {
	int nr;
	int regs;
	struct breakcode app;
	struct breakcode clock;
};

FIXTURE_SETUP(slowdown)
{
	ASSERT_EQ(0, simdev_mkdir(NAME));
	ASSERT_EQ(0, simdev_set(NAME, "cus", "1"));
	ASSERT_EQ(0, simdev_set(NAME, "vmids", "2"));
	ASSERT_EQ(0, simdev_set(NAME, "live", "1"));
	self->nr = simdev_get(NAME, "number");
	ASSERT_LE(0, self->nr);
	self->regs = simdev_regs(self->nr);
	ASSERT_LE(0, self->regs);
	ASSERT_EQ(0, bc_open_on(&self->app, self->nr));
	ASSERT_EQ(0, bc_open_on(&self->clock, self->nr));
	books_of(self->nr);
}

FIXTURE_TEARDOWN(slowdown)
{
	close(self->regs);
	bc_close(&self->app);
	bc_close(&self->clock);
	EXPECT_TRUE(books_idle(PATIENCE)) books_print();
	EXPECT_EQ(0, simdev_rmdir(NAME));
	books_of(0);
}

/* wait until the endless kernel has begun */
static void wait_for(const struct breakcode *bc)
{
	while (!bc->data[0])
		usleep(1000);
}

/* the VMID of the only context that has one */
static int find_vmid(unsigned int nr)
{
	struct simdev_context c[MAX_CONTEXTS];
	int i, n = simdev_contexts(nr, c, MAX_CONTEXTS), vmid = 0;

	if (n < 0)
		return n;
	for (i = 0; i < n; i++)
		if (c[i].vmid)
			vmid = vmid ? -EBUSY : (int)c[i].vmid;
	return vmid;
}

static int install(FIXTURE_DATA(slowdown) *self, unsigned int vmid,
		   unsigned int at)
{
	uint64_t tba = BC_CODE_VA + at;

	return simdev_write(self->regs, TBA_LO, vmid, tba >> 8) ?:
	       simdev_write(self->regs, TBA_LO + 1, vmid, tba >> 40) ?:
	       simdev_write(self->regs, PER_VMID_CNTL, vmid, TRAP_EN);
}

static void wait_ticks(FIXTURE_DATA(slowdown) *self)
{
	uint32_t start = self->clock.data[0];

	while (self->clock.data[0] - start < TICKS * BC_LANES)
		usleep(1000);
}

/* what the app adds while the clock adds TICKS, over all waves and lanes */
static uint32_t progress(FIXTURE_DATA(slowdown) *self)
{
	uint64_t app, clock;

	wait_ticks(self);	/* until slices begun with the old handler are over */
	app = self->app.data[0];
	clock = self->clock.data[0];
	wait_ticks(self);
	app = (uint32_t)(self->app.data[0] - app);
	clock = (uint32_t)(self->clock.data[0] - clock);
	return app * TICKS * BC_LANES / clock;
}

TEST_F_TIMEOUT(slowdown, a_handler_that_sleeps, 600)
{
	uint32_t before, slow, after;
	int vmid;

	put_handlers(&self->app);
	/* it keeps its VMID as long as no other context needs one */
	ASSERT_EQ(0, bc_run(&self->app, BC_LOOP, 1, LOOPS));
	vmid = find_vmid(self->nr);
	ASSERT_LT(0, vmid);
	ASSERT_EQ(0, install(self, vmid, QUICK));
	ASSERT_EQ(0, bc_start(&self->app, BC_BEAT, 1, FOREVER, 0));
	ASSERT_EQ(0, bc_start(&self->clock, BC_LOOP, 1, FOREVER, 0));
	wait_for(&self->app);
	wait_for(&self->clock);

	before = progress(self);
	ASSERT_EQ(0, install(self, vmid, SLOW));
	slow = progress(self);
	ASSERT_EQ(0, install(self, vmid, QUICK));
	after = progress(self);
	TH_LOG("%u lanes in %u loops of the clock; %u while it sleeps, then %u", before,
	       TICKS, slow, after);
	EXPECT_LT(0, slow);
	EXPECT_LT(slow * VISIBLE, before);
	EXPECT_LT(slow * VISIBLE, after);

	/* nor do its results change */
	ASSERT_EQ(0, install(self, vmid, SLOW));
	ASSERT_EQ(0, bc_queue_destroy(&self->app));
	ASSERT_EQ(0, bc_queue(&self->app));
	ASSERT_EQ(0, bc_run(&self->app, BC_BEAT, 2, LOOPS));
	EXPECT_EQ(2 * BC_WAVES * LOOPS * BC_LANES, self->app.data[0]);
}

/* ---- halted waves -------------------------------------------------------- */

/* halt all waves of all contexts of this process on the device; returns how many */
static int halt_all_waves(struct owner *o, struct gpubp_context c[2])
{
	int i, err = 0, waves = 0;

	if (contexts(o, c, 2) != 2)
		return -ENOENT;
	for (i = 0; i < 2 && !err; i++) {
		o->ctx = c[i].id;
		err = halt_all(o);
		waves += o->nr_done;
	}
	return err ?: waves;
}

/* two contexts occupy the two VMIDs with halted waves: the third one runs */
TEST_F_TIMEOUT(slowdown, halted_waves_make_room, 600)
{
	int64_t saves = books_device("saves");
	int64_t resets = books_device("ctx_resets");
	uint32_t app, clock;
	struct gpubp_context c[2];
	struct breakcode third;
	struct owner o;
	int i;

	ASSERT_EQ(0, bc_start(&self->app, BC_LOOP, 1, FOREVER, 0));
	ASSERT_EQ(0, bc_start(&self->clock, BC_LOOP, 1, FOREVER, 0));
	wait_for(&self->app);
	wait_for(&self->clock);
	ASSERT_EQ(0, owner_open(&o, 0, true));
	ASSERT_EQ(2 * BC_WAVES, halt_all_waves(&o, c));
	app = self->app.data[0];
	clock = self->clock.data[0];
	ASSERT_EQ(0, bc_open_on(&third, self->nr));
	ASSERT_EQ(0, bc_run(&third, BC_LOOP, 2, LOOPS));
	EXPECT_EQ(2 * BC_WAVES * LOOPS * BC_LANES, third.data[0]);
	bc_close(&third);
	EXPECT_LT(saves, books_device("saves"));
	EXPECT_EQ(resets, books_device("ctx_resets"));
	EXPECT_EQ(app, self->app.data[0]);
	EXPECT_EQ(clock, self->clock.data[0]);
	for (i = 0; i < 2; i++) {
		o.ctx = c[i].id;
		EXPECT_EQ(0, run(&o, GPUBP_RESUME, NULL, 0, 0));
		EXPECT_EQ(BC_WAVES, o.nr_done);
	}
	while (self->app.data[0] == app || self->clock.data[0] == clock)
		usleep(1000);
	owner_close(&o);
}

TEST_HARNESS_MAIN
