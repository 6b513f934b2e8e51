// SPDX-License-Identifier: GPL-2.0
/*
 * usage: crash trap|fault
 *
 * A kernel that stores to a cell and then executes a trap, or stores where nothing is: HIP's
 * runtime aborts the program.
 */
#include <hip/hip_runtime.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MUST(call)							\
do {									\
	hipError_t error_ = (call);					\
									\
	if (error_ != hipSuccess) {					\
		fprintf(stderr, "crash: %s: %s\n", #call, hipGetErrorString(error_)); \
		exit(2);						\
	}								\
} while (0)

extern "C" __global__ void crash(volatile int *cell, volatile int *nowhere)
{
	cell[threadIdx.x] = 17;
	if (nowhere)
		*nowhere = 1;
	else
		__builtin_trap();
}

int main(int argc, char **argv)
{
	bool fault = argc > 1 && !strcmp(argv[1], "fault");
	int *cell;

	MUST(hipMalloc(&cell, 4096));
	printf("crash: %s\n", fault ? "fault" : "trap");
	fflush(stdout);
	crash<<<1, 1>>>(cell, fault ? (int *)0x123456000 : NULL);
	MUST(hipDeviceSynchronize());
	printf("crash: it goes on\n");
	return 0;
}
