// SPDX-License-Identifier: GPL-2.0
/*
 * Reciprocal square root, powers and logarithms of two, sine and cosine, by
 * power series in fixed point. At least 58 bits are right, so that the error of
 * a result rounded to binary32 is below 0.50001 units in the last place.
 */
#include <linux/bits.h>
#include <linux/kernel.h>
#include <linux/math64.h>
#include "softfloat_arith.h"

#define ONE		BIT_ULL(63)	/* fixed point with 63 fraction bits */
#define LEAD_BIT	BIT_ULL(62)
#define LN2		0xb17217f7d1cf79abull	/* 64 fraction bits */
#define SQRT2		0x5a827999fcef3242ull	/* as sfx.hi */
#define EXP2_TERMS	18
#define LOG2_TERMS	14
#define SINE_TERMS	11

static const struct sfx one = { .hi = LEAD_BIT, .cls = SF_CLASS_FINITE };
static const struct sfx two_pi = { .hi = 0x6487ed5110b4611aull, .e = 2,
				   .cls = SF_CLASS_FINITE };
static const struct sfx two_over_ln2 = { .hi = 0x5c551d94ae0bf85eull, .e = 1,
					 .cls = SF_CLASS_FINITE };
/* largest exponent of an angle that hardware supports in sine and cosine */
#define MAX_ANGLE_EXP	8		/* 256 revolutions */

/* upper half of a product */
static u64 mul_hi(u64 a, u64 b)
{
	u64 al = (u32)a, ah = a >> 32, bl = (u32)b, bh = b >> 32;
	u64 mid1 = ah * bl, mid2 = al * bh;
	u64 mid = (al * bl >> 32) + (u32)mid1 + (u32)mid2;

	return ah * bh + (mid1 >> 32) + (mid2 >> 32) + (mid >> 32);
}

/* a number in [0, 1) with 64 fraction bits */
static u64 to_fixed(const struct sfx *x)
{
	s32 shift = -1 - x->e;	/* binary places below 0.5 */

	if (x->cls != SF_CLASS_FINITE || shift > 63)
		return 0;
	return x->hi << 1 >> shift;
}

/* @val > 0 with 63 fraction bits, times 2^e */
static struct sfx from_fixed(u64 val, s32 e)
{
	struct sfx r = sfx_from_u64(val, false);

	r.e += e - 63;
	return r;
}

struct sfx sfx_rsq(const struct sfx *a, unsigned long fm)
{
	struct sfx root = sfx_sqrt(a, fm);

	return sfx_div(&one, &root, fm);
}

/* 2^f for f in [0, 1) with 64 fraction bits: the series of e^(f ln 2) */
static u64 exp2_fixed(u64 f)
{
	u64 t = mul_hi(f, LN2), sum = ONE;
	unsigned int k;

	for (k = EXP2_TERMS; k; k--)
		sum = ONE + div_u64(mul_hi(t, sum), k);
	return sum;
}

/* x = n + f with f in [0, 1) */
static struct sfx exp2_finite(const struct sfx *x)
{
	u64 n = __sfx_round(x, SF_DOWN).kept;	/* magnitude of floor(x) */
	struct sfx minus_whole = sfx_from_u64(n, !x->neg);
	struct sfx frac = sfx_add(x, &minus_whole, SF_NEAREST);

	return from_fixed(exp2_fixed(to_fixed(&frac)),
			  x->neg ? -(s32)n : (s32)n);
}

struct sfx sfx_exp2(const struct sfx *a, unsigned long fm)
{
	struct sfx r = { .cls = a->neg ? SF_CLASS_ZERO : SF_CLASS_INF };

	if (a->cls == SF_CLASS_NAN)
		return *a;
	if (a->cls == SF_CLASS_ZERO)
		return one;
	if (a->cls == SF_CLASS_INF)
		return r;
	/* far outside the range of every format */
	if (a->e > 15) {
		sf_raise(fm,
			 SF_INEXACT | (a->neg ? SF_UNDERFLOW : SF_OVERFLOW));
		return r;
	}
	return exp2_finite(a);
}

/* the series of 2 atanh(z) / (2 z) = 1 + z^2/3 + z^4/5 ... */
static u64 atanh_fixed(u64 z2)
{
	u64 sum = 0;
	int k;

	for (k = LOG2_TERMS; k >= 0; k--)
		sum = div_u64(ONE, 2 * k + 1) + mul_hi(z2, sum);
	return sum;
}

