// SPDX-License-Identifier: GPL-2.0
/*
 * The kernel's software GPU: its device file. All of its ioctls are in here.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>
#include "internal.h"

static int file_call(const struct grun_device *dev, unsigned long cmd, void *arg)
{
	return ioctl(dev->fd, cmd, arg) ? -errno : 0;
}

static int file_start(struct grun_device *dev, const char *path, struct grun_err *err)
{
	struct gpubp_sim_queue queue = {};
	int ret = file_call(dev, GPUBP_SIM_INFO, &dev->info);

	if (ret)
		return grun_fail(err, ret, "%s is not a gpubp device: %s", path,
				 strerror(-ret));
	dev->info.isa[sizeof(dev->info.isa) - 1] = 0;
	if (!dev->info.page_size)
		return grun_fail(err, -EINVAL, "%s has no page size", path);
	ret = file_call(dev, GPUBP_SIM_QUEUE_CREATE, &queue);
	if (ret)
		return grun_fail(err, ret, "%s: cannot create a queue: %s", path,
				 strerror(-ret));
	dev->queue = queue.id;
	return 0;
}

static int file_open(struct grun_device *dev, const char *path, struct grun_err *err)
{
	path = path ? path : GRUN_DEVICE;
	dev->fd = open(path, O_RDWR | O_CLOEXEC);
	if (dev->fd < 0)
		return grun_fail(err, -errno, "%s: %s", path, strerror(errno));
	return file_start(dev, path, err);
}

static void file_close(struct grun_device *dev)
{
	if (dev->fd >= 0)
		close(dev->fd);
}

static int file_unmap(struct grun_device *dev, uint64_t va)
{
	struct gpubp_sim_unmap unmap = { .va = va };

	return file_call(dev, GPUBP_SIM_UNMAP, &unmap);
}

/*
 * Where the GPU has it, as memory of ROCm is, if that is an address of the process and
 * free there: one pointer, and a breakpoint of the CPU, is good for both.
 */
static void *file_map(const struct grun_device *dev, size_t size, uint64_t va, off_t offset)
{
	void *cpu = MAP_FAILED;

	if (va == (uintptr_t)va)
		cpu = mmap((void *)(uintptr_t)va, size, PROT_READ | PROT_WRITE,
			   MAP_SHARED | MAP_FIXED_NOREPLACE, dev->fd, offset);
	return cpu != MAP_FAILED ? cpu :
	       mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, dev->fd, offset);
}

static int file_alloc(struct grun_device *dev, struct grun_mem *mem, size_t size,
		      uint64_t va, struct grun_err *err)
{
	struct gpubp_sim_bo bo = { .size = size, .va = va };
	int ret = file_call(dev, GPUBP_SIM_BO_CREATE, &bo);

	if (ret)
		return grun_fail(err, ret, "cannot allocate %zu bytes of GPU memory: %s",
				 size, strerror(-ret));
	mem->mapped = grun_round_up(size, dev->info.page_size);
	mem->cpu = file_map(dev, mem->mapped, bo.va, (off_t)bo.mmap_offset);
	if (mem->cpu == MAP_FAILED) {
		mem->cpu = NULL;
		ret = grun_fail(err, -errno, "cannot map GPU memory: %s",
				strerror(errno));
		file_unmap(dev, bo.va);
		return ret;
	}
	mem->va = bo.va;
	return 0;
}

/* GPU memory is not the mapping of the process */
static int file_alloc_code(struct grun_device *dev, struct grun_mem *mem, size_t size,
			   void *window, struct grun_err *err)
{
	return grun_alloc(dev, mem, size, (uintptr_t)window, err);
}

static int file_userptr(struct grun_device *dev, struct grun_mem *mem, uint64_t va)
{
	struct gpubp_sim_userptr user = {
		.cpu_addr = (uintptr_t)mem->cpu, .size = mem->mapped, .va = va,
	};
	int ret = file_call(dev, GPUBP_SIM_USERPTR, &user);

	mem->va = user.va;
	return ret;
}

static int file_name(struct grun_device *dev, const struct gpubp_sim_name *name)
{
	return file_call(dev, GPUBP_SIM_NAME, (void *)(uintptr_t)name);
}

static int file_dispatch(struct grun_device *dev, struct gpubp_sim_dispatch *args)
{
	return file_call(dev, GPUBP_SIM_DISPATCH, args);
}

/* timeout_ns is what is left of it after a signal */
static int file_wait(struct grun_device *dev, struct gpubp_sim_wait *args)
{
	int ret;

	do {
		ret = file_call(dev, GPUBP_SIM_WAIT, args);
	} while (ret == -EINTR);
	return ret;
}

const struct grun_backend grun_backend_file = {
	.open = file_open,
	.close = file_close,
	.alloc = file_alloc,
	.alloc_code = file_alloc_code,
	.userptr = file_userptr,
	.unmap = file_unmap,
	.name = file_name,
	.dispatch = file_dispatch,
	.wait = file_wait,
};
