/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The judges of ternary covers: every mask tried, every split tried, every pair
 * tried. They know nothing of how covers are searched for.
 */
#ifndef _JUDGE_H
#define _JUDGE_H

#include <linux/types.h>
#include <stdbool.h>

#define MAP_SIZE	256	/* granules */
#define JUDGE_BLOCKS	10
#define JUDGE_GROUPS	4
#define NEVER		(~0ULL)

/**
 * struct rules - which masks there are
 * @order: so many of the lowest bits of a granule's number may be open together
 * @holes: of these, those that may be so for themselves
 */
struct rules {
	unsigned int order;
	unsigned int holes;
};

bool rules_allow(const struct rules *r, unsigned int open);
u64 judge_one(const struct rules *r, const unsigned int *granule,
	      unsigned int nr);
void judge_splits(const struct rules *r, const unsigned int *granule,
		  unsigned int nr, u64 cost[JUDGE_GROUPS + 1]);
void judge_pairs(u8 *cost);

#endif /* _JUDGE_H */
