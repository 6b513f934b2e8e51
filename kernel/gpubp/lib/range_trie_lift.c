// SPDX-License-Identifier: GPL-2.0
/* Covers: the block that may be watched at once. */
#include <linux/bitops.h>
#include <linux/bits.h>
#include <linux/log2.h>
#include <linux/minmax.h>

#include "range_trie.h"

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
