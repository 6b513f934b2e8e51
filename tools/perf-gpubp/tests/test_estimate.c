// SPDX-License-Identifier: GPL-2.0
/*
 * The 95 % interval by simulation: a watch that is armed in random quanta, and
 * programs that hit independently, in bursts, periodically, and in phases. Of programs
 * that hits slow down, and of the kernel's own scheduler: tests/host/sched.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include "estimate.h"
#include "tap.h"

#define RUNS		1500
#define QUANTUM_NS	1000000
#define READ_QUANTA	20	/* stat reads that often */

/**
 * struct program - what hits
 * @name: description
 * @hits: in quantum number @t; @phase is random in a run, 0 to 1
 * @rate: hits in a quantum on average, or what @hits takes it for
 * @share: of the quanta in which the watch is armed
 * @quanta: length of the run
 * @least: coverage in percent that is expected at least
 * @most: and at most
 * @numbers: of how many runs in a hundred there is a number, at least
 */
struct program {
	const char *name;
	unsigned int (*hits)(const struct program *p, unsigned int t, double phase);
	double rate;
	double share;
	unsigned int quanta;
	double least;
	double most;
	double numbers;
};

static unsigned int hits_poisson(const struct program *p, unsigned int t,
				 double phase)
{
	double limit = exp(-p->rate), product = drand48();
	unsigned int n = 0;

	while (product > limit) {
		product *= drand48();
		n++;
	}
	return n;
}

/* 1 to 100 hits in a burst, in one of 50 quanta at most */
static unsigned int hits_bursts(const struct program *p, unsigned int t,
				double phase)
{
	return drand48() < p->rate ? 1 + (unsigned int)(drand48() * 100) : 0;
}

static unsigned int hits_period(const struct program *p, unsigned int t,
				double phase)
{
	return (unsigned int)floor((t + 1) * p->rate + phase) -
	       (unsigned int)floor(t * p->rate + phase);
}

/* busy for a second, quiet for a second */
static unsigned int hits_phases(const struct program *p, unsigned int t,
				double phase)
{
	return (t / 1000 + (phase < 0.5)) % 2 ? hits_poisson(p, t, phase) : 0;
}

static const struct program programs[] = {
	{ "independent, rarely armed", hits_poisson, 2, 0.05, 4000, 90, 99, 99 },
	{ "independent, often armed", hits_poisson, 0.5, 0.6, 2000, 90, 99, 99 },
	{ "independent, few", hits_poisson, 0.2, 0.1, 2000, 90, 99.5, 90 },
	{ "in bursts, rarely armed", hits_bursts, 0.2, 0.1, 4000, 90, 99, 90 },
	{ "in bursts, often armed", hits_bursts, 0.05, 0.5, 4000, 90, 99, 90 },
	{ "periodic, slower than quanta", hits_period, 0.19, 0.1, 4000, 90, 99.5, 99 },
	{ "in phases", hits_phases, 1, 0.1, 8000, 90, 99.5, 99 },
	{ "in phases, often", hits_phases, 10, 0.1, 8000, 90, 100, 99 },
	/* as the comment in estimate.c says */
	{ "periodic, faster than quanta", hits_period, 7.3, 0.1, 4000, 99, 100, 99 },
};

/**
 * struct sums - of a run
 * @all: hits
 * @seen: hits seen
 * @armed: time armed, ns
 */
struct sums {
	uint64_t all;
	uint64_t seen;
	uint64_t armed;
};

static void run_quantum(const struct program *p, unsigned int t, double phase,
			struct sums *sums)
{
	unsigned int hits = p->hits(p, t, phase);

	sums->all += hits;
	if (drand48() < p->share) {
		sums->seen += hits;
		sums->armed += QUANTUM_NS;
	}
}

/**
 * enum outcome - of a run
 * @BOUND: only a lower bound
 * @COVERS: the number of hits is in the interval
 * @MISSES: it is not
 */
enum outcome { BOUND, COVERS, MISSES };

static enum outcome run_outcome(const struct program *p)
{
	struct watch_reading seen = {}, r = {};
	struct turns turns = {};
	struct estimate e;
	double phase = drand48();
	struct sums sums = {}, old = {};
	unsigned int t;

