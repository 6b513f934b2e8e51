// SPDX-License-Identifier: GPL-2.0
/* Functions of a library, in another file, that are inlined into kernels. */
#include "../hip/hip.h"

#include "pixel.h"

#define SIZE	16

__global__ void gradient(canvas to)
{
	to.put(threadIdx.x, threadIdx.y, threadIdx.x * 0.25f - threadIdx.y * 0.5f);
}

__global__ void erase(canvas to, int row)
{
	to.put(threadIdx.x, row, 0.125f);
}

int main(void)
{
	array<float> pixels(SIZE * SIZE);
	canvas all = { pixels.gpu, SIZE };
	int x, y, wrong = 0;

	tap_plan(1);
	gradient<<<1, dim3(SIZE, SIZE)>>>(all);
	erase<<<1, SIZE>>>(all, 3);
	must_run();
	pixels.to_cpu();
	for (y = 0; y < SIZE; y++) {
		for (x = 0; x < SIZE; x++) {
			float value = y == 3 ? 0.125f : x * 0.25f - y * 0.5f;

			wrong += pixels[y * SIZE + x] != (value < 0 ? 0 : value > 1 ? 1 : value);
		}
	}
	tap_ok(!wrong, "each pixel");
	return tap_status();
}
