// SPDX-License-Identifier: GPL-2.0
/*
 * Reconcile: when bindings are made to follow what the events want.
 *
 * Nothing tells a PMU that an event of a sleeping task was enabled, that a
 * context appeared in its process or that perf exchanged it with another
 * task's. So bindings are not edited on such occasions but reconciled: what
 * each event wants now is compared with what it is bound to. That is done
 * whenever something is known to have changed, before a context dispatches for
 * which something may have, and every RECONCILE_MS while any event exists. Where
 * it takes long, the worker does it less often.
 */
#include <kunit/visibility.h>
#include <linux/export.h>
#include <linux/irq_work.h>
#include <linux/jiffies.h>
#include <linux/ktime.h>
#include <linux/rculist.h>
#include <linux/workqueue.h>

#include "../compat/perf.h"
#include "../compat/switches.h"
#include "../compat/target.h"
#include "../compat/version.h"
#include "../core/core.h"
#include "../sched/sched.h"
#include "../trap/trap.h"
#include "bind.h"
#include "event.h"
#include "reconcile.h"

#define RECONCILE_MS	10
#define REST		3	/* the work rests so many times as long as it took */
#define MAX_REST_MS	100
#define FILL_BUDGET	4096	/* members bound with the list of events held */

static void reconcile_fn(struct work_struct *work);
static DECLARE_DELAYED_WORK(reconcile_work, reconcile_fn);
static unsigned long rest_until;	/* jiffies: many events of many contexts take long */

static unsigned long rest_after(u64 ns)
{
	return min(nsecs_to_jiffies(REST * ns + TICK_NSEC / 2),
		   msecs_to_jiffies(MAX_REST_MS));
}

static unsigned long rest(void)
{
	unsigned long until = READ_ONCE(rest_until), now = jiffies;

	return time_after(until, now) ? until - now : 0;
}

static void look_soon(void)
{
	mod_delayed_work(system_percpu_wq, &reconcile_work, rest());
}

static void changed_fn(struct irq_work *work)
{
	look_soon();
}

/* from under the run queue's lock, where no work may be queued */
static struct irq_work changed_work = IRQ_WORK_INIT_HARD(changed_fn);

/*
 * Not schedule_delayed_work(): a work runs once at a time only if it is always
 * queued on the same workqueue, and that one's is not the same everywhere.
 */
static void look_again_later(void)
{
	queue_delayed_work(system_percpu_wq, &reconcile_work,
			   max(rest(), msecs_to_jiffies(RECONCILE_MS)));
}

static void visit_ctxs(void (*fn)(struct gpubp_ctx *ctx))
{
	struct gpubp_device *dev;
	struct gpubp_ctx *ctx;

	guard(mutex)(&gpubp_devices_lock);
	list_for_each_entry(dev, &gpubp_devices, node) {
		guard(mutex)(&dev->lock);
		list_for_each_entry(ctx, &dev->ctxs, node)
			fn(ctx);
	}
}

static void look_at_ctx(struct gpubp_ctx *ctx)
{
	ctx->seen = atomic64_read_acquire(&ctx->changes);
	guard(rcu)();
	ctx->owners = gpubp_ctx_owners(ctx);
}

static void ctx_judged(struct gpubp_ctx *ctx)
{
	/* the bindings, then what they follow; pairs with gpubp_ctx_is_reconciled() */
	smp_store_release(&ctx->reconciled, ctx->seen);
	/* likewise who they are for */
	smp_store_release(&ctx->reconciled_owners, ctx->owners);
}

/* has nothing and wants nothing, as an event that waits to be enabled */
static bool is_idle(struct gpubp_event *gev)
{
	guard(rcu)();
	return !gev->reconciled_owners && !gpubp_target_enabled_key(gev) &&
	       list_empty(&gev->bindings) && !gev->unserved && !gev->times.on &&
	       !atomic64_read(&gev->uncounted);
}

