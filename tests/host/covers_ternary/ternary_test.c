// SPDX-License-Identifier: GPL-2.0
/*
 * Covers with holes against the judges, against covers without holes, and how
 * often what is found is the best there is.
 *
 * GPUBP_SOAK=N does the random parts N times.
 */
#include <linux/bitops.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/string.h>

#include "../tap.h"
#include "covers_ternary.h"
#include "judge.h"
#include "parts.h"

#define GRANULE	64
#define SHIFT	6
#define VA_BITS	48
#define BASE	0x123456000000ULL	/* aligned to more than a map */

unsigned long soak = 1;

static unsigned long long rnd = 0x9e3779b97f4a7c15ULL;
static struct gpubp_ternary search;
static unsigned long nr_checked;

unsigned int random_below(unsigned int n)
{
	return (tap_random(&rnd) >> 32) % n;
}

/* ---- a search and what it must be ------------------------------------------- */

/**
 * struct task - what is to be covered
 * @rules: which masks there are
 * @nr: granules, different ones
 * @granule: they
 */
struct task {
	struct rules rules;
	unsigned int nr;
	unsigned int granule[GPUBP_TERNARY_BLOCKS];
};

struct found {
	int nr;
	u64 compared;
	struct gpubp_block block[GPUBP_COVERS_MAX];
};

static struct gpubp_cover_caps caps_of(const struct rules *r)
{
	return (struct gpubp_cover_caps) {
		GRANULE, (u64)GRANULE << r->order, VA_BITS,
	};
}

static struct gpubp_block block_of(unsigned int granule)
{
	return (struct gpubp_block) {
		.value = BASE + (u64)granule * GRANULE,
		.mask = GENMASK_ULL(VA_BITS - 1, SHIFT),
	};
}

static bool is_covered(unsigned int granule, const struct found *f)
{
	u64 addr = BASE + (u64)granule * GRANULE;
	int i;

	for (i = 0; i < f->nr; i++)
		if (gpubp_block_contains(&f->block[i], addr))
			return true;
	return false;
}

static bool block_ok(const struct rules *r, const struct gpubp_block *b)
{
	u64 open = GENMASK_ULL(VA_BITS - 1, 0) & ~b->mask;

	return !(b->value & ~b->mask) && (open & (GRANULE - 1)) == GRANULE - 1 &&
	       open >> SHIFT < 1U << 16 && rules_allow(r, open >> SHIFT);
}

/* nothing watched escapes, no mask that is not there, and the sum is right */
static bool found_ok(const struct task *t, unsigned int k, const struct found *f)
{
	u64 bytes = f->compared;
	unsigned int i;
	int n;

	if (f->nr < 0)
		return f->nr == -ERANGE;
	if (f->nr > (int)k)
		return false;
	for (i = 0; i < t->nr; i++)
		if (!is_covered(t->granule[i], f))
			return false;
	for (n = 0; n < f->nr; n++) {
		bytes -= gpubp_block_size(&f->block[n]);
		if (!block_ok(&t->rules, &f->block[n]) ||
		    (n && f->block[n].value < f->block[n - 1].value))
			return false;
	}
	return !bytes;
}

/* Return: granules compared, NEVER if there is no cover, 0: it is wrong */
static u64 cover(const struct task *t, unsigned int k, struct found *f)
{
	struct gpubp_block block[GPUBP_TERNARY_BLOCKS];
	struct gpubp_cover_caps caps = caps_of(&t->rules);
	unsigned int i;

	for (i = 0; i < t->nr; i++)
		block[i] = block_of(t->granule[i]);
	nr_checked++;
	f->nr = gpubp_ternary_cover(&search, &caps,
				    (u64)t->rules.holes << SHIFT, block, t->nr,
				    k, f->block, &f->compared);
	if (!found_ok(t, k, f))
		return 0;
	return f->nr < 0 ? NEVER : f->compared >> SHIFT;
}

/* ---- what is to be covered ---------------------------------------------------- */

static bool add_granule(struct task *t, unsigned int granule)
{
	unsigned int i;

	for (i = 0; i < t->nr; i++)
		if (t->granule[i] == granule)
			return false;
	t->granule[t->nr++] = granule;
	return true;
}

