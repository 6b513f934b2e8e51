/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Kernels of the command whose waves begin without DX10_CLAMP, for run --nan: the
 * command's library clears it, and lists them in a file.
 */
#ifndef PERF_GPUBP_NAN_H
#define PERF_GPUBP_NAN_H

#include <stdbool.h>
#include <stdio.h>

/** nan_begin() - ask for it in the environment of commands; 0 or an exit status */
int nan_begin(void);

/**
 * nan_print() - say which kernels these are, and what has changed
 *
 * Return: false if there is none: it says so.
 */
bool nan_print(FILE *out);

/** nan_end() - remove the file; also from a signal handler, and without nan_begin() */
void nan_end(void);

#endif /* PERF_GPUBP_NAN_H */
