// SPDX-License-Identifier: GPL-2.0
/* Types: structs of some sizes, bit fields, wide and short numbers. */
#include "kernels.h"

#include <hip/hip_fp16.h>

struct pixel {
	unsigned char red, green, blue;

	__device__ void put(int i) volatile
	{
		red = i;
		green = i + 1;
		blue = i + 2;
	}
};

struct point {
	int x, y, z;

	__device__ void put(int i)
	{
		*this = point{ i, 2 * i, 3 * i };
	}
};

struct quad {
	int4 at;

	__device__ void put(int i)
	{
		at = make_int4(i, -i, i * i, 7);
	}
};

template <typename T> __global__ void hip_put(T *to, int n)
{
	int i = item_x();

	if (i < n)
		to[i].put(i);
}

template __global__ void hip_put<pixel>(pixel *, int);
template __global__ void hip_put<point>(point *, int);
template __global__ void hip_put<quad>(quad *, int);

struct fields {
	unsigned int low : 5, middle : 20, high : 7;
};

/* the other bits of each word are kept */
KERNEL hip_fields(fields *words, int plus)
{
	volatile fields *word = &words[item_x()];

	word->middle = item_x() + plus;
}

/* the product of a sine and a cosine, in units of 2^-24 */
KERNEL hip_trig(const int *from, long long *to, double scale)
{
	double angle = from[item_x()] * scale;

	to[item_x()] = llrint(ldexp(sin(angle) * cos(2 * angle), 24));
}

KERNEL hip_long(const long long *from, long long *to, long long factor)
{
	int i = item_x();

	to[i] = from[i] * factor + (from[i] >> 3) / 1000;
}

KERNEL hip_half(const float *from, __half *to)
{
	int i = item_x();

	to[i] = __hadd(__float2half(from[i]), __float2half(0.25f));
}
