// SPDX-License-Identifier: GPL-2.0
/*
 * binary32 add, multiply, fused multiply-add, divide, square root, compare.
 *
 * Operands are unpacked to 63-bit significands. A product of two has 48
 * significant bits, so it is exact; a sum keeps what is shifted out as a
 * sticky bit far below the rounding position, so that every operation rounds
 * once. The steps are inlined, which makes an operation two to three times as
 * fast: there are 64 of them in an instruction.
 */
#include <linux/bitops.h>
#include <linux/kernel.h>
#include <linux/math64.h>
#include "softfloat.h"

#define LEAD		62			/* highest bit of sf.m */
#define FRAC_BITS	23
#define FRAC_MASK	((1u << FRAC_BITS) - 1)
#define EXP_MAX		255
#define BIAS		127
#define KEEP_SHIFT	(LEAD - FRAC_BITS)	/* significand of a float <-> m */
#define FINITE_MAX	0x7f7fffffu

/* shift right; what falls out leaves a sticky bit */
static u64 shift_jam(u64 m, unsigned int n)
{
	if (!n)
		return m;
	if (n > 63)
		return m != 0;
	return m >> n | ((m << (64 - n)) != 0);
}

/* bring the highest bit to bit 62 */
static __always_inline void normalise(struct sf *x)
{
	int top = fls64(x->m) - 1;

	if (top > LEAD)
		x->m = shift_jam(x->m, top - LEAD);
	else
		x->m <<= LEAD - top;
	x->e += top - LEAD;
}

static __always_inline struct sf unpack(u32 x, unsigned long fm)
{
	u32 exp = (x >> FRAC_BITS) & EXP_MAX;
	u32 frac = x & FRAC_MASK;
	struct sf r = { .neg = x >> 31, .cls = SF_CLASS_FINITE };

	if (exp == EXP_MAX) {
		r.cls = frac ? SF_CLASS_NAN : SF_CLASS_INF;
		r.m = x;
		if (frac && !(frac & SF_QUIET))
			sf_raise(fm, SF_INVALID);
	} else if (exp) {
		r.m = (u64)(frac | 1u << FRAC_BITS) << KEEP_SHIFT;
		r.e = (s32)exp - BIAS;
	} else if (!frac || (fm & SF_FLUSH_IN)) {
		r.cls = SF_CLASS_ZERO;
	} else {
		r.m = (u64)frac << KEEP_SHIFT;
		r.e = 1 - BIAS;
		normalise(&r);
		sf_raise(fm, SF_DENORMAL);
	}
	return r;
}

struct sf sf_unpack(u32 x, unsigned long fm)
{
	return unpack(x, fm);
}

static u32 overflow(bool neg, unsigned long fm)
{
	unsigned int away = neg ? SF_DOWN : SF_UP;
	unsigned int mode = fm & SF_ROUND;

	sf_raise(fm, SF_OVERFLOW | SF_INEXACT);
	return mode == SF_NEAREST || mode == away ? SF_INF : FINITE_MAX;
}

/* below the smallest normal number even if rounded as if that did not exist? */
static bool is_tiny(const struct sf *x, unsigned long fm)
{
	u64 rest = x->m & ((1ull << KEEP_SHIFT) - 1);
	u64 kept = x->m >> KEEP_SHIFT;

	if (x->e + BIAS < 0)
		return true;
	kept += sf_rounds_away(kept, rest, 1ull << (KEEP_SHIFT - 1), x->neg, fm);
	return !(kept >> (FRAC_BITS + 1));
}

/* @kept: a result without exponent; @inexact: it was rounded */
static u32 denormal(const struct sf *x, u32 kept, bool inexact, unsigned long fm)
{
	if (!(kept >> FRAC_BITS) && (fm & SF_FLUSH_OUT)) {
		sf_raise(fm, SF_UNDERFLOW | SF_INEXACT);
		return 0;
	}
	if (inexact && is_tiny(x, fm))
		sf_raise(fm, SF_UNDERFLOW);
	return kept;
}

static __always_inline u32 pack_finite(const struct sf *x, unsigned long fm)
{
	s32 exp = x->e + BIAS;
	unsigned int denorm = exp < 1 ? min(1 - exp, 64) : 0;
	u64 m = shift_jam(x->m, denorm);
	u64 rest = m & ((1ull << KEEP_SHIFT) - 1);
	u64 kept = m >> KEEP_SHIFT;

	/* most results are: of all exceptions, the one that costs something */
	if (!(fm & SF_KNOWN_INEXACT))
		sf_raise(fm, rest ? SF_INEXACT : 0);
	kept += sf_rounds_away(kept, rest, 1ull << (KEEP_SHIFT - 1), x->neg, fm);
	/*
	 * The hidden bit, or rounding up to it, adds one to the exponent;
	 * rounding up the largest number makes it infinite.
	 */
	if (exp < 1)
		return denormal(x, kept, rest, fm);
	kept += (u64)(exp - 1) << FRAC_BITS;
	return kept >= SF_INF ? overflow(x->neg, fm) : kept;
}

