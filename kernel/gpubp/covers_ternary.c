// SPDX-License-Identifier: GPL-2.0
/*
 * Ternary covers: blocks are split into groups, one for each comparator, and a
 * group costs what the smallest mask around it compares. Bytes that two masks
 * compare count twice.
 *
 * Splits are found in two ways. If blocks are put in some order and each group is
 * a run of it, the best split is found exactly, by dynamic programming: by
 * address, where that is never worse than without holes, and for each bit by
 * that bit first, which is what strides need. Or the two groups that cost least
 * to unite are united until they are few enough. Each split is then improved
 * block by block.
 *
 * Work: O(B * N^2 * R + N^3) for N blocks, R comparators and B bits that may be
 * open. As each is limited, these are less than 2^22 steps.
 */
#include <linux/bitops.h>
#include <linux/bits.h>
#include <linux/errno.h>
#include <linux/limits.h>
#include <linux/log2.h>
#include <linux/minmax.h>
#include <linux/string.h>

#include "covers_ternary.h"

#define NEVER		U64_MAX
#define MAX_ROUNDS	4	/* of improvements; more are hardly ever found */

/* ---- cubes ------------------------------------------------------------------ */

/*
 * The smallest cube that a comparator has around one: bits that may not be open
 * for themselves are so together with all below.
 */
static void make_legal(const struct gpubp_ternary *t, struct gpubp_cube *c)
{
	unsigned int run = fls64(c->open & ~t->holes);

	if (run)
		c->open |= GENMASK_ULL(run - 1, 0);
	c->value &= ~c->open;
}

static struct gpubp_cube cube_around(const struct gpubp_ternary *t,
				     const struct gpubp_cube *a,
				     const struct gpubp_cube *b)
{
	struct gpubp_cube c = {
		.value = a->value,
		.open = a->open | b->open | (a->value ^ b->value),
	};

	make_legal(t, &c);
	return c;
}

static u64 cube_cost(const struct gpubp_ternary *t, const struct gpubp_cube *c)
{
	if (c->open & ~(t->runs | t->holes))
		return NEVER;
	return 1ULL << hweight64(c->open);
}

/* a comparator has it as it is */
static bool is_legal(const struct gpubp_ternary *t, const struct gpubp_cube *c)
{
	struct gpubp_cube own = cube_around(t, c, c);

	return own.value == c->value && own.open == c->open &&
	       cube_cost(t, c) != NEVER;
}

static u64 cost_around(const struct gpubp_ternary *t,
		       const struct gpubp_cube *a, const struct gpubp_cube *b)
{
	struct gpubp_cube c = cube_around(t, a, b);

	return cube_cost(t, &c);
}

static u64 add_cost(u64 a, u64 b)
{
	return a == NEVER || b == NEVER ? NEVER : a + b;
}

static bool has_cube(const struct gpubp_cube *c, const struct gpubp_cube *in)
{
	return !(in->open & ~c->open) && (in->value & ~c->open) == c->value;
}

/* ---- splits ----------------------------------------------------------------- */

static u64 split_cost(const struct gpubp_ternary *t,
		      const struct gpubp_ternary_split *s)
{
	u64 cost = 0;
	unsigned int g;

	for (g = 0; g < s->nr; g++)
		cost = add_cost(cost, cube_cost(t, &s->cube[g]));
	return cost;
}

/* the cube of a group without one of its blocks; false if no other is in it */
static bool cube_without(const struct gpubp_ternary *t,
			 const struct gpubp_ternary_split *s, unsigned int out,
			 struct gpubp_cube *c)
{
	bool any = false;
	unsigned int i;

	for (i = 0; i < t->nr; i++) {
		if (s->group[i] != s->group[out] || i == out)
			continue;
		*c = any ? cube_around(t, c, &t->item[i]) : t->item[i];
		any = true;
	}
	return any;
}

/* @from's blocks go to @to, and the last group takes its place */
static void unite(const struct gpubp_ternary *t, struct gpubp_ternary_split *s,
		  unsigned int to, unsigned int from)
{
	unsigned int i, last = s->nr - 1;

	s->cube[to] = cube_around(t, &s->cube[to], &s->cube[from]);
	s->cube[from] = s->cube[last];
	for (i = 0; i < t->nr; i++) {
		if (s->group[i] == from)
			s->group[i] = to;
		else if (s->group[i] == last)
			s->group[i] = from;
	}
	s->nr--;
}

/* what two groups cost more as one; S64_MAX: they cannot be one */
static s64 price_of(const struct gpubp_ternary *t,
		    const struct gpubp_ternary_split *s, unsigned int a,
		    unsigned int b)
{
	u64 both = cost_around(t, &s->cube[a], &s->cube[b]);

	if (both == NEVER)
		return S64_MAX;
	return both - cube_cost(t, &s->cube[a]) - cube_cost(t, &s->cube[b]);
}

