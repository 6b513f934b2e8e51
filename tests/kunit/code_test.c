// SPDX-License-Identifier: GPL-2.0
/*
 * Code: finding instruction boundaries deep inside large code objects, the cost
 * of it, and the effect of code that changes.
 */
#include <linux/string.h>

#include "mock.h"
#include "trap/insn_map.h"

#define VA		0x7f2000000000ULL
#define SIZE		(4 * (u64)SPAN - 4)
#define SPAN		SZ_1K
#define LEN		4		/* of a break word */
#define NOP		0xbf800000u
#define ENOUGH		((s64)SZ_1G)

/**
 * struct program - memory at VA, generated when it is read
 * @from: offset in bytes from VA where eight-byte instructions begin
 * @end: bytes readable from VA
 * @read: bytes read so far
 */
static struct program {
	u64 from;
	u64 end;
	u64 read;
} program;

/* four-byte instructions first, then eight-byte instructions */
static u32 dword_at(u64 offset)
{
	const u32 store[] = { INSN_STORE };

	if (offset < program.from)
		return NOP;
	return store[(offset - program.from) / 4 % 2];
}

static ssize_t mem_rw(void *ctx, const struct gpubp_where *where, void *buf,
		      size_t len, unsigned int how)
{
	bool write = how & GPUBP_MEM_WRITE;
	u64 offset = where->va - VA;
	u32 *out = buf;
	size_t i;

	if (where->va < VA || write || offset % 4)
		return mock_ops.mem_rw(ctx, where, buf, len, how);
	if (offset >= program.end)
		return -EFAULT;
	len = min_t(u64, len, program.end - offset) & ~3;
	for (i = 0; i < len / 4; i++)
		out[i] = dword_at(offset + 4 * i);
	program.read += len;
	return len;
}

static struct gpubp_ops ops;

static int code_init(struct kunit *test)
{
	ops = mock_ops;
	ops.mem_rw = mem_rw;
	program = (struct program) { .from = 8, .end = U64_MAX };
	return mock_init_ops(test, &ops, &mock_caps);
}

static struct gpubp_ctx *ctx_with_code(struct kunit *test, u64 size)
{
	struct mock_ctx *c = mock_ctx(test);

	KUNIT_ASSERT_EQ(test, gpubp_code_create(c->ctx, VA, size, "large"), 0);
	return c->ctx;
}

static int begins(struct gpubp_ctx *ctx, u64 offset)
{
	s64 budget = ENOUGH;

	return gpubp_code_check_pc(ctx, VA + offset, LEN, &budget);
}

/* the last instruction of a span may extend into the next one */
static void where_spans_meet(struct kunit *test)
{
	struct gpubp_ctx *ctx = ctx_with_code(test, SIZE);
	unsigned int i;
	u64 at;

	program.from = 12;
	for (i = 4; i; i--)
		for (at = i * (u64)SPAN - 16; at < i * (u64)SPAN + 16; at += 4)
			KUNIT_EXPECT_EQ_MSG(test, begins(ctx, at),
					    at >= SIZE ? -ENOENT :
					    (at - 12) % 8 ? -EINVAL : 0,
					    "%llu", at);
	KUNIT_EXPECT_EQ(test, begins(ctx, 0), 0);
	KUNIT_EXPECT_EQ(test, begins(ctx, 4), 0);
	KUNIT_EXPECT_EQ(test, begins(ctx, 2), -EINVAL);
	KUNIT_EXPECT_EQ(test, begins(ctx, SIZE - 2), -EINVAL);
	KUNIT_EXPECT_EQ(test, begins(ctx, SIZE), -ENOENT);
}

static void decoded_once(struct kunit *test)
{
	struct gpubp_ctx *ctx = ctx_with_code(test, SIZE);

	KUNIT_EXPECT_EQ(test, begins(ctx, 3 * SPAN + 8), 0);
	KUNIT_EXPECT_GE(test, program.read, SIZE);
	program.read = 0;
	KUNIT_EXPECT_EQ(test, begins(ctx, 3 * SPAN + 4), -EINVAL);
	KUNIT_EXPECT_EQ(test, begins(ctx, SPAN + 8), 0);
	KUNIT_EXPECT_LT(test, program.read, 2 * (u64)SPAN + 128);
}

