// SPDX-License-Identifier: GPL-2.0
/* Contexts: their numbers. */
#include "core/context.h"
#include "core/ctx_owner.h"
#include "mock.h"

static bool found(struct mock_ctx *c)
{
	struct gpubp_ctx *ctx = gpubp_ctx_find(gpubp_ctx_id(c->ctx));

	if (ctx)
		gpubp_ctx_put(ctx);
	return ctx == c->ctx;
}

/* is it among those that this task owns queues of */
static bool owned(struct mock_ctx *c)
{
	struct gpubp_ctx *ctx;
	unsigned long id = 0;
	bool found = false;

	while ((ctx = gpubp_owner_next_ctx(task_pid(current), &id))) {
		found |= ctx == c->ctx;
		gpubp_ctx_put(ctx);
	}
	return found;
}

/* contexts of this process, by a walk */
static unsigned int walked(struct kunit *test)
{
	struct gpubp_ctx *ctx;
	unsigned int nr = 0;
	u32 id = 0;

	while ((ctx = gpubp_ctx_next_of(task_pid(current), id))) {
		KUNIT_EXPECT_GT(test, gpubp_ctx_id(ctx), id);
		id = gpubp_ctx_id(ctx);
		gpubp_ctx_put(ctx);
		nr++;
	}
	return nr;
}

/* as after 2^32 other contexts */
static void a_number_that_is_still_used(struct kunit *test)
{
	struct mock_ctx *old = mock_ctx(test), *new;

	gpubp_next_ctx_id = gpubp_ctx_id(old->ctx);
	new = mock_ctx(test);
	KUNIT_EXPECT_NE(test, gpubp_ctx_id(new->ctx), gpubp_ctx_id(old->ctx));
	KUNIT_EXPECT_TRUE(test, found(old) && owned(old));
	KUNIT_EXPECT_TRUE(test, found(new) && owned(new));
	mock_ctx_destroy(new);
	KUNIT_EXPECT_TRUE(test, found(old) && owned(old));
}

/* a hit that waits has the context, and its number is in records */
static void a_number_of_what_is_not_freed(struct kunit *test)
{
	struct mock_ctx *old = mock_ctx(test), *new;
	struct gpubp_ctx *held = gpubp_ctx_find(gpubp_ctx_id(old->ctx));
	u32 id;

	KUNIT_ASSERT_PTR_EQ(test, held, old->ctx);
	id = gpubp_ctx_id(held);
	mock_ctx_destroy(old);
	KUNIT_EXPECT_NULL(test, gpubp_ctx_find(id));
	gpubp_next_ctx_id = id;
	new = mock_ctx(test);
	KUNIT_EXPECT_NE(test, gpubp_ctx_id(new->ctx), id);
	gpubp_ctx_put(held);
}

static void numbers_are_not_used_again_soon(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);
	u32 id = gpubp_ctx_id(c->ctx);

	mock_ctx_destroy(c);
	rcu_barrier();
	c = mock_ctx(test);
	KUNIT_EXPECT_NE(test, gpubp_ctx_id(c->ctx), id);
}

static void from_the_last_number_to_the_first(struct kunit *test)
{
	struct mock_ctx *c[3];
	unsigned int i;

	gpubp_next_ctx_id = U32_MAX - 1;
	for (i = 0; i < ARRAY_SIZE(c); i++)
		c[i] = mock_ctx(test);
	KUNIT_EXPECT_EQ(test, gpubp_ctx_id(c[0]->ctx), U32_MAX - 1);
	KUNIT_EXPECT_NE(test, gpubp_ctx_id(c[1]->ctx), 0u);
	KUNIT_EXPECT_LT(test, gpubp_ctx_id(c[1]->ctx), gpubp_ctx_id(c[2]->ctx));
	for (i = 0; i < ARRAY_SIZE(c); i++)
		KUNIT_EXPECT_TRUE(test, found(c[i]) && owned(c[i]));
	KUNIT_EXPECT_EQ(test, walked(test), ARRAY_SIZE(c));
	/* what is beyond all numbers */
	gpubp_next_ctx_id = U32_MAX;
	KUNIT_EXPECT_LT(test, gpubp_ctx_id(mock_ctx(test)->ctx), U32_MAX);
}

static struct kunit_case context_test_cases[] = {
	KUNIT_CASE(a_number_that_is_still_used),
	KUNIT_CASE(a_number_of_what_is_not_freed),
	KUNIT_CASE(numbers_are_not_used_again_soon),
	KUNIT_CASE(from_the_last_number_to_the_first),
	{}
};

static struct kunit_suite context_test_suite = {
	.name = "gpubp_context",
	.init = mock_init,
	.exit = mock_exit,
	.test_cases = context_test_cases,
};
kunit_test_suite(context_test_suite);
