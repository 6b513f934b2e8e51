// SPDX-License-Identifier: GPL-2.0
/*
 * Values that conditions look for: each kernel stores one that is not like the
 * others, where its input says so. They have no model.
 */
#include "gpu.h"

/* not a number where both are 0 */
__kernel WORKGROUP(64, 1)
void ratio(__global float *grid, __global const float *sums)
{
	uint i = GLOBAL_X(64);

	grid[i] = grid[i] / sums[i >> 6];
}

/* four elements a lane */
__kernel WORKGROUP(64, 1)
void ratio4(__global float4 *grid, __global const float *sums)
{
	uint i = GLOBAL_X(64);

	grid[i] = grid[i] / sums[i >> 6];
}
