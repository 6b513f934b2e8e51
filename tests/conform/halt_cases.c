// SPDX-License-Identifier: GPL-2.0
/* Run control: halts, steps and suspended contexts. */
#include <linux/delay.h>
#include <linux/kthread.h>

#include "conform.h"
#include "trap/trap.h"

#define WORD(n)		(0x100 * (n))
#define MAX_STEPS	64	/* a rig's loop is shorter */
#define HIT_MS		200

/*
 * @nr waves that each increment a word of their own; stores their ids in @wave
 */
static struct gpubp_rig_ctx *running_waves(struct kunit *test, u64 *wave,
					   unsigned int nr)
{
	struct gpubp_wave_info info[CONFORM_WAVES] = {};
	struct conform *c = test->priv;
	struct gpubp_rig_ctx *ctx;
	unsigned int i;

	conform_need(test, c->caps.stops != GPUBP_STOPS_NONE, "no halt");
	conform_need_start(test);
	ctx = conform_ctx(test);
	for (i = 0; i < nr; i++)
		conform_start(test, ctx, ctx->data + WORD(i));
	KUNIT_ASSERT_TRUE(test, conform_wait(conform_waves(test, ctx, info) == nr));
	for (i = 0; i < nr; i++)
		wave[i] = info[i].wave;
	return ctx;
}

static unsigned int count_moving(struct kunit *test, struct gpubp_rig_ctx *ctx,
				 unsigned int nr)
{
	unsigned int i, n = 0;

	for (i = 0; i < nr; i++)
		n += !conform_is_stopped(test, ctx, ctx->data + WORD(i));
	return n;
}

/* of @nr waves; on a slow machine a running wave may seem to be stopped */
static unsigned int nr_moving(struct kunit *test, struct gpubp_rig_ctx *ctx,
			      unsigned int nr, unsigned int want)
{
	ktime_t end = conform_in_ms(conform_timeout_ms);
	unsigned int n;

	do
		n = count_moving(test, ctx, nr);
	while (n < want && ktime_before(ktime_get(), end));
	return n;
}

void conform_halts_have_the_declared_scope(struct kunit *test)
{
	struct conform *c = test->priv;
	struct gpubp_rig_ctx *ctx, *other;
	u64 wave[2], stranger;
	unsigned int moving;

	ctx = running_waves(test, wave, 2);
	other = running_waves(test, &stranger, 1);
	KUNIT_EXPECT_EQ(test, conform_halt(test, ctx, wave[0]), 0);
	moving = nr_moving(test, ctx, 2,
			   c->caps.stops == GPUBP_STOPS_WAVE);
	if (c->caps.stops == GPUBP_STOPS_WAVE)
		KUNIT_EXPECT_EQ(test, moving, 1u);
	else if (c->caps.stops == GPUBP_STOPS_UNIT)
		KUNIT_EXPECT_LE(test, moving, 1u);
	else
		KUNIT_EXPECT_EQ(test, moving, 0u);
	KUNIT_EXPECT_EQ_MSG(test, nr_moving(test, other, 1, 1), 1u,
			    "another context was stopped");
	KUNIT_EXPECT_EQ(test, conform_resume(test, ctx, wave[0]), 0);
	KUNIT_EXPECT_EQ(test, nr_moving(test, ctx, 2, 2), 2u);

	KUNIT_EXPECT_EQ(test, conform_halt(test, ctx, 0), 0);
	KUNIT_EXPECT_EQ(test, nr_moving(test, ctx, 2, 0), 0u);
	KUNIT_EXPECT_EQ(test, conform_resume(test, ctx, 0), 0);
	conform_end(test, ctx);
	conform_end(test, other);
}

void conform_halts_nest(struct kunit *test)
{
	struct gpubp_rig_ctx *ctx;
	u64 wave;

	ctx = running_waves(test, &wave, 1);
	KUNIT_EXPECT_EQ(test, conform_halt(test, ctx, wave), 0);
	KUNIT_EXPECT_EQ(test, conform_halt(test, ctx, wave), 0);
	KUNIT_EXPECT_EQ(test, conform_resume(test, ctx, wave), 0);
	KUNIT_EXPECT_EQ_MSG(test, nr_moving(test, ctx, 1, 0), 0u,
			    "resumed though a session holds it");
	KUNIT_EXPECT_EQ(test, conform_resume(test, ctx, wave), 0);
	KUNIT_EXPECT_EQ(test, nr_moving(test, ctx, 1, 1), 1u);
	conform_end(test, ctx);
}

