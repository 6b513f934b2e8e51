// SPDX-License-Identifier: GPL-2.0
/*
 * Let a watch be armed for a random share f of the time. If the N hits were
 * independent, each would be seen with probability f: n of them with variance
 * N f (1 - f). If they come in bursts that are seen as a whole or not at all,
 * the variance is larger by a factor phi, the dispersion. The interval is made
 * of all N from which n is at most t standard deviations away:
 *
 *	(n - N f)^2 <= t^2 phi N f (1 - f)
 *
 * For large n that is n / f +- t sqrt(phi n (1 - f)) / f.
 *
 * phi is measured over turns, which the scheduler draws: whatever the program
 * does, they are a sample of its time. Of m turns, with c hits in the time a
 * each, and r hits in a time on average, the variance of n is m / (m - 1)
 * sum((c - r a)^2), and phi that by n. Turns with many hits say most of it: t is
 * the quantile of Student's distribution for half of n^2 / sum c^2 turns, as c is
 * skew.
 *
 * That is an estimate if the turns with hits are many and alike, and the hits do
 * not slow the program: while a wave is stopped for a hit it makes no other one,
 * in the time of the watch but not in that of others. How much, if there is one
 * wave, is the part of the time that it was stopped as seen from the average
 * hit: the sum of c (s - c1) / a by n, where s was stopped in the turn, and c1 is
 * a hit's own time. In a burst that does not fit into a turn, that is about a
 * half, though it may be little of all the time. Of the time in which the watch was
 * not armed, the part s' in which waves were stopped for hits of others is known,
 * too: the program was faster there by (1 - s') / (1 - s). With more waves that is
 * less. If it may change the estimate by more than SLOWED_MAX, and in the other
 * cases, the hits that were seen are a lower bound, and that is all there is to
 * say.
 */
#include <math.h>
#include "estimate.h"

#define Z		1.959964
#define TURNS_MIN	20	/* with hits */
#define ALIKE_MIN	16	/* as many turns of equal hits, at least */
#define ALIKE_BURSTS	32	/* likewise, of hits that are not independent */
#define ALIKE_SHARE	0.65	/* of the turns with hits */
#define BURSTS		1.5	/* dispersion above which hits are not */
#define HEAVY		1.35	/* likewise, above which their lengths matter */
#define HEAVY_SHARE	0.44	/* of the alike turns: 1/3 if c is exponential */
#define HEAVY_SHORT	0.28	/* and more, by the dispersion: few short bursts are long */
#define SLOWED_MAX	0.05
#define ALWAYS		0.999	/* armed: that of each turn does not matter */
#define SHARES_SIGMAS	4

static void turn_end(struct turns *t)
{
	double c = (double)t->now.hits, a = (double)t->now.armed;
	double slowed = (double)t->now.slowed;

	t->nr++;
	t->hits += c;
	t->armed += a;
	t->armed2 += a * a;
	if (!t->now.hits)
		return;
	if (!t->nr_hit++ || slowed / c < t->slowed_each)
		t->slowed_each = slowed / c;
	t->armed_hit += a;
	t->armed_hit2 += a * a;
	t->armed_hit4 += a * a * a * a;
	t->hits2 += c * c;
	t->hits4 += c * c * c * c;
	t->hits_armed += c * a;
	t->hits_slowed += c * slowed / a;
	t->hits_rate += c / a;
}

static void turns_end(struct turns *t)
{
	if (t->now.armed)
		turn_end(t);
	t->now = (struct watch_reading) {};
	t->ended = false;
}

void turns_add(struct turns *t, const struct watch_reading *r)
{
	if (t->ended && r->armed)
		turns_end(t);
	t->now.hits += r->hits;
	t->now.armed += r->armed;
	t->now.slowed += r->slowed;
	if (r->quanta)
		t->ended = true;
}

/* 1 for independent hits, n for bursts of n; at least 1 */
static double dispersion(const struct turns *t)
{
	double r, squares, phi;

	if (t->nr < 2 || t->hits <= 0)
		return 1;
	r = t->hits / t->armed;
	squares = t->hits2 - 2 * r * t->hits_armed + r * r * t->armed2;
	phi = squares / t->hits * t->nr / (t->nr - 1);
	return phi > 1 ? phi : 1;
}

/* part of the time around a hit that the program was slowed by others */
static double slowed_share(const struct turns *t)
{
	return (t->hits_slowed - t->slowed_each * t->hits_rate) / t->hits;
}

/*
 * How many more hits there may be, for each one expected, in the time @ns in which it
 * was not armed
 */
static double slowed_factor(const struct turns *t, double slowed_else, double ns)
{
	double share, share_else = slowed_else / ns;

	if (t->hits <= 0 || ns <= 0)
		return 0;
	share = slowed_share(t);
	if (share <= share_else || share <= 0)
		return share < 1 ? 0 : INFINITY;
	return share < 1 ? (1 - share_else) / (1 - share) - 1 : INFINITY;
}

