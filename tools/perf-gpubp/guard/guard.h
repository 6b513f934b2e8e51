/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Accesses out of bounds: what the program says of its buffers and dispatches
 * (struct guard_map), which bytes are watched for those that run (guard_plan()),
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

/** guard_buffer_holds() - is the byte in the buffer? */
static inline bool guard_buffer_holds(const struct guard_buffer *b, uint64_t va)
{
	return va - b->va < b->size;
}

struct guard_outer;

/**
 * struct guard_buffers - those of all processes
 * @list: by process and address
 * @nr: entries of @list
 * @outer: of each what guard_buffer_of() needs; NULL: to be made
 */
struct guard_buffers {
	struct guard_buffer *list;
	size_t nr;
	struct guard_outer *outer;
};

/** guard_buffer_set() - a buffer came or, with size 0, went; false: no memory */
bool guard_buffer_set(struct guard_buffers *all, const struct guard_buffer *buffer);

/**
 * guard_buffer_of() - the buffer that a pointer is of
 * @all: buffers
 * @pid: process
 * @va: the pointer
 * @found: out: the innermost buffer with the byte; without one the bytes around it
 *	that are in no buffer, without a name
 *
 * Return: false: no memory.
 */
bool guard_buffer_of(struct guard_buffers *all, uint32_t pid, uint64_t va,
		     struct guard_buffer *found);

/** guard_buffers_free() - forget all */
void guard_buffers_free(struct guard_buffers *all);

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
 * struct guard_argument - what a dispatch may access
 * @buffer: by its name; "" bytes that are in no buffer
 * @is_const: the kernel says that it only reads there
 */
struct guard_argument {
	struct guard_buffer buffer;
	bool is_const;
};

/**
 * struct guard_dispatch - a kernel that was started
 * @pid: process
 * @context: GPU context, as hits have it; 0: all hits of the process are of that
 * @queue: likewise
 * @seq: number in the queue, of which hits may have the lower bits only
 * @runs: it may not have ended
 * @is_open: not all of its pointers are known
 * @kernel: name
 * @args: by address
 * @nr: entries of @args
 */
struct guard_dispatch {
	uint32_t pid;
	uint32_t context;
	uint32_t queue;
	uint64_t seq;
	bool runs;
	bool is_open;
	char kernel[GRUN_KERNEL_NAME];
	struct guard_argument *args;
	size_t nr;
};

/**
 * struct guard_map - all that programs said
 * @buffers: buffers
 * @codes: code objects
 * @nr_codes: entries of @codes
 * @dispatches: the last ones, a ring
 * @nr_dispatches: how many there were
 * @nr_ended: none of so many runs any more
 * @nr_began: so many may have begun before it was said
 * @nr_unread: of so many the kernel or its arguments could not be read
 * @loads: loads are looked at, too
 */
struct guard_map {
	struct guard_buffers buffers;
	struct guard_code *codes;
	size_t nr_codes;
	struct guard_dispatch *dispatches;
	size_t nr_dispatches;
	size_t nr_ended;
	size_t nr_began;
	size_t nr_unread;
	bool loads;
};

/* how many are known; many more than a queue takes at once */
#define GUARD_DISPATCHES	4096

