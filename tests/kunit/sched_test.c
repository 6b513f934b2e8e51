// SPDX-License-Identifier: GPL-2.0
/*
 * Scheduler: more watches than comparators, through the real PMU. Which watch has its
 * turn is in tests/host/policy.
 */
#include <linux/delay.h>
#include <linux/jiffies.h>

#include "mock.h"
#include "sched/sched.h"

#define ADDR(n)	(MOCK_VA + (n) * 0x1000ULL)
#define STORE	GPUBP_ACCESS_STORE
#define QUANTA	60

/* open events at ADDR(from) .. ADDR(to - 1), each with a probe */
static void open_watches(struct kunit *test, struct mock_ctx *c, int from,
			 int to)
{
	int i;

	for (i = from; i < to; i++) {
		mock_open(test, ADDR(i), 4, STORE);
		mock_probe(c, ADDR(i));
	}
}

static void open_pinned(struct kunit *test, struct mock_ctx *c, int n)
{
	struct perf_event_attr attr = mock_attr(ADDR(n), 4, STORE);

	attr.pinned = 1;
	KUNIT_ASSERT_FALSE(test, IS_ERR(mock_open_attr(test, &attr, current,
						       NULL, NULL)));
	mock_probe(c, ADDR(n));
}

/* wait until all watches are armed once, then observe many quanta */
static void observe(struct kunit *test, struct mock *m)
{
	mock_settle(m);
	mock_probes_restart(m);
	KUNIT_ASSERT_TRUE_MSG(test, mock_wait_commits(m, QUANTA),
			      "the rotation stopped");
}

/*
 * @watches share @slots: all slots but one rotate in order, a single one in every
 * second quantum. Checks that probe @n had its share less one quantum, and
 * never waited for more than two rounds.
 */
static void expect_share(struct kunit *test, struct mock *m, int n,
			 unsigned int slots, unsigned int watches)
{
	unsigned int by_turns = slots > 1 ? 2 * (slots - 1) : 1; /* in 2 quanta */
	const struct mock_probe *p = &m->probes[n];

	KUNIT_EXPECT_GE_MSG(test, (p->armed + 1) * 2 * watches,
			    m->nr_quanta * by_turns,
			    "watch %d: %u of %u quanta", n, p->armed,
			    m->nr_quanta);
	KUNIT_EXPECT_LE_MSG(test, p->max_gap,
			    2 * DIV_ROUND_UP(2 * watches, by_turns),
			    "watch %d waited too long", n);
}

/*
 * probes @from .. @to - 1 have distinct blocks: @slots are armed in every
 * quantum
 */
static void expect_all_used(struct kunit *test, struct mock *m, int from,
			    int to, unsigned int slots)
{
	unsigned int sum = 0;
	int i;

	for (i = from; i < to; i++)
		sum += m->probes[i].armed;
	KUNIT_EXPECT_EQ_MSG(test, sum, m->nr_quanta * slots,
			    "a comparator is idle");
}

/* opened after the others, closed again later */
static void pinning_takes_effect_among_flexible_ones(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);
	struct mock_probe *p = &c->m->probes[5];

	open_watches(test, c, 0, 5);
	open_pinned(test, c, 5);
	observe(test, c->m);
	KUNIT_EXPECT_EQ(test, READ_ONCE(p->max_gap), 0u);
	mock_close(c->m, c->m->events[5]);
	mock_open(test, ADDR(5), 4, STORE);
	observe(test, c->m);
	mutex_lock(&c->m->lock);
	expect_share(test, c->m, 5, 4, 6);
	mutex_unlock(&c->m->lock);
}

/* no rotation if no watch waits */
static void four_watches_stand_still(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);
	int i;

	open_watches(test, c, 0, 4);
	mock_settle(c->m);
	for (i = 0; i < 4; i++)
		KUNIT_EXPECT_NE(test, mock_slots(c, ADDR(i)), 0);
	KUNIT_EXPECT_TRUE(test, mock_is_idle(c->m));
	/* in contrast to five watches */
	open_watches(test, c, 4, 5);
	mock_settle(c->m);
	KUNIT_EXPECT_FALSE(test, mock_is_idle(c->m));
}

