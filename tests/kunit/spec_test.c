// SPDX-License-Identifier: GPL-2.0
/* Spec: which attrs are accepted, and how they are decoded. */
#include <kunit/test.h>
#include <linux/perf_event.h>
#include <uapi/linux/gpubp.h>

#include "event/event.h"

/* a minimal valid attr */
static struct perf_event_attr watch_attr(void)
{
	return (struct perf_event_attr) {
		.config = GPUBP_KIND_WATCH,
		.config1 = 0x1000,
		.config2 = 4,
	};
}

static int decode_reason(u64 config, u64 addr, u64 len)
{
	struct perf_event_attr attr = {
		.config = config,
		.config1 = addr,
		.config2 = len,
	};
	struct gpubp_spec spec;

	return gpubp_spec_decode(&attr, &spec);
}

static int decode(u64 config, u64 addr, u64 len)
{
	return -gpubp_reason_error(decode_reason(config, addr, len));
}

static void undefined_bits_are_refused(struct kunit *test)
{
	static const u8 undefined[] = {
		11, 12, 13, 14, 15, 22, 23
	};
	int i, kind;

	for (kind = 0; kind < 8; kind++)
		for (i = 0; i < ARRAY_SIZE(undefined); i++)
			KUNIT_EXPECT_EQ_MSG(test,
					    decode_reason(kind | BIT_ULL(undefined[i]),
							  0x1000, 4),
					    GPUBP_REASON_UNDEFINED_BITS,
					    "kind %d, bit %u", kind, undefined[i]);
}

/* with NAMED set, without which no bit of code has a meaning */
static void all_other_bits_are_defined(struct kunit *test)
{
	const u64 undefined = GENMASK_ULL(15, 11) |
			      GENMASK_ULL(23, 22);
	int bit;

	for (bit = 8; bit < 64; bit++)
		if (!(undefined & BIT_ULL(bit)))
			KUNIT_EXPECT_EQ_MSG(test,
					    decode(GPUBP_KIND_WATCH |
						   GPUBP_CONFIG_NAMED |
						   BIT_ULL(bit), 0x1000, 4),
					    0, "bit %d", bit);
}

static void config3_is_refused(struct kunit *test)
{
	struct perf_event_attr attr = watch_attr();
	struct gpubp_spec spec;
	int bit;

	for (bit = 0; bit < 64; bit++) {
		attr.config3 = BIT_ULL(bit);
		KUNIT_EXPECT_EQ_MSG(test, gpubp_spec_decode(&attr, &spec),
				    GPUBP_REASON_UNDEFINED_BITS, "bit %d", bit);
	}
}

static int kind_expected(unsigned int kind)
{
	switch (kind) {
	case GPUBP_KIND_WATCH:
		return 0;
	default:	/* the others have no bytes */
		return -EINVAL;
	}
}

static void each_kind(struct kunit *test)
{
	unsigned int kind;

	for (kind = 0; kind < 256; kind++)
		KUNIT_EXPECT_EQ_MSG(test, decode(kind, 0x1000, 4),
				    kind_expected(kind), "kind %u", kind);
}

#define CODE(code)	((u64)(code) << GPUBP_CONFIG_CODE_SHIFT)
#define ACCESS		BIT_ULL(GPUBP_CONFIG_ACCESS_SHIFT)

struct kind_case {
	u64 config, addr, len;
	int want;
};

