// SPDX-License-Identifier: GPL-2.0
/*
 * gfx9 instruction words -> struct gfx9_inst.
 *
 * The encoding is found from the top bits, then the opcode's row in the tables
 * says whether the processor has it and which extra dword may follow. Encodings
 * that no compute kernel uses (VINTRP, EXP, MIMG, MTBUF) are not decoded.
 */
#include <linux/bits.h>
#include <linux/errno.h>
#include <linux/export.h>
#include <linux/kernel.h>
#include <linux/string.h>
#include "ops.h"

/* bits [hi:lo] of a dword */
#define F(w, hi, lo)	(((w) & GENMASK(hi, lo)) >> (lo))

static s32 sign_extend(u32 value, unsigned int bits)
{
	u32 top = 1U << (bits - 1);

	return (s32)((value ^ top) - top);
}

static const struct gfx9_op *table_row(const struct gfx9_op_table *t,
				       enum gfx9_arch arch, unsigned int op)
{
	if (arch == GFX9_GFX900 && op < t->nr_900 && t->ops_900[op].name)
		return &t->ops_900[op];
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
			table_row(&gfx9_flat_tables[seg], arch, op) : NULL;
	if (fmt != GFX9_VOP3 || !gfx9_vop3_base(op, &base, &op32))
		return table_row(tables[fmt], arch, op);
	row = table_row(tables[base], arch, op32);
	return row && (row->flags & GFX9_OPF_E64) ? row : NULL;
}

/* operand codes that no instruction accepts as they stand */
static bool bad_src(unsigned int code)
{
	return (code >= 209 && code <= 234) || code == GFX9_SRC_SDWA ||
	       code == GFX9_SRC_DPP;
}

/* VOP3 has no room for a literal on gfx9 */
static bool bad_src_vop3(unsigned int code)
{
	return bad_src(code) || code == GFX9_SRC_LITERAL;
}

static int take_extra(struct gfx9_inst *i, const u32 *w, unsigned int nr)
{
	unsigned int at = i->len / 4;

	if (nr <= at)
		return -ENODATA;
	i->literal = w[at];
	i->len += 4;
	return 0;
}

static int take_literal(struct gfx9_inst *i, const u32 *w, unsigned int nr)
{
	i->has_literal = true;
	return take_extra(i, w, nr);
}

static int sop_sources(struct gfx9_inst *i, unsigned int nr_src, const u32 *w,
		       unsigned int nr)
{
	unsigned int s;
	bool literal = false;

	for (s = 0; s < nr_src; s++) {
		if (bad_src(i->src[s]))
			return -EILSEQ;
		literal |= i->src[s] == GFX9_SRC_LITERAL;
	}
	return literal ? take_literal(i, w, nr) : 0;
}

static int fill_sop2(struct gfx9_inst *i, const struct gfx9_op *row,
		     const u32 *w, unsigned int nr)
{
	i->dst = F(w[0], 22, 16);
	i->src[0] = F(w[0], 7, 0);
	i->src[1] = F(w[0], 15, 8);
	return sop_sources(i, 2, w, nr);
}

static int fill_sop1(struct gfx9_inst *i, const struct gfx9_op *row,
		     const u32 *w, unsigned int nr)
{
	i->dst = F(w[0], 22, 16);
	i->src[0] = F(w[0], 7, 0);
	return sop_sources(i, row->flags & GFX9_OPF_NO_SRC ? 0 : 1, w, nr);
}

static int fill_sopc(struct gfx9_inst *i, const struct gfx9_op *row,
		     const u32 *w, unsigned int nr)
{
	i->src[0] = F(w[0], 7, 0);
	i->src[1] = F(w[0], 15, 8);
	/* s_set_gpr_idx_on: the second field is four bits, not an operand */
	return sop_sources(i, row->flags & GFX9_OPF_NO_SRC ? 1 : 2, w, nr);
}

static int fill_sopk(struct gfx9_inst *i, const struct gfx9_op *row,
		     const u32 *w, unsigned int nr)
{
	i->dst = F(w[0], 22, 16);
	i->src[0] = i->dst;
	i->simm16 = F(w[0], 15, 0);
	return row->flags & GFX9_OPF_LITERAL ? take_literal(i, w, nr) : 0;
}

