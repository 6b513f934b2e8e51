// SPDX-License-Identifier: GPL-2.0
/*
 * VOP3P: two 16-bit or two binary32 operations a lane, and moves to and from
 * accumulation registers.
 */
#include <linux/kernel.h>
#include <linux/limits.h>
#include <linux/minmax.h>
#include "../softfloat/softfloat.h"
#include "valu.h"
#include "vmem.h"

enum vop3p {
	V_PK_MAD_I16 = 0, V_PK_MUL_LO_U16, V_PK_ADD_I16, V_PK_SUB_I16,
	V_PK_LSHLREV_B16, V_PK_LSHRREV_B16, V_PK_ASHRREV_I16, V_PK_MAX_I16,
	V_PK_MIN_I16, V_PK_MAD_U16, V_PK_ADD_U16, V_PK_SUB_U16, V_PK_MAX_U16,
	V_PK_MIN_U16,
	V_PK_FMA_F32 = 48, V_PK_MUL_F32, V_PK_ADD_F32, V_PK_MOV_B32,
	V_ACCVGPR_READ = 88, V_ACCVGPR_WRITE,
};

static unsigned int pk_nr_sources(unsigned int op)
{
	return op == V_PK_MAD_I16 || op == V_PK_MAD_U16 || op == V_PK_FMA_F32 ?
		3 : 2;
}

static u32 pk_op16(unsigned int op, u32 a, u32 b, u32 c)
{
	switch (op) {
	case V_PK_MAD_I16:
	case V_PK_MAD_U16:	return a * b + c;
	case V_PK_MUL_LO_U16:	return a * b;
	case V_PK_ADD_I16:
	case V_PK_ADD_U16:	return a + b;
	case V_PK_SUB_I16:
	case V_PK_SUB_U16:	return a - b;
	case V_PK_LSHLREV_B16:	return b << (a & 15);
	case V_PK_LSHRREV_B16:	return (u16)b >> (a & 15);
	case V_PK_ASHRREV_I16:	return (s16)b >> (a & 15);
	case V_PK_MAX_I16:	return max((s16)a, (s16)b);
	case V_PK_MIN_I16:	return min((s16)a, (s16)b);
	case V_PK_MAX_U16:	return max((u16)a, (u16)b);
	default:		return min((u16)a, (u16)b);
	}
}

static s32 pk_sat_u16(s64 x)
{
	return clamp_t(s64, x, 0, U16_MAX);
}

static s32 pk_sat_s16(s32 x)
{
	return clamp(x, S16_MIN, S16_MAX);
}

static u32 pk_saturating16(unsigned int op, u32 a, u32 b, u32 c)
{
	switch (op) {
	case V_PK_MAD_I16:	return pk_sat_s16((s16)a * (s16)b + (s16)c);
	case V_PK_MAD_U16:	return pk_sat_u16((s64)a * b + c);
	case V_PK_MUL_LO_U16:	return pk_sat_u16((s64)a * b);
	case V_PK_ADD_I16:	return pk_sat_s16((s16)a + (s16)b);
	case V_PK_SUB_I16:	return pk_sat_s16((s16)a - (s16)b);
	case V_PK_ADD_U16:	return pk_sat_u16((s64)a + b);
	case V_PK_SUB_U16:	return pk_sat_u16((s64)a - b);
	default:		return pk_op16(op, a, b, c);
	}
}

/* of a shift nothing is known: does it saturate what is shifted out? */
static bool pk_saturates(unsigned int op)
{
	return op != V_PK_LSHLREV_B16 && op != V_PK_LSHRREV_B16 &&
	       op != V_PK_ASHRREV_I16;
}

/* which half of source @n the lower or upper operation takes */
static bool takes_upper(const struct gfx9_inst *i, unsigned int n, bool upper)
{
	return (upper ? i->op_sel_hi : i->op_sel) >> n & 1;
}

static u32 pk_operand16(const struct sim_vop *o, unsigned int n,
			unsigned int lane, bool upper)
{
	return sim_src(o, n, lane) >> (takes_upper(o->i, n, upper) ? 16 : 0) &
	       0xffff;
}

static u32 pk_half16(const struct sim_vop *o, unsigned int lane, bool upper)
{
	u32 a = pk_operand16(o, 0, lane, upper),
	    b = pk_operand16(o, 1, lane, upper);
	u32 c = pk_operand16(o, 2, lane, upper);

	return (o->i->clamp ? pk_saturating16(o->op, a, b, c) :
			      pk_op16(o->op, a, b, c)) & 0xffff;
}

static int pk_exec16(struct sim_vop *o)
{
	unsigned int lane;
	u64 left;

	if (o->i->neg || o->i->neg_hi || (o->i->clamp && !pk_saturates(o->op)))
		return -EILSEQ;
	sim_for_each_lane(lane, left, o->lanes)
		o->d[lane] = pk_half16(o, lane, false) |
			     pk_half16(o, lane, true) << 16;
	return 0;
}

