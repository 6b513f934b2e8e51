// SPDX-License-Identifier: GPL-2.0
/*
 * Ops that stop and resume waves. No instruction is executed while toy_gpu.run
 * is held, so that a hold takes effect at once.
 */
#include <linux/export.h>

#include "toy.h"

/* the next wave that @waves names, from index @i; NULL at the end */
static struct toy_wave *next_named(struct toy_gpu *gpu,
				   const struct gpubp_waves *waves,
				   unsigned int *i)
{
	while (*i < (waves->nr ?: TOY_WAVES)) {
		struct toy_wave *wave = waves->nr ?
			toy_wave_find(gpu, waves->wave[*i]) : &gpu->wave[*i];

		++*i;
		if (waves->nr || (wave->id && !wave->ended &&
				  wave->ctx == waves->ctx))
			return wave;
	}
	return NULL;
}

static bool all_exist(struct toy_gpu *gpu, const struct gpubp_waves *waves)
{
	unsigned int i;

	for (i = 0; i < waves->nr; i++) {
		struct toy_wave *wave = toy_wave_find(gpu, waves->wave[i]);

		if (!wave || wave->ended || wave->ctx != waves->ctx)
			return false;
	}
	return true;
}

/* visits each hold once, however many of its waves are named */
static bool is_first_of_hold(struct toy_gpu *gpu,
			     const struct gpubp_waves *waves,
			     struct toy_wave *wave, unsigned int end)
{
	unsigned int i = 0;

	while (i < end - 1) {
		struct toy_wave *other = next_named(gpu, waves, &i);

		if (!other || i >= end)
			break;
		if (toy_wave_hold(other) == toy_wave_hold(wave))
			return false;
	}
	return true;
}

static void change_holds(struct toy_gpu *gpu, const struct gpubp_waves *waves,
			 void (*fn)(struct toy_gpu *gpu, struct toy_hold *hold))
{
	struct toy_wave *wave;
	unsigned int i = 0;

	while ((wave = next_named(gpu, waves, &i)))
		if (is_first_of_hold(gpu, waves, wave, i))
			fn(gpu, toy_wave_hold(wave));
}

static struct toy_gpu *check(void *priv, const struct gpubp_waves *waves,
			     const char *op)
{
	struct toy_ctx *ctx = toy_check_ctx(waves->ctx, op);

	if (ctx->gpu != priv)
		toy_complain(ctx->gpu, "%s of another device's context", op);
	if (ctx->fenced)
		toy_complain(ctx->gpu, "%s in a fenced context", op);
	return ctx->gpu;
}

static void add_halt(struct toy_gpu *gpu, struct toy_hold *hold)
{
	if (!hold->halts || !toy_fault(TOY_FAULT_NESTING))
		hold->halts++;
}

static void undo_halt(struct toy_gpu *gpu, struct toy_hold *hold)
{
	if (hold->halts)
		hold->halts--;
	else if (!toy_fault(TOY_FAULT_NESTING))
		toy_complain(gpu, "resume of waves that are not halted");
}

static int change(struct toy_gpu *gpu, const struct gpubp_waves *waves,
		  void (*fn)(struct toy_gpu *gpu, struct toy_hold *hold))
{
	guard(mutex)(&gpu->run);
	guard(raw_spinlock_irqsave)(&gpu->lock);
	if (!all_exist(gpu, waves)) {
		if (toy_fault(TOY_FAULT_HALT_SOME))
			change_holds(gpu, waves, fn);
		return -ESRCH;
	}
	change_holds(gpu, waves, fn);
	toy_gpu_wake(gpu);
	return 0;
}

/* gpubp_ops.halt */
int toy_halt(void *priv, const struct gpubp_waves *waves)
{
	return change(check(priv, waves, "halt"), waves, add_halt);
}
EXPORT_SYMBOL_GPL(toy_halt);

/* gpubp_ops.resume */
int toy_resume(void *priv, const struct gpubp_waves *waves)
{
	return change(check(priv, waves, "resume"), waves, undo_halt);
}
EXPORT_SYMBOL_GPL(toy_resume);

static bool all_halted(struct toy_gpu *gpu, const struct gpubp_waves *waves)
{
	struct toy_wave *wave;
	unsigned int i = 0;

	guard(raw_spinlock_irqsave)(&gpu->lock);
	if (!all_exist(gpu, waves))
		return false;
	while ((wave = next_named(gpu, waves, &i)))
		if (!toy_wave_stopped(wave))
			return false;
	return true;
}

static struct toy_wave *next_locked(struct toy_gpu *gpu,
				    const struct gpubp_waves *waves,
				    unsigned int *i)
{
	guard(raw_spinlock_irqsave)(&gpu->lock);
	return next_named(gpu, waves, i);
}

/* gpubp_ops.step */
int toy_step(void *priv, const struct gpubp_waves *waves)
{
	struct toy_gpu *gpu = check(priv, waves, "step");
	struct toy_ctx *ctx = waves->ctx;
	struct toy_wave *wave;
	unsigned int i = 0;
	int err = 0;

	guard(mutex)(&gpu->run);
	if (ctx->suspended && !toy_fault(TOY_FAULT_STEP_SUSPENDED))
		return -EBUSY;
	if (!all_halted(gpu, waves))
		return -ESRCH;
	if (toy_fault(TOY_FAULT_STEP_LOST) && xchg(&ctx->back, false))
		return 0;
	while ((wave = next_locked(gpu, waves, &i))) {
		toy_wave_execute(wave);
		if (toy_fault(TOY_FAULT_STEP_TWO))
			toy_wave_execute(wave);
		if (READ_ONCE(wave->ended) || !READ_ONCE(wave->id))
			err = -ESRCH;
	}
	return toy_fault(TOY_FAULT_STEP_END) ? 0 : err;
}
EXPORT_SYMBOL_GPL(toy_step);

static void suspend(struct toy_gpu *gpu, void * const *ctxs, unsigned int nr,
		    int by)
{
	unsigned int i;

	guard(mutex)(&gpu->run);
	guard(raw_spinlock_irqsave)(&gpu->lock);
	for (i = 0; i < nr; i++) {
		struct toy_ctx *ctx = ctxs[i];

		if (by < 0 && !ctx->suspended)
			toy_complain(gpu, "ctx_resume without ctx_suspend");
		else
			ctx->suspended += by;
		ctx->back = true;
	}
	toy_gpu_wake(gpu);
}

/* gpubp_ops.ctx_suspend */
int toy_ctx_suspend(void *priv, void * const *ctxs, unsigned int nr,
		    unsigned int grace_ms)
{
	unsigned int i;

	for (i = 0; i < nr; i++)
		toy_check_ctx(ctxs[i], "ctx_suspend");
	if (!READ_ONCE(((struct toy_gpu *)priv)->no_suspend)) {
		suspend(priv, ctxs, nr, 1);
		return 0;
	}
	if (toy_fault(TOY_FAULT_SUSPEND_HALF))
		suspend(priv, ctxs, nr, 1);
	return -ETIMEDOUT;
}
EXPORT_SYMBOL_GPL(toy_ctx_suspend);

/* gpubp_ops.ctx_resume */
void toy_ctx_resume(void *priv, void * const *ctxs, unsigned int nr)
{
	unsigned int i;

	for (i = 0; i < nr; i++)
		toy_check_ctx(ctxs[i], "ctx_resume");
	suspend(priv, ctxs, nr, -1);
}
EXPORT_SYMBOL_GPL(toy_ctx_resume);
