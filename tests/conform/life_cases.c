// SPDX-License-Identifier: GPL-2.0
/*
 * Devices that are reset, suspended or unplugged, or lose slots, while armed.
 */
#include <linux/err.h>

#include "conform.h"
#include "core/slots.h"

#define WORD(n)	(0x1000 + 0x200 * (n))

/* each further store is counted once */
static void expect_stores_count(struct kunit *test, struct gpubp_rig_ctx *ctx,
				struct perf_event *event, u64 va, int nr)
{
	u64 before = conform_count(event);
	int i;

	for (i = 0; i < nr; i++)
		conform_store(test, ctx, va);
	conform_quiesce(test);
	KUNIT_EXPECT_EQ(test, conform_count(event) - before, (u64)nr);
}

static bool store_is_seen(struct kunit *test, struct gpubp_rig_ctx *ctx,
			  struct perf_event *event, u64 va, u64 before)
{
	conform_store(test, ctx, va);
	conform_quiesce(test);
	return conform_count(event) > before;
}

/* eventually, like any watch that rotates */
static void expect_seen_again(struct kunit *test, struct gpubp_rig_ctx *ctx,
			      struct perf_event *event, u64 va)
{
	u64 before = conform_count(event);

	KUNIT_ASSERT_TRUE_MSG(test,
			      conform_wait(store_is_seen(test, ctx, event, va,
							 before)),
			      "the watch is not scheduled any more");
}

void conform_watches_survive_a_reset(struct kunit *test)
{
	struct conform *c = test->priv;
	struct gpubp_rig_ctx *ctx;
	struct perf_event *event;
	int i;

	conform_need_slots(test);
	conform_need(test, c->rig->reset, "cannot be reset");
	ctx = conform_ctx(test);
	event = conform_event(test, ctx->data + WORD(0), 4, STORE);
	for (i = 0; i < 3; i++) {
		conform_armed(test);
		expect_stores_count(test, ctx, event, ctx->data + WORD(0), 1);
		c->rig->reset(c->rig->gpu);
	}
}

static u32 lowest(u32 slots)
{
	return slots & -slots;
}

void conform_lost_slots_leave_the_rest(struct kunit *test)
{
	struct conform *c = test->priv;
	struct perf_event *event[2];
	struct gpubp_rig_ctx *ctx;
	u32 lost;
	int i;

	conform_need_slots(test);
	conform_need(test, c->rig->lose, "comparators are never taken");
	lost = c->caps.usable_slots & ~lowest(c->caps.usable_slots);
	ctx = conform_ctx(test);
	for (i = 0; i < 2; i++)
		event[i] = conform_event(test, ctx->data + WORD(i), 4, STORE);
	conform_armed(test);
	c->rig->lose(c->rig->gpu, lost);
	conform_settle(test);
	for (i = 0; i < 2; i++)
		expect_seen_again(test, ctx, event[i], ctx->data + WORD(i));
	c->rig->give_back(c->rig->gpu, lost);
	conform_armed(test);
	for (i = 0; i < 2; i++)
		expect_stores_count(test, ctx, event[i], ctx->data + WORD(i), 2);
}

static u64 running(struct perf_event *event)
{
	u64 enabled, running;

	perf_event_read_value(event, &enabled, &running);
	return running;
}

/* a task's events count time only while it runs */
static void run_for(unsigned int ms)
{
	unsigned long end = jiffies + msecs_to_jiffies(ms);

	while (time_before(jiffies, end))
		cond_resched();
}

#define STANDSTILL_MS	200

/* its time running does not increase */
static void expect_standstill(struct kunit *test, struct perf_event *event)
{
	u64 before;

	msleep(100);
	before = running(event);
	run_for(STANDSTILL_MS);
	KUNIT_EXPECT_LT_MSG(test, running(event) - before,
			    STANDSTILL_MS * (u64)NSEC_PER_MSEC / 10,
			    "running while nothing is armed");
}

void conform_all_slots_lost_and_returned(struct kunit *test)
{
	struct conform *c = test->priv;
	u32 all = c->caps.usable_slots;
	struct gpubp_rig_ctx *ctx;
	struct perf_event *event;

	conform_need_slots(test);
	conform_need(test, c->rig->lose, "comparators are never taken");
	ctx = conform_ctx(test);
	event = conform_event(test, ctx->data + WORD(0), 4, STORE);
	conform_armed(test);
	expect_stores_count(test, ctx, event, ctx->data + WORD(0), 1);
	c->rig->lose(c->rig->gpu, all);
	conform_settle(test);
	conform_store(test, ctx, ctx->data + WORD(0));
	conform_quiesce(test);
	KUNIT_EXPECT_EQ(test, conform_count(event), 1);
	expect_standstill(test, event);
	c->rig->give_back(c->rig->gpu, all);
	conform_armed(test);
	expect_stores_count(test, ctx, event, ctx->data + WORD(0), 1);
}

static struct perf_event *pinned_event(struct kunit *test, u64 addr)
{
	struct perf_event_attr attr = conform_attr(addr, 4, STORE);
	struct perf_event *event;

