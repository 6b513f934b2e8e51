// SPDX-License-Identifier: GPL-2.0
/*
 * Vector comparisons: a bit a lane into a scalar pair, and into EXEC for the
 * cmpx forms. Inactive lanes get zero.
 *
 * The lowest bits of the opcode are the condition itself: 1 less, 2 equal,
 * 4 greater, and for floats 8 unordered.
 */
#include <linux/kernel.h>
#include "softfloat.h"
#include "valu.h"

static unsigned int order_u(u64 a, u64 b)
{
	return a < b ? SF_LESS : a == b ? SF_EQUAL : SF_GREATER;
}

static unsigned int order_s(s64 a, s64 b)
{
	return a < b ? SF_LESS : a == b ? SF_EQUAL : SF_GREATER;
}

/* bits of the class mask, lowest first */
static unsigned int float_class(u32 x, unsigned int fm)
{
	bool neg = x & SF_SIGN;
	u32 mag = x & ~SF_SIGN;

	if (mag > SF_INF)
		return mag & 0x00400000 ? 0x002 : 0x001;
	if (mag == SF_INF)
		return neg ? 0x004 : 0x200;
	if (!mag || (mag < 0x00800000 && (fm & SF_FLUSH_IN)))
		return neg ? 0x020 : 0x040;
	if (mag < 0x00800000)
		return neg ? 0x010 : 0x080;
	return neg ? 0x008 : 0x100;
}

#define COMPARE(expr)							\
	do {								\
		sim_for_each_lane(lane, left, o->lanes)			\
			res |= (u64)!!((expr) & cond) << lane;		\
		return res;						\
	} while (0)

static u64 compare_narrow(const struct sim_vop *o, unsigned int cond)
{
	unsigned int lane;
	u64 left, res = 0;

	switch (o->op & ~0x17u) {
	case V_CMP_I16:
		COMPARE(order_s((s16)sim_src(o, 0, lane),
				(s16)sim_src(o, 1, lane)));
	case V_CMP_U16:
		COMPARE(order_u((u16)sim_src(o, 0, lane),
				(u16)sim_src(o, 1, lane)));
	case V_CMP_I32:
		COMPARE(order_s((s32)sim_src(o, 0, lane),
				(s32)sim_src(o, 1, lane)));
	default:
		COMPARE(order_u(sim_src(o, 0, lane), sim_src(o, 1, lane)));
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

static u64 compare_float(const struct sim_vop *o)
{
	unsigned int lane, cond = o->op & 15;
	u64 left, res = 0;

	COMPARE(sf_cmp(sim_src(o, 0, lane), sim_src(o, 1, lane), o->fm));
}

static u64 compare_class(const struct sim_vop *o)
{
	unsigned int lane, cond = ~0u;
	u64 left, res = 0;

	COMPARE(float_class(sim_src(o, 0, lane), o->fm) & sim_src(o, 1, lane));
}

static u64 compare(const struct sim_vop *o)
{
	if (o->op <= V_CMPX_CLASS_F32)
		return compare_class(o);
	if (o->op < V_CMP_I16)
		return compare_float(o);
	if (o->op < V_CMP_I64)
		return compare_narrow(o, o->op & 7);
	return compare_wide(o, o->op & 7);
}

static bool writes_exec(unsigned int op)
{
	return op <= V_CMPX_CLASS_F32 ? op & 1 : op & 16;
}

/*
 * sim_vop_cmp() - VOPC
 */
int sim_vop_cmp(struct sim_wave *w, struct sim_vop *o)
{
	u64 res;

	if ((o->i->dst & 1) || sim_swritable(w, o->i->dst, 2))
		return -EILSEQ;
	res = compare(o);
	sim_set_pair(w, o->i->dst, res);
	if (writes_exec(o->op))
		sim_set_pair(w, GFX9_SRC_EXEC, res);
	return 0;
}
