// SPDX-License-Identifier: GPL-2.0
/*
 * Arithmetic on unpacked numbers of any format, and packing.
 *
 * A significand has 127 bits: the product of two doubles is exact, a sum keeps
 * what is shifted out as a sticky bit, so that every operation rounds once.
 */
#include <linux/bitops.h>
#include <linux/kernel.h>
#include <linux/limits.h>
#include <linux/minmax.h>
#include "softfloat_any.h"

#define LEAD		62	/* highest bit of sfx.hi */
#define WIDTH		128

const struct sf_format sf_half = { .frac_bits = 10, .exp_bits = 5 };
const struct sf_format sf_single = { .frac_bits = 23, .exp_bits = 8 };
const struct sf_format sf_double = { .frac_bits = 52, .exp_bits = 11 };

static s32 exp_max(const struct sf_format *f)
{
	return (1 << f->exp_bits) - 1;
}

static s32 bias(const struct sf_format *f)
{
	return exp_max(f) >> 1;
}

u64 sfa_sign(const struct sf_format *f)
{
	return 1ull << (f->frac_bits + f->exp_bits);
}

u64 sfa_inf(const struct sf_format *f)
{
	return ((1ull << f->exp_bits) - 1) << f->frac_bits;
}

/* shift right; what falls out leaves a sticky bit */
static void shift_right(struct sfx *x, unsigned int n)
{
	bool lost;

	if (!n)
		return;
	if (n >= WIDTH) {
		x->lo = x->hi || x->lo;
		x->hi = 0;
	} else if (n >= 64) {
		n -= 64;
		lost = x->lo || (n && x->hi << (64 - n));
		x->lo = x->hi >> n | lost;
		x->hi = 0;
	} else {
		lost = x->lo << (64 - n);
		x->lo = x->lo >> n | x->hi << (64 - n) | lost;
		x->hi >>= n;
	}
}

static void shift_left(struct sfx *x, unsigned int n)
{
	if (n >= 64) {
		x->hi = x->lo << (n - 64);
		x->lo = 0;
	} else if (n) {
		x->hi = x->hi << n | x->lo >> (64 - n);
		x->lo <<= n;
	}
}

/* bring the highest bit to its place; there is one */
static void normalise(struct sfx *x)
{
	int top = x->hi ? fls64(x->hi) - 1 : (int)fls64(x->lo) - 65;

	if (top > LEAD)
		shift_right(x, top - LEAD);
	else
		shift_left(x, LEAD - top);
	x->e += top - LEAD;
}

/* a * b, 128 bits */
static void multiply(u64 a, u64 b, u64 *hi, u64 *lo)
{
	u64 al = (u32)a, ah = a >> 32, bl = (u32)b, bh = b >> 32;
	u64 low = al * bl, mid1 = ah * bl, mid2 = al * bh;
	u64 mid = (low >> 32) + (u32)mid1 + (u32)mid2;

	*lo = (u32)low | mid << 32;
	*hi = ah * bh + (mid1 >> 32) + (mid2 >> 32) + (mid >> 32);
}

struct sfx sfx_unpack(const struct sf_format *f, u64 bits, unsigned long fm)
{
	s32 exp = (bits >> f->frac_bits) & exp_max(f);
	u64 frac = bits & ((1ull << f->frac_bits) - 1);
	struct sfx x = { .cls = SF_CLASS_FINITE };

	x.neg = bits >> (f->frac_bits + f->exp_bits) & 1;
	x.hi = frac << (LEAD - f->frac_bits);
	if (exp == exp_max(f)) {
		x.cls = frac ? SF_CLASS_NAN : SF_CLASS_INF;
		if (frac && !(frac >> (f->frac_bits - 1)))
			sf_raise(fm, SF_INVALID);
	} else if (exp) {
		x.hi |= 1ull << LEAD;
		x.e = exp - bias(f);
	} else if (!frac || (fm & SF_FLUSH_IN)) {
		x.cls = SF_CLASS_ZERO;
	} else {
		x.e = 1 - bias(f);
		normalise(&x);
		sf_raise(fm, SF_DENORMAL);
	}
	return x;
}

static u64 overflow(const struct sf_format *f, bool neg, unsigned long fm)
{
	unsigned int away = neg ? SF_DOWN : SF_UP;
	unsigned int mode = fm & SF_ROUND;
	u64 inf = sfa_inf(f);

	sf_raise(fm, SF_OVERFLOW | SF_INEXACT);
	return mode == SF_NEAREST || mode == away ? inf : inf - 1;
}

/**
 * struct rounded - a significand cut to a format's bits
 * @kept: the integer
 * @inexact: something was cut off
 */
struct rounded {
	u64 kept;
	bool inexact;
};