static __always_inline u32 pack(const struct sf *x, unsigned long fm)
{
	u32 sign = x->neg ? SF_SIGN : 0;

	switch (x->cls) {
	case SF_CLASS_ZERO:
		return sign;
	case SF_CLASS_INF:
		return sign | SF_INF;
	case SF_CLASS_NAN:
		return (u32)x->m | SF_QUIET;
	default:
		return sign | pack_finite(x, fm);
	}
}

u32 sf_pack(const struct sf *x, unsigned long fm)
{
	return pack(x, fm);
}

/* of operands that are none */
static struct sf make_nan(unsigned long fm)
{
	sf_raise(fm, SF_INVALID);
	return (struct sf){ .cls = SF_CLASS_NAN, .m = SF_NAN };
}

static __always_inline struct sf mul(const struct sf *a, const struct sf *b,
				     unsigned long fm)
{
	struct sf r = { .neg = a->neg != b->neg, .cls = SF_CLASS_FINITE };

	if (a->cls == SF_CLASS_NAN)
		return *a;
	if (b->cls == SF_CLASS_NAN)
		return *b;
	if (a->cls == SF_CLASS_INF || b->cls == SF_CLASS_INF) {
		if (a->cls == SF_CLASS_ZERO || b->cls == SF_CLASS_ZERO)
			return make_nan(fm);
		r.cls = SF_CLASS_INF;
		return r;
	}
	if (a->cls == SF_CLASS_ZERO || b->cls == SF_CLASS_ZERO) {
		r.cls = SF_CLASS_ZERO;
		return r;
	}
	r.m = (a->m >> KEEP_SHIFT) * (b->m >> KEEP_SHIFT);
	r.e = a->e + b->e + LEAD - 2 * FRAC_BITS;
	normalise(&r);
	return r;
}

/* |a| >= |b|, both finite */
static __always_inline struct sf add_finite(const struct sf *a,
					    const struct sf *b,
					    unsigned long fm)
{
	struct sf r = *a;
	u64 m = shift_jam(b->m, min_t(u32, a->e - b->e, 64));

	r.m = a->neg == b->neg ? a->m + m : a->m - m;
	if (r.m) {
		normalise(&r);
	} else {
		r.cls = SF_CLASS_ZERO;
		r.neg = (fm & SF_ROUND) == SF_DOWN;
	}
	return r;
}

static bool smaller(const struct sf *a, const struct sf *b)
{
	return a->e != b->e ? a->e < b->e : a->m < b->m;
}

static struct sf add_zeros(const struct sf *a, const struct sf *b,
			   unsigned long fm)
{
	struct sf r = *a;

	if (a->neg != b->neg)
		r.neg = (fm & SF_ROUND) == SF_DOWN;
	return r;
}

static __always_inline struct sf add(const struct sf *a, const struct sf *b, unsigned long fm)
{
	if (a->cls == SF_CLASS_NAN)
		return *a;
	if (b->cls == SF_CLASS_NAN)
		return *b;
	if (a->cls == SF_CLASS_INF)
		return b->cls == SF_CLASS_INF && a->neg != b->neg ?
			make_nan(fm) : *a;
	if (b->cls == SF_CLASS_INF)
		return *b;
	if (b->cls == SF_CLASS_ZERO)
		return a->cls == SF_CLASS_ZERO ? add_zeros(a, b, fm) : *a;
	if (a->cls == SF_CLASS_ZERO)
		return *b;
	return smaller(a, b) ? add_finite(b, a, fm) : add_finite(a, b, fm);
}

u32 sf_add(u32 a, u32 b, unsigned long fm)
{
	struct sf x = unpack(a, fm), y = unpack(b, fm);
	struct sf r = add(&x, &y, fm);

	return pack(&r, fm);
}

u32 sf_mul(u32 a, u32 b, unsigned long fm)
{
	struct sf x = unpack(a, fm), y = unpack(b, fm);
	struct sf r = mul(&x, &y, fm);

	return pack(&r, fm);
}

/* (a * b + c) * 2^n, rounded once */
u32 sf_fma_scaled(u32 a, u32 b, u32 c, s32 n, unsigned long fm)
{
	struct sf x = unpack(a, fm), y = unpack(b, fm);
	struct sf z = unpack(c, fm);
	struct sf p = mul(&x, &y, fm);
	struct sf r = add(&p, &z, fm);

	r.e += n;
	return pack(&r, fm);
}

u32 sf_fma(u32 a, u32 b, u32 c, unsigned long fm)
{
	return sf_fma_scaled(a, b, c, 0, fm);
}

/* a / b for finite operands: 38 and more quotient bits, then sticky */
static struct sf div_finite(const struct sf *a, const struct sf *b)
{
	struct sf r = { .neg = a->neg != b->neg, .cls = SF_CLASS_FINITE };
	u32 d = b->m >> KEEP_SHIFT;

