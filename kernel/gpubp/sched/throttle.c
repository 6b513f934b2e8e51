// SPDX-License-Identifier: GPL-2.0
/* Stall: which watches stop too many waves, and when they are armed again. */
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
#include "sched.h"
#include "throttle.h"
#include "watch.h"

/*
 * 64 waves: a compute unit or two, of a hundred. A kernel of so few waves can
 * be watched at its hottest address and is never left alone.
 */
unsigned int gpubp_max_stall_percent = 6400;
EXPORT_SYMBOL_IF_KUNIT(gpubp_max_stall_percent);
module_param_named(max_stall_percent, gpubp_max_stall_percent, uint, 0644);
MODULE_PARM_DESC(max_stall_percent, "how many waves of a context may stand still for hits on average, in percent of one; 0: as many as do");

/* ---- the hit road -------------------------------------------------------- */

/* from when the wave stopped, as far as that is known */
static u64 stalled_ns(const struct gpubp_hit_cell *cell, u64 now)
{
	s64 ns = now - cell->hit.gpu_time;

	return max(ns, 0LL);
}

/* of slots that matched, those that compare the same still */
static u32 unchanged(const struct gpubp_throttle_ctx *stall,
		     unsigned long slots, u64 time)
{
	unsigned int s;

	for_each_set_bit(s, &slots, GPUBP_MAX_SLOTS)
		if (stall->since[s] > time)
			slots &= ~BIT(s);
	return slots;
}

/* true: for the first time, so that somebody must be told */
static bool spend(struct gpubp_throttle_ctx *stall, u32 slots, u64 now, u64 ns)
{
	bool was = stall->over;

	gpubp_stall_ns_add(stall->stall_ns, GPUBP_STALL_PLACES,
			   unchanged(stall, slots, now - ns), ns);
	/* it stood there while that was earned, however late we are */
	if (gpubp_budget_spend(&stall->budget,
			       READ_ONCE(gpubp_max_stall_percent), now, ns, ns))
		stall->over = true;
	return stall->over && !was;
}

/* of the watch for which there is an escalation at @pc */
static u32 escalation_slots(struct gpubp_ctx *ctx, u64 pc)
{
	const struct gpubp_precise_point *esc =
		gpubp_precise_point_find(ctx, pc);
	const struct gpubp_watch *w;

	if (!esc || !esc->watch.id)
		return 0;
	w = gpubp_watch_find(ctx, esc->watch.start, esc->watch.last,
			     esc->watch.id);
	return w ? w->slots : 0;
}

/* a stop for a break is the break's, one of an escalation its watch's */
static u32 places_of(struct gpubp_ctx *ctx, const struct gpubp_step *step,
		     u64 ns)
{
	struct gpubp_trap *trap;
	u32 places;

	if (step->stop != GPUBP_STOP_BREAK && step->stop != GPUBP_STOP_GUARD &&
	    step->stop != GPUBP_STOP_INSIDE)
		return 0;
	guard(mutex)(&ctx->dev->lock);
	places = escalation_slots(ctx, step->pc);
	trap = gpubp_trap_find(ctx, GPUBP_KIND_BREAK, step->pc);
	if (!trap)
		return places;
	trap->stalled += ns;
	return places | BIT(GPUBP_STALL_BREAKS);
}

/**
 * gpubp_throttle_hit() - a wave that stood still for a hit goes on
 * @cell: the hit
 * @slots: comparators that matched; 0: none did
 * @step: what the stop had to do with breaks
 *
 * The resolver, for each hit; takes the device lock for breaks.
 */
void gpubp_throttle_hit(struct gpubp_hit_cell *cell, u32 slots,
			const struct gpubp_step *step)
{
	struct gpubp_throttle_ctx *stall = &cell->ctx->sched->stall;
	u64 now = ktime_get_ns();
	u64 ns = stalled_ns(cell, now);
	bool told;

	slots |= places_of(cell->ctx, step, ns);
	if (!slots)
		return;
	raw_spin_lock(&stall->lock);
	told = spend(stall, slots, now, ns);
	raw_spin_unlock(&stall->lock);
	if (told)
		gpubp_request(cell->dev);
}

/* ---- for commits --------------------------------------------------------- */

static void cool_down(struct gpubp_ctx *ctx, unsigned long slots, u64 from)
{
	unsigned int s;

	guard(raw_spinlock)(&ctx->sched->stall.lock);
	for_each_set_bit(s, &slots, GPUBP_MAX_SLOTS) {
		ctx->sched->stall.stall_ns[s] = 0;
		ctx->sched->stall.since[s] = from;
	}
}

