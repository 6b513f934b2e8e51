// SPDX-License-Identifier: GPL-2.0
/*
 * A variable that there is not, and that the linker lets pass.
 */
extern __attribute__((visibility("default"))) __global int elsewhere;

__kernel void undefined(__global int *out)
{
	*out = elsewhere;
}
