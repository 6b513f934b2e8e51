// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit: covers of many ranges, as compiled for this kernel. tests/host
 * compares them with brute force; here are the cases that a reader would try.
 */
#include <kunit/test.h>
#include <linux/slab.h>

/* the room is linked into this module, too: the core exports nothing of it */
#include "../../kernel/gpubp/covers.c"
#include "../../kernel/gpubp/covers_best.c"
#include "../../kernel/gpubp/covers_holes.c"

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

static const struct gpubp_covers_mem test_mem = { test_alloc, test_free };

static void start(struct kunit *test, struct gpubp_covers *c, u64 max_block)
{
	struct gpubp_cover_caps caps = {
		.granule = GRANULE, .max_block = max_block, .va_bits = 48,
	};

	nr_nodes = 0;
	fail_in = 0;
	KUNIT_ASSERT_EQ(test, 0, gpubp_covers_init(c, &caps, 4, &test_mem));
}

static void add(struct kunit *test, struct gpubp_covers *c, u64 addr, u64 len)
{
	KUNIT_ASSERT_EQ(test, 0, gpubp_covers_insert(c, addr, len, 1));
}

static void expect_best(struct kunit *test, const struct gpubp_covers *c,
			unsigned int k, int nr, u64 bytes)
{
	struct gpubp_block b[GPUBP_COVERS_MAX];
	u64 compared;

	KUNIT_EXPECT_EQ(test, nr, gpubp_covers_best(c, k, b, &compared));
	KUNIT_EXPECT_EQ(test, bytes, compared);
}

/* sixteen watches in a row, and one elsewhere */
static void few_blocks_for_many_watches(struct kunit *test)
{
	struct gpubp_covers c;
	unsigned int i;

	start(test, &c, BIT_ULL(30));
	for (i = 0; i < 16; i++)
		add(test, &c, 0x10000 + i * GRANULE, 8);
	expect_best(test, &c, 1, 1, 1024);
	add(test, &c, 0x20008, 8);
	expect_best(test, &c, 1, 1, 0x40000);
	expect_best(test, &c, 2, 2, 1024 + 64);
	add(test, &c, 0x1000003c, 8);
	expect_best(test, &c, 4, 3, 1024 + 64 + 128);
	add(test, &c, 0x2000003c, 128);
	expect_best(test, &c, 4, 4, 1024 + 64 + 128 + 256);
	gpubp_covers_exit(&c);
	KUNIT_EXPECT_EQ(test, 0, nr_nodes);
}

static void too_few_blocks(struct kunit *test)
{
	struct gpubp_covers c;
	unsigned int i;

	start(test, &c, 4096);
	expect_best(test, &c, 1, 0, 0);
	for (i = 0; i < 5; i++)
		add(test, &c, i * 0x100000ULL, 8);
	expect_best(test, &c, 4, -ERANGE, 0);
	KUNIT_EXPECT_EQ(test, 0, gpubp_covers_remove(&c, 0, 8, 1));
	expect_best(test, &c, 4, 4, 256);
	gpubp_covers_exit(&c);
}

static void lift(struct kunit *test)
{
	struct gpubp_block b = { 0x10040, (BIT_ULL(48) - 1) & ~63ULL }, was = b;
	struct gpubp_covers c;

	start(test, &c, BIT_ULL(30));
	add(test, &c, 0x10000, 8);
	add(test, &c, 0x10040, 8);
	add(test, &c, 0x10080, 64);
	gpubp_covers_lift(&c, &b, 0);
	KUNIT_EXPECT_EQ(test, was.mask, b.mask);
	gpubp_covers_lift(&c, &b, 1);
	KUNIT_EXPECT_EQ(test, 0x10000, b.value);
	KUNIT_EXPECT_EQ(test, 128, gpubp_block_size(&b));
	gpubp_covers_lift(&c, &b, 2);
	KUNIT_EXPECT_EQ(test, 256, gpubp_block_size(&b));
	KUNIT_EXPECT_EQ(test, 192, gpubp_covers_watched(&c, &b));
	add(test, &c, 0x100c0, 1);
	b = was;
	gpubp_covers_lift(&c, &b, 1);
	KUNIT_EXPECT_EQ(test, 256, gpubp_block_size(&b));
	gpubp_covers_exit(&c);
}

