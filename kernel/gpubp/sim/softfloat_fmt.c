// SPDX-License-Identifier: GPL-2.0
/*
 * Operations on the bits of numbers of a format.
 */
#include <linux/bitops.h>
#include <linux/kernel.h>
#include <linux/limits.h>
#include <linux/minmax.h>
#include "softfloat_any.h"

u64 sfa_sign(const struct sf_format *f)
{
	return 1ull << (f->frac_bits + f->exp_bits);
}

u64 sfa_inf(const struct sf_format *f)
{
	return ((1ull << f->exp_bits) - 1) << f->frac_bits;
}

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

u64 sfa_add(const struct sf_format *f, u64 a, u64 b, unsigned int fm)
{
	struct sfx x = sfx_unpack(f, a, fm), y = sfx_unpack(f, b, fm);
	struct sfx r = sfx_add(&x, &y, fm);

	return sfx_pack(f, &r, fm);
}

u64 sfa_mul(const struct sf_format *f, u64 a, u64 b, unsigned int fm)
{
	struct sfx x = sfx_unpack(f, a, fm), y = sfx_unpack(f, b, fm);
	struct sfx r = sfx_mul(&x, &y);

	return sfx_pack(f, &r, fm);
}

/* (a * b + c) * 2^n, rounded once */
u64 sfa_fma_scaled(const struct sf_format *f, u64 a, u64 b, u64 c, s32 n,
		   unsigned int fm)
{
	struct sfx x = sfx_unpack(f, a, fm), y = sfx_unpack(f, b, fm);
	struct sfx z = sfx_unpack(f, c, fm);
	struct sfx p = sfx_mul(&x, &y);
	struct sfx r = sfx_add(&p, &z, fm);

	r.e += n;
	return sfx_pack(f, &r, fm);
}

u64 sfa_fma(const struct sf_format *f, u64 a, u64 b, u64 c, unsigned int fm)
{
	return sfa_fma_scaled(f, a, b, c, 0, fm);
}

u64 sfa_div(const struct sf_format *f, u64 a, u64 b, unsigned int fm)
{
	struct sfx x = sfx_unpack(f, a, fm), y = sfx_unpack(f, b, fm);
	struct sfx r = sfx_div(&x, &y);

	return sfx_pack(f, &r, fm);
}

u64 sfa_sqrt(const struct sf_format *f, u64 a, unsigned int fm)
{
	struct sfx x = sfx_unpack(f, a, fm);
	struct sfx r = sfx_sqrt(&x);

	return sfx_pack(f, &r, fm);
}

u64 sfa_ldexp(const struct sf_format *f, u64 a, s32 n, unsigned int fm)
{
	struct sfx x = sfx_unpack(f, a, fm);

	x.e += clamp(n, -10000, 10000);
	return sfx_pack(f, &x, fm);
}

static u64 flush(const struct sf_format *f, u64 x, unsigned int fm)
{
	bool denorm = !(x & sfa_inf(f));

	return denorm && (fm & SF_FLUSH_IN) ? x & sfa_sign(f) : x;
}

/* monotonic in the number; both zeros differ by one */
static s64 order(const struct sf_format *f, u64 x)
{
	s64 mag = magnitude(f, x);

	return x & sfa_sign(f) ? -mag - 1 : mag;
}

unsigned int sfa_cmp(const struct sf_format *f, u64 a, u64 b, unsigned int fm)
{
	a = flush(f, a, fm);
	b = flush(f, b, fm);
	if (sfa_is_nan(f, a) || sfa_is_nan(f, b))
		return SF_UNORDERED;
	if (a == b || !magnitude(f, a | b))
		return SF_EQUAL;
	return order(f, a) < order(f, b) ? SF_LESS : SF_GREATER;
}

static bool is_signalling(const struct sf_format *f, u64 x, unsigned int fm)
{
	return (fm & SF_IEEE) && sfa_is_nan(f, x) && !(x & quiet_bit(f));
}

