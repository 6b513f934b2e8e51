/* SPDX-License-Identifier: GPL-2.0 */
#ifndef PERF_GPUBP_SYMBOL_FILE_H
#define PERF_GPUBP_SYMBOL_FILE_H

#include "symmap.h"

/**
 * symbol_file_write() - names as an ELF file of data symbols, for perf
 * @path: file
 * @map: names
 * @err: error
 *
 * Addresses and file offsets are GPU addresses: the file is mapped with
 * pgoff == addr, and its data are nowhere.
 *
 * Return: 0 or -1.
 */
int symbol_file_write(const char *path, const struct symmap *map,
		      struct grun_err *err);

#endif /* PERF_GPUBP_SYMBOL_FILE_H */
