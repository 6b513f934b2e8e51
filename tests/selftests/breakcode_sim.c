// SPDX-License-Identifier: GPL-2.0
/* Machine code for breaks on the software GPU: see breakcode.h. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>
#include <linux/gpubp_sim.h>
#include "breakcode.h"
#include "rawgpu.h"

#define DEVICE		"/dev/gpubp_sim%u"
#define PAGE		4096
#define SECOND		1000000000LL

static int publish(const struct breakcode *bc)
{
	struct gpubp_sim_name name = {
		.va = BC_PC(0), .size = BC_TEXT_SIZE,
		.flags = GPUBP_SIM_NAME_CODE, .name = BC_NAME,
	};

	return raw_call(bc->fd, GPUBP_SIM_NAME, &name);
}

static int open_device(unsigned int nr)
{
	char path[32];
	int fd;

	snprintf(path, sizeof(path), DEVICE, nr);
	fd = open(path, O_RDWR | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

int bc_queue(struct breakcode *bc)
{
	struct gpubp_sim_queue queue = {};
	int err = raw_call(bc->fd, GPUBP_SIM_QUEUE_CREATE, &queue);

	bc->queue = queue.id;
	return err;
}

int bc_queue_destroy(struct breakcode *bc)
{
	struct gpubp_sim_queue queue = { .id = bc->queue };

	return raw_call(bc->fd, GPUBP_SIM_QUEUE_DESTROY, &queue);
}

int bc_open(struct breakcode *bc)
{
	return bc_open_on(bc, 0);
}

int bc_open_on(struct breakcode *bc, unsigned int nr)
{
	bc->last = 0;
	bc->fd = open_device(nr);
	if (bc->fd < 0)
		return bc->fd;
	bc->data = raw_bo(bc->fd, BC_DATA_VA, PAGE);
	bc->page = raw_bo(bc->fd, BC_CODE_VA, PAGE);
	if (!bc->data || !bc->page || bc_queue(bc))
		return -EIO;
	bc_fill(bc);
	return publish(bc);
}

void bc_close(struct breakcode *bc)
{
	munmap((void *)bc->data, PAGE);
	munmap(bc->page, PAGE);
	close(bc->fd);
}

int bc_start(struct breakcode *bc, enum bc_kernel kernel, unsigned int groups,
	     uint32_t loops, uint64_t extra)
{
	struct gpubp_sim_dispatch d = {
		.kernel_object = bc_object(kernel),
		.kernarg = bc_arguments(bc, loops, extra),
		.grid = { groups * BC_WAVES * BC_LANES, 1, 1 },
		.workgroup = { BC_WAVES * BC_LANES, 1, 1 },
		.queue = bc->queue,
	};
	int ret = raw_call(bc->fd, GPUBP_SIM_DISPATCH, &d);

	bc->last = d.seq;
	return ret;
}

int bc_wait(struct breakcode *bc, int seconds)
{
	struct gpubp_sim_wait wait = {
		.seq = bc->last, .queue = bc->queue,
		.timeout_ns = seconds < 0 ? -1 : seconds * SECOND,
	};

	return raw_call(bc->fd, GPUBP_SIM_WAIT, &wait) ?: -(int)wait.status;
}