/* an event that has what it wants of @ctx, or is not for it; RCU section */
static bool is_content(struct gpubp_event *gev, struct gpubp_ctx *ctx)
{
	const void *key = gpubp_target_enabled_key(gev);
	struct gpubp_target target;

	/* pairs with the store after the bindings were made */
	if (smp_load_acquire(&gev->reconciled_owners) == key &&
	    /* likewise: of two stores, the first one may have been of the same key */
	    !smp_load_acquire(&gev->incomplete))
		return true;
	gpubp_target_of(gev, &target);
	return !gpubp_target_includes_ctx(&target, gev->spec.process, ctx);
}

/* a dispatch of @ctx waits for it */
static bool is_awaited(struct gpubp_event *gev, struct gpubp_ctx *ctx)
{
	guard(rcu)();
	return !is_content(gev, ctx);
}

static void bind_awaited(struct gpubp_ctx *ctx, unsigned int *budget)
{
	struct gpubp_event *gev;

	list_for_each_entry(gev, &gpubp_events, node)
		if (is_awaited(gev, ctx))
			gpubp_bind(gev, budget);
}

/*
 * Of sets only so much is bound that the list of events is not held for long: of
 * those that @first waits for, if it is not NULL, before others. Return: false if
 * more is left.
 */
static bool reconcile_some(struct gpubp_ctx *first)
{
	unsigned int budget = FILL_BUDGET;
	struct gpubp_event *gev;

	guard(mutex)(&gpubp_events_lock);
	gpubp_bind_round();
	visit_ctxs(look_at_ctx);
	if (first)
		bind_awaited(first, &budget);
	list_for_each_entry(gev, &gpubp_events, node)
		if (!is_idle(gev))
			gpubp_bind(gev, &budget);
	visit_ctxs(ctx_judged);
	return budget;
}

/**
 * gpubp_events_reconcile() - bind every event to what it wants now
 *
 * May sleep. On return commits of the changes are requested; of large sets only
 * a part may be bound. Return: false if more is left.
 */
bool gpubp_events_reconcile(void)
{
	return reconcile_some(NULL);
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_events_reconcile);

/**
 * gpubp_ctx_is_reconciled() - does every event have what it wants of a context
 * @ctx: context
 *
 * What changes unnoticed is looked at: the state of each event, who owns the
 * context's queues, and in which cgroups they are. What events want of other
 * contexts does not count.
 */
bool gpubp_ctx_is_reconciled(struct gpubp_ctx *ctx)
{
	struct gpubp_event *gev;

	guard(rcu)();
	smp_mb();	/* an event was enabled, then the look; see begin_judging() */
	/* each pairs with the store after the bindings were made */
	if (smp_load_acquire(&ctx->reconciled) != atomic64_read(&ctx->changes))
		return false;
	/* likewise */
	if (smp_load_acquire(&ctx->reconciled_owners) != gpubp_ctx_owners(ctx))
		return false;
	list_for_each_entry_rcu(gev, &gpubp_events, node)
		if (!is_content(gev, ctx))
			return false;
	return true;
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_ctx_is_reconciled);

static bool any_comes_unseen(void)
{
	struct gpubp_event *gev;

	guard(rcu)();
	list_for_each_entry_rcu(gev, &gpubp_events, node)
		if (gpubp_target_arrives_unseen(gev))
			return true;
	return false;
}

static void reconcile_fn(struct work_struct *work)
{
	u64 start = ktime_get_ns();
	bool done = gpubp_events_reconcile();

	WRITE_ONCE(rest_until, jiffies + rest_after(ktime_get_ns() - start));
	/* a run that was queued during this one did not know of the rest */
	if (!done || delayed_work_pending(&reconcile_work))
		look_soon();
	gpubp_switches_follow(any_comes_unseen());
	if (!gpubp_events_exist())
		return;
	gpubp_poll_devices();
	look_again_later();
}

/** gpubp_events_changed() - something that bindings depend on; any context that may queue work */
void gpubp_events_changed(void)
{
	if (gpubp_events_exist())
		look_soon();
}

