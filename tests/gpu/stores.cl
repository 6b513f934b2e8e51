// SPDX-License-Identifier: GPL-2.0
/*
 * Stores of every width, naturally aligned and across granules. Each lane has
 * 128 bytes.
 */
#include "gpu.h"

#define STORE(op, at, value) \
	__asm__ volatile("global_store_" op " %0, %1, off" :: "v"(at), "v"(value) : "memory")

__kernel WORKGROUP(64, 1)
void st_widths(bytes out)
{
	uint i = GLOBAL_X(64);
	bytes at = out + 128 * i;
	uint4 v = (uint4)(i, i + 1, i + 2, i + 3);

	STORE("byte", at, i);
	STORE("short", at + 2, i);
	STORE("dword", at + 4, i);
	STORE("dwordx2", at + 8, v.xy);
	STORE("dwordx3", at + 16, v.xyz);
	STORE("dwordx4", at + 32, v);
}

/* both halves of each access in different 64-byte blocks */
__kernel WORKGROUP(64, 1)
void st_straddle(bytes out)
{
	uint i = GLOBAL_X(64);
	bytes at = out + 128 * i;
	uint4 v = (uint4)(i, i + 1, i + 2, i + 3);

	STORE("dwordx4", at + 56, v);
	STORE("dwordx2", at + 124 - 64, v.xy);
	STORE("dword", at + 61, i);
	STORE("short", at + 63, i);
}

/* the high half of a register, and an offset in the instruction */
__kernel WORKGROUP(64, 1)
void st_forms(bytes out)
{
	uint i = GLOBAL_X(64);
	bytes at = out + 128 * i + 64;

	__asm__ volatile("global_store_short_d16_hi %0, %1, off offset:-2"
		     :: "v"(at), "v"(i << 16) : "memory");
	__asm__ volatile("global_store_byte_d16_hi %0, %1, off offset:5"
		     :: "v"(at), "v"(i << 16) : "memory");
	__asm__ volatile("global_store_dword %0, %1, off offset:-64"
		     :: "v"(at), "v"(i) : "memory");
	__asm__ volatile("global_store_dword %0, %1, %2 offset:16"
		     :: "v"(128 * i), "v"(i), "s"(out) : "memory");
	__asm__ volatile("flat_store_dword %0, %1 offset:20"
		     :: "v"(at), "v"(i) : "memory");
}
