// SPDX-License-Identifier: GPL-2.0
/* Groups: the bindings that rotate together, by group and watch. */
#include "core/device.h"
#include "mock.h"
#include "sched/sched.h"

#define NR	6

/**
 * struct bound - watches of a context, each with two bindings
 * @watch: the watches, by id
 * @binding: their bindings
 */
struct bound {
	struct gpubp_watch watch[NR];
	struct gpubp_binding binding[NR][2];
};

/* each is in a group of its own parity, by its first binding */
static struct bound *bind_all(struct kunit *test, struct mock_ctx *c)
{
	struct bound *b = kunit_kzalloc(test, sizeof(*b), GFP_KERNEL);
	int i, j;

	KUNIT_ASSERT_NOT_NULL(test, b);
	/* not in the order of their ids */
	for (i = NR - 1; i >= 0; i--) {
		b->watch[i].id = i + 1;
		for (j = 0; j < 2; j++) {
			b->binding[i][j].ctx = c->ctx;
			b->binding[i][j].watch = &b->watch[i];
			b->binding[i][j].watch_id = i + 1;
		}
		gpubp_group_set(&b->binding[i][0], 10 + i % 2);
	}
	return b;
}

static void unbind_all(struct bound *b)
{
	int i;

	for (i = 0; i < NR; i++) {
		gpubp_group_set(&b->binding[i][0], 0);
		gpubp_group_set(&b->binding[i][1], 0);
	}
}

/* bitmap of the watches in the order of their ids, 0 if the order is another */
static unsigned int members(struct mock_ctx *c, u64 group)
{
	struct gpubp_watch *w = NULL;
	unsigned int found = 0;

	while ((w = gpubp_group_next(c->ctx, group, w))) {
		if (found >> (w->id - 1))
			return 0;
		found |= BIT(w->id - 1);
	}
	return found;
}

static void only_those_of_the_group(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);
	struct bound *b;

	guard(mutex)(&c->m->dev->lock);
	b = bind_all(test, c);
	KUNIT_EXPECT_EQ(test, members(c, 10), 0x15u);
	KUNIT_EXPECT_EQ(test, members(c, 11), 0x2au);
	KUNIT_EXPECT_EQ(test, members(c, 9), 0u);
	KUNIT_EXPECT_EQ(test, members(c, 12), 0u);
	unbind_all(b);
	KUNIT_EXPECT_EQ(test, members(c, 10), 0u);
}

static void each_watch_once(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);
	struct bound *b;

	guard(mutex)(&c->m->dev->lock);
	b = bind_all(test, c);
	gpubp_group_set(&b->binding[2][1], 10);
	gpubp_group_set(&b->binding[4][1], 11);
	KUNIT_EXPECT_EQ(test, members(c, 10), 0x15u);
	KUNIT_EXPECT_EQ(test, members(c, 11), 0x3au);
	unbind_all(b);
}

static void no_pinned_ones(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);
	struct bound *b;

	guard(mutex)(&c->m->dev->lock);
	b = bind_all(test, c);
	b->watch[0].pinned = true;
	b->watch[3].pinned = true;
	b->watch[4].pinned = true;
	KUNIT_EXPECT_EQ(test, members(c, 10), 0x04u);
	KUNIT_EXPECT_EQ(test, members(c, 11), 0x22u);
	unbind_all(b);
}

static void from_group_to_group(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);
	struct bound *b;

	guard(mutex)(&c->m->dev->lock);
	b = bind_all(test, c);
	gpubp_group_set(&b->binding[1][0], 10);
	gpubp_group_set(&b->binding[2][0], 0);
	KUNIT_EXPECT_EQ(test, members(c, 10), 0x13u);
	KUNIT_EXPECT_EQ(test, members(c, 11), 0x28u);
	unbind_all(b);
}

static struct kunit_case group_test_cases[] = {
	KUNIT_CASE(only_those_of_the_group),
	KUNIT_CASE(each_watch_once),
	KUNIT_CASE(no_pinned_ones),
	KUNIT_CASE(from_group_to_group),
	{}
};

static struct kunit_suite group_test_suite = {
	.name = "gpubp_group",
	.init = mock_init,
	.exit = mock_exit,
	.test_cases = group_test_cases,
};
kunit_test_suite(group_test_suite);
