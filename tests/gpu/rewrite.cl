// SPDX-License-Identifier: GPL-2.0
/* Code that writes code; it has no model: a test knows what it executes. */
#include "gpu.h"

#define LOW		0xffffu

/*
 * Executes an instruction with a constant, 0x5a5a at first, twice; in between it
 * writes the instruction with another constant.
 */
__kernel WORKGROUP(64, 1)
void rewrite(__global volatile uint *out, uint bits, uint invalidate, uint times)
{
	__global volatile uint *insn;
	uint value, k;
	ulong at;

#pragma clang loop unroll(disable)
	for (k = 0; k < times; k++) {
		__asm__ volatile("s_getpc_b64 %0\n\t"
				 "s_movk_i32 %1, 0x5a5a"
				 : "=&s"(at), "=s"(value));
		out[k] = value;
		insn = (__global volatile uint *)at;
		*insn = (*insn & ~LOW) | bits;
		__asm__ volatile("s_waitcnt vmcnt(0) lgkmcnt(0)" ::: "memory");
		if (invalidate)
			__asm__ volatile("s_icache_inv" ::: "memory");
	}
}
