// SPDX-License-Identifier: GPL-2.0
/*
 * Instructions that clang has builtins for. For the host they are written out
 * here, following the ISA document.
 */
#include "corpus.h"

#ifdef __AMDGCN__
#define ubfe		__builtin_amdgcn_ubfe
#define sbfe		__builtin_amdgcn_sbfe
#define alignbit	__builtin_amdgcn_alignbit
#define alignbyte	__builtin_amdgcn_alignbyte
#define perm		__builtin_amdgcn_perm
#define sad_u8		__builtin_amdgcn_sad_u8
#define msad_u8		__builtin_amdgcn_msad_u8
#define sad_hi_u8	__builtin_amdgcn_sad_hi_u8
#define sad_u16		__builtin_amdgcn_sad_u16
#define lerp		__builtin_amdgcn_lerp
#define med3		__builtin_amdgcn_fmed3f
#define is_class	__builtin_amdgcn_classf
#define mantissa	__builtin_amdgcn_frexp_mantf
#define exponent	__builtin_amdgcn_frexp_expf
#define scale		__builtin_amdgcn_ldexpf
#define rcp		__builtin_amdgcn_rcpf
#define rsq		__builtin_amdgcn_rsqf
#define exp_two(x)	__builtin_exp2f(x)
#define log_two(x)	__builtin_log2f(x)
#else
static uint byte_of(uint x, uint n)
{
	return x >> 8 * n & 0xff;
}

static uint ubfe(uint x, uint at, uint nr)
{
	return x >> (at & 31) & ((1u << (nr & 31)) - 1);
}

static uint sbfe(uint x, uint at, uint nr)
{
	uint out = ubfe(x, at, nr), left = 32 - (at & 31);

	nr &= 31;
	if (!nr)
		return 0;
	nr = nr > left ? left : nr;
	return (uint)((int)(out << (32 - nr)) >> (32 - nr));
}

static uint alignbit(uint high, uint low, uint n)
{
	return (uint)(((ulong)high << 32 | low) >> (n & 31));
}

static uint alignbyte(uint high, uint low, uint n)
{
	return (uint)(((ulong)high << 32 | low) >> 8 * (n & 3));
}

static uint perm(uint high, uint low, uint sel)
{
	ulong all = (ulong)high << 32 | low;
	uint k, r = 0;

	for (k = 0; k < 4; k++) {
		uint s = byte_of(sel, k), b;

		if (s < 8)
			b = (uint)(all >> 8 * s) & 0xff;
		else if (s < 12)	/* sign of bytes 1, 3, 5, 7 */
			b = all >> (16 * (s - 8) + 15) & 1 ? 0xff : 0;
		else
			b = s == 12 ? 0 : 0xff;
		r |= b << 8 * k;
	}
	return r;
}

static uint distance(uint x, uint y)
{
	return x < y ? y - x : x - y;
}

static uint sad_u8(uint x, uint y, uint sum)
{
	uint k;

	for (k = 0; k < 4; k++)
		sum += distance(byte_of(x, k), byte_of(y, k));
	return sum;
}

static uint msad_u8(uint x, uint y, uint sum)
{
	uint k;

	for (k = 0; k < 4; k++)
		if (byte_of(y, k))
			sum += distance(byte_of(x, k), byte_of(y, k));
	return sum;
}

static uint sad_hi_u8(uint x, uint y, uint sum)
{
	return (sad_u8(x, y, 0) << 16) + sum;
}

static uint sad_u16(uint x, uint y, uint sum)
{
	return distance(x & 0xffff, y & 0xffff) + distance(x >> 16, y >> 16) +
	       sum;
}

static uint lerp(uint x, uint y, uint round)
{
	uint k, r = 0;

	for (k = 0; k < 4; k++)
		r |= (byte_of(x, k) + byte_of(y, k) + (round >> 8 * k & 1)) / 2
			<< 8 * k;
	return r;
}

static float med3(float x, float y, float z)
{
	return x > y ? (y > z ? y : x > z ? z : x) :
		       (x > z ? x : y > z ? z : y);
}

