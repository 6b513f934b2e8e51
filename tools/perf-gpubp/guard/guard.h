/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Accesses out of bounds: what the program says of its buffers and kernels
 * (struct guard_map), which bytes around the buffers are watched (guard_zones()),
 * and which hits are findings (guard_judge()).
 */
#ifndef PERF_GPUBP_GUARD_H
#define PERF_GPUBP_GUARD_H

#include <linux/gpubp.h>
#include <stdio.h>
#include <sys/types.h>
#include "gpubp_run.h"
#include "lines.h"

/* ---- what a program says -------------------------------------------------- */

/**
 * struct guard_buffer - a buffer with a name
 * @pid: process
 * @va: first byte
 * @size: bytes
 * @name: its name
 */
struct guard_buffer {
	uint32_t pid;
	uint64_t va;
	uint64_t size;
	char name[GPUBP_NAME_MAX];
};

/**
 * struct guard_code - a code object
 * @pid: process
 * @va: where it is
 * @size: bytes
 * @path: its file
 * @code: what libgpubp-run knows of it, or NULL
 * @lines: its source lines, or NULL
 */
struct guard_code {
	uint32_t pid;
	uint64_t va;
	uint64_t size;
	char *path;
	struct grun_code *code;
	struct lines *lines;
};

/**
 * struct guard_pointer - an argument of a kernel
 * @va: address
 * @is_const: the kernel says that it only reads there
 */
struct guard_pointer {
	uint64_t va;
	bool is_const;
};

/**
 * struct guard_kernel - a kernel that was started
 * @pid: process
 * @name: its name
 * @pointers: all that it got, of all its dispatches
 * @nr: entries of @pointers
 */
struct guard_kernel {
	uint32_t pid;
	char name[GRUN_KERNEL_NAME];
	struct guard_pointer *pointers;
	size_t nr;
};

/**
 * struct guard_map - all that programs said
 * @loads: loads are looked at, too
 */
struct guard_map {
	struct guard_buffer *buffers;
	size_t nr_buffers;
	struct guard_code *codes;
	size_t nr_codes;
	struct guard_kernel *kernels;
	size_t nr_kernels;
	bool loads;
};

/* what a message changed */
enum guard_news {
	GUARD_NOTHING,
	GUARD_NAMES,		/* a buffer came, or a code object */
	GUARD_WITHDRAWN,	/* a buffer went */
	GUARD_KERNEL,		/* a kernel got a pointer that it had not */
	GUARD_MALFORMED,
	GUARD_NO_MEMORY,
};

/** guard_message() - take in a message of a program, see gpubp_run.h */
enum guard_news guard_message(struct guard_map *map, const char *text);

/** guard_withdraws() - would it withdraw a buffer? */
bool guard_withdraws(const char *text);

/** guard_map_free() - forget all */
void guard_map_free(struct guard_map *map);

/** guard_code_at() - the code object with an instruction, or NULL */
const struct guard_code *guard_code_at(const struct guard_map *map,
				       uint32_t pid, uint64_t pc);

/** guard_kernel_find() - what is known of a kernel, or NULL */
const struct guard_kernel *guard_kernel_find(const struct guard_map *map,
					     uint32_t pid, const char *name);

/** guard_holds() - is the byte in the buffer? */
bool guard_holds(const struct guard_buffer *buffer, uint64_t va);

/** guard_may_use() - did the kernel get a pointer into the buffer, to do that there? */
bool guard_may_use(const struct guard_map *map, const struct guard_kernel *kernel,
		   const struct guard_buffer *buffer);

/* ---- zones ---------------------------------------------------------------- */

/**
 * struct guard_zone - bytes that are watched
 * @start: first byte
 * @end: behind the last one
 */
struct guard_zone {
	uint64_t start;
	uint64_t end;
};

