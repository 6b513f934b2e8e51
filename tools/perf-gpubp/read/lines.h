/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Source lines of a code object, from its DWARF.
 */
#ifndef PERF_GPUBP_LINES_H
#define PERF_GPUBP_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct lines;

/**
 * struct line - a place in the source
 * @file: as the compiler was given it, or absolute; lives as long as its struct lines
 * @line: from 1
 */
struct line {
	const char *file;
	int line;
};

/** lines_open() - of an ELF file; NULL if it has none */
struct lines *lines_open(const char *path);

/** lines_close() - undo lines_open(); @lines may be NULL */
void lines_close(struct lines *lines);

/** lines_find() - the line of an address in the file; false if there is none */
bool lines_find(const struct lines *lines, uint64_t pc, struct line *line);

/** lines_text() - the text of @line, if its file can be read; "" else */
const char *lines_text(const struct line *line, char *text, size_t len);

#endif /* PERF_GPUBP_LINES_H */
