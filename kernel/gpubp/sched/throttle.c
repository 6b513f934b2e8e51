// SPDX-License-Identifier: GPL-2.0
/*
 * Throttling: disarm watches and breaks that stall too many waves; see
 * throttle.h.
 */
#include <kunit/visibility.h>
#include <linux/bitops.h>
#include <linux/export.h>
#include <linux/ktime.h>
#include <linux/moduleparam.h>
#include <linux/seq_file.h>
#include <linux/slab.h>

#include "../compat/perf.h"
#include "../compat/version.h"
#include "../core/core.h"
#include "../trap/trap.h"
#include "cover.h"
#include "sched.h"
#include "throttle.h"
#include "watch.h"

/*
 * 64 waves are those of one or two compute units, of about a hundred. Watches
 * of a kernel with so few waves are never throttled, even at its hottest
 * address.
 */
unsigned int gpubp_max_stall_percent = 6400;
EXPORT_SYMBOL_IF_KUNIT(gpubp_max_stall_percent);
module_param_named(max_stall_percent, gpubp_max_stall_percent, uint, 0644);
MODULE_PARM_DESC(max_stall_percent, "maximum average number of stalled waves per context, times 100; 0: unlimited");

/* ---- hit path ------------------------------------------------------------ */

/* time since the wave stopped, as far as that is known */
static u64 cell_stalled_ns(const struct gpubp_hit_cell *cell, u64 now)
{
	s64 ns = now - cell->hit.gpu_time;

	return max(ns, 0LL);
}

/* those of @slots that have not been reprogrammed since @time */
static u32 throttle_current_slots(const struct gpubp_throttle_ctx *throttle,
				  unsigned long slots, u64 time)
{
	unsigned int s;

	for_each_set_bit(s, &slots, GPUBP_MAX_SLOTS)
		if (throttle->since[s] > time)
			slots &= ~BIT(s);
	return slots;
}

/* true if the budget is exceeded now and was not before: request a commit */
static bool throttle_spend(struct gpubp_throttle_ctx *throttle, u32 slots,
			   u64 now, u64 ns)
{
	bool was = throttle->over;

	gpubp_stall_ns_add(throttle->stall_ns, GPUBP_STALL_PLACES,
			   throttle_current_slots(throttle, slots, now - ns),
			   ns);
	/* a stall may spend what was earned during it, even beyond the depth */
	if (gpubp_budget_spend(&throttle->budget,
			       READ_ONCE(gpubp_max_stall_percent), now, ns, ns))
		throttle->over = true;
	return throttle->over && !was;
}

/* slots of the watch that has a precise point at @pc */
static u32 precise_point_slots(struct gpubp_ctx *ctx, u64 pc)
{
	const struct gpubp_precise_point *point =
		gpubp_precise_point_find(ctx, pc);
	const struct gpubp_watch *w;

	if (!point || !point->watch.id)
		return 0;
	w = gpubp_watch_find(ctx, point->watch.start, point->watch.last,
			     point->watch.id);
	return w ? w->slots : 0;
}

/*
 * A stop at a break is charged to breaks, one at a precise point to its watch.
 */
static u32 step_stall_places(struct gpubp_ctx *ctx,
			     const struct gpubp_step *step, u64 ns)
{
	struct gpubp_trap_point *trap;
	u32 places;

	if (step->stop != GPUBP_STOP_BREAK && step->stop != GPUBP_STOP_GUARD &&
	    step->stop != GPUBP_STOP_INSIDE)
		return 0;
	guard(mutex)(&ctx->dev->lock);
	places = precise_point_slots(ctx, step->pc);
	trap = gpubp_trap_find(ctx, GPUBP_KIND_BREAK, step->pc);
	if (!trap)
		return places;
	trap->stalled += ns;
	return places | BIT(GPUBP_STALL_BREAKS);
}

/* what would not have stopped if comparators compared what is watched, or may not */
static bool cell_is_of_cover(const struct gpubp_hit_cell *cell)
{
	return READ_ONCE(cell->ctx->sched->cover.stray) &&
	       ((cell->possible && !cell->delivered) ||
		cell->outcome == GPUBP_STAT_STRAY_BYTES ||
		cell->outcome == GPUBP_STAT_STRAY_KIND);
}

/**
 * gpubp_throttle_begin() - a hit is going to be resolved
 * @cell: the hit
 *
 * Return: now, or 0 if that takes no time of the hit's process.
 */
