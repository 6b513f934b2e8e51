/* SPDX-License-Identifier: GPL-2.0 */
/* Physical memory as the GPU sees it: its own (VRAM), and the guest's by DMA. */
#ifndef AMDGPU_MODEL_MEMORY_H
#define AMDGPU_MODEL_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dma.h"

/**
 * struct memory - both
 * @vram: device memory
 * @vram_size: bytes
 * @vram_fd: file that the guest maps, too
 * @dma: guest memory
 */
struct memory {
	uint8_t *vram;
	uint64_t vram_size;
	int vram_fd;
	struct dma_space dma;
};

/** memory_init() - zeroed VRAM of @vram_size bytes; 0 or -errno */
int memory_init(struct memory *mem, uint64_t vram_size);

/** memory_exit() - and nothing of the guest is mapped any more */
void memory_exit(struct memory *mem);

/** memory_vram() - @len bytes at @offset of VRAM, or NULL if it is smaller */
void *memory_vram(const struct memory *mem, uint64_t offset, size_t len);

#endif /* AMDGPU_MODEL_MEMORY_H */
