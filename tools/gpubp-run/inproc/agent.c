// SPDX-License-Identifier: GPL-2.0
/* The thread that takes programs from the kernel. */
#include <poll.h>
#include "gpu.h"

/*
 * No wave is in a turn: hits of the old program have been written, and what it has
 * counted is. The next instruction is compared with the new one.
 */
static void agent_take(struct inproc_gpu *gpu)
{
	struct gpubp_agent_ack ack = {
		.header = { sizeof(ack), GPUBP_AGENT_ACK },
	};
	struct gpubp_agent_program program;

	if (!inproc_door_read(&gpu->door, &program))
		return;
	inproc_flush(gpu);
	inproc_watch_program(&gpu->unit.watch, &program);
	ack.seq = program.seq;
	inproc_door_write(&gpu->door, &ack);
}

void *inproc_agent(void *arg)
{
	struct inproc_gpu *gpu = arg;
	struct pollfd fds[] = {
		{ .fd = gpu->door.fd, .events = POLLIN },
		{ .fd = gpu->wake, .events = POLLIN },
	};

	for (;;) {
		poll(fds, ARRAY_SIZE(fds), -1);
		if (fds[1].revents || fds[0].revents & ~POLLIN)
			return NULL;
		if (!fds[0].revents)
			continue;
		inproc_lock(gpu);
		agent_take(gpu);
		inproc_unlock(gpu);
	}
}
