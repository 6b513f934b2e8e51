// SPDX-License-Identifier: GPL-2.0
/*
 * Variables of the program: two that are in scope everywhere, a static one, a constant
 * one, and a static constant, which has no name. They have no model.
 */
#include "gpu.h"

__global uint calls = 7;
__global uint table[16];
static __global ulong last;
__constant uint factors[4] = { 2, 3, 5, 7 };
static __constant uint hidden[4] = { 10, 20, 40, 80 };

/* one atomic access to calls, and a store to each word of table */
__kernel WORKGROUP(64, 1)
void touch(__global uint *out)
{
	uint i = GLOBAL_X(64);

	if (!i)
		__atomic_fetch_add(&calls, 1u, RELAXED);
	if (i < 16)
		table[i] = i * 3;
	if (i == 63)
		last += i;
	out[i] = factors[i & 3] + hidden[i >> 2 & 3];
}

__kernel WORKGROUP(64, 1)
void peek(__global uint *out)
{
	uint i = GLOBAL_X(64);

	out[i] = i < 16 ? table[i] : i == 16 ? calls : (uint)last;
}
