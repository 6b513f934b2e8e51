/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The CPU's stores to watched bytes, for run --cpu: breakpoints of the CPU, by stock
 * perf, in the process that names the bytes. Its library says so, and waits until they
 * are set, before it uses the memory.
 */
#ifndef PERF_GPUBP_CPU_H
#define PERF_GPUBP_CPU_H

#include <stdio.h>
#include "picks.h"

/**
 * cpu_begin() - listen to the commands that are started from now on
 * @theirs: (out) a file for them, to be closed once they have it
 * @err: error
 *
 * Return: 0 or a negative errno.
 */
int cpu_begin(int *theirs, struct grun_err *err);

/** cpu_follow() - take what they said, for @timeout_ms at most; false: none is left */
bool cpu_follow(const struct picks *picks, int timeout_ms);

/** cpu_report() - end the breakpoints; a line for each place that stored */
void cpu_report(FILE *out);

/** cpu_clean() - end what is left, remove files; also from a signal handler */
void cpu_clean(void);

#endif /* PERF_GPUBP_CPU_H */
