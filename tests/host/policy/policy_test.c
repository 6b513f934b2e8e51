// SPDX-License-Identifier: GPL-2.0
/*
 * The policy with every small configuration, with large random ones, and with
 * some named ones. judge.c has the rules.
 */
#include <linux/bitops.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/string.h>
#include <uapi/linux/gpubp.h>

#include "../tap.h"
#include "judge.h"
#include "lib/placement.h"
#include "parts.h"

#define ALL_MODES	0xf
#define WIDE(n)		{ 0x1000 * (n), 0xfffffffff000 }
#define NARROW(n)	{ 0x1000 * (n), 0xffffffffffc0 }

static u64 nr_quanta;

static bool run_static(struct world *w, unsigned int quanta)
{
	while (quanta--) {
		nr_quanta++;
		if (world_step(w))
			return false;
	}
	return true;
}

/* ---- every small configuration ------------------------------------------- */

/* covers that share, that differ in the mask only, and that overlap */
static const struct {
	u8 nr;
	struct gpubp_block block[GPUBP_MAX_BLOCKS];
} covers[] = {
	{ 1, { NARROW(1) } },
	{ 1, { WIDE(1) } },
	{ 1, { NARROW(2) } },
	{ 2, { NARROW(1), NARROW(2) } },
	{ 2, { NARROW(2), NARROW(3) } },
};

static const u8 two_modes[] = { GPUBP_MODE_READ, GPUBP_MODE_NONREAD };

#define NR_KINDS	(ARRAY_SIZE(covers) * 2 * 2)

/**
 * struct worlds - a set of configurations
 * @name: of the test
 * @n: watches in each
 * @nr_kinds: kinds of watches; at least NR_KINDS in a long run
 * @sorted: the order of watches does not matter: only ascending kinds
 * @second: how kinds from NR_KINDS on differ from those below
 * @kind: policy
 * @shares: users; the watches are assigned to them in turn
 */
struct worlds {
	const char *name;
	unsigned int n;
	unsigned int nr_kinds;
	bool sorted;
	enum { OTHER_MODE, GROUPED } second;
	u8 kind;
	unsigned int shares;
};

/* kind: cover, context, pinned, then mode or group */
static void add_of_kind(struct world *w, const struct worlds *all,
			unsigned int kind)
{
	unsigned int cover = kind % ARRAY_SIZE(covers);
	unsigned int rest = kind / ARRAY_SIZE(covers);
	bool pinned = rest & 2, second = rest >> 2 & 1;
	const struct gpubp_candidate like = {
		.ctx = rest & 1,
		.mode = two_modes[second && all->second == OTHER_MODE],
		.nr_blocks = covers[cover].nr,
		.block = { covers[cover].block[0], covers[cover].block[1] },
	};

	world_add(w, &like, pinned, second && all->second == GROUPED,
		  w->nr % all->shares);
}

static bool run_world(const struct worlds *all, const unsigned int *kinds,
		      u32 usable, bool banked)
{
	const struct gpubp_policy_caps caps = {
		usable, ALL_MODES, banked, all->kind,
	};
	struct world w;
	unsigned int i;
	bool ok;

	world_init(&w, &caps, kinds[0], all->shares);
	w.all_have_turns = (kinds[0] + usable) & 1;
	for (i = 0; i < all->n; i++)
		add_of_kind(&w, all, kinds[i]);
	ok = run_static(&w, all->n + 3);
	if (ok) {	/* a slot fails, and a watch is removed */
		w.caps.usable &= w.caps.usable - 1;
		ok = run_static(&w, 1);
		world_remove(&w, kinds[0] % all->n);
		ok = ok && run_static(&w, 2);
	}
	world_exit(&w);
	return ok;
}

static bool run_all_devices(const struct worlds *all, const unsigned int *kinds)
{
	static const u32 usable[] = { 0x2, 0x9, 0x16 };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(usable); i++)
		if (!run_world(all, kinds, usable[i], false) ||
		    !run_world(all, kinds, usable[i], true))
			return false;
	return true;
}

