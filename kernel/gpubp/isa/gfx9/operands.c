// SPDX-License-Identifier: GPL-2.0
/*
 * The operands and modifiers of each gfx9 encoding, and the dword that may
 * follow it.
 */
#include <linux/bitops.h>
#include <linux/bits.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include "operands.h"

/* bits [hi:lo] of a dword */
#define F(w, hi, lo)	(((w) & GENMASK(hi, lo)) >> (lo))

/* operand codes that are not valid as such in any instruction */
static bool src_is_bad(unsigned int code)
{
	return (code >= 209 && code <= 234) || code == GFX9_SRC_SDWA ||
	       code == GFX9_SRC_DPP;
}

/* VOP3 has no literals on gfx9 */
static bool src_is_bad_vop3(unsigned int code)
{
	return src_is_bad(code) || code == GFX9_SRC_LITERAL;
}

static int inst_take_dword(struct gfx9_inst *i, const u32 *w, unsigned int nr)
{
	unsigned int at = i->len / 4;

	if (nr <= at)
		return -ENODATA;
	i->literal = w[at];
	i->len += 4;
	return 0;
}

static int inst_take_literal(struct gfx9_inst *i, const u32 *w, unsigned int nr)
{
	i->has_literal = true;
	return inst_take_dword(i, w, nr);
}

static int inst_fill_sop_sources(struct gfx9_inst *i, unsigned int nr_src,
				 const u32 *w, unsigned int nr)
{
	unsigned int s;
	bool literal = false;

	for (s = 0; s < nr_src; s++) {
		if (src_is_bad(i->src[s]))
			return -EILSEQ;
		literal |= i->src[s] == GFX9_SRC_LITERAL;
	}
	return literal ? inst_take_literal(i, w, nr) : 0;
}

int gfx9_fill_sop2(struct gfx9_inst *i, const struct gfx9_op *row, const u32 *w,
		   unsigned int nr)
{
	i->dst = F(w[0], 22, 16);
	i->src[0] = F(w[0], 7, 0);
	i->src[1] = F(w[0], 15, 8);
	return inst_fill_sop_sources(i, 2, w, nr);
}

int gfx9_fill_sop1(struct gfx9_inst *i, const struct gfx9_op *row, const u32 *w,
		   unsigned int nr)
{
	i->dst = F(w[0], 22, 16);
	i->src[0] = F(w[0], 7, 0);
	return inst_fill_sop_sources(i, row->flags & GFX9_OPF_NO_SRC ? 0 : 1, w,
				     nr);
}

int gfx9_fill_sopc(struct gfx9_inst *i, const struct gfx9_op *row, const u32 *w,
		   unsigned int nr)
{
	i->src[0] = F(w[0], 7, 0);
	i->src[1] = F(w[0], 15, 8);
	/* s_set_gpr_idx_on: the second field is four bits, not an operand */
	return inst_fill_sop_sources(i, row->flags & GFX9_OPF_NO_SRC ? 1 : 2, w,
				     nr);
}

int gfx9_fill_sopk(struct gfx9_inst *i, const struct gfx9_op *row, const u32 *w,
		   unsigned int nr)
{
	i->dst = F(w[0], 22, 16);
	i->src[0] = i->dst;
	i->simm16 = F(w[0], 15, 0);
	return row->flags & GFX9_OPF_LITERAL ? inst_take_literal(i, w, nr) : 0;
}

int gfx9_fill_sopp(struct gfx9_inst *i, const struct gfx9_op *row, const u32 *w,
		   unsigned int nr)
{
	i->simm16 = F(w[0], 15, 0);
	return 0;
}

int gfx9_fill_smem(struct gfx9_inst *i, const struct gfx9_op *row, const u32 *w,
		   unsigned int nr)
{
	i->dst = F(w[0], 12, 6);
	i->saddr = F(w[0], 5, 0) * 2;
	i->soe = F(w[0], 14, 14);
	i->nv = F(w[0], 15, 15);
	i->glc = F(w[0], 16, 16);
	i->imm = F(w[0], 17, 17);
	if (i->imm)
		i->offset = sign_extend32(w[1], 20);
	i->soffset = i->soe ? F(w[1], 31, 25) : F(w[1], 6, 0);
	return 0;
}