	for (t = 1; t <= p->quanta; t++) {
		run_quantum(p, t, phase, &sums);
		if (t % READ_QUANTA)
			continue;
		r.hits = sums.seen - old.seen;
		r.armed = sums.armed - old.armed;
		r.quanta = r.armed / QUANTUM_NS;
		turns_add(&turns, &r);
		old = sums;
	}
	seen.hits = sums.seen;
	seen.armed = sums.armed;
	if (!estimate_hits(&e, (uint64_t)p->quanta * QUANTUM_NS, &seen, &turns, false) ||
	    e.bound)
		return BOUND;
	return e.low <= (double)sums.all && (double)sums.all <= e.high ? COVERS :
								      MISSES;
}

static void check_coverage(const struct program *p)
{
	unsigned int i, nr[MISSES + 1] = {};
	double percent, numbers;

	for (i = 0; i < RUNS; i++)
		nr[run_outcome(p)]++;
	numbers = nr[COVERS] + nr[MISSES];
	percent = 100.0 * nr[COVERS] / numbers;
	tap_ok(percent >= p->least && percent <= p->most &&
	       100 * numbers / RUNS >= p->numbers,
	       "%s: %.0f to %.0f%% of the intervals are right", p->name,
	       p->least, p->most);
	tap_note("%.1f%% of %.0f", percent, numbers);
}

/* ---- turns that are listed ------------------------------------------------ */

/**
 * struct list - a watch that has turns
 * @what: description
 * @nr: as many of each, one after the other
 * @hits: hits of a turn: of the first kind and of the second
 * @late: hits that are counted after it
 * @slowed: ns that waves stand still in a turn with hits, of 10 ms
 * @slowed_else: likewise, in as much time of others
 * @share: of the time, in which it is armed, one in so many
 * @lost: hits were dropped
 * @bound: what is expected
 */
struct list {
	const char *what;
	unsigned int nr[2];
	unsigned int hits[2];
	unsigned int late;
	uint64_t slowed;
	uint64_t slowed_else;
	unsigned int share;
	bool lost;
	enum estimate_bound bound;
};

#define TURN_NS		10000000

static const struct list lists[] = {
	{ "turns enough", { 40, 40 }, { 3, 0 }, 0, 0, 0, 4, false, ESTIMATE_KNOWN },
	{ "hits that are counted late", { 40, 40 }, { 2, 0 }, 1, 0, 0, 4, false, ESTIMATE_KNOWN },
	{ "few turns with hits", { 10, 400 }, { 3, 0 }, 0, 0, 0, 4, false, ESTIMATE_FEW },
	{ "and of one hit each", { 18, 400 }, { 1, 0 }, 0, 0, 0, 4, false, ESTIMATE_FEW },
	{ "no turn with hits", { 0, 400 }, { 3, 0 }, 0, 0, 0, 4, false, ESTIMATE_FEW },
	{ "most hits in few turns", { 10, 200 }, { 300, 1 }, 0, 0, 0, 4, false, ESTIMATE_FEW },
	{ "not many turns of bursts", { 25, 400 }, { 300, 0 }, 0, 0, 0, 4, false, ESTIMATE_FEW },
	{ "hits that fill turns", { 100, 400 }, { 30, 0 }, 0, 9000000, 0, 4, false, ESTIMATE_SLOWED },
	{ "and the time of others a little", { 100, 400 }, { 30, 0 }, 0, 9000000, 5000000, 4, false,
	  ESTIMATE_SLOWED },
	{ "others' hits do as well", { 100, 400 }, { 30, 0 }, 0, 9000000, 9000000, 4, false,
	  ESTIMATE_KNOWN },
	{ "more waves than one stand still", { 100, 400 }, { 30, 0 }, 0, 19000000, 19000000, 4, false,
	  ESTIMATE_SLOWED },
	{ "but it is always armed", { 100, 400 }, { 30, 0 }, 0, 9000000, 0, 1, false, ESTIMATE_KNOWN },
	{ "hits that wait for none", { 100, 400 }, { 1, 0 }, 0, 9000000, 0, 4, false, ESTIMATE_KNOWN },
	{ "lost hits", { 40, 40 }, { 3, 0 }, 0, 0, 0, 4, true, ESTIMATE_LOST },
	{ "lost hits, always armed", { 40, 40 }, { 3, 0 }, 0, 0, 0, 1, true, ESTIMATE_LOST },
};

