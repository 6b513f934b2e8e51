// SPDX-License-Identifier: GPL-2.0
/* LDS and barriers; the references are in refs_lds.c. */
#include "corpus.h"

__kernel WG(256, 1, 1)
void reduce(IN(uint) a, IN(uint) b, OUT(uint) o, uint n)
{
	__local uint s[256];
	__local ulong wide[256];
	uint l = LX, i = GX * 256 + l, d;

	s[l] = i < n ? a[i] : 0;
	wide[l] = i < n ? (ulong)a[i] * b[i] : 0;
	BARRIER;
	for (d = 128; d; d /= 2) {
		if (l < d) {
			s[l] += s[l + d];
			wide[l] ^= wide[l + d] * 3;
		}
		BARRIER;
	}
	if (!l) {
		o[GX * 4] = s[0];
		*(OUT(ulong))&o[GX * 4 + 2] = wide[0];
	}
}

/* inclusive, of 256 each */
__kernel WG(256, 1, 1)
void scan(IN(uint) a, IN(uint) b, OUT(uint) o, uint n)
{
	__local uint s[2][256];
	uint l = LX, d, from = 0;

	s[0][l] = a[GX * 256 + l];
	BARRIER;
	for (d = 1; d < 256; d *= 2) {
		s[!from][l] = s[from][l] + (l >= d ? s[from][l - d] : 0);
		from = !from;
		BARRIER;
	}
	o[GX * 256 + l] = s[from][l];
}

/* 64 x 64 words, tiles of 16 x 16, a column of padding */
__kernel WG(16, 16, 1)
void transpose(IN(uint) a, IN(uint) b, OUT(uint) o, uint n)
{
	__local uint tile[16][17];

	tile[LY][LX] = a[(GY * 16 + LY) * 64 + GX * 16 + LX];
	BARRIER;
	o[(GX * 16 + LY) * 64 + GY * 16 + LX] = tile[LX][LY];
}

__kernel WG(128, 1, 1)
void histogram(IN(uchar) a, IN(uint) b, OUT(uint) o, uint n)
{
	__local uint bins[64];
	uint l = LX, i;

	if (l < 64)
		bins[l] = 0;
	BARRIER;
	for (i = GX * 128 + l; i < n; i += 128 * 3)
		__atomic_fetch_add(&bins[a[i] & 63], 1u + (a[i] >> 7), RELAXED);
	BARRIER;
	if (l < 64)
		__atomic_fetch_add(&o[l], bins[l], RELAXED);
}

/* 512 keys, 512 work-items */
__kernel WG(512, 1, 1)
void bitonic_sort(IN(int) a, IN(uint) b, OUT(int) o, uint n)
{
	__local int key[512];
	uint l = LX, size, d;

	key[l] = a[GX * 512 + l];
	BARRIER;
	for (size = 2; size <= 512; size *= 2)
		for (d = size / 2; d; d /= 2) {
			uint with = l ^ d;

			if (with > l) {
				int x = key[l], y = key[with];

				if ((x > y) == !(l & size)) {
					key[l] = y;
					key[with] = x;
				}
			}
			BARRIER;
		}
	o[GX * 512 + l] = key[l];
}

/* 64 x 64 floats, tiles of 16 x 16 */
__kernel WG(16, 16, 1)
void matmul_tiled(IN(float) a, IN(float) b, OUT(float) o, uint n)
{
	__local float ta[16][16], tb[16][16];
	uint x = GX * 16 + LX, y = GY * 16 + LY, t, k;
	float sum = 0.0f;

	for (t = 0; t < 64; t += 16) {
		ta[LY][LX] = a[y * 64 + t + LX];
		tb[LY][LX] = b[(t + LY) * 64 + x];
		BARRIER;
		for (k = 0; k < 16; k++)
			sum = __builtin_fmaf(ta[LY][k], tb[k][LX], sum);
		BARRIER;
	}
	o[y * 64 + x] = sum;
}

