// SPDX-License-Identifier: GPL-2.0
/* Stall: which watches stop too many waves, and when they are armed again. */
#include <kunit/visibility.h>
#include <linux/bitops.h>
#include <linux/export.h>
#include <linux/ktime.h>
#include <linux/moduleparam.h>
#include <linux/seq_file.h>
#include <linux/slab.h>

#include "bind.h"
#include "compat/version.h"
#include "context.h"
#include "device.h"
#include "event.h"
#include "hit.h"
#include "sched.h"
#include "set.h"
#include "stall.h"
#include "tracepoint.h"
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
static u32 unchanged(const struct gpubp_stall_ctx *stall, unsigned long slots,
		     u64 time)
{
	unsigned int s;

	for_each_set_bit(s, &slots, GPUBP_MAX_SLOTS)
		if (stall->since[s] > time)
			slots &= ~BIT(s);
	return slots;
}

/* true: for the first time, so that somebody must be told */
static bool spend(struct gpubp_stall_ctx *stall, u32 slots, u64 now, u64 ns)
{
	bool was = stall->over;

	stall->ns += ns;
	gpubp_heat_add(stall->heat, GPUBP_MAX_SLOTS,
		       unchanged(stall, slots, now - ns), ns);
	/* it stood there while that was earned, however late we are */
	if (gpubp_budget_spend_over(&stall->budget,
				    READ_ONCE(gpubp_max_stall_percent), now, ns,
				    ns))
		stall->over = true;
	return stall->over && !was;
}

/**
 * gpubp_stall_note() - a wave that stood still for a hit goes on
 * @cell: the hit
 * @slots: comparators that matched; 0: none did
 *
 * The resolver, for each hit.
 */
void gpubp_stall_note(struct gpubp_hit_cell *cell, u32 slots)
{
	struct gpubp_stall_ctx *stall = &cell->ctx->stall;
	u64 now = ktime_get_ns();
	bool told;

	if (!slots)
		return;
	raw_spin_lock(&stall->lock);
	told = spend(stall, slots, now, stalled_ns(cell, now));
	raw_spin_unlock(&stall->lock);
	if (told)
		gpubp_sched_kick(cell->dev);
}

/* ---- for commits --------------------------------------------------------- */

static void cool_down(struct gpubp_ctx *ctx, unsigned long slots, u64 from)
{
	unsigned int s;

	guard(raw_spinlock)(&ctx->stall.lock);
	for_each_set_bit(s, &slots, GPUBP_MAX_SLOTS) {
		ctx->stall.heat[s] = 0;
		ctx->stall.since[s] = from;
	}
}

/**
 * gpubp_stall_programmed() - slots compare something else from now on
 * @dev: device; its lock is held
 * @slots: bitmap
 * @from: when the commit began
 */
void gpubp_stall_programmed(struct gpubp_device *dev, u32 slots, u64 from)
{
	struct gpubp_ctx *ctx;

	lockdep_assert_held(&dev->lock);
	list_for_each_entry(ctx, &dev->ctxs, node)
		cool_down(ctx, slots, from);
}

/* the slot that stopped most, or -1; the context begins anew */
static int take_hottest(struct gpubp_ctx *ctx)
{
	struct gpubp_stall_ctx *stall = &ctx->stall;
	int slot;

	guard(raw_spinlock)(&stall->lock);
	if (!stall->over)
		return -1;
	slot = gpubp_heat_most(stall->heat, GPUBP_MAX_SLOTS);
	stall->over = false;
	memset(stall->heat, 0, sizeof(stall->heat));
	gpubp_budget_fill(&stall->budget, READ_ONCE(gpubp_max_stall_percent),
			  ktime_get_ns());
	return slot;
}

static void tell_events(struct gpubp_watch *w)
{
	struct gpubp_member_binding *mb;
	struct gpubp_binding *b;

	list_for_each_entry(b, &w->bindings, watch_node)
		atomic64_inc(&b->event->stall_throttled);
	hlist_for_each_entry(mb, &w->members, watch_node)
		list_for_each_entry(b, &mb->bench->bindings, watch_node)
			atomic64_inc(&b->event->stall_throttled);
}

static struct gpubp_rest *rest_of(struct gpubp_watch *w)
{
	struct gpubp_device *dev = w->ctx->dev;

	if (w->rest)
		return w->rest;
	w->rest = kzalloc(sizeof(*w->rest), GFP_KERNEL | __GFP_NOWARN);
	if (!w->rest)
		return NULL;
	w->rest->watch = w;
	list_add(&w->rest->node, &dev->stall.watches);
	return w->rest;
}

