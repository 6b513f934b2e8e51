/* SPDX-License-Identifier: GPL-2.0 */
/*
 * softfloat/ implements IEEE 754 in integer arithmetic: kernel code must not
 * use the floating-point unit. Results are correctly rounded, except those of
 * transcendental functions. Pure. Other folders may include this header only.
 *
 * There is one implementation for all formats (softfloat_arith.h,
 * softfloat_ops.h). Functions sf_*() are its instances for binary32, sfa_*()
 * take any format, sfx_*() compute with unpacked numbers.
 *
 * NaN results: the first NaN operand, made quiet, else a quiet NaN without sign
 * and payload.
 */
#ifndef _GPUBP_PROVIDERS_SIM_SOFTFLOAT_SOFTFLOAT_H
#define _GPUBP_PROVIDERS_SIM_SOFTFLOAT_SOFTFLOAT_H

#include <linux/types.h>

/*
 * Modes: the argument @fm of all functions. The rounding modes are those of
 * MODE.FP_ROUND. The other bits may hold a pointer to exception flags:
 * sf_gather().
 */
#define SF_ROUND		0x3
#define SF_NEAREST		0x0
#define SF_UP			0x1
#define SF_DOWN			0x2
#define SF_ZERO			0x3
#define SF_FLUSH_IN		0x4	/* denormal operands are zero */
#define SF_FLUSH_OUT		0x8	/* denormal results are zero */
#define SF_IEEE			0x10	/* MODE.IEEE: signalling NaNs in min, max */
#define SF_FLUSH		(SF_FLUSH_IN | SF_FLUSH_OUT)
#define SF_KNOWN_INEXACT	0x20	/* inexact is set already */
#define SF_MODE			0x3f	/* all of these */

/* exceptions of IEEE 754, numbered as in TRAPSTS and MODE.EXCP_EN */
#define SF_INVALID		0x01
#define SF_DENORMAL		0x02	/* a denormal operand, not flushed */
#define SF_DIV0			0x04	/* infinite result of finite operands */
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
 * sf_gather() - add a pointer to exception flags to @fm
 * @fm: modes
 * @flags: operations add their exceptions; aligned, so that the mode bits are
 *	free
 */
static inline unsigned long sf_gather(unsigned long fm, struct sf_flags *flags)
{
	return (fm & SF_MODE) | (unsigned long)flags;
}

/** sf_raise() - record exceptions, if @fm has flags */
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

/* relation of two numbers; the bits of a VOPC float opcode */
#define SF_LESS			0x1
#define SF_EQUAL		0x2
#define SF_GREATER		0x4
#define SF_UNORDERED		0x8

enum sf_class { SF_CLASS_ZERO, SF_CLASS_FINITE, SF_CLASS_INF, SF_CLASS_NAN };

static inline bool sf_is_nan(u32 x)
{
	return (x & ~SF_SIGN) > SF_INF;
}

/**
 * sf_rounds_away() - is the magnitude rounded up?
 * @kept: bits that are kept
 * @rest: bits that are cut off
 * @half: half of the lowest bit kept
 * @neg: sign
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

/*
 * binary32 (softfloat.c). To integers: truncated, saturated, 0 for a NaN; a
 * denormal operand of these is no exception.
 */
bool sf_is_zero(u32 x, unsigned long fm);	/* or flushed to zero */
u32 sf_add(u32 a, u32 b, unsigned long fm);
u32 sf_mul(u32 a, u32 b, unsigned long fm);
u32 sf_fma(u32 a, u32 b, u32 c, unsigned long fm);
u32 sf_min(u32 a, u32 b, unsigned long fm);
u32 sf_max(u32 a, u32 b, unsigned long fm);
u32 sf_ldexp(u32 a, s32 n, unsigned long fm);
unsigned int sf_cmp(u32 a, u32 b, unsigned long fm);
u32 sf_from_u32(u32 x, unsigned long fm);
u32 sf_from_s32(s32 x, unsigned long fm);
u32 sf_to_u32(u32 x, unsigned long fm);
s32 sf_to_s32(u32 x, unsigned long fm);
u32 sf_rint(u32 x, unsigned long fm);
u32 sf_fract(u32 x, unsigned long fm);
u32 sf_from_half(u16 x, unsigned long fm);
u16 sf_to_half(u32 x, unsigned long fm);

/**
 * struct sf_format - an interchange format
 * @frac_bits: bits of the fraction
 * @exp_bits: bits of the exponent
 */
struct sf_format {
	u8 frac_bits;
	u8 exp_bits;
};

extern const struct sf_format sf_half, sf_bfloat16, sf_single, sf_double;

