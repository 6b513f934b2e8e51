// SPDX-License-Identifier: GPL-2.0
/*
 * Service of very many watches: at every moment, in the long run, and at
 * random. Tolerances are five sigma and the keys are fixed: no test fails at
 * random.
 */
#include <linux/kernel.h>
#include <linux/limits.h>

#include "../tap.h"
#include "crowd.h"
#include "parts.h"

static bool near(double value, double wanted, double part)
{
	return value >= wanted * (1 - part) && value <= wanted * (1 + part);
}

/* ---- guaranteed service -------------------------------------------------- */

/**
 * struct promise - what policy.c guarantees to watches of one user and one slot
 * @sure: slots that rotate in order
 * @longest: longest wait in quanta
 * @kept: the guarantee held so far
 */
struct promise {
	unsigned int sure;
	u64 longest;
	bool kept;
};

/* the wait is longest, and the service lowest, just before a watch is armed */
static void check_promise(struct crowd *c, struct member *m)
{
	u64 t = c->p.fairq.quantum - 1;
	struct promise *p = c->arg;

	if (t - m->last > p->longest ||
	    ((u64)m->armed + 1) * c->nr < t * p->sure)
		p->kept = false;
}

/* at the end, check the watches that are not armed as well */
static bool promise_is_kept(struct crowd *c, struct promise *p)
{
	u32 i;

	c->p.fairq.quantum++;
	for (i = 0; i < c->nr; i++)
		check_promise(c, &c->members[i]);
	c->p.fairq.quantum--;
	return p->kept;
}

static void each_has_its_turns(u32 nr, unsigned int slots, u64 quanta)
{
	struct promise promise = {
		.sure = slots - 1,
		.longest = 2 * DIV_ROUND_UP(nr, slots - 1),
		.kept = true,
	};
	unsigned int places = min(nr, slots);
	struct crowd c;
	bool ok;

	crowd_init(&c, nr, slots, GPUBP_POLICY_FAIR, nr);
	crowd_give(&c, 0, 0, nr, 1);
	c.on_armed = check_promise;
	c.arg = &promise;
	crowd_run(&c, quanta);
	ok = promise_is_kept(&c, &promise) && c.got[0] == quanta * places &&
	     c.most_asked == places;
	if (!ok)
		tap_note("%u watches, %u slots: kept %d, %llu of %llu, asked for %u",
			 nr, slots, promise.kept, c.got[0], quanta * places,
			 c.most_asked);
	tap_ok(ok, "each_of_%u_watches_on_%u_slots_has_its_turns", nr, slots);
	crowd_exit(&c);
}

/* small numbers, on any device */
static void each_of_few_has_its_turns(void)
{
	bool ok = true;
	unsigned int slots;
	u32 nr;

	for (slots = 2; slots <= GPUBP_MAX_SLOTS; slots++)
		for (nr = 1; nr <= 40; nr++) {
			struct promise p = {
				.sure = min(nr, slots - 1),
				.longest = 2 * DIV_ROUND_UP(nr, slots - 1),
				.kept = true,
			};
			struct crowd c;

			crowd_init(&c, nr, slots, GPUBP_POLICY_FAIR, nr);
			crowd_give(&c, 0, 0, nr, 1);
			c.on_armed = check_promise;
			c.arg = &p;
			crowd_run(&c, 300);
			ok &= promise_is_kept(&c, &p) &&
			      c.got[0] == 300 * min(nr, slots);
			crowd_exit(&c);
		}
	tap_ok(ok, "each_of_few_has_its_turns");
}

/* every second quantum is assigned in order, the others at random */
static void one_slot_is_drawn_every_second_quantum(void)
{
	struct crowd c;
	unsigned int i;
	bool ok;

	crowd_init(&c, 10, 1, GPUBP_POLICY_FAIR, 1);
	crowd_give(&c, 0, 0, 10, 1);
	crowd_run(&c, 2000);
	/* the 100th epoch has ended and no other one has begun */
	ok = c.got[0] == 2000 && c.users[0].epoch == 99 && !c.users[0].pending;
	for (i = 0; i < 10; i++)
		ok &= c.members[i].armed >= 100;
	tap_ok(ok, "one_slot_is_drawn_every_second_quantum");
	crowd_exit(&c);
}

