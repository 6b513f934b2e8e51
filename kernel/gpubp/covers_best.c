// SPDX-License-Identifier: GPL-2.0
/* Covers: the cheapest one, and the block that may be watched at once. */
#include <linux/bitops.h>
#include <linux/bits.h>
#include <linux/errno.h>
#include <linux/log2.h>
#include <linux/minmax.h>
#include <linux/string.h>

#include "covers.h"

/**
 * struct todo - of a slot, what blocks are still to be found
 * @node: what is in it
 * @order: its size
 * @k: how many blocks may be used
 */
struct todo {
	const struct gpubp_covers_node *node;
	u8 order;
	u8 k;
};

/**
 * struct found - blocks so far, and slots to look into
 * @c: covers
 * @out: blocks
 * @nr: how many
 * @todo: to be looked into; each needs a block, so there are not more
 * @nr_todo: how many
 */
struct found {
	const struct gpubp_covers *c;
	struct gpubp_block *out;
	unsigned int nr;
	struct todo todo[GPUBP_COVERS_MAX];
	unsigned int nr_todo;
};

/* ---- the blocks of the least cost --------------------------------------------- */

static void emit(struct found *f, u64 granule, unsigned int order)
{
	unsigned int bit = order + f->c->shift;
	struct gpubp_block *b = &f->out[f->nr++];

	b->mask = GENMASK_ULL(f->c->va_bits - 1, bit);
	b->value = granule << f->c->shift & b->mask;
}

/* all is watched: in blocks as large as there are */
static void emit_full(struct found *f, u64 granule, unsigned int order)
{
	unsigned int step = min_t(unsigned int, order, f->c->max_order), i;
	u64 first = granule & ~(gpubp_covers_size(order) - 1);

	for (i = 0; i < gpubp_covers_need(f->c, order); i++)
		emit(f, first + i * gpubp_covers_size(step), step);
}

static void look_into(struct found *f, const struct gpubp_covers_node *n,
		      unsigned int order, unsigned int k)
{
	f->todo[f->nr_todo++] = (struct todo) { n, order, k };
}

/* to be looked into: both halves of a fork, with the blocks that suit each */
static void split(struct found *f, const struct gpubp_covers_node *n,
		  unsigned int k)
{
	u32 buf[2][GPUBP_COVERS_MAX];
	unsigned int order = n->order - 1, i;
	const u32 *a, *b;

	a = gpubp_covers_seen(f->c, n->child[0], order, buf[0]);
	b = gpubp_covers_seen(f->c, n->child[1], order, buf[1]);
	for (i = 1; i < k - 1; i++)
		if (a[i - 1] + b[k - i - 1] == n->cost[k - 1])
			break;
	look_into(f, n->child[0], order, i);
	look_into(f, n->child[1], order, k - i);
}

static void emit_own(struct found *f, const struct gpubp_covers_node *n,
		     unsigned int k)
{
	if (!n->order || n->cost[k - 1] == n->cost[0])
		emit(f, n->first, n->order);
	else
		split(f, n, k);
}

/*
 * From the slot's size down to the node: where the other half is watched it is
 * covered apart, or both by one block.
 */
static void emit_slot(struct found *f, struct todo t)
{
	const struct gpubp_covers_node *n = t.node;
	u32 cost[GPUBP_COVERS_MAX];
	unsigned int o;

	for (o = t.order; o > n->order; o--) {
		if (!n->fill[!(n->first >> (o - 1) & 1)])
			continue;
		gpubp_covers_fold(f->c, n, o, cost);
		if (cost[t.k - 1] == gpubp_covers_one(f->c, o)) {
			emit(f, n->first, o);
			return;
		}
		emit_full(f, n->first ^ gpubp_covers_size(o - 1), o - 1);
		t.k -= gpubp_covers_need(f->c, o - 1);
	}
	emit_own(f, n, t.k);
}

static void sort_blocks(struct gpubp_block *b, unsigned int nr)
{
	unsigned int i, j;

	for (i = 1; i < nr; i++)
		for (j = i; j && b[j].value < b[j - 1].value; j--)
			swap(b[j], b[j - 1]);
}

/* at most @k blocks, which suffice, of the least cost */
static int emit_best(const struct gpubp_covers *c,
		     const struct gpubp_covers_node *n, unsigned int k,
		     struct gpubp_block *out)
{
	struct found f = { .c = c, .out = out };