u64 gpubp_throttle_begin(const struct gpubp_hit_cell *cell)
{
	if (cell->place || !gpubp_cell_went_on(cell) ||
	    !READ_ONCE(cell->ctx->sched->cover.stray))
		return 0;
	return ktime_get_ns();
}

/* a process that reports what its waves recorded waits for the resolver in the end */
static void charge_wide(const struct gpubp_hit_cell *cell, u64 began)
{
	u64 ns = gpubp_record_ns(cell->dev);

	if (!cell_is_of_cover(cell))
		return;
	if (began)
		ns = max(ns, ktime_get_ns() - began);
	gpubp_cover_charge(cell->ctx, ns, ns);
}

/**
 * gpubp_throttle_hit() - charge the time that a wave was stalled for a hit
 * @cell: the hit; its wave resumes
 * @slots: comparators that matched; 0: none did
 * @step: what the stop had to do with breaks
 * @began: what gpubp_throttle_begin() returned
 *
 * The resolver only, for each hit; takes the device lock for breaks.
 */
void gpubp_throttle_hit(struct gpubp_hit_cell *cell, u32 slots,
			const struct gpubp_step *step, u64 began)
{
	struct gpubp_throttle_ctx *throttle = &cell->ctx->sched->throttle;
	u64 now, ns;
	bool over;

	if (cell->place || gpubp_cell_went_on(cell)) {
		charge_wide(cell, began);
		return;
	}
	now = ktime_get_ns();
	ns = cell_stalled_ns(cell, now);
	if (cell_is_of_cover(cell)) {
		gpubp_cover_charge(cell->ctx, ns, ns);
		return;
	}
	slots |= step_stall_places(cell->ctx, step, ns);
	if (!slots)
		return;
	raw_spin_lock(&throttle->lock);
	over = throttle_spend(throttle, slots, now, ns);
	raw_spin_unlock(&throttle->lock);
	if (over)
		gpubp_request(cell->dev);
}

/* ---- for commits --------------------------------------------------------- */

static void throttle_reset_slots(struct gpubp_ctx *ctx, unsigned long slots,
				 u64 from)
{
	unsigned int s;

	guard(raw_spinlock)(&ctx->sched->throttle.lock);
	for_each_set_bit(s, &slots, GPUBP_MAX_SLOTS) {
		ctx->sched->throttle.stall_ns[s] = 0;
		ctx->sched->throttle.since[s] = from;
	}
}

/**
 * gpubp_throttle_programmed() - reset the stall time of reprogrammed slots
 * @dev: device; its lock is held
 * @slots: bitmap
 * @from: when the commit began
 */
void gpubp_throttle_programmed(struct gpubp_device *dev, u32 slots, u64 from)
{
	struct gpubp_ctx *ctx;

	lockdep_assert_held(&dev->lock);
	list_for_each_entry(ctx, &dev->ctxs, node)
		throttle_reset_slots(ctx, slots, from);
}

/* the slot, or breaks, with most stall time, or -1: none; resets the context */
static int throttle_take_max(struct gpubp_ctx *ctx)
{
	struct gpubp_throttle_ctx *throttle = &ctx->sched->throttle;
	int slot;

	guard(raw_spinlock)(&throttle->lock);
	if (!throttle->over)
		return -1;
	slot = gpubp_stall_ns_max(throttle->stall_ns, GPUBP_STALL_PLACES);
	throttle->over = false;
	memset(throttle->stall_ns, 0, sizeof(throttle->stall_ns));
	gpubp_budget_fill(&throttle->budget, READ_ONCE(gpubp_max_stall_percent),
			  ktime_get_ns());
	return slot;
}

/* the number of hits that will be missed is unknown: report at least one */
static void event_add_lost(struct gpubp_event *gev)
{
	atomic64_inc(&gev->stall_throttled);
	gpubp_perf_lost_own(gev, 1);
}

static void watch_add_lost(struct gpubp_watch *w)
{
	struct gpubp_member_binding *mb;
	struct gpubp_binding *b;

	list_for_each_entry(b, &w->bindings, watch_node)
		event_add_lost(b->event);
	hlist_for_each_entry(mb, &w->members, watch_node)
		list_for_each_entry(b, &mb->set_binding->bindings, watch_node)
			event_add_lost(b->event);
}

static struct gpubp_watch_throttle *
watch_throttle_find(const struct gpubp_watch *w)
{
	struct gpubp_throttle *throttle = &w->ctx->dev->sched->throttle;
	struct gpubp_watch_throttle *wt;

	if (!w->has_throttle)
		return NULL;
	hash_for_each_possible(throttle->by_watch, wt, hash_node,
			       (unsigned long)w)
		if (wt->watch == w)
			return wt;
	return NULL;
}

