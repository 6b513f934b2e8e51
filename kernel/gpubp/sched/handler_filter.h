/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Handler filters: a comparator compares whole blocks. The trap handler knows
 * which bytes of them are watched, and lets a wave go on that touched none: a
 * stray, which stops nothing and is only counted.
 *
 * A filter is on from the end of a commit, when no hit of the program before it
 * can arrive any more, until the next commit that changes what it says or what
 * its comparator compares. In between, each hit is reported. Its ranges are written
 * only while no wave can be in the handler that has seen it on: a commit that
 * changes no register is made for that, too, as the provider drains hits in it.
 */
#ifndef _GPUBP_SCHED_HANDLER_FILTER_H
#define _GPUBP_SCHED_HANDLER_FILTER_H

#include <linux/atomic.h>
#include <linux/gpubp.h>
#include <linux/kthread.h>
#include <linux/types.h>

#include "filter_plan.h"

struct gpubp_candidate;
struct gpubp_commit;
struct gpubp_ctx;
struct gpubp_device;
struct gpubp_watch;

/**
 * struct gpubp_handler_filters - filters of a context; the committer only
 * @next: by comparator: for the program that is being committed
 * @plan: by comparator: what is in the handler's memory, also while the filter
 *	is off
 * @full: comparators with a watch that no filter can have
 * @exact: comparators that compare no byte and no access that their only watch
 *	does not watch: they need no filter
 * @on: comparators whose filter is on
 * @on_seq: by comparator: gpubp_program.seq of the last commit before its filter was
 *	switched on
 * @on_at: when filters were switched on last, ns of CLOCK_MONOTONIC
 * @written: comparators whose strays may not be in the statistics yet
 * @credited: by comparator: strays that are in the statistics
 * @collected_at: when they were read, ns of CLOCK_MONOTONIC
 * @wide: comparators are widened in place of turns: strays are charged
 */
struct gpubp_handler_filters {
	struct gpubp_filter_plan *next;
	struct gpubp_filter_plan *plan;
	u32 full;
	u32 exact;
	u32 on;
	u64 on_seq[GPUBP_MAX_SLOTS];
	u64 on_at;
	u32 written;
	u32 credited[GPUBP_MAX_SLOTS];
	u64 collected_at;
	bool wide;
};

/**
 * struct gpubp_handler_filtering - filters of a device; the committer only
 * @nr: comparators of all contexts whose filter is on; also less when one ends
 * @chosen: filters are to be on after this commit
 * @collect: adds strays to the statistics now and then
 * @soon: it does so often, as strays are charged to a budget
 * @serial: number of the last collection; under the device lock
 */
struct gpubp_handler_filtering {
	atomic_t nr;
	bool chosen;
	struct kthread_delayed_work collect;
	bool soon;
	u64 serial;
};

void gpubp_plan_add_strays(struct gpubp_ctx *ctx,
			   const struct gpubp_filter_plan *plan, u32 nr);
void gpubp_handler_filters_init(struct gpubp_device *dev);
void gpubp_handler_filters_init_ctx(struct gpubp_ctx *ctx);
void gpubp_handler_filters_exit(struct gpubp_device *dev);
void gpubp_handler_filters_reset(struct gpubp_ctx *ctx);
bool gpubp_handler_filter_possible(const struct gpubp_device *dev,
				   unsigned int slot,
				   const struct gpubp_watch *w);
void gpubp_handler_filter_choose(struct gpubp_ctx *ctx,
				 const struct gpubp_candidate *cand);
void gpubp_handler_filters_chosen(struct gpubp_ctx *ctx);
u32 gpubp_handler_filters_able(const struct gpubp_ctx *ctx);
bool gpubp_handler_slot_stays(const struct gpubp_commit *c,
			      const struct gpubp_ctx *ctx, unsigned int slot);
bool gpubp_handler_filter_stays(const struct gpubp_commit *c,
				const struct gpubp_ctx *ctx, unsigned int slot);
bool gpubp_handler_filter_is_of(const struct gpubp_ctx *ctx, unsigned int slot,
				u64 watch);
bool gpubp_handler_filter_is_settled(const struct gpubp_ctx *ctx,
				     unsigned int slot);
void gpubp_handler_filters_end(struct gpubp_commit *c);
void gpubp_handler_filters_begin(struct gpubp_commit *c);
bool gpubp_handler_filters_collect(struct gpubp_device *dev);
void gpubp_handler_filters_finish(struct gpubp_ctx *ctx);

#endif /* _GPUBP_SCHED_HANDLER_FILTER_H */
