// SPDX-License-Identifier: GPL-2.0
/*
 * usage: elder ADDRESS
 *
 * A target of perf_gpubp_ask.sh: a thread of it has a GPU context, in which it
 * stores to ADDRESS again and again; the leader of the thread group has none.
 * Events on the leader that are opened later are not inherited by the thread.
 * Prints a line when it stores.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include "gpu.h"

#define ROUNDS	4000000000U

static void *store(void *va)
{
	uint64_t at = *(uint64_t *)va;
	struct grun_mem mem;
	struct gpu gpu;

	if (gpu_open(&gpu, "loop") || gpu_buffer(&gpu, &mem, 4096, at) ||
	    gpu_start(&gpu, "repeat", 1, GPU_ARGS(at, ROUNDS)))
		exit(1);
	puts("stores");
	fflush(stdout);
	gpu_wait(&gpu, -1);
	return NULL;
}

int main(int argc, char **argv)
{
	uint64_t va = argc > 1 ? strtoull(argv[1], NULL, 0) : 0;
	pthread_t thread;

	if (!va || pthread_create(&thread, NULL, store, &va))
		return 1;
	return pthread_join(thread, NULL);
}
