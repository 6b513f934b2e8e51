// SPDX-License-Identifier: GPL-2.0
/*
 * Scalar arithmetic on 32-bit values (SOP2, SOP1).
 */
#include <linux/kernel.h>
#include <linux/minmax.h>
#include "interp.h"
#include "salu.h"

/* position of the lowest one, -1 if there is none */
static u32 find_low32(u32 x)
{
	return x ? __ffs64(x) : -1;
}

/* zeros above the highest one, -1 if there is none */
static u32 count_high32(u32 x)
{
	return x ? 32 - fls(x) : -1;
}

/* bits above the highest one that differs from the sign, -1 if none does */
static u32 count_sign(u32 x)
{
	return count_high32(x ^ (u32)((s32)x >> 31));
}

/* each bit of a quad becomes the OR of the quad */
static u32 whole_quads32(u32 x)
{
	x |= x >> 1;
	x |= x >> 2;
	return (x & 0x11111111) * 15;
}

static u32 quad_mask32(u32 x)
{
	u32 mask = 0;
	int q;

	for (q = 0; q < 8; q++)
		mask |= (u32)!!(x >> (4 * q) & 15) << q;
	return mask;
}

static u32 bit_field32(u32 x, u32 ctl, bool is_signed)
{
	unsigned int shift = ctl & 31, width = (ctl >> 16) & 127;

	if (!width)
		return 0;
	if (is_signed)
		x = (s32)x >> shift;
	else
		x >>= shift;
	if (width >= 32 || (is_signed && shift + width >= 32))
		return x;
	x &= (1u << width) - 1;
	return is_signed ? sign_extend32(x, width - 1) : x;
}

static bool add_overflows(u32 a, u32 b, u32 sum)
{
	return ~(a ^ b) & (a ^ sum) & 0x80000000;
}

/* -EILSEQ, 1: @d and @scc are set, 0: only @d */
static int sop2_arith(unsigned int op, u32 a, u32 b, u32 *d, bool *scc)
{
	switch (op) {
	case S_ADD_U32:
		*d = a + b;
		*scc = *d < a;
		return 1;
	case S_SUB_U32:
		*d = a - b;
		*scc = a < b;
		return 1;
	case S_ADD_I32:
		*d = a + b;
		*scc = add_overflows(a, b, *d);
		return 1;
	case S_SUB_I32:
		*d = a - b;
		*scc = add_overflows(a, ~b, *d);
		return 1;
	case S_ADDC_U32:
		*d = a + b + *scc;
		*scc = (u64)a + b + *scc > 0xffffffffu;
		return 1;
	case S_SUBB_U32:
		*d = a - b - *scc;
		*scc = (u64)b + *scc > a;
		return 1;
	case S_MIN_I32:
		*d = min((s32)a, (s32)b);
		*scc = (s32)a < (s32)b;
		return 1;
	case S_MIN_U32:
		*d = min(a, b);
		*scc = a < b;
		return 1;
	case S_MAX_I32:
		*d = max((s32)a, (s32)b);
		*scc = (s32)a > (s32)b;
		return 1;
	case S_MAX_U32:
		*d = max(a, b);
		*scc = a > b;
		return 1;
	}
	return -EILSEQ;
}

static u32 lshl_add(u32 a, u32 b, unsigned int n, bool *scc)
{
	u64 sum = ((u64)a << n) + b;

	*scc = sum > 0xffffffffu;
	return sum;
}

static int sop2_mul(unsigned int op, u32 a, u32 b, u32 *d, bool *scc)
{
	switch (op) {
	case S_CSELECT_B32:
		*d = *scc ? a : b;
		return 0;
	case S_MUL_I32:
		*d = a * b;
		return 0;
	case S_MUL_HI_U32:
		*d = (u64)a * b >> 32;
		return 0;
	case S_MUL_HI_I32:
		*d = (u64)((s64)(s32)a * (s32)b) >> 32;
		return 0;
	case S_BFM_B32:
		*d = ((1u << (a & 31)) - 1) << (b & 31);
		return 0;
	case S_PACK_LL_B32_B16:
		*d = (a & 0xffff) | b << 16;
		return 0;
	case S_PACK_LH_B32_B16:
		*d = (a & 0xffff) | (b & 0xffff0000);
		return 0;
	case S_PACK_HH_B32_B16:
		*d = a >> 16 | (b & 0xffff0000);
		return 0;
	case S_LSHL1_ADD_U32 ... S_LSHL4_ADD_U32:
		*d = lshl_add(a, b, op - S_LSHL1_ADD_U32 + 1, scc);
		return 1;
	}
	return -EILSEQ;
}

