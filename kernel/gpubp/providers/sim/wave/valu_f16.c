// SPDX-License-Identifier: GPL-2.0
/*
 * binary16 operations of vectors. Correctly rounded, also where AMD's documents
 * allow an error of 0.51 units in the last place.
 */
#include <linux/kernel.h>
#include <linux/limits.h>
#include <linux/minmax.h>
#include "../softfloat/softfloat.h"
#include "valu.h"

/* upper halves of sources are undefined */
#define VOP16(o, expr)							\
	do {								\
		unsigned int lane_;					\
		u64 left_;						\
									\
		sim_for_each_lane(lane_, left_, (o)->lanes) {		\
			u16 a __maybe_unused = sim_src(o, 0, lane_);	\
			u16 b __maybe_unused = sim_src(o, 1, lane_);	\
			u16 c __maybe_unused = sim_src(o, 2, lane_);	\
									\
			(o)->d[lane_] = (expr) & 0xffff;		\
		}							\
		return 0;						\
	} while (0)

#define HALF_SIGN	0x8000

static const struct sf_format *const f16 = &sf_half;

static unsigned long f16_rounding(unsigned long fm, unsigned int mode)
{
	return (fm & ~SF_ROUND) | mode;
}

/* multiply and add, both rounded, denormals always flushed */
static u16 f16_mad(u16 a, u16 b, u16 c, unsigned long fm)
{
	fm |= SF_FLUSH;
	return sfa_add(f16, sfa_mul(f16, a, b, fm), c, fm);
}

static u16 f16_min3(u16 a, u16 b, u16 c, unsigned long fm)
{
	return sfa_min(f16, sfa_min(f16, a, b, fm), c, fm);
}

static u16 f16_max3(u16 a, u16 b, u16 c, unsigned long fm)
{
	return sfa_max(f16, sfa_max(f16, a, b, fm), c, fm);
}

static bool f16_equal(u16 a, u16 b, unsigned long fm)
{
	return sfa_cmp(f16, a, b, fm & SF_MODE) == SF_EQUAL;
}

/* the larger one of those that are left without the maximum; both zeros are equal */
static u16 f16_med3(u16 a, u16 b, u16 c, unsigned long fm)
{
	u16 most;

	if (sfa_is_nan(f16, a) || sfa_is_nan(f16, b) || sfa_is_nan(f16, c))
		return f16_min3(a, b, c, fm);
	most = f16_max3(a, b, c, fm);
	if (f16_equal(most, a, fm))
		return sfa_max(f16, b, c, fm);
	return sfa_max(f16, a, f16_equal(most, b, fm) ? c : b, fm);
}

static u16 f16_function(u16 a,
			struct sfx (*fn)(const struct sfx *x, unsigned long fm),
			unsigned long fm)
{
	struct sfx x = sfx_unpack(f16, a, fm), r = fn(&x, fm);

	return sfx_pack(f16, &r, f16_rounding(fm, SF_NEAREST));
}

static int f16_one_source(struct sim_vop *o)
{
	unsigned long fm = o->fm64;

	switch (o->op) {
	case V_RCP_F16:		VOP16(o, sfa_div(f16, sfa_one(f16), a, fm));
	case V_SQRT_F16:	VOP16(o, sfa_sqrt(f16, a, fm));
	case V_RSQ_F16:		VOP16(o, f16_function(a, sfx_rsq, fm));
	case V_LOG_F16:		VOP16(o, f16_function(a, sfx_log2, fm));
	case V_EXP_F16:		VOP16(o, f16_function(a, sfx_exp2, fm));
	case V_SIN_F16:		VOP16(o, f16_function(a, sfx_sin, fm));
	case V_COS_F16:		VOP16(o, f16_function(a, sfx_cos, fm));
	case V_FREXP_MANT_F16:	VOP16(o, sfa_frexp_mant(f16, a, fm));
	case V_FLOOR_F16:
		VOP16(o, sfa_rint(f16, a, f16_rounding(fm, SF_DOWN)));
	case V_CEIL_F16:
		VOP16(o, sfa_rint(f16, a, f16_rounding(fm, SF_UP)));
	case V_TRUNC_F16:
		VOP16(o, sfa_rint(f16, a, f16_rounding(fm, SF_ZERO)));
	case V_RNDNE_F16:
		VOP16(o, sfa_rint(f16, a, f16_rounding(fm, SF_NEAREST)));
	case V_FRACT_F16:	VOP16(o, sfa_fract(f16, a, fm));
	default:		return -EILSEQ;
	}
}

