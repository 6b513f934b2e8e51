/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Arithmetic on unpacked numbers, and packing. A significand has 127 bits: the
 * product of two doubles is exact, and a sum keeps bits that are shifted out as
 * a sticky bit, so that each operation rounds once.
 *
 * softfloat.c, with a constant format, inlines the common path: two to three
 * times as fast as a function for any format, and as fast as one written for
 * binary32. An instruction has 64 operations.
 *
 * Private to softfloat/.
 */
#ifndef _GPUBP_PROVIDERS_SIM_SOFTFLOAT_SOFTFLOAT_ARITH_H
#define _GPUBP_PROVIDERS_SIM_SOFTFLOAT_SOFTFLOAT_ARITH_H

#include <linux/bitops.h>
#include <linux/kernel.h>
#include <linux/limits.h>
#include <linux/minmax.h>
#include "softfloat.h"

#ifdef SF_ONE_FORMAT
#define sf_inline	__always_inline
#else
#define sf_inline	inline
#endif

#define SFX_LEAD	62	/* highest bit of sfx.hi */
#define SFX_WIDTH	128

static sf_inline s32 __sf_exp_max(const struct sf_format *f)
{
	return (1 << f->exp_bits) - 1;
}

static sf_inline s32 __sf_bias(const struct sf_format *f)
{
	return __sf_exp_max(f) >> 1;
}

