/* SPDX-License-Identifier: GPL-2.0 */
#ifndef PERF_GPUBP_INJECT_H
#define PERF_GPUBP_INJECT_H

#include <limits.h>
#include <stdio.h>
#include "gpubp_run.h"
#include "recorded.h"
#include "symmap.h"

/**
 * struct inject - a copy of a recording with names for GPU addresses
 * @in: recording
 * @out: the copy
 * @dir: absolute path of the directory for files of names
 * @map_file: names, NULL those in @recorded, or of /tmp/perf-PID.map of a process without
 * @recorded: of the recording
 * @names: names that were written
 * @names_pid: process of the following
 * @map: its names
 * @symbols: file of their symbols, "" none as yet
 */
struct inject {
	FILE *in;
	FILE *out;
	const char *dir;
	const char *map_file;
	struct recorded recorded;
	uint64_t names;
	uint32_t names_pid;
	struct symmap map;
	char symbols[PATH_MAX];
};

/** inject_copy() - copy, and insert mappings for the processes that have names; 0 or -1 */
int inject_copy(struct inject *inject, struct grun_err *err);

#endif /* PERF_GPUBP_INJECT_H */
