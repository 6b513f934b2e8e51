/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What perf-gpubp stat prints.
 */
#ifndef PERF_GPUBP_STAT_FIGURES_H
#define PERF_GPUBP_STAT_FIGURES_H

#include <stdio.h>
#include "estimate.h"
#include "live.h"

/**
 * struct figures - of an event, or of all those of a line of source
 * @name: as the user called it
 * @place: one of several that are called so, "" all
 * @stats: GPUBP_STATS
 * @known: @estimate is
 * @estimate: hits in all, including those that were not seen
 */
struct figures {
	const char *name;
	const char *place;
	struct gpubp_event_stats stats;
	bool known;
	struct estimate estimate;
};

/**
 * struct stat_style - how to print
 * @json: a JSON object in a line for each event
 * @separator: values separated by that, NULL a table
 * @intervals: with the time in front
 * @headed: the heading of the table was printed; once for all intervals
 */
struct stat_style {
	bool json;
	const char *separator;
	bool intervals;
	bool headed;
};

/** figures_add() - add those of another place; one that was never on the GPU had no hits */
void figures_add(struct figures *sum, const struct figures *more);

/**
 * stat_print() - print all figures
 * @out: file
 * @style: style
 * @figures: rows
 * @nr: entries of @figures
 * @seconds: time since the start
 */
void stat_print(FILE *out, struct stat_style *style,
		const struct figures *figures, unsigned int nr, double seconds);

/** stat_share() - of a time, in percent; 0 of no time */
double stat_share(uint64_t part, uint64_t whole);

#endif /* PERF_GPUBP_STAT_FIGURES_H */