static struct rounded cut(const struct sf_format *f, const struct sfx *x,
			  unsigned long fm)
{
	unsigned int keep = LEAD - f->frac_bits;
	/* the lower half only tells whether there is anything */
	u64 rest = (x->hi & ((1ull << keep) - 1)) << 1 | (x->lo != 0);
	u64 kept = x->hi >> keep;

	kept += sf_rounds_away(kept, rest, 1ull << keep, x->neg, fm);
	return (struct rounded){ .kept = kept, .inexact = rest };
}

/* below the smallest normal number even if rounded as if that did not exist? */
static bool is_tiny(const struct sf_format *f, const struct sfx *x,
		    unsigned long fm)
{
	return x->e + bias(f) < 0 ||
	       !(cut(f, x, fm).kept >> (f->frac_bits + 1));
}

static u64 pack_denormal(const struct sf_format *f, const struct sfx *x,
			 unsigned long fm)
{
	struct sfx shifted = *x;
	struct rounded r;

	shift_right(&shifted, min(1 - (x->e + bias(f)), WIDTH));
	r = cut(f, &shifted, fm);
	if (!(r.kept >> f->frac_bits) && (fm & SF_FLUSH_OUT)) {
		sf_raise(fm, SF_UNDERFLOW | SF_INEXACT);
		return 0;
	}
	if (r.inexact)
		sf_raise(fm, SF_INEXACT | (is_tiny(f, x, fm) ? SF_UNDERFLOW : 0));
	return r.kept;
}

static u64 pack_finite(const struct sf_format *f, const struct sfx *x,
		       unsigned long fm)
{
	s32 exp = x->e + bias(f);
	struct rounded r;

	if (exp < 1)
		return pack_denormal(f, x, fm);
	r = cut(f, x, fm);
	/*
	 * The hidden bit adds one to the exponent; rounding up the largest
	 * number makes it infinite.
	 */
	r.kept += (u64)(exp - 1) << f->frac_bits;
	if (exp >= exp_max(f) || r.kept >= sfa_inf(f))
		return overflow(f, x->neg, fm);
	sf_raise(fm, r.inexact ? SF_INEXACT : 0);
	return r.kept;
}

u64 sfx_pack(const struct sf_format *f, const struct sfx *x, unsigned long fm)
{
	u64 sign = x->neg ? sfa_sign(f) : 0;

	switch (x->cls) {
	case SF_CLASS_ZERO:
		return sign;
	case SF_CLASS_INF:
		return sign | sfa_inf(f);
	case SF_CLASS_NAN:
		return sign | sfa_inf(f) | 1ull << (f->frac_bits - 1) |
		       x->hi >> (LEAD - f->frac_bits);
	default:
		return sign | pack_finite(f, x, fm);
	}
}

/* of operands that are none */
struct sfx sfx_nan(unsigned long fm)
{
	sf_raise(fm, SF_INVALID);
	return (struct sfx){ .cls = SF_CLASS_NAN };
}

struct sfx sfx_from_u64(u64 mag, bool neg)
{
	struct sfx x = { .lo = mag, .e = 126, .neg = neg,
			 .cls = SF_CLASS_FINITE };

	if (mag)
		normalise(&x);
	else
		x = (struct sfx){ .cls = SF_CLASS_ZERO };
	return x;
}

u64 sfx_to_u64(const struct sfx *x, unsigned long fm)
{
	struct sfx n = *x;
	u64 kept;

	if (x->e >= LEAD)
		return U64_MAX;
	/* the integer in the upper half, the rest in the lower one */
	shift_right(&n, min(LEAD - x->e, WIDTH));
	kept = n.hi;
	return kept + sf_rounds_away(kept, n.lo, 1ull << 63, n.neg, fm);
}

struct sfx sfx_mul(const struct sfx *a, const struct sfx *b, unsigned long fm)
{
	struct sfx r = { .neg = a->neg != b->neg, .cls = SF_CLASS_FINITE };

	if (a->cls == SF_CLASS_NAN)
		return *a;
	if (b->cls == SF_CLASS_NAN)
		return *b;
	if (a->cls == SF_CLASS_INF || b->cls == SF_CLASS_INF) {
		if (a->cls == SF_CLASS_ZERO || b->cls == SF_CLASS_ZERO)
			return sfx_nan(fm);
		r.cls = SF_CLASS_INF;
	} else if (a->cls == SF_CLASS_ZERO || b->cls == SF_CLASS_ZERO) {
		r.cls = SF_CLASS_ZERO;
	} else {
		multiply(a->hi, b->hi, &r.hi, &r.lo);
		r.e = a->e + b->e + 2;
		normalise(&r);
	}
	return r;
}

