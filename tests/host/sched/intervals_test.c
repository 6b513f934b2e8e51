// SPDX-License-Identifier: GPL-2.0
/*
 * What perf-gpubp stat says of programs whose hits slow them down: the kernel's
 * policy, the tool's estimator, and a model of programs in between.
 *
 * A program has waves. Each makes accesses to words after some time of its own;
 * if the word is watched by an armed watch the wave is delayed: stopped, which
 * the kernel measures, or for the time of the trap handler, of which the tool
 * knows how often. A program that is paced by something else makes up for the
 * delay.
 *
 * The first word is judged. In a trial the tool says a number
 * and an interval, or a lower bound. Over all trials of a program, with hits that
 * are free, that the trap handler takes some time for, and that stop the wave:
 *	- the interval has the truth about as often as it says (in all, in 93 of 100
 *	  trials), or a number that is said is far too low in one trial of 200 at
 *	  most;
 *	- the median of the numbers, if there are more than that, is near the truth;
 *	- programs of which a number can be said get one.
 *
 * The seed is fixed, so that a run is the same as all others: it cannot fail by
 * chance, only after a change. With another GPUBP_SEED it can. GPUBP_LONG=1 runs a
 * hundred trials of each row instead of ten.
 */
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../tap.h"
#include "estimate.h"
#include "world.h"

#define SLOTS		4
#define MAX_WAVES	4
#define READ_US		10000	/* READ_MS of verb_stat.c */
#define READ_LATE_US	2000
#define MIX		0x9e3779b97f4a7c15ULL
#define FAR_LOW		0.8
#define HOLD		0.93
#define MAX_BIAS	0.05
#define RARELY		200	/* trials for one number */
#define FEW_TRIALS	10

/* a wave; times in us */
struct wave {
	double next;		/* its next access */
	double due;		/* likewise, if nothing had delayed it */
	double stop_from;	/* the last stop */
	double stop_to;
	double left;		/* what its program remembers */
	unsigned int word;	/* of its next access */
};

struct trial;

/**
 * struct program - what accesses words
 * @name: description
 * @gap: time to the next access of a wave, whose word it may set
 * @seconds: length of a run of which nothing is watched, or until the program ends
 * @rate: a number that @gap knows
 * @waves: number of waves
 * @paced: by something else than its own speed
 * @numbers: of how many trials in a hundred a number is to be said
 */
struct program {
	const char *name;
	double (*gap)(struct trial *t, struct wave *w);
	double seconds;
	double rate;
	unsigned int waves;
	bool paced;
	unsigned int numbers;
};

/**
 * struct delay - of a hit
 * @name: description
 * @stop: stopped, us
 * @handler: in the trap handler, us, likewise
 */
struct delay {
	const char *name;
	double stop;
	double handler;
};

static const struct delay delays[] = {
	{ "free", 0, 0 },
	{ "handler", 0, 10 },
	{ "stop", 300, 0 },
};

struct trial {
	const struct program *p;
	const struct delay *d;
	struct world w;
	unsigned int watches;
	unsigned long long random;
	struct wave waves[MAX_WAVES];
	double now;
	double read;		/* the next one */
	uint64_t all;		/* accesses to the first word */
	double slowed;		/* in the armed time of the first word, us */
	double slowed_else;	/* in other time */
	uint64_t resident;	/* ns */
	struct watch_reading total;
	struct watch_reading last;
	struct turns turns;
};

static double uniform(struct trial *t)
{
	return (tap_random(&t->random) >> 11) * 0x1p-53;
}

static double exponential(struct trial *t, double mean)
{
	return -mean * log(1 - uniform(t));
}

/* ---- programs ------------------------------------------------------------ */

/* over four words */
static double gap_uniform(struct trial *t, struct wave *w)
{
	w->word = (unsigned int)(4 * uniform(t));
	return uniform(t) * 2e6 / t->p->rate;
}

static double gap_poisson(struct trial *t, struct wave *w)
{
	return exponential(t, 1e6 / t->p->rate);
}

