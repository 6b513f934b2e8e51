// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include "dma.h"

/* the most mappings; a client is announced no more */
#define MAX_MAPPINGS	65535
#define PAGE_MASK	4095ull

/**
 * struct dma_mapping - a part of the guest's memory
 * @iova: address of the device
 * @last: address of the last byte
 * @host: where it is in this process
 * @prot: PROT_READ, PROT_WRITE
 */
struct dma_mapping {
	uint64_t iova;
	uint64_t last;
	unsigned char *host;
	int prot;
};

static size_t mapping_size(const struct dma_mapping *mapping)
{
	return mapping->last - mapping->iova + 1;
}

/* the number of mappings that end before @addr */
static size_t mapping_index(const struct dma_space *space, uint64_t addr)
{
	size_t low = 0, high = space->nr, mid;

	while (low < high) {
		mid = (low + high) / 2;
		if (space->mappings[mid].last < addr)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

/* NULL, or why the range cannot be mapped */
static const char *range_refused(uint64_t iova, uint64_t size, uint64_t offset)
{
	if (!size)
		return "no bytes";
	if ((iova | size | offset) & PAGE_MASK)
		return "not in whole pages";
	if (iova + size - 1 < iova || offset + size < offset)
		return "range wraps";
	if (offset + size > INT64_MAX || size > SIZE_MAX)
		return "range too large";
	return NULL;
}

/*
 * NULL, or why the file cannot be mapped: access to a page beyond its end would
 * be a SIGBUS.
 */
static const char *file_refused(int fd, uint64_t end)
{
	struct stat st;

	if (fstat(fd, &st))
		return "bad file descriptor";
	if (!S_ISREG(st.st_mode))
		return "not a file";
	if ((uint64_t)st.st_size < end)
		return "file shorter than the mapping";
	return NULL;
}

static int space_grow(struct dma_space *space)
{
	size_t room = space->room ? 2 * space->room : 16;
	struct dma_mapping *more;

	if (space->nr < space->room)
		return 0;
	if (space->nr >= MAX_MAPPINGS)
		return -ENOSPC;
	more = realloc(space->mappings, room * sizeof(*more));
	if (!more)
		return -ENOMEM;
	space->mappings = more;
	space->room = room;
	return 0;
}

static int refuse_with(int err, const char **why, const char *text)
{
	if (why)
		*why = text;
	return err;
}

int dma_map(struct dma_space *space, uint64_t iova, uint64_t size, int prot,
	    int fd, uint64_t offset, const char **why)
{
	const char *refused = range_refused(iova, size, offset);
	struct dma_mapping *at;
	size_t i;
	void *host;
	int err;

	if (!(prot & (PROT_READ | PROT_WRITE)) || prot & ~(PROT_READ | PROT_WRITE))
		refused = "bad protection";
	if (refused)
		return refuse_with(-EINVAL, why, refused);
	if (fd < 0)
		return refuse_with(-EOPNOTSUPP, why, "memory without a file");
	refused = file_refused(fd, offset + size);
	if (refused)
		return refuse_with(-EINVAL, why, refused);
	i = mapping_index(space, iova);
	if (i < space->nr && space->mappings[i].iova <= iova + size - 1)
		return refuse_with(-EEXIST, why, "overlaps a mapping");
	err = space_grow(space);
	if (err)
		return refuse_with(err, why, "too many mappings");
	host = mmap(NULL, size, prot, MAP_SHARED, fd, offset);
	if (host == MAP_FAILED)
		return refuse_with(-errno, why, "file cannot be mapped");

	at = &space->mappings[i];
	memmove(at + 1, at, (space->nr - i) * sizeof(*at));
	*at = (struct dma_mapping){ iova, iova + size - 1, host, prot };
	space->nr++;
	return 0;
}

int dma_unmap(struct dma_space *space, uint64_t iova, uint64_t size)
{
	size_t i = mapping_index(space, iova);
	struct dma_mapping *at;

	if (i == space->nr)
		return -ENOENT;
	at = &space->mappings[i];
	if (!size || at->iova != iova || at->last != iova + size - 1)
		return -ENOENT;
	munmap(at->host, size);
	space->nr--;
	memmove(at, at + 1, (space->nr - i) * sizeof(*at));
	return 0;
}

void dma_unmap_all(struct dma_space *space)
{
	size_t i;

	for (i = 0; i < space->nr; i++)
		munmap(space->mappings[i].host, mapping_size(&space->mappings[i]));
	free(space->mappings);
	*space = (struct dma_space){};
}

void *dma_at(const struct dma_space *space, uint64_t addr, size_t len, bool write)
{
	size_t i = mapping_index(space, addr);
	const struct dma_mapping *at;

	if (i == space->nr)
		return NULL;
	at = &space->mappings[i];
	if (at->iova > addr || !(at->prot & (write ? PROT_WRITE : PROT_READ)))
		return NULL;
	if (len && len - 1 > at->last - addr)
		return NULL;
	return at->host + (addr - at->iova);
}
