// SPDX-License-Identifier: GPL-2.0
/* Handler filters: see handler_filter.h. */
#include <linux/atomic.h>
#include <linux/bitops.h>
#include <linux/jiffies.h>
#include <linux/kthread.h>
#include <linux/ktime.h>
#include <linux/minmax.h>
#include <linux/string.h>

#include "../core/core.h"
#include "../lib/policy.h"
#include "../trap/trap.h"
#include "commit.h"
#include "cover.h"
#include "handler_filter.h"
#include "sched.h"
#include "watch.h"

#define COLLECT_MS	1000	/* maximum age of the number of strays */
#define CHARGE_MS	100		/* if they are charged to a budget */
#define RANGE_BITS	47		/* of the addresses of waves' memory */

/* ---- what is watched ----------------------------------------------------- */

/** gpubp_handler_filters_reset() - a program is chosen anew; committer only */
void gpubp_handler_filters_reset(struct gpubp_ctx *ctx)
{
	struct gpubp_handler_filters *filters = &ctx->sched->filters;
	unsigned int s;

	filters->full = 0;
	filters->exact = 0;
	for (s = 0; s < ctx->dev->desc.caps.nr_slots; s++)
		filters->next[s] = (struct gpubp_filter_plan) {};
}

/**
 * gpubp_handler_filter_possible() - can a filter say what a watch watches?
 * @dev: device
 * @slot: comparator
 * @w: watch
 *
 * Not where a hit may be of an access before that in front of the pc.
 */
bool gpubp_handler_filter_possible(const struct gpubp_device *dev,
				   unsigned int slot,
				   const struct gpubp_watch *w)
{
	return gpubp_filters_wanted(dev) &&
	       slot < dev->desc.isa->handler->nr_counters &&
	       !(w->last >> RANGE_BITS);
}

/* likewise, one of the provider's own */
static bool filter_is_possible(const struct gpubp_device *dev, unsigned int slot,
			       const struct gpubp_watch *w)
{
	return dev->desc.caps.ranges ? !(w->last >> RANGE_BITS) :
	       gpubp_handler_filter_possible(dev, slot, w);
}

/* a block matches only what the watch watches */
static bool block_is_exact(const struct gpubp_candidate *cand, unsigned int i)
{
	const struct gpubp_block *b = &cand->block[i];
	const struct gpubp_watch *w = cand->priv;

	return b->value >= w->start && gpubp_block_last(b) <= w->last &&
	       gpubp_block_size(b) == gpubp_block_last(b) - b->value + 1 &&
	       gpubp_mode_accesses(cand->mode) == w->access;
}

/**
 * gpubp_handler_filter_choose() - add what a candidate watches to the filters
 * @ctx: its context
 * @cand: candidate for a watch that is to be armed
 *
 * The committer only, under the device lock, once for each candidate.
 */
void gpubp_handler_filter_choose(struct gpubp_ctx *ctx,
				 const struct gpubp_candidate *cand)
{
	struct gpubp_handler_filters *filters = &ctx->sched->filters;
	const struct gpubp_watch *w = cand->priv;
	struct gpubp_filter_plan *plan;
	unsigned int i, slot;

	lockdep_assert_held(&ctx->dev->lock);
	for (i = 0; i < cand->nr_blocks; i++) {
		slot = cand->slot[i];
		plan = &filters->next[slot];
		if (!plan->nr_watches && block_is_exact(cand, i))
			filters->exact |= BIT(slot);
		else
			filters->exact &= ~BIT(slot);
		if (!filter_is_possible(ctx->dev, slot, w)) {
			filters->full |= BIT(slot);
			continue;
		}
		gpubp_plan_add(plan, w, &cand->block[i]);
		if (ctx->dev->desc.caps.ranges)
			continue;
		ctx->dev->sched->filtering.chosen = true;
		gpubp_handler_ctx_add(ctx);
	}
}

/** gpubp_handler_filters_chosen() - all candidates are added; committer only */
void gpubp_handler_filters_chosen(struct gpubp_ctx *ctx)
{
	unsigned int s;

	for (s = 0; s < ctx->dev->desc.caps.nr_slots; s++)
		gpubp_plan_finish(&ctx->sched->filters.next[s]);
}

