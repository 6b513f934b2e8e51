/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Machine code of the selftests (tests/selftests/breakcode.h) in a process of ROCr: its
 * pages are at the same addresses, so KFD is asked for them and not ROCr.
 */
#ifndef TESTS_AMDGPU_ROCR_CODE_H
#define TESTS_AMDGPU_ROCR_CODE_H

#include <sys/ioctl.h>
#include <sys/mman.h>
#include <linux/gpubp.h>
#include <linux/kfd_ioctl.h>

#include "rocr_gpu.h"
#include "selftests/breakcode.h"

#define PAGE		4096
#define MEM_FLAGS	(KFD_IOC_ALLOC_MEM_FLAGS_GTT | KFD_IOC_ALLOC_MEM_FLAGS_WRITABLE |	\
			 KFD_IOC_ALLOC_MEM_FLAGS_EXECUTABLE |				\
			 KFD_IOC_ALLOC_MEM_FLAGS_COHERENT |				\
			 KFD_IOC_ALLOC_MEM_FLAGS_NO_SUBSTITUTE)

static uint32_t code_gpu_id(void)
{
	FILE *file = fopen("/sys/class/kfd/kfd/topology/nodes/1/gpu_id", "r");
	unsigned int id = 0;

	if (file && fscanf(file, "%u", &id) != 1)
		id = 0;
	if (file)
		fclose(file);
	return id;
}

/* by the file of the render node that ROCr has given to KFD, which alone may */
static void *code_map(uint64_t offset)
{
	void *map = MAP_FAILED;
	char target[64];
	int fd;

	for (fd = 3; fd < 64 && map == MAP_FAILED; fd++)
		if (fd_target(fd, target) && strstr(target, "/dri/"))
			map = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
				   offset);
	return map == MAP_FAILED ? NULL : map;
}

/**
 * struct code_memory - a page of ours
 * @handle: KFD's
 */
static struct code_memory {
	uint64_t handle;
} code_memory, code_data;

static void *code_page(int kfd, uint64_t va, struct code_memory *mem)
{
	uint32_t gpu_id = code_gpu_id();
	struct kfd_ioctl_alloc_memory_of_gpu_args memory = {
		.va_addr = va, .size = PAGE, .gpu_id = gpu_id, .flags = MEM_FLAGS,
	};
	struct kfd_ioctl_map_memory_to_gpu_args map = {
		.device_ids_array_ptr = (uintptr_t)&gpu_id, .n_devices = 1,
	};

	if (ioctl(kfd, AMDKFD_IOC_ALLOC_MEMORY_OF_GPU, &memory))
		return NULL;
	map.handle = mem->handle = memory.handle;
	if (ioctl(kfd, AMDKFD_IOC_MAP_MEMORY_TO_GPU, &map))
		return NULL;
	return code_map(memory.mmap_offset);
}

static void code_free(int kfd, const struct code_memory *mem)
{
	uint32_t gpu_id = code_gpu_id();
	struct kfd_ioctl_unmap_memory_from_gpu_args unmap = {
		.handle = mem->handle,
		.device_ids_array_ptr = (uintptr_t)&gpu_id, .n_devices = 1,
	};
	struct kfd_ioctl_free_memory_of_gpu_args memory = { .handle = mem->handle };

	ioctl(kfd, AMDKFD_IOC_UNMAP_MEMORY_FROM_GPU, &unmap);
	ioctl(kfd, AMDKFD_IOC_FREE_MEMORY_OF_GPU, &memory);
}

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
	bc->data = code_page(bc->fd, BC_DATA_VA, &code_data);
	bc->page = code_page(bc->fd, BC_CODE_VA, &code_memory);
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
	code_free(bc->fd, &code_data);
	code_free(bc->fd, &code_memory);
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