static struct gpubp_watch_throttle *watch_throttle_get(struct gpubp_watch *w)
{
	struct gpubp_throttle *throttle = &w->ctx->dev->sched->throttle;
	struct gpubp_watch_throttle *wt = watch_throttle_find(w);

	if (wt)
		return wt;
	wt = kzalloc(sizeof(*wt), GPUBP_GFP_LOCKED);
	if (!wt)
		return NULL;
	wt->watch = w;
	w->has_throttle = true;
	list_add(&wt->node, &throttle->watches);
	hash_add(throttle->by_watch, &wt->hash_node, (unsigned long)w);
	return wt;
}

/* without memory the watch stays armed for another window */
static void watch_throttle_begin(struct gpubp_watch *w)
{
	struct gpubp_device *dev = w->ctx->dev;
	struct gpubp_watch_throttle *wt = watch_throttle_get(w);

	if (!wt)
		return;
	gpubp_backoff_begin(&wt->backoff, ktime_get_ns());
	wt->active = true;
	dev->sched->throttle.nr++;
	gpubp_watch_dequeue(w);
	watch_add_lost(w);
	trace_gpubp_stall(dev->number, w->ctx->id, w->id, w->start, w->last,
			  wt->backoff.level);
}

static void slot_throttle_begin(struct gpubp_ctx *ctx, unsigned int slot)
{
	struct gpubp_watch *w;

	list_for_each_entry(w, &ctx->dev->armed, node)
		if (w->ctx == ctx && (w->slots & BIT(slot)) &&
		    !gpubp_watch_is_throttled(w))
			watch_throttle_begin(w);
}

static void break_throttle_begin(struct gpubp_ctx *ctx)
{
	struct gpubp_device *dev = ctx->dev;
	struct gpubp_trap_point *trap, *most = NULL;
	struct gpubp_binding *b;

	list_for_each_entry(trap, &ctx->trap->traps.traps, node)
		if (!trap->throttled &&
		    trap->stalled > (most ? most->stalled : 0))
			most = trap;
	list_for_each_entry(trap, &ctx->trap->traps.traps, node)
		trap->stalled = 0;
	if (!most)
		return;
	most->throttled = true;
	gpubp_backoff_begin(&most->backoff, ktime_get_ns());
	dev->sched->throttle.nr++;
	list_for_each_entry(b, &most->bindings, watch_node)
		event_add_lost(b->event);
	trace_gpubp_stall(dev->number, ctx->id, most->id, most->key, most->key,
			  most->backoff.level);
}

static void ctx_throttle_begin(struct gpubp_ctx *ctx)
{
	int place = throttle_take_max(ctx);

	if (place == GPUBP_STALL_BREAKS)
		break_throttle_begin(ctx);
	else if (place >= 0)
		slot_throttle_begin(ctx, place);
}

/*
 * Clear the expired ones; gpubp_break_sched_choose() may choose these again.
 * Returns when the next backoff ends, U64_MAX if no break is throttled.
 */
static u64 breaks_throttle_end(struct gpubp_ctx *ctx, u64 now)
{
	struct gpubp_trap_point *trap;
	u64 next = U64_MAX;

	if (!ctx->trap->traps.nr[GPUBP_KIND_BREAK])
		return next;
	list_for_each_entry(trap, &ctx->trap->traps.traps, node) {
		trap->throttled &= trap->backoff.until > now;
		if (trap->throttled)
			next = min(next, trap->backoff.until);
	}
	return next;
}

/*
 * The watch counts as armed until the commit, which accounts it by its slots
 * again.
 */
static void watch_throttle_end(struct gpubp_watch_throttle *wt)
{
	struct gpubp_watch *w = wt->watch;

	wt->active = !gpubp_watch_enqueue(w);
	if (!wt->active && list_empty(&w->node))
		list_add_tail(&w->node, &w->ctx->dev->fresh);
}

/*
 * End the throttling when its backoff is over, later if memory is short; drop
 * the entry when the backoff has fully expired.
 */
static void watch_throttle_expire(struct gpubp_watch_throttle *wt, u64 now)
{
	if (wt->active && wt->backoff.until <= now)
		watch_throttle_end(wt);
	else if (!wt->active && gpubp_backoff_is_over(&wt->backoff, now))
		gpubp_throttle_free(wt->watch);
}

