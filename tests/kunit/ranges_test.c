// SPDX-License-Identifier: GPL-2.0
/*
 * Ranges: what a provider that decides hits by itself learns of the watches of a
 * comparator, and which events have what it counted.
 */
#include <linux/jiffies.h>
#include <linux/perf_event.h>

#include "core/core.h"
#include "event/event.h"
#include "mock.h"
#include "sched/sched.h"

#define BLOCK		64
#define EDGE		(MOCK_VA + 2 * BLOCK)	/* of two blocks, and no larger one */
#define STORES		GPUBP_ACCESS_STORE
#define KINDS(_access)	((u64)(_access) << GPUBP_HANDLER_KINDS_SHIFT)

static struct gpubp_caps ranges_caps(void)
{
	struct gpubp_caps caps = mock_caps;

	caps.ranges = true;
	caps.hit_fields = GPUBP_HITF_PC | GPUBP_HITF_EXEC | GPUBP_HITF_SLOTS |
			  GPUBP_HITF_ADDR;
	return caps;
}

/* no handler of the core's runs in its waves */
static int ranges_register(struct kunit *test, const struct gpubp_caps *caps)
{
	struct mock *m = mock_alloc(test);
	int err;

	m->isa = NULL;
	err = mock_register(m, caps);
	if (!err)
		test->priv = m;
	return err;
}

static int ranges_init(struct kunit *test)
{
	const struct gpubp_caps caps = ranges_caps();

	return ranges_register(test, &caps);
}

static struct perf_event *open_watch(struct kunit *test, u64 addr, u64 len)
{
	struct perf_event *event = mock_open(test, addr, len, STORES);

	mock_settle(test->priv);
	return event;
}

static unsigned int slot_of(struct kunit *test, struct mock_ctx *c, u64 addr)
{
	u32 slots = mock_slots(c, addr);

	KUNIT_ASSERT_NE(test, slots, 0);
	return __ffs(slots);
}

/* of the comparator that compares the byte at @addr */
static struct gpubp_slot_ranges ranges_of(struct kunit *test, struct mock_ctx *c,
					  u64 addr)
{
	KUNIT_ASSERT_NOT_NULL(test, c->prog.ranges);
	return gpubp_ranges_of(c->prog.ranges, slot_of(test, c, addr));
}

static bool range_is(const struct gpubp_slot_ranges *ranges, unsigned int n,
		     u64 first, u64 len)
{
	return n < ranges->nr && ranges->range[n].first == first &&
	       ranges->range[n].last == (KINDS(STORES) | (first + len - 1));
}

static void report(struct kunit *test, struct mock_ctx *c, u64 addr,
		   const struct gpubp_slot_counts *counts)
{
	gpubp_report_counts(c->ctx, c->prog.ranges, slot_of(test, c, addr), counts);
}

static void what_is_watched(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);
	struct gpubp_slot_ranges ranges;

	open_watch(test, MOCK_VA + 8, 4);
	ranges = ranges_of(test, c, MOCK_VA);
	KUNIT_EXPECT_EQ(test, ranges.nr, 1);
	KUNIT_EXPECT_TRUE(test, range_is(&ranges, 0, MOCK_VA + 8, 4));
	KUNIT_EXPECT_EQ(test, ranges.counted, 1);
}

static void events_have_their_counts(struct kunit *test)
{
	const struct gpubp_slot_counts counts = { .strays = 3, .hits = { 5, 7 } };
	struct mock_ctx *c = mock_ctx(test);
	struct perf_event *second = open_watch(test, MOCK_VA + 12, 4);
	struct perf_event *first = open_watch(test, MOCK_VA + 4, 4);
	struct gpubp_event *gev = first->pmu_private;
	struct gpubp_slot_ranges ranges = ranges_of(test, c, MOCK_VA);
	struct mock *m = test->priv;

	KUNIT_EXPECT_EQ(test, ranges.nr, 2);
	KUNIT_EXPECT_TRUE(test, range_is(&ranges, 0, MOCK_VA + 4, 4));
	KUNIT_EXPECT_TRUE(test, range_is(&ranges, 1, MOCK_VA + 12, 4));
	KUNIT_EXPECT_EQ(test, ranges.counted, 3);
	report(test, c, MOCK_VA, &counts);
	KUNIT_EXPECT_EQ(test, mock_count(first), 5);
	KUNIT_EXPECT_EQ(test, mock_count(second), 7);
	KUNIT_EXPECT_EQ(test, atomic64_read(&gev->strays), 3);
	KUNIT_EXPECT_EQ(test, mock_stat(m, GPUBP_STAT_RAISED), 15);
	KUNIT_EXPECT_EQ(test, mock_stat(m, GPUBP_STAT_DELIVERED), 12);
	KUNIT_EXPECT_EQ(test, mock_stat(m, GPUBP_STAT_STRAY_FILTERED), 3);
}