/* each watch within 1% of its share in the long run */
static void everybody_has_the_same_share(void)
{
	static const struct {
		u32 nr;
		unsigned int slots;
		u8 kind;
		u64 quanta;	/* 1% are five sigma of the random part */
	} runs[] = {
		{ 5, 4, GPUBP_POLICY_FAIR, 80000 },
		{ 16, 4, GPUBP_POLICY_FAIR, 250000 },
		{ 5, 3, GPUBP_POLICY_FAIR, 140000 },
		{ 20, 16, GPUBP_POLICY_FAIR, 20000 },
		{ 6, 4, GPUBP_POLICY_RANDOM, 130000 },
		{ 64, 4, GPUBP_POLICY_FAIR, 1000000 },
	};
	unsigned int i, n = ARRAY_SIZE(runs) - !long_run();
	bool ok = true;
	u32 m;

	for (i = 0; i < n; i++) {
		double wanted = (double)runs[i].quanta * runs[i].slots /
				runs[i].nr;
		struct crowd c;

		crowd_init(&c, runs[i].nr, runs[i].slots, runs[i].kind, i);
		crowd_give(&c, 0, 0, c.nr, 1);
		crowd_run(&c, runs[i].quanta);
		for (m = 0; m < c.nr; m++)
			ok &= near(c.members[m].armed, wanted, 0.01);
		crowd_exit(&c);
	}
	tap_ok(ok, "everybody_has_the_same_share");
}

/* ---- randomness ---------------------------------------------------------- */

#define NR_DRAWN	20

/*
 * Chi square of how often each was armed, for draws of @slots without
 * replacement: its mean is the number of degrees of freedom, NR_DRAWN - 1.
 */
static double unevenness(const u32 *hist, u64 quanta, unsigned int slots)
{
	double wanted = (double)quanta * slots / NR_DRAWN, sum = 0;
	unsigned int i;

	for (i = 0; i < NR_DRAWN; i++)
		sum += (hist[i] - wanted) * (hist[i] - wanted) / wanted;
	return sum * (NR_DRAWN - 1) / (NR_DRAWN - slots);
}

/* its mean over many keys: 5 sigma of the mean are 5 * sqrt(2 * 19 / 200) */
static bool is_even(double mean)
{
	return mean > NR_DRAWN - 1 - 2.2 && mean < NR_DRAWN - 1 + 2.2;
}

static double run_random(u64 key, unsigned int slots, u64 quanta)
{
	u32 hist[NR_DRAWN], i;
	struct crowd c;

	crowd_init(&c, NR_DRAWN, slots, GPUBP_POLICY_RANDOM, key);
	crowd_give(&c, 0, 0, NR_DRAWN, 1);
	crowd_run(&c, quanta);
	for (i = 0; i < NR_DRAWN; i++)
		hist[i] = c.members[i].armed;
	crowd_exit(&c);
	return unevenness(hist, quanta, slots);
}

static void random_is_uniform(void)
{
	double sum[3] = {};
	u64 key;

	for (key = 0; key < 200; key++) {
		sum[0] += run_random(key, 1, 1000) / 200;
		sum[1] += run_random(key, 4, 400) / 200;
		sum[2] += run_random(key, 16, 400) / 200;
	}
	tap_ok(is_even(sum[0]) && is_even(sum[1]) && is_even(sum[2]),
	       "random_is_uniform: chi square of 19 degrees is %.2f, %.2f, %.2f on 1, 4, 16 slots",
	       sum[0], sum[1], sum[2]);
}

/* a draw does not depend on the previous one: pairs are uniform as well */
static void draws_are_independent(void)
{
	double sum = 0;
	u64 key;

	for (key = 0; key < 200; key++) {
		u32 hist[NR_DRAWN] = {}, before = 0, i, t;
		struct crowd c;

		crowd_init(&c, NR_DRAWN, 1, GPUBP_POLICY_RANDOM, key);
		crowd_give(&c, 0, 0, NR_DRAWN, 1);
		for (t = 0; t < 1000; t++) {
			crowd_run(&c, 1);
			for (i = 0; c.members[i].last != c.p.fairq.quantum; i++)
				;
			hist[(i + NR_DRAWN - before) % NR_DRAWN]++;
			before = i;
		}
		sum += unevenness(hist, 1000, 1) / 200;
		crowd_exit(&c);
	}
	tap_ok(is_even(sum), "draws_are_independent: chi square is %.2f", sum);
}

