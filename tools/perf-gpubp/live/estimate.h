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
 * struct watch_reading - what happened between two reads of a watch
 * @hits: hits seen
 * @armed: time armed, ns
 * @quanta: quanta that ended and in which it was armed
 * @slowed: time that waves were stopped, or in the trap handler, for hits while it
 *	was armed, ns; summed over waves
 * @slowed_else: likewise, while it was not armed: for hits of others
 */
struct watch_reading {
	uint64_t hits;
	uint64_t armed;
	uint64_t quanta;
	uint64_t slowed;
	uint64_t slowed_else;
};

/**
 * struct turns - the turns of a watch: a quantum in which it was armed, or
 *	several if they ended between two reads
 * @now: the turn that has not ended, or whose hits may still come
 * @ended: its quantum has ended
 * @nr: turns, without @now
 * @nr_hit: of these, turns with hits
 * @hits: hits of them
 * @armed: time of them, ns
 * @hits2: sum of hits * hits
 * @hits4: sum of the squares of those
 * @hits_armed: sum of hits * armed
 * @armed2: sum of armed * armed
 * @armed_hit: time of turns with hits, ns
 * @armed_hit2: sum of armed * armed of them
 * @armed_hit4: sum of the squares of those
 * @hits_slowed: sum of hits * (part of the turn that was slowed)
 * @hits_rate: sum of hits / armed
 * @slowed_each: least time slowed for a hit, of a turn that has some
 */
struct turns {
	struct watch_reading now;
	bool ended;
	unsigned int nr;
	unsigned int nr_hit;
	double hits;
	double armed;
	double hits2;
	double hits4;
	double hits_armed;
	double armed2;
	double armed_hit;
	double armed_hit2;
	double armed_hit4;
	double hits_slowed;
	double hits_rate;
	double slowed_each;
};

/**
 * turns_add() - add what happened since the last read
 * @t: turns, zeroed before the first one
 * @r: reading
 *
 * Hits that are counted after the quantum, as they were under way, are those of the
 * turn before.
 */
void turns_add(struct turns *t, const struct watch_reading *r);

/**
 * enum estimate_bound - why there is a lower bound and no estimate
 * @ESTIMATE_KNOWN: there is an estimate
 * @ESTIMATE_FEW: hits were seen in too few turns, or most of them in few
 * @ESTIMATE_UNARMED: it was never armed
 * @ESTIMATE_UNEQUAL: of a sum: some watches had more turns than others
 * @ESTIMATE_SLOWED: hits slowed the program while the watch was armed
 * @ESTIMATE_LOST: hits were dropped, or the watch was throttled
 */
enum estimate_bound {
	ESTIMATE_KNOWN,
	ESTIMATE_FEW,
	ESTIMATE_UNARMED,
	ESTIMATE_UNEQUAL,
	ESTIMATE_SLOWED,
	ESTIMATE_LOST,
};

/**
 * struct estimate - number of hits
 * @bound: why only @low is known, and not @hits and @high
 * @hits: most likely
 * @low: lower end of the 95 % interval, or lower bound: at least the hits that
 *	were seen
 * @high: upper end
 * @turns: turns of the watch
 * @turns_hit: of these, turns with hits
 */
struct estimate {
	enum estimate_bound bound;
	double hits;
	double low;
	double high;
	unsigned int turns;
	unsigned int turns_hit;
};

/**
 * estimate_hits() - hits in the whole time
 * @e: out
 * @resident: whole time, ns
 * @seen: sums of all that was added to @t
 * @t: turns
 * @lost: hits were dropped, or the watch was throttled
 *
 * Return: false if the time was none, so that nothing is known.
 */
bool estimate_hits(struct estimate *e, uint64_t resident,
		   const struct watch_reading *seen, const struct turns *t,
		   bool lost);

/**
 * estimate_add() - hits of two watches
 * @sum: of one; out: of both
 * @more: of the other
 *
 * The ends of the intervals add up, as if both erred in the same direction: watches of the same
 * line of source mostly do. If one of them is a lower bound, the sum is.
 */
void estimate_add(struct estimate *sum, const struct estimate *more);

/**
 * struct shares - whether watches had equal shares of the time
 * @nr: watches
 * @quanta: sum of the quanta in which they were armed
 * @quanta2: sum of the squares
 * @always: watches that were armed all the time
 */
struct shares {
	unsigned int nr;
	double quanta;
	double quanta2;
	unsigned int always;
};

/** shares_add() - add a watch that was armed in @quanta for @armed of @resident */
void shares_add(struct shares *s, uint64_t quanta, uint64_t armed,
		uint64_t resident);

/**
 * shares_are_equal() - may the hits of all of them be taken for those of one?
 *
 * If each watch has the same share of the time, however often it is hit, the sum of
 * all hits that were seen, also none and of watches that were never armed, by the
 * mean share is a fair estimate of the sum, though there is none of a single one. The
 * scheduler gives the watches of a user equal shares, but not to pinned ones, those that
 * share comparators, and those beyond the user's limit. Drawn at random, numbers of
 * quanta differ by their root; in turns, by less.
 */
bool shares_are_equal(const struct shares *s);

#endif /* PERF_GPUBP_ESTIMATE_H */
