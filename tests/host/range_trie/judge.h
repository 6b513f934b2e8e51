/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The reference of the range trie: a map of granules, and a search of every
 * block. It uses no tree.
 */
#ifndef _JUDGE_H
#define _JUDGE_H

#include <linux/types.h>

#include "lib/range_trie.h"

#define MAP_ORDER	12
#define MAP_SIZE	(1 << MAP_ORDER)

/* granules starting at @base; ranges are within them */
struct map {
	u64 base;
	unsigned int size;	/* granules in use, power of two */
	unsigned int max_order;
	u32 count[MAP_SIZE];	/* ranges that watch it */
};

struct range {
	unsigned int first;	/* granules */
	unsigned int last;
	u32 skew;	/* of its bytes within the first and last one */
};

void map_add(struct map *m, const struct range *r, int by);
u64 map_watched(const struct map *m, unsigned int first, unsigned int order);
unsigned int map_widen(const struct map *m, unsigned int granule,
		       unsigned int order, u32 max_stray);

#endif /* _JUDGE_H */
