// SPDX-License-Identifier: GPL-2.0
/* Filter plan: see filter_plan.h. */
#include <linux/log2.h>
#include <linux/minmax.h>
#include <linux/moduleparam.h>
#include <linux/string.h>

#include "../core/core.h"
#include "../lib/block_cover.h"
#include "filter_plan.h"

static unsigned int handler_filters = 1;
module_param(handler_filters, uint, 0644);
MODULE_PARM_DESC(handler_filters, "0: waves stop at each hit of a comparator; else the trap handler lets those go on whose access touched no watched byte, where the device can");

#define ADDR_MASK	(BIT_ULL(GPUBP_HANDLER_KINDS_SHIFT) - 1)

/**
 * gpubp_handler_can_count() - can the trap handler count in its memory?
 * @dev: device
 *
 * Not with skid: the access of a reported hit is less certain than the hits that the
 * handler decides by itself.
 */
bool gpubp_handler_can_count(const struct gpubp_device *dev)
{
	const struct gpubp_caps *caps = &dev->desc.caps;
	const struct gpubp_isa *isa = dev->desc.isa;

	return caps->precise && caps->atomics && isa && isa->handler;
}

/** gpubp_filters_wanted() - may strays go on, on this device? */
bool gpubp_filters_wanted(const struct gpubp_device *dev)
{
	return READ_ONCE(handler_filters) && gpubp_handler_can_count(dev) &&
	       dev->desc.isa->handler->nr_ranges;
}

static struct gpubp_handler_range watch_range(const struct gpubp_watch *w)
{
	return (struct gpubp_handler_range) {
		.first = w->start,
		.last = w->last | (u64)w->access << GPUBP_HANDLER_KINDS_SHIFT,
	};
}

/* no kind of access: nothing matches */
static bool range_is_empty(const struct gpubp_handler_range *range)
{
	return !(range->last >> GPUBP_HANDLER_KINDS_SHIFT);
}

static void range_join(struct gpubp_handler_range *range,
		       const struct gpubp_handler_range *more)
{
	u64 kinds = (range->last | more->last) & ~ADDR_MASK;

	if (range_is_empty(range)) {
		*range = *more;
		return;
	}
	range->first = min(range->first, more->first);
	range->last = max(range->last & ADDR_MASK, more->last & ADDR_MASK) |
		      kinds;
}

/* of the part of the block in which the range begins, or the first one */
static void plan_join(struct gpubp_filter_plan *plan,
		      const struct gpubp_handler_range *range,
		      const struct gpubp_block *block)
{
	u64 first = max(range->first, block->value) - block->value;
	unsigned int part = (first << ilog2(GPUBP_HANDLER_RANGES)) >>
			    ilog2(gpubp_block_last(block) - block->value + 1);

	range_join(&plan->range[min(part, GPUBP_HANDLER_RANGES - 1U)], range);
}

/* from a range for each watch to one for each part of the block */
static void plan_begin_joining(struct gpubp_filter_plan *plan,
			       const struct gpubp_block *block)
{
	struct gpubp_handler_range range[GPUBP_HANDLER_RANGES];
	unsigned int i;

	memcpy(range, plan->range, sizeof(range));
	memset(plan->range, 0, sizeof(plan->range));
	for (i = 0; i < plan->nr; i++)
		plan_join(plan, &range[i], block);
	plan->joined = true;
}

/* keep those with the lowest ids, in their order */
static void plan_add_watch(struct gpubp_filter_plan *plan,
			   const struct gpubp_watch *w)
{
	struct gpubp_filter_watch more = {
		.id = w->id,
		.start = w->start,
		.last = w->last,
	};
	unsigned int i;

	for (i = 0; i < min(plan->nr_watches, GPUBP_HANDLER_RANGES); i++)
		if (more.id < plan->watch[i].id)
			swap(more, plan->watch[i]);
	if (plan->nr_watches < GPUBP_HANDLER_RANGES)
		plan->watch[plan->nr_watches] = more;
	plan->nr_watches++;
}

static bool range_is_before(const struct gpubp_handler_range *a,
			    const struct gpubp_handler_range *b)
{
	return a->first != b->first ? a->first < b->first : a->last < b->last;
}

/* a handful: by insertion */
static void plan_sort(struct gpubp_filter_plan *plan)
{
	struct gpubp_handler_range *range = plan->range;
	unsigned int i, n;

	for (n = 1; n < plan->nr; n++)
		for (i = n; i && range_is_before(&range[i], &range[i - 1]); i--)
			swap(range[i], range[i - 1]);
}

/**
 * gpubp_plan_add() - add what a watch watches
 * @plan: plan of a comparator
 * @w: watch
 * @block: what the comparator compares for it
 */
void gpubp_plan_add(struct gpubp_filter_plan *plan, const struct gpubp_watch *w,
		    const struct gpubp_block *block)
{
	const struct gpubp_handler_range range = watch_range(w);

	plan_add_watch(plan, w);
	if (plan->joined) {
		plan_join(plan, &range, block);
		return;
	}
	if (plan->nr < GPUBP_HANDLER_RANGES) {
		plan->range[plan->nr++] = range;
		return;
	}
	plan_begin_joining(plan, block);
	plan_join(plan, &range, block);
}

/**
 * gpubp_plan_finish() - all watches are added
 * @plan: plan; nothing may be added any more
 *
 * Plans of the same watches are equal, in whichever order these were added.
 */
void gpubp_plan_finish(struct gpubp_filter_plan *plan)
{
	unsigned int i, nr = 0;

	if (!plan->joined) {
		plan_sort(plan);
		return;
	}
	for (i = 0; i < GPUBP_HANDLER_RANGES; i++)
		if (!range_is_empty(&plan->range[i]))
			plan->range[nr++] = plan->range[i];
	plan->nr = nr;
}

/**
 * gpubp_plans_are_equal() - does the handler do the same by both?
 * @a: finished plan
 * @b: finished plan
 */
bool gpubp_plans_are_equal(const struct gpubp_filter_plan *a,
			   const struct gpubp_filter_plan *b)
{
	return a->nr == b->nr &&
	       !memcmp(a->range, b->range, a->nr * sizeof(a->range[0]));
}
