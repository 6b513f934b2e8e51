// SPDX-License-Identifier: GPL-2.0
/* Buffers that live one after the other, at the same address as it happens. */
#include "../hip/hip.h"

#define NR	64

__global__ void weigh(int *weights, int step)
{
	weights[threadIdx.x] = step * 1000 + threadIdx.x;
}

__global__ void activate(int *activations, const int *weights)
{
	activations[threadIdx.x] = weights[threadIdx.x] + 1;
}

static int run(int step)
{
	int *weights, *activations, now[NR];

	MUST(hipMalloc(&weights, NR * 4));
	weigh<<<1, NR>>>(weights, step);
	MUST(hipMalloc(&activations, NR * 4));
	activate<<<1, NR>>>(activations, weights);
	MUST(hipFree(weights));
	MUST(hipMemcpy(now, activations, sizeof(now), hipMemcpyDeviceToHost));
	MUST(hipFree(activations));
	return now[5];
}

int main(void)
{
	tap_plan(3);
	for (int step = 0; step < 3; step++)
		tap_ok(run(step) == step * 1000 + 6, "step %d", step);
	return tap_status();
}