/* SCC = the result is not zero */
static int sop2_logic(unsigned int op, u32 a, u32 b, u32 *d)
{
	switch (op) {
	case S_AND_B32:		*d = a & b; break;
	case S_OR_B32:		*d = a | b; break;
	case S_XOR_B32:		*d = a ^ b; break;
	case S_ANDN2_B32:	*d = a & ~b; break;
	case S_ORN2_B32:	*d = a | ~b; break;
	case S_NAND_B32:	*d = ~(a & b); break;
	case S_NOR_B32:		*d = ~(a | b); break;
	case S_XNOR_B32:	*d = ~(a ^ b); break;
	case S_LSHL_B32:	*d = a << (b & 31); break;
	case S_LSHR_B32:	*d = a >> (b & 31); break;
	case S_ASHR_I32:	*d = (s32)a >> (b & 31); break;
	case S_BFE_U32:		*d = bit_field32(a, b, false); break;
	case S_BFE_I32:		*d = bit_field32(a, b, true); break;
	case S_ABSDIFF_I32:	/* the difference wraps first */
		*d = a - b;
		*d = (s32)*d < 0 ? 0 - *d : *d;
		break;
	default:
		return -EILSEQ;
	}
	return 1;
}

static int sop2_compute(unsigned int op, u32 a, u32 b, u32 *d, bool *scc)
{
	int ret = sop2_arith(op, a, b, d, scc);

	if (ret < 0)
		ret = sop2_mul(op, a, b, d, scc);
	if (ret >= 0)
		return ret;
	ret = sop2_logic(op, a, b, d);
	if (ret > 0)
		*scc = *d;
	return ret;
}

static int sop2_exec(struct sim_wave *w, const struct gfx9_inst *i)
{
	bool scc = sim_scc(w);
	u32 a, b, d;
	int ret;

	if (sim_sread(w, i, i->src[0], &a) || sim_sread(w, i, i->src[1], &b))
		return -EILSEQ;
	ret = sop2_compute(i->op, a, b, &d, &scc);
	if (ret < 0 || sim_swrite(w, i->dst, d))
		return -EILSEQ;
	if (ret)
		sim_set_scc(w, scc);
	return 0;
}

static int sop1_count(unsigned int op, u32 a, u32 *d)
{
	switch (op) {
	case S_FF0_I32_B32:	*d = find_low32(~a); break;
	case S_FF1_I32_B32:	*d = find_low32(a); break;
	case S_FLBIT_I32_B32:	*d = count_high32(a); break;
	case S_FLBIT_I32:	*d = count_sign(a); break;
	case S_MOV_B32:		*d = a; break;
	case S_BREV_B32:	*d = sim_brev32(a); break;
	case S_SEXT_I32_I8:	*d = (s8)a; break;
	case S_SEXT_I32_I16:	*d = (s16)a; break;
	default:
		return -EILSEQ;
	}
	return 0;
}

/* SCC = the result is not zero */
static int sop1_logic(unsigned int op, u32 a, u32 *d)
{
	switch (op) {
	case S_NOT_B32:		*d = ~a; break;
	case S_WQM_B32:		*d = whole_quads32(a); break;
	case S_QUADMASK_B32:	*d = quad_mask32(a); break;
	case S_BCNT0_I32_B32:	*d = 32 - hweight32(a); break;
	case S_BCNT1_I32_B32:	*d = hweight32(a); break;
	case S_ABS_I32:		*d = (s32)a < 0 ? 0 - a : a; break;
	default:
		return -EILSEQ;
	}
	return 1;
}

/* operations on what the destination held */
static int sop1_modify(const struct sim_wave *w, unsigned int op, u32 a, u32 *d)
{
	switch (op) {
	case S_CMOV_B32:
		*d = sim_scc(w) ? a : *d;
		return 0;
	case S_BITSET0_B32:
		*d &= ~(1u << (a & 31));
		return 0;
	case S_BITSET1_B32:
		*d |= 1u << (a & 31);
		return 0;
	}
	return -EILSEQ;
}