/**
 * gpubp_throttle_programmed() - slots compare something else from now on
 * @dev: device; its lock is held
 * @slots: bitmap
 * @from: when the commit began
 */
void gpubp_throttle_programmed(struct gpubp_device *dev, u32 slots, u64 from)
{
	struct gpubp_ctx *ctx;

	lockdep_assert_held(&dev->lock);
	list_for_each_entry(ctx, &dev->ctxs, node)
		cool_down(ctx, slots, from);
}

/* what stopped most, a slot or breaks, or -1; the context begins anew */
static int take_hottest(struct gpubp_ctx *ctx)
{
	struct gpubp_throttle_ctx *stall = &ctx->sched->stall;
	int slot;

	guard(raw_spinlock)(&stall->lock);
	if (!stall->over)
		return -1;
	slot = gpubp_stall_ns_max(stall->stall_ns, GPUBP_STALL_PLACES);
	stall->over = false;
	memset(stall->stall_ns, 0, sizeof(stall->stall_ns));
	gpubp_budget_fill(&stall->budget, READ_ONCE(gpubp_max_stall_percent),
			  ktime_get_ns());
	return slot;
}

/* how many hits it misses from now on is not known: at least one */
static void lose_hits(struct gpubp_event *gev)
{
	atomic64_inc(&gev->stall_throttled);
	gpubp_perf_lost_own(gev, 1);
}

static void tell_events(struct gpubp_watch *w)
{
	struct gpubp_member_binding *mb;
	struct gpubp_binding *b;

	list_for_each_entry(b, &w->bindings, watch_node)
		lose_hits(b->event);
	hlist_for_each_entry(mb, &w->members, watch_node)
		list_for_each_entry(b, &mb->set_binding->bindings, watch_node)
			lose_hits(b->event);
}

static struct gpubp_watch_throttle *rest_of(struct gpubp_watch *w)
{
	struct gpubp_device *dev = w->ctx->dev;

	if (w->rest)
		return w->rest;
	w->rest = kzalloc(sizeof(*w->rest), GFP_KERNEL | __GFP_NOWARN);
	if (!w->rest)
		return NULL;
	w->rest->watch = w;
	list_add(&w->rest->node, &dev->sched->stall.watches);
	return w->rest;
}

/* without memory it goes on for another window */
static void leave_alone(struct gpubp_watch *w)
{
	struct gpubp_device *dev = w->ctx->dev;
	struct gpubp_watch_throttle *rest = rest_of(w);

	if (!rest)
		return;
	gpubp_backoff_begin(&rest->backoff, ktime_get_ns());
	rest->on = true;
	dev->sched->stall.nr++;
	gpubp_watch_leave(w);
	tell_events(w);
	trace_gpubp_stall(dev->number, w->ctx->id, w->id, w->start, w->last,
			  rest->backoff.level);
}

static void leave_slot_alone(struct gpubp_ctx *ctx, unsigned int slot)
{
	struct gpubp_watch *w;

	list_for_each_entry(w, &ctx->dev->armed, node)
		if (w->ctx == ctx && (w->slots & BIT(slot)) &&
		    !gpubp_watch_is_throttled(w))
			leave_alone(w);
}

static void leave_break_alone(struct gpubp_ctx *ctx)
{
	struct gpubp_device *dev = ctx->dev;
	struct gpubp_trap *trap, *most = NULL;
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
	dev->sched->stall.nr++;
	list_for_each_entry(b, &most->bindings, watch_node)
		lose_hits(b->event);
	trace_gpubp_stall(dev->number, ctx->id, most->id, most->key, most->key,
			  most->backoff.level);
}

static void leave_alone_most(struct gpubp_ctx *ctx)
{
	int place = take_hottest(ctx);

	if (place == GPUBP_STALL_BREAKS)
		leave_break_alone(ctx);
	else if (place >= 0)
		leave_slot_alone(ctx, place);
}

