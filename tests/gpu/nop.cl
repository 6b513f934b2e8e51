// SPDX-License-Identifier: GPL-2.0
/*
 * A kernel that does nothing, with nothing.
 */
#include "gpu.h"

__kernel WORKGROUP(64, 1)
void nop(void)
{
}
