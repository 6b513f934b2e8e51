// SPDX-License-Identifier: GPL-2.0
/* A program with an allocator of its own: all its buffers are parts of one allocation. */
#include "../hip/hip.h"

#define CELLS	320

struct arena {
	char *at, *end;

	explicit arena(size_t size)
	{
		MUST(hipMalloc(&at, size));
		end = at + size;
	}

	template <typename T> T *take(int nr)
	{
		T *part = (T *)at;

		at += (nr * sizeof(T) + 255) / 256 * 256;
		if (at > end)
			exit(1);
		return part;
	}
};

__global__ void start(float *level, int *source)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	level[i] = i * 2;
	source[i] = i % 5;
}

__global__ void step(const float *level, const int *source, float *next)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	next[i] = (level[i ? i - 1 : 0] + level[i < CELLS - 1 ? i + 1 : i]) / 2 + source[i];
}

int main(void)
{
	arena all(16384);
	float *level = all.take<float>(CELLS), *next = all.take<float>(CELLS), *swap, result;
	int *source = all.take<int>(CELLS), i;

	tap_plan(1);
	start<<<CELLS / 64, 64>>>(level, source);
	for (i = 0; i < 3; i++) {
		step<<<CELLS / 64, 64>>>(level, source, next);
		swap = level;
		level = next;
		next = swap;
	}
	must_run();
	MUST(hipMemcpy(&result, level + 70, sizeof(result), hipMemcpyDeviceToHost));
	tap_ok(result == 143.75, "a cell: %g", result);
	return tap_status();
}
