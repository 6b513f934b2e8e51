// SPDX-License-Identifier: GPL-2.0
/*
 * usage: agentapp ROUNDS ADDRESS
 *
 * An application with a GPU of its own, and an agent: lane L of a wave stores a word to
 * ADDRESS + 4 * L, ROUNDS times. It ends with 0 when all of it was done.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include "agentgpu.h"

static int run(struct agentgpu *gpu, unsigned long rounds, uint64_t va)
{
	uint64_t addr[64];
	uint32_t value[64];
	unsigned int lane;
	int ret = agentgpu_wait(gpu);

	for (; rounds && ret >= 0; rounds--) {
		for (lane = 0; lane < 64; lane++) {
			addr[lane] = va + 4 * lane;
			value[lane] = rounds * 100 + lane;
		}
		ret = agentgpu_store(gpu, ~0ULL, addr, value);
	}
	return ret;
}

int main(int argc, char **argv)
{
	struct gpubp_agent_join join = agentgpu_join();
	struct agentgpu gpu;
	void *at;
	int ret;

	if (argc != 3)
		return 2;
	at = mmap((void *)(uintptr_t)strtoull(argv[2], NULL, 0), 4096,
		  PROT_READ | PROT_WRITE,
		  MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE | MAP_POPULATE, -1, 0);
	if (at == MAP_FAILED)
		return 2;
	ret = agentgpu_start(&gpu, &join);
	if (!ret) {
		ret = run(&gpu, strtoul(argv[1], NULL, 0), (uintptr_t)at);
		agentgpu_stop(&gpu);
	}
	if (ret < 0)
		fprintf(stderr, "agentapp: %s\n", strerror(-ret));
	return ret < 0;
}
