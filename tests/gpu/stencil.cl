// SPDX-License-Identifier: GPL-2.0
/*
 * A 2D stencil with an off-by-one error: the comparison of x should be "<". The
 * extra lane of each row writes the same element as the first lane of the next
 * row; that of the last row writes one element past the end of out.
 */
#include "gpu.h"

static float at(__global const float *in, int i, int end)
{
	i = i < 0 ? 0 : i;
	return in[i < end ? i : end - 1];
}

__kernel WORKGROUP(16, 16)
void stencil(__global const float *in, __global float *out, int w, int h)
{
	int x = GLOBAL_X(16);
	int y = GLOBAL_Y(16);
	int i = y * w + x;
	int end = w * h;

	/* powers of two: exact with and without fma */
	if (x <= w && y < h)
		out[i] = 0.5f * at(in, i, end) +
			 0.125f * at(in, i - 1, end) +
			 0.125f * at(in, i + 1, end) +
			 0.125f * at(in, i - w, end) +
			 0.125f * at(in, i + w, end);
}
