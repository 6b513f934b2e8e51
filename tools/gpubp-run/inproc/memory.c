// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "memory.h"

/* the first one that ends behind @va */
static size_t map_find(const struct inproc_memory *memory, uint64_t va)
{
	size_t first = 0, end = memory->nr;

	while (first < end) {
		size_t middle = first + (end - first) / 2;
		const struct inproc_map *map = &memory->map[middle];

		if (map->va + (map->size - 1) < va)
			first = middle + 1;
		else
			end = middle;
	}
	return first;
}

static bool map_has(const struct inproc_memory *memory, size_t n, uint64_t va)
{
	return n < memory->nr && va - memory->map[n].va < memory->map[n].size;
}

static int map_grow(struct inproc_memory *memory)
{
	size_t room = memory->room ? 2 * memory->room : 64;
	struct inproc_map *map;

	if (memory->nr < memory->room)
		return 0;
	map = realloc(memory->map, room * sizeof(*map));
	if (!map)
		return -ENOMEM;
	memory->map = map;
	memory->room = room;
	return 0;
}

int inproc_memory_add(struct inproc_memory *memory, uint64_t va, uint64_t size, void *cpu)
{
	size_t n = map_find(memory, va);

	if (n < memory->nr && memory->map[n].va <= va + (size - 1))
		return -EEXIST;
	if (map_grow(memory))
		return -ENOMEM;
	memmove(&memory->map[n + 1], &memory->map[n],
		(memory->nr++ - n) * sizeof(*memory->map));
	memory->map[n] = (struct inproc_map){ va, size, cpu };
	return 0;
}

int inproc_memory_del(struct inproc_memory *memory, uint64_t va)
{
	size_t n = map_find(memory, va);

	if (n == memory->nr || memory->map[n].va != va)
		return -ENOENT;
	memmove(&memory->map[n], &memory->map[n + 1],
		(--memory->nr - n) * sizeof(*memory->map));
	return 0;
}

void inproc_memory_free(struct inproc_memory *memory)
{
	free(memory->map);
	memset(memory, 0, sizeof(*memory));
}

char *inproc_memory_at(struct inproc_memory *memory, uint64_t va, size_t *len)
{
	const struct inproc_map *map;

	if (!map_has(memory, memory->last, va))
		memory->last = map_find(memory, va);
	if (!map_has(memory, memory->last, va))
		return NULL;
	map = &memory->map[memory->last];
	*len = map->size - (va - map->va);
	return map->cpu + (va - map->va);
}

/* an access may cross unrelated mappings */
size_t inproc_memory_move(struct inproc_memory *memory, uint64_t va, void *buf, size_t len,
			  bool write)
{
	size_t done = 0, part;

	while (done < len) {
		char *at = inproc_memory_at(memory, va + done, &part);

		if (!at)
			break;
		if (part > len - done)
			part = len - done;
		if (write)
			memcpy(at, (const char *)buf + done, part);
		else
			memcpy((char *)buf + done, at, part);
		done += part;
	}
	return done;
}
