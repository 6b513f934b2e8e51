// SPDX-License-Identifier: GPL-2.0
/* The results of the kernels of lanes.cl, computed wave by wave. */
#include "refs.h"

#define EACH_LANE(l)	for (l = 0; l < 64; l++)

void ref_ballots(const void *a_, const void *b_, void *o_, unsigned int n)
{
	const u32 *a = a_, *b = b_;
	u64 *o = o_;
	u32 w, l;

	for (w = 0; w < n; w += 64) {
		u64 all = 0, some = 0, sgn = 0, eq = 0, bit;

		EACH_LANE(l) {
			u32 x = a[w + l], y = b[w + l];

			bit = 1ull << l;
			all |= x & 1 ? bit : 0;
			some |= (x & 6) && x < y ? bit : 0;
			sgn |= !(x & 6) && (s32)x > (s32)y ? bit : 0;
			eq |= (x & 3) == (y & 3) ? bit : 0;
		}
		EACH_LANE(l) {
			o[4 * (w + l)] = all;
			o[4 * (w + l) + 1] = a[w + l] & 6 ? some : 0;
			o[4 * (w + l) + 2] = a[w + l] & 6 ? 0 : sgn;
			o[4 * (w + l) + 3] = eq;
		}
	}
}

void ref_compaction(const void *a, const void *b, void *o, unsigned int n)
{
	u32 w, l, *out = o;

	for (w = 0; w < n; w += 64, out += 65) {
		u32 nr = 0;

		EACH_LANE(l)
			if (((u32 *)a)[w + l] & 1)
				out[nr++] = ((u32 *)a)[w + l];
		out[64] = nr;
	}
}

void ref_permutes(const void *a, const void *b, void *o, unsigned int n)
{
	u32 w, l;

	for (w = 0; w < n; w += 64) {
		const u32 *x = (u32 *)a + w, *sel = (u32 *)b + w;
		u32 (*out)[4] = (u32 (*)[4])o + w;

		EACH_LANE(l) {
			u32 row = l & ~31u, in = l & 31;

			out[l][0] = x[sel[l] / 4 % 64];
			out[(l * 13 + 5) % 64][1] = x[l];
			out[l][2] = 7;
			if (x[l] & 1)
				out[l][2] = x[l ^ 1] & 1 ? sel[l ^ 1] : 0;
			/* and 0x1c, or 0x03; quad_perm:[3,2,1,0] */
			out[l][3] = x[l ^ 1] + 2 * x[row | (in & 0x1c) | 3] +
				    4 * x[l ^ 3];
		}
	}
}

void ref_scalar_reads(const void *a, const void *b, void *o, unsigned int n)
{
	u32 w, l, k;

	for (w = 0; w < n; w += 64) {
		const u32 *x = (u32 *)a + w, *y = (u32 *)b + w;
		u32 r = x[0], first = 64;

		for (k = 0; k < 64; k += 7)
			r = r * 3 + x[k];
		r ^= y[r & 63];
		EACH_LANE(l)
			if (x[l] & 8 && first == 64)
				first = l;
		EACH_LANE(l)
			((u32 *)o)[w + l] = r + (x[l] & 8 ? y[first] : 0);
	}
}

void ref_waterfall(const void *a, const void *b, void *o, unsigned int n)
{
	u32 w, l, k, *out = o;

	for (w = 0; w < n; w += 64) {
		u32 turns[8], nr[8] = {}, seen = 0;

		EACH_LANE(l) {
			k = ((u32 *)a)[w + l] & 7;
			if (!nr[k]++)
				turns[k] = seen++;
		}
		EACH_LANE(l) {
			k = ((u32 *)a)[w + l] & 7;
			*out++ = turns[k] + (k << 8);
			*out++ = nr[k] ^ ((u32 *)b)[k];
		}
	}
}

void ref_dpp_reduce(const void *a, const void *b, void *o, unsigned int n)
{
	u32 i, sum = 0;

	/* the steps add up to prefix sums */
	for (i = 0; i < n; i++) {
		sum = (i & 63 ? sum : 0) + ((u32 *)a)[i];
		((u32 *)o)[i] = sum;
	}
}

/* @from: lane, or none if it is not in @low .. @low + @nr - 1 */
static u32 moved(const u32 *x, int from, int low, int nr, u32 none)
{
	return from >= low && from < low + nr ? x[from] : none;
}

static void moves(const u32 *x, const u32 *y, int l, u32 *p)
{
	int row = l & ~15;

	p[0] = x[l ^ 3];
	p[1] = l / 16 % 2 ? y[l] : x[l & ~3];
	p[2] = moved(x, l + 1, row, 16, y[l]);
	/*
	 * bound_ctrl reads zero beyond the end of the row; banks 2 and 3 keep
	 * theirs
	 */
	p[3] = l % 16 / 4 > 1 ? y[l] : moved(x, l - 3, row, 16, 0);
	p[4] = x[row + (l + 16 - 5) % 16];
	p[5] = moved(x, l + 1, 0, 64, y[l]);
	p[6] = x[(l + 1) % 64];
	p[7] = moved(x, l - 1, 0, 64, 0);
	p[8] = x[(l + 63) % 64];
	p[9] = x[row + 15 - l % 16];
	p[10] = l / 16 == 1 || l / 16 == 2 ? y[l] : x[(l & ~7) + 7 - l % 8];
	p[11] = !(x[l] & 1) ? y[l] : 1 + (x[l ^ 1] & 1 ? x[l ^ 1] : y[l]);
}

void ref_dpp_moves(const void *a, const void *b, void *o, unsigned int n)
{
	u32 w, l;

	for (w = 0; w < n; w += 64)
		EACH_LANE(l)
			moves((u32 *)a + w, (u32 *)b + w, l,
			      (u32 *)o + 12 * (w + l));
}
