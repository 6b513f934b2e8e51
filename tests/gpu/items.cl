// SPDX-License-Identifier: GPL-2.0
/* Without a size of workgroups in the code, unlike all others: it is an argument. */
#include "gpu.h"

/* by item (x,y) of the grid to element y * width + x */
__kernel
void items(__global uint *to, uint width, uint size_x, uint size_y, uint value)
{
	to[GLOBAL_Y(size_y) * width + GLOBAL_X(size_x)] = value;
}
