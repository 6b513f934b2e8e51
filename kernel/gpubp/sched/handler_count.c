// SPDX-License-Identifier: GPL-2.0
/* Handler counts: see handler_count.h. */
#include <kunit/visibility.h>
#include <linux/bitops.h>
#include <linux/delay.h>
#include <linux/export.h>
#include <linux/jiffies.h>
#include <linux/kthread.h>
#include <linux/ktime.h>
#include <linux/limits.h>
#include <linux/perf_event.h>
#include <linux/slab.h>
#include <linux/wait.h>

#include "../compat/perf.h"
#include "../compat/target.h"
#include "../core/core.h"
#include "../lib/placement.h"
#include "../trap/trap.h"
#include "commit.h"
#include "handler_count.h"
#include "handler_filter.h"
#include "sched.h"
#include "watch.h"

#define COLLECT_MS	100	/* maximum age of counts without GPUBP_SYNC */
#define MAX_LAST_TRIES	7
#define MAX_COLLECT_TRIES	100

/* ---- counts of events ---------------------------------------------------- */

/** gpubp_count_sink_alloc() - for a new event; NULL without memory */
struct gpubp_count_sink *gpubp_count_sink_alloc(struct gpubp_event *gev)
{
	struct gpubp_count_sink *sink =
		kzalloc(sizeof(*sink), GFP_KERNEL_ACCOUNT);

	if (!sink)
		return NULL;
	refcount_set(&sink->ref, 1);
	raw_spin_lock_init(&sink->lock);
	sink->event = gev;
	return sink;
}

/** gpubp_count_sink_put() - undo a reference */
void gpubp_count_sink_put(struct gpubp_count_sink *sink)
{
	if (refcount_dec_and_test(&sink->ref))
		kfree(sink);
}

/** gpubp_count_sink_detach() - its event is being freed; @sink may be NULL */
void gpubp_count_sink_detach(struct gpubp_count_sink *sink)
{
	if (!sink)
		return;
	scoped_guard(raw_spinlock_irqsave, &sink->lock)
		sink->event = NULL;
	gpubp_count_sink_put(sink);
}

/** gpubp_count_sink_add() - add hits that stopped no wave; false: the event is gone */
bool gpubp_count_sink_add(struct gpubp_count_sink *sink, u64 hits)
{
	guard(raw_spinlock_irqsave)(&sink->lock);
	if (!sink->event)
		return false;
	if (!hits)
		return true;
	atomic64_add(hits, &sink->event->matched);
	atomic64_add(hits, &sink->event->metered);
	gpubp_perf_count(sink->event->event, hits);
	return true;
}

/* ---- watches to count ---------------------------------------------------- */

static bool slot_can_count(const struct gpubp_device *dev, unsigned int slot)
{
	return gpubp_handler_can_count(dev) &&
	       slot < dev->desc.isa->handler->nr_counters;
}

/* the period, or 0 if the handler cannot count it */
static u64 event_period(struct perf_event *event)
{
	u64 period = READ_ONCE(event->hw.sample_period);

	if (!is_sampling_event(event))
		return 1ULL << 32;
	return event->attr.freq || period > 1ULL << 32 ? 0 : period;
}

/* the counters of the handler go back to 0 at a limit, and that hit is reported */
static bool handler_has_periods(const struct gpubp_device *dev)
{
	return dev->desc.caps.trap_level != GPUBP_TRAP_SECOND ||
	       !dev->desc.isa->handler->second_counts_on;
}

/* the event counts each hit of its target, whatever the hit's details are */
static bool event_takes_all(const struct gpubp_event *gev)
{
	const struct perf_event_attr *attr = &gev->event->attr;

	return gev->sink && !gev->spec.changed && !READ_ONCE(gev->caught) &&
	       !attr->sigtrap && !attr->exclude_user &&
	       gev->spec.precise_ip < 2;
}

/* the event counts all hits of the context, on whichever CPU its owners run */
static bool event_has_whole_ctx(const struct gpubp_event *gev,
				struct gpubp_ctx *ctx)
{
	struct gpubp_target target;

