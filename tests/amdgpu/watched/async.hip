// SPDX-License-Identifier: GPL-2.0
/* Two streams with buffers of their own, which are allocated and freed in their order. */
#include "../hip/hip.h"

#define NR	64

__global__ void produce(int *to, int seed)
{
	to[threadIdx.x] = seed + threadIdx.x;
}

__global__ void consume(const int *from, int *sum)
{
	sum[threadIdx.x] += from[threadIdx.x];
}

int main(void)
{
	array<int> sums(2 * NR);
	hipStream_t stream[2];
	int i, wrong = 0, *buffer;

	tap_plan(1);
	for (i = 0; i < 2; i++)
		MUST(hipStreamCreate(&stream[i]));
	for (i = 0; i < 6; i++) {
		MUST(hipMallocAsync(&buffer, NR * sizeof(int), stream[i % 2]));
		produce<<<1, NR, 0, stream[i % 2]>>>(buffer, i * 100);
		consume<<<1, NR, 0, stream[i % 2]>>>(buffer, sums.gpu + i % 2 * NR);
		MUST(hipFreeAsync(buffer, stream[i % 2]));
	}
	for (i = 0; i < 2; i++) {
		MUST(hipStreamSynchronize(stream[i]));
		MUST(hipStreamDestroy(stream[i]));
	}
	sums.to_cpu();
	for (i = 0; i < NR; i++)
		wrong += sums[i] != 600 + 3 * i || sums[NR + i] != 900 + 3 * i;
	tap_ok(!wrong, "sums of two streams");
	return tap_status();
}