/* what a message said */
enum guard_news {
	GUARD_NAMES,		/* a buffer or a code object came, a queue went */
	GUARD_WITHDRAWN,	/* a buffer went */
	GUARD_DISPATCH,		/* a kernel is about to start */
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

/** guard_pointer_is_const() - of pointer number @n of a kernel; false if unknown */
bool guard_pointer_is_const(const struct guard_map *map, uint32_t pid,
			    const char *kernel, unsigned int n);

/* ---- dispatches ----------------------------------------------------------- */

/** guard_dispatch_take() - take in a message of a dispatch */
enum guard_news guard_dispatch_take(struct guard_map *map, const char *text);

/** guard_dispatch_close() - likewise, of a queue that was destroyed */
enum guard_news guard_dispatch_close(struct guard_map *map, const char *text);

/** guard_dispatches_free() - forget all */
void guard_dispatches_free(struct guard_map *map);

/** guard_dispatch_running() - the next one that may run, @n is 0 at first; NULL: no other */
struct guard_dispatch *guard_dispatch_running(const struct guard_map *map, size_t *n);

/** guard_dispatches_running() - how many may run */
size_t guard_dispatches_running(const struct guard_map *map);

/**
 * guard_dispatch_of() - the dispatch of a hit
 *
 * Where the hit does not say which one, the only one of its process that runs.
 *
 * Return: NULL if it is not known.
 */
const struct guard_dispatch *guard_dispatch_of(const struct guard_map *map, uint32_t pid,
					       const struct gpubp_hit_record *rec);

/* ---- zones ---------------------------------------------------------------- */

/* no other dispatch is watched beside those that have so many */
#define GUARD_ZONES	1024

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
 * guard_plan() - the bytes at the ends of the buffers that dispatches which run got,
 *	in which an access of theirs is a finding
 * @map: the dispatches
 * @bytes: at each end
 * @zones: out: in order; the caller frees
 * @left_out: out: dispatches that run and are not watched: the oldest ones, if there
 *	are too many, and those of which not all pointers are known
 *
 * The work is that of sorting their arguments, however many buffers there are.
 *
 * Return: number of zones, or -1 (memory).
 */
ssize_t guard_plan(const struct guard_map *map, uint64_t bytes,
		   struct guard_zone **zones, size_t *left_out);

/* ---- findings ------------------------------------------------------------- */

struct launches;

/* what became of the bytes that were hit */
enum guard_change {
	GUARD_CHANGE_UNKNOWN,
	GUARD_CHANGED,
	GUARD_UNCHANGED,	/* read, or written with what was there */
};

/**
 * struct guard_finding - accesses out of bounds by one instruction, at one buffer
 * @where: "blur+0x178", or an address
 * @source: "stencil.cl:52", or ""
 * @kernel: of the dispatch, "" unknown
 * @buffer: the buffer next to which it was, "" none
 * @size: its bytes
 * @distance: bytes from its end or, negative, from its begin
 * @inside: "gamma[0]", the place that was hit; "" none
 * @outside: so many of the bytes of the first lane's access are out of bounds
 * @change: of these
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
	char kernel[GRUN_KERNEL_NAME];
	char buffer[GPUBP_NAME_MAX];
	uint64_t size;
	int64_t distance;
	char inside[GPUBP_NAME_MAX + 32];
	unsigned int outside;
	enum guard_change change;
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
 * @suppress: "kernel:buffer" each, as for fnmatch(), NULL at the end; or NULL
 * @run: number of the run
 * @nr_legal: hits of watched bytes that are no finding
 * @nr_vague: hits that may be of other bytes
 * @nr_suppressed: hits that @suppress names
 */
struct guard_findings {
	struct guard_finding *list;
	size_t nr;
	char **suppress;
	unsigned int run;
	uint64_t nr_legal;
	uint64_t nr_vague;
	uint64_t nr_suppressed;
};

/**
 * guard_suppress_read() - what is not to be reported
 * @suppress: out: see struct guard_findings
 * @list: patterns with commas in between, or NULL
 * @path: a file with a pattern a line, and comments with #, or NULL
 * @err: error
 *
 * Return: 0 or a negative errno.
 */
int guard_suppress_read(char ***suppress, const char *list, const char *path,
			struct grun_err *err);

/** guard_suppress_free() - undo it */
void guard_suppress_free(char **suppress);

/** guard_findings_add() - one more hit of it; 0 or -1 (memory) */
int guard_findings_add(struct guard_findings *findings, const struct guard_finding *new);

/** guard_judge() - look at a hit of a zone; 0 or -1 (memory) */
int guard_judge(struct guard_findings *findings, struct guard_map *map,
		uint32_t pid, const struct gpubp_hit_record *rec);

/** guard_violation() - likewise, at a memory violation */
int guard_violation(struct guard_findings *findings, struct guard_map *map,
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

/* ---- the output ----------------------------------------------------------- */

/**
 * struct guard_counts - how much was watched
 * @dispatches: all of them
 * @overlap: that began while others ran
 * @left_out: that began while one was not watched: see guard_plan()
 * @turns: whose zones were not all armed when they began
 * @late: that began before it was known whether they are
 * @unread: of which the kernel or its arguments could not be read
 * @zones: most zones at once
 * @buffers: most buffers at once
 * @resident_ns: time in which zones were wanted
 * @armed_ns: part of it in which they were armed
 * @lost: samples that the kernel could not write
 */
struct guard_counts {
	size_t dispatches;
	size_t overlap;
	size_t left_out;
	size_t turns;
	size_t late;
	size_t unread;
	size_t zones;
	size_t buffers;
	uint64_t resident_ns;
	uint64_t armed_ns;
	uint64_t lost;
};

/** guard_print() - a line for each finding, and what may be missing */
void guard_print(const struct guard_findings *findings,
		 const struct guard_counts *counts, FILE *out);

/** guard_json() - likewise, as an object */
void guard_json(const struct guard_findings *findings,
		const struct guard_counts *counts, FILE *out);

/* ---- the watch set -------------------------------------------------------- */

/**
 * struct guard_set - a watch set
 * @fd: session
 * @id: id of the set
 * @access: GPUBP_ACCESS_* that is watched
 * @members: what is watched, by address
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

/** guard_set_has() - does it watch these bytes, and no others? */
bool guard_set_has(const struct guard_set *set, const struct guard_zone *zones, size_t nr);

/** guard_set_update() - watch these bytes, and no others; 0 or a negative errno */
int guard_set_update(struct guard_set *set, const struct guard_zone *zones,
		     size_t nr, struct grun_err *err);

/** guard_set_close() - undo guard_set_create() */
void guard_set_close(struct guard_set *set);

#endif /* PERF_GPUBP_GUARD_H */