	guard(rcu)();
	if (!gpubp_perf_enabled(gev->event) ||
	    gpubp_perf_on_cpu_counters(gev->event))
		return false;
	gpubp_target_of(gev, &target);
	return target.kind == GPUBP_TARGET_TASK && target.cpu < 0 &&
	       gpubp_ctx_in_target(ctx, &target, gev->spec.process);
}

/* binding of the only event that wants the watch, if it counts each hit; or NULL */
static struct gpubp_binding *watch_only_binding(const struct gpubp_watch *w)
{
	struct gpubp_binding *b;

	if (!list_is_singular(&w->bindings) || !hlist_empty(&w->members))
		return NULL;
	b = list_first_entry(&w->bindings, typeof(*b), watch_node);
	return event_takes_all(b->event) &&
	       event_has_whole_ctx(b->event, w->ctx) ? b : NULL;
}

/* likewise, if the handler may count them */
static struct gpubp_binding *watch_count_binding(const struct gpubp_watch *w)
{
	struct gpubp_binding *b = watch_only_binding(w);

	if (!b || !b->event->spec.meter ||
	    (is_sampling_event(b->event->event) &&
		   !handler_has_periods(w->ctx->dev)))
		return NULL;
	return event_period(b->event->event) > 1 ? b : NULL;
}

/**
 * gpubp_watch_sink() - what counts all hits of a watch
 * @w: watch; the device lock is held
 * @only: (out) it does nothing else with them
 *
 * Return: the sink of the only event that wants it, or NULL.
 */
struct gpubp_count_sink *gpubp_watch_sink(const struct gpubp_watch *w, bool *only)
{
	struct gpubp_binding *b = watch_only_binding(w);
	const struct gpubp_event *gev = b ? b->event : NULL;

	lockdep_assert_held(&w->ctx->dev->lock);
	if (!gev || gev->filter || gev->spec.possible || gev->spec.lost)
		return NULL;
	*only = !is_sampling_event(gev->event) && !trace_gpubp_hit_enabled();
	return gev->sink;
}

/**
 * gpubp_handler_counts_choose() - count the hits of a candidate, if possible
 * @ctx: its context; ctx->next contains the candidates before it
 * @cand: candidate for a watch
 *
 * A comparator that several candidates share is not counted. The committer
 * only, under the device lock, before the candidate is added to @ctx->next.
 */
void gpubp_handler_counts_choose(struct gpubp_ctx *ctx,
				 const struct gpubp_candidate *cand)
{
	const struct gpubp_watch *w = cand->priv;
	int i;

	for (i = 0; i < cand->nr_blocks; i++) {
		unsigned int slot = cand->slot[i];
		bool alone = !(ctx->next.valid & BIT(slot));

		ctx->sched->counts.next[slot] = 0;
		if (!alone || !slot_can_count(ctx->dev, slot) ||
		    cand->nr_blocks > 1 || !watch_count_binding(w))
			continue;
		if (!gpubp_handler_filter_possible(ctx->dev, slot, w) &&
		    !(ctx->sched->filters.exact & BIT(slot)))
			continue;
		ctx->sched->counts.next[slot] = w->id;
		ctx->dev->sched->counting.chosen = true;
		gpubp_handler_ctx_add(ctx);
	}
}

/* ---- the handler's memory ------------------------------------------------ */

static u32 counter_offset(const struct gpubp_ctx *ctx, unsigned int slot)
{
	return ctx->dev->desc.isa->handler->counter_offset +
	       slot * sizeof(struct gpubp_handler_counter);
}

static int counter_write_limit(struct gpubp_ctx *ctx, unsigned int slot,
			       u32 limit)
{
	u32 offset = counter_offset(ctx, slot) +
		     offsetof(struct gpubp_handler_counter, limit);

	return gpubp_handler_write(ctx, offset, &limit, sizeof(limit)) ?:
	       gpubp_handler_flush(ctx);
}

/* the handler does not count before it sees the limit: write that last */
static int counter_write(struct gpubp_ctx *ctx, unsigned int slot, u32 limit,
			 u32 value)
{
	struct gpubp_handler_counter counter = { .value = value };

	return gpubp_handler_write(ctx, counter_offset(ctx, slot), &counter,
				   sizeof(counter)) ?:
	       gpubp_handler_flush(ctx) ?:
	       counter_write_limit(ctx, slot, limit);
}