/* the two that cost least to unite; false if none is at most @max */
static bool unite_cheapest(const struct gpubp_ternary *t,
			   struct gpubp_ternary_split *s, s64 max)
{
	unsigned int a, b, to = 0, from = 0;
	s64 least = S64_MAX, price;

	for (b = 1; b < s->nr; b++)
		for (a = 0; a < b; a++) {
			price = price_of(t, s, a, b);
			if (price < least) {
				least = price;
				to = a;
				from = b;
			}
		}
	if (least > max || least == S64_MAX)
		return false;
	unite(t, s, to, from);
	return true;
}

/* ---- improvements ----------------------------------------------------------- */

/* a block goes where it costs less; its group is not its only one */
static bool move_block(const struct gpubp_ternary *t,
		       struct gpubp_ternary_split *s, unsigned int i)
{
	struct gpubp_cube rest, *own = &s->cube[s->group[i]];
	u64 saved, least, more;
	unsigned int g, to = s->group[i];

	if (!cube_without(t, s, i, &rest))
		return false;
	saved = cube_cost(t, own) - cube_cost(t, &rest);
	least = saved;
	for (g = 0; g < s->nr; g++) {
		if (g == s->group[i])
			continue;
		more = cost_around(t, &s->cube[g], &t->item[i]);
		if (more == NEVER)
			continue;
		more -= cube_cost(t, &s->cube[g]);
		if (more < least) {
			least = more;
			to = g;
		}
	}
	if (to == s->group[i])
		return false;
	*own = rest;
	s->cube[to] = cube_around(t, &s->cube[to], &t->item[i]);
	s->group[i] = to;
	return true;
}

/* no step makes it worse, so it ends; it is ended anyway */
static void improve(struct gpubp_ternary *t)
{
	struct gpubp_ternary_split *s = &t->now;
	unsigned int i, round;
	bool moved = true;

	for (round = 0; round < MAX_ROUNDS && moved; round++) {
		moved = false;
		for (i = 0; i < t->nr; i++)
			moved |= move_block(t, s, i);
		while (unite_cheapest(t, s, 0))
			moved = true;
	}
}

/* those with an equal cost: the first one */
static void consider(struct gpubp_ternary *t)
{
	t->now.compared = split_cost(t, &t->now);
	if (t->now.compared == NEVER)
		return;
	improve(t);
	t->now.compared = split_cost(t, &t->now);
	if (t->now.compared < t->best.compared)
		t->best = t->now;
}

/* ---- runs of an order ------------------------------------------------------- */

static bool comes_first(const struct gpubp_ternary *t, unsigned int a,
			unsigned int b, u64 bit)
{
	u64 va = t->item[a].value, vb = t->item[b].value;

	if ((va ^ vb) & bit)
		return vb & bit;
	return va < vb;
}

static void sort_by(struct gpubp_ternary *t, u64 bit)
{
	unsigned int i, j;

	for (i = 0; i < t->nr; i++) {
		for (j = i; j && comes_first(t, i, t->order[j - 1], bit); j--)
			t->order[j] = t->order[j - 1];
		t->order[j] = i;
	}
}

/* the last group of the first @end begins where that costs least */
static void cost_of_first(struct gpubp_ternary *t, unsigned int end,
			  unsigned int groups)
{
	struct gpubp_cube c = t->item[t->order[end - 1]];
	unsigned int i = end, k;
	u64 own, cost;

	for (k = 0; k < groups; k++)
		t->cost[k][end] = NEVER;
	while (i--) {
		c = cube_around(t, &c, &t->item[t->order[i]]);
		own = cube_cost(t, &c);
		if (own == NEVER)
			break;
		for (k = 0; k < groups; k++) {
			if (i && !k)
				continue;
			cost = i ? add_cost(own, t->cost[k - 1][i]) : own;
			if (cost < t->cost[k][end]) {
				t->cost[k][end] = cost;
				t->from[k][end] = i;
			}
		}
	}
}

static void take_group(struct gpubp_ternary *t, unsigned int begin,
		       unsigned int end)
{
	unsigned int g = t->now.nr++, i;

	t->now.cube[g] = t->item[t->order[begin]];
	for (i = begin; i < end; i++) {
		t->now.group[t->order[i]] = g;
		t->now.cube[g] = cube_around(t, &t->now.cube[g],
					     &t->item[t->order[i]]);
	}
}

/* the best split of which each group is a run in the order by this bit */
static void split_in_runs(struct gpubp_ternary *t, u64 bit, unsigned int groups)
{
	unsigned int end, k = groups;

	sort_by(t, bit);
	for (end = 1; end <= t->nr; end++)
		cost_of_first(t, end, groups);
	if (t->cost[groups - 1][t->nr] == NEVER)
		return;
	t->now.nr = 0;
	for (end = t->nr; end; end = t->from[k][end])
		take_group(t, t->from[--k][end], end);
	consider(t);
}

