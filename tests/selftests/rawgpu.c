// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <linux/gpubp_sim.h>
#include "rawgpu.h"

int raw_call(int fd, unsigned long cmd, void *arg)
{
	return ioctl(fd, cmd, arg) ? -errno : 0;
}

void *raw_bo(int fd, uint64_t va, size_t size)
{
	struct gpubp_sim_bo bo = { .size = size, .va = va };
	void *map;

	if (raw_call(fd, GPUBP_SIM_BO_CREATE, &bo))
		return NULL;
	map = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
		   bo.mmap_offset);
	return map == MAP_FAILED ? NULL : map;
}