static bool every_world(const struct worlds *all)
{
	unsigned int nr_kinds = all->nr_kinds, kinds[5] = {};
	unsigned int i;

	if (long_run() && nr_kinds < NR_KINDS)
		nr_kinds = NR_KINDS;
	for (;;) {
		if (!run_all_devices(all, kinds))
			return false;
		for (i = all->n; i && ++kinds[i - 1] == nr_kinds; i--)
			kinds[i - 1] = 0;
		if (!i)
			return true;
		for (; all->sorted && i < all->n; i++)
			kinds[i] = kinds[i - 1];
	}
}

static const struct worlds small_worlds[] = {
	{ "1_watch", 1, 2 * NR_KINDS, false, OTHER_MODE, GPUBP_POLICY_FAIR, 1 },
	{ "2_watches", 2, 2 * NR_KINDS, false, OTHER_MODE, GPUBP_POLICY_FAIR, 1 },
	{ "3_watches_of_one_mode", 3, NR_KINDS, false, OTHER_MODE,
	  GPUBP_POLICY_FAIR, 1 },
	{ "3_watches_in_one_order", 3, 2 * NR_KINDS, true, OTHER_MODE,
	  GPUBP_POLICY_FAIR, 1 },
	{ "4_watches_of_one_mode_in_one_order", 4, NR_KINDS, true, OTHER_MODE,
	  GPUBP_POLICY_FAIR, 1 },
	{ "5_watches_that_are_not_pinned", 5, NR_KINDS / 2, true, OTHER_MODE,
	  GPUBP_POLICY_FAIR, 1 },
	{ "3_watches_and_a_group", 3, 2 * NR_KINDS, true, GROUPED,
	  GPUBP_POLICY_FAIR, 1 },
	{ "2_watches_drawn_at_random", 2, 2 * NR_KINDS, false, GROUPED,
	  GPUBP_POLICY_RANDOM, 1 },
	{ "4_watches_drawn_at_random", 4, NR_KINDS / 2, true, OTHER_MODE,
	  GPUBP_POLICY_RANDOM, 2 },
	{ "3_watches_of_two_users", 3, 2 * NR_KINDS, true, GROUPED,
	  GPUBP_POLICY_FAIR, 2 },
	{ "4_watches_of_three_users", 4, NR_KINDS / 2, true, OTHER_MODE,
	  GPUBP_POLICY_FAIR, 3 },
};

static void every_small_world(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(small_worlds); i++)
		tap_ok(every_world(&small_worlds[i]), "every_world_of_%s",
		       small_worlds[i].name);
}

/* ---- large random configurations ----------------------------------------- */

static struct gpubp_block random_block(unsigned long long *seed,
				       unsigned int values)
{
	struct gpubp_block narrow = NARROW(1 + tap_random(seed) % values);
	struct gpubp_block wide = WIDE(1);

	if (tap_random(seed) % 4 == 0)
		narrow.mask = wide.mask;
	return narrow;
}

static u8 random_mode(unsigned long long *seed, u32 modes)
{
	u8 mode;

	do {
		mode = tap_random(seed) % 4;
	} while (!(modes & BIT(mode)));
	return mode;
}

static void add_random(struct world *w, unsigned long long *seed)
{
	unsigned int values = 1 + tap_random(seed) % 24;
	struct gpubp_candidate c = {
		.ctx = tap_random(seed) % 4,
		.mode = random_mode(seed, w->caps.modes),
		.nr_blocks = 1 + tap_random(seed) % 3 / 2,
	};
	unsigned int group = tap_random(seed) % 16;

	c.block[0] = random_block(seed, values);
	do {
		c.block[1] = random_block(seed, values + 1);
	} while (c.block[1].value == c.block[0].value);
	world_add(w, &c, tap_random(seed) % 16 == 0, group < 3 ? group : 0,
		  tap_random(seed) % w->nr_shares);
}

static void something_happens(struct world *w, unsigned long long *seed)
{
	unsigned int dice = tap_random(seed) % 16;
	struct watch *x = NULL;

	if (w->nr)
		x = w->watches[tap_random(seed) % w->nr];
	if (w->nr < MAX_WATCHES && (dice < 3 || w->nr < 2))
		add_random(w, seed);
	else if (w->nr && dice == 3)
		world_remove(w, tap_random(seed) % w->nr);
	else if (dice == 4)
		w->caps.usable ^= 1 << tap_random(seed) % 16;
	else if (x && dice == 5)
		x->refused = tap_random(seed) % 4 == 0;
}

