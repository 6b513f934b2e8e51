// SPDX-License-Identifier: GPL-2.0
/* The GPU in the process as a device of the library. */
#include <elf.h>
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include "../internal.h"
#include "inproc.h"

/* @path is the name of a processor */
static int backend_open(struct grun_device *dev, const char *path, struct grun_err *err)
{
	struct inproc_gpu *gpu;
	int ret = inproc_gpu_new(&gpu, path);

	if (ret == -EINVAL)
		return grun_fail(err, ret, "the software GPU is no %s", path);
	if (ret)
		return grun_fail(err, ret, "no GPU in the process: %s", strerror(-ret));
	dev->own = gpu;
	inproc_gpu_info(gpu, &dev->info);
	dev->queue = INPROC_QUEUE;
	return 0;
}

static void backend_close(struct grun_device *dev)
{
	if (dev->own)
		inproc_gpu_free(dev->own);
}

static bool va_is_valid(const struct gpubp_sim_info *info, uint64_t va, size_t size)
{
	return !(va % info->page_size) && va >= info->va_start && va < info->va_end &&
	       size <= info->va_end - va;
}

/* GPU and CPU have it at the same address, which has to be free in the process */
static void *backend_mmap(const struct grun_device *dev, size_t size, uint64_t va)
{
	if (va && !va_is_valid(&dev->info, va, size)) {
		errno = EINVAL;
		return MAP_FAILED;
	}
	return mmap((void *)(uintptr_t)va, size, PROT_READ | PROT_WRITE,
		    MAP_SHARED | MAP_ANONYMOUS | (va ? MAP_FIXED_NOREPLACE : 0), -1, 0);
}

static int backend_map(struct grun_device *dev, struct grun_mem *mem, uint64_t va)
{
	mem->va = va;
	return inproc_gpu_map(dev->own, va, mem->mapped, mem->cpu);
}

static int backend_fail(struct grun_mem *mem, int ret, struct grun_err *err)
{
	if (mem->cpu)
		munmap(mem->cpu, mem->mapped);
	mem->cpu = NULL;
	return grun_fail(err, ret, "cannot allocate %zu bytes of GPU memory: %s", mem->size,
			 strerror(-ret));
}

static int backend_alloc(struct grun_device *dev, struct grun_mem *mem, size_t size,
			 uint64_t va, struct grun_err *err)
{
	void *cpu;
	int ret;

	mem->mapped = grun_round_up(size, dev->info.page_size);
	cpu = backend_mmap(dev, mem->mapped, va);
	if (cpu == MAP_FAILED)
		return backend_fail(mem, -errno, err);
	mem->cpu = cpu;
	ret = backend_map(dev, mem, (uintptr_t)cpu);
	return ret ? backend_fail(mem, ret, err) : 0;
}

/*
 * Memory that is shared with the window: the process, perf and the kernel find at the
 * GPU's addresses what the GPU has there, but for code, where the file is.
 */
static int backend_alloc_code(struct grun_device *dev, struct grun_mem *mem, size_t size,
			      void *window, struct grun_err *err)
{
	void *cpu;
	int ret;

	memset(mem, 0, sizeof(*mem));
	mem->size = size;
	mem->mapped = grun_round_up(size, dev->info.page_size);
	if (mmap(window, mem->mapped, PROT_READ | PROT_EXEC,
		 MAP_SHARED | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == MAP_FAILED)
		return backend_fail(mem, -errno, err);
	cpu = mremap(window, 0, mem->mapped, MREMAP_MAYMOVE);
	if (cpu == MAP_FAILED)
		return backend_fail(mem, -errno, err);
	mem->cpu = cpu;
	ret = mprotect(cpu, mem->mapped, PROT_READ | PROT_WRITE) ? -errno :
	      backend_map(dev, mem, (uintptr_t)window);
	return ret ? backend_fail(mem, ret, err) : 0;
}

/* GPU and CPU have one address: the one that is wanted */
static int userptr_move(struct grun_device *dev, struct grun_mem *mem, uint64_t va)
{
	void *cpu;

	munmap(mem->cpu, mem->mapped);
	cpu = backend_mmap(dev, mem->mapped, va);
	mem->cpu = cpu != MAP_FAILED ? cpu : NULL;
	return mem->cpu ? 0 : -errno;
}

static int backend_userptr(struct grun_device *dev, struct grun_mem *mem, uint64_t va)
{
	int ret = va ? userptr_move(dev, mem, va) : 0;

	return ret ?: backend_map(dev, mem, (uintptr_t)mem->cpu);
}

static int backend_unmap(struct grun_device *dev, uint64_t va)
{
	return inproc_gpu_unmap(dev->own, va);
}

static int backend_name(struct grun_device *dev, const struct gpubp_sim_name *name)
{
	return inproc_gpu_name(dev->own, name);
}

static int backend_dispatch(struct grun_device *dev, struct gpubp_sim_dispatch *args)
{
	return inproc_gpu_dispatch(dev->own, args);
}

static int backend_wait(struct grun_device *dev, struct gpubp_sim_wait *args)
{
	return inproc_gpu_wait(dev->own, args);
}

static const struct grun_backend backend_in_process = {
	.open = backend_open,
	.close = backend_close,
	.alloc = backend_alloc,
	.alloc_code = backend_alloc_code,
	.file_segments = PF_X,
	.userptr = backend_userptr,
	.unmap = backend_unmap,
	.name = backend_name,
	.dispatch = backend_dispatch,
	.wait = backend_wait,
};

int grun_open_in_process(struct grun_device **dev, const char *isa, struct grun_err *err)
{
	return grun_open_backend(dev, &backend_in_process, isa, err);
}

int grun_in_process_watched(const struct grun_device *dev)
{
	return inproc_gpu_watched(dev->own);
}
