// SPDX-License-Identifier: GPL-2.0
/* Coalescing: adjacent watches share comparators, through the real PMU. */
#include <linux/delay.h>
#include <linux/err.h>

#include "core/device.h"
#include "core/quota.h"
#include "lib/policy.h"
#include "mock.h"
#include "sched/coalesce.h"
#include "sched/sched.h"
#include "sched/watch.h"

#define GRANULE		64
#define AT(n)		(MOCK_VA + (n) * GRANULE)
#define LOAD		GPUBP_ACCESS_LOAD
#define STORE		GPUBP_ACCESS_STORE

static unsigned int old_max_stray;

static int coalesce_init(struct kunit *test)
{
	old_max_stray = gpubp_max_stray;
	gpubp_max_stray = 1;
	return mock_init(test);
}

static void coalesce_exit(struct kunit *test)
{
	mock_exit(test);
	gpubp_max_stray = old_max_stray;
}

static bool armed(struct mock_ctx *c, int n)
{
	struct gpubp_watch *w;

	guard(mutex)(&c->m->dev->lock);
	w = gpubp_watch_first(c->ctx, AT(n), AT(n));
	return w && w->slots;
}

static void open_every(struct kunit *test, int nr, int step)
{
	int i;

	for (i = 0; i < nr; i += step)
		mock_open(test, AT(i), 4, STORE);
}

static void expect_all_armed(struct kunit *test, struct mock_ctx *c, int nr,
			     int step, unsigned int slots)
{
	int i;

	mock_settle(c->m);
	KUNIT_EXPECT_EQ(test, hweight32(mock_valid(c->m)), slots);
	for (i = 0; i < nr; i += step) {
		KUNIT_EXPECT_TRUE_MSG(test, armed(c, i), "watch %d", i);
		KUNIT_EXPECT_NE_MSG(test, mock_slots(c, AT(i)), 0, "granule %d",
				    i);
	}
	KUNIT_EXPECT_EQ(test, mock_slots(c, AT(nr)), 0u);
}

/* like gpubp_policy_rotates(), which is not exported to modules */
static bool rotates(struct mock_ctx *c)
{
	const struct gpubp_policy *p = &c->m->dev->sched->policy;

	guard(mutex)(&c->m->dev->lock);
	return p->flexible && p->armed < p->fairq.nr;
}

static void expect_nothing_changes(struct kunit *test, struct mock_ctx *c)
{
	KUNIT_EXPECT_FALSE(test, rotates(c));
	KUNIT_EXPECT_TRUE(test, mock_is_idle(c->m));
}

static void sixteen_neighbours_stand_still(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);

	open_every(test, 16, 1);
	expect_all_armed(test, c, 16, 1, 1);
	expect_nothing_changes(test, c);
}

/* closing a watch leaves no stray and does not disarm its neighbours */
static void a_neighbour_goes_and_comes_back(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);
	struct perf_event *fifth = NULL;
	int i;

	for (i = 0; i < 16; i++) {
		struct perf_event *e = mock_open(test, AT(i), 4, STORE);

		fifth = i == 5 ? e : fifth;
	}
	mock_settle(c->m);
	mock_close(c->m, fifth);
	mock_settle(c->m);
	KUNIT_EXPECT_EQ(test, mock_slots(c, AT(5)), 0u);
	for (i = 0; i < 16; i++)
		if (i != 5)
			KUNIT_EXPECT_TRUE_MSG(test, armed(c, i), "watch %d", i);
	mock_open(test, AT(5), 4, STORE);
	expect_all_armed(test, c, 16, 1, 1);
}

static void both_halves_of_one_that_takes_two(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);

	mock_open(test, AT(1), 2 * GRANULE, STORE);
	mock_settle(c->m);
	KUNIT_EXPECT_NE(test, mock_slots(c, AT(1)), 0u);
	KUNIT_EXPECT_NE(test, mock_slots(c, AT(2)), 0u);
}