	r.m = div64_u64(a->m, d);
	r.m |= r.m * d != a->m;
	r.e = a->e - b->e + FRAC_BITS;
	normalise(&r);
	return r;
}

static struct sf div(const struct sf *a, const struct sf *b, unsigned long fm)
{
	struct sf r = { .neg = a->neg != b->neg };

	if (a->cls == SF_CLASS_NAN)
		return *a;
	if (b->cls == SF_CLASS_NAN)
		return *b;
	if (a->cls == b->cls && a->cls != SF_CLASS_FINITE)
		return make_nan(fm);
	if (a->cls == SF_CLASS_FINITE && b->cls == SF_CLASS_FINITE)
		return div_finite(a, b);
	if (a->cls == SF_CLASS_FINITE && b->cls == SF_CLASS_ZERO)
		sf_raise(fm, SF_DIV0);
	r.cls = a->cls == SF_CLASS_INF || b->cls == SF_CLASS_ZERO ?
		SF_CLASS_INF : SF_CLASS_ZERO;
	return r;
}

u32 sf_div(u32 a, u32 b, unsigned long fm)
{
	struct sf x = unpack(a, fm), y = unpack(b, fm);
	struct sf r = div(&x, &y, fm);

	return pack(&r, fm);
}

/* floor of the square root */
static u32 isqrt64(u64 x)
{
	u64 root = 0, bit;

	for (bit = 1ull << 31; bit; bit >>= 1)
		if ((root | bit) * (root | bit) <= x)
			root |= bit;
	return root;
}

/* 32 root bits, then sticky; the exponent is made even first */
static struct sf sqrt_finite(const struct sf *a)
{
	struct sf r = { .cls = SF_CLASS_FINITE };
	u64 m = a->e & 1 ? a->m << 1 : a->m;
	u32 root = isqrt64(m);

	r.m = (u64)root << 1 | ((u64)root * root != m);
	r.e = (a->e - (a->e & 1)) / 2 + LEAD - 32;
	normalise(&r);
	return r;
}

u32 sf_sqrt(u32 a, unsigned long fm)
{
	struct sf x = unpack(a, fm);

	if (x.cls == SF_CLASS_FINITE)
		x = x.neg ? make_nan(fm) : sqrt_finite(&x);
	else if (x.cls == SF_CLASS_INF && x.neg)
		x = make_nan(fm);
	return pack(&x, fm);
}

u32 sf_ldexp(u32 a, s32 n, unsigned long fm)
{
	struct sf x = unpack(a, fm);

	x.e += clamp(n, -1000, 1000);
	return pack(&x, fm);
}

static u32 flush(u32 x, unsigned long fm)
{
	if (!sf_is_denormal(x))
		return x;
	if (fm & SF_FLUSH_IN)
		return x & SF_SIGN;
	sf_raise(fm, SF_DENORMAL);
	return x;
}

static bool is_signalling(u32 x)
{
	return sf_is_nan(x) && !(x & SF_QUIET);
}

/* monotonic in the number; both zeros differ by one */
static s64 order(u32 x)
{
	return x & SF_SIGN ? -(s64)(x & ~SF_SIGN) - 1 : x;
}

unsigned int sf_cmp(u32 a, u32 b, unsigned long fm)
{
	a = flush(a, fm);
	b = flush(b, fm);
	if (is_signalling(a) || is_signalling(b))
		sf_raise(fm, SF_INVALID);
	if (sf_is_nan(a) || sf_is_nan(b))
		return SF_UNORDERED;
	if (a == b || !((a | b) & ~SF_SIGN))
		return SF_EQUAL;
	return order(a) < order(b) ? SF_LESS : SF_GREATER;
}

/* the number of the two; with IEEE, a signalling NaN wins (754-2008 minNum) */
static bool pick_nan(u32 a, u32 b, unsigned long fm, u32 *res)
{
	if (is_signalling(a) || is_signalling(b))
		sf_raise(fm, SF_INVALID);
	if ((fm & SF_IEEE) && is_signalling(a))
		*res = a | SF_QUIET;
	else if ((fm & SF_IEEE) && is_signalling(b))
		*res = b | SF_QUIET;
	else if (sf_is_nan(a))
		*res = b;
	else if (sf_is_nan(b))
		*res = a;
	else
		return false;
	return true;
}

u32 sf_min(u32 a, u32 b, unsigned long fm)
{
	u32 res;

	a = flush(a, fm);
	b = flush(b, fm);
	if (pick_nan(a, b, fm, &res))
		return res;
	return order(a) < order(b) ? a : b;
}

u32 sf_max(u32 a, u32 b, unsigned long fm)
{
	u32 res;

	a = flush(a, fm);
	b = flush(b, fm);
	if (pick_nan(a, b, fm, &res))
		return res;
	return order(a) < order(b) ? b : a;
}
