/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _GPUBP_ISA_GFX9_STEP_H
#define _GPUBP_ISA_GFX9_STEP_H

#include <linux/gpubp_isa.h>
#include "gfx9.h"

/**
 * gfx9_step_describe() - fill in the stepping fields of @insn
 * @inst: the decoded instruction
 * @words: its @inst->len / 4 dwords
 * @insn: its stepping fields are zero; uses entries of its isa_priv that are
 *	free in instructions that do not access memory
 */
void gfx9_step_describe(const struct gfx9_inst *inst, const u32 *words,
			struct gpubp_insn *insn);

/* gpubp_isa.simulate */
int gfx9_simulate(const struct gpubp_insn *insn, u64 pc, const u32 *regs,
		  struct gpubp_step_effect *out);

#endif /* _GPUBP_ISA_GFX9_STEP_H */