/* two comparators would count a hit twice */
static void of_two_blocks(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);
	struct gpubp_slot_ranges ranges;

	open_watch(test, EDGE - 2, 4);
	ranges = ranges_of(test, c, EDGE - 1);
	KUNIT_EXPECT_TRUE(test, range_is(&ranges, 0, EDGE - 2, 4));
	KUNIT_EXPECT_EQ(test, ranges.counted, 0);
	ranges = ranges_of(test, c, EDGE);
	KUNIT_EXPECT_TRUE(test, range_is(&ranges, 0, EDGE - 2, 4));
	KUNIT_EXPECT_EQ(test, ranges.counted, 0);
}

/* no count says which of the events was enabled at which hit */
static void two_events_of_a_range(struct kunit *test)
{
	const struct gpubp_slot_counts counts = { .hits = { 4 } };
	struct mock_ctx *c = mock_ctx(test);
	struct perf_event *event = open_watch(test, MOCK_VA, 4);
	struct perf_event *other = open_watch(test, MOCK_VA, 4);

	KUNIT_EXPECT_EQ(test, ranges_of(test, c, MOCK_VA).nr, 1);
	KUNIT_EXPECT_EQ(test, ranges_of(test, c, MOCK_VA).counted, 0);
	report(test, c, MOCK_VA, &counts);
	KUNIT_EXPECT_EQ(test, mock_count(event), 0);
	KUNIT_EXPECT_EQ(test, mock_stat(test->priv, GPUBP_STAT_DROP_RECORD), 4);
	mock_close(test->priv, other);
	mock_settle(test->priv);
	KUNIT_EXPECT_EQ(test, ranges_of(test, c, MOCK_VA).counted, 1);
}

/* each of its hits is to be recorded; those that were lost are in its count */
static void a_sampling_event(struct kunit *test)
{
	const struct gpubp_slot_counts counts = { .hits = { 6 } };
	struct perf_event_attr attr = mock_attr(MOCK_VA, 4, STORES);
	struct mock_ctx *c = mock_ctx(test);
	struct mock_kept kept = {};
	struct perf_event *event;

	attr.sample_period = 1;
	event = mock_open_attr(test, &attr, current, mock_keep, &kept);
	KUNIT_ASSERT_FALSE(test, IS_ERR(event));
	mock_settle(test->priv);
	KUNIT_EXPECT_EQ(test, ranges_of(test, c, MOCK_VA).counted, 0);
	report(test, c, MOCK_VA, &counts);
	KUNIT_EXPECT_EQ(test, mock_count(event), 6);
	KUNIT_EXPECT_EQ(test, kept.nr, 0);
	KUNIT_EXPECT_EQ(test, mock_stat(test->priv, GPUBP_STAT_DROP_RECORD), 6);
	mock_close(test->priv, event);
}

/* nor does the next one with that range get what is counted by the old ranges */
static void an_event_that_is_gone(struct kunit *test)
{
	const struct gpubp_slot_counts counts = { .hits = { 2 } };
	struct mock_ctx *c = mock_ctx(test);
	struct perf_event *event = open_watch(test, MOCK_VA, 4);
	struct gpubp_ranges *ranges = gpubp_ranges_get(c->prog.ranges);
	unsigned int slot = slot_of(test, c, MOCK_VA);

	mock_close(test->priv, event);
	event = open_watch(test, MOCK_VA, 4);
	KUNIT_EXPECT_PTR_NE(test, c->prog.ranges, ranges);
	gpubp_report_counts(c->ctx, ranges, slot, &counts);
	gpubp_ranges_put(ranges);
	KUNIT_EXPECT_EQ(test, mock_count(event), 0);
	KUNIT_EXPECT_EQ(test, mock_stat(test->priv, GPUBP_STAT_STRAY_STALE), 2);
}

