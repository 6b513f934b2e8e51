// SPDX-License-Identifier: GPL-2.0
/*
 * Floats that stop being numbers, in code as the compiler makes it: with
 * DX10_CLAMP, which masks exceptions of floating point.
 */
#include "gpu.h"

/* 0 * inf is invalid */
__kernel WORKGROUP(64, 1)
void scale(__global float *x, float by)
{
	uint i = GLOBAL_X(64);

	x[i] = x[i] * by;
}

/* what clamping makes of a NaN depends on DX10_CLAMP */
__kernel WORKGROUP(64, 1)
void clamp_to_1(__global const float *x, __global float *y)
{
	uint i = GLOBAL_X(64);
	float v;

	__asm__ volatile("v_max_f32_e64 %0, %1, %1 clamp" : "=v"(v) : "v"(x[i]));
	y[i] = v;
}