static void lift_with_holes(struct kunit *test)
{
	struct gpubp_block b = { 0x10080, (BIT_ULL(48) - 1) & ~63ULL }, was = b;
	struct gpubp_covers c;
	int i;

	start(test, &c, BIT_ULL(30));
	for (i = 0; i < 16; i += 2)
		add(test, &c, 0x10000 + i * GRANULE, 8);
	gpubp_covers_lift_holes(&c, &b, 0);
	KUNIT_EXPECT_EQ(test, was.mask, b.mask);
	gpubp_covers_lift_holes(&c, &b, 1);
	KUNIT_EXPECT_EQ(test, 0x10000, b.value);
	KUNIT_EXPECT_EQ(test, GENMASK_ULL(47, 10) | BIT(6), b.mask);
	b = was;
	gpubp_covers_lift_holes(&c, &b, 100);
	KUNIT_EXPECT_EQ(test, 512, gpubp_block_size(&b));
	gpubp_covers_exit(&c);
}

static void an_insert_without_memory(struct kunit *test)
{
	struct gpubp_covers c;
	int i;

	start(test, &c, BIT_ULL(30));
	add(test, &c, 0x10000, 8);
	add(test, &c, 0x20000, 8);
	for (i = 1; i <= 4; i++) {
		fail_in = i;
		KUNIT_EXPECT_EQ(test, -ENOMEM,
				gpubp_covers_insert(&c, 0x18000, 0x100, 1));
		KUNIT_EXPECT_EQ(test, 3, nr_nodes);
		expect_best(test, &c, 2, 2, 128);
	}
	fail_in = 0;
	gpubp_covers_exit(&c);
	KUNIT_EXPECT_EQ(test, 0, nr_nodes);
}

struct bytes {
	u64 addr;
	u64 len;
};

static bool covered(const struct gpubp_covers *c, const struct bytes *r, int nr)
{
	struct gpubp_block b[4];
	u64 compared;
	int nr_blocks = gpubp_covers_best(c, 4, b, &compared), i, k;

	for (i = 0; i < nr; i++) {
		for (k = 0; k < nr_blocks; k++)
			if (gpubp_block_contains(&b[k], r[i].addr))
				break;
		if (k >= nr_blocks)
			return false;
	}
	return true;
}

static void random_ranges(struct kunit *test)
{
	static struct bytes r[MAX_RANGES];
	struct gpubp_covers c;
	u32 seed = 12345, i;

	start(test, &c, BIT_ULL(30));
	for (i = 0; i < 2000; i++) {
		struct bytes *b = &r[i % MAX_RANGES];

		if (i >= MAX_RANGES)
			KUNIT_ASSERT_EQ(test, 0,
					gpubp_covers_remove(&c, b->addr,
							    b->len, 1));
		seed = seed * 1664525 + 1013904223;
		b->addr = seed >> 8;
		b->len = 1 + (seed & 0x3ff);
		add(test, &c, b->addr, b->len);
		KUNIT_ASSERT_TRUE(test, covered(&c, r, min_t(u32, i + 1,
							     MAX_RANGES)));
	}
	for (i = 0; i < MAX_RANGES; i++)
		KUNIT_EXPECT_EQ(test, 0, gpubp_covers_remove(&c, r[i].addr,
							     r[i].len, 1));
	KUNIT_EXPECT_PTR_EQ(test, c.root, NULL);
	KUNIT_EXPECT_EQ(test, 0, nr_nodes);
}

static struct kunit_case covers_test_cases[] = {
	KUNIT_CASE(few_blocks_for_many_watches),
	KUNIT_CASE(too_few_blocks),
	KUNIT_CASE(lift),
	KUNIT_CASE(lift_with_holes),
	KUNIT_CASE(an_insert_without_memory),
	KUNIT_CASE(random_ranges),
	{}
};

static struct kunit_suite covers_suite = {
	.name = "gpubp_covers",
	.test_cases = covers_test_cases,
};
kunit_test_suite(covers_suite);
