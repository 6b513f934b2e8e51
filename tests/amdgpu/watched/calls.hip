// SPDX-License-Identifier: GPL-2.0
/* Functions of the GPU that are called, directly, by address and as virtual ones, store. */
#include "../hip/hip.h"

#define NR	64

__device__ __attribute__((noinline)) void put(int *to, int i, int value)
{
	to[i] = value;
}

struct sink {
	int *to;

	__device__ explicit sink(int *where) : to(where) { }
	__device__ virtual void take(int i, int value) const
	{
		to[i] = value;
	}
};

struct doubling : sink {
	using sink::sink;
	__device__ void take(int i, int value) const override
	{
		to[i] = value * 2;
	}
};

__global__ void direct(int *to)
{
	put(to, threadIdx.x, threadIdx.x + 7);
}

__global__ void dynamic(int *to, int kind)
{
	sink plain(to);
	doubling twice(to);
	const sink *all[] = { &plain, &twice };

	all[(kind + threadIdx.x) % 2]->take(threadIdx.x, threadIdx.x * 3);
}

int main(void)
{
	array<int> to(NR);
	int i, wrong = 0;

	tap_plan(1);
	direct<<<1, NR>>>(to.gpu);
	dynamic<<<1, NR>>>(to.gpu, 1);
	must_run();
	to.to_cpu();
	for (i = 0; i < NR; i++)
		wrong += to[i] != i * 3 * (i % 2 ? 1 : 2);
	tap_ok(!wrong, "values of both functions");
	return tap_status();
}
