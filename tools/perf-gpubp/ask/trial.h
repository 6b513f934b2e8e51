/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Trials: perf-gpubp watches gpubp-rocr-try, which says how often it stores to a word, and
 * must say the same.
 */
#ifndef PERF_GPUBP_TRIAL_H
#define PERF_GPUBP_TRIAL_H

#include <stdio.h>

/* how a trial ended */
enum trial_end {
	TRIAL_RIGHT,
	TRIAL_WRONG,
	TRIAL_NOT,	/* this machine cannot do it */
};

/**
 * trial_run() - run trial number @n, and show what it prints
 * @root: directory with sys and dev, "" this machine
 * @n: from 0
 * @out: where
 *
 * It ends after five minutes at the latest, and leaves nothing behind.
 *
 * Return: how it ended, or -1 if there are fewer trials.
 */
int trial_run(const char *root, unsigned int n, FILE *out);

#endif /* PERF_GPUBP_TRIAL_H */