/* the number of the two; with IEEE, a signalling NaN wins (754-2008 minNum) */
static bool pick_nan(const struct sf_format *f, u64 a, u64 b, unsigned int fm,
		     u64 *res)
{
	if (is_signalling(f, a, fm))
		*res = a | quiet_bit(f);
	else if (is_signalling(f, b, fm))
		*res = b | quiet_bit(f);
	else if (sfa_is_nan(f, a))
		*res = b;
	else if (sfa_is_nan(f, b))
		*res = a;
	else
		return false;
	return true;
}

u64 sfa_min(const struct sf_format *f, u64 a, u64 b, unsigned int fm)
{
	u64 res;

	a = flush(f, a, fm);
	b = flush(f, b, fm);
	if (pick_nan(f, a, b, fm, &res))
		return res;
	return order(f, a) < order(f, b) ? a : b;
}

u64 sfa_max(const struct sf_format *f, u64 a, u64 b, unsigned int fm)
{
	u64 res;

	a = flush(f, a, fm);
	b = flush(f, b, fm);
	if (pick_nan(f, a, b, fm, &res))
		return res;
	return order(f, a) < order(f, b) ? b : a;
}

/* an integral value, its sign kept if it is zero */
u64 sfa_rint(const struct sf_format *f, u64 a, unsigned int fm)
{
	struct sfx x = sfx_unpack(f, a, fm), r;

	if (x.cls != SF_CLASS_FINITE || x.e >= f->frac_bits)
		return sfx_pack(f, &x, fm);
	r = sfx_from_u64(sfx_to_u64(&x, fm), x.neg);
	r.neg = x.neg;
	return sfx_pack(f, &r, fm);
}

/* x - floor(x), below one */
u64 sfa_fract(const struct sf_format *f, u64 a, unsigned int fm)
{
	u64 floor = sfa_rint(f, a, (fm & ~SF_ROUND) | SF_DOWN), res;

	if (magnitude(f, a) == sfa_inf(f))
		return sfa_inf(f) | quiet_bit(f);
	res = sfa_add(f, a, floor ^ sfa_sign(f), fm);
	return res == sfa_one(f) ? res - 1 : res;
}

u64 sfa_frexp_mant(const struct sf_format *f, u64 a, unsigned int fm)
{
	struct sfx x = sfx_unpack(f, a, fm);

	if (x.cls == SF_CLASS_FINITE)
		x.e = -1;
	return sfx_pack(f, &x, fm);
}

s32 sfa_frexp_exp(const struct sf_format *f, u64 a, unsigned int fm)
{
	struct sfx x = sfx_unpack(f, a, fm);

	return x.cls == SF_CLASS_FINITE ? x.e + 1 : 0;
}

/* bit of v_cmp_class's mask */
unsigned int sfa_class(const struct sf_format *f, u64 x, unsigned int fm)
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
		u64 a, unsigned int fm)
{
	struct sfx x = sfx_unpack(from, a, fm);

	return sfx_pack(to, &x, fm);
}

u32 sfa_to_u32(const struct sf_format *f, u64 a, unsigned int fm)
{
	struct sfx x = sfx_unpack(f, a, fm);

	if (x.cls == SF_CLASS_NAN || x.cls == SF_CLASS_ZERO || x.neg)
		return 0;
	return x.cls == SF_CLASS_INF ? U32_MAX :
		min_t(u64, sfx_to_u64(&x, fm), U32_MAX);
}

s32 sfa_to_s32(const struct sf_format *f, u64 a, unsigned int fm)
{
	struct sfx x = sfx_unpack(f, a, fm);
	u64 mag;

	if (x.cls == SF_CLASS_NAN || x.cls == SF_CLASS_ZERO)
		return 0;
	mag = x.cls == SF_CLASS_INF ? U64_MAX : sfx_to_u64(&x, fm);
	if (x.neg)
		return mag > S32_MAX ? S32_MIN : -(s32)mag;
	return min_t(u64, mag, S32_MAX);
}

u64 sfa_from_u32(const struct sf_format *f, u32 x, unsigned int fm)
{
	struct sfx r = sfx_from_u64(x, false);

	return sfx_pack(f, &r, fm);
}

u64 sfa_from_s32(const struct sf_format *f, s32 x, unsigned int fm)
{
	struct sfx r = sfx_from_u64(x < 0 ? 0 - (u64)(s64)x : x, x < 0);

	return sfx_pack(f, &r, fm);
}
