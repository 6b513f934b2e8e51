/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The memory of the guest that the client mapped for the device.
 *
 * A pointer that dma_at() returned is good until the next dma_unmap() or
 * dma_unmap_all(), that is, until the next vfu_handle(). The guest changes the
 * memory at any time: read a value once, then check it.
 */
#ifndef AMDGPU_MODEL_DMA_H
#define AMDGPU_MODEL_DMA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct dma_mapping;

/**
 * struct dma_space - zeroed: nothing is mapped
 * @mappings: sorted by address, none overlap
 * @nr: how many
 * @room: allocated entries
 */
struct dma_space {
	struct dma_mapping *mappings;
	size_t nr;
	size_t room;
};

/**
 * dma_map() - map part of a file
 * @space: where
 * @iova: address of the device
 * @size: bytes; not 0, address and file range do not wrap; like @iova and @offset
 *	a multiple of 4096
 * @prot: PROT_READ, PROT_WRITE or both
 * @fd: file, stays the caller's; -1 is refused
 * @offset: in @fd
 * @why: out if not NULL: a short sentence when it is refused
 *
 * Return: 0, -EEXIST where a part is mapped already, -EINVAL for a bad range or a
 * file that is shorter, -EOPNOTSUPP without a file, -ENOSPC if there are too many,
 * -errno of mmap().
 */
int dma_map(struct dma_space *space, uint64_t iova, uint64_t size, int prot,
	    int fd, uint64_t offset, const char **why);

/** dma_unmap() - of exactly what one dma_map() mapped; 0 or -ENOENT */
int dma_unmap(struct dma_space *space, uint64_t iova, uint64_t size);

/** dma_unmap_all() - and free what @space allocated; it can be used again */
void dma_unmap_all(struct dma_space *space);

/**
 * dma_at() - find memory
 * @space: where
 * @addr: address of the device
 * @len: bytes
 * @write: whether they are to be written; else, read
 *
 * Return: @addr in this process, or NULL unless [@addr, @addr + @len) lies inside
 * of one mapping that allows the access. For a @len of 0, @addr must be mapped.
 */
void *dma_at(const struct dma_space *space, uint64_t addr, size_t len,
	     bool write);

#endif /* AMDGPU_MODEL_DMA_H */