static void throttle_schedule(struct gpubp_device *dev, u64 now)
{
	u64 next = U64_MAX;
	struct gpubp_watch_throttle *wt;
	struct gpubp_ctx *ctx;

	list_for_each_entry(ctx, &dev->ctxs, node)
		next = min(next, breaks_throttle_end(ctx, now));

	list_for_each_entry(wt, &dev->sched->throttle.watches, node)
		if (wt->active)
			next = min(next, max(wt->backoff.until,
					     now + NSEC_PER_MSEC));
	if (next != U64_MAX)
		mod_delayed_work(system_percpu_wq, &dev->sched->throttle.work,
				 nsecs_to_jiffies(next - now) + 1);
}

/**
 * gpubp_throttle_choose() - choose what is throttled in the next quantum
 * @dev: device; its lock is held
 *
 * The committer only.
 */
void gpubp_throttle_choose(struct gpubp_device *dev)
{
	u64 now = ktime_get_ns();
	struct gpubp_watch_throttle *wt, *tmp;
	struct gpubp_ctx *ctx;

	lockdep_assert_held(&dev->lock);
	list_for_each_entry_safe(wt, tmp, &dev->sched->throttle.watches, node)
		watch_throttle_expire(wt, now);
	list_for_each_entry(ctx, &dev->ctxs, node)
		ctx_throttle_begin(ctx);
	throttle_schedule(dev, now);
}

static void throttle_fn(struct work_struct *work)
{
	gpubp_request(container_of(to_delayed_work(work),
				   struct gpubp_dev_sched, throttle.work)
			      ->dev);
}

/* ---- devices and contexts ------------------------------------------------ */

/** gpubp_throttle_init() - initialise a new device's part */
void gpubp_throttle_init(struct gpubp_device *dev)
{
	INIT_LIST_HEAD(&dev->sched->throttle.watches);
	hash_init(dev->sched->throttle.by_watch);
	INIT_DELAYED_WORK(&dev->sched->throttle.work, throttle_fn);
}

/** gpubp_throttle_init_ctx() - give a new context a full budget */
void gpubp_throttle_init_ctx(struct gpubp_ctx *ctx)
{
	raw_spin_lock_init(&ctx->sched->throttle.lock);
	gpubp_budget_fill(&ctx->sched->throttle.budget,
			  READ_ONCE(gpubp_max_stall_percent), ktime_get_ns());
}

/** gpubp_throttle_exit() - cancel the work; no commit runs; may sleep */
void gpubp_throttle_exit(struct gpubp_device *dev)
{
	cancel_delayed_work_sync(&dev->sched->throttle.work);
}

/** gpubp_watch_is_throttled() - is it throttled now; the device lock is held */
bool gpubp_watch_is_throttled(const struct gpubp_watch *watch)
{
	const struct gpubp_watch_throttle *wt = watch_throttle_find(watch);

	lockdep_assert_held(&watch->ctx->dev->lock);
	return wt && wt->active;
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_watch_is_throttled);

/** gpubp_throttle_free() - free a watch's entry, if any; device lock held */
void gpubp_throttle_free(struct gpubp_watch *watch)
{
	struct gpubp_watch_throttle *wt = watch_throttle_find(watch);

	lockdep_assert_held(&watch->ctx->dev->lock);
	if (!wt)
		return;
	list_del(&wt->node);
	hash_del(&wt->hash_node);
	kfree(wt);
	watch->has_throttle = false;
}

/** gpubp_throttle_show() - counters and throttled watches; device lock held */
void gpubp_throttle_show(struct gpubp_device *dev, struct seq_file *m)
{
	struct gpubp_watch_throttle *wt;
	struct gpubp_ctx *ctx;

	lockdep_assert_held(&dev->lock);
	seq_printf(m, "stall_throttled %llu\n", dev->sched->throttle.nr);
	list_for_each_entry(ctx, &dev->ctxs, node)
		seq_printf(m, "stalled_us context %u: %llu\n", ctx->id,
			   div_u64(gpubp_stopped_time_ns(&ctx->stopped_time,
							 ktime_get_ns()),
				   NSEC_PER_USEC));
	list_for_each_entry(wt, &dev->sched->throttle.watches, node)
		if (wt->active)
			seq_printf(m, "throttled watch %llu: %llu ms, level %u\n",
				   wt->watch->id,
				   div_u64(GPUBP_BACKOFF_FIRST <<
					   wt->backoff.level, NSEC_PER_MSEC),
				   wt->backoff.level);
}