/* a hit belongs to the watch whose bytes it accessed, however wide the block */
static void each_has_its_own_hits(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);
	struct perf_event *e[16];
	int i;

	for (i = 0; i < 16; i++)
		e[i] = mock_open(test, AT(i), 4, STORE);
	mock_settle(c->m);
	/* one at a time: the mock reads the registers of one wave */
	for (i = 0; i < 18; i++) {
		mock_store(c, i < 16 ? AT(i) : AT(3) + 8 * (i - 16));
		mock_quiesce(test);
	}
	for (i = 0; i < 16; i++)
		KUNIT_EXPECT_EQ(test, mock_count(e[i]), i == 3 ? 2 : 1);
	mock_expect_stats_balance(test);
}

/* watches every fourth granule of sixteen, which takes @slots slots */
static struct mock_ctx *every_fourth(struct kunit *test, unsigned int slots,
				     struct perf_event *event[4])
{
	struct mock_ctx *c = mock_ctx(test);
	int i;

	for (i = 0; i < 4; i++)
		event[i] = mock_open(test, AT(4 * i), 4, STORE);
	mock_settle(c->m);
	KUNIT_EXPECT_EQ(test, hweight32(mock_valid(c->m)), slots);
	return c;
}

/* one byte in four is watched: that fits strays of 1/4, not of 1/3 */
static void one_of_so_many_is_enough(struct kunit *test)
{
	struct perf_event *event[4];
	struct mock_ctx *c;

	gpubp_max_stray = 4;
	c = every_fourth(test, 1, event);
	KUNIT_EXPECT_NE(test, mock_slots(c, AT(15)), 0u);
	KUNIT_EXPECT_EQ(test, mock_slots(c, AT(16)), 0u);
}

static void one_of_more_is_not(struct kunit *test)
{
	struct perf_event *event[4];
	struct mock_ctx *c;
	int i;

	gpubp_max_stray = 3;
	c = every_fourth(test, 4, event);
	for (i = 0; i < 16; i++)
		KUNIT_EXPECT_EQ_MSG(test, hweight32(mock_slots(c, AT(i))),
				    (unsigned int)(i % 4 < 2), "granule %d", i);
}

/*
 * an event that allows strays can read their number; they are not counted as
 * hits
 */
static void strays_are_counted_as_strays(struct kunit *test)
{
	struct perf_event *event[4];
	struct mock_ctx *c;
	int i;

	gpubp_max_stray = 4;
	c = every_fourth(test, 1, event);
	for (i = 0; i < 16; i++) {
		KUNIT_EXPECT_EQ(test, mock_store(c, AT(i)), GPUBP_TAKEN);
		mock_quiesce(test);
	}
	KUNIT_EXPECT_EQ(test, mock_stat(c->m, GPUBP_STAT_STRAY_BYTES), 12);
	KUNIT_EXPECT_EQ(test, mock_stat(c->m, GPUBP_STAT_DELIVERED), 4);
	for (i = 0; i < 4; i++)
		KUNIT_EXPECT_EQ(test, mock_count(event[i]), 1);
}

static void strays_that_are_not(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);
	int i;

	open_every(test, 16, 2);
	mock_settle(c->m);
	KUNIT_EXPECT_TRUE(test, rotates(c));
	for (i = 1; i < 16; i += 2)
		KUNIT_EXPECT_EQ(test, mock_slots(c, AT(i)), 0u);
}

static void nobody_is_lifted_if_told_so(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);

	gpubp_max_stray = 0;
	open_every(test, 16, 1);
	mock_settle(c->m);
	KUNIT_EXPECT_TRUE(test, rotates(c));
}

/* loads from bytes where only stores are watched would be strays */
static void loads_and_stores_apart(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);
	int i;

	for (i = 0; i < 16; i++)
		mock_open(test, AT(i), 4, i < 8 ? STORE : LOAD);
	expect_all_armed(test, c, 16, 1, 2);
	KUNIT_EXPECT_FALSE(test, rotates(c));
}

/* of blocks with so many granules no trie is made */
static void largest_blocks_are_not_widened(struct kunit *test)
{
	struct gpubp_caps caps = mock_caps;
	struct mock_ctx *c;

	caps.max_block = BIT_ULL(40);
	mock_replace(test, &caps);
	c = mock_ctx(test);
	open_every(test, 2, 1);
	expect_all_armed(test, c, 2, 1, 2);
}

