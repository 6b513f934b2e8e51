// SPDX-License-Identifier: GPL-2.0
/*
 * binary32 from and to integers, integral values and binary16.
 */
#include <linux/bitops.h>
#include <linux/kernel.h>
#include <linux/limits.h>
#include "softfloat.h"

#define LEAD		62
#define FRAC_BITS	23
#define BIAS		127
#define HALF_FRAC	10
#define HALF_BIAS	15
#define HALF_INF	0x7c00
#define HALF_MAX	0x7bff
#define HALF_QUIET	0x0200

static u32 from_magnitude(u32 mag, bool neg, unsigned long fm)
{
	struct sf x = { .neg = neg, .cls = SF_CLASS_FINITE };
	unsigned int top = fls(mag);

	if (!mag)
		return 0;
	x.m = (u64)mag << (LEAD + 1 - top);
	x.e = top - 1;
	return sf_pack(&x, fm);
}

u32 sf_from_u32(u32 x, unsigned long fm)
{
	return from_magnitude(x, false, fm);
}

u32 sf_from_s32(s32 x, unsigned long fm)
{
	return from_magnitude(x < 0 ? 0 - (u32)x : (u32)x, x < 0, fm);
}

/* magnitude without fraction, at most 2^32 */
static u64 truncated(u32 x)
{
	s32 e = (s32)((x & ~SF_SIGN) >> FRAC_BITS) - BIAS;
	u64 m = (x & ((1u << FRAC_BITS) - 1)) | 1u << FRAC_BITS;

	if (e < 0)
		return 0;
	if (e > 31)
		return 1ull << 32;
	return e >= FRAC_BITS ? m << (e - FRAC_BITS) : m >> (FRAC_BITS - e);
}

/* @mag: of @x, truncated; is anything left of the point that was not zero? */
static bool has_fraction(u32 x, u64 mag, unsigned long fm)
{
	s32 e = (s32)((x & ~SF_SIGN) >> FRAC_BITS) - BIAS;

	if (!mag)
		return (x & SF_INF) || (sf_is_denormal(x) && !(fm & SF_FLUSH_IN));
	return e < FRAC_BITS && (x & ((1u << (FRAC_BITS - e)) - 1));
}

static void raise_to_int(u32 x, u64 mag, u64 max, unsigned long fm)
{
	if (sf_is_nan(x) || mag > max)
		sf_raise(fm, SF_INVALID);
	else if (has_fraction(x, mag, fm))
		sf_raise(fm, SF_INEXACT);
}

u32 sf_to_u32(u32 x, unsigned long fm)
{
	u64 mag = truncated(x);

	raise_to_int(x, mag, x & SF_SIGN ? 0 : U32_MAX, fm);
	if (sf_is_nan(x) || (x & SF_SIGN))
		return 0;
	return mag > U32_MAX ? U32_MAX : mag;
}

s32 sf_to_s32(u32 x, unsigned long fm)
{
	u64 mag = truncated(x);

	raise_to_int(x, mag, (u64)S32_MAX + (x >> 31), fm);
	if (sf_is_nan(x))
		return 0;
	if (x & SF_SIGN)
		return mag > S32_MAX ? S32_MIN : -(s32)mag;
	return mag > S32_MAX ? S32_MAX : mag;
}

static bool rounds_away(u32 x, u32 kept, u32 rest, u32 half, unsigned long fm)
{
	return sf_rounds_away(kept, rest, half, x & SF_SIGN, fm);
}

/* |x| < 1 becomes 0 or 1 */
static u32 rint_small(u32 x, unsigned long fm)
{
	u32 mag = x & ~SF_SIGN;
	u32 half = 0x3f000000;
	/* compared with one half as rest with half; nothing is kept */
	bool up = rounds_away(x, 0, mag, half, fm);

	return (x & SF_SIGN) | (up ? SF_ONE : 0);
}

/* what an operand alone is reason for */
static void raise_operand(u32 x, unsigned long fm)
{
	if (sf_is_nan(x) && !(x & SF_QUIET))
		sf_raise(fm, SF_INVALID);
	else if (sf_is_denormal(x) && !(fm & SF_FLUSH_IN))
		sf_raise(fm, SF_DENORMAL);
}

/**
 * sf_rint() - round to an integral value
 * @x: number
 * @fm: rounding mode and flushing
 */
u32 sf_rint(u32 x, unsigned long fm)
{
	s32 e = (s32)((x & ~SF_SIGN) >> FRAC_BITS) - BIAS;
	u32 unit, rest;

	raise_operand(x, fm);
	if (sf_is_nan(x))
		return x | SF_QUIET;
	if (e >= FRAC_BITS)
		return x;
	if (e < 0)
		return e == -BIAS && (fm & SF_FLUSH_IN) ?
			x & SF_SIGN : rint_small(x, fm);
	unit = 1u << (FRAC_BITS - e);
	rest = x & (unit - 1);
	x -= rest;
	/* a carry out of the fraction adds one to the exponent, as it must */
	if (rounds_away(x, (x | 1u << FRAC_BITS) / unit, rest, unit / 2, fm))
		x += unit;
	return x;
}

