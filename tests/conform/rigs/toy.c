// SPDX-License-Identifier: GPL-2.0
/* Rig of the toy GPU: translates accesses into toy programs. */
#include <linux/delay.h>
#include <linux/err.h>
#include <linux/jiffies.h>
#include <linux/moduleparam.h>
#include <linux/slab.h>

#include "toy.h"

static unsigned int timeout_ms = 60000;
module_param(timeout_ms, uint, 0644);
MODULE_PARM_DESC(timeout_ms, "timeout for the end of a wave");

struct gpubp_device *toy_rig_device(void *gpu)
{
	struct toy_gpu *toy = gpu;

	return toy->core;
}

int toy_rig_ctx_create(struct gpubp_rig_ctx *ctx)
{
	struct toy_ctx *toy = toy_ctx_create(ctx->gpu, ctx->fenced,
					     ctx->max_stall_us);

	if (IS_ERR(toy))
		return PTR_ERR(toy);
	ctx->priv = toy;
	ctx->core = toy->core;
	ctx->doorbell = toy_ctx_doorbell(toy);
	ctx->data = TOY_DATA;
	ctx->size = TOY_SIZE;
	return 0;
}

void toy_rig_ctx_destroy(struct gpubp_rig_ctx *ctx)
{
	toy_ctx_destroy(ctx->priv);
}

static struct toy_insn access_insn(const struct gpubp_rig_access *access)
{
	return (struct toy_insn) {
		.op = TOY_OP_ACCESS,
		.access = access->kind,
		.width = access->len,
		.offset = access->va - TOY_DATA,
	};
}

static int launch(struct gpubp_rig_ctx *ctx, const struct toy_insn *insn,
		  unsigned int nr)
{
	u64 pc = toy_ctx_load(ctx->priv, insn, nr);

	return pc && toy_wave_start(ctx->priv, pc) ? 0 : -ENOSPC;
}

static int launch_accesses(struct gpubp_rig_ctx *ctx,
			   const struct gpubp_rig_access *accesses,
			   unsigned int nr, enum toy_op last)
{
	struct toy_insn *insn = kcalloc(nr + 1, sizeof(*insn), GFP_KERNEL);
	unsigned int i;
	int err;

	if (!insn)
		return -ENOMEM;
	for (i = 0; i < nr; i++)
		insn[i] = access_insn(&accesses[i]);
	insn[nr].op = last;
	insn[nr].offset = -(u64)(nr * sizeof(*insn));
	err = launch(ctx, insn, nr + 1);
	kfree(insn);
	return err;
}

int toy_rig_wait(struct gpubp_rig_ctx *ctx)
{
	struct toy_ctx *toy = ctx->priv;
	unsigned long end = jiffies + msecs_to_jiffies(timeout_ms);

	while (READ_ONCE(toy->nr_waves) && time_before(jiffies, end))
		usleep_range(100, 500);
	return READ_ONCE(toy->nr_waves) ? -ETIMEDOUT : 0;
}

int toy_rig_run(struct gpubp_rig_ctx *ctx,
		const struct gpubp_rig_access *accesses, unsigned int nr)
{
	return launch_accesses(ctx, accesses, nr, TOY_OP_END) ?:
	       toy_rig_wait(ctx);
}

int toy_rig_start(struct gpubp_rig_ctx *ctx,
		  const struct gpubp_rig_access *accesses, unsigned int nr)
{
	return launch_accesses(ctx, accesses, nr, TOY_OP_JUMP);
}

/* loops are not closed from now on */
void toy_rig_finish(struct gpubp_rig_ctx *ctx)
{
	struct toy_ctx *toy = ctx->priv;
	struct toy_insn *insn = (void *)toy->mem[TOY_REGION_CODE];
	unsigned int i;

	guard(raw_spinlock_irqsave)(&toy->gpu->lock);
	for (i = 0; i < toy->code_used / sizeof(*insn); i++)
		if (insn[i].op == TOY_OP_JUMP)
			insn[i].op = TOY_OP_END;
}

int toy_rig_run_break(struct gpubp_rig_ctx *ctx)
{
	struct toy_insn insn[2] = { { .op = TOY_OP_NOP }, { .op = TOY_OP_END } };
	u32 word = TOY_BREAK_WORD;

	memcpy(&insn[0], &word, sizeof(word));
	return launch(ctx, insn, 2) ?: toy_rig_wait(ctx);
}

unsigned int toy_rig_nr_stopped(void *gpu)
{
	struct toy_gpu *toy = gpu;
	unsigned int i, n = 0;

	guard(raw_spinlock_irqsave)(&toy->lock);
	for (i = 0; i < TOY_WAVES; i++) {
		struct toy_wave *wave = &toy->wave[i];

		n += wave->id && !wave->ended && toy_wave_stopped(wave);
	}
	return n;
}

u64 toy_rig_raised(void *gpu)
{
	struct toy_gpu *toy = gpu;

	guard(raw_spinlock_irqsave)(&toy->lock);
	return toy->raised;
}

const char *toy_rig_complaint(void *gpu)
{
	struct toy_gpu *toy = gpu;

	return atomic_xchg(&toy->nr_complaints, 0) ? toy->complaint : NULL;
}

void toy_rig_reset(void *gpu)
{
	toy_gpu_reset(gpu);
}

void toy_rig_suspend(void *gpu)
{
	toy_gpu_suspend(gpu);
}

void toy_rig_resume(void *gpu)
{
	toy_gpu_resume(gpu);
}

void toy_rig_unplug(void *gpu)
{
	toy_gpu_unplug(gpu);
}

int toy_rig_plug(void *gpu)
{
	return toy_gpu_plug(gpu);
}

void toy_rig_slow_reads(void *gpu, unsigned int ms)
{
	struct toy_gpu *toy = gpu;

	WRITE_ONCE(toy->read_ms, ms);
}

void toy_rig_refuse_suspend(void *gpu, bool refuse)
{
	struct toy_gpu *toy = gpu;

	WRITE_ONCE(toy->no_suspend, refuse);
}
