// SPDX-License-Identifier: GPL-2.0
/* Blocks widened with holes, against a map of granules. */
#include <linux/bitops.h>
#include <linux/kernel.h>
#include <linux/string.h>

#include "../tap.h"
#include "lib/range_trie.h"
#include "parts.h"

#define GRANULE	64
#define SHIFT	6
#define VA_BITS	48
#define BASE	0x123456000000ULL
#define GRANULES	256

static unsigned long nr_widened, nr_larger;

struct world {
	struct gpubp_range_trie tree;
	bool watched[GRANULES];
	unsigned int order;
};

static void node_free(struct gpubp_trie_node *n)
{
	if (n->order) {
		node_free(n->child[0]);
		node_free(n->child[1]);
		mem.free(n, gpubp_range_trie_fork_size());
	} else {
		mem.free(n, gpubp_range_trie_leaf_size());
	}
}

static void tree_free(struct gpubp_range_trie *c)
{
	if (c->root)
		node_free(c->root);
	c->root = NULL;
}

static void world_init(struct world *w, unsigned int order)
{
	struct gpubp_block_caps caps = {
		GRANULE, (u64)GRANULE << order, VA_BITS,
	};

	memset(w, 0, sizeof(*w));
	w->order = order;
	if (gpubp_range_trie_init(&w->tree, &caps, &mem))
		abort();
}

static void watch(struct world *w, unsigned int first, unsigned int nr)
{
	unsigned int i;

	if (gpubp_range_trie_insert(&w->tree, BASE + (u64)first * GRANULE,
				    (u64)nr * GRANULE))
		abort();
	for (i = first; i < first + nr; i++)
		w->watched[i] = true;
}

static struct gpubp_block block_at(unsigned int granule, unsigned int order)
{
	u64 mask = GENMASK_ULL(VA_BITS - 1, SHIFT + order);

	return (struct gpubp_block) {
		(BASE + (u64)granule * GRANULE) & mask, mask,
	};
}

static unsigned int watched_in(const struct world *w,
			       const struct gpubp_block *b)
{
	unsigned int g, nr = 0;

	for (g = 0; g < GRANULES; g++)
		nr += w->watched[g] &&
		      gpubp_block_contains(b, BASE + (u64)g * GRANULE);
	return nr;
}

/* @a is a subset of @b */
static bool is_within(const struct gpubp_block *a, const struct gpubp_block *b)
{
	return !(b->mask & ~a->mask) && gpubp_block_contains(b, a->value);
}

/* all watched granules of @a are in @b */
static bool has_all_watched(const struct world *w, const struct gpubp_block *a,
			    const struct gpubp_block *b)
{
	unsigned int g;
	u64 addr;

	for (g = 0; g < GRANULES; g++) {
		addr = BASE + (u64)g * GRANULE;
		if (w->watched[g] && gpubp_block_contains(a, addr) &&
		    !gpubp_block_contains(b, addr))
			return false;
	}
	return true;
}

static bool legal(const struct world *w, const struct gpubp_block *b)
{
	u64 open = GENMASK_ULL(VA_BITS - 1, 0) & ~b->mask;

	return !(b->value & open) && (open & (GRANULE - 1)) == GRANULE - 1 &&
	       !(open >> SHIFT >> w->order);
}

/* all properties of a widened block, compared with widening without holes */
static bool widening_ok(const struct world *w, const struct gpubp_block *own,
			u32 max_stray, struct gpubp_block *b)
{
	struct gpubp_block plain = *own;
	unsigned int size, watched, without;

	*b = *own;
	gpubp_range_trie_widen_ternary(&w->tree, b, max_stray);
	gpubp_range_trie_widen(&w->tree, &plain, max_stray);
	nr_widened++;
	nr_larger += watched_in(w, b) > watched_in(w, &plain);
	if (!is_within(own, b) || !legal(w, b))
		return false;
	if (!has_all_watched(w, &plain, b))
		return false;
	size = gpubp_block_size(b) >> SHIFT;
	watched = watched_in(w, b);
	without = watched_in(w, &plain);
	if (b->mask != own->mask && watched * max_stray < size)
		return false;
	/* contains its granules, and has no more strays than without holes */
	return watched >= without &&
	       (watched > without ||
		size <= gpubp_block_size(&plain) >> SHIFT);
}