static void a_pinned_neighbour(struct kunit *test)
{
	struct perf_event_attr attr = mock_attr(AT(0), 4, STORE);
	struct mock_ctx *c = mock_ctx(test);
	int i;

	attr.pinned = 1;
	KUNIT_ASSERT_FALSE(test, IS_ERR(mock_open_attr(test, &attr, current,
						       NULL, NULL)));
	for (i = 1; i < 16; i++)
		mock_open(test, AT(i), 4, STORE);
	mock_settle(c->m);
	for (i = 0; i < 16; i++)
		KUNIT_EXPECT_TRUE_MSG(test, armed(c, i), "watch %d", i);
	KUNIT_EXPECT_LE(test, hweight32(mock_valid(c->m)), 2u);
}

/* ---- max_stray changes ------------------------------------------------------ */

static bool has_tries(struct mock_ctx *c)
{
	const struct gpubp_coalescing *co = &c->ctx->sched->coalescing;
	unsigned int i, nr = 0;

	guard(mutex)(&c->m->dev->lock);
	for (i = 0; i < ARRAY_SIZE(co->tries); i++)
		nr += !!co->tries[i].root;
	return nr;
}

/* waits for the commits that a rotating device makes anyway */
static bool await_tries(struct mock_ctx *c, bool has)
{
	int i;

	for (i = 0; i < 500 && has_tries(c) != has; i++)
		msleep(10);
	return has_tries(c) == has;
}

static void widened_from_then_on(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);

	WRITE_ONCE(gpubp_max_stray, 0);
	open_every(test, 16, 1);
	mock_settle(c->m);
	KUNIT_EXPECT_TRUE(test, rotates(c));
	KUNIT_EXPECT_FALSE(test, has_tries(c));
	WRITE_ONCE(gpubp_max_stray, 1);
	KUNIT_EXPECT_TRUE(test, await_tries(c, true));
	expect_all_armed(test, c, 16, 1, 1);
}

static void apart_from_then_on(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);

	open_every(test, 64, 1);
	mock_open(test, AT(100), 4, STORE);
	mock_open(test, AT(102), 4, STORE);
	mock_open(test, AT(104), 4, STORE);
	mock_open(test, AT(106), 4, STORE);
	mock_settle(c->m);
	KUNIT_EXPECT_TRUE(test, rotates(c));
	KUNIT_EXPECT_TRUE(test, has_tries(c));
	WRITE_ONCE(gpubp_max_stray, 0);
	KUNIT_EXPECT_TRUE(test, await_tries(c, false));
	mock_settle(c->m);
	KUNIT_EXPECT_TRUE(test, rotates(c));
}

#define CROWD	2500	/* takes three commits */

/* watches without bindings; the device lock is held until put_crowd() */
static struct gpubp_watch **get_crowd(struct kunit *test, struct mock_ctx *c)
{
	struct gpubp_user *user = gpubp_user_lookup(GLOBAL_ROOT_UID, true);
	struct gpubp_watch **w =
		kunit_kcalloc(test, CROWD, sizeof(*w), GFP_KERNEL);
	int i;

	KUNIT_ASSERT_NOT_NULL(test, user);
	KUNIT_ASSERT_NOT_NULL(test, w);
	mutex_lock(&c->m->dev->lock);
	for (i = 0; i < CROWD; i++) {
		w[i] = gpubp_watch_get(c->ctx, AT(i), 4, STORE, user, false);
		if (IS_ERR(w[i]))
			break;
	}
	gpubp_user_put(user);
	KUNIT_EXPECT_EQ(test, i, CROWD);
	return w;
}

static void put_crowd(struct mock_ctx *c, struct gpubp_watch **w)
{
	int i;

	for (i = 0; i < CROWD; i++)
		if (!IS_ERR_OR_NULL(w[i]))
			gpubp_watch_free_unused(w[i]);
	mutex_unlock(&c->m->dev->lock);
}

