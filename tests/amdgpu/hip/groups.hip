// SPDX-License-Identifier: GPL-2.0
/* Cooperative groups: of a workgroup and of a part of a wave. */
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

int main(void)
{
	tap_plan(1);
	check_tiles();
	return tap_status();
}
