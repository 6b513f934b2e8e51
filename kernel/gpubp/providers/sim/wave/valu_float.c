// SPDX-License-Identifier: GPL-2.0
/*
 * binary32 operations of vectors, and conversions.
 */
#include <linux/kernel.h>
#include "../softfloat/softfloat.h"
#include "valu.h"

#define HALF_BITS	0x3f000000u

static u32 f32_neg(u32 x)
{
	return x ^ SF_SIGN;
}

/* multiply and add, both rounded, denormals always flushed */
static u32 f32_mad(u32 a, u32 b, u32 c, unsigned long fm)
{
	fm |= SF_FLUSH;
	return sf_add(sf_mul(a, b, fm), c, fm);
}

/* zero times anything is zero */
static u32 f32_mul_legacy(u32 a, u32 b, unsigned long fm)
{
	return sf_is_zero(a, fm) || sf_is_zero(b, fm) ? 0 : sf_mul(a, b, fm);
}

static u32 f32_mad_legacy(u32 a, u32 b, u32 c, unsigned long fm)
{
	fm |= SF_FLUSH;
	return sf_add(f32_mul_legacy(a, b, fm), c, fm);
}

static u32 f32_min3(u32 a, u32 b, u32 c, unsigned long fm)
{
	return sf_min(sf_min(a, b, fm), c, fm);
}

static u32 f32_max3(u32 a, u32 b, u32 c, unsigned long fm)
{
	return sf_max(sf_max(a, b, fm), c, fm);
}

static bool f32_equal(u32 a, u32 b, unsigned long fm)
{
	return sf_cmp(a, b, fm & SF_MODE) == SF_EQUAL;
}

/* the larger one of those that are left without the maximum; both zeros are equal */
static u32 f32_med3(u32 a, u32 b, u32 c, unsigned long fm)
{
	u32 most;

	if (sf_is_nan(a) || sf_is_nan(b) || sf_is_nan(c))
		return f32_min3(a, b, c, fm);
	most = f32_max3(a, b, c, fm);
	if (f32_equal(most, a, fm))
		return sf_max(b, c, fm);
	return sf_max(a, f32_equal(most, b, fm) ? c : b, fm);
}

static unsigned long f32_rounding(unsigned long fm, unsigned int mode)
{
	return (fm & ~SF_ROUND) | mode;
}

static int f32_arithmetic(struct sim_vop *o)
{
	unsigned long fm = o->fm;

	switch (o->op) {
	case V_ADD_F32:		VOP_LANES(o, sf_add(a, b, fm));
	case V_SUB_F32:		VOP_LANES(o, sf_add(a, f32_neg(b), fm));
	case V_SUBREV_F32:	VOP_LANES(o, sf_add(b, f32_neg(a), fm));
	case V_MUL_F32:		VOP_LANES(o, sf_mul(a, b, fm));
	case V_MIN_F32:		VOP_LANES(o, sf_min(a, b, fm));
	case V_MAX_F32:		VOP_LANES(o, sf_max(a, b, fm));
	case V_FMAC_F32:
	case V_FMA_F32:		VOP_LANES(o, sf_fma(a, b, c, fm));
	case V_MAC_F32:
	case V_MAD_F32:		VOP_LANES(o, f32_mad(a, b, c, fm));
	case V_MUL_LEGACY_F32:	VOP_LANES(o, f32_mul_legacy(a, b, fm));
	case V_MAD_LEGACY_F32:	VOP_LANES(o, f32_mad_legacy(a, b, c, fm));
	case V_MIN3_F32:	VOP_LANES(o, f32_min3(a, b, c, fm));
	case V_MAX3_F32:	VOP_LANES(o, f32_max3(a, b, c, fm));
	case V_MED3_F32:	VOP_LANES(o, f32_med3(a, b, c, fm));
	default:		return -EILSEQ;
	}
}

static int f32_one_source(struct sim_vop *o)
{
	unsigned long fm = o->fm;

	switch (o->op) {
	case V_FRACT_F32:	VOP_LANES(o, sf_fract(a, fm));
	case V_TRUNC_F32:
		VOP_LANES(o, sf_rint(a, f32_rounding(fm, SF_ZERO)));
	case V_CEIL_F32:
		VOP_LANES(o, sf_rint(a, f32_rounding(fm, SF_UP)));
	case V_RNDNE_F32:
		VOP_LANES(o, sf_rint(a, f32_rounding(fm, SF_NEAREST)));
	case V_FLOOR_F32:
		VOP_LANES(o, sf_rint(a, f32_rounding(fm, SF_DOWN)));
	case V_FREXP_MANT_F32:
		VOP_LANES(o, sfa_frexp_mant(&sf_single, a, fm));
	default:		return -EILSEQ;
	}
}

