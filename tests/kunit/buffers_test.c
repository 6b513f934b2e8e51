// SPDX-License-Identifier: GPL-2.0
/* Names: published, moved, withdrawn, and two that hash alike. */
#include "core/buffers.h"
#include "mock.h"

static int publish(struct mock_ctx *c, u64 va, u64 size, const char *name)
{
	return gpubp_buffer_name(c->ctx, va, size, name);
}

/*
 * number of ranges published under the hash of @name; stores the last one in @n
 */
static unsigned int lookup(struct mock_ctx *c, const char *name,
			   struct gpubp_name *n)
{
	struct gpubp_name *at = NULL;
	unsigned int nr = 0;

	guard(mutex)(&c->m->dev->lock);
	while ((at = gpubp_name_next(c->ctx, gpubp_name_hash(name), at))) {
		*n = *at;
		nr++;
	}
	return nr;
}

static void published_and_found(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);
	struct gpubp_name n;

	KUNIT_EXPECT_EQ(test, publish(c, MOCK_VA, 256, "grid"), 0);
	KUNIT_EXPECT_EQ(test, gpubp_code_create(c->ctx, MOCK_VA + 4096, 64,
						"code"), 0);
	KUNIT_EXPECT_EQ(test, lookup(c, "grid", &n), 1u);
	KUNIT_EXPECT_EQ(test, n.va, MOCK_VA);
	KUNIT_EXPECT_EQ(test, n.size, 256);
	KUNIT_EXPECT_FALSE(test, n.code);
	KUNIT_EXPECT_EQ(test, lookup(c, "code", &n), 1u);
	KUNIT_EXPECT_TRUE(test, n.code);
	KUNIT_EXPECT_EQ(test, gpubp_code_create(c->ctx, MOCK_VA + 4096, 8,
						"more"), -EEXIST);
	KUNIT_EXPECT_EQ(test, gpubp_code_create(c->ctx, MOCK_VA, 0, "none"),
			-EINVAL);
	gpubp_code_destroy(c->ctx, MOCK_VA + 4096);
	KUNIT_EXPECT_EQ(test, lookup(c, "code", &n), 0u);
	KUNIT_EXPECT_EQ(test, lookup(c, "gri", &n), 0u);
}

static void a_name_is_its_context_s(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test), *other = mock_ctx(test);
	struct gpubp_name n;

	publish(c, MOCK_VA, 256, "grid");
	KUNIT_EXPECT_EQ(test, lookup(other, "grid", &n), 0u);
	publish(other, MOCK_VA + 64, 8, "grid");
	KUNIT_EXPECT_EQ(test, lookup(c, "grid", &n), 1u);
	KUNIT_EXPECT_EQ(test, n.va, MOCK_VA);
}

static void twins_are_both_found(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);
	struct gpubp_name n;

	KUNIT_ASSERT_EQ(test, gpubp_name_hash(MOCK_TWIN_A),
			gpubp_name_hash(MOCK_TWIN_B));
	publish(c, MOCK_VA, 64, MOCK_TWIN_A);
	publish(c, MOCK_VA + 64, 64, "between");
	publish(c, MOCK_VA + 128, 64, MOCK_TWIN_B);
	KUNIT_EXPECT_EQ(test, lookup(c, MOCK_TWIN_A, &n), 2u);
	KUNIT_EXPECT_EQ(test, n.va, MOCK_VA + 128);

	/* a change of one buffer does not affect the other */
	publish(c, MOCK_VA + 256, 64, MOCK_TWIN_A);
	KUNIT_EXPECT_EQ(test, lookup(c, MOCK_TWIN_A, &n), 2u);
	publish(c, 0, 0, MOCK_TWIN_A);
	KUNIT_EXPECT_EQ(test, lookup(c, MOCK_TWIN_A, &n), 1u);
	KUNIT_EXPECT_EQ(test, n.va, MOCK_VA + 128);
}

#define TEN	"0123456789"
#define SIXTY	TEN TEN TEN TEN TEN TEN

struct limit_case {
	const char *what;
	const char *name;
	u64 va, size;
	int want;
};