static int fill_sopp(struct gfx9_inst *i, const struct gfx9_op *row,
		     const u32 *w, unsigned int nr)
{
	i->simm16 = F(w[0], 15, 0);
	return 0;
}

static int fill_smem(struct gfx9_inst *i, const struct gfx9_op *row,
		     const u32 *w, unsigned int nr)
{
	i->dst = F(w[0], 12, 6);
	i->saddr = F(w[0], 5, 0) * 2;
	i->soe = F(w[0], 14, 14);
	i->nv = F(w[0], 15, 15);
	i->glc = F(w[0], 16, 16);
	i->imm = F(w[0], 17, 17);
	if (i->imm)
		i->offset = sign_extend(F(w[1], 20, 0), 21);
	i->soffset = i->soe ? F(w[1], 31, 25) : F(w[1], 6, 0);
	return 0;
}

/* the SDWA dword replaces SRC0 and says which parts of registers are used */
static int fill_sdwa(struct gfx9_inst *i, const u32 *w, unsigned int nr)
{
	int err = take_extra(i, w, nr);
	u32 x = i->literal;

	if (err)
		return err;
	i->sdwa = true;
	i->src[0] = F(x, 7, 0) | (x & BIT(23) ? 0 : GFX9_SRC_VGPR);
	if (x & BIT(31))
		i->src[1] &= 0xff;
	i->neg = F(x, 20, 20) | F(x, 28, 28) << 1;
	i->abs = F(x, 21, 21) | F(x, 29, 29) << 1;
	if (i->fmt == GFX9_VOPC) {
		i->dst = x & BIT(15) ? F(x, 14, 8) : GFX9_SRC_VCC;
		return 0;
	}
	i->clamp = F(x, 13, 13);
	i->omod = F(x, 15, 14);
	return 0;
}

static int fill_dpp(struct gfx9_inst *i, const u32 *w, unsigned int nr)
{
	int err = take_extra(i, w, nr);
	u32 x = i->literal;

	if (err)
		return err;
	i->dpp = true;
	i->src[0] = F(x, 7, 0) | GFX9_SRC_VGPR;
	i->neg = F(x, 20, 20) | F(x, 22, 22) << 1;
	i->abs = F(x, 21, 21) | F(x, 23, 23) << 1;
	return 0;
}

static u8 dpp_flags(const struct gfx9_inst *i)
{
	u8 flags = GFX9_OPF_DPP;

	return i->arch == GFX9_GFX90A ? flags | GFX9_OPF_DPP90A : flags;
}

/* SRC0 of the 32-bit vector encodings, and the dword it may announce */
static int vop_src0(struct gfx9_inst *i, const struct gfx9_op *row,
		    const u32 *w, unsigned int nr)
{
	i->src[0] = F(w[0], 8, 0);
	if (i->src[0] == GFX9_SRC_DPP && (row->flags & dpp_flags(i)))
		return fill_dpp(i, w, nr);
	if (row->flags & GFX9_OPF_NO_SRC)
		return 0;
	if (i->src[0] == GFX9_SRC_SDWA && (row->flags & GFX9_OPF_SDWA))
		return fill_sdwa(i, w, nr);
	if (bad_src(i->src[0]))
		return -EILSEQ;
	if (i->src[0] == GFX9_SRC_LITERAL || (row->flags & GFX9_OPF_LITERAL))
		return take_literal(i, w, nr);
	return 0;
}

static int fill_vop1(struct gfx9_inst *i, const struct gfx9_op *row,
		     const u32 *w, unsigned int nr)
{
	i->dst = F(w[0], 24, 17);
	return vop_src0(i, row, w, nr);
}

static int fill_vop2(struct gfx9_inst *i, const struct gfx9_op *row,
		     const u32 *w, unsigned int nr)
{
	i->dst = F(w[0], 24, 17);
	i->src[1] = F(w[0], 16, 9) | GFX9_SRC_VGPR;
	if (row->flags & GFX9_OPF_CARRY_IN)
		i->src[2] = GFX9_SRC_VCC;
	if (row->flags & GFX9_OPF_SDST)
		i->sdst = GFX9_SRC_VCC;
	return vop_src0(i, row, w, nr);
}

