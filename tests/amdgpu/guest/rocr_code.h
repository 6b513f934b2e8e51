/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Machine code of the selftests (tests/selftests/breakcode.h) in a process of ROCr: its
 * pages are at the same addresses, so KFD is asked for them and not ROCr.
 */
#ifndef TESTS_AMDGPU_ROCR_CODE_H
#define TESTS_AMDGPU_ROCR_CODE_H

#include <linux/gpubp.h>

#include "kfd_memory.h"
#include "rocr_gpu.h"
#include "selftests/breakcode.h"

#define PAGE		4096

static struct kfd_memory code_memory, code_data;

/* @size 0: it is not there any more */
static int code_publish(uint64_t size)
{
	struct gpubp_publish publish = {
		.va = BC_PC(0), .size = size, .kind = GPUBP_PUBLISH_CODE,
		.name = BC_NAME,
	};
	int session = session_open(), err;

	err = session_call(session, GPUBP_PUBLISH, &publish);
	close(session);
	return err;
}

int bc_queue(struct breakcode *bc)
{
	return rocr_make_queue(&rocr) ? 0 : -EIO;
}

int bc_queue_destroy(struct breakcode *bc)
{
	hsa_queue_destroy(rocr.queue);
	rocr.queue = NULL;
	return 0;
}

static bool code_start(struct breakcode *bc)
{
	if (!rocr.frequency)
		rocr_start(&rocr);
	return rocr.queue || !bc_queue(bc);
}

int bc_open(struct breakcode *bc)
{
	if (!code_start(bc))
		return -EIO;
	bc->last = 0;
	bc->fd = open("/dev/kfd", O_RDWR | O_CLOEXEC);
	bc->data = kfd_memory_map(bc->fd, BC_DATA_VA, PAGE, &code_data);
	bc->page = kfd_memory_map(bc->fd, BC_CODE_VA, PAGE, &code_memory);
	if (!bc->data || !bc->page) {
		tap_note("memory: %s", strerror(errno));
		return -EIO;
	}
	bc_fill(bc);
	return code_publish(BC_TEXT_SIZE);
}

/* the context is ROCr's and stays */
void bc_close(struct breakcode *bc)
{
	bc_queue_destroy(bc);
	code_publish(0);
	munmap((void *)bc->data, PAGE);
	munmap(bc->page, PAGE);
	kfd_memory_free(bc->fd, &code_data);
	kfd_memory_free(bc->fd, &code_memory);
	close(bc->fd);
}

int bc_start(struct breakcode *bc, enum bc_kernel which, unsigned int groups,
	     uint32_t loops, uint64_t extra)
{
	const struct grun_launch launch = {
		.grid = { groups * BC_WAVES * BC_LANES, 1, 1 },
		.workgroup = { BC_WAVES * BC_LANES, 1, 1 },
	};

	await_events();
	kernel.packet.kernel_object = bc_object(which);
	kernel.packet.kernarg_address = (void *)bc_arguments(bc, loops, extra);
	rocr_dispatch(&rocr, &kernel, &launch);
	return 0;
}

int bc_wait(struct breakcode *bc, int seconds)
{
	return gpu_wait(NULL, seconds);
}

#endif /* TESTS_AMDGPU_ROCR_CODE_H */
