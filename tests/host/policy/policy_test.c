// SPDX-License-Identifier: GPL-2.0
/*
 * The policy in every small world, in large random ones, and in a few that
 * have a name. judge.c knows the rules.
 */
#include <linux/bitops.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/string.h>
#include <uapi/linux/gpubp.h>

#include "../tap.h"
#include "judge.h"

#define ALL_MODES	0xf
#define WIDE(n)		{ 0x1000 * (n), 0xfffffffff000 }
#define NARROW(n)	{ 0x1000 * (n), 0xffffffffffc0 }

static u64 nr_quanta;

/* ---- every small world --------------------------------------------------- */

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

/* kind: cover, context, pinned, then mode */
static struct gpubp_cand watch_of_kind(unsigned int kind, u64 id)
{
	unsigned int cover = kind % ARRAY_SIZE(covers);
	unsigned int rest = kind / ARRAY_SIZE(covers);

	return (struct gpubp_cand) {
		.id = id,
		.ctx = rest & 1,
		.pinned = rest & 2,
		.mode = two_modes[rest >> 2 & 1],
		.nr_blocks = covers[cover].nr,
		.block = { covers[cover].block[0], covers[cover].block[1] },
	};
}

static unsigned int longest_wait(const struct world *w)
{
	unsigned int i, longest = 0;

	for (i = 0; i < w->nr; i++)
		if (!w->watches[i].pinned)
			longest = max(longest, w->waited[i]);
	return longest;
}

static unsigned int nr_flexible(const struct world *w)
{
	unsigned int i, n = 0;

	for (i = 0; i < w->nr; i++)
		n += !w->watches[i].pinned;
	return n;
}

/* the bound as policy.c states it: armed once in any ceil(N / k) quanta */
static bool bound_kept(const struct world *w)
{
	unsigned int sure = world_sure(w);

	if (!sure || longest_wait(w) < DIV_ROUND_UP(nr_flexible(w), sure))
		return true;
	if (longest_wait(w) == 0)
		return true;
	tap_note("waited %u quanta", longest_wait(w));
	world_print(w);
	return false;
}

static bool run_static(struct world *w, unsigned int quanta)
{
	while (quanta--) {
		nr_quanta++;
		if (world_step(w) || !bound_kept(w))
			return false;
	}
	return true;
}

static bool run_world(const unsigned int *kinds, unsigned int n, u32 usable,
		      bool banked)
{
	struct world w = {
		.caps = { usable, ALL_MODES, banked },
	};
	unsigned int i;

	for (i = 0; i < n; i++) {
		struct gpubp_cand c = watch_of_kind(kinds[i], i + 1);

		world_add(&w, &c);
	}
	if (!run_static(&w, n + 3))
		return false;
	/* a slot fails */
	w.caps.usable &= w.caps.usable - 1;
	nr_quanta++;
	return !world_step(&w);
}

static bool run_all_devices(const unsigned int *kinds, unsigned int n)
{
	static const u32 usable[] = { 0x2, 0x9, 0x16 };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(usable); i++)
		if (!run_world(kinds, n, usable[i], false) ||
		    !run_world(kinds, n, usable[i], true))
			return false;
	return true;
}

/*
 * All sequences of @n kinds below @nr_kinds; only ascending ones if @sorted
 * (whose watch it is does not matter then).
 */
static bool all_worlds(unsigned int n, unsigned int nr_kinds, bool sorted)
{
	unsigned int kinds[5] = {};
	unsigned int i;

	for (;;) {
		if (!run_all_devices(kinds, n))
			return false;
		for (i = n; i && ++kinds[i - 1] == nr_kinds; i--)
			kinds[i - 1] = 0;
		if (!i)
			return true;
		for (; sorted && i < n; i++)
			kinds[i] = kinds[i - 1];
	}
}

