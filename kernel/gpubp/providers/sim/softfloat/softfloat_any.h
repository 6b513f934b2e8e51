/* SPDX-License-Identifier: GPL-2.0 */
/*
 * IEEE 754 numbers of any format in integer arithmetic: binary64 and binary16
 * of vector instructions, what mixes formats, and transcendental functions.
 * binary32 has faster functions of its own (softfloat.h); the rounding and
 * flushing argument @fm is the same. Pure.
 */
#ifndef _GPUBP_SIM_SOFTFLOAT_ANY_H
#define _GPUBP_SIM_SOFTFLOAT_ANY_H

#include "softfloat.h"

/**
 * struct sf_format - an interchange format
 * @frac_bits: bits of the fraction
 * @exp_bits: bits of the exponent
 */
struct sf_format {
	u8 frac_bits;
	u8 exp_bits;
};

extern const struct sf_format sf_half, sf_single, sf_double;

/**
 * struct sfx - an unpacked number of any format
 * @hi: if finite, its value is (hi * 2^64 + lo) * 2^(e - 126), bit 62 of @hi
 *	the highest set. If NaN, the fraction below that bit
 * @lo: lower half; bit 0 may be sticky: "and something below"
 * @e: exponent
 * @neg: sign
 * @cls: what it is
 */
struct sfx {
	u64 hi, lo;
	s32 e;
	bool neg;
	enum sf_class cls;
};

struct sfx sfx_unpack(const struct sf_format *f, u64 bits, unsigned long fm);
u64 sfx_pack(const struct sf_format *f, const struct sfx *x, unsigned long fm);
struct sfx sfx_nan(unsigned long fm);
struct sfx sfx_from_u64(u64 mag, bool neg);

struct sfx sfx_add(const struct sfx *a, const struct sfx *b, unsigned long fm);
struct sfx sfx_mul(const struct sfx *a, const struct sfx *b, unsigned long fm);
struct sfx sfx_div(const struct sfx *a, const struct sfx *b, unsigned long fm);
struct sfx sfx_sqrt(const struct sfx *a, unsigned long fm);

/**
 * sfx_to_u64() - magnitude, rounded to an integer
 * @x: finite
 * @fm: rounding mode
 *
 * Return: the magnitude, U64_MAX if it does not fit into 62 bits.
 */
u64 sfx_to_u64(const struct sfx *x, unsigned long fm);

/* softfloat_math.c: at least 58 right bits. Angles are in revolutions */
struct sfx sfx_rsq(const struct sfx *a, unsigned long fm);
struct sfx sfx_exp2(const struct sfx *a, unsigned long fm);
struct sfx sfx_log2(const struct sfx *a, unsigned long fm);
struct sfx sfx_sin(const struct sfx *a, unsigned long fm);
struct sfx sfx_cos(const struct sfx *a, unsigned long fm);

/* on the bits of numbers */
bool sfa_is_nan(const struct sf_format *f, u64 x);
u64 sfa_sign(const struct sf_format *f);
u64 sfa_inf(const struct sf_format *f);
u64 sfa_one(const struct sf_format *f);
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

#endif /* _GPUBP_SIM_SOFTFLOAT_ANY_H */
