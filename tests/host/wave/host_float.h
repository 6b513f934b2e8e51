/* SPDX-License-Identifier: GPL-2.0 */
/* Bits as the host's floating point numbers and back, and boundary values of formats. */
#ifndef _HOST_FLOAT_H
#define _HOST_FLOAT_H

#include <string.h>
#include "providers/sim/softfloat/softfloat.h"

static inline float flt(u32 bits)
{
	float x;

	memcpy(&x, &bits, sizeof(x));
	return x;
}

static inline u32 flt_bits(float x)
{
	u32 bits;

	memcpy(&bits, &x, sizeof(bits));
	return bits;
}

static inline double dbl(u64 bits)
{
	double x;

	memcpy(&x, &bits, sizeof(x));
	return x;
}

static inline u64 dbl_bits(double x)
{
	u64 bits;

	memcpy(&bits, &x, sizeof(bits));
	return bits;
}

#define NR_EDGES	144

/* boundary values of a format: by exponent, then by fraction */
static inline u64 edge(const struct sf_format *f, unsigned int n)
{
	static const int exps[] = { 0, 1, 2, -1, -2, 3 };
	int max = (1 << f->exp_bits) - 1, bias = max / 2, e;
	u64 one = 1, frac[] = { 0, 1, (one << f->frac_bits) - 1,
				one << (f->frac_bits - 1), 2, 5 };

	e = n % 12 < 6 ? exps[n % 6] & max : bias + exps[n % 6] * 3;
	n /= 12;
	return (u64)(n & 1) << (f->frac_bits + f->exp_bits) |
	       (u64)e << f->frac_bits | frac[n / 2 % 6];
}

#endif /* _HOST_FLOAT_H */
