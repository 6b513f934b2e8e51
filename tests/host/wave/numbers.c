// SPDX-License-Identifier: GPL-2.0
/*
 * Rare operands of operations on floats: denormals, zeros, NaNs, in any mode. The
 * models are those of AMD's manuals.
 */
#include <fenv.h>
#include "rows.h"

#define ROWS(X)								\
	X(class_f32, (class_of(a, 8, 23) & b) != 0)			\
	X(class_f32_minus, (class_of(a | 1u << 31, 8, 23) & b) != 0)	\
	X(class_f16, (class_of(a, 5, 10) & b) != 0)			\
	X(class_f64, (class_of((u64)c << 32 | b, 11, 52) & a) != 0)	\
	X(lds_min_f32, lesser_float(a, b, 8, 23, mode & 0x10))		\
	X(lds_max_f32, larger_float(a, b, 8, 23, mode & 0x10))		\
	X(lds_cmpst_f32, equal32(input32(a, mode), input32(b, mode)) ?	\
			 input32(c, mode) : a)				\
	X(lds_min_f64_low, lesser_float(LDS64, 11, 52, mode & 0x40))	\
	X(lds_min_f64_high, lesser_float(LDS64, 11, 52, mode & 0x40) >> 32) \
	X(lds_max_f64_low, larger_float(LDS64, 11, 52, mode & 0x40))	\
	X(lds_max_f64_high, larger_float(LDS64, 11, 52, mode & 0x40) >> 32) \
	X(lds_add_f64_low, sum_double(LDS64))				\
	X(lds_add_f64_high, sum_double(LDS64) >> 32)			\
	X(flat_lds_min_f64, lesser_float(LDS64, 11, 52, mode & 0x40) >> 32) \
	X(v_min3_f32, least_of(a, b, c, &(struct fmt){ 8, 23, 0x10, mode })) \
	X(v_max3_f32, most_of(a, b, c, &(struct fmt){ 8, 23, 0x10, mode })) \
	X(v_med3_f32, median_of(a, b, c, &(struct fmt){ 8, 23, 0x10, mode })) \
	X(half_min3, low(old, least_of((u16)a, (u16)b, (u16)c,		\
				       &(struct fmt){ 5, 10, 0x40, mode }))) \
	X(half_max3, low(old, most_of((u16)a, (u16)b, (u16)c,		\
				      &(struct fmt){ 5, 10, 0x40, mode }))) \
	X(half_med3, low(old, median_of((u16)a, (u16)b, (u16)c,		\
					&(struct fmt){ 5, 10, 0x40, mode }))) \
	X(div_fmas, host_fma(a, b, c, mode))				\
	X(div_fmas_clamp, clamped(host_fma(a, b, c, mode), mode))	\
	X(div_fixup_clamp, clamped(fixup(a, b, c), mode))		\
	X(v_cvt_f16_f32, to_half(input32(a, mode), ROUND16, mode & 0x80)) \
	X(cvt_f16_f32_clamp,						\
	  clamped16(to_half(input32(a, mode), ROUND16, mode & 0x80), mode)) \
	X(v_cvt_f32_f16, float_bits(half(input16(a, mode))))		\
	X(v_cvt_pkrtz_f16_f32, to_half(input32(a, mode), 3, mode & 0x80) | \
	  to_half(input32(b, mode), 3, mode & 0x80) << 16)		\
	X(v_cvt_f32_i32, rounded((s32)a, &single, ROUND32, true))	\
	X(v_cvt_f32_u32, rounded(a, &single, ROUND32, true))		\
	X(cvt_f32_i32_mul4,						\
	  times_four(rounded((s32)a, &single, ROUND32, true), mode))	\
	X(cvt_f16_u16_div2, halved16(rounded((u16)a, &half_fmt, ROUND16, true), mode)) \
	X(v_cvt_f16_u16, rounded((u16)a, &half_fmt, ROUND16, true))	\
	X(v_cvt_f16_i16, rounded((s16)a, &half_fmt, ROUND16, true))	\
	X(v_cvt_off_f32_i4, float_bits(((int)(a << 28) >> 28) / 16.0f))	\
	X(v_cvt_f32_ubyte0, float_bits(a & 255))			\
	X(v_cvt_f32_ubyte2, float_bits(a >> 16 & 255))			\
	X(v_ldexp_f32, rounded(ldexpl(fl(input32(a, mode)), span(b)),	\
			       &single, ROUND32, mode & 0x20))		\
	X(v_ldexp_f16, rounded(ldexpl(half(input16(a, mode)), span((s16)b)), \
			       &half_fmt, ROUND16, mode & 0x80))	\
	X(v_mul_f32, product32(a, b, mode))				\
	X(v_mul_legacy_f32, fl(input32(a, mode)) == 0 || fl(input32(b, mode)) == 0 ? \
			    0 : product32(a, b, mode))			\
	X(mul_f32_mul4, times_four(product32(a, b, mode), mode))	\
	X(mul_f32_mods,							\
	  clamped(product32(a ^ 1u << 31, b << 1 >> 1, mode), mode))	\
	X(mad_f32, product_and_sum(a, b, c, mode))			\
	X(v_mac_f32, product_and_sum(a, b, old, mode))			\
	X(madak_f32, product_and_sum(a, b, 0x40490fdb, mode))		\
	X(mad_f16, low(old, product_and_sum16(a, b, c, mode)))		\
	X(v_mac_f16, product_and_sum16(a, b, old, mode))		\
	X(madmk_f16, product_and_sum16(a, 0x4248, b, mode))		\
	X(v_min_f16, extreme((u16)a, (u16)b,				\
			     &(struct fmt){ 5, 10, 0x40, mode }, false)) \
	X(v_max_f16, extreme((u16)a, (u16)b,				\
			     &(struct fmt){ 5, 10, 0x40, mode }, true))	\
	X(v_max_f32, extreme(a, b, &(struct fmt){ 8, 23, 0x10, mode }, true)) \
	X(v_frexp_mant_f16, half_or_nan(fl(mantissa(half(input16(a, mode)))))) \
	X(v_add_f16, sum16(a, b, mode))					\
	X(v_sub_f16, sum16(a, b ^ 0x8000, mode))			\
	X(v_mul_f16, fused16(a, b, minus_zero(a, b), mode))		\
	X(v_fma_f16, low(old, fused16(a, b, c, mode)))			\
	X(add_f16_sdwa_mods, (old & 0xffff) | clamped16(sum16(a >> 16 ^ 0x8000,	\
							b & 0x7fff, mode), mode) << 16) \
	X(v_floor_f32, float_bits(floorf(fl(input32(a, mode)))))	\
	X(v_ceil_f32, float_bits(ceilf(fl(input32(a, mode)))))		\
	X(v_trunc_f32, float_bits(truncf(fl(input32(a, mode)))))	\
	X(v_rndne_f32, float_bits(rintf(fl(input32(a, mode)))))		\
	X(v_ceil_f16, half_or_nan(ceilf(half(input16(a, mode)))))	\
	X(v_floor_f16, half_or_nan(floorf(half(input16(a, mode)))))	\
	X(v_fract_f32, fraction(input32(a, mode), mode))		\
	X(v_frexp_mant_f32, mantissa(fl(input32(a, mode))))		\
	X(v_frexp_exp_i32_f32, exponent(fl(input32(a, mode))))		\
	X(v_frexp_exp_i16_f16, exponent(half(input16(a, mode))) & 0xffff) \
	X(min_f64_low, extreme(LDS64, &(struct fmt){ 11, 52, 0x40, mode }, false)) \
	X(max_f64_high,							\
	  extreme(LDS64, &(struct fmt){ 11, 52, 0x40, mode }, true) >> 32) \
	X(ldexp_f64_low, scaled64((u64)c << 32 | b, a, mode))		\
	X(ldexp_f64_high, scaled64((u64)c << 32 | b, a, mode) >> 32)	\
	X(ceil_f64_high, quiet64(input64((u64)c << 32 | b, mode), ceil) >> 32) \
	X(floor_f64_high, quiet64(input64((u64)c << 32 | b, mode), floor) >> 32) \
	X(rndne_f64_low, quiet64(input64((u64)c << 32 | b, mode), rint)) \
	X(cvt_f32_f64, rounded(dbl(input64((u64)c << 32 | b, mode)), &single, \
			       ROUND32, mode & 0x20))			\
	X(cvt_f64_f32_high, widened(input32(a, mode)) >> 32)		\
	X(cvt_f64_f32_low, widened(input32(a, mode)))			\
	X(v_cvt_i32_f32, to_int(fl(input32(a, mode)), INT32_MIN, INT32_MAX)) \
	X(v_cvt_u32_f32, to_int(fl(input32(a, mode)), 0, UINT32_MAX))	\
	X(cmp_lt_f32, fl(input32(a, mode)) < fl(input32(b, mode)))	\
	X(cmp_nlg_f32, !(fl(input32(a, mode)) < fl(input32(b, mode)) ||	\
			 fl(input32(a, mode)) > fl(input32(b, mode))))	\
	X(cmp_ge_f16, half(input16(a, mode)) >= half(input16(b, mode)))	\
	X(cmp_neq_f16, half(input16(a, mode)) != half(input16(b, mode))) \
	X(pk_add_f16, sum16(a, b, mode) | sum16(a >> 16, b >> 16, mode) << 16) \
	X(pk_add_f16_clamp, clamped16(sum16(a, b, mode), mode) |	\
			    clamped16(sum16(a >> 16, b >> 16, mode), mode) << 16) \
	X(pk_add_f16_one, sum16(a, 0x3c00, mode) | sum16(a >> 16, 0, mode) << 16) \
	X(pk_min_f16,							\
	  extreme((u16)a, (u16)b, &(struct fmt){ 5, 10, 0x40, mode }, false) | \
	  extreme(a >> 16, b >> 16, &(struct fmt){ 5, 10, 0x40, mode }, false) << 16)