/* the random slot of the fair policy: on a single slot, every second quantum */
static void the_last_slot_is_drawn_uniformly(void)
{
	double sum = 0;
	u64 key;

	for (key = 0; key < 200; key++) {
		u32 hist[NR_DRAWN] = {}, i, t;
		struct crowd c;

		crowd_init(&c, NR_DRAWN, 1, GPUBP_POLICY_FAIR, key);
		crowd_give(&c, 0, 0, NR_DRAWN, 1);
		for (t = 0; t < 1000; t++) {
			crowd_run(&c, 2);
			for (i = 0; c.members[i].last != c.p.fairq.quantum; i++)
				;
			hist[i]++;
		}
		sum += unevenness(hist, 1000, 1) / 200;
		crowd_exit(&c);
	}
	tap_ok(is_even(sum),
	       "the_last_slot_is_drawn_uniformly: chi square is %.2f", sum);
}

/* FNV-1a of the armed watches, quantum by quantum */
static void add_to_hash(struct crowd *c, struct member *m)
{
	u64 *hash = c->arg;

	*hash = (*hash ^ (m - c->members)) * 0x100000001b3ULL;
}

static u64 history(u64 key, u8 kind)
{
	u64 hash = 0xcbf29ce484222325ULL;
	struct crowd c;

	crowd_init(&c, 100, 4, kind, key);
	crowd_give(&c, 0, 0, 60, 1);
	crowd_give(&c, 1, 60, 100, 2);
	c.on_armed = add_to_hash;
	c.arg = &hash;
	crowd_run(&c, 1000);
	crowd_exit(&c);
	return hash;
}

static void a_key_decides_it_all(void)
{
	tap_ok(history(1, GPUBP_POLICY_FAIR) == history(1, GPUBP_POLICY_FAIR) &&
	       history(1, GPUBP_POLICY_FAIR) != history(2, GPUBP_POLICY_FAIR) &&
	       history(1, GPUBP_POLICY_RANDOM) ==
	       history(1, GPUBP_POLICY_RANDOM) &&
	       history(1, GPUBP_POLICY_RANDOM) !=
	       history(2, GPUBP_POLICY_RANDOM), "a_key_decides_it_all");
}

/* ---- users --------------------------------------------------------------- */

/* a thousand watches of one user, and one of another, which is due half */
static void a_user_of_many_has_no_more_than_one_of_one(void)
{
	static const u8 kinds[] = { GPUBP_POLICY_FAIR, GPUBP_POLICY_RANDOM };
	unsigned int i;
	bool ok = true;

	for (i = 0; i < ARRAY_SIZE(kinds); i++) {
		struct crowd one, four;

		crowd_init(&one, 1001, 1, kinds[i], 1);
		crowd_give(&one, 0, 0, 1000, 1);
		crowd_give(&one, 1, 1000, 1001, 1);
		crowd_run(&one, 20000);
		ok &= near(one.got[1], 10000, 0.035);	/* 5 sigma */
		crowd_exit(&one);
		/* of four slots it gets the one that it can use */
		crowd_init(&four, 1001, 4, kinds[i], 1);
		crowd_give(&four, 0, 0, 1000, 1);
		crowd_give(&four, 1, 1000, 1001, 1);
		crowd_run(&four, 10000);
		ok &= four.got[1] <= 10000 &&
		      four.got[1] >= (kinds[i] ? 9200 : 10000);
		crowd_exit(&four);
	}
	tap_ok(ok, "a_user_of_many_has_no_more_than_one_of_one");
}

static void users_have_slots_by_weight(void)
{
	static const u8 kinds[] = { GPUBP_POLICY_FAIR, GPUBP_POLICY_RANDOM };
	unsigned int i, u;
	bool ok = true;

	for (i = 0; i < ARRAY_SIZE(kinds); i++) {
		struct crowd c;

		crowd_init(&c, 600, 4, kinds[i], 1);
		for (u = 0; u < 3; u++) {
			gpubp_fairq_flow_init(&c.users[u], u, u + 1);
			crowd_give(&c, u, 200 * u, 200 * (u + 1), 1);
		}
		crowd_run(&c, 150000);
		for (u = 0; u < 3; u++)
			ok &= near(c.got[u], 100000 * (u + 1), 0.01);
		crowd_exit(&c);
	}
	tap_ok(ok, "users_have_slots_by_weight");
}