/* the SDWA dword replaces SRC0 and selects the used parts of registers */
static int inst_fill_sdwa(struct gfx9_inst *i, const u32 *w, unsigned int nr)
{
	int err = inst_take_dword(i, w, nr);
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

static int inst_fill_dpp(struct gfx9_inst *i, const u32 *w, unsigned int nr)
{
	int err = inst_take_dword(i, w, nr);
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

	return i->arch == GFX9_GFX900 ? flags : flags | GFX9_OPF_DPP90A;
}

/* SRC0 of the 32-bit vector encodings, and the dword that it may require */
static int inst_fill_vop_src0(struct gfx9_inst *i, const struct gfx9_op *row,
			      const u32 *w, unsigned int nr)
{
	i->src[0] = F(w[0], 8, 0);
	if (i->src[0] == GFX9_SRC_DPP && (row->flags & dpp_flags(i)))
		return inst_fill_dpp(i, w, nr);
	if (row->flags & GFX9_OPF_NO_SRC)
		return 0;
	if (i->src[0] == GFX9_SRC_SDWA && (row->flags & GFX9_OPF_SDWA))
		return inst_fill_sdwa(i, w, nr);
	if (src_is_bad(i->src[0]))
		return -EILSEQ;
	if (i->src[0] == GFX9_SRC_LITERAL || (row->flags & GFX9_OPF_LITERAL))
		return inst_take_literal(i, w, nr);
	return 0;
}

int gfx9_fill_vop1(struct gfx9_inst *i, const struct gfx9_op *row, const u32 *w,
		   unsigned int nr)
{
	i->dst = F(w[0], 24, 17);
	return inst_fill_vop_src0(i, row, w, nr);
}

int gfx9_fill_vop2(struct gfx9_inst *i, const struct gfx9_op *row, const u32 *w,
		   unsigned int nr)
{
	i->dst = F(w[0], 24, 17);
	i->src[1] = F(w[0], 16, 9) | GFX9_SRC_VGPR;
	if (row->flags & GFX9_OPF_CARRY_IN)
		i->src[2] = GFX9_SRC_VCC;
	if (row->flags & GFX9_OPF_SDST)
		i->sdst = GFX9_SRC_VCC;
	return inst_fill_vop_src0(i, row, w, nr);
}

int gfx9_fill_vopc(struct gfx9_inst *i, const struct gfx9_op *row, const u32 *w,
		   unsigned int nr)
{
	i->dst = GFX9_SRC_VCC;
	i->src[1] = F(w[0], 16, 9) | GFX9_SRC_VGPR;
	return inst_fill_vop_src0(i, row, w, nr);
}

static int inst_fill_vop3_sources(struct gfx9_inst *i, u32 w1)
{
	unsigned int s;

	for (s = 0; s < 3; s++) {
		i->src[s] = (w1 >> (9 * s)) & 0x1ff;
		if (src_is_bad_vop3(i->src[s]))
			return -EILSEQ;
	}
	i->neg = F(w1, 31, 29);
	return 0;
}

int gfx9_fill_vop3(struct gfx9_inst *i, const struct gfx9_op *row, const u32 *w,
		   unsigned int nr)
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
	return inst_fill_vop3_sources(i, w[1]);
}

int gfx9_fill_vop3p(struct gfx9_inst *i, const struct gfx9_op *row,
		    const u32 *w, unsigned int nr)
{
	i->dst = F(w[0], 7, 0);
	i->neg_hi = F(w[0], 10, 8);
	i->op_sel = F(w[0], 13, 11);
	i->op_sel_hi = F(w[1], 28, 27) | F(w[0], 14, 14) << 2;
	i->clamp = F(w[0], 15, 15);
	return inst_fill_vop3_sources(i, w[1]);
}

int gfx9_fill_ds(struct gfx9_inst *i, const struct gfx9_op *row, const u32 *w,
		 unsigned int nr)
{
	i->offset = F(w[0], 15, 0);
	i->gds = F(w[0], 16, 16);
	i->acc = i->arch != GFX9_GFX900 && F(w[0], 25, 25);
	i->vaddr = F(w[1], 7, 0);
	i->vdata = F(w[1], 15, 8);
	i->vdata1 = F(w[1], 23, 16);
	i->dst = F(w[1], 31, 24);
	return 0;
}

static bool has_sve_bit(const struct gfx9_inst *i)
{
	return i->arch == GFX9_GFX942 && i->seg == GFX9_SEG_SCRATCH;
}

static bool scratch_uses_vaddr(const struct gfx9_inst *i, u32 w0)
{
	if (i->seg != GFX9_SEG_SCRATCH)
		return false;
	return has_sve_bit(i) ? F(w0, 13, 13) : i->saddr == GFX9_SADDR_OFF;
}

int gfx9_fill_flat(struct gfx9_inst *i, const struct gfx9_op *row, const u32 *w,
		   unsigned int nr)
{
	bool bit55 = F(w[1], 23, 23);

	i->glc = F(w[0], 16, 16);
	i->slc = F(w[0], 17, 17);
	i->acc = bit55 && i->arch != GFX9_GFX900;
	i->nv = bit55 && i->arch == GFX9_GFX900;
	i->vaddr = F(w[1], 7, 0);
	i->vdata = F(w[1], 15, 8);
	i->saddr = F(w[1], 22, 16);
	i->dst = F(w[1], 31, 24);
	i->sve = scratch_uses_vaddr(i, w[0]);
	/* loads to LDS have opcodes of their own, and only on gfx942 */
	if (F(w[0], 13, 13) && !has_sve_bit(i))
		return -EILSEQ;
	if (i->seg != GFX9_SEG_FLAT) {
		i->offset = sign_extend32(w[0], 12);
		return 0;
	}
	if (i->saddr)		/* must be zero, means none */
		return -EILSEQ;
	i->saddr = GFX9_SADDR_OFF;
	i->offset = F(w[0], 11, 0);
	return 0;
}

int gfx9_fill_mubuf(struct gfx9_inst *i, const struct gfx9_op *row,
		    const u32 *w, unsigned int nr)
{
	bool bit55 = F(w[1], 23, 23);

	i->offset = F(w[0], 11, 0);
	i->offen = F(w[0], 12, 12);
	i->idxen = F(w[0], 13, 13);
	i->glc = F(w[0], 14, 14);
	i->lds = F(w[0], 16, 16);
	i->slc = F(w[0], 17, 17);
	i->acc = bit55 && i->arch != GFX9_GFX900;
	i->tfe = bit55 && i->arch == GFX9_GFX900;
	i->vaddr = F(w[1], 7, 0);
	i->vdata = F(w[1], 15, 8);
	i->dst = i->vdata;
	i->saddr = F(w[1], 20, 16) * 4;
	i->soffset = F(w[1], 31, 24);
	/* LDS gets data from memory, not from registers */
	if (i->arch == GFX9_GFX942 && i->lds && i->acc)
		return -EILSEQ;
	/* cache operations have no operands */
	return row->kind && src_is_bad_vop3(i->soffset) ? -EILSEQ : 0;
}