/*
 * Bits of v_cmp_class: signalling, quiet, then from minus to plus infinity. @exp and
 * @frac are the bits of the exponent and the fraction.
 */
static u32 class_of(u64 x, int exp, int frac)
{
	u64 e = x >> frac & ((1u << exp) - 1), f = x & ((1ull << frac) - 1);
	bool minus = x >> (exp + frac) & 1;
	int n;

	if (e == (1u << exp) - 1 && f)
		return f >> (frac - 1) ? 2 : 1;
	n = e == (1u << exp) - 1 ? 0 : e ? 1 : f ? 2 : 3;
	return 1u << (minus ? 2 + n : 9 - n);
}

/* memory, and what is combined with it */
#define LDS64		(u64)c << 32 | b, (u64)a << 32 | old

static bool is_nan_class(u64 x, int exp, int frac)
{
	return class_of(x, exp, frac) <= 2;
}

/* for comparison: zeros and NaNs apart, denormals are kept or zero */
static s64 rank(u64 x, int exp, int frac, bool denormals)
{
	u64 size = x & ((1ull << (exp + frac)) - 1);

	if (!denormals && !(size >> frac))
		size = 0;
	return x >> (exp + frac) & 1 ? -(s64)size - 1 : (s64)size;
}

/* of atomics: signalling NaNs win, others lose; the number is stored as it is */
static bool by_nan(u64 *res, u64 mem, u64 val, int exp, int frac)
{
	u64 quiet = 1ull << (frac - 1);

	if (class_of(mem, exp, frac) == 1)
		*res = mem | quiet;
	else if (class_of(val, exp, frac) == 1)
		*res = val | quiet;
	else if (is_nan_class(val, exp, frac))
		*res = mem;
	else if (is_nan_class(mem, exp, frac))
		*res = val;
	else
		return false;
	return true;
}

