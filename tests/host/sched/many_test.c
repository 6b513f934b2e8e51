// SPDX-License-Identifier: GPL-2.0
/*
 * Very many watches of one user: each gets its entitled service at every
 * moment, and a quantum costs the same as with few watches.
 *
 * A watch of N is entitled to t (R - 1) / N - 1 of the first t quanta: all but
 * one of the R comparators rotate in order. Between two quanta in which it is
 * armed its count is constant and its entitlement grows, so that checking just
 * before it is armed, and at the end, checks every moment. Likewise for gaps.
 */
#include <math.h>
#include <time.h>

#include <linux/kernel.h>

#include "../tap.h"
#include "world.h"

#define SLOTS		4

/**
 * struct run - results of a number of quanta
 * @short_of: watches found with less than they were entitled to
 * @gap: longest gap, in quanta
 * @idle: quanta with a free slot
 * @described: largest number of candidates that a quantum requested
 * @ns: time per quantum
 */
struct run {
	unsigned int short_of;
	u64 gap;
	unsigned int idle;
	u64 described;
	double ns;
};

static double now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1e9 + ts.tv_nsec;
}

/* a watch that was armed @count times in @quanta quanta, last in @last */
static void look(struct run *run, const struct world *w, u64 count, u64 quanta,
		 u64 last)
{
	run->short_of += (count + 1) * w->nr < quanta * (SLOTS - 1);
	run->gap = max(run->gap, quanta + 1 - last);
}

static void run_quantum(struct run *run, struct world *w)
{
	u64 described = w->described;
	struct gpubp_candidate *c;
	struct watch *watch;
	unsigned int n = 0;

	world_quantum(w);
	for_each_armed(watch, w, c) {
		look(run, w, watch->armed - 1, w->quantum - 1, watch->before);
		n++;
	}
	run->idle += n != SLOTS;
	run->described = max(run->described, w->described - described);
}

static struct run run_world(struct world *w, unsigned int quanta)
{
	double began = now_ns();
	struct run run = {};
	unsigned int i;

	for (i = 0; i < quanta; i++)
		run_quantum(&run, w);
	run.ns = (now_ns() - began) / quanta;
	for (i = 0; i < w->nr; i++)
		look(&run, w, w->watches[i].armed, w->quantum,
		     w->watches[i].last);
	return run;
}

/* the mean share of all watches is R/N; returns the largest deviation of one */
static double farthest(const struct world *w)
{
	double expected = (double)w->quantum * SLOTS / w->nr;
	double most = 0;
	u32 i;

	for (i = 0; i < w->nr; i++)
		most = fmax(most, fabs(w->watches[i].armed / expected - 1));
	return most;
}

static void judge(u32 watches, const struct run *run)
{
	u64 bound = 2 * DIV_ROUND_UP(watches, SLOTS - 1);

	tap_ok(!run->short_of && !run->idle,
	       "%u watches: each has what it is entitled to, at every moment",
	       watches);
	tap_ok(run->gap <= bound, "%u watches: no gap longer than %llu quanta",
	       watches, bound);
	tap_note("%u watches: longest gap %llu, at most %llu described and %.0f ns a quantum",
		 watches, run->gap, run->described, run->ns);
}

static struct run run_many(u32 watches, unsigned int quanta, double *most,
			   u64 seed)
{
	struct gpubp_fairq_flow flow;
	struct world w;
	struct run run;
	u32 i;

	gpubp_fairq_flow_init(&flow, 1, 1);
	world_init(&w, SLOTS, GPUBP_POLICY_FAIR, watches, seed);
	for (i = 0; i < watches; i++)
		world_add(&w, &flow);
	run = run_world(&w, quanta);
	*most = farthest(&w);
	judge(watches, &run);
	world_exit(&w);
	gpubp_fairq_flow_exit(&flow);
	return run;
}

int main(void)
{
	struct run few, many;
	double most;
	u64 seed;

	tap_plan(8);
	seed = world_seed();
	few = run_many(16, 300000, &most, seed);
	tap_ok(most <= 0.01, "16 watches: the mean share of each is within 1%% of R/N: %.2f%%",
	       100 * most);
	run_many(1024, 100000, &most, seed);
	/* three epochs and a part */
	many = run_many(1000000, 1100000, &most, seed);
	tap_ok(many.described <= few.described,
	       "a quantum describes no more of 1000000 than of 16");
	tap_note("a quantum of 1000000 takes %.1f times as long as of 16",
		 many.ns / few.ns);
	return tap_status();
}
