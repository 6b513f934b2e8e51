/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A second context of KFD in a process, with a queue that gets no packets: what ROCr
 * does not make (AMDKFD_IOC_CREATE_PROCESS, since 7.2).
 */
#ifndef AMDGPU_GUEST_CONTEXT_H
#define AMDGPU_GUEST_CONTEXT_H

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>
#include <linux/kfd_ioctl.h>

#ifndef AMDKFD_IOC_CREATE_PROCESS
#define AMDKFD_IOC_CREATE_PROCESS	AMDKFD_IO(0x27)
#endif

#define CONTEXT_PAGE	0x1000

struct context {
	int kfd;
	int render_node;
	uint32_t gpu;
};

/* a property of the first KFD node that is a GPU, which is the second node */
static inline uint32_t context_property(const char *name)
{
	FILE *file = fopen("/sys/class/kfd/kfd/topology/nodes/1/properties", "r");
	unsigned long value = 0;
	char key[64];

	while (file && fscanf(file, "%63s %lu", key, &value) == 2)
		if (!strcmp(key, name))
			break;
	if (file)
		fclose(file);
	return value;
}

/* system memory at the same address for GPU and CPU, which has no access to it */
static inline uint64_t context_memory(struct context *context, uint64_t size)
{
	struct kfd_ioctl_alloc_memory_of_gpu_args memory = {
		.size = size,
		.gpu_id = context->gpu,
		.flags = KFD_IOC_ALLOC_MEM_FLAGS_GTT | KFD_IOC_ALLOC_MEM_FLAGS_WRITABLE |
			 KFD_IOC_ALLOC_MEM_FLAGS_EXECUTABLE |
			 KFD_IOC_ALLOC_MEM_FLAGS_COHERENT |
			 KFD_IOC_ALLOC_MEM_FLAGS_NO_SUBSTITUTE,
	};
	struct kfd_ioctl_map_memory_to_gpu_args map = {
		.device_ids_array_ptr = (uintptr_t)&context->gpu,
		.n_devices = 1,
	};
	void *address = mmap(NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	memory.va_addr = (uintptr_t)address;
	if (address == MAP_FAILED ||
	    ioctl(context->kfd, AMDKFD_IOC_ALLOC_MEMORY_OF_GPU, &memory))
		return 0;
	map.handle = memory.handle;
	if (ioctl(context->kfd, AMDKFD_IOC_MAP_MEMORY_TO_GPU, &map))
		return 0;
	return memory.va_addr;
}

/* what KFD wants for debuggers behind the context save area of gfx9, 32 bytes a wave */
static inline uint32_t context_debug_size(void)
{
	uint32_t units = context_property("simd_count") / context_property("simd_per_cu");
	uint32_t engines = context_property("array_count") /
			   context_property("simd_arrays_per_engine");

	return (units * 40 < engines * 512 ? units * 40 : engines * 512) * 32;
}

static inline int context_queue(struct context *context)
{
	uint32_t save_size = context_property("cwsr_size");
	uint64_t total = (save_size + context_debug_size() + CONTEXT_PAGE - 1) &
			 -(uint64_t)CONTEXT_PAGE;
	struct kfd_ioctl_create_queue_args queue = {
		.ring_base_address = context_memory(context, CONTEXT_PAGE),
		.ring_size = CONTEXT_PAGE,
		.write_pointer_address = context_memory(context, CONTEXT_PAGE),
		.read_pointer_address = context_memory(context, CONTEXT_PAGE),
		.gpu_id = context->gpu,
		.queue_type = KFD_IOC_QUEUE_TYPE_COMPUTE_AQL,
		.queue_percentage = 100,
		.queue_priority = 7,
		.eop_buffer_address = context_memory(context, CONTEXT_PAGE),
		.eop_buffer_size = CONTEXT_PAGE,
		.ctx_save_restore_address = context_memory(context, total),
		.ctx_save_restore_size = save_size,
		.ctl_stack_size = context_property("ctl_stack_size"),
	};

	return ioctl(context->kfd, AMDKFD_IOC_CREATE_QUEUE, &queue);
}

/** context_make() - its address space is that of a file of the render node */
static inline int context_make(struct context *context, uint32_t gpu)
{
	struct kfd_ioctl_acquire_vm_args vm = { .gpu_id = gpu };

	context->gpu = gpu;
	context->kfd = open("/dev/kfd", O_RDWR | O_CLOEXEC);
	context->render_node = open("/dev/dri/renderD128", O_RDWR | O_CLOEXEC);
	vm.drm_fd = context->render_node;
	if (context->kfd < 0 || context->render_node < 0 ||
	    ioctl(context->kfd, AMDKFD_IOC_CREATE_PROCESS) ||
	    ioctl(context->kfd, AMDKFD_IOC_ACQUIRE_VM, &vm))
		return -1;
	return context_queue(context);
}

/** context_pasid() - of its waves; 0: not known */
static inline unsigned int context_pasid(const struct context *context)
{
	unsigned int pasid = 0;
	char text[64];
	FILE *file;

	snprintf(text, sizeof(text), "/proc/self/fdinfo/%d", context->render_node);
	file = fopen(text, "r");
	while (file && fgets(text, sizeof(text), file))
		if (sscanf(text, "pasid: %u", &pasid) == 1)
			break;
	if (file)
		fclose(file);
	return pasid;
}

/** context_leave() - it ends with its queue */
static inline void context_leave(struct context *context)
{
	close(context->kfd);
	close(context->render_node);
}

#endif /* AMDGPU_GUEST_CONTEXT_H */
