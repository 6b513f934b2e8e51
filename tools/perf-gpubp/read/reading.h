/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the verbs that read a recording have in common: options, the loop over
 * its hits, and the end of the output.
 */
#ifndef PERF_GPUBP_READING_H
#define PERF_GPUBP_READING_H

#include <subcmd/parse-options.h>
#include "fields.h"

/**
 * struct reading - a recording that is read
 * @input: its file
 * @output: where the output goes, NULL the standard output
 * @code: code object, NULL those that perf knows
 * @force: even if another user owns the file
 * @json: lines of JSON
 * @csv: CSV
 * @format: what these two mean
 * @show: names
 * @lost: after the last hit: records that were lost
 */
struct reading {
	const char *input;
	const char *output;
	const char *code;
	bool force;
	bool json;
	bool csv;
	enum format format;
	struct show show;
	uint64_t lost;
};

#define READING_INPUTS(r)						\
	OPT_STRING('i', "input", &(r)->input, "FILE",			\
		   "recording, - is the standard input; default: perf.data"), \
	OPT_BOOLEAN('f', "force", &(r)->force,				\
		    "even if another user owns the recording"),			\
	OPT_STRING('o', "output", &(r)->output, "FILE",			\
		   "write there, - is the standard output"),		\
	OPT_STRING('c', "code", &(r)->code, "CODE.elf",			\
		   "code object, if perf does not know its file"),	\
	OPT_STRING('m', "map", &(r)->show.map_file, "FILE",		\
		   "names of kernels and buffers instead of /tmp/perf-PID.map")

#define READING_FORMATS(r)						\
	OPT_BOOLEAN('j', "json", &(r)->json, "an object of JSON a line"),	\
	OPT_BOOLEAN(0, "csv", &(r)->csv, "comma-separated values")

/** reading_begin() - after the options were parsed; @argc, @argv: the rest; EXIT_OK or a status */
int reading_begin(struct reading *r, int argc, const char **argv);

/** reading_hits() - call @each for all hits until it returns another status than EXIT_OK */
int reading_hits(struct reading *r,
		 int (*each)(struct reading *r, const struct hit *hit));

/** reading_end() - free; EXIT_OK, @status if it is another one, or EXIT_ERROR if the output was not written */
int reading_end(struct reading *r, int status);

#endif /* PERF_GPUBP_READING_H */
