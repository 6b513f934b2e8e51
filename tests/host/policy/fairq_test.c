// SPDX-License-Identifier: GPL-2.0
/*
 * The fair queue by itself: random numbers, adding and removing, order of
 * flows.
 */
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "../../kunit/policy_replay.h"
#include "../tap.h"
#include "lib/fairq.h"
#include "parts.h"

/* ---- random numbers ------------------------------------------------------ */

/* reference vectors of the authors: messages 00 01 02 ... of each length */
static void siphash_is_siphash(void)
{
	static const siphash_key_t key = {
		{ 0x0706050403020100ULL, 0x0f0e0d0c0b0a0908ULL },
	};
	const u64 words[] = {
		0x0706050403020100ULL, 0x0f0e0d0c0b0a0908ULL,
	};

	tap_ok(shim_siphash(words, 0, 0, &key) == 0x726fdb47dd0e0e31ULL &&
	       siphash_1u64(words[0], &key) == 0x93f5f5799a932462ULL &&
	       siphash_2u64(words[0], words[1], &key) == 0x3f2acc7f57c29bdbULL,
	       "siphash_is_siphash");
}

static void random_numbers_are_below(void)
{
	static const siphash_key_t key = { { 3, 4 } };
	unsigned int hist[10] = {};
	struct gpubp_fairq t;
	unsigned int i;
	bool ok;

	gpubp_fairq_init(&t, &key);
	ok = gpubp_fairq_random(&t, 0) == 0 && gpubp_fairq_random(&t, 1) == 0;
	for (i = 0; i < 100000; i++)
		hist[gpubp_fairq_random(&t, ARRAY_SIZE(hist))]++;
	for (i = 0; i < ARRAY_SIZE(hist); i++)	/* 5 sigma */
		ok &= hist[i] > 9525 && hist[i] < 10475;
	for (i = 0; i < 1000; i++)
		ok &= gpubp_fairq_random(&t, 1ULL << 63) < 1ULL << 63;
	tap_ok(ok, "random_numbers_are_below");
}

static void who_knows_the_key_can_replay_it(void)
{
	static const siphash_key_t key = REPLAY_KEY;
	struct gpubp_fairq t;
	struct replay r;
	bool ok = true;
	unsigned int i;

	gpubp_fairq_init(&t, &key);
	for (i = 0; i < ARRAY_SIZE(replay_numbers); i++)
		ok &= gpubp_fairq_random(&t, 1000) == replay_numbers[i];
	tap_ok(ok, "random_numbers_are_the_kernels");
	ok = !replay_init(&r);
	for (i = 0; i < REPLAY_QUANTA; i++)
		ok &= replay_next(&r) == replay_armed[i];
	replay_exit(&r);
	tap_ok(ok, "quanta_are_the_kernels");
}

/* lengths from 1/2 to 3/2 of the mean, uniformly distributed */
static void quanta_are_dithered(void)
{
	static const siphash_key_t key = { { 5, 6 } };
	struct gpubp_policy p;
	unsigned int hist[21] = {}, i;
	u64 sum = 0;
	bool ok;

	gpubp_policy_init(&p, &key);
	ok = gpubp_policy_dither(&p, 0) == 0 && gpubp_policy_dither(&p, 1) == 1;
	for (i = 0; i < 210000; i++) {
		u32 us = gpubp_policy_dither(&p, 20);

		ok &= us >= 10 && us <= 30;
		hist[us - 10]++;
		sum += us;
	}
	for (i = 0; i < ARRAY_SIZE(hist); i++)	/* 5 sigma */
		ok &= hist[i] > 9510 && hist[i] < 10490;
	for (i = 0; i < 1000; i++) {
		u32 us = gpubp_policy_dither(&p, 2000000001);

		ok &= us >= 1000000000 && us <= 3000000002u;
	}
	tap_ok(ok && sum > 4190000 && sum < 4210000, "quanta_are_dithered");
}

/* ---- adding and removing ------------------------------------------------- */

#define MAX_TURNS	2000	/* some chunks */
#define SHARES		3

