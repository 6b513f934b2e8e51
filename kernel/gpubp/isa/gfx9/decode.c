// SPDX-License-Identifier: GPL-2.0
/*
 * gfx9 instruction words -> struct gfx9_inst.
 *
 * The top bits select the encoding, then the opcode's row in the tables says
 * whether the processor has it and which extra dword may follow. Encodings that
 * no compute kernel uses (VINTRP, EXP, MIMG, MTBUF) are not decoded.
 */
#include <linux/bits.h>
#include <linux/errno.h>
#include <linux/export.h>
#include <linux/kernel.h>
#include <linux/string.h>
#include "operands.h"
#include "ops.h"

static const struct gfx9_op *op_table_row(const struct gfx9_op_table *t,
					  enum gfx9_arch arch, unsigned int op)
{
	if (op < t->nr_other && (t->other[op].arch & arch))
		return &t->other[op];
	if (op < t->nr && (t->ops[op].arch & arch))
		return &t->ops[op];
	return NULL;
}

bool gfx9_vop3_base(unsigned int op, enum gfx9_fmt *fmt, unsigned int *op32)
{
	if (op < 256) {
		*fmt = GFX9_VOPC;
		*op32 = op;
	} else if (op < 320) {
		*fmt = GFX9_VOP2;
		*op32 = op - 256;
	} else if (op < 448) {
		*fmt = GFX9_VOP1;
		*op32 = op - 320;
	} else {
		return false;
	}
	return true;
}
EXPORT_SYMBOL_GPL(gfx9_vop3_base);

static const struct gfx9_op_table *const tables[] = {
	[GFX9_SOP1] = &gfx9_sop1_table,
	[GFX9_SOP2] = &gfx9_sop2_table,
	[GFX9_SOPK] = &gfx9_sopk_table,
	[GFX9_SOPC] = &gfx9_sopc_table,
	[GFX9_SOPP] = &gfx9_sopp_table,
	[GFX9_SMEM] = &gfx9_smem_table,
	[GFX9_VOP1] = &gfx9_vop1_table,
	[GFX9_VOP2] = &gfx9_vop2_table,
	[GFX9_VOPC] = &gfx9_vopc_table,
	[GFX9_VOP3] = &gfx9_vop3_table,
	[GFX9_VOP3P] = &gfx9_vop3p_table,
	[GFX9_DS] = &gfx9_ds_table,
	[GFX9_MUBUF] = &gfx9_mubuf_table,
};

const struct gfx9_op *gfx9_op_find(enum gfx9_arch arch, enum gfx9_fmt fmt,
				   unsigned int seg, unsigned int op)
{
	const struct gfx9_op *row;
	enum gfx9_fmt base;
	unsigned int op32;

	if (fmt == GFX9_FLAT)
		return seg < ARRAY_SIZE(gfx9_flat_tables) ?
			op_table_row(&gfx9_flat_tables[seg], arch, op) : NULL;
	if (fmt != GFX9_VOP3 || !gfx9_vop3_base(op, &base, &op32))
		return op_table_row(tables[fmt], arch, op);
	row = op_table_row(tables[base], arch, op32);
	return row && (row->flags & GFX9_OPF_E64) ? row : NULL;
}

/**
 * struct encoding - an instruction encoding
 * @mask: bits of the first dword that identify it
 * @match: their values; the first matching entry of the table is used
 * @fmt: format
 * @op_hi: opcode field
 * @op_lo: opcode field
 * @len: bytes without literal, SDWA or DPP dword
 * @fill: decodes the operands
 */
struct encoding {
	u32 mask;
	u32 match;
	enum gfx9_fmt fmt;
	u8 op_hi, op_lo;
	u8 len;
	gfx9_fill_fn *fill;
};

static const struct encoding encodings[] = {
	{ 0xfe000000, 0x7e000000, GFX9_VOP1, 16, 9, 4, gfx9_fill_vop1 },
	{ 0xfe000000, 0x7c000000, GFX9_VOPC, 24, 17, 4, gfx9_fill_vopc },
	{ 0x80000000, 0x00000000, GFX9_VOP2, 30, 25, 4, gfx9_fill_vop2 },
	{ 0xff800000, 0xbe800000, GFX9_SOP1, 15, 8, 4, gfx9_fill_sop1 },
	{ 0xff800000, 0xbf000000, GFX9_SOPC, 22, 16, 4, gfx9_fill_sopc },
	{ 0xff800000, 0xbf800000, GFX9_SOPP, 22, 16, 4, gfx9_fill_sopp },
	{ 0xf0000000, 0xb0000000, GFX9_SOPK, 27, 23, 4, gfx9_fill_sopk },
	{ 0xc0000000, 0x80000000, GFX9_SOP2, 29, 23, 4, gfx9_fill_sop2 },
	{ 0xfc000000, 0xc0000000, GFX9_SMEM, 25, 18, 8, gfx9_fill_smem },
	{ 0xff800000, 0xd3800000, GFX9_VOP3P, 22, 16, 8, gfx9_fill_vop3p },
	{ 0xfc000000, 0xd0000000, GFX9_VOP3, 25, 16, 8, gfx9_fill_vop3 },
	{ 0xfc000000, 0xd8000000, GFX9_DS, 24, 17, 8, gfx9_fill_ds },
	{ 0xfc000000, 0xdc000000, GFX9_FLAT, 24, 18, 8, gfx9_fill_flat },
	{ 0xfc000000, 0xe0000000, GFX9_MUBUF, 24, 18, 8, gfx9_fill_mubuf },
};

static const struct encoding *encoding_find(u32 w)
{
	unsigned int n;

	for (n = 0; n < ARRAY_SIZE(encodings); n++)
		if ((w & encodings[n].mask) == encodings[n].match)
			return &encodings[n];
	return NULL;
}

static int inst_set_illegal(struct gfx9_inst *inst)
{
	memset(inst, 0, sizeof(*inst));
	inst->fmt = GFX9_ILLEGAL;
	inst->len = 4;
	inst->name = "illegal";
	return -EILSEQ;
}

static int inst_decode(struct gfx9_inst *i, const u32 *w, unsigned int nr)
{
	const struct encoding *e = encoding_find(w[0]);
	const struct gfx9_op *row;
	int err;

	if (!e)
		return -EILSEQ;
	i->fmt = e->fmt;
	i->len = e->len;
	i->op = (w[0] >> e->op_lo) & GENMASK(e->op_hi - e->op_lo, 0);
	if (i->fmt == GFX9_FLAT)
		i->seg = (w[0] >> 14) & 3;
	row = gfx9_op_find(i->arch, i->fmt, i->seg, i->op);
	if (!row)
		return -EILSEQ;
	if (nr < i->len / 4)
		return -ENODATA;
	i->name = row->name;
	err = e->fill(i, row, w, nr);
	return err ?: gfx9_reserved_set(i, w) ? -EILSEQ : 0;
}

int gfx9_decode(enum gfx9_arch arch, const u32 *words, unsigned int nr_words,
		struct gfx9_inst *inst)
{
	int err;

	if (!nr_words) {
		inst_set_illegal(inst);
		return -ENODATA;
	}
	memset(inst, 0, sizeof(*inst));
	inst->arch = arch;
	err = inst_decode(inst, words, nr_words);
	if (!err)
		return inst->len;
	inst_set_illegal(inst);
	return err;
}
EXPORT_SYMBOL_GPL(gfx9_decode);
