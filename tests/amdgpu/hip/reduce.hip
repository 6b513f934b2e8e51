// SPDX-License-Identifier: GPL-2.0
/* Sums and extremes by LDS and barriers, and by the lanes of a wave. */
#include "hip.h"

#define ITEMS	256
#define NR	(ITEMS * 40 + 17)

__global__ void reduce_lds(const int *from, long long *to, int nr)
{
	__shared__ long long part[ITEMS];
	int i = blockIdx.x * ITEMS + threadIdx.x;

	part[threadIdx.x] = i < nr ? from[i] : 0;
	__syncthreads();
	for (int step = ITEMS / 2; step; step /= 2) {
		if ((int)threadIdx.x < step)
			part[threadIdx.x] += part[threadIdx.x + step];
		__syncthreads();
	}
	if (!threadIdx.x)
		to[blockIdx.x] = part[0];
}

__global__ void reduce_wave(const int *from, int *to, int nr)
{
	int i = blockIdx.x * ITEMS + threadIdx.x, most = i < nr ? from[i] : INT_MIN;

	for (int step = warpSize / 2; step; step /= 2)
		most = max(most, __shfl_down(most, step));
	if (!(threadIdx.x % warpSize))
		atomicMax(to, most);
}

/* each lane knows which lanes have an odd number */
__global__ void vote(const int *from, unsigned long long *odd, int *all_or_any)
{
	unsigned long long mask = __ballot(from[threadIdx.x] & 1);
	int all = __all(from[threadIdx.x] < INT_MAX), any = __any(!from[threadIdx.x]);

	if (!(threadIdx.x % warpSize)) {
		odd[threadIdx.x / warpSize] = mask;
		all_or_any[threadIdx.x / warpSize] = all | any << 1;
	}
}

/* dynamic LDS: its size is the launch's */
__global__ void reverse(int *values)
{
	extern __shared__ int copy[];

	copy[threadIdx.x] = values[blockIdx.x * blockDim.x + threadIdx.x];
	__syncthreads();
	values[blockIdx.x * blockDim.x + threadIdx.x] = copy[blockDim.x - 1 - threadIdx.x];
}

static void check_sums(array<int> *from)
{
	const int groups = (NR + ITEMS - 1) / ITEMS;
	array<long long> to(groups);
	long long expected = 0, sum = 0;
	int i;

	reduce_lds<<<groups, ITEMS>>>(from->gpu, to.gpu, NR);
	must_run();
	to.to_cpu();
	for (i = 0; i < groups; i++)
		sum += to[i];
	for (i = 0; i < NR; i++)
		expected += (*from)[i];
	tap_ok(sum == expected, "a sum, by LDS and barriers");
}

static void check_most(array<int> *from)
{
	int i, expected = INT_MIN;
	array<int> to(1);

	to[0] = INT_MIN;
	to.to_gpu();
	reduce_wave<<<(NR + ITEMS - 1) / ITEMS, ITEMS>>>(from->gpu, to.gpu, NR);
	must_run();
	to.to_cpu();
	for (i = 0; i < NR; i++)
		expected = (*from)[i] > expected ? (*from)[i] : expected;
	tap_ok(to[0] == expected, "the largest, by shuffles");
}

static void check_votes(array<int> *from)
{
	array<unsigned long long> odd(4);
	array<int> all_or_any(4);
	int i, wrong = 0;

	vote<<<1, 256>>>(from->gpu, odd.gpu, all_or_any.gpu);
	must_run();
	odd.to_cpu();
	all_or_any.to_cpu();
	for (i = 0; i < 256; i++)
		wrong += (odd[i / 64] >> i % 64 & 1) != ((unsigned int)(*from)[i] & 1);
	for (i = 0; i < 4; i++)
		wrong += all_or_any[i] != 1;
	tap_ok(!wrong, "votes of a wave");
}

static void check_reverse(array<int> *from)
{
	int i, wrong = 0;

	reverse<<<NR / 192, 192, 192 * sizeof(int)>>>(from->gpu);
	must_run();
	array<int> now(NR);
	MUST(hipMemcpy(now.cpu, from->gpu, NR * sizeof(int), hipMemcpyDeviceToHost));
	for (i = 0; i < NR / 192 * 192; i++)
		wrong += now[i] != (*from)[i / 192 * 192 + 191 - i % 192];
	tap_ok(!wrong, "LDS of a size that the launch gives");
}

int main(void)
{
	unsigned long long seed = 2;
	array<int> from(NR);

	tap_plan(4);
	for (int i = 0; i < NR; i++)
		from[i] = ((int)tap_random(&seed) | 2) & ~(1 << 30);
	from.to_gpu();
	check_sums(&from);
	check_most(&from);
	check_votes(&from);
	check_reverse(&from);
	return tap_status();
}
