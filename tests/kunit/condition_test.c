// SPDX-License-Identifier: GPL-2.0
/*
 * Conditions: what a user may create, how long it exists, whose it is, and which
 * events may have one. What they do to hits is in filter_test.c.
 */
#include <linux/err.h>
#include <linux/kref.h>

#include "core/quota.h"
#include "event/event.h"
#include "mock.h"

#define ADDR	(MOCK_VA + 0x1000)
#define STORE	GPUBP_ACCESS_STORE
#define OTHER	KUIDT_INIT(40001)

#define INSIDE	GPUBP_TEST_INSIDE
#define OUTSIDE	GPUBP_TEST_OUTSIDE
#define NAN	GPUBP_TEST_NAN

/* ---- what may be created ------------------------------------------------- */

struct create_case {
	const char *name;
	struct gpubp_condition c;
	int want;
};

#define VALUE(_type, _test, _low, _high)				\
	{ .type = GPUBP_VALUE_##_type, .test = _test, .low = _low, .high = _high }

static const struct create_case create_cases[] = {
	{ "inside", VALUE(U32, INSIDE, 1, 2) },
	{ "one_value", VALUE(U32, INSIDE, 7, 7) },
	{ "any_value", VALUE(U8, INSIDE, 0, U8_MAX) },
	{ "outside", VALUE(U32, OUTSIDE, 1, 2) },
	{ "all_bits_of_the_type", VALUE(U64, INSIDE, 0, U64_MAX) },
	{ "below_0", VALUE(I32, INSIDE, 0xfffffff0, 1) },
	{ "nan", VALUE(F32, NAN, 0, 0) },
	{ "nan_of_16_bits", VALUE(BF16, NAN, 0, 0) },
	{ "up_to_infinity", VALUE(F32, INSIDE, 0, 0x7f800000) },
	{ "from_minus_infinity", VALUE(F64, INSIDE, 0xfff0000000000000, 0) },
	{ "from_0_to_minus_0", VALUE(F32, INSIDE, 0, 0x80000000) },
	{ "place", { .places = GPUBP_PLACE_WG_X, .wg_x = 5 } },
	{ "place_0", { .places = GPUBP_PLACE_ALL } },
	{ "value_and_place", { .type = GPUBP_VALUE_F16, .test = NAN,
	  .places = GPUBP_PLACE_ITEM, .item = U32_MAX } },
	{ "id_of_another_one", { .id = 77, .places = GPUBP_PLACE_WG_Z } },

	{ "nothing", {}, -EINVAL },
	{ "no_such_type", { .type = GPUBP_VALUE_BF16 + 1 }, -EINVAL },
	{ "type_beyond_a_byte", { .type = 256 + GPUBP_VALUE_U32 }, -EINVAL },
	{ "no_such_type_with_a_place", { .type = 256,
	  .places = GPUBP_PLACE_WG_X }, -EINVAL },
	{ "no_such_test", VALUE(U32, 3, 0, 0), -EINVAL },
	{ "test_beyond_a_byte", VALUE(U32, 256, 0, 0), -EINVAL },
	{ "nan_of_integers", VALUE(U32, NAN, 0, 0), -EINVAL },
	{ "nan_above_a_bound", VALUE(F32, NAN, 1, 0), -EINVAL },
	{ "nan_below_a_bound", VALUE(F32, NAN, 0, 1), -EINVAL },
	{ "low_is_a_nan", VALUE(F32, INSIDE, 0x7f800001, 0x7f800001), -EINVAL },
	{ "high_is_a_nan", VALUE(F32, INSIDE, 0, 0x7fc00000), -EINVAL },
	{ "outside_of_a_nan", VALUE(F16, OUTSIDE, 0, 0x7e00), -EINVAL },
	{ "low_has_too_many_bits", VALUE(U8, INSIDE, 256, 256), -EINVAL },
	{ "high_has_too_many_bits", VALUE(U32, INSIDE, 0, BIT_ULL(32)),
	  -EINVAL },
	{ "sign_extended", VALUE(I8, INSIDE, -1ULL, 0), -EINVAL },
	{ "low_above_high", VALUE(U32, INSIDE, 2, 1), -EINVAL },
	{ "low_above_high_outside", VALUE(U32, OUTSIDE, 2, 1), -EINVAL },
	{ "signed_low_above_high", VALUE(I32, INSIDE, 0, 0xffffffff), -EINVAL },
	{ "float_low_above_high", VALUE(F32, INSIDE, 0, 0xbf800000), -EINVAL },
	{ "no_such_place", { .places = GPUBP_PLACE_ALL + 1 }, -EINVAL },
	{ "x_that_is_not_compared", { .places = GPUBP_PLACE_WG_Y, .wg_x = 1 },
	  -EINVAL },
	{ "y_that_is_not_compared", { .places = GPUBP_PLACE_WG_X, .wg_y = 1 },
	  -EINVAL },
	{ "z_that_is_not_compared", { .places = GPUBP_PLACE_WG_X, .wg_z = 1 },
	  -EINVAL },
	{ "item_that_is_not_compared", { .places = GPUBP_PLACE_WG_X,
	  .item = 1 }, -EINVAL },
	{ "a_place_of_none", { .type = GPUBP_VALUE_U32, .item = 1 }, -EINVAL },
	{ "a_test_of_no_value", { .places = GPUBP_PLACE_WG_X, .test = NAN },
	  -EINVAL },
	{ "low_of_no_value", { .places = GPUBP_PLACE_WG_X, .low = 1 },
	  -EINVAL },
	{ "high_of_no_value", { .places = GPUBP_PLACE_WG_X, .high = 1 },
	  -EINVAL },
	{ "reserved", { .places = GPUBP_PLACE_WG_X, .reserved = 1 }, -EINVAL },
};
KUNIT_ARRAY_PARAM_DESC(create, create_cases, name);

static void create(struct kunit *test)
{
	const struct create_case *p = test->param_value;
	struct gpubp_filter *filter = gpubp_filter_create(&p->c);

	KUNIT_EXPECT_EQ(test, PTR_ERR_OR_ZERO(filter), p->want);
	if (IS_ERR(filter))
		return;
	KUNIT_EXPECT_GT(test, filter->id, 0u);
	KUNIT_EXPECT_LE(test, filter->id, (u32)U16_MAX);
	KUNIT_EXPECT_EQ(test, kref_read(&filter->ref), 1u);
	gpubp_filter_destroy(filter);
}

/* ---- how long it exists -------------------------------------------------- */

static const struct gpubp_condition small = VALUE(U32, INSIDE, 0, 10);

static struct gpubp_filter *make(struct kunit *test)
{
	struct gpubp_filter *filter = gpubp_filter_create(&small);

	KUNIT_ASSERT_FALSE(test, IS_ERR(filter));
	return filter;
}

static void found_until_it_is_destroyed(struct kunit *test)
{
	struct gpubp_filter *filter = make(test);
	u32 id = filter->id;

	KUNIT_EXPECT_PTR_EQ(test, gpubp_filter_get(id), filter);
	KUNIT_EXPECT_EQ(test, kref_read(&filter->ref), 2u);
	gpubp_filter_destroy(filter);
	KUNIT_EXPECT_NULL(test, gpubp_filter_get(id));
	/* and there is none yet, or any more */
	KUNIT_EXPECT_EQ(test, kref_read(&filter->ref), 1u);
	gpubp_filter_put(filter);
	KUNIT_EXPECT_NULL(test, gpubp_filter_get(id));
	KUNIT_EXPECT_NULL(test, gpubp_filter_get(0));
	gpubp_filter_put(NULL);
}

static void ids_and_serials_are_unique(struct kunit *test)
{
	struct gpubp_filter *a = make(test), *b = make(test), *c;
	u32 id = a->id;
	u64 serial = a->serial;

	KUNIT_EXPECT_NE(test, a->id, b->id);
	KUNIT_EXPECT_NE(test, a->serial, b->serial);
	/* the id is free as soon as nothing has it */
	gpubp_filter_destroy(a);
	c = make(test);
	KUNIT_EXPECT_EQ(test, c->id, id);
	KUNIT_EXPECT_NE(test, c->serial, serial);
	gpubp_filter_destroy(b);
	gpubp_filter_destroy(c);
}

/* the 65536th has no number in attr.config2 */
static void as_many_as_there_are_ids(struct kunit *test)
{
	struct gpubp_filter **all;
	unsigned int i;

	all = kvcalloc(U16_MAX, sizeof(*all), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, all);
	for (i = 0; i < U16_MAX; i++) {
		all[i] = gpubp_filter_create(&small);
		if (IS_ERR(all[i]))
			break;
	}
	KUNIT_EXPECT_EQ(test, i, (unsigned int)U16_MAX);
	KUNIT_EXPECT_EQ(test, PTR_ERR_OR_ZERO(gpubp_filter_create(&small)),
			-ENOSPC);
	while (i--)
		gpubp_filter_destroy(all[i]);
	kvfree(all);
	gpubp_filter_destroy(make(test));
}

/* ---- events that have one ------------------------------------------------ */

static struct perf_event *try_attr(struct kunit *test,
				   struct perf_event_attr attr)
{
	return mock_open_attr(test, &attr, current, NULL, NULL);
}

static struct perf_event_attr attr_with(const struct gpubp_filter *filter)
{
	struct perf_event_attr attr = mock_attr(ADDR, 8, STORE);

	attr.config2 = mock_with_condition(8, filter);
	return attr;
}

static void an_event_keeps_what_is_destroyed(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);
	struct gpubp_filter *filter = make(test), *next;
	struct perf_event_attr attr = attr_with(filter);
	struct perf_event *event = try_attr(test, attr);
	u32 id = filter->id;

	KUNIT_ASSERT_FALSE(test, IS_ERR(event));
	KUNIT_EXPECT_EQ(test, kref_read(&filter->ref), 2u);
	gpubp_filter_destroy(filter);
	KUNIT_EXPECT_EQ(test, PTR_ERR_OR_ZERO(try_attr(test, attr)), -EINVAL);
	KUNIT_EXPECT_EQ(test, gpubp_refusal_take(), GPUBP_REASON_NO_SUCH_COND);
	/* no other one gets its id */
	next = make(test);
	KUNIT_EXPECT_NE(test, next->id, id);
	gpubp_filter_destroy(next);

	mock_settle(c->m);
	c->m->vgprs[2][0] = 10;
	mock_store(c, ADDR);
	mock_quiesce(test);
	KUNIT_EXPECT_EQ(test, mock_count(event), 1);
	c->m->vgprs[2][0] = 11;
	mock_store(c, ADDR);
	mock_quiesce(test);
	KUNIT_EXPECT_EQ(test, mock_count(event), 1);

	mock_close(c->m, event);
	next = make(test);
	KUNIT_EXPECT_EQ(test, next->id, id);
	gpubp_filter_destroy(next);
}