struct fixture {
	struct gpubp_fairq t;
	struct gpubp_fairq_flow shares[SHARES];
	struct gpubp_fairq_entry turns[MAX_TURNS];
	unsigned int nr;
};

static void fixture_init(struct fixture *b)
{
	static const siphash_key_t key = { { 7, 8 } };
	unsigned int i;

	memset(b, 0, sizeof(*b));
	gpubp_fairq_init(&b->t, &key);
	for (i = 0; i < SHARES; i++)
		gpubp_fairq_flow_init(&b->shares[i], i, 1 + i);
}

static void fixture_exit(struct fixture *b)
{
	unsigned int i;

	for (i = 0; i < MAX_TURNS; i++)
		gpubp_fairq_remove(&b->t, &b->turns[i]);
	for (i = 0; i < SHARES; i++)
		gpubp_fairq_flow_exit(&b->shares[i]);
}

static bool share_is_sound(const struct gpubp_fairq_flow *s)
{
	u32 i;

	if (s->deferred > s->pending || s->pending > s->nr || s->nr > s->capacity ||
	    s->deferred > GPUBP_FAIRQ_MAX_DEFERRED)
		return false;
	for (i = 0; i < s->nr; i++) {
		const struct gpubp_fairq_entry *e = gpubp_fairq_flow_entry(s, i);

		if (e->at != i || e->flow != s || e->served >= e->weight ||
		    (i >= s->pending && e->served))
			return false;
	}
	return true;
}

/* sum of weights below @node, or ~0 if a sum or the order is wrong */
static u64 weigh(const struct rb_node *node, u64 *vtime)
{
	const struct gpubp_fairq_flow *s;
	u64 left, right;

	if (!node)
		return 0;
	s = rb_entry(node, struct gpubp_fairq_flow, node);
	left = weigh(node->rb_left, vtime);
	if (s->vtime < *vtime || !s->nr)
		return ~0ULL;
	*vtime = s->vtime;
	right = weigh(node->rb_right, vtime);
	return s->sum == left + right + s->weight ? s->sum : ~0ULL;
}

static bool fixture_is_sound(const struct fixture *b)
{
	u64 weights = 0, vtime = 0;
	unsigned int i, nr = 0;

	for (i = 0; i < SHARES; i++) {
		if (!share_is_sound(&b->shares[i]))
			return false;
		nr += b->shares[i].nr;
		weights += b->shares[i].nr ? b->shares[i].weight : 0;
	}
	return nr == b->t.nr && nr == b->nr && !b->t.skipped &&
	       weigh(b->t.flows.rb_root.rb_node, &vtime) == weights;
}

static void toggle(struct fixture *b, struct gpubp_fairq_entry *entry,
		   unsigned long long *seed)
{
	if (entry->flow) {
		gpubp_fairq_remove(&b->t, entry);
		b->nr--;
	} else if (!gpubp_fairq_add(&b->t, &b->shares[tap_random(seed) % SHARES],
				    entry, 1 + tap_random(seed) % 3)) {
		b->nr++;
	}
}

/* what the policy may do with an entry, in any order */
static void use_turn(struct fixture *b, struct gpubp_fairq_flow *flow,
		     struct gpubp_fairq_entry *entry, unsigned long long *seed)
{
	switch (tap_random(seed) % 4) {
	case 0:
		gpubp_fairq_entry_defer(entry);
		gpubp_fairq_entry_unplaceable(&b->t, entry);
		break;
	case 1:
		gpubp_fairq_entry_served(entry);
		gpubp_fairq_entry_unplaceable(&b->t, entry);
		break;
	default:
		gpubp_fairq_entry_served(entry);
		gpubp_fairq_entry_armed(&b->t, entry);
		gpubp_fairq_flow_charge(&b->t, flow, 1 + tap_random(seed) % 2);
	}
}

