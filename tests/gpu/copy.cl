// SPDX-License-Identifier: GPL-2.0
/*
 * Copies, e.g. between device memory and memory of the process.
 */
#include "gpu.h"

__kernel WORKGROUP(64, 1)
void copy(__global const uint *from, __global uint *to, uint n)
{
	uint i = GLOBAL_X(64);

	if (i < n)
		to[i] = from[i];
}
