// SPDX-License-Identifier: GPL-2.0
/*
 * Exceptions: which event gets which exception, what is unmasked in waves, and
 * that exceptions which no event wants are masked.
 */
#include <linux/completion.h>
#include <linux/kthread.h>
#include <linux/string.h>

#include "event/event.h"
#include "mock_trap_enable.h"
#include "trap/trap.h"
#include "trap/trap_enable.h"
#include "trap/trap_point.h"

/* gfx90a: isa/gfx9/regs.h */
#define STS_INVALID	BIT(0)
#define STS_DIV0	BIT(2)
#define STS_MEM_VIOL	BIT(8)
#define EXCP_EN(sts)	((sts) << 12)
#define EXCP_WATCH	BIT(19)
#define TRAP_EN		BIT(6)

#define SOME		(GPUBP_EXC_FP | GPUBP_EXC_INT_DIV0 |		\
			 GPUBP_EXC_MEM_VIOL | GPUBP_EXC_ILLEGAL)

static int exceptions_init(struct kunit *test)
{
	struct gpubp_caps caps = mock_caps;

	caps.exceptions = SOME;
	return trap_enable_init_with(test, &caps);
}

static struct perf_event_attr exception_attr(u32 classes)
{
	struct perf_event_attr attr = mock_attr(0, 0, 0);

	attr.config = GPUBP_KIND_EXCEPTION |
		      (u64)classes << GPUBP_CONFIG_CODE_SHIFT;
	return attr;
}

static struct perf_event *open_exception(struct kunit *test, u32 classes)
{
	struct perf_event_attr attr = exception_attr(classes);
	struct perf_event *event;

	event = mock_open_attr(test, &attr, current, NULL, NULL);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, event);
	trap_enable_settle();
	return event;
}

/* a wave of @c stops with these bits of TRAPSTS set */
static void raise_sts(struct kunit *test, struct mock_ctx *c, u32 trapsts)
{
	struct mock_stop stop = {
		.pc = mock_put_insn(c, INSN_NOPS),
		.exec = 0xff,
		.trapsts = trapsts,
	};

	KUNIT_EXPECT_EQ(test, mock_raise(c, &stop), GPUBP_TAKEN);
	mock_quiesce(test);
}

static void several_at_once_are_one(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);
	struct perf_event *fp = open_exception(test, GPUBP_EXC_FP);

	raise_sts(test, c, STS_DIV0 | STS_INVALID);
	KUNIT_EXPECT_EQ(test, mock_count(fp), 1);
	KUNIT_EXPECT_EQ(test, mock_stat(c->m, GPUBP_STAT_DELIVERED), 1);
}

static void equal_wishes_are_one_trap(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);
	struct perf_event *a = open_exception(test, GPUBP_EXC_ILLEGAL);
	struct perf_event *b = open_exception(test, GPUBP_EXC_ILLEGAL);
	struct mock_stop stop = { .pc = MOCK_CODE, .exec = 1, .illegal = true };

	KUNIT_EXPECT_EQ(test, c->ctx->trap->traps.nr[GPUBP_KIND_EXCEPTION], 1u);
	KUNIT_EXPECT_EQ(test, mock_raise(c, &stop), GPUBP_TAKEN);
	mock_quiesce(test);
	KUNIT_EXPECT_EQ(test, mock_count(a), 1);
	KUNIT_EXPECT_EQ(test, mock_count(b), 1);
}

static void a_watch_and_an_exception_at_once(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);
	struct perf_event *watch = mock_open(test, MOCK_VA, 4,
					     GPUBP_ACCESS_STORE);
	struct perf_event *viol = open_exception(test, GPUBP_EXC_MEM_VIOL);
	struct mock_stop stop = {
		.pc = mock_put_insn(c, INSN_STORE),
		.exec = 1,
		.trapsts = STS_MEM_VIOL,
	};

	mock_lane_addr(c->m, 0, MOCK_VA);
	stop.slots = mock_slots(c, MOCK_VA);
	KUNIT_EXPECT_EQ(test, mock_raise(c, &stop), GPUBP_TAKEN);
	mock_quiesce(test);
	KUNIT_EXPECT_EQ(test, mock_count(watch), 1);
	KUNIT_EXPECT_EQ(test, mock_count(viol), 1);
}

/* ---- waves that run ------------------------------------------------------ */

