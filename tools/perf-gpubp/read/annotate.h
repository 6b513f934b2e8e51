/* SPDX-License-Identifier: GPL-2.0 */
#ifndef PERF_GPUBP_ANNOTATE_H
#define PERF_GPUBP_ANNOTATE_H

#include "culprits.h"
#include "show.h"

/**
 * annotate_functions() - print the code of each function that hit, most hits first
 * @show: names
 * @culprits: sorted hits
 * @only: the function, NULL all
 * @err: why one could not be printed
 *
 * Return: number of functions that were printed.
 */
unsigned int annotate_functions(struct show *show,
				const struct culprits *culprits,
				const char *only, struct grun_err *err);

#endif /* PERF_GPUBP_ANNOTATE_H */
