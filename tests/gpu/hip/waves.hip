// SPDX-License-Identifier: GPL-2.0
// hipcc: -mcode-object-version=5
/* What the work-items of a wave or a workgroup do together: LDS, barriers, lanes. */
#include "kernels.h"

#include <hip/hip_cooperative_groups.h>

namespace cg = cooperative_groups;

#define SIDE	16	/* of a tile */
#define BINS	64
#define MAX_BLOCK	256

KERNEL hip_transpose(const int *from, int *to, int width, int height)
{
	__shared__ int tile[SIDE][SIDE + 1];
	int x = blockIdx.x * SIDE + threadIdx.x, y = blockIdx.y * SIDE + threadIdx.y;

	tile[threadIdx.y][threadIdx.x] = from[y * width + x];
	__syncthreads();
	x = blockIdx.y * SIDE + threadIdx.x;
	y = blockIdx.x * SIDE + threadIdx.y;
	to[y * height + x] = tile[threadIdx.x][threadIdx.y];
}

/* the sum of a workgroup: of its waves by their lanes, of them by LDS */
KERNEL hip_reduce(const int *from, int *to)
{
	__shared__ int sums[MAX_BLOCK / 64];
	int sum = from[item_x()];

	for (int step = 32; step; step /= 2)
		sum += __shfl_down(sum, step);
	if (threadIdx.x % 64 == 0)
		sums[threadIdx.x / 64] = sum;
	__syncthreads();
	if (threadIdx.x)
		return;
	for (unsigned int i = 1; i < blockDim.x / 64; i++)
		sum += sums[i];
	to[blockIdx.x] = sum;
}

/* prefix sums of a workgroup */
KERNEL hip_scan(const int *from, int *to)
{
	__shared__ int sums[MAX_BLOCK];
	unsigned int at = threadIdx.x;
	int other;

	sums[at] = from[item_x()];
	for (unsigned int step = 1; step < blockDim.x; step *= 2) {
		__syncthreads();
		other = at >= step ? sums[at - step] : 0;
		__syncthreads();
		sums[at] += other;
	}
	to[item_x()] = sums[at];
}

KERNEL hip_histogram(const unsigned int *from, unsigned int *bins, int n)
{
	__shared__ unsigned int mine[BINS];

	if (threadIdx.x < BINS)
		mine[threadIdx.x] = 0;
	__syncthreads();
	for (int i = item_x(); i < n; i += nr_items())
		atomicAdd(&mine[from[i] % BINS], 1);
	__syncthreads();
	if (threadIdx.x < BINS)
		atomicAdd(&bins[threadIdx.x], mine[threadIdx.x]);
}

/* the odd values of each wave, without gaps, and how many there are */
KERNEL hip_compact(const unsigned int *from, unsigned int *to, int *nr)
{
	unsigned int value = from[item_x()];
	unsigned int wave = item_x() / 64, lane = item_x() % 64;
	unsigned long long odd = __ballot(value & 1);

	if (value & 1)
		to[wave * 64 + __popcll(odd & ((1ull << lane) - 1))] = value;
	if (lane == 0)
		nr[wave] = __popcll(odd) * (__any(value > 1) ? 1 : -1);
}

/* the sum of sixteen work-items, by the first of them */
KERNEL hip_tile(const int *from, int *to)
{
	cg::thread_block_tile<16> tile = cg::tiled_partition<16>(cg::this_thread_block());
	int sum = from[item_x()];

	for (int step = tile.size() / 2; step; step /= 2)
		sum += tile.shfl_down(sum, step);
	if (tile.thread_rank() == 0)
		to[item_x()] = sum;
}