void conform_a_halt_of_a_wave_that_is_gone_stops_nobody(struct kunit *test)
{
	struct conform *c = test->priv;
	u64 ids[2] = { 0, U64_MAX };
	struct gpubp_waves both = { .wave = ids, .nr = 2 };
	struct gpubp_rig_ctx *ctx;

	ctx = running_waves(test, ids, 1);
	both.ctx = ctx->core->priv;
	KUNIT_EXPECT_EQ(test, c->dev->ops.halt(c->dev->priv, &both), -ESRCH);
	KUNIT_EXPECT_EQ(test, nr_moving(test, ctx, 1, 1), 1u);
	conform_end(test, ctx);
}

/*
 * stops a wave by a hit, for long enough to be halted, if the rig can do that
 */
static void stop_by_a_hit(struct kunit *test)
{
	struct conform *c = test->priv;

	if (!c->rig->slow_reads)
		return;
	c->rig->slow_reads(c->rig->gpu, HIT_MS);
	KUNIT_EXPECT_TRUE(test, conform_wait(c->rig->nr_stopped(c->rig->gpu)));
}

void conform_halts_nest_with_hits(struct kunit *test)
{
	struct conform *c = test->priv;
	struct gpubp_rig_ctx *ctx;
	struct perf_event *event;
	u64 wave;

	conform_need_slots(test);
	ctx = running_waves(test, &wave, 1);
	event = conform_event(test, ctx->data, 4, ATOMIC);
	conform_armed(test);
	KUNIT_EXPECT_TRUE(test, conform_wait(conform_count(event)));
	stop_by_a_hit(test);
	KUNIT_EXPECT_EQ(test, conform_halt(test, ctx, wave), 0);
	conform_slow_reads(c, 0);
	conform_quiesce(test);
	KUNIT_EXPECT_EQ_MSG(test, nr_moving(test, ctx, 1, 0), 0u,
			    "hit_done resumed a halted wave");
	KUNIT_EXPECT_EQ(test, conform_resume(test, ctx, wave), 0);
	KUNIT_EXPECT_EQ(test, nr_moving(test, ctx, 1, 1), 1u);
	conform_end(test, ctx);
}

static u64 pc_of(struct kunit *test, struct gpubp_rig_ctx *ctx)
{
	struct gpubp_wave_info info[CONFORM_WAVES] = {};

	KUNIT_EXPECT_EQ(test, conform_waves(test, ctx, info), 1u);
	KUNIT_EXPECT_TRUE(test, info[0].stopped);
	return info[0].pc;
}

#define UNUSED	(WORD(7))	/* no wave of these cases accesses it */

/*
 * the device can step; makes the core install the trap handler if that takes
 * one
 */
static void need_step(struct kunit *test, struct gpubp_rig_ctx *ctx)
{
	struct conform *c = test->priv;

	conform_need(test, c->caps.can_step, "no single step");
	if (!c->dev->desc.isa || !c->dev->desc.isa->handler)
		return;
	conform_need_slots(test);
	conform_event(test, ctx->data + UNUSED, 4, ATOMIC);
	conform_armed(test);
}

/*
 * Step until the wave has incremented its word @nr times, at most once per
 * step. A hit is resolved with the wave's registers: the wave is not stepped
 * before that.
 */
static void step_through(struct kunit *test, struct gpubp_rig_ctx *ctx,
			 u64 wave, unsigned int nr)
{
	u32 before = conform_peek(test, ctx, ctx->data), after;
	unsigned int i, counted = 0;
	int err;

	for (i = 0; i < nr * MAX_STEPS && counted < nr; i++) {
		u64 pc = pc_of(test, ctx);

		conform_wait((err = conform_step(test, ctx, wave)) != -EBUSY);
		KUNIT_EXPECT_EQ(test, err, 0);
		if (err)
			return;
		conform_quiesce(test);
		after = conform_peek(test, ctx, ctx->data);
		KUNIT_EXPECT_LE(test, after - before, 1u);
		KUNIT_EXPECT_NE(test, pc_of(test, ctx), pc);
		counted += after - before;
		before = after;
	}
	KUNIT_EXPECT_EQ_MSG(test, counted, nr, "steps execute nothing");
}

void conform_a_step_is_one_instruction(struct kunit *test)
{
	struct gpubp_rig_ctx *ctx;
	u64 wave;

	ctx = running_waves(test, &wave, 1);
	need_step(test, ctx);
	KUNIT_EXPECT_EQ(test, conform_step(test, ctx, wave), -ESRCH);
	KUNIT_EXPECT_EQ(test, conform_halt(test, ctx, wave), 0);
	step_through(test, ctx, wave, 2);
	KUNIT_EXPECT_EQ_MSG(test, nr_moving(test, ctx, 1, 0), 0u,
			    "it continued after a step");
	KUNIT_EXPECT_EQ(test, conform_resume(test, ctx, wave), 0);
	KUNIT_EXPECT_EQ_MSG(test, nr_moving(test, ctx, 1, 1), 1u,
			    "it is still in single-step mode");
	conform_end(test, ctx);
}