/* watches are added and removed, slots fail and are returned */
static bool run_random(unsigned long long seed, unsigned int quanta)
{
	const struct gpubp_policy_caps caps = {
		.usable = tap_random(&seed) & 0xffff,
		.modes = 1 + tap_random(&seed) % ALL_MODES,
		.cntl_banked = tap_random(&seed) & 1,
		.kind = tap_random(&seed) % 4 == 0,
	};
	struct world w;
	bool ok = true;

	world_init(&w, &caps, seed, 1 + tap_random(&seed) % MAX_SHARES);
	w.all_have_turns = tap_random(&seed) & 1;
	while (ok && quanta--) {
		something_happens(&w, &seed);
		ok = run_static(&w, 1);
	}
	world_exit(&w);
	return ok;
}

static void random_worlds(void)
{
	unsigned long long seed = 20, last = long_run() ? 20000 : 170;
	bool ok = true;

	while (ok && seed < last)
		ok = run_random(++seed * 0x9e3779b97f4a7c15ULL, 200);
	if (!ok)
		tap_note("world %llu", seed);
	tap_ok(ok, "random_worlds");
}

static void one_long_random_run(void)
{
	tap_ok(run_random(815, 15000), "one_long_random_run");
}

/* ---- named configurations ------------------------------------------------ */

static const struct gpubp_policy_caps four = { 0xf, ALL_MODES, true };

static struct watch *add_plain(struct world *w, unsigned int page, bool pinned,
			       unsigned int group)
{
	const struct gpubp_candidate c = {
		.ctx = group ? 0 : page,
		.mode = GPUBP_MODE_NONREAD,
		.nr_blocks = 1,
		.block = { NARROW(page) },
	};

	return world_add(w, &c, pinned, group, 0);
}

static void pinned_are_not_displaced(void)
{
	const struct gpubp_policy_caps caps = { 0xf, ALL_MODES, false };
	struct world w;
	unsigned int i;
	bool ok;

	world_init(&w, &caps, 1, 1);
	for (i = 1; i <= 40; i++)
		add_plain(&w, i, i > 37, 0);
	ok = run_static(&w, 200) && w.p.flexible == 1;
	for (i = 0; i < w.nr; i++)
		ok &= w.watches[i]->pinned ==
		      (w.watches[i]->armed_count == 200);
	tap_ok(ok, "pinned_are_not_displaced");
	world_exit(&w);
}

static void a_broad_watch_has_its_turn_among_narrow_ones(void)
{
	const struct gpubp_policy_caps caps = { 0x3, ALL_MODES, true };
	struct watch *broad;
	struct world w;
	unsigned int i;
	bool ok;

	world_init(&w, &caps, 1, 1);
	broad = add_plain(&w, 20, false, 0);
	broad->c.nr_blocks = 2;
	broad->c.block[1] = (struct gpubp_block)NARROW(21);
	for (i = 1; i <= 5; i++)
		add_plain(&w, i, false, 0);
	ok = run_static(&w, 600);
	/* an epoch has 6 turns of one quantum each */
	tap_ok(ok && broad->armed_count >= 99,
	       "a_broad_watch_has_its_turn_among_narrow_ones: %u of 600 quanta",
	       broad->armed_count);
	world_exit(&w);
}

/* all need two of three slots: no watch can use the last one */
static void broad_watches_take_turns(void)
{
	const struct gpubp_policy_caps caps = { 0x7, ALL_MODES, true };
	struct watch *x[6];
	struct world w;
	unsigned int i;
	bool ok;

	world_init(&w, &caps, 1, 1);
	for (i = 0; i < ARRAY_SIZE(x); i++) {
		x[i] = add_plain(&w, 1 + 2 * i, false, 0);
		x[i]->c.nr_blocks = 2;
		x[i]->c.block[1] = (struct gpubp_block)NARROW(2 + 2 * i);
	}
	ok = run_static(&w, 600);
	for (i = 0; i < ARRAY_SIZE(x); i++)
		ok &= x[i]->armed_count >= 99 && x[i]->armed_count <= 101;
	tap_ok(ok, "broad_watches_take_turns");
	world_exit(&w);
}

