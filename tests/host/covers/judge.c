// SPDX-License-Identifier: GPL-2.0
#include <linux/bitops.h>
#include <linux/kernel.h>
#include <linux/string.h>

#include "judge.h"

void map_add(struct map *m, const struct range *r, int by)
{
	unsigned int g;

	for (g = r->first; g <= r->last; g++)
		m->count[g] += by;
}

u64 map_watched(const struct map *m, unsigned int first, unsigned int order)
{
	u64 watched = 0;
	unsigned int g;

	for (g = first; g < first + (1U << order) && g < m->size; g++)
		watched += m->count[g] > 0;
	return watched;
}

/*
 * The first granule that is wanted and not covered yet is in some block. Each
 * is tried; what comes before it in the block does no harm. @cost: with at most
 * 0, 1, ... @k.
 */
static void least(const bool *wanted, unsigned int size, unsigned int max_order,
		  unsigned int k, u64 *cost)
{
	static u64 memo[GPUBP_COVERS_MAX + 1][MAP_SIZE + 1];
	unsigned int i, g, o;

	for (i = 0; i <= k; i++) {
		memo[i][size] = 0;
		for (g = size; g--;) {
			u64 best = NEVER;

			if (!wanted[g]) {
				memo[i][g] = memo[i][g + 1];
				continue;
			}
			for (o = 0; i && o <= max_order && 1U << o <= size;
			     o++) {
				unsigned int first = g & ~((1U << o) - 1);
				u64 bytes = 1ULL << o;
				u64 rest = memo[i - 1][first + (1U << o)];

				if (rest != NEVER)
					best = min(best, bytes + rest);
			}
			memo[i][g] = best;
		}
		cost[i] = memo[i][0];
	}
}

void map_cost(const struct map *m, unsigned int k, u64 *cost)
{
	bool wanted[MAP_SIZE];
	unsigned int g;

	for (g = 0; g < m->size; g++)
		wanted[g] = m->count[g];
	least(wanted, m->size, m->max_order, k, cost);
}

unsigned int map_lift(const struct map *m, unsigned int granule,
		      unsigned int order, u32 max_stray)
{
	unsigned int o, best = order;

	for (o = order + 1; o <= m->max_order; o++)
		if (map_watched(m, granule & ~((1U << o) - 1), o) * max_stray >=
		    1ULL << o)
			best = o;
	return best;
}
