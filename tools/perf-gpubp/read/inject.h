/* SPDX-License-Identifier: GPL-2.0 */
#ifndef PERF_GPUBP_INJECT_H
#define PERF_GPUBP_INJECT_H

#include <stdio.h>
#include "gpubp_run.h"

/**
 * struct inject - a copy of a recording with names for GPU addresses
 * @in: recording
 * @out: the copy
 * @dir: absolute path of the directory for files of names
 * @map_file: names, NULL those of /tmp/perf-PID.map
 * @names: names that were written
 */
struct inject {
	FILE *in;
	FILE *out;
	const char *dir;
	const char *map_file;
	uint64_t names;
};

/** inject_copy() - copy, and insert mappings for the processes that have names; 0 or -1 */
int inject_copy(struct inject *inject, struct grun_err *err);

#endif /* PERF_GPUBP_INJECT_H */
