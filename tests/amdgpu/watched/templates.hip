// SPDX-License-Identifier: GPL-2.0
/* Kernels of templates, in namespaces, of lambdas and of functors. */
#include "../hip/hip.h"

#define NR	128

namespace numeric {

template <typename T, int BY> __global__ void scale(T *values)
{
	values[blockIdx.x * blockDim.x + threadIdx.x] *= BY;
}

namespace {

template <class F> __global__ void each(int *values, F function)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	values[i] = function(values[i], i);
}

}

}

struct add_index {
	int times;

	__device__ int operator()(int value, int i) const
	{
		return value + times * i;
	}
};

struct solver {
	template <typename T> static __global__ void shift(T *values, T by)
	{
		values[blockIdx.x * blockDim.x + threadIdx.x] -= by;
	}
};

int main(void)
{
	array<int> values(NR);
	int i, wrong = 0;

	tap_plan(1);
	for (i = 0; i < NR; i++)
		values[i] = i;
	values.to_gpu();
	numeric::scale<int, 3><<<2, 64>>>(values.gpu);
	numeric::each<<<2, 64>>>(values.gpu, add_index{ 10 });
	numeric::each<<<2, 64>>>(values.gpu, [] __device__ (int value, int j) {
		return value ^ j;
	});
	solver::shift<int><<<2, 64>>>(values.gpu, 100);
	must_run();
	values.to_cpu();
	for (i = 0; i < NR; i++)
		wrong += values[i] != (i * 13 ^ i) - 100;
	tap_ok(!wrong, "all of them");
	return tap_status();
}