static double gap_periodic(struct trial *t, struct wave *w)
{
	return 1e6 / t->p->rate;
}

/* of @rate accesses, 20 us apart, 50 ms between them */
static double gap_bursts(struct trial *t, struct wave *w)
{
	if (w->left >= 1) {
		w->left--;
		return 20;
	}
	w->left = t->p->rate - 1;
	return exponential(t, 50000);
}

/* one that stores, one that computes: of 1 ms to 2 s, all lengths in logarithm */
static double gap_phases(struct trial *t, struct wave *w)
{
	if (w->left < 100) {
		w->left = 1000 * pow(2000, uniform(t));
		return 1000 * pow(2000, uniform(t));
	}
	w->left -= 100;
	return 100;
}

static double gap_bound(struct trial *t, struct wave *w)
{
	return 25;
}

/* bursts whose length has no variance */
static double gap_heavy(struct trial *t, struct wave *w)
{
	if (w->left >= 1) {
		w->left--;
		return 5;
	}
	w->left = floor(pow(1 - uniform(t), -1 / t->p->rate)) - 1;
	return exponential(t, 20000);
}

/* each of 16 words for 60 ms, one after another */
static double gap_migrates(struct trial *t, struct wave *w)
{
	w->left += 500;
	w->word = (unsigned int)(w->left / 60000) % 16;
	return 500;
}

static double gap_two(struct trial *t, struct wave *w)
{
	w->word = !w->word;
	return exponential(t, 1e6 / t->p->rate);
}

static const struct program programs[] = {
	{ "uniform", gap_uniform, 20, 400, 1, true, 90 },
	{ "poisson", gap_poisson, 20, 60, 1, false, 90 },
	{ "periodic", gap_periodic, 20, 60, 1, false, 90 },
	{ "bursts of 8", gap_bursts, 60, 8, 1, false, 0 },
	{ "bursts of 64", gap_bursts, 60, 64, 1, false, 0 },
	{ "phases", gap_phases, 20, 0, 1, false, 0 },
	{ "store-bound", gap_bound, 4, 0, 1, false, 0 },
	{ "store-bound, 4 waves", gap_bound, 4, 0, 4, false, 0 },
	{ "heavy tail", gap_heavy, 20, 1.2, 1, false, 0 },
	{ "migrating", gap_migrates, 60, 0, 1, false, 0 },
	{ "two hot words", gap_two, 10, 5000, 1, false, 0 },
	{ "tiny kernel", gap_bound, 0.2, 0, 1, false, 0 },
};

/* ---- a trial ------------------------------------------------------------- */

static void wave_next(struct trial *t, struct wave *w)
{
	double gap = t->p->gap(t, w);

	w->due += gap;
	w->next = t->p->paced ? fmax(w->next, w->due) : w->next + gap;
}

static void wave_access(struct trial *t, struct wave *w)
{
	bool hit = w->word < t->watches && watch_is_armed(&t->w, w->word);

	if (!w->word) {
		t->all++;
		t->total.hits += hit;
	}
	if (hit && t->d->stop > 0) {
		w->stop_from = w->next;
		w->stop_to = w->next + t->d->stop;
	}
	if (hit && !w->word)
		t->slowed += t->d->handler;
	if (hit)
		w->next += t->d->stop + t->d->handler;
	wave_next(t, w);
}

/* until @end; the same watches are armed */
static void wave_run(struct trial *t, struct wave *w, double end)
{
	double *slowed = watch_is_armed(&t->w, 0) ? &t->slowed : &t->slowed_else;
	double from = t->now;

	for (;;) {
		double to = fmin(fmin(w->next, end), w->stop_to);

		if (to > fmax(from, w->stop_from))
			*slowed += to - fmax(from, w->stop_from);
		if (w->next >= end)
			return;
		from = w->next;
		wave_access(t, w);
	}
}