static bool use_some(struct fixture *b, unsigned long long *seed)
{
	unsigned int n = tap_random(seed) % 12;
	struct gpubp_fairq_flow *flow;
	struct gpubp_fairq_entry *entry;
	bool ok = true;

	gpubp_fairq_next_quantum(&b->t);
	gpubp_fairq_pass_begin(&b->t);
	while (n-- && (flow = gpubp_fairq_first_flow(&b->t))) {
		entry = tap_random(seed) % 4 ?
			gpubp_fairq_flow_next(&b->t, flow, false) :
			gpubp_fairq_flow_draw(&b->t, flow);
		if (!entry) {
			gpubp_fairq_skip_flow(&b->t, flow);
			continue;
		}
		ok &= gpubp_fairq_entry_is_eligible(&b->t, entry) &&
		      entry->flow == flow;
		use_turn(b, flow, entry, seed);
	}
	gpubp_fairq_pass_end(&b->t, true);
	return ok;
}

static bool come_and_go(unsigned long long seed, unsigned int most,
			unsigned int steps)
{
	struct fixture *b = malloc(sizeof(*b));
	bool ok = true;

	fixture_init(b);
	while (ok && steps--) {
		toggle(b, &b->turns[tap_random(&seed) % most], &seed);
		ok = use_some(b, &seed) && fixture_is_sound(b);
	}
	fixture_exit(b);
	free(b);
	return ok;
}

static void turns_come_and_go_in_all_states(void)
{
	bool ok = true;
	unsigned int i;

	for (i = 1; i <= 60; i++)
		ok &= come_and_go(i * 77777, 1 + i % 12, 1000);
	tap_ok(ok && come_and_go(4711, MAX_TURNS, 5000),
	       "turns_come_and_go_in_all_states");
}

static void room_grows_and_shrinks(void)
{
	struct fixture *b = malloc(sizeof(*b));
	struct gpubp_fairq_flow *s = &b->shares[0];
	bool ok = true;
	u32 most, i;

	fixture_init(b);
	for (i = 0; i < MAX_TURNS; i++) {
		ok &= !gpubp_fairq_add(&b->t, s, &b->turns[i], 1);
		ok &= s->capacity < s->nr + GPUBP_FAIRQ_CHUNK;
	}
	most = s->capacity;
	for (i = 0; i < MAX_TURNS - 1; i++) {
		gpubp_fairq_remove(&b->t, &b->turns[i]);
		ok &= s->capacity < s->nr + 2 * GPUBP_FAIRQ_CHUNK;
	}
	tap_ok(ok && most >= MAX_TURNS && s->capacity == 2 * GPUBP_FAIRQ_CHUNK &&
	       s->nr == 1,
	       "room_grows_and_shrinks");
	fixture_exit(b);
	free(b);
}

static void without_memory_nothing_changes(void)
{
	struct fixture *b = malloc(sizeof(*b));
	struct gpubp_fairq_flow *s = &b->shares[1], before;
	unsigned int i;
	bool ok;

	fixture_init(b);
	shim_no_memory = true;
	ok = gpubp_fairq_add(&b->t, s, &b->turns[0], 1) == -ENOMEM &&
	     fixture_is_sound(b) && !b->turns[0].flow;
	shim_no_memory = false;
	for (i = 0; i < 64; i++)
		ok &= !gpubp_fairq_add(&b->t, s, &b->turns[i], 1);
	b->nr = i;
	before = *s;
	shim_no_memory = true;
	ok &= gpubp_fairq_add(&b->t, s, &b->turns[i], 1) == -ENOMEM &&
	      !memcmp(&before, s, sizeof(before)) && !b->turns[i].flow;
	/* entries that are not returned do no harm */
	while (i > 1)
		gpubp_fairq_remove(&b->t, &b->turns[--i]);
	b->nr = i;
	ok &= s->capacity == before.capacity && fixture_is_sound(b);
	shim_no_memory = false;
	tap_ok(ok, "without_memory_nothing_changes");
	fixture_exit(b);
	free(b);
}

/* ---- the order of flows -------------------------------------------------- */

