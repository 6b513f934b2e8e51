// SPDX-License-Identifier: GPL-2.0
/*
 * usage: tally ROUNDS
 *
 * Every group writes into a cell that another one writes into, too. It says what each cell was
 * stored to, in wave instructions. It waits for a line before it uses a GPU, and for another
 * one before it runs its kernel.
 */
#include <hip/hip_runtime.h>
#include <stdio.h>
#include <stdlib.h>

#define CELLS	1024
#define GROUPS	8
#define SHARED	4	/* cells that are used */

#define MUST(call)							\
do {									\
	hipError_t error_ = (call);					\
									\
	if (error_ != hipSuccess) {					\
		fprintf(stderr, "tally: %s: %s\n", #call, hipGetErrorString(error_)); \
		exit(2);						\
	}								\
} while (0)

extern "C" __global__ void tally(volatile unsigned int *cells, unsigned int rounds)
{
	unsigned int n;

	for (n = 0; n < rounds; n++)
		if (threadIdx.x == 7)
			cells[blockIdx.x % SHARED] = blockIdx.x << 24 | n;
}

int main(int argc, char **argv)
{
	unsigned int rounds = argc > 1 ? atoi(argv[1]) : 1, now[CELLS] = {}, i, wrong = 0;
	unsigned int *cells;
	char line[16];

	printf("tally: waits\n");
	fflush(stdout);
	if (!fgets(line, sizeof(line), stdin))
		return 2;
	MUST(hipMalloc(&cells, sizeof(now)));
	MUST(hipMemcpy(cells, now, sizeof(now), hipMemcpyHostToDevice));
	printf("tally: cells are at %p, %u stores to each\n", (void *)cells,
	       GROUPS / SHARED * rounds);
	fflush(stdout);
	if (!fgets(line, sizeof(line), stdin))
		return 2;
	tally<<<GROUPS, 64>>>(cells, rounds);
	MUST(hipDeviceSynchronize());
	MUST(hipMemcpy(now, cells, sizeof(now), hipMemcpyDeviceToHost));
	for (i = 0; i < CELLS; i++)
		wrong += i < SHARED ? (now[i] >> 24) % SHARED != i ||
				      (now[i] & 0xffffff) != rounds - 1 : now[i] != 0;
	printf("tally: %u cells are wrong\n", wrong);
	fflush(stdout);
	return !!wrong;
}