static int fill_vopc(struct gfx9_inst *i, const struct gfx9_op *row,
		     const u32 *w, unsigned int nr)
{
	i->dst = GFX9_SRC_VCC;
	i->src[1] = F(w[0], 16, 9) | GFX9_SRC_VGPR;
	return vop_src0(i, row, w, nr);
}

static int vop3_sources(struct gfx9_inst *i, u32 w1)
{
	unsigned int s;

	for (s = 0; s < 3; s++) {
		i->src[s] = (w1 >> (9 * s)) & 0x1ff;
		if (bad_src_vop3(i->src[s]))
			return -EILSEQ;
	}
	i->neg = F(w1, 31, 29);
	return 0;
}

static int fill_vop3(struct gfx9_inst *i, const struct gfx9_op *row,
		     const u32 *w, unsigned int nr)
{
	i->dst = F(w[0], 7, 0);
	i->clamp = F(w[0], 15, 15);
	i->omod = F(w[1], 28, 27);
	if (row->flags & GFX9_OPF_SDST) {
		i->sdst = F(w[0], 14, 8);
	} else {
		i->abs = F(w[0], 10, 8);
		i->op_sel = F(w[0], 14, 11);
	}
	return vop3_sources(i, w[1]);
}

static int fill_vop3p(struct gfx9_inst *i, const struct gfx9_op *row,
		      const u32 *w, unsigned int nr)
{
	i->dst = F(w[0], 7, 0);
	i->neg_hi = F(w[0], 10, 8);
	i->op_sel = F(w[0], 13, 11);
	i->op_sel_hi = F(w[1], 28, 27) | F(w[0], 14, 14) << 2;
	i->clamp = F(w[0], 15, 15);
	return vop3_sources(i, w[1]);
}

static int fill_ds(struct gfx9_inst *i, const struct gfx9_op *row,
		   const u32 *w, unsigned int nr)
{
	i->offset = F(w[0], 15, 0);
	i->gds = F(w[0], 16, 16);
	i->acc = i->arch == GFX9_GFX90A && F(w[0], 25, 25);
	i->vaddr = F(w[1], 7, 0);
	i->vdata = F(w[1], 15, 8);
	i->vdata1 = F(w[1], 23, 16);
	i->dst = F(w[1], 31, 24);
	return 0;
}

static int fill_flat(struct gfx9_inst *i, const struct gfx9_op *row,
		     const u32 *w, unsigned int nr)
{
	bool bit55 = F(w[1], 23, 23);

	i->glc = F(w[0], 16, 16);
	i->slc = F(w[0], 17, 17);
	i->acc = bit55 && i->arch == GFX9_GFX90A;
	i->nv = bit55 && i->arch == GFX9_GFX900;
	i->vaddr = F(w[1], 7, 0);
	i->vdata = F(w[1], 15, 8);
	i->saddr = F(w[1], 22, 16);
	i->dst = F(w[1], 31, 24);
	if (F(w[0], 13, 13))	/* no FLAT of these processors loads to LDS */
		return -EILSEQ;
	if (i->seg != GFX9_SEG_FLAT) {
		i->offset = sign_extend(F(w[0], 12, 0), 13);
		return 0;
	}
	if (i->saddr)		/* must be zero, means none */
		return -EILSEQ;
	i->saddr = GFX9_SADDR_OFF;
	i->offset = F(w[0], 11, 0);
	return 0;
}

static int fill_mubuf(struct gfx9_inst *i, const struct gfx9_op *row,
		      const u32 *w, unsigned int nr)
{
	bool bit55 = F(w[1], 23, 23);

	i->offset = F(w[0], 11, 0);
	i->offen = F(w[0], 12, 12);
	i->idxen = F(w[0], 13, 13);
	i->glc = F(w[0], 14, 14);
	i->lds = F(w[0], 16, 16);
	i->slc = F(w[0], 17, 17);
	i->acc = bit55 && i->arch == GFX9_GFX90A;
	i->tfe = bit55 && i->arch == GFX9_GFX900;
	i->vaddr = F(w[1], 7, 0);
	i->vdata = F(w[1], 15, 8);
	i->dst = i->vdata;
	i->saddr = F(w[1], 20, 16) * 4;
	i->soffset = F(w[1], 31, 24);
	/* cache operations have no operands */
	return row->kind && bad_src_vop3(i->soffset) ? -EILSEQ : 0;
}

