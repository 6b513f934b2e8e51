// SPDX-License-Identifier: GPL-2.0
/*
 * Devices, contexts and events change while waves hit all the time. The frame
 * checks statistics, resumed waves and complaints; these cases check in
 * addition that hits occur again afterwards.
 */
#include "conform.h"

#define WORD	0x500
#define WAVES	3
#define ROUNDS	8
#define PAUSE	15	/* ms, long enough for several hits */
#define READ_MS	20

static void start_waves(struct kunit *test, struct gpubp_rig_ctx *ctx)
{
	int i;

	for (i = 0; i < WAVES; i++)
		conform_start(test, ctx, ctx->data + WORD);
}

/* a context with waves that hit */
static struct gpubp_rig_ctx *storm(struct kunit *test, struct perf_event **event)
{
	struct gpubp_rig_ctx *ctx;

	conform_need_slots(test);
	ctx = conform_ctx(test);
	*event = conform_event(test, ctx->data + WORD, 4, ATOMIC);
	conform_armed(test);
	start_waves(test, ctx);
	KUNIT_ASSERT_TRUE(test, conform_wait(conform_count(*event)));
	return ctx;
}

static void expect_hits_again(struct kunit *test, struct perf_event *event)
{
	u64 before = conform_count(event);

	KUNIT_ASSERT_TRUE_MSG(test, conform_wait(conform_count(event) > before),
			      "no hits any more");
}

static void end(struct kunit *test, struct gpubp_rig_ctx *ctx,
		struct perf_event *event)
{
	conform_end(test, ctx);
	conform_quiesce(test);
	KUNIT_EXPECT_LE(test, conform_count(event),
			(u64)conform_peek(test, ctx, ctx->data + WORD));
}

void conform_resets_while_waves_hit(struct kunit *test)
{
	struct conform *c = test->priv;
	struct gpubp_rig_ctx *ctx;
	struct perf_event *event;
	int i;

	conform_need(test, c->rig->reset, "cannot be reset");
	ctx = storm(test, &event);
	for (i = 0; i < ROUNDS; i++) {
		c->rig->reset(c->rig->gpu);
		KUNIT_EXPECT_EQ(test, c->rig->wait(ctx), 0);
		start_waves(test, ctx);
		msleep(PAUSE);
	}
	expect_hits_again(test, event);
	end(test, ctx, event);
}

void conform_power_goes_while_waves_hit(struct kunit *test)
{
	struct conform *c = test->priv;
	struct gpubp_rig_ctx *ctx;
	struct perf_event *event;
	int i;

	conform_need(test, c->rig->suspend, "cannot be suspended");
	ctx = storm(test, &event);
	for (i = 0; i < ROUNDS; i++) {
		c->rig->suspend(c->rig->gpu);
		msleep(PAUSE);
		c->rig->resume(c->rig->gpu);
		expect_hits_again(test, event);
	}
	end(test, ctx, event);
}

void conform_slots_come_and_go_while_waves_hit(struct kunit *test)
{
	struct conform *c = test->priv;
	u32 all = c->caps.usable_slots;
	struct gpubp_rig_ctx *ctx;
	struct perf_event *event;
	int i;

	conform_need(test, c->rig->lose, "comparators are never taken");
	ctx = storm(test, &event);
	for (i = 0; i < ROUNDS; i++) {
		c->rig->lose(c->rig->gpu, all);
		msleep(PAUSE);
		c->rig->give_back(c->rig->gpu, all);
		expect_hits_again(test, event);
	}
	end(test, ctx, event);
}

void conform_events_come_and_go_while_waves_hit(struct kunit *test)
{
	struct gpubp_rig_ctx *ctx;
	struct perf_event *event, *other;
	int i;

	ctx = storm(test, &event);
	for (i = 0; i < ROUNDS; i++) {
		other = conform_event(test, ctx->data + WORD, 4,
				      LOAD | STORE | ATOMIC);
		conform_settle(test);
		expect_hits_again(test, other);
		conform_close(test, event);
		event = other;
	}
	end(test, ctx, event);
}

/* makes most halts happen while a hit is in flight */
static void read_slowly(struct conform *c, unsigned int ms)
{
	conform_slow_reads(c, ms);
}

void conform_halts_while_waves_hit(struct kunit *test)
{
	struct gpubp_wave_info info[CONFORM_WAVES] = {};
	struct gpubp_rig_ctx *ctx;
	struct perf_event *event;
	struct conform *c = test->priv;
	int i;

	conform_need(test, c->caps.stops != GPUBP_STOPS_NONE, "no halt");
	ctx = storm(test, &event);
	/* a halt does not cover waves that are launched later */
	KUNIT_ASSERT_TRUE(test, conform_wait(conform_waves(test, ctx, info) ==
					     WAVES));
	read_slowly(c, READ_MS);
	for (i = 0; i < ROUNDS; i++) {
		KUNIT_EXPECT_EQ(test, conform_halt(test, ctx, 0), 0);
		conform_quiesce(test);
		KUNIT_EXPECT_TRUE(test,
				  conform_is_stopped(test, ctx,
						     ctx->data + WORD));
		KUNIT_EXPECT_EQ(test, conform_resume(test, ctx, 0), 0);
		expect_hits_again(test, event);
	}
	read_slowly(c, 0);
	end(test, ctx, event);
}