/* a cover too large for the unpinned slots has no effect on the others */
static void a_watch_that_never_fits_is_passed_over(void)
{
	struct watch *large;
	struct world w;
	unsigned int i, least = ~0;
	bool ok;

	world_init(&w, &four, 1, 1);
	for (i = 1; i <= 3; i++)
		add_plain(&w, i, true, 0);
	large = add_plain(&w, 9, false, 0);
	large->c.nr_blocks = 2;
	large->c.block[1] = (struct gpubp_block)NARROW(10);
	for (i = 4; i <= 7; i++)
		add_plain(&w, i, false, 0);
	ok = run_static(&w, 400) && !large->armed_count;
	/* if it were deferred, its flow would wait for it forever */
	ok &= !w.shares[0].deferred;
	for (i = 4; i < w.nr; i++)
		least = min(least, w.watches[i]->armed_count);
	tap_ok(ok && least >= 70,
	       "a_watch_that_never_fits_is_passed_over: others at least %u of 400",
	       least);
	world_exit(&w);
}

static void all_contexts_share_one_value(void)
{
	const struct gpubp_policy_caps caps = { 0x4, ALL_MODES, true };
	struct world w;
	unsigned int i, armed = 0;
	bool ok;

	world_init(&w, &caps, 1, 1);
	for (i = 1; i <= 20; i++)
		add_plain(&w, 1, false, 0)->c.ctx = i;
	ok = run_static(&w, 1);
	for (i = 0; i < w.nr; i++)
		armed += w.watches[i]->c.armed && w.watches[i]->c.slots == 0x4;
	tap_ok(ok && armed == 20 && !gpubp_policy_rotates(&w.p),
	       "all_contexts_share_one_value");
	world_exit(&w);
}

/* 20 watches share another one's slot, and are charged turns besides */
static void who_is_served_anyway_keeps_its_turn(void)
{
	struct world w;
	unsigned int i;
	u64 turns;
	bool ok;

	world_init(&w, &four, 1, 1);
	for (i = 1; i <= 20; i++)
		add_plain(&w, 1, false, 0)->c.ctx = i;
	for (i = 1; i <= 10; i++)
		add_plain(&w, 1 + i, false, 0);
	turns = w.shares[0].pending;
	ok = run_static(&w, 1) && turns == 30;
	turns -= w.shares[0].pending;
	ok &= w.shares[0].vtime == 1 + (turns << 20);	/* initial, and turns */
	tap_ok(ok && turns > 3 && turns < 20,
	       "who_is_served_anyway_keeps_its_turn: %llu turns had, each is charged",
	       turns);
	world_exit(&w);
}

static void without_modes_to_join_watches_do_not_share(void)
{
	struct gpubp_policy_caps caps = {
		0x1, BIT(GPUBP_MODE_READ) | BIT(GPUBP_MODE_NONREAD), true,
	};
	struct watch *a, *b;
	struct world w;
	bool alone, together;

	world_init(&w, &caps, 1, 1);
	a = add_plain(&w, 1, false, 0);
	b = add_plain(&w, 1, false, 0);
	b->c.mode = GPUBP_MODE_READ;
	alone = run_static(&w, 1) && a->c.armed != b->c.armed;
	w.caps.modes = ALL_MODES;
	together = run_static(&w, 1) && a->c.armed && b->c.armed;
	tap_ok(alone && together, "without_modes_to_join_watches_do_not_share");
	world_exit(&w);
}

static void nothing_wanted_nothing_used(void)
{
	struct world w;
	bool ok;

	world_init(&w, &four, 1, 1);
	add_plain(&w, 1, true, 0);
	ok = run_static(&w, 1) && hweight32(w.p.now.used) == 1;
	world_remove(&w, 0);
	ok &= run_static(&w, 1) && !w.p.now.used;
	add_plain(&w, 1, false, 0);
	w.caps.usable = 0;
	ok &= run_static(&w, 1) && !w.p.now.used && !w.watches[0]->c.armed &&
	      !gpubp_policy_rotates(&w.p);
	tap_ok(ok, "nothing_wanted_nothing_used");
	world_exit(&w);
}

