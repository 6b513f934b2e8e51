// SPDX-License-Identifier: GPL-2.0
/*
 * The results of the kernels of lds.cl, computed in another way: without
 * workgroups where that is possible.
 */
#include <stdlib.h>
#include <string.h>
#include "refs.h"

void ref_reduce(const void *a_, const void *b_, void *o_, unsigned int n)
{
	const u32 *a = a_, *b = b_;
	u32 g, i, l, d, *o = o_;

	for (g = 0; g < 4; g++) {
		u64 wide[256] = {};
		u32 sum = 0;

		for (i = g * 256; i < g * 256 + 256 && i < n; i++) {
			sum += a[i];
			wide[i & 255] = (u64)a[i] * b[i];
		}
		/*
		 * not a plain sum: the order of the tree is part of the result
		 */
		for (d = 128; d; d /= 2)
			for (l = 0; l < d; l++)
				wide[l] ^= wide[l + d] * 3;
		o[4 * g] = sum;
		memcpy(&o[4 * g + 2], wide, sizeof(*wide));
	}
}

void ref_scan(const void *a, const void *b, void *o, unsigned int n)
{
	u32 i, sum = 0;

	for (i = 0; i < n; i++) {
		sum = (i & 255 ? sum : 0) + ((u32 *)a)[i];
		((u32 *)o)[i] = sum;
	}
}

void ref_transpose(const void *a, const void *b, void *o, unsigned int n)
{
	u32 x, y;

	for (y = 0; y < 64; y++)
		for (x = 0; x < 64; x++)
			((u32 *)o)[x * 64 + y] = ((u32 *)a)[y * 64 + x];
}

void ref_histogram(const void *a, const void *b, void *o, unsigned int n)
{
	const u8 *in = a;
	u32 i;

	for (i = 0; i < n; i++)
		((u32 *)o)[in[i] & 63] += in[i] >= 128 ? 2 : 1;
}

static int compare_ints(const void *x, const void *y)
{
	s32 a = *(s32 *)x, b = *(s32 *)y;

	return (a > b) - (a < b);
}

void ref_bitonic_sort(const void *a, const void *b, void *o, unsigned int n)
{
	u32 g;

	memcpy(o, a, n * 4);
	for (g = 0; g < n; g += 512)
		qsort((s32 *)o + g, 512, 4, compare_ints);
}

void ref_matmul_tiled(const void *a, const void *b, void *o, unsigned int n)
{
	u32 x, y, k;

	for (y = 0; y < 64; y++)
		for (x = 0; x < 64; x++) {
			float sum = 0;

			for (k = 0; k < 64; k++)
				sum = __builtin_fmaf(((float *)a)[y * 64 + k],
						     ((float *)b)[k * 64 + x],
						     sum);
			((float *)o)[y * 64 + x] = sum;
		}
}

void ref_life(const void *a, const void *b, void *o, unsigned int n)
{
	const u8 *in = a;
	int x, y, dx, dy, w = n;

	for (y = 0; y < w; y++)
		for (x = 0; x < w; x++) {
			u32 count = 0, alive = in[y * w + x] & 1;

			for (dy = w - 1; dy <= w + 1; dy++)
				for (dx = w - 1; dx <= w + 1; dx++)
					count += in[(y + dy) % w * w +
						    (x + dx) % w] & 1;
			((u8 *)o)[y * w + x] = count == 3 ||
					       (alive && count == 4);
		}
}

void ref_heat(const void *a, const void *b, void *o, unsigned int n)
{
	static float old[2][32][32], new[2][32][32];
	u32 g, x, y;

	memcpy(old, a, sizeof(old));
	memcpy(new, a, sizeof(new));
	while (n--) {
		for (g = 0; g < 2; g++)
			for (y = 1; y < 31; y++)
				for (x = 1; x < 31; x++)
					new[g][y][x] = old[g][y][x] * 0.5f +
						(old[g][y][x - 1] +
						 old[g][y][x + 1] +
						 old[g][y - 1][x] +
						 old[g][y + 1][x]) * 0.125f;
		memcpy(old, new, sizeof(old));
	}
	memcpy(o, old, sizeof(old));
}

void ref_floyd_warshall(const void *a, const void *b, void *o, unsigned int n)
{
	u32 g, x, y, k, (*d)[24] = o;

	memcpy(o, a, n * 576 * 4);
	for (g = 0; g < n; g++, d += 24) {
		for (x = 0; x < 576; x++)
			d[x / 24][x % 24] = x % 25 ? d[x / 24][x % 24] & 0x3ff :
						     0;
		for (k = 0; k < 24; k++)
			for (y = 0; y < 24; y++)
				for (x = 0; x < 24; x++)
					if (d[y][k] + d[k][x] < d[y][x])
						d[y][x] = d[y][k] + d[k][x];
	}
}