/* opening and closing during rotation starves no watch */
static void events_come_and_go(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);
	unsigned int round;
	int i;

	open_watches(test, c, 0, 6);
	mock_settle(c->m);
	mock_probes_restart(c->m);
	for (round = 1; round <= 20; round++) {
		struct perf_event *e = mock_open(test, ADDR(7 + round % 5), 4,
						 STORE);

		KUNIT_ASSERT_TRUE(test, mock_wait_commits(c->m, 3 * round));
		mock_close(c->m, e);
	}
	mutex_lock(&c->m->lock);
	/* newly opened watches count as well */
	for (i = 0; i < 6; i++)
		KUNIT_EXPECT_LE_MSG(test, c->m->probes[i].max_gap,
				    2 * DIV_ROUND_UP(6 + 5, 3), "watch %d", i);
	mutex_unlock(&c->m->lock);
}

/* a device whose control words have a VMID */
static struct mock *tagged_mock(struct kunit *test)
{
	struct gpubp_caps caps = mock_caps;

	caps.cntl_banked = false;
	return mock_replace(test, &caps);
}

static void control_words_with_a_vmid_are_not_shared(struct kunit *test)
{
	struct mock *m = tagged_mock(test);
	struct mock_ctx *a = mock_ctx(test), *b = mock_ctx(test);

	mock_open(test, ADDR(0), 4, STORE);
	mock_settle(m);
	KUNIT_EXPECT_EQ(test, hweight32(mock_slots(a, ADDR(0))), 1u);
	KUNIT_EXPECT_EQ(test, hweight32(mock_slots(b, ADDR(0))), 1u);
	KUNIT_EXPECT_EQ(test, mock_slots(a, ADDR(0)) & mock_slots(b, ADDR(0)),
			0u);
}

/* six contexts, four slots: each context is scheduled */
static void contexts_take_turns_where_control_words_have_a_vmid(struct kunit *test)
{
	struct mock *m = tagged_mock(test);
	struct mock_ctx *c[6];
	int i;

	for (i = 0; i < 6; i++)
		c[i] = mock_ctx(test);
	mock_open(test, ADDR(0), 4, STORE);
	for (i = 0; i < 6; i++)
		mock_probe(c[i], ADDR(0));
	observe(test, m);
	mutex_lock(&m->lock);
	for (i = 0; i < 6; i++)
		expect_share(test, m, i, 4, 6);
	mutex_unlock(&m->lock);
}

/* one slot is reserved; the other contexts must leave slots to the rest */
static void pinned_in_many_contexts_with_a_vmid_each(struct kunit *test)
{
	struct mock *m = tagged_mock(test);
	struct mock_ctx *c[4];
	int i;

	for (i = 0; i < 4; i++)
		c[i] = mock_ctx(test);
	open_pinned(test, c[0], 0);
	mock_open(test, ADDR(1), 4, STORE);
	for (i = 0; i < 4; i++)
		mock_probe(c[i], ADDR(1));
	for (i = 1; i < 4; i++)
		mock_probe(c[i], ADDR(0));
	observe(test, m);
	mutex_lock(&m->lock);
	KUNIT_EXPECT_EQ(test, m->probes[0].armed, m->nr_quanta);
	for (i = 1; i < 8; i++)
		expect_share(test, m, i, 3, 7);
	expect_all_used(test, m, 1, 8, 3);
	mutex_unlock(&m->lock);
}

