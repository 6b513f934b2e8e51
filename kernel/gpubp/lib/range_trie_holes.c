// SPDX-License-Identifier: GPL-2.0
/*
 * Covers: the block that may be watched at once, where a mask may have holes.
 *
 * First it grows as it does without holes. Then bits that are still compared are
 * let go, the lowest first, where the other half that this adds has something
 * that is watched, and both together have enough. Last, halves in which nobody
 * watches anything are left out. So a field of every second struct of an array
 * is one block without strays.
 *
 * Blocks that grow into the same one without holes become the same one with
 * them, so there are not more different ones than without. Which bits are let go
 * first matters: it need not be the best one.
 *
 * What a block with holes has is counted part by part, a part being what lies
 * between two holes: GPUBP_COVERS_LOOKS in all, then it stays as it is. That is
 * enough for an array of 128 structs.
 */
#include <linux/bitops.h>
#include <linux/bits.h>
#include <linux/limits.h>
#include <linux/log2.h>
#include <linux/math64.h>
#include <linux/minmax.h>

#include "range_trie.h"

/**
 * struct holed - a block while it changes
 * @c: covers
 * @block: what it is so far
 * @watched: granules of it that are, at least
 * @looks: parts that may still be looked at
 */
struct holed {
	const struct gpubp_covers *c;
	struct gpubp_block block;
	u64 watched;
	unsigned int looks;
};

static u64 granules(const struct gpubp_covers *c, const struct gpubp_block *b)
{
	return gpubp_block_size(b) >> c->shift;
}

/*
 * Watched granules of a block, up to the part with which they are @enough. 0 if
 * they are fewer than @need, or that would take too many looks.
 */
static u64 count_parts(struct holed *h, const struct gpubp_block *b, u64 need,
		       u64 enough)
{
	u64 size = b->mask & -b->mask, hole = 0, found = 0;
	u64 holes = gpubp_block_last(b) & ~b->value & ~(size - 1);
	u64 left = granules(h->c, b);
	struct gpubp_block part = {
		.mask = GENMASK_ULL(h->c->va_bits - 1, 0) & -size,
	};

	do {
		if (!h->looks || found + left < need)
			return 0;
		h->looks--;
		part.value = b->value | hole;
		found += gpubp_covers_watched(h->c, &part) >> h->c->shift;
		left -= size >> h->c->shift;
		hole = (hole - holes) & holes;
	} while (hole && found < enough);
	return found < need ? 0 : found;
}

/* what the other half must have, so that both are watched enough */
static u64 need_of_half(const struct holed *h, u32 max_stray)
{
	u64 need = div_u64(2 * granules(h->c, &h->block) + max_stray - 1,
			   max_stray);

	return need > h->watched ? need - h->watched : 1;
}

static void let_go(struct holed *h, u64 bit, u32 max_stray)
{
	struct gpubp_block half = {
		.value = h->block.value ^ bit, .mask = h->block.mask,
	};
	u64 more;

	more = count_parts(h, &half, need_of_half(h, max_stray), U64_MAX);
	if (!more)
		return;
	h->watched += more;
	h->block.mask &= ~bit;
	h->block.value &= ~bit;
}

/* of the two halves, the one in which @own is not */
static void leave_out(struct holed *h, u64 bit, const struct gpubp_block *own)
{
	struct gpubp_block half = {
		.value = h->block.value | (bit & ~own->value),
		.mask = h->block.mask | bit,
	};

	/* without a look left it may have something */
	if (count_parts(h, &half, 1, 1) || !h->looks)
		return;
	h->block.mask |= bit;
	h->block.value |= bit & own->value;
}

/**
 * gpubp_covers_lift_holes() - the same as gpubp_covers_lift(), with holes
 * @c: covers
 * @block: block of at least a granule without holes; in: what must be covered
 * @max_stray: see there
 *
 * It is watched enough as there, and holes are between the granule and the
 * largest block.
 */
void gpubp_covers_lift_holes(const struct gpubp_covers *c,
			     struct gpubp_block *block, u32 max_stray)
{
	unsigned int least = ilog2(gpubp_block_size(block)), bit;
	struct holed h = {
		.c = c, .block = *block, .looks = GPUBP_COVERS_LOOKS,
	};

	if (!max_stray)
		return;
	gpubp_covers_lift(c, &h.block, max_stray);
	h.watched = gpubp_covers_watched(c, &h.block) >> c->shift;
	for (bit = least; bit < c->shift + c->max_order; bit++)
		if (h.block.mask & BIT_ULL(bit))
			let_go(&h, BIT_ULL(bit), max_stray);
	/* the largest halves have the fewest parts */
	while (max_stray > 1 && bit-- > least)
		if (!(h.block.mask & BIT_ULL(bit)))
			leave_out(&h, BIT_ULL(bit), block);
	*block = h.block;
}
