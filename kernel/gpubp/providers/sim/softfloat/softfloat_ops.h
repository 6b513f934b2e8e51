/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Operations on packed numbers of a format, inlined as those of
 * softfloat_arith.h. Private to softfloat/.
 */
#ifndef _GPUBP_PROVIDERS_SIM_SOFTFLOAT_SOFTFLOAT_OPS_H
#define _GPUBP_PROVIDERS_SIM_SOFTFLOAT_SOFTFLOAT_OPS_H

#include "softfloat_arith.h"

static sf_inline u64
__sfa_add(const struct sf_format *f, u64 a, u64 b, unsigned long fm)
{
	struct sfx x = __sfx_unpack(f, a, fm), y = __sfx_unpack(f, b, fm);
	struct sfx r = __sfx_add(&x, &y, fm);

	return __sfx_pack(f, &r, fm);
}

static sf_inline u64
__sfa_mul(const struct sf_format *f, u64 a, u64 b, unsigned long fm)
{
	struct sfx x = __sfx_unpack(f, a, fm), y = __sfx_unpack(f, b, fm);
	struct sfx r = __sfx_mul(&x, &y, fm);

	return __sfx_pack(f, &r, fm);
}

/* (a * b + c) * 2^n, rounded once */
static sf_inline u64
__sfa_fma_scaled(const struct sf_format *f, u64 a, u64 b, u64 c, s32 n,
		 unsigned long fm)
{
	struct sfx x = __sfx_unpack(f, a, fm), y = __sfx_unpack(f, b, fm);
	struct sfx z = __sfx_unpack(f, c, fm);
	struct sfx p = __sfx_mul(&x, &y, fm);
	struct sfx r = __sfx_add(&p, &z, fm);

	r.e += n;
	return __sfx_pack(f, &r, fm);
}

static sf_inline u64
__sfa_fma(const struct sf_format *f, u64 a, u64 b, u64 c, unsigned long fm)
{
	return __sfa_fma_scaled(f, a, b, c, 0, fm);
}

static sf_inline u64
__sfa_div(const struct sf_format *f, u64 a, u64 b, unsigned long fm)
{
	struct sfx x = __sfx_unpack(f, a, fm), y = __sfx_unpack(f, b, fm);
	struct sfx r = __sfx_div(&x, &y, fm);

	return __sfx_pack(f, &r, fm);
}

static sf_inline u64
__sfa_sqrt(const struct sf_format *f, u64 a, unsigned long fm)
{
	struct sfx x = __sfx_unpack(f, a, fm);
	struct sfx r = __sfx_sqrt(&x, fm);

	return __sfx_pack(f, &r, fm);
}

static sf_inline u64
__sfa_ldexp(const struct sf_format *f, u64 a, s32 n, unsigned long fm)
{
	struct sfx x = __sfx_unpack(f, a, fm);

	x.e += clamp(n, -10000, 10000);
	return __sfx_pack(f, &x, fm);
}

static sf_inline u64
__sfa_flush(const struct sf_format *f, u64 x, unsigned long fm)
{
	if ((x & sfa_inf(f)) || !sfa_magnitude(f, x))
		return x;
	if (fm & SF_FLUSH_IN)
		return x & sfa_sign(f);
	sf_raise(fm, SF_DENORMAL);
	return x;
}

static sf_inline bool
__sfa_is_signalling(const struct sf_format *f, u64 x)
{
	return sfa_is_nan(f, x) && !(x & sfa_quiet_bit(f));
}

/* monotonic in the number; both zeros differ by one */
static sf_inline s64 __sfa_order(const struct sf_format *f, u64 x)
{
	s64 mag = sfa_magnitude(f, x);

	return x & sfa_sign(f) ? -mag - 1 : mag;
}

static sf_inline unsigned int
__sfa_cmp(const struct sf_format *f, u64 a, u64 b, unsigned long fm)
{
	a = __sfa_flush(f, a, fm);
	b = __sfa_flush(f, b, fm);
	if (__sfa_is_signalling(f, a) || __sfa_is_signalling(f, b))
		sf_raise(fm, SF_INVALID);
	if (sfa_is_nan(f, a) || sfa_is_nan(f, b))
		return SF_UNORDERED;
	if (a == b || !sfa_magnitude(f, a | b))
		return SF_EQUAL;
	return __sfa_order(f, a) < __sfa_order(f, b) ? SF_LESS : SF_GREATER;
}

/*
 * The operand that is a number; with IEEE, a signalling NaN wins (754-2008
 * minNum).
 */
static inline bool
__sfa_pick_nan(const struct sf_format *f, u64 a, u64 b, unsigned long fm,
	       u64 *res)
{
	if (__sfa_is_signalling(f, a) || __sfa_is_signalling(f, b))
		sf_raise(fm, SF_INVALID);
	if ((fm & SF_IEEE) && __sfa_is_signalling(f, a))
		*res = a | sfa_quiet_bit(f);
	else if ((fm & SF_IEEE) && __sfa_is_signalling(f, b))
		*res = b | sfa_quiet_bit(f);
	else if (sfa_is_nan(f, a))
		*res = b;
	else if (sfa_is_nan(f, b))
		*res = a;
	else
		return false;
	return true;
}

