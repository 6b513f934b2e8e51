// SPDX-License-Identifier: GPL-2.0
/*
 * usage: reuse BUFFERS
 *
 * One buffer after another, at one address. A kernel stores once to a word of each, and another
 * one often, just before it is freed. It waits for a line when it has the first one.
 */
#include <hip/hip_runtime.h>
#include <stdio.h>
#include <stdlib.h>

#define SIZE	(1 << 20)
#define OFTEN	200

#define MUST(call)							\
do {									\
	hipError_t error_ = (call);					\
									\
	if (error_ != hipSuccess) {					\
		fprintf(stderr, "reuse: %s: %s\n", #call, hipGetErrorString(error_)); \
		exit(2);						\
	}								\
} while (0)

extern "C" __global__ void reuse(volatile unsigned int *word, unsigned int value,
				 unsigned int rounds)
{
	unsigned int n;

	for (n = 0; n < rounds; n++)
		if (threadIdx.x == 7)
			*word = value;
}

int main(int argc, char **argv)
{
	unsigned int buffers = argc > 1 ? atoi(argv[1]) : 1, moved = 0, n;
	unsigned int *word, *first;
	char line[16];

	MUST(hipMalloc(&first, SIZE));
	/* what is compiled at the first launch */
	reuse<<<1, 64>>>(first, 0, 1);
	MUST(hipDeviceSynchronize());
	printf("reuse: word is at %p\n", (void *)first);
	fflush(stdout);
	if (!fgets(line, sizeof(line), stdin))
		return 2;
	for (n = 1, word = first; n <= buffers; n++) {
		reuse<<<1, 64>>>(word, n << 8, 1);
		reuse<<<1, 64>>>(word, n << 8 | 1, OFTEN);
		MUST(hipFree(word));
		MUST(hipMalloc(&word, SIZE));
		moved += word != first;
	}
	printf("reuse: %u buffers are elsewhere\n", moved);
	fflush(stdout);
	return !!moved;
}