static int counter_read(struct gpubp_ctx *ctx, unsigned int slot, u32 *value)
{
	u32 offset = counter_offset(ctx, slot) +
		     offsetof(struct gpubp_handler_counter, value);

	return gpubp_handler_flush(ctx) ?:
	       gpubp_handler_read(ctx, offset, value, sizeof(*value));
}

/* ---- walks --------------------------------------------------------------- */

/** gpubp_handler_counts_any() - has the context a count, or may it get one? */
bool gpubp_handler_counts_any(const struct gpubp_ctx *ctx)
{
	const struct gpubp_handler_counts *counts = &ctx->sched->counts;
	unsigned int s;

	for (s = 0; s < GPUBP_MAX_SLOTS; s++)
		if (counts->slot[s].sink || counts->next[s])
			return true;
	return false;
}

/* call @fn for each comparator that has a count or may get one */
static void counts_for_each(struct gpubp_device *dev, struct gpubp_commit *c,
			    bool always,
			    void (*fn)(struct gpubp_commit *c,
				       struct gpubp_ctx *ctx,
				       unsigned int slot))
{
	struct gpubp_ctx *ctx;
	unsigned int s;

	gpubp_handlers_walk(dev);
	while ((ctx = gpubp_handlers_next(dev, always)))
		for (s = 0; s < dev->desc.caps.nr_slots; s++)
			if (ctx->sched->counts.slot[s].sink ||
			    ctx->sched->counts.next[s])
				fn(c, ctx, s);
}

/*
 * Add what was counted since the last call to the event; no lock is held. -EAGAIN: it
 * could not be read now.
 */
static int count_collect(struct gpubp_ctx *ctx, unsigned int slot)
{
	struct gpubp_handler_count *hc = &ctx->sched->counts.slot[slot];
	u64 nr_limits = READ_ONCE(hc->nr_limits);
	u32 value;
	int err;

	err = counter_read(ctx, slot, &value);
	if (err)
		return err;
	guard(mutex)(&ctx->dev->lock);
	/*
	 * If a period was reported in between, the value may be older than
	 * that. Without periods it may have passed its end.
	 */
	if (!hc->sink || nr_limits != hc->nr_limits ||
	    (value <= hc->credited && handler_has_periods(ctx->dev)))
		return 0;
	gpubp_count_sink_add(hc->sink, (u32)(value - hc->credited));
	hc->credited = value;
	return 0;
}

static void count_set_disabled(struct gpubp_ctx *ctx, unsigned int slot)
{
	guard(mutex)(&ctx->dev->lock);
	ctx->sched->counts.slot[slot].enabled = false;
}

/* from now on each hit is reported; after an error the handler may count on */
static int count_disable(struct gpubp_ctx *ctx, unsigned int slot)
{
	const struct gpubp_handler_count *hc = &ctx->sched->counts.slot[slot];
	int err;

	if (!hc->sink || !hc->enabled)
		return 0;
	err = counter_write_limit(ctx, slot, 0);
	if (!err)
		count_set_disabled(ctx, slot);
	return err;
}

/* keep the unfinished period for the next count of the same binding */
static void count_save_period(struct gpubp_ctx *ctx,
			      const struct gpubp_handler_count *hc)
{
	struct gpubp_watch *w;
	struct gpubp_binding *b;

	list_for_each_entry(w, &ctx->dev->armed, node) {
		if (w->id != hc->watch)
			continue;
		list_for_each_entry(b, &w->bindings, watch_node)
			if (b->event->sink == hc->sink)
				b->carried = hc->credited;
	}
}

static void count_free(struct gpubp_ctx *ctx, unsigned int slot)
{
	struct gpubp_handler_count *hc = &ctx->sched->counts.slot[slot];

	guard(mutex)(&ctx->dev->lock);
	if (!hc->sink)
		return;
	count_save_period(ctx, hc);
	gpubp_count_sink_put(hc->sink);
	*hc = (struct gpubp_handler_count) {};
	WRITE_ONCE(ctx->dev->sched->counting.nr,
		   ctx->dev->sched->counting.nr - 1);
}

/* ---- commits ------------------------------------------------------------- */

