// SPDX-License-Identifier: GPL-2.0
/* Accesses by waves, and what a debugger does with waves. */

#include "conform.h"

/* a wave that does one access and ends */
void conform_access(struct kunit *test, struct gpubp_rig_ctx *ctx, u64 va,
		    u8 len, u8 kind)
{
	struct gpubp_rig_access access = { .va = va, .len = len, .kind = kind };

	conform_need_run(test);
	KUNIT_ASSERT_EQ_MSG(test, ctx->rig->run(ctx, &access, 1), 0,
			    "a wave did not end");
}

void conform_store(struct kunit *test, struct gpubp_rig_ctx *ctx, u64 va)
{
	conform_access(test, ctx, va, 4, STORE);
}

/* a wave that increments the word at @va in an endless loop */
void conform_start(struct kunit *test, struct gpubp_rig_ctx *ctx, u64 va)
{
	struct gpubp_rig_access access = { .va = va, .len = 4, .kind = ATOMIC };

	conform_need_start(test);
	KUNIT_ASSERT_EQ(test, ctx->rig->start(ctx, &access, 1), 0);
}

void conform_end(struct kunit *test, struct gpubp_rig_ctx *ctx)
{
	ctx->rig->finish(ctx);
	KUNIT_ASSERT_EQ_MSG(test, ctx->rig->wait(ctx), 0, "waves did not end");
}

u32 conform_peek(struct kunit *test, struct gpubp_rig_ctx *ctx, u64 va)
{
	struct conform *c = test->priv;
	struct gpubp_where where = { .space = GPUBP_SPACE_GLOBAL, .va = va };
	u32 word = 0;

	c->dev->ops.flush(ctx->core->priv, GPUBP_FLUSH_DATA, 1000);
	KUNIT_EXPECT_EQ(test, c->dev->ops.mem_rw(ctx->core->priv, &where, &word,
						 sizeof(word), 0),
			(ssize_t)sizeof(word));
	return word;
}

/* the wave of conform_start() makes progress, now or within the timeout */
bool conform_is_running(struct kunit *test, struct gpubp_rig_ctx *ctx, u64 va)
{
	u32 before = conform_peek(test, ctx, va);

	return conform_wait(conform_peek(test, ctx, va) != before);
}

/* it makes none for a while, in which a running wave almost certainly would */
bool conform_is_stopped(struct kunit *test, struct gpubp_rig_ctx *ctx, u64 va)
{
	ktime_t end = conform_in_ms(CONFORM_STOPPED_MS);
	u32 before = conform_peek(test, ctx, va);

	do {
		msleep(10);
		if (conform_peek(test, ctx, va) != before)
			return false;
	} while (ktime_before(ktime_get(), end));
	return true;
}

/* lists waves of @ctx, at most CONFORM_WAVES */
unsigned int conform_waves(struct kunit *test, struct gpubp_rig_ctx *ctx,
			   struct gpubp_wave_info *info)
{
	struct conform *c = test->priv;
	int n = c->dev->ops.list_waves(ctx->core->priv, info, CONFORM_WAVES);

	conform_need(test, n != -EOPNOTSUPP, "no list of waves");
	KUNIT_ASSERT_GE(test, n, 0);
	KUNIT_ASSERT_LE(test, n, CONFORM_WAVES);
	return n;
}

static struct gpubp_waves named(struct gpubp_rig_ctx *ctx, const u64 *wave)
{
	return (struct gpubp_waves) {
		.ctx = ctx->core->priv,
		.wave = wave,
		.nr = !!*wave,
	};
}

/* one wave, or all waves of the context if @wave is 0 */
int conform_halt(struct kunit *test, struct gpubp_rig_ctx *ctx, u64 wave)
{
	struct conform *c = test->priv;
	struct gpubp_waves waves = named(ctx, &wave);

	conform_need(test, c->caps.stops != GPUBP_STOPS_NONE, "no halt");
	return c->dev->ops.halt(c->dev->priv, &waves);
}

int conform_resume(struct kunit *test, struct gpubp_rig_ctx *ctx, u64 wave)
{
	struct conform *c = test->priv;
	struct gpubp_waves waves = named(ctx, &wave);

	return c->dev->ops.resume(c->dev->priv, &waves);
}

int conform_step(struct kunit *test, struct gpubp_rig_ctx *ctx, u64 wave)
{
	struct conform *c = test->priv;
	struct gpubp_waves waves = named(ctx, &wave);

	return c->dev->ops.step(c->dev->priv, &waves);
}