/**
 * gpubp_event_added() - a new event is in the list; may sleep
 * @gev: event
 *
 * One that is opened disabled concerns nobody before it is enabled: who opens
 * many of them does not make each open look at all.
 */
void gpubp_event_added(struct gpubp_event *gev)
{
	if (gev->event->parent || gpubp_perf_enabled(gev->event))
		gpubp_events_changed();
	else
		look_again_later();
}

/**
 * gpubp_event_scheduled() - perf added an event; interrupts off
 * @gev: event
 *
 * It may have been enabled, or exchanged with another task's, just now.
 */
void gpubp_event_scheduled(struct gpubp_event *gev)
{
	guard(rcu)();
	if (READ_ONCE(gev->reconciled_owners) != gpubp_target_key(gev) &&
	    gpubp_contexts_exist())
		irq_work_queue(&changed_work);
}

/** gpubp_events_unbind_ctx() - a dead context's watches go; may sleep */
void gpubp_events_unbind_ctx(struct gpubp_ctx *ctx)
{
	struct gpubp_event *gev;

	guard(mutex)(&gpubp_events_lock);
	list_for_each_entry(gev, &gpubp_events, node)
		gpubp_unbind_ctx(gev, ctx);
}

struct family_bind {
	unsigned int budget;
	bool incomplete;
};

static void bind_one(struct gpubp_event *gev, void *arg)
{
	struct family_bind *fb = arg;

	gpubp_bind(gev, &fb->budget);
	fb->incomplete |= gev->incomplete;
}

/**
 * gpubp_event_reconcile() - bind an event and its children to what they want now
 * @gev: event that is no child; gpubp_events_lock is held
 *
 * May sleep. On return commits of the changes are requested. Return: false if only
 * a part of a large set is bound: call it again.
 */
bool gpubp_event_reconcile(struct gpubp_event *gev)
{
	struct family_bind fb = { .budget = FILL_BUDGET };

	lockdep_assert_held(&gpubp_events_lock);
	gpubp_bind_round();
	gpubp_event_for_inherited(gev, bind_one, &fb);
	if (fb.incomplete)
		gpubp_events_changed();
	return fb.budget;
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_event_reconcile);

/* of copies that share a reservation, those that do not follow it lose it */
static void refresh_pinned(struct gpubp_reservation *reservation)
{
	struct gpubp_event *gev;

	list_for_each_entry(gev, &gpubp_events, node)
		if (gev->reservation == reservation)
			gpubp_bind_refresh(gev);
}

/**
 * gpubp_event_spec_changed() - what an event and its children want has changed
 * @gev: event that is no child
 *
 * gpubp_events_lock is held. May sleep. On return the change is wanted; of a
 * large set only as much as gpubp_events_reconcile() does at a time.
 */
void gpubp_event_spec_changed(struct gpubp_event *gev)
{
	gpubp_event_reconcile(gev);
	if (gev->reservation)
		refresh_pinned(gev->reservation);
}

int __gpubp_ctx_wait_armed(struct gpubp_ctx *ctx)
{
	int err;

	while (!gpubp_ctx_is_reconciled(ctx) && !reconcile_some(ctx)) {
		if (fatal_signal_pending(current))
			return -EINTR;
		cond_resched();
	}
	/* breaks come when all waves trap */
	err = gpubp_request_wait_ctx(ctx)		?:
		      gpubp_trap_enable_wait_older(ctx) ?:
		      gpubp_request_wait_ctx(ctx);
	if (!err)
		gpubp_values_catch_up(ctx);
	return err;
}
EXPORT_SYMBOL_GPL(__gpubp_ctx_wait_armed);

/** gpubp_reconcile_init() - before there can be an event or a context */
void gpubp_reconcile_init(void)
{
	gpubp_ctx_set_on_change(gpubp_events_changed);
}

/** gpubp_reconcile_exit() - no event is left */
void gpubp_reconcile_exit(void)
{
	irq_work_sync(&changed_work);
	cancel_delayed_work_sync(&reconcile_work);
	gpubp_switches_follow(false);
}