/**
 * guard_zones() - bytes at the ends of buffers in which an access is a finding
 * @map: the buffers
 * @bytes: at each end
 * @zones: out: in order; the caller frees
 *
 * Only at buffers that a kernel accesses, and only where that kernel may not.
 *
 * Return: number of zones, or -1 (memory).
 */
ssize_t guard_zones(const struct guard_map *map, uint64_t bytes,
		    struct guard_zone **zones);

/* ---- findings ------------------------------------------------------------- */

struct launches;

/**
 * struct guard_finding - accesses out of bounds by one instruction, at one buffer
 * @where: "blur+0x178", or an address
 * @source: "stencil.cl:52", or ""
 * @buffer: the buffer next to which it was, "" none
 * @size: its bytes
 * @behind: behind the end of it; else in front of it
 * @distance: bytes from there
 * @inside: "gamma[0]", the place that was hit; "" none
 * @violation: it ended in a memory violation
 * @known: the address is known
 * @exact: to the byte; else any in the zone, or page, from there on
 * @pid: process of the first one
 * @rec: record of the first one
 * @item: work-item of the first one
 * @has_item: @item is known
 * @nr: how many were seen
 * @run: number of the run in which it was first seen, from 1 on
 */
struct guard_finding {
	char where[GRUN_KERNEL_NAME + 32];
	char source[128];
	char buffer[GPUBP_NAME_MAX];
	uint64_t size;
	bool behind;
	uint64_t distance;
	char inside[GPUBP_NAME_MAX + 32];
	bool violation;
	bool known;
	bool exact;
	uint32_t pid;
	struct gpubp_hit_record rec;
	uint32_t item[3];
	bool has_item;
	uint64_t nr;
	unsigned int run;
};

/**
 * struct guard_findings - all of them, in order of their first hit
 * @run: number of the run
 * @nr_legal: hits of watched bytes that are no finding
 * @nr_vague: hits that may be of other bytes
 */
struct guard_findings {
	struct guard_finding *list;
	size_t nr;
	unsigned int run;
	uint64_t nr_legal;
	uint64_t nr_vague;
};

/** guard_judge() - look at a hit of a zone; 0 or -1 (memory) */
int guard_judge(struct guard_findings *findings, const struct guard_map *map,
		uint32_t pid, const struct gpubp_hit_record *rec);

/** guard_violation() - likewise, at a memory violation */
int guard_violation(struct guard_findings *findings, const struct guard_map *map,
		    uint32_t pid, const struct gpubp_hit_record *rec);

/**
 * guard_find_item() - the work-item of a finding by how its kernel was launched
 * @f: finding of this run
 * @map: of this run
 * @launches: of its process
 *
 * Without that, it is known of kernels whose code says the size of workgroups.
 */
void guard_find_item(struct guard_finding *f, const struct guard_map *map,
		     const struct launches *launches);

/** guard_print() - a line for each finding */
void guard_print(const struct guard_findings *findings, FILE *out);

/** guard_json() - likewise, as an array */
void guard_json(const struct guard_findings *findings, FILE *out);

/* ---- the watch set -------------------------------------------------------- */

/**
 * struct guard_set - a watch set
 * @fd: session
 * @id: id of the set
 * @access: GPUBP_ACCESS_* that is watched
 * @members: what is watched
 * @nr: entries of @members
 */
struct guard_set {
	int fd;
	uint32_t id;
	uint32_t access;
	struct gpubp_set_watch *members;
	size_t nr;
};

/** guard_set_create() - make an empty one */
int guard_set_create(struct guard_set *set, struct grun_err *err);

/** guard_set_update() - watch these bytes, and no others; 1 if that is a change, 0 or a negative errno */
int guard_set_update(struct guard_set *set, const struct guard_zone *zones,
		     size_t nr, struct grun_err *err);

/** guard_set_close() - undo guard_set_create() */
void guard_set_close(struct guard_set *set);

#endif /* PERF_GPUBP_GUARD_H */