static u64 lesser_float(u64 mem, u64 val, int exp, int frac, bool denormals)
{
	u64 res;

	if (by_nan(&res, mem, val, exp, frac))
		return res;
	return rank(val, exp, frac, denormals) < rank(mem, exp, frac, denormals) ?
		val : mem;
}

static u64 larger_float(u64 mem, u64 val, int exp, int frac, bool denormals)
{
	u64 res;

	if (by_nan(&res, mem, val, exp, frac))
		return res;
	return rank(val, exp, frac, denormals) > rank(mem, exp, frac, denormals) ?
		val : mem;
}

/* a format, and the bit of MODE that keeps denormal operands */
struct fmt {
	int exp, frac;
	u32 denormals, mode;
};

static u64 input(u64 x, const struct fmt *f)
{
	return (x >> f->frac & ((1u << f->exp) - 1)) || (f->mode & f->denormals) ?
		x : x >> (f->exp + f->frac) << (f->exp + f->frac);
}

/* v_min and v_max as the manuals spell them */
static u64 extreme(u64 a, u64 b, const struct fmt *f, bool larger)
{
	u64 quiet = 1ull << (f->frac - 1);

	a = input(a, f);
	b = input(b, f);
	if ((f->mode & MODE_IEEE) && class_of(a, f->exp, f->frac) == 1)
		return a | quiet;
	if ((f->mode & MODE_IEEE) && class_of(b, f->exp, f->frac) == 1)
		return b | quiet;
	if (is_nan_class(a, f->exp, f->frac))
		return b;
	if (is_nan_class(b, f->exp, f->frac))
		return a;
	return (rank(a, f->exp, f->frac, true) > rank(b, f->exp, f->frac, true)) ==
		larger ? a : b;
}