static bool is_class(float x, int mask)
{
	uint u = as_uint(x), e = u >> 23 & 0xff, m = u & 0x7fffff, n;

	if (e == 0xff && m)
		n = m >> 22;
	else if (u >> 31)
		n = e == 0xff ? 2 : e ? 3 : m ? 4 : 5;
	else
		n = e == 0xff ? 9 : e ? 8 : m ? 7 : 6;
	return mask >> n & 1;
}

static float mantissa(float x)
{
	uint u = as_uint(x);

	if ((u & 0x7fffffff) == 0 || (u >> 23 & 0xff) == 0xff)
		return x;
	if (!(u >> 23 & 0xff))
		u = as_uint(x * 0x1p32f);
	return as_float((u & 0x807fffff) | 126 << 23);
}

static int exponent(float x)
{
	uint u = as_uint(x);

	if ((u & 0x7fffffff) == 0 || (u >> 23 & 0xff) == 0xff)
		return 0;
	if (!(u >> 23 & 0xff))
		return (int)(as_uint(x * 0x1p32f) >> 23 & 0xff) - 126 - 32;
	return (int)(u >> 23 & 0xff) - 126;
}

static float scale(float x, int e)
{
	return __builtin_ldexpf(x, e);
}

static float rcp(float x)
{
	return 1.0f / x;
}

static float rsq(float x)
{
	return (float)(1.0 / __builtin_sqrt((double)x));
}

static float exp_two(float x)
{
	return (float)__builtin_exp2((double)x);
}

static float log_two(float x)
{
	return (float)__builtin_log2((double)x);
}
#endif

__kernel WG(64, 1, 1)
void bit_fields(IN(uint) a, IN(uint) b, OUT(uint) o, uint n)
{
	uint i = ID, x, y;

	if (i >= n)
		return;
	x = a[i];
	y = b[i];
	o[6 * i] = ubfe(x, y, y >> 8) + ubfe(x, 5, 7);
	o[6 * i + 1] = sbfe(x, y, y >> 8);
	o[6 * i + 2] = alignbit(x, y, y >> 3);
	o[6 * i + 3] = alignbyte(x, y, x);
	o[6 * i + 4] = sbfe(x, 9, 11) ^ alignbit(x, y, 17);
	/* the mask of s_bfm, from values that are uniform over lanes */
	o[6 * i + 5] = (x & (((1u << (n & 15)) - 1) << GX)) | (y & ~x);
}

__kernel WG(64, 1, 1)
void byte_permutes(IN(uint) a, IN(uint) b, OUT(uint) o, uint n)
{
	uint i = ID, sel;

	if (i >= n)
		return;
	sel = a[n + i];
	sel = i & 1 ? sel & 0x07070707 : sel & 0x0f0f0f0f;
	o[4 * i] = perm(a[i], b[i], sel);
	o[4 * i + 1] = perm(a[i], b[i], 0x00010203);
	o[4 * i + 2] = perm(b[i], a[i], 0x0d0c0908);
	o[4 * i + 3] = lerp(a[i], b[i], sel);
}

__kernel WG(64, 1, 1)
void byte_distances(IN(uint) a, IN(uint) b, OUT(uint) o, uint n)
{
	uint i = ID;

	if (i >= n)
		return;
	o[4 * i] = sad_u8(a[i], b[i], a[i] >> 7);
	o[4 * i + 1] = msad_u8(a[i], b[i] & 0xff00ffff, b[i] >> 12);
	o[4 * i + 2] = sad_hi_u8(a[i], b[i], a[i] & 0xfff);
	o[4 * i + 3] = sad_u16(a[i], b[i], i);
}

__kernel WG(64, 1, 1)
void float_parts(IN(float) a, IN(int) b, OUT(uint) o, uint n)
{
	uint i = ID;

	if (i >= n)
		return;
	o[4 * i] = is_class(a[i], b[i] & 0x3ff) | is_class(a[i], 0x204) << 1 |
		   is_class(a[i], 0x90) << 2 | is_class(a[i], 3) << 3;
	o[4 * i + 1] = bits(mantissa(a[i]));
	/* the documents disagree about infinities and NaN */
	o[4 * i + 2] = is_class(a[i], 0x207) ? 0 : exponent(a[i]);
	o[4 * i + 3] = bits(scale(a[i], (b[i] & 511) - 256));
}

