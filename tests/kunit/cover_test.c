// SPDX-License-Identifier: GPL-2.0
/*
 * Covers: comparators that are widened over many watches in place of turns, how
 * far, in which contexts, and what ends it.
 */
#include <linux/delay.h>
#include <linux/jiffies.h>

#include "event/event.h"
#include "event/reconcile.h"
#include "handler_rig.h"
#include "sched/sched.h"

#define STORES		GPUBP_ACCESS_STORE
#define BLOCK		64
#define FAR		SZ_1M		/* no cover of 4096 bytes a byte reaches so far */

/* watches of 4 bytes, @step bytes apart */
static void open_row(struct kunit *test, u64 addr, unsigned int nr, u64 step)
{
	unsigned int i;

	for (i = 0; i < nr; i++)
		mock_open(test, addr + i * step, 4, STORES);
}

static unsigned int nr_armed(struct mock_ctx *c, u64 addr, unsigned int nr,
			     u64 step)
{
	unsigned int i, armed = 0;

	for (i = 0; i < nr; i++)
		armed += !!mock_slots(c, addr + i * step);
	return armed;
}

static u32 stray(struct mock_ctx *c)
{
	guard(mutex)(&c->m->dev->lock);
	return c->ctx->sched->cover.stray;
}

/* a context of one user may have waited for another's commit: until it is so */
static bool soon(bool (*is)(struct mock_ctx *c), struct mock_ctx *c)
{
	unsigned long end = jiffies + 60 * HZ;

	while (!is(c) && time_before(jiffies, end)) {
		mock_settle(c->m);
		msleep(1);
	}
	return is(c);
}

/* the commit that widens them may still run */
static bool forty_are_armed(struct mock_ctx *c)
{
	return stray(c) && nr_armed(c, MOCK_VA, 40, BLOCK) == 40;
}

static bool is_narrow(struct mock_ctx *c)
{
	return !stray(c);
}

static bool is_wide(struct mock_ctx *c)
{
	return stray(c);
}

static void all_are_armed(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);
	unsigned int commits;

	open_row(test, MOCK_VA, 40, BLOCK);
	handler_rig_settle(c);
	KUNIT_EXPECT_TRUE(test, soon(forty_are_armed, c));
	commits = mock_commits(c->m);
	msleep(100);
	KUNIT_EXPECT_EQ(test, mock_commits(c->m), commits);
}

static void only_if_there_are_too_many(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);

	open_row(test, MOCK_VA, MOCK_SLOTS, BLOCK);
	handler_rig_settle(c);
	KUNIT_EXPECT_EQ(test, stray(c), 0);
	KUNIT_EXPECT_EQ(test, nr_armed(c, MOCK_VA, MOCK_SLOTS, BLOCK),
			MOCK_SLOTS);
}

#define WIDE_VA		(MOCK_VA + SZ_4K - BLOCK)	/* of two blocks */

static bool all_five_are_armed(struct mock_ctx *c)
{
	return nr_armed(c, MOCK_VA, MOCK_SLOTS - 1, BLOCK) == MOCK_SLOTS - 1 &&
	       mock_slots(c, WIDE_VA) && mock_slots(c, WIDE_VA + BLOCK);
}

/* no more watches than comparators, but one of them needs two */
static void one_of_few_needs_two(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);

	open_row(test, MOCK_VA, MOCK_SLOTS - 1, BLOCK);
	mock_open(test, WIDE_VA, 5 * BLOCK, STORES);
	handler_rig_settle(c);
	KUNIT_EXPECT_TRUE(test, soon(is_wide, c));
	KUNIT_EXPECT_TRUE(test, soon(all_five_are_armed, c));
}

/* what is in one block needs no wider one, however many there are */
static void no_wider_than_needed(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);

	open_row(test, MOCK_VA, 8, 8);
	handler_rig_settle(c);
	KUNIT_EXPECT_EQ(test, stray(c), 0);
	/* one byte in 16 of rows of words in each granule */
	open_row(test, MOCK_VA + FAR, 32, BLOCK);
	handler_rig_settle(c);
	KUNIT_EXPECT_TRUE(test, soon(is_wide, c));
	KUNIT_EXPECT_LE(test, stray(c), 16);
}

/* twelve watches that are near each other take turns if it is 0 */
static void expect_turns_without(struct kunit *test, const char *parameter)
{
	struct mock_ctx *c;

	mock_param(test, parameter, 0);
	c = mock_ctx(test);
	open_row(test, MOCK_VA, 12, BLOCK);
	handler_rig_settle(c);
	KUNIT_EXPECT_EQ(test, nr_armed(c, MOCK_VA, 12, BLOCK), MOCK_SLOTS);
	KUNIT_EXPECT_EQ(test, stray(c), 0);
}

