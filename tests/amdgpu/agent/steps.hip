// SPDX-License-Identifier: GPL-2.0
/*
 * usage: steps
 *
 * For each line of its standard input, a number: so many stores to a word. It says where that
 * is, and when they are done.
 */
#include <hip/hip_runtime.h>
#include <stdio.h>
#include <stdlib.h>

#define MUST(call)							\
do {									\
	hipError_t error_ = (call);					\
									\
	if (error_ != hipSuccess) {					\
		fprintf(stderr, "steps: %s: %s\n", #call, hipGetErrorString(error_)); \
		exit(2);						\
	}								\
} while (0)

extern "C" __global__ void steps(volatile unsigned int *word, unsigned int nr)
{
	unsigned int n;

	for (n = 0; n < nr; n++)
		if (threadIdx.x == 7)
			*word = n;
}

int main(void)
{
	unsigned int *word, nr = 0;
	char line[16];

	MUST(hipMalloc(&word, 4096));
	/* what is compiled at the first launch */
	steps<<<1, 64>>>(word + 64, 1);
	MUST(hipDeviceSynchronize());
	printf("steps: word is at %p\n", (void *)word);
	fflush(stdout);
	while (fgets(line, sizeof(line), stdin)) {
		nr += atoi(line);
		steps<<<1, 64>>>(word, atoi(line));
		MUST(hipDeviceSynchronize());
		printf("steps: %u\n", nr);
		fflush(stdout);
	}
	return 0;
}