static void every_small_world(void)
{
	tap_ok(all_worlds(1, 2 * NR_KINDS, false), "every_world_of_1_watch");
	tap_ok(all_worlds(2, 2 * NR_KINDS, false), "every_world_of_2_watches");
	tap_ok(all_worlds(3, NR_KINDS, false),
	       "every_world_of_3_watches_of_one_mode");
	tap_ok(all_worlds(3, 2 * NR_KINDS, true),
	       "every_world_of_3_watches_in_one_order");
	tap_ok(all_worlds(4, NR_KINDS, true),
	       "every_world_of_4_watches_of_one_mode_in_one_order");
	tap_ok(all_worlds(5, NR_KINDS, true),
	       "every_world_of_5_watches_of_one_mode_in_one_order");
}

/* ---- large random worlds ------------------------------------------------- */

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

static void add_random(struct world *w, unsigned long long *seed, u64 id)
{
	unsigned int values = 1 + tap_random(seed) % 24;
	struct gpubp_cand c = {
		.id = id,
		.ctx = tap_random(seed) % 4,
		.mode = random_mode(seed, w->caps.modes),
		.pinned = tap_random(seed) % 16 == 0,
		.nr_blocks = 1 + tap_random(seed) % 3 / 2,
	};

	c.block[0] = random_block(seed, values);
	do {
		c.block[1] = random_block(seed, values + 1);
	} while (c.block[1].value == c.block[0].value);
	world_add(w, &c);
}

/* watches come and go, slots fail and come back */
static bool run_random(unsigned long long seed, unsigned int quanta)
{
	struct world w = {
		.caps = {
			.usable = tap_random(&seed) & 0xffff,
			.modes = 1 + tap_random(&seed) % ALL_MODES,
			.cntl_banked = tap_random(&seed) & 1,
		},
	};
	u64 id = 0;

	while (quanta--) {
		unsigned int dice = tap_random(&seed) % 16;

		if (w.nr < MAX_WATCHES && (dice < 3 || w.nr < 2))
			add_random(&w, &seed, ++id);
		else if (w.nr && dice == 3)
			world_remove(&w, tap_random(&seed) % w.nr);
		else if (dice == 4)
			w.caps.usable ^= 1 << tap_random(&seed) % 16;
		nr_quanta++;
		if (world_step(&w))
			return false;
	}
	return true;
}

static void random_worlds(void)
{
	unsigned long long seed = 20;
	bool ok = true;

	while (ok && seed < 170)
		ok = run_random(++seed * 0x9e3779b97f4a7c15ULL, 200);
	if (!ok)
		tap_note("world %llu", seed);
	tap_ok(ok, "random_worlds");
}

static void one_long_random_run(void)
{
	tap_ok(run_random(815, 15000), "one_long_random_run");
}

/* ---- worlds with a name -------------------------------------------------- */

static struct gpubp_cand plain(u64 id, unsigned int page, bool pinned)
{
	struct gpubp_cand c = {
		.id = id,
		.ctx = id,
		.mode = GPUBP_MODE_NONREAD,
		.pinned = pinned,
		.nr_blocks = 1,
		.block = { NARROW(page) },
	};
	return c;
}

static void more_watches_than_slots_share_evenly(void)
{
	struct world w = { .caps = { 0xf, ALL_MODES, true } };
	unsigned int i, least = ~0, most = 0;
	bool ok;

	for (i = 1; i <= 7; i++) {
		struct gpubp_cand c = plain(i, i, false);

		world_add(&w, &c);
	}
	ok = run_static(&w, 1000);
	for (i = 0; i < w.nr; i++) {
		least = min(least, w.armed_count[i]);
		most = max(most, w.armed_count[i]);
	}
	tap_ok(ok && most - least <= 1 && w.st.quantum == 1000,
	       "more_watches_than_slots_share_evenly: %u to %u of 1000 quanta",
	       least, most);
}

static void pinned_are_not_displaced(void)
{
	struct world w = { .caps = { 0xf, ALL_MODES, false } };
	unsigned int i;
	bool ok;

	for (i = 1; i <= 40; i++) {
		struct gpubp_cand c = plain(i, i, i > 37);

		world_add(&w, &c);
	}
	ok = run_static(&w, 200);
	for (i = 0; i < w.nr; i++)
		ok &= w.watches[i].pinned == (w.armed_count[i] == 200);
	tap_ok(ok, "pinned_are_not_displaced");
}

