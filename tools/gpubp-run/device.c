// SPDX-License-Identifier: GPL-2.0
/*
 * A device: context, queue, memory, names. What it does is its backend's.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include "internal.h"

#define KERNARG_SIZE	65536
/* many more dispatches than a queue takes at once, fewer than hits can number */
#define NR_PLACES	4096
/* more than any element or vector needs */
#define REDZONE_ALIGN	64
#define REDZONE_MAX	(1U << 20)

static int device_start(struct grun_device *dev, const char *path,
			struct grun_err *err)
{
	int ret = dev->backend->open(dev, path, err);

	if (ret)
		return ret;
	dev->launches = grun_launches_new(dev->info.context, dev->queue, NR_PLACES);
	return grun_alloc(dev, &dev->kernarg, KERNARG_SIZE, 0, err);
}

int grun_open_backend(struct grun_device **out, const struct grun_backend *backend,
		      const char *path, struct grun_err *err)
{
	struct grun_device *dev = calloc(1, sizeof(*dev));
	int ret;

	if (!dev)
		return grun_fail(err, -ENOMEM, "out of memory");
	dev->backend = backend;
	dev->fd = -1;
	ret = device_start(dev, path, err);
	if (ret) {
		grun_close(dev);
		return ret;
	}
	*out = dev;
	return 0;
}

int grun_open(struct grun_device **dev, const char *path, struct grun_err *err)
{
	return grun_open_backend(dev, &grun_backend_file, path, err);
}

void grun_close(struct grun_device *dev)
{
	if (!dev)
		return;
	dev->backend->close(dev);
	if (dev->kernarg.cpu)
		munmap(dev->kernarg.cpu, dev->kernarg.mapped);
	if (dev->last_seq)
		grun_listener_close(dev->info.context, dev->queue);
	grun_launches_free(dev->launches);
	free(dev);
}

const struct gpubp_sim_info *grun_info(const struct grun_device *dev)
{
	return &dev->info;
}

int grun_fd(const struct grun_device *dev)
{
	return dev->fd;
}

size_t grun_redzone(void)
{
	const char *text = getenv("GPUBP_REDZONE");
	unsigned long bytes = text ? strtoul(text, NULL, 10) : 0;

	return bytes > REDZONE_MAX ? REDZONE_MAX : grun_round_up(bytes, REDZONE_ALIGN);
}

int grun_alloc(struct grun_device *dev, struct grun_mem *mem, size_t size,
	       uint64_t va, struct grun_err *err)
{
	/* where its place is given, that may be in the next one */
	const size_t more = va ? 0 : grun_redzone();

	memset(mem, 0, sizeof(*mem));
	mem->size = size;
	return dev->backend->alloc(dev, mem, size + more, va, err);
}

int grun_userptr(struct grun_device *dev, struct grun_mem *mem, size_t size,
		 uint64_t va, struct grun_err *err)
{
	int ret;

	memset(mem, 0, sizeof(*mem));
	mem->mapped = grun_round_up(size, dev->info.page_size);
	mem->cpu = mmap(NULL, mem->mapped, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (mem->cpu == MAP_FAILED) {
		mem->cpu = NULL;
		return grun_fail(err, -errno, "cannot map %zu bytes: %s",
				 size, strerror(errno));
	}
	ret = dev->backend->userptr(dev, mem, va);
	if (ret) {
		if (mem->cpu)
			munmap(mem->cpu, mem->mapped);
		mem->cpu = NULL;
		return grun_fail(err, ret,
				 "cannot map memory of the process for the GPU: %s",
				 strerror(-ret));
	}
	mem->size = size;
	mem->user = true;
	return 0;
}

void grun_release(struct grun_device *dev, struct grun_mem *mem)
{
	if (!mem->cpu)
		return;
	dev->backend->unmap(dev, mem->va);
	munmap(mem->cpu, mem->mapped);
	memset(mem, 0, sizeof(*mem));
}

static int device_name(struct grun_device *dev, uint64_t va, size_t size,
		       const char *name, uint32_t flags, struct grun_err *err)
{
	struct gpubp_sim_name arg = { .va = va, .size = size, .flags = flags };
	int ret;

	if (!name[0] || strlen(name) >= sizeof(arg.name))
		return grun_fail(err, -EINVAL,
				 "a name must have 1 to %zu bytes",
				 sizeof(arg.name) - 1);
	strcpy(arg.name, name);
	ret = dev->backend->name(dev, &arg);
	if (ret)
		return grun_fail(err, ret, "cannot publish the name %s: %s", name,
				 strerror(-ret));
	return 0;
}

int grun_name_from(struct grun_device *dev, uint64_t va, size_t size,
		   const char *name, const void *caller, struct grun_err *err)
{
	uint64_t time = grun_name_time();
	int ret = device_name(dev, va, size, name, 0, err);

	if (ret)
		return ret;
	grun_name_record(time, dev->info.context, va, size, name, caller);
	grun_listener_buffer(va, size, name);
	return 0;
}

int grun_name(struct grun_device *dev, uint64_t va, size_t size,
	      const char *name, struct grun_err *err)
{
	return grun_name_from(dev, va, size, name, __builtin_return_address(0),
			      err);
}

int grun_name_code(struct grun_device *dev, const struct grun_code *code,
		   const char *name, struct grun_err *err)
{
	return device_name(dev, code->mem.va, code->elf.span, name,
			   GPUBP_SIM_NAME_CODE, err);
}