static bool plan_is_possible(const struct gpubp_ctx *ctx, unsigned int slot)
{
	const struct gpubp_handler_filters *filters = &ctx->sched->filters;

	return filters->next[slot].nr && !(filters->full & BIT(slot));
}

/**
 * gpubp_handler_filters_able() - comparators whose filter can be on after the commit
 * @ctx: context, whose program is chosen
 *
 * The committer only. Return: bitmap.
 */
u32 gpubp_handler_filters_able(const struct gpubp_ctx *ctx)
{
	u32 able = 0;
	unsigned int s;

	for (s = 0; s < ctx->dev->desc.caps.nr_slots; s++)
		if (plan_is_possible(ctx, s))
			able |= BIT(s);
	return able;
}

/*
 * Where all hits match, the handler reports or counts them without a filter, but it
 * records only what it has decoded.
 */
static bool plan_is_needed(const struct gpubp_ctx *ctx, unsigned int slot)
{
	const struct gpubp_ctx_sched *sched = ctx->sched;

	return plan_is_possible(ctx, slot) &&
	       !(sched->filters.exact & ~sched->ring.next & BIT(slot));
}

/* ---- the handler's memory ------------------------------------------------ */

static u32 filter_offset(const struct gpubp_ctx *ctx, unsigned int slot)
{
	return ctx->dev->desc.isa->handler->filter_offset +
	       slot * sizeof(struct gpubp_handler_filter);
}

static int filter_write_nr(struct gpubp_ctx *ctx, unsigned int slot, u32 nr)
{
	u32 offset = filter_offset(ctx, slot) +
		     offsetof(struct gpubp_handler_filter, nr);

	return gpubp_handler_write(ctx, offset, &nr, sizeof(nr));
}

static int filter_write_ranges(struct gpubp_ctx *ctx, unsigned int slot,
			       const struct gpubp_filter_plan *plan)
{
	u32 offset = filter_offset(ctx, slot) +
		     offsetof(struct gpubp_handler_filter, range);

	return gpubp_handler_write(ctx, offset, plan->range,
				   plan->nr * sizeof(plan->range[0]));
}

static int filter_read_strays(struct gpubp_ctx *ctx, unsigned int slot,
			      u32 *strays)
{
	u32 offset = filter_offset(ctx, slot) +
		     offsetof(struct gpubp_handler_filter, strays);

	return gpubp_handler_read(ctx, offset, strays, sizeof(*strays));
}

static void filters_set_on(struct gpubp_ctx *ctx, u32 on)
{
	struct gpubp_handler_filters *filters = &ctx->sched->filters;

	atomic_add((int)hweight32(on) - (int)hweight32(filters->on),
		   &ctx->dev->sched->filtering.nr);
	filters->on = on;
}

/*
 * From now on each hit of these is reported, but for those of waves that are in the
 * handler. After an error some are off.
 */
static int filters_switch_off(struct gpubp_ctx *ctx, unsigned long slots)
{
	struct gpubp_handler_filters *filters = &ctx->sched->filters;
	int err = 0, flush_err;
	u32 off = 0;
	unsigned int s;

	for_each_set_bit(s, &slots, GPUBP_MAX_SLOTS) {
		err = filter_write_nr(ctx, s, 0);
		if (err)
			break;
		off |= BIT(s);
	}
	flush_err = gpubp_handler_flush(ctx);
	if (!flush_err)
		filters_set_on(ctx, filters->on & ~off);
	return flush_err ?: err;
}

/* the handler decides nothing before it sees the number of ranges: that last */
static void filters_switch_on(struct gpubp_commit *c, struct gpubp_ctx *ctx,
			      unsigned long slots)
{
	struct gpubp_handler_filters *filters = &ctx->sched->filters;
	u32 on = 0;
	unsigned int s;
	int err;

	for_each_set_bit(s, &slots, GPUBP_MAX_SLOTS) {
		filters->plan[s] = filters->next[s];
		/* its ranges are in use, and the same */
		if (filters->on & BIT(s))
			continue;
		filters->on_seq[s] = ctx->dev->prog.seq;
		err = filter_write_ranges(ctx, s, &filters->plan[s]);
		c->busy |= err == -EAGAIN;
		if (!err)
			on |= BIT(s);
	}
	if (!on || gpubp_handler_flush(ctx))
		return;
	slots = on;
	for_each_set_bit(s, &slots, GPUBP_MAX_SLOTS) {
		err = filter_write_nr(ctx, s, filters->plan[s].nr);
		c->busy |= err == -EAGAIN;
		if (err)
			on &= ~BIT(s);
	}
	filters_set_on(ctx, filters->on | on);
	filters->written |= on;
	filters->wide = READ_ONCE(ctx->sched->cover.stray);
	gpubp_handler_flush(ctx);
	filters->on_at = ktime_get_ns();
}

