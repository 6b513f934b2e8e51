// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit: block covers, as compiled for this kernel. tests/host has the exhaustive
 * comparison; this suite shows that the kernel's own macros give the same.
 */
#include <kunit/test.h>

/* the file is linked into this module as well: the core does not export it */
#include "../../kernel/gpubp/lib/block_cover.c"

#define MIB		BIT_ULL(20)
#define GIB		BIT_ULL(30)
#define SPACE		BIT_ULL(48)

struct cover_case {
	const char *name;
	u64 addr;
	u64 len;
	unsigned int max_blocks;
	int ret;
	struct gpubp_block want[GPUBP_MAX_BLOCKS];
};

#define BLOCK(value, size)	{ value, (SPACE - 1) & ~((size) - 1ULL) }

static const struct cover_case cover_cases[] = {
	{ "one_byte", 0x1003, 1, 2, 1, { BLOCK(0x1000, 64) } },
	{ "one_granule", 0x1000, 64, 2, 1, { BLOCK(0x1000, 64) } },
	{ "one_byte_in_the_next_granule", 0x1000, 65, 2, 1,
	  { BLOCK(0x1000, 128) } },
	{ "two_bytes_over_a_page", 0x1fff, 2, 1, 1, { BLOCK(0, 0x4000) } },
	{ "two_bytes_over_a_page_by_two", 0x1fff, 2, 2, 2,
	  { BLOCK(0x1fc0, 64), BLOCK(0x2000, 64) } },
	{ "unequal_halves", 0x1f00, 0x140, 2, 2,
	  { BLOCK(0x1f00, 0x100), BLOCK(0x2000, 64) } },
	{ "largest_block", GIB, GIB, 1, 1, { BLOCK(GIB, GIB) } },
	{ "two_largest_blocks", GIB, 2 * GIB, 2, 2,
	  { BLOCK(GIB, GIB), BLOCK(2 * GIB, GIB) } },
	{ "two_halves_too_large_to_join", 0, 2 * GIB, 2, 2,
	  { BLOCK(0, GIB), BLOCK(GIB, GIB) } },
	{ "end_of_the_address_space", SPACE - 4, 4, 2, 1,
	  { BLOCK(SPACE - 64, 64) } },
	{ "too_long_for_one", GIB - 4, 8, 1, -ERANGE },
	{ "too_long_for_two", 0, 2 * GIB + 1, 2, -ERANGE },
	{ "no_comparator", 0x1000, 4, 0, -ERANGE },
	{ "no_bytes", 0x1000, 0, 2, -EINVAL },
	{ "over_the_end", SPACE - 4, 5, 2, -EINVAL },
	{ "wrap", U64_MAX, 2, 2, -EINVAL },
};

static void case_name(const struct cover_case *c, char *desc)
{
	strscpy(desc, c->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(cover, cover_cases, case_name);

static const struct gpubp_block_caps caps = {
	.granule = 64,
	.max_block = GIB,
	.va_bits = 48,
};

static void cover_is_as_listed(struct kunit *test)
{
	const struct cover_case *c = test->param_value;
	struct gpubp_block got[GPUBP_MAX_BLOCKS];
	int i;

	KUNIT_ASSERT_EQ(test, c->ret, gpubp_block_cover(&caps, c->addr, c->len,
							c->max_blocks, got));
	for (i = 0; i < c->ret; i++) {
		KUNIT_EXPECT_EQ(test, c->want[i].value, got[i].value);
		KUNIT_EXPECT_EQ(test, c->want[i].mask, got[i].mask);
	}
}

/* ranges around a boundary that no single block may cross */
static void no_byte_escapes(struct kunit *test)
{
	struct gpubp_block b[GPUBP_MAX_BLOCKS];
	u64 start, addr, len;
	int i, nr;

	for (start = MIB - 200; start < MIB + 200; start += 7) {
		for (len = 1; len < 300; len += 11) {
			nr = gpubp_block_cover(&caps, start, len, 2, b);
			KUNIT_ASSERT_GT(test, nr, 0);
			for (addr = start; addr < start + len; addr++) {
				for (i = 0; i < nr; i++)
					if (gpubp_block_contains(&b[i], addr))
						break;
				KUNIT_ASSERT_LT(test, i, nr);
			}
		}
	}
}

static void sixty_four_address_bits(struct kunit *test)
{
	static const struct gpubp_block_caps wide = { 1, 1ULL << 63, 64 };
	struct gpubp_block b[GPUBP_MAX_BLOCKS];

	KUNIT_EXPECT_EQ(test, 1, gpubp_block_cover(&wide, U64_MAX, 1, 2, b));
	KUNIT_EXPECT_EQ(test, U64_MAX, b[0].mask);
	KUNIT_EXPECT_EQ(test, 2, gpubp_block_cover(&wide, 0, U64_MAX, 2, b));
	KUNIT_EXPECT_EQ(test, 1ULL << 63, gpubp_block_size(&b[0]));
	KUNIT_EXPECT_EQ(test, 1ULL << 63, b[1].value);
}

static struct kunit_case block_cover_test_cases[] = {
	KUNIT_CASE_PARAM(cover_is_as_listed, cover_gen_params),
	KUNIT_CASE(no_byte_escapes),
	KUNIT_CASE(sixty_four_address_bits),
	{}
};

static struct kunit_suite cover_suite = {
	.name = "gpubp_block_cover",
	.test_cases = block_cover_test_cases,
};
kunit_test_suite(cover_suite);