/* anywhere */
static void scattered(struct task *t, unsigned int nr, unsigned int below)
{
	while (t->nr < nr)
		add_granule(t, random_below(below));
}

/* fields of structs, and some that are nowhere */
static void strided(struct task *t, unsigned int nr, unsigned int below)
{
	unsigned int first = 0, step = 1, tries = 0;

	while (t->nr < nr) {
		if (!random_below(4)) {
			first = random_below(below);
			step = 1U << random_below(fls(below) - 1);
		}
		first += step;
		if (first >= below || tries++ > 1000)
			first = random_below(below);
		add_granule(t, first);
	}
}

static void random_task(struct task *t, unsigned int nr, unsigned int below)
{
	t->nr = 0;
	if (random_below(2))
		scattered(t, nr, below);
	else
		strided(t, nr, below);
}

static struct rules random_rules(void)
{
	struct rules r = { .order = 3 + random_below(6) };

	r.holes = (1U << r.order) - 1;
	if (!random_below(3))
		r.holes &= random_below(MAP_SIZE);
	return r;
}

/* ---- one comparator: exact ------------------------------------------------------ */

static bool one_is_least(const struct task *t)
{
	struct found f;

	return cover(t, 1, &f) == judge_one(&t->rules, t->granule, t->nr);
}

static bool pairs_under(const struct rules *r)
{
	struct task t = { .rules = *r, .nr = 2 };
	unsigned int a, b;

	for (a = 0; a < MAP_SIZE; a++)
		for (b = 0; b < a; b++) {
			t.granule[0] = a;
			t.granule[1] = b;
			if (!one_is_least(&t))
				return false;
		}
	return true;
}

static void one_block(void)
{
	static const struct rules rules[] = {
		{ 8, 0xff }, { 7, 0x5a },
	};
	struct task t;
	unsigned long n;
	bool ok = true;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rules); i++)
		ok = ok && pairs_under(&rules[i]);
	tap_ok(ok, "every pair of 256 granules: the smallest mask around it");
	for (n = 0; n < 5000 * soak && ok; n++) {
		t.rules = random_rules();
		random_task(&t, 1 + random_below(n % 8 ? 6 : 64), MAP_SIZE);
		ok = one_is_least(&t);
	}
	tap_ok(ok, "up to 64 of 256 granules: the smallest mask around them");
}

/* ---- few comparators: how often is it the best ------------------------------------ */

/**
 * struct tally - what was found
 * @nr: covers, where there is one
 * @best: as good as the best there is
 * @worst: most that one compared, in percent of the best
 */
struct tally {
	unsigned long nr, best;
	unsigned int worst;
};

static bool count(struct tally *t, u64 found, u64 least)
{
	if (least == NEVER || found < least)
		return found == least;
	t->nr++;
	t->best += found == least;
	if (found != NEVER)
		t->worst = max(t->worst, (unsigned int)(100 * found / least));
	return true;
}

static double percent(const struct tally *t)
{
	return 100.0 * t->best / t->nr;
}

static void note_tally(const struct tally *t, unsigned int k, const char *what)
{
	tap_note("%u comparators, %s: %.2f%% of %lu the best, the worst %u%% of it",
		 k, what, percent(t), t->nr, t->worst);
}

static bool all_counts(struct task *t, struct tally *tally)
{
	u64 least[JUDGE_GROUPS + 1];
	struct found f;
	unsigned int k;

	judge_splits(&t->rules, t->granule, t->nr, least);
	if (cover(t, 1, &f) != least[1])
		return false;
	for (k = 2; k <= JUDGE_GROUPS; k++)
		if (!count(&tally[k], cover(t, k, &f), least[k]))
			return false;
	return true;
}

static void every_split(void)
{
	struct tally tally[JUDGE_GROUPS + 1] = {};
	struct task t;
	unsigned long n;
	unsigned int k;
	bool ok = true;

	for (n = 0; n < 1000 * soak && ok; n++) {
		t.rules = random_rules();
		random_task(&t, 5 + random_below(n % 16 ? 4 : 6),
			    random_below(4) ? max(1U << t.rules.order, 16U) :
			    MAP_SIZE);
		ok = all_counts(&t, tally);
	}
	for (k = 2; k <= JUDGE_GROUPS; k++) {
		note_tally(&tally[k], k, "up to 10 blocks");
		ok = ok && percent(&tally[k]) >= 99 && tally[k].worst <= 200;
	}
	tap_ok(ok, "2 to 4 comparators: nearly always the best of all splits");
}