/* hits leave no reference behind, nor do events that are refused */
static void references_go_with_the_events(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);
	struct gpubp_filter *filter = mock_condition(test, &small);
	struct perf_event_attr attr = attr_with(filter);
	struct perf_event *event[2] = {
		try_attr(test, attr), try_attr(test, attr),
	};
	unsigned int i;

	attr.config2 -= 2;
	for (i = 0; i < 3; i++)
		KUNIT_EXPECT_TRUE(test, IS_ERR(try_attr(test, attr)));
	KUNIT_EXPECT_EQ(test, kref_read(&filter->ref), 3u);
	mock_settle(c->m);
	for (i = 0; i < 3; i++)
		mock_store(c, ADDR);
	mock_quiesce(test);
	KUNIT_EXPECT_EQ(test, kref_read(&filter->ref), 3u);
	mock_close(c->m, event[0]);
	KUNIT_EXPECT_EQ(test, kref_read(&filter->ref), 2u);
	mock_close(c->m, event[1]);
	KUNIT_EXPECT_EQ(test, kref_read(&filter->ref), 1u);
}

/* ---- whose it is --------------------------------------------------------- */

static void it_is_its_users(struct kunit *test)
{
	struct gpubp_filter *mine = mock_condition(test, &small);
	struct gpubp_filter *theirs, *found;
	struct perf_event *event[2];
	const struct cred *old;
	struct cred *cred;

	old = mock_become(test, OTHER, &cred);
	event[0] = try_attr(test, attr_with(mine));
	theirs = gpubp_filter_create(&small);
	event[1] = IS_ERR(theirs) ? NULL : try_attr(test, attr_with(theirs));
	mock_become_root(old, cred);

	KUNIT_EXPECT_EQ(test, PTR_ERR_OR_ZERO(event[0]), -EINVAL);
	KUNIT_ASSERT_FALSE(test, IS_ERR(theirs));
	/* each user counts from 1 */
	KUNIT_EXPECT_EQ(test, theirs->id, 1u);
	KUNIT_EXPECT_FALSE(test, IS_ERR(event[1]));
	found = gpubp_filter_get(theirs->id);
	KUNIT_EXPECT_PTR_NE(test, found, theirs);
	gpubp_filter_put(found);
	gpubp_filter_destroy(theirs);
}

