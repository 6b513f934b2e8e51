/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Where perf record writes, and what it records.
 */
#ifndef PERF_GPUBP_PERF_OUTPUT_H
#define PERF_GPUBP_PERF_OUTPUT_H

/**
 * perf_output() - the value of -o among arguments of perf record
 * @args: arguments behind "record", with NULL at the end: options, then the command
 *
 * Return: the last one; NULL: there is none, or perf refuses the arguments.
 */
const char *perf_output(const char *const *args);

/** perf_pids() - likewise of -p */
const char *perf_pids(const char *const *args);

#endif /* PERF_GPUBP_PERF_OUTPUT_H */
