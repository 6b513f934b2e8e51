// SPDX-License-Identifier: GPL-2.0
/*
 * Reconcile: when bindings are made to follow what the events want.
 *
 * A PMU is not notified when an event of a sleeping task is enabled, when a
 * context appears in its process or when perf swaps it with another task's
 * event. So bindings are not edited at such changes but reconciled: what each
 * event wants now is compared with its bindings. This is done whenever a change
 * is known, before a dispatch of a context for which something may have
 * changed, and every RECONCILE_MS while any event exists. If it takes long, the
 * worker does it less often.
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
#include "set.h"

#define RECONCILE_MS	10
#define BACKOFF		3	/* pause after a run, in multiples of it */
#define MAX_BACKOFF_MS	100
#define FILL_BUDGET	4096	/* set members bound under gpubp_events_lock */

static void reconcile_fn(struct work_struct *work);
static DECLARE_DELAYED_WORK(reconcile_work, reconcile_fn);
/* jiffies; a run with many events and contexts takes long */
static unsigned long backoff_until;

static unsigned long backoff_after(u64 ns)
{
	return min(nsecs_to_jiffies(BACKOFF * ns + TICK_NSEC / 2),
		   msecs_to_jiffies(MAX_BACKOFF_MS));
}

static unsigned long backoff_left(void)
{
	unsigned long until = READ_ONCE(backoff_until), now = jiffies;

	return time_after(until, now) ? until - now : 0;
}

static void reconcile_soon(void)
{
	mod_delayed_work(system_percpu_wq, &reconcile_work, backoff_left());
}

static void changed_fn(struct irq_work *work)
{
	reconcile_soon();
}

/* for callers under the run queue lock, where a work must not be queued */
static struct irq_work changed_work = IRQ_WORK_INIT_HARD(changed_fn);

/*
 * Not schedule_delayed_work(): a work item is non-reentrant only if it is
 * always queued on the same workqueue, and which one that function uses depends
 * on the kernel version.
 */
static void reconcile_later(void)
{
	queue_delayed_work(system_percpu_wq, &reconcile_work,
			   max(backoff_left(), msecs_to_jiffies(RECONCILE_MS)));
}

static void for_all_ctxs(void (*fn)(struct gpubp_ctx *ctx))
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

static void ctx_snapshot(struct gpubp_ctx *ctx)
{
	ctx->seen = atomic64_read_acquire(&ctx->changes);
	guard(rcu)();
	ctx->owners = gpubp_ctx_owners(ctx);
}

static void ctx_set_reconciled(struct gpubp_ctx *ctx)
{
	/* bindings, then the number; pairs with gpubp_ctx_is_reconciled() */
	smp_store_release(&ctx->reconciled, ctx->seen);
	/* likewise, the owners */
	smp_store_release(&ctx->reconciled_owners, ctx->owners);
}

/* is it disabled, with no bindings, and no times or counts left to update */
static bool event_is_idle(struct gpubp_event *gev)
{
	guard(rcu)();
	return !gev->reconciled_target && !gpubp_target_enabled_key(gev) &&
	       list_empty(&gev->bindings) && !gev->unserved &&
	       !READ_ONCE(gev->times.on) && !atomic64_read(&gev->uncounted);
}

/*
 * Are the event's bindings in @ctx up to date, or does it want none there? RCU
 * read-side section.
 */
static bool event_is_reconciled(struct gpubp_event *gev, struct gpubp_ctx *ctx)
{
	const void *key = gpubp_target_enabled_key(gev);
	struct gpubp_target target;

	/* pairs with the release in gpubp_bind() */
	if (smp_load_acquire(&gev->reconciled_target) == key &&
	    /* likewise; an earlier round may have stored the same key */
	    !smp_load_acquire(&gev->incomplete))
		return true;
	gpubp_target_of(gev, &target);
	return !gpubp_target_includes_ctx(&target, gev->spec.process, ctx);
}

/* must a dispatch of @ctx wait for the event to be reconciled */
static bool event_is_pending(struct gpubp_event *gev, struct gpubp_ctx *ctx)
{
	guard(rcu)();
	return !event_is_reconciled(gev, ctx);
}

static void bind_pending(struct gpubp_ctx *ctx, unsigned int *budget)
{
	struct gpubp_event *gev;

	list_for_each_entry(gev, &gpubp_events, node)
		if (event_is_pending(gev, ctx))
			gpubp_bind(gev, budget);
}

/*
 * Reconcile all events; of sets at most FILL_BUDGET members, to bound the time
 * for which gpubp_events_lock is held. Events that a dispatch of @first waits
 * for come first; @first may be NULL. Return: false if more is left.
 */
