// SPDX-License-Identifier: GPL-2.0
/*
 * Users share a device by weight, however many watches they have.
 *
 * The part of a user of the R - 1 slots that rotate in order is computed by
 * filling: each gets slots by weight, but no more than it has watches; the rest
 * is filled up to the others. A user has that at every moment, less a bound:
 * turns are whole, so that each flow may be one turn ahead of another. On
 * average a user gets its part of all R slots, computed likewise: the last slot
 * is drawn, and a user that cannot use it gets it another time.
 *
 * A new or returning user has neither savings nor debts. As turns are whole, it
 * may get one slot more than its part each time that it is added.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <linux/bits.h>
#include <linux/kernel.h>

#include "../tap.h"
#include "world.h"

#define SLOTS		4
#define MAX_USERS	8
#define QUANTA		60000
#define SIGMAS		4

struct user {
	u32 weight;
	u32 watches;
};

struct users {
	const char *what;
	unsigned int nr;
	struct user user[MAX_USERS];
};

static const struct users table[] = {
	{ "1000 watches and 1", 2, { { 1, 1000 }, { 1, 1 } } },
	{ "1000 watches and 2", 2, { { 1, 1000 }, { 1, 2 } } },
	{ "1000 watches and 8", 2, { { 1, 1000 }, { 1, 8 } } },
	{ "1000 watches, and twice 1", 3,
	  { { 1, 1000 }, { 1, 1 }, { 1, 1 } } },
	{ "1000 watches, and three times 1", 4,
	  { { 1, 1000 }, { 1, 1 }, { 1, 1 }, { 1, 1 } } },
	{ "1000 watches, and five times 1", 6,
	  { { 1, 1000 }, { 1, 1 }, { 1, 1 }, { 1, 1 }, { 1, 1 }, { 1, 1 } } },
	{ "weights 5 and 1, but only 2 watches", 2, { { 5, 2 }, { 1, 1000 } } },
	{ "weights 3 and 1", 2, { { 3, 100 }, { 1, 100 } } },
	{ "weights 100 and 1", 2, { { 100, 10 }, { 1, 1000 } } },
	{ "weights 2, 1 and 1", 3, { { 2, 50 }, { 1, 50 }, { 1, 5 } } },
	{ "8 users of 10", 8,
	  { { 1, 10 }, { 1, 10 }, { 1, 10 }, { 1, 10 },
	    { 1, 10 }, { 1, 10 }, { 1, 10 }, { 1, 10 } } },
};

/* ---- expected parts ------------------------------------------------------ */

/* sum of weights of the users that can use more than @due */
static double unsatisfied_weight(const struct users *p, const double *due)
{
	double weight = 0;
	unsigned int i;

	for (i = 0; i < p->nr; i++)
		if (due[i] < p->user[i].watches)
			weight += p->user[i].weight;
	return weight;
}

static void fill_shares(const struct users *p, double places, double *due)
{
	unsigned int i;
	double weight;

	for (i = 0; i < p->nr; i++)
		due[i] = 0;
	while (places > 1e-9 && (weight = unsatisfied_weight(p, due)) > 0) {
		double left = 0;

		for (i = 0; i < p->nr; i++) {
			if (due[i] >= p->user[i].watches)
				continue;
			due[i] += places * p->user[i].weight / weight;
			if (due[i] > p->user[i].watches) {
				left += due[i] - p->user[i].watches;
				due[i] = p->user[i].watches;
			}
		}
		places = left;
	}
}

/* ---- a device with users --------------------------------------------------- */

struct device {
	struct world w;
	struct gpubp_fairq_flow share[MAX_USERS];
	u32 first[MAX_USERS + 1];
	u64 got[MAX_USERS];
	const struct users *users;
};

static void add_user(struct device *d, unsigned int i)
{
	u32 k;

	for (k = d->first[i]; k < d->first[i + 1]; k++)
		if (gpubp_fairq_add(&d->w.policy.fairq, &d->share[i],
				    &d->w.watches[k].fq, 1))
			abort();
}

static void remove_user(struct device *d, unsigned int i)
{
	u32 k;

	for (k = d->first[i]; k < d->first[i + 1]; k++)
		gpubp_fairq_remove(&d->w.policy.fairq, &d->w.watches[k].fq);
}

/* removed for good, and added as a new user */
static void renew(struct device *d, unsigned int i)
{
	remove_user(d, i);
	gpubp_fairq_flow_exit(&d->share[i]);
	gpubp_fairq_flow_init(&d->share[i], i, d->users->user[i].weight);
}

static void device_init(struct device *d, const struct users *p, u64 seed)
{
	unsigned int i, k, watches = 0;

	*d = (struct device) { .users = p };
	for (i = 0; i < p->nr; i++)
		watches += p->user[i].watches;
	world_init(&d->w, SLOTS, GPUBP_POLICY_FAIR, watches, seed);
	for (i = 0; i < p->nr; i++) {
		gpubp_fairq_flow_init(&d->share[i], i, p->user[i].weight);
		d->first[i] = d->w.nr;
		for (k = 0; k < p->user[i].watches; k++)
			world_add(&d->w, &d->share[i]);
	}
	d->first[i] = d->w.nr;
}

static void device_exit(struct device *d)
{
	unsigned int i;

	world_exit(&d->w);
	for (i = 0; i < d->users->nr; i++)
		gpubp_fairq_flow_exit(&d->share[i]);
}