/* a break is only a candidate again: gpubp_break_sched_choose(); U64_MAX none rests */
static u64 breaks_come_back(struct gpubp_ctx *ctx, u64 now)
{
	struct gpubp_trap *trap;
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

/* its time goes on until this commit has armed it, or left it to wait */
static void return_one(struct gpubp_watch_throttle *rest)
{
	struct gpubp_watch *w = rest->watch;

	rest->on = !gpubp_watch_return(w);
	if (!rest->on && list_empty(&w->node))
		list_add_tail(&w->node, &w->ctx->dev->fresh);
}

/* for want of memory, later; who has behaved for long is forgotten */
static void come_back(struct gpubp_watch_throttle *rest, u64 now)
{
	if (rest->on && rest->backoff.until <= now)
		return_one(rest);
	else if (!rest->on && gpubp_backoff_is_over(&rest->backoff, now))
		gpubp_throttle_forget(rest->watch);
}

static void come_back_later(struct gpubp_device *dev, u64 now)
{
	u64 next = U64_MAX;
	struct gpubp_watch_throttle *rest;
	struct gpubp_ctx *ctx;

	list_for_each_entry(ctx, &dev->ctxs, node)
		next = min(next, breaks_come_back(ctx, now));

	list_for_each_entry(rest, &dev->sched->stall.watches, node)
		if (rest->on)
			next = min(next, max(rest->backoff.until,
					     now + NSEC_PER_MSEC));
	if (next != U64_MAX)
		mod_delayed_work(system_percpu_wq, &dev->sched->stall.work,
				 nsecs_to_jiffies(next - now) + 1);
}

/**
 * gpubp_throttle_choose() - who is left alone in the next quantum
 * @dev: device; its lock is held
 *
 * The committer only.
 */
void gpubp_throttle_choose(struct gpubp_device *dev)
{
	u64 now = ktime_get_ns();
	struct gpubp_watch_throttle *rest, *tmp;
	struct gpubp_ctx *ctx;

	lockdep_assert_held(&dev->lock);
	list_for_each_entry_safe(rest, tmp, &dev->sched->stall.watches, node)
		come_back(rest, now);
	list_for_each_entry(ctx, &dev->ctxs, node)
		leave_alone_most(ctx);
	come_back_later(dev, now);
}

static void kick_fn(struct work_struct *work)
{
	gpubp_request(container_of(to_delayed_work(work),
				   struct gpubp_dev_sched, stall.work)
			      ->dev);
}

/* ---- for the others ------------------------------------------------------ */

void gpubp_throttle_init(struct gpubp_device *dev)
{
	INIT_LIST_HEAD(&dev->sched->stall.watches);
	INIT_DELAYED_WORK(&dev->sched->stall.work, kick_fn);
}

/** gpubp_throttle_init_ctx() - a full budget */
void gpubp_throttle_init_ctx(struct gpubp_ctx *ctx)
{
	raw_spin_lock_init(&ctx->sched->stall.lock);
	gpubp_budget_fill(&ctx->sched->stall.budget,
			  READ_ONCE(gpubp_max_stall_percent), ktime_get_ns());
}

/** gpubp_throttle_exit() - no commit is asked for any more; none runs; may sleep */
void gpubp_throttle_exit(struct gpubp_device *dev)
{
	cancel_delayed_work_sync(&dev->sched->stall.work);
}

/** gpubp_watch_is_throttled() - is a watch left alone now; the device lock is held */
bool gpubp_watch_is_throttled(const struct gpubp_watch *watch)
{
	lockdep_assert_held(&watch->ctx->dev->lock);
	return watch->rest && watch->rest->on;
}

/** gpubp_throttle_forget() - nobody wants a watch any more; the device lock is held */
void gpubp_throttle_forget(struct gpubp_watch *watch)
{
	struct gpubp_watch_throttle *rest = watch->rest;

	if (!rest)
		return;
	list_del(&rest->node);
	kfree(rest);
	watch->rest = NULL;
}

/** gpubp_throttle_show() - figures, and who is left alone; device lock held */
void gpubp_throttle_show(struct gpubp_device *dev, struct seq_file *m)
{
	struct gpubp_watch_throttle *rest;
	struct gpubp_ctx *ctx;

	lockdep_assert_held(&dev->lock);
	seq_printf(m, "stall_throttled %llu\n", dev->sched->stall.nr);
	list_for_each_entry(ctx, &dev->ctxs, node)
		seq_printf(m, "stalled_us context %u: %llu\n", ctx->id,
			   div_u64(gpubp_stopped_time_ns(&ctx->stopped_time,
							 ktime_get_ns()),
				   NSEC_PER_USEC));
	list_for_each_entry(rest, &dev->sched->stall.watches, node)
		if (rest->on)
			seq_printf(m, "left alone watch %llu: %llu ms, level %u\n",
				   rest->watch->id,
				   div_u64(GPUBP_BACKOFF_FIRST <<
					   rest->backoff.level, NSEC_PER_MSEC),
				   rest->backoff.level);
}
