// SPDX-License-Identifier: GPL-2.0
/* Arguments of all types; their values are in corpus.c. */
#include "corpus.h"

struct pair {
	uint first;
	ulong second;
};

__kernel WG(64, 1, 1)
void scalar_arguments(IN(uint) a, IN(uint) b, OUT(uint) o, uint n, char c,
		      short s, float f, double d, uint4 v, struct pair p,
		      ulong l)
{
	uint i = ID;

	if (i >= n)
		return;
	o[8 * i] = a[i] + c;
	o[8 * i + 1] = a[i] * s;
	o[8 * i + 2] = as_uint(f);
	o[8 * i + 3] = as_uint2(d).y;
	o[8 * i + 4] = v.x ^ (v.w << (i & 31));
	o[8 * i + 5] = p.first + (uint)(p.second >> (i & 63));
	o[8 * i + 6] = l % (a[i] | 1);
	o[8 * i + 7] = p.second > l ? v.y : v.z;
}