static unsigned int user_of(const struct device *d, const struct watch *watch)
{
	unsigned int i = 0;

	while (watch - d->w.watches >= d->first[i + 1])
		i++;
	return i;
}

static void quantum(struct device *d)
{
	struct gpubp_candidate *c;
	struct watch *watch;

	world_quantum(&d->w);
	for_each_armed(watch, &d->w, c)
		d->got[user_of(d, watch)]++;
}

/* ---- permanent users ----------------------------------------------------- */

/*
 * a flow waits for at most one turn of each other flow, and has one turn itself
 */
static double lag_bound(const struct users *p)
{
	return p->nr + SLOTS;
}

/* tolerance of a mean of draws with this probability */
static double by_chance(double drawn)
{
	return SIGMAS * sqrt(drawn * (1 - drawn) / QUANTA);
}

static void judge(const struct users *p, u64 seed)
{
	double due[MAX_USERS], sure[MAX_USERS], lag = 0, off = 0;
	struct device d;
	unsigned int i, q;

	fill_shares(p, SLOTS - 1, sure);
	fill_shares(p, SLOTS, due);
	device_init(&d, p, seed);
	for (q = 1; q <= QUANTA; q++) {
		quantum(&d);
		for (i = 0; i < p->nr; i++)
			lag = fmax(lag, sure[i] * q - d.got[i]);
	}
	for (i = 0; i < p->nr; i++) {
		double mean = (double)d.got[i] / QUANTA;

		tap_note("weight %3u, %4u watches: due %.3f places a quantum, had %.3f",
			 p->user[i].weight, p->user[i].watches, due[i], mean);
		off = fmax(off, fabs(mean - due[i]) /
				fmax(0.01 * due[i], by_chance(.5)));
	}
	tap_ok(lag <= lag_bound(p), "%s: no watch is ever far behind: %.2f places",
	       p->what, lag);
	tap_ok(off <= 1, "%s: each has its due, within 1%% or what chance may do",
	       p->what);
	device_exit(&d);
}

/* ---- users that are added and removed ------------------------------------ */

static const struct users three = {
	"three", 3, { { 1, 100 }, { 1, 100 }, { 1, 100 } }
};

/* standard deviation of the random service of one of three in @quanta */
static double chance(double quanta)
{
	return sqrt(quanta * 2 / 9);
}

/* the third is present for @stay quanta, then absent for as many */
static void judge_visits(unsigned int stay, bool new, u64 seed)
{
	const unsigned int visits = QUANTA / stay;
	double present[3], absent[3], most, least;
	struct device d;
	unsigned int i, q;

	fill_shares(&three, SLOTS, present);
	fill_shares(&(struct users) { "", 2, { { 1, 100 }, { 1, 100 } } }, SLOTS,
	     absent);
	device_init(&d, &three, seed);
	for (i = 0; i < visits; i++) {
		for (q = 0; q < stay; q++)
			quantum(&d);
		if (new)
			renew(&d, 2);
		else
			remove_user(&d, 2);
		for (q = 0; q < stay; q++)
			quantum(&d);
		add_user(&d, 2);
	}
	most = present[2] + 1.0 / stay;
	least = present[0] + absent[0] - 1.0 / stay;
	tap_note("%s for %u quanta: %.3f places a quantum, the others %.3f",
		 new ? "new" : "back", stay, (double)d.got[2] / visits / stay,
		 (double)d.got[0] / visits / stay / 2);
	tap_ok(d.got[2] <= most * visits * stay + SIGMAS * chance(QUANTA) &&
	       min(d.got[0], d.got[1]) >=
	       least * visits * stay - SIGMAS * chance(2 * QUANTA),
	       "who comes for %u quanta%s gains nothing by it", stay,
	       new ? ", as a new user," : "");
	device_exit(&d);
}

/* the third was absent for long, or the two others are new */
static void judge_return(bool third, u64 seed)
{
	const unsigned int quanta = 30;
	double due[3], bound = 2 + SIGMAS * chance(30);
	struct device d;
	unsigned int i, q;
	bool fair = true;

	fill_shares(&three, SLOTS, due);
	device_init(&d, &three, seed);
	for (i = third ? 2 : 0; i < (third ? 3 : 2); i++)
		remove_user(&d, i);
	for (q = 0; q < QUANTA; q++)
		quantum(&d);
	for (i = third ? 2 : 0; i < (third ? 3 : 2); i++)
		add_user(&d, i);
	memset(d.got, 0, sizeof(d.got));
	for (q = 0; q < quanta; q++)
		quantum(&d);
	for (i = 0; i < 3; i++)
		fair &= fabs(d.got[i] - due[i] * quanta) <= bound;
	tap_ok(fair, "%s: %llu, %llu and %llu of the next %u places", third ?
	       "one was away" : "one was alone", d.got[0], d.got[1], d.got[2],
	       quanta * SLOTS);
	device_exit(&d);
}

int main(void)
{
	unsigned int i;
	u64 seed;

	tap_plan(2 * ARRAY_SIZE(table) + 6);
	seed = world_seed();
	for (i = 0; i < ARRAY_SIZE(table); i++)
		judge(&table[i], seed + i);
	judge_visits(1, false, seed);
	judge_visits(1, true, seed);
	judge_visits(50, false, seed);
	judge_visits(50, true, seed);
	judge_return(true, seed);
	judge_return(false, seed);
	return tap_status();
}