/* granules that share one block without holes share one block with them */
static bool stay_together(const struct world *w, unsigned int granule,
			  u32 max_stray, const struct gpubp_block *b)
{
	struct gpubp_block plain = block_at(granule, 0), other;
	unsigned int g;

	gpubp_range_trie_widen(&w->tree, &plain, max_stray);
	for (g = 0; g < GRANULES; g++) {
		if (!w->watched[g] ||
		    !gpubp_block_contains(&plain, BASE + (u64)g * GRANULE))
			continue;
		other = block_at(g, 0);
		gpubp_range_trie_widen_ternary(&w->tree, &other, max_stray);
		if (other.value != b->value || other.mask != b->mask)
			return false;
	}
	return true;
}

static bool all_widenings(const struct world *w, u32 max_stray)
{
	struct gpubp_block own, b;
	unsigned int g;

	for (g = 0; g < GRANULES; g++) {
		if (!w->watched[g])
			continue;
		own = block_at(g, 0);
		if (!widening_ok(w, &own, max_stray, &b) ||
		    !stay_together(w, g, max_stray, &b))
			return false;
	}
	return true;
}

/* blocks of any size, watched or not */
static bool any_widenings(const struct world *w, unsigned int n)
{
	struct gpubp_block own, b;

	while (n--) {
		own = block_at(random_below(GRANULES),
			       random_below(w->order + 1));
		if (!widening_ok(w, &own, random_below(20), &b))
			return false;
	}
	return true;
}

static void some_watches(struct world *w)
{
	unsigned int i, j, nr = 1 + random_below(12), first, step;

	for (i = 0; i < nr; i++) {
		first = random_below(GRANULES);
		step = 1U << random_below(7);
		if (random_below(2)) {
			watch(w, first, 1 + random_below(GRANULES - first) % 9);
			continue;
		}
		for (j = first & ~(8 * step - 1); j < GRANULES; j += step)
			watch(w, j + first % step, 1);
	}
}

static void random_widenings(void)
{
	struct world w;
	unsigned long n;
	bool ok = true;

	for (n = 0; n < 120 * soak && ok; n++) {
		world_init(&w, 1 + random_below(8));
		some_watches(&w);
		ok = all_widenings(&w, 0) && all_widenings(&w, 1) &&
		     any_widenings(&w, 100);
		tree_free(&w.tree);
	}
	tap_note("%lu lifts, %lu of them of more than without holes", nr_widened,
		 nr_larger);
	tap_ok(ok && nr_larger,
	       "lifts: watched enough, and never worse than without holes");
}

/* with few watches the search limit is never reached */
static void together_with_strays(void)
{
	struct world w;
	unsigned long n;
	u32 stray;
	bool ok = true;

	for (n = 0; n < 300 * soak && ok; n++) {
		world_init(&w, 1 + random_below(5));
		some_watches(&w);
		for (stray = 2; stray < 9 && ok; stray++)
			ok = all_widenings(&w, stray);
		tree_free(&w.tree);
	}
	tap_ok(ok, "one block without holes is one with them, strays or not");
}

