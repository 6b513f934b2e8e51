// SPDX-License-Identifier: GPL-2.0
/* Budget: see budget.h. */
#include <linux/kernel.h>
#include <linux/math64.h>
#include <linux/minmax.h>

#include "budget.h"

/* what may be spent for @ns of elapsed time */
static s64 budget_earned(unsigned int percent, u64 ns)
{
	percent = min(percent, GPUBP_BUDGET_PERCENT);
	return div_u64(min(ns, GPUBP_BUDGET_SPAN) * percent, 100);
}

static s64 budget_depth(unsigned int percent)
{
	return budget_earned(percent, GPUBP_BUDGET_WINDOW);
}

/**
 * gpubp_budget_fill() - fill a budget to its depth
 * @b: budget
 * @percent: of elapsed time, 100 is all of it; 0: no limit
 * @now: ns
 */
void gpubp_budget_fill(struct gpubp_budget *b, unsigned int percent, u64 now)
{
	b->at = now;
	b->left = budget_depth(percent);
}

/**
 * gpubp_budget_spend() - charge a duration to a budget
 * @b: budget
 * @percent: as above, may change
 * @now: ns; time that runs backwards earns nothing
 * @ns: how long it took
 * @span: time in which @ns was spent, up to @now; the budget may hold what this
 *	time earned, even beyond its depth
 *
 * With p = @percent / 100, @percent up to GPUBP_BUDGET_PERCENT and times up to
 * GPUBP_BUDGET_SPAN::
 *
 *	depth = p * GPUBP_BUDGET_WINDOW
 *	limit = max(depth, p * span)
 *	left = min(limit, left + p * (now - at))
 *	left = max(-depth, left - min(ns, 2 * limit))
 *
 * So a debt is at most one depth, and one window pays it off.
 *
 * Return: whether the budget is overdrawn.
 */
bool gpubp_budget_spend(struct gpubp_budget *b, unsigned int percent, u64 now,
			u64 ns, u64 span)
{
	s64 full = budget_depth(percent);
	s64 limit = max(full, budget_earned(percent, span));

	if (!percent)
		return false;
	if (now > b->at) {
		b->left = min(limit, b->left +
				     budget_earned(percent, now - b->at));
		b->at = now;
	}
	b->left = max(-full, b->left - (s64)min(ns, (u64)limit * 2));
	return b->left < 0;
}

/**
 * gpubp_stall_ns_add() - add a time to each of some slots
 * @stall_ns: times by slot
 * @nr: entries of @stall_ns
 * @slots: bitmap
 * @ns: how long
 */
void gpubp_stall_ns_add(u64 *stall_ns, unsigned int nr, u32 slots, u64 ns)
{
	unsigned int i;

	for (i = 0; i < nr; i++)
		if (slots >> i & 1)
			stall_ns[i] += ns;
}

/** gpubp_stall_ns_max() - the slot with the longest time, or -1 */
int gpubp_stall_ns_max(const u64 *stall_ns, unsigned int nr)
{
	unsigned int i, found = 0;

	for (i = 1; i < nr; i++)
		if (stall_ns[i] > stall_ns[found])
			found = i;
	return nr && stall_ns[found] ? (int)found : -1;
}

static u64 backoff_len(const struct gpubp_backoff *b)
{
	return GPUBP_BACKOFF_FIRST << b->level;
}

/** gpubp_backoff_is_over() - it ended at least as long ago as it lasted */
bool gpubp_backoff_is_over(const struct gpubp_backoff *b, u64 now)
{
	return !b->until || now > b->until + backoff_len(b);
}

/**
 * gpubp_backoff_begin() - throttle something until b->until
 * @b: zeroed for the first time
 * @now: ns
 *
 * Twice as long as the last time, unless that is over.
 */
void gpubp_backoff_begin(struct gpubp_backoff *b, u64 now)
{
	if (gpubp_backoff_is_over(b, now))
		b->level = 0;
	else if (b->level < GPUBP_BACKOFF_LEVELS - 1)
		b->level++;
	b->until = now + backoff_len(b);
}
