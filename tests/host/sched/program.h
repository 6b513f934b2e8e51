/* SPDX-License-Identifier: GPL-2.0 */
/* Programs that access words, for trials: when the next access is, and of which word. */
#ifndef _SCHED_PROGRAM_H
#define _SCHED_PROGRAM_H

#include <stdbool.h>

#define MAX_WAVES	4

/**
 * struct wave - a wave; times in us
 * @next: its next access
 * @due: likewise, if nothing had delayed it
 * @stop_from: its last stop
 * @stop_to: end of that
 * @left: what its program remembers
 * @inner: likewise
 * @word: of its next access
 */
struct wave {
	double next;
	double due;
	double stop_from;
	double stop_to;
	double left;
	double inner;
	unsigned int word;
};

/**
 * struct program - what accesses words
 * @name: description
 * @gap: time to the next access of a wave, whose word it may set
 * @seconds: length of a run of which nothing is watched, or until the program ends
 * @rate: a number that @gap knows
 * @waves: number of waves
 * @paced: by something else than its own speed
 * @numbers: of how many trials in a hundred a number is to be said
 * @words: another number that @gap knows
 */
struct program {
	const char *name;
	double (*gap)(const struct program *p, struct wave *w,
		      unsigned long long *random);
	double seconds;
	double rate;
	unsigned int waves;
	bool paced;
	unsigned int numbers;
	unsigned int words;
};

/* 0 to 1 */
double random_uniform(unsigned long long *random);

/* of that many words, at independent times, @rate accesses a second */
double gap_words(const struct program *p, struct wave *w,
		 unsigned long long *random);
/* word n is accessed 1 / n as often as the first one */
double gap_zipf(const struct program *p, struct wave *w,
		unsigned long long *random);
/* one word after the other, @rate accesses a second, without end */
double gap_sweep(const struct program *p, struct wave *w,
		 unsigned long long *random);

extern const struct program programs[];
extern const unsigned int nr_programs;

#endif /* _SCHED_PROGRAM_H */