/* ---- strays -------------------------------------------------------------- */

/**
 * gpubp_plan_add_strays() - add strays to the statistics
 * @ctx: context
 * @plan: of the comparator that was hit; its watches have them, as far as they exist
 * @nr: how many
 *
 * Takes the device lock.
 */
void gpubp_plan_add_strays(struct gpubp_ctx *ctx,
			   const struct gpubp_filter_plan *plan, u32 nr)
{
	struct gpubp_watch *w;
	unsigned int i;
	u64 mark;

	gpubp_stat_add(&ctx->dev->stats, GPUBP_STAT_RAISED, nr);
	gpubp_stat_add(&ctx->dev->stats, GPUBP_STAT_STRAY_FILTERED, nr);
	guard(mutex)(&ctx->dev->lock);
	mark = gpubp_stray_mark(ctx->dev, ++ctx->dev->sched->filtering.serial);
	for (i = 0; i < min(plan->nr_watches, GPUBP_HANDLER_RANGES); i++) {
		w = gpubp_watch_find(ctx, plan->watch[i].start,
				     plan->watch[i].last, plan->watch[i].id);
		if (w)
			gpubp_watch_add_strays(w, nr, mark);
	}
}

/* no lock is held; -EAGAIN: not all could be read now */
static int ctx_collect(struct gpubp_ctx *ctx)
{
	struct gpubp_handler_filters *filters = &ctx->sched->filters;
	unsigned long slots = filters->written;
	unsigned int s;
	u64 now = ktime_get_ns(), span = now - filters->collected_at, sum = 0;
	u32 strays, nr, failed = 0;
	int err, ret = 0;

	if (!slots)
		filters->collected_at = now;
	if (!slots || gpubp_handler_flush(ctx))
		return 0;
	for_each_set_bit(s, &slots, GPUBP_MAX_SLOTS) {
		err = filter_read_strays(ctx, s, &strays);
		if (err) {
			failed |= BIT(s);
			ret = err;
			continue;
		}
		nr = strays - filters->credited[s];
		if (!nr)
			continue;
		filters->credited[s] = strays;
		gpubp_plan_add_strays(ctx, &filters->plan[s], nr);
		sum += nr;
	}
	filters->collected_at = now;
	/* what is off by now gets no more of them */
	filters->written = filters->on | failed;
	if (filters->wide && sum)
		gpubp_cover_charge(ctx, sum * gpubp_stray_ns(ctx->dev), span);
	return ret;
}

/* ---- walks --------------------------------------------------------------- */

static void filters_for_each(struct gpubp_device *dev, struct gpubp_commit *c,
			     bool always,
			     void (*fn)(struct gpubp_commit *c,
					struct gpubp_ctx *ctx))
{
	struct gpubp_ctx *ctx;

	gpubp_handlers_walk(dev);
	while ((ctx = gpubp_handlers_next(dev, always)))
		fn(c, ctx);
}

/* ---- commits ------------------------------------------------------------- */

/**
 * gpubp_handler_slot_stays() - does a comparator go on comparing the same?
 * @c: the commit
 * @ctx: context
 * @slot: comparator
 */
bool gpubp_handler_slot_stays(const struct gpubp_commit *c,
			      const struct gpubp_ctx *ctx, unsigned int slot)
{
	const struct gpubp_ctx_prog *a = &ctx->prog, *b = &ctx->next;
	u32 bit = BIT(slot);

	return !c->lost && !(c->forgotten & bit) &&
	       (a->valid & b->valid & bit) && a->mask[slot] == b->mask[slot] &&
	       a->mode[slot] == b->mode[slot] &&
	       c->dev->prog.slot[slot].value == c->prog.slot[slot].value;
}

/**
 * gpubp_handler_filter_stays() - is a filter on, also during the commit?
 * @c: the commit
 * @ctx: context
 * @slot: comparator
 */