static void every_subset(void)
{
	static u8 least[1 << 16];
	struct tally tally = {};
	struct task t = { .rules = { 4, 15 } };
	unsigned int set, g;
	struct found f;
	bool ok = true;

	judge_pairs(least);
	for (set = 1; set < 1U << 16 && ok; set += 13) {
		t.nr = 0;
		for (g = 0; g < 16; g++)
			if (set >> g & 1)
				t.granule[t.nr++] = g;
		ok = count(&tally, cover(&t, 2, &f), least[set]);
	}
	note_tally(&tally, 2, "subsets of 16 granules");
	tap_ok(ok && percent(&tally) >= 99,
	       "subsets of 16 granules: nearly always the best pair of masks");
}

/* ---- without holes ------------------------------------------------------------------ */

static void *node_alloc(size_t size)
{
	return malloc(size);
}

static void node_free(void *node, size_t size)
{
	(void)size;
	free(node);
}

const struct gpubp_covers_mem test_mem = { node_alloc, node_free };

static bool same_as_tree(struct task *t, unsigned int most,
			 unsigned long *better)
{
	struct gpubp_cover_caps caps = caps_of(&t->rules);
	struct gpubp_block b[GPUBP_COVERS_MAX];
	struct task plain = *t;
	struct gpubp_covers tree;
	struct found f;
	unsigned int i, k;
	bool ok = true;
	u64 bytes, got;

	plain.rules.holes = 0;
	if (gpubp_covers_init(&tree, &caps, most, &test_mem))
		abort();
	for (i = 0; i < t->nr; i++)
		ok = ok && !gpubp_covers_insert(&tree, BASE + (u64)t->granule[i] *
						GRANULE, GRANULE, 1);
	for (k = 1; k <= most && ok; k++) {
		u64 least = gpubp_covers_best(&tree, k, b, &bytes) < 0 ?
			    NEVER : bytes >> SHIFT;

		ok = cover(&plain, k, &f) == least;
		got = cover(t, k, &f);
		ok = ok && got && got <= least;
		*better += got < least;
	}
	gpubp_covers_exit(&tree);
	return ok;
}

static void never_worse(void)
{
	static const u8 most[] = { 1, 2, 3, 4, 4, 4, 16 };
	unsigned long n, better = 0;
	struct task t;
	bool ok = true;

	for (n = 0; n < 600 * soak && ok; n++) {
		t.rules = random_rules();
		random_task(&t, 1 + random_below(n % 2 ? 12 : 64), MAP_SIZE);
		ok = same_as_tree(&t, most[n % ARRAY_SIZE(most)], &better);
	}
	tap_note("%lu covers compare less than the best without holes", better);
	tap_ok(ok && better,
	       "the best without holes if there are none, never worse if there are");
}

/* ---- what it is for ------------------------------------------------------------------- */

static bool covers_exactly(struct task *t, unsigned int k)
{
	struct found f;

	return cover(t, k, &f) == t->nr && f.nr <= (int)k;
}

static void fields_of_arrays(void)
{
	struct task t = { .rules = { 8, 0xff } };
	unsigned int log, i;
	bool ok = true;

	for (log = 1; log <= 3; log++) {
		t.nr = 0;
		for (i = 0; i < 32; i++)
			t.granule[t.nr++] = 3 * log % (1U << log) + (i << log);
		ok = ok && covers_exactly(&t, 1);
	}
	tap_ok(ok, "a field of every second, fourth, eighth struct: one, no strays");
	t.nr = 0;
	for (i = 0; i < 16; i++) {
		t.granule[t.nr++] = 1 + 8 * i;
		t.granule[t.nr++] = 6 + 8 * i;
		t.granule[t.nr++] = 128 + 4 + 8 * i;
	}
	t.granule[t.nr++] = 255;
	tap_ok(covers_exactly(&t, 4) && !covers_exactly(&t, 3),
	       "three fields and something else: four, no strays");
}

