/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Names in a recording: behind the end of what perf reads of perf.data, so that the
 * file can be copied alone and be read on another machine, also by stock perf.
 */
#ifndef PERF_GPUBP_RECORDED_H
#define PERF_GPUBP_RECORDED_H

#include <stdio.h>
#include "gpubp_run.h"
#include "local_names.h"

/**
 * struct recorded - the names in a recording
 * @text: of all processes
 * @len: bytes of @text
 * @local: which names of this machine may be those of other processes
 */
struct recorded {
	char *text;
	size_t len;
	struct local_names local;
};

/** recorded_read() - read those of a file; none if it is none, or has none */
void recorded_read(struct recorded *recorded, const char *path);

/** recorded_free() - undo it */
void recorded_free(struct recorded *recorded);

/**
 * recorded_open() - the names of a process, as a file of names with times or as a map
 *	of perf; NULL none
 */
FILE *recorded_open(const struct recorded *recorded, uint32_t pid);

/**
 * recorded_append() - put the names of the processes that have hits into a recording
 * @path: it, on the machine where it was made
 * @local: whose names of this machine are those of the recording, NULL as @path is now
 * @err: error
 *
 * What it has already is replaced. A recording of a pipe gets none.
 *
 * Return: number of processes, or -1 with an error.
 */
int recorded_append(const char *path, const struct local_names *local,
		    struct grun_err *err);

#endif /* PERF_GPUBP_RECORDED_H */
