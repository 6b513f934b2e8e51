// SPDX-License-Identifier: GPL-2.0
/*
 * Programs that store to a watched address with a fixed period: no program can
 * hide in the rotation, whatever its period and phase.
 *
 * A watch is armed during R/N of all quanta, so that share f of the hits is to
 * be seen. The hits of one quantum are seen or missed together, and quanta of
 * one epoch depend on each other: the binomial sigma of f would be far too
 * small. So the quanta are cut into blocks that are much longer than an epoch,
 * and than a period; blocks are independent, but for their edges. With y hits
 * seen of n in a block, f = sum(y) / sum(n) is a ratio estimate, of variance
 *
 *	B / (B - 1) * sum((y - f * n)^2) / sum(n)^2	for B blocks.
 *
 * For comparison, plain round robin in fixed quanta, which is not one of our
 * policies, runs with the same programs: a program whose period is a multiple
 * of the cycle is seen always or never.
 */
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <linux/kernel.h>

#include "../tap.h"
#include "world.h"

#define SLOTS		4
#define PHASES		8
#define BLOCK_CYCLES	16
#define SIGMAS		4

/* quanta in which watch 0 was armed: quantum q began at start[q] */
struct trace {
	unsigned int watches;
	unsigned int nr;
	unsigned int block;
	u64 *start;
	bool *armed;
};

/* hits seen of a program */
struct seen {
	double share;
	double sigma;
};

/* extremes of a period's phases */
struct row {
	double least;
	double most;
	double z;
	double sigma;
};

static unsigned int cycle_of(unsigned int watches)
{
	return DIV_ROUND_UP(watches, SLOTS - 1);
}

/* ---- traces -------------------------------------------------------------- */

static void trace_init(struct trace *t, unsigned int watches)
{
	/*
	 * long enough for a program with a period of four cycles to have enough
	 * hits
	 */
	*t = (struct trace) {
		.watches = watches,
		.block = BLOCK_CYCLES * cycle_of(watches),
		.nr = 4096 * watches,
	};
	t->start = malloc((t->nr + 1) * sizeof(*t->start));
	t->armed = malloc(t->nr * sizeof(*t->armed));
	assert(t->start && t->armed);
	t->start[0] = 0;
}

static void trace_exit(struct trace *t)
{
	free(t->start);
	free(t->armed);
}

static void record(struct trace *t, u8 kind, u64 seed)
{
	struct gpubp_fairq_flow flow;
	struct world w;
	unsigned int q;

	gpubp_fairq_flow_init(&flow, 1, 1);
	world_init(&w, SLOTS, kind, t->watches, seed);
	for (q = 0; q < t->watches; q++)
		world_add(&w, &flow);
	for (q = 0; q < t->nr; q++) {
		t->start[q + 1] = t->start[q] + world_quantum(&w);
		t->armed[q] = watch_is_armed(&w, 0);
	}
	world_exit(&w);
	gpubp_fairq_flow_exit(&flow);
}

static void record_round_robin(struct trace *t)
{
	unsigned int q;

	for (q = 0; q < t->nr; q++) {
		t->start[q + 1] = t->start[q] + QUANTUM_US;
		t->armed[q] = q % (t->watches / SLOTS) == 0;
	}
}

/* ---- programs ------------------------------------------------------------ */

/* hits before @time of a program that stores at @phase, + @period, ... */
static u64 hits_before(u64 time, u64 period, u64 phase)
{
	return time > phase ? (time - phase - 1) / period + 1 : 0;
}

struct sums {
	double n;
	double y;
	double nn;
	double ny;
	double yy;
	unsigned int blocks;
};

static void add_block(struct sums *s, double n, double y)
{
	s->n += n;
	s->y += y;
	s->nn += n * n;
	s->ny += n * y;
	s->yy += y * y;
	s->blocks++;
}

static struct seen seen_of(const struct sums *s)
{
	double f = s->y / s->n;
	double squares = s->yy - 2 * f * s->ny + f * f * s->nn;

	return (struct seen) {
		.share = f,
		.sigma = sqrt(fmax(squares, 0) * s->blocks / (s->blocks - 1)) /
			 s->n,
	};
}

static struct seen run_program(const struct trace *t, u64 period, u64 phase)
{
	struct sums sums = {};
	unsigned int q, end;

	for (q = 0; q + t->block <= t->nr; q = end) {
		u64 first = hits_before(t->start[q], period, phase);
		u64 from = first, to = first, seen = 0;

		for (end = q + t->block; q < end; q++, from = to) {
			to = hits_before(t->start[q + 1], period, phase);
			if (t->armed[q])
				seen += to - from;
		}
		add_block(&sums, to - first, seen);
	}
	return seen_of(&sums);
}