static const struct limit_case limit_cases[] = {
	{ "no_name", "", MOCK_VA, 64, -EINVAL },
	{ "no_name_to_withdraw", "", 0, 0, -EINVAL },
	{ "one_byte_name", "a", MOCK_VA, 64, 0 },
	{ "63_byte_name", SIXTY "abc", MOCK_VA, 64, 0 },
	{ "64_byte_name", SIXTY "abcd", MOCK_VA, 64, -EINVAL },
	{ "65_byte_name", SIXTY "abcde", MOCK_VA, 64, -EINVAL },
	{ "one_byte_range", "a", MOCK_VA, 1, 0 },
	{ "range_from_0", "a", 0, 64, 0 },
	{ "range_that_wraps", "a", U64_MAX - 63, 128, -EINVAL },
};
KUNIT_ARRAY_PARAM_DESC(limit, limit_cases, what);

static void limits(struct kunit *test)
{
	const struct limit_case *l = test->param_value;
	struct mock_ctx *c = mock_ctx(test);
	struct gpubp_name n;

	KUNIT_EXPECT_EQ(test, publish(c, l->va, l->size, l->name), l->want);
	KUNIT_EXPECT_EQ(test, lookup(c, l->name, &n), l->want ? 0u : 1u);
}

/* an update that fails changes nothing */
static void a_bad_move_leaves_the_old_range(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);
	struct gpubp_name n;

	publish(c, MOCK_VA, 64, "grid");
	KUNIT_EXPECT_EQ(test, publish(c, U64_MAX, 64, "grid"), -EINVAL);
	KUNIT_EXPECT_EQ(test, lookup(c, "grid", &n), 1u);
	KUNIT_EXPECT_EQ(test, n.va, MOCK_VA);
}

/* ---- memory -------------------------------------------------------------- */

#define OTHER	KUIDT_INIT(40002)
#define OBJECTS	4096	/* code objects that take more than a MiB */

static struct mock_ctx *ctx_of_other(struct kunit *test)
{
	const struct cred *old;
	struct mock_ctx *c;
	struct cred *cred;

	old = mock_become(test, OTHER, &cred);
	c = mock_ctx(test);
	mock_become_root(old, cred);
	return c;
}

/* code objects until one is refused; Return: how many there are, or an errno */
static int publish_many(struct mock_ctx *c)
{
	int i, err;

	for (i = 0; i < OBJECTS; i++) {
		err = gpubp_code_create(c->ctx, MOCK_VA + 65536ULL * i, 65536,
					"code");
		if (err)
			return err == -ENOMEM ? i : err;
	}
	return i;
}

/* in all contexts together, whatever is allowed for each */
static void a_user_has_so_much_memory_for_names(struct kunit *test)
{
	struct mock_ctx *c[2], *of_root = mock_ctx(test);
	int first;

	mock_param(test, "max_memory_mb_per_user", 1);
	c[0] = ctx_of_other(test);
	c[1] = ctx_of_other(test);
	first = publish_many(c[0]);
	KUNIT_EXPECT_GT(test, first, 64);
	KUNIT_EXPECT_LT(test, first, OBJECTS);
	KUNIT_EXPECT_EQ(test, publish_many(c[1]), 0);
	KUNIT_EXPECT_EQ(test, publish_many(of_root), OBJECTS);
	/* it comes back */
	mock_ctx_destroy(c[0]);
	KUNIT_EXPECT_EQ(test, publish_many(c[1]), first);
	mock_ctx_destroy(c[1]);
}

static struct kunit_case buffers_test_cases[] = {
	KUNIT_CASE(published_and_found),
	KUNIT_CASE(a_name_is_its_context_s),
	KUNIT_CASE(twins_are_both_found),
	KUNIT_CASE_PARAM(limits, limit_gen_params),
	KUNIT_CASE(a_bad_move_leaves_the_old_range),
	KUNIT_CASE(a_user_has_so_much_memory_for_names),
	{}
};

static struct kunit_suite buffers_test_suite = {
	.name = "gpubp_buffers",
	.suite_exit = mock_suite_exit,
	.init = mock_init_shared,
	.exit = mock_exit_shared,
	.test_cases = buffers_test_cases,
};
kunit_test_suite(buffers_test_suite);
