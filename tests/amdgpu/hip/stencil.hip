// SPDX-License-Identifier: GPL-2.0
/* A two-dimensional stencil: rows of a pitch, tiles in LDS, copies of rectangles. */
#include <string.h>

#include "hip.h"

#define WIDTH	70
#define HEIGHT	45
#define TILE	16

/* with a border of one element, zero outside of the image */
__global__ void blur(const char *from, char *to, size_t pitch)
{
	__shared__ float tile[TILE + 2][TILE + 2];
	int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;

	for (int j = threadIdx.y; j < TILE + 2; j += TILE) {
		for (int i = threadIdx.x; i < TILE + 2; i += TILE) {
			int u = blockIdx.x * TILE + i - 1, v = blockIdx.y * TILE + j - 1;
			const float *row = (const float *)(from + v * (long)pitch);

			tile[j][i] = u >= 0 && u < WIDTH && v >= 0 && v < HEIGHT ? row[u] : 0;
		}
	}
	__syncthreads();
	if (x < WIDTH && y < HEIGHT)
		((float *)(to + y * pitch))[x] =
			tile[threadIdx.y + 1][threadIdx.x + 1] * 4 +
			tile[threadIdx.y][threadIdx.x + 1] +
			tile[threadIdx.y + 2][threadIdx.x + 1] +
			tile[threadIdx.y + 1][threadIdx.x] +
			tile[threadIdx.y + 1][threadIdx.x + 2];
}

static float image[HEIGHT][WIDTH], result[HEIGHT][WIDTH];

static float at(int y, int x)
{
	return y < 0 || y >= HEIGHT || x < 0 || x >= WIDTH ? 0 : image[y][x];
}

static int wrong_elements(void)
{
	int x, y, wrong = 0;

	for (y = 0; y < HEIGHT; y++)
		for (x = 0; x < WIDTH; x++)
			wrong += result[y][x] != at(y, x) * 4 + at(y - 1, x) +
				 at(y + 1, x) + at(y, x - 1) + at(y, x + 1);
	return wrong;
}

int main(void)
{
	unsigned long long seed = 6;
	size_t pitch, other;
	char *from, *to;
	int step;

	tap_plan(3);
	for (float *p = image[0]; p < image[0] + WIDTH * HEIGHT; p++)
		*p = tap_random(&seed) % 1000;
	MUST(hipMallocPitch((void **)&from, &pitch, sizeof(image[0]), HEIGHT));
	MUST(hipMallocPitch((void **)&to, &other, sizeof(image[0]), HEIGHT));
	tap_ok(pitch >= sizeof(image[0]) && pitch == other, "rows of %zu bytes", pitch);
	for (step = 0; step < 2; step++) {
		MUST(hipMemcpy2D(from, pitch, image, sizeof(image[0]), sizeof(image[0]),
				 HEIGHT, hipMemcpyHostToDevice));
		blur<<<dim3((WIDTH + TILE - 1) / TILE, (HEIGHT + TILE - 1) / TILE),
		       dim3(TILE, TILE)>>>(from, to, pitch);
		must_run();
		MUST(hipMemcpy2D(result, sizeof(result[0]), to, pitch, sizeof(result[0]),
				 HEIGHT, hipMemcpyDeviceToHost));
		tap_ok(!wrong_elements(), "each element, step %d", step);
		memcpy(image, result, sizeof(image));
	}
	MUST(hipFree(from));
	MUST(hipFree(to));
	return tap_status();
}
