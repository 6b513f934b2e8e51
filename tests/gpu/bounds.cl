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

/* four elements an item: the last access goes on behind the end if n is no multiple */
__kernel WORKGROUP(64, 1)
void quads(__global uint4 *out, uint n)
{
	uint i = GLOBAL_X(64);

	if (i * 4 < n)
		out[i] = (uint4)(i, i, i, i);
}

/* 16 bits by a compare-and-swap of 32: an odd last element has a neighbour beside it */
__kernel WORKGROUP(64, 1)
void halves(__global ushort *out, __global const uint *at)
{
	__global ushort *p = out + at[GLOBAL_X(64)];
	__global uint *word = (__global uint *)((ulong)p & ~3ul);
	uint shift = ((ulong)p & 2) * 8, old = *(volatile __global uint *)word, new;

	do {
		new = (old & ~(0xffffu << shift)) |
		      (uint)(ushort)((old >> shift) + 1) << shift;
	} while (!__atomic_compare_exchange_n(word, &old, new, 0, RELAXED, RELAXED));
}

/* the product has 32 bits, and wraps for large rows */
__kernel WORKGROUP(64, 1)
void rows(__global const int *row, __global float *out, int pitch)
{
	out[row[GLOBAL_X(64)] * pitch + 3] = 1;
}

/* by an address that is no pointer argument */
__kernel WORKGROUP(64, 1)
void indirect(ulong out, uint n)
{
	uint i = GLOBAL_X(64);

	if (i < n)
		((__global uint *)out)[i] = i;
}

/* fill, and one access of item @item at byte @at: a store of 1 << width bytes, or an atomic */
__kernel WORKGROUP(64, 1)
void poke(__global uint *out, uint n, uint item, int at, uint width, uint atomic)
{
	uint i = GLOBAL_X(64);
	__global char *p = (__global char *)out + at;

	if (i < n)
		out[i] = i;
	if (i != item)
		return;
	if (atomic)
		__atomic_fetch_add((__global uint *)p, 1u, RELAXED);
	else if (width == 0)
		*(volatile __global uchar *)p = 1;
	else if (width == 1)
		*(volatile __global ushort *)p = 1;
	else if (width == 2)
		*(volatile __global uint *)p = 1;
	else if (width == 3)
		*(volatile __global uint2 *)p = (uint2)(1, 1);
	else
		*(volatile __global uint4 *)p = (uint4)(1, 1, 1, 1);
}

/* items @step elements apart, from element @first on */
__kernel WORKGROUP(64, 1)
void stride(__global uint *out, int first, int step)
{
	out[first + (int)GLOBAL_X(64) * step] = 1;
}

/* more ends of buffers than comparators */
__kernel WORKGROUP(64, 1)
void three(__global uint *a, __global uint *b, __global uint *c, uint n, uint more)
{
	uint i = GLOBAL_X(64);

	if (i < n) {
		a[i] = i;
		b[i] = i;
	}
	if (i < n + more)
		c[i] = i;
}