/* no commit is made for it */
static void what_does_not_change(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);
	struct gpubp_ranges *ranges;
	unsigned int commits;

	open_watch(test, MOCK_VA, 4);
	ranges = c->prog.ranges;
	commits = mock_commits(test->priv);
	gpubp_request_ctx(c->ctx);
	mock_settle(test->priv);
	KUNIT_EXPECT_PTR_EQ(test, c->prog.ranges, ranges);
	KUNIT_EXPECT_EQ(test, mock_commits(test->priv), commits);
}

/* as many as there is room for, or none */
static void more_than_eight(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);
	struct gpubp_slot_ranges ranges;
	unsigned int i;

	for (i = 0; i <= GPUBP_HANDLER_RANGES; i++)
		mock_open(test, MOCK_VA + 4 * i, 2, STORES);
	mock_settle(test->priv);
	ranges = ranges_of(test, c, MOCK_VA);
	KUNIT_EXPECT_GT(test, ranges.nr, 0);
	KUNIT_EXPECT_LE(test, ranges.nr, GPUBP_HANDLER_RANGES);
	KUNIT_EXPECT_EQ(test, ranges.counted, 0);
}

/* ---- more than comparators ----------------------------------------------- */

#define MANY		(3 * MOCK_SLOTS)
#define STEP		(2 * BLOCK)
#define STRAY_NS	2000	/* of a device that does not say */

static void open_many(struct kunit *test, unsigned int nr, u64 step)
{
	unsigned int i;

	for (i = 0; i < nr; i++)
		mock_open(test, MOCK_VA + i * step, 4, STORES);
	mock_settle(test->priv);
}

static unsigned int nr_armed(struct mock_ctx *c)
{
	unsigned int i, armed = 0;

	for (i = 0; i < MANY; i++)
		armed += !!mock_slots(c, MOCK_VA + i * STEP);
	return armed;
}

static u32 stray(const struct mock_ctx *c)
{
	guard(mutex)(&c->m->dev->lock);
	return c->ctx->sched->cover.stray;
}

static u64 strays_ns(const struct mock_ctx *c)
{
	return READ_ONCE(c->ctx->sched->cover.strays_ns);
}

/* the provider lets strays go on: what does not fit shares wider comparators */
static void many_share_wide_ones(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);

	open_many(test, MANY, STEP);
	KUNIT_EXPECT_EQ(test, nr_armed(c), MANY);
}

/* which one of its comparator it is; -1: none of its own */
static int range_index(const struct gpubp_slot_ranges *ranges, u64 addr)
{
	unsigned int i;

	for (i = 0; i < ranges->nr; i++)
		if (range_is(ranges, i, addr, 4) && ranges->counted & BIT(i))
			return i;
	return -1;
}

static void report_one(struct kunit *test, struct mock_ctx *c, u64 addr, u32 nr)
{
	struct gpubp_slot_counts counts = { .strays = 1 };
	struct gpubp_slot_ranges ranges = ranges_of(test, c, addr);
	int i = range_index(&ranges, addr);

	KUNIT_ASSERT_GE(test, i, 0);
	counts.hits[i] = nr;
	report(test, c, addr, &counts);
}

/* blocks are no larger than needed: so many fit into their ranges */
static void each_of_a_wide_one_has_its_count(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);
	struct perf_event *event[MANY];
	unsigned int i;

	for (i = 0; i < MANY; i++)
		event[i] = mock_open(test, MOCK_VA + i * STEP, 4, STORES);
	mock_settle(test->priv);
	for (i = 0; i < MANY; i++)
		report_one(test, c, MOCK_VA + i * STEP, 10 + i);
	for (i = 0; i < MANY; i++)
		KUNIT_EXPECT_EQ(test, mock_count(event[i]), 10 + i);
}

/* a hit of an access that may be another one is no stray: turns */
static void not_if_accesses_are_not_known(struct kunit *test)
{
	struct gpubp_caps caps = ranges_caps();
	struct mock *precise = test->priv;
	struct mock_ctx *c;

	caps.precise = false;
	KUNIT_ASSERT_EQ(test, ranges_register(test, &caps), 0);
	mock_unregister(precise);
	c = mock_ctx(test);
	open_many(test, MANY, STEP);
	KUNIT_EXPECT_EQ(test, stray(c), 0);
	KUNIT_EXPECT_LE(test, nr_armed(c), MOCK_SLOTS);
}

static void strays_cost_what_they_take(struct kunit *test)
{
	const struct gpubp_slot_counts counts = { .strays = 10 };
	struct mock_ctx *c = mock_ctx(test);

	open_many(test, MANY, STEP);
	report(test, c, MOCK_VA, &counts);
	KUNIT_EXPECT_EQ(test, strays_ns(c), 10 * STRAY_NS);
	mock_settle(test->priv);
	KUNIT_EXPECT_EQ(test, nr_armed(c), MANY);
}

