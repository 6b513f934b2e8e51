// SPDX-License-Identifier: GPL-2.0
/*
 * Watches opened while waves are running. The waves count their own accesses in
 * the watched memory; to compare both counts the waves are suspended, so that
 * neither changes.
 */
#include <linux/bitops.h>
#include <linux/completion.h>

#include "conform.h"
#include "core/event_time.h"
#include "event/event.h"
#include "trap/trap.h"

#define WORD(n)		(0x100 * (n))
#define GRACE_MS	10000
#define SOME_COUNTS	20
#define SOME_MS		100

struct counts {
	u64 waves;	/* as counted by the waves */
	u64 event;
};

static void freeze(struct kunit *test, struct gpubp_rig_ctx *ctx)
{
	struct conform *c = test->priv;
	void *priv = ctx->core->priv;
	int err = c->dev->ops.ctx_suspend(c->dev->priv, &priv, 1, GRACE_MS);

	conform_need(test, err != -EOPNOTSUPP, "contexts cannot be suspended");
	KUNIT_ASSERT_EQ(test, err, 0);
}

static void go_on(struct kunit *test, struct gpubp_rig_ctx *ctx)
{
	struct conform *c = test->priv;
	void *priv = ctx->core->priv;

	c->dev->ops.ctx_resume(c->dev->priv, &priv, 1);
}

/* of @nr waves that increment a word each, and of an event for each */
static struct counts read_counts(struct kunit *test, struct gpubp_rig_ctx *ctx,
				 struct perf_event **event, unsigned int nr)
{
	struct counts sum = {};
	unsigned int i;

	freeze(test, ctx);
	conform_quiesce(test);
	for (i = 0; i < nr; i++) {
		sum.waves += conform_peek(test, ctx, ctx->data + WORD(i));
		sum.event += conform_count(event[i]);
	}
	go_on(test, ctx);
	return sum;
}

static bool is_pending(struct gpubp_rig_ctx *ctx)
{
	return READ_ONCE(ctx->core->clock.pending);
}

static void need_trap_edit(struct kunit *test)
{
	conform_need_slots(test);
	conform_need(test, _c->dev->trap->enable.supported, "running waves cannot be changed");
}

/* @nr running waves that each increment a word of their own */
static struct gpubp_rig_ctx *start(struct kunit *test, unsigned int nr)
{
	struct gpubp_rig_ctx *ctx = conform_ctx(test);
	unsigned int i;

	for (i = 0; i < nr; i++)
		conform_start(test, ctx, ctx->data + WORD(i));
	for (i = 0; i < nr; i++)
		KUNIT_ASSERT_TRUE(test,
				  conform_is_running(test, ctx,
						     ctx->data + WORD(i)));
	return ctx;
}

/* events on the words of @nr waves; waits for the commit */
static void attach(struct kunit *test, struct gpubp_rig_ctx *ctx,
		   struct perf_event **event, unsigned int nr)
{
	unsigned int i;

	for (i = 0; i < nr; i++)
		event[i] = conform_event(test, ctx->data + WORD(i), 4, ATOMIC);
	conform_armed(test);
	KUNIT_ASSERT_TRUE_MSG(test, conform_wait(!is_pending(ctx)),
			      "running waves were never armed");
}

static bool counts_more(struct perf_event *event, u64 by)
{
	u64 from = conform_count(event);

	return conform_wait(conform_count(event) >= from + by);
}

static void expect_exact(struct kunit *test, struct gpubp_rig_ctx *ctx,
			 struct perf_event **event, unsigned int nr)
{
	struct counts before = read_counts(test, ctx, event, nr), after;
	unsigned int i;

	for (i = 0; i < nr; i++)
		KUNIT_ASSERT_TRUE(test, counts_more(event[i], SOME_COUNTS));
	after = read_counts(test, ctx, event, nr);
	KUNIT_EXPECT_EQ(test, after.event - before.event,
			after.waves - before.waves);
}

void conform_a_late_watch_counts_what_runs(struct kunit *test)
{
	struct gpubp_rig_ctx *ctx;
	struct perf_event *event[2];

	need_trap_edit(test);
	conform_need(test, _c->caps.precise, "counts are not exact");
	ctx = start(test, 2);
	attach(test, ctx, event, 2);
	expect_exact(test, ctx, event, 2);
	conform_end(test, ctx);
}

void conform_late_watches_come_and_go(struct kunit *test)
{
	struct gpubp_rig_ctx *ctx;
	struct perf_event *event;
	int i;

	need_trap_edit(test);
	conform_need(test, _c->caps.precise, "counts are not exact");
	ctx = start(test, 1);
	for (i = 0; i < 3; i++) {
		attach(test, ctx, &event, 1);
		expect_exact(test, ctx, &event, 1);
		conform_close(test, event);
		conform_settle(test);
		KUNIT_EXPECT_TRUE(test,
				  conform_is_running(test, ctx, ctx->data));
	}
	conform_end(test, ctx);
}

