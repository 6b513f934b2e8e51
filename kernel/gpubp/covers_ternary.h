/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Ternary covers: a few blocks whose masks may have holes for many blocks, with
 * few bytes that nobody watches. To find the fewest is NP-hard, so they are
 * searched for: never worse than without holes, the fewest with one comparator.
 *
 * Pure: no lock, no time, no allocation; compiles in user space.
 */
#ifndef _GPUBP_COVERS_TERNARY_H
#define _GPUBP_COVERS_TERNARY_H

#include <linux/types.h>

#include "cover.h"
#include "covers.h"

#define GPUBP_TERNARY_BLOCKS	64	/* to be covered */

/**
 * struct gpubp_cube - addresses that agree in all bits but some
 * @value: its lowest address
 * @open: bits in which they differ
 */
struct gpubp_cube {
	u64 value;
	u64 open;
};

/**
 * struct gpubp_ternary_split - blocks, split into groups
 * @nr: groups
 * @group: of each block, which
 * @cube: around each group
 * @compared: bytes in all of them; ~0 if some group has no cube
 */
struct gpubp_ternary_split {
	unsigned int nr;
	u8 group[GPUBP_TERNARY_BLOCKS];
	struct gpubp_cube cube[GPUBP_TERNARY_BLOCKS];
	u64 compared;
};

/**
 * struct gpubp_ternary - a search; about 13 kB
 * @runs: bits up to which a mask may be open without holes
 * @holes: bits that may be open for themselves
 * @nr: blocks to be covered
 * @item: they
 * @order: their numbers, in an order to split them in
 * @cost: of the first 0, 1, ... in @order, in at most 1, 2, ... groups
 * @from: where the last group of these begins
 * @now: a split that is being improved
 * @best: the best one so far
 */
struct gpubp_ternary {
	u64 runs;
	u64 holes;
	unsigned int nr;
	struct gpubp_cube item[GPUBP_TERNARY_BLOCKS];
	u8 order[GPUBP_TERNARY_BLOCKS];
	u64 cost[GPUBP_COVERS_MAX][GPUBP_TERNARY_BLOCKS + 1];
	u8 from[GPUBP_COVERS_MAX][GPUBP_TERNARY_BLOCKS + 1];
	struct gpubp_ternary_split now;
	struct gpubp_ternary_split best;
};

int gpubp_ternary_cover(struct gpubp_ternary *t,
			const struct gpubp_cover_caps *caps, u64 holes,
			const struct gpubp_block *block, unsigned int nr,
			unsigned int max_blocks, struct gpubp_block *out,
			u64 *compared);

#endif /* _GPUBP_COVERS_TERNARY_H */
