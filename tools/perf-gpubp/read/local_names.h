/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Names that a process left on this machine, for a recording that has none of it: only if
 * they are of the process that was recorded, and not of another one with its number.
 */
#ifndef PERF_GPUBP_LOCAL_NAMES_H
#define PERF_GPUBP_LOCAL_NAMES_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>

/**
 * struct local_names - what is known of a recording
 * @elsewhere: it says that another machine made it
 * @ended: when it was last written, CLOCK_REALTIME
 */
struct local_names {
	bool elsewhere;
	struct timespec ended;
};

/** local_names_init() - for the recording @path; one that is no file ends now */
void local_names_init(struct local_names *local, const char *path);

/**
 * local_names_open() - open a file of names
 * @local: of the recording
 * @pid: process that was recorded
 * @format: path of the file: GRUN_NAMES or GRUN_PERF_MAP
 *
 * It is of another process if it was begun after the recording ended, or was not
 * written since the process, which still runs, started.
 *
 * Return: NULL if there is none, or if it is of another process.
 */
FILE *local_names_open(const struct local_names *local, uint32_t pid,
		       const char *format);

#endif /* PERF_GPUBP_LOCAL_NAMES_H */
