/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What of the process's memory the GPU in it can access, by its addresses there. No lock:
 * the caller's.
 */
#ifndef INPROC_MEMORY_H
#define INPROC_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * struct inproc_map - memory
 * @va: GPU address, and that of the process
 * @size: bytes
 * @cpu: the same bytes, where the process can write them
 */
struct inproc_map {
	uint64_t va;
	uint64_t size;
	char *cpu;
};

/**
 * struct inproc_memory - all of it
 * @map: by address
 * @nr: of them
 * @room: entries of @map
 * @last: what was accessed last
 */
struct inproc_memory {
	struct inproc_map *map;
	size_t nr;
	size_t room;
	size_t last;
};

/** inproc_memory_add() - 0, -EEXIST, -ENOMEM */
int inproc_memory_add(struct inproc_memory *memory, uint64_t va, uint64_t size, void *cpu);

/** inproc_memory_del() - what begins at @va; -ENOENT */
int inproc_memory_del(struct inproc_memory *memory, uint64_t va);

/** inproc_memory_free() - forget all */
void inproc_memory_free(struct inproc_memory *memory);

/** inproc_memory_at() - the byte at @va, and how many there are from it on; or NULL */
char *inproc_memory_at(struct inproc_memory *memory, uint64_t va, size_t *len);

/** inproc_memory_move() - read or write; returns how many bytes are there */
size_t inproc_memory_move(struct inproc_memory *memory, uint64_t va, void *buf, size_t len,
			  bool write);

#endif /* INPROC_MEMORY_H */
