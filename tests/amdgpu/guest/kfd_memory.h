/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Memory that KFD is asked for and not ROCr: at an address of the caller's choice, and
 * waves may execute it.
 */
#ifndef TESTS_AMDGPU_KFD_MEMORY_H
#define TESTS_AMDGPU_KFD_MEMORY_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>
#include <linux/kfd_ioctl.h>

#include "descriptor.h"

#define KFD_MEMORY_FLAGS	(KFD_IOC_ALLOC_MEM_FLAGS_GTT |		\
				 KFD_IOC_ALLOC_MEM_FLAGS_WRITABLE |	\
				 KFD_IOC_ALLOC_MEM_FLAGS_EXECUTABLE |	\
				 KFD_IOC_ALLOC_MEM_FLAGS_COHERENT |	\
				 KFD_IOC_ALLOC_MEM_FLAGS_NO_SUBSTITUTE)

/**
 * struct kfd_memory - memory of ours
 * @handle: KFD's
 */
struct kfd_memory {
	uint64_t handle;
};

static inline uint32_t kfd_gpu_id(void)
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
static inline void *kfd_memory_host(uint64_t offset, size_t size)
{
	void *map = MAP_FAILED;
	char target[64];
	int fd;

	for (fd = 3; fd < 64 && map == MAP_FAILED; fd++)
		if (fd_target(fd, target) && strstr(target, "/dri/"))
			map = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
				   offset);
	return map == MAP_FAILED ? NULL : map;
}

/** kfd_memory_map() - @size bytes at @va for the GPU; returns where they are here, or NULL */
static inline void *kfd_memory_map(int kfd, uint64_t va, size_t size,
				   struct kfd_memory *mem)
{
	uint32_t gpu_id = kfd_gpu_id();
	struct kfd_ioctl_alloc_memory_of_gpu_args memory = {
		.va_addr = va, .size = size, .gpu_id = gpu_id,
		.flags = KFD_MEMORY_FLAGS,
	};
	struct kfd_ioctl_map_memory_to_gpu_args map = {
		.device_ids_array_ptr = (uintptr_t)&gpu_id, .n_devices = 1,
	};

	if (ioctl(kfd, AMDKFD_IOC_ALLOC_MEMORY_OF_GPU, &memory))
		return NULL;
	map.handle = mem->handle = memory.handle;
	if (ioctl(kfd, AMDKFD_IOC_MAP_MEMORY_TO_GPU, &map))
		return NULL;
	return kfd_memory_host(memory.mmap_offset, size);
}

/** kfd_memory_free() - what is here of it is unmapped by the caller */
static inline void kfd_memory_free(int kfd, const struct kfd_memory *mem)
{
	uint32_t gpu_id = kfd_gpu_id();
	struct kfd_ioctl_unmap_memory_from_gpu_args unmap = {
		.handle = mem->handle,
		.device_ids_array_ptr = (uintptr_t)&gpu_id, .n_devices = 1,
	};
	struct kfd_ioctl_free_memory_of_gpu_args memory = { .handle = mem->handle };

	ioctl(kfd, AMDKFD_IOC_UNMAP_MEMORY_FROM_GPU, &unmap);
	ioctl(kfd, AMDKFD_IOC_FREE_MEMORY_OF_GPU, &memory);
}

#endif /* TESTS_AMDGPU_KFD_MEMORY_H */