__kernel WG(64, 1, 1)
void medians(IN(float) a, IN(int) b, OUT(uint) o, uint n)
{
	uint i = ID;
	int x, y, z;

	if (i >= n)
		return;
	x = b[i];
	y = b[n + i];
	z = b[2 * n + i];
	o[4 * i] = bits(med3(a[i], a[n + i], a[2 * n + i]));
	o[4 * i + 1] = x > y ? (y > z ? y : x > z ? z : x) :
			       (x > z ? x : y > z ? z : y);
	x = x > y ? x : y;
	o[4 * i + 2] = x > z ? x : z;
	y = y < 100 ? y : 100;
	o[4 * i + 3] = y > -3000 ? y : -3000;
}

/* error of 1 ulp each, as documented by AMD */
__kernel WG(64, 1, 1)
void f32_special(IN(float) a, IN(float) b, OUT(float) o, uint n)
{
	uint i = ID;
	float x, y;

	if (i >= n)
		return;
	x = __builtin_fabsf(a[i]) + 0.0625f;
	y = b[i] * 4.0f;
	o[5 * i] = rcp(x);
	o[5 * i + 1] = rsq(x);
	o[5 * i + 2] = exp_two(y);
	/* not near 1, where the result is close to 0 */
	o[5 * i + 3] = log_two(x + 2.0f);
	o[5 * i + 4] = log_two(x * 0x1p-8f);
}

/* packed 16 bit arithmetic, if the compiler uses it */
__kernel WG(64, 1, 1)
void packed16(IN(short2) a, IN(ushort2) b, OUT(ushort2) o, uint n)
{
	uint i = ID;
	short2 x, y;
	ushort2 u, v;

	if (i >= n)
		return;
	x = a[i];
	y = a[n + i];
	u = b[i];
	v = b[n + i];
	o[6 * i] = as_ushort2(x + y * x);
	o[6 * i + 1] = u * v - (u >> (v & (ushort)15));
	o[6 * i + 2] = as_ushort2(x > y ? x : y) + (u < v ? u : v);
	o[6 * i + 3] = as_ushort2(x >> (y & (short)15)) ^ (v << (u & (ushort)15));
	o[6 * i + 4] = as_ushort2((short2)(x.y, y.x) * (short)3) - u.yx;
	o[6 * i + 5] = (u > v ? u : v) & as_ushort2(x < y ? x : y);
}

/* operations on three operands */
__kernel WG(64, 1, 1)
void triples(IN(uint) a, IN(uint) b, OUT(uint) o, uint n)
{
	uint i = ID, x, y, z, u;
	int p, q, r, s;
	float f, g, h;

	if (i >= n)
		return;
	x = a[i];
	y = b[i];
	z = a[n + i];
	p = (int)x;
	q = (int)y;
	r = (int)z;
	u = x < y ? x : y;
	o[10 * i] = u < z ? u : z;
	u = x > y ? x : y;
	o[10 * i + 1] = u > z ? u : z;
	s = p < q ? p : q;
	o[10 * i + 2] = (uint)(s < r ? s : r);
	f = (float)p;
	g = (float)q;
	h = (float)r;
	o[10 * i + 3] = bits(__builtin_fminf(__builtin_fminf(f, g), h));
	o[10 * i + 4] = bits(__builtin_fmaxf(__builtin_fmaxf(f, g), h));
	o[10 * i + 5] = ((x << 4) + y) ^ ((x + y) << 3) ^ ((z << 7) | y);
	o[10 * i + 6] = (x + y + z) ^ ((x ^ y) + z) ^ (x | y | z);
	o[10 * i + 7] = ((x & y) | z) + ((x & y) | (~x & z));
	o[10 * i + 8] = (x & 0xffffff) * (y & 0xffffff) + z;
	o[10 * i + 9] = (uint)((p << 8 >> 8) * (q << 8 >> 8) + r) ^
			(ushort)((ushort)x * (ushort)y + (ushort)z);
}
