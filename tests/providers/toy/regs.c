// SPDX-License-Identifier: GPL-2.0
/* Ops on waves that are stopped: which there are, and their registers. */
#include <linux/delay.h>
#include <linux/export.h>
#include <linux/string.h>

#include "toy.h"

static struct gpubp_wave_info info_of(struct toy_wave *wave)
{
	return (struct gpubp_wave_info) {
		.wave = wave->id,
		.stopped = toy_wave_stopped(wave),
		.doorbell = toy_ctx_doorbell(wave->ctx),
		.pc = wave->pc,
	};
}

/* gpubp_ops.list_waves */
int toy_list_waves(void *priv, struct gpubp_wave_info *out, unsigned int max)
{
	struct toy_ctx *ctx = toy_check_ctx(priv, "list_waves");
	struct toy_gpu *gpu = ctx->gpu;
	unsigned int i, n = 0;

	guard(raw_spinlock_irqsave)(&gpu->lock);
	for (i = 0; i < TOY_WAVES; i++) {
		struct toy_wave *wave = &gpu->wave[i];

		if (!wave->id || wave->ended || wave->ctx != ctx)
			continue;
		if (n < max)
			out[n] = info_of(wave);
		n++;
	}
	return n;
}
EXPORT_SYMBOL_GPL(toy_list_waves);

static int check_regs(const struct gpubp_reg_req *req, unsigned int nr)
{
	for (; nr; nr--, req++)
		if (req->file != GPUBP_REG_SCALAR ||
		    req->first + req->count > TOY_REGS)
			return -EINVAL;
	return 0;
}

static u32 *stopped_regs(struct toy_gpu *gpu, u64 id)
{
	struct toy_wave *wave = toy_wave_find(gpu, id);

	if (!wave || wave->ended)
		return NULL;
	return toy_wave_stopped(wave) || toy_fault(TOY_FAULT_RUNNING) ?
		wave->reg : NULL;
}

/* gpubp_ops.read_wave */
int toy_read_wave(void *priv, u64 wave, const struct gpubp_reg_req *req,
		  unsigned int nr, u32 *out)
{
	struct toy_gpu *gpu = priv;
	u32 *reg;

	toy_check_op(gpu, "read_wave");
	if (gpu->read_ms)
		msleep(gpu->read_ms);
	guard(raw_spinlock_irqsave)(&gpu->lock);
	reg = stopped_regs(gpu, wave);
	if (!reg)
		return -ESRCH;
	if (check_regs(req, nr))
		return -EINVAL;
	for (; nr; out += req->count, nr--, req++)
		memcpy(out, reg + req->first, req->count * sizeof(*reg));
	return 0;
}
EXPORT_SYMBOL_GPL(toy_read_wave);

/* gpubp_ops.write_wave */
int toy_write_wave(void *priv, u64 wave, const struct gpubp_reg_req *req,
		   unsigned int nr, const u32 *in)
{
	struct toy_gpu *gpu = priv;
	u32 *reg;

	toy_check_op(gpu, "write_wave");
	guard(raw_spinlock_irqsave)(&gpu->lock);
	reg = stopped_regs(gpu, wave);
	if (!reg)
		return -ESRCH;
	if (check_regs(req, nr))
		return -EINVAL;
	for (; nr; in += req->count, nr--, req++)
		memcpy(reg + req->first, in, req->count * sizeof(*reg));
	return 0;
}
EXPORT_SYMBOL_GPL(toy_write_wave);
