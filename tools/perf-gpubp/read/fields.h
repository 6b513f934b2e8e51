/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Hits as fields: text, CSV, lines of JSON.
 */
#ifndef PERF_GPUBP_FIELDS_H
#define PERF_GPUBP_FIELDS_H

#include <stdio.h>
#include "culprits.h"
#include "show.h"

enum format {
	FORMAT_LINES,		/* for people */
	FORMAT_FIELDS,		/* separated by spaces, "-" for none */
	FORMAT_CSV,
	FORMAT_JSON,		/* an object a line */
};

/* what a field may be of */
struct row {
	struct show *show;
	const struct hit *hit;
	const struct culprit *culprit;	/* NULL: of a hit */
};

/** fields_check() - 0, or -1 if @list, separated by commas, has an unknown name */
int fields_check(const char *list, struct grun_err *err);

/**
 * fields_header() - the names as the first line of a CSV
 * @list: names, NULL all
 * @culprits: those of culprits, too
 */
void fields_header(const char *list, bool culprits);

/** fields_print() - one row */
void fields_print(const struct row *row, const char *list, enum format format);

/** fields_help() - the names, separated by spaces */
void fields_help(FILE *out);

#endif /* PERF_GPUBP_FIELDS_H */
