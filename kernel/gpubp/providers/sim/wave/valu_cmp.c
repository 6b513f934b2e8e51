// SPDX-License-Identifier: GPL-2.0
/*
 * Vector comparisons: one bit per lane, written to a scalar pair, and to EXEC
 * by the cmpx forms. Inactive lanes get zero.
 *
 * The lowest bits of the opcode are the condition itself: 1 less, 2 equal, 4
 * greater, and for floats 8 unordered.
 */
#include <linux/kernel.h>
#include "../softfloat/softfloat.h"
#include "valu.h"

static unsigned int order_u(u64 a, u64 b)
{
	return a < b ? SF_LESS : a == b ? SF_EQUAL : SF_GREATER;
}

static unsigned int order_s(s64 a, s64 b)
{
	return a < b ? SF_LESS : a == b ? SF_EQUAL : SF_GREATER;
}

/* not used for binary32, whose comparison is a function of its own */
static const struct sf_format *cmp_format(const struct sim_vop *o)
{
	return o->info.flags & VF_DOUBLE ? &sf_double :
	       o->info.flags & VF_HALF ? &sf_half : &sf_single;
}

static unsigned long cmp_mode(const struct sim_vop *o)
{
	return o->info.flags & (VF_DOUBLE | VF_HALF) ? o->fm64 : o->fm;
}

/* a number; upper halves of binary16 operands are undefined */
static u64 cmp_operand(const struct sim_vop *o, unsigned int n,
		       unsigned int lane)
{
	u64 x = sim_src_any(o, n, lane);

	return o->info.flags & VF_HALF ? (u16)x : x;
}

#define COMPARE(expr)							\
	do {								\
		sim_for_each_lane(lane, left, o->lanes)			\
			res |= (u64)!!((expr) & cond) << lane;		\
		return res;						\
	} while (0)

#define COMPARE_LANES(expr)						\
	do {								\
		sim_for_each_lane(lane, left, o->lanes)			\
			res |= (u64)(expr) << lane;			\
		return res;						\
	} while (0)

/* lanes whose @type a is less than b, or equal to it */
#define COMPARE_AS(type)						\
	do {								\
		if (equal)						\
			COMPARE_LANES((type)a[lane] == (type)b[lane]);	\
		COMPARE_LANES((type)a[lane] < (type)b[lane]);		\
	} while (0)

static u64 lanes_related(const struct sim_vop *o, bool equal, bool swapped)
{
	const u32 *a = o->s[swapped].lo, *b = o->s[!swapped].lo;
	unsigned int lane;
	u64 left, res = 0;

	switch (o->op & ~0x17u) {
	case V_CMP_I16:	COMPARE_AS(s16);
	case V_CMP_U16:	COMPARE_AS(u16);
	case V_CMP_I32:	COMPARE_AS(s32);
	default:	COMPARE_AS(u32);
	}
}

/* each condition is one of a < b, b < a, a == b, or the opposite of one */
static u64 compare_narrow(const struct sim_vop *o, unsigned int cond)
{
	switch (cond) {
	case 0:
		return 0;
	case SF_LESS:
		return lanes_related(o, false, false);
	case SF_EQUAL:
		return lanes_related(o, true, false);
	case SF_GREATER:
		return lanes_related(o, false, true);
	default:
		return o->lanes &
		       ~compare_narrow(o, cond ^ (SF_LESS | SF_EQUAL |
						  SF_GREATER));
	}
}

static u64 compare_wide(const struct sim_vop *o, unsigned int cond)
{
	unsigned int lane;
	u64 left, res = 0;

	if (o->op & 8)
		COMPARE(order_u(sim_src64(o, 0, lane), sim_src64(o, 1, lane)));
	COMPARE(order_s(sim_src64(o, 0, lane), sim_src64(o, 1, lane)));
}

/* CLAMP makes a comparison signal any NaN */
static unsigned int clamp_order(const struct sim_vop *o, unsigned int order,
				unsigned long fm)
{
	if (order == SF_UNORDERED && o->i->clamp)
		sf_raise(fm, SF_INVALID);
	return order;
}

static u64 compare_float(const struct sim_vop *o)
{
	unsigned int lane, cond = o->op & 15;
	unsigned long fm = cmp_mode(o);
	const struct sf_format *f = cmp_format(o);
	u64 left, res = 0;

	if (f == &sf_single)
		COMPARE(clamp_order(o, sf_cmp(sim_src(o, 0, lane),
					      sim_src(o, 1, lane), fm), fm));
	COMPARE(clamp_order(o,
			    sfa_cmp(f, cmp_operand(o, 0, lane),
				    cmp_operand(o, 1, lane), fm),
			    fm));
}

/* a denormal is one whatever MODE says */
static u64 compare_class(const struct sim_vop *o)
{
	unsigned long fm = cmp_mode(o) & ~SF_FLUSH_IN;
	const struct sf_format *f = cmp_format(o);
	unsigned int lane, cond = ~0u;
	u64 left, res = 0;

	COMPARE(sfa_class(f, cmp_operand(o, 0, lane), fm) &
		sim_src(o, 1, lane));
}

static u64 compare_lanes(const struct sim_vop *o)
{
	if (o->op <= V_CMPX_CLASS_F16)
		return compare_class(o);
	if (o->op < V_CMP_I16)
		return compare_float(o);
	if (o->op < V_CMP_I64)
		return compare_narrow(o, o->op & 7);
	return compare_wide(o, o->op & 7);
}

static bool writes_exec(unsigned int op)
{
	return op <= V_CMPX_CLASS_F16 ? op & 1 : op & 16;
}

/*
 * sim_vop_cmp() - VOPC
 */
int sim_vop_cmp(struct sim_wave *w, struct sim_vop *o)
{
	u64 res;

	if ((o->i->dst & 1) || sim_swritable(w, o->i->dst, 2))
		return -EILSEQ;
	res = compare_lanes(o);
	sim_set_pair(w, o->i->dst, res);
	if (writes_exec(o->op))
		sim_set_pair(w, GFX9_SRC_EXEC, res);
	return 0;
}
