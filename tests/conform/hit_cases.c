// SPDX-License-Identifier: GPL-2.0
/* Hits: each is resolved or dropped, and its wave is resumed. */
#include <linux/err.h>

#include "conform.h"

#define WORD	0x300

static void start_waves(struct kunit *test, struct gpubp_rig_ctx *ctx,
			unsigned int nr)
{
	while (nr--)
		conform_start(test, ctx, ctx->data + WORD);
}

/* the final value of the counted word is the reference */
void conform_every_wave_goes_on(struct kunit *test)
{
	struct conform *c = test->priv;
	struct gpubp_rig_ctx *ctx;
	struct perf_event *event;
	s64 commits;
	u32 truth;

	conform_need_slots(test);
	ctx = conform_ctx(test);
	event = conform_event(test, ctx->data + WORD, 4, ATOMIC);
	conform_armed(test);
	commits = conform_commits(c);
	start_waves(test, ctx, 4);
	KUNIT_ASSERT_TRUE(test, conform_wait(conform_count(event) >= 40));
	conform_end(test, ctx);
	conform_quiesce(test);
	truth = conform_peek(test, ctx, ctx->data + WORD);
	KUNIT_EXPECT_LE(test, conform_count(event), (u64)truth);
	if (conform_commits(c) == commits && c->caps.precise)
		KUNIT_EXPECT_EQ(test, conform_count(event) +
				conform_stat(c, GPUBP_STAT_DROP_CELLS),
				(u64)truth);
}

#define LATE_MS	20

/* a thread that observes the end of the work finds all of its hits accounted */
void conform_the_end_of_work_comes_after_its_hits(struct kunit *test)
{
	struct conform *c = test->priv;
	struct gpubp_rig_ctx *ctx;
	struct perf_event *event;
	int i;

	conform_need_slots(test);
	conform_need(test, !c->rig->settle, "hits may come after the end of their work");
	ctx = conform_ctx(test);
	event = conform_event(test, ctx->data + WORD, 4, STORE);
	conform_armed(test);
	conform_slow_reads(c, LATE_MS);
	for (i = 1; i <= 10; i++) {
		conform_store(test, ctx, ctx->data + WORD);
		KUNIT_EXPECT_EQ(test, conform_count(event), i);
	}
	conform_slow_reads(c, 0);
}

/* the wave may hit once more before the worker disarms the watch */
void conform_a_hit_after_the_watch_was_closed(struct kunit *test)
{
	struct gpubp_rig_ctx *ctx;
	struct perf_event *event;
	int i;

	conform_need_slots(test);
	ctx = conform_ctx(test);
	for (i = 0; i < 5; i++) {
		event = conform_event(test, ctx->data + WORD, 4, STORE);
		conform_armed(test);
		conform_close(test, event);
		conform_store(test, ctx, ctx->data + WORD);
	}
}

#define READ_MS	100

/* makes a hit stay in flight for some time, if the rig can do that */
static void have_a_hit(struct kunit *test)
{
	struct conform *c = test->priv;

	if (!c->rig->slow_reads)
		return;
	c->rig->slow_reads(c->rig->gpu, READ_MS);
	KUNIT_EXPECT_TRUE(test, conform_wait(c->rig->nr_stopped(c->rig->gpu)));
}

void conform_a_context_goes_with_waves_that_hit(struct kunit *test)
{
	struct conform *c = test->priv;
	struct gpubp_rig_ctx *ctx;
	struct perf_event *event;
	int i;

	conform_need_slots(test);
	for (i = 0; i < 3; i++) {
		ctx = conform_ctx(test);
		event = conform_event(test, ctx->data + WORD, 4, ATOMIC);
		conform_armed(test);
		start_waves(test, ctx, 3);
		KUNIT_EXPECT_TRUE(test, conform_wait(conform_count(event) >= 3));
		have_a_hit(test);
		conform_destroy_ctxs(test);
		conform_close(test, event);
		conform_slow_reads(c, 0);
	}
}

/* an event on any device makes the core poll devices without interrupts */
static bool have_event(struct kunit *test)
{
	struct perf_event_attr attr = conform_attr(0x123456000, 4, STORE);

	return !IS_ERR(conform_try_event(test, &attr));
}

void conform_breaks_in_memory_are_reported(struct kunit *test)
{
	struct conform *c = test->priv;
	struct gpubp_rig_ctx *ctx = conform_ctx(test);
	int i;

	conform_need(test, c->rig->run_break, "no breaks");
	conform_need(test, have_event(test),
		     "no event that has it polled; load a provider with comparators");
	for (i = 0; i < 3; i++)
		KUNIT_EXPECT_EQ(test, c->rig->run_break(ctx), 0);
	conform_quiesce(test);
	KUNIT_EXPECT_EQ(test, conform_stat(c, GPUBP_STAT_RAISED), 3);
}

void conform_a_fenced_context_is_never_stopped(struct kunit *test)
{
	struct conform *c = test->priv;
	struct gpubp_rig_ctx *ctx;
	struct perf_event *event;
	int i;

	conform_need_slots(test);
	ctx = conform_ctx_as(test, true, 0);
	event = conform_event(test, ctx->data + WORD, 4, STORE);
	conform_settle(test);
	for (i = 0; i < 3; i++)
		conform_store(test, ctx, ctx->data + WORD);
	conform_quiesce(test);
	KUNIT_EXPECT_EQ(test, conform_count(event), 0);
	KUNIT_EXPECT_EQ(test, conform_stat(c, GPUBP_STAT_RAISED), 0);
}

#define STALL_MS	20

void conform_a_hit_resolved_too_late_is_dropped(struct kunit *test)
{
	struct conform *c = test->priv;
	struct gpubp_rig_ctx *ctx;
	struct perf_event *event;
	u64 truth, dropped;
	s64 commits;

	conform_need_slots(test);
	conform_need(test, c->rig->slow_reads, "reads cannot be slowed down");
	ctx = conform_ctx_as(test, false, STALL_MS * USEC_PER_MSEC);
	event = conform_event(test, ctx->data + WORD, 4, ATOMIC);
	conform_armed(test);
	commits = conform_commits(c);
	c->rig->slow_reads(c->rig->gpu, READ_MS);
	start_waves(test, ctx, 4);
	KUNIT_EXPECT_TRUE(test,
			  conform_wait(conform_stat(c, GPUBP_STAT_DROP_STALL)));
	c->rig->slow_reads(c->rig->gpu, 0);
	conform_end(test, ctx);
	conform_quiesce(test);
	truth = conform_peek(test, ctx, ctx->data + WORD);
	dropped = conform_stat(c, GPUBP_STAT_DROP_STALL) +
		  conform_stat(c, GPUBP_STAT_DROP_CELLS);
	if (conform_commits(c) == commits && c->caps.precise)
		KUNIT_EXPECT_EQ(test, conform_count(event) + dropped, truth);
	else
		KUNIT_EXPECT_LE(test, conform_count(event), truth - dropped);
}