static bool count_stays(struct gpubp_commit *c, struct gpubp_ctx *ctx,
			unsigned int slot)
{
	const struct gpubp_handler_count *hc = &ctx->sched->counts.slot[slot];

	return hc->watch == ctx->sched->counts.next[slot] &&
	       gpubp_handler_slot_stays(c, ctx, slot) &&
	       (!hc->filtered || gpubp_handler_filter_stays(c, ctx, slot));
}

static void count_end(struct gpubp_commit *c, struct gpubp_ctx *ctx,
		      unsigned int slot)
{
	int err = 0;

	/* it has no watches any more, and its handler was out of reach */
	if (ctx->handler_failed)
		count_set_disabled(ctx, slot);
	else if (!count_stays(c, ctx, slot))
		err = count_disable(ctx, slot);
	if (err)
		gpubp_handler_not_ended(c, ctx, err);
}

/**
 * gpubp_handler_counts_end() - before a commit, stop counts that end
 * @c: the commit
 *
 * The committer only; may sleep. Sets c->unreachable or c->busy as
 * gpubp_handler_filters_end() does.
 */
void gpubp_handler_counts_end(struct gpubp_commit *c)
{
	if (c->dev->sched->counting.nr)
		counts_for_each(c->dev, c, true, count_end);
}

/* what could not be read is kept, and read later */
static void count_finish(struct gpubp_commit *c, struct gpubp_ctx *ctx,
			 unsigned int slot)
{
	const struct gpubp_handler_count *hc = &ctx->sched->counts.slot[slot];

	if (!hc->sink || hc->enabled)
		return;
	if (count_collect(ctx, slot) == -EAGAIN)
		c->busy = true;
	else
		count_free(ctx, slot);
}

/*
 * Does the handler count hits of the watch only? A wave that has not seen the filter
 * would count a stray: the next run makes sure that there is none, or the time does.
 */
static bool count_may_begin(struct gpubp_commit *c, struct gpubp_ctx *ctx,
			    unsigned int slot, u64 watch)
{
	if (ctx->sched->filters.exact & BIT(slot))
		return true;
	if (!gpubp_handler_filter_is_of(ctx, slot, watch))
		return false;
	if (gpubp_handler_filter_is_settled(ctx, slot))
		return true;
	if (ctx->dev->sched->window)
		c->unsettled = true;
	else
		ctx->dev->sched->barrier = true;
	return false;
}

/*
 * Set up a comparator's count for the chosen watch, if it still may be counted.
 */
static bool count_assign(struct gpubp_commit *c, struct gpubp_ctx *ctx,
			 unsigned int slot, u32 *carried)
{
	struct gpubp_handler_count *hc = &ctx->sched->counts.slot[slot];
	struct gpubp_watch *w;
	struct gpubp_binding *b;

	guard(mutex)(&ctx->dev->lock);
	list_for_each_entry(w, &ctx->dev->armed, node) {
		if (w->id != ctx->sched->counts.next[slot] ||
		    w->slots != BIT(slot))
			continue;
		b = watch_count_binding(w);
		if (!b || !count_may_begin(c, ctx, slot, w->id))
			return false;
		*hc = (struct gpubp_handler_count) {
			.sink = b->event->sink,
			.watch = w->id,
			.limit = event_period(b->event->event) - 1,
			.enabled = true,
			.filtered = !(ctx->sched->filters.exact & BIT(slot)),
		};
		hc->credited = min(b->carried, hc->limit);
		*carried = hc->credited;
		refcount_inc(&hc->sink->ref);
		WRITE_ONCE(ctx->dev->sched->counting.nr,
			   ctx->dev->sched->counting.nr + 1);
		return true;
	}
	return false;
}

static void count_begin(struct gpubp_commit *c, struct gpubp_ctx *ctx,
			unsigned int slot)
{
	struct gpubp_handler_count *hc = &ctx->sched->counts.slot[slot];
	u32 carried;
	int err;

	if (hc->sink || !ctx->sched->counts.next[slot] ||
	    (c->failed & BIT(slot)) || !count_assign(c, ctx, slot, &carried))
		return;
	err = counter_write(ctx, slot, hc->limit, carried);
	/* the limit, which is last, is not written */
	if (err == -EAGAIN) {
		c->busy = true;
		count_free(ctx, slot);
	} else if (err) {
		count_disable(ctx, slot);
	}
}