/* shift right; bits that are lost set a sticky bit */
static sf_inline void __sfx_shift_right(struct sfx *x, unsigned int n)
{
	bool lost;

	if (!n)
		return;
	if (n >= SFX_WIDTH) {
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

static sf_inline void __sfx_shift_left(struct sfx *x, unsigned int n)
{
	if (n >= 64) {
		x->hi = x->lo << (n - 64);
		x->lo = 0;
	} else if (n) {
		x->hi = x->hi << n | x->lo >> (64 - n);
		x->lo <<= n;
	}
}

/* shift the highest set bit to its position; the number is not zero */
static sf_inline void __sfx_normalise(struct sfx *x)
{
	int top = x->hi ? fls64(x->hi) - 1 : (int)fls64(x->lo) - 65;

	if (top > SFX_LEAD)
		__sfx_shift_right(x, top - SFX_LEAD);
	else
		__sfx_shift_left(x, SFX_LEAD - top);
	x->e += top - SFX_LEAD;
}

/* a * b, 128 bits */
static sf_inline void __sfx_multiply(u64 a, u64 b, u64 *hi, u64 *lo)
{
	u64 al = (u32)a, ah = a >> 32, bl = (u32)b, bh = b >> 32;
	u64 low = al * bl, mid1 = ah * bl, mid2 = al * bh;
	u64 mid = (low >> 32) + (u32)mid1 + (u32)mid2;

	*lo = (u32)low | mid << 32;
	*hi = ah * bh + (mid1 >> 32) + (mid2 >> 32) + (mid >> 32);
}

static sf_inline struct sfx
__sfx_unpack(const struct sf_format *f, u64 bits, unsigned long fm)
{
	s32 exp = (bits >> f->frac_bits) & __sf_exp_max(f);
	u64 frac = bits & ((1ull << f->frac_bits) - 1);
	struct sfx x = { .cls = SF_CLASS_FINITE };

	x.neg = bits >> (f->frac_bits + f->exp_bits) & 1;
	x.hi = frac << (SFX_LEAD - f->frac_bits);
	if (exp == __sf_exp_max(f)) {
		x.cls = frac ? SF_CLASS_NAN : SF_CLASS_INF;
		if (frac && !(frac >> (f->frac_bits - 1)))
			sf_raise(fm, SF_INVALID);
	} else if (exp) {
		x.hi |= 1ull << SFX_LEAD;
		x.e = exp - __sf_bias(f);
	} else if (!frac || (fm & SF_FLUSH_IN)) {
		x.cls = SF_CLASS_ZERO;
	} else {
		x.e = 1 - __sf_bias(f);
		__sfx_normalise(&x);
		sf_raise(fm, SF_DENORMAL);
	}
	return x;
}

static inline u64
__sfa_overflow(const struct sf_format *f, bool neg, unsigned long fm)
{
	unsigned int away = neg ? SF_DOWN : SF_UP;
	unsigned int mode = fm & SF_ROUND;
	u64 inf = sfa_inf(f);

	sf_raise(fm, SF_OVERFLOW | SF_INEXACT);
	return mode == SF_NEAREST || mode == away ? inf : inf - 1;
}

/* most results are inexact: the only exception whose cost matters */
static sf_inline void __sf_raise_inexact(bool inexact, unsigned long fm)
{
	if (!(fm & SF_KNOWN_INEXACT))
		sf_raise(fm, inexact ? SF_INEXACT : 0);
}

/**
 * struct sf_rounded - a significand rounded to the bits of a format
 * @kept: the integer
 * @inexact: something was cut off
 */
struct sf_rounded {
	u64 kept;
	bool inexact;
};

static sf_inline struct sf_rounded
__sfx_cut(const struct sf_format *f, const struct sfx *x, unsigned long fm)
{
	unsigned int keep = SFX_LEAD - f->frac_bits;
	/* the lower half is only sticky */
	u64 rest = (x->hi & ((1ull << keep) - 1)) << 1 | (x->lo != 0);
	u64 kept = x->hi >> keep;

	kept += sf_rounds_away(kept, rest, 1ull << keep, x->neg, fm);
	return (struct sf_rounded){ .kept = kept, .inexact = rest };
}

/*
 * Tiny after rounding: below the smallest normal number even if rounded with an
 * unbounded exponent?
 */
static inline bool
__sfx_is_tiny(const struct sf_format *f, const struct sfx *x, unsigned long fm)
{
	return x->e + __sf_bias(f) < 0 ||
	       !(__sfx_cut(f, x, fm).kept >> (f->frac_bits + 1));
}

static inline u64
__sfx_pack_denormal(const struct sf_format *f, const struct sfx *x,
		    unsigned long fm)
{
	struct sfx shifted = *x;
	struct sf_rounded r;

	__sfx_shift_right(&shifted, min(1 - (x->e + __sf_bias(f)), SFX_WIDTH));
	r = __sfx_cut(f, &shifted, fm);
	if (!(r.kept >> f->frac_bits) && (fm & SF_FLUSH_OUT)) {
		sf_raise(fm, SF_UNDERFLOW | SF_INEXACT);
		return 0;
	}
	__sf_raise_inexact(r.inexact, fm);
	if (r.inexact && __sfx_is_tiny(f, x, fm))
		sf_raise(fm, SF_UNDERFLOW);
	return r.kept;
}

static sf_inline u64
__sfx_pack_finite(const struct sf_format *f, const struct sfx *x,
		  unsigned long fm)
{
	s32 exp = x->e + __sf_bias(f);
	struct sf_rounded r;

	if (exp < 1)
		return __sfx_pack_denormal(f, x, fm);
	r = __sfx_cut(f, x, fm);
	/*
	 * The hidden bit adds one to the exponent; rounding up the largest
	 * number makes it infinite.
	 */
	r.kept += (u64)(exp - 1) << f->frac_bits;
	if (exp >= __sf_exp_max(f) || r.kept >= sfa_inf(f))
		return __sfa_overflow(f, x->neg, fm);
	__sf_raise_inexact(r.inexact, fm);
	return r.kept;
}

static sf_inline u64
__sfx_pack(const struct sf_format *f, const struct sfx *x, unsigned long fm)
{
	u64 sign = x->neg ? sfa_sign(f) : 0;

	switch (x->cls) {
	case SF_CLASS_ZERO:
		return sign;
	case SF_CLASS_INF:
		return sign | sfa_inf(f);
	case SF_CLASS_NAN:
		return sign | sfa_inf(f) | 1ull << (f->frac_bits - 1) |
		       x->hi >> (SFX_LEAD - f->frac_bits);
	default:
		return sign | __sfx_pack_finite(f, x, fm);
	}
}

/* NaN result of operands that are not NaN */
static inline struct sfx __sfx_nan(unsigned long fm)
{
	sf_raise(fm, SF_INVALID);
	return (struct sfx){ .cls = SF_CLASS_NAN };
}

/* the same of functions: AMD's manuals have examples, all with the sign set */
static inline struct sfx __sfx_undefined(unsigned long fm)
{
	struct sfx x = __sfx_nan(fm);

	x.neg = true;
	return x;
}

static sf_inline struct sfx __sfx_from_u64(u64 mag, bool neg)
{
	struct sfx x = { .lo = mag, .e = 126, .neg = neg,
			 .cls = SF_CLASS_FINITE };

	if (mag)
		__sfx_normalise(&x);
	else
		x = (struct sfx){ .cls = SF_CLASS_ZERO };
	return x;
}

/* to an integer; U64_MAX if that does not fit into 62 bits */
static sf_inline struct sf_rounded
__sfx_round(const struct sfx *x, unsigned long fm)
{
	struct sfx n = *x;

	if (x->e >= SFX_LEAD)
		return (struct sf_rounded){ .kept = U64_MAX };
	/* the integer in the upper half, the rest in the lower one */
	__sfx_shift_right(&n, min(SFX_LEAD - x->e, SFX_WIDTH));
	n.hi += sf_rounds_away(n.hi, n.lo, 1ull << 63, n.neg, fm);
	return (struct sf_rounded){ .kept = n.hi, .inexact = n.lo };
}

/* magnitude of the integer; out of range if there is none */
static inline u64
__sfx_to_magnitude(const struct sfx *x, u64 max, unsigned long fm)
{
	struct sf_rounded r = { .kept = x->cls == SF_CLASS_ZERO ? 0 : U64_MAX };

	if (x->cls == SF_CLASS_FINITE)
		r = __sfx_round(x, fm);
	if (x->cls == SF_CLASS_NAN || r.kept > max)
		sf_raise(fm, SF_INVALID);
	else if (r.inexact)
		sf_raise(fm, SF_INEXACT);
	return x->cls == SF_CLASS_NAN ? 0 : r.kept;
}

static sf_inline u32 __sfx_to_u32(const struct sfx *x, unsigned long fm)
{
	u64 mag = __sfx_to_magnitude(x, x->neg ? 0 : U32_MAX, fm);

	return x->neg ? 0 : min_t(u64, mag, U32_MAX);
}

static sf_inline s32 __sfx_to_s32(const struct sfx *x, unsigned long fm)
{
	u64 mag = __sfx_to_magnitude(x, (u64)S32_MAX + x->neg, fm);

	if (x->neg)
		return mag > S32_MAX ? S32_MIN : -(s32)mag;
	return min_t(u64, mag, S32_MAX);
}

static sf_inline struct sfx
__sfx_mul(const struct sfx *a, const struct sfx *b, unsigned long fm)
{
	struct sfx r = { .neg = a->neg != b->neg, .cls = SF_CLASS_FINITE };

	if (a->cls == SF_CLASS_NAN)
		return *a;
	if (b->cls == SF_CLASS_NAN)
		return *b;
	if (a->cls == SF_CLASS_INF || b->cls == SF_CLASS_INF) {
		if (a->cls == SF_CLASS_ZERO || b->cls == SF_CLASS_ZERO)
			return __sfx_nan(fm);
		r.cls = SF_CLASS_INF;
	} else if (a->cls == SF_CLASS_ZERO || b->cls == SF_CLASS_ZERO) {
		r.cls = SF_CLASS_ZERO;
	} else {
		__sfx_multiply(a->hi, b->hi, &r.hi, &r.lo);
		r.e = a->e + b->e + 2;
		__sfx_normalise(&r);
	}
	return r;
}

static sf_inline bool
__sfx_smaller(const struct sfx *a, const struct sfx *b)
{
	if (a->e != b->e)
		return a->e < b->e;
	return a->hi != b->hi ? a->hi < b->hi : a->lo < b->lo;
}

/* |a| >= |b|, both finite */
static sf_inline struct sfx
__sfx_add_finite(const struct sfx *a, const struct sfx *b, unsigned long fm)
{
	struct sfx r = *a, s = *b;

	__sfx_shift_right(&s, min(a->e - b->e, SFX_WIDTH));
	if (a->neg == b->neg) {
		r.lo = a->lo + s.lo;
		r.hi = a->hi + s.hi + (r.lo < a->lo);
	} else {
		r.lo = a->lo - s.lo;
		r.hi = a->hi - s.hi - (a->lo < s.lo);
	}
	if (r.hi || r.lo) {
		__sfx_normalise(&r);
	} else {
		r.cls = SF_CLASS_ZERO;
		r.neg = (fm & SF_ROUND) == SF_DOWN;
	}
	return r;
}

static inline struct sfx
__sfx_add_zeros(const struct sfx *a, const struct sfx *b, unsigned long fm)
{
	struct sfx r = *a;

	if (a->neg != b->neg)
		r.neg = (fm & SF_ROUND) == SF_DOWN;
	return r;
}

static sf_inline struct sfx
__sfx_add(const struct sfx *a, const struct sfx *b, unsigned long fm)
{
	if (a->cls == SF_CLASS_NAN)
		return *a;
	if (b->cls == SF_CLASS_NAN)
		return *b;
	if (a->cls == SF_CLASS_INF)
		return b->cls == SF_CLASS_INF && a->neg != b->neg ?
			__sfx_nan(fm) : *a;
	if (b->cls == SF_CLASS_INF)
		return *b;
	if (b->cls == SF_CLASS_ZERO)
		return a->cls == SF_CLASS_ZERO ? __sfx_add_zeros(a, b, fm) : *a;
	if (a->cls == SF_CLASS_ZERO)
		return *b;
	return __sfx_smaller(a, b) ? __sfx_add_finite(b, a, fm) :
				     __sfx_add_finite(a, b, fm);
}

/* 64 quotient bits, then sticky */
static inline struct sfx
__sfx_div_finite(const struct sfx *a, const struct sfx *b)
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
	__sfx_normalise(&r);
	return r;
}

static inline struct sfx
__sfx_div(const struct sfx *a, const struct sfx *b, unsigned long fm)
{
	struct sfx r = { .neg = a->neg != b->neg };

	if (a->cls == SF_CLASS_NAN)
		return *a;
	if (b->cls == SF_CLASS_NAN)
		return *b;
	if (a->cls == b->cls && a->cls != SF_CLASS_FINITE)
		return __sfx_nan(fm);
	if (a->cls == SF_CLASS_FINITE && b->cls == SF_CLASS_FINITE)
		return __sfx_div_finite(a, b);
	if (a->cls == SF_CLASS_FINITE && b->cls == SF_CLASS_ZERO)
		sf_raise(fm, SF_DIV0);
	r.cls = a->cls == SF_CLASS_INF || b->cls == SF_CLASS_ZERO ?
		SF_CLASS_INF : SF_CLASS_ZERO;
	return r;
}

/* 62 root bits, two bits of the radicand a step, then sticky */
static inline struct sfx __sfx_sqrt_finite(const struct sfx *a)
{
	struct sfx r = { .cls = SF_CLASS_FINITE }, m = *a;
	u64 root = 0, rest = 0, trial;
	unsigned int n;

	/* the exponent is made even; the first two bits are the integer part */
	m.lo = 0;
	if (m.e & 1)
		__sfx_shift_left(&m, 1);
	for (n = 0; n < 62; n++) {
		rest = rest << 2 | m.hi >> 62;
		__sfx_shift_left(&m, 2);
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

static inline struct sfx __sfx_sqrt(const struct sfx *a, unsigned long fm)
{
	if (a->cls == SF_CLASS_NAN || a->cls == SF_CLASS_ZERO)
		return *a;
	if (a->neg)
		return __sfx_undefined(fm);
	return a->cls == SF_CLASS_INF ? *a : __sfx_sqrt_finite(a);
}

#endif /* _GPUBP_PROVIDERS_SIM_SOFTFLOAT_SOFTFLOAT_ARITH_H */