static void not_if_root_does_not_want_it(struct kunit *test)
{
	expect_turns_without(test, "max_filter_percent");
}

static void not_without_filters(struct kunit *test)
{
	expect_turns_without(test, "handler_filters");
}

/* they take turns as without */
static void what_is_too_far_apart(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);

	open_row(test, MOCK_VA, 3 * MOCK_SLOTS, FAR);
	handler_rig_settle(c);
	mock_wait_commits(c->m, 3);
	KUNIT_EXPECT_EQ(test, stray(c), 0);
	KUNIT_EXPECT_EQ(test, nr_armed(c, MOCK_VA, 3 * MOCK_SLOTS, FAR),
			MOCK_SLOTS);
}

/* what the context has done since its creation saves nothing for later */
static void a_long_time_earns_a_window_at_most(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);

	open_row(test, MOCK_VA, 40, BLOCK);
	handler_rig_settle(c);
	KUNIT_ASSERT_TRUE(test, soon(forty_are_armed, c));
	msleep(300);
	gpubp_cover_charge(c->ctx, 250 * NSEC_PER_MSEC, NSEC_PER_MSEC);
	KUNIT_EXPECT_TRUE(test, soon(is_narrow, c));
}

/* a load may be of any byte of a block: these take turns */
static void loads_are_not_widened(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);
	unsigned int i;

	for (i = 0; i < 12; i++)
		mock_open(test, MOCK_VA + i * BLOCK, 4, GPUBP_ACCESS_LOAD);
	handler_rig_settle(c);
	mock_wait_commits(c->m, 3);
	KUNIT_EXPECT_EQ(test, nr_armed(c, MOCK_VA, 12, BLOCK), MOCK_SLOTS);
}

/* blocks in a block: as many comparators as there are different ones */
static void watches_inside_of_others(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);
	u64 step = SZ_4K;

	mock_open(test, MOCK_VA, 4 * step, STORES);
	mock_open(test, MOCK_VA, step, STORES);
	mock_open(test, MOCK_VA + step, 64, STORES);
	mock_open(test, MOCK_VA + 2 * step, 64, STORES);
	mock_open(test, MOCK_VA + 3 * step, 64, STORES);
	handler_rig_settle(c);
	KUNIT_EXPECT_TRUE(test, soon(is_wide, c));
	mock_settle(c->m);
	KUNIT_EXPECT_EQ(test, nr_armed(c, MOCK_VA, 4, step), 4);
}

/* stores and atomics have comparators of their own */
static void kinds_are_kept_apart(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);
	unsigned int i;

	open_row(test, MOCK_VA, 16, BLOCK);
	for (i = 0; i < 16; i++)
		mock_open(test, MOCK_VA + FAR + i * BLOCK, 4,
			  GPUBP_ACCESS_ATOMIC);
	handler_rig_settle(c);
	KUNIT_EXPECT_TRUE(test, soon(is_wide, c));
	mock_settle(c->m);
	KUNIT_EXPECT_EQ(test, nr_armed(c, MOCK_VA, 16, BLOCK), 16);
	KUNIT_EXPECT_EQ(test, nr_armed(c, MOCK_VA + FAR, 16, BLOCK), 16);
}

/* for a while: then they are widened again */
static bool budget_is_over(struct mock_ctx *c)
{
	gpubp_cover_charge(c->ctx, 10ULL * NSEC_PER_SEC, NSEC_PER_MSEC);
	return is_narrow(c) && nr_armed(c, MOCK_VA, 40, BLOCK) <= MOCK_SLOTS;
}

/* strays take more than they may: turns, and later another attempt */
static void turns_when_strays_cost_too_much(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);

	mock_short_quanta(test);
	open_row(test, MOCK_VA, 40, BLOCK);
	handler_rig_settle(c);
	KUNIT_ASSERT_TRUE(test, soon(is_wide, c));
	KUNIT_EXPECT_TRUE(test, soon(budget_is_over, c));
	KUNIT_EXPECT_TRUE(test, soon(forty_are_armed, c));
}

static void a_little_does_not_matter(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);

	open_row(test, MOCK_VA, 40, BLOCK);
	handler_rig_settle(c);
	KUNIT_ASSERT_TRUE(test, soon(is_wide, c));
	gpubp_cover_charge(c->ctx, NSEC_PER_MSEC, NSEC_PER_MSEC);
	handler_rig_settle(c);
	KUNIT_EXPECT_NE(test, stray(c), 0);
}