static struct gpubp_account account_of(struct perf_event *event)
{
	struct gpubp_account acc;

	gpubp_event_time_read(event->pmu_private, &acc);
	return acc;
}

/* pending, so that no time counts as armed; then retried */
void conform_a_late_watch_waits_for_its_suspension(struct kunit *test)
{
	struct conform *c = test->priv;
	struct gpubp_rig_ctx *ctx;
	struct perf_event *event;
	struct gpubp_account acc;

	need_trap_edit(test);
	conform_need(test, _c->caps.precise, "counts are not exact");
	conform_need(test, _c->rig->refuse_suspend, "suspending never fails");
	ctx = start(test, 1);
	c->rig->refuse_suspend(c->rig->gpu, true);
	event = conform_event(test, ctx->data, 4, ATOMIC);
	conform_armed(test);
	KUNIT_EXPECT_TRUE(test, is_pending(ctx));
	KUNIT_ASSERT_TRUE(test, conform_is_running(test, ctx, ctx->data));
	msleep(SOME_MS);
	acc = account_of(event);
	KUNIT_EXPECT_TRUE(test, is_pending(ctx));
	KUNIT_EXPECT_EQ_MSG(test, acc.armed, 0,
			    "armed while waves without traps run");
	c->rig->refuse_suspend(c->rig->gpu, false);
	KUNIT_EXPECT_TRUE_MSG(test, conform_wait(!is_pending(ctx)),
			      "it is not retried");
	expect_exact(test, ctx, &event, 1);
	KUNIT_EXPECT_GT(test, account_of(event).armed, acc.armed);
	conform_end(test, ctx);
}

/* a second watch is opened while waves keep stopping for the first one */
void conform_a_late_watch_beside_hits(struct kunit *test)
{
	struct perf_event *event[2];
	struct gpubp_rig_ctx *ctx;

	need_trap_edit(test);
	conform_need(test, _c->caps.precise, "counts are not exact");
	ctx = start(test, 2);
	attach(test, ctx, event, 1);
	KUNIT_EXPECT_TRUE(test, counts_more(event[0], SOME_COUNTS));
	event[1] = conform_event(test, ctx->data + WORD(1), 4, ATOMIC);
	conform_armed(test);
	KUNIT_EXPECT_TRUE(test, conform_wait(!is_pending(ctx)));
	expect_exact(test, ctx, event, 2);
	conform_end(test, ctx);
}

/* wraps the op, so that any device is slow */
static struct {
	int (*ctx_suspend)(void *dev, void * const *ctxs, unsigned int nr,
			   unsigned int grace_ms);
	struct completion go_on;
	bool waits;
} slow;

static int suspend_slowly(void *dev, void * const *ctxs, unsigned int nr,
			  unsigned int grace_ms)
{
	WRITE_ONCE(slow.waits, true);
	wait_for_completion_timeout(&slow.go_on,
				    msecs_to_jiffies(conform_timeout_ms));
	WRITE_ONCE(slow.waits, false);
	return slow.ctx_suspend(dev, ctxs, nr, grace_ms);
}

static void slow_down(struct conform *c)
{
	init_completion(&slow.go_on);
	slow.ctx_suspend = c->dev->ops.ctx_suspend;
	WRITE_ONCE(c->dev->ops.ctx_suspend, suspend_slowly);
}

static void speed_up(struct conform *c)
{
	WRITE_ONCE(c->dev->ops.ctx_suspend, slow.ctx_suspend);
	complete_all(&slow.go_on);
}

/* another context does not wait for it: its watch is armed and its waves run */
void conform_a_late_watch_whose_suspension_takes_long(struct kunit *test)
{
	struct conform *c = test->priv;
	struct gpubp_rig_ctx *ctx, *other;
	struct perf_event *event[2];
	u64 va;

	need_trap_edit(test);
	conform_need(test, _c->caps.precise, "counts are not exact");
	conform_need(test, hweight32(_c->caps.usable_slots) > 1,
		     "one comparator");
	ctx = start(test, 1);
	slow_down(c);
	event[0] = conform_event(test, ctx->data, 4, ATOMIC);
	conform_settle(test);
	KUNIT_EXPECT_TRUE(test, conform_wait(READ_ONCE(slow.waits)));
	other = conform_ctx(test);
	va = other->data + WORD(4);
	event[1] = conform_event_of(test, other, va, 4, STORE);
	conform_armed_at(test, other, va);
	conform_store(test, other, va);
	conform_quiesce(test);
	KUNIT_EXPECT_EQ(test, conform_count(event[1]), 1ULL);
	KUNIT_EXPECT_TRUE_MSG(test, READ_ONCE(slow.waits),
			      "the other context waited for the suspension");
	KUNIT_EXPECT_TRUE(test, is_pending(ctx));
	speed_up(c);
	KUNIT_EXPECT_TRUE(test, conform_wait(!is_pending(ctx)));
	expect_exact(test, ctx, event, 1);
	conform_end(test, ctx);
}
