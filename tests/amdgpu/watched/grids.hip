// SPDX-License-Identifier: GPL-2.0
/* Grids of two and three dimensions, with workgroups that are not full. */
#include "../hip/hip.h"

#define WIDTH	40
#define HEIGHT	12
#define DEPTH	5

__global__ void draw(int *image)
{
	int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;

	if (x < WIDTH && y < HEIGHT)
		image[y * WIDTH + x] = x * 100 + y;
}

__global__ void carve(int *volume)
{
	int x = blockIdx.x * 5 + threadIdx.x, y = blockIdx.y * 4 + threadIdx.y;
	int z = blockIdx.z * 3 + threadIdx.z;

	if (x < WIDTH && y < HEIGHT && z < DEPTH)
		volume[(z * HEIGHT + y) * WIDTH + x] = x * 10000 + y * 100 + z;
}

int main(void)
{
	array<int> image(WIDTH * HEIGHT), volume(WIDTH * HEIGHT * DEPTH);
	int x, y, z, wrong = 0;

	tap_plan(1);
	draw<<<dim3(3, 2), dim3(16, 8)>>>(image.gpu);
	carve<<<dim3(8, 3, 2), dim3(5, 4, 3)>>>(volume.gpu);
	must_run();
	image.to_cpu();
	volume.to_cpu();
	for (z = 0; z < DEPTH; z++)
		for (y = 0; y < HEIGHT; y++)
			for (x = 0; x < WIDTH; x++)
				wrong += image[y * WIDTH + x] != x * 100 + y ||
					 volume[(z * HEIGHT + y) * WIDTH + x] !=
					 x * 10000 + y * 100 + z;
	tap_ok(!wrong, "an image and a volume");
	return tap_status();
}