/* one comparator is reserved for all ranges with the name */
static void a_pinned_name_of_two_ranges(struct kunit *test)
{
	struct perf_event_attr attr = mock_attr(0, 1, STORE);
	struct mock_ctx *c = mock_ctx(test);
	int i;

	KUNIT_ASSERT_EQ(test, gpubp_buffer_name(c->ctx, ADDR(0), 4, MOCK_TWIN_A),
			0);
	KUNIT_ASSERT_EQ(test, gpubp_buffer_name(c->ctx, ADDR(1), 4, MOCK_TWIN_B),
			0);
	attr.pinned = 1;
	attr.config |= GPUBP_CONFIG_NAMED |
		       (u64)gpubp_name_hash(MOCK_TWIN_A) << GPUBP_CONFIG_CODE_SHIFT;
	KUNIT_ASSERT_FALSE(test, IS_ERR(mock_open_attr(test, &attr, current,
						       NULL, NULL)));
	for (i = 0; i < 2; i++)
		mock_probe(c, ADDR(i));
	open_watches(test, c, 2, 7);
	observe(test, c->m);
	mutex_lock(&c->m->lock);
	KUNIT_EXPECT_EQ(test, c->m->probes[0].armed, c->m->nr_quanta);
	for (i = 1; i < 7; i++)
		expect_share(test, c->m, i, 3, 6);
	mutex_unlock(&c->m->lock);
}

/* ---- policy and commit timer --------------------------------------------- */

/* the probability that a watch is never armed is (1/3)^QUANTA */
static void the_random_policy_leaves_nobody_out(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);
	int i;

	KUNIT_EXPECT_EQ(test, gpubp_sched_set_policy(c->m->dev, "round robin"),
			-EINVAL);
	KUNIT_ASSERT_EQ(test, gpubp_sched_set_policy(c->m->dev, "random\n"), 0);
	open_watches(test, c, 0, 6);
	observe(test, c->m);
	mutex_lock(&c->m->lock);
	for (i = 0; i < 6; i++)
		KUNIT_EXPECT_GT(test, c->m->probes[i].armed, 0u);
	expect_all_used(test, c->m, 0, 6, 4);
	mutex_unlock(&c->m->lock);
}

#define COMMIT_MS	10
#define PERCENT		10
#define PAID_AFTER_MS	(COMMIT_MS * 100 / PERCENT)

/* no watch waits: no commit before the last one is paid off */
static void who_opens_and_closes_does_not_set_the_pace(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);
	unsigned long began;
	unsigned int most;

	mock_param(test, "max_overhead_percent", PERCENT);
	c->m->commit_ms = COMMIT_MS;
	began = jiffies;
	mock_probes_restart(c->m);
	while (time_before(jiffies, began + HZ / 2) || !mock_commits(c->m)) {
		struct perf_event *e = mock_open(test, ADDR(0), 4, STORE);

		msleep(1);	/* a worker binds it */
		mock_close(c->m, e);
	}
	most = jiffies_to_msecs(jiffies - began) / PAID_AFTER_MS + 2;
	KUNIT_EXPECT_LE(test, mock_commits(c->m), most);
	c->m->commit_ms = 0;
}

static struct kunit_case sched_test_cases[] = {
	KUNIT_CASE(pinning_takes_effect_among_flexible_ones),
	KUNIT_CASE(four_watches_stand_still),
	KUNIT_CASE(events_come_and_go),
	KUNIT_CASE(control_words_with_a_vmid_are_not_shared),
	KUNIT_CASE(contexts_take_turns_where_control_words_have_a_vmid),
	KUNIT_CASE(pinned_in_many_contexts_with_a_vmid_each),
	KUNIT_CASE(a_pinned_name_of_two_ranges),
	KUNIT_CASE(the_random_policy_leaves_nobody_out),
	KUNIT_CASE(who_opens_and_closes_does_not_set_the_pace),
	{}
};

static struct kunit_suite sched_test_suite = {
	.name = "gpubp_sched",
	.init = mock_init_short,
	.exit = mock_exit,
	.test_cases = sched_test_cases,
};
kunit_test_suite(sched_test_suite);
