// SPDX-License-Identifier: GPL-2.0
/*
 * A program that knows everything but the key stores only while it believes
 * that no watch of its word is armed: it must be seen all the same.
 *
 * What it can know when a quantum begins: the armed watches of every earlier
 * quantum, hence which watches have been served in this epoch. It stores if its
 * watch has been served and the epoch does not end within the quantum, the
 * least likely case. Then it is not armed in order; of the N - (R - 1) watches
 * that are not armed either, one is drawn. Under the policy `random` no quantum
 * is better than another, and it stores in each.
 *
 * The quanta in which it stores are independent draws of the same probability,
 * so that the number of those in which it is seen is binomial; the lower bound
 * is four standard deviations below the mean.
 */
#include <math.h>

#include <linux/kernel.h>

#include "../tap.h"
#include "world.h"

#define SLOTS		4
#define QUANTA		300000
#define SIGMAS		4

/* of @stores quanta with a store, the watch was armed in @seen */
struct score {
	unsigned int stores;
	unsigned int seen;
};

/* gpubp_fairq_flow.chunks: entries not yet served in this epoch come first */
static bool had_turn(const struct gpubp_fairq_entry *entry)
{
	return entry->at >= entry->flow->pending;
}

static bool stores_now(const struct world *w, u32 i)
{
	const struct gpubp_fairq_entry *entry = &w->watches[i].fq;

	return w->caps.kind == GPUBP_POLICY_RANDOM ||
	       (had_turn(entry) && entry->flow->pending >= SLOTS - 1);
}

static struct score play(unsigned int watches, u8 kind, u64 seed)
{
	struct gpubp_fairq_flow flow;
	struct score score = {};
	struct world w;
	unsigned int i;

	gpubp_fairq_flow_init(&flow, 1, 1);
	world_init(&w, SLOTS, kind, watches, seed);
	for (i = 0; i < watches; i++)
		world_add(&w, &flow);
	for (i = 0; i < QUANTA; i++) {
		bool stores = stores_now(&w, 0);

		world_quantum(&w);
		score.stores += stores;
		score.seen += stores && watch_is_armed(&w, 0);
	}
	world_exit(&w);
	gpubp_fairq_flow_exit(&flow);
	return score;
}

/* plain round robin: the log shows which watch is next */
static struct score play_round_robin(unsigned int watches)
{
	unsigned int cycle = watches / SLOTS;
	struct score score = {};
	unsigned int i, last = 0;

	for (i = 1; i < QUANTA; i++) {
		bool stores = i != last + cycle;
		bool armed = i % cycle == 0;

		score.stores += stores;
		score.seen += stores && armed;
		if (armed)
			last = i;
	}
	return score;
}

static double share_of(const struct score *s)
{
	return (double)s->seen / s->stores;
}

static double lower_bound(const struct score *s)
{
	double p = share_of(s);

	return p - SIGMAS * sqrt(p * (1 - p) / s->stores);
}

static void show(const char *name, unsigned int watches, const struct score *s)
{
	tap_note("%3u watches, %-12s stores in %6u quanta, seen in %5u of them: %.3f/N",
		 watches, name, s->stores, s->seen, share_of(s) * watches);
}

static void judge(unsigned int watches, u64 seed)
{
	struct score fair = play(watches, GPUBP_POLICY_FAIR, seed);
	struct score random = play(watches, GPUBP_POLICY_RANDOM, seed);
	struct score robin = play_round_robin(watches);

	show("fair:", watches, &fair);
	show("random:", watches, &random);
	show("round robin:", watches, &robin);
	tap_ok(fair.stores > QUANTA / 10 &&
	       lower_bound(&fair) >= 0.9 / watches,
	       "fair, %u watches: seen with probability 0.9/N at least", watches);
	tap_ok(lower_bound(&random) >= 0.9 * SLOTS / watches,
	       "random, %u watches: seen with probability 0.9 R/N at least",
	       watches);
	tap_ok(robin.stores && !robin.seen,
	       "round robin, %u watches: never seen", watches);
}

int main(void)
{
	u64 seed;

	tap_plan(6);
	seed = world_seed();
	judge(16, seed);
	judge(64, seed + 1);
	return tap_status();
}
