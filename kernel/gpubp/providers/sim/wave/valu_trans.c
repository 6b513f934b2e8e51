// SPDX-License-Identifier: GPL-2.0
/*
 * Approximations of binary32 functions. AMD's documents allow an error of one
 * unit in the last place and state that denormals are flushed regardless of
 * MODE, except by sine and cosine. The error here is at most 0.51 units.
 */
#include <linux/kernel.h>
#include "../softfloat/softfloat.h"
#include "valu.h"

typedef struct sfx (*unary_fn)(const struct sfx *x, unsigned long fm);

static struct sfx trans_rcp(const struct sfx *x, unsigned long fm)
{
	struct sfx one = sfx_from_u64(1, false);

	return sfx_div(&one, x, fm);
}

/* the legacy forms differ in infinities that a log passes to an exp */
static unary_fn trans_find(unsigned int op)
{
	switch (op) {
	case V_EXP_F32:
	case V_EXP_LEGACY_F32:	return sfx_exp2;
	case V_LOG_F32:
	case V_LOG_LEGACY_F32:	return sfx_log2;
	case V_RCP_F32:
	case V_RCP_IFLAG_F32:	return trans_rcp;
	case V_RSQ_F32:		return sfx_rsq;
	case V_SQRT_F32:	return sfx_sqrt;
	case V_SIN_F32:		return sfx_sin;
	case V_COS_F32:		return sfx_cos;
	default:		return NULL;
	}
}

static u32 trans_apply(unary_fn fn, u32 a, unsigned long fm)
{
	struct sfx x = sfx_unpack(&sf_single, a, fm), r = fn(&x, fm);

	return sfx_pack(&sf_single, &r, fm);
}

/*
 * The reciprocal in integer divisions: a divisor of zero raises INT_DIV0, and
 * floating-point exceptions are not raised.
 */
static unsigned long divides_integers(struct sim_wave *w, struct sim_vop *o,
				      unsigned long fm)
{
	unsigned int lane;
	u64 left;

	fm &= SF_MODE;
	sim_for_each_lane(lane, left, o->lanes)
		if (sf_is_zero(sim_src(o, 0, lane), fm))
			o->exceptions.raised |= TRAPSTS_INT_DIV0;
	return fm;
}

/*
 * sim_vop_trans() - reciprocals, roots, exponentials, logarithms, sines
 */
int sim_vop_trans(struct sim_wave *w, struct sim_vop *o)
{
	unary_fn fn = trans_find(o->op);
	unsigned long fm = (o->fm & ~SF_ROUND) | SF_NEAREST;
	unsigned int lane;
	u64 left;

	if (!fn)
		return -EILSEQ;
	if (fn != sfx_sin && fn != sfx_cos)
		fm |= SF_FLUSH;
	if (o->op == V_RCP_IFLAG_F32)
		fm = divides_integers(w, o, fm);
	sim_for_each_lane(lane, left, o->lanes)
		o->d[lane] = trans_apply(fn, sim_src(o, 0, lane), fm);
	sim_output_mods(w, o, &sf_single, o->fm);
	return 0;
}