static void a_broad_watch_has_its_turn_among_narrow_ones(void)
{
	struct world w = { .caps = { 0x3, ALL_MODES, true } };
	struct gpubp_cand broad = plain(9, 20, false);
	unsigned int i;
	bool ok;

	broad.nr_blocks = 2;
	broad.block[1] = (struct gpubp_block)NARROW(21);
	for (i = 1; i <= 5; i++) {
		struct gpubp_cand c = plain(i, i, false);

		world_add(&w, &c);
	}
	world_add(&w, &broad);
	ok = run_static(&w, 60);
	tap_ok(ok && w.armed_count[5] >= 10,
	       "a_broad_watch_has_its_turn_among_narrow_ones: %u of 60 quanta",
	       w.armed_count[5]);
}

static void all_contexts_share_one_value(void)
{
	struct world w = { .caps = { 0x4, ALL_MODES, true } };
	unsigned int i, armed = 0;
	bool ok;

	for (i = 1; i <= 40; i++) {
		struct gpubp_cand c = plain(i, 1, false);

		world_add(&w, &c);
	}
	ok = !world_step(&w);
	for (i = 0; i < w.nr; i++)
		armed += w.watches[i].armed && w.watches[i].slots == 0x4;
	tap_ok(ok && armed == 40 &&
	       !gpubp_policy_rotates(&w.caps, w.watches, w.nr),
	       "all_contexts_share_one_value");
}

static void without_modes_to_join_watches_do_not_share(void)
{
	struct world w = { .caps = { 0x1, 0, true } };
	struct gpubp_cand a = plain(1, 1, false), b = a;
	bool alone, together;

	b.id = 2;
	b.mode = GPUBP_MODE_READ;
	world_add(&w, &a);
	world_add(&w, &b);
	w.caps.modes = BIT(GPUBP_MODE_READ) | BIT(GPUBP_MODE_NONREAD);
	alone = !world_step(&w) && w.watches[0].armed && !w.watches[1].armed;
	w.caps.modes = ALL_MODES;
	together = !world_step(&w) && w.watches[0].armed && w.watches[1].armed;
	tap_ok(alone && together, "without_modes_to_join_watches_do_not_share");
}

static void nothing_wanted_nothing_used(void)
{
	struct world w = { .caps = { 0xf, ALL_MODES, true } };
	struct gpubp_cand c = plain(1, 1, true);
	bool ok;

	world_add(&w, &c);
	ok = !world_step(&w) && hweight32(w.st.used) == 1;
	world_remove(&w, 0);
	ok &= !world_step(&w) && !w.st.used;
	world_add(&w, &c);
	w.caps.usable = 0;
	ok &= !world_step(&w) && !w.st.used && !w.watches[0].armed &&
	      !gpubp_policy_rotates(&w.caps, w.watches, w.nr);
	tap_ok(ok, "nothing_wanted_nothing_used");
}

static void flexible_slots_are_those_not_pinned(void)
{
	struct gpubp_policy_caps caps = { 0x17, ALL_MODES, true };
	struct gpubp_cand c[3] = {
		plain(1, 1, true), plain(2, 2, false), plain(3, 3, true),
	};
	bool ok;

	c[2].nr_blocks = 2;
	ok = gpubp_policy_flexible_slots(&caps, c, 0) == 4 &&
	     gpubp_policy_flexible_slots(&caps, c, 2) == 3 &&
	     gpubp_policy_flexible_slots(&caps, c, 3) == 1;
	caps.usable = 0x10;
	tap_ok(ok && gpubp_policy_flexible_slots(&caps, c, 3) == 0,
	       "flexible_slots_are_those_not_pinned");
}

/* ---- modes --------------------------------------------------------------- */

/* of all sets of modes: the choice sees what it must and nothing smaller would do */
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
			ok &= mode >= 0 && mode == gpubp_mode_for(both, ALL_MODES);
		}
	ok &= gpubp_mode_union(GPUBP_MODE_READ, GPUBP_MODE_READ, 0) ==
	      GPUBP_MODE_READ;
	ok &= gpubp_mode_union(GPUBP_MODE_READ, GPUBP_MODE_ATOMIC, 0) ==
	      -EOPNOTSUPP;
	tap_ok(ok, "modes_are_joined");
}

/* ---- groups --------------------------------------------------------------- */

