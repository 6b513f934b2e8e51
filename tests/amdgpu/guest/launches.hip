// SPDX-License-Identifier: GPL-2.0
/*
 * launches CODE: for live-names-hip, kernels whose work-items are known by where they
 * store: item (x,y) to element y * WIDTH + x of its buffer. Those of two streams have
 * workgroups of other shapes, and those of launches.cl, in CODE, a grid that cuts some.
 * For each launch it prints the buffer and the line of the source.
 */
#include "../hip/hip.h"
#include <hip/hip_ext.h>

#define ROUNDS	5
#define WIDTH	48
#define HEIGHT	16
/* of launches.cl, in workgroups of 16 x 8 */
#define CUT_WIDTH	45
#define CUT_HEIGHT	13

static __global__ void mark(unsigned int *to, unsigned int width, unsigned int value)
{
	unsigned int x = blockIdx.x * blockDim.x + threadIdx.x;
	unsigned int y = blockIdx.y * blockDim.y + threadIdx.y;

	to[y * width + x] = value;
}

/* to an array of that name, where it is called */
#define MARK(grid, block, stream, to, value)				\
	(printf("%s %d\n", #to, __LINE__),				\
	 mark<<<grid, block, 0, stream>>>(to, WIDTH, value))

static void mark_cut(hipFunction_t function, unsigned int *to, unsigned int round)
{
	struct {
		unsigned int *to;
		unsigned int width, size_x, size_y, value;
	} args = { to, CUT_WIDTH, 16, 8, round };
	size_t size = sizeof(args);
	void *config[] = {
		HIP_LAUNCH_PARAM_BUFFER_POINTER, &args,
		HIP_LAUNCH_PARAM_BUFFER_SIZE, &size, HIP_LAUNCH_PARAM_END,
	};

	printf("cut %d\n", __LINE__ + 1);
	MUST(hipExtModuleLaunchKernel(function, CUT_WIDTH, CUT_HEIGHT, 1, 16, 8, 1, 0,
				      0, NULL, config, NULL, NULL, 0));
}

int main(int argc, char **argv)
{
	unsigned int *wide, *high, *cut, i;
	hipStream_t one, two;
	hipFunction_t function;
	hipModule_t module;

	if (argc != 2)
		return 2;
	MUST(hipStreamCreate(&one));
	MUST(hipStreamCreate(&two));
	MUST(hipModuleLoad(&module, argv[1]));
	MUST(hipModuleGetFunction(&function, module, "mark_cut"));
	MUST(hipMalloc(&wide, WIDTH * HEIGHT * sizeof(*wide)));
	MUST(hipMalloc(&high, WIDTH * HEIGHT * sizeof(*high)));
	MUST(hipMalloc(&cut, CUT_WIDTH * CUT_HEIGHT * sizeof(*cut)));
	for (i = 0; i < ROUNDS; i++) {
		MARK(dim3(3, 2), dim3(16, 8), one, wide, i);
		MARK(dim3(6, 1), dim3(8, 16), two, high, i);
	}
	MUST(hipDeviceSynchronize());
	for (i = 0; i < ROUNDS; i++)
		mark_cut(function, cut, i);
	MUST(hipDeviceSynchronize());
	return 0;
}
