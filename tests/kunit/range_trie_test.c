// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit: the range trie, as compiled for this kernel. tests/host compares it
 * with brute force; this suite has typical cases by name.
 */
#include <kunit/test.h>
#include <linux/slab.h>

/* the file is linked into this module as well: the core does not export it */
#include "../../kernel/gpubp/lib/range_trie.c"

#define GRANULE		64
#define MAX_RANGES	64

static int nr_nodes, fail_in;

static void *test_alloc(size_t size)
{
	void *node = fail_in && !--fail_in ? NULL : kmalloc(size, GFP_KERNEL);

	nr_nodes += !!node;
	return node;
}

static void test_free(void *node, size_t size)
{
	nr_nodes--;
	kfree(node);
}

static const struct gpubp_trie_mem test_mem = { test_alloc, test_free };

static void start(struct kunit *test, struct gpubp_range_trie *c, u64 max_block)
{
	struct gpubp_block_caps caps = {
		.granule = GRANULE, .max_block = max_block, .va_bits = 48,
	};

	nr_nodes = 0;
	fail_in = 0;
	KUNIT_ASSERT_EQ(test, 0, gpubp_range_trie_init(c, &caps, &test_mem));
}

static void add(struct kunit *test, struct gpubp_range_trie *c, u64 addr,
		u64 len)
{
	KUNIT_ASSERT_EQ(test, 0, gpubp_range_trie_insert(c, addr, len));
}

static void drop(struct kunit *test, struct gpubp_range_trie *c, u64 addr,
		 u64 len)
{
	KUNIT_EXPECT_EQ(test, 0, gpubp_range_trie_remove(c, addr, len));
}

static void expect_watched(struct kunit *test, const struct gpubp_range_trie *c,
			   u64 addr, u64 size, u64 bytes)
{
	struct gpubp_block b = { addr, (BIT_ULL(48) - 1) & -size };

	KUNIT_EXPECT_EQ(test, bytes, gpubp_range_trie_watched(c, &b));
}

static void expect_empty(struct kunit *test, const struct gpubp_range_trie *c)
{
	KUNIT_EXPECT_PTR_EQ(test, c->root, NULL);
	KUNIT_EXPECT_EQ(test, 0, nr_nodes);
}

static void widen(struct kunit *test)
{
	struct gpubp_block b = { 0x10040, (BIT_ULL(48) - 1) & ~63ULL }, was = b;
	struct gpubp_range_trie c;

	start(test, &c, BIT_ULL(30));
	add(test, &c, 0x10000, 8);
	add(test, &c, 0x10040, 8);
	add(test, &c, 0x10080, 64);
	gpubp_range_trie_widen(&c, &b, 0);
	KUNIT_EXPECT_EQ(test, was.mask, b.mask);
	gpubp_range_trie_widen(&c, &b, 1);
	KUNIT_EXPECT_EQ(test, 0x10000, b.value);
	KUNIT_EXPECT_EQ(test, 128, gpubp_block_size(&b));
	gpubp_range_trie_widen(&c, &b, 2);
	KUNIT_EXPECT_EQ(test, 256, gpubp_block_size(&b));
	expect_watched(test, &c, 0x10000, 256, 192);
	add(test, &c, 0x100c0, 1);
	b = was;
	gpubp_range_trie_widen(&c, &b, 1);
	KUNIT_EXPECT_EQ(test, 256, gpubp_block_size(&b));
	drop(test, &c, 0x10080, 64);
	drop(test, &c, 0x10000, 8);
	drop(test, &c, 0x100c0, 1);
	drop(test, &c, 0x10040, 8);
	expect_empty(test, &c);
}

static void widen_with_holes(struct kunit *test)
{
	struct gpubp_block b = { 0x10080, (BIT_ULL(48) - 1) & ~63ULL }, was = b;
	struct gpubp_range_trie c;
	int i;

	start(test, &c, BIT_ULL(30));
	for (i = 0; i < 16; i += 2)
		add(test, &c, 0x10000 + i * GRANULE, 8);
	gpubp_range_trie_widen_ternary(&c, &b, 0);
	KUNIT_EXPECT_EQ(test, was.mask, b.mask);
	gpubp_range_trie_widen_ternary(&c, &b, 1);
	KUNIT_EXPECT_EQ(test, 0x10000, b.value);
	KUNIT_EXPECT_EQ(test, GENMASK_ULL(47, 10) | BIT(6), b.mask);
	b = was;
	gpubp_range_trie_widen_ternary(&c, &b, 100);
	KUNIT_EXPECT_EQ(test, 512, gpubp_block_size(&b));
	for (i = 0; i < 16; i += 2)
		drop(test, &c, 0x10000 + i * GRANULE, 8);
	expect_empty(test, &c);
}

static void an_insert_without_memory(struct kunit *test)
{
	struct gpubp_range_trie c;
	int i;

	start(test, &c, BIT_ULL(30));
	add(test, &c, 0x10000, 8);
	add(test, &c, 0x20000, 8);
	for (i = 1; i <= 4; i++) {
		fail_in = i;
		KUNIT_EXPECT_EQ(test, -ENOMEM,
				gpubp_range_trie_insert(&c, 0x18000, 0x100));
		KUNIT_EXPECT_EQ(test, 3, nr_nodes);
		expect_watched(test, &c, 0, BIT_ULL(20), 128);
	}
	fail_in = 0;
	drop(test, &c, 0x10000, 8);
	drop(test, &c, 0x20000, 8);
	expect_empty(test, &c);
}

struct bytes {
	u64 addr;
	u64 len;
};

/* a range is watched if its first and last granules are */
static bool all_watched(const struct gpubp_range_trie *c, const struct bytes *r,
			int nr)
{
	struct gpubp_block first = { .mask = (BIT_ULL(48) - 1) & -GRANULE };
	struct gpubp_block last = first;

	while (nr--) {
		first.value = r[nr].addr & first.mask;
		last.value = (r[nr].addr + r[nr].len - 1) & last.mask;
		if (gpubp_range_trie_watched(c, &first) != GRANULE ||
		    gpubp_range_trie_watched(c, &last) != GRANULE)
			return false;
	}
	return true;
}

static void random_ranges(struct kunit *test)
{
	static struct bytes r[MAX_RANGES];
	struct gpubp_range_trie c;
	u32 seed = 12345, i;

	start(test, &c, BIT_ULL(30));
	for (i = 0; i < 2000; i++) {
		struct bytes *b = &r[i % MAX_RANGES];

		if (i >= MAX_RANGES)
			drop(test, &c, b->addr, b->len);
		seed = seed * 1664525 + 1013904223;
		b->addr = seed >> 8;
		b->len = 1 + (seed & 0x3ff);
		add(test, &c, b->addr, b->len);
		KUNIT_ASSERT_TRUE(test, all_watched(&c, r, min_t(u32, i + 1,
								 MAX_RANGES)));
	}
	for (i = 0; i < MAX_RANGES; i++)
		drop(test, &c, r[i].addr, r[i].len);
	expect_empty(test, &c);
}

static struct kunit_case range_trie_test_cases[] = {
	KUNIT_CASE(widen),
	KUNIT_CASE(widen_with_holes),
	KUNIT_CASE(an_insert_without_memory),
	KUNIT_CASE(random_ranges),
	{}
};

static struct kunit_suite range_trie_suite = {
	.name = "gpubp_range_trie",
	.test_cases = range_trie_test_cases,
};
kunit_test_suite(range_trie_suite);
