// SPDX-License-Identifier: GPL-2.0
#include <linux/bitops.h>
#include <linux/minmax.h>
#include <linux/string.h>

#include "judge.h"

/* a run of the lowest bits, and holes beside it */
bool rules_allow(const struct rules *r, unsigned int open)
{
	unsigned int run, low;

	if (open >> r->order)
		return false;
	for (run = 0; run <= r->order; run++) {
		low = (1U << run) - 1;
		if ((open & low) == low && !(open & ~low & ~r->holes))
			return true;
	}
	return false;
}

/* do they agree in all other bits? */
static bool holds(unsigned int open, const unsigned int *granule,
		  unsigned int nr)
{
	unsigned int i;

	for (i = 1; i < nr; i++)
		if ((granule[i] ^ granule[0]) & ~open)
			return false;
	return true;
}

/* granules of the smallest mask that has all */
u64 judge_one(const struct rules *r, const unsigned int *granule,
	      unsigned int nr)
{
	unsigned int open;
	u64 best = NEVER;

	for (open = 0; open < MAP_SIZE; open++)
		if (holds(open, granule, nr) && rules_allow(r, open))
			best = min(best, 1ULL << hweight32(open));
	return best;
}

static u64 of_set(const struct rules *r, const unsigned int *granule,
		  unsigned int nr, unsigned int set)
{
	unsigned int in[JUDGE_BLOCKS], nr_in = 0, i;

	for (i = 0; i < nr; i++)
		if (set >> i & 1)
			in[nr_in++] = granule[i];
	return judge_one(r, in, nr_in);
}

/* the first of a set is in some group with some others: each is tried */
static u64 of_groups(const u64 *one, const u64 *rest, unsigned int set)
{
	unsigned int first = set & -set, part = set;
	u64 best = NEVER;

	for (; part; part = (part - 1) & set)
		if ((part & first) && one[part] != NEVER &&
		    rest[set & ~part] != NEVER)
			best = min(best, one[part] + rest[set & ~part]);
	return best;
}

/* all splits of up to JUDGE_BLOCKS granules into at most 1, 2, ... groups */
void judge_splits(const struct rules *r, const unsigned int *granule,
		  unsigned int nr, u64 cost[JUDGE_GROUPS + 1])
{
	static u64 one[1 << JUDGE_BLOCKS];
	static u64 memo[JUDGE_GROUPS + 1][1 << JUDGE_BLOCKS];
	unsigned int all = (1U << nr) - 1, set, k;

	for (set = 1; set <= all; set++) {
		one[set] = of_set(r, granule, nr, set);
		memo[0][set] = NEVER;
	}
	for (k = 1; k <= JUDGE_GROUPS; k++) {
		for (set = 1; set <= all; set++)
			memo[k][set] = of_groups(one, memo[k - 1], set);
		cost[k] = memo[k][all];
	}
}

/* the granules below 16 that agree with @value in all bits but @open */
static unsigned int map_of(unsigned int value, unsigned int open)
{
	unsigned int map = 0, g;

	for (g = 0; g < 16; g++)
		map |= !((g ^ value) & ~open) << g;
	return map;
}

static void note_pair(u8 *cost, unsigned int map, unsigned int sum)
{
	unsigned int set = map;

	for (; set; set = (set - 1) & map)
		cost[set] = min_t(unsigned int, cost[set], sum);
}

/* of every set of 16 granules, what the cheapest two blocks compare that hold it */
void judge_pairs(u8 *cost)
{
	unsigned int map[81], nr = 0, open, value, i, j;

	for (open = 0; open < 16; open++)
		for (value = 0; value < 16; value++)
			if (!(value & open))
				map[nr++] = map_of(value, open);
	memset(cost, 255, 1 << 16);
	for (i = 0; i < nr; i++)
		for (j = 0; j <= i; j++)
			note_pair(cost, map[i] | map[j], hweight32(map[i]) +
				  (i == j ? 0 : hweight32(map[j])));
}
