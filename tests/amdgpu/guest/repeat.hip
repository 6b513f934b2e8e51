// SPDX-License-Identifier: GPL-2.0
/*
 * repeat: a HIP program as a user writes it. It prints
 *
 *	PROGRAM PID ADDRESS
 *
 * with the address of memory of the GPU, and then, for each line "run GROUPS N" of its
 * input, launches so many workgroups of 64, each thread of which stores N times to a word
 * of its own there, and compares: "ended" or "failed". At the end of the input it prints
 * "end".
 */
#include <stdio.h>
#include <unistd.h>

#include <hip/hip_runtime.h>

#define WORDS	16384

static unsigned int words[WORDS];

__global__ void repeat(volatile unsigned int *out, unsigned int first, unsigned int n)
{
	unsigned int i = blockIdx.x * blockDim.x + threadIdx.x, k;

	for (k = 0; k < n; k++)
		out[i] = first + k;
}

static bool are(unsigned int threads, unsigned int value)
{
	unsigned int i;

	for (i = 0; i < threads; i++)
		if (words[i] != value)
			return false;
	return true;
}

/* what earlier runs have stored is not what this one does */
static bool run(unsigned int *out, unsigned int groups, unsigned int n)
{
	static unsigned int stored;

	if (groups > WORDS / 64)
		return false;
	repeat<<<groups, 64>>>(out, stored, n);
	stored += n;
	return hipGetLastError() == hipSuccess &&
	       hipMemcpy(words, out, sizeof(words), hipMemcpyDeviceToHost) == hipSuccess &&
	       are(groups * 64, stored - 1);
}

int main(int, char **argv)
{
	unsigned int groups, n, *out;
	char line[64];

	setvbuf(stdout, NULL, _IOLBF, 0);
	/* the runtime makes its queue for the first kernel, which this is */
	if (hipMalloc(&out, sizeof(words)) != hipSuccess ||
	    hipMemset(out, 0, sizeof(words)) != hipSuccess ||
	    hipDeviceSynchronize() != hipSuccess)
		return 1;
	printf("%s %d %p\n", argv[0], getpid(), (void *)out);
	while (fgets(line, sizeof(line), stdin))
		puts(sscanf(line, "run %u %u", &groups, &n) == 2 && run(out, groups, n) ?
		     "ended" : "failed");
	if (hipFree(out) != hipSuccess)
		return 1;
	printf("end\n");
	return 0;
}