void conform_a_step_that_hits_is_counted(struct kunit *test)
{
	struct gpubp_rig_ctx *ctx;
	struct perf_event *event;
	u64 wave, count;

	ctx = running_waves(test, &wave, 1);
	need_step(test, ctx);
	conform_need_slots(test);
	KUNIT_EXPECT_EQ(test, conform_halt(test, ctx, wave), 0);
	event = conform_event(test, ctx->data, 4, ATOMIC);
	conform_armed(test);
	count = conform_count(event);
	step_through(test, ctx, wave, 3);
	KUNIT_EXPECT_EQ(test, conform_count(event), count + 3);
	KUNIT_EXPECT_EQ_MSG(test, nr_moving(test, ctx, 1, 0), 0u,
			    "hit_done resumed a halted wave");
	KUNIT_EXPECT_EQ(test, conform_resume(test, ctx, wave), 0);
	KUNIT_EXPECT_EQ(test, nr_moving(test, ctx, 1, 1), 1u);
	conform_end(test, ctx);
}

void conform_a_wave_that_ends_in_a_step_is_esrch(struct kunit *test)
{
	struct gpubp_wave_info info[CONFORM_WAVES] = {};
	struct conform *c = test->priv;
	struct gpubp_rig_ctx *ctx;
	int i, err = 0;
	u64 wave;

	ctx = running_waves(test, &wave, 1);
	need_step(test, ctx);
	KUNIT_EXPECT_EQ(test, conform_halt(test, ctx, wave), 0);
	c->rig->finish(ctx);
	for (i = 0; i < MAX_STEPS && !err; i++) {
		err = conform_step(test, ctx, wave);
		KUNIT_EXPECT_EQ(test, conform_waves(test, ctx, info), !err);
	}
	KUNIT_EXPECT_EQ(test, err, -ESRCH);
	KUNIT_EXPECT_EQ(test, c->rig->wait(ctx), 0);
	KUNIT_EXPECT_EQ(test, conform_resume(test, ctx, wave), -ESRCH);
}

void conform_a_suspended_wave_is_not_stepped(struct kunit *test)
{
	struct conform *c = test->priv;
	struct gpubp_rig_ctx *ctx;
	void *priv;
	u64 wave;
	int err;

	ctx = running_waves(test, &wave, 1);
	need_step(test, ctx);
	priv = ctx->core->priv;
	KUNIT_EXPECT_EQ(test, conform_halt(test, ctx, wave), 0);
	err = c->dev->ops.ctx_suspend(c->dev->priv, &priv, 1, 10000);
	conform_need(test, err != -EOPNOTSUPP, "contexts cannot be suspended");
	KUNIT_EXPECT_EQ(test, err, 0);
	KUNIT_EXPECT_EQ(test, conform_step(test, ctx, wave), -EBUSY);
	c->dev->ops.ctx_resume(c->dev->priv, &priv, 1);
	step_through(test, ctx, wave, 1);
	KUNIT_EXPECT_EQ(test, conform_resume(test, ctx, wave), 0);
	conform_end(test, ctx);
}

/**
 * struct suspender - suspends and resumes a context repeatedly
 * @ops: the device's ops
 * @dev: the provider's pointer for the device
 * @ctx: the provider's pointer for the context
 * @thread: the thread that does it
 * @nr: number of suspensions
 */
struct suspender {
	const struct gpubp_ops *ops;
	void *dev;
	void *ctx;
	struct task_struct *thread;
	unsigned int nr;
};

/* a thread instead of a work: lockdep treats a work like a held lock */
static int suspend_for_ever(void *arg)
{
	struct suspender *s = arg;

	while (!kthread_should_stop()) {
		if (!s->ops->ctx_suspend(s->dev, &s->ctx, 1, 10000)) {
			s->ops->ctx_resume(s->dev, &s->ctx, 1);
			WRITE_ONCE(s->nr, s->nr + 1);
		}
		usleep_range(200, 2000);
	}
	return 0;
}

static void end_suspender(void *thread)
{
	kthread_stop(thread);
}

/* until the end of the case at the latest */
static void start_suspender(struct kunit *test, struct suspender *s)
{
	struct task_struct *thread;

	thread = kthread_run(suspend_for_ever, s, "suspender");
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, thread);
	KUNIT_ASSERT_EQ(test, 0, kunit_add_action_or_reset(test, end_suspender,
							   thread));
	s->thread = thread;
	KUNIT_EXPECT_TRUE(test, conform_wait(READ_ONCE(s->nr)));
}

