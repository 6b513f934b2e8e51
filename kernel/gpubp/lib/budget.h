/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Budget: how much of something may be spent, as a share of elapsed time (a
 * token bucket); the slot with the highest cost; and exponential backoff.
 *
 * Pure: no lock, no clock; compiles in user space.
 */
#ifndef _GPUBP_LIB_BUDGET_H
#define _GPUBP_LIB_BUDGET_H

#include <linux/types.h>

#define GPUBP_BUDGET_WINDOW	100000000ULL	/* ns; depth of the bucket */
#define GPUBP_BUDGET_SPAN	(1000 * GPUBP_BUDGET_WINDOW)
#define GPUBP_BUDGET_PERCENT	100000U		/* at most: a thousand at a time */

#define GPUBP_BACKOFF_FIRST	GPUBP_BUDGET_WINDOW
#define GPUBP_BACKOFF_LEVELS	5		/* the last one is 1.6 s */

/**
 * struct gpubp_budget - time that may be spent
 * @at: time up to which it was filled, ns
 * @left: may be spent, ns; negative: a debt, which one window pays off
 */
struct gpubp_budget {
	u64 at;
	s64 left;
};

/**
 * struct gpubp_backoff - times for which something is throttled, each twice as
 *	long as the one before
 * @until: end of the last time, 0 never
 * @level: number of the last time, from 0
 */
struct gpubp_backoff {
	u64 until;
	u8 level;
};

void gpubp_budget_fill(struct gpubp_budget *b, unsigned int percent, u64 now);
bool gpubp_budget_spend(struct gpubp_budget *b, unsigned int percent, u64 now,
			u64 ns, u64 span);

void gpubp_stall_ns_add(u64 *stall_ns, unsigned int nr, u32 slots, u64 ns);
int gpubp_stall_ns_max(const u64 *stall_ns, unsigned int nr);

void gpubp_backoff_begin(struct gpubp_backoff *b, u64 now);
bool gpubp_backoff_is_over(const struct gpubp_backoff *b, u64 now);

#endif /* _GPUBP_LIB_BUDGET_H */
