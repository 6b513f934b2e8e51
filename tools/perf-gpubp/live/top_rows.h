/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The rows of perf-gpubp top: hits by instruction.
 *
 * Pure: no events, no terminal, no clock.
 */
#ifndef PERF_GPUBP_TOP_ROWS_H
#define PERF_GPUBP_TOP_ROWS_H

#include <stdio.h>
#include "live.h"
#include "symmap.h"

/**
 * struct top_row - hits of one instruction of a process, of one event
 * @event: number of the event
 * @pid: process
 * @pc: instruction
 * @total: hits
 * @before: hits at the last refresh
 * @last: the last hit
 */
struct top_row {
	unsigned int event;
	uint32_t pid;
	uint64_t pc;
	uint64_t total;
	uint64_t before;
	struct gpubp_hit_record last;
};

/**
 * struct top_rows - all of them
 * @rows: rows
 * @nr: entries of @rows
 */
struct top_rows {
	struct top_row *rows;
	size_t nr;
};

/** rows_add() - count a hit; false without memory */
bool rows_add(struct top_rows *rows, const struct live_sample *sample);

/** rows_sort() - those with most hits since the last refresh first */
void rows_sort(struct top_rows *rows);

/** rows_refreshed() - now is the last refresh */
void rows_refreshed(struct top_rows *rows);

/** rows_free() - forget all */
void rows_free(struct top_rows *rows);

/** row_head() - the line above the rows, at most @width characters */
void row_head(FILE *out, int width);

/**
 * row_print() - a line
 * @out: file
 * @width: at most so many characters
 * @row: row
 * @names: of its process
 * @watch: the event as the user called it
 * @armed: percent of the time that the event was armed, negative unknown
 * @seconds: since the last refresh
 */
void row_print(FILE *out, int width, const struct top_row *row,
	       const struct symmap *names, const char *watch, double armed,
	       double seconds);

#endif /* PERF_GPUBP_TOP_ROWS_H */
