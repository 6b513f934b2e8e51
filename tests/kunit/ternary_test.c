// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit: covers by masks with holes, as compiled for this kernel. tests/host
 * compares them with brute force; here are the cases that a reader would try.
 */
#include <kunit/test.h>
#include <linux/sizes.h>

/* the room is linked into this module, too: the core exports nothing of it */
#include "../../kernel/gpubp/covers_ternary.c"

#define GRANULE	64
#define HOLES	GENMASK_ULL(29, 6)

static const struct gpubp_cover_caps caps = {
	.granule = GRANULE, .max_block = SZ_1G, .va_bits = 48,
};

/**
 * struct task - what is covered
 * @nr: blocks
 * @block: they
 * @out: by these
 * @t: the search
 */
struct task {
	unsigned int nr;
	struct gpubp_block block[GPUBP_TERNARY_BLOCKS];
	struct gpubp_block out[GPUBP_COVERS_MAX];
	struct gpubp_ternary t;
};

static struct task *new_task(struct kunit *test)
{
	struct task *task = kunit_kzalloc(test, sizeof(*task), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, task);
	return task;
}

static void add(struct task *task, u64 addr)
{
	task->block[task->nr++] = (struct gpubp_block) {
		.value = addr, .mask = GENMASK_ULL(47, 6),
	};
}

static void expect(struct kunit *test, struct task *task, u64 holes,
		   unsigned int k, int nr, u64 bytes)
{
	u64 compared;

	KUNIT_EXPECT_EQ(test, nr, gpubp_ternary_cover(&task->t, &caps, holes,
						      task->block, task->nr, k,
						      task->out, &compared));
	KUNIT_EXPECT_EQ(test, bytes, compared);
}

static void every_second_struct(struct kunit *test)
{
	struct task *task = new_task(test);
	int i;

	for (i = 0; i < 32; i++)
		add(task, 0x10000 + 2 * i * GRANULE);
	expect(test, task, HOLES, 1, 1, 32 * GRANULE);
	KUNIT_EXPECT_EQ(test, 0x10000, task->out[0].value);
	KUNIT_EXPECT_EQ(test, GENMASK_ULL(47, 12) | BIT(6), task->out[0].mask);
	expect(test, task, 0, 1, 1, 64 * GRANULE);
	expect(test, task, 0, 4, 1, 64 * GRANULE);
}

static void two_fields_of_two_arrays(struct kunit *test)
{
	struct task *task = new_task(test);
	int i;

	for (i = 0; i < 8; i++) {
		add(task, 0x10000 + 4 * i * GRANULE);
		add(task, 0x10040 + 8 * i * GRANULE);
		add(task, 0x7000000 + 2 * i * GRANULE);
	}
	expect(test, task, HOLES, 3, 3, 24 * GRANULE);
	expect(test, task, HOLES, 2, 2, (8 + 32) * GRANULE);
}

static void too_few(struct kunit *test)
{
	struct task *task = new_task(test);
	int i;

	expect(test, task, HOLES, 1, 0, 0);
	for (i = 0; i < 3; i++)
		add(task, (u64)i << 32);
	expect(test, task, HOLES, 2, -ERANGE, 0);
	expect(test, task, HOLES, 3, 3, 3 * GRANULE);
}

static struct kunit_case ternary_test_cases[] = {
	KUNIT_CASE(every_second_struct),
	KUNIT_CASE(two_fields_of_two_arrays),
	KUNIT_CASE(too_few),
	{}
};

static struct kunit_suite ternary_test_suite = {
	.name = "gpubp_ternary",
	.test_cases = ternary_test_cases,
};
kunit_test_suite(ternary_test_suite);
