// SPDX-License-Identifier: GPL-2.0
/* Variables of the GPU: by name, as constants, and those that both can access. */
#include "hip.h"

__device__ int counter = 40;
__device__ float table[100];
__constant__ int factors[8] = { 1, 2, 3, 4, 5, 6, 7, 8 };
__managed__ int shared = 5;

__global__ void use(int *to)
{
	to[threadIdx.x] = factors[threadIdx.x % 8] * (int)table[threadIdx.x];
	atomicAdd(&counter, 1);
	if (!threadIdx.x)
		shared *= 2;
}

int main(void)
{
	static const int others[3] = { 60, 70, 80 };
	int i, wrong = 0, value;
	float values[100];
	array<int> to(100);
	size_t size;
	void *at;

	tap_plan(5);
	for (i = 0; i < 100; i++)
		values[i] = i + 1;
	MUST(hipMemcpyToSymbol(HIP_SYMBOL(table), values, sizeof(values)));
	MUST(hipMemcpyToSymbol(HIP_SYMBOL(factors), others, sizeof(others),
			       5 * sizeof(int)));
	use<<<1, 100>>>(to.gpu);
	must_run();
	to.to_cpu();
	for (i = 0; i < 100; i++)
		wrong += to[i] != (i % 8 < 5 ? i % 8 + 1 : others[i % 8 - 5]) * (i + 1);
	tap_ok(!wrong, "tables that the CPU writes");
	MUST(hipMemcpyFromSymbol(&value, HIP_SYMBOL(counter), sizeof(value)));
	tap_ok(value == 140, "a variable with a value from the start");
	MUST(hipGetSymbolAddress(&at, HIP_SYMBOL(table)));
	MUST(hipGetSymbolSize(&size, HIP_SYMBOL(table)));
	MUST(hipMemcpy(values, (char *)at + 4 * 50, 4, hipMemcpyDeviceToHost));
	tap_ok(size == sizeof(values) && values[0] == 51, "by address");
	tap_ok(shared == 10, "managed: the CPU sees what the GPU wrote");
	shared = 21;
	use<<<1, 100>>>(to.gpu);
	must_run();
	tap_ok(shared == 42, "... and the GPU what the CPU wrote");
	return tap_status();
}
