// SPDX-License-Identifier: GPL-2.0
/*
 * The device file of the emulator: device memory is a memfd, so that mmap() of
 * it works as usual.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>
#include <linux/gpubp_sim.h>
#include "emu.h"

#define PAGE		4096ULL
#define VA_START	0x10000ULL
#define VA_END		0x800000000000ULL
#define VA_FIRST	0x100000000000ULL	/* of device memory */
#define MEMORY		(1ULL << 30)
#define MAX_MAPS	256

struct emu_map {
	uint64_t va;
	uint64_t size;
	char *cpu;
};

static struct {
	int fd;
	char *memory;
	uint64_t used;
	uint64_t next_va;
	struct emu_map maps[MAX_MAPS];
	unsigned int nr_maps;
	uint64_t seq;
	uint64_t packet;
	struct emu_result result;
} emu = { .fd = -1 };

int __real_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...);
int __real_ioctl(int fd, unsigned long cmd, void *arg);
int __wrap_ioctl(int fd, unsigned long cmd, void *arg);

void *emu_ptr(uint64_t va, size_t *len)
{
	unsigned int i;

	for (i = 0; i < emu.nr_maps; i++) {
		if (va - emu.maps[i].va >= emu.maps[i].size)
			continue;
		*len = emu.maps[i].size - (va - emu.maps[i].va);
		return emu.maps[i].cpu + (va - emu.maps[i].va);
	}
	return NULL;
}

static int emu_map(uint64_t *va, uint64_t size, char *cpu)
{
	unsigned int i;

	if (!*va) {
		*va = emu.next_va;
		emu.next_va += size;
	}
	if (!size || *va % PAGE || *va < VA_START || size > VA_END - *va)
		return -EINVAL;
	for (i = 0; i < emu.nr_maps; i++)
		if (*va < emu.maps[i].va + emu.maps[i].size &&
		    emu.maps[i].va < *va + size)
			return -EEXIST;
	if (emu.nr_maps == MAX_MAPS)
		return -ENOMEM;
	emu.maps[emu.nr_maps++] = (struct emu_map){ *va, size, cpu };
	return 0;
}

static int emu_info(struct gpubp_sim_info *info)
{
	*info = (struct gpubp_sim_info){
		.isa = EMU_ISA, .va_start = VA_START, .va_end = VA_END,
		.page_size = PAGE, .nr_wave_slots = 1, .context = 1,
	};
	return 0;
}

static int emu_bo(struct gpubp_sim_bo *bo)
{
	uint64_t size = (bo->size + PAGE - 1) & -PAGE;
	int ret;

	if (size > MEMORY - emu.used)
		return -ENOMEM;
	ret = emu_map((uint64_t *)&bo->va, size, emu.memory + emu.used);
	if (ret)
		return ret;
	bo->mmap_offset = emu.used;
	emu.used += size;
	return 0;
}

/* a page for the packet of a dispatch */
static int emu_packet(void)
{
	struct gpubp_sim_bo bo = { .size = PAGE };
	int ret = emu_bo(&bo);

	emu.packet = bo.va;
	return ret;
}

static int emu_open(void)
{
	int fd = memfd_create("gpubp_emu", MFD_CLOEXEC);

	if (fd < 0)
		return fd;
	/* one device file at a time: the previous one is closed already */
	if (emu.memory)
		munmap(emu.memory, MEMORY);
	memset(&emu, 0, sizeof(emu));
	emu.fd = fd;
	emu.next_va = VA_FIRST;
	if (ftruncate(fd, MEMORY))
		return -1;
	emu.memory = mmap(NULL, MEMORY, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	return emu.memory == MAP_FAILED || emu_packet() ? -1 : fd;
}

int __wrap_open(const char *path, int flags, ...)
{
	va_list args;
	mode_t mode;

	if (!strncmp(path, "/dev/gpubp_sim", 14))
		return emu_open();
	va_start(args, flags);
	mode = flags & O_CREAT ? va_arg(args, mode_t) : 0;
	va_end(args);
	return __real_open(path, flags, mode);
}

static int emu_userptr(struct gpubp_sim_userptr *user)
{
	return emu_map((uint64_t *)&user->va, user->size,
		       (char *)(uintptr_t)user->cpu_addr);
}

static int emu_unmap(const struct gpubp_sim_unmap *unmap)
{
	unsigned int i;

	for (i = 0; i < emu.nr_maps; i++) {
		if (emu.maps[i].va != unmap->va)
			continue;
		emu.maps[i] = emu.maps[--emu.nr_maps];
		return 0;
	}
	return -ENOENT;
}

static int emu_start(struct gpubp_sim_dispatch *d)
{
	if (!emu_dispatch(d->kernel_object, d->kernarg, emu.packet, d->grid,
			  d->workgroup, &emu.result))
		return -EINVAL;
	d->seq = ++emu.seq;
	return 0;
}

static int emu_wait(struct gpubp_sim_wait *wait)
{
	wait->status = emu.result.status;
	wait->pc = emu.result.pc;
	wait->addr = emu.result.addr;
	return 0;
}

int __wrap_ioctl(int fd, unsigned long cmd, void *arg)
{
	int ret;

	if (fd != emu.fd)
		return __real_ioctl(fd, cmd, arg);
	switch (cmd) {
	case GPUBP_SIM_INFO:
		ret = emu_info(arg);
		break;
	case GPUBP_SIM_BO_CREATE:
		ret = emu_bo(arg);
		break;
	case GPUBP_SIM_USERPTR:
		ret = emu_userptr(arg);
		break;
	case GPUBP_SIM_UNMAP:
		ret = emu_unmap(arg);
		break;
	case GPUBP_SIM_DISPATCH:
		ret = emu_start(arg);
		break;
	case GPUBP_SIM_WAIT:
		ret = emu_wait(arg);
		break;
	case GPUBP_SIM_QUEUE_CREATE:
	case GPUBP_SIM_QUEUE_DESTROY:
	case GPUBP_SIM_NAME:
		ret = 0;
		break;
	default:
		ret = -ENOTTY;
	}
	errno = ret ? -ret : errno;
	return ret ? -1 : 0;
}