static u64 least_of(u64 a, u64 b, u64 c, const struct fmt *f)
{
	return extreme(extreme(a, b, f, false), c, f, false);
}

static u64 most_of(u64 a, u64 b, u64 c, const struct fmt *f)
{
	return extreme(extreme(a, b, f, true), c, f, true);
}

/* two numbers, of which zeros are equal */
static bool equal_in(u64 a, u64 b, const struct fmt *f)
{
	u64 size = (1ull << (f->exp + f->frac)) - 1;

	a = input(a, f);
	b = input(b, f);
	return a == b || !((a | b) & size);
}

/* likewise: which of the others is larger */
static u64 median_of(u64 a, u64 b, u64 c, const struct fmt *f)
{
	u64 most = most_of(a, b, c, f);

	if (is_nan_class(a, f->exp, f->frac) || is_nan_class(b, f->exp, f->frac) ||
	    is_nan_class(c, f->exp, f->frac))
		return least_of(a, b, c, f);
	if (equal_in(most, a, f))
		return extreme(b, c, f, true);
	return equal_in(most, b, f) ? extreme(a, c, f, true) :
				      extreme(a, b, f, true);
}

/* in the rounding mode of MODE; operands are as they are, results may be flushed */
static u32 host_fma(u32 a, u32 b, u32 c, u32 mode)
{
	static const int modes[] = {
		FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO,
	};
	volatile float x = fl(a), y = fl(b), z = fl(c), r;

	fesetround(modes[mode & 3]);
	r = fmaf(x, y, z);
	fesetround(FE_TONEAREST);
	if (!(mode & 0x20) && fabsf(r) < 0x1p-126f)
		r = copysignf(0, r);
	return float_bits(r);
}

/* the last step of c / b, a being about that */
static u32 fixup(u32 a, u32 b, u32 c)
{
	u32 sign = (b ^ c) & 1u << 31, den = b << 1 >> 1, num = c << 1 >> 1;

	if (isnan(fl(b)) || isnan(fl(c)))
		return 0x7fc00000;
	if (den == num && (!den || den == 0x7f800000))
		return 0x7fc00000;
	if (!den || num == 0x7f800000)
		return sign | 0x7f800000;
	if (!num || den == 0x7f800000)
		return sign;
	return sign | (isnan(fl(a)) ? 0x7f800000 : a << 1 >> 1);
}

static const struct fmt single = { 8, 23 }, half_fmt = { 5, 10 };

#define ROUND32		(mode & 3)
#define ROUND16		(mode >> 2 & 3)
#define NAN16		0x7e00

static u32 input16(u32 x, u32 mode)
{
	return input(x & 0xffff, &(struct fmt){ 5, 10, 0x40, mode });
}

/* a magnitude of less than half, exactly half, or more of a unit is cut off */
static bool away(bool odd, int half, bool neg, u32 round)
{
	return round == 0 ? half > 0 || (half == 0 && odd) :
	       round == 1 ? !neg : round == 2 && neg;
}