static u32 f32_mad_or_fma(const struct sim_vop *o, u32 a, u32 b, u32 c)
{
	return o->i->arch == GFX9_GFX942 ? sf_fma(a, b, c, o->fm) :
					   f32_mad(a, b, c, o->fm);
}

/* madmk, fmamk: a * K + b; madak, fmaak: a * b + K */
static int f32_with_literal(struct sim_vop *o)
{
	u32 k = o->i->literal;

	if (o->op == V_MADMK_F32)
		VOP_LANES(o, f32_mad_or_fma(o, a, k, b));
	VOP_LANES(o, f32_mad_or_fma(o, a, b, k));
}

/*
 * sim_vop_float() - arithmetic
 */
int sim_vop_float(struct sim_wave *w, struct sim_vop *o)
{
	int ret;

	if (o->op == V_MADMK_F32 || o->op == V_MADAK_F32)
		return f32_with_literal(o);
	ret = o->info.nr_src == 1 ? f32_one_source(o) : f32_arithmetic(o);
	if (!ret)
		sim_output_mods(w, o, &sf_single, o->fm);
	return ret;
}

/* to nearest, halves up */
static u32 nearest_up(u32 x, unsigned long fm)
{
	return sf_to_s32(sf_rint(sf_add(x, HALF_BITS, SF_DOWN), SF_DOWN), fm);
}

static u32 half_bits(u32 x, unsigned long fm)
{
	return sf_to_half(x, fm);
}

/* bits 0 to 3 are a signed number of sixteenths */
static u32 offset_i4(u32 x, unsigned long fm)
{
	return sf_ldexp(sf_from_s32(sign_extend32(x, 3), fm), -4, fm);
}

static int f32_convert(struct sim_vop *o)
{
	unsigned long fm = o->fm, fm16 = o->fm64;
	/* operands are binary32, results binary16 */
	unsigned long to16 = (fm16 & ~SF_FLUSH_IN) | (fm & SF_FLUSH_IN);

	switch (o->op) {
	case V_CVT_F32_I32:	VOP_LANES(o, sf_from_s32(a, fm));
	case V_CVT_F32_U32:	VOP_LANES(o, sf_from_u32(a, fm));
	case V_CVT_U32_F32:	VOP_LANES(o, sf_to_u32(a, fm));
	case V_CVT_I32_F32:	VOP_LANES(o, sf_to_s32(a, fm));
	case V_CVT_F16_F32:	VOP_LANES(o, half_bits(a, to16));
	case V_CVT_F32_F16:	VOP_LANES(o, sf_from_half(a, fm16));
	case V_CVT_RPI_I32_F32:	VOP_LANES(o, nearest_up(a, fm));
	case V_CVT_FLR_I32_F32:
		VOP_LANES(o, sf_to_s32(sf_rint(a, (fm & SF_FLUSH_IN) | SF_DOWN),
				       fm));
	case V_CVT_OFF_F32_I4:	VOP_LANES(o, offset_i4(a, fm));
	case V_CVT_F32_UBYTE0:	VOP_LANES(o, sf_from_u32(a & 0xff, fm));
	case V_CVT_F32_UBYTE1:	VOP_LANES(o, sf_from_u32(a >> 8 & 0xff, fm));
	case V_CVT_F32_UBYTE2:	VOP_LANES(o, sf_from_u32(a >> 16 & 0xff, fm));
	case V_CVT_F32_UBYTE3:	VOP_LANES(o, sf_from_u32(a >> 24, fm));
	case V_FREXP_EXP_I32_F32:
		VOP_LANES(o, sfa_frexp_exp(&sf_single, a, fm));
	case V_LDEXP_F32:	VOP_LANES(o, sf_ldexp(a, b, fm));
	case V_CVT_PKRTZ_F16_F32:
		VOP_LANES(o, half_bits(a, f32_rounding(to16, SF_ZERO)) |
			  half_bits(b, f32_rounding(to16, SF_ZERO)) << 16);
	default:		return -EILSEQ;
	}
}

static const struct sf_format *result_format(const struct sim_vop *o)
{
	return o->op == V_CVT_F16_F32 ? &sf_half : &sf_single;
}

static unsigned long result_mode(const struct sim_vop *o)
{
	return o->op == V_CVT_F16_F32 ? o->fm64 : o->fm;
}

/*
 * sim_vop_cvt() - conversions
 */
int sim_vop_cvt(struct sim_wave *w, struct sim_vop *o)
{
	int ret = f32_convert(o);

	if (!ret && (o->info.flags & VF_CLAMP))
		sim_output_mods(w, o, result_format(o), result_mode(o));
	return ret;
}
