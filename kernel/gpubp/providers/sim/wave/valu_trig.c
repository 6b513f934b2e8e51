// SPDX-License-Identifier: GPL-2.0
/*
 * v_trig_preop_f64: digits of 2/pi, by which programs reduce large arguments of
 * trigonometric functions. AMD's instruction set manuals describe it.
 */
#include <linux/bits.h>
#include <linux/kernel.h>
#include "../softfloat/softfloat.h"
#include "valu.h"

#define EXPONENT(x)		((unsigned int)((x) >> 52) & 0x7ff)
#define MANTISSA(x)		((x) & GENMASK_ULL(51, 0))
#define QUIET			BIT_ULL(51)
#define SEGMENT_BITS		53

/* the digits before are a multiple of four in the quotient, from that exponent on */
#define FIRST_SKIPPED		1077
/* results would be denormal, and are scaled */
#define FIRST_SCALED		1968
#define SCALE			128

/* 1201 binary digits behind the point */
static const u32 two_over_pi[] = {
	0xa2f9836e, 0x4e441529, 0xfc2757d1, 0xf534ddc0, 0xdb629599, 0x3c439041,
	0xfe5163ab, 0xdebbc561, 0xb7246e3a, 0x424dd2e0, 0x06492eea, 0x09d1921c,
	0xfe1deb1c, 0xb129a73e, 0xe88235f5, 0x2ebb4484, 0xe99c7026, 0xb45f7e41,
	0x3991d639, 0x835339f4, 0x9c845f8b, 0xbdf9283b, 0x1ff897ff, 0xde05980f,
	0xef2f118b, 0x5a0a6d1f, 0x6d367ecf, 0x27cb09b7, 0x4f463f66, 0x9e5fea2d,
	0x7527bac7, 0xebe5f17b, 0x3d0739f7, 0x8a5292ea, 0x6bfb5fb1, 0x1f8d5d08,
	0x56033046, 0xfc7b0000,
};

static u64 digits_word(unsigned int nr)
{
	return nr < ARRAY_SIZE(two_over_pi) ? two_over_pi[nr] : 0;
}

/* SEGMENT_BITS digits from @first on; zeros are behind those of the table */
static u64 digits_at(unsigned int first)
{
	unsigned int nr = first / 32, skip = first % 32;
	u64 high = digits_word(nr) << 32 | digits_word(nr + 1);

	if (skip)
		high = high << skip | digits_word(nr + 2) >> (32 - skip);
	return high >> (64 - SEGMENT_BITS);
}

/*
 * sim_trig_preop() - the digits that matter for an argument
 * @a: it, binary64
 * @segment: which of them, 0 are the first
 * @fm: floating-point mode
 */
u64 sim_trig_preop(u64 a, u32 segment, unsigned long fm)
{
	unsigned int first = (segment & 31) * SEGMENT_BITS;
	struct sfx x;

	if (EXPONENT(a) == 0x7ff && MANTISSA(a))
		return a | QUIET;
	if (EXPONENT(a) > FIRST_SKIPPED)
		first += EXPONENT(a) - FIRST_SKIPPED;
	x = sfx_from_u64(digits_at(first), false);
	x.e -= SEGMENT_BITS + (int)first;
	if (EXPONENT(a) >= FIRST_SCALED)
		x.e += SCALE;
	return sfx_pack(&sf_double, &x, (fm & ~SF_ROUND) | SF_ZERO);
}
