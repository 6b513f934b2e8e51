// SPDX-License-Identifier: GPL-2.0
#include <math.h>

#include "../tap.h"
#include "program.h"

double random_uniform(unsigned long long *random)
{
	return (tap_random(random) >> 11) * 0x1p-53;
}

static double exponential(unsigned long long *random, double mean)
{
	return -mean * log(1 - random_uniform(random));
}

/* 1 to @most, all lengths in logarithm */
static double any_length(unsigned long long *random, double most)
{
	return pow(most, random_uniform(random));
}

/* over four words */
static double gap_uniform(const struct program *p, struct wave *w,
			  unsigned long long *random)
{
	w->word = (unsigned int)(4 * random_uniform(random));
	return random_uniform(random) * 2e6 / p->rate;
}

static double gap_poisson(const struct program *p, struct wave *w,
			  unsigned long long *random)
{
	return exponential(random, 1e6 / p->rate);
}

static double gap_periodic(const struct program *p, struct wave *w,
			   unsigned long long *random)
{
	return 1e6 / p->rate;
}

static bool burst_goes_on(struct wave *w)
{
	if (w->left < 1)
		return false;
	w->left--;
	return true;
}

/* of @rate accesses, 20 us apart, 50 ms between them */
static double gap_bursts(const struct program *p, struct wave *w,
			 unsigned long long *random)
{
	if (burst_goes_on(w))
		return 20;
	w->left = p->rate - 1;
	return exponential(random, 50000);
}

/* one that stores, one that computes: of 1 ms to 2 s */
static double gap_phases(const struct program *p, struct wave *w,
			 unsigned long long *random)
{
	if (w->left < 100) {
		w->left = 1000 * any_length(random, 2000);
		return 1000 * any_length(random, 2000);
	}
	w->left -= 100;
	return 100;
}

/* likewise, of @rate ms on average */
static double gap_alternates(const struct program *p, struct wave *w,
			     unsigned long long *random)
{
	if (w->left < 100) {
		w->left = exponential(random, 1000 * p->rate);
		return 100 + exponential(random, 1000 * p->rate);
	}
	w->left -= 100;
	return 100;
}

static double gap_bound(const struct program *p, struct wave *w,
			unsigned long long *random)
{
	return 25;
}

/* bursts whose length has no variance */
static double gap_heavy(const struct program *p, struct wave *w,
			unsigned long long *random)
{
	if (burst_goes_on(w))
		return 5;
	w->left = floor(pow(1 - random_uniform(random), -1 / p->rate)) - 1;
	return exponential(random, 20000);
}

/* each of 16 words for 60 ms, one after another */
static double gap_migrates(const struct program *p, struct wave *w,
			   unsigned long long *random)
{
	w->left += 500;
	w->word = (unsigned int)(w->left / 60000) % 16;
	return 500;
}

static double gap_two(const struct program *p, struct wave *w,
		      unsigned long long *random)
{
	w->word = !w->word;
	return exponential(random, 1e6 / p->rate);
}

/* a kernel launches up to 8 others, 2 ms apart, each of 10 accesses; then 150 ms */
static double gap_nested(const struct program *p, struct wave *w,
			 unsigned long long *random)
{
	if (burst_goes_on(w))
		return 20;
	w->left = 9;
	if (w->inner >= 1) {
		w->inner--;
		return 2000;
	}
	w->inner = floor(8 * random_uniform(random));
	return exponential(random, 150000);
}

/* one of 5 accesses, @rate a second */
static double gap_kernels(const struct program *p, struct wave *w,
			  unsigned long long *random)
{
	if (burst_goes_on(w))
		return 25;
	w->left = 4;
	return exponential(random, 1e6 / p->rate);
}

double gap_words(const struct program *p, struct wave *w,
		 unsigned long long *random)
{
	w->word = (unsigned int)(p->words * random_uniform(random));
	return exponential(random, 1e6 / p->rate);
}

double gap_zipf(const struct program *p, struct wave *w,
		unsigned long long *random)
{
	w->word = (unsigned int)pow(p->words, random_uniform(random)) - 1;
	return exponential(random, 1e6 / p->rate);
}

double gap_sweep(const struct program *p, struct wave *w,
		 unsigned long long *random)
{
	w->word = (w->word + 1) % p->words;
	return 1e6 / p->rate;
}

const struct program programs[] = {
	{ "uniform", gap_uniform, 20, 400, 1, true, 90 },
	{ "poisson", gap_poisson, 20, 60, 1, false, 90 },
	{ "periodic", gap_periodic, 20, 60, 1, false, 90 },
	{ "bursts of 8", gap_bursts, 60, 8, 1, false, 0 },
	{ "bursts of 64", gap_bursts, 60, 64, 1, false, 0 },
	{ "phases of any length", gap_phases, 20, 0, 1, false, 0 },
	{ "phases of 5 ms", gap_alternates, 20, 5, 1, false, 0 },
	{ "phases of 50 ms", gap_alternates, 20, 50, 1, false, 0 },
	{ "phases of 2 s", gap_alternates, 60, 2000, 1, false, 0 },
	{ "store-bound", gap_bound, 4, 0, 1, false, 0 },
	{ "store-bound, 4 waves", gap_bound, 4, 0, 4, false, 0 },
	{ "heavy tail", gap_heavy, 20, 1.2, 1, false, 0 },
	{ "heavy tail, lighter", gap_heavy, 60, 2.2, 1, false, 0 },
	{ "migrating hot spot", gap_migrates, 60, 0, 1, false, 0 },
	{ "two hot words", gap_two, 10, 5000, 1, false, 0 },
	{ "nested launches", gap_nested, 60, 0, 1, false, 0 },
	{ "tiny kernels", gap_kernels, 20, 40, 1, false, 0 },
	{ "one tiny kernel", gap_bound, 0.2, 0, 1, false, 0 },
};
const unsigned int nr_programs = sizeof(programs) / sizeof(programs[0]);
