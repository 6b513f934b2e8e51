/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A trial: a program that hits slow down, watched by the kernel's policy, and what
 * the tool's estimator says of its words.
 *
 * If the word of an access is watched by an armed watch the wave is delayed: stopped,
 * which the kernel measures, or for the time of the trap handler, of which the tool
 * knows how often. A program that is paced by something else makes up for the
 * delay.
 */
#ifndef _SCHED_TRIAL_H
#define _SCHED_TRIAL_H

#include "estimate.h"
#include "program.h"
#include "world.h"

#define SLOTS		4
#define MAX_TRIALS	100
#define HOLD		0.93	/* intervals, at least */

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

#define NR_DELAYS	3
extern const struct delay delays[NR_DELAYS];

/**
 * struct setup - what is tried
 * @p: program
 * @d: delay of hits
 * @watches: of the program's words, from the first one
 * @judged: of these, of which something is to be said
 * @users: others that have as many watches each
 * @group: watches that are a perf group
 * @set: the watches are one watch set, of which all is said
 */
struct setup {
	const struct program *p;
	const struct delay *d;
	unsigned int watches;
	unsigned int judged;
	unsigned int users;
	unsigned int group;
	bool set;
};

/**
 * struct said - of a word, or a set
 * @known: there is @e
 * @e: by the tool
 * @truth: accesses
 * @seen: hits
 * @share: of the time that it was armed
 * @equal: of a set: its words had equal shares
 * @scaled: what perf makes of @seen with its times, or those of the group's leader
 */
struct said {
	bool known;
	struct estimate e;
	double truth;
	double seen;
	double share;
	bool equal;
	double scaled;
};

/* @said: one for each judged word, or the set */
void trial_run(const struct setup *setup, u64 seed, struct said *said);

/* of a row: MAX_TRIALS if GPUBP_LONG is 1, else a tenth */
unsigned int trials_wanted(void);

/* so many of @numbers intervals are expected to hold, less two sigma */
double hold_least(unsigned int numbers);

#endif /* _SCHED_TRIAL_H */
