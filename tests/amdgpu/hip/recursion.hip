// SPDX-License-Identifier: GPL-2.0
/* Functions that call themselves and others by address: the stack, private memory. */
#include "hip.h"

#define NR	192

__host__ __device__ __attribute__((noinline)) int ackermann(int m, int n)
{
	if (!m)
		return n + 1;
	return ackermann(m - 1, n ? ackermann(m, n - 1) : 1);
}

__host__ __device__ __attribute__((noinline)) void sort(int *values, int first, int last)
{
	int i, at = first, swap;

	if (first >= last)
		return;
	for (i = first; i <= last; i++) {
		if (i < last && values[i] >= values[last])
			continue;
		swap = values[i];
		values[i] = values[at];
		values[at++] = swap;
	}
	sort(values, first, at - 2);
	sort(values, at, last);
}

__global__ void compute(int *to)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	to[i] = ackermann(i % 3, i % 7);
}

/* an array of each work-item, with indices that only the run knows */
__global__ void sort_private(const int *from, int *to, int nr)
{
	int i, mine = blockIdx.x * blockDim.x + threadIdx.x, copy[40];

	for (i = 0; i < nr; i++)
		copy[i] = from[(mine * 7 + i * 13) % NR];
	sort(copy, 0, nr - 1);
	for (i = 0; i < nr; i++)
		to[mine * nr + i] = copy[i];
}

struct shape {
	__device__ virtual float area(float size) const { return size; }
};

struct square : shape {
	__device__ float area(float size) const override { return size * size; }
};

struct circle : shape {
	__device__ float area(float size) const override { return 3 * size * size; }
};

__global__ void areas(float *to)
{
	int i = threadIdx.x;
	square a;
	circle b;
	shape c;
	const shape *all[] = { &a, &b, &c };

	to[i] = all[i % 3]->area(i);
}

static void check_ackermann(void)
{
	array<int> to(NR);
	int i, wrong = 0;

	compute<<<NR / 64, 64>>>(to.gpu);
	must_run();
	to.to_cpu();
	for (i = 0; i < NR; i++)
		wrong += to[i] != ackermann(i % 3, i % 7);
	tap_ok(!wrong, "a function that calls itself");
}

static void check_sort(void)
{
	array<int> from(NR), to(NR * 40);
	unsigned long long seed = 5;
	int i, j, wrong = 0, copy[40];

	for (i = 0; i < NR; i++)
		from[i] = tap_random(&seed) % 1000;
	from.to_gpu();
	sort_private<<<NR / 64, 64>>>(from.gpu, to.gpu, 40);
	must_run();
	to.to_cpu();
	for (i = 0; i < NR; i++) {
		for (j = 0; j < 40; j++)
			copy[j] = from[(i * 7 + j * 13) % NR];
		sort(copy, 0, 39);
		for (j = 0; j < 40; j++)
			wrong += to[i * 40 + j] != copy[j];
	}
	tap_ok(!wrong, "arrays in private memory are sorted");
}

static void check_virtual(void)
{
	array<float> to(64);
	int i, wrong = 0;

	areas<<<1, 64>>>(to.gpu);
	must_run();
	to.to_cpu();
	for (i = 0; i < 64; i++)
		wrong += to[i] != (i % 3 == 0 ? i * i : i % 3 == 1 ? 3 * i * i : i);
	tap_ok(!wrong, "virtual functions");
}

int main(void)
{
	tap_plan(3);
	check_ackermann();
	check_sort();
	check_virtual();
	return tap_status();
}
