// SPDX-License-Identifier: GPL-2.0
/* Waves: the list of waves, and their registers. */
#include <linux/string.h>

#include "conform.h"

#define WORD(n)	(0x100 * (n))

static int read_regs(struct kunit *test, u64 wave, unsigned int first,
		     unsigned int count, u32 *out)
{
	struct conform *c = test->priv;
	struct gpubp_reg_req req = {
		.file = GPUBP_REG_SCALAR,
		.first = first,
		.count = count,
	};

	return c->dev->ops.read_wave(c->dev->priv, wave, &req, 1, out);
}

/* there is no such wave: any errno but -EOPNOTSUPP */
static void need_read_wave(struct kunit *test)
{
	u32 value;
	int err = read_regs(test, U64_MAX, 0, 1, &value);

	conform_need(test, err != -EOPNOTSUPP, "no registers");
	KUNIT_EXPECT_EQ(test, err, -ESRCH);
}

static void need_write_wave(struct kunit *test)
{
	struct conform *c = test->priv;
	struct gpubp_reg_req req = { .file = GPUBP_REG_SCALAR, .count = 1 };
	u32 value = 0;
	int err = c->dev->ops.write_wave(c->dev->priv, U64_MAX, &req, 1, &value);

	conform_need(test, err != -EOPNOTSUPP, "registers cannot be written");
	KUNIT_EXPECT_EQ(test, err, -ESRCH);
}

static bool is_doorbell_of(struct gpubp_rig_ctx *ctx, u32 doorbell)
{
	struct gpubp_queue *queue;

	guard(rcu)();
	queue = xa_load(&ctx->core->dev->doorbells, doorbell);
	return queue && queue->ctx == ctx->core;
}

void conform_waves_are_listed(struct kunit *test)
{
	struct gpubp_wave_info info[CONFORM_WAVES] = {};
	struct conform *c = test->priv;
	struct gpubp_rig_ctx *ctx = conform_ctx(test);
	unsigned int i, n;

	KUNIT_EXPECT_EQ(test, conform_waves(test, ctx, info), 0u);
	for (i = 0; i < 3; i++)
		conform_start(test, ctx, ctx->data + WORD(i));
	KUNIT_EXPECT_TRUE(test, conform_wait(conform_waves(test, ctx, info) == 3));
	for (i = 0; i < 3; i++) {
		KUNIT_EXPECT_TRUE(test, is_doorbell_of(ctx, info[i].doorbell));
		KUNIT_EXPECT_FALSE(test, info[i].stopped);
		KUNIT_EXPECT_NE(test, info[i].wave, info[(i + 1) % 3].wave);
	}
	memset(info, 0xff, sizeof(info));
	n = c->dev->ops.list_waves(ctx->core->priv, info, 1);
	KUNIT_EXPECT_EQ(test, n, 3u);
	KUNIT_EXPECT_EQ_MSG(test, info[1].wave, U64_MAX,
			    "wrote beyond the array");
	conform_end(test, ctx);
	KUNIT_EXPECT_EQ(test, conform_waves(test, ctx, info), 0u);
}

/* a context with one wave, halted; skips where that cannot be */
static struct gpubp_rig_ctx *halted_wave(struct kunit *test, u64 *wave)
{
	struct gpubp_wave_info info[CONFORM_WAVES] = {};
	struct conform *c = test->priv;
	struct gpubp_rig_ctx *ctx;

	conform_need(test, c->caps.stops != GPUBP_STOPS_NONE, "no halt");
	conform_need_start(test);
	ctx = conform_ctx(test);
	conform_start(test, ctx, ctx->data);
	KUNIT_ASSERT_TRUE(test, conform_wait(conform_waves(test, ctx, info) == 1));
	*wave = info[0].wave;
	KUNIT_ASSERT_EQ(test, conform_halt(test, ctx, *wave), 0);
	return ctx;
}

