/* SPDX-License-Identifier: GPL-2.0 */
/*
 * For the HIP kernels of this folder. Each is compiled as a user's would be, by hipcc with
 * the device libraries, and has a model in ../model_hip*.c that knows which memory
 * instructions its waves execute. Where the compiler could merge, split or move an
 * access that is watched, the kernel uses volatile.
 */
#ifndef TESTS_GPU_HIP_KERNELS_H
#define TESTS_GPU_HIP_KERNELS_H

#include <hip/hip_runtime.h>

#define KERNEL	extern "C" __global__ void

/* number of the work-item in the grid, and of those in it */
static __device__ inline int item_x(void)
{
	return blockIdx.x * blockDim.x + threadIdx.x;
}

static __device__ inline int nr_items(void)
{
	return gridDim.x * blockDim.x;
}

#endif /* TESTS_GPU_HIP_KERNELS_H */