/**
 * struct encoding - one encoding
 * @mask: bits of the first dword that tell it
 * @match: their values; the first entry of the table that matches wins
 * @fmt: what it is
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
	int (*fill)(struct gfx9_inst *i, const struct gfx9_op *row,
		    const u32 *w, unsigned int nr);
};

static const struct encoding encodings[] = {
	{ 0xfe000000, 0x7e000000, GFX9_VOP1, 16, 9, 4, fill_vop1 },
	{ 0xfe000000, 0x7c000000, GFX9_VOPC, 24, 17, 4, fill_vopc },
	{ 0x80000000, 0x00000000, GFX9_VOP2, 30, 25, 4, fill_vop2 },
	{ 0xff800000, 0xbe800000, GFX9_SOP1, 15, 8, 4, fill_sop1 },
	{ 0xff800000, 0xbf000000, GFX9_SOPC, 22, 16, 4, fill_sopc },
	{ 0xff800000, 0xbf800000, GFX9_SOPP, 22, 16, 4, fill_sopp },
	{ 0xf0000000, 0xb0000000, GFX9_SOPK, 27, 23, 4, fill_sopk },
	{ 0xc0000000, 0x80000000, GFX9_SOP2, 29, 23, 4, fill_sop2 },
	{ 0xfc000000, 0xc0000000, GFX9_SMEM, 25, 18, 8, fill_smem },
	{ 0xff800000, 0xd3800000, GFX9_VOP3P, 22, 16, 8, fill_vop3p },
	{ 0xfc000000, 0xd0000000, GFX9_VOP3, 25, 16, 8, fill_vop3 },
	{ 0xfc000000, 0xd8000000, GFX9_DS, 24, 17, 8, fill_ds },
	{ 0xfc000000, 0xdc000000, GFX9_FLAT, 24, 18, 8, fill_flat },
	{ 0xfc000000, 0xe0000000, GFX9_MUBUF, 24, 18, 8, fill_mubuf },
};

static const struct encoding *encoding_find(u32 w)
{
	unsigned int n;

	for (n = 0; n < ARRAY_SIZE(encodings); n++)
		if ((w & encodings[n].mask) == encodings[n].match)
			return &encodings[n];
	return NULL;
}

static int illegal(struct gfx9_inst *inst)
{
	memset(inst, 0, sizeof(*inst));
	inst->fmt = GFX9_ILLEGAL;
	inst->len = 4;
	inst->name = "illegal";
	return -EILSEQ;
}

static int decode_one(struct gfx9_inst *i, const u32 *w, unsigned int nr)
{
	const struct encoding *e = encoding_find(w[0]);
	const struct gfx9_op *row;

	if (!e)
		return -EILSEQ;
	i->fmt = e->fmt;
	i->len = e->len;
	i->op = (w[0] >> e->op_lo) & GENMASK(e->op_hi - e->op_lo, 0);
	if (i->fmt == GFX9_FLAT)
		i->seg = F(w[0], 15, 14);
	row = gfx9_op_find(i->arch, i->fmt, i->seg, i->op);
	if (!row)
		return -EILSEQ;
	if (nr < i->len / 4)
		return -ENODATA;
	i->name = row->name;
	return e->fill(i, row, w, nr);
}

int gfx9_decode(enum gfx9_arch arch, const u32 *words, unsigned int nr_words,
		struct gfx9_inst *inst)
{
	int err;

	if (!nr_words) {
		illegal(inst);
		return -ENODATA;
	}
	memset(inst, 0, sizeof(*inst));
	inst->arch = arch;
	err = decode_one(inst, words, nr_words);
	if (!err)
		return inst->len;
	illegal(inst);
	return err;
}
EXPORT_SYMBOL_GPL(gfx9_decode);
