// SPDX-License-Identifier: GPL-2.0
/*
 * usage: again [endless]
 *
 * It launches its kernel again and again, or one whose waves run on, until its standard input
 * has a line "stop". At other lines it says which round it is, at the begin where its cells are
 * and, at the end, whether they have what they should.
 */
#include <hip/hip_runtime.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CELLS	64
#define GROUPS	2

#define MUST(call)							\
do {									\
	hipError_t error_ = (call);					\
									\
	if (error_ != hipSuccess) {					\
		fprintf(stderr, "again: %s: %s\n", #call, hipGetErrorString(error_)); \
		exit(2);						\
	}								\
} while (0)

__device__ unsigned int last_round;

extern "C" __global__ void again(volatile unsigned int *cells, unsigned int round)
{
	if (threadIdx.x == 7)
		cells[blockIdx.x] = round << 8 | blockIdx.x;
	if (!threadIdx.x && !blockIdx.x)
		last_round = round;
}

extern "C" __global__ void endless(volatile unsigned int *cells, volatile unsigned int *host)
{
	unsigned int n = 0;

	do {
		n++;
		if (threadIdx.x == 7)
			cells[blockIdx.x] = n << 8 | blockIdx.x;
		if (!threadIdx.x && !blockIdx.x)
			host[1] = n;
		__builtin_amdgcn_s_sleep(16);
	} while (!host[0]);
}

static void say(const char *what, unsigned int round)
{
	printf("again: %s %u\n", what, round);
	fflush(stdout);
}

/* a line that is not "stop" asks for the round */
static bool is_told(int timeout_ms, unsigned int round)
{
	struct pollfd in = { STDIN_FILENO, POLLIN, 0 };
	char line[16];

	if (poll(&in, 1, timeout_ms) <= 0)
		return false;
	if (!fgets(line, sizeof(line), stdin) || !strcmp(line, "stop\n"))
		return true;
	say("round", round);
	return false;
}

static unsigned int run_again(unsigned int *cells)
{
	unsigned int round = 0;

	say("runs", 0);
	do {
		again<<<GROUPS, 64>>>(cells, ++round);
		MUST(hipDeviceSynchronize());
	} while (!is_told(1, round));
	return round;
}

static void run_endless(unsigned int *cells)
{
	volatile unsigned int *host;

	MUST(hipHostMalloc((void **)&host, 4096, hipHostMallocCoherent));
	host[0] = host[1] = 0;
	endless<<<GROUPS, 64>>>(cells, (unsigned int *)host);
	while (!host[1])
		usleep(1000);
	say("runs", 0);
	while (!is_told(100, host[1]))
		;
	host[0] = 1;
	MUST(hipDeviceSynchronize());
}

int main(int argc, char **argv)
{
	unsigned int *cells, now[CELLS] = {}, round = 0, i, wrong = 0;
	bool forever = argc > 1 && !strcmp(argv[1], "endless");

	MUST(hipMalloc(&cells, sizeof(now)));
	MUST(hipMemcpy(cells, now, sizeof(now), hipMemcpyHostToDevice));
	/* what is compiled at the first launch */
	again<<<GROUPS, 64>>>(cells, 0);
	MUST(hipDeviceSynchronize());
	printf("again: cells are at %p\n", (void *)cells);
	fflush(stdout);
	if (forever)
		run_endless(cells);
	else
		round = run_again(cells);
	MUST(hipMemcpy(now, cells, sizeof(now), hipMemcpyDeviceToHost));
	for (i = 0; i < CELLS; i++)
		wrong += i >= GROUPS ? now[i] != 0 : (now[i] & 0xff) != i ||
			 (!forever && now[i] >> 8 != round);
	printf("again: %u cells are wrong\n", wrong);
	fflush(stdout);
	return !!wrong;
}
