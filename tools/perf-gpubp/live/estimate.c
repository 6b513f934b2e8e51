// SPDX-License-Identifier: GPL-2.0
/*
 * Let a watch be armed for a random share f of the time. If the N hits were
 * independent, each would be seen with probability f: n of them with variance
 * N f (1 - f). If they come in bursts that are seen as a whole or not at all,
 * the variance is larger by a factor phi, the dispersion. The interval is made
 * of all N from which n is at most 1.96 standard deviations away:
 *
 *	(n - N f)^2 <= z^2 phi N f (1 - f)
 *
 * For large n that is n / f +- z sqrt(phi n (1 - f)) / f; for n = 0 it ends at
 * z^2 phi (1 - f) / f.
 *
 * phi is measured where hits were seen, as Pearson's statistic: of an interval
 * with c hits that was armed for the time a, r a hits are expected if r is the
 * mean rate; (c - r a)^2 / (r a) is 1 on average if hits are independent, phi
 * otherwise. If few intervals have hits, phi is uncertain itself, and z is that
 * of Student's distribution.
 *
 * Where it fails: too few bursts to see how large they may be. The interval is
 * wider than it had to be for a program that is more regular than chance, or
 * that has phases which are much longer than the intervals.
 */
#include <math.h>
#include "estimate.h"

#define Z	1.959964

void dispersion_add(struct dispersion *d, uint64_t hits, uint64_t armed)
{
	/* a hit that was under way may be counted in a later interval */
	if (!armed)
		return;
	d->hits += (double)hits;
	d->armed += (double)armed;
	d->squares += (double)hits * (double)hits / (double)armed;
	d->nr++;
	d->nr_hit += hits > 0;
}

/* 1 for independent hits, n for bursts of n; at least 1 */
static double dispersion_value(const struct dispersion *d)
{
	double phi;

	if (d->nr < 2 || d->hits <= 0)
		return 1;
	phi = (d->squares * d->armed / d->hits - d->hits) / (d->nr - 1);
	return phi > 1 ? phi : 1;
}

/* the 97.5 % quantile of Student's distribution, to a few percent */
static double student_quantile(unsigned int degrees)
{
	double v = degrees, z3 = Z * Z * Z, z5 = z3 * Z * Z;

	return Z + (z3 + Z) / (4 * v) +
	       (5 * z5 + 16 * z3 + 3 * Z) / (96 * v * v);
}

bool estimate_hits(struct estimate *e, uint64_t seen, uint64_t resident,
		   uint64_t armed, const struct dispersion *d)
{
	double n = (double)seen, f, z, k, root;

	if (!armed || !resident)
		return false;
	f = armed < resident ? (double)armed / (double)resident : 1;
	e->independent = d->nr_hit < 2 && f < 1;
	z = d->nr_hit < 2 ? Z : student_quantile(d->nr_hit);
	k = z * z * dispersion_value(d) * (1 - f);
	root = sqrt(k * k + 4 * k * n);
	e->hits = n / f;
	e->low = (2 * n + k - root) / (2 * f);
	if (e->low < n)
		e->low = n;
	e->high = (2 * n + k + root) / (2 * f);
	return true;
}

void estimate_add(struct estimate *sum, const struct estimate *more)
{
	sum->hits += more->hits;
	sum->low += more->low;
	sum->high += more->high;
	sum->independent |= more->independent;
}
