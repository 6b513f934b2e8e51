// SPDX-License-Identifier: GPL-2.0
/* Trap enable: watches opened while waves are running. */
#include <linux/completion.h>
#include <linux/delay.h>
#include <linux/kthread.h>

#include "event/event.h"
#include "mock_trap_enable.h"
#include "trap/trap.h"

#define ADDR(n)	(MOCK_VA + (n) * 0x1000ULL)
#define STORE	GPUBP_ACCESS_STORE
#define SOME_MS	60
#define LONG_MS	60000	/* a guest may be stalled for long */
#define GRACE_MS	30

/* gfx90a: isa/gfx9/regs.h */
#define EXCP_WATCH	BIT(19)
#define TRAP_EN		BIT(6)
#define STS_WATCH	(BIT(7) | BIT(12) | BIT(13) | BIT(14))
#define STS_INVALID	BIT(0)

static bool is_pending(struct mock_ctx *c)
{
	return READ_ONCE(c->ctx->clock.pending);
}

static bool traps(const struct trap_enable_wave *wave)
{
	return (wave->regs[0] & EXCP_WATCH) && (wave->regs[1] & TRAP_EN);
}

/* a context with waves without traps; the provider reports @pending */
static struct mock_ctx *ctx_with_waves(struct kunit *test, unsigned int nr)
{
	struct mock_ctx *c = mock_ctx(test);

	trap_enable_launch(c, nr, 0, 0, 0);
	enable.m->pending = BIT(0);
	return c;
}

static struct perf_event *attach(struct kunit *test, unsigned int n)
{
	struct perf_event *event = mock_open(test, ADDR(n), 4, STORE);

	trap_enable_settle();
	return event;
}

static bool settles(struct mock_ctx *c)
{
	int ms;

	for (ms = 0; is_pending(c) && ms < LONG_MS; ms += 5)
		msleep(5);
	return !is_pending(c);
}

/* ---- waves --------------------------------------------------------------- */

static void running_waves_trap_from_then_on(struct kunit *test)
{
	struct mock_ctx *c = ctx_with_waves(test, 3);
	struct gpubp_account before, after;
	struct perf_event *event;
	int i;

	event = attach(test, 0);
	KUNIT_EXPECT_FALSE(test, is_pending(c));
	for (i = 0; i < 3; i++)
		KUNIT_EXPECT_TRUE(test, traps(&enable.wave[i]));
	KUNIT_EXPECT_EQ(test, enable.suspends, 1u);
	KUNIT_EXPECT_EQ(test, enable.resumes, 1u);
	KUNIT_EXPECT_EQ(test, enable.m->dev->trap->enable.nr_waves, 3ULL);
	gpubp_event_time_read(event->pmu_private, &before);
	msleep(SOME_MS);
	gpubp_event_time_read(event->pmu_private, &after);
	KUNIT_EXPECT_GT(test, after.armed, before.armed);
	KUNIT_EXPECT_EQ(test, after.armed - before.armed,
			after.resident - before.resident);
}

static void stale_bits_are_cleared(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);

	trap_enable_launch(c, 1, 0, 0, STS_WATCH | STS_INVALID);
	enable.m->pending = BIT(0);
	attach(test, 0);
	KUNIT_EXPECT_EQ(test, enable.wave[0].regs[2], STS_INVALID);
}

static void waves_that_trap_keep_their_hits(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);

	trap_enable_launch(c, 1, EXCP_WATCH, TRAP_EN, STS_WATCH);
	trap_enable_launch(c, 1, 0, TRAP_EN, STS_WATCH);
	enable.m->pending = BIT(0);
	attach(test, 0);
	KUNIT_EXPECT_EQ(test, enable.wave[0].written, 0u);
	KUNIT_EXPECT_EQ(test, enable.wave[0].regs[2], STS_WATCH);
	KUNIT_EXPECT_EQ(test, enable.wave[1].written, 1u);
	KUNIT_EXPECT_EQ(test, enable.wave[1].regs[2], 0);
	KUNIT_EXPECT_FALSE(test, is_pending(c));
}

