// SPDX-License-Identifier: GPL-2.0
/* Ranges: see ranges.h. */
#include <linux/atomic.h>
#include <linux/bits.h>
#include <linux/export.h>
#include <linux/kref.h>
#include <linux/lockdep.h>
#include <linux/minmax.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "../core/core.h"
#include "filter_plan.h"
#include "handler_count.h"
#include "handler_filter.h"
#include "ranges.h"
#include "sched.h"

/**
 * struct slot_ranges - of a comparator
 * @plan: what is watched; none if not all of it is known
 * @counted: bitmap of ranges whose event does nothing but count
 * @sink: by range: counts all of its hits; a reference is held; or NULL
 */
struct slot_ranges {
	struct gpubp_filter_plan plan;
	u32 counted;
	struct gpubp_count_sink *sink[GPUBP_HANDLER_RANGES];
};

/**
 * struct gpubp_ranges - of all comparators
 * @ref: by the committer, and by the provider
 * @nr_slots: entries of @slot
 * @slot: they
 */
struct gpubp_ranges {
	struct kref ref;
	u32 nr_slots;
	struct slot_ranges slot[];
};

/* ---- choice -------------------------------------------------------------- */

static bool plan_has_watch(const struct gpubp_filter_plan *plan, u64 id)
{
	unsigned int i;

	for (i = 0; i < min(plan->nr_watches, GPUBP_HANDLER_RANGES); i++)
		if (plan->watch[i].id == id)
			return true;
	return plan->nr_watches > GPUBP_HANDLER_RANGES;
}

/* a hit of one that several compare for would be counted more than once */
static bool watch_has_one_slot(const struct gpubp_ranges *ranges, u64 id)
{
	unsigned int s, nr = 0;

	for (s = 0; s < ranges->nr_slots; s++)
		nr += plan_has_watch(&ranges->slot[s].plan, id);
	return nr == 1;
}

static int plan_find(const struct gpubp_filter_plan *plan,
		     const struct gpubp_watch *w)
{
	unsigned int i;

	for (i = 0; i < plan->nr; i++)
		if (plan->range[i].first == w->start &&
		    plan->range[i].last == (w->last | (u64)w->access
					    << GPUBP_HANDLER_KINDS_SHIFT))
			return i;
	return -1;
}

static void slot_add_sink(struct slot_ranges *slot, const struct gpubp_watch *w)
{
	int i = plan_find(&slot->plan, w);
	struct gpubp_count_sink *sink;
	bool only;

	sink = i < 0 ? NULL : gpubp_watch_sink(w, &only);
	if (!sink)
		return;
	refcount_inc(&sink->ref);
	slot->sink[i] = sink;
	if (only)
		slot->counted |= BIT(i);
}

static void slot_add_sinks(struct gpubp_ctx *ctx, struct gpubp_ranges *ranges,
			   struct slot_ranges *slot)
{
	const struct gpubp_filter_plan *plan = &slot->plan;
	struct gpubp_watch *w;
	unsigned int i;

	if (plan->joined)
		return;
	for (i = 0; i < plan->nr_watches; i++) {
		w = gpubp_watch_find(ctx, plan->watch[i].start,
				     plan->watch[i].last, plan->watch[i].id);
		if (w && watch_has_one_slot(ranges, w->id))
			slot_add_sink(slot, w);
	}
}

static struct gpubp_ranges *ranges_make(struct gpubp_ctx *ctx)
{
	const struct gpubp_handler_filters *filters = &ctx->sched->filters;
	unsigned int s, nr_slots = ctx->dev->desc.caps.nr_slots;
	struct gpubp_ranges *ranges;

	ranges = kzalloc(struct_size(ranges, slot, nr_slots), GPUBP_GFP_LOCKED);
	if (!ranges)
		return NULL;
	kref_init(&ranges->ref);
	ranges->nr_slots = nr_slots;
	for (s = 0; s < nr_slots; s++)
		if (!(filters->full & BIT(s)))
			ranges->slot[s].plan = filters->next[s];
	for (s = 0; s < nr_slots; s++)
		slot_add_sinks(ctx, ranges, &ranges->slot[s]);
	return ranges;
}

static bool slots_are_equal(const struct slot_ranges *a,
			    const struct slot_ranges *b)
{
	return gpubp_plans_are_equal(&a->plan, &b->plan) &&
	       a->plan.nr_watches == b->plan.nr_watches &&
	       !memcmp(a->plan.watch, b->plan.watch, sizeof(a->plan.watch)) &&
	       a->counted == b->counted &&
	       !memcmp(a->sink, b->sink, sizeof(a->sink));
}