static bool smaller(const struct sfx *a, const struct sfx *b)
{
	if (a->e != b->e)
		return a->e < b->e;
	return a->hi != b->hi ? a->hi < b->hi : a->lo < b->lo;
}

/* |a| >= |b|, both finite */
static struct sfx add_finite(const struct sfx *a, const struct sfx *b,
			     unsigned long fm)
{
	struct sfx r = *a, s = *b;

	shift_right(&s, min(a->e - b->e, WIDTH));
	if (a->neg == b->neg) {
		r.lo = a->lo + s.lo;
		r.hi = a->hi + s.hi + (r.lo < a->lo);
	} else {
		r.lo = a->lo - s.lo;
		r.hi = a->hi - s.hi - (a->lo < s.lo);
	}
	if (r.hi || r.lo) {
		normalise(&r);
	} else {
		r.cls = SF_CLASS_ZERO;
		r.neg = (fm & SF_ROUND) == SF_DOWN;
	}
	return r;
}

static struct sfx add_zeros(const struct sfx *a, const struct sfx *b,
			    unsigned long fm)
{
	struct sfx r = *a;

	if (a->neg != b->neg)
		r.neg = (fm & SF_ROUND) == SF_DOWN;
	return r;
}

struct sfx sfx_add(const struct sfx *a, const struct sfx *b, unsigned long fm)
{
	if (a->cls == SF_CLASS_NAN)
		return *a;
	if (b->cls == SF_CLASS_NAN)
		return *b;
	if (a->cls == SF_CLASS_INF)
		return b->cls == SF_CLASS_INF && a->neg != b->neg ?
			sfx_nan(fm) : *a;
	if (b->cls == SF_CLASS_INF)
		return *b;
	if (b->cls == SF_CLASS_ZERO)
		return a->cls == SF_CLASS_ZERO ? add_zeros(a, b, fm) : *a;
	if (a->cls == SF_CLASS_ZERO)
		return *b;
	return smaller(a, b) ? add_finite(b, a, fm) : add_finite(a, b, fm);
}

/* 64 quotient bits, then sticky */
static struct sfx div_finite(const struct sfx *a, const struct sfx *b)
{
	struct sfx r = { .neg = a->neg != b->neg, .cls = SF_CLASS_FINITE };
	u64 rest = a->hi, q = 0;
	unsigned int n;

	for (n = 0; n < 64; n++) {
		q <<= 1;
		if (rest >= b->hi) {
			rest -= b->hi;
			q |= 1;
		}
		rest <<= 1;
	}
	r.hi = q >> 1;
	r.lo = q << 63 | (rest != 0);
	r.e = a->e - b->e;
	normalise(&r);
	return r;
}

struct sfx sfx_div(const struct sfx *a, const struct sfx *b, unsigned long fm)
{
	struct sfx r = { .neg = a->neg != b->neg };

	if (a->cls == SF_CLASS_NAN)
		return *a;
	if (b->cls == SF_CLASS_NAN)
		return *b;
	if (a->cls == b->cls && a->cls != SF_CLASS_FINITE)
		return sfx_nan(fm);
	if (a->cls == SF_CLASS_FINITE && b->cls == SF_CLASS_FINITE)
		return div_finite(a, b);
	if (a->cls == SF_CLASS_FINITE && b->cls == SF_CLASS_ZERO)
		sf_raise(fm, SF_DIV0);
	r.cls = a->cls == SF_CLASS_INF || b->cls == SF_CLASS_ZERO ?
		SF_CLASS_INF : SF_CLASS_ZERO;
	return r;
}

/* 62 root bits, two bits of the radicand a step, then sticky */
static struct sfx sqrt_finite(const struct sfx *a)
{
	struct sfx r = { .cls = SF_CLASS_FINITE }, m = *a;
	u64 root = 0, rest = 0, trial;
	unsigned int n;

	/* the exponent is made even; the first two bits are the integer part */
	m.lo = 0;
	if (m.e & 1)
		shift_left(&m, 1);
	for (n = 0; n < 62; n++) {
		rest = rest << 2 | m.hi >> 62;
		shift_left(&m, 2);
		trial = root << 2 | 1;
		root <<= 1;
		if (rest >= trial) {
			rest -= trial;
			root |= 1;
		}
	}
	r.hi = root << 1;
	r.lo = !!rest;
	r.e = (a->e - (a->e & 1)) / 2;
	return r;
}

struct sfx sfx_sqrt(const struct sfx *a, unsigned long fm)
{
	if (a->cls == SF_CLASS_NAN || a->cls == SF_CLASS_ZERO)
		return *a;
	if (a->neg)
		return sfx_nan(fm);
	return a->cls == SF_CLASS_INF ? *a : sqrt_finite(a);
}
