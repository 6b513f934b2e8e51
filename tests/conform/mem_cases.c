// SPDX-License-Identifier: GPL-2.0
/* Memory, as the core and debuggers see it. */
#include <linux/ktime.h>
#include <linux/string.h>

#include "conform.h"

static ssize_t rw(struct kunit *test, struct gpubp_rig_ctx *ctx, u64 va,
		  void *buf, size_t len, bool write)
{
	struct conform *c = test->priv;
	struct gpubp_where where = { .space = GPUBP_SPACE_GLOBAL, .va = va };

	return c->dev->ops.mem_rw(ctx->core->priv, &where, buf, len,
				  write ? GPUBP_MEM_WRITE : 0);
}

void conform_memory_reads_what_was_written(struct kunit *test)
{
	struct conform *c = test->priv;
	u8 out[300], in[300];
	struct gpubp_rig_ctx *ctx;
	int i;

	conform_need(test, !c->rig->read_only, "memory is not written");
	ctx = conform_ctx(test);

	for (i = 0; i < sizeof(out); i++)
		out[i] = i * 7 + 1;
	for (i = 0; i < 3; i++) {
		u64 va = ctx->data + (i + 1) * PAGE_SIZE - 150 - i;

		KUNIT_EXPECT_EQ(test, rw(test, ctx, va, out, sizeof(out), true),
				(ssize_t)sizeof(out));
		memset(in, 0, sizeof(in));
		KUNIT_EXPECT_EQ(test, rw(test, ctx, va, in, sizeof(in), false),
				(ssize_t)sizeof(in));
		KUNIT_EXPECT_EQ(test, memcmp(in, out, sizeof(in)), 0);
	}
	KUNIT_EXPECT_EQ(test, rw(test, ctx, ctx->data, in, 0, false), 0);
}

void conform_memory_is_short_at_the_end_of_a_mapping(struct kunit *test)
{
	struct gpubp_rig_ctx *ctx = conform_ctx(test);
	struct conform *c = test->priv;
	ssize_t written = c->rig->read_only ? -EFAULT : 8;
	u64 end = ctx->data + ctx->size;
	u8 buf[32] = {};

	KUNIT_EXPECT_EQ(test, rw(test, ctx, end - 8, buf, sizeof(buf), true),
			written);
	KUNIT_EXPECT_EQ(test, rw(test, ctx, end - 8, buf, sizeof(buf), false), 8);
	KUNIT_EXPECT_EQ(test, rw(test, ctx, end - 1, buf, sizeof(buf), false), 1);
}

void conform_memory_that_is_not_there_is_efault(struct kunit *test)
{
	struct gpubp_rig_ctx *ctx = conform_ctx(test);
	u64 end = ctx->data + ctx->size;
	u8 buf[8] = {};

	KUNIT_EXPECT_EQ(test, rw(test, ctx, end, buf, sizeof(buf), false),
			-EFAULT);
	KUNIT_EXPECT_EQ(test, rw(test, ctx, end, buf, sizeof(buf), true),
			-EFAULT);
	KUNIT_EXPECT_EQ(test, rw(test, ctx, U64_MAX - 8, buf, sizeof(buf),
				 false), -EFAULT);
}

static const enum gpubp_space wave_spaces[] = {
	GPUBP_SPACE_LDS, GPUBP_SPACE_PRIVATE, GPUBP_SPACE_SCRATCH,
};

static ssize_t read_space(struct kunit *test, struct gpubp_rig_ctx *ctx,
			  enum gpubp_space space, u64 wave)
{
	struct gpubp_where where = { .space = space, .wave = wave };
	struct conform *c = test->priv;
	u32 word;

	return c->dev->ops.mem_rw(ctx->core->priv, &where, &word, sizeof(word),
				  0);
}

