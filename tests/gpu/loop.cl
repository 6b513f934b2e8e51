// SPDX-License-Identifier: GPL-2.0
/* Long-running kernels. */
#include "gpu.h"

/* n rounds of arithmetic, one store at the end */
__kernel WORKGROUP(64, 1)
void spin(__global volatile uint *out, uint n)
{
	uint i = GLOBAL_X(64);
	uint x = i;

#pragma clang loop unroll(disable)
	while (n--)
		x = x * 1664525u + 1013904223u;
	out[i] = x;
}

/* n stores per lane, all to the same word */
__kernel WORKGROUP(64, 1)
void repeat(__global volatile uint *out, uint n)
{
	uint i = GLOBAL_X(64);
	uint k;

#pragma clang loop unroll(disable)
	for (k = 0; k < n; k++)
		out[i] = k;
}

/* stores until the CPU writes to stop; has no model */
__kernel WORKGROUP(64, 1)
void until(__global volatile uint *out, __global volatile uint *stop)
{
	uint i = GLOBAL_X(64);
	uint k = 0;

	while (!*stop)
		out[i] = ++k;
}

/*
 * n stores per lane, all to the same word; @count counts the stores of waves.
 * Has no model.
 */
__kernel WORKGROUP(64, 1)
void counted(__global volatile uint *out, __global uint *count, uint n)
{
	uint i = GLOBAL_X(64);
	uint k;

#pragma clang loop unroll(disable)
	for (k = 0; k < n; k++) {
		if (!LOCAL_X)
			__atomic_fetch_add(count, 1, RELAXED);
		out[i] = k;
	}
}

/* n rounds of arithmetic for each store; has no model */
__kernel WORKGROUP(64, 1)
void paced(__global volatile uint *out, __global volatile uint *stop, uint n)
{
	uint i = GLOBAL_X(64);
	uint x = i, k = 0, j;

	while (!*stop) {
#pragma clang loop unroll(disable)
		for (j = 0; j < n; j++)
			x = x * 1664525u + 1013904223u;
		__asm__ volatile("" :: "v"(x));
		out[i] = ++k;
	}
}

/* one wave: the lanes in mask store, each to its own granule; has no model */
__kernel WORKGROUP(64, 1)
void chosen(__global volatile uint *out, ulong mask)
{
	uint i = LOCAL_X;

	if (mask >> i & 1)
		out[16 * i] = i;
}

/* n stores of one lane, to the same word; has no model */
__kernel WORKGROUP(64, 1)
void hot(__global volatile uint *out, uint n)
{
	uint k;

	if (LOCAL_X)
		return;
#pragma clang loop unroll(disable)
	for (k = 0; k < n; k++)
		*out = k;
}

/* never ends; has no model */
__kernel WORKGROUP(64, 1)
void forever(void)
{
	for (;;)
		__asm__ volatile("s_nop 0");
}

/*
 * Stores and counts until the CPU sets stop (2), and pauses while it is set to
 * 1. The value that each lane read last is in seen: lanes may read different
 * values while the CPU writes, and a wave stores to out only if all read 0. Has
 * no model: the count is what is stored.
 */
__kernel WORKGROUP(64, 1)
void on_demand(__global volatile uint *out, __global volatile uint *want,
	   __global volatile uint *seen)
{
	uint i = GLOBAL_X(64);
	uint k = 0, now;

	while ((now = *want) != 2) {
		seen[i] = now;
		if (!now)
			out[i] = ++k;
	}
}
