// SPDX-License-Identifier: GPL-2.0
/*
 * binary32 operations of vectors, conversions, and what LLVM builds divisions
 * of.
 *
 * Reciprocals and square roots are correctly rounded, which is more than the
 * hardware promises. Floating-point exceptions are not recorded.
 */
#include <linux/kernel.h>
#include "softfloat.h"
#include "valu.h"

#define ONE_BITS	SF_ONE
#define HALF_BITS	0x3f000000u
#define TWO_BITS	0x40000000u
#define FOUR_BITS	0x40800000u
#define EXP(x)		((s32)((x) >> 23 & 0xff))

static u32 neg(u32 x)
{
	return x ^ SF_SIGN;
}

/* multiply and add, both rounded, denormals always flushed */
static u32 mad(u32 a, u32 b, u32 c, unsigned int fm)
{
	fm |= SF_FLUSH;
	return sf_add(sf_mul(a, b, fm), c, fm);
}

static u32 num_min3(u32 a, u32 b, u32 c, unsigned int fm)
{
	return sf_min(sf_min(a, b, fm), c, fm);
}

static u32 num_max3(u32 a, u32 b, u32 c, unsigned int fm)
{
	return sf_max(sf_max(a, b, fm), c, fm);
}

static u32 num_med3(u32 a, u32 b, u32 c, unsigned int fm)
{
	if (sf_is_nan(a) || sf_is_nan(b) || sf_is_nan(c))
		return num_min3(a, b, c, fm);
	return sf_max(sf_min(a, b, fm), sf_min(sf_max(a, b, fm), c, fm), fm);
}

static u32 frexp_mant(u32 x, unsigned int fm)
{
	struct sf n = sf_unpack(x, fm);

	if (n.cls == SF_CLASS_FINITE)
		n.e = -1;
	return sf_pack(&n, fm);
}

static u32 frexp_exp(u32 x, unsigned int fm)
{
	struct sf n = sf_unpack(x, fm);

	return n.cls == SF_CLASS_FINITE ? n.e + 1 : 0;
}

static unsigned int rounding(unsigned int fm, unsigned int mode)
{
	return (fm & ~SF_ROUND) | mode;
}

static int arithmetic(struct sim_vop *o)
{
	unsigned int fm = o->fm;

	switch (o->op) {
	case V_ADD_F32:		VOP_LANES(o, sf_add(a, b, fm));
	case V_SUB_F32:		VOP_LANES(o, sf_add(a, neg(b), fm));
	case V_SUBREV_F32:	VOP_LANES(o, sf_add(b, neg(a), fm));
	case V_MUL_F32:		VOP_LANES(o, sf_mul(a, b, fm));
	case V_MIN_F32:		VOP_LANES(o, sf_min(a, b, fm));
	case V_MAX_F32:		VOP_LANES(o, sf_max(a, b, fm));
	case V_FMAC_F32:
	case V_FMA_F32:		VOP_LANES(o, sf_fma(a, b, c, fm));
	case V_MAC_F32:
	case V_MAD_F32:		VOP_LANES(o, mad(a, b, c, fm));
	case V_MIN3_F32:	VOP_LANES(o, num_min3(a, b, c, fm));
	case V_MAX3_F32:	VOP_LANES(o, num_max3(a, b, c, fm));
	case V_MED3_F32:	VOP_LANES(o, num_med3(a, b, c, fm));
	default:		return -EILSEQ;
	}
}

static int one_source(struct sim_vop *o)
{
	unsigned int fm = o->fm;

	switch (o->op) {
	case V_FRACT_F32:	VOP_LANES(o, sf_fract(a, fm));
	case V_TRUNC_F32:	VOP_LANES(o, sf_rint(a, rounding(fm, SF_ZERO)));
	case V_CEIL_F32:	VOP_LANES(o, sf_rint(a, rounding(fm, SF_UP)));
	case V_RNDNE_F32:	VOP_LANES(o, sf_rint(a, rounding(fm, SF_NEAREST)));
	case V_FLOOR_F32:	VOP_LANES(o, sf_rint(a, rounding(fm, SF_DOWN)));
	case V_RCP_F32:
	case V_RCP_IFLAG_F32:	VOP_LANES(o, sf_div(ONE_BITS, a, fm));
	case V_SQRT_F32:	VOP_LANES(o, sf_sqrt(a, fm));
	case V_FREXP_MANT_F32:	VOP_LANES(o, frexp_mant(a, fm));
	default:		return -EILSEQ;
	}
}