/* turns of equal hits that say as much */
static double alike_turns(const struct turns *t)
{
	return t->hits > 0 ? t->hits * t->hits / t->hits2 : 0;
}

/* the 97.5 % quantile of Student's distribution, to a few percent */
static double student_quantile(double v)
{
	double z3 = Z * Z * Z, z5 = z3 * Z * Z;

	return Z + (z3 + Z) / (4 * v) +
	       (5 * z5 + 16 * z3 + 3 * Z) / (96 * v * v);
}

/* the interval for @n hits in the share @f, of which @slowed is as above */
static void interval(struct estimate *e, double n, double f, double slowed,
		     const struct turns *t)
{
	double z = t->nr_hit < 2 ? Z : student_quantile(alike_turns(t) / 2);
	double k = z * z * dispersion(t) * (1 - f);
	double root = sqrt(k * k + 4 * k * n);

	e->hits = n / f;
	e->low = (2 * n + k - root) / (2 * f);
	if (e->low < n)
		e->low = n;
	e->high = (2 * n + k + root) / (2 * f);
	e->hits += (e->hits - n) * slowed / 2;
	e->high += (e->high - n) * slowed;
}

/*
 * Bursts whose length has no variance: what was seen says nothing of the few that
 * have most of the hits. Then so have few turns most of the squares, too, of which
 * phi is made; fewer than those that are longer explain.
 */
static bool is_heavy(const struct turns *t)
{
	double squares = t->hits2 * t->hits2 / t->hits4;
	double long_squares = t->armed_hit2 * t->armed_hit2 / t->armed_hit4;
	double long_turns = t->armed_hit * t->armed_hit / t->armed_hit2;

	double phi = dispersion(t), least = HEAVY_SHARE + HEAVY_SHORT / phi;

	return phi > HEAVY &&
	       squares * long_turns < least * alike_turns(t) * long_squares;
}

static bool turns_suffice(const struct turns *t)
{
	double alike = alike_turns(t);

	if (t->nr_hit < TURNS_MIN)
		return false;
	/* no more can be alike as some turns are longer */
	if (alike * t->armed_hit2 < ALIKE_SHARE * t->armed_hit * t->armed_hit)
		return false;
	if (is_heavy(t))
		return false;
	return alike >= (dispersion(t) > BURSTS ? ALIKE_BURSTS : ALIKE_MIN);
}

static enum estimate_bound bound_of(double f, double slowed,
				    const struct turns *t, bool lost)
{
	if (lost)
		return ESTIMATE_LOST;
	if (f <= 0)
		return ESTIMATE_UNARMED;
	if ((1 - f) * slowed > SLOWED_MAX)
		return ESTIMATE_SLOWED;
	if (f < ALWAYS && !turns_suffice(t))
		return ESTIMATE_FEW;
	return ESTIMATE_KNOWN;
}

bool estimate_hits(struct estimate *e, uint64_t resident,
		   const struct watch_reading *seen, const struct turns *t,
		   bool lost)
{
	double n = (double)seen->hits, f, slowed;
	struct turns all = *t;

	if (!resident)
		return false;
	turns_end(&all);
	f = seen->armed < resident ? (double)seen->armed / (double)resident : 1;
	slowed = slowed_factor(&all, (double)seen->slowed_else,
			       (double)resident - (double)seen->armed);
	*e = (struct estimate) {
		.bound = bound_of(f, slowed, &all, lost),
		.low = n,
		.turns = all.nr,
		.turns_hit = all.nr_hit,
	};
	if (e->bound == ESTIMATE_KNOWN)
		interval(e, n, f, slowed, &all);
	return true;
}

void estimate_add(struct estimate *sum, const struct estimate *more)
{
	sum->hits += more->hits;
	sum->low += more->low;
	sum->high += more->high;
	sum->turns += more->turns;
	sum->turns_hit += more->turns_hit;
	if (more->bound > sum->bound)
		sum->bound = more->bound;
}

void shares_add(struct shares *s, uint64_t quanta, uint64_t armed,
		uint64_t resident)
{
	double q = (double)quanta;

	s->nr++;
	s->quanta += q;
	s->quanta2 += q * q;
	s->always += (double)armed >= ALWAYS * (double)resident;
}

bool shares_are_equal(const struct shares *s)
{
	double free = (double)s->nr - 1, mean = s->quanta / s->nr;

	if (s->nr < 2 || s->always == s->nr)
		return true;
	if (s->always)
		return false;
	return s->quanta2 - s->nr * mean * mean <=
	       mean * (free + SHARES_SIGMAS * sqrt(2 * free));
}