static unsigned int nr_coalescing(struct gpubp_watch **w)
{
	unsigned int nr = 0;
	int i;

	for (i = 0; i < CROWD; i++)
		nr += w[i] && w[i]->coalesces;
	return nr;
}

static u64 cover_size(const struct gpubp_watch *w)
{
	struct gpubp_block block[GPUBP_MAX_BLOCKS];

	return gpubp_coalesce_cover(w, 1, block) == 1 ?
	       gpubp_block_size(&block[0]) : 0;
}

/* no commit holds the lock for all of them */
static void so_many_at_a_time(struct kunit *test)
{
	struct gpubp_device *dev;
	struct gpubp_watch **w;
	struct mock_ctx *c;

	WRITE_ONCE(gpubp_max_stray, 0);
	c = mock_ctx(test);
	dev = c->m->dev;
	w = get_crowd(test, c);
	KUNIT_EXPECT_TRUE(test, gpubp_coalesce_update(dev));
	KUNIT_EXPECT_EQ(test, nr_coalescing(w), 0u);

	WRITE_ONCE(gpubp_max_stray, 1);
	KUNIT_EXPECT_FALSE(test, gpubp_coalesce_update(dev));
	KUNIT_EXPECT_EQ(test, nr_coalescing(w), 1024u);
	KUNIT_EXPECT_EQ(test, cover_size(w[0]), GRANULE);
	/* the next one to be added goes */
	gpubp_watch_free_unused(w[1024]);
	w[1024] = NULL;
	KUNIT_EXPECT_FALSE(test, gpubp_coalesce_update(dev));
	KUNIT_EXPECT_EQ(test, nr_coalescing(w), 2048u);
	KUNIT_EXPECT_TRUE(test, gpubp_coalesce_update(dev));
	KUNIT_EXPECT_EQ(test, nr_coalescing(w), CROWD - 1u);
	KUNIT_EXPECT_GT(test, cover_size(w[0]), GRANULE);
	KUNIT_EXPECT_EQ(test, cover_size(w[1025]), GRANULE);

	WRITE_ONCE(gpubp_max_stray, 0);
	KUNIT_EXPECT_EQ(test, cover_size(w[0]), GRANULE);
	KUNIT_EXPECT_FALSE(test, gpubp_coalesce_update(dev));
	KUNIT_EXPECT_EQ(test, nr_coalescing(w), CROWD - 1u - 1024);
	/* on again before all are removed */
	WRITE_ONCE(gpubp_max_stray, 1);
	KUNIT_EXPECT_EQ(test, cover_size(w[2048]), GRANULE);
	while (!gpubp_coalesce_update(dev))
		;
	KUNIT_EXPECT_EQ(test, nr_coalescing(w), CROWD - 1u);
	put_crowd(c, w);
	KUNIT_EXPECT_FALSE(test, has_tries(c));

	/* at once if it was on before the context existed */
	c = mock_ctx(test);
	w = get_crowd(test, c);
	KUNIT_EXPECT_EQ(test, nr_coalescing(w), CROWD + 0u);
	put_crowd(c, w);
}

/* ---- masks with holes ------------------------------------------------------- */

static int holes_init(struct kunit *test)
{
	struct gpubp_caps caps = mock_caps;

	caps.ternary = true;
	old_max_stray = gpubp_max_stray;
	gpubp_max_stray = 1;
	return mock_init_with(test, &caps);
}

static void expect_no_strays(struct kunit *test, struct mock_ctx *c, int nr,
			     int step)
{
	int i;

	for (i = 0; i < nr; i++)
		if (i % step)
			KUNIT_EXPECT_EQ_MSG(test, mock_slots(c, AT(i)), 0u,
					    "granule %d", i);
}

/* without holes in masks: strays_that_are_not() */
static void every_second_struct_exactly(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);

	open_every(test, 16, 2);
	expect_all_armed(test, c, 16, 2, 1);
	expect_no_strays(test, c, 16, 2);
	expect_nothing_changes(test, c);
}

/* strays are allowed, but only where they save a comparator */
static void no_strays_though_they_are_allowed(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);

	gpubp_max_stray = 8;
	open_every(test, 64, 4);
	expect_all_armed(test, c, 64, 4, 1);
	expect_no_strays(test, c, 64, 4);
}