static void shares_are_drawn_by_weight(void)
{
	struct fixture *b = malloc(sizeof(*b));
	unsigned int hist[SHARES] = {}, i;
	bool ok;

	fixture_init(b);
	ok = !gpubp_fairq_draw_flow(&b->t);
	for (i = 0; i < SHARES; i++)
		ok &= !gpubp_fairq_add(&b->t, &b->shares[i], &b->turns[i], 1);
	for (i = 0; i < 60000; i++)
		hist[gpubp_fairq_draw_flow(&b->t)->id]++;
	for (i = 0; i < SHARES; i++)	/* 5 sigma are 612 at most */
		ok &= abs((int)hist[i] - 10000 * ((int)i + 1)) < 612;
	gpubp_fairq_remove(&b->t, &b->turns[0]);
	b->shares[0].weight = 1000000;
	ok &= !gpubp_fairq_add(&b->t, &b->shares[0], &b->turns[0], 1);
	for (i = 0; i < 100; i++)
		ok &= gpubp_fairq_draw_flow(&b->t)->id == 0;
	tap_ok(ok, "shares_are_drawn_by_weight");
	fixture_exit(b);
	free(b);
}

/*
 * a new or returning flow gets the lowest vtime and is queued behind its flow
 */
static void no_flow_saves_up_service(void)
{
	struct fixture *b = malloc(sizeof(*b));
	struct gpubp_fairq_flow *old = &b->shares[1], *new = &b->shares[0];
	unsigned int i;
	u64 had;
	bool ok;

	fixture_init(b);
	ok = !gpubp_fairq_add(&b->t, old, &b->turns[0], 1);
	for (i = 0; i < 1000; i++)
		gpubp_fairq_flow_charge(&b->t, old, 1);
	ok &= !gpubp_fairq_add(&b->t, new, &b->turns[1], 1);
	ok &= new->vtime == old->vtime + 1 && gpubp_fairq_first_flow(&b->t) == old;
	/* removing and adding a flow does not make it the first one again */
	gpubp_fairq_flow_charge(&b->t, new, 10);
	had = new->vtime;
	gpubp_fairq_remove(&b->t, &b->turns[1]);
	ok &= !gpubp_fairq_add(&b->t, new, &b->turns[1], 1) && new->vtime == had;
	tap_ok(ok, "no_flow_saves_up_service");
	fixture_exit(b);
	free(b);
}

/* an entry added in an epoch is served in it; each epoch has another order */
static void an_epoch_has_each_once(void)
{
	struct fixture *b = malloc(sizeof(*b));
	struct gpubp_fairq_flow *s = &b->shares[0];
	unsigned int first[3] = {}, i, e;
	bool ok = true;

	fixture_init(b);
	for (i = 0; i < 9; i++)
		ok &= !gpubp_fairq_add(&b->t, s, &b->turns[i], 1);
	for (e = 0; e < 900; e++) {
		u32 seen = 0;

		for (i = 0; i < 10; i++) {
			struct gpubp_fairq_entry *entry;

			if (i == 5)
				ok &= !gpubp_fairq_add(&b->t, s, &b->turns[9], 1);
			gpubp_fairq_next_quantum(&b->t);
			gpubp_fairq_pass_begin(&b->t);
			entry = gpubp_fairq_flow_next(&b->t, s, false);
			gpubp_fairq_entry_served(entry);
			seen |= BIT(entry - b->turns);
			if (!i && entry - b->turns < 3)
				first[entry - b->turns]++;
		}
		ok &= seen == 0x3ff && !s->pending;
		gpubp_fairq_remove(&b->t, &b->turns[9]);
	}
	for (i = 0; i < 3; i++)		/* 5 sigma around 100 */
		ok &= first[i] > 52 && first[i] < 148;
	tap_ok(ok, "an_epoch_has_each_once");
	fixture_exit(b);
	free(b);
}

void turns_tests(void)
{
	siphash_is_siphash();
	random_numbers_are_below();
	who_knows_the_key_can_replay_it();
	quanta_are_dithered();
	turns_come_and_go_in_all_states();
	room_grows_and_shrinks();
	without_memory_nothing_changes();
	shares_are_drawn_by_weight();
	no_flow_saves_up_service();
	an_epoch_has_each_once();
}