/* the largest object, too, is decoded a few spans at a time */
static void a_budget(struct kunit *test)
{
	struct gpubp_ctx *ctx = ctx_with_code(test, GPUBP_CODE_MAX);
	const u64 span = GPUBP_CODE_MAX / 128, pc = 3 * span + 8;
	unsigned int runs;
	s64 budget;
	int err = -EAGAIN;

	for (runs = 0; err == -EAGAIN && runs < 9; runs++) {
		budget = GPUBP_CODE_BUDGET;
		program.read = 0;
		err = gpubp_code_check_pc(ctx, VA + pc, LEN, &budget);
		KUNIT_EXPECT_LE(test, budget, 0);
		KUNIT_EXPECT_LT(test, program.read, span + SZ_16K);
	}
	KUNIT_EXPECT_EQ(test, err, 0);
	KUNIT_EXPECT_EQ(test, runs, 4u);
	budget = 0;
	program.read = 0;
	KUNIT_EXPECT_EQ(test, gpubp_code_check_pc(ctx, VA, LEN, &budget),
			-EAGAIN);
	KUNIT_EXPECT_EQ(test, program.read, 0);
}

static void too_far(struct kunit *test)
{
	struct gpubp_ctx *ctx = ctx_with_code(test, U64_MAX - VA);

	KUNIT_EXPECT_EQ(test, begins(ctx, GPUBP_CODE_MAX), -EFBIG);
	KUNIT_EXPECT_EQ(test, program.read, 0);
	KUNIT_EXPECT_EQ(test, begins(ctx, 8), 0);
}

/* overwritten without a notification */
static void code_that_changed(struct kunit *test)
{
	struct gpubp_ctx *ctx = ctx_with_code(test, SIZE);

	KUNIT_EXPECT_EQ(test, begins(ctx, 3 * SPAN + 8), 0);
	program.from = 4;
	KUNIT_EXPECT_EQ(test, begins(ctx, SPAN + 8), -EINVAL);
	KUNIT_EXPECT_EQ(test, begins(ctx, SPAN + 4), 0);
	KUNIT_EXPECT_EQ(test, begins(ctx, 3 * SPAN + 8), -EINVAL);
}

static void other_code_in_its_place(struct kunit *test)
{
	struct gpubp_ctx *ctx = ctx_with_code(test, SIZE);

	KUNIT_EXPECT_EQ(test, begins(ctx, 3 * SPAN + 8), 0);
	gpubp_code_destroy(ctx, VA);
	KUNIT_EXPECT_EQ(test, begins(ctx, 3 * SPAN + 8), -ENOENT);
	KUNIT_ASSERT_EQ(test, gpubp_code_create(ctx, VA, SIZE, "other"), 0);
	program.read = 0;
	KUNIT_EXPECT_EQ(test, begins(ctx, 3 * SPAN + 8), 0);
	KUNIT_EXPECT_GE(test, program.read, SIZE);
}

static void what_cannot_be_read(struct kunit *test)
{
	struct gpubp_ctx *ctx = ctx_with_code(test, SIZE);

	program.end = SPAN + 64;
	KUNIT_EXPECT_EQ(test, begins(ctx, SPAN + 8), 0);
	KUNIT_EXPECT_EQ(test, begins(ctx, SPAN + 12), -EINVAL);
	KUNIT_EXPECT_EQ(test, begins(ctx, SPAN + 128), -EFAULT);
	KUNIT_EXPECT_EQ(test, begins(ctx, 2 * SPAN), -EFAULT);
}

static struct kunit_case code_test_cases[] = {
	KUNIT_CASE(where_spans_meet),
	KUNIT_CASE(decoded_once),
	KUNIT_CASE(a_budget),
	KUNIT_CASE(too_far),
	KUNIT_CASE(code_that_changed),
	KUNIT_CASE(other_code_in_its_place),
	KUNIT_CASE(what_cannot_be_read),
	{}
};

static struct kunit_suite code_test_suite = {
	.name = "gpubp_code",
	.init = code_init,
	.exit = mock_exit,
	.test_cases = code_test_cases,
};
kunit_test_suite(code_test_suite);
