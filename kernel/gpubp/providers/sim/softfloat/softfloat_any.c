// SPDX-License-Identifier: GPL-2.0
/*
 * Numbers of any format: one function per operation, with the format as
 * argument.
 */
#include "softfloat_ops.h"

struct sfx sfx_unpack(const struct sf_format *f, u64 bits, unsigned long fm)
{
	return __sfx_unpack(f, bits, fm);
}

u64 sfx_pack(const struct sf_format *f, const struct sfx *x, unsigned long fm)
{
	return __sfx_pack(f, x, fm);
}

struct sfx sfx_from_u64(u64 mag, bool neg)
{
	return __sfx_from_u64(mag, neg);
}

struct sfx sfx_add(const struct sfx *a, const struct sfx *b, unsigned long fm)
{
	return __sfx_add(a, b, fm);
}

struct sfx sfx_mul(const struct sfx *a, const struct sfx *b, unsigned long fm)
{
	return __sfx_mul(a, b, fm);
}

struct sfx sfx_div(const struct sfx *a, const struct sfx *b, unsigned long fm)
{
	return __sfx_div(a, b, fm);
}

struct sfx sfx_sqrt(const struct sfx *a, unsigned long fm)
{
	return __sfx_sqrt(a, fm);
}

u64 sfa_add(const struct sf_format *f, u64 a, u64 b, unsigned long fm)
{
	return __sfa_add(f, a, b, fm);
}

u64 sfa_mul(const struct sf_format *f, u64 a, u64 b, unsigned long fm)
{
	return __sfa_mul(f, a, b, fm);
}

u64 sfa_fma(const struct sf_format *f, u64 a, u64 b, u64 c, unsigned long fm)
{
	return __sfa_fma(f, a, b, c, fm);
}

u64 sfa_fma_scaled(const struct sf_format *f, u64 a, u64 b, u64 c, s32 n,
		   unsigned long fm)
{
	return __sfa_fma_scaled(f, a, b, c, n, fm);
}

u64 sfa_div(const struct sf_format *f, u64 a, u64 b, unsigned long fm)
{
	return __sfa_div(f, a, b, fm);
}

u64 sfa_sqrt(const struct sf_format *f, u64 a, unsigned long fm)
{
	return __sfa_sqrt(f, a, fm);
}

u64 sfa_min(const struct sf_format *f, u64 a, u64 b, unsigned long fm)
{
	return __sfa_min(f, a, b, fm);
}

u64 sfa_max(const struct sf_format *f, u64 a, u64 b, unsigned long fm)
{
	return __sfa_max(f, a, b, fm);
}

u64 sfa_ldexp(const struct sf_format *f, u64 a, s32 n, unsigned long fm)
{
	return __sfa_ldexp(f, a, n, fm);
}

u64 sfa_rint(const struct sf_format *f, u64 a, unsigned long fm)
{
	return __sfa_rint(f, a, fm);
}

u64 sfa_fract(const struct sf_format *f, u64 a, unsigned long fm)
{
	return __sfa_fract(f, a, fm);
}

u64 sfa_frexp_mant(const struct sf_format *f, u64 a, unsigned long fm)
{
	return __sfa_frexp_mant(f, a, fm);
}

s32 sfa_frexp_exp(const struct sf_format *f, u64 a, unsigned long fm)
{
	return __sfa_frexp_exp(f, a, fm);
}

unsigned int sfa_cmp(const struct sf_format *f, u64 a, u64 b, unsigned long fm)
{
	return __sfa_cmp(f, a, b, fm);
}

unsigned int sfa_class(const struct sf_format *f, u64 a, unsigned long fm)
{
	return __sfa_class(f, a, fm);
}

u64 sfa_convert(const struct sf_format *to, const struct sf_format *from,
		u64 a, unsigned long fm)
{
	return __sfa_convert(to, from, a, fm);
}

u32 sfa_to_u32(const struct sf_format *f, u64 a, unsigned long fm)
{
	struct sfx x = __sfx_unpack(f, a, fm);

	return __sfx_to_u32(&x, fm);
}

s32 sfa_to_s32(const struct sf_format *f, u64 a, unsigned long fm)
{
	struct sfx x = __sfx_unpack(f, a, fm);

	return __sfx_to_s32(&x, fm);
}

u64 sfa_from_u32(const struct sf_format *f, u32 x, unsigned long fm)
{
	return __sfa_from_u32(f, x, fm);
}

u64 sfa_from_s32(const struct sf_format *f, s32 x, unsigned long fm)
{
	return __sfa_from_s32(f, x, fm);
}