static void trial_read(struct trial *t)
{
	struct watch_reading r;

	t->total.slowed = (uint64_t)(1000 * t->slowed);
	t->total.slowed_else = (uint64_t)(1000 * t->slowed_else);
	r = (struct watch_reading) {
		.hits = t->total.hits - t->last.hits,
		.armed = t->total.armed - t->last.armed,
		.quanta = t->total.quanta - t->last.quanta,
		.slowed = t->total.slowed - t->last.slowed,
	};
	turns_add(&t->turns, &r);
	t->last = t->total;
	t->read = t->now + READ_US + uniform(t) * READ_LATE_US;
}

static void trial_run_until(struct trial *t, double end)
{
	uint64_t ns = (uint64_t)(1000 * (end - t->now));
	unsigned int i;

	for (i = 0; i < t->p->waves; i++)
		wave_run(t, &t->waves[i], end);
	t->resident += ns;
	t->total.armed += watch_is_armed(&t->w, 0) ? ns : 0;
	t->now = end;
}

static void trial_quantum(struct trial *t)
{
	double end = t->now + world_quantum(&t->w);

	while (t->read < end) {
		trial_run_until(t, t->read);
		trial_read(t);
	}
	trial_run_until(t, end);
	t->total.quanta += watch_is_armed(&t->w, 0);
}

/* the time of its own that the program has had is that of its slowest wave */
static bool trial_goes_on(const struct trial *t)
{
	double end = t->p->seconds * 1e6, least = t->p->paced ? t->now : INFINITY;
	unsigned int i;

	for (i = 0; i < t->p->waves && !t->p->paced; i++)
		least = fmin(least, t->waves[i].due);
	return least < end;
}

struct said {
	struct estimate e;
	double truth;
};

static struct said trial_run(const struct program *p, const struct delay *d,
			     unsigned int watches, u64 seed)
{
	struct trial *t = calloc(1, sizeof(*t));
	struct gpubp_fairq_flow flow;
	struct said said;
	unsigned int i;

	assert(t);
	t->p = p;
	t->d = d;
	t->watches = watches;
	t->random = seed * MIX | 1;
	gpubp_fairq_flow_init(&flow, 1, 1);
	world_init(&t->w, SLOTS, GPUBP_POLICY_FAIR, watches, seed);
	for (i = 0; i < watches; i++)
		world_add(&t->w, &flow);
	t->read = uniform(t) * READ_US;
	for (i = 0; i < p->waves; i++) {
		t->waves[i].next = t->waves[i].due = uniform(t) * 25;
		wave_next(t, &t->waves[i]);
	}
	while (trial_goes_on(t))
		trial_quantum(t);
	trial_read(t);
	if (!estimate_hits(&said.e, t->resident, &t->total, &t->turns, false))
		said.e = (struct estimate) { .bound = ESTIMATE_FEW };
	said.truth = t->all;
	world_exit(&t->w);
	gpubp_fairq_flow_exit(&flow);
	free(t);
	return said;
}

/* ---- rows ---------------------------------------------------------------- */

#define NR_PROGRAMS	(sizeof(programs) / sizeof(programs[0]))
#define MAX_TRIALS	100
#define NR_DELAYS	3
#define NR_WATCHES	2

/**
 * struct row - of trials
 * @nr: trials
 * @numbers: of these, with a number
 * @hold: of these, whose interval has the truth
 * @far_low: of @numbers
 * @why: number of trials by the reason for a bound
 * @ratio: of numbers to the truth
 */
struct row {
	unsigned int nr;
	unsigned int numbers;
	unsigned int hold;
	unsigned int far_low;
	unsigned int why[ESTIMATE_LOST + 1];
	double ratio[MAX_TRIALS * NR_DELAYS * NR_WATCHES * NR_PROGRAMS];
};