/* 3 x 3, a grid that wraps, with a halo in LDS */
__kernel WG(16, 8, 1)
void life(IN(uchar) a, IN(uint) b, OUT(uchar) o, uint n)
{
	__local uchar cell[10][18];
	uint x = GX * 16 + LX, y = GY * 8 + LY, l, k, count = 0;

	for (l = LY * 16 + LX; l < 180; l += 128)
		cell[l / 18][l % 18] =
			a[((GY * 8 + l / 18 + n - 1) % n) * n +
			  (GX * 16 + l % 18 + n - 1) % n] & 1;
	BARRIER;
	for (k = 0; k < 9; k++)
		if (k != 4)
			count += cell[LY + k / 3][LX + k % 3];
	o[y * n + x] = count == 3 || (count == 2 && cell[LY + 1][LX + 1]);
}

/* 5 points, 4 steps, fixed borders; one workgroup has all of 32 x 32 */
__kernel WG(32, 32, 1)
void heat(IN(float) a, IN(uint) b, OUT(float) o, uint n)
{
	__local float t[2][32 * 32];
	uint x = LX, y = LY, at = y * 32 + x, step;

	t[0][at] = t[1][at] = a[GX * 1024 + at];
	BARRIER;
	for (step = 0; step < n; step++) {
		__local float *from = t[step & 1], *to = t[~step & 1];

		if (x && x < 31 && y && y < 31)
			to[at] = from[at] * 0.5f +
				 (from[at - 1] + from[at + 1] + from[at - 32] +
				  from[at + 32]) * 0.125f;
		BARRIER;
	}
	o[GX * 1024 + at] = t[n & 1][at];
}

/* shortest paths between 24 nodes */
__kernel WG(24, 24, 1)
void floyd_warshall(IN(uint) a, IN(uint) b, OUT(uint) o, uint n)
{
	__local uint d[24][24];
	uint x = LX, y = LY, k;

	d[y][x] = x == y ? 0 : a[GX * 576 + y * 24 + x] & 0x3ff;
	BARRIER;
	for (k = 0; k < 24; k++) {
		uint via = d[y][k] + d[k][x];

		BARRIER;
		if (via < d[y][x])
			d[y][x] = via;
		BARRIER;
	}
	o[GX * 576 + y * 24 + x] = d[y][x];
}

/* atomics on LDS, both widths, and their return values */
__kernel WG(128, 1, 1)
void lds_atomics(IN(uint) a, IN(int) b, OUT(uint) o, uint n)
{
	__local uint s[16];
	__local ulong w[8];
	uint l = LX, x = a[GX * 128 + l], t;
	int y = b[GX * 128 + l];

	if (l < 16)
		s[l] = l == 2 || l == 7 ? ~0u : 0;
	if (l < 8)
		w[l] = l == 4 ? ~0ul : 0;
	BARRIER;
	t = __atomic_fetch_add(&s[0], 1u, RELAXED);
	__atomic_fetch_add(&s[1], t * t, RELAXED);
	__atomic_fetch_and(&s[2], x | 0x10101010 << (l & 7), RELAXED);
	__atomic_fetch_or(&s[3], 1u << (x & 31), RELAXED);
	__atomic_fetch_xor(&s[4], x, RELAXED);
	__atomic_fetch_min((__local int *)&s[5], y, RELAXED);
	__atomic_fetch_max((__local int *)&s[6], y, RELAXED);
	__atomic_fetch_min(&s[7], x, RELAXED);
	__atomic_fetch_max(&s[8], x, RELAXED);
	__atomic_fetch_sub(&s[9], x >> 5, RELAXED);
	__atomic_fetch_add(&w[0], (ulong)x * x, RELAXED);
	__atomic_fetch_xor(&w[1], (ulong)x << (l & 31), RELAXED);
	__atomic_fetch_max(&w[2], (ulong)x * l, RELAXED);
	__atomic_fetch_max((__local long *)&w[3], (long)y * 77, RELAXED);
	__atomic_fetch_min(&w[4], (ulong)x << 11, RELAXED);
	t = __atomic_load_n(&s[10], RELAXED);
	while (t < (x ^ 0x80000000) &&
	       !__atomic_compare_exchange_n(&s[10], &t, x ^ 0x80000000, 0,
					    RELAXED, RELAXED))
		;
	BARRIER;
	if (l < 16)
		o[GX * 32 + l] = s[l];
	if (l < 8)
		((OUT(ulong))o)[GX * 16 + 8 + l] = w[l];
}