static void add_turn(struct turns *turns, struct watch_reading *seen,
		     const struct list *l, unsigned int hits)
{
	const struct watch_reading first = { .armed = TURN_NS / 4 };
	const struct watch_reading r = {
		.hits = hits, .armed = TURN_NS - TURN_NS / 4, .quanta = 1,
		.slowed = hits ? l->slowed : 0,
	};
	const struct watch_reading later = { .hits = hits ? l->late : 0 };

	turns_add(turns, &first);
	turns_add(turns, &r);
	turns_add(turns, &later);
	seen->hits += r.hits + later.hits;
	seen->armed += TURN_NS;
	seen->slowed_else += (l->share - 1) * l->slowed_else;
}

static void check_list(const struct list *l)
{
	unsigned int nr = l->nr[0] + l->nr[1], hit;
	struct watch_reading seen = {};
	struct turns turns = {};
	struct estimate e;
	unsigned int i;
	bool known;

	for (i = 0; i < nr; i++)
		add_turn(&turns, &seen, l, l->hits[i >= l->nr[0]]);
	known = estimate_hits(&e, seen.armed * l->share, &seen, &turns, l->lost);
	hit = (l->hits[0] ? l->nr[0] : 0) + (l->hits[1] ? l->nr[1] : 0);
	if (!tap_ok(known && e.bound == l->bound && e.turns == nr &&
		    e.turns_hit == hit &&
		    (e.bound || (e.low <= e.hits && e.hits <= e.high &&
				 e.hits >= (double)(seen.hits * l->share))),
		    "%s", l->what))
		tap_note("bound %u, %u of %u turns, %.1f (%.1f..%.1f)", e.bound,
			 e.turns_hit, e.turns, e.hits, e.low, e.high);
}

static bool is_interval(uint64_t hits, uint64_t armed, double low, double high)
{
	const struct watch_reading seen = { .hits = hits, .armed = armed };
	const struct turns none = {};
	struct estimate e;

	return estimate_hits(&e, 1000, &seen, &none, false) && !e.bound &&
	       fabs(e.low - low) < 0.01 && fabs(e.high - high) < 0.01;
}

/**
 * struct quanta - of watches, of 1000
 * @what: description
 * @nr: watches of each kind
 * @quanta: of each of these
 * @equal: what is expected
 */
static const struct quanta {
	const char *what;
	unsigned int nr[2];
	unsigned int quanta[2];
	bool equal;
} shares[] = {
	{ "equal shares", { 8, 8 }, { 250, 251 }, true },
	{ "as drawn at random", { 8, 8 }, { 235, 265 }, true },
	{ "a thousand of which some had no turn yet", { 770, 230 }, { 0, 1 }, true },
	{ "a watch that had none of many", { 15, 1 }, { 250, 0 }, false },
	{ "half of them share comparators", { 8, 8 }, { 400, 200 }, false },
	{ "one is pinned", { 15, 1 }, { 3, 1000 }, false },
	{ "all are armed all the time", { 2, 2 }, { 1000, 1000 }, true },
	{ "one", { 1, 0 }, { 10, 0 }, true },
};

static void check_shares(void)
{
	unsigned int i, k;

	for (i = 0; i < sizeof(shares) / sizeof(shares[0]); i++) {
		const struct quanta *q = &shares[i];
		struct shares s = {};

		for (k = 0; k < q->nr[0] + q->nr[1]; k++)
			shares_add(&s, q->quanta[k >= q->nr[0]],
				   q->quanta[k >= q->nr[0]], 1000);
		tap_ok(shares_are_equal(&s) == q->equal, "%s", q->what);
	}
}

int main(void)
{
	const unsigned int nr = sizeof(programs) / sizeof(programs[0]);
	const unsigned int nr_lists = sizeof(lists) / sizeof(lists[0]);
	const unsigned int nr_shares = sizeof(shares) / sizeof(shares[0]);
	const struct watch_reading nothing = {};
	const struct turns none = {};
	struct estimate e;
	unsigned int i;

	srand48(1);
	tap_plan((int)(nr + nr_lists + nr_shares) + 4);
	for (i = 0; i < nr; i++)
		check_coverage(&programs[i]);
	for (i = 0; i < nr_lists; i++)
		check_list(&lists[i]);
	tap_ok(is_interval(77, 1000, 77, 77), "armed all the time: no interval");
	tap_ok(is_interval(77, 1001, 77, 77), "and with a clock that was read later");
	tap_ok(estimate_hits(&e, 1000, &nothing, &none, false) &&
	       e.bound == ESTIMATE_UNARMED && e.low == 0, "never armed");
	tap_ok(!estimate_hits(&e, 0, &nothing, &none, false), "never on the GPU: nothing is known");
	check_shares();
	return tap_status();
}