static struct row run_phases(const struct trace *t, u64 period)
{
	double expected = (double)SLOTS / t->watches;
	struct row row = { .least = 1, .z = INFINITY };
	unsigned int i;

	for (i = 0; i < PHASES; i++) {
		struct seen s = run_program(t, period, period * i / PHASES);

		row.least = fmin(row.least, s.share);
		row.most = fmax(row.most, s.share);
		row.sigma = fmax(row.sigma, s.sigma);
		row.z = fmin(row.z, (s.share - expected) / s.sigma);
	}
	return row;
}

/* ---- the table ----------------------------------------------------------- */

#define NR_PERIODS	13

/* in us; periods related to the cycle of round robin, to ours, and others */
static void list_periods(unsigned int watches, u64 period[NR_PERIODS])
{
	u64 cycle = (u64)cycle_of(watches) * QUANTUM_US;
	u64 robin = (u64)watches / SLOTS * QUANTUM_US;

	memcpy(period, (u64[NR_PERIODS]) {
		QUANTUM_US / 16, QUANTUM_US / 3, QUANTUM_US, QUANTUM_US * 3 / 2,
		robin / 2, robin, 2 * robin, 3 * robin,
		cycle / 2, cycle, cycle * 1618 / 1000, 2 * cycle, 4 * cycle,
	}, NR_PERIODS * sizeof(*period));
}

static void print_head(const struct trace *t)
{
	tap_note("%u watches, %u slots, %u quanta in blocks of %u: seen of %u phases, in R/N",
		 t->watches, SLOTS, t->nr, t->block, PHASES);
	tap_note("%10s  %-26s  %-26s  %s", "period", "fair", "random",
		 "round robin");
	tap_note("%10s  %-26s  %-26s  %s", "quanta", "least  most  lowest z",
		 "least  most  lowest z", "least  most");
}

static void print_row(unsigned int watches, u64 period, const struct row row[3])
{
	double unit = (double)SLOTS / watches;

	tap_note("%10.3f  %.3f  %.3f  %8.2f      %.3f  %.3f  %8.2f      %.3f  %.3f",
		 (double)period / QUANTUM_US, row[0].least / unit,
		 row[0].most / unit, row[0].z, row[1].least / unit,
		 row[1].most / unit, row[1].z, row[2].least / unit,
		 row[2].most / unit);
}

/* @row: periods of the policies fair and random, and of plain round robin */
static void judge(unsigned int watches, struct row row[3][NR_PERIODS])
{
	static const char * const name[] = { "fair", "random" };
	double expected = (double)SLOTS / watches;
	unsigned int i, k, below, coarse, zeros = 0;

	for (k = 0; k < 2; k++) {
		for (i = 0, below = 0, coarse = 0; i < NR_PERIODS; i++) {
			below += !(row[k][i].z >= -SIGMAS);
			coarse += !(SIGMAS * row[k][i].sigma < expected / 2);
		}
		tap_ok(!coarse, "%s, %u watches: hits enough to see a program that is seen half as often",
		       name[k], watches);
		tap_ok(!below, "%s, %u watches: no program is seen less than R/N",
		       name[k], watches);
	}
	for (i = 0; i < NR_PERIODS; i++)
		zeros += !row[2][i].least;
	tap_ok(zeros, "round robin, %u watches: %u periods have a phase that is never seen",
	       watches, zeros);
}

static void run_table(unsigned int watches, u64 seed)
{
	struct row row[3][NR_PERIODS];
	u64 period[NR_PERIODS];
	struct trace t[3];
	unsigned int i, k;

	for (k = 0; k < 3; k++)
		trace_init(&t[k], watches);
	record(&t[0], GPUBP_POLICY_FAIR, seed);
	record(&t[1], GPUBP_POLICY_RANDOM, seed);
	record_round_robin(&t[2]);
	list_periods(watches, period);
	print_head(&t[0]);
	for (i = 0; i < NR_PERIODS; i++) {
		for (k = 0; k < 3; k++)
			row[k][i] = run_phases(&t[k], period[i]);
		print_row(watches, period[i],
			  (struct row[3]) { row[0][i], row[1][i], row[2][i] });
	}
	judge(watches, row);
	for (k = 0; k < 3; k++)
		trace_exit(&t[k]);
}

int main(void)
{
	u64 seed;

	tap_plan(10);
	seed = world_seed();
	run_table(16, seed);
	run_table(64, seed + 1);
	return tap_status();
}
