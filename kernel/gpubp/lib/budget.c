// SPDX-License-Identifier: GPL-2.0
/* Budget: arithmetic of what may be spent. */
#include <linux/kernel.h>
#include <linux/math64.h>
#include <linux/minmax.h>

#include "budget.h"

/* what @ns of time earn */
static s64 earned(unsigned int percent, u64 ns)
{
	percent = min(percent, GPUBP_BUDGET_PERCENT);
	return div_u64(min(ns, GPUBP_BUDGET_SPAN) * percent, 100);
}

static s64 most(unsigned int percent)
{
	return earned(percent, GPUBP_BUDGET_WINDOW);
}

/**
 * gpubp_budget_fill() - as much as can be saved up
 * @b: budget
 * @percent: of the time that passes, 100 is all of it; 0: no limit
 * @now: ns
 */
void gpubp_budget_fill(struct gpubp_budget *b, unsigned int percent, u64 now)
{
	b->at = now;
	b->left = most(percent);
}

/**
 * gpubp_budget_spend() - something took its time
 * @b: budget
 * @percent: as above, may change
 * @now: ns; time that runs backwards earns nothing
 * @ns: how long it took
 * @span: time up to @now in which it was spent: what that earned may be spent,
 *	also if it is more than can be saved up
 *
 * Return: whether more was spent than may be.
 */
bool gpubp_budget_spend(struct gpubp_budget *b, unsigned int percent, u64 now,
			u64 ns, u64 span)
{
	s64 full = most(percent), limit = max(full, earned(percent, span));

	if (!percent)
		return false;
	if (now > b->at) {
		b->left = min(limit, b->left + earned(percent, now - b->at));
		b->at = now;
	}
	b->left = max(-full, b->left - (s64)min(ns, (u64)limit * 2));
	return b->left < 0;
}

/**
 * gpubp_heat_add() - some places took so long, each of them
 * @heat: times by place
 * @nr: entries of @heat
 * @places: bitmap
 * @ns: how long
 */
void gpubp_heat_add(u64 *heat, unsigned int nr, u32 places, u64 ns)
{
	unsigned int i;

	for (i = 0; i < nr; i++)
		if (places >> i & 1)
			heat[i] += ns;
}

/** gpubp_heat_most() - the place that took longest, or -1 */
int gpubp_heat_most(const u64 *heat, unsigned int nr)
{
	unsigned int i, found = 0;

	for (i = 1; i < nr; i++)
		if (heat[i] > heat[found])
			found = i;
	return nr && heat[found] ? (int)found : -1;
}

static u64 backoff_len(const struct gpubp_backoff *b)
{
	return GPUBP_BACKOFF_FIRST << b->level;
}

/** gpubp_backoff_is_over() - it behaved for as long as it was left alone */
bool gpubp_backoff_is_over(const struct gpubp_backoff *b, u64 now)
{
	return !b->until || now > b->until + backoff_len(b);
}

/**
 * gpubp_backoff_begin() - leave it alone, until b->until
 * @b: zeroed for the first time
 * @now: ns
 *
 * Twice as long as the last time, unless it behaved for as long since.
 */
void gpubp_backoff_begin(struct gpubp_backoff *b, u64 now)
{
	if (gpubp_backoff_is_over(b, now))
		b->level = 0;
	else if (b->level < GPUBP_BACKOFF_LEVELS - 1)
		b->level++;
	b->until = now + backoff_len(b);
}
