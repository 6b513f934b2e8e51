// SPDX-License-Identifier: GPL-2.0
/* Integers of all widths. */
#include "corpus.h"

__kernel WG(64, 1, 1)
void int8_mix(IN(uchar) a, IN(char) b, OUT(uchar) o, uint n)
{
	uint i = ID;
	uchar u;
	char s;

	if (i >= n)
		return;
	u = a[i] * 7 + (a[i] >> 3) - (a[i] << 2);
	s = b[i] >> 2;
	s ^= (char)(u / (uchar)(b[i] | 1));
	o[i] = u > 128 ? s + u : s - (u % 11);
}

__kernel WG(64, 1, 1)
void int16_mix(IN(short) a, IN(ushort) b, OUT(ushort) o, uint n)
{
	uint i = ID;
	short s;
	ushort u;

	if (i >= n)
		return;
	s = a[i] * (short)b[i] + (a[i] >> (b[i] & 15));
	u = (ushort)(b[i] << 8 | b[i] >> 8) ^ (ushort)s;
	if (a[i] < (short)b[i])
		u -= s / (short)(b[i] % 1000 + 3);
	o[i] = u > b[i] ? u : (ushort)(b[i] - u);
}

__kernel WG(64, 1, 1)
void int32_mix(IN(int) a, IN(uint) b, OUT(uint) o, uint n)
{
	uint i = ID, x, y;

	if (i >= n)
		return;
	x = a[i] * b[i] + (a[i] >> (b[i] & 31));
	y = rol32(b[i], a[i]) - (x ^ ~b[i]);
	x = a[i] < (int)b[i] ? x & y : x | y;
	o[i] = (x << 3) + y * 25 + (x > y) - (a[i] == -1) + ((x >> 4) & 0xff);
}

__kernel WG(64, 1, 1)
void int64_mix(IN(long) a, IN(ulong) b, OUT(ulong) o, uint n)
{
	uint i = ID;
	ulong x, y;

	if (i >= n)
		return;
	x = a[i] * b[i] + (a[i] >> (b[i] & 63));
	y = rol64(b[i], a[i] & 255) - (x ^ ~b[i]);
	x = a[i] < (long)b[i] ? x & y : x | y;
	o[i] = (x << 13) + y * 25 + (x > y) - (a[i] == -1) + (b[i] >> 33);
}

__kernel WG(64, 1, 1)
void div_small(IN(uchar) a, IN(short) b, OUT(int) o, uint n)
{
	uint i = ID;
	int q;

	if (i >= n)
		return;
	q = a[i] / (uchar)(b[i] | 1) + (char)a[i] % (char)(b[i] % 50 | 2);
	o[i] = q * 1000 + b[i] / (short)((a[i] & 127) + 1) -
	       (ushort)b[i] % (ushort)(a[i] + 5);
}

__kernel WG(64, 1, 1)
void div32(IN(uint) a, IN(uint) b, OUT(uint) o, uint n)
{
	uint i = ID, d;
	int s;

	if (i >= n)
		return;
	d = b[i] >> (a[i] & 31) | 1;
	s = d == ~0u ? 3 : (int)d;
	o[4 * i] = a[i] / d;
	o[4 * i + 1] = a[i] % d;
	o[4 * i + 2] = (int)a[i] / s;
	o[4 * i + 3] = (int)a[i] % s + (int)a[i] / 10 + a[i] % 1000003;
}

__kernel WG(64, 1, 1)
void div64(IN(ulong) a, IN(ulong) b, OUT(ulong) o, uint n)
{
	uint i = ID;
	ulong d;
	long s;

	if (i >= n)
		return;
	d = b[i] >> (a[i] & 63) | 1;
	s = d == ~0ul ? 3 : (long)d;
	o[4 * i] = a[i] / d;
	o[4 * i + 1] = a[i] % d;
	o[4 * i + 2] = (long)a[i] / s;
	o[4 * i + 3] = (long)a[i] % s;
}

