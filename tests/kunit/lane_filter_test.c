// SPDX-License-Identifier: GPL-2.0
/* KUnit: which accesses overlap a watch. See also tests/host/lane_filter. */
#include <kunit/test.h>

/* the file is linked into this module as well: the core does not export it */
#include "../../kernel/gpubp/lib/lane_filter.c"

#define LOAD	GPUBP_ACCESS_LOAD
#define STORE	GPUBP_ACCESS_STORE
#define ATOMIC	GPUBP_ACCESS_ATOMIC
#define ANY	(LOAD | STORE | ATOMIC)

/* lane 3 accesses addr, lane 5 the bytes behind it, lane 9 distant bytes */
#define LANES	(BIT(3) | BIT(5) | BIT(9))

struct filter_case {
	const char *name;
	u64 start;
	u64 len;
	u8 accesses;
	u8 access;
	u8 width;
	u64 addr;
	u64 lanes;
	u64 first;
};

static const struct filter_case filter_cases[] = {
	{ "the_same_bytes", 0x1000, 4, STORE, STORE, 4, 0x1000, BIT(3), 0x1000 },
	{ "byte_before", 0x1000, 4, STORE, STORE, 4, 0xffc, BIT(5), 0x1000 },
	{ "last_byte_meets_first", 0x1000, 4, ANY, LOAD, 4, 0xffd,
	  BIT(3) | BIT(5), 0xffd },
	{ "first_byte_meets_last", 0x1000, 4, ANY, LOAD, 4, 0x1003, BIT(3),
	  0x1003 },
	{ "byte_behind", 0x1000, 4, ANY, LOAD, 4, 0x1004, 0, 0 },
	{ "watch_inside_access", 0x1005, 1, ANY, ATOMIC, 16, 0x1000, BIT(3),
	  0x1000 },
	{ "access_inside_watch", 0x1000, 0x1000, ANY, ATOMIC, 1, 0x1800,
	  BIT(3) | BIT(5), 0x1800 },
	{ "other_kind", 0x1000, 4, STORE | ATOMIC, LOAD, 4, 0x1000, 0, 0 },
	{ "no_width", 0x1000, 4, ANY, LOAD, 0, 0x1000, 0, 0 },
	{ "no_watched_bytes", 0x1000, 0, ANY, LOAD, 4, 0x1000, 0, 0 },
	{ "over_the_end", 0, 4, ANY, LOAD, 4, U64_MAX, BIT(3) | BIT(5),
	  U64_MAX },
	{ "up_to_the_end", 0, 4, ANY, LOAD, 1, U64_MAX, BIT(5), 0 },
	{ "half_of_all", 0, 1ULL << 63, ANY, LOAD, 4, (1ULL << 63) - 1,
	  BIT(3), (1ULL << 63) - 1 },
};

static void case_name(const struct filter_case *c, char *desc)
{
	strscpy(desc, c->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(filter, filter_cases, case_name);

static struct gpubp_access *new_access(struct kunit *test)
{
	struct gpubp_access *acc = kunit_kzalloc(test, sizeof(*acc), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, acc);
	acc->exec = LANES;
	acc->lanes = LANES;
	return acc;
}

static void lanes_are_as_listed(struct kunit *test)
{
	const struct filter_case *c = test->param_value;
	struct gpubp_access *acc = new_access(test);
	struct gpubp_match m = {};

	acc->access = c->access;
	acc->width = c->width;
	acc->addr_state = GPUBP_ADDR_EXACT;
	acc->addr[3] = c->addr;
	acc->addr[5] = c->addr + c->width;
	acc->addr[9] = c->addr ^ (1ULL << 62) ^ (1ULL << 63);
	KUNIT_EXPECT_EQ(test, c->lanes != 0,
			gpubp_lane_filter(acc, c->start, c->len, c->accesses,
					  &m));
	KUNIT_EXPECT_EQ(test, c->lanes, m.lanes);
	KUNIT_EXPECT_EQ(test, c->first, m.addr);
	KUNIT_EXPECT_EQ(test, c->lanes != 0, m.exact);
}

static void kind_is_known_of_a_block(struct kunit *test)
{
	struct gpubp_access *acc = new_access(test);
	struct gpubp_match m;

	acc->addr_state = GPUBP_ADDR_BLOCK;
	acc->access = LOAD;
	KUNIT_EXPECT_FALSE(test, gpubp_lane_filter(acc, 0x1000, 4, STORE, &m));
	KUNIT_EXPECT_TRUE(test, gpubp_lane_filter(acc, 0x1000, 4, ANY, &m));
	KUNIT_EXPECT_FALSE(test, m.exact);
	KUNIT_EXPECT_EQ(test, (u64)LANES, m.lanes);
	KUNIT_EXPECT_EQ(test, 0x1000ULL, m.addr);
}

static void nothing_is_known_of_the_unknown(struct kunit *test)
{
	struct gpubp_access *acc = new_access(test);
	struct gpubp_match m;

	acc->addr_state = GPUBP_ADDR_UNKNOWN;
	acc->lanes = 0;
	KUNIT_EXPECT_TRUE(test, gpubp_lane_filter(acc, 0x1000, 4, STORE, &m));
	KUNIT_EXPECT_FALSE(test, m.exact);
}

static struct kunit_case lane_filter_test_cases[] = {
	KUNIT_CASE_PARAM(lanes_are_as_listed, filter_gen_params),
	KUNIT_CASE(kind_is_known_of_a_block),
	KUNIT_CASE(nothing_is_known_of_the_unknown),
	{}
};

static struct kunit_suite filter_suite = {
	.name = "gpubp_lane_filter",
	.test_cases = lane_filter_test_cases,
};
kunit_test_suite(filter_suite);