	attr.pinned = 1;
	event = conform_try_event(test, &attr);
	KUNIT_ASSERT_FALSE_MSG(test, IS_ERR(event), "not opened: %ld",
			       PTR_ERR(event));
	return event;
}

void conform_a_pinned_watch_keeps_its_slot(struct kunit *test)
{
	struct conform *c = test->priv;
	struct perf_event *pinned;
	struct gpubp_rig_ctx *ctx;
	unsigned int i;
	u32 lost;

	conform_need_slots(test);
	conform_need(test, hweight32(c->caps.usable_slots) >= 2,
		     "one comparator");
	ctx = conform_ctx(test);
	pinned = pinned_event(test, ctx->data + WORD(0));
	for (i = 1; i <= c->caps.nr_slots; i++)
		conform_event(test, ctx->data + WORD(i), 4, STORE);
	conform_armed_at(test, ctx, ctx->data + WORD(0));
	expect_stores_count(test, ctx, pinned, ctx->data + WORD(0), 5);
	if (!c->rig->lose)
		return;
	lost = c->caps.usable_slots & ~lowest(c->caps.usable_slots);
	c->rig->lose(c->rig->gpu, lost);
	conform_settle(test);
	conform_armed_at(test, ctx, ctx->data + WORD(0));
	expect_stores_count(test, ctx, pinned, ctx->data + WORD(0), 5);
	c->rig->give_back(c->rig->gpu, lost);
}

void conform_failing_slots_are_quarantined(struct kunit *test)
{
	struct conform *c = test->priv;
	u32 all = c->caps.usable_slots, bad = all & ~lowest(all);
	struct gpubp_rig_ctx *ctx;
	struct perf_event *event;

	conform_need_slots(test);
	conform_need(test, c->rig->fail, "comparators never fail");
	ctx = conform_ctx(test);
	c->rig->fail(c->rig->gpu, bad);
	event = conform_event(test, ctx->data + WORD(0), 4, STORE);
	conform_armed(test);
	expect_stores_count(test, ctx, event, ctx->data + WORD(0), 2);
	conform_close(test, event);
	conform_settle(test);

	/* no slot is left: no hits, and no end of retries either */
	c->rig->fail(c->rig->gpu, all);
	event = conform_event(test, ctx->data + WORD(1), 4, STORE);
	conform_settle(test);
	conform_store(test, ctx, ctx->data + WORD(1));
	conform_quiesce(test);
	KUNIT_EXPECT_EQ(test, conform_count(event), 0);
	KUNIT_EXPECT_EQ(test, gpubp_slots_usable(c->dev), 0u);

	c->rig->fail(c->rig->gpu, 0);
	gpubp_slots_returned(c->dev, all);
	conform_armed(test);
	expect_stores_count(test, ctx, event, ctx->data + WORD(1), 2);
}

void conform_watches_survive_power_loss(struct kunit *test)
{
	struct conform *c = test->priv;
	struct perf_event *old, *new;
	struct gpubp_rig_ctx *ctx;
	s64 commits;

	conform_need_slots(test);
	conform_need(test, c->rig->suspend, "cannot be suspended");
	ctx = conform_ctx(test);
	old = conform_event(test, ctx->data + WORD(0), 4, STORE);
	conform_armed(test);
	c->rig->suspend(c->rig->gpu);
	commits = conform_commits(c);
	new = conform_event(test, ctx->data + WORD(1), 4, STORE);
	msleep(100);
	KUNIT_EXPECT_EQ(test, conform_count(old), 0);
	KUNIT_EXPECT_EQ(test, conform_commits(c), commits);
	c->rig->resume(c->rig->gpu);
	conform_armed(test);
	expect_stores_count(test, ctx, old, ctx->data + WORD(0), 2);
	expect_stores_count(test, ctx, new, ctx->data + WORD(1), 2);
}

void conform_events_survive_their_device(struct kunit *test)
{
	struct conform *c = test->priv;
	struct gpubp_rig_ctx *ctx;
	struct perf_event *event;

	conform_need_slots(test);
	conform_need(test, c->rig->unplug, "cannot be unplugged");
	ctx = conform_ctx(test);
	event = conform_event(test, ctx->data + WORD(0), 4, STORE);
	conform_armed(test);
	expect_stores_count(test, ctx, event, ctx->data + WORD(0), 1);
	conform_expect_stats(test);
	conform_destroy_ctxs(test);
	c->dev = NULL;
	c->rig->unplug(c->rig->gpu);
	KUNIT_EXPECT_EQ(test, conform_count(event), 1);
	expect_standstill(test, event);
	KUNIT_ASSERT_EQ(test, c->rig->plug(c->rig->gpu), 0);
	conform_device_plugged(c);
	ctx = conform_ctx(test);
	conform_armed(test);
	expect_stores_count(test, ctx, event, ctx->data + WORD(0), 1);
	KUNIT_EXPECT_EQ(test, conform_count(event), 2);
}