/* of OTHER without capabilities; an error if it may not */
static struct gpubp_filter *make_as_other(struct kunit *test)
{
	struct gpubp_filter *filter;
	const struct cred *old;
	struct cred *cred;

	old = mock_become(test, OTHER, &cred);
	filter = gpubp_filter_create(&small);
	mock_become_root(old, cred);
	return filter;
}

static struct perf_event *open_as_other(struct kunit *test,
					const struct gpubp_filter *filter)
{
	struct perf_event *event;
	const struct cred *old;
	struct cred *cred;

	old = mock_become(test, OTHER, &cred);
	event = try_attr(test, attr_with(filter));
	mock_become_root(old, cred);
	return event;
}

/* and one that is destroyed counts while an event has it */
static void a_user_makes_so_many(struct kunit *test)
{
	struct gpubp_filter *filter[2], *root;
	struct perf_event *event;
	unsigned int i;

	mock_param(test, "max_conditions_per_user", 2);
	for (i = 0; i < 2; i++) {
		filter[i] = make_as_other(test);
		KUNIT_ASSERT_FALSE(test, IS_ERR(filter[i]));
	}
	KUNIT_EXPECT_EQ(test, PTR_ERR_OR_ZERO(make_as_other(test)), -EDQUOT);
	event = open_as_other(test, filter[0]);
	KUNIT_ASSERT_FALSE(test, IS_ERR(event));
	gpubp_filter_destroy(filter[0]);
	KUNIT_EXPECT_EQ(test, PTR_ERR_OR_ZERO(make_as_other(test)), -EDQUOT);
	mock_close(test->priv, event);
	filter[0] = make_as_other(test);
	KUNIT_ASSERT_FALSE(test, IS_ERR(filter[0]));
	gpubp_filter_destroy(filter[1]);
	filter[1] = make_as_other(test);
	KUNIT_ASSERT_FALSE(test, IS_ERR(filter[1]));
	/* others, and those with CAP_PERFMON, may */
	for (i = 0; i < 3; i++) {
		root = mock_condition(test, &small);
		KUNIT_EXPECT_NE(test, root->id, 0u);
	}
	gpubp_filter_destroy(filter[0]);
	gpubp_filter_destroy(filter[1]);
}