/* neither a permanent user nor one that is removed and added exceeds half */
static void users_that_come_and_go_gain_nothing(void)
{
	u64 both = 0, alone;
	unsigned int i;
	struct crowd c;
	bool ok;

	crowd_init(&c, 200, 4, GPUBP_POLICY_FAIR, 1);
	crowd_give(&c, 0, 0, 100, 1);
	for (i = 0; i < 3000; i++) {
		crowd_give(&c, 1, 100, 200, 1);
		alone = c.got[0];
		crowd_run(&c, 1 + i % 7);
		both += c.got[0] - alone;
		crowd_take(&c, 100, 200);
		crowd_run(&c, i % 3);
	}
	/* a user that was just added may be served second, never later */
	ok = c.got[1] <= both && c.got[1] + 3000 >= both;
	tap_ok(ok, "users_that_come_and_go_gain_nothing: %llu and %llu",
	       both, c.got[1]);
	crowd_exit(&c);
}

/* ---- weights and sizes --------------------------------------------------- */

/* a watch of weight 3 has three turns for each turn of one of weight 1 */
static void heavy_watches_have_more_turns(void)
{
	const u64 quanta = 40000;
	const double turns = 3 * quanta / 60.0, drawn = quanta / 30.0;
	struct crowd c;
	bool ok = true;
	u32 i;

	crowd_init(&c, 30, 4, GPUBP_POLICY_FAIR, 1);
	for (i = 0; i < 3; i++)		/* 60 turns in an epoch */
		crowd_give(&c, 0, 10 * i, 10 * (i + 1), 1 + i);
	crowd_run(&c, quanta);
	for (i = 0; i < 30; i++) {
		unsigned int weight = 1 + i / 10;

		ok &= c.members[i].armed >= turns * weight - weight &&
		      near(c.members[i].armed, turns * weight + drawn, 0.06);
	}
	tap_ok(ok, "heavy_watches_have_more_turns: %u, %u, %u",
	       c.members[0].armed, c.members[10].armed, c.members[20].armed);
	crowd_exit(&c);
}

static void widen(struct crowd *c, u32 nr)
{
	while (nr--)
		c->members[nr].nr_blocks = 2;
}

struct longest {
	u64 gap;
};

static void note_gap(struct crowd *c, struct member *m)
{
	struct longest *l = c->arg;

	l->gap = max(l->gap, c->p.fairq.quantum - 1 - m->last);
}

/* 30 of two slots, 70 of one: 130 slots per epoch, 3 per quantum in order */
static void broad_watches_are_not_starved(void)
{
	struct longest longest = {};
	u32 i, broad = ~0, narrow = ~0;
	struct crowd c;

	crowd_init(&c, 100, 4, GPUBP_POLICY_FAIR, 1);
	widen(&c, 30);
	crowd_give(&c, 0, 0, 100, 1);
	c.on_armed = note_gap;
	c.arg = &longest;
	crowd_run(&c, 13000);
	for (i = 0; i < 100; i++) {
		u32 *least = i < 30 ? &broad : &narrow;

		*least = min(*least, c.members[i].armed);
	}
	tap_ok(broad >= 299 && narrow >= 299 && longest.gap <= 2 * 44,
	       "broad_watches_are_not_starved: at least %u and %u of 13000, waited %llu",
	       broad, narrow, longest.gap);
	tap_ok(c.got[0] >= 13000 * 4 * 0.999 && c.most_asked <= 48,
	       "broad_watches_leave_nothing_idle: %llu of 52000, asked for %u",
	       c.got[0], c.most_asked);
	crowd_exit(&c);
}