bool gpubp_handler_filter_stays(const struct gpubp_commit *c,
				const struct gpubp_ctx *ctx, unsigned int slot)
{
	const struct gpubp_handler_filters *filters = &ctx->sched->filters;

	return (filters->on & BIT(slot)) && plan_is_needed(ctx, slot) &&
	       gpubp_plans_are_equal(&filters->plan[slot], &filters->next[slot]) &&
	       gpubp_handler_slot_stays(c, ctx, slot);
}

/**
 * gpubp_handler_filter_is_of() - is a filter on that lets only hits of one watch stop?
 * @ctx: context
 * @slot: comparator
 * @watch: the watch's id
 *
 * Waves may be in the handler that have not seen it. The committer only.
 */
bool gpubp_handler_filter_is_of(const struct gpubp_ctx *ctx, unsigned int slot,
				u64 watch)
{
	const struct gpubp_handler_filters *filters = &ctx->sched->filters;

	return (filters->on & BIT(slot)) && filters->plan[slot].nr_watches == 1 &&
	       filters->plan[slot].watch[0].id == watch;
}

/**
 * gpubp_handler_filter_is_settled() - has each wave in the handler seen the filter?
 * @ctx: context; no hit of the program before the last commit can arrive
 * @slot: comparator whose filter is on
 *
 * The committer only.
 */
bool gpubp_handler_filter_is_settled(const struct gpubp_ctx *ctx,
				     unsigned int slot)
{
	const struct gpubp_handler_filters *filters = &ctx->sched->filters;
	u64 window = ctx->dev->sched->window;

	return filters->on_seq[slot] < ctx->dev->prog.seq ||
	       (window && ktime_get_ns() - filters->on_at >= window);
}

static void ctx_filters_end(struct gpubp_commit *c, struct gpubp_ctx *ctx)
{
	unsigned long on = ctx->sched->filters.on;
	u32 off = 0;
	unsigned int s;
	int err;

	/* it has no watches any more, and its handler is not asked for strays */
	if (ctx->handler_failed) {
		filters_set_on(ctx, 0);
		ctx->sched->filters.written = 0;
		return;
	}
	for_each_set_bit(s, &on, GPUBP_MAX_SLOTS)
		if (!gpubp_handler_filter_stays(c, ctx, s))
			off |= BIT(s);
	if (!off)
		return;
	/* waves in the handler may use the ranges until the provider has drained */
	c->barrier = true;
	err = filters_switch_off(ctx, off);
	if (err)
		gpubp_handler_not_ended(c, ctx, err);
}

/**
 * gpubp_handler_filters_end() - before a commit, switch filters off that end
 * @c: the commit
 *
 * The committer only; may sleep. Sets c->unreachable or c->busy if the handler of a context
 * cannot be reached: nothing may be committed with its watches, or now.
 */
void gpubp_handler_filters_end(struct gpubp_commit *c)
{
	if (atomic_read(&c->dev->sched->filtering.nr))
		filters_for_each(c->dev, c, true, ctx_filters_end);
}

/* with the same bytes the handler does not see a change, but whose strays are they? */
static bool plans_have_same_watches(const struct gpubp_filter_plan *a,
				    const struct gpubp_filter_plan *b)
{
	return a->nr_watches == b->nr_watches &&
	       !memcmp(a->watch, b->watch, sizeof(a->watch));
}

static void ctx_filters_begin(struct gpubp_commit *c, struct gpubp_ctx *ctx)
{
	struct gpubp_handler_filters *filters = &ctx->sched->filters;
	u32 on = 0;
	unsigned int s;

	for (s = 0; s < c->dev->desc.caps.nr_slots; s++)
		if (plan_is_needed(ctx, s) && !(c->failed & BIT(s)) &&
		    (!(filters->on & BIT(s)) ||
		     !plans_have_same_watches(&filters->plan[s],
					      &filters->next[s])))
			on |= BIT(s);
	if (!on)
		return;
	/* while the old plans say whose they were */
	if (ctx_collect(ctx) == -EAGAIN)
		c->busy = true;
	else
		filters_switch_on(c, ctx, on);
}

