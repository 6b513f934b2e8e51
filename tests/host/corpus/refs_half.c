// SPDX-License-Identifier: GPL-2.0
/*
 * What the kernels of half.cl compute. Sums and products of two halves are
 * exact in a double, so each result is rounded once.
 */
#include <math.h>
#include <string.h>
#include "refs.h"

static double wide(u16 h)
{
	int e = h >> 10 & 31, m = h & 0x3ff;
	double x;

	if (e == 31)
		x = m ? NAN : INFINITY;
	else
		x = e ? ldexp(1024 + m, e - 25) : ldexp(m, -24);
	return h & 0x8000 ? -x : x;
}

static u16 magnitude(double x)
{
	int e;
	double m;

	if (x >= 65520)
		return 0x7c00;
	if (x < 0x1p-14)
		return (u16)rint(x * 0x1p24);
	m = rint(ldexp(frexp(x, &e), 11));
	return (u16)((e + 13) * 1024 + (int)m);	/* a carry increments e */
}

static u16 narrow(double x)
{
	if (isnan(x))
		return 0x7e00;
	return magnitude(fabs(x)) | (signbit(x) ? 0x8000 : 0);
}

static u32 float_bits(float x)
{
	u32 bits;

	memcpy(&bits, &x, sizeof(bits));
	return isnan(x) ? 0x7fc00000 : bits;
}

/* as in binary16: each step is rounded */
static double mul(double x, double y)
{
	return wide(narrow(x * y));
}

void ref_half_arith(const void *a, const void *b, void *o, unsigned int n)
{
	u16 (*out)[8] = o;
	u32 i;

	for (i = 0; i < n; i++) {
		double x = wide(((u16 *)a)[i]), y = wide(((u16 *)b)[i]);
		double z = wide(((u16 *)a)[n - i]);

		out[i][0] = narrow(x + y);
		out[i][1] = narrow(x - y);
		out[i][2] = narrow(x * y);
		out[i][3] = narrow(mul(x, y) + z);
		out[i][4] = narrow(x < y ? x : y * 2);
		out[i][5] = (x < y) | (x <= y) << 1 | (x == y) << 2 |
			    (x != y) << 3 | (x > 0.5) << 4 | !(x >= y) << 5;
		out[i][6] = narrow(-x);
		out[i][7] = narrow(y - 1);
	}
}

void ref_half_convert(const void *a, const void *b, void *o, unsigned int n)
{
	u32 i, bits, (*out)[6] = o;

	for (i = 0; i < n; i++) {
		float x = ((float *)a)[i], y = wide(((u16 *)b)[i]);

		memcpy(&bits, &x, sizeof(bits));
		out[i][0] = narrow(x);
		out[i][1] = float_bits(y);
		out[i][2] = narrow((s16)bits);
		out[i][3] = narrow((u16)(bits >> 9));
		out[i][4] = (u32)(y > -32000 && y < 32000 ? (s16)y : 5);
		out[i][5] = float_bits(y * x) ^ narrow(y + 1.0f);
	}
}

void ref_half_pairs(const void *a, const void *b, void *o, unsigned int n)
{
	static const double c[2] = { 1.5, -0.25 };
	u16 (*out)[3][2] = o;
	u32 i, k;

	for (i = 0; i < n; i++)
		for (k = 0; k < 2; k++) {
			const u16 *x = (u16 *)a + 2 * i, *y = (u16 *)b + 2 * i;
			double p = wide(x[k]), q = wide(y[k]);

			out[i][0][k] = narrow(p + wide(y[!k]));
			out[i][1][k] = narrow(mul(p, q) - c[k]);
			out[i][2][k] = narrow(wide(narrow(p - q)) *
					      -wide(x[1]));
		}
}

void ref_half_packs(const void *a, const void *b, void *o, unsigned int n)
{
	u16 (*out)[4][2] = o;
	u32 i;

	for (i = 0; i < n; i++) {
		const u16 *p = (u16 *)a + 2 * i, *q = (u16 *)b + 2 * i;
		double ax = wide(p[0]), ay = wide(p[1]);
		double bx = wide(q[0]), by = wide(q[1]);
		double x = mul(ax, bx), y = wide(narrow(ay - bx));

		out[i][0][0] = narrow(bx);
		out[i][0][1] = narrow(by * x);
		out[i][1][0] = narrow(bx + y);
		out[i][1][1] = narrow(by - 4);
		out[i][2][0] = narrow(ax * -y);
		out[i][2][1] = narrow(ay * -x);
		out[i][3][0] = narrow(mul(ay, x) + 2);
		out[i][3][1] = narrow(mul(ax, 0.5) + y);
	}
}