/* from and to 16-bit integers */
static int f16_convert(struct sim_vop *o)
{
	unsigned long fm = o->fm64, zero = f16_rounding(fm, SF_ZERO);

	switch (o->op) {
	case V_CVT_F16_U16:	VOP16(o, sfa_from_u32(f16, a, fm));
	case V_CVT_F16_I16:	VOP16(o, sfa_from_s32(f16, (s16)a, fm));
	case V_CVT_U16_F16:
		VOP16(o, min(sfa_to_u32(f16, a, zero), (u32)U16_MAX));
	case V_CVT_I16_F16:
		VOP16(o, clamp(sfa_to_s32(f16, a, zero), S16_MIN, S16_MAX));
	case V_FREXP_EXP_I16_F16: VOP16(o, sfa_frexp_exp(f16, a, fm));
	default:		return -EILSEQ;
	}
}

/* @q approximates num / den; handle special cases */
static u16 f16_fixup(u16 q, u16 den, u16 num, unsigned long fm)
{
	u16 sign = (den ^ num) & HALF_SIGN, inf = sfa_inf(f16);
	u16 d = den & ~HALF_SIGN, n = num & ~HALF_SIGN;
	unsigned long as_is = fm & ~SF_FLUSH_IN;
	struct sfx x = sfx_unpack(f16, num, as_is);
	struct sfx y = sfx_unpack(f16, den, as_is);

	/* raise the exceptions of the quotient except inexact */
	if (y.cls != SF_CLASS_FINITE)
		sfx_div(&x, &y, fm);
	if (n > inf)
		return num | 0x0200;
	if (d > inf)
		return den | 0x0200;
	if ((!d && !n) || (d == inf && n == inf))
		return 0xfe00;
	if (!d || n == inf)
		return sign | inf;
	if (d == inf || !n)
		return sign;
	return sign | (q & ~HALF_SIGN);
}

static int f16_arithmetic(struct sim_vop *o)
{
	unsigned long fm = o->fm64;

	switch (o->op) {
	case V_ADD_F16:		VOP16(o, sfa_add(f16, a, b, fm));
	case V_SUB_F16:		VOP16(o, sfa_add(f16, a, b ^ HALF_SIGN, fm));
	case V_SUBREV_F16:	VOP16(o, sfa_add(f16, b, a ^ HALF_SIGN, fm));
	case V_MUL_F16:		VOP16(o, sfa_mul(f16, a, b, fm));
	case V_MAC_F16:
	case V_MAD_F16:
	case V_MAD_LEGACY_F16:	VOP16(o, f16_mad(a, b, c, fm));
	case V_FMA_F16:
	case V_FMA_LEGACY_F16:	VOP16(o, sfa_fma(f16, a, b, c, fm));
	case V_MIN_F16:		VOP16(o, sfa_min(f16, a, b, fm));
	case V_MAX_F16:		VOP16(o, sfa_max(f16, a, b, fm));
	case V_MIN3_F16:	VOP16(o, f16_min3(a, b, c, fm));
	case V_MAX3_F16:	VOP16(o, f16_max3(a, b, c, fm));
	case V_MED3_F16:	VOP16(o, f16_med3(a, b, c, fm));
	case V_LDEXP_F16:	VOP16(o, sfa_ldexp(f16, a, (s16)b, fm));
	case V_DIV_FIXUP_F16:
	case V_DIV_FIXUP_LEGACY_F16: VOP16(o, f16_fixup(a, b, c, fm));
	default:		return -EILSEQ;
	}
}

/* madmk: a * K + b, madak: a * b + K */
static int f16_with_literal(struct sim_vop *o)
{
	u16 k = o->i->literal;

	if (o->op == V_MADMK_F16)
		VOP16(o, f16_mad(a, k, b, o->fm64));
	VOP16(o, f16_mad(a, b, k, o->fm64));
}

/*
 * sim_vop_f16() - operations with binary16 operands or results
 */
int sim_vop_f16(struct sim_wave *w, struct sim_vop *o)
{
	int ret;

	if (o->op == V_MADMK_F16 || o->op == V_MADAK_F16)
		return f16_with_literal(o);
	ret = f16_convert(o);
	if (ret && o->info.nr_src == 1)
		ret = f16_one_source(o);
	else if (ret)
		ret = f16_arithmetic(o);
	if (!ret && (o->info.flags & VF_CLAMP))
		sim_output_mods(w, o, &sf_half, o->fm64);
	return ret;
}