void conform_memory_of_a_wave_needs_a_stopped_wave(struct kunit *test)
{
	struct gpubp_rig_ctx *ctx = conform_ctx(test);
	ssize_t n;
	int i;

	for (i = 0; i < ARRAY_SIZE(wave_spaces); i++) {
		n = read_space(test, ctx, wave_spaces[i], U64_MAX);
		KUNIT_EXPECT_TRUE_MSG(test, n == -ESRCH || n == -EOPNOTSUPP,
				      "space %u: %zd", wave_spaces[i], n);
	}
}

/* a kernel may use no such memory: then nothing is mapped there */
void conform_memory_of_a_stopped_wave_can_be_read_or_not_at_all(struct kunit *test)
{
	struct gpubp_wave_info info[CONFORM_WAVES] = {};
	struct conform *c = test->priv;
	struct gpubp_rig_ctx *ctx;
	ssize_t n;
	int i;

	conform_need(test, c->caps.stops != GPUBP_STOPS_NONE, "no halt");
	conform_need_start(test);
	ctx = conform_ctx(test);
	conform_start(test, ctx, ctx->data);
	KUNIT_ASSERT_TRUE(test, conform_wait(conform_waves(test, ctx, info) == 1));
	KUNIT_ASSERT_EQ(test, conform_halt(test, ctx, info[0].wave), 0);
	for (i = 0; i < ARRAY_SIZE(wave_spaces); i++) {
		n = read_space(test, ctx, wave_spaces[i], info[0].wave);
		KUNIT_EXPECT_TRUE_MSG(test, n == sizeof(u32) ||
				      n == -EOPNOTSUPP || n == -EFAULT,
				      "space %u: %zd", wave_spaces[i], n);
	}
	KUNIT_EXPECT_EQ(test, conform_resume(test, ctx, info[0].wave), 0);
	conform_end(test, ctx);
}

void conform_mappings_are_what_memory_says(struct kunit *test)
{
	struct gpubp_rig_ctx *ctx = conform_ctx(test);
	struct conform *c = test->priv;
	struct gpubp_where where = { .va = ctx->data + 0x123 };
	struct gpubp_mapping map = {};
	int err;

	err = c->dev->ops.mem_translate(ctx->core->priv, &where, &map);
	conform_need(test, err != -EOPNOTSUPP, "mappings are unknown");
	KUNIT_ASSERT_EQ(test, err, 0);
	KUNIT_EXPECT_LE(test, map.start, ctx->data);
	KUNIT_EXPECT_EQ(test, map.start + map.size, ctx->data + ctx->size);
	KUNIT_EXPECT_EQ(test, map.flags & (GPUBP_MAP_READ | GPUBP_MAP_WRITE),
			(u32)(GPUBP_MAP_READ | GPUBP_MAP_WRITE));
	where.va = ctx->data + ctx->size;
	KUNIT_EXPECT_EQ(test, c->dev->ops.mem_translate(ctx->core->priv,
							&where, &map), -EFAULT);
}

#define SLOW_MS	5000	/* exceeded not even in a slow guest */

void conform_flushes_are_bounded(struct kunit *test)
{
	static const u32 kinds[] = {
		GPUBP_FLUSH_DATA, GPUBP_FLUSH_CODE,
		GPUBP_FLUSH_DATA | GPUBP_FLUSH_CODE,
	};
	const s64 bound = min(SLOW_MS, conform_timeout_ms);
	struct gpubp_rig_ctx *ctx = conform_ctx(test);
	struct conform *c = test->priv;
	ktime_t start;
	int i, err;

	for (i = 0; i < ARRAY_SIZE(kinds); i++) {
		KUNIT_EXPECT_EQ(test, c->dev->ops.flush(ctx->core->priv,
							kinds[i], 10000), 0);
		start = ktime_get();
		err = c->dev->ops.flush(ctx->core->priv, kinds[i], 0);
		KUNIT_EXPECT_TRUE(test, !err || err == -ETIMEDOUT);
		KUNIT_ASSERT_LT_MSG(test, ktime_ms_delta(ktime_get(), start),
				    bound, "waits though the timeout is 0");
	}
}