static void a_wave_that_dies_meanwhile_is_no_failure(struct kunit *test)
{
	struct mock_ctx *c = ctx_with_waves(test, 3);

	enable.dies = true;
	attach(test, 0);
	KUNIT_EXPECT_FALSE(test, is_pending(c));
	KUNIT_EXPECT_TRUE(test,
			  traps(&enable.wave[1]) && traps(&enable.wave[2]));
	KUNIT_EXPECT_EQ(test, enable.m->dev->trap->enable.nr_failed, 0ULL);
}

/* ---- failures: never armed, retried -------------------------------------- */

static void expect_stuck(struct kunit *test, struct mock_ctx *c,
			 struct perf_event *event, int err)
{
	struct gpubp_account acc;

	KUNIT_EXPECT_TRUE(test, is_pending(c));
	KUNIT_EXPECT_EQ(test, enable.m->dev->trap->enable.nr_ctxs, 0ULL);
	KUNIT_EXPECT_GE(test, enable.m->dev->trap->enable.nr_failed, 1ULL);
	KUNIT_EXPECT_EQ(test, c->ctx->trap->enable.err, err);
	msleep(SOME_MS);
	gpubp_event_time_read(event->pmu_private, &acc);
	KUNIT_EXPECT_GT(test, acc.resident, 0);
	KUNIT_EXPECT_EQ_MSG(test, acc.armed, 0,
			    "armed while waves without traps run");
	KUNIT_EXPECT_TRUE(test, is_pending(c));
}

static void a_suspension_that_fails_is_tried_again(struct kunit *test)
{
	struct mock_ctx *c = ctx_with_waves(test, 1);
	struct perf_event *event;

	enable.err = -ETIMEDOUT;
	event = attach(test, 0);
	expect_stuck(test, c, event, -ETIMEDOUT);
	KUNIT_EXPECT_EQ(test, enable.resumes, 0u);
	KUNIT_EXPECT_FALSE(test, traps(&enable.wave[0]));
	enable.err = 0;
	KUNIT_EXPECT_TRUE_MSG(test, settles(c), "it is not retried");
	KUNIT_EXPECT_TRUE(test, traps(&enable.wave[0]));
}

static void attempts_become_fewer(struct kunit *test)
{
	ctx_with_waves(test, 1);
	enable.err = -ETIMEDOUT;
	attach(test, 0);
	msleep(250);
	KUNIT_EXPECT_GE(test, enable.suspends, 2u);
	/* after 0, 20, 60, 140, 300 ms */
	KUNIT_EXPECT_LE(test, enable.suspends, 7u);
}

/* while an op fails with *@op_err, the context is stuck with @err */
static void expect_stuck_while(struct kunit *test, int *op_err, int fails,
			       int err)
{
	struct mock_ctx *c = ctx_with_waves(test, 2);

	*op_err = fails;
	expect_stuck(test, c, attach(test, 0), err);
	*op_err = 0;
	KUNIT_EXPECT_TRUE(test, settles(c));
}

static void registers_that_cannot_be_read(struct kunit *test)
{
	expect_stuck_while(test, &enable.read_err, -EIO, -EIO);
}

static void registers_that_cannot_be_written(struct kunit *test)
{
	expect_stuck_while(test, &enable.write_err, -EINVAL, -EINVAL);
}

/* it is listed, so it has not ended: whether it traps is unknown */
static void a_wave_that_is_listed_and_not_found(struct kunit *test)
{
	expect_stuck_while(test, &enable.read_err, -ESRCH, -EAGAIN);
}

static void one_that_is_stuck_stops_no_other(struct kunit *test)
{
	struct mock_ctx *c = ctx_with_waves(test, 1);
	struct mock_ctx *d = mock_ctx(test);

	trap_enable_launch(d, 1, 0, 0, 0);
	enable.m->pending = BIT(0) | BIT(1);
	enable.stuck = c;
	attach(test, 0);
	KUNIT_EXPECT_TRUE(test, settles(d));
	KUNIT_EXPECT_TRUE(test, is_pending(c));
	enable.stuck = NULL;
	KUNIT_EXPECT_TRUE(test, settles(c));
}

/* ---- later commits ------------------------------------------------------- */