static void release_wave(struct kunit *test, struct gpubp_rig_ctx *ctx,
			 u64 wave)
{
	KUNIT_EXPECT_EQ(test, conform_resume(test, ctx, wave), 0);
	conform_end(test, ctx);
}

void conform_registers_of_a_stopped_wave_are_consistent(struct kunit *test)
{
	struct gpubp_reg_req split[2] = {
		{ .file = GPUBP_REG_SCALAR, .first = 0, .count = 3 },
		{ .file = GPUBP_REG_SCALAR, .first = 3, .count = 5 },
	};
	u32 once[8] = {}, again[8] = {}, parts[8] = {};
	struct conform *c = test->priv;
	struct gpubp_rig_ctx *ctx;
	u64 wave;

	need_read_wave(test);
	ctx = halted_wave(test, &wave);
	KUNIT_EXPECT_EQ(test, read_regs(test, wave, 0, 8, once), 0);
	KUNIT_EXPECT_EQ(test, read_regs(test, wave, 0, 8, again), 0);
	KUNIT_EXPECT_EQ(test, c->dev->ops.read_wave(c->dev->priv, wave, split,
						    2, parts), 0);
	KUNIT_EXPECT_EQ(test, memcmp(once, again, sizeof(once)), 0);
	KUNIT_EXPECT_EQ(test, memcmp(once, parts, sizeof(once)), 0);
	release_wave(test, ctx, wave);
}

void conform_registers_of_others_are_esrch(struct kunit *test)
{
	struct gpubp_rig_ctx *ctx;
	u32 value[4];
	u64 wave;

	need_read_wave(test);
	ctx = halted_wave(test, &wave);
	KUNIT_EXPECT_EQ(test, read_regs(test, wave, 0xfff0, 4, value), -EINVAL);
	KUNIT_EXPECT_EQ(test, read_regs(test, U64_MAX, 0, 4, value), -ESRCH);
	KUNIT_EXPECT_EQ(test, conform_resume(test, ctx, wave), 0);
	KUNIT_EXPECT_EQ_MSG(test, read_regs(test, wave, 0, 4, value), -ESRCH,
			    "of a running wave");
	conform_end(test, ctx);
	KUNIT_EXPECT_EQ_MSG(test, read_regs(test, wave, 0, 4, value), -ESRCH,
			    "of a wave that has ended");
}

#define SPARE	8	/* a register that no loop of a rig uses */

void conform_registers_are_written_all_or_none(struct kunit *test)
{
	struct gpubp_reg_req req[2] = {
		{ .file = GPUBP_REG_SCALAR, .first = SPARE, .count = 1 },
		{ .file = GPUBP_REG_SCALAR, .first = 0xfff0, .count = 1 },
	};
	u32 in[2] = { 0xabcd1234, 1 }, out = 0;
	struct conform *c = test->priv;
	struct gpubp_rig_ctx *ctx;
	u64 wave;

	need_read_wave(test);
	need_write_wave(test);
	ctx = halted_wave(test, &wave);
	KUNIT_EXPECT_EQ(test, c->dev->ops.write_wave(c->dev->priv, wave, req,
						     1, in), 0);
	KUNIT_EXPECT_EQ(test, read_regs(test, wave, SPARE, 1, &out), 0);
	KUNIT_EXPECT_EQ(test, out, in[0]);
	in[0] = 77;
	KUNIT_EXPECT_EQ(test, c->dev->ops.write_wave(c->dev->priv, wave, req,
						     2, in), -EINVAL);
	KUNIT_EXPECT_EQ(test, read_regs(test, wave, SPARE, 1, &out), 0);
	KUNIT_EXPECT_EQ_MSG(test, out, 0xabcd1234u,
			    "a request that fails changed a register");
	release_wave(test, ctx, wave);
	KUNIT_EXPECT_EQ(test, c->dev->ops.write_wave(c->dev->priv, wave, req,
						     1, in), -ESRCH);
}
