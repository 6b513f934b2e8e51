/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _GPUBP_ISA_GFX9_OPERANDS_H
#define _GPUBP_ISA_GFX9_OPERANDS_H

#include "ops.h"

/**
 * typedef gfx9_fill_fn - decode the operands of one encoding
 * @i: @fmt, @arch, @op, @seg and @len are set, the rest is zero; @len is
 *	increased by the length of the dword that follows
 * @row: the opcode's row
 * @w: the instruction's dwords
 * @nr: dwords available, at least @i->len / 4
 *
 * Return: 0, -EILSEQ, -ENODATA.
 */
typedef int gfx9_fill_fn(struct gfx9_inst *i, const struct gfx9_op *row,
			 const u32 *w, unsigned int nr);

gfx9_fill_fn gfx9_fill_sop2, gfx9_fill_sop1, gfx9_fill_sopc, gfx9_fill_sopk,
	gfx9_fill_sopp, gfx9_fill_smem, gfx9_fill_vop1, gfx9_fill_vop2,
	gfx9_fill_vopc, gfx9_fill_vop3, gfx9_fill_vop3p, gfx9_fill_ds,
	gfx9_fill_flat, gfx9_fill_mubuf;

bool gfx9_reserved_set(const struct gfx9_inst *i, const u32 *w);

#endif /* _GPUBP_ISA_GFX9_OPERANDS_H */
