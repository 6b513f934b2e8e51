// SPDX-License-Identifier: GPL-2.0
/*
 * Kernels that store out of bounds if they get a wrong argument or a wrong grid; they
 * have no model.
 */
#include "gpu.h"

/* an index too far in one item, if n is too large */
__kernel WORKGROUP(64, 1)
void fill(__global uint *out, uint n)
{
	uint i = GLOBAL_X(64);

	if (i < n)
		out[i] = i;
}

/* no check: the grid must be that of the buffers */
__kernel WORKGROUP(64, 1)
void scale(__global const float *in, __global float *out)
{
	uint i = GLOBAL_X(64);

	out[i] = 2 * in[i];
}

__kernel WORKGROUP(64, 1)
void shift(__global const uint *in, __global uint *out, int by)
{
	int i = (int)GLOBAL_X(64);

	out[i + by] = in[i];
}

/* of 64 x 64; rows of the result are @pitch elements apart */
__kernel WORKGROUP(64, 1)
void transpose(__global const float *in, __global float *out, uint pitch)
{
	uint i = GLOBAL_X(64), x = i % 64, y = i / 64;

	out[x * pitch + y] = in[i];
}

/* of 64 x 64: the mean of each item and its neighbours, but for the border */
__kernel WORKGROUP(64, 1)
void soften(__global const float *in, __global float *out, uint first, uint rows)
{
	uint i = GLOBAL_X(64), x = i % 64, y = i / 64 + first;

	if (x > 0 && x < 63 && y >= first && y < first + rows)
		out[y * 64 + x] = 0.25f * (in[i] + in[i ^ 1] + in[i ^ 2] + in[i ^ 64]);
}

__kernel WORKGROUP(64, 1)
void count(__global const uint *keys, __global uint *bins, uint nr)
{
	__atomic_fetch_add(&bins[keys[GLOBAL_X(64)] % nr], 1u, RELAXED);
}

/* each item to the place before that of its key */
__kernel WORKGROUP(64, 1)
void scatter(__global const uint *keys, __global uint *out, uint before)
{
	uint i = GLOBAL_X(64);

	out[(int)(keys[i] - before)] = i;
}

/* one more element, in one round only */
__kernel WORKGROUP(64, 1)
void rounds(__global uint *out, uint n, uint round, uint rare)
{
	uint i = GLOBAL_X(64);

	if (i < n)
		out[i] = round;
	if (round == rare && i == n)
		out[i] = round;
}

/* two elements an item */
__kernel WORKGROUP(64, 1)
void pairs(__global uint *out, uint n)
{
	uint i = GLOBAL_X(64) * 2;

	if (i < n) {
		((__global volatile uint *)out)[i] = i;
		((__global volatile uint *)out)[i + 1] = i;
	}
}

__kernel WORKGROUP(64, 1)
void spread(__global uint *out, uint stride)
{
	uint i = GLOBAL_X(64);

	out[i * stride] = i;
}

/* by an address that is no pointer argument */
__kernel WORKGROUP(64, 1)
void indirect(ulong out, uint n)
{
	uint i = GLOBAL_X(64);

	if (i < n)
		((__global uint *)out)[i] = i;
}
