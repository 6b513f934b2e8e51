// SPDX-License-Identifier: GPL-2.0
/* Roots in steps: one element is negative in the third step, and what is beside it later. */
#include "../hip/hip.h"

#define NR	2048

__global__ void advance(const double *from, double *to, double lower)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	to[i] = sqrt(from[i] - lower) + 1;
}

__global__ void spread(const double *from, double *to, int nr)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i > 0 && i < nr - 1)
		to[i] = (from[i - 1] + from[i + 1]) / 2;
}

int main(void)
{
	static const double lower[] = { 0, 1.5, 3.6, 0 };
	array<double> state(NR), next(NR);
	int i, step, nan = 0;

	tap_plan(1);
	for (i = 0; i < NR; i++)
		state[i] = i == 1345 ? 5 : 100 + i % 50;
	state.to_gpu();
	for (step = 0; step < 4; step++) {
		advance<<<NR / 256, 256>>>(state.gpu, next.gpu, lower[step]);
		spread<<<NR / 256, 256>>>(next.gpu, state.gpu, NR);
	}
	must_run();
	state.to_cpu();
	for (i = 0; i < NR; i++)
		nan += state[i] != state[i];
	tap_ok(nan == 3, "%d elements are not numbers", nan);
	return tap_status();
}
