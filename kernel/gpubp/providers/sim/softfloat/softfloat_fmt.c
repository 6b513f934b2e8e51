// SPDX-License-Identifier: GPL-2.0
/*
 * Operations on the bits of numbers of a format.
 */
#include <linux/bitops.h>
#include <linux/kernel.h>
#include <linux/limits.h>
#include <linux/minmax.h>
#include "softfloat_any.h"

u64 sfa_one(const struct sf_format *f)
{
	return ((1ull << (f->exp_bits - 1)) - 1) << f->frac_bits;
}

static u64 magnitude(const struct sf_format *f, u64 x)
{
	return x & (sfa_sign(f) - 1);
}

static u64 quiet_bit(const struct sf_format *f)
{
	return 1ull << (f->frac_bits - 1);
}

bool sfa_is_nan(const struct sf_format *f, u64 x)
{
	return magnitude(f, x) > sfa_inf(f);
}

u64 sfa_add(const struct sf_format *f, u64 a, u64 b, unsigned long fm)
{
	struct sfx x = sfx_unpack(f, a, fm), y = sfx_unpack(f, b, fm);
	struct sfx r = sfx_add(&x, &y, fm);

	return sfx_pack(f, &r, fm);
}

u64 sfa_mul(const struct sf_format *f, u64 a, u64 b, unsigned long fm)
{
	struct sfx x = sfx_unpack(f, a, fm), y = sfx_unpack(f, b, fm);
	struct sfx r = sfx_mul(&x, &y, fm);

	return sfx_pack(f, &r, fm);
}

/* (a * b + c) * 2^n, rounded once */
u64 sfa_fma_scaled(const struct sf_format *f, u64 a, u64 b, u64 c, s32 n,
		   unsigned long fm)
{
	struct sfx x = sfx_unpack(f, a, fm), y = sfx_unpack(f, b, fm);
	struct sfx z = sfx_unpack(f, c, fm);
	struct sfx p = sfx_mul(&x, &y, fm);
	struct sfx r = sfx_add(&p, &z, fm);

	r.e += n;
	return sfx_pack(f, &r, fm);
}

u64 sfa_fma(const struct sf_format *f, u64 a, u64 b, u64 c, unsigned long fm)
{
	return sfa_fma_scaled(f, a, b, c, 0, fm);
}

u64 sfa_div(const struct sf_format *f, u64 a, u64 b, unsigned long fm)
{
	struct sfx x = sfx_unpack(f, a, fm), y = sfx_unpack(f, b, fm);
	struct sfx r = sfx_div(&x, &y, fm);

	return sfx_pack(f, &r, fm);
}

u64 sfa_sqrt(const struct sf_format *f, u64 a, unsigned long fm)
{
	struct sfx x = sfx_unpack(f, a, fm);
	struct sfx r = sfx_sqrt(&x, fm);

	return sfx_pack(f, &r, fm);
}

u64 sfa_ldexp(const struct sf_format *f, u64 a, s32 n, unsigned long fm)
{
	struct sfx x = sfx_unpack(f, a, fm);

	x.e += clamp(n, -10000, 10000);
	return sfx_pack(f, &x, fm);
}

static u64 flush(const struct sf_format *f, u64 x, unsigned long fm)
{
	if ((x & sfa_inf(f)) || !magnitude(f, x))
		return x;
	if (fm & SF_FLUSH_IN)
		return x & sfa_sign(f);
	sf_raise(fm, SF_DENORMAL);
	return x;
}

static bool is_signalling(const struct sf_format *f, u64 x)
{
	return sfa_is_nan(f, x) && !(x & quiet_bit(f));
}

/* monotonic in the number; both zeros differ by one */
static s64 order(const struct sf_format *f, u64 x)
{
	s64 mag = magnitude(f, x);

	return x & sfa_sign(f) ? -mag - 1 : mag;
}

unsigned int sfa_cmp(const struct sf_format *f, u64 a, u64 b, unsigned long fm)
{
	a = flush(f, a, fm);
	b = flush(f, b, fm);
	if (is_signalling(f, a) || is_signalling(f, b))
		sf_raise(fm, SF_INVALID);
	if (sfa_is_nan(f, a) || sfa_is_nan(f, b))
		return SF_UNORDERED;
	if (a == b || !magnitude(f, a | b))
		return SF_EQUAL;
	return order(f, a) < order(f, b) ? SF_LESS : SF_GREATER;
}

/* the number of the two; with IEEE, a signalling NaN wins (754-2008 minNum) */
static bool pick_nan(const struct sf_format *f, u64 a, u64 b, unsigned long fm,
		     u64 *res)
{
	if (is_signalling(f, a) || is_signalling(f, b))
		sf_raise(fm, SF_INVALID);
	if ((fm & SF_IEEE) && is_signalling(f, a))
		*res = a | quiet_bit(f);
	else if ((fm & SF_IEEE) && is_signalling(f, b))
		*res = b | quiet_bit(f);
	else if (sfa_is_nan(f, a))
		*res = b;
	else if (sfa_is_nan(f, b))
		*res = a;
	else
		return false;
	return true;
}