/* the provider counts waves as they were launched, and is not asked again */
static void changed_waves_need_no_second_change(struct kunit *test)
{
	struct mock_ctx *c = ctx_with_waves(test, 2);
	int i;

	for (i = 0; i < 6; i++)
		attach(test, i);
	KUNIT_EXPECT_TRUE(test, mock_wait_commits(enable.m, 12));
	KUNIT_EXPECT_FALSE(test, is_pending(c));
	KUNIT_EXPECT_EQ(test, enable.suspends, 1u);
}

static void three_times_in_a_row(struct kunit *test)
{
	struct mock_ctx *c = ctx_with_waves(test, 1);
	struct perf_event *event;
	unsigned int i;

	for (i = 0; i < 3; i++) {
		/* launched while no watch existed */
		trap_enable_launch(c, 1, 0, 0, 0);
		event = attach(test, 0);
		KUNIT_EXPECT_FALSE(test, is_pending(c));
		KUNIT_EXPECT_EQ(test, enable.suspends, i + 1);
		KUNIT_EXPECT_TRUE(test, traps(&enable.wave[i + 1]));
		mock_close(enable.m, event);
		trap_enable_settle();
	}
	KUNIT_EXPECT_EQ_MSG(test, enable.wave[0].written, 1u,
			    "a wave that traps already was changed");
}

static void detached_before_it_worked(struct kunit *test)
{
	struct mock_ctx *c = ctx_with_waves(test, 1);
	struct perf_event *event;
	unsigned int suspends;

	enable.err = -ETIMEDOUT;
	event = attach(test, 0);
	/* for the commit after the close, which may follow immediately */
	enable.m->pending = 0;
	mock_close(enable.m, event);
	trap_enable_settle();
	KUNIT_EXPECT_FALSE(test, is_pending(c));
	suspends = enable.suspends;
	msleep(SOME_MS);
	KUNIT_EXPECT_EQ_MSG(test, enable.suspends, suspends,
			    "suspended without a reason");
}

/* ---- races --------------------------------------------------------------- */

static void reset_once(void)
{
	enable.in_suspend = NULL;
	memset(enable.wave, 0, sizeof(enable.wave));
	trap_enable_launch(&enable.m->ctxs[0], 1, 0, 0, 0);
	mock_reset(enable.m);
}

/* waves launched since the reset have no traps either */
static void a_reset_begins_all_over(struct kunit *test)
{
	struct mock_ctx *c = ctx_with_waves(test, 3);

	enable.in_suspend = reset_once;
	attach(test, 0);
	trap_enable_settle();
	KUNIT_EXPECT_FALSE(test, is_pending(c));
	KUNIT_EXPECT_EQ(test, enable.suspends, 2u);
	KUNIT_EXPECT_TRUE(test, traps(&enable.wave[0]));
}

/* a kthread that is stopped before its first run never calls its function */
static DECLARE_COMPLETION(destroyed);

static int destroy_fn(void *arg)
{
	int ms;

	for (ms = 0; !READ_ONCE(enable.suspends) && ms < LONG_MS; ms++)
		msleep(1);
	mock_ctx_destroy(arg);
	complete(&destroyed);
	while (!kthread_should_stop())
		msleep(1);
	return 0;
}

static void wait_until_dead(void)
{
	struct mock_ctx *c = &enable.m->ctxs[0];
	int ms;

	for (ms = 0; !READ_ONCE(c->ctx->dead) && ms < LONG_MS; ms++)
		msleep(1);
	msleep(20);	/* lets a destroyer that fails to wait proceed */
}

static void a_context_goes_while_it_is_suspended(struct kunit *test)
{
	struct mock_ctx *c = ctx_with_waves(test, 2);
	struct task_struct *thread;

	enable.in_suspend = wait_until_dead;
	reinit_completion(&destroyed);
	thread = kthread_run(destroy_fn, c, "gpubp-destroy");
	KUNIT_ASSERT_FALSE(test, IS_ERR(thread));
	mock_open(test, ADDR(0), 4, STORE);
	wait_for_completion(&destroyed);
	kthread_stop(thread);
	KUNIT_EXPECT_GE(test, enable.suspends, 1u);
	KUNIT_EXPECT_EQ(test, enable.suspends, enable.resumes);
	KUNIT_EXPECT_FALSE(test, c->alive);
}

