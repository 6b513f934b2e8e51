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
