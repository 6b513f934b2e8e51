/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The code objects in which breaks are looked up.
 */
#ifndef PERF_GPUBP_PICK_CODES_H
#define PERF_GPUBP_PICK_CODES_H

#include "picks.h"

/**
 * struct pick_codes - the code objects
 * @list: for gexpr_breaks()
 * @open: the same, to be freed
 * @nr: entries of both
 */
struct pick_codes {
	struct gexpr_code *list;
	struct grun_code **open;
	size_t nr;
};

/** codes_open() - all that the options name, else those of the command */
int codes_open(struct pick_codes *codes, const struct picks *picks,
	       struct grun_err *err);

/**
 * codes_clamped() - kernels whose code has DX10_CLAMP, which masks exceptions of
 *	floating point
 * @picks: options; nothing has to be open
 *
 * Return: their names with commas in between, to be freed; NULL: there is no code
 * object to look into.
 */
char *codes_clamped(const struct picks *picks);

/** codes_close() - undo codes_open(), also one that failed */
void codes_close(struct pick_codes *codes);

#endif /* PERF_GPUBP_PICK_CODES_H */