static void running_waves_are_told(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);
	struct perf_event *event;

	trap_enable_launch(c, 1, 0, 0, STS_DIV0 | STS_INVALID);
	enable.m->pending = BIT(0);
	event = open_exception(test, GPUBP_EXC_FP_DIV0);
	KUNIT_EXPECT_FALSE(test, READ_ONCE(c->ctx->clock.pending));
	KUNIT_EXPECT_EQ(test, enable.wave[0].regs[0],
			EXCP_EN(STS_DIV0) | EXCP_WATCH);
	KUNIT_EXPECT_EQ(test, enable.wave[0].regs[1], TRAP_EN);
	KUNIT_EXPECT_EQ(test, enable.wave[0].regs[2], STS_INVALID);
	/* the waves are changed again when an event wants another exception */
	open_exception(test, GPUBP_EXC_FP_INVALID);
	KUNIT_EXPECT_EQ(test, enable.suspends, 2u);
	KUNIT_EXPECT_EQ(test, enable.wave[0].regs[0],
			EXCP_EN(STS_DIV0 | STS_INVALID) | EXCP_WATCH);
	/* no other exception */
	open_exception(test, GPUBP_EXC_FP_INVALID);
	KUNIT_EXPECT_EQ(test, enable.suspends, 2u);
	KUNIT_EXPECT_EQ(test, mock_count(event), 0);
}

/* the provider launched the wave to trap, and does not learn of the masking */
static void a_wave_that_traps_for_nobody_is_told(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);
	struct perf_event *div0;

	open_exception(test, GPUBP_EXC_ILLEGAL);
	trap_enable_launch(c, 1, EXCP_EN(STS_DIV0) | EXCP_WATCH, TRAP_EN, 0);
	enable.stopped_at = &enable.wave[0];
	raise_sts(test, c, STS_DIV0);
	enable.stopped_at = NULL;
	KUNIT_EXPECT_EQ(test, mock_stat(c->m, GPUBP_STAT_STRAY_TRAP), 1);
	KUNIT_EXPECT_EQ(test, enable.wave[0].regs[0], EXCP_WATCH);
	KUNIT_EXPECT_EQ(test, enable.suspends, 0u);
	div0 = open_exception(test, GPUBP_EXC_FP_DIV0);
	KUNIT_EXPECT_EQ(test, enable.suspends, 1u);
	KUNIT_EXPECT_EQ(test, enable.wave[0].regs[0],
			EXCP_EN(STS_DIV0) | EXCP_WATCH);
	KUNIT_EXPECT_EQ(test, c->ctx->trap->enable.masked, 0u);
	raise_sts(test, c, STS_DIV0);
	KUNIT_EXPECT_EQ(test, mock_count(div0), 1);
}

/* ---- delayed commits ----------------------------------------------------- */

/* close the event, mask the exception in a wave, open an equal event */
static struct perf_event *close_mask_open(struct kunit *test,
					  struct mock_ctx *c,
					  struct perf_event *event)
{
	struct perf_event_attr attr = exception_attr(GPUBP_EXC_FP_DIV0);

	mock_close(enable.m, event);
	enable.stopped_at = &enable.wave[0];
	raise_sts(test, c, STS_DIV0);
	enable.stopped_at = NULL;
	KUNIT_EXPECT_EQ(test, enable.wave[0].regs[0], EXCP_WATCH);
	event = mock_open_attr(test, &attr, current, NULL, NULL);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, event);
	return event;
}

static void expect_unmasked_again(struct kunit *test, struct mock_ctx *c)
{
	KUNIT_EXPECT_FALSE(test, READ_ONCE(c->ctx->clock.pending));
	KUNIT_EXPECT_EQ(test, enable.wave[0].regs[0],
			EXCP_EN(STS_DIV0) | EXCP_WATCH);
	KUNIT_EXPECT_EQ(test,
			c->ctx->trap->enable.masked |
				c->ctx->trap->enable.unmasking,
			0u);
}

/* the wanted exceptions equal the committed ones: nothing changes */
static void wanted_again_before_a_commit(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);
	struct perf_event *div0;

	open_exception(test, GPUBP_EXC_ILLEGAL);
	div0 = open_exception(test, GPUBP_EXC_FP_DIV0);
	trap_enable_launch(c, 1, EXCP_EN(STS_DIV0) | EXCP_WATCH, TRAP_EN, 0);
	mock_commits_wait(enable.m);
	close_mask_open(test, c, div0);
	mock_commits_go_on(enable.m);
	trap_enable_settle();
	KUNIT_EXPECT_EQ(test, enable.suspends, 1u);
	expect_unmasked_again(test, c);
}

static struct completion resumed, go_on;

static void wait_in_resume(void)
{
	complete(&resumed);
	wait_for_completion(&go_on);
}

/* on return the attempt has changed all waves and is still in progress */
static struct perf_event *open_and_wait(struct kunit *test)
{
	struct perf_event_attr attr = exception_attr(GPUBP_EXC_FP_DIV0);
	struct perf_event *event;

	init_completion(&resumed);
	init_completion(&go_on);
	enable.in_resume = wait_in_resume;
	event = mock_open_attr(test, &attr, current, NULL, NULL);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, event);
	wait_for_completion(&resumed);
	enable.in_resume = NULL;
	return event;
}