/* of a block of its own they are not avoided by turns */
static void strays_of_few_cost_nothing(struct kunit *test)
{
	const struct gpubp_slot_counts counts = { .strays = USEC_PER_SEC };
	struct mock_ctx *c = mock_ctx(test);

	open_many(test, MOCK_SLOTS, STEP);
	report(test, c, MOCK_VA, &counts);
	KUNIT_EXPECT_EQ(test, strays_ns(c), 0);
}

static void report_many_strays(struct mock_ctx *c)
{
	const struct gpubp_slot_counts counts = { .strays = 10 * USEC_PER_SEC };

	gpubp_report_counts(c->ctx, c->prog.ranges, 0, &counts);
}

static void report_one_lost(struct mock_ctx *c)
{
	gpubp_report_lost(c->ctx, 1);
}

/* for a while: then they are widened again, so that a slow machine may miss it */
static bool soon_take_turns(struct mock_ctx *c, void (*again)(struct mock_ctx *c))
{
	unsigned long end = jiffies + 60 * HZ;
	bool turns = false;

	while (!turns && time_before(jiffies, end)) {
		again(c);
		mock_settle(c->m);
		turns = !stray(c) && nr_armed(c) <= MOCK_SLOTS;
	}
	return turns;
}

/* more of them than the budget has: the watches take turns */
static void turns_if_strays_are_too_many(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);

	open_many(test, MANY, STEP);
	KUNIT_ASSERT_NE(test, stray(c), 0);
	KUNIT_EXPECT_TRUE(test, soon_take_turns(c, report_many_strays));
}

/* events would count too few of all, and say that they had all of the time */
static void turns_if_hits_are_lost(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);

	open_many(test, MANY, STEP);
	KUNIT_ASSERT_NE(test, stray(c), 0);
	KUNIT_EXPECT_TRUE(test, soon_take_turns(c, report_one_lost));
}

/* of watches that are too many for ranges of their own the provider records strays, too */
static void strays_that_are_recorded_cost_too(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);
	struct mock_stop stop = { .without = GPUBP_HITF_CODE };
	struct gpubp_hit hit;

	open_many(test, MANY, STEP);
	KUNIT_ASSERT_NE(test, stray(c), 0);
	hit = mock_hit(c, &stop);
	hit.stopped = GPUBP_STOPS_NONE;
	hit.valid |= GPUBP_HITF_PC | GPUBP_HITF_EXEC | GPUBP_HITF_SLOTS | GPUBP_HITF_ADDR;
	hit.exec = 1;
	hit.slots = mock_slots(c, MOCK_VA);
	hit.addr = MOCK_VA + BLOCK;
	hit.width = 4;
	hit.access = STORES;
	KUNIT_EXPECT_EQ(test, mock_report(c->m, &hit), GPUBP_TAKEN);
	mock_quiesce(test);
	KUNIT_EXPECT_EQ(test, mock_stat(c->m, GPUBP_STAT_STRAY_BYTES), 1);
	KUNIT_EXPECT_GE(test, strays_ns(c), 2 * STRAY_NS);
}

static struct kunit_case ranges_tests[] = {
	KUNIT_CASE(what_is_watched),
	KUNIT_CASE(events_have_their_counts),
	KUNIT_CASE(of_two_blocks),
	KUNIT_CASE(two_events_of_a_range),
	KUNIT_CASE(a_sampling_event),
	KUNIT_CASE(an_event_that_is_gone),
	KUNIT_CASE(what_does_not_change),
	KUNIT_CASE(more_than_eight),
	KUNIT_CASE(many_share_wide_ones),
	KUNIT_CASE(each_of_a_wide_one_has_its_count),
	KUNIT_CASE(not_if_accesses_are_not_known),
	KUNIT_CASE(strays_cost_what_they_take),
	KUNIT_CASE(strays_of_few_cost_nothing),
	KUNIT_CASE(turns_if_strays_are_too_many),
	KUNIT_CASE(turns_if_hits_are_lost),
	KUNIT_CASE(strays_that_are_recorded_cost_too),
	{}
};

static struct kunit_suite ranges_suite = {
	.name = "gpubp_ranges",
	.init = ranges_init,
	.exit = mock_exit,
	.test_cases = ranges_tests,
};
kunit_test_suite(ranges_suite);
