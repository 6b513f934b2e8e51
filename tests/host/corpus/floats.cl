// SPDX-License-Identifier: GPL-2.0
/* Floating point: bit-exact, except f32_root. */
#include "corpus.h"

__kernel WG(64, 1, 1)
void f32_arith(IN(float) a, IN(float) b, OUT(uint) o, uint n)
{
	uint i = ID;
	float x, y;

	if (i >= n)
		return;
	x = a[i];
	y = b[i];
	o[8 * i] = bits(x + y);
	o[8 * i + 1] = bits(x - y);
	o[8 * i + 2] = bits(x * y);
	o[8 * i + 3] = bits(__builtin_fmaf(x, y, a[n - i]));
	o[8 * i + 4] = bits(x * y + a[n - i]);
	o[8 * i + 5] = bits(-__builtin_fabsf(x) * 2.0f);
	o[8 * i + 6] = bits((x + y) * 0.5f);
	o[8 * i + 7] = bits(__builtin_copysignf(x, y) - 4.0f * y);
}

__kernel WG(64, 1, 1)
void f32_compare(IN(float) a, IN(float) b, OUT(uint) o, uint n)
{
	uint i = ID, r;
	float x, y;

	if (i >= n)
		return;
	x = a[i];
	y = i & 3 ? b[i] : x;
	r = (x < y) | (x <= y) << 1 | (x > y) << 2 | (x >= y) << 3;
	r |= (x == y) << 4 | (x != y) << 5 | !(x < y) << 6 | !(x >= y) << 7;
	r |= __builtin_isunordered(x, y) << 8 | __builtin_isless(x, y) << 9;
	r |= (x != x) << 10 | (__builtin_fabsf(x) == __builtin_inff()) << 11;
	if (x > 0.0f && y < 1.0f)
		r |= 0x1000;
	if (!(x == 0.0f) || y != y)
		r |= 0x2000;
	o[3 * i] = r;
	o[3 * i + 1] = bits(x < y ? x : y);
	o[3 * i + 2] = bits(x >= y ? y * 2.0f : -x);
}

__kernel WG(64, 1, 1)
void f32_min_max(IN(float) a, IN(float) b, OUT(uint) o, uint n)
{
	uint i = ID;
	float x, y;

	if (i >= n)
		return;
	/* which of two zeros is the minimum is undefined */
	x = a[i] == 0.0f ? 0.0f : a[i];
	y = b[i] == 0.0f ? 0.0f : b[i];
	/* so is the result for a signalling NaN */
	x = x != x ? as_float(0x7fc00000) : x;
	y = y != y ? as_float(0x7fc00000) : y;
	o[3 * i] = bits(__builtin_fminf(x, y));
	o[3 * i + 1] = bits(__builtin_fmaxf(x, y));
	o[3 * i + 2] = bits(__builtin_fminf(__builtin_fmaxf(x, -2.0f), 3.0f));
}

static int to_int(float x)
{
	return x >= -2147483648.0f && x < 2147483648.0f ? (int)x : 77;
}

__kernel WG(64, 1, 1)
void f32_to_int(IN(float) a, IN(float) b, OUT(uint) o, uint n)
{
	uint i = ID;
	float x;

	if (i >= n)
		return;
	x = a[i];
	o[6 * i] = to_int(x);
	o[6 * i + 1] = x > -1.0f && x < 4294967296.0f ? (uint)x : 5;
	o[6 * i + 2] = x > -100.0f && x < 100.0f ? (char)x : 3;
	o[6 * i + 3] = x > -1.0f && x < 60000.0f ? (ushort)x : 4;
	*(OUT(long))&o[6 * i + 4] =
		x > -9.2e18f && x < 9.2e18f ? (long)x :
		x > 0.0f && x < 1.8e19f ? (long)(ulong)x : -1;
}

__kernel WG(64, 1, 1)
void int_to_f32(IN(uint) a, IN(ulong) b, OUT(float) o, uint n)
{
	uint i = ID;
	ulong y;

	if (i >= n)
		return;
	y = b[i] >> (i & 63);
	o[8 * i] = a[i];
	o[8 * i + 1] = (int)a[i];
	o[8 * i + 2] = (uchar)(a[i] >> 8);
	o[8 * i + 3] = (uchar)(a[i] >> 24) + (float)(uchar)(a[i] >> 16);
	o[8 * i + 4] = (short)a[i];
	o[8 * i + 5] = y;
	o[8 * i + 6] = (long)y;
	o[8 * i + 7] = (float)(a[i] >> 12) / (float)(i + 1);
}

