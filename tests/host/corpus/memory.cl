// SPDX-License-Identifier: GPL-2.0
/* Loads and stores of all kinds. */
#include "corpus.h"

__kernel WG(64, 1, 1)
void widths(IN(uchar) a, IN(uchar) b, OUT(uchar) o, uint n)
{
	uint i = ID;
	OUT(uchar) p = o + i * 64;

	if (i >= n)
		return;
	*p = a[i] + 1;
	*(OUT(char))(p + 1) = ((IN(char))b)[i] >> 1;
	*(OUT(ushort))(p + 2) = ((IN(ushort))a)[i] * 3;
	*(OUT(short))(p + 4) = ((IN(short))b)[i] / 2;
	*(OUT(uint))(p + 8) = ((IN(uint))a)[i] + ((IN(char))a)[i];
	*(OUT(ulong))(p + 16) = ((IN(ulong))a)[i] - ((IN(short))b)[i];
	((OUT(uint3))(p + 32))->x = ((IN(uint3))a)[i].z;
	*(OUT(uint4))(p + 48) = ((IN(uint4))b)[i] ^ ((IN(uint4))a)[i];
}

struct record {
	uchar tag;
	ushort len;
	uint key;
	ulong val;
	uchar name[11];
	float weight;
};

/* 40 bytes each; padding may be copied or not: all members are assigned */
__kernel WG(64, 1, 1)
void struct_copy(IN(struct record) a, IN(struct record) b,
		 OUT(struct record) o, uint n)
{
	uint i = ID, k;
	struct record r;

	if (i >= n)
		return;
	r = a[i].key & 1 ? a[i] : b[n - 1 - i];
	r.val += r.len;
	r.tag ^= r.name[i % 11];
	for (k = 0; k < 5; k++) {
		uchar c = r.name[k];

		r.name[k] = r.name[10 - k];
		r.name[10 - k] = c;
	}
	o[i].tag = r.tag;
	o[i].len = r.len;
	o[i].key = r.key;
	o[i].val = r.val;
	for (k = 0; k < 11; k++)
		o[i].name[k] = r.name[k];
	o[i].weight = r.weight;
}

typedef uint packed __attribute__((aligned(1)));
typedef ulong packed64 __attribute__((aligned(1)));
typedef uint4 packed128 __attribute__((aligned(4)));

__kernel WG(64, 1, 1)
void unaligned(IN(uchar) a, IN(uchar) b, OUT(uchar) o, uint n)
{
	uint i = ID;

	if (i >= n)
		return;
	*(__global packed *)(o + i * 37 + 1) =
		*(__global const packed *)(a + i * 3);
	*(__global packed64 *)(o + i * 37 + 5) =
		*(__global const packed64 *)(b + i * 5 + 1);
	*(__global packed128 *)(o + 0x4000 + i * 20) =
		*(__global const packed128 *)(a + i * 12);
	o[i * 37 + 13] = ((__global const ushort *)(b + i * 2))[1];
}

__kernel WG(64, 1, 1)
void gather_scatter(IN(uint) a, IN(ushort) b, OUT(uint) o, uint n)
{
	uint i = ID, at;

	if (i >= n)
		return;
	at = (i * 37 + 11) & 0xff;	/* a permutation */
	o[at * 4 + (b[i] & 3)] = a[b[i] & 0x1fff];
	o[0x800 + at] = a[a[i] & 0x1fff] + b[b[i] & 0x3fff];
}

__kernel WG(64, 1, 1)
void pointer_chase(__global const void *a, IN(uint) b, OUT(ulong) o, uint n)
{
	uint i = ID, k;
	IN(ulong) p = (IN(ulong))a + i;

	if (i >= n)
		return;
	for (k = 0; k < (b[i] & 31) + 3; k++)
		p = (IN(ulong))*p;
	o[i] = (ulong)p;
	o[i + n] = *p;
}