/* users of broad and of narrow watches get the same number of slots */
static void slots_count_not_watches(void)
{
	struct crowd c;

	crowd_init(&c, 100, 5, GPUBP_POLICY_FAIR, 1);
	widen(&c, 50);
	crowd_give(&c, 0, 0, 50, 1);
	crowd_give(&c, 1, 50, 100, 1);
	crowd_run(&c, 20000);
	/* four rotate in order; the fifth is too narrow for a broad one */
	tap_ok(near(c.got[0], 40000, 0.01) && c.got[1] >= 40000,
	       "slots_count_not_watches: %llu and %llu", c.got[0], c.got[1]);
	crowd_exit(&c);
}

/* ten of a hundred thousand can be placed: a quantum requests few candidates */
static void work_is_bounded_though_nobody_comes(void)
{
	struct crowd c;
	bool ok = true;
	u32 i;

	crowd_init(&c, 100000, 4, GPUBP_POLICY_FAIR, 1);
	for (i = 0; i < c.nr; i++)
		c.members[i].refused = i % 10000;
	crowd_give(&c, 0, 0, c.nr, 1);
	crowd_run(&c, 2 * c.nr / GPUBP_FAIRQ_MAX_UNPLACEABLE);
	for (i = 0; i < c.nr; i++)
		ok &= c.members[i].asked > 0;
	tap_ok(ok && c.most_asked <= 4 * 16,
	       "work_is_bounded_though_nobody_comes: asked for %u", c.most_asked);
	crowd_exit(&c);
}

/* users with unplaceable watches use some requests, but never all of them */
static void the_useless_do_not_crowd_others_out(void)
{
	struct crowd c;
	u32 i;

	crowd_init(&c, 1000, 4, GPUBP_POLICY_FAIR, 1);
	for (i = 0; i < 7; i++)
		crowd_give(&c, i, 100 * i, 100 * (i + 1), 1);
	crowd_give(&c, 7, 700, 1000, 1);
	for (i = 0; i < 700; i++)
		c.members[i].refused = true;
	crowd_run(&c, 3000);
	for (i = 700; i < 1000 && c.members[i].armed; i++)
		;
	tap_ok(c.got[7] >= 3000 && i == 1000 && c.most_asked <= 4 * 16,
	       "the_useless_do_not_crowd_others_out: %llu of 12000", c.got[7]);
	crowd_exit(&c);
}

/* they fit in one slot; the others remain for those behind them */
static void who_shares_takes_one_slot(void)
{
	bool ok = true;
	struct crowd c;
	u32 i;

	crowd_init(&c, 1224, 4, GPUBP_POLICY_FAIR, 1);
	crowd_give(&c, 0, 0, 1024, 1);
	crowd_give(&c, 1, 1024, c.nr, 1);
	for (i = 0; i < 1024; i++)
		c.members[i].shares = true;
	crowd_run(&c, 200);
	for (i = 0; i < 1024; i++)
		ok &= c.members[i].armed == 200;
	for (; i < c.nr; i++)
		ok &= c.members[i].armed >= 1;
	tap_ok(ok && c.got[1] == 3 * 200, "who_shares_takes_one_slot");
	crowd_exit(&c);
}

void crowd_tests(void)
{
	const u64 more = long_run() ? 10 : 1;

	each_of_few_has_its_turns();
	each_has_its_turns(4, 4, 1000);
	each_has_its_turns(16, 4, 100000 * more);
	each_has_its_turns(64, 4, 100000 * more);
	each_has_its_turns(1024, 4, 100000 * more);
	each_has_its_turns(10000, 4, 50000 * more);
	each_has_its_turns(100000, 4, 150000 * more);
	each_has_its_turns(1000, 2, 10000 * more);
	each_has_its_turns(1000, 3, 10000 * more);
	each_has_its_turns(1000, 16, 10000 * more);
	each_has_its_turns(1000000, 4, 700000 * more);
	one_slot_is_drawn_every_second_quantum();
	everybody_has_the_same_share();
	random_is_uniform();
	draws_are_independent();
	the_last_slot_is_drawn_uniformly();
	a_key_decides_it_all();
	a_user_of_many_has_no_more_than_one_of_one();
	users_have_slots_by_weight();
	users_that_come_and_go_gain_nothing();
	heavy_watches_have_more_turns();
	broad_watches_are_not_starved();
	slots_count_not_watches();
	work_is_bounded_though_nobody_comes();
	the_useless_do_not_crowd_others_out();
	who_shares_takes_one_slot();
}
