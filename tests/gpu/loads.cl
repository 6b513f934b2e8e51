// SPDX-License-Identifier: GPL-2.0
/* Loads whose address registers survive, and loads that overwrite them. */
#include "gpu.h"

/* the address is needed again, for the store */
__kernel WORKGROUP(64, 1)
void ld_keep(__global volatile uint *a)
{
	uint i = GLOBAL_X(64);

	a[i] = a[i] + 1;
}

/* "&": the result goes to other registers than the address */
#define LOAD(op, value, at) \
	__asm__ volatile("global_load_" op " %0, %1, off\n\ts_waitcnt vmcnt(0)" \
		     : "=&v"(value) : "v"(at) : "memory")

__kernel WORKGROUP(64, 1)
void ld_widths(bytes in, __global volatile uint *out)
{
	uint i = GLOBAL_X(64);
	bytes at = in + 64 * i;
	uint byte, two_bytes, one;
	uint2 two;
	uint4 four;

	LOAD("ubyte", byte, at);
	LOAD("ushort", two_bytes, at + 2);
	LOAD("dword", one, at + 4);
	LOAD("dwordx2", two, at + 8);
	LOAD("dwordx4", four, at + 16);
	out[i] = byte + two_bytes + one + two.x + two.y +
		 four.x + four.y + four.z + four.w;
}

__kernel WORKGROUP(64, 1)
void ld_eat(__global const uint *in, __global volatile uint *out)
{
	uint i = GLOBAL_X(64);
	__global const uint *at = in + i;
	uint v;

	__asm__ volatile("global_load_dword v20, v[20:21], off\n\ts_waitcnt vmcnt(0)"
		     : "={v20}"(v) : "{v[20:21]}"(at) : "v21", "memory");
	out[i] = v;
}

/* chase a list of indices: the address of each load is the previous result */
__kernel WORKGROUP(64, 1)
void ld_chase(__global const uint *next, __global volatile uint *out, uint steps)
{
	uint i = GLOBAL_X(64);
	uint at = i;

#pragma clang loop unroll(disable)
	while (steps--)
		at = *(__global const volatile uint *)&next[at];
	out[i] = at;
}
