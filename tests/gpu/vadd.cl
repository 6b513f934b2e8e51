// SPDX-License-Identifier: GPL-2.0
/* Element-wise arithmetic: one store per lane, lanes beyond n are inactive. */
#include "gpu.h"

__kernel WORKGROUP(64, 1)
void vadd(__global const float *a, __global const float *b,
	  __global float *c, int n)
{
	int i = GLOBAL_X(64);

	if (i < n)
		c[i] = a[i] + b[i];
}

__kernel WORKGROUP(64, 1)
void vmul(__global const float *a, __global const float *b,
	  __global float *c, int n)
{
	int i = GLOBAL_X(64);

	if (i < n)
		c[i] = a[i] * b[i];
}

__kernel WORKGROUP(64, 1)
void vfma(__global const float *a, __global const float *b,
	  __global float *c, int n)
{
	int i = GLOBAL_X(64);

	if (i < n)
		c[i] = __builtin_fmaf(a[i], b[i], 0.5f);
}

/* two waves per workgroup */
__kernel WORKGROUP(128, 1)
void vxor(__global const uint *a, __global const uint *b, __global uint *c)
{
	uint i = GLOBAL_X(128);

	c[i] = a[i] ^ b[i];
}
