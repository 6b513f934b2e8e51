// SPDX-License-Identifier: GPL-2.0
/* A sum of each workgroup, by LDS, and then of these. */
#include "../hip/hip.h"

#define GROUPS	5
#define ITEMS	128

__global__ void sum(const int *from, int *to)
{
	__shared__ int part[ITEMS];
	int me = threadIdx.x;

	part[me] = from[blockIdx.x * ITEMS + me];
	__syncthreads();
	for (int step = ITEMS / 2; step; step /= 2) {
		if (me < step)
			part[me] += part[me + step];
		__syncthreads();
	}
	if (me == 0)
		to[blockIdx.x] = part[0];
}

__global__ void finish(const int *parts, int *total, int nr)
{
	int all = 0;

	for (int i = 0; i < nr; i++)
		all += parts[i];
	total[0] = all;
}

int main(void)
{
	array<int> from(GROUPS * ITEMS), parts(GROUPS), total(1);
	int i, expected = 0;

	tap_plan(1);
	for (i = 0; i < GROUPS * ITEMS; i++) {
		from[i] = i * i % 1000 - 300;
		expected += from[i];
	}
	from.to_gpu();
	sum<<<GROUPS, ITEMS>>>(from.gpu, parts.gpu);
	finish<<<1, 1>>>(parts.gpu, total.gpu, GROUPS);
	must_run();
	total.to_cpu();
	tap_ok(total[0] == expected, "the sum is %d", total[0]);
	return tap_status();
}