/* size * 2^scale in a format: round as FP_ROUND says; denormals, or zero instead */
static u64 round_exact(bool neg, unsigned __int128 size, int scale,
		       const struct fmt *f, u32 round, bool denormals)
{
	int bias = (1 << (f->exp - 1)) - 1, e = scale - 1, cut;
	u64 sign = (u64)neg << (f->exp + f->frac), kept, inf;
	unsigned __int128 rest = 0, half = 0;

	inf = ((1ull << f->exp) - 1) << f->frac;
	if (!size)
		return sign;
	for (rest = size; rest; rest >>= 1)
		e++;
	e = e < 1 - bias ? 1 - bias : e;
	if (e > bias)
		return sign | (inf - !away(true, 1, neg, round));
	cut = e - f->frac - scale;
	if (cut > 126) {		/* next to nothing */
		kept = 0;
		rest = 1;
		half = 2;
	} else if (cut > 0) {
		kept = size >> cut;
		rest = size - ((unsigned __int128)kept << cut);
		half = (unsigned __int128)1 << (cut - 1);
	} else {
		kept = size << -cut;
		rest = 0;
	}
	if (rest)
		kept += away(kept & 1, rest < half ? -1 : rest > half, neg, round);
	if (!denormals && !(kept >> f->frac))
		return sign;
	kept += (u64)(e + bias - 1) << f->frac;
	if (kept >= inf)
		kept = inf - !away(true, 1, neg, round);
	return sign | kept;
}

/* the same of a number of 64 bits at most; of NaNs the first one */
static u32 rounded(long double x, const struct fmt *f, u32 round, bool denormals)
{
	u64 inf = ((1ull << f->exp) - 1) << f->frac;
	int e;

	if (isnan(x))
		return inf | 1ull << (f->frac - 1);
	if (isinf(x))
		return inf | (u64)!!signbit(x) << (f->exp + f->frac);
	frexpl(x, &e);
	return round_exact(signbit(x), (u64)ldexpl(fabsl(x), 64 - e), e - 64, f,
			   round, denormals);
}

static u32 to_half(u32 x, u32 round, bool denormals)
{
	/* a NaN keeps its upper bits */
	if (isnan(fl(x)))
		return x >> 31 << 15 | 0x7e00 | (x >> 13 & 0x3ff);
	return rounded(fl(x), &half_fmt, round, denormals);
}

static int span(u32 n)
{
	return (s32)n > 5000 ? 5000 : (s32)n < -5000 ? -5000 : (s32)n;
}

static u32 product32(u32 a, u32 b, u32 mode)
{
	return rounded((long double)fl(input32(a, mode)) * fl(input32(b, mode)),
		       &single, ROUND32, mode & 0x20);
}

static u32 times_four(u32 x, u32 mode)
{
	if (mode & (0x20 | MODE_IEEE))
		return x;
	/* denormals are zero already, and there is no minus zero */
	return x << 1 ? rounded(fl(x) * 4.0L, &single, ROUND32, false) : 0;
}

static u32 halved16(u32 x, u32 mode)
{
	if (mode & (0x80 | MODE_IEEE))
		return x;
	return rounded(half(x) / 2.0L, &half_fmt, ROUND16, false);
}

/* v_mad: rounds twice, and knows no denormals */
static u32 product_and_sum(u32 a, u32 b, u32 c, u32 mode)
{
	static const int modes[] = {
		FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO,
	};
	u32 nothing = mode & ~0xf0u;
	volatile float p, z, r;

	p = fl(product32(a, b, nothing));
	z = fl(input32(c, nothing));
	fesetround(modes[mode & 3]);
	r = p + z;
	fesetround(FE_TONEAREST);
	return input32(float_bits(r), nothing);
}

/* halves are multiples of 2^-24 */
static __int128 fixed(u32 h)
{
	return half(h) * 0x1p24;
}

/* a zero that changes no product, not even its sign */
static u32 minus_zero(u32 a, u32 b)
{
	return (a ^ b) & 0x8000;
}