#define MAX_GROUPED	24

struct grouped {
	struct gpubp_policy_caps caps;
	struct gpubp_policy_state st;
	struct gpubp_cand watches[MAX_GROUPED];
	unsigned int armed_count[MAX_GROUPED];
	unsigned int nr;
};

static void add_grouped(struct grouped *g, u64 group, unsigned int n,
			bool pinned)
{
	while (n--) {
		struct gpubp_cand c = plain(g->nr, g->nr + 1, pinned);

		c.ctx = 0;
		c.group = group;
		g->watches[g->nr++] = c;
	}
}

/* one quantum: was some group armed in part? counts are by id */
static bool in_part(struct grouped *g)
{
	unsigned int i, j;
	bool part = false;

	gpubp_policy_next(&g->st, &g->caps, g->watches, g->nr);
	for (i = 0; i < g->nr; i++) {
		g->armed_count[g->watches[i].id] += g->watches[i].armed;
		for (j = 0; j < i; j++)
			part |= g->watches[i].group &&
				g->watches[i].group == g->watches[j].group &&
				g->watches[i].armed != g->watches[j].armed;
	}
	return part;
}

static unsigned int quanta_in_part(struct grouped *g, unsigned int quanta)
{
	unsigned int n = 0;

	while (quanta--)
		n += in_part(g);
	return n;
}

static unsigned int least_armed(const struct grouped *g)
{
	unsigned int i, least = ~0;

	for (i = 0; i < g->nr; i++)
		least = min(least, g->armed_count[i]);
	return least;
}

/* three pairs, a triple and three alone on four slots */
static void groups_are_armed_together(void)
{
	struct grouped g = { .caps = { 0xf, ALL_MODES, true } };
	unsigned int part;

	add_grouped(&g, 1, 2, false);
	add_grouped(&g, 0, 1, false);
	add_grouped(&g, 2, 2, false);
	add_grouped(&g, 0, 2, false);
	add_grouped(&g, 3, 2, false);
	add_grouped(&g, 4, 3, false);
	part = quanta_in_part(&g, 700);
	tap_ok(!part && least_armed(&g) >= 100,
	       "groups_are_armed_together: each in at least %u of 700 quanta",
	       least_armed(&g));
}

static void a_member_that_comes_later_joins_its_group(void)
{
	struct grouped g = { .caps = { 0xf, ALL_MODES, true } };
	unsigned int part;

	add_grouped(&g, 1, 2, false);
	add_grouped(&g, 0, 5, false);
	part = quanta_in_part(&g, 5);
	add_grouped(&g, 1, 1, false);
	part += quanta_in_part(&g, 100);
	tap_ok(!part && least_armed(&g) >= 25,
	       "a_member_that_comes_later_joins_its_group");
}

/* six watches on four slots; two left by pinned ones for three */
static void a_group_too_large_has_turns_one_by_one(void)
{
	struct grouped large = { .caps = { 0xf, ALL_MODES, true } };
	struct grouped left = { .caps = { 0xf, ALL_MODES, true } };

	add_grouped(&large, 1, 6, false);
	add_grouped(&left, 0, 2, true);
	add_grouped(&left, 1, 3, false);
	quanta_in_part(&large, 60);
	quanta_in_part(&left, 60);
	tap_ok(least_armed(&large) == 40 && least_armed(&left) == 40,
	       "a_group_too_large_has_turns_one_by_one: %u and %u of 60",
	       least_armed(&large), least_armed(&left));
}

int main(void)
{
	tap_plan(20);
	every_small_world();
	random_worlds();
	one_long_random_run();
	more_watches_than_slots_share_evenly();
	pinned_are_not_displaced();
	a_broad_watch_has_its_turn_among_narrow_ones();
	all_contexts_share_one_value();
	without_modes_to_join_watches_do_not_share();
	nothing_wanted_nothing_used();
	flexible_slots_are_those_not_pinned();
	modes_are_chosen();
	modes_are_joined();
	groups_are_armed_together();
	a_member_that_comes_later_joins_its_group();
	a_group_too_large_has_turns_one_by_one();
	tap_note("%llu quanta judged", nr_quanta);
	return tap_status();
}
