// SPDX-License-Identifier: GPL-2.0
/* A kernel that needs private memory. */
#include "gpu.h"

#define NR	24

__kernel WORKGROUP(64, 1)
void private_array(__global volatile uint *in, __global volatile uint *out)
{
	uint i = GLOBAL_X(64), x = in[i], k;
	volatile uint table[NR];

	for (k = 0; k < NR; k++)
		table[k] = x + k * k;
	out[i] = table[x % NR] + table[(x >> 8) % NR];
}