/* ---- all of it -------------------------------------------------------------- */

static void split_by_uniting(struct gpubp_ternary *t, unsigned int groups)
{
	unsigned int i;

	t->now.nr = t->nr;
	for (i = 0; i < t->nr; i++) {
		t->now.group[i] = i;
		t->now.cube[i] = t->item[i];
	}
	while (unite_cheapest(t, &t->now, 0))
		;
	while (t->now.nr > groups)
		if (!unite_cheapest(t, &t->now, S64_MAX))
			return;
	consider(t);
}

/* bits in which any two blocks differ */
static u64 bits_that_differ(const struct gpubp_ternary *t)
{
	u64 bits = 0;
	unsigned int i;

	for (i = 1; i < t->nr; i++)
		bits |= t->item[i].value ^ t->item[0].value;
	return bits;
}

static void search(struct gpubp_ternary *t, unsigned int groups)
{
	u64 bits = bits_that_differ(t) & (t->holes | t->runs);

	t->best.compared = NEVER;
	split_in_runs(t, 0, groups);
	for (; bits; bits &= bits - 1)
		split_in_runs(t, bits & -bits, groups);
	split_by_uniting(t, groups);
}

/* one that is in another's is covered with it */
static void add_item(struct gpubp_ternary *t, const struct gpubp_cube *c)
{
	unsigned int i, nr = 0;

	for (i = 0; i < t->nr; i++)
		if (has_cube(&t->item[i], c))
			return;
	for (i = 0; i < t->nr; i++)
		if (!has_cube(c, &t->item[i]))
			t->item[nr++] = t->item[i];
	t->item[nr++] = *c;
	t->nr = nr;
}

static int take_blocks(struct gpubp_ternary *t,
		       const struct gpubp_cover_caps *caps,
		       const struct gpubp_block *block, unsigned int nr)
{
	u64 all = GENMASK_ULL(caps->va_bits - 1, 0);
	unsigned int i;

	t->nr = 0;
	for (i = 0; i < nr; i++) {
		struct gpubp_cube c = { block[i].value, all & ~block[i].mask };

		if ((block[i].value | block[i].mask) & ~all ||
		    ~c.open & (caps->granule - 1) || !is_legal(t, &c))
			return -EINVAL;
		add_item(t, &c);
	}
	return 0;
}

static int give_split(const struct gpubp_ternary *t, u64 all,
		      struct gpubp_block *out)
{
	const struct gpubp_ternary_split *s = &t->best;
	unsigned int g, i;

	for (g = 0; g < s->nr; g++) {
		for (i = g; i && s->cube[g].value < out[i - 1].value; i--)
			out[i] = out[i - 1];
		out[i].value = s->cube[g].value;
		out[i].mask = all & ~s->cube[g].open;
	}
	return s->nr;
}

/**
 * gpubp_ternary_cover() - cover blocks by a few that may have holes
 * @t: to work in
 * @caps: blocks without holes that the device can compare
 * @holes: address bits that a mask may leave out while it has lower ones, and
 *	has no hole where it has none; none above the largest block
 * @block: what is to be covered: blocks that the device can compare
 * @nr: how many, at most GPUBP_TERNARY_BLOCKS
 * @max_blocks: comparators to use at most
 * @out: the blocks, by their lowest address; they may overlap
 * @compared: bytes in them, those in several counted several times: not more
 *	than gpubp_covers_best() has for the same blocks, and the least there is
 *	with one comparator
 *
 * The same blocks in the same order give the same cover.
 *
 * Return: number of blocks, none if @nr is 0, -EINVAL: a block that no
 * comparator has, too many, or a largest one of too many granules, or -ERANGE:
 * no cover was found with so few.
 */
int gpubp_ternary_cover(struct gpubp_ternary *t,
			const struct gpubp_cover_caps *caps, u64 holes,
			const struct gpubp_block *block, unsigned int nr,
			unsigned int max_blocks, struct gpubp_block *out,
			u64 *compared)
{
	unsigned int order = min_t(unsigned int, ilog2(caps->max_block),
				   caps->va_bits - 1);
	unsigned int shift = ilog2(caps->granule);

	*compared = 0;
	/* no sum overflows */
	if (nr > GPUBP_TERNARY_BLOCKS || order > shift + GPUBP_COVERS_ORDER)
		return -EINVAL;
	t->runs = BIT_ULL(order) - 1;
	t->holes = holes & t->runs;
	if (take_blocks(t, caps, block, nr))
		return -EINVAL;
	if (!nr)
		return 0;
	if (!max_blocks)
		return -ERANGE;
	search(t, min_t(unsigned int, max_blocks, GPUBP_COVERS_MAX));
	if (t->best.compared == NEVER)
		return -ERANGE;
	*compared = t->best.compared;
	return give_split(t, GENMASK_ULL(caps->va_bits - 1, 0), out);
}