/**
 * struct sfx - an unpacked number of any format
 * @hi: if finite, its value is (hi * 2^64 + lo) * 2^(e - 126), bit 62 of @hi
 *	the highest set. If NaN, the fraction below that bit
 * @lo: lower half; bit 0 may be sticky: set if lower bits were lost
 * @e: exponent
 * @neg: sign
 * @cls: class
 */
struct sfx {
	u64 hi, lo;
	s32 e;
	bool neg;
	enum sf_class cls;
};

/* softfloat_any.c */
struct sfx sfx_unpack(const struct sf_format *f, u64 bits, unsigned long fm);
u64 sfx_pack(const struct sf_format *f, const struct sfx *x, unsigned long fm);
struct sfx sfx_from_u64(u64 mag, bool neg);

struct sfx sfx_add(const struct sfx *a, const struct sfx *b, unsigned long fm);
struct sfx sfx_mul(const struct sfx *a, const struct sfx *b, unsigned long fm);
struct sfx sfx_div(const struct sfx *a, const struct sfx *b, unsigned long fm);
struct sfx sfx_sqrt(const struct sfx *a, unsigned long fm);

/* softfloat_math.c: at least 58 right bits. Angles are in revolutions */
struct sfx sfx_rsq(const struct sfx *a, unsigned long fm);
struct sfx sfx_exp2(const struct sfx *a, unsigned long fm);
struct sfx sfx_log2(const struct sfx *a, unsigned long fm);
struct sfx sfx_sin(const struct sfx *a, unsigned long fm);
struct sfx sfx_cos(const struct sfx *a, unsigned long fm);

static inline u64 sfa_sign(const struct sf_format *f)
{
	return 1ull << (f->frac_bits + f->exp_bits);
}

static inline u64 sfa_inf(const struct sf_format *f)
{
	return ((1ull << f->exp_bits) - 1) << f->frac_bits;
}

static inline u64 sfa_one(const struct sf_format *f)
{
	return ((1ull << (f->exp_bits - 1)) - 1) << f->frac_bits;
}

/* set in a quiet NaN */
static inline u64 sfa_quiet_bit(const struct sf_format *f)
{
	return 1ull << (f->frac_bits - 1);
}

static inline u64 sfa_magnitude(const struct sf_format *f, u64 x)
{
	return x & (sfa_sign(f) - 1);
}

static inline bool sfa_is_nan(const struct sf_format *f, u64 x)
{
	return sfa_magnitude(f, x) > sfa_inf(f);
}

/* softfloat_any.c: on the bits of numbers */
u64 sfa_add(const struct sf_format *f, u64 a, u64 b, unsigned long fm);
u64 sfa_mul(const struct sf_format *f, u64 a, u64 b, unsigned long fm);
u64 sfa_fma(const struct sf_format *f, u64 a, u64 b, u64 c, unsigned long fm);
u64 sfa_fma_scaled(const struct sf_format *f, u64 a, u64 b, u64 c, s32 n,
		   unsigned long fm);
u64 sfa_div(const struct sf_format *f, u64 a, u64 b, unsigned long fm);
u64 sfa_sqrt(const struct sf_format *f, u64 a, unsigned long fm);
u64 sfa_min(const struct sf_format *f, u64 a, u64 b, unsigned long fm);
u64 sfa_max(const struct sf_format *f, u64 a, u64 b, unsigned long fm);
u64 sfa_ldexp(const struct sf_format *f, u64 a, s32 n, unsigned long fm);
u64 sfa_rint(const struct sf_format *f, u64 a, unsigned long fm);
u64 sfa_fract(const struct sf_format *f, u64 a, unsigned long fm);
u64 sfa_frexp_mant(const struct sf_format *f, u64 a, unsigned long fm);
s32 sfa_frexp_exp(const struct sf_format *f, u64 a, unsigned long fm);
unsigned int sfa_cmp(const struct sf_format *f, u64 a, u64 b, unsigned long fm);
unsigned int sfa_class(const struct sf_format *f, u64 a, unsigned long fm);
u64 sfa_convert(const struct sf_format *to, const struct sf_format *from,
		u64 a, unsigned long fm);
u32 sfa_to_u32(const struct sf_format *f, u64 a, unsigned long fm);
s32 sfa_to_s32(const struct sf_format *f, u64 a, unsigned long fm);
u64 sfa_from_u32(const struct sf_format *f, u32 x, unsigned long fm);
u64 sfa_from_s32(const struct sf_format *f, s32 x, unsigned long fm);

#endif /* _GPUBP_PROVIDERS_SIM_SOFTFLOAT_SOFTFLOAT_H */
