/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a machine lacks for gpubp, and what to type. Looks at files only.
 */
#ifndef PERF_GPUBP_DOCTOR_H
#define PERF_GPUBP_DOCTOR_H

enum doctor_verdict {
	DOCTOR_FINE,
	DOCTOR_LESS,	/* something works less well */
	DOCTOR_BAD,	/* nothing works */
};

/**
 * struct doctor_finding - result of one check
 * @verdict: how bad
 * @what: what was looked at, a word
 * @text: what was found
 * @todo: what to type, "" nothing
 */
struct doctor_finding {
	enum doctor_verdict verdict;
	const char *what;
	char text[160];
	char todo[160];
};

/**
 * doctor_check() - check number @n
 * @root: directory with proc, sys, lib and tmp, "" this machine
 * @n: from 0
 * @finding: out
 *
 * Return: 0, or -1 if there are fewer checks.
 */
int doctor_check(const char *root, unsigned int n,
		 struct doctor_finding *finding);

#endif /* PERF_GPUBP_DOCTOR_H */
