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

unsigned int map_widen(const struct map *m, unsigned int granule,
		       unsigned int order, u32 max_stray)
{
	unsigned int o, best = order;

	for (o = order + 1; o <= m->max_order; o++)
		if (map_watched(m, granule & ~((1U << o) - 1), o) * max_stray >=
		    1ULL << o)
			best = o;
	return best;
}