/* without memory it goes on for another window */
static void leave_alone(struct gpubp_watch *w)
{
	struct gpubp_device *dev = w->ctx->dev;
	struct gpubp_rest *rest = rest_of(w);

	if (!rest)
		return;
	gpubp_backoff_begin(&rest->backoff, ktime_get_ns());
	rest->on = true;
	dev->stall.nr++;
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
		    !gpubp_stall_rests(w))
			leave_alone(w);
}

/* for want of memory, later; who has behaved for long is forgotten */
static void come_back(struct gpubp_rest *rest, u64 now)
{
	if (rest->on && rest->backoff.until <= now)
		rest->on = !gpubp_watch_return(rest->watch);
	else if (!rest->on && gpubp_backoff_is_over(&rest->backoff, now))
		gpubp_stall_forget(rest->watch);
}

static void come_back_later(struct gpubp_device *dev, u64 now)
{
	u64 next = U64_MAX;
	struct gpubp_rest *rest;

	list_for_each_entry(rest, &dev->stall.watches, node)
		if (rest->on)
			next = min(next, max(rest->backoff.until,
					     now + NSEC_PER_MSEC));
	if (next != U64_MAX)
		mod_delayed_work(system_percpu_wq, &dev->stall.work,
				 nsecs_to_jiffies(next - now) + 1);
}

/**
 * gpubp_stall_choose() - who is left alone in the next quantum
 * @dev: device; its lock is held
 *
 * The committer only.
 */
void gpubp_stall_choose(struct gpubp_device *dev)
{
	u64 now = ktime_get_ns();
	struct gpubp_rest *rest, *tmp;
	struct gpubp_ctx *ctx;
	int slot;

	lockdep_assert_held(&dev->lock);
	list_for_each_entry_safe(rest, tmp, &dev->stall.watches, node)
		come_back(rest, now);
	list_for_each_entry(ctx, &dev->ctxs, node) {
		slot = take_hottest(ctx);
		if (slot >= 0)
			leave_slot_alone(ctx, slot);
	}
	come_back_later(dev, now);
}

static void kick_fn(struct work_struct *work)
{
	gpubp_sched_kick(container_of(to_delayed_work(work),
				      struct gpubp_device, stall.work));
}

/* ---- for the others ------------------------------------------------------ */

void gpubp_stall_init(struct gpubp_device *dev)
{
	INIT_LIST_HEAD(&dev->stall.watches);
	INIT_DELAYED_WORK(&dev->stall.work, kick_fn);
}

/** gpubp_stall_init_ctx() - a full budget */
void gpubp_stall_init_ctx(struct gpubp_ctx *ctx)
{
	raw_spin_lock_init(&ctx->stall.lock);
	gpubp_budget_fill(&ctx->stall.budget,
			  READ_ONCE(gpubp_max_stall_percent), ktime_get_ns());
}

/** gpubp_stall_stop() - no commit is asked for any more; none runs; may sleep */
void gpubp_stall_stop(struct gpubp_device *dev)
{
	cancel_delayed_work_sync(&dev->stall.work);
}

/** gpubp_stall_rests() - is a watch left alone now; the device lock is held */
bool gpubp_stall_rests(const struct gpubp_watch *watch)
{
	lockdep_assert_held(&watch->ctx->dev->lock);
	return watch->rest && watch->rest->on;
}

/** gpubp_stall_forget() - nobody wants a watch any more; the device lock is held */
void gpubp_stall_forget(struct gpubp_watch *watch)
{
	struct gpubp_rest *rest = watch->rest;

	if (!rest)
		return;
	list_del(&rest->node);
	kfree(rest);
	watch->rest = NULL;
}

static u64 stalled_in(struct gpubp_ctx *ctx)
{
	guard(raw_spinlock)(&ctx->stall.lock);
	return ctx->stall.ns;
}

/** gpubp_stall_show() - figures, and who is left alone; device lock held */
void gpubp_stall_show(struct gpubp_device *dev, struct seq_file *m)
{
	struct gpubp_rest *rest;
	struct gpubp_ctx *ctx;

	lockdep_assert_held(&dev->lock);
	seq_printf(m, "stall_throttled %llu\n", dev->stall.nr);
	list_for_each_entry(ctx, &dev->ctxs, node)
		seq_printf(m, "stalled_us context %u: %llu\n", ctx->id,
			   div_u64(stalled_in(ctx), NSEC_PER_USEC));
	list_for_each_entry(rest, &dev->stall.watches, node)
		if (rest->on)
			seq_printf(m, "left alone watch %llu: %llu ms, level %u\n",
				   rest->watch->id,
				   div_u64(GPUBP_BACKOFF_FIRST <<
					   rest->backoff.level, NSEC_PER_MSEC),
				   rest->backoff.level);
}