/* what the handler joined, the resolver finds: that wave stopped */
static void strays_that_stop_are_charged_too(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);
	u64 before;

	open_row(test, MOCK_VA, 40, BLOCK);
	handler_rig_settle(c);
	KUNIT_ASSERT_TRUE(test, soon(forty_are_armed, c));
	before = c->ctx->sched->cover.strays_ns;
	KUNIT_EXPECT_EQ(test, mock_store(c, MOCK_VA + 8), GPUBP_TAKEN);
	mock_quiesce(test);
	KUNIT_EXPECT_EQ(test, mock_stat(c->m, GPUBP_STAT_STRAY_BYTES), 1);
	KUNIT_EXPECT_GT(test, c->ctx->sched->cover.strays_ns, before);
}

/* each stray that the handler counted is as long as the device says */
static void filtered_strays_are_charged(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);
	struct gpubp_handler_filter *f;
	u64 before;

	open_row(test, MOCK_VA, 40, BLOCK);
	handler_rig_settle(c);
	KUNIT_ASSERT_TRUE(test, soon(forty_are_armed, c));
	before = c->ctx->sched->cover.strays_ns;
	f = handler_rig_filter(c, handler_rig_slot(test, c, MOCK_VA));
	WRITE_ONCE(f->strays, 10);
	handler_rig_collect(test, c);
	KUNIT_EXPECT_EQ(test, c->ctx->sched->cover.strays_ns, before + 10 * 2000);
}

static void hits_are_exact(struct kunit *test)
{
	struct perf_event *event[12];
	struct mock_ctx *c = mock_ctx(test);
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(event); i++)
		event[i] = mock_open(test, MOCK_VA + i * BLOCK, 4, STORES);
	handler_rig_settle(c);
	KUNIT_ASSERT_TRUE(test, soon(is_wide, c));
	for (i = 0; i < ARRAY_SIZE(event); i++) {
		KUNIT_EXPECT_EQ(test, mock_store(c, MOCK_VA + i * BLOCK),
				GPUBP_TAKEN);
		mock_quiesce(test);
	}
	for (i = 0; i < ARRAY_SIZE(event); i++)
		KUNIT_EXPECT_EQ(test, mock_count(event[i]), 1);
}

/* watches that go leave narrower blocks */
static void narrow_again(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);
	struct perf_event *event[8];
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(event); i++)
		event[i] = mock_open(test, MOCK_VA + i * BLOCK, 4, STORES);
	open_row(test, MOCK_VA + 8 * BLOCK, 4, BLOCK);
	handler_rig_settle(c);
	KUNIT_ASSERT_TRUE(test, soon(is_wide, c));
	for (i = 0; i < ARRAY_SIZE(event); i++)
		mock_close(c->m, event[i]);
	handler_rig_settle(c);
	KUNIT_EXPECT_TRUE(test, soon(is_narrow, c));
	KUNIT_EXPECT_EQ(test, nr_armed(c, MOCK_VA + 8 * BLOCK, 4, BLOCK), 4);
}

static struct kunit_case cover_test_cases[] = {
	KUNIT_CASE(all_are_armed),
	KUNIT_CASE(only_if_there_are_too_many),
	KUNIT_CASE(one_of_few_needs_two),
	KUNIT_CASE(no_wider_than_needed),
	KUNIT_CASE(not_if_root_does_not_want_it),
	KUNIT_CASE(not_without_filters),
	KUNIT_CASE(what_is_too_far_apart),
	KUNIT_CASE(a_long_time_earns_a_window_at_most),
	KUNIT_CASE(loads_are_not_widened),
	KUNIT_CASE(watches_inside_of_others),
	KUNIT_CASE(kinds_are_kept_apart),
	KUNIT_CASE(turns_when_strays_cost_too_much),
	KUNIT_CASE(a_little_does_not_matter),
	KUNIT_CASE(strays_that_stop_are_charged_too),
	KUNIT_CASE(filtered_strays_are_charged),
	KUNIT_CASE(hits_are_exact),
	KUNIT_CASE(narrow_again),
	{}
};

static struct kunit_suite cover_test_suite = {
	.name = "gpubp_cover",
	.init = handler_rig_init,
	.exit = mock_exit,
	.test_cases = cover_test_cases,
};
kunit_test_suite(cover_test_suite);
