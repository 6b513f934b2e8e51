// SPDX-License-Identifier: GPL-2.0
/*
 * binary32, the most frequent format: the operations of softfloat_ops.h with a
 * constant format, which the compiler specialises.
 */
#define SF_ONE_FORMAT
#include "softfloat_ops.h"

const struct sf_format sf_half = { .frac_bits = 10, .exp_bits = 5 };
const struct sf_format sf_bfloat16 = { .frac_bits = 7, .exp_bits = 8 };
const struct sf_format sf_single = { .frac_bits = 23, .exp_bits = 8 };
const struct sf_format sf_double = { .frac_bits = 52, .exp_bits = 11 };

u32 sf_add(u32 a, u32 b, unsigned long fm)
{
	return __sfa_add(&sf_single, a, b, fm);
}

u32 sf_mul(u32 a, u32 b, unsigned long fm)
{
	return __sfa_mul(&sf_single, a, b, fm);
}

u32 sf_fma(u32 a, u32 b, u32 c, unsigned long fm)
{
	return __sfa_fma(&sf_single, a, b, c, fm);
}

u32 sf_min(u32 a, u32 b, unsigned long fm)
{
	return __sfa_min(&sf_single, a, b, fm);
}

u32 sf_max(u32 a, u32 b, unsigned long fm)
{
	return __sfa_max(&sf_single, a, b, fm);
}

u32 sf_ldexp(u32 a, s32 n, unsigned long fm)
{
	return __sfa_ldexp(&sf_single, a, n, fm);
}

unsigned int sf_cmp(u32 a, u32 b, unsigned long fm)
{
	return __sfa_cmp(&sf_single, a, b, fm);
}

u32 sf_rint(u32 x, unsigned long fm)
{
	return __sfa_rint(&sf_single, x, fm);
}

u32 sf_fract(u32 x, unsigned long fm)
{
	return __sfa_fract(&sf_single, x, fm);
}

u32 sf_from_u32(u32 x, unsigned long fm)
{
	return __sfa_from_u32(&sf_single, x, fm);
}

u32 sf_from_s32(s32 x, unsigned long fm)
{
	return __sfa_from_s32(&sf_single, x, fm);
}

u32 sf_from_half(u16 x, unsigned long fm)
{
	return __sfa_convert(&sf_single, &sf_half, x, fm);
}

u16 sf_to_half(u32 x, unsigned long fm)
{
	return __sfa_convert(&sf_half, &sf_single, x, fm);
}

static __always_inline struct sfx unpack_silently(u32 x, unsigned long fm)
{
	return __sfx_unpack(&sf_single, x, fm & SF_MODE);
}

bool sf_is_zero(u32 x, unsigned long fm)
{
	return unpack_silently(x, fm).cls == SF_CLASS_ZERO;
}

u32 sf_to_u32(u32 x, unsigned long fm)
{
	struct sfx n = unpack_silently(x, fm);

	return __sfx_to_u32(&n, (fm & ~SF_ROUND) | SF_ZERO);
}

s32 sf_to_s32(u32 x, unsigned long fm)
{
	struct sfx n = unpack_silently(x, fm);

	return __sfx_to_s32(&n, (fm & ~SF_ROUND) | SF_ZERO);
}