/* another watch between them keeps its own comparator */
static void a_stranger_in_the_holes(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);

	open_every(test, 16, 2);
	mock_open(test, AT(5), 4, LOAD);
	expect_all_armed(test, c, 16, 2, 2);
	KUNIT_EXPECT_TRUE(test, armed(c, 5));
	KUNIT_EXPECT_EQ(test, hweight32(mock_slots(c, AT(5))), 1u);
	KUNIT_EXPECT_EQ(test, mock_slots(c, AT(3)), 0u);
	KUNIT_EXPECT_FALSE(test, rotates(c));
}

static void each_field_has_its_own_hits(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);
	struct perf_event *e[8];
	int i;

	for (i = 0; i < 8; i++)
		e[i] = mock_open(test, AT(2 * i), 4, STORE);
	mock_settle(c->m);
	for (i = 0; i < 9; i++) {
		mock_store(c, AT(2 * (i % 8)));
		mock_quiesce(test);
	}
	for (i = 0; i < 8; i++)
		KUNIT_EXPECT_EQ(test, mock_count(e[i]), i ? 1 : 2);
	mock_expect_stats_balance(test);
}

/* six of eight take two blocks: no watch is armed less than without holes */
static void a_field_goes_and_comes_back(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);
	struct perf_event *e[8];
	int i;

	for (i = 0; i < 8; i++)
		e[i] = mock_open(test, AT(2 * i), 4, STORE);
	mock_settle(c->m);
	mock_close(c->m, e[7]);
	mock_close(c->m, e[6]);
	mock_settle(c->m);
	KUNIT_EXPECT_EQ(test, mock_slots(c, AT(12)), 0u);
	KUNIT_EXPECT_EQ(test, mock_slots(c, AT(14)), 0u);
	KUNIT_EXPECT_FALSE(test, rotates(c));
	for (i = 0; i < 6; i++)
		KUNIT_EXPECT_TRUE_MSG(test, armed(c, 2 * i), "watch %d", 2 * i);
	mock_open(test, AT(12), 4, STORE);
	mock_open(test, AT(14), 4, STORE);
	expect_all_armed(test, c, 16, 2, 1);
}

static struct kunit_case coalesce_test_cases[] = {
	KUNIT_CASE(sixteen_neighbours_stand_still),
	KUNIT_CASE(a_neighbour_goes_and_comes_back),
	KUNIT_CASE(both_halves_of_one_that_takes_two),
	KUNIT_CASE(each_has_its_own_hits),
	KUNIT_CASE(one_of_so_many_is_enough),
	KUNIT_CASE(one_of_more_is_not),
	KUNIT_CASE(strays_are_counted_as_strays),
	KUNIT_CASE(strays_that_are_not),
	KUNIT_CASE(nobody_is_lifted_if_told_so),
	KUNIT_CASE(loads_and_stores_apart),
	KUNIT_CASE(largest_blocks_are_not_widened),
	KUNIT_CASE(a_pinned_neighbour),
	KUNIT_CASE(widened_from_then_on),
	KUNIT_CASE(apart_from_then_on),
	KUNIT_CASE(so_many_at_a_time),
	{}
};

static struct kunit_suite coalesce_test_suite = {
	.name = "gpubp_coalesce",
	.init = coalesce_init,
	.exit = coalesce_exit,
	.test_cases = coalesce_test_cases,
};

static struct kunit_case holes_test_cases[] = {
	KUNIT_CASE(every_second_struct_exactly),
	KUNIT_CASE(no_strays_though_they_are_allowed),
	KUNIT_CASE(a_stranger_in_the_holes),
	KUNIT_CASE(each_field_has_its_own_hits),
	KUNIT_CASE(a_field_goes_and_comes_back),
	{}
};

static struct kunit_suite holes_test_suite = {
	.name = "gpubp_coalesce_holes",
	.init = holes_init,
	.exit = coalesce_exit,
	.test_cases = holes_test_cases,
};
kunit_test_suites(&coalesce_test_suite, &holes_test_suite);
