// SPDX-License-Identifier: GPL-2.0
/* A buffer of the GPU is copied to another one, changed there, and copied back in parts. */
#include "../hip/hip.h"

#define NR	192

__global__ void halve(float *values)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	values[i] *= 0.5f;
}

int main(void)
{
	array<float> from(NR), to(NR);
	int i, wrong = 0;

	tap_plan(1);
	for (i = 0; i < NR; i++)
		from[i] = i + 0.25f;
	from.to_gpu();
	MUST(hipMemcpyDtoD((hipDeviceptr_t)to.gpu, (hipDeviceptr_t)from.gpu, NR * 4));
	halve<<<NR / 64, 64>>>(to.gpu);
	MUST(hipMemcpy(from.gpu + 64, to.gpu + 32, 64 * 4, hipMemcpyDeviceToDevice));
	must_run();
	from.to_cpu();
	for (i = 0; i < NR; i++)
		wrong += from[i] != (i < 64 || i >= 128 ? i + 0.25f : (i - 32 + 0.25f) / 2);
	tap_ok(!wrong, "there and back");
	return tap_status();
}
