// SPDX-License-Identifier: GPL-2.0
/* Ops of the mock that suspend contexts and edit their waves. */
#include <linux/string.h>

#include "mock_trap_enable.h"
#include "trap/trap.h"

struct trap_enable_mock enable;

static unsigned int number(const struct mock_ctx *c)
{
	return c - c->m->ctxs;
}

static bool can_suspend(void * const *ctxs, unsigned int nr)
{
	unsigned int i;

	for (i = 0; i < nr; i++)
		if (ctxs[i] == enable.stuck)
			return false;
	return true;
}

static void set_off(void * const *ctxs, unsigned int nr, bool off)
{
	unsigned int i;

	for (i = 0; i < nr; i++) {
		unsigned int n = number(ctxs[i]);

		mock_check_ctx(ctxs[i], off ? "ctx_suspend" : "ctx_resume");
		if (enable.off[n] == off)
			mock_complain(enable.m, "context %u: off is %d already",
				      n, off);
		enable.off[n] = off;
	}
}

static int suspend(void *dev, void * const *ctxs, unsigned int nr,
		   unsigned int grace_ms)
{
	int err = can_suspend(ctxs, nr) ? enable.err : -ETIMEDOUT;

	enable.suspends++;
	enable.grace_ms = grace_ms;
	if (!nr || !grace_ms)
		mock_complain(enable.m, "%u contexts, %u ms", nr, grace_ms);
	if (enable.in_suspend)
		enable.in_suspend();
	if (!err)
		set_off(ctxs, nr, true);
	return err;
}

static void resume(void *dev, void * const *ctxs, unsigned int nr)
{
	enable.resumes++;
	set_off(ctxs, nr, false);
	if (enable.launch_on_resume)
		trap_enable_launch(enable.launch_on_resume, 1, 0, 0, 0);
	enable.launch_on_resume = NULL;
	if (enable.in_resume)
		enable.in_resume();
}

static int list(void *ctx, struct gpubp_wave_info *out, unsigned int max)
{
	unsigned int i, n = 0;

	mock_check_ctx(ctx, "list_waves");
	for (i = 0; i < TRAP_ENABLE_WAVES; i++) {
		if (enable.wave[i].c != ctx)
			continue;
		if (n < max)
			out[n] = (struct gpubp_wave_info) {
				.wave = i,
				.stopped = enable.off[number(ctx)],
			};
		n++;
	}
	return n;
}

/* concurrent read-modify-write cycles would lose a change */
static void check_alone(const char *op)
{
	if (!test_bit(0, &enable.m->dev->trap->enable.regs_lock))
		mock_complain(enable.m, "%s: another thread may write them", op);
}

/* finds a suspended wave */
static int find(u64 id, const struct gpubp_reg_req *req, unsigned int nr,
		struct trap_enable_wave **wave)
{
	*wave = enable.stopped_at ?: &enable.wave[id];
	if (nr != 1 || req->file != GPUBP_REG_CONTROL || req->first != 1 ||
	    req->count != TRAP_ENABLE_REGS)
		mock_complain(enable.m, "unexpected registers");
	if (enable.stopped_at)
		return 0;
	return (*wave)->c && enable.off[number((*wave)->c)] ? 0 : -ESRCH;
}

static int read(void *dev, u64 id, const struct gpubp_reg_req *req,
		unsigned int nr, u32 *out)
{
	struct trap_enable_wave *wave;
	int err;

	/* a wave with a hit has an id of the mock's */
	if (req->file != GPUBP_REG_CONTROL)
		return mock_ops.read_wave(dev, id, req, nr, out);
	mock_check_caller(enable.m, "read_wave");
	check_alone("read_wave");
	err = find(id, req, nr, &wave) ?: enable.read_err;
	if (!err && enable.dies) {
		enable.dies = false;
		wave->c = NULL;
		err = -ESRCH;
	}
	if (!err)
		memcpy(out, wave->regs, sizeof(wave->regs));
	return err;
}

static int write(void *dev, u64 id, const struct gpubp_reg_req *req,
		 unsigned int nr, const u32 *in)
{
	struct trap_enable_wave *wave;
	int err = find(id, req, nr, &wave) ?: enable.write_err;

	mock_check_caller(enable.m, "write_wave");
	check_alone("write_wave");
	if (err)
		return err;
	memcpy(wave->regs, in, sizeof(wave->regs));
	wave->written++;
	return 0;
}

static struct gpubp_ops ops;

int trap_enable_init_with(struct kunit *test, const struct gpubp_caps *caps)
{
	int err;

	ops = mock_ops;
	ops.ctx_suspend = suspend;
	ops.ctx_resume = resume;
	ops.list_waves = list;
	ops.read_wave = read;
	ops.write_wave = write;
	memset(&enable, 0, sizeof(enable));
	err = mock_init_ops(test, &ops, caps);
	enable.m = test->priv;
	return err;
}

int trap_enable_init(struct kunit *test)
{
	return trap_enable_init_with(test, &mock_caps);
}

/*
 * wait until the wanted state is committed and attempts to change waves are
 * over
 */
void trap_enable_settle(void)
{
	mock_settle(enable.m);
	kthread_flush_worker(enable.m->dev->trap->enable.worker);
}

/* checks that every suspended context was resumed */
void trap_enable_exit(struct kunit *test)
{
	unsigned int i;

	mock_exit(test);
	for (i = 0; i < MOCK_CTXS; i++)
		KUNIT_EXPECT_FALSE_MSG(test, enable.off[i],
				       "context %u was never resumed", i);
}

/* launch @nr waves */
void trap_enable_launch(struct mock_ctx *c, unsigned int nr, u32 mode,
			u32 status, u32 trapsts)
{
	unsigned int i;

	for (i = 0; i < TRAP_ENABLE_WAVES && nr; i++) {
		if (enable.wave[i].c)
			continue;
		enable.wave[i] = (struct trap_enable_wave) {
			.c = c,
			.regs = { mode, status, trapsts },
		};
		nr--;
	}
}