__kernel WG(64, 1, 1)
void byte_strings(IN(uchar) a, IN(uint) b, OUT(uchar) o, uint n)
{
	uint i = ID, k, at = 0;
	IN(uchar) s = a + (i * 29 & 0x3fff);
	OUT(uchar) d = o + i * 64;

	if (i >= n)
		return;
	for (k = 0; k < 48 && s[k] != ','; k++) {
		if (s[k] == ' ')
			continue;
		d[at++] = s[k] >= 'a' && s[k] <= 'z' ? s[k] - 32 : s[k];
		if (k && s[k] == s[k - 1])
			d[at++] = '2';
		if (at > 60)
			break;
	}
	d[at] = 0;
}

__constant ushort squares[64] = {
	0, 1, 4, 9, 16, 25, 36, 49, 64, 81, 100, 121, 144, 169, 196, 225,
	256, 289, 324, 361, 400, 441, 484, 529, 576, 625, 676, 729, 784, 841,
	900, 961, 1024, 1089, 1156, 1225, 1296, 1369, 1444, 1521, 1600, 1681,
	1764, 1849, 1936, 2025, 2116, 2209, 2304, 2401, 2500, 2601, 2704, 2809,
	2916, 3025, 3136, 3249, 3364, 3481, 3600, 3721, 3844, 3969,
};
__constant double thirds[4] = { 0.0, 1.0 / 3, 2.0 / 3, 1.0 };

__kernel WG(64, 1, 1)
void constant_tables(IN(uint) a, IN(uchar) b, OUT(uint) o, uint n)
{
	uint i = ID, k, r;

	if (i >= n)
		return;
	r = squares[a[i] & 63] + squares[LX] * squares[n & 63];
	for (k = 0; k < 4; k++)
		r += squares[b[i] >> k & 63] * (uint)(thirds[b[i] & 3] * 9.0);
	o[i] = r + squares[GX];
}

/* the compiler does not know the address space of these pointers */
NOINLINE static uint sum_flat(const uint *p, uint nr)
{
	uint k, r = 0;

	for (k = 0; k < nr; k++)
		r = r * 5 + p[k];
	return r;
}

NOINLINE static void store_flat(uchar *p, ulong val)
{
	*(ulong *)p = val;
	*(ushort *)(p + 8) = val >> 24;
	p[10] = val >> 3;
}

__kernel WG(64, 1, 1)
void flat_select(IN(uint) a, IN(uint) b, OUT(uint) o, uint n)
{
	__local uint shared[64 * 4];
	uint own[4], i = ID, k;
	const uint *p;
	uchar *q;

	if (i >= n)
		return;
	for (k = 0; k < 4; k++) {
		shared[LX * 4 + k] = a[4 * i + k] ^ k;
		own[k] = b[i] + k;
	}
	p = b[i] & 1 ? (const uint *)(shared + LX * 4) :
	    b[i] & 2 ? (const uint *)(a + 4 * i) : (const uint *)own;
	q = b[i] & 4 ? (uchar *)(o + 8 * i + 4) :
	    b[i] & 8 ? (uchar *)(shared + LX * 4) : (uchar *)own;
	store_flat(q, (ulong)b[i] << 20 | a[i] >> 20);
	o[8 * i] = sum_flat(p, 1 + (b[i] >> 4 & 3));
	o[8 * i + 1] = shared[LX * 4] ^ own[1];
	o[8 * i + 2] = shared[LX * 4 + 1] ^ own[0];
	o[8 * i + 3] = (uchar)shared[LX * 4 + 2] ^ own[2];
}

__kernel WG(64, 1, 1)
void matrix_walk(IN(float) a, IN(uchar) b, OUT(float) o, uint n)
{
	uint i = ID, x = i & 31, y = i >> 5, k;
	float s = 0.0f;

	if (i >= n)
		return;
	for (k = 0; k < 32; k++) {
		s += a[y * 64 + k] * a[0x800 + k * 64 + x];
		if (b[i * 8 + (k & 7)] & 1)
			y = (y + 3) & 15;
		else
			x = (x + 5) & 31;
	}
	o[i * 2] = s;
	o[i * 2 + 1] = a[y * 64 + x];
}
