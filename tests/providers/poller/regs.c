// SPDX-License-Identifier: GPL-2.0
/* Registers through memory: each wave has a save area in its context. */
#include <linux/string.h>

#include "poller.h"

/* number of u32 in the save area of a stopped wave, or an errno */
static int save_area(struct toy_gpu *gpu, u64 id, u32 **area)
{
	struct toy_wave *wave = toy_wave_find(gpu, id);
	size_t len = TOY_REGS * sizeof(u32);

	if (!wave || wave->ended || !toy_wave_stopped(wave))
		return -ESRCH;
	*area = (u32 *)toy_ctx_mem(wave->ctx, toy_wave_save_va(wave), &len,
				   NULL);
	return 0;
}

static int check(const struct gpubp_reg_req *req, unsigned int nr)
{
	for (; nr; nr--, req++)
		if (req->file != GPUBP_REG_SCALAR ||
		    req->first + req->count > TOY_REGS)
			return -EINVAL;
	return 0;
}

/* gpubp_ops.read_wave */
int poller_read_wave(void *priv, u64 wave, const struct gpubp_reg_req *req,
		     unsigned int nr, u32 *out)
{
	struct toy_gpu *gpu = priv;
	u32 *area;
	int err;

	toy_check_op(gpu, "read_wave");
	guard(raw_spinlock_irqsave)(&gpu->lock);
	err = save_area(gpu, wave, &area) ?: check(req, nr);
	for (; !err && nr; out += req->count, nr--, req++)
		memcpy(out, area + req->first, req->count * sizeof(*area));
	return err;
}

/* gpubp_ops.write_wave */
int poller_write_wave(void *priv, u64 wave, const struct gpubp_reg_req *req,
		      unsigned int nr, const u32 *in)
{
	struct toy_gpu *gpu = priv;
	u32 *area;
	int err;

	toy_check_op(gpu, "write_wave");
	guard(raw_spinlock_irqsave)(&gpu->lock);
	err = save_area(gpu, wave, &area) ?: check(req, nr);
	for (; !err && nr; in += req->count, nr--, req++)
		memcpy(area + req->first, in, req->count * sizeof(*area));
	return err;
}
