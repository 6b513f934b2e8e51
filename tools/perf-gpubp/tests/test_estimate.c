// SPDX-License-Identifier: GPL-2.0
/*
 * The 95 % interval by simulation: a watch that is armed in random quanta, and
 * programs that hit independently, in bursts, periodically, and in phases.
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
 */
struct program {
	const char *name;
	unsigned int (*hits)(const struct program *p, unsigned int t, double phase);
	double rate;
	double share;
	unsigned int quanta;
	double least;
	double most;
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
	{ "independent, rarely armed", hits_poisson, 2, 0.05, 4000, 90, 99 },
	{ "independent, often armed", hits_poisson, 0.5, 0.6, 2000, 90, 99 },
	{ "independent, few", hits_poisson, 0.02, 0.1, 2000, 90, 99.5 },
	{ "in bursts, rarely armed", hits_bursts, 0.1, 0.1, 4000, 90, 99 },
	{ "in bursts, often armed", hits_bursts, 0.05, 0.5, 4000, 90, 99 },
	{ "periodic, slower than quanta", hits_period, 0.19, 0.1, 4000, 90, 99 },
	{ "in phases", hits_phases, 1, 0.1, 8000, 90, 99 },
	{ "in phases, often", hits_phases, 10, 0.1, 8000, 90, 100 },
	/* as the comment in estimate.c says */
	{ "periodic, faster than quanta", hits_period, 7.3, 0.1, 4000, 99, 100 },
	{ "three bursts", hits_bursts, 0.0007, 0.1, 4000, 0, 89 },
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

/* is the number of hits in the interval? */
static bool run_covers(const struct program *p)
{
	struct sums sums = {}, old = {};
	struct dispersion d = {};
	struct estimate e;
	double phase = drand48();
	unsigned int t;

	for (t = 1; t <= p->quanta; t++) {
		run_quantum(p, t, phase, &sums);
		if (t % READ_QUANTA)
			continue;
		dispersion_add(&d, sums.seen - old.seen, sums.armed - old.armed);
		old = sums;
	}
	return estimate_hits(&e, sums.seen, (uint64_t)p->quanta * QUANTUM_NS,
			     sums.armed, &d) &&
	       e.low <= (double)sums.all && (double)sums.all <= e.high;
}

static void check_coverage(const struct program *p)
{
	unsigned int i, covered = 0;
	double percent;

	for (i = 0; i < RUNS; i++)
		covered += run_covers(p);
	percent = 100.0 * covered / RUNS;
	tap_ok(percent >= p->least && percent <= p->most,
	       "%s: %.0f to %.0f%% of the intervals are right", p->name,
	       p->least, p->most);
	tap_note("%.1f%%", percent);
}

static bool is_interval(uint64_t seen, uint64_t armed, double low, double high)
{
	const struct dispersion none = {};
	struct estimate e;

	return estimate_hits(&e, seen, 1000, armed, &none) &&
	       fabs(e.low - low) < 0.01 && fabs(e.high - high) < 0.01;
}

int main(void)
{
	const unsigned int nr = sizeof(programs) / sizeof(programs[0]);
	const struct dispersion none = {};
	struct estimate e;
	unsigned int i;

	srand48(1);
	tap_plan((int)nr + 5);
	for (i = 0; i < nr; i++)
		check_coverage(&programs[i]);
	tap_ok(is_interval(77, 1000, 77, 77), "armed all the time: no interval");
	tap_ok(is_interval(77, 1001, 77, 77), "and with a clock that was read later");
	/* 1.959964^2 x 0.9 / 0.1 */
	tap_ok(is_interval(0, 100, 0, 34.57), "no hit seen: an upper end");
	/* 1.959964^2 x 0.1 = 0.384; (8 + 0.384 -+ sqrt(0.384^2 + 4 0.384 4)) / 1.8 */
	tap_ok(is_interval(4, 900, 4, 6.05), "no less than were seen");
	tap_ok(!estimate_hits(&e, 0, 1000, 0, &none), "never armed: nothing is known");
	return tap_status();
}
