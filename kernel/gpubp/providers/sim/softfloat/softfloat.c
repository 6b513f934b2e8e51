// SPDX-License-Identifier: GPL-2.0
/*
 * binary32, the most frequent format: the operations of softfloat_ops.h with a
 * constant format, which the compiler specialises. Sums and products of normal
 * numbers that are normal themselves, that is almost all, take a shorter way: their
 * significands fit into one word, and nothing but inexact can be raised.
 */
#define SF_ONE_FORMAT
#include "softfloat_ops.h"

const struct sf_format sf_half = { .frac_bits = 10, .exp_bits = 5 };
const struct sf_format sf_bfloat16 = { .frac_bits = 7, .exp_bits = 8 };
const struct sf_format sf_single = { .frac_bits = 23, .exp_bits = 8 };
const struct sf_format sf_double = { .frac_bits = 52, .exp_bits = 11 };

static noinline u32 any_add(u32 a, u32 b, unsigned long fm)
{
	return __sfa_add(&sf_single, a, b, fm);
}

static noinline u32 any_mul(u32 a, u32 b, unsigned long fm)
{
	return __sfa_mul(&sf_single, a, b, fm);
}

static noinline u32 any_fma(u32 a, u32 b, u32 c, unsigned long fm)
{
	return __sfa_fma(&sf_single, a, b, c, fm);
}

#define FRAC_BITS	23
#define BIAS		127
#define EXP_MAX		255

/* neither zero, denormal, infinite nor NaN */
static __always_inline bool single_is_normal(u32 x)
{
	return (((x >> FRAC_BITS) + 1) & EXP_MAX) > 1;
}

static __always_inline s32 single_exp(u32 x)
{
	return (x >> FRAC_BITS) & EXP_MAX;
}

static __always_inline u64 single_sig(u32 x)
{
	return (x & ((1u << FRAC_BITS) - 1)) | 1u << FRAC_BITS;
}

/**
 * struct single - a normal number unpacked, or a product or sum of such
 * @sig: significand, not 0
 * @zeros: its lowest bits, which are zero
 * @exp: biased exponent if its highest bit were SFX_LEAD
 * @sign: 0 or SF_SIGN
 */
struct single {
	u64 sig;
	u32 zeros;
	s32 exp;
	u32 sign;
};

/* two bits below SFX_LEAD: a sum with a product of two needs no more */
static __always_inline struct single single_unpack(u32 x)
{
	const u32 zeros = SFX_LEAD - 2 - FRAC_BITS;

	return (struct single){ single_sig(x) << zeros, zeros,
				single_exp(x) + 2, x & SF_SIGN };
}

static __always_inline struct single single_mul(u32 a, u32 b)
{
	const u32 zeros = SFX_LEAD - 2 - 2 * FRAC_BITS;

	return (struct single){ single_sig(a) * single_sig(b) << zeros, zeros,
				single_exp(a) + single_exp(b) - BIAS + 2,
				(a ^ b) & SF_SIGN };
}

/* shift right; bits that are lost set a sticky bit */
static __always_inline u64 single_shift(struct single x, u32 n)
{
	if (n <= x.zeros)
		return x.sig >> n;
	return n < 64 ? x.sig >> n | ((x.sig & ((1ull << n) - 1)) != 0) : 1;
}

/* both are below SFX_LEAD, so there is no carry; the result may be 0 */
static __always_inline struct single
single_add(struct single a, struct single b)
{
	if (a.exp < b.exp) {
		a.sig = single_shift(a, b.exp - a.exp);
		a.exp = b.exp;
	} else {
		b.sig = single_shift(b, a.exp - b.exp);
	}
	if (a.sign == b.sign) {
		a.sig += b.sig;
	} else if (a.sig > b.sig) {
		a.sig -= b.sig;
	} else {
		a.sign = b.sign;
		a.sig = b.sig - a.sig;
	}
	return a;
}

/* what carries into the bits that are kept if these are to be rounded up */
static __always_inline u64 single_carry(const struct single *x, unsigned long fm)
{
	u64 unit = 1ull << (SFX_LEAD - FRAC_BITS);

	if ((fm & SF_ROUND) == SF_NEAREST)
		return unit / 2 - !(x->sig & unit);
	return (fm & SF_ROUND) == (x->sign ? SF_DOWN : SF_UP) ? unit - 1 : 0;
}

/* false if the result may be denormal or infinite */
static __always_inline bool
single_pack(struct single x, unsigned long fm, u32 *res)
{
	unsigned int shift = SFX_LEAD + 1 - fls64(x.sig);

	x.exp -= shift;
	/* rounding may increase it by one */
	if (x.exp < 1 || x.exp >= EXP_MAX - 1)
		return false;
	x.sig <<= shift;
	if (!(fm & SF_KNOWN_INEXACT) && x.sig << (64 - SFX_LEAD + FRAC_BITS))
		sf_raise(fm, SF_INEXACT);
	x.sig += single_carry(&x, fm);
	/* the hidden bit adds one to the exponent */
	*res = x.sign | (((u32)(x.exp - 1) << FRAC_BITS) +
			 (u32)(x.sig >> (SFX_LEAD - FRAC_BITS)));
	return true;
}

static __always_inline bool
single_pack_sum(struct single x, unsigned long fm, u32 *res)
{
	if (x.sig)
		return single_pack(x, fm, res);
	*res = (fm & SF_ROUND) == SF_DOWN ? SF_SIGN : 0;
	return true;
}

u32 sf_add(u32 a, u32 b, unsigned long fm)
{
	u32 res;

	if (single_is_normal(a) && single_is_normal(b) &&
	    single_pack_sum(single_add(single_unpack(a), single_unpack(b)), fm,
			    &res))
		return res;
	return any_add(a, b, fm);
}

u32 sf_mul(u32 a, u32 b, unsigned long fm)
{
	u32 res;

	if (single_is_normal(a) && single_is_normal(b) &&
	    single_pack(single_mul(a, b), fm, &res))
		return res;
	return any_mul(a, b, fm);
}

u32 sf_fma(u32 a, u32 b, u32 c, unsigned long fm)
{
	u32 res;

	if (single_is_normal(a) && single_is_normal(b) && single_is_normal(c) &&
	    single_pack_sum(single_add(single_mul(a, b), single_unpack(c)), fm,
			    &res))
		return res;
	return any_fma(a, b, c, fm);
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
