// SPDX-License-Identifier: GPL-2.0
/* A histogram: atomics in LDS, then in memory. */
#include "hip.h"

#define BINS	128
#define NR	30000

__global__ void histogram(const unsigned char *from, unsigned int *bins, int nr)
{
	__shared__ unsigned int part[BINS];

	for (int bin = threadIdx.x; bin < BINS; bin += blockDim.x)
		part[bin] = 0;
	__syncthreads();
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < nr;
	     i += gridDim.x * blockDim.x)
		atomicAdd(&part[from[i] % BINS], 1);
	__syncthreads();
	for (int bin = threadIdx.x; bin < BINS; bin += blockDim.x)
		atomicAdd(&bins[bin], part[bin]);
}

int main(void)
{
	unsigned int expected[BINS] = { 0 }, wrong = 0, total = 0;
	array<unsigned char> from(NR);
	array<unsigned int> bins(BINS);
	unsigned long long seed = 4;
	int i;

	tap_plan(2);
	for (i = 0; i < NR; i++) {
		from[i] = tap_random(&seed) & tap_random(&seed);
		expected[from[i] % BINS]++;
	}
	from.to_gpu();
	histogram<<<12, 256>>>(from.gpu, bins.gpu, NR);
	must_run();
	bins.to_cpu();
	for (i = 0; i < BINS; i++) {
		wrong += bins[i] != expected[i];
		total += bins[i];
	}
	tap_ok(!wrong, "each bin");
	tap_ok(total == NR, "all of them together");
	return tap_status();
}