/**
 * sf_fract() - x - floor(x), below one
 * @x: number
 * @fm: rounding mode and flushing
 */
u32 sf_fract(u32 x, unsigned long fm)
{
	/* its exceptions are those of the sum */
	u32 floor = sf_rint(x, (fm & SF_MODE & ~SF_ROUND) | SF_DOWN);
	u32 res;

	if ((x & ~SF_SIGN) == SF_INF) {
		sf_raise(fm, SF_INVALID);
		return SF_NAN;
	}
	res = sf_add(x, floor ^ SF_SIGN, fm);
	return res == SF_ONE ? SF_ONE - 1 : res;
}

/* exact; half's denormals are never flushed into a float */
u32 sf_from_half(u16 x, unsigned long fm)
{
	u32 sign = (u32)(x & 0x8000) << 16;
	u32 exp = (x >> HALF_FRAC) & 0x1f;
	u32 frac = x & ((1u << HALF_FRAC) - 1);
	u32 shift;

	if (exp == 0x1f) {
		if (frac && !(frac & HALF_QUIET))
			sf_raise(fm, SF_INVALID);
		return sign | SF_INF | frac << 13 | (frac ? SF_QUIET : 0);
	}
	if (exp)
		return sign | (exp + BIAS - HALF_BIAS) << FRAC_BITS | frac << 13;
	if (!frac || (fm & SF_FLUSH_IN))
		return sign;
	sf_raise(fm, SF_DENORMAL);
	shift = HALF_FRAC + 1 - fls(frac);
	frac = (frac << shift) & ((1u << HALF_FRAC) - 1);
	return sign | (BIAS - HALF_BIAS + 1 - shift) << FRAC_BITS | frac << 13;
}

static u16 half_overflow(bool neg, unsigned long fm)
{
	unsigned int mode = fm & SF_ROUND;

	sf_raise(fm, SF_OVERFLOW | SF_INEXACT);
	return mode == SF_NEAREST || mode == (neg ? SF_DOWN : SF_UP) ?
		HALF_INF : HALF_MAX;
}

/* below the smallest normal half even if rounded as if that did not exist? */
static bool half_is_tiny(u32 x, s32 exp, u32 top, unsigned long fm)
{
	unsigned int shift = LEAD - HALF_FRAC - 32;
	u32 kept = top >> shift, rest = top & ((1u << shift) - 1);

	if (exp)
		return exp < 0;
	kept += rounds_away(x, kept, rest, 1u << (shift - 1), fm);
	return !(kept >> (HALF_FRAC + 1));
}

static u16 half_finite(u32 x, unsigned long fm)
{
	struct sf n = sf_unpack(x, 0);
	s32 exp = n.e + HALF_BIAS;
	unsigned int shift = LEAD - HALF_FRAC - 32 + (exp < 1 ? 1 - exp : 0);
	/* all 24 bits of a float are in the upper half */
	u32 top = n.m >> 32, kept, rest;

	if (exp > 30)
		return half_overflow(n.neg, fm);
	if (shift > 31) {
		sf_raise(fm, SF_UNDERFLOW | SF_INEXACT);
		return rounds_away(x, 0, 1, 2, fm);
	}
	kept = top >> shift;
	rest = top & ((1u << shift) - 1);
	sf_raise(fm, rest ? SF_INEXACT : 0);
	if (rest && half_is_tiny(x, exp, top, fm))
		sf_raise(fm, SF_UNDERFLOW);
	kept += rounds_away(x, kept, rest, 1u << (shift - 1), fm);
	if (exp > 1)
		kept += (u32)(exp - 1) << HALF_FRAC;
	return kept >= HALF_INF ? half_overflow(n.neg, fm) : kept;
}

u16 sf_to_half(u32 x, unsigned long fm)
{
	u16 sign = (x >> 16) & 0x8000;
	u32 mag = x & ~SF_SIGN;
	u16 res;

	raise_operand(x, fm);
	if (sf_is_nan(x))
		return sign | HALF_INF | HALF_QUIET | (mag >> 13 & 0x3ff);
	if (mag == SF_INF)
		return sign | HALF_INF;
	if (!mag || (!(mag & SF_INF) && (fm & SF_FLUSH_IN)))
		return sign;
	res = half_finite(x, fm);
	if (!(res & HALF_INF) && (fm & SF_FLUSH_OUT)) {
		sf_raise(fm, SF_UNDERFLOW | SF_INEXACT);
		res = 0;
	}
	return sign | res;
}