/* all widths and odd alignments; reversed by 128 */
__kernel WG(128, 1, 1)
void lds_widths(IN(uchar) a, IN(uint4) b, OUT(uint4) o, uint n)
{
	__local uchar bytes[128 * 8];
	__local uint4 quads[128];
	__local ulong longs[128];
	__local ushort shorts[128];
	uint l = LX, i = GX * 128 + l, m = 127 - l;
	uint4 r;

	bytes[l * 8] = a[i];
	*(__local ushort *)&bytes[l * 8 + 2] = a[i + 1] * 77;
	*(__local uint *)&bytes[l * 8 + 4] = a[i + 2] * 12345678;
	quads[l] = b[i];
	longs[l] = b[i].x * (ulong)b[i].y;
	shorts[l] = b[i].z;
	BARRIER;
	r = quads[m];
	r.x += *(__local char *)&bytes[m * 8] + (short)shorts[m];
	r.y ^= *(__local uint *)&bytes[m * 8 + 4];
	r.zw += as_uint2(longs[m]);
	r.w -= *(__local short *)&bytes[m * 8 + 2] + shorts[l ^ 5];
	o[i] = r;
}

/* pairs of 256 complex floats, decimation in time, one butterfly each */
__kernel WG(128, 1, 1)
void fft(IN(float2) a, IN(float2) b, OUT(float2) o, uint n)
{
	__local float2 s[256];
	uint l = LX, half_, k, at;

	for (k = l; k < 256; k += 128)
		s[__builtin_bitreverse32(k) >> 24] = a[GX * 256 + k];
	BARRIER;
	for (half_ = 1; half_ < 256; half_ *= 2) {
		float2 w = b[(l & (half_ - 1)) * (128 / half_)], x, y;

		at = (l / half_) * half_ * 2 + (l & (half_ - 1));
		x = s[at];
		y = s[at + half_];
		y = (float2)(y.x * w.x - y.y * w.y, y.x * w.y + y.y * w.x);
		s[at] = x + y;
		s[at + half_] = x - y;
		BARRIER;
	}
	o[GX * 256 + l] = s[l];
	o[GX * 256 + 128 + l] = s[128 + l];
}

/* the waves of 1024 work-items pass a word around */
__kernel WG(1024, 1, 1)
void relay(IN(uint) a, IN(uint) b, OUT(uint) o, uint n)
{
	__local uint s[1024];
	uint l = LX, k;

	s[l] = a[l];
	BARRIER;
	for (k = 0; k < n; k++) {
		uint x = s[(l * 5 + 64 * k + 1) & 1023];

		BARRIER;
		s[l] ^= rol32(x, k) + b[(l + k) & 1023];
		BARRIER;
	}
	o[l] = s[l];
}

/* sums of small integers, so that the order does not matter */
__kernel WG(256, 1, 1)
void lds_floats(IN(uint) a, IN(uint) b, OUT(float) o, uint n)
{
	__local float s[16];
	uint l = LX, x = a[GX * 256 + l];

	if (l < 16)
		s[l] = 0.0f;
	BARRIER;
	__builtin_amdgcn_ds_faddf(&s[x & 3], (float)(x >> 24), RELAXED,
				  __OPENCL_MEMORY_SCOPE_WORK_GROUP, false);
	__builtin_amdgcn_ds_fminf(&s[4 + (x & 3)], (float)(int)x, RELAXED,
				  __OPENCL_MEMORY_SCOPE_WORK_GROUP, false);
	__builtin_amdgcn_ds_fmaxf(&s[8 + (x & 3)], (float)(int)x, RELAXED,
				  __OPENCL_MEMORY_SCOPE_WORK_GROUP, false);
	BARRIER;
	if (l < 12)
		o[GX * 16 + l] = s[l];
}
