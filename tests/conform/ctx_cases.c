// SPDX-License-Identifier: GPL-2.0
/* Contexts, queues and comparators are added and removed. */
#include <linux/err.h>

#include "conform.h"

/* a device that goes with its contexts has gone */
static void expect_commits(struct kunit *test, s64 want)
{
	struct conform *c = test->priv;

	if (c->dev)
		KUNIT_EXPECT_EQ(test, conform_commits(c), want);
}

/* contexts without events, then events without contexts */
void conform_what_is_not_used_costs_no_commit(struct kunit *test)
{
	struct conform *c = test->priv;
	s64 before = conform_commits(c);
	struct gpubp_rig_ctx *ctx;
	struct perf_event *event;
	int i;

	for (i = 0; i < 3; i++) {
		ctx = conform_ctx(test);
		conform_store(test, ctx, ctx->data);
	}
	conform_quiesce(test);
	KUNIT_EXPECT_EQ(test, conform_stat(c, GPUBP_STAT_RAISED), 0);
	expect_commits(test, before);
	conform_destroy_ctxs(test);
	expect_commits(test, before);
	if (!c->caps.nr_slots)
		return;
	event = conform_event(test, 0x123456000, 4, STORE);
	expect_commits(test, before);
	conform_close(test, event);
	expect_commits(test, before);
}

void conform_a_doorbell_has_one_queue(struct kunit *test)
{
	struct gpubp_rig_ctx *ctx = conform_ctx(test);
	struct gpubp_queue_desc desc = {
		.creator = task_pid(current),
		.id = 99,
		.doorbell = ctx->doorbell,
	};
	struct gpubp_queue *queue = gpubp_queue_create(ctx->core, &desc);

	KUNIT_EXPECT_EQ(test, PTR_ERR_OR_ZERO(queue), -EBUSY);
	if (!IS_ERR(queue))
		gpubp_queue_destroy(queue);
}

static void plug_again(struct kunit *test)
{
	struct conform *c = test->priv;

	conform_expect_stats(test);
	c->dev = NULL;
	c->rig->unplug(c->rig->gpu);
	if (c->rig->acquired)
		KUNIT_EXPECT_EQ(test, c->rig->acquired(c->rig->gpu), 0u);
	KUNIT_ASSERT_EQ(test, c->rig->plug(c->rig->gpu), 0);
	conform_device_plugged(c);
}

static void expect_acquired(struct kunit *test, u32 slots)
{
	struct conform *c = test->priv;

	if (c->rig->acquired)
		KUNIT_EXPECT_EQ(test, c->rig->acquired(c->rig->gpu), slots);
}

/* from the first watch until the last is gone, and no longer */
static void expect_acquired_for_watch(struct kunit *test, u32 slots)
{
	struct gpubp_rig_ctx *ctx = conform_ctx(test);
	struct perf_event *event;

	expect_acquired(test, 0);
	event = conform_event(test, ctx->data, 4, STORE);
	conform_settle(test);
	expect_acquired(test, slots);
	conform_close(test, event);
	conform_settle(test);
	expect_acquired(test, 0);
	conform_destroy_ctxs(test);
}

void conform_slots_are_acquired_and_released(struct kunit *test)
{
	struct conform *c = test->priv;
	const struct gpubp_rig *rig = c->rig;
	u32 usable = c->caps.usable_slots, lost = usable & -usable;

	conform_need(test, rig->unplug, "cannot be unplugged");
	plug_again(test);
	if (!usable)
		return;
	expect_acquired_for_watch(test, usable);
	if (!rig->lose)
		return;
	rig->lose(rig->gpu, lost);
	plug_again(test);	/* another debugger takes comparators first */
	expect_acquired_for_watch(test, usable & ~lost);
	rig->give_back(rig->gpu, lost);
}
