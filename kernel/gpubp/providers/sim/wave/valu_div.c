// SPDX-License-Identifier: GPL-2.0
/*
 * The steps of a division in LLVM's code: scale the operands, refine a
 * reciprocal, scale back, handle special cases. binary32 and binary64.
 */
#include <linux/kernel.h>
#include "../softfloat/softfloat.h"
#include "valu.h"

/**
 * struct div_limits - where a format's division needs scaling
 * @f: format
 * @scale: operands are multiplied by two to the power of this, or its opposite
 * @large: a quotient with this exponent or more is near the maximum
 * @small: a numerator with this biased exponent or less loses bits
 */
struct div_limits {
	const struct sf_format *f;
	s32 scale;
	s32 large;
	s32 small;
};

static const struct div_limits single_limits = { &sf_single, 64, 96, 23 };
static const struct div_limits double_limits = { &sf_double, 128, 768, 53 };

static const struct div_limits *vop_limits(const struct sim_vop *o)
{
	return o->info.flags & VF_WIDED ? &double_limits : &single_limits;
}

static unsigned long vop_mode(const struct sim_vop *o)
{
	return o->info.flags & VF_WIDED ? o->fm64 : o->fm;
}

static s32 exp_max(const struct sf_format *f)
{
	return (1 << f->exp_bits) - 1;
}

static s32 exp_field(const struct sf_format *f, u64 x)
{
	return x >> f->frac_bits & exp_max(f);
}

/* the biased exponent, as if the type had no denormals */
static s32 true_exp(const struct sf_format *f, u64 x)
{
	return sfx_unpack(f, x, 0).e + exp_max(f) / 2;
}

static bool is_zero(const struct sf_format *f, u64 x)
{
	return !(x & (sfa_sign(f) - 1));
}

static u64 nan_of(const struct sf_format *f)
{
	return sfa_inf(f) | 1ull << (f->frac_bits - 1);
}

/**
 * scale_lane() - v_div_scale of one lane
 * @l: format
 * @x: denominator or numerator, the one to scale
 * @den: denominator
 * @num: numerator
 * @vcc: the quotient must be scaled back by v_div_fmas
 *
 * Avoids overflow and underflow in the reciprocal and the Newton steps.
 */
static u64 scale_lane(const struct div_limits *l, u64 x, u64 den, u64 num,
		      bool *vcc)
{
	const struct sf_format *f = l->f;
	s32 d = true_exp(f, den), n = true_exp(f, num), max = exp_max(f);
	bool is_den = x == den, tiny = n - d <= 1 - max / 2;

	*vcc = false;
	if (is_zero(f, den) || is_zero(f, num))
		return nan_of(f);
	if (exp_field(f, den) == max || exp_field(f, num) == max)
		return x;
	if (n - d >= l->large) {	/* the quotient is near the maximum */
		*vcc = true;
		return is_den ? sfa_ldexp(f, x, l->scale, 0) : x;
	}
	if (!exp_field(f, den))
		return sfa_ldexp(f, x, l->scale, 0);
	if (d >= max - 2) {		/* 1 / den is denormal */
		*vcc = tiny;
		return tiny && !is_den ? x : sfa_ldexp(f, x, -l->scale, 0);
	}
	if (tiny) {			/* the quotient is denormal */
		*vcc = true;
		return x == num ? sfa_ldexp(f, x, l->scale, 0) : x;
	}
	return n <= l->small ? sfa_ldexp(f, x, l->scale, 0) : x;
}

static void div_set_dst(const struct sim_vop *o, unsigned int lane, u64 val)
{
	o->d[lane] = (u32)val;
	if (o->dhi)
		o->dhi[lane] = val >> 32;
}