/* perf may have CAP_PERFMON, and what makes the condition not */
static void with_and_without_rights(struct kunit *test)
{
	struct gpubp_filter *filter = mock_condition(test, &small), *found;
	const struct cred *old;
	struct cred *cred;

	old = mock_become(test, GLOBAL_ROOT_UID, &cred);
	found = gpubp_filter_get(filter->id);
	mock_become_root(old, cred);
	KUNIT_EXPECT_PTR_EQ(test, found, filter);
	gpubp_filter_put(found);
}

/* ---- events that may not have one ---------------------------------------- */

struct refused_case {
	const char *name;
	u64 config, config1, len;
	enum gpubp_reason reason;
};

#define KIND(_kind, _code) \
	(GPUBP_KIND_##_kind | (u64)(_code) << GPUBP_CONFIG_CODE_SHIFT)
#define WATCH	(KIND(WATCH, 0) | STORE << GPUBP_CONFIG_ACCESS_SHIFT)

static const struct refused_case refused_cases[] = {
	{ "break", KIND(BREAK, 0), MOCK_CODE, 0, GPUBP_REASON_COND_FIELDS },
	{ "trap", KIND(TRAP, 2), 0, 0, GPUBP_REASON_COND_FIELDS },
	{ "exception", KIND(EXCEPTION, 0), 0, 0, GPUBP_REASON_COND_FIELDS },
	{ "set", KIND(WATCH_SET, 1), 0, 0, GPUBP_REASON_COND_FIELDS },
	{ "meter", WATCH | GPUBP_CONFIG_METER, ADDR, 8,
	  GPUBP_REASON_COND_FIELDS },
	{ "lost", WATCH | GPUBP_CONFIG_LOST, ADDR, 8,
	  GPUBP_REASON_COND_FIELDS },
	{ "half_an_element", WATCH, ADDR, 2, GPUBP_REASON_COND_LEN },
	{ "two_and_a_half_elements", WATCH, ADDR, 10, GPUBP_REASON_COND_LEN },
	{ "no_element", WATCH, ADDR, 0, GPUBP_REASON_LEN_ZERO },
	{ "no_whole_number_by_name", KIND(WATCH, 1) | GPUBP_CONFIG_NAMED, 0, 6,
	  GPUBP_REASON_COND_LEN },
};
KUNIT_ARRAY_PARAM_DESC(refused, refused_cases, name);

static void refused(struct kunit *test)
{
	struct gpubp_filter *filter = mock_condition(test, &small);
	const struct refused_case *p = test->param_value;
	struct perf_event_attr attr = mock_attr(p->config1, 0, 0);

	attr.config = p->config;
	attr.config2 = mock_with_condition(p->len, filter);
	KUNIT_EXPECT_EQ(test, PTR_ERR_OR_ZERO(try_attr(test, attr)), -EINVAL);
	KUNIT_EXPECT_EQ(test, gpubp_refusal_take(), p->reason);
}

static void no_such_condition(struct kunit *test)
{
	struct perf_event_attr attr = mock_attr(ADDR, 8, STORE);

	attr.config2 |= GPUBP_CONFIG2_COND;
	KUNIT_EXPECT_EQ(test, PTR_ERR_OR_ZERO(try_attr(test, attr)), -EINVAL);
	KUNIT_EXPECT_EQ(test, gpubp_refusal_take(), GPUBP_REASON_NO_SUCH_COND);
}

/* bytes at any address, and of any number if there is no test of values */
static void what_elements_may_be(struct kunit *test)
{
	static const struct gpubp_condition place = {
		.places = GPUBP_PLACE_WG_X,
	};
	struct perf_event_attr attr;

	attr = attr_with(mock_condition(test, &small));
	attr.config1 = ADDR + 1;
	KUNIT_EXPECT_FALSE(test, IS_ERR(try_attr(test, attr)));
	attr = attr_with(mock_condition(test, &place));
	attr.config2 -= 1;
	KUNIT_EXPECT_FALSE(test, IS_ERR(try_attr(test, attr)));
}

/* of a CPU: perf checks no access to the tasks whose memory it would reveal */
static void a_blind_opener(struct kunit *test)
{
	struct perf_event *event = ERR_PTR(-ENOMEM), *own;
	enum gpubp_reason reason = GPUBP_REASON_NONE;
	struct perf_event_attr attr;
	struct gpubp_filter *filter;
	const struct cred *old;
	struct cred *cred;

	old = mock_become(test, OTHER, &cred);
	filter = gpubp_filter_create(&small);
	if (!IS_ERR(filter)) {
		attr = attr_with(filter);
		event = mock_open_on(test, &attr, NULL, 0);
		reason = gpubp_refusal_take();
		own = mock_open_on(test, &attr, current, 0);
	}
	mock_become_root(old, cred);
	KUNIT_ASSERT_FALSE(test, IS_ERR(filter));
	KUNIT_EXPECT_EQ(test, PTR_ERR_OR_ZERO(event), -EACCES);
	KUNIT_EXPECT_EQ(test, reason, GPUBP_REASON_COND_RIGHTS);
	KUNIT_EXPECT_FALSE(test, IS_ERR(own));
	gpubp_filter_destroy(filter);

	attr = attr_with(mock_condition(test, &small));
	KUNIT_EXPECT_FALSE(test, IS_ERR(mock_open_on(test, &attr, NULL, 0)));
}

/* ---- GPUBP_MODIFY -------------------------------------------------------- */

static int modify(struct perf_event *event, u64 addr, u64 config2)
{
	guard(mutex)(&gpubp_events_lock);
	return gpubp_event_modify(event->pmu_private, event->attr.config, addr,
				  config2);
}

static void modified(struct kunit *test)
{
	struct gpubp_filter *filter = mock_condition(test, &small),
			    *other = mock_condition(test, &small);
	struct mock_ctx *c = mock_ctx(test);
	struct perf_event *event = try_attr(test, attr_with(filter));
	struct perf_event *plain = mock_open(test, ADDR, 8, STORE);

	KUNIT_ASSERT_FALSE(test, IS_ERR(event));
	KUNIT_EXPECT_EQ(test, modify(event, ADDR, 8), -EINVAL);
	KUNIT_EXPECT_EQ(test, gpubp_refusal_take(), GPUBP_REASON_MODIFY_FIXED);
	KUNIT_EXPECT_EQ(test, modify(event, ADDR,
				     mock_with_condition(8, other)), -EINVAL);
	KUNIT_EXPECT_EQ(test, gpubp_refusal_take(), GPUBP_REASON_MODIFY_FIXED);
	KUNIT_EXPECT_EQ(test, modify(plain, ADDR,
				     mock_with_condition(8, filter)), -EINVAL);
	KUNIT_EXPECT_EQ(test, gpubp_refusal_take(), GPUBP_REASON_MODIFY_FIXED);
	KUNIT_EXPECT_EQ(test, modify(event, ADDR + 64,
				     mock_with_condition(6, filter)), -EINVAL);
	KUNIT_EXPECT_EQ(test, gpubp_refusal_take(), GPUBP_REASON_COND_LEN);
	KUNIT_EXPECT_EQ(test, modify(event, ADDR + 64,
				     mock_with_condition(4, filter)), 0);

	mock_settle(c->m);
	c->m->vgprs[2][0] = 11;
	mock_store(c, ADDR + 64);
	mock_quiesce(test);
	KUNIT_EXPECT_EQ(test, mock_count(event), 0);
	c->m->vgprs[2][0] = 10;
	mock_store(c, ADDR);
	mock_store(c, ADDR + 64);
	mock_quiesce(test);
	KUNIT_EXPECT_EQ(test, mock_count(event), 1);
	KUNIT_EXPECT_EQ(test, kref_read(&filter->ref), 2u);
}

static struct kunit_case condition_test_cases[] = {
	KUNIT_CASE_PARAM(create, create_gen_params),
	KUNIT_CASE(found_until_it_is_destroyed),
	KUNIT_CASE(ids_and_serials_are_unique),
	KUNIT_CASE(as_many_as_there_are_ids),
	KUNIT_CASE(an_event_keeps_what_is_destroyed),
	KUNIT_CASE(references_go_with_the_events),
	KUNIT_CASE(it_is_its_users),
	KUNIT_CASE(a_user_makes_so_many),
	KUNIT_CASE(with_and_without_rights),
	KUNIT_CASE_PARAM(refused, refused_gen_params),
	KUNIT_CASE(no_such_condition),
	KUNIT_CASE(what_elements_may_be),
	KUNIT_CASE(a_blind_opener),
	KUNIT_CASE(modified),
	{}
};

static struct kunit_suite condition_test_suite = {
	.name = "gpubp_condition",
	.init = mock_init_shared,
	.exit = mock_exit_shared,
	.suite_exit = mock_suite_exit,
	.test_cases = condition_test_cases,
};
kunit_test_suite(condition_test_suite);