u64 sfa_min(const struct sf_format *f, u64 a, u64 b, unsigned long fm)
{
	u64 res;

	a = flush(f, a, fm);
	b = flush(f, b, fm);
	if (pick_nan(f, a, b, fm, &res))
		return res;
	return order(f, a) < order(f, b) ? a : b;
}

u64 sfa_max(const struct sf_format *f, u64 a, u64 b, unsigned long fm)
{
	u64 res;

	a = flush(f, a, fm);
	b = flush(f, b, fm);
	if (pick_nan(f, a, b, fm, &res))
		return res;
	return order(f, a) < order(f, b) ? b : a;
}

/* an integral value, its sign kept if it is zero */
u64 sfa_rint(const struct sf_format *f, u64 a, unsigned long fm)
{
	struct sfx x = sfx_unpack(f, a, fm), r;

	if (x.cls != SF_CLASS_FINITE || x.e >= f->frac_bits)
		return sfx_pack(f, &x, fm);
	r = sfx_from_u64(sfx_to_u64(&x, fm), x.neg);
	r.neg = x.neg;
	return sfx_pack(f, &r, fm);
}

/* x - floor(x), below one */
u64 sfa_fract(const struct sf_format *f, u64 a, unsigned long fm)
{
	u64 floor = sfa_rint(f, a, (fm & SF_MODE & ~SF_ROUND) | SF_DOWN), res;

	if (magnitude(f, a) == sfa_inf(f)) {
		sf_raise(fm, SF_INVALID);
		return sfa_inf(f) | quiet_bit(f);
	}
	res = sfa_add(f, a, floor ^ sfa_sign(f), fm);
	return res == sfa_one(f) ? res - 1 : res;
}

u64 sfa_frexp_mant(const struct sf_format *f, u64 a, unsigned long fm)
{
	struct sfx x = sfx_unpack(f, a, fm);

	if (x.cls == SF_CLASS_FINITE)
		x.e = -1;
	return sfx_pack(f, &x, fm);
}

s32 sfa_frexp_exp(const struct sf_format *f, u64 a, unsigned long fm)
{
	struct sfx x = sfx_unpack(f, a, fm & SF_MODE);

	return x.cls == SF_CLASS_FINITE ? x.e + 1 : 0;
}

/* bit of v_cmp_class's mask */
unsigned int sfa_class(const struct sf_format *f, u64 x, unsigned long fm)
{
	bool neg = x & sfa_sign(f);
	u64 mag = magnitude(f, x);

	if (mag > sfa_inf(f))
		return mag & quiet_bit(f) ? 0x002 : 0x001;
	if (mag == sfa_inf(f))
		return neg ? 0x004 : 0x200;
	if (!mag || (!(mag & sfa_inf(f)) && (fm & SF_FLUSH_IN)))
		return neg ? 0x020 : 0x040;
	if (!(mag & sfa_inf(f)))
		return neg ? 0x010 : 0x080;
	return neg ? 0x008 : 0x100;
}

u64 sfa_convert(const struct sf_format *to, const struct sf_format *from,
		u64 a, unsigned long fm)
{
	struct sfx x = sfx_unpack(from, a, fm);

	return sfx_pack(to, &x, fm);
}

/* the integer's magnitude; beyond all of them if there is none */
static u64 to_magnitude(const struct sf_format *f, const struct sfx *x,
			u64 max, unsigned long fm)
{
	u64 mag = x->cls == SF_CLASS_FINITE ? sfx_to_u64(x, fm) :
		  x->cls == SF_CLASS_ZERO ? 0 : U64_MAX;
	struct sfx back = sfx_from_u64(mag, x->neg);

	if (x->cls == SF_CLASS_NAN || mag > max)
		sf_raise(fm, SF_INVALID);
	else if (magnitude(f, sfx_pack(f, &back, 0) ^ sfx_pack(f, x, 0)))
		sf_raise(fm, SF_INEXACT);
	return x->cls == SF_CLASS_NAN ? 0 : mag;
}

u32 sfa_to_u32(const struct sf_format *f, u64 a, unsigned long fm)
{
	struct sfx x = sfx_unpack(f, a, fm);
	u64 mag = to_magnitude(f, &x, x.neg ? 0 : U32_MAX, fm);

	return x.neg ? 0 : min_t(u64, mag, U32_MAX);
}

s32 sfa_to_s32(const struct sf_format *f, u64 a, unsigned long fm)
{
	struct sfx x = sfx_unpack(f, a, fm);
	u64 mag = to_magnitude(f, &x, (u64)S32_MAX + x.neg, fm);

	if (x.neg)
		return mag > S32_MAX ? S32_MIN : -(s32)mag;
	return min_t(u64, mag, S32_MAX);
}

u64 sfa_from_u32(const struct sf_format *f, u32 x, unsigned long fm)
{
	struct sfx r = sfx_from_u64(x, false);

	return sfx_pack(f, &r, fm);
}

u64 sfa_from_s32(const struct sf_format *f, s32 x, unsigned long fm)
{
	struct sfx r = sfx_from_u64(x < 0 ? 0 - (u64)(s64)x : x, x < 0);

	return sfx_pack(f, &r, fm);
}
