// SPDX-License-Identifier: GPL-2.0
/*
 * binary16, bit-exact; the references are in refs_half.c, since hosts differ.
 */
#include "corpus.h"
#pragma OPENCL EXTENSION cl_khr_fp16 : enable

static ushort bits16(half x)
{
	return x == x ? as_ushort(x) : 0x7e00;
}

__kernel WG(64, 1, 1)
void half_arith(IN(half) a, IN(half) b, OUT(ushort) o, uint n)
{
	uint i = ID;
	half x, y;

	if (i >= n)
		return;
	x = a[i];
	y = b[i];
	o[8 * i] = bits16(x + y);
	o[8 * i + 1] = bits16(x - y);
	o[8 * i + 2] = bits16(x * y);
	o[8 * i + 3] = bits16(x * y + a[n - i]);
	o[8 * i + 4] = bits16(x < y ? x : y * (half)2.0f);
	o[8 * i + 5] = (x < y) | (x <= y) << 1 | (x == y) << 2 | (x != y) << 3 |
		       (x > (half)0.5f) << 4 | !(x >= y) << 5;
	o[8 * i + 6] = bits16(-x);
	o[8 * i + 7] = bits16(y - (half)1.0f);
}

__kernel WG(64, 1, 1)
void half_convert(IN(float) a, IN(half) b, OUT(uint) o, uint n)
{
	uint i = ID;
	float y;

	if (i >= n)
		return;
	y = b[i];
	o[6 * i] = bits16((half)a[i]);
	o[6 * i + 1] = bits(y);
	o[6 * i + 2] = bits16((half)(short)as_uint(a[i]));
	o[6 * i + 3] = bits16((half)(ushort)(as_uint(a[i]) >> 9));
	o[6 * i + 4] = b[i] > (half)-32000.0f && b[i] < (half)32000.0f ?
		       (short)b[i] : 5;
	o[6 * i + 5] = bits(y * a[i]) ^ bits16((half)(y + 1.0f));
}

/* packed, if the compiler chooses so */
__kernel WG(64, 1, 1)
void half_pairs(IN(half2) a, IN(half2) b, OUT(ushort2) o, uint n)
{
	uint i = ID;
	half2 r[3];
	uint k;

	if (i >= n)
		return;
	r[0] = a[i] + b[i].yx;
	r[1] = a[i] * b[i] - (half2)(1.5f, -0.25f);
	r[2] = (a[i] - b[i]) * -a[i].yy;
	for (k = 0; k < 3; k++)
		o[3 * i + k] = (ushort2)(bits16(r[k].x), bits16(r[k].y));
}

/* pairs of a constant or a sign changed, and the result of an operation */
__kernel WG(64, 1, 1)
void half_packs(IN(half2) a, IN(half2) b, OUT(ushort2) o, uint n)
{
	uint i = ID;
	half2 r[4];
	half x, y;
	uint k;

	if (i >= n)
		return;
	x = a[i].x * b[i].x;
	y = a[i].y - b[i].x;
	r[0] = b[i] * (half2)(1.0f, x);
	r[1] = b[i] + (half2)(y, -4.0f);
	r[2] = a[i] * (half2)(-y, -x);
	r[3] = a[i].yx * (half2)(x, 0.5f) + (half2)(2.0f, y);
	for (k = 0; k < 4; k++)
		o[4 * i + k] = (ushort2)(bits16(r[k].x), bits16(r[k].y));
}
