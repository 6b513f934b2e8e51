// SPDX-License-Identifier: GPL-2.0
/* Cooperative groups: of a workgroup, of a part of a wave, and all of a grid. */
#include "hip.h"

#include <hip/hip_cooperative_groups.h>

namespace cg = cooperative_groups;

#define GROUPS	6
#define ITEMS	128

/* sums of 16 items each, by their lanes */
__global__ void sum_tiles(const int *from, int *to)
{
	cg::thread_block block = cg::this_thread_block();
	cg::thread_block_tile<16> tile = cg::tiled_partition<16>(block);
	int i = blockIdx.x * blockDim.x + block.thread_rank(), sum = from[i];

	for (int step = tile.size() / 2; step; step /= 2)
		sum += tile.shfl_xor(sum, step);
	to[i] = sum * 100 + tile.thread_rank();
	block.sync();
}

/* every workgroup sees what all the others wrote in the round before */
__global__ void rotate_grid(int *a, int *b, int rounds)
{
	cg::grid_group grid = cg::this_grid();
	int i = grid.thread_rank(), nr = grid.size();

	for (int round = 0; round < rounds; round++) {
		b[i] = a[(i + ITEMS) % nr] + 1;
		grid.sync();
		a[i] = b[(i + ITEMS) % nr] + 1;
		grid.sync();
	}
}

static void check_tiles(void)
{
	array<int> from(GROUPS * ITEMS), to(GROUPS * ITEMS);
	int i, j, wrong = 0;

	for (i = 0; i < from.nr; i++)
		from[i] = i * 7 % 1000;
	from.to_gpu();
	sum_tiles<<<GROUPS, ITEMS>>>(from.gpu, to.gpu);
	must_run();
	to.to_cpu();
	for (i = 0; i < from.nr; i++) {
		int sum = 0;

		for (j = 0; j < 16; j++)
			sum += from[i / 16 * 16 + j];
		wrong += to[i] != sum * 100 + i % 16;
	}
	tap_ok(!wrong, "sums of tiles of 16 items");
}

static void check_grid(void)
{
	array<int> a(GROUPS * ITEMS), b(GROUPS * ITEMS);
	int i, can, rounds = 5, wrong = 0;
	void *args[] = { &a.gpu, &b.gpu, &rounds };

	MUST(hipDeviceGetAttribute(&can, hipDeviceAttributeCooperativeLaunch, 0));
	tap_ok(can, "a grid can be cooperative");
	for (i = 0; i < a.nr; i++)
		a[i] = i;
	a.to_gpu();
	MUST(hipLaunchCooperativeKernel((void *)rotate_grid, dim3(GROUPS), dim3(ITEMS),
					args, 0, 0));
	must_run();
	a.to_cpu();
	for (i = 0; i < a.nr; i++)
		wrong += a[i] != (i + 2 * rounds * ITEMS) % a.nr + 2 * rounds;
	tap_ok(!wrong, "a grid that waits for all its workgroups");
}

int main(void)
{
	tap_plan(3);
	check_tiles();
	check_grid();
	return tap_status();
}