/* madmk: a * K + b, madak: a * b + K */
static int with_literal(struct sim_vop *o)
{
	u32 k = o->i->literal;
	unsigned int fm = o->fm;

	if (o->op == V_MADMK_F32)
		VOP_LANES(o, mad(a, k, b, fm));
	VOP_LANES(o, mad(a, b, k, fm));
}

static u32 scaled(u32 x, unsigned int omod, unsigned int fm)
{
	static const u32 factor[] = { ONE_BITS, TWO_BITS, FOUR_BITS, HALF_BITS };

	return sf_mul(x, factor[omod], fm);
}

/* to [0, 1]; a NaN becomes 0 with DX10_CLAMP */
static u32 clamped(u32 x, bool dx10)
{
	if (sf_is_nan(x))
		return dx10 ? 0 : x;
	if (x & SF_SIGN)
		return 0;
	return x > ONE_BITS ? ONE_BITS : x;
}

static void output_mods(const struct sim_wave *w, struct sim_vop *o)
{
	bool dx10 = w->mode & MODE_DX10_CLAMP;
	unsigned int lane;
	u64 left;

	if (!o->i->omod && !o->i->clamp)
		return;
	sim_for_each_lane(lane, left, o->lanes) {
		if (o->i->omod)
			o->d[lane] = scaled(o->d[lane], o->i->omod, o->fm);
		if (o->i->clamp)
			o->d[lane] = clamped(o->d[lane], dx10);
	}
}

/*
 * sim_vop_float() - arithmetic
 */
int sim_vop_float(struct sim_wave *w, struct sim_vop *o)
{
	int ret;

	if (o->op == V_MADMK_F32 || o->op == V_MADAK_F32)
		return with_literal(o);
	ret = o->info.nr_src == 1 ? one_source(o) : arithmetic(o);
	if (!ret)
		output_mods(w, o);
	return ret;
}

/* MODE.FP_ROUND, FP_DENORM: the upper half of each is for f16 and f64 */
static unsigned int half_mode(const struct sim_wave *w)
{
	unsigned int denorm = (w->mode & MODE_FP_DENORM) >> 6;

	return ((w->mode >> 2) & SF_ROUND) | (denorm & 1 ? 0 : SF_FLUSH_IN) |
	       (denorm & 2 ? 0 : SF_FLUSH_OUT);
}

/* to nearest, halves up */
static u32 nearest_up(u32 x)
{
	return sf_to_s32(sf_rint(sf_add(x, HALF_BITS, SF_DOWN), SF_DOWN));
}

static u32 half_bits(u32 x, unsigned int fm)
{
	return sf_to_half(x, fm);
}

static int convert(struct sim_wave *w, struct sim_vop *o)
{
	unsigned int fm = o->fm, fm16 = half_mode(w);

	switch (o->op) {
	case V_CVT_F32_I32:	VOP_LANES(o, sf_from_s32(a, fm));
	case V_CVT_F32_U32:	VOP_LANES(o, sf_from_u32(a, fm));
	case V_CVT_U32_F32:	VOP_LANES(o, sf_to_u32(a));
	case V_CVT_I32_F32:	VOP_LANES(o, sf_to_s32(a));
	case V_CVT_F16_F32:	VOP_LANES(o, half_bits(a, fm16));
	case V_CVT_F32_F16:	VOP_LANES(o, sf_from_half(a, fm16));
	case V_CVT_RPI_I32_F32:	VOP_LANES(o, nearest_up(a));
	case V_CVT_FLR_I32_F32:	VOP_LANES(o, sf_to_s32(sf_rint(a, SF_DOWN)));
	case V_CVT_F32_UBYTE0:	VOP_LANES(o, sf_from_u32(a & 0xff, fm));
	case V_CVT_F32_UBYTE1:	VOP_LANES(o, sf_from_u32(a >> 8 & 0xff, fm));
	case V_CVT_F32_UBYTE2:	VOP_LANES(o, sf_from_u32(a >> 16 & 0xff, fm));
	case V_CVT_F32_UBYTE3:	VOP_LANES(o, sf_from_u32(a >> 24, fm));
	case V_FREXP_EXP_I32_F32: VOP_LANES(o, frexp_exp(a, fm));
	case V_LDEXP_F32:	VOP_LANES(o, sf_ldexp(a, b, fm));
	case V_CVT_PKRTZ_F16_F32:
		VOP_LANES(o, half_bits(a, rounding(fm16, SF_ZERO)) |
			  half_bits(b, rounding(fm16, SF_ZERO)) << 16);
	default:		return -EILSEQ;
	}
}

/*
 * sim_vop_cvt() - conversions
 */
