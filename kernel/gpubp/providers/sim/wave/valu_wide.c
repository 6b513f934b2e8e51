// SPDX-License-Identifier: GPL-2.0
/*
 * Vector operations on lane masks (carry, select) and on 64-bit values.
 */
#include <linux/kernel.h>
#include <linux/limits.h>
#include "valu.h"

/* carry, borrow or select bits of the lanes come from a scalar pair */
static int mask_in(const struct sim_wave *w, const struct sim_vop *o, u64 *mask)
{
	return sim_sread64(w, o->i, o->i->src[2], mask);
}

static int vop_cndmask(struct sim_wave *w, struct sim_vop *o)
{
	u64 mask;

	if (mask_in(w, o, &mask))
		return -EILSEQ;
	VOP_LANES(o, mask >> lane & 1 ? b : a);
}

static bool is_sub(unsigned int op)
{
	return op != V_ADD_CO_U32 && op != V_ADDC_CO_U32;
}

static bool is_reversed(unsigned int op)
{
	return op == V_SUBREV_CO_U32 || op == V_SUBBREV_CO_U32;
}

/* a - b is a + ~b + 1, and a borrow is no carry */
static u64 carry_lanes(const struct sim_vop *o, u64 in)
{
	bool rev = is_reversed(o->op);
	const u32 *a = o->s[rev].lo, *b = o->s[!rev].lo;
	u64 flip = is_sub(o->op) ? ~0ull : 0, left, out = 0, sum;
	u32 *d = o->d;
	unsigned int lane;

	in ^= flip;
	sim_for_each_lane(lane, left, o->lanes) {
		sum = (u64)a[lane] + (b[lane] ^ (u32)flip) + (in >> lane & 1);
		d[lane] = (u32)sum;
		out |= (sum >> 32) << lane;
	}
	return out ^ (flip & o->lanes);
}

/* the lanes of @carried are out of range: over the maximum, of differences below 0 */
static void carry_saturate(const struct sim_vop *o, u64 carried)
{
	u32 limit = is_sub(o->op) ? 0 : ~0u;
	unsigned int lane;
	u64 left;

	sim_for_each_lane(lane, left, carried)
		o->d[lane] = limit;
}

/*
 * sim_vop_carry() - add and subtract with carry out, and in; select
 */
int sim_vop_carry(struct sim_wave *w, struct sim_vop *o)
{
	u64 in = 0, out;

	if (o->op == V_CNDMASK_B32)
		return vop_cndmask(w, o);
	if ((o->op >= V_ADDC_CO_U32 && mask_in(w, o, &in)) ||
	    (o->i->sdst & 1) || sim_swritable(w, o->i->sdst, 2))
		return -EILSEQ;
	out = carry_lanes(o, in);
	if (o->i->clamp)
		carry_saturate(o, out);
	sim_set_pair(w, o->i->sdst, out);
	return 0;
}

/* "the design treats unsupported shift counts as a shift of zero" */
static u64 shift_add64(u64 a, u32 b, u64 c)
{
	unsigned int n = b & 7;

	return (a << (n > 4 ? 0 : n)) + c;
}

static u64 wide_lane(const struct sim_vop *o, unsigned int lane)
{
	unsigned int n = sim_src(o, 0, lane) & 63;

	switch (o->op) {
	case V_MOV_B64:
		return sim_src64(o, 0, lane);
	case V_LSHL_ADD_U64:
		return shift_add64(sim_src64(o, 0, lane), sim_src(o, 1, lane),
				   sim_src64(o, 2, lane));
	case V_LSHLREV_B64:
		return sim_src64(o, 1, lane) << n;
	case V_LSHRREV_B64:
		return sim_src64(o, 1, lane) >> n;
	default:
		return (s64)sim_src64(o, 1, lane) >> n;
	}
}

static u64 mad_u64(const struct sim_vop *o, unsigned int lane, bool *carry)
{
	u64 c = sim_src64(o, 2, lane);
	u64 sum = (u64)sim_src(o, 0, lane) * sim_src(o, 1, lane) + c;

	*carry = sum < c;
	return sum;
}

/* carry out: bit 64 of the sum of sign-extended values */
static u64 mad_i64(const struct sim_vop *o, unsigned int lane, bool *carry)
{
	s64 p = (s64)(s32)sim_src(o, 0, lane) * (s32)sim_src(o, 1, lane);
	u64 c = sim_src64(o, 2, lane), sum = (u64)p + c;

	*carry = (p < 0) ^ ((s64)c < 0) ^ (sum < c);
	return sum;
}

static void set_dst64(const struct sim_vop *o, unsigned int lane, u64 val)
{
	o->d[lane] = (u32)val;
	o->dhi[lane] = val >> 32;
}

/* @carry is bit 64 of the sum: its sign, or that it is too large */
static u64 mad64_limit(const struct sim_vop *o, unsigned int lane, bool carry)
{
	u64 sum = o->d[lane] | (u64)o->dhi[lane] << 32;

	if (o->op == V_MAD_U64_U32)
		return carry ? U64_MAX : sum;
	if (carry == ((s64)sum < 0))
		return sum;
	return carry ? S64_MIN : S64_MAX;
}

static void mad64_saturate(const struct sim_vop *o, u64 carries)
{
	unsigned int lane;
	u64 left;

	sim_for_each_lane(lane, left, o->lanes)
		set_dst64(o, lane, mad64_limit(o, lane, carries >> lane & 1));
}

static int vop_mad64(struct sim_wave *w, struct sim_vop *o)
{
	unsigned int lane;
	u64 left, out = 0;
	bool carry;

	if ((o->i->sdst & 1) || sim_swritable(w, o->i->sdst, 2))
		return -EILSEQ;
	sim_for_each_lane(lane, left, o->lanes) {
		set_dst64(o, lane, o->op == V_MAD_U64_U32 ?
			  mad_u64(o, lane, &carry) : mad_i64(o, lane, &carry));
		out |= (u64)carry << lane;
	}
	if (o->i->clamp)
		mad64_saturate(o, out);
	sim_set_pair(w, o->i->sdst, out);
	return 0;
}

/*
 * sim_vop_wide() - 64-bit results
 */
int sim_vop_wide(struct sim_wave *w, struct sim_vop *o)
{
	unsigned int lane;
	u64 left;

	if (o->op == V_MAD_U64_U32 || o->op == V_MAD_I64_I32)
		return vop_mad64(w, o);
	sim_for_each_lane(lane, left, o->lanes)
		set_dst64(o, lane, wide_lane(o, lane));
	return 0;
}