static bool reconcile_some(struct gpubp_ctx *first)
{
	unsigned int budget = FILL_BUDGET;
	struct gpubp_event *gev;

	guard(mutex)(&gpubp_events_lock);
	gpubp_bind_round();
	for_all_ctxs(ctx_snapshot);
	if (first)
		bind_pending(first, &budget);
	list_for_each_entry(gev, &gpubp_events, node)
		if (!event_is_idle(gev))
			gpubp_bind(gev, &budget);
	for_all_ctxs(ctx_set_reconciled);
	return budget;
}

/**
 * gpubp_events_reconcile() - bring the bindings of all events up to date
 *
 * May sleep. On return commits of the changes are requested; of large sets only
 * a part may be bound. Return: false if more is left.
 */
bool gpubp_events_reconcile(void)
{
	return reconcile_some(NULL);
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_events_reconcile);

/*
 * Memory ordering, from a task that changes what is wanted and then dispatches,
 * to its watch in the hardware:
 *
 * 1. Names and queues of a context have a number. gpubp_ctx_changed()
 *    increments ctx->changes after the change (release); ctx_snapshot() reads
 *    it (acquire) before the bindings of any event are compared. A later change
 *    leaves ctx->reconciled behind. The tasks that own queues, and their
 *    cgroups, change without a number: their hash is computed again here and
 *    compared with ctx->reconciled_owners.
 * 2. An event's enabling has no number, as perf calls no PMU. reconcile_begin()
 *    stores the mark GPUBP_BEING_RECONCILED in the event, and then reads its
 *    key again; the task enables the event, and then reads the mark here. With
 *    a full barrier between the two on both sides, either the reconciliation
 *    sees the event enabled and binds it, or the task sees the mark, or the key
 *    of an earlier round, and is not done.
 * 3. Each change of bindings, made under the device lock, requests a commit:
 *    request_run() increments the number of requests (release) and stores it in
 *    ctx->requested.
 * 4. After the bindings, gpubp_bind() stores first gev->incomplete, then the
 *    key (both release), and ctx_set_reconciled() stores ctx->reconciled, then
 *    ctx->reconciled_owners (likewise). They are read here with acquire, the
 *    key before gev->incomplete. A task that finds all of them up to date also
 *    finds the ctx->requested of the last change.
 * 5. It then waits for that number in gpubp_request_wait_ctx(). The committer
 *    reads the number of requests in gpubp_run_begin() (acquire), before the
 *    bindings, and gpubp_run_done() stores it (release) when what they want is
 *    in the hardware; request_is_done() and request_is_attempted() read it
 *    (acquire).
 */

/**
 * gpubp_ctx_is_reconciled() - do all events have their bindings in a context
 * @ctx: context
 *
 * Checks what changes without a notification: the state of each event, the
 * owners of the context's queues, and their cgroups. Bindings in other contexts
 * do not matter.
 */
bool gpubp_ctx_is_reconciled(struct gpubp_ctx *ctx)
{
	struct gpubp_event *gev;

	guard(rcu)();
	/* an event's enabling, then the keys; pairs with reconcile_begin() */
	smp_mb();
	/* pairs with ctx_set_reconciled() */
	if (smp_load_acquire(&ctx->reconciled) != atomic64_read(&ctx->changes))
		return false;
	/* likewise */
	if (smp_load_acquire(&ctx->reconciled_owners) != gpubp_ctx_owners(ctx))
		return false;
	list_for_each_entry_rcu(gev, &gpubp_events, node)
		if (!event_is_reconciled(gev, ctx))
			return false;
	return true;
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_ctx_is_reconciled);

static bool any_arrives_unseen(void)
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

	WRITE_ONCE(backoff_until,
		   jiffies + backoff_after(ktime_get_ns() - start));
	/* a run queued during this one used the old backoff: requeue it */
	if (!done || delayed_work_pending(&reconcile_work))
		reconcile_soon();
	gpubp_switches_follow(any_arrives_unseen());
	if (!gpubp_events_exist())
		return;
	gpubp_poll_devices();
	reconcile_later();
}

/**
 * gpubp_events_changed() - reconcile soon, as what bindings depend on changed
 *
 * Callable in any context that may queue work.
 */
void gpubp_events_changed(void)
{
	if (gpubp_events_exist())
		reconcile_soon();
}

/**
 * gpubp_event_added() - a new event is in the list; may sleep
 * @gev: event
 *
 * An event that is opened disabled wants no bindings before it is enabled. So
 * opening many of them does not reconcile all events at each open.
 */
