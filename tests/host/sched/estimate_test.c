// SPDX-License-Identifier: GPL-2.0
/*
 * Estimates from counts taken part of the time, scaled like perf stat: count *
 * enabled / running.
 *
 * A Poisson source of rate L hits a watch. Of the time E that it was enabled it
 * was armed for r, and c hits were counted; n is the number of all hits. Given
 * when it was armed, c and n - c are independent, of means L r and L (E - r),
 * so that the error of the estimate, c E / r - n, has the mean 0 and the
 * variance
 *
 *	(E / r - 1)^2 L r + L (E - r) = L r (E / r) (E / r - 1).
 *
 * Its estimate has c for L r, and z = (c E / r - n) / sqrt(c E / r (E / r -
 * 1)). As c occurs in it twice, the mean of z is about -1 / (2 sqrt(c)), which
 * is small here.
 *
 * Then sources that pulse in step with plain round robin's cycle: there the
 * estimate also depends on the rotation, and the criterion is the scatter of
 * the estimates of many sources.
 */
#include <math.h>

#include <linux/kernel.h>

#include "../tap.h"
#include "world.h"

#define SLOTS		4
#define WATCHES		(16 * SLOTS)
#define RUNS		40
#define QUANTA		2000
#define RATE		4.0	/* hits per nominal quantum */
#define SIGMAS		4
#define MIX		0x9e3779b97f4a7c15ULL

/* hits of a watch, seen and all; its times in us */
struct source {
	u64 seen;
	u64 hits;
	u64 running;
	u64 enabled;
};

struct moments {
	unsigned int nr;
	double sum;
	double squares;
};

static void add_value(struct moments *m, double value)
{
	m->nr++;
	m->sum += value;
	m->squares += value * value;
}

static double mean(const struct moments *m)
{
	return m->sum / m->nr;
}

static double mean_sigma(const struct moments *m)
{
	return sqrt((m->squares / m->nr - mean(m) * mean(m)) / (m->nr - 1));
}

/* ---- sources --------------------------------------------------------------- */

static double uniform(unsigned long long *state)
{
	return (tap_random(state) >> 11) * 0x1p-53;
}

/* Knuth's algorithm, for small means */
static unsigned int poisson(unsigned long long *state, double mean)
{
	double limit = exp(-mean), product = uniform(state);
	unsigned int n;

	for (n = 0; product > limit; n++)
		product *= uniform(state);
	return n;
}

/* microseconds of [from, to) in which a source is active: one quantum in 16 */
static u64 pulse(u64 from, u64 to)
{
	const u64 cycle = (u64)WATCHES / SLOTS * QUANTUM_US;
	u64 whole = to / cycle - from / cycle;

	return whole * QUANTUM_US + min(to % cycle, (u64)QUANTUM_US) -
	       min(from % cycle, (u64)QUANTUM_US);
}

/* @active: us of the last @us in which it had @rate hits per quantum */
static void source_run(struct source *s, unsigned long long *state, bool armed,
		       u64 us, u64 active, double rate)
{
	u64 hits = active ? poisson(state, rate * active / QUANTUM_US) : 0;

	s->hits += hits;
	s->seen += armed ? hits : 0;
	s->running += armed ? us : 0;
	s->enabled += us;
}

static double estimate(const struct source *s)
{
	return (double)s->seen * s->enabled / s->running;
}

static double z_of(const struct source *s)
{
	double scale = (double)s->enabled / s->running;

	return (estimate(s) - s->hits) /
	       sqrt(s->seen * scale * (scale - 1));
}

/* ---- runs ------------------------------------------------------------------ */

struct run {
	struct source steady[WATCHES];
	struct source pulsing[WATCHES];
	unsigned long long random;
	u64 now;
};

static void run_source(struct run *run, unsigned int i, bool armed, u64 us)
{
	source_run(&run->steady[i], &run->random, armed, us, us, RATE);
	source_run(&run->pulsing[i], &run->random, armed, us,
		   pulse(run->now, run->now + us), RATE * WATCHES / SLOTS);
}

static void run_policy(struct run *run, u8 kind, u64 seed)
{
	struct gpubp_fairq_flow flow;
	struct world w;
	unsigned int i, q;

	gpubp_fairq_flow_init(&flow, 1, 1);
	world_init(&w, SLOTS, kind, WATCHES, seed);
	for (i = 0; i < WATCHES; i++)
		world_add(&w, &flow);
	for (q = 0; q < QUANTA; q++) {
		u32 us = world_quantum(&w);

		for (i = 0; i < WATCHES; i++)
			run_source(run, i, watch_is_armed(&w, i), us);
		run->now += us;
	}
	world_exit(&w);
	gpubp_fairq_flow_exit(&flow);
}

static void run_round_robin(struct run *run)
{
	unsigned int i, q;

	for (q = 0; q < QUANTA; q++) {
		for (i = 0; i < WATCHES; i++)
			run_source(run, i, q % (WATCHES / SLOTS) == i / SLOTS,
				   QUANTUM_US);
		run->now += QUANTUM_US;
	}
}

/* ---- evaluation ---------------------------------------------------------- */

static void judge_steady(const char *name, const struct moments *z)
{
	double square = z->squares / z->nr;

	tap_note("%s: %u estimates of steady sources, mean z %+.4f, mean z^2 %.4f",
		 name, z->nr, mean(z), square);
	tap_ok(z->nr >= 2000 && fabs(mean(z)) <= 0.1,
	       "%s: estimates are unbiased", name);
	tap_ok(square <= 1.21, "%s: the standard error is that of the formula",
	       name);
}

/* number of pulsing sources that were never seen */
static unsigned int blind(const struct run *run)
{
	unsigned int i, n = 0;

	for (i = 0; i < WATCHES; i++)
		n += !run->pulsing[i].seen;
	return n;
}

static void judge_pulsing(const char *name, const struct moments *ratio,
			  unsigned int unseen)
{
	tap_note("%s: %u estimates of pulsing sources, mean %.4f +- %.4f of the truth, %u not seen at all",
		 name, ratio->nr, mean(ratio), mean_sigma(ratio), unseen);
	tap_ok(!unseen && fabs(mean(ratio) - 1) <= SIGMAS * mean_sigma(ratio),
	       "%s: estimates are unbiased for programs in step with a rotation",
	       name);
}

static void judge(const char *name, u8 kind, u64 seed)
{
	struct moments z = {}, ratio = {};
	unsigned int i, k, unseen = 0;

	for (k = 0; k < RUNS; k++) {
		struct run run = { .random = (seed + k) * MIX | 1 };

		run_policy(&run, kind, seed + k);
		for (i = 0; i < WATCHES; i++) {
			add_value(&z, z_of(&run.steady[i]));
			add_value(&ratio, estimate(&run.pulsing[i]) /
					  run.pulsing[i].hits);
		}
		unseen += blind(&run);
	}
	judge_steady(name, &z);
	judge_pulsing(name, &ratio, unseen);
}

static void judge_round_robin(u64 seed)
{
	struct run run = { .random = seed * MIX | 1 };

	run_round_robin(&run);
	tap_ok(blind(&run) == WATCHES - SLOTS,
	       "round robin: %u of %u pulsing sources not seen at all",
	       blind(&run), WATCHES);
}

int main(void)
{
	u64 seed;

	tap_plan(7);
	seed = world_seed();
	judge("fair", GPUBP_POLICY_FAIR, seed);
	judge("random", GPUBP_POLICY_RANDOM, seed);
	judge_round_robin(seed);
	return tap_status();
}
