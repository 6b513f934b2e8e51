/* SPDX-License-Identifier: GPL-2.0 */
/*
 * IEEE 754 binary32 in integer arithmetic: kernel code must not touch the
 * floating-point unit. Correctly rounded. Pure.
 *
 * NaN results: the first NaN operand made quiet, else 0x7fc00000.
 */
#ifndef _GPUBP_SIM_SOFTFLOAT_H
#define _GPUBP_SIM_SOFTFLOAT_H

#include <linux/types.h>

/*
 * How to compute, the argument @fm of all functions. The rounding modes are
 * those of MODE.FP_ROUND. Beside these bits it may say where exceptions go:
 * sf_gather().
 */
#define SF_ROUND		0x3
#define SF_NEAREST		0x0
#define SF_UP			0x1
#define SF_DOWN			0x2
#define SF_ZERO			0x3
#define SF_FLUSH_IN		0x4	/* denormal operands are zero */
#define SF_FLUSH_OUT		0x8	/* denormal results are zero */
#define SF_IEEE			0x10	/* MODE.IEEE: min and max heed signalling NaNs */
#define SF_FLUSH		(SF_FLUSH_IN | SF_FLUSH_OUT)
#define SF_KNOWN_INEXACT	0x20	/* nobody needs to be told again */
#define SF_MODE			0x3f	/* all of these */

/* exceptions of IEEE 754, numbered as in TRAPSTS and MODE.EXCP_EN */
#define SF_INVALID		0x01
#define SF_DENORMAL		0x02	/* a denormal operand, not flushed */
#define SF_DIV0			0x04	/* an infinite result of finite operands */
#define SF_OVERFLOW		0x08
#define SF_UNDERFLOW		0x10	/* tiny after rounding, and inexact */
#define SF_INEXACT		0x20

/**
 * struct sf_flags - exceptions of some operations
 * @raised: SF_INVALID to SF_INEXACT
 */
struct sf_flags {
	u32 raised;
} __aligned(SF_MODE + 1);

/**
 * sf_gather() - an @fm that also says where exceptions go
 * @fm: how to compute
 * @flags: each operation adds its own; needs no more bits of @fm than its
 *	alignment leaves free
 */
static inline unsigned long sf_gather(unsigned long fm, struct sf_flags *flags)
{
	return (fm & SF_MODE) | (unsigned long)flags;
}

/** sf_raise() - exceptions happened; without a place for them, nobody asks */
static inline void sf_raise(unsigned long fm, u32 exceptions)
{
	struct sf_flags *flags = (void *)(fm & ~(unsigned long)SF_MODE);

	if (flags)
		flags->raised |= exceptions;
}

#define SF_NAN			0x7fc00000u
#define SF_INF			0x7f800000u
#define SF_SIGN			0x80000000u
#define SF_ONE			0x3f800000u

/* how two numbers compare; the bits of a VOPC float opcode */
#define SF_LESS			0x1
#define SF_EQUAL		0x2
#define SF_GREATER		0x4
#define SF_UNORDERED		0x8

#define SF_QUIET		0x00400000u	/* of a NaN that is not signalling */

enum sf_class { SF_CLASS_ZERO, SF_CLASS_FINITE, SF_CLASS_INF, SF_CLASS_NAN };

/**
 * struct sf - an unpacked number
 * @m: if finite, its value is m * 2^(e - 62), bit 62 of m the highest set;
 *	bit 0 may be sticky: "and something below". If NaN, its bits
 * @e: exponent
 * @neg: sign
 * @cls: what it is
 */
struct sf {
	u64 m;
	s32 e;
	bool neg;
	enum sf_class cls;
};

static inline bool sf_is_nan(u32 x)
{
	return (x & ~SF_SIGN) > SF_INF;
}

static inline bool sf_is_denormal(u32 x)
{
	return !(x & SF_INF) && (x & ~SF_SIGN);
}

/**
 * sf_rounds_away() - is a magnitude rounded up?
 * @kept: what is kept of it
 * @rest: what is not
 * @half: half of the lowest bit kept
 * @neg: its sign
 * @fm: rounding mode
 */
static inline bool sf_rounds_away(u64 kept, u64 rest, u64 half, bool neg,
				  unsigned long fm)
{
	switch (fm & SF_ROUND) {
	case SF_NEAREST:
		return rest > half || (rest == half && (kept & 1));
	case SF_UP:
		return rest && !neg;
	case SF_DOWN:
		return rest && neg;
	default:
		return false;
	}
}

struct sf sf_unpack(u32 x, unsigned long fm);
u32 sf_pack(const struct sf *x, unsigned long fm);

u32 sf_add(u32 a, u32 b, unsigned long fm);
u32 sf_mul(u32 a, u32 b, unsigned long fm);
u32 sf_fma(u32 a, u32 b, u32 c, unsigned long fm);
u32 sf_fma_scaled(u32 a, u32 b, u32 c, s32 n, unsigned long fm);
u32 sf_div(u32 a, u32 b, unsigned long fm);
u32 sf_sqrt(u32 a, unsigned long fm);
u32 sf_min(u32 a, u32 b, unsigned long fm);
u32 sf_max(u32 a, u32 b, unsigned long fm);
u32 sf_ldexp(u32 a, s32 n, unsigned long fm);
unsigned int sf_cmp(u32 a, u32 b, unsigned long fm);

/* softfloat_cvt.c; to integers: truncated, saturated, 0 for a NaN */
u32 sf_from_u32(u32 x, unsigned long fm);
u32 sf_from_s32(s32 x, unsigned long fm);
u32 sf_to_u32(u32 x, unsigned long fm);
s32 sf_to_s32(u32 x, unsigned long fm);
u32 sf_rint(u32 x, unsigned long fm);
u32 sf_fract(u32 x, unsigned long fm);
u32 sf_from_half(u16 x, unsigned long fm);
u16 sf_to_half(u32 x, unsigned long fm);

#endif /* _GPUBP_SIM_SOFTFLOAT_H */
