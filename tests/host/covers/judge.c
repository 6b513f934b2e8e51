// SPDX-License-Identifier: GPL-2.0
#include <linux/bitops.h>
#include <linux/kernel.h>
#include <linux/string.h>
#include <stdlib.h>

#include "judge.h"

#define MAX_UNITS	12

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
 * is tried; what comes before it in the block does no harm. @watched of a block
 * is not counted if there is a map of it. @cost: with at most 0, 1, ... @k.
 */
static void least(const bool *wanted, unsigned int size, unsigned int max_order,
		  unsigned int k, const struct map *watched, u64 *cost)
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

				if (watched)
					bytes -= map_watched(watched, first, o);
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
	least(wanted, m->size, m->max_order, k, NULL, cost);
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

/* ---- what may be left ---------------------------------------------------------- */

/* smallest aligned block that has all of a range */
static unsigned int order_of(const struct range *r)
{
	return fls64(r->first ^ r->last);
}

/* they stand or fall together: one's block has the other */
static bool together(const struct range *a, const struct range *b)
{
	return a->first >> order_of(a) == b->first >> order_of(a) &&
	       a->last >> order_of(a) == b->last >> order_of(a);
}

/* Return: number of units, each a bitmap of ranges */
static int units_of(const struct range *r, int nr, u64 *unit)
{
	int nr_units = 0, i, j;

	for (i = 0; i < nr; i++) {
		bool outer = true;

		for (j = 0; j < nr; j++)
			if (together(&r[j], &r[i]) &&
			    (!together(&r[i], &r[j]) || j < i))
				outer = false;
		if (!outer)
			continue;
		unit[nr_units] = 0;
		for (j = 0; j < nr; j++)
			if (together(&r[i], &r[j]))
				unit[nr_units] |= 1ULL << j;
		nr_units++;
	}
	return nr_units;
}

static struct point point_of(const struct map *m, const struct range *r, int nr,
			     u64 kept, unsigned int k)
{
	bool wanted[MAP_SIZE] = {};
	u64 strays[GPUBP_COVERS_MAX + 1];
	struct point p = { 0, 0 };
	int i;

	for (i = 0; i < nr; i++) {
		if (!(kept >> i & 1)) {
			p.lost += r[i].weight;
			continue;
		}
		for (unsigned int g = r[i].first; g <= r[i].last; g++)
			wanted[g] = true;
	}
	least(wanted, m->size, m->max_order, k, m, strays);
	p.strays = strays[k];
	return p;
}

static int by_strays(const void *a, const void *b)
{
	const struct point *p = a, *q = b;

	if (p->strays != q->strays)
		return p->strays < q->strays ? -1 : 1;
	return p->lost < q->lost ? -1 : p->lost > q->lost;
}

/* whether @b is on or above the line from @a to @c */
static bool needless(const struct point *a, const struct point *b,
		     const struct point *c)
{
	return (s64)(b->lost - a->lost) * (s64)(c->strays - a->strays) >=
	       (s64)(c->lost - a->lost) * (s64)(b->strays - a->strays);
}

static int hull_of(struct point *all, int nr, struct point *hull)
{
	int i, n = 0;

	qsort(all, nr, sizeof(*all), by_strays);
	for (i = 0; i < nr && all[i].strays != NEVER; i++) {
		if (n && all[i].lost >= hull[n - 1].lost)
			continue;
		while (n > 1 && needless(&hull[n - 2], &hull[n - 1], &all[i]))
			n--;
		hull[n++] = all[i];
	}
	return n;
}

/* Return: vertices, or -1: too much to try it all */
int map_hull(const struct map *m, const struct range *r, int nr,
	     unsigned int k, struct point *hull)
{
	static struct point all[1 << MAX_UNITS];
	u64 unit[64], kept;
	int nr_units = units_of(r, nr, unit), i, set;

	if (nr_units > MAX_UNITS)
		return -1;
	for (set = 0; set < 1 << nr_units; set++) {
		kept = 0;
		for (i = 0; i < nr_units; i++)
			if (set >> i & 1)
				kept |= unit[i];
		all[set] = point_of(m, r, nr, kept, k);
	}
	return hull_of(all, 1 << nr_units, hull);
}