static u64 max64(u64 x, u64 y)
{
	return x > y ? x : y;
}

static void atomics_of(const u32 *a, const s32 *b, u32 *s, u64 *w)
{
	u32 l;

	memset(s, 0, 64);
	memset(w, 0, 64);
	s[2] = s[7] = ~0u;
	w[4] = ~0ull;
	for (l = 0; l < 128; l++) {
		u32 x = a[l];

		s[1] += s[0] * s[0];
		s[0]++;
		s[2] &= x | 0x10101010 << (l & 7);
		s[3] |= 1u << (x & 31);
		s[4] ^= x;
		s[5] = b[l] < (s32)s[5] ? b[l] : s[5];
		s[6] = b[l] > (s32)s[6] ? b[l] : s[6];
		s[7] = x < s[7] ? x : s[7];
		s[8] = max64(s[8], x);
		s[9] -= x >> 5;
		s[10] = max64(s[10], x ^ 0x80000000);
		w[0] += (u64)x * x;
		w[1] ^= (u64)x << (l & 31);
		w[2] = max64(w[2], (u64)x * l);
		w[3] = max64(w[3], b[l] > 0 ? b[l] * 77ull : 0);
		w[4] = ~max64(~w[4], ~((u64)x << 11));
	}
}

void ref_lds_atomics(const void *a, const void *b, void *o, unsigned int n)
{
	u32 g;

	for (g = 0; g < n; g++)
		atomics_of((u32 *)a + g * 128, (s32 *)b + g * 128,
			   (u32 *)o + g * 32, (u64 *)o + g * 16 + 8);
}

void ref_lds_widths(const void *a_, const void *b_, void *o_, unsigned int n)
{
	const u8 *a = a_;
	const u32 (*b)[4] = b_;
	u32 i, m, (*o)[4] = o_;

	for (i = 0; i < n; i++) {
		const u32 *q;
		u64 product;

		m = i ^ 127;
		q = b[m];
		product = (u64)q[0] * q[1];
		o[i][0] = q[0] + (u32)(s8)a[m] + (u32)(s16)q[2];
		o[i][1] = q[1] ^ a[m + 2] * 12345678u;
		o[i][2] = q[2] + (u32)product;
		o[i][3] = q[3] + (u32)(product >> 32) -
			  ((s16)(a[m + 1] * 77) + (u16)b[i ^ 5][2]);
	}
}

struct complex {
	float re, im;
};

static void transform(struct complex *x, const struct complex *w, u32 nr)
{
	struct complex even[128], odd[128];
	u32 k;

	if (nr == 1)
		return;
	for (k = 0; k < nr / 2; k++) {
		even[k] = x[2 * k];
		odd[k] = x[2 * k + 1];
	}
	transform(even, w, nr / 2);
	transform(odd, w, nr / 2);
	for (k = 0; k < nr / 2; k++) {
		struct complex y = odd[k], r = w[k * (256 / nr)];
		float re = y.re * r.re - y.im * r.im;
		float im = y.re * r.im + y.im * r.re;

		x[k] = (struct complex){ even[k].re + re, even[k].im + im };
		x[k + nr / 2] = (struct complex){ even[k].re - re,
						  even[k].im - im };
	}
}

void ref_fft(const void *a, const void *b, void *o, unsigned int n)
{
	u32 g;

	memcpy(o, a, n * 256 * sizeof(struct complex));
	for (g = 0; g < n; g++)
		transform((struct complex *)o + g * 256, b, 256);
}

void ref_relay(const void *a, const void *b, void *o, unsigned int n)
{
	u32 now[1024], next[1024], l, k;

	memcpy(now, a, sizeof(now));
	for (k = 0; k < n; k++) {
		for (l = 0; l < 1024; l++) {
			u32 x = now[(l * 5 + 64 * k + 1) % 1024];

			x = k ? x << k | x >> (32 - k) : x;
			next[l] = now[l] ^ (x + ((u32 *)b)[(l + k) % 1024]);
		}
		memcpy(now, next, sizeof(now));
	}
	memcpy(o, now, sizeof(now));
}

void ref_lds_floats(const void *a, const void *b, void *o, unsigned int n)
{
	u32 g, l;

	for (g = 0; g < n; g++) {
		float *s = (float *)o + g * 16;

		memset(s, 0, 12 * sizeof(*s));
		for (l = 0; l < 256; l++) {
			u32 x = ((u32 *)a)[g * 256 + l], at = x & 3;
			float f = (s32)x;

			s[at] += (float)(x >> 24);
			s[4 + at] = f < s[4 + at] ? f : s[4 + at];
			s[8 + at] = f > s[8 + at] ? f : s[8 + at];
		}
	}
}
