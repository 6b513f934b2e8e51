// SPDX-License-Identifier: GPL-2.0
/* Ops on memory: translation and access. */
#include <linux/delay.h>
#include <linux/export.h>
#include <linux/string.h>

#include "toy.h"

static void take_time(struct toy_gpu *gpu)
{
	unsigned int ms = READ_ONCE(gpu->read_ms);

	if (ms)
		msleep(ms);
}

/* only global memory exists; -ESRCH takes precedence over -EOPNOTSUPP */
static int check_space(struct toy_ctx *ctx, const struct gpubp_where *where)
{
	struct toy_wave *wave;

	if (where->space == GPUBP_SPACE_GLOBAL || toy_fault(TOY_FAULT_SPACE))
		return 0;
	guard(raw_spinlock_irqsave)(&ctx->gpu->lock);
	wave = toy_wave_find(ctx->gpu, where->wave);
	if (!wave || wave->ended || !toy_wave_stopped(wave) ||
	    toy_fault(TOY_FAULT_NO_WAVE))
		return -ESRCH;
	return -EOPNOTSUPP;
}

/* gpubp_ops.mem_rw */
ssize_t toy_mem_rw(void *priv, const struct gpubp_where *where, void *buf,
		   size_t len, unsigned int how)
{
	struct toy_ctx *ctx = toy_check_ctx(priv, "mem_rw");
	int err = check_space(ctx, where);
	size_t asked = len;
	u8 *mem;

	if (err || !len)
		return err;
	take_time(ctx->gpu);
	guard(raw_spinlock_irqsave)(&ctx->gpu->lock);
	mem = toy_ctx_mem(ctx, where->va, &len, NULL);
	if (!mem)
		return toy_fault(TOY_FAULT_NOWHERE) ? 0 : -EFAULT;
	if (how & GPUBP_MEM_WRITE)
		memcpy(mem, buf, len - toy_fault(TOY_FAULT_WRITE_SHORT));
	else
		memcpy(buf, mem, len);
	return toy_fault(TOY_FAULT_LENGTH) ? asked : len;
}
EXPORT_SYMBOL_GPL(toy_mem_rw);

/* gpubp_ops.mem_translate */
int toy_mem_translate(void *priv, const struct gpubp_where *where,
		      struct gpubp_mapping *out)
{
	struct toy_ctx *ctx = toy_check_ctx(priv, "mem_translate");
	int err = check_space(ctx, where);
	enum toy_region region;
	size_t len = TOY_SIZE;

	if (err)
		return err;
	if (!toy_ctx_mem(ctx, where->va, &len, &region))
		return -EFAULT;
	*out = (struct gpubp_mapping) {
		.start = where->va + len - TOY_SIZE,
		.size = toy_fault(TOY_FAULT_MAPPING) ? TOY_SIZE / 2 : TOY_SIZE,
		.flags = GPUBP_MAP_READ | GPUBP_MAP_WRITE | GPUBP_MAP_DEVICE |
			 (region == TOY_REGION_CODE ? GPUBP_MAP_EXEC : 0),
	};
	return 0;
}
EXPORT_SYMBOL_GPL(toy_mem_translate);
