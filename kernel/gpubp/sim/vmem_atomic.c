// SPDX-License-Identifier: GPL-2.0
/*
 * Atomic operations, by the opcodes that FLAT and MUBUF share.
 */
#include <linux/kernel.h>
#include <linux/minmax.h>
#include "vmem.h"

/* @u: unsigned type of the operation's width */
#define RMW(name, u, expr)						\
static u64 rmw_##name(u64 old_, const void *data)			\
{									\
	const struct sim_rmw *r = data;					\
	u old __maybe_unused = old_, src = r->src;			\
									\
	return (u)(expr);						\
}

#define RMW_BOTH(name, expr)						\
	RMW(name##_32, u32, expr)					\
	RMW(name##_64, u64, expr)

#define AS_SIGNED(x)	(sizeof(x) == 4 ? (s64)(s32)(x) : (s64)(x))

RMW_BOTH(swap, src)
RMW_BOTH(add, old + src)
RMW_BOTH(sub, old - src)
RMW_BOTH(smin, AS_SIGNED(src) < AS_SIGNED(old) ? src : old)
RMW_BOTH(umin, src < old ? src : old)
RMW_BOTH(smax, AS_SIGNED(src) > AS_SIGNED(old) ? src : old)
RMW_BOTH(umax, src > old ? src : old)
RMW_BOTH(and, old & src)
RMW_BOTH(or, old | src)
RMW_BOTH(xor, old ^ src)
RMW_BOTH(inc, old >= src ? 0 : old + 1)
RMW_BOTH(dec, old == 0 || old > src ? src : old - 1)

static u64 rmw_cmpswap_32(u64 old, const void *data)
{
	const struct sim_rmw *r = data;

	return (u32)old == (u32)r->cmp ? (u32)r->src : (u32)old;
}

static u64 rmw_cmpswap_64(u64 old, const void *data)
{
	const struct sim_rmw *r = data;

	return old == r->cmp ? r->src : old;
}

#define FIRST_32	64
#define FIRST_64	96

static const sim_rmw_fn rmw_fns[][2] = {
	{ rmw_swap_32, rmw_swap_64 },
	{ rmw_cmpswap_32, rmw_cmpswap_64 },
	{ rmw_add_32, rmw_add_64 },
	{ rmw_sub_32, rmw_sub_64 },
	{ rmw_smin_32, rmw_smin_64 },
	{ rmw_umin_32, rmw_umin_64 },
	{ rmw_smax_32, rmw_smax_64 },
	{ rmw_umax_32, rmw_umax_64 },
	{ rmw_and_32, rmw_and_64 },
	{ rmw_or_32, rmw_or_64 },
	{ rmw_xor_32, rmw_xor_64 },
	{ rmw_inc_32, rmw_inc_64 },
	{ rmw_dec_32, rmw_dec_64 },
};

/*
 * sim_rmw_find() - function of an atomic opcode, NULL if there is none
 */
sim_rmw_fn sim_rmw_find(unsigned int op)
{
	bool wide = op >= FIRST_64;
	unsigned int n = op - (wide ? FIRST_64 : FIRST_32);

	return op >= FIRST_32 && n < ARRAY_SIZE(rmw_fns) ?
		rmw_fns[n][wide] : NULL;
}

static u64 lane_value(const struct sim_wave *w, unsigned int row,
		      unsigned int lane, bool wide)
{
	u64 low = w->v[row][lane];

	return wide ? low | (u64)w->v[row + 1][lane] << 32 : low;
}

static void lane_operands(const struct sim_wave *w, const struct sim_vmem *m,
			  unsigned int lane, struct sim_rmw *r)
{
	bool wide = m->op.width == 8;
	unsigned int step = wide ? 2 : 1;

	r->src = lane_value(w, m->data, lane, wide);
	r->cmp = m->op.regs > step ?
		lane_value(w, m->data + step, lane, wide) : 0;
}

static bool lane_rmw(struct sim_wave *w, const struct sim_vmem *m,
		     unsigned int lane, u64 *old)
{
	u64 va = w->work.addrs[lane];
	struct sim_rmw r;

	if (va & (m->op.width - 1)) {
		sim_mem_viol(w, va, false);
		return false;
	}
	lane_operands(w, m, lane, &r);
	if (sim_env_rmw(w, va, m->op.width, m->rmw, &r, old)) {
		sim_mem_viol(w, va, true);
		return false;
	}
	return true;
}

/**
 * sim_vmem_atomic() - atomic operations of lanes @m->mem, lowest lane first
 * @w: wave
 * @m: instruction; @m->done is written
 */
void sim_vmem_atomic(struct sim_wave *w, struct sim_vmem *m)
{
	unsigned int lane;
	u64 left, old = 0;

	sim_for_each_lane(lane, left, m->mem) {
		if (!lane_rmw(w, m, lane, &old))
			continue;
		m->done |= 1ull << lane;
		if (!m->returns)
			continue;
		w->v[m->dst][lane] = (u32)old;
		if (m->op.width == 8)
			w->v[m->dst + 1][lane] = old >> 32;
	}
}