static int compare(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

static void row_add(struct row *row, const struct said *said)
{
	const struct estimate *e = &said->e;

	row->nr++;
	row->why[e->bound]++;
	if (e->bound)
		return;
	row->ratio[row->numbers++] = e->hits / said->truth;
	row->hold += e->low <= said->truth && said->truth <= e->high;
	row->far_low += e->hits < FAR_LOW * said->truth;
}

static void row_merge(struct row *all, const struct row *row)
{
	unsigned int i;

	all->nr += row->nr;
	all->hold += row->hold;
	all->far_low += row->far_low;
	for (i = 0; i < row->numbers; i++)
		all->ratio[all->numbers++] = row->ratio[i];
}

static double row_median(struct row *row)
{
	qsort(row->ratio, row->numbers, sizeof(row->ratio[0]), compare);
	return row->numbers ? row->ratio[row->numbers / 2] : 1;
}

static void row_show(struct row *row, const struct program *p,
		     const struct delay *d, unsigned int watches)
{
	tap_note("%-21s %-8s %7u  %7u %7u %7u %7.3f  %7u %7u", p->name, d->name,
		 watches, row->numbers, row->hold, row->far_low, row_median(row),
		 row->why[ESTIMATE_FEW], row->why[ESTIMATE_SLOWED]);
}

static void run_row(struct row *all, const struct program *p,
		    const struct delay *d, unsigned int watches,
		    unsigned int trials, u64 seed)
{
	static struct row row;
	unsigned int i;

	row = (struct row) {};
	for (i = 0; i < trials; i++) {
		struct said said = trial_run(p, d, watches, seed + i);

		row_add(&row, &said);
	}
	row_show(&row, p, d, watches);
	row_merge(all, &row);
}

/* no more watches than comparators: no turns */
static void judge_always(const struct program *p, unsigned int trials, u64 seed)
{
	unsigned int i, exact = 0;

	for (i = 0; i < trials; i++) {
		struct said said = trial_run(p, &delays[i % NR_DELAYS], SLOTS,
					     seed + i);

		exact += !said.e.bound && said.e.low == said.truth &&
			 said.e.high == said.truth;
	}
	tap_ok(exact == trials, "%s: exact without turns", p->name);
}

/* intervals that are expected to hold, less two sigma */
static double hold_least(unsigned int numbers)
{
	double misses = (1 - HOLD) * numbers;

	return numbers - misses - 2 * sqrt(misses);
}

static void judge(struct row *total, const struct program *p,
		  unsigned int trials, u64 seed)
{
	static const unsigned int watches[NR_WATCHES] = { 16, 64 };
	static struct row all;
	unsigned int j, k;

	all = (struct row) {};

	for (j = 0; j < NR_DELAYS; j++)
		for (k = 0; k < NR_WATCHES; k++)
			run_row(&all, p, &delays[j], watches[k], trials,
				seed += MAX_TRIALS);
	row_merge(total, &all);
	tap_ok(all.hold >= hold_least(all.numbers) ||
	       RARELY * all.far_low <= all.nr,
	       "%s: intervals hold, or numbers are hardly ever far too low", p->name);
	tap_ok(RARELY * all.numbers <= all.nr ||
	       fabs(row_median(&all) - 1) <= MAX_BIAS,
	       "%s: the median of numbers is near the truth", p->name);
	tap_ok(100 * all.numbers >= p->numbers * all.nr,
	       "%s: a number in %u%% of the trials at least", p->name,
	       p->numbers);
}

int main(void)
{
	const char *text = getenv("GPUBP_LONG");
	unsigned int i, trials = text && *text == '1' ? MAX_TRIALS : FEW_TRIALS;
	static struct row total;
	u64 seed;

	tap_plan(4 * NR_PROGRAMS + 1);
	seed = world_seed();
	tap_note("%-21s %-8s %7s  %7s %7s %7s %7s  %7s %7s", "program", "hits",
		 "watches", "numbers", "hold", "far low", "median", "few",
		 "slowed");
	for (i = 0; i < NR_PROGRAMS; i++) {
		judge_always(&programs[i], trials, seed);
		judge(&total, &programs[i], trials, seed);
	}
	tap_ok(total.hold >= HOLD * total.numbers, "%u of %u intervals hold",
	       total.hold, total.numbers);
	return tap_status();
}
