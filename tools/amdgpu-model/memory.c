// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#include "memory.h"

int memory_init(struct memory *mem, uint64_t vram_size)
{
	int fd = memfd_create("vram", MFD_CLOEXEC), err;

	*mem = (struct memory){ .vram_fd = -1 };
	if (fd < 0)
		return -errno;
	if (ftruncate(fd, vram_size))
		goto fail;
	mem->vram = mmap(NULL, vram_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (mem->vram == MAP_FAILED)
		goto fail;
	mem->vram_fd = fd;
	mem->vram_size = vram_size;
	return 0;
fail:
	err = -errno;
	close(fd);
	return err;
}

void memory_exit(struct memory *mem)
{
	dma_unmap_all(&mem->dma);
	if (mem->vram_fd < 0)
		return;
	munmap(mem->vram, mem->vram_size);
	close(mem->vram_fd);
	mem->vram_fd = -1;
}

void *memory_vram(const struct memory *mem, uint64_t offset, size_t len)
{
	if (offset > mem->vram_size || len > mem->vram_size - offset)
		return NULL;
	return mem->vram + offset;
}