void gpubp_event_added(struct gpubp_event *gev)
{
	if (gev->event->parent || gpubp_perf_enabled(gev->event))
		gpubp_events_changed();
	else
		reconcile_later();
}

/**
 * gpubp_event_scheduled() - perf added an event to its PMU; interrupts off
 * @gev: event
 *
 * It may just have been enabled, or swapped with another task's event.
 */
void gpubp_event_scheduled(struct gpubp_event *gev)
{
	guard(rcu)();
	if (READ_ONCE(gev->reconciled_target) != gpubp_target_key(gev) &&
	    gpubp_contexts_exist())
		irq_work_queue(&changed_work);
}

/** gpubp_events_unbind_ctx() - remove a dead context's bindings; may sleep */
void gpubp_events_unbind_ctx(struct gpubp_ctx *ctx)
{
	struct gpubp_event *gev;

	scoped_guard(mutex, &gpubp_events_lock)
		list_for_each_entry(gev, &gpubp_events, node)
			gpubp_unbind_ctx(gev, ctx);
	gpubp_set_bindings_reap(NULL, ctx);
}

struct inherited_bind {
	unsigned int budget;
	bool incomplete;
};

static void bind_inherited(struct gpubp_event *gev, void *arg)
{
	struct inherited_bind *ib = arg;

	gpubp_bind(gev, &ib->budget);
	ib->incomplete |= gev->incomplete;
}

/**
 * gpubp_event_reconcile() - update the bindings of an event and its children
 * @gev: event that is no child; gpubp_events_lock is held
 *
 * May sleep. On return commits of the changes are requested. Return: false if
 * only a part of a large set is bound: call it again.
 */
bool gpubp_event_reconcile(struct gpubp_event *gev)
{
	struct inherited_bind ib = { .budget = FILL_BUDGET };

	lockdep_assert_held(&gpubp_events_lock);
	gpubp_bind_round();
	gpubp_event_for_inherited(gev, bind_inherited, &ib);
	if (ib.incomplete)
		gpubp_events_changed();
	return ib.budget;
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_event_reconcile);

/* a copy whose spec differs from its reservation's is no longer pinned */
static void update_pinned(struct gpubp_reservation *reservation)
{
	struct gpubp_event *gev;

	list_for_each_entry(gev, &gpubp_events, node)
		if (gev->reservation == reservation)
			gpubp_bind_update_pinned(gev);
}

/**
 * gpubp_event_spec_changed() - rebind an event and its children to a new spec
 * @gev: event that is no child; gpubp_events_lock is held
 *
 * May sleep. On return commits of the change are requested; of a large set only
 * for as many members as one reconciliation binds.
 */
void gpubp_event_spec_changed(struct gpubp_event *gev)
{
	gpubp_event_reconcile(gev);
	if (gev->reservation)
		update_pinned(gev->reservation);
}

int __gpubp_ctx_wait_armed(struct gpubp_ctx *ctx)
{
	int err;

	while (!gpubp_ctx_is_reconciled(ctx) &&
	       (!reconcile_some(ctx) || gpubp_room_wait())) {
		if (fatal_signal_pending(current))
			return -EINTR;
		cond_resched();
	}
	/* breaks are inserted only once all waves take traps: wait again */
	err = gpubp_request_wait_ctx(ctx) ?:
	      gpubp_trap_enable_wait_older(ctx) ?:
	      gpubp_request_wait_ctx(ctx);
	if (!err)
		gpubp_values_catch_up(ctx);
	return err;
}
EXPORT_SYMBOL_GPL(__gpubp_ctx_wait_armed);

static bool event_charges(const struct gpubp_event *gev,
			  const struct mem_cgroup *memcg)
{
	return gev->memcg == memcg || (gev->set && gev->set->memcg == memcg);
}

/* retry the bindings that are charged to @memcg, and no others */
static void retry_charged(struct mem_cgroup *memcg)
{
	struct gpubp_event *gev;

	scoped_guard(mutex, &gpubp_events_lock)
		list_for_each_entry(gev, &gpubp_events, node)
			if (event_charges(gev, memcg))
				WRITE_ONCE(gev->incomplete, true);
	gpubp_events_changed();
}

/** gpubp_reconcile_init() - before the first event or context */
void gpubp_reconcile_init(void)
{
	gpubp_room_set_on_made(retry_charged);
	gpubp_ctx_set_on_change(gpubp_events_changed);
}

/** gpubp_reconcile_exit() - stop the worker; no event may exist any more */
void gpubp_reconcile_exit(void)
{
	irq_work_sync(&changed_work);
	cancel_delayed_work_sync(&reconcile_work);
	gpubp_switches_follow(false);
}