static int div_scale(struct sim_wave *w, struct sim_vop *o)
{
	unsigned int lane;
	u64 left, out = 0;
	bool vcc;

	if ((o->i->sdst & 1) || sim_swritable(w, o->i->sdst, 2))
		return -EILSEQ;
	sim_for_each_lane(lane, left, o->lanes) {
		div_set_dst(o, lane,
			    scale_lane(vop_limits(o), sim_src_any(o, 0, lane),
				       sim_src_any(o, 1, lane),
				       sim_src_any(o, 2, lane), &vcc));
		out |= (u64)vcc << lane;
	}
	sim_set_pair(w, o->i->sdst, out);
	return 0;
}

/* reverse scale_lane(); the exponent of the quotient @c gives its direction */
static u64 fmas_lane(const struct div_limits *l, u64 a, u64 b, u64 c,
		     bool scaled_before, unsigned long fm)
{
	s32 n = exp_field(l->f, c) > exp_max(l->f) / 2 ? l->scale : -l->scale;

	return sfa_fma_scaled(l->f, a, b, c, scaled_before ? n : 0, fm);
}

static void div_fmas(struct sim_wave *w, struct sim_vop *o)
{
	/* operands that are denormal are so in any mode */
	unsigned long fm = vop_mode(o) & ~SF_FLUSH_IN;
	unsigned int lane;
	u64 left, vcc = sim_vcc(w);

	sim_for_each_lane(lane, left, o->lanes)
		div_set_dst(o, lane,
			    fmas_lane(vop_limits(o), sim_src_any(o, 0, lane),
				      sim_src_any(o, 1, lane),
				      sim_src_any(o, 2, lane),
				      vcc >> lane & 1, fm));
}

/*
 * The earlier steps compute with scaled operands: exceptions of the quotient of
 * the original operands, except inexact, are raised in this step. The result of
 * this division is not used.
 */
static void raise_quotient(const struct sf_format *f, u64 den, u64 num,
			   unsigned long fm)
{
	unsigned long as_is = fm & ~SF_FLUSH_IN;
	struct sfx d = sfx_unpack(f, den, as_is), n = sfx_unpack(f, num, as_is);

	if (d.cls != SF_CLASS_FINITE)
		sfx_div(&n, &d, fm);
}

/* @q approximates num / den; handle special cases */
static u64 fixup_lane(const struct sf_format *f, u64 q, u64 den, u64 num,
		      unsigned long fm)
{
	u64 sign = (den ^ num) & sfa_sign(f), inf = sfa_inf(f);
	bool inf_den = (den & ~sfa_sign(f)) == inf;
	bool inf_num = (num & ~sfa_sign(f)) == inf;
	bool zero_den = is_zero(f, den), zero_num = is_zero(f, num);

	raise_quotient(f, den, num, fm);
	if (sfa_is_nan(f, num))
		return num | nan_of(f);
	if (sfa_is_nan(f, den))
		return den | nan_of(f);
	if ((zero_den && zero_num) || (inf_den && inf_num))
		return nan_of(f) | sfa_sign(f);
	if (zero_den || inf_num)
		return sign | inf;
	if (inf_den || zero_num)
		return sign;
	/* the refinement of a quotient that overflows results in a NaN */
	return sign | (sfa_is_nan(f, q) ? inf : q & ~sfa_sign(f));
}

static void div_fixup(struct sim_vop *o)
{
	unsigned long fm = vop_mode(o);
	unsigned int lane;
	u64 left;

	sim_for_each_lane(lane, left, o->lanes)
		div_set_dst(o, lane,
			    fixup_lane(vop_limits(o)->f,
				       sim_src_any(o, 0, lane),
				       sim_src_any(o, 1, lane),
				       sim_src_any(o, 2, lane), fm));
}

/*
 * sim_vop_div() - the steps of a division
 */
int sim_vop_div(struct sim_wave *w, struct sim_vop *o)
{
	switch (o->op) {
	case V_DIV_SCALE_F32:
	case V_DIV_SCALE_F64:
		return div_scale(w, o);
	case V_DIV_FMAS_F32:
	case V_DIV_FMAS_F64:
		div_fmas(w, o);
		break;
	default:
		div_fixup(o);
	}
	sim_output_mods(w, o, vop_limits(o)->f, vop_mode(o));
	return 0;
}