static void same_again(void)
{
	struct found a, b;
	struct task t;
	unsigned int n;
	bool ok = true;

	for (n = 0; n < 50; n++) {
		t.rules = random_rules();
		random_task(&t, 40, MAP_SIZE);
		memset(&search, n, sizeof(search));
		memset(&a, 0, sizeof(a));
		cover(&t, 4, &a);
		memset(&search, ~n, sizeof(search));
		memset(&b, 0, sizeof(b));
		cover(&t, 4, &b);
		ok = ok && !memcmp(&a, &b, sizeof(a));
	}
	tap_ok(ok, "the same blocks, the same cover");
}

/* ---- edges ------------------------------------------------------------------------------ */

static int cover_of(const struct gpubp_block *b, unsigned int nr, u64 holes,
		    unsigned int k)
{
	struct gpubp_cover_caps caps = { GRANULE, GRANULE << 8, VA_BITS };
	struct gpubp_block out[GPUBP_COVERS_MAX];
	u64 compared;

	return gpubp_ternary_cover(&search, &caps, holes, b, nr, k, out,
				   &compared);
}

static void what_is_refused(void)
{
	const u64 all = GENMASK_ULL(VA_BITS - 1, SHIFT), hole = 1 << 8;
	struct gpubp_block b[GPUBP_TERNARY_BLOCKS + 1] = {
		{ 0, all & ~hole }, { 0, all }, { hole, all },
		{ 1ULL << 40, all },
	};

	tap_ok(cover_of(b, 0, hole, 1) == 0 && cover_of(b, 1, hole, 0) == -ERANGE &&
	       cover_of(b, 3, hole, 1) == 1 && cover_of(b + 1, 2, hole, 2) == 1 &&
	       cover_of(b, 4, hole, 1) == -ERANGE && cover_of(b, 4, hole, 2) == 2 &&
	       cover_of(b, 1, 0, 1) == -EINVAL &&
	       cover_of(b, GPUBP_TERNARY_BLOCKS + 1, hole, 1) == -EINVAL,
	       "nothing, none, what is in another's, too far, a hole, too many");
	b[0] = (struct gpubp_block) { 1, all };
	b[1] = (struct gpubp_block) { 0, all | 1 };
	b[2] = (struct gpubp_block) { 1ULL << VA_BITS, all };
	b[3] = (struct gpubp_block) { 0, all & -((u64)GRANULE << 9) };
	tap_ok(cover_of(b, 1, hole, 1) == -EINVAL &&
	       cover_of(b + 1, 1, hole, 1) == -EINVAL &&
	       cover_of(b + 2, 1, hole, 1) == -EINVAL &&
	       cover_of(b + 3, 1, hole, 1) == -EINVAL,
	       "no granule, below one, no address, larger than there are");
}

static void large_blocks(void)
{
	struct gpubp_cover_caps caps = { 1U << 31, 1ULL << 57, 64 };
	u64 top = 127ULL << 57, half = 1ULL << 56;
	struct gpubp_block out[GPUBP_COVERS_MAX], b[] = {
		{ 0, top }, { 1ULL << 63, top | half }, { top, top | half },
		{ top | 3ULL << 55, top | 3ULL << 55 },
	};
	u64 compared;
	bool ok;

	ok = gpubp_ternary_cover(&search, &caps, ~0ULL, b, 4, 2, out,
				 &compared) == -ERANGE &&
	     gpubp_ternary_cover(&search, &caps, ~0ULL, b, 4, 3, out,
				 &compared) == 3 &&
	     compared == 5 * half && out[2].value == top &&
	     gpubp_ternary_cover(&search, &caps, ~0ULL, b, 4, 4, out,
				 &compared) == 4 && compared == 9 * half / 2;
	tap_ok(ok, "blocks as large as a device can have");
	caps.max_block <<= 1;
	tap_ok(gpubp_ternary_cover(&search, &caps, 0, b, 1, 1, out,
				   &compared) == -EINVAL,
	       "blocks of too many granules");
}

int main(void)
{
	const char *s = getenv("GPUBP_SOAK");

	if (s)
		soak = strtoul(s, NULL, 0);
	tap_plan(12 + HOLES_TESTS);
	one_block();
	every_split();
	every_subset();
	never_worse();
	fields_of_arrays();
	same_again();
	what_is_refused();
	large_blocks();
	holes_tests();
	tap_note("%lu covers compared", nr_checked);
	return tap_status();
}