/* a constant is in both halves */
static u32 pk_operand32(const struct sim_vop *o, unsigned int n,
			unsigned int lane, bool upper)
{
	bool constant = o->i->src[n] >= 128 && o->i->src[n] < GFX9_SRC_VGPR;
	const struct sim_vsrc *s = &o->s[n];
	u32 sign = (upper ? o->i->neg_hi : o->i->neg) >> n & 1 ? SF_SIGN : 0;

	if (!constant && takes_upper(o->i, n, upper))
		return s->hi[lane] ^ sign;
	return s->lo[lane] ^ sign;
}

static u32 pk_op32(const struct sim_vop *o, unsigned int lane, bool upper)
{
	u32 a = pk_operand32(o, 0, lane, upper),
	    b = pk_operand32(o, 1, lane, upper);

	switch (o->op) {
	case V_PK_FMA_F32:
		return sf_fma(a, b, pk_operand32(o, 2, lane, upper), o->fm);
	case V_PK_MUL_F32:
		return sf_mul(a, b, o->fm);
	default:
		return sf_add(a, b, o->fm);
	}
}

static void pk_exec32(struct sim_vop *o)
{
	unsigned int lane;
	u64 left;
	u32 low, high;

	sim_for_each_lane(lane, left, o->lanes) {
		low = pk_op32(o, lane, false);
		high = pk_op32(o, lane, true);
		o->d[lane] = low;
		o->dhi[lane] = high;
	}
}

/* the lower result comes from source 0, the upper one from source 1 */
static void pk_exec_move(struct sim_vop *o)
{
	unsigned int lane;
	u64 left;
	u32 low, high;

	sim_for_each_lane(lane, left, o->lanes) {
		low = pk_operand32(o, 0, lane, false);
		/* its selector is op_sel, too */
		high = pk_operand32(o, 1, lane, false);
		o->d[lane] = low;
		o->dhi[lane] = high;
	}
}

static int acc_read(struct sim_wave *w, const struct gfx9_inst *i)
{
	unsigned int dst, src, lane;
	u64 left;

	if (i->src[0] < GFX9_SRC_VGPR || sim_vreg(w, i->dst, 1, false, &dst) ||
	    sim_vreg(w, i->src[0] - GFX9_SRC_VGPR + sim_gpr_index(w, 0), 1, true,
		     &src))
		return -EILSEQ;
	sim_for_each_lane(lane, left, sim_exec(w))
		w->v[dst][lane] = w->v[src][lane];
	return 0;
}

static int acc_write(struct sim_wave *w, const struct gfx9_inst *i)
{
	struct sim_vsrc s;
	unsigned int dst, lane;
	u64 left;

	if (sim_vreg(w, i->dst + sim_gpr_index(w, SIM_GPR_IDX_DST), 1, true, &dst) ||
	    sim_vsrc(w, i, 0, false, &s))
		return -EILSEQ;
	sim_for_each_lane(lane, left, sim_exec(w))
		w->v[dst][lane] = s.lo[lane];
	return 0;
}

/* constants are one 32-bit constant twice, not a 64-bit (double) constant */
static int pk_sources(struct sim_wave *w, struct sim_vop *o, bool wide)
{
	unsigned int n;

	for (n = 0; n < 3; n++) {
		bool reg = o->i->src[n] < 128 || o->i->src[n] >= GFX9_SRC_VGPR;

		if (n >= pk_nr_sources(o->op))
			o->s[n] = o->s[0];
		else if (sim_vsrc(w, o->i, n, wide && reg, &o->s[n]))
			return -EILSEQ;
	}
	return 0;
}

static int pk_set_dst(struct sim_wave *w, struct sim_vop *o, bool wide)
{
	unsigned int row;

	if (sim_vreg(w, o->i->dst, wide ? 2 : 1, false, &row))
		return -EILSEQ;
	o->d = w->v[row];
	o->dhi = wide ? w->v[row + 1] : NULL;
	return 0;
}

static bool pk_is_known(unsigned int op)
{
	return op <= V_PK_MIN_U16 || (op >= V_PK_FMA_F32 && op <= V_PK_MOV_B32);
}

/*
 * sim_vop3p() - VOP3P
 */
int sim_vop3p(struct sim_wave *w, const struct gfx9_inst *i)
{
	struct sim_vop o = { .i = i, .op = i->op, .lanes = sim_exec(w) };
	bool wide = i->op >= V_PK_FMA_F32;

	if (i->op == V_ACCVGPR_READ)
		return acc_read(w, i);
	if (i->op == V_ACCVGPR_WRITE)
		return acc_write(w, i);
	if (sim_vop3p_is_f16(i->op))
		return sim_vop3p_f16(w, &o);
	if (!pk_is_known(i->op) || pk_sources(w, &o, wide) ||
	    pk_set_dst(w, &o, wide))
		return -EILSEQ;
	sim_vop_modes(w, &o);
	if (!wide)
		return pk_exec16(&o);
	if (i->clamp)
		return -EILSEQ;
	if (i->op == V_PK_MOV_B32)
		pk_exec_move(&o);
	else
		pk_exec32(&o);
	sim_vop_raise(w, &o);
	return 0;
}
