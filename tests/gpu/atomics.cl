// SPDX-License-Identifier: GPL-2.0
/*
 * Atomics, returning and not. The results of at_ret and at_eat depend on the
 * order of lanes and waves, unless every lane has a word of its own.
 */
#include "gpu.h"

__kernel WORKGROUP(64, 1)
void at_add(__global uint *a, uint mask)
{
	uint i = GLOBAL_X(64);

	__atomic_fetch_add(&a[i & mask], i, RELAXED);
}

#define RETURNING(op, old, at, value) \
	__asm__ volatile("global_atomic_" op " %0, %1, %2, off " OLD "\n\ts_waitcnt vmcnt(0)" \
		     : "=&v"(old) : "v"(at), "v"(value) : "memory")

__kernel WORKGROUP(64, 1)
void at_ret(__global uint *a, __global volatile uint *out)
{
	uint i = GLOBAL_X(64);
	uint old;

	RETURNING("add", old, a + i, i);
	out[i] = old;
}

__kernel WORKGROUP(64, 1)
void at_eat(__global uint *a, __global volatile uint *out)
{
	uint i = GLOBAL_X(64);
	__global uint *at = a + i;
	uint old;

	__asm__ volatile("global_atomic_add v20, v[20:21], %2, off " OLD "\n\ts_waitcnt vmcnt(0)"
		     : "={v20}"(old) : "{v[20:21]}"(at), "v"(i) : "v21", "memory");
	out[i] = old;
}

/* swaps odd words only: the others compare unequal */
__kernel WORKGROUP(64, 1)
void at_cmpswap(__global uint *a, __global volatile uint *out)
{
	uint i = GLOBAL_X(64);
	/* data: new value, comparison value */
	uint2 data = (uint2)(1000 + i, i | 1);
	uint old;

	RETURNING("cmpswap", old, a + i, data);
	out[i] = old;
}

__kernel WORKGROUP(64, 1)
void at_wide(__global ulong *a)
{
	uint i = GLOBAL_X(64);

	__atomic_fetch_add(&a[i], 0x100000001ul * i, RELAXED);
}

/* in assembly: newer compilers turn some into loops */
#define PLAIN(op, at, value) \
	__asm__ volatile("global_atomic_" op " %0, %1, off" \
			 :: "v"(at), "v"(value) : "memory")

__kernel WORKGROUP(64, 1)
void at_ops(__global uint *a)
{
	uint i = GLOBAL_X(64);
	__global uint *at = a + 8 * i;

	PLAIN("sub", at + 0, i);
	PLAIN("and", at + 1, i);
	PLAIN("or", at + 2, i);
	PLAIN("xor", at + 3, i);
	PLAIN("smin", at + 4, i - 32);
	PLAIN("smax", at + 5, i - 32);
	PLAIN("umin", at + 6, i);
	PLAIN("umax", at + 7, i);
}