static bool ranges_are_equal(const struct gpubp_ranges *a,
			     const struct gpubp_ranges *b)
{
	unsigned int s;

	for (s = 0; s < a->nr_slots; s++)
		if (!slots_are_equal(&a->slot[s], &b->slot[s]))
			return false;
	return true;
}

/**
 * gpubp_ranges_choose() - all candidates are added
 * @ctx: context; ctx->next gets the ranges
 *
 * The committer only, under the device lock. Without memory all hits are reported.
 */
void gpubp_ranges_choose(struct gpubp_ctx *ctx)
{
	struct gpubp_ctx_ranges *ranges = &ctx->sched->ranges;
	struct gpubp_ranges *next;

	lockdep_assert_held(&ctx->dev->lock);
	if (!ctx->dev->desc.caps.ranges)
		return;
	next = ctx->next.valid ? ranges_make(ctx) : NULL;
	if (next && ranges->next && ranges_are_equal(next, ranges->next)) {
		gpubp_ranges_put(next);
	} else {
		gpubp_ranges_put(ranges->next);
		ranges->next = next;
	}
	ctx->next.ranges = ranges->next;
}

/**
 * gpubp_ranges_programmed() - a commit is over
 * @ctx: context that it changed
 *
 * The committer only. No other ranges get the address of those of ctx->prog.
 */
void gpubp_ranges_programmed(struct gpubp_ctx *ctx)
{
	struct gpubp_ctx_ranges *ranges = &ctx->sched->ranges;

	gpubp_ranges_put(ranges->programmed);
	ranges->programmed = gpubp_ranges_get(ranges->next);
}

/** gpubp_ranges_finish() - of a dead context, which the committer is done with */
void gpubp_ranges_finish(struct gpubp_ctx *ctx)
{
	struct gpubp_ctx_ranges *ranges = &ctx->sched->ranges;

	gpubp_ranges_put(ranges->programmed);
	gpubp_ranges_put(ranges->next);
	*ranges = (struct gpubp_ctx_ranges) {};
}

/* ---- providers ----------------------------------------------------------- */

struct gpubp_ranges *gpubp_ranges_get(struct gpubp_ranges *ranges)
{
	if (ranges)
		kref_get(&ranges->ref);
	return ranges;
}
EXPORT_SYMBOL_GPL(gpubp_ranges_get);

static void ranges_free(struct kref *ref)
{
	struct gpubp_ranges *ranges = container_of(ref, struct gpubp_ranges, ref);
	unsigned int s, i;

	for (s = 0; s < ranges->nr_slots; s++)
		for (i = 0; i < GPUBP_HANDLER_RANGES; i++)
			if (ranges->slot[s].sink[i])
				gpubp_count_sink_put(ranges->slot[s].sink[i]);
	kfree(ranges);
}

void gpubp_ranges_put(struct gpubp_ranges *ranges)
{
	if (ranges)
		kref_put(&ranges->ref, ranges_free);
}
EXPORT_SYMBOL_GPL(gpubp_ranges_put);

struct gpubp_slot_ranges gpubp_ranges_of(const struct gpubp_ranges *ranges,
					 unsigned int slot)
{
	const struct slot_ranges *from = &ranges->slot[slot];

	return (struct gpubp_slot_ranges) {
		.nr = from->plan.nr,
		.counted = from->counted,
		.range = from->plan.range,
	};
}
EXPORT_SYMBOL_GPL(gpubp_ranges_of);

/* an event that is gone does not count them: they are as those of an older program */
static void report_hits(struct gpubp_ctx *ctx, const struct slot_ranges *slot,
			unsigned int i, u32 nr)
{
	bool counted = slot->sink[i] && gpubp_count_sink_add(slot->sink[i], nr);
	struct gpubp_stats *stats = &ctx->dev->stats;

	gpubp_stat_add(stats, GPUBP_STAT_RAISED, nr);
	if (slot->counted & BIT(i)) {
		gpubp_stat_add(stats, counted ? GPUBP_STAT_DELIVERED :
						GPUBP_STAT_STRAY_STALE, nr);
		return;
	}
	gpubp_stat_add(stats, GPUBP_STAT_DROP_RECORD, nr);
	atomic64_add(nr, &ctx->lost);
}

void gpubp_report_counts(struct gpubp_ctx *ctx, const struct gpubp_ranges *ranges,
			 unsigned int slot, const struct gpubp_slot_counts *counts)
{
	const struct slot_ranges *of = &ranges->slot[slot];
	unsigned int i;

	for (i = 0; i < of->plan.nr; i++)
		if (counts->hits[i])
			report_hits(ctx, of, i, counts->hits[i]);
	if (!counts->strays)
		return;
	gpubp_plan_add_strays(ctx, &of->plan, counts->strays);
	gpubp_cover_strays(ctx, counts->strays);
}
EXPORT_SYMBOL_GPL(gpubp_report_counts);
