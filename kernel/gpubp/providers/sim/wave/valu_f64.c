// SPDX-License-Identifier: GPL-2.0
/*
 * binary64 operations of vectors, and conversions from and to it.
 *
 * Reciprocal, square root and its reciprocal are approximations in hardware,
 * with about the precision of binary32: programs refine them. Here they have
 * exactly ESTIMATE_BITS right bits, so that a missing refinement is detected.
 */
#include <linux/kernel.h>
#include "../softfloat/softfloat.h"
#include "valu.h"

#define ESTIMATE_BITS	26

#define VOP64(o, expr)							\
	do {								\
		unsigned int lane_;					\
		u64 left_;						\
									\
		sim_for_each_lane(lane_, left_, (o)->lanes) {		\
			u64 a __maybe_unused = sim_src_any(o, 0,	\
							    lane_);	\
			u64 b __maybe_unused = sim_src_any(o, 1,	\
							    lane_);	\
			u64 c __maybe_unused = sim_src_any(o, 2,	\
							    lane_);	\
									\
			sim_dst64(o, lane_, expr);			\
		}							\
		return 0;						\
	} while (0)

/* the result has 32 bits */
#define VOP64_TO32(o, expr)						\
	do {								\
		unsigned int lane_;					\
		u64 left_;						\
									\
		sim_for_each_lane(lane_, left_, (o)->lanes) {		\
			u64 a = sim_src64(o, 0, lane_);			\
									\
			(o)->d[lane_] = (expr);				\
		}							\
		return 0;						\
	} while (0)

static const struct sf_format *const f64 = &sf_double;

static unsigned long f64_rounding(unsigned long fm, unsigned int mode)
{
	return (fm & ~SF_ROUND) | mode;
}

static u64 f64_estimate(struct sfx x, unsigned long fm)
{
	u64 ulp = 1ull << (63 - ESTIMATE_BITS);

	if (x.cls == SF_CLASS_FINITE) {
		sf_raise(fm, x.lo || (x.hi & (ulp - 1)) ? SF_INEXACT : 0);
		x.lo = 0;
		x.hi = (x.hi + ulp / 2) & ~(ulp - 1);
		if (x.hi >> 63) {
			x.hi >>= 1;
			x.e++;
		}
	}
	return sfx_pack(f64, &x, f64_rounding(fm, SF_NEAREST));
}

static u64 f64_rcp(u64 a, unsigned long fm)
{
	struct sfx x = sfx_unpack(f64, a, fm);
	struct sfx one = sfx_from_u64(1, false);

	return f64_estimate(sfx_div(&one, &x, fm), fm);
}

static u64 f64_sqrt(u64 a, unsigned long fm)
{
	struct sfx x = sfx_unpack(f64, a, fm);

	return f64_estimate(sfx_sqrt(&x, fm), fm);
}

static u64 f64_rsq(u64 a, unsigned long fm)
{
	struct sfx x = sfx_unpack(f64, a, fm);

	return f64_estimate(sfx_rsq(&x, fm), fm);
}

static int from_double(struct sim_vop *o)
{
	unsigned long fm = f64_rounding(o->fm64, SF_ZERO);
	/* operands are binary64, the result is binary32 */
	unsigned long to32 = (o->fm & ~SF_FLUSH_IN) | (o->fm64 & SF_FLUSH_IN);

	switch (o->op) {
	case V_CVT_I32_F64:	VOP64_TO32(o, sfa_to_s32(f64, a, fm));
	case V_CVT_U32_F64:	VOP64_TO32(o, sfa_to_u32(f64, a, fm));
	case V_FREXP_EXP_I32_F64: VOP64_TO32(o, sfa_frexp_exp(f64, a, fm));
	default:
		VOP64_TO32(o, sfa_convert(&sf_single, f64, a, to32));
	}
}

static int to_double(struct sim_vop *o)
{
	unsigned long from32 = (o->fm64 & ~SF_FLUSH_IN) | (o->fm & SF_FLUSH_IN);

	switch (o->op) {
	case V_CVT_F64_I32:	VOP64(o, sfa_from_s32(f64, a, o->fm64));
	case V_CVT_F64_U32:	VOP64(o, sfa_from_u32(f64, a, o->fm64));
	default:
		VOP64(o, sfa_convert(f64, &sf_single, a, from32));
	}
}

static int f64_one_source(struct sim_vop *o)
{
	unsigned long fm = o->fm64;

	switch (o->op) {
	case V_TRUNC_F64:
		VOP64(o, sfa_rint(f64, a, f64_rounding(fm, SF_ZERO)));
	case V_CEIL_F64:
		VOP64(o, sfa_rint(f64, a, f64_rounding(fm, SF_UP)));
	case V_RNDNE_F64:
		VOP64(o, sfa_rint(f64, a, f64_rounding(fm, SF_NEAREST)));
	case V_FLOOR_F64:
		VOP64(o, sfa_rint(f64, a, f64_rounding(fm, SF_DOWN)));
	case V_FRACT_F64:	VOP64(o, sfa_fract(f64, a, fm));
	case V_FREXP_MANT_F64:	VOP64(o, sfa_frexp_mant(f64, a, fm));
	case V_RCP_F64:		VOP64(o, f64_rcp(a, fm));
	case V_RSQ_F64:		VOP64(o, f64_rsq(a, fm));
	case V_SQRT_F64:	VOP64(o, f64_sqrt(a, fm));
	default:		return -EILSEQ;
	}
}

static int f64_arithmetic(struct sim_vop *o)
{
	unsigned long fm = o->fm64;

	switch (o->op) {
	case V_ADD_F64:		VOP64(o, sfa_add(f64, a, b, fm));
	case V_MUL_F64:		VOP64(o, sfa_mul(f64, a, b, fm));
	case V_FMA_F64:
	case V_FMAC_F64:	VOP64(o, sfa_fma(f64, a, b, c, fm));
	case V_MIN_F64:		VOP64(o, sfa_min(f64, a, b, fm));
	case V_MAX_F64:		VOP64(o, sfa_max(f64, a, b, fm));
	case V_LDEXP_F64:	VOP64(o, sfa_ldexp(f64, a, (s32)b, fm));
	case V_TRIG_PREOP_F64:	VOP64(o, sim_trig_preop(a, b, fm));
	default:		return -EILSEQ;
	}
}

static int f64_compute(struct sim_vop *o)
{
	if (!(o->info.flags & VF_WIDED))
		return from_double(o);
	if (!(o->info.flags & VF_WIDE0))
		return to_double(o);
	return o->info.nr_src == 1 ? f64_one_source(o) : f64_arithmetic(o);
}

/*
 * sim_vop_f64() - operations with a binary64 operand or result
 */
int sim_vop_f64(struct sim_wave *w, struct sim_vop *o)
{
	int ret;

	/* the destination is the third source of fmac, and as wide */
	if (o->info.flags & VF_DST_IN)
		o->info.flags |= VF_WIDE2;
	ret = f64_compute(o);
	if (ret || !(o->info.flags & VF_CLAMP))
		return ret;
	if (o->info.flags & VF_WIDED)
		sim_output_mods(w, o, &sf_double, o->fm64);
	else
		sim_output_mods(w, o, &sf_single, o->fm);
	return 0;
}
