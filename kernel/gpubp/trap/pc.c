// SPDX-License-Identifier: GPL-2.0
/* The pc: read, moved, and shown as the program has it. */
#include <linux/bug.h>
#include <linux/errno.h>
#include <linux/gpubp.h>
#include <linux/string.h>

#include "../core/core.h"
#include "pc.h"
#include "trap.h"
#include "trap_point.h"
#include "xol.h"

/**
 * gpubp_pc_read() - where a wave is, also if that is in a buffer
 * @dev: device whose ISA has a pc register
 * @wave: a wave that stands still
 * @pc: (out)
 *
 * May sleep. Return: as ops->read_wave.
 */
int gpubp_pc_read(const struct gpubp_device *dev, u64 wave, u64 *pc)
{
	u32 value[2];
	int err = dev->ops.read_wave(dev->priv, wave, &dev->desc.isa->pc_reg, 1,
				     value);

	if (!err)
		*pc = value[0] | (u64)value[1] << 32;
	return err;
}

/** gpubp_pc_write() - where it goes on; may sleep; as ops->write_wave */
int gpubp_pc_write(const struct gpubp_device *dev, u64 wave, u64 pc)
{
	const u32 value[2] = { lower_32_bits(pc), upper_32_bits(pc) };

	return dev->ops.write_wave(dev->priv, wave, &dev->desc.isa->pc_reg, 1,
				   value);
}

/** gpubp_pc_shown() - of a pc in a buffer, the one that it stands for */
u64 gpubp_pc_shown(struct gpubp_ctx *ctx, u64 pc)
{
	struct gpubp_xol_place place;

	guard(mutex)(&ctx->dev->lock);
	return gpubp_xol_find(ctx, pc, &place) ?
		gpubp_xol_in_program(&place, pc) : pc;
}

static unsigned int count_values(const struct gpubp_reg_req *req,
				 unsigned int nr)
{
	unsigned int n = 0;

	for (; nr; nr--, req++)
		n += req->count;
	return n;
}

/* all or nothing: the registers that it wrote, and the pc */
static int write_effect(const struct gpubp_device *dev, u64 wave,
			const struct gpubp_step_effect *effect)
{
	struct gpubp_reg_req req[GPUBP_MAX_EFFECT_REGS + 1];
	u32 value[GPUBP_MAX_EFFECT_VALUES + 2];
	unsigned int n = count_values(effect->reg, effect->nr);

	if (WARN_ON_ONCE(effect->nr > GPUBP_MAX_EFFECT_REGS ||
			 n > GPUBP_MAX_EFFECT_VALUES))
		return -EINVAL;
	memcpy(req, effect->reg, effect->nr * sizeof(*req));
	memcpy(value, effect->value, n * sizeof(*value));
	req[effect->nr] = dev->desc.isa->pc_reg;
	value[n] = lower_32_bits(effect->pc);
	value[n + 1] = upper_32_bits(effect->pc);
	return dev->ops.write_wave(dev->priv, wave, req, effect->nr + 1, value);
}

/**
 * gpubp_pc_simulate() - do an instruction for a wave
 * @dev: device
 * @wave: a wave that stands still
 * @insn: the instruction, a GPUBP_STEP_SIMULATED
 * @pc: where it stands
 *
 * May sleep. Return: 0; -EILSEQ, it is illegal; or as ops->read_wave and
 * ops->write_wave.
 */
int gpubp_pc_simulate(struct gpubp_device *dev, u64 wave,
		      const struct gpubp_insn *insn, u64 pc)
{
	const struct gpubp_isa *isa = dev->desc.isa;
	struct gpubp_step_effect effect = {};
	u32 regs[GPUBP_MAX_STEP_VALUES] = {};
	int err = 0;

	if (!isa->simulate || WARN_ON_ONCE(count_values(insn->step_regs,
							insn->nr_step_regs) >
					   GPUBP_MAX_STEP_VALUES))
		return -EILSEQ;
	guard(gpubp_edit)(dev);
	if (insn->nr_step_regs)
		err = dev->ops.read_wave(dev->priv, wave, insn->step_regs,
					 insn->nr_step_regs, regs);
	if (!err)
		err = isa->simulate(insn, pc, regs, &effect);
	return err ?: write_effect(dev, wave, &effect);
}