static void strides(void)
{
	static const u32 strays[] = { 1, 2, 3, 8, ~0U };
	struct gpubp_block b;
	struct world w;
	unsigned int log, g;
	bool ok = true;
	size_t i;

	for (log = 1; log <= 4; log++) {
		world_init(&w, 8);
		for (g = 0; g < GRANULES / 4; g += 1U << log)
			watch(&w, g + 1, 1);
		for (i = 0; i < ARRAY_SIZE(strays) && ok; i++)
			for (g = 0; g < GRANULES / 4; g += 1U << log) {
				b = block_at(g + 1, 0);
				gpubp_range_trie_widen_ternary(&w.tree, &b,
							       strays[i]);
				ok = ok && watched_in(&w, &b) == 64U >> log &&
				     gpubp_block_size(&b) >> SHIFT == 64U >> log;
			}
		tree_free(&w.tree);
	}
	tap_ok(ok, "a field of every second to sixteenth struct: no strays");
}

/* 1 + 2 + ... + 64 of them, and one for the bit that stays compared */
static void looks_are_limited(void)
{
	struct gpubp_block_caps caps = { GRANULE, GRANULE << 20, VA_BITS };
	struct gpubp_block b;
	struct gpubp_range_trie c;
	u64 addr;
	bool ok = true;
	unsigned int i;

	if (gpubp_range_trie_init(&c, &caps, &mem))
		abort();
	for (i = 0; i < 4096; i++)
		ok = ok && !gpubp_range_trie_insert(&c, i * 2ULL * GRANULE, 4);
	for (addr = 0; addr < 8192 * GRANULE; addr += 62 * GRANULE) {
		b = (struct gpubp_block) { addr, GENMASK_ULL(VA_BITS - 1, 6) };
		gpubp_range_trie_widen_ternary(&c, &b, 1);
		ok = ok && gpubp_block_size(&b) == 128 * GRANULE &&
		     gpubp_block_last(&b) - b.value == 255 * GRANULE - 1 &&
		     gpubp_block_contains(&b, addr);
	}
	tree_free(&c);
	tap_ok(ok, "an array of 4096: blocks of 128");
}

/*
 * A field of @field granules in each of 1024 structs: the search limit is
 * reached long before all of it is one block. Then no half may be dropped if it
 * is unknown whether it is watched: the result contains the block without
 * holes, and enough of it is watched.
 */
static bool array_keeps_all(unsigned int stride, unsigned int field,
			    u32 max_stray)
{
	struct gpubp_block_caps caps = { GRANULE, GRANULE << 14, VA_BITS };
	struct gpubp_block plain, b;
	struct gpubp_range_trie c;
	unsigned int i;
	bool ok = true;

	if (gpubp_range_trie_init(&c, &caps, &mem))
		abort();
	for (i = 0; i < 1024; i++)
		ok = ok && !gpubp_range_trie_insert(&c, BASE + (u64)i * stride *
						    GRANULE, field * GRANULE);
	for (i = 0; i < 1024 * stride && ok; i += 61) {
		u64 addr = BASE + (u64)i * GRANULE;

		plain = (struct gpubp_block) {
			addr, GENMASK_ULL(VA_BITS - 1, SHIFT),
		};
		b = plain;
		gpubp_range_trie_widen(&c, &plain, max_stray);
		gpubp_range_trie_widen_ternary(&c, &b, max_stray);
		for (addr = plain.value; addr <= gpubp_block_last(&plain);
		     addr += GRANULE)
			if ((addr - BASE) / GRANULE % stride < field &&
			    addr - BASE < 1024ULL * stride * GRANULE)
				ok = ok && gpubp_block_contains(&b, addr);
	}
	tree_free(&c);
	return ok;
}

static void nothing_is_lost_without_looks(void)
{
	unsigned int stride, field;
	bool ok = true;
	u32 stray;

	for (stride = 2; stride <= 16; stride *= 2)
		for (field = 1; field < stride && field <= 4; field++)
			for (stray = 1; stray <= 9; stray++)
				ok = ok && array_keeps_all(stride, field, stray);
	tap_ok(ok, "no watched half is left out for want of looks");
}

void holes_tests(void)
{
	random_widenings();
	together_with_strays();
	strides();
	looks_are_limited();
	nothing_is_lost_without_looks();
}