/* pinned watches that share leave more slots than the sum of their blocks */
static void flexible_slots_are_those_not_pinned(void)
{
	struct world w;
	bool ok;

	world_init(&w, &four, 1, 1);
	ok = run_static(&w, 1) && w.p.flexible == 4;
	add_plain(&w, 1, true, 0);
	add_plain(&w, 2, false, 0);
	ok &= run_static(&w, 1) && w.p.flexible == 3;
	add_plain(&w, 1, true, 0)->c.ctx = 7;
	ok &= run_static(&w, 1) && w.p.flexible == 3;
	add_plain(&w, 3, true, 0);
	ok &= run_static(&w, 1) && w.p.flexible == 2;
	w.caps.usable = 0x10;
	ok &= run_static(&w, 1) && w.p.flexible == 0;
	tap_ok(ok, "flexible_slots_are_those_not_pinned");
	world_exit(&w);
}

/* pinned with an entry: the epoch ends without a turn of the entry */
static void a_pinned_watch_has_had_its_turn(void)
{
	struct world w;
	bool ok;

	world_init(&w, &four, 1, 1);
	w.all_have_turns = true;
	add_plain(&w, 1, true, 0);
	add_plain(&w, 2, true, 0);
	ok = !w.shares[0].epoch && run_static(&w, 1) && w.shares[0].epoch == 1;
	tap_ok(ok, "a_pinned_watch_has_had_its_turn");
	world_exit(&w);
}

/* ---- groups -------------------------------------------------------------- */

static void add_group(struct world *w, unsigned int group, unsigned int n)
{
	while (n--)
		add_plain(w, 1 + w->nr, false, group);
}

static unsigned int least_armed(const struct world *w)
{
	unsigned int i, least = ~0;

	for (i = 0; i < w->nr; i++)
		least = min(least, w->watches[i]->armed_count);
	return least;
}

/* three pairs, a triple and three single watches on four slots */
static void groups_are_armed_together(void)
{
	struct world w;
	bool ok;

	world_init(&w, &four, 1, 1);
	add_group(&w, 1, 2);
	add_group(&w, 0, 1);
	add_group(&w, 2, 2);
	add_group(&w, 0, 2);
	add_group(&w, 3, 2);
	add_group(&w, 4, 3);
	ok = run_static(&w, 700);
	tap_ok(ok && least_armed(&w) >= 100,
	       "groups_are_armed_together: each in at least %u of 700 quanta",
	       least_armed(&w));
	world_exit(&w);
}

/* it needs all slots, which are never all free once others are placed */
static void a_group_as_large_as_the_device_has_its_turn(void)
{
	struct world w;
	unsigned int i;
	bool ok;

	world_init(&w, &four, 1, 1);
	add_group(&w, 1, 4);
	add_group(&w, 0, 12);
	ok = run_static(&w, 700);
	for (i = 1; i < 4; i++)
		ok &= w.watches[i]->armed_count == w.watches[0]->armed_count;
	/*
	 * 12 turns of the others on three slots, and one quantum for the group
	 */
	tap_ok(ok && w.watches[0]->armed_count >= 700 / 5 - 1 &&
	       least_armed(&w) >= 700 / 5 - 1,
	       "a_group_as_large_as_the_device_has_its_turn: %u of 700 quanta",
	       w.watches[0]->armed_count);
	world_exit(&w);
}

static void a_member_that_comes_later_joins_its_group(void)
{
	struct world w;
	bool ok;

	world_init(&w, &four, 1, 1);
	add_group(&w, 1, 2);
	add_group(&w, 0, 5);
	ok = run_static(&w, 5);
	add_group(&w, 1, 1);
	ok = ok && run_static(&w, 100);
	tap_ok(ok && least_armed(&w) >= 25,
	       "a_member_that_comes_later_joins_its_group");
	world_exit(&w);
}

