// SPDX-License-Identifier: GPL-2.0
/*
 * Kernels that end in an exception; they have no model.
 */
#include "gpu.h"

/* a memory violation, if address is not mapped */
__kernel WORKGROUP(64, 1)
void wild(ulong address)
{
	((__global volatile uint *)address)[GLOBAL_X(64)] = 1;
}

/* what the lanes do at their addresses; kind is one of the tests' enum */
enum { STORE, STORE_X4, LOAD, LOAD_OVER, ADD_X2 };

/* each lane whose bit is set in mask accesses its address of a table */
__kernel WORKGROUP(64, 1)
void lanes(__global const ulong *table, ulong mask, uint kind)
{
	uint lane = LOCAL_X, x = lane + 1;
	uint4 four = { x, x, x, x };
	ulong at = table[lane], one = x;

	if (!(mask >> lane & 1))
		return;
	if (kind == STORE)
		__asm__ volatile("global_store_dword %0, %1, off"
				 :: "v"(at), "v"(x) : "memory");
	else if (kind == STORE_X4)
		__asm__ volatile("global_store_dwordx4 %0, %1, off"
				 :: "v"(at), "v"(four) : "memory");
	else if (kind == LOAD)
		__asm__ volatile("global_load_dword %0, %1, off\n\t"
				 "s_waitcnt vmcnt(0)"
				 : "=&v"(x) : "v"(at) : "memory");
	else if (kind == LOAD_OVER)
		__asm__ volatile("global_load_dwordx2 %0, %0, off\n\t"
				 "s_waitcnt vmcnt(0)" : "+v"(at) :: "memory");
	else
		__asm__ volatile("global_atomic_add_x2 %0, %1, off"
				 :: "v"(at), "v"(one) : "memory");
}

/* a scalar load */
__kernel WORKGROUP(64, 1)
void scalar(ulong address)
{
	uint x;

	__asm__ volatile("s_load_dword %0, %1, 0x0\n\ts_waitcnt lgkmcnt(0)"
			 : "=s"(x) : "s"(address) : "memory");
}

__kernel WORKGROUP(64, 1)
void illegal(void)
{
	__asm__ volatile(".long 0xffffffff");
}

/* the debugger's breakpoint, which no debugger handles */
__kernel WORKGROUP(64, 1)
void trap(void)
{
	__asm__ volatile("s_trap 7");
}
