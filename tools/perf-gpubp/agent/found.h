/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Hits that came without the kernel, in words: one finding for all those of a watch by one
 * instruction, with what is known of the first of them.
 */
#ifndef PERF_GPUBP_FOUND_H
#define PERF_GPUBP_FOUND_H

#include <stdio.h>
#include "ask.h"
#include "guard.h"
#include "place.h"

/**
 * struct found - a finding
 * @watch: number of the watch
 * @pid: process
 * @first: first hit
 * @kernel: function of the instruction, as its symbol is for people; "" unknown
 * @offset: of the instruction in it, or its address
 * @source: "overrun.hip:34", "" unknown
 * @buffer: name of the buffer that was accessed, "" unknown
 * @buffer_offset: in it
 * @nr: how many hits
 */
struct found {
	unsigned int watch;
	uint32_t pid;
	struct place_hit first;
	char kernel[GRUN_KERNEL_NAME];
	uint64_t offset;
	char source[128];
	char buffer[GPUBP_NAME_MAX];
	uint64_t buffer_offset;
	uint64_t nr;
};

/**
 * struct finds - all of them, in order of their first hits
 * @list: them
 * @nr: how many
 */
struct finds {
	struct found *list;
	size_t nr;
};

/**
 * found_add() - one more hit
 * @finds: findings
 * @map: names at that time
 * @pid: process
 * @watch: number of the watch
 * @hit: hit
 *
 * Return: 0, -1 without memory.
 */
int found_add(struct finds *finds, const struct guard_map *map, uint32_t pid,
	      unsigned int watch, const struct place_hit *hit);

/** found_print() - a line for each finding, and for the counts of each watch */
void found_print(const struct finds *finds, const struct ask *ask, FILE *out);

/** found_json() - the same as JSON */
void found_json(const struct finds *finds, const struct ask *ask, FILE *out);

/** found_free() - forget them */
void found_free(struct finds *finds);

#endif /* PERF_GPUBP_FOUND_H */