/* ---- a suspension that takes long ---------------------------------------- */

static DECLARE_COMPLETION(gate);

static void wait_at_gate(void)
{
	wait_for_completion(&gate);
}

/* the attempt to enable traps blocks until the gate is opened */
static struct mock_ctx *ctx_at_gate(struct kunit *test)
{
	struct mock_ctx *c = ctx_with_waves(test, 1);
	int ms;

	reinit_completion(&gate);
	enable.in_suspend = wait_at_gate;
	mock_open(test, ADDR(0), 4, STORE);
	for (ms = 0; !READ_ONCE(enable.suspends) && ms < LONG_MS; ms++)
		msleep(1);
	KUNIT_EXPECT_EQ(test, enable.suspends, 1u);
	return c;
}

static void open_gate(void)
{
	enable.in_suspend = NULL;
	complete_all(&gate);
}

static void expect_at_gate(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, enable.suspends, 1u);
	KUNIT_EXPECT_EQ_MSG(test, enable.resumes, 0u, "the gate is open");
}

/* each of these returns while the suspension is in progress, or never */
static void a_long_suspension_delays_no_other(struct kunit *test)
{
	struct mock_ctx *c = ctx_at_gate(test), *d = mock_ctx(test);

	mock_open(test, ADDR(1), 4, STORE);
	KUNIT_EXPECT_EQ(test, gpubp_ctx_wait_armed(d->ctx), 0);
	KUNIT_EXPECT_NE(test, mock_slots(d, ADDR(1)), 0u);
	KUNIT_EXPECT_NE(test, mock_slots(c, ADDR(1)), 0u);
	mock_ctx_destroy(d);
	expect_at_gate(test);
	KUNIT_EXPECT_TRUE(test, is_pending(c));
	open_gate();
	KUNIT_EXPECT_TRUE(test, settles(c));
	KUNIT_EXPECT_TRUE(test, traps(&enable.wave[0]));
}

static void a_long_suspension_stretches_no_quantum(struct kunit *test)
{
	struct mock_ctx *c = ctx_at_gate(test);
	int i;

	for (i = 1; i <= MOCK_SLOTS; i++)
		mock_open(test, ADDR(i), 4, STORE);
	KUNIT_EXPECT_TRUE(test, mock_wait_commits(enable.m, 50));
	expect_at_gate(test);
	open_gate();
	KUNIT_EXPECT_TRUE(test, settles(c));
}

static void expect_grace(struct kunit *test, unsigned int ms)
{
	struct perf_event *event;
	struct mock_ctx *c;

	mock_param(test, "suspend_grace_ms", ms);
	c = ctx_with_waves(test, 1);
	event = attach(test, 0);
	KUNIT_EXPECT_EQ(test, enable.grace_ms, ms);
	enable.m->pending = 0;
	mock_close(enable.m, event);
	mock_ctx_destroy(c);
}

static void waves_have_the_grace_that_is_set(struct kunit *test)
{
	expect_grace(test, 37);
	expect_grace(test, 2345);
}

/* its own dispatches wait for suspend_grace_ms, then proceed */
static void
a_context_dispatches_while_it_is_suspended_for_long(struct kunit *test)
{
	struct mock_ctx *c;
	u64 began;

	mock_param(test, "suspend_grace_ms", GRACE_MS);
	c = ctx_at_gate(test);
	began = ktime_get_ns();
	KUNIT_EXPECT_EQ(test, gpubp_ctx_wait_armed(c->ctx), 0);
	/* a timer counts in ticks, and the current one had begun */
	KUNIT_EXPECT_GE(test, ktime_get_ns() + TICK_NSEC,
			began + GRACE_MS * NSEC_PER_MSEC);
	expect_at_gate(test);
	open_gate();
	KUNIT_EXPECT_EQ(test, gpubp_ctx_wait_armed(c->ctx), 0);
	KUNIT_EXPECT_TRUE(test, settles(c));
}