	look_into(&f, n, n->order, k);
	while (f.nr_todo) {
		struct todo t = f.todo[--f.nr_todo];

		if (t.node->full)
			emit_full(&f, t.node->first, t.order);
		else
			emit_slot(&f, t);
	}
	sort_blocks(out, f.nr);
	return f.nr;
}

/**
 * gpubp_covers_best() - cover all that is watched with the least stray bytes
 * @c: covers
 * @max_blocks: comparators to use at most; more than gpubp_covers_init() was
 *	told are not used
 * @out: the blocks, by address
 * @compared: bytes in them
 *
 * Return: number of blocks, none if nothing is watched, or -ERANGE: they are
 * too few.
 */
int gpubp_covers_best(const struct gpubp_covers *c, unsigned int max_blocks,
		      struct gpubp_block *out, u64 *compared)
{
	unsigned int k = min_t(unsigned int, max_blocks, c->max_blocks);
	u32 cost;

	*compared = 0;
	if (!c->root)
		return 0;
	if (!k)
		return -ERANGE;
	cost = gpubp_covers_own(c->root)[k - 1];
	if (cost == GPUBP_COVERS_NEVER)
		return -ERANGE;
	*compared = (u64)cost << c->shift;
	return emit_best(c, c->root, k, out);
}

/* ---- lift ---------------------------------------------------------------------- */

/* of a block that is in the slot of @n, but not in its block */
static u64 watched_beside(const struct gpubp_covers_node *n, u64 first,
			  unsigned int order)
{
	u64 size = gpubp_covers_size(order);
	u64 end = n->first + gpubp_covers_size(n->order);
	u64 watched;

	if ((n->first ^ first) >> order)
		return n->fill[first > n->first] ? size : 0;
	watched = n->watched;
	if (n->fill[0])
		watched += n->first - first;
	if (n->fill[1])
		watched += first + size - end;
	return watched;
}

/* granules of an aligned block that are watched */
static u64 watched_in(const struct gpubp_covers *c, u64 first,
		      unsigned int order)
{
	const struct gpubp_covers_node *n = c->root;

	if (!n)
		return 0;
	for (;;) {
		if (n->full)
			return gpubp_covers_size(order);
		if (order >= n->order || !gpubp_covers_holds(n, first))
			return watched_beside(n, first, order);
		n = n->child[gpubp_covers_half(n, first)];
	}
}

/**
 * gpubp_covers_watched() - how much of a block is watched
 * @c: covers
 * @block: block of at least a granule
 *
 * Return: bytes, in whole granules.
 */
u64 gpubp_covers_watched(const struct gpubp_covers *c,
			 const struct gpubp_block *block)
{
	unsigned int order = ilog2(gpubp_block_size(block)) - c->shift;

	return watched_in(c, block->value >> c->shift, order) << c->shift;
}

static bool is_enough(const struct gpubp_covers *c, u64 granule,
		      unsigned int order, u32 max_stray)
{
	u64 size = gpubp_covers_size(order);

	return watched_in(c, granule & ~(size - 1), order) * max_stray >= size;
}

/* where no stray will do, the halves of a block must do */
static unsigned int lifted_order(const struct gpubp_covers *c, u64 granule,
				 unsigned int order, u32 max_stray)
{
	unsigned int o = c->max_order;

	if (max_stray == 1) {
		while (order < o && is_enough(c, granule, order + 1, 1))
			order++;
		return order;
	}
	while (o > order && !is_enough(c, granule, o, max_stray))
		o--;
	return max(o, order);
}

/**
 * gpubp_covers_lift() - the largest block around one that is watched enough
 * @c: covers
 * @block: block of at least a granule; in: what must be covered
 * @max_stray: at least one byte of so many is watched, in whole granules; with
 *	1 all are. 0 lifts nothing.
 *
 * It has all of @block in any case: where nothing larger is watched enough it
 * stays as it is.
 */
void gpubp_covers_lift(const struct gpubp_covers *c, struct gpubp_block *block,
		       u32 max_stray)
{
	unsigned int least = ilog2(gpubp_block_size(block)) - c->shift, order;

	order = lifted_order(c, block->value >> c->shift, least, max_stray);
	if (order > least) {
		block->mask = GENMASK_ULL(c->va_bits - 1, order + c->shift);
		block->value &= block->mask;
	}
}