static int sop1_exec(struct sim_wave *w, const struct gfx9_inst *i)
{
	u32 a, d;
	int ret;

	if (sim_sread(w, i, i->src[0], &a) || sim_sread(w, i, i->dst, &d))
		return -EILSEQ;
	ret = sop1_count(i->op, a, &d);
	if (ret < 0)
		ret = sop1_logic(i->op, a, &d);
	if (ret < 0)
		ret = sop1_modify(w, i->op, a, &d);
	if (ret < 0 || sim_swrite(w, i->dst, d))
		return -EILSEQ;
	if (ret)
		sim_set_scc(w, d);
	return 0;
}

/* what M0 can name: SGPRs, and behind them flat_scratch, xnack_mask, vcc */
#define MOVREL_LAST	107

/* registers named by M0: one or two, source or destination */
static int sop1_movrel(struct sim_wave *w, const struct gfx9_inst *i)
{
	u32 rel = min(w->s[GFX9_SRC_M0], MOVREL_LAST + 1u);
	bool dst = i->op == S_MOVRELD_B32 || i->op == S_MOVRELD_B64;
	unsigned int from = i->src[0] + (dst ? 0 : rel);
	unsigned int to = i->dst + (dst ? rel : 0);
	u64 val;
	u32 low;

	if (!dst && i->src[0] > 101)
		return -EILSEQ;
	/* out of range: s0 is read, nothing is written */
	if (from > MOVREL_LAST)
		from = 0;
	if (dst && to > MOVREL_LAST)
		return 0;
	if (i->op == S_MOVRELS_B64 || i->op == S_MOVRELD_B64)
		return sim_sread64(w, i, from, &val) ?:
						       sim_swrite64(w, to, val);
	return sim_sread(w, i, from, &low) ?: sim_swrite(w, to, low);
}

static bool sop1_is_wide(unsigned int op)
{
	switch (op) {
	case S_MOV_B64: case S_CMOV_B64: case S_NOT_B64: case S_WQM_B64:
	case S_BREV_B64: case S_BCNT0_I32_B64: case S_BCNT1_I32_B64:
	case S_FF0_I32_B64: case S_FF1_I32_B64: case S_FLBIT_I32_B64:
	case S_FLBIT_I32_I64: case S_BITSET0_B64: case S_BITSET1_B64:
	case S_GETPC_B64 ... S_XNOR_SAVEEXEC_B64: case S_QUADMASK_B64:
	case S_ANDN1_SAVEEXEC_B64 ... S_BITREPLICATE_B64_B32:
		return true;
	default:
		return false;
	}
}

static bool sop2_is_wide(unsigned int op)
{
	if (op >= S_CSELECT_B64 && op <= S_BFM_B64)
		return op & 1;
	return op == S_BFE_U64 || op == S_BFE_I64;
}

static int set_gpr_idx_idx(struct sim_wave *w, const struct gfx9_inst *i)
{
	u32 a;

	if (sim_sread(w, i, i->src[0], &a))
		return -EILSEQ;
	w->s[GFX9_SRC_M0] = (w->s[GFX9_SRC_M0] & ~0xffu) | (a & 0xff);
	return 0;
}

/*
 * sim_salu() - SOP1 and SOP2
 */
int sim_salu(struct sim_wave *w, const struct gfx9_inst *i)
{
	if (i->fmt == GFX9_SOP2 && i->op == S_CBRANCH_G_FORK)
		return sim_fork(w, i);
	if (i->fmt == GFX9_SOP2)
		return sop2_is_wide(i->op) ? sim_sop2_wide(w, i) :
					     sop2_exec(w, i);
	if (sop1_is_wide(i->op))
		return sim_sop1_wide(w, i);
	if (i->op >= S_MOVRELS_B32 && i->op <= S_MOVRELD_B64)
		return sop1_movrel(w, i);
	if (i->op == S_CBRANCH_JOIN)
		return sim_join(w, i);
	if (i->op == S_SET_GPR_IDX_IDX)
		return set_gpr_idx_idx(w, i);
	return sop1_exec(w, i);
}
