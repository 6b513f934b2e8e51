/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The command line of perf record.
 */
#ifndef PERF_GPUBP_PERF_RECORD_H
#define PERF_GPUBP_PERF_RECORD_H

#include "picks.h"

/**
 * perf_record_args() - arguments of perf record, with NULL at the end
 * @picks: events
 * @argc: further arguments
 * @argv: further arguments
 *
 * Return: an array to be freed, NULL without memory.
 */
const char **perf_record_args(const struct picks *picks, int argc,
			      const char **argv);

#endif /* PERF_GPUBP_PERF_RECORD_H */