static sf_inline u64
__sfa_min(const struct sf_format *f, u64 a, u64 b, unsigned long fm)
{
	u64 res;

	a = __sfa_flush(f, a, fm);
	b = __sfa_flush(f, b, fm);
	if (__sfa_pick_nan(f, a, b, fm, &res))
		return res;
	return __sfa_order(f, a) < __sfa_order(f, b) ? a : b;
}

static sf_inline u64
__sfa_max(const struct sf_format *f, u64 a, u64 b, unsigned long fm)
{
	u64 res;

	a = __sfa_flush(f, a, fm);
	b = __sfa_flush(f, b, fm);
	if (__sfa_pick_nan(f, a, b, fm, &res))
		return res;
	return __sfa_order(f, a) < __sfa_order(f, b) ? b : a;
}

/* raise the exceptions of a single operand */
static inline void
__sfa_raise_operand(const struct sf_format *f, u64 x, unsigned long fm)
{
	if (__sfa_is_signalling(f, x))
		sf_raise(fm, SF_INVALID);
	else if (!(x & sfa_inf(f)) && sfa_magnitude(f, x) &&
		 !(fm & SF_FLUSH_IN))
		sf_raise(fm, SF_DENORMAL);
}

/* |x| < 1 becomes 0 or 1 */
static inline u64
__sfa_rint_small(const struct sf_format *f, u64 x, unsigned long fm)
{
	u64 half = (u64)(__sf_bias(f) - 1) << f->frac_bits;
	u64 sign = x & sfa_sign(f);

	/* round with nothing kept: compare the number with one half */
	return sign | (sf_rounds_away(0, sfa_magnitude(f, x), half, sign, fm) ?
		       sfa_one(f) : 0);
}

/* an integral value, its sign kept if it is zero */
static sf_inline u64
__sfa_rint(const struct sf_format *f, u64 x, unsigned long fm)
{
	s32 e = (s32)(sfa_magnitude(f, x) >> f->frac_bits) - __sf_bias(f);
	u64 sign = x & sfa_sign(f), unit, rest;

	__sfa_raise_operand(f, x, fm);
	if (sfa_is_nan(f, x))
		return x | sfa_quiet_bit(f);
	if (e >= f->frac_bits)
		return x;
	if (e < 0)
		return e == -__sf_bias(f) && (fm & SF_FLUSH_IN) ? sign :
			__sfa_rint_small(f, x, fm);
	unit = 1ull << (f->frac_bits - e);
	rest = x & (unit - 1);
	x -= rest;
	/* a carry out of the fraction adds one to the exponent, as it must */
	if (sf_rounds_away((x | 1ull << f->frac_bits) >> (f->frac_bits - e),
			   rest, unit / 2, sign, fm))
		x += unit;
	return x;
}

/* x - floor(x), below one */
static sf_inline u64
__sfa_fract(const struct sf_format *f, u64 a, unsigned long fm)
{
	u64 floor = __sfa_rint(f, a, (fm & SF_MODE & ~SF_ROUND) | SF_DOWN), res;

	if (sfa_magnitude(f, a) == sfa_inf(f)) {
		sf_raise(fm, SF_INVALID);
		return sfa_inf(f) | sfa_quiet_bit(f);
	}
	res = __sfa_add(f, a, floor ^ sfa_sign(f), fm);
	return res == sfa_one(f) ? res - 1 : res;
}

static sf_inline u64
__sfa_frexp_mant(const struct sf_format *f, u64 a, unsigned long fm)
{
	struct sfx x = __sfx_unpack(f, a, fm);

	if (x.cls == SF_CLASS_FINITE)
		x.e = -1;
	return __sfx_pack(f, &x, fm);
}

static sf_inline s32
__sfa_frexp_exp(const struct sf_format *f, u64 a, unsigned long fm)
{
	struct sfx x = __sfx_unpack(f, a, fm & SF_MODE);

	return x.cls == SF_CLASS_FINITE ? x.e + 1 : 0;
}

/* bit of v_cmp_class's mask */
static sf_inline unsigned int
__sfa_class(const struct sf_format *f, u64 x, unsigned long fm)
{
	bool neg = x & sfa_sign(f);
	u64 mag = sfa_magnitude(f, x);

	if (mag > sfa_inf(f))
		return mag & sfa_quiet_bit(f) ? 0x002 : 0x001;
	if (mag == sfa_inf(f))
		return neg ? 0x004 : 0x200;
	if (!mag || (!(mag & sfa_inf(f)) && (fm & SF_FLUSH_IN)))
		return neg ? 0x020 : 0x040;
	if (!(mag & sfa_inf(f)))
		return neg ? 0x010 : 0x080;
	return neg ? 0x008 : 0x100;
}

static sf_inline u64
__sfa_convert(const struct sf_format *to, const struct sf_format *from, u64 a,
	      unsigned long fm)
{
	struct sfx x = __sfx_unpack(from, a, fm);

	return __sfx_pack(to, &x, fm);
}

static sf_inline u64
__sfa_from_u32(const struct sf_format *f, u32 x, unsigned long fm)
{
	struct sfx r = __sfx_from_u64(x, false);

	return __sfx_pack(f, &r, fm);
}

static sf_inline u64
__sfa_from_s32(const struct sf_format *f, s32 x, unsigned long fm)
{
	struct sfx r = __sfx_from_u64(x < 0 ? 0 - (u64)(s64)x : x, x < 0);

	return __sfx_pack(f, &r, fm);
}

#endif /* _GPUBP_PROVIDERS_SIM_SOFTFLOAT_SOFTFLOAT_OPS_H */
