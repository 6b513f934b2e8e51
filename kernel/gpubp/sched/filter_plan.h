/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Filter plan: what a handler filter says of one comparator.
 *
 * A filter has eight ranges. The bytes of more watches are joined by eighths of
 * the comparator's block: what is between two watches of an eighth is reported as
 * without a filter, and the resolver finds that it is a stray.
 */
#ifndef _GPUBP_SCHED_FILTER_PLAN_H
#define _GPUBP_SCHED_FILTER_PLAN_H

#include <linux/gpubp_isa.h>
#include <linux/types.h>

struct gpubp_block;
struct gpubp_device;
struct gpubp_watch;

/**
 * struct gpubp_filter_watch - identifies a watch that may have been freed
 * @id: its id
 * @start: its first byte
 * @last: its last byte
 */
struct gpubp_filter_watch {
	u64 id;
	u64 start;
	u64 last;
};

/**
 * struct gpubp_filter_plan - what a filter lets stop
 * @nr: ranges; 0: all hits stop
 * @nr_watches: watches that were added
 * @joined: a range is of an eighth of the block, and may be empty
 * @watch: the oldest of the watches
 * @range: the ranges, as the handler reads them
 */
struct gpubp_filter_plan {
	u32 nr;
	u32 nr_watches;
	bool joined;
	struct gpubp_filter_watch watch[GPUBP_HANDLER_RANGES];
	struct gpubp_handler_range range[GPUBP_HANDLER_RANGES];
};

bool gpubp_handler_can_count(const struct gpubp_device *dev);
bool gpubp_filters_wanted(const struct gpubp_device *dev);
void gpubp_plan_add(struct gpubp_filter_plan *plan, const struct gpubp_watch *w,
		    const struct gpubp_block *block);
void gpubp_plan_finish(struct gpubp_filter_plan *plan);
bool gpubp_plans_are_equal(const struct gpubp_filter_plan *a,
			   const struct gpubp_filter_plan *b);

#endif /* _GPUBP_SCHED_FILTER_PLAN_H */