/* log2(m) for m in [sqrt(1/2), sqrt(2)), as 2 atanh((m - 1) / (m + 1)) */
static struct sfx log2_mantissa(const struct sfx *m)
{
	struct sfx minus_one = one, num, den, z, z2, s;

	minus_one.neg = true;
	num = sfx_add(m, &minus_one, SF_NEAREST);
	den = sfx_add(m, &one, SF_NEAREST);
	z = sfx_div(&num, &den, SF_NEAREST);
	z2 = sfx_mul(&z, &z, SF_NEAREST);
	s = from_fixed(atanh_fixed(to_fixed(&z2)), 0);
	s = sfx_mul(&z, &s, SF_NEAREST);
	return sfx_mul(&s, &two_over_ln2, SF_NEAREST);
}

struct sfx sfx_log2(const struct sfx *a, unsigned long fm)
{
	struct sfx r = { .cls = SF_CLASS_INF, .neg = true }, m = *a, e;
	s32 n;

	if (a->cls == SF_CLASS_NAN)
		return *a;
	if (a->cls == SF_CLASS_ZERO) {
		sf_raise(fm, SF_DIV0);
		return r;
	}
	if (a->neg)
		return __sfx_undefined(fm);
	if (a->cls == SF_CLASS_INF)
		return *a;
	m.e = a->hi >= SQRT2 ? -1 : 0;
	n = a->e - m.e;
	e = sfx_from_u64(n < 0 ? -n : n, n < 0);
	r = log2_mantissa(&m);
	return sfx_add(&e, &r, SF_NEAREST);
}

/* 1 - t^2/(n (n+1)) + t^4/(n (n+1) (n+2) (n+3)) ...; t^2 < 0.62 */
static u64 alternating_series(u64 t2, int n)
{
	u64 sum = ONE;
	int k;

	for (k = n + 2 * SINE_TERMS; k >= n; k -= 2)
		sum = ONE - div_u64(mul_hi(t2, sum), k * (k + 1));
	return sum;
}

/* sine or cosine of t = 2 pi r, |r| <= 1/8 */
static struct sfx sine_of_eighth(const struct sfx *r, bool cosine)
{
	struct sfx t = sfx_mul(r, &two_pi, SF_NEAREST);
	struct sfx t2 = sfx_mul(&t, &t, SF_NEAREST);
	u64 sum = alternating_series(to_fixed(&t2), cosine ? 1 : 2);
	struct sfx s = from_fixed(sum, 0);

	return cosine ? s : sfx_mul(&t, &s, SF_NEAREST);
}

/* |a| = q/4 + r; the sine of an angle a quarter ahead is the cosine */
static struct sfx sine_fixed(const struct sfx *a, unsigned int quarters)
{
	struct sfx x = *a, r, res;
	unsigned int q;

	x.neg = false;
	x.e += 2;
	q = __sfx_round(&x, SF_NEAREST).kept;
	r = sfx_from_u64(q, true);
	r = sfx_add(&x, &r, SF_NEAREST);
	if (r.cls == SF_CLASS_FINITE)
		r.e -= 2;
	q += quarters;
	res = sine_of_eighth(&r, q & 1);
	/* as IEEE 754's sinPi and cosPi */
	res.neg = res.cls == SF_CLASS_FINITE && (res.neg ^ (q >> 1 & 1));
	return res;
}

static bool angle_too_large(const struct sfx *a)
{
	return a->e > MAX_ANGLE_EXP ||
	       (a->e == MAX_ANGLE_EXP && (a->hi != LEAD_BIT || a->lo));
}

struct sfx sfx_sin(const struct sfx *a, unsigned long fm)
{
	struct sfx r;

	if (a->cls == SF_CLASS_NAN || a->cls == SF_CLASS_ZERO)
		return *a;
	if (a->cls == SF_CLASS_INF)
		return __sfx_undefined(fm);
	if (angle_too_large(a))
		return (struct sfx){ .cls = SF_CLASS_ZERO };
	r = sine_fixed(a, 0);
	r.neg ^= a->neg;
	return r;
}

struct sfx sfx_cos(const struct sfx *a, unsigned long fm)
{
	if (a->cls == SF_CLASS_NAN)
		return *a;
	if (a->cls == SF_CLASS_INF)
		return __sfx_undefined(fm);
	if (a->cls == SF_CLASS_ZERO || angle_too_large(a))
		return one;
	return sine_fixed(a, 1);
}
