/* SPDX-License-Identifier: GPL-2.0 */
/*
 * /tmp/perf-PID.map: names of kernels and buffers of a process.
 */
#ifndef PERF_GPUBP_SYMMAP_H
#define PERF_GPUBP_SYMMAP_H

#include <stdio.h>
#include "gpubp_run.h"

#define SYM_NAME	96

struct sym {
	uint64_t start;
	uint64_t size;
	char name[SYM_NAME];
};

/**
 * struct symmap - the names
 * @syms: sorted by @start
 * @nr: entries of @syms
 */
struct symmap {
	struct sym *syms;
	size_t nr;
};

/** symmap_read() - read a map file; lines that make no sense are skipped; 0 or -1 */
int symmap_read(struct symmap *map, const char *path, struct grun_err *err);

/** symmap_read_file() - likewise, of an open file, which stays open */
int symmap_read_file(struct symmap *map, FILE *file, struct grun_err *err);

/** symmap_read_process() - likewise, /tmp/perf-PID.map of a process */
int symmap_read_process(struct symmap *map, uint32_t pid, struct grun_err *err);

/**
 * symmap_each_process() - call @fn for each process that has a map file, in the
 *	order of the directory; it may have ended
 * @root: directory in front of /tmp, "" none
 * @fn: gets the process, the file and @data
 * @data: for @fn
 */
void symmap_each_process(const char *root,
			 void (*fn)(uint32_t pid, const char *path, void *data),
			 void *data);

/** symmap_add() - one more name, not before those that are there; 0, -1 without memory */
int symmap_add(struct symmap *map, const struct sym *sym);

/** symmap_free() - undo them */
void symmap_free(struct symmap *map);

/** symmap_find() - the name at @addr, or NULL */
const struct sym *symmap_find(const struct symmap *map, uint64_t addr);

/** symmap_text() - "name+0x10", or "0x7f0010" without a name */
const char *symmap_text(const struct symmap *map, uint64_t addr, char *out,
			size_t len);

/**
 * symmap_beside() - "0 bytes behind grid", if @addr lies in a name that begins
 *	or ends where another one ends or begins; the nearer one; "" if none
 */
const char *symmap_beside(const struct symmap *map, uint64_t addr, char *out,
			  size_t len);

#endif /* PERF_GPUBP_SYMMAP_H */
