// SPDX-License-Identifier: GPL-2.0
/* Memory of all spaces, for a debugger to read and write. Has no model. */
#include "gpu.h"

#define NR	8

/*
 * Each lane fills a word of LDS and an array in private memory, waits until the CPU
 * writes to @want, and then stores what both have to @out and @arrays.
 */
__kernel WORKGROUP(64, 1)
void spaces(__global volatile uint *out, __global volatile uint *arrays,
	    __global volatile uint *want)
{
	__local volatile uint shared[64];
	volatile uint mine[NR];
	uint i = GLOBAL_X(64), k;

	for (k = 0; k < NR; k++)
		mine[k] = 1000 * i + k;
	shared[LOCAL_X] = 0x5a0000 + i;
	while (!*want)
		;
	out[i] = shared[LOCAL_X];
	for (k = 0; k < NR; k++)
		arrays[i * NR + k] = mine[k];
}