__kernel WG(64, 1, 1)
void shifts(IN(ulong) a, IN(uint) b, OUT(ulong) o, uint n)
{
	uint i = ID, s = b[i];
	ulong x = a[i], r;

	if (i >= n)
		return;
	r = (x << (s & 63)) ^ (x >> (s >> 6 & 63));
	r += (ulong)((long)x >> (s >> 12 & 63));
	r ^= (ulong)((uint)x << (s >> 18 & 31)) << 32;
	r -= (ulong)((int)x >> (s >> 23 & 31));
	r += (uchar)((uchar)x << (s & 7)) | (ushort)((short)x >> (s & 15)) << 8;
	o[i] = rol64(r, s >> 26);
}

__kernel WG(64, 1, 1)
void bit_counts(IN(uint) a, IN(ulong) b, OUT(uint) o, uint n)
{
	uint i = ID, x, r;
	ulong y;

	if (i >= n)
		return;
	x = a[i] >> (i & 31);
	y = b[i] >> (i & 63);
	r = __builtin_popcount(x) + 64 * __builtin_popcountl(y);
	r += 4096 * (x ? __builtin_clz(x) : 32);
	r += 4096 * 64 * (x ? __builtin_ctz(x) : 32);
	o[2 * i] = r;
	r = (y ? __builtin_clzl(y) : 64) + 256 * (y ? __builtin_ctzl(y) : 64);
	r ^= __builtin_bitreverse32(x) ^ __builtin_bswap32(a[i]);
	o[2 * i + 1] = r + (uint)(__builtin_bitreverse64(y) >> 7);
}

static ulong mul_high64(ulong x, ulong y)
{
	ulong x0 = (uint)x, x1 = x >> 32, y0 = (uint)y, y1 = y >> 32;
	ulong mid = x1 * y0 + (x0 * y0 >> 32);
	ulong low = x0 * y1 + (uint)mid;

	return x1 * y1 + (mid >> 32) + (low >> 32);
}

__kernel WG(64, 1, 1)
void mul_high(IN(uint) a, IN(ulong) b, OUT(ulong) o, uint n)
{
	uint i = ID, x, y;
	ulong r;

	if (i >= n)
		return;
	x = a[i];
	y = (uint)(b[i] >> 16);
	r = (uint)((ulong)x * y >> 32);
	r += (ulong)((long)(int)x * (int)y >> 32);
	r ^= (ulong)(x & 0xffffff) * (y & 0xffffff);
	r += (ulong)((int)(x << 8) >> 8) * (ulong)((int)(y << 8) >> 8);
	r ^= (ulong)x * y + b[i];
	o[i] = r + mul_high64(b[i], b[i] ^ x);
}

static int clamp_to(int x, int low, int high)
{
	return x < low ? low : x > high ? high : x;
}

__kernel WG(64, 1, 1)
void saturating(IN(int) a, IN(int) b, OUT(uint) o, uint n)
{
	uint i = ID, u;
	int x, y, s;

	if (i >= n)
		return;
	x = a[i];
	y = b[i];
	u = (uint)x + (uint)y < (uint)x ? ~0u : (uint)x + (uint)y;
	s = (int)((uint)x - (uint)y);
	if (((x ^ y) & (x ^ s)) < 0)
		s = x < 0 ? (int)0x80000000 : 0x7fffffff;
	o[3 * i] = u;
	o[3 * i + 1] = s;
	o[3 * i + 2] = clamp_to(x >> 20, -128, 127) +
		       clamp_to((short)x + (short)y, -32768, 32767) * 256 +
		       (x < y ? x : y) - ((uint)x > (uint)y ? x : y);
}

__kernel WG(64, 1, 1)
void vectors(IN(uint4) a, IN(short8) b, OUT(uint4) o, uint n)
{
	uint i = ID;
	uint4 x, y;
	short8 s;

	if (i >= n)
		return;
	x = a[i].wzyx + a[i] * 3;
	s = b[i] * b[i].s76543210 - (b[i] >> (short)3);
	y.xy = (uint2)(s.s0 | s.s1 << 16, s.s2 ^ s.s3);
	y.zw = as_uint2(s.s4567);
	o[i] = (x ^ y) + as_uint4(x > y) + (x.yxwz >> (y & 31u));
}