static u32 special_sum16(float sum)
{
	return isnan(sum) ? NAN16 : half_bits((_Float16)sum);
}

/* a * b + c, rounded once */
static u32 fused16(u32 a, u32 b, u32 c, u32 mode)
{
	u32 x = input16(a, mode), y = input16(b, mode), z = input16(c, mode);
	float p = (float)half(x) * half(y);
	bool neg = (x ^ y) >> 15 & 1;
	__int128 sum;

	if (isnan(p + half(z)) || isinf(p) || isinf(half(z)))
		return special_sum16(p + half(z));
	sum = fixed(x) * fixed(y) + fixed(z) * (1 << 24);
	if (!sum)	/* of unlike signs: as the mode of rounding */
		neg = neg == z >> 15 ? neg : ROUND16 == 2;
	else
		neg = sum < 0;
	return round_exact(neg, sum < 0 ? -sum : sum, -48, &half_fmt, ROUND16,
			   mode & 0x80);
}

static u32 sum16(u32 a, u32 b, u32 mode)
{
	return fused16(a, 0x3c00, b, mode);
}

static u32 product_and_sum16(u32 a, u32 b, u32 c, u32 mode)
{
	u32 nothing = mode & ~0xf0u;

	return sum16(fused16(a, b, minus_zero(a, b), nothing), c, nothing);
}

static u32 half_or_nan(float x)
{
	return isnan(x) ? NAN16 : half_bits((_Float16)x);
}

static u32 clamped16(u32 x, u32 mode)
{
	if ((x & 0x7fff) > 0x7c00)
		return mode & MODE_DX10_CLAMP ? 0 : x;
	return x & 0x8000 ? 0 : x > 0x3c00 ? 0x3c00 : x;
}

static u32 fraction(u32 x, u32 mode)
{
	long double f = fl(x);
	u32 r;

	if (isinf(f) || isnan(f))
		return 0x7fc00000;
	if (f < 0 && f > -0x1p-39L)	/* one, or what is next to it */
		return 0x3f7fffff;
	r = rounded(f - floorl(f), &single, ROUND32, mode & 0x20);
	if (f == floorl(f))
		r = ROUND32 == 2 ? 0x80000000 : 0;
	return r == 0x3f800000 ? 0x3f7fffff : r;
}

static u64 input64(u64 x, u32 mode)
{
	return input(x, &(struct fmt){ 11, 52, 0x40, mode });
}

static u64 scaled64(u64 x, u32 n, u32 mode)
{
	static const struct fmt f = { 11, 52 };
	long double d;
	int e;

	x = input64(x, mode);
	if (is_nan_class(x, 11, 52))
		return x | 1ull << 51;
	d = ldexpl(dbl(x), span(n));
	if (isinf(d))
		return x;
	frexpl(d, &e);
	return round_exact(x >> 63, (u64)ldexpl(fabsl(d), 64 - e), e - 64, &f,
			   ROUND16, mode & 0x80);
}

static u64 quiet64(u64 x, double (*fn)(double))
{
	return is_nan_class(x, 11, 52) ? x | 1ull << 51 : double_bits(fn(dbl(x)));
}

static u64 widened(u32 x)
{
	if (isnan(fl(x)))
		return (u64)x >> 31 << 63 | 0x7ff8000000000000 |
		       (u64)(x & 0x7fffff) << 29;
	return double_bits(fl(x));
}

static u32 mantissa(float x)
{
	int e;

	return float_bits(isinf(x) || isnan(x) ? x : frexpf(x, &e));
}

static u32 exponent(float x)
{
	int e = 0;

	if (!isinf(x) && !isnan(x))
		frexpf(x, &e);
	return e;
}

static u32 to_int(double x, s64 least, s64 most)
{
	return isnan(x) ? 0 : x < least ? least : x > most ? most : (s64)x;
}

static u32 clamped(u32 x, u32 mode)
{
	if (isnan(fl(x)))
		return mode & MODE_DX10_CLAMP ? 0 : x;
	return x >> 31 ? 0 : fl(x) > 1 ? 0x3f800000 : x;
}

static bool equal32(u32 a, u32 b)
{
	return fl(a) == fl(b);
}