static const struct kind_case kind_cases[] = {
	{ GPUBP_KIND_BREAK, 0x1000, 0, 0 },
	{ GPUBP_KIND_BREAK, 0, 0, 0 },
	{ GPUBP_KIND_BREAK | GPUBP_CONFIG_PROCESS, 0x1000, 0, 0 },
	{ GPUBP_KIND_BREAK | GPUBP_CONFIG_NAMED | CODE(7), 0x10, 0, 0 },
	{ GPUBP_KIND_BREAK | CODE(7), 0x1000, 0, -EINVAL },
	{ GPUBP_KIND_BREAK, 0x1000, 4, -EINVAL },
	{ GPUBP_KIND_BREAK | ACCESS, 0x1000, 0, -EINVAL },
	{ GPUBP_KIND_BREAK | GPUBP_CONFIG_CHANGED, 0x1000, 0, -EINVAL },
	{ GPUBP_KIND_BREAK | GPUBP_CONFIG_POSSIBLE, 0x1000, 0, -EINVAL },
	{ GPUBP_KIND_BREAK | GPUBP_CONFIG_LOST, 0x1000, 0, 0 },
	{ GPUBP_KIND_TRAP | CODE(1), 0, 0, 0 },
	{ GPUBP_KIND_TRAP | CODE(255), 0, 0, 0 },
	{ GPUBP_KIND_TRAP, 0, 0, -EINVAL },
	{ GPUBP_KIND_TRAP | CODE(256), 0, 0, -EINVAL },
	{ GPUBP_KIND_TRAP | CODE(1), 4, 0, -EINVAL },
	{ GPUBP_KIND_TRAP | CODE(1), 0, 4, -EINVAL },
	{ GPUBP_KIND_TRAP | CODE(1) | ACCESS, 0, 0, -EINVAL },
	{ GPUBP_KIND_TRAP | CODE(1) | GPUBP_CONFIG_NAMED, 0, 0, -EINVAL },
	{ GPUBP_KIND_TRAP | CODE(1) | GPUBP_CONFIG_CHANGED, 0, 0, -EINVAL },
	{ GPUBP_KIND_EXCEPTION | CODE(BIT(11)), 0, 0, -EINVAL },
	{ GPUBP_KIND_EXCEPTION, 4, 0, -EINVAL },
	{ GPUBP_KIND_EXCEPTION | ACCESS, 0, 0, -EINVAL },
	{ GPUBP_KIND_WATCH_SET | CODE(1), 0, 0, 0 },
	{ GPUBP_KIND_WATCH_SET | CODE(1) | GPUBP_CONFIG_PROCESS, 0, 0, 0 },
	{ GPUBP_KIND_WATCH_SET, 0, 0, -EINVAL },
	{ GPUBP_KIND_WATCH_SET | CODE(1), 1, 0, -EINVAL },
	{ GPUBP_KIND_WATCH_SET | CODE(1), 0, 1, -EINVAL },
	{ GPUBP_KIND_WATCH_SET | CODE(1) | ACCESS, 0, 0, -EINVAL },
	{ GPUBP_KIND_WATCH_SET | CODE(1) | GPUBP_CONFIG_CHANGED, 0, 0, -EINVAL },
	{ GPUBP_KIND_WATCH_SET | CODE(1) | GPUBP_CONFIG_NAMED, 0, 0, -EINVAL },
	/* the trap handler counts watches only */
	{ GPUBP_KIND_WATCH | GPUBP_CONFIG_METER, 0x1000, 4, 0 },
	{ GPUBP_KIND_BREAK | GPUBP_CONFIG_METER, 0x1000, 0, -EINVAL },
	{ GPUBP_KIND_TRAP | CODE(1) | GPUBP_CONFIG_METER, 0, 0, -EINVAL },
	{ GPUBP_KIND_EXCEPTION | GPUBP_CONFIG_METER, 0, 0, -EINVAL },
	{ GPUBP_KIND_WATCH_SET | CODE(1) | GPUBP_CONFIG_METER, 0, 0, -EINVAL },
};

static void kinds_and_fields(struct kunit *test)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(kind_cases); i++) {
		const struct kind_case *t = &kind_cases[i];

		KUNIT_EXPECT_EQ_MSG(test, decode(t->config, t->addr, t->len),
				    t->want, "case %u", i);
	}
}

/* 0 means the accesses that write */
static void each_access(struct kunit *test)
{
	struct perf_event_attr attr = watch_attr();
	struct gpubp_spec spec;
	unsigned int access;

	for (access = 0; access < 8; access++) {
		attr.config = GPUBP_KIND_WATCH |
			      access << GPUBP_CONFIG_ACCESS_SHIFT;
		KUNIT_EXPECT_EQ(test, gpubp_spec_decode(&attr, &spec), 0);
		KUNIT_EXPECT_EQ(test, spec.access, access ?: GPUBP_ACCESS_STORE |
							     GPUBP_ACCESS_ATOMIC);
	}
}

#define WATCH	((u64)GPUBP_KIND_WATCH)

#define LEN_MAX	GPUBP_CONFIG2_LEN

struct field_case {
	const char *name;
	u64 config, addr, len;
	int want;
};

static const struct field_case field_cases[] = {
	{ "one_byte", WATCH, 0x1001, 1, 0 },
	{ "unaligned_and_odd", WATCH, 0x1003, 7, 0 },
	{ "at_address_0", WATCH, 0, 1, 0 },
	{ "no_bytes", WATCH, 0x1000, 0, -EINVAL },
	{ "all_bytes_of_a_name", WATCH | GPUBP_CONFIG_NAMED, 0, 0, 0 },
	{ "up_to_the_end_of_a_name", WATCH | GPUBP_CONFIG_NAMED, 64, 0, 0 },
	{ "changed_all_bytes_of_a_name",
	  WATCH | GPUBP_CONFIG_NAMED | GPUBP_CONFIG_CHANGED, 0, 0, -EINVAL },
	{ "the_last_byte_of_all", WATCH, U64_MAX, 1, 0 },
	{ "up_to_the_last_byte", WATCH, U64_MAX - 7, 8, 0 },
	{ "one_byte_too_far", WATCH, U64_MAX - 7, 9, -EINVAL },
	{ "ends_at_the_last_byte", WATCH, -LEN_MAX, LEN_MAX, 0 },
	{ "wraps_by_one", WATCH, -LEN_MAX + 1, LEN_MAX, -EINVAL },
	{ "changed_64_bytes", WATCH | GPUBP_CONFIG_CHANGED, 0x1000, 64, 0 },
	{ "changed_65_bytes", WATCH | GPUBP_CONFIG_CHANGED, 0x1000, 65, -EINVAL },
	{ "not_changed_65_bytes", WATCH, 0x1000, 65, 0 },
	{ "code_without_named", WATCH | BIT_ULL(32), 0x1000, 4, -EINVAL },
	{ "code_with_named", WATCH | BIT_ULL(32) | GPUBP_CONFIG_NAMED, 0, 4, 0 },
	{ "possible", WATCH | GPUBP_CONFIG_POSSIBLE, 0x1000, 4, 0 },
	{ "possible_changed", WATCH | GPUBP_CONFIG_POSSIBLE | GPUBP_CONFIG_CHANGED,
	  0x1000, 4, 0 },
	{ "possible_metered", WATCH | GPUBP_CONFIG_POSSIBLE | GPUBP_CONFIG_METER,
	  0x1000, 4, -EINVAL },
	{ "possible_and_lost", WATCH | GPUBP_CONFIG_POSSIBLE | GPUBP_CONFIG_LOST,
	  0x1000, 4, -EINVAL },
	{ "lost", WATCH | GPUBP_CONFIG_LOST, 0x1000, 4, 0 },
	{ "lost_changed", WATCH | GPUBP_CONFIG_LOST | GPUBP_CONFIG_CHANGED,
	  0x1000, 4, -EINVAL },
	{ "lost_metered", WATCH | GPUBP_CONFIG_LOST | GPUBP_CONFIG_METER, 0x1000, 4, -EINVAL },
	{ "process", WATCH | GPUBP_CONFIG_PROCESS, 0x1000, 4, 0 },
};
KUNIT_ARRAY_PARAM_DESC(field, field_cases, name);

