// SPDX-License-Identifier: GPL-2.0
/* Arrays: one element a work-item, strides of a grid, two and three dimensions. */
#include "kernels.h"

KERNEL hip_vadd(const float *a, const float *b, float *c, int n)
{
	int i = item_x();

	if (i < n)
		c[i] = a[i] + b[i];
}

KERNEL hip_saxpy(float a, const float *x, float *y, int n)
{
	#pragma unroll 1
	for (int i = item_x(); i < n; i += nr_items())
		y[i] = fmaf(a, x[i], y[i]);
}

/* it writes one element more than there are */
KERNEL hip_overrun(const float *prices, float *mean, int n)
{
	int i = item_x();

	if (i <= n)
		mean[i] = (prices[i > 0 ? i - 1 : 0] + prices[i < n ? i : n - 1]) / 2;
}

/* seven points of three dimensions; the border is copied */
KERNEL hip_stencil(const int *from, int *to, int width, int height, int depth)
{
	int x = blockIdx.x * blockDim.x + threadIdx.x;
	int y = blockIdx.y * blockDim.y + threadIdx.y;
	int z = blockIdx.z * blockDim.z + threadIdx.z;
	int i = (z * height + y) * width + x, sum = from[i];

	if (x > 0 && x < width - 1 && y > 0 && y < height - 1 && z > 0 && z < depth - 1)
		sum = from[i - 1] + from[i + 1] + from[i - width] + from[i + width] +
		      from[i - width * height] + from[i + width * height] - 6 * sum;
	to[i] = sum;
}

KERNEL hip_memcpy(const uint4 *from, uint4 *to, int n)
{
	#pragma unroll 1
	for (int i = item_x(); i < n; i += nr_items())
		to[i] = from[i];
}

KERNEL hip_memset(unsigned char *to, int value, int n)
{
	#pragma unroll 1
	for (int i = item_x(); i < n; i += nr_items())
		((volatile unsigned char *)to)[i] = value;
}
