// SPDX-License-Identifier: GPL-2.0
#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "../tap.h"
#include "trial.h"

#define READ_US		10000	/* READ_MS of verb_stat.c */
#define READ_EVENTS	64	/* likewise */
#define READ_LATE_US	2000
#define MAX_USERS	8
#define MIX		0x9e3779b97f4a7c15ULL

const struct delay delays[NR_DELAYS] = {
	{ "free", 0, 0 },
	{ "handler", 0, 10 },
	{ "stop", 300, 0 },
};

/**
 * struct word - a judged word, or the sum of the words of a set
 * @all: accesses
 * @slowed: time that waves were slowed while it was armed, us
 * @total: readings
 * @last: when it was read last
 * @turns: turns
 */
struct word {
	uint64_t all;
	double slowed;
	struct watch_reading total;
	struct watch_reading last;
	struct turns turns;
};

/**
 * struct trial - in progress
 * @setup: setup
 * @w: device
 * @flows: users
 * @random: state
 * @waves: waves
 * @words: all that are watched
 * @now: time, us
 * @read: the next time that counts are read
 * @resident: time, ns, as those of words add up
 * @stopped: time that waves were stopped, us
 */
struct trial {
	const struct setup *setup;
	struct world w;
	struct gpubp_fairq_flow flows[MAX_USERS + 1];
	unsigned long long random;
	struct wave waves[MAX_WAVES];
	struct word *words;
	struct word sum;
	double now;
	double read;
	uint64_t resident;
	double stopped;
};

/* ---- waves ----------------------------------------------------------------- */

static void wave_next(struct trial *t, struct wave *w)
{
	const struct program *p = t->setup->p;
	double gap = p->gap(p, w, &t->random);

	w->due += gap;
	w->next = p->paced ? fmax(w->next, w->due) : w->next + gap;
}

static void wave_hit(struct trial *t, struct wave *w)
{
	const struct delay *d = t->setup->d;
	struct word *word = &t->words[w->word];

	word->total.hits++;
	word->slowed += d->handler;
	if (d->stop > 0) {
		w->stop_from = w->next;
		w->stop_to = w->next + d->stop;
	}
	w->next += d->stop + d->handler;
}

static void wave_access(struct trial *t, struct wave *w)
{
	if (w->word < t->setup->watches) {
		t->words[w->word].all++;
		if (watch_is_armed(&t->w, w->word))
			wave_hit(t, w);
	}
	wave_next(t, w);
}

/* until @end; the same watches are armed. Returns for how long it was stopped */
static double wave_run(struct trial *t, struct wave *w, double end)
{
	double from = t->now, stopped = 0;

	for (;;) {
		double to = fmin(fmin(w->next, end), w->stop_to);

		stopped += fmax(0, to - fmax(from, w->stop_from));
		if (w->next >= end)
			return stopped;
		from = w->next;
		wave_access(t, w);
	}
}

/* ---- readings -------------------------------------------------------------- */

static void word_read(struct word *word, double stopped)
{
	struct watch_reading *now = &word->total, r;

	now->slowed = (uint64_t)(1000 * word->slowed);
	now->slowed_else = stopped > word->slowed ?
		(uint64_t)(1000 * (stopped - word->slowed)) : 0;
	r = (struct watch_reading) {
		.hits = now->hits - word->last.hits,
		.armed = now->armed - word->last.armed,
		.quanta = now->quanta - word->last.quanta,
		.slowed = now->slowed - word->last.slowed,
	};
	turns_add(&word->turns, &r);
	word->last = *now;
}

/* times are the mean of the members, as in struct gpubp_event_stats */
static void set_read(struct trial *t)
{
	struct word *sum = &t->sum;
	unsigned int i, nr = t->setup->watches;

	sum->all = 0;
	sum->slowed = 0;
	sum->total = (struct watch_reading) {};
	for (i = 0; i < nr; i++) {
		sum->all += t->words[i].all;
		sum->slowed += t->words[i].slowed / nr;
		sum->total.hits += t->words[i].total.hits;
		sum->total.armed += t->words[i].total.armed;
		sum->total.quanta += t->words[i].total.quanta;
	}
	sum->total.armed /= nr;
	word_read(sum, t->stopped);
}

static void trial_read(struct trial *t)
{
	const struct setup *s = t->setup;
	unsigned int i, events = s->set ? 1 : s->judged;

	if (s->set)
		set_read(t);
	else
		for (i = 0; i < s->judged; i++)
			word_read(&t->words[i], t->stopped);
	t->read = t->now + READ_US * (1 + events / READ_EVENTS) +
		  random_uniform(&t->random) * READ_LATE_US;
}

/* ---- time ------------------------------------------------------------------ */