/* the attempt in progress has not seen the second wave */
static void traps_go_and_come_back_meanwhile(struct kunit *test)
{
	struct mock_ctx *c = ctx_at_gate(test), *d = mock_ctx(test);

	mock_close(enable.m, enable.m->events[0]);
	gpubp_ctx_wait_armed(d->ctx);
	gpubp_request_wait(enable.m->dev);
	KUNIT_EXPECT_FALSE(test, c->prog.watch_traps);
	mock_open(test, ADDR(1), 4, STORE);
	gpubp_ctx_wait_armed(d->ctx);
	gpubp_request_wait(enable.m->dev);
	KUNIT_EXPECT_TRUE(test, c->prog.watch_traps);
	expect_at_gate(test);
	enable.launch_on_resume = c;
	open_gate();
	KUNIT_EXPECT_TRUE(test, settles(c));
	KUNIT_EXPECT_EQ(test, enable.suspends, 2u);
	KUNIT_EXPECT_TRUE(test,
			  traps(&enable.wave[0]) && traps(&enable.wave[1]));
}

static int suspend_fn(void *arg)
{
	unsigned int *resumes = arg;

	gpubp_device_suspend(enable.m->dev);
	WRITE_ONCE(*resumes, enable.resumes);
	while (!kthread_should_stop())
		msleep(1);
	return 0;
}

static void power_goes_while_a_context_is_suspended(struct kunit *test)
{
	struct mock_ctx *c = ctx_at_gate(test);
	unsigned int resumes = ~0u;
	struct task_struct *thread;
	int ms;

	thread = kthread_run(suspend_fn, &resumes, "gpubp-suspend");
	KUNIT_ASSERT_FALSE(test, IS_ERR(thread));
	msleep(SOME_MS);
	KUNIT_EXPECT_EQ_MSG(test, READ_ONCE(resumes), ~0u,
			    "suspended before the context was resumed");
	open_gate();
	for (ms = 0; READ_ONCE(resumes) == ~0u && ms < LONG_MS; ms++)
		msleep(1);
	kthread_stop(thread);
	KUNIT_EXPECT_EQ(test, resumes, 1u);
	mock_resume(enable.m);
	trap_enable_settle();
	KUNIT_EXPECT_TRUE(test, settles(c));
}

/* an attempt is scheduled when the device is unregistered */
static void the_device_goes_with_attempts_left(struct kunit *test)
{
	struct mock_ctx *c = ctx_with_waves(test, 1);

	enable.err = -ETIMEDOUT;
	attach(test, 0);
	KUNIT_EXPECT_TRUE(test, is_pending(c));
}

static struct kunit_case trap_enable_test_cases[] = {
	KUNIT_CASE(running_waves_trap_from_then_on),
	KUNIT_CASE(stale_bits_are_cleared),
	KUNIT_CASE(waves_that_trap_keep_their_hits),
	KUNIT_CASE(a_wave_that_dies_meanwhile_is_no_failure),
	KUNIT_CASE(a_suspension_that_fails_is_tried_again),
	KUNIT_CASE(attempts_become_fewer),
	KUNIT_CASE(registers_that_cannot_be_read),
	KUNIT_CASE(registers_that_cannot_be_written),
	KUNIT_CASE(a_wave_that_is_listed_and_not_found),
	KUNIT_CASE(one_that_is_stuck_stops_no_other),
	KUNIT_CASE(changed_waves_need_no_second_change),
	KUNIT_CASE(three_times_in_a_row),
	KUNIT_CASE(detached_before_it_worked),
	KUNIT_CASE(a_reset_begins_all_over),
	KUNIT_CASE(a_context_goes_while_it_is_suspended),
	KUNIT_CASE(a_long_suspension_delays_no_other),
	KUNIT_CASE(a_long_suspension_stretches_no_quantum),
	KUNIT_CASE(waves_have_the_grace_that_is_set),
	KUNIT_CASE(a_context_dispatches_while_it_is_suspended_for_long),
	KUNIT_CASE(traps_go_and_come_back_meanwhile),
	KUNIT_CASE(power_goes_while_a_context_is_suspended),
	KUNIT_CASE(the_device_goes_with_attempts_left),
	{}
};

static struct kunit_suite trap_enable_test_suite = {
	.name = "gpubp_trap_enable",
	.init = trap_enable_init,
	.exit = trap_enable_exit,
	.test_cases = trap_enable_test_cases,
};
kunit_test_suite(trap_enable_test_suite);