static u64 sum_double(u64 mem, u64 val)
{
	if (is_nan_class(mem, 11, 52))
		return mem | 1ull << 51;
	if (is_nan_class(val, 11, 52))
		return val | 1ull << 51;
	return isnan(dbl(mem) + dbl(val)) ? 0x7ff8000000000000 :
					    double_bits(dbl(mem) + dbl(val));
}

ROWS(ROW_MODEL)

static const struct row rows[] = { ROWS(ROW_ENTRY) };

#define NR_ROWS		(sizeof(rows) / sizeof(rows[0]))

/* AMD's examples: what a function makes of an operand for which it is not defined */
static const struct {
	const char *name;
	u32 a, want;
} undefined[] = {
	{ "v_sqrt_f32", 0xff800000, 0xffc00000 },
	{ "v_rsq_f32", 0xff800000, 0xffc00000 },
	{ "v_log_f32", 0xff800000, 0xffc00000 },
	{ "v_log_f32", 0xbf800000, 0xffc00000 },
	{ "v_sin_f32", 0xff800000, 0xffc00000 },
	{ "v_cos_f32", 0x7f800000, 0xffc00000 },
	{ "v_sqrt_f16", 0xfc00, 0xfe00 }, { "v_rsq_f16", 0xfc00, 0xfe00 },
	{ "v_log_f16", 0xbc00, 0xfe00 }, { "v_sin_f16", 0x7c00, 0xfe00 },
	/* and where it is */
	{ "v_sqrt_f32", 0x80000000, 0x80000000 },
	{ "v_rsq_f32", 0x80000000, 0xff800000 },
	{ "v_log_f32", 0x80000000, 0xff800000 },
	{ "v_sin_f32", 0xff7fffff, 0 }, { "v_sin_f32", 0x80000000, 0x80000000 },
	{ "v_cos_f32", 0x3e800000, 0 }, { "v_rcp_f32", 0xff800000, 0x80000000 },
	{ "v_exp_f32", 0xff800000, 0 },
};

static void functions(void)
{
	unsigned int n;
	bool ok = true;

	for (n = 0; n < sizeof(undefined) / sizeof(undefined[0]); n++) {
		prepare(1);
		w->mode = MODE_FP_DENORM | MODE_IEEE;
		w->v[1][0] = undefined[n].a;
		if (run(undefined[n].name) && w->v[0][0] == undefined[n].want)
			continue;
		tap_note("%s(%08x): %08x, want %08x", undefined[n].name,
			 undefined[n].a, w->v[0][0], undefined[n].want);
		ok = false;
	}
	tap_ok(ok, "functions of AMD's examples");
}

/* what MODE says of denormals of binary16 is ignored on gfx900 */
static bool mixed_denormals(enum gfx9_arch arch)
{
	bool keeps = arch != GFX9_GFX900, ok;

	prepare(1);
	w->arch = arch;
	w->mode = MODE_FP_DENORM;
	w->v[1][0] = float_bits(-0x1p-20);
	w->v[2][0] = float_bits(1);
	w->v[3][0] = 0x80000000;
	ok = run("mix_low") && (w->v[0][0] & 0xffff) == (keeps ? 0x8010 : 0x8000);
	ok &= run("mix_high") && w->v[0][0] >> 16 == (keeps ? 0x8010 : 0x8000);
	w->v[1][0] = 0x0200;
	w->v[2][0] = 0x6400;	/* 1024 */
	w->v[3][0] = 0;
	ok &= run("mix_halves") && w->v[0][0] == (keeps ? float_bits(0x1p-5) : 0);
	w->arch = GFX9_GFX90A;
	return ok;
}

int main(int argc, char **argv)
{
	if (!set_up(argc, argv))
		return 2;
	tap_plan(NR_ROWS + 3);
	all_rows(rows, NR_ROWS);
	functions();
	tap_ok(mixed_denormals(GFX9_GFX90A), "v_fma_mix: denormals of binary16");
	tap_ok(mixed_denormals(GFX9_GFX900), "v_mad_mix: no denormals of binary16");
	machine_reset();
	return tap_status();
}
