// SPDX-License-Identifier: GPL-2.0
/*
 * Divergent branches: every store runs with some lanes inactive, in some waves
 * with all lanes. Different comments keep the compiler from merging branches.
 */
#include "gpu.h"

__kernel WORKGROUP(64, 1)
void diverge(__global volatile uint *out)
{
	uint i = GLOBAL_X(64);

	if (i & 1) {
		out[i] = i;
		__asm__ volatile("; odd");
	} else {
		out[i] = ~i;
		__asm__ volatile("; even");
	}
	if (i >= 96) {
		out[i] = 3 * i;
		__asm__ volatile("; upper");
	}
}

/* each lane has its own number of rounds: lanes leave the loop one by one */
__kernel WORKGROUP(64, 1)
void rounds(__global volatile uint *out, __global const uint *nr)
{
	uint i = GLOBAL_X(64);
	uint n = nr[i] & 7;
	uint k;

#pragma clang loop unroll(disable)
	for (k = 0; k < n; k++)
		out[8 * i + k] = i + k;
}

/* no lane of odd workgroups */
__kernel WORKGROUP(64, 1)
void even_groups(__global volatile uint *out)
{
	if (!(GROUP_X & 1))
		out[GLOBAL_X(64)] = GROUP_X;
}