/* not kthread_mod_delayed_work(): frequent commits must not defer the work */
static void collect_schedule(struct gpubp_device *dev)
{
	kthread_queue_delayed_work(dev->requests.worker,
				   &dev->sched->counting.work,
				   msecs_to_jiffies(COLLECT_MS));
}

/**
 * gpubp_handler_counts_begin() - after a commit, end and begin counts
 * @c: the commit, finished; its filters are on
 *
 * The committer only; may sleep. Not while a hit of the old program may be in
 * flight: it would be counted for the new watch of its comparator, or end a
 * period of the old one.
 */
void gpubp_handler_counts_begin(struct gpubp_commit *c)
{
	struct gpubp_handler_counting *counting = &c->dev->sched->counting;

	if (counting->nr) {
		/* resolve reported periods while their count exists */
		kthread_flush_work(&c->dev->resolve_work);
		counts_for_each(c->dev, c, false, count_finish);
	}
	if (counting->chosen)
		counts_for_each(c->dev, c, false, count_begin);
	counting->chosen = c->busy || c->unsettled;
	if (c->dev->sched->barrier)
		gpubp_request(c->dev);
	if (counting->nr)
		collect_schedule(c->dev);
}

/* as the context goes, for some 130 ms if its memory is busy */
static void count_collect_last(struct gpubp_ctx *ctx, unsigned int slot)
{
	unsigned int try;

	for (try = 0; count_collect(ctx, slot) == -EAGAIN && try < MAX_LAST_TRIES;
	     try++)
		fsleep(USEC_PER_MSEC << try);
}

/**
 * gpubp_handler_counts_finish() - collect and free the counts of a dead context
 * @ctx: context; no wave of it exists, and the committer is done with it
 */
void gpubp_handler_counts_finish(struct gpubp_ctx *ctx)
{
	unsigned int s;

	for (s = 0; s < GPUBP_MAX_SLOTS; s++) {
		if (!ctx->sched->counts.slot[s].sink)
			continue;
		count_collect_last(ctx, s);
		count_free(ctx, s);
	}
	gpubp_handler_filters_finish(ctx);
}

/* ---- periodic collection ------------------------------------------------- */

/* PERF_EVENT_IOC_PERIOD does not notify the PMU */
static bool count_period_changed(struct gpubp_ctx *ctx,
				 const struct gpubp_handler_count *hc)
{
	guard(mutex)(&ctx->dev->lock);
	guard(raw_spinlock_irqsave)(&hc->sink->lock);
	return hc->sink->event &&
	       event_period(hc->sink->event->event) != (u64)hc->limit + 1;
}

static void count_refresh(struct gpubp_commit *c, struct gpubp_ctx *ctx,
			  unsigned int slot)
{
	const struct gpubp_handler_count *hc = &ctx->sched->counts.slot[slot];

	if (!hc->sink)
		return;
	c->busy |= count_collect(ctx, slot) == -EAGAIN;
	if (hc->enabled && count_period_changed(ctx, hc))
		count_disable(ctx, slot);
}

/* false: a handler's memory was busy */
static bool collect_all(struct gpubp_device *dev)
{
	struct gpubp_commit c = { .dev = dev };

	counts_for_each(dev, &c, false, count_refresh);
	return gpubp_handler_filters_collect(dev) && !c.busy;
}

static void collect_fn(struct kthread_work *work)
{
	struct gpubp_device *dev = container_of(work, struct gpubp_dev_sched,
						counting.work.work)->dev;
	struct gpubp_handler_counting *counting = &dev->sched->counting;
	u64 seq = atomic64_read_acquire(&counting->requested_seq);

	kthread_flush_work(&dev->resolve_work);
	/* for about a second, if it is waited for */
	if (!collect_all(dev) && seq > counting->done_seq &&
	    counting->nr_busy++ < MAX_COLLECT_TRIES) {
		kthread_queue_delayed_work(dev->requests.worker, &counting->work,
					   nsecs_to_jiffies(GPUBP_HANDLER_RETRY_NS));
		return;
	}
	counting->nr_busy = 0;
	/*
	 * The counts of events, then the number; pairs with collect_is_done().
	 */
	smp_store_release(&counting->done_seq, seq);
	wake_up_all(&dev->requests.waiters);
	if (counting->nr && !READ_ONCE(dev->requests.stopped))
		collect_schedule(dev);
}

