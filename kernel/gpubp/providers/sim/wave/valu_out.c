// SPDX-License-Identifier: GPL-2.0
/*
 * Output modifiers of floating-point operations.
 *
 * OMOD is not compatible with denormals or IEEE mode: hardware ignores it if
 * results may be denormal or MODE.IEEE is set. Where it applies, -0 becomes +0.
 */
#include <linux/kernel.h>
#include "../softfloat/softfloat.h"
#include "valu.h"

/* 1, 2, 4, 1/2 as powers of two */
static const s8 omod_exp[] = { 0, 1, 2, -1 };

static u64 omod_scale(const struct sf_format *f, u64 x, unsigned int omod,
		      unsigned long fm)
{
	if (!(x & (sfa_sign(f) - 1)))
		return 0;
	return sfa_ldexp(f, x, omod_exp[omod], fm);
}

/* to [0, 1]; a NaN becomes 0 with DX10_CLAMP */
static u64 output_clamp(const struct sf_format *f, u64 x, bool dx10)
{
	if (sfa_is_nan(f, x))
		return dx10 ? 0 : x;
	if (x & sfa_sign(f))
		return 0;
	return min(x, sfa_one(f));
}

static u64 get_result(const struct sim_vop *o, const struct sf_format *f,
		      unsigned int lane)
{
	return f == &sf_double ? o->d[lane] | (u64)o->dhi[lane] << 32 :
				 o->d[lane];
}

static void set_result(const struct sim_vop *o, const struct sf_format *f,
		       unsigned int lane, u64 val)
{
	o->d[lane] = (u32)val;
	if (f == &sf_double)
		o->dhi[lane] = val >> 32;
}

/**
 * sim_output_mods() - OMOD and CLAMP on results
 * @w: wave
 * @o: instruction; its lanes are computed
 * @f: format of the results
 * @fm: mode of this format
 */
void sim_output_mods(const struct sim_wave *w, const struct sim_vop *o,
		     const struct sf_format *f, unsigned long fm)
{
	bool dx10 = w->mode & MODE_DX10_CLAMP;
	bool omod = o->i->omod && (fm & SF_FLUSH_OUT) && !(fm & SF_IEEE);
	unsigned int lane;
	u64 left, x;

	if (!omod && !o->i->clamp)
		return;
	sim_for_each_lane(lane, left, o->lanes) {
		x = get_result(o, f, lane);
		if (omod)
			x = omod_scale(f, x, o->i->omod, fm);
		if (o->i->clamp)
			x = output_clamp(f, x, dx10);
		set_result(o, f, lane, x);
	}
}