int sim_vop_cvt(struct sim_wave *w, struct sim_vop *o)
{
	int ret = convert(w, o);

	if (!ret && (o->info.flags & VF_CLAMP))
		output_mods(w, o);
	return ret;
}

/* the exponent after normalisation, as if the type had no denormals */
static s32 true_exp(u32 x)
{
	struct sf n = sf_unpack(x, 0);

	return n.e + 127;
}

static bool is_zero(u32 x)
{
	return !(x & ~SF_SIGN);
}

static bool is_denormal(u32 x)
{
	return !EXP(x) && !is_zero(x);
}

/**
 * scale_lane() - v_div_scale_f32 of one lane
 * @x: denominator or numerator, the one to scale
 * @den: denominator
 * @num: numerator
 * @vcc: the quotient must be scaled back by v_div_fmas
 *
 * Keeps what follows (reciprocal, Newton steps) away from over- and underflow.
 */
static u32 scale_lane(u32 x, u32 den, u32 num, bool *vcc)
{
	s32 d = true_exp(den), n = true_exp(num);
	bool is_den = x == den;

	*vcc = false;
	if (is_zero(den) || is_zero(num))
		return SF_NAN;
	if (EXP(den) == 255 || EXP(num) == 255)
		return x;
	if (n - d >= 96) {		/* the quotient is near the maximum */
		*vcc = true;
		return is_den ? sf_ldexp(x, 64, 0) : x;
	}
	if (is_denormal(den))
		return sf_ldexp(x, 64, 0);
	if (d >= 253) {			/* 1 / den is denormal */
		*vcc = n - d <= -126;
		return *vcc && !is_den ? x : sf_ldexp(x, -64, 0);
	}
	if (n - d <= -126) {		/* the quotient is denormal */
		*vcc = true;
		return x == num ? sf_ldexp(x, 64, 0) : x;
	}
	return n <= 23 ? sf_ldexp(x, 64, 0) : x;
}

static int div_scale(struct sim_wave *w, struct sim_vop *o)
{
	unsigned int lane;
	u64 left, out = 0;
	bool vcc;

	if ((o->i->sdst & 1) || sim_swritable(w, o->i->sdst, 2))
		return -EILSEQ;
	sim_for_each_lane(lane, left, o->lanes) {
		o->d[lane] = scale_lane(sim_src(o, 0, lane), sim_src(o, 1, lane),
					sim_src(o, 2, lane), &vcc);
		out |= (u64)vcc << lane;
	}
	sim_set_pair(w, o->i->sdst, out);
	return 0;
}

/* undoes scale_lane(); the size of the quotient @c tells which way it went */
static u32 fmas_lane(u32 a, u32 b, u32 c, bool scaled_before, unsigned int fm)
{
	s32 n = EXP(c) > 127 ? 64 : -64;

	return sf_fma_scaled(a, b, c, scaled_before ? n : 0, fm);
}

static int div_fmas(struct sim_wave *w, struct sim_vop *o)
{
	unsigned int lane;
	u64 left, vcc = sim_vcc(w);

	sim_for_each_lane(lane, left, o->lanes)
		o->d[lane] = fmas_lane(sim_src(o, 0, lane), sim_src(o, 1, lane),
				       sim_src(o, 2, lane), vcc >> lane & 1,
				       o->fm);
	return 0;
}

/* @q approximates num / den; special cases are decided here */
static u32 fixup(u32 q, u32 den, u32 num)
{
	u32 sign = (den ^ num) & SF_SIGN;
	bool zero_den = is_zero(den), zero_num = is_zero(num);
	bool inf_den = (den & ~SF_SIGN) == SF_INF;
	bool inf_num = (num & ~SF_SIGN) == SF_INF;

	if (sf_is_nan(num))
		return num | 0x00400000;
	if (sf_is_nan(den))
		return den | 0x00400000;
	if ((zero_den && zero_num) || (inf_den && inf_num))
		return SF_NAN | SF_SIGN;
	if (zero_den || inf_num)
		return sign | SF_INF;
	if (inf_den || zero_num)
		return sign;
	/* the refinement of a quotient that overflows ends in a NaN */
	return sign | (sf_is_nan(q) ? SF_INF : q & ~SF_SIGN);
}

/*
 * sim_vop_div() - the steps of a division
 */
int sim_vop_div(struct sim_wave *w, struct sim_vop *o)
{
	if (o->op == V_DIV_SCALE_F32)
		return div_scale(w, o);
	if (o->op == V_DIV_FMAS_F32)
		return div_fmas(w, o);
	VOP_LANES(o, fixup(a, b, c));
}
