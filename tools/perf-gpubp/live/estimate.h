/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How many hits there were, from those that were seen while a watch was armed
 * for a part of the time.
 *
 * Pure: no events, no clock.
 */
#ifndef PERF_GPUBP_ESTIMATE_H
#define PERF_GPUBP_ESTIMATE_H

#include <stdbool.h>
#include <stdint.h>

/**
 * struct dispersion - how much hits come in bursts: the variance of their
 *	number in a time, relative to that of independent hits
 * @hits: hits in all intervals
 * @armed: time armed in them
 * @squares: sum of the squares of the hits in an interval, each divided by the
 *	time armed in it
 * @nr: intervals
 * @nr_hit: of these, intervals with hits
 */
struct dispersion {
	double hits;
	double armed;
	double squares;
	unsigned int nr;
	unsigned int nr_hit;
};

/**
 * dispersion_add() - another interval
 * @d: dispersion, zeroed before the first one
 * @hits: hits seen in it
 * @armed: time armed in it; an interval without any is left out
 *
 * The shorter the intervals, the less is a slow change of the rate taken for
 * bursts.
 */
void dispersion_add(struct dispersion *d, uint64_t hits, uint64_t armed);

/**
 * struct estimate - number of hits
 * @hits: most likely
 * @low: lower end of the 95 % interval: at least the hits that were seen
 * @high: upper end
 * @independent: hits are assumed to be independent, as too few intervals had
 *	some
 */
struct estimate {
	double hits;
	double low;
	double high;
	bool independent;
};

/**
 * estimate_hits() - hits in the whole time
 * @e: out
 * @seen: hits seen
 * @resident: whole time
 * @armed: part of it in which the watch was armed
 * @d: dispersion
 *
 * Return: false if the watch was never armed, so that nothing is known.
 */
bool estimate_hits(struct estimate *e, uint64_t seen, uint64_t resident,
		   uint64_t armed, const struct dispersion *d);

/**
 * estimate_add() - hits of two watches
 * @sum: of one; out: of both
 * @more: of the other
 *
 * The ends of the intervals add up, as if both erred in the same direction: watches of the same
 * line of source mostly do.
 */
void estimate_add(struct estimate *sum, const struct estimate *more);

#endif /* PERF_GPUBP_ESTIMATE_H */
