// SPDX-License-Identifier: GPL-2.0
/* Targets that store on request. */
#include <errno.h>
#include "repeater.h"

bool repeat_polls;

int repeater_open(struct gpu *gpu, uint64_t *va)
{
	struct grun_mem mem;
	int ret = gpu_open(gpu, "loop");

	if (ret)
		return ret;
	ret = gpu_buffer(gpu, &mem, REPEATER_SIZE, *va);
	*va = mem.va;
	return ret;
}

int repeat(struct gpu *gpu, uint64_t va, unsigned int times)
{
	int ret = gpu_start(gpu, "repeat", 1, GPU_ARGS(va, times));

	if (ret || !repeat_polls)
		return ret ?: gpu_wait(gpu, -1);
	do {
		ret = gpu_wait(gpu, 0);
	} while (ret == -ETIME);
	return ret;
}

int repeater(int sock, void *arg)
{
	uint64_t times, va = *(uint64_t *)arg;
	struct gpu gpu;

	if (repeater_open(&gpu, &va) || !say(sock, va))
		return 1;
	while (hear(sock, &times) && times)
		if (repeat(&gpu, va, times) || !say(sock, 0))
			return 1;
	gpu_close(&gpu);
	return 0;
}

bool repeater_run(struct child *child, uint64_t times)
{
	return say(child->sock, times) && heard(child->sock) == 0;
}