/* six watches on four slots; three watches on two slots */
static void a_group_too_large_has_turns_one_by_one(void)
{
	struct world large, left;
	bool ok;

	world_init(&large, &four, 1, 1);
	world_init(&left, &four, 1, 1);
	add_group(&large, 1, 6);
	add_plain(&left, 41, true, 0);
	add_plain(&left, 42, true, 0);
	add_group(&left, 1, 3);
	ok = run_static(&large, 600) && run_static(&left, 600);
	/* half is guaranteed, on three slots; a third on one of two slots */
	tap_ok(ok && least_armed(&large) >= 360 && least_armed(&left) >= 360,
	       "a_group_too_large_has_turns_one_by_one: %u and %u of 600",
	       least_armed(&large), least_armed(&left));
	world_exit(&large);
	world_exit(&left);
}

/* ---- modes --------------------------------------------------------------- */

/* for all sets of modes: the chosen mode is sufficient and minimal */
static bool mode_is_smallest_superset(u8 accesses, u32 modes)
{
	int mode = gpubp_mode_for(accesses, modes);
	unsigned int m;

	if (mode >= 0 && (!(modes & BIT(mode)) ||
			  (accesses & ~gpubp_mode_accesses(mode))))
		return false;
	for (m = 0; m < 4; m++) {
		u8 sees = gpubp_mode_accesses(m);

		if (!(modes & BIT(m)) || (accesses & ~sees))
			continue;
		if (mode < 0 || hweight8(sees) <
				hweight8(gpubp_mode_accesses(mode)))
			return false;
	}
	return mode >= 0 || mode == -EOPNOTSUPP;
}

static void modes_are_chosen(void)
{
	bool ok = gpubp_mode_for(0, ALL_MODES) == -EINVAL &&
		  gpubp_mode_for(8, ALL_MODES) == -EINVAL &&
		  gpubp_mode_for(GPUBP_ACCESS_STORE, ALL_MODES) ==
		  GPUBP_MODE_NONREAD &&
		  gpubp_mode_for(GPUBP_ACCESS_ATOMIC, ALL_MODES) ==
		  GPUBP_MODE_ATOMIC;
	unsigned int accesses, modes;

	for (accesses = 1; accesses < 8; accesses++)
		for (modes = 0; modes <= ALL_MODES; modes++)
			ok &= mode_is_smallest_superset(accesses, modes);
	tap_ok(ok, "modes_are_chosen");
}

static void modes_are_joined(void)
{
	unsigned int a, b;
	bool ok = true;

	for (a = 0; a < 4; a++)
		for (b = 0; b < 4; b++) {
			u8 both = gpubp_mode_accesses(a) |
				  gpubp_mode_accesses(b);
			int mode = gpubp_mode_union(a, b, ALL_MODES);

			ok &= mode == gpubp_mode_union(b, a, ALL_MODES);
			ok &= mode >= 0 &&
			      mode == gpubp_mode_for(both, ALL_MODES);
		}
	ok &= gpubp_mode_union(GPUBP_MODE_READ, GPUBP_MODE_READ, 0) ==
	      GPUBP_MODE_READ;
	ok &= gpubp_mode_union(GPUBP_MODE_READ, GPUBP_MODE_ATOMIC, 0) ==
	      -EOPNOTSUPP;
	tap_ok(ok, "modes_are_joined");
}

int main(void)
{
	tap_plan(ARRAY_SIZE(small_worlds) + 18 + NR_TURNS_TESTS +
		 NR_PLACEMENT_TESTS + NR_MODEL_TESTS + NR_MAXMIN_TESTS +
		 NR_CROWD_TESTS);
	every_small_world();
	random_worlds();
	one_long_random_run();
	pinned_are_not_displaced();
	a_broad_watch_has_its_turn_among_narrow_ones();
	broad_watches_take_turns();
	a_watch_that_never_fits_is_passed_over();
	all_contexts_share_one_value();
	who_is_served_anyway_keeps_its_turn();
	without_modes_to_join_watches_do_not_share();
	nothing_wanted_nothing_used();
	flexible_slots_are_those_not_pinned();
	a_pinned_watch_has_had_its_turn();
	groups_are_armed_together();
	a_group_as_large_as_the_device_has_its_turn();
	a_member_that_comes_later_joins_its_group();
	a_group_too_large_has_turns_one_by_one();
	modes_are_chosen();
	modes_are_joined();
	tap_note("%llu quanta judged", nr_quanta);
	turns_tests();
	placement_tests();
	model_tests();
	maxmin_tests();
	crowd_tests();
	return tap_status();
}
