// SPDX-License-Identifier: GPL-2.0
/* Copies in all directions, of all sizes, and a sum of vectors. */
#include <string.h>

#include "hip.h"

#define NR	10007

__global__ void add(const float *a, const float *b, float *sum, int nr)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < nr)
		sum[i] = a[i] + b[i];
}

static void check_add(void)
{
	array<float> a(NR), b(NR), sum(NR);
	int i, wrong = 0;

	for (i = 0; i < NR; i++) {
		a[i] = i * 0.25f;
		b[i] = 1.0f / (i + 1);
	}
	a.to_gpu();
	b.to_gpu();
	add<<<(NR + 255) / 256, 256>>>(a.gpu, b.gpu, sum.gpu, NR);
	must_run();
	sum.to_cpu();
	for (i = 0; i < NR; i++)
		wrong += sum[i] != a[i] + b[i];
	tap_ok(!wrong, "a sum of vectors");
}

/* to the GPU, there to another buffer, and back; what is behind stays as it is */
static void check_copies(void)
{
	static const int sizes[] = { 1, 2, 3, 63, 4095, 4096, 4097, 65536, 1000003 };
	unsigned long long seed = 1;

	for (int size : sizes) {
		array<unsigned char> from(size + 1), to(size + 1);
		bool same;

		for (int i = 0; i <= size; i++) {
			from[i] = tap_random(&seed);
			to[i] = 0x5a;
		}
		from.to_gpu();
		to.to_gpu();
		MUST(hipMemcpy(to.gpu, from.gpu, size, hipMemcpyDeviceToDevice));
		to.to_cpu();
		same = !memcmp(from.cpu, to.cpu, size);
		tap_ok(same && to[size] == 0x5a, "a copy of %d bytes", size);
	}
}

static void check_fills(void)
{
	array<unsigned int> to(1000);
	int i, wrong = 0;

	MUST(hipMemset(to.gpu, 0x11, 4 * 400));
	MUST(hipMemsetD32((hipDeviceptr_t)(to.gpu + 400), 0x12345678, 300));
	to.to_cpu();
	for (i = 0; i < 1000; i++)
		wrong += to[i] != (i < 400 ? 0x11111111u : i < 700 ? 0x12345678u : 0);
	tap_ok(!wrong, "memory is filled");
}

int main(void)
{
	tap_plan(1 + 9 + 1);
	check_add();
	check_copies();
	check_fills();
	return tap_status();
}