__kernel WG(64, 1, 1)
void f32_round(IN(float) a, IN(float) b, OUT(uint) o, uint n)
{
	uint i = ID;
	float x;

	if (i >= n)
		return;
	x = a[i];
	o[6 * i] = bits(__builtin_floorf(x));
	o[6 * i + 1] = bits(__builtin_ceilf(x));
	o[6 * i + 2] = bits(__builtin_truncf(x));
	o[6 * i + 3] = bits(__builtin_rintf(x));
	o[6 * i + 4] = bits(x - __builtin_floorf(x));
	o[6 * i + 5] = bits(__builtin_roundf(x));
}

__kernel WG(64, 1, 1)
void f32_divide(IN(float) a, IN(float) b, OUT(uint) o, uint n)
{
	uint i = ID;

	if (i >= n)
		return;
	o[3 * i] = bits(a[i] / b[i]);
	o[3 * i + 1] = bits(1.0f / a[i]);
	o[3 * i + 2] = bits(a[i] / 3.0f + b[i] / a[n - i]);
}

/* v_sqrt_f32, as clang 14 compiles it: 1 ulp, denormals are zero */
/* LLVM makes a modifier of the last step of the division from these limits */
__kernel WG(64, 1, 1)
void f32_share(IN(float) a, IN(float) b, OUT(uint) o, uint n)
{
	uint i = ID;
	float x;
	double y;

	if (i >= n)
		return;
	x = __builtin_fminf(__builtin_fmaxf(a[i] / b[i], 0.0f), 1.0f);
	y = __builtin_fmin(__builtin_fmax((double)b[i] / a[i], 0.0), 1.0);
	/* the sign of a zero is undefined */
	o[2 * i] = x == 0.0f ? 0 : bits(x);
	o[2 * i + 1] = y == 0.0 ? 0 : bits((float)y);
}

__kernel WG(64, 1, 1)
void f32_root(IN(float) a, IN(float) b, OUT(uint) o, uint n)
{
	uint i = ID;
	float x;

	if (i >= n)
		return;
	x = __builtin_fabsf(a[i]);
	x = x < 0x1p-126f ? 0.0f : x;
	o[i] = bits(__builtin_sqrtf(x));
}

__kernel WG(64, 1, 1)
void f64_arith(IN(double) a, IN(double) b, OUT(ulong) o, uint n)
{
	uint i = ID;
	double x, y;

	if (i >= n)
		return;
	x = a[i];
	y = b[i];
	o[6 * i] = bits64(x + y);
	o[6 * i + 1] = bits64(x - y);
	o[6 * i + 2] = bits64(x * y);
	o[6 * i + 3] = bits64(__builtin_fma(x, y, a[n - i]));
	o[6 * i + 4] = bits64(x < y ? x * y + 1.0 : -__builtin_fabs(y));
	o[6 * i + 5] = (x == y) | (x > y) << 1 | (x <= y) << 2 | (x != x) << 3;
}

__kernel WG(64, 1, 1)
void f64_divide(IN(double) a, IN(double) b, OUT(ulong) o, uint n)
{
	uint i = ID;

	if (i >= n)
		return;
	o[2 * i] = bits64(a[i] / b[i]);
	o[2 * i + 1] = bits64(1.0 / a[i]);
}

__kernel WG(64, 1, 1)
void f64_convert(IN(double) a, IN(ulong) b, OUT(ulong) o, uint n)
{
	uint i = ID;
	ulong y;
	double x;

	if (i >= n)
		return;
	x = a[i];
	y = b[i] >> (i & 63);
	o[8 * i] = x > -2147483649.0 && x < 2147483648.0 ? (int)x : 9;
	o[8 * i + 1] = x > -1.0 && x < 4294967296.0 ? (uint)x : 10;
	o[8 * i + 2] = x > -9.2e18 && x < 9.2e18 ? (long)x : 11;
	o[8 * i + 3] = bits((float)x);
	o[8 * i + 4] = bits64((double)(float)y + (double)(int)y);
	o[8 * i + 5] = bits64((double)y);
	o[8 * i + 6] = bits64((double)(long)y * (double)(uint)y);
	o[8 * i + 7] = bits64(x > -1e9 && x < 1e9 ?
			      __builtin_floor(x) + 4.0 * __builtin_rint(x) +
			      16.0 * __builtin_ceil(x) : __builtin_trunc(x));
}

__kernel WG(64, 1, 1)
void horner(IN(float) a, IN(double) b, OUT(ulong) o, uint n)
{
	uint i = ID, k;
	float x = a[i], p = 1.0f;
	double y = b[i], q = 1.0;

	if (i >= n)
		return;
	for (k = 1; k < 12; k++) {
		p = p * x + (float)(k & 1 ? -(int)k : k);
		q = __builtin_fma(q, y, (double)p);
	}
	o[2 * i] = bits(p) | (ulong)bits(p * (float)q) << 32;
	o[2 * i + 1] = bits64(q);
}
