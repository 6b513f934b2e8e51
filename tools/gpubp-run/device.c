// SPDX-License-Identifier: GPL-2.0
/*
 * The device file: context, queue, memory, names. All ioctls are in here and
 * in dispatch.c.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>
#include "internal.h"

#define KERNARG_SIZE	65536
/* many more dispatches than a queue takes at once, fewer than hits can number */
#define NR_PLACES	4096

static int device_start(struct grun_device *dev, const char *path,
			struct grun_err *err)
{
	struct gpubp_sim_queue queue = {};

	if (ioctl(dev->fd, GPUBP_SIM_INFO, &dev->info))
		return grun_fail(err, -errno, "%s is not a gpubp device: %s",
				 path, strerror(errno));
	dev->info.isa[sizeof(dev->info.isa) - 1] = 0;
	if (!dev->info.page_size)
		return grun_fail(err, -EINVAL, "%s has no page size", path);
	if (ioctl(dev->fd, GPUBP_SIM_QUEUE_CREATE, &queue))
		return grun_fail(err, -errno, "%s: cannot create a queue: %s",
				 path, strerror(errno));
	dev->queue = queue.id;
	dev->launches = grun_launches_new(dev->info.context, dev->queue, NR_PLACES);
	return grun_alloc(dev, &dev->kernarg, KERNARG_SIZE, 0, err);
}

int grun_open(struct grun_device **out, const char *path, struct grun_err *err)
{
	struct grun_device *dev = calloc(1, sizeof(*dev));
	int ret;

	path = path ? path : GRUN_DEVICE;
	if (!dev)
		return grun_fail(err, -ENOMEM, "out of memory");
	dev->fd = open(path, O_RDWR | O_CLOEXEC);
	if (dev->fd < 0) {
		ret = grun_fail(err, -errno, "%s: %s", path, strerror(errno));
		free(dev);
		return ret;
	}
	ret = device_start(dev, path, err);
	if (ret) {
		grun_close(dev);
		return ret;
	}
	*out = dev;
	return 0;
}

void grun_close(struct grun_device *dev)
{
	if (!dev)
		return;
	if (dev->kernarg.cpu)
		munmap(dev->kernarg.cpu, dev->kernarg.mapped);
	close(dev->fd);
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

static int device_unmap(struct grun_device *dev, uint64_t va)
{
	struct gpubp_sim_unmap unmap = { .va = va };

	return ioctl(dev->fd, GPUBP_SIM_UNMAP, &unmap) ? -errno : 0;
}

/*
 * Where the GPU has it, as memory of ROCm is, if that is an address of the process and
 * free there: one pointer, and a breakpoint of the CPU, is good for both.
 */
static void *device_map(const struct grun_device *dev, size_t size, uint64_t va,
			off_t offset)
{
	void *cpu = MAP_FAILED;

	if (va == (uintptr_t)va)
		cpu = mmap((void *)(uintptr_t)va, size, PROT_READ | PROT_WRITE,
			   MAP_SHARED | MAP_FIXED_NOREPLACE, dev->fd, offset);
	return cpu != MAP_FAILED ? cpu :
	       mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, dev->fd, offset);
}

int grun_alloc(struct grun_device *dev, struct grun_mem *mem, size_t size,
	       uint64_t va, struct grun_err *err)
{
	struct gpubp_sim_bo bo = { .size = size, .va = va };
	int ret;

	memset(mem, 0, sizeof(*mem));
	if (ioctl(dev->fd, GPUBP_SIM_BO_CREATE, &bo))
		return grun_fail(err, -errno,
				 "cannot allocate %zu bytes of GPU memory: %s",
				 size, strerror(errno));
	mem->mapped = grun_round_up(size, dev->info.page_size);
	mem->cpu = device_map(dev, mem->mapped, bo.va, (off_t)bo.mmap_offset);
	if (mem->cpu == MAP_FAILED) {
		mem->cpu = NULL;
		ret = grun_fail(err, -errno, "cannot map GPU memory: %s",
				strerror(errno));
		device_unmap(dev, bo.va);
		return ret;
	}
	mem->va = bo.va;
	mem->size = size;
	return 0;
}

int grun_userptr(struct grun_device *dev, struct grun_mem *mem, size_t size,
		 uint64_t va, struct grun_err *err)
{
	struct gpubp_sim_userptr user = { .va = va };
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
	user.cpu_addr = (uintptr_t)mem->cpu;
	user.size = mem->mapped;
	if (ioctl(dev->fd, GPUBP_SIM_USERPTR, &user)) {
		ret = grun_fail(err, -errno,
				"cannot map memory of the process for the GPU: %s",
				strerror(errno));
		munmap(mem->cpu, mem->mapped);
		mem->cpu = NULL;
		return ret;
	}
	mem->va = user.va;
	mem->size = size;
	mem->user = true;
	return 0;
}

void grun_release(struct grun_device *dev, struct grun_mem *mem)
{
	if (!mem->cpu)
		return;
	device_unmap(dev, mem->va);
	munmap(mem->cpu, mem->mapped);
	memset(mem, 0, sizeof(*mem));
}

static int device_name(struct grun_device *dev, uint64_t va, size_t size,
		       const char *name, uint32_t flags, struct grun_err *err)
{
	struct gpubp_sim_name arg = { .va = va, .size = size, .flags = flags };

	if (!name[0] || strlen(name) >= sizeof(arg.name))
		return grun_fail(err, -EINVAL,
				 "a name must have 1 to %zu bytes",
				 sizeof(arg.name) - 1);
	strcpy(arg.name, name);
	if (ioctl(dev->fd, GPUBP_SIM_NAME, &arg))
		return grun_fail(err, -errno, "cannot publish the name %s: %s",
				 name, strerror(errno));
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
