// SPDX-License-Identifier: GPL-2.0
/*
 * The program of "make demo-rocm": it smooths a series of prices of each day whose number
 * it reads, and compares them with limits. One kernel writes one element more than there are, which is
 * the first one of the buffer behind.
 *
 * Ordinary HIP: nothing in here knows of gpubp.
 */
#include <hip/hip_runtime.h>
#include <stdio.h>
#include <stdlib.h>

#define NR	1024
#define LIMIT	100.0f

#define MUST(call)							\
do {									\
	hipError_t error_ = (call);					\
									\
	if (error_ != hipSuccess) {					\
		fprintf(stderr, "overrun: %s: %s\n", #call,		\
			hipGetErrorString(error_));			\
		exit(2);						\
	}								\
} while (0)

extern "C" __global__ void smooth(const float *prices, float *mean, int nr)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i <= nr)
		mean[i] = (prices[i > 0 ? i - 1 : 0] + prices[i < nr ? i : nr - 1]) / 2;
}

extern "C" __global__ void compare(const float *mean, const float *limits, int *above, int nr)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < nr && mean[i] > limits[i])
		atomicAdd(above, 1);
}

static float prices[NR], limits[NR];

static int damage(const float *gpu)
{
	static float now[NR];
	int i, damaged = 0;

	MUST(hipMemcpy(now, gpu, sizeof(now), hipMemcpyDeviceToHost));
	for (i = 0; i < NR; i++) {
		if (now[i] == limits[i])
			continue;
		printf("overrun: limits[%d] is damaged: %g, not %g\n", i, now[i], limits[i]);
		damaged = 1;
	}
	return damaged;
}

int main(void)
{
	float *gpu_prices, *gpu_mean, *gpu_limits;
	int *gpu_above, above = 0, day, i;

	for (i = 0; i < NR; i++)
		limits[i] = LIMIT;
	MUST(hipMalloc(&gpu_prices, sizeof(prices)));
	MUST(hipMalloc(&gpu_mean, sizeof(prices)));
	MUST(hipMalloc(&gpu_limits, sizeof(limits)));
	MUST(hipMalloc(&gpu_above, sizeof(above)));
	MUST(hipMemcpy(gpu_limits, limits, sizeof(limits), hipMemcpyHostToDevice));
	MUST(hipMemcpy(gpu_above, &above, sizeof(above), hipMemcpyHostToDevice));
	printf("overrun: mean is at %p, limits are at %p\n", (void *)gpu_mean,
	       (void *)gpu_limits);
	fflush(stdout);
	while (scanf("%d", &day) == 1) {
		for (i = 0; i < NR; i++)
			prices[i] = 60 + (i * 37 + day * 11) % 50;
		MUST(hipMemcpy(gpu_prices, prices, sizeof(prices), hipMemcpyHostToDevice));
		smooth<<<NR / 256 + 1, 256>>>(gpu_prices, gpu_mean, NR);
		compare<<<NR / 256, 256>>>(gpu_mean, gpu_limits, gpu_above, NR);
		MUST(hipDeviceSynchronize());
	}
	MUST(hipMemcpy(&above, gpu_above, sizeof(above), hipMemcpyDeviceToHost));
	printf("overrun: %d prices were above their limits\n", above);
	return damage(gpu_limits);
}