/* a step that was started is executed once the wave runs again */
void conform_no_step_is_lost_in_a_suspension(struct kunit *test)
{
	struct conform *c = test->priv;
	struct gpubp_rig_ctx *ctx;
	struct suspender *s;
	u64 wave;
	int err;

	ctx = running_waves(test, &wave, 1);
	need_step(test, ctx);
	s = kunit_kzalloc(test, sizeof(*s), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, s);
	s->ops = &c->dev->ops;
	s->dev = c->dev->priv;
	s->ctx = ctx->core->priv;
	err = s->ops->ctx_suspend(s->dev, &s->ctx, 1, 10000);
	conform_need(test, err != -EOPNOTSUPP, "contexts cannot be suspended");
	KUNIT_EXPECT_EQ(test, err, 0);
	s->ops->ctx_resume(s->dev, &s->ctx, 1);
	KUNIT_EXPECT_EQ(test, conform_halt(test, ctx, wave), 0);

	start_suspender(test, s);
	step_through(test, ctx, wave, 10);
	kunit_release_action(test, end_suspender, s->thread);
	KUNIT_EXPECT_EQ(test, conform_resume(test, ctx, wave), 0);
	KUNIT_EXPECT_EQ(test, nr_moving(test, ctx, 1, 1), 1u);
	conform_end(test, ctx);
}

void conform_suspended_contexts_do_not_run(struct kunit *test)
{
	struct conform *c = test->priv;
	struct gpubp_rig_ctx *ctx;
	void *priv;
	int err;

	conform_need_start(test);
	ctx = conform_ctx(test);
	priv = ctx->core->priv;
	conform_start(test, ctx, ctx->data);
	err = c->dev->ops.ctx_suspend(c->dev->priv, &priv, 1, 10000);
	conform_need(test, err != -EOPNOTSUPP, "contexts cannot be suspended");
	KUNIT_EXPECT_EQ(test, err, 0);
	KUNIT_EXPECT_TRUE(test, conform_is_stopped(test, ctx, ctx->data));
	c->dev->ops.ctx_resume(c->dev->priv, &priv, 1);
	KUNIT_EXPECT_TRUE(test, conform_is_running(test, ctx, ctx->data));
	conform_end(test, ctx);
}

/* like stopped waves: that is how their trap settings are changed */
void conform_suspended_waves_can_be_read_and_written(struct kunit *test)
{
	struct conform *c = test->priv;
	const struct gpubp_isa *isa = c->dev->desc.isa;
	struct gpubp_wave_info info[CONFORM_WAVES] = {};
	struct gpubp_rig_ctx *ctx = conform_ctx(test);
	u32 regs[GPUBP_MAX_TRAP_REGS], again[GPUBP_MAX_TRAP_REGS];
	void *priv = ctx->core->priv;
	bool changed;

	conform_need(test, c->dev->trap->enable.supported, "running waves cannot be changed");
	conform_start(test, ctx, ctx->data);
	KUNIT_ASSERT_TRUE(test, conform_wait(conform_waves(test, ctx, info) == 1));
	KUNIT_EXPECT_EQ(test, c->dev->ops.read_wave(c->dev->priv, info[0].wave,
						    &isa->trap_regs, 1, regs),
			-ESRCH);
	KUNIT_ASSERT_EQ(test, c->dev->ops.ctx_suspend(c->dev->priv, &priv, 1,
						      10000), 0);
	KUNIT_EXPECT_EQ(test, c->dev->ops.list_waves(priv, info + 1, 1), 1);
	KUNIT_EXPECT_EQ(test, info[1].wave, info[0].wave);
	KUNIT_EXPECT_TRUE(test, info[1].stopped);
	KUNIT_ASSERT_EQ(test, c->dev->ops.read_wave(c->dev->priv, info[0].wave,
						    &isa->trap_regs, 1, regs),
			0);
	/* one of the two is a change: waves of some devices always trap */
	changed = isa->trap_edit(regs, true, 0) ||
		  isa->trap_edit(regs, false, 0);
	KUNIT_EXPECT_TRUE(test, changed);
	KUNIT_EXPECT_EQ(test, c->dev->ops.write_wave(c->dev->priv, info[0].wave,
						     &isa->trap_regs, 1, regs),
			0);
	KUNIT_EXPECT_EQ(test, c->dev->ops.read_wave(c->dev->priv, info[0].wave,
						    &isa->trap_regs, 1, again),
			0);
	KUNIT_EXPECT_EQ(test, memcmp(regs, again, isa->nr_trap_regs *
				     sizeof(*regs)), 0);
	c->dev->ops.ctx_resume(c->dev->priv, &priv, 1);
	KUNIT_EXPECT_TRUE(test, conform_is_running(test, ctx, ctx->data));
	conform_end(test, ctx);
}
