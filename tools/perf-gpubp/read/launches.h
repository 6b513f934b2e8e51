/* SPDX-License-Identifier: GPL-2.0 */
/*
 * /tmp/gpubp-PID.names: what the queues of a process were given.
 * tools/gpubp-run/perfmap.c has the format.
 */
#ifndef PERF_GPUBP_LAUNCHES_H
#define PERF_GPUBP_LAUNCHES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include "gpubp_run.h"

/**
 * struct launch - how a kernel was launched
 * @nr: number of this kind of launch; 0: there is none
 * @kernel: GPU address of the kernel's descriptor
 * @workgroup: work-items in each dimension of a workgroup that is not cut
 * @grid: work-items in each dimension
 * @site: where the program launched, as grun_callsite() says; "" unknown
 */
struct launch {
	uint32_t nr;
	uint64_t kernel;
	uint32_t workgroup[3];
	uint32_t grid[3];
	const char *site;
};

struct launch_change;

/**
 * struct launches - those of a process
 * @kinds: by number
 * @nr_kinds: entries of @kinds
 * @changes: of queues, and of places in them; by context, queue, place and time
 * @nr: entries of @changes
 * @end: from then on none is known, ns of CLOCK_MONOTONIC
 */
struct launches {
	struct launch *kinds;
	uint32_t nr_kinds;
	struct launch_change *changes;
	size_t nr;
	uint64_t end;
};

/**
 * launches_read() - read a file of names
 * @launches: out
 * @file: it, from the begin; other lines are skipped
 *
 * Without memory, launches are not known.
 */
void launches_read(struct launches *launches, FILE *file);

/** launches_free() - undo it */
void launches_free(struct launches *launches);

/** launches_find() - the launch that a hit is of, or NULL: it is not known */
const struct launch *launches_find(const struct launches *launches,
				   const struct gpubp_hit_record *rec);

#endif /* PERF_GPUBP_LAUNCHES_H */