static void fields(struct kunit *test)
{
	const struct field_case *c = test->param_value;

	KUNIT_EXPECT_EQ(test, decode(c->config, c->addr, c->len), c->want);
}

static void every_field_arrives(struct kunit *test)
{
	struct perf_event_attr attr = {
		.config = GPUBP_KIND_WATCH | 5 << GPUBP_CONFIG_ACCESS_SHIFT |
			  GPUBP_CONFIG_PROCESS | GPUBP_CONFIG_CHANGED |
			  GPUBP_CONFIG_NAMED |
			  0xa5ULL << GPUBP_CONFIG_DEVICE_SHIFT |
			  0xdeadbeefULL << GPUBP_CONFIG_CODE_SHIFT,
		.config1 = 0x123456789abcdef0,
		.config2 = 63,
		.precise_ip = 2,
	};
	struct gpubp_spec spec;

	KUNIT_ASSERT_EQ(test, gpubp_spec_decode(&attr, &spec), 0);
	KUNIT_EXPECT_EQ(test, spec.kind, GPUBP_KIND_WATCH);
	KUNIT_EXPECT_EQ(test, spec.access, 5);
	KUNIT_EXPECT_TRUE(test, spec.process);
	KUNIT_EXPECT_TRUE(test, spec.changed);
	KUNIT_EXPECT_TRUE(test, spec.named);
	KUNIT_EXPECT_EQ(test, spec.device, 0xa5);
	KUNIT_EXPECT_EQ(test, spec.code, 0xdeadbeef);
	KUNIT_EXPECT_EQ(test, spec.addr, 0x123456789abcdef0);
	KUNIT_EXPECT_EQ(test, spec.len, 63);
	KUNIT_EXPECT_EQ(test, spec.precise_ip, 2);
}

/* bit by bit, so that no flag is mistaken for its neighbour */
static void flags_are_told_apart(struct kunit *test)
{
	static const u64 flags[] = {
		0, GPUBP_CONFIG_PROCESS, GPUBP_CONFIG_CHANGED,
		GPUBP_CONFIG_NAMED, GPUBP_CONFIG_METER,
	};
	struct perf_event_attr attr = watch_attr();
	struct gpubp_spec spec;
	int i;

	for (i = 0; i < ARRAY_SIZE(flags); i++) {
		attr.config = GPUBP_KIND_WATCH | flags[i];
		KUNIT_EXPECT_EQ(test, gpubp_spec_decode(&attr, &spec), 0);
		KUNIT_EXPECT_EQ(test, spec.process, i == 1);
		KUNIT_EXPECT_EQ(test, spec.changed, i == 2);
		KUNIT_EXPECT_EQ(test, spec.named, i == 3);
		KUNIT_EXPECT_EQ(test, spec.meter, i == 4);
	}
}

static struct kunit_case spec_test_cases[] = {
	KUNIT_CASE(undefined_bits_are_refused),
	KUNIT_CASE(all_other_bits_are_defined),
	KUNIT_CASE(config3_is_refused),
	KUNIT_CASE(each_kind),
	KUNIT_CASE(kinds_and_fields),
	KUNIT_CASE(each_access),
	KUNIT_CASE_PARAM(fields, field_gen_params),
	KUNIT_CASE(every_field_arrives),
	KUNIT_CASE(flags_are_told_apart),
	{}
};

static struct kunit_suite spec_test_suite = {
	.name = "gpubp_spec",
	.test_cases = spec_test_cases,
};
kunit_test_suite(spec_test_suite);