/* frequent commits do not defer it */
static void collect_strays_later(struct gpubp_device *dev)
{
	struct gpubp_handler_filtering *filtering = &dev->sched->filtering;
	unsigned int ms = filtering->soon ? CHARGE_MS : COLLECT_MS;

	kthread_queue_delayed_work(dev->requests.worker, &filtering->collect,
				   msecs_to_jiffies(ms));
}

/**
 * gpubp_handler_filters_begin() - after a commit, switch filters on
 * @c: the commit, finished; no hit of an older program can arrive
 *
 * The committer only; may sleep.
 */
void gpubp_handler_filters_begin(struct gpubp_commit *c)
{
	struct gpubp_handler_filtering *filtering = &c->dev->sched->filtering;

	filters_for_each(c->dev, c, false, ctx_filters_begin);
	filtering->chosen = c->busy;
	if (!atomic_read(&filtering->nr))
		return;
	if (!filtering->soon && c->dev->sched->nr_covers) {
		filtering->soon = true;
		kthread_mod_delayed_work(c->dev->requests.worker,
					 &filtering->collect,
					 msecs_to_jiffies(CHARGE_MS));
	} else {
		collect_strays_later(c->dev);
	}
}

/* is anything to be switched on, or to be collected? */
static bool filters_are_wanted(const struct gpubp_ctx *ctx)
{
	const struct gpubp_handler_filters *filters = &ctx->sched->filters;
	u32 wanted = filters->written;
	unsigned int s;

	for (s = 0; s < ctx->dev->desc.caps.nr_slots; s++)
		wanted |= filters->next[s].nr_watches;
	return wanted;
}

static void ctx_filters_collect(struct gpubp_commit *c, struct gpubp_ctx *ctx)
{
	c->busy |= ctx_collect(ctx) == -EAGAIN;
	if (filters_are_wanted(ctx) || gpubp_handler_counts_any(ctx) ||
	    ctx->sched->ring.on || ctx->sched->ring.ending)
		return;
	guard(mutex)(&ctx->dev->lock);
	gpubp_handler_ctx_del(ctx);
}

/**
 * gpubp_handler_filters_collect() - add strays to the statistics
 * @dev: device
 *
 * The committer's thread only; may sleep. Return: false: a handler's memory was busy.
 */
bool gpubp_handler_filters_collect(struct gpubp_device *dev)
{
	struct gpubp_commit c = { .dev = dev };

	filters_for_each(dev, &c, false, ctx_filters_collect);
	return !c.busy;
}

/**
 * gpubp_handler_filters_finish() - collect the strays of a dead context
 * @ctx: context; no wave of it exists, and the committer is done with it
 */
void gpubp_handler_filters_finish(struct gpubp_ctx *ctx)
{
	if (ctx->trap->tma && !READ_ONCE(ctx->dev->suspended))
		ctx_collect(ctx);
	guard(mutex)(&ctx->dev->lock);
	filters_set_on(ctx, 0);
	gpubp_handler_ctx_del(ctx);
}

/* ---- devices and contexts ------------------------------------------------ */

/* before the counters in the handler's memory are twice at the same value */
static void strays_fn(struct kthread_work *work)
{
	struct gpubp_device *dev = container_of(work, struct gpubp_dev_sched,
						filtering.collect.work)->dev;

	gpubp_handler_filters_collect(dev);
	dev->sched->filtering.soon = dev->sched->nr_covers;
	if (atomic_read(&dev->sched->filtering.nr) &&
	    !READ_ONCE(dev->requests.stopped))
		collect_strays_later(dev);
}

/** gpubp_handler_filters_init() - initialise a new device's part */
void gpubp_handler_filters_init(struct gpubp_device *dev)
{
	kthread_init_delayed_work(&dev->sched->filtering.collect, strays_fn);
}

/** gpubp_handler_filters_init_ctx() - initialise a new context's part */
void gpubp_handler_filters_init_ctx(struct gpubp_ctx *ctx)
{
	struct gpubp_ctx_sched *sched = ctx->sched;

	sched->filters.next = sched->plans;
	sched->filters.plan = sched->plans + ctx->dev->desc.caps.nr_slots;
}

/** gpubp_handler_filters_exit() - dev->requests.stopped is set; may sleep */
void gpubp_handler_filters_exit(struct gpubp_device *dev)
{
	kthread_cancel_delayed_work_sync(&dev->sched->filtering.collect);
}