static bool collect_is_done(struct gpubp_device *dev, u64 seq)
{
	/* pairs with collect_fn() */
	return smp_load_acquire(&dev->sched->counting.done_seq) >= seq ||
	       READ_ONCE(dev->requests.stopped);
}

/**
 * gpubp_handler_counts_wait() - wait until events have counted all hits so far,
 *	and strays are in the statistics
 * @dev: device; a reference is held
 * @timeout: jiffies
 *
 * May sleep. Return: 0, -ERESTARTSYS or -ETIMEDOUT.
 */
int gpubp_handler_counts_wait(struct gpubp_device *dev, unsigned long timeout)
{
	u64 seq;
	long left;

	scoped_guard(mutex, &dev->lock) {
		if (list_empty(&dev->sched->handlers.list) ||
		    dev->requests.stopped)
			return 0;
		seq = atomic64_inc_return(&dev->sched->counting.requested_seq);
		kthread_mod_delayed_work(dev->requests.worker,
					 &dev->sched->counting.work, 0);
	}
	if (!timeout)
		return -ETIMEDOUT;
	left = wait_event_interruptible_timeout(dev->requests.waiters,
						collect_is_done(dev, seq),
						timeout);
	return gpubp_wait_error(left);
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_handler_counts_wait);

/** gpubp_handler_counts_init() - initialise a new device's work */
void gpubp_handler_counts_init(struct gpubp_device *dev)
{
	kthread_init_delayed_work(&dev->sched->counting.work, collect_fn);
}

/** gpubp_handler_counts_exit() - dev->requests.stopped is set; may sleep */
void gpubp_handler_counts_exit(struct gpubp_device *dev)
{
	kthread_cancel_delayed_work_sync(&dev->sched->counting.work);
	wake_up_all(&dev->requests.waiters);
}

/** gpubp_handler_counts_queue_added() - counts have no queue: choose again */
void gpubp_handler_counts_queue_added(struct gpubp_ctx *ctx)
{
	if (READ_ONCE(ctx->dev->sched->counting.nr) || ctx->dev->desc.caps.ranges)
		gpubp_request_ctx(ctx);
}

/* ---- hit path ------------------------------------------------------------ */

/**
 * gpubp_handler_count_read() - find how many hits a reported hit stands for
 * @ctx: its context
 * @trap: the handler's record
 * @delta: result
 *
 * The resolver only; takes the device lock. gpubp_handler_count_reported()
 * follows.
 */
void gpubp_handler_count_read(struct gpubp_ctx *ctx,
			      const struct gpubp_trap_record *trap,
			      struct gpubp_count_delta *delta)
{
	struct gpubp_handler_count *hc;

	*delta = (struct gpubp_count_delta) {};
	if (!trap->at_limit || !trap->slots)
		return;
	guard(mutex)(&ctx->dev->lock);
	hc = &ctx->sched->counts.slot[__ffs(trap->slots)];
	if (!hc->sink)
		return;
	refcount_inc(&hc->sink->ref);
	*delta = (struct gpubp_count_delta) {
		.watch = hc->watch,
		.sink = hc->sink,
		.weight = (u64)hc->limit + 1 - hc->credited,
		.credited = hc->credited,
	};
	hc->credited = 0;
	hc->nr_limits++;
}

/**
 * gpubp_handler_count_reported() - release a delta after matching
 * @delta: from gpubp_handler_count_read()
 * @matched: the reported hit matched the watch, and its match has the weight
 *
 * If it did not match, the hits counted before it are added to the event here.
 */
void gpubp_handler_count_reported(struct gpubp_count_delta *delta, bool matched)
{
	if (!delta->sink)
		return;
	if (!matched)
		gpubp_count_sink_add(delta->sink, delta->weight - 1);
	gpubp_count_sink_put(delta->sink);
}
