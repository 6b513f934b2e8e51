// SPDX-License-Identifier: GPL-2.0
/* A kernel without arguments that does nothing. */
#include "gpu.h"

__kernel WORKGROUP(64, 1)
void nop(void)
{
}