/* the word of @watch, NULL if it is another user's */
static struct word *trial_word(struct trial *t, const struct watch *watch)
{
	ptrdiff_t i = watch - t->w.watches;

	return i < t->setup->watches ? &t->words[i] : NULL;
}

static void trial_run_until(struct trial *t, double end)
{
	struct gpubp_candidate *c;
	struct watch *watch;
	uint64_t ns = (uint64_t)(1000 * (end - t->now));
	struct word *word;
	double stopped = 0;
	unsigned int i;

	for (i = 0; i < t->setup->p->waves; i++)
		stopped += wave_run(t, &t->waves[i], end);
	t->stopped += stopped;
	t->resident += ns;
	for_each_armed(watch, &t->w, c) {
		word = trial_word(t, watch);
		if (!word)
			continue;
		word->slowed += stopped;
		word->total.armed += ns;
	}
	t->now = end;
}

static void trial_quantum(struct trial *t)
{
	double end = t->now + world_quantum(&t->w);
	struct gpubp_candidate *c;
	struct watch *watch;

	while (t->read < end) {
		trial_run_until(t, t->read);
		trial_read(t);
	}
	trial_run_until(t, end);
	for_each_armed(watch, &t->w, c)
		if (trial_word(t, watch))
			trial_word(t, watch)->total.quanta++;
}

/* the time of its own that the program has had is that of its slowest wave */
static bool trial_goes_on(const struct trial *t)
{
	const struct program *p = t->setup->p;
	double end = p->seconds * 1e6, least = p->paced ? t->now : INFINITY;
	unsigned int i;

	for (i = 0; i < p->waves && !p->paced; i++)
		least = fmin(least, t->waves[i].due);
	return least < end;
}

/* ---- a trial ----------------------------------------------------------------- */

static void trial_begin(struct trial *t, u64 seed)
{
	const struct setup *s = t->setup;
	unsigned int i, k;

	assert(s->users <= MAX_USERS && s->p->waves <= MAX_WAVES);
	t->random = seed * MIX | 1;
	world_init(&t->w, SLOTS, GPUBP_POLICY_FAIR, s->watches * (1 + s->users),
		   seed);
	t->w.group = s->group;
	for (i = 0; i <= s->users; i++) {
		gpubp_fairq_flow_init(&t->flows[i], i + 1, 1);
		for (k = 0; k < s->watches; k++)
			world_add(&t->w, &t->flows[i]);
	}
	t->read = random_uniform(&t->random) * READ_US;
	for (i = 0; i < s->p->waves; i++) {
		t->waves[i].next = random_uniform(&t->random) * 25;
		t->waves[i].due = t->waves[i].next;
		wave_next(t, &t->waves[i]);
	}
}

static void trial_end(struct trial *t)
{
	unsigned int i;

	world_exit(&t->w);
	for (i = 0; i <= t->setup->users; i++)
		gpubp_fairq_flow_exit(&t->flows[i]);
	free(t->words);
	free(t);
}

static void word_say(const struct trial *t, const struct word *word,
		     struct said *said)
{
	const struct word *timed = t->setup->group ? &t->words[0] : word;

	*said = (struct said) {
		.truth = (double)word->all,
		.seen = (double)word->total.hits,
		.share = (double)word->total.armed / (double)t->resident,
		.scaled = timed->total.armed ? (double)word->total.hits *
			  (double)t->resident / (double)timed->total.armed : 0,
	};
	said->known = estimate_hits(&said->e, t->resident, &word->total,
				    &word->turns, false);
}

static bool words_are_equal(const struct trial *t)
{
	struct shares shares = {};
	unsigned int i;

	for (i = 0; i < t->setup->watches; i++)
		shares_add(&shares, t->words[i].total.quanta,
			   t->words[i].total.armed, t->resident);
	return shares_are_equal(&shares);
}

void trial_run(const struct setup *setup, u64 seed, struct said *said)
{
	struct trial *t = calloc(1, sizeof(*t));
	unsigned int i;

	assert(t);
	t->setup = setup;
	t->words = calloc(setup->watches, sizeof(*t->words));
	assert(t->words);
	trial_begin(t, seed);
	while (trial_goes_on(t))
		trial_quantum(t);
	trial_read(t);
	if (setup->set) {
		word_say(t, &t->sum, said);
		said->equal = words_are_equal(t);
	}
	for (i = 0; i < setup->judged; i++)
		word_say(t, &t->words[i], &said[i]);
	trial_end(t);
}

unsigned int trials_wanted(void)
{
	const char *text = getenv("GPUBP_LONG");

	return text && *text == '1' ? MAX_TRIALS : MAX_TRIALS / 10;
}

double hold_least(unsigned int numbers)
{
	double misses = (1 - HOLD) * numbers;

	return numbers - misses - 2 * sqrt(misses);
}
