// SPDX-License-Identifier: GPL-2.0
/*
 * Atomic operations, by the opcodes that FLAT and MUBUF share.
 */
#include <linux/kernel.h>
#include <linux/minmax.h>
#include "../softfloat/softfloat.h"
#include "vmem.h"

/* @u: unsigned type with the width of the operation */
#define RMW(op_name, u, expr)						\
static u64 rmw_##op_name(u64 old_, const void *data)			\
{									\
	const struct sim_rmw *r = data;					\
	u old __maybe_unused = old_, src = r->src;			\
									\
	return (u)(expr);						\
}

#define RMW_BOTH(op_name, expr)						\
	RMW(op_name##_32, u32, expr)					\
	RMW(op_name##_64, u64, expr)

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

RMW_BOTH(rsub, src - old)
RMW_BOTH(mskor, (old & ~(typeof(old))r->cmp) | src)
RMW(wrap, u32, old >= (u32)r->cmp ? old - (u32)r->cmp : old + src)

static bool float_equal(const struct sf_format *f, u64 a, u64 b,
			const struct sim_rmw *r)
{
	return sfa_cmp(f, a, b, r->fm) == SF_EQUAL;
}

/* as the operand of a comparison; zeros differ by one, denormals may be zero */
static s64 float_rank(const struct sf_format *f, u64 x, unsigned long fm)
{
	s64 mag = (fm & SF_FLUSH_IN) && !(x & sfa_inf(f)) ? 0 :
							 sfa_magnitude(f, x);

	return x & sfa_sign(f) ? -mag - 1 : mag;
}

static bool is_signalling(const struct sf_format *f, u64 x)
{
	return sfa_is_nan(f, x) && !(x & sfa_quiet_bit(f));
}

/*
 * Minimum and maximum: whatever MODE.IEEE, a signalling NaN wins, and a quiet one
 * loses; the one that is chosen is stored as it is. Of equal ones memory keeps its own.
 */
static u64 float_choose(const struct sf_format *f, u64 old, u64 src,
			const struct sim_rmw *r, bool larger)
{
	if (is_signalling(f, old))
		return old | sfa_quiet_bit(f);
	if (is_signalling(f, src))
		return src | sfa_quiet_bit(f);
	if (sfa_is_nan(f, old) || sfa_is_nan(f, src))
		return sfa_is_nan(f, src) ? old : src;
	if (float_rank(f, old, r->fm) == float_rank(f, src, r->fm))
		return old;
	return (float_rank(f, old, r->fm) < float_rank(f, src, r->fm)) == larger ?
	       src : old;
}

/* what a comparison stores is flushed as its operands are */
static u64 float_flushed(const struct sf_format *f, u64 x, const struct sim_rmw *r)
{
	return (r->fm & SF_FLUSH_IN) && !(x & sfa_inf(f)) ? x & sfa_sign(f) : x;
}

static u64 float_cmpswap(const struct sf_format *f, u64 old, u64 cmp, u64 src,
			 const struct sim_rmw *r)
{
	return float_equal(f, old, cmp, r) ? float_flushed(f, src, r) : old;
}

static u32 add_halves(const struct sf_format *f, u32 a, u32 b,
		      unsigned long fm)
{
	return sfa_add(f, a & 0xffff, b & 0xffff, fm) |
	       sfa_add(f, a >> 16, b >> 16, fm) << 16;
}

#define F32	(&sf_single)
#define F64	(&sf_double)

RMW(add_f32, u32, sfa_add(F32, old, src, r->fm))
RMW(min_f32, u32, float_choose(F32, old, src, r, false))
RMW(max_f32, u32, float_choose(F32, old, src, r, true))
RMW(cmpswap_f32, u32, float_cmpswap(F32, old, (u32)r->cmp, src, r))
RMW(add_f64, u64, sfa_add(F64, old, src, r->fm))
RMW(min_f64, u64, float_choose(F64, old, src, r, false))
RMW(max_f64, u64, float_choose(F64, old, src, r, true))
RMW(cmpswap_f64, u64, float_cmpswap(F64, old, r->cmp, src, r))
RMW(pk_add_f16, u32, add_halves(&sf_half, old, src, r->fm))
RMW(pk_add_bf16, u32, add_halves(&sf_bfloat16, old, src, r->fm))

/**
 * struct rmw_row - an atomic operation
 * @fn: new value from the old one and the operands
 * @width: bytes
 * @regs: data registers that FLAT and MUBUF take
 */
struct rmw_row {
	sim_rmw_fn fn;
	u8 width;
	u8 regs;
};

#define BOTH(op, name)							\
	[SIM_RMW_##op] = { rmw_##name##_32, 4, 1 },			\
	[SIM_RMW_##op + SIM_RMW_WIDE] = { rmw_##name##_64, 8, 2 }

static const struct rmw_row rmw_rows[] = {
	BOTH(SWAP, swap), BOTH(ADD, add), BOTH(SUB, sub), BOTH(SMIN, smin),
	BOTH(UMIN, umin), BOTH(SMAX, smax), BOTH(UMAX, umax), BOTH(AND, and),
	BOTH(OR, or), BOTH(XOR, xor), BOTH(INC, inc), BOTH(DEC, dec),
	BOTH(RSUB, rsub), BOTH(MSKOR, mskor),
	[SIM_RMW_CMPSWAP] = { rmw_cmpswap_32, 4, 2 },
	[SIM_RMW_CMPSWAP + SIM_RMW_WIDE] = { rmw_cmpswap_64, 8, 4 },
	[SIM_RMW_ADD_F32] = { rmw_add_f32, 4, 1 },
	[SIM_RMW_PK_ADD_F16] = { rmw_pk_add_f16, 4, 1 },
	[SIM_RMW_PK_ADD_BF16] = { rmw_pk_add_bf16, 4, 1 },
	[SIM_RMW_ADD_F64] = { rmw_add_f64, 8, 2 },
	[SIM_RMW_MIN_F64] = { rmw_min_f64, 8, 2 },
	[SIM_RMW_MAX_F64] = { rmw_max_f64, 8, 2 },
	[SIM_RMW_WRAP] = { rmw_wrap, 4, 1 },
	[SIM_RMW_MIN_F32] = { rmw_min_f32, 4, 1 },
	[SIM_RMW_MAX_F32] = { rmw_max_f32, 4, 1 },
	[SIM_RMW_CMPSWAP_F32] = { rmw_cmpswap_f32, 4, 1 },
	[SIM_RMW_CMPSWAP_F64] = { rmw_cmpswap_f64, 8, 2 },
};

/*
 * sim_rmw_find() - function of an atomic operation, NULL if there is none
 */
sim_rmw_fn sim_rmw_find(unsigned int op)
{
	return op < ARRAY_SIZE(rmw_rows) ? rmw_rows[op].fn : NULL;
}

/* sim_rmw_memop() - width and registers of an atomic operation; 0 or -EILSEQ */
int sim_rmw_memop(unsigned int op, struct sim_memop *m)
{
	if (!sim_rmw_find(op))
		return -EILSEQ;
	*m = (struct sim_memop){ .kind = SIM_ATOMIC,
				 .width = rmw_rows[op].width,
				 .regs = rmw_rows[op].regs };
	return 0;
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

	r->fm = m->fm;
	r->src = lane_value(w, m->data, lane, wide);
	r->cmp = lane_value(w, m->cmp, lane, wide);
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
