// SPDX-License-Identifier: GPL-2.0
/* Ops on stopped waves: the list of waves, and their registers. */
#include <linux/delay.h>
#include <linux/export.h>
#include <linux/string.h>

#include "toy.h"

static struct gpubp_wave_info info_of(struct toy_wave *wave)
{
	return (struct gpubp_wave_info) {
		.wave = wave->id,
		.stopped = toy_wave_stopped(wave) || wave->ctx->suspended ||
			   toy_fault(TOY_FAULT_LIST_STOPPED),
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

static unsigned int nr_regs(const struct gpubp_reg_req *req)
{
	switch (req->file) {
	case GPUBP_REG_SCALAR:
		return TOY_REGS;
	case GPUBP_REG_CONTROL:
		return TOY_CTLS;
	}
	return 0;
}

static int check_regs(const struct gpubp_reg_req *req, unsigned int nr)
{
	for (; nr; nr--, req++)
		if (req->first + req->count > nr_regs(req))
			return -EINVAL;
	return 0;
}

static u32 *regs_of(struct toy_wave *wave, const struct gpubp_reg_req *req)
{
	return (req->file == GPUBP_REG_SCALAR ? wave->reg : wave->ctl) +
	       req->first;
}

static struct toy_wave *stopped_wave(struct toy_gpu *gpu, u64 id)
{
	struct toy_wave *wave = toy_wave_find(gpu, id);

	if (!wave || wave->ended)
		return NULL;
	if (toy_wave_stopped(wave) || toy_fault(TOY_FAULT_RUNNING))
		return wave;
	return wave->ctx->suspended && !toy_fault(TOY_FAULT_SUSPENDED_READ) ?
	       wave : NULL;
}

/* gpubp_ops.read_wave */
int toy_read_wave(void *priv, u64 id, const struct gpubp_reg_req *req,
		  unsigned int nr, u32 *out)
{
	const struct gpubp_reg_req *first = req;
	struct toy_gpu *gpu = priv;
	struct toy_wave *wave;

	toy_check_op(gpu, "read_wave");
	if (gpu->read_ms)
		msleep(gpu->read_ms);
	guard(raw_spinlock_irqsave)(&gpu->lock);
	wave = stopped_wave(gpu, id);
	if (!wave)
		return -ESRCH;
	if (check_regs(req, nr))
		return -EINVAL;
	for (; nr; out += req->count, nr--, req++)
		memcpy(out, regs_of(wave, toy_fault(TOY_FAULT_SPLIT) ? first : req),
		       req->count * sizeof(*out));
	return 0;
}
EXPORT_SYMBOL_GPL(toy_read_wave);

static void write_regs(struct toy_wave *wave, const struct gpubp_reg_req *req,
		       const u32 *in)
{
	if (req->file == GPUBP_REG_CONTROL && toy_fault(TOY_FAULT_EDIT_LOST))
		return;
	memcpy(regs_of(wave, req), in, req->count * sizeof(*in));
}

/* gpubp_ops.write_wave */
int toy_write_wave(void *priv, u64 id, const struct gpubp_reg_req *req,
		   unsigned int nr, const u32 *in)
{
	struct toy_gpu *gpu = priv;
	struct toy_wave *wave;

	toy_check_op(gpu, "write_wave");
	guard(raw_spinlock_irqsave)(&gpu->lock);
	wave = stopped_wave(gpu, id);
	if (!wave)
		return -ESRCH;
	if (check_regs(req, toy_fault(TOY_FAULT_WRITE_SOME) ? 1 : nr))
		return -EINVAL;
	for (; nr && !check_regs(req, 1); in += req->count, nr--, req++)
		write_regs(wave, req, in);
	return nr ? -EINVAL : 0;
}
EXPORT_SYMBOL_GPL(toy_write_wave);