/* its change of the wave was undone before the attempt completes */
static void mask_during_attempt(struct kunit *test, bool over)
{
	struct mock_ctx *c = mock_ctx(test);
	struct perf_event *div0;

	open_exception(test, GPUBP_EXC_ILLEGAL);
	trap_enable_launch(c, 1, EXCP_WATCH, TRAP_EN, 0);
	enable.m->pending = BIT(0);
	div0 = open_and_wait(test);
	enable.m->pending = 0;
	mock_settle(enable.m);
	mock_commits_wait(enable.m);
	close_mask_open(test, c, div0);
	if (over) {
		complete(&go_on);
		kthread_flush_worker(enable.m->dev->trap->enable.worker);
		mock_commits_go_on(enable.m);
		trap_enable_settle();
	} else {
		mock_commits_go_on(enable.m);
		mock_settle(enable.m);
		complete(&go_on);
		trap_enable_settle();
	}
	expect_unmasked_again(test, c);
}

static void muted_at_the_end_of_an_attempt(struct kunit *test)
{
	mask_during_attempt(test, true);
}

static void wanted_again_during_an_attempt(struct kunit *test)
{
	mask_during_attempt(test, false);
}

/* ---- a device that reports exceptions itself ----------------------------- */

#define TOLD	(GPUBP_HITF_PC | GPUBP_HITF_SLOTS | GPUBP_HITF_EXCEPTIONS)

static int reporting_init(struct kunit *test)
{
	struct gpubp_caps caps = mock_caps;
	struct mock *m = mock_alloc(test);

	caps.exceptions = SOME;
	caps.hit_fields = TOLD;
	m->isa = NULL;
	test->priv = m;
	return mock_register(m, &caps);
}

static struct perf_event *open_reporting(struct kunit *test, struct mock_ctx *c,
					 u32 classes)
{
	struct perf_event_attr attr = exception_attr(classes);
	struct perf_event *event;

	event = mock_open_attr(test, &attr, current, NULL, NULL);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, event);
	mock_settle(c->m);
	return event;
}

static void tell(struct kunit *test, struct mock_ctx *c, u32 valid,
		 u32 exceptions)
{
	struct mock_stop stop = { .pc = MOCK_CODE, .exec = 1 };
	struct gpubp_hit hit = mock_hit(c, &stop);

	hit.valid |= valid;
	hit.pc = MOCK_CODE;
	hit.exceptions = exceptions;
	KUNIT_EXPECT_EQ(test, mock_report(c->m, &hit), GPUBP_TAKEN);
	mock_quiesce(test);
}

static void told_without_a_handler(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);
	struct perf_event *div0 = open_reporting(test, c, GPUBP_EXC_FP_DIV0);
	struct perf_event *fp = open_reporting(test, c, GPUBP_EXC_FP);

	KUNIT_EXPECT_EQ(test, c->prog.exceptions, (u32)GPUBP_EXC_FP);
	tell(test, c, TOLD, GPUBP_EXC_FP_DIV0);
	tell(test, c, TOLD, GPUBP_EXC_FP_INVALID | GPUBP_EXC_FP_INEXACT);
	KUNIT_EXPECT_EQ(test, mock_count(div0), 1);
	KUNIT_EXPECT_EQ(test, mock_count(fp), 2);
	tell(test, c, TOLD, GPUBP_EXC_MEM_VIOL);
	KUNIT_EXPECT_EQ(test, mock_count(fp), 2);
	KUNIT_EXPECT_EQ(test, mock_stat(c->m, GPUBP_STAT_STRAY_TRAP), 1);
}

/* exceptions that are not flagged as valid are ignored */
static void exceptions_that_are_not_valid(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);
	struct perf_event *fp = open_reporting(test, c, GPUBP_EXC_FP);

	tell(test, c, TOLD & ~GPUBP_HITF_EXCEPTIONS, GPUBP_EXC_FP_DIV0);
	KUNIT_EXPECT_EQ(test, mock_count(fp), 0);
	KUNIT_EXPECT_EQ(test, mock_stat(c->m, GPUBP_STAT_STRAY_TRAP), 1);
}

static struct kunit_case told_test_cases[] = {
	KUNIT_CASE(told_without_a_handler),
	KUNIT_CASE(exceptions_that_are_not_valid),
	{}
};

static struct kunit_suite told_test_suite = {
	.name = "gpubp_told",
	.init = reporting_init,
	.exit = mock_exit,
	.test_cases = told_test_cases,
};

static struct kunit_case exceptions_test_cases[] = {
	KUNIT_CASE(several_at_once_are_one),
	KUNIT_CASE(equal_wishes_are_one_trap),
	KUNIT_CASE(a_watch_and_an_exception_at_once),
	KUNIT_CASE(running_waves_are_told),
	KUNIT_CASE(a_wave_that_traps_for_nobody_is_told),
	KUNIT_CASE(wanted_again_before_a_commit),
	KUNIT_CASE(muted_at_the_end_of_an_attempt),
	KUNIT_CASE(wanted_again_during_an_attempt),
	{}
};

static struct kunit_suite exceptions_test_suite = {
	.name = "gpubp_exceptions",
	.init = exceptions_init,
	.exit = trap_enable_exit,
	.test_cases = exceptions_test_cases,
};
kunit_test_suites(&exceptions_test_suite, &told_test_suite);
