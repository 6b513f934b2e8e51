// SPDX-License-Identifier: GPL-2.0
/*
 * VOP3P on binary16: two operations a lane, and multiply-add of operands that
 * are binary16 or binary32 each (gfx900: mad_mix, later: fma_mix).
 */
#include <linux/kernel.h>
#include "../softfloat/softfloat.h"
#include "valu.h"
#include "vmem.h"

enum vop3p_f16 {
	V_PK_FMA_F16 = 14, V_PK_ADD_F16, V_PK_MUL_F16, V_PK_MIN_F16,
	V_PK_MAX_F16, V_MIX_F32 = 32, V_MIXLO_F16, V_MIXHI_F16,
};

#define HALF_SIGN	0x8000

static unsigned int pk_f16_nr_sources(unsigned int op)
{
	return op == V_PK_FMA_F16 || op >= V_MIX_F32 ? 3 : 2;
}

/* 0.5 -0.5 1.0 -1.0 2.0 -2.0 4.0 -4.0 1/(2 pi) */
static const u16 half_consts[] = {
	0x3800, 0xb800, 0x3c00, 0xbc00, 0x4000, 0xc000, 0x4400, 0xc400, 0x3118,
};

static int pk_f16_sources(struct sim_wave *w, struct sim_vop *o)
{
	unsigned int n, code;

	for (n = 0; n < 3; n++) {
		if (n >= pk_f16_nr_sources(o->op)) {
			o->s[n] = o->s[0];
			continue;
		}
		if (sim_vsrc(w, o->i, n, false, &o->s[n]))
			return -EILSEQ;
		code = o->i->src[n];
		if (code >= 240 && code <= 248 && o->op < V_MIX_F32)
			sim_vsrc_fill(w, &o->s[n], n, half_consts[code - 240]);
	}
	return 0;
}

/* the value of a constant is in the lower half */
static u16 pk_f16_operand(const struct sim_vop *o, unsigned int n,
			  unsigned int lane, bool upper)
{
	bool sel = (upper ? o->i->op_sel_hi : o->i->op_sel) >> n & 1;
	u16 sign = (upper ? o->i->neg_hi : o->i->neg) >> n & 1 ? HALF_SIGN : 0;

	return (sim_src(o, n, lane) >> (sel ? 16 : 0)) ^ sign;
}

static u16 pk_f16_op(const struct sim_vop *o, unsigned int lane, bool upper)
{
	const struct sf_format *f = &sf_half;
	u16 a = pk_f16_operand(o, 0, lane, upper),
	    b = pk_f16_operand(o, 1, lane, upper);

	switch (o->op) {
	case V_PK_FMA_F16:
		return sfa_fma(f, a, b, pk_f16_operand(o, 2, lane, upper),
			       o->fm64);
	case V_PK_ADD_F16:
		return sfa_add(f, a, b, o->fm64);
	case V_PK_MUL_F16:
		return sfa_mul(f, a, b, o->fm64);
	case V_PK_MIN_F16:
		return sfa_min(f, a, b, o->fm64);
	default:
		return sfa_max(f, a, b, o->fm64);
	}
}

/* to [0, 1]; a NaN becomes 0 with DX10_CLAMP */
static u64 mixed_clamp(const struct sim_wave *w, const struct sim_vop *o,
		       const struct sf_format *f, u64 x)
{
	if (!o->i->clamp)
		return x;
	if (sfa_is_nan(f, x))
		return w->mode & MODE_DX10_CLAMP ? 0 : x;
	return x & sfa_sign(f) ? 0 : min(x, sfa_one(f));
}

static void pk_f16_exec(struct sim_wave *w, struct sim_vop *o)
{
	unsigned int lane;
	u64 left;
	u32 low, high;

	sim_for_each_lane(lane, left, o->lanes) {
		low = mixed_clamp(w, o, &sf_half, pk_f16_op(o, lane, false));
		high = mixed_clamp(w, o, &sf_half, pk_f16_op(o, lane, true));
		o->d[lane] = low | high << 16;
	}
}

/* op_sel_hi: binary16, and op_sel selects the half; neg_hi is abs here */
static u32 mix_source(const struct sim_vop *o, unsigned int n,
		      unsigned int lane)
{
	u32 x = sim_src(o, n, lane);

	if (o->i->op_sel_hi >> n & 1) {
		x >>= o->i->op_sel >> n & 1 ? 16 : 0;
		x = sf_from_half(x, o->fm64);
	}
	if (o->i->neg_hi >> n & 1)
		x &= ~SF_SIGN;
	return o->i->neg >> n & 1 ? x ^ SF_SIGN : x;
}

static u32 mix_lane(const struct sim_wave *w, const struct sim_vop *o,
		    unsigned int lane)
{
	u32 a = mix_source(o, 0, lane), b = mix_source(o, 1, lane);
	u32 c = mix_source(o, 2, lane);
	unsigned long fm = o->fm;

	if (w->arch != GFX9_GFX900)
		return sf_fma(a, b, c, fm);
	fm |= SF_FLUSH;
	return sf_add(sf_mul(a, b, fm), c, fm);
}

static void mix_exec(struct sim_wave *w, struct sim_vop *o)
{
	unsigned int lane;
	u64 left;
	u32 x;

	sim_for_each_lane(lane, left, o->lanes) {
		x = mixed_clamp(w, o, &sf_single, mix_lane(w, o, lane));
		if (o->op == V_MIXLO_F16)
			x = (o->d[lane] & 0xffff0000) | sf_to_half(x, o->fm64);
		else if (o->op == V_MIXHI_F16)
			x = (o->d[lane] & 0xffff) |
			    (u32)sf_to_half(x, o->fm64) << 16;
		o->d[lane] = x;
	}
}

/*
 * sim_vop3p_f16() - VOP3P operations on binary16
 */
int sim_vop3p_f16(struct sim_wave *w, struct sim_vop *o)
{
	unsigned int row;

	if (pk_f16_sources(w, o) || sim_vreg(w, o->i->dst, 1, false, &row))
		return -EILSEQ;
	o->d = w->v[row];
	sim_vop_modes(w, o);
	/* Mesa: "v_mad_mix* on GFX9 always flushes denormals for 16-bit inputs/outputs" */
	if (o->op >= V_MIX_F32 && w->arch == GFX9_GFX900)
		o->fm64 |= SF_FLUSH;
	if (o->op >= V_MIX_F32)
		mix_exec(w, o);
	else
		pk_f16_exec(w, o);
	sim_vop_raise(w, o);
	return 0;
}

/* sim_vop3p_is_f16() - is @op a VOP3P operation on binary16? */
bool sim_vop3p_is_f16(unsigned int op)
{
	return (op >= V_PK_FMA_F16 && op <= V_PK_MAX_F16) ||
	       (op >= V_MIX_F32 && op <= V_MIXHI_F16);
}
