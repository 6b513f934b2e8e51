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
 * struct figures - of an event
 * @name: as the user called it
 * @stats: GPUBP_STATS
 * @known: @estimate is
 * @estimate: hits in all, including those that were not seen
 */
struct figures {
	const char *name;
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

/**
 * stat_print() - print the figures of all events
 * @out: file
 * @style: style
 * @figures: events
 * @nr: entries of @figures
 * @seconds: time since the start
 */
void stat_print(FILE *out, struct stat_style *style,
		const struct figures *figures, unsigned int nr, double seconds);

/** stat_share() - of a time, in percent; 0 of no time */
double stat_share(uint64_t part, uint64_t whole);

#endif /* PERF_GPUBP_STAT_FIGURES_H */
