// SPDX-License-Identifier: GPL-2.0
/*
 * Reconcile: when bindings are made to follow what the events want.
 *
 * What has changed is recorded (changes.c), and a worker brings its bindings up
 * to date: those of an event in all contexts of its target, those of a context
 * for all events of its owners. A dispatch of a context waits for the events
 * of its owners and for those without a target task, and for no others.
 *
 * A PMU is not notified when an event of a sleeping task is enabled or
 * disabled, when it leaves a group, or when perf swaps it with another task's;
 * nor are we when a task exits or moves to another cgroup. So events that have
 * a context, and contexts, are looked at again in turn, a bounded number of
 * them each RECONCILE_MS (revisit.c).
 */
#include <kunit/visibility.h>
#include <linux/export.h>
#include <linux/irq_work.h>
#include <linux/jiffies.h>
#include <linux/ktime.h>
#include <linux/list_sort.h>
#include <linux/rculist.h>
#include <linux/workqueue.h>

#include "../compat/perf.h"
#include "../compat/switches.h"
#include "../compat/target.h"
#include "../compat/times.h"
#include "../compat/version.h"
#include "../core/core.h"
#include "../sched/sched.h"
#include "../trap/trap.h"
#include "bind.h"
#include "changes.h"
#include "event.h"
#include "index.h"
#include "job.h"
#include "reconcile.h"
#include "reserve.h"
#include "revisit.h"
#include "set.h"

#define RECONCILE_MS	10
#define BACKOFF		3	/* pause after a run, in multiples of it */
#define MAX_BACKOFF_MS	100

/* what is done with gpubp_events_lock held */
#define BIND_BUDGET	1024	/* names, bindings and set members looked at */
#define EVENTS_MAX	64	/* events whose bindings are compared */
#define CTX_EVENTS_MAX	256	/* events bound to, or removed from, a context */

/* what a tick may look at, in units of an event that has not changed */
#define TICK_EVENTS	256
#define TICK_CTXS	16
#define COST_BOUND	8	/* of an event with bindings: update its times */
#define COST_PART	8	/* and 1 for so many of them */
#define COST_CHANGED	64	/* of an event to be bound again */

static void reconcile_fn(struct work_struct *work);
static DECLARE_DELAYED_WORK(reconcile_work, reconcile_fn);
/* jiffies */
static unsigned long backoff_until;	/* after a run that took long */
static unsigned long next_tick;		/* worker only */

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

/*
 * Are the event's bindings in @ctx up to date, or does it want none there? RCU
 * read-side section.
 */
static bool event_is_reconciled(struct gpubp_event *gev, struct gpubp_ctx *ctx)
{
	const void *key = gpubp_target_enabled_key(gev);
	struct gpubp_target target;

	/* pairs with the release in round_end() */
	if (smp_load_acquire(&gev->reconciled_target) == key &&
	    /* likewise; an earlier round may have stored the same key */
	    !smp_load_acquire(&gev->incomplete))
		return true;
	gpubp_target_of(gev, &target);
	return !gpubp_target_includes_ctx(&target, gev->spec.process, ctx);
}

/* ---- events of a context ------------------------------------------------- */

/**
 * struct ctx_events - events that concern a context
 * @ctx: context
 * @pending: only those that a dispatch of it must wait for
 * @after: only those behind this one, by address
 * @list: the events, gpubp_event.visit_node; under gpubp_events_lock
 */
struct ctx_events {
	struct gpubp_ctx *ctx;
	bool pending;
	const struct gpubp_event *after;
	struct list_head list;
};

/* always false: go on */
static bool ctx_events_add(struct gpubp_event *gev, void *arg)
{
	struct ctx_events *ce = arg;

	if (gev > ce->after && !gev->removed && list_empty(&gev->visit_node) &&
	    !(ce->pending && event_is_reconciled(gev, ce->ctx)))
		list_add_tail(&gev->visit_node, &ce->list);
	return false;
}

/*
 * None of them is freed while gpubp_events_lock is held: it is taken before an
 * event is freed, and @removed is set.
 */
static void ctx_events_find(struct ctx_events *ce)
{
	struct gpubp_event *gev;

	lockdep_assert_held(&gpubp_events_lock);
	INIT_LIST_HEAD(&ce->list);
	guard(rcu)();
	gpubp_ctx_any_task_event(ce->ctx, ctx_events_add, ce);
	list_for_each_entry(gev, &gpubp_wide_events, wide_node)
		ctx_events_add(gev, ce);
}

/* those that are bound, but may not concern the context any more */
static void ctx_events_add_bound(struct ctx_events *ce)
{
	struct gpubp_binding *b;

	list_for_each_entry(b, &ce->ctx->bindings, ctx_node)
		ctx_events_add(b->event, ce);
}

static int visit_cmp(void *unused, const struct list_head *a,
		     const struct list_head *b)
{
	return a > b;
}

static struct gpubp_event *ctx_events_next(struct ctx_events *ce)
{
	struct gpubp_event *gev = list_first_entry_or_null(&ce->list,
							   struct gpubp_event,
							   visit_node);

	if (gev)
		list_del_init(&gev->visit_node);
	return gev;
}

/* Return: false if some are left */
static bool ctx_events_end(struct ctx_events *ce)
{
	if (list_empty(&ce->list))
		return true;
	while (ctx_events_next(ce))
		;
	return false;
}

/* ---- one event, one context ---------------------------------------------- */

/* can it change, or is there something to update, without a notification */
static bool event_needs_revisit(struct gpubp_event *gev)
{
	guard(rcu)();
	return !list_empty(&gev->bindings) || gpubp_bind_is_partial(gev) ||
	       atomic64_read(&gev->uncounted) ||
	       !gpubp_perf_is_installed(gev->event) ||
	       gpubp_target_may_have_ctx(gev);
}

/* after its bindings were compared */
static void event_follow_up(struct gpubp_event *gev, unsigned int budget)
{
	if (gev->round.running || (!budget && gev->incomplete)) {
		gpubp_changes_add_event(gev);
		reconcile_later();
	}
	if (event_needs_revisit(gev))
		gpubp_revisit_event(gev);
	else
		gpubp_revisit_event_end(gev);
}

static void event_bind(struct gpubp_event *gev, unsigned int *budget)
{
	if (gev->removed)
		return;
	gpubp_bind(gev, budget);
	event_follow_up(gev, *budget);
}

/* Return: false if more is left */
static bool bind_pending(struct gpubp_ctx *ctx, unsigned int *budget)
{
	struct ctx_events ce = { .ctx = ctx, .pending = true };
	struct gpubp_event *gev;
	unsigned int nr;

	ctx_events_find(&ce);
	for (nr = 0; nr < CTX_EVENTS_MAX && *budget &&
	     (gev = ctx_events_next(&ce)); nr++)
		event_bind(gev, budget);
	return ctx_events_end(&ce);
}

/*
 * In an order that does not change, so that what is left is done next time. An
 * event that is opened before that is bound as a changed event. Return: false if
 * more is left.
 */
static bool bind_all_to_ctx(struct gpubp_ctx *ctx, unsigned int *budget)
{
	struct ctx_events ce = { .ctx = ctx, .after = ctx->pass.after };
	unsigned int nr = 0;
	struct gpubp_event *gev;

	ctx_events_find(&ce);
	ctx_events_add_bound(&ce);
	list_sort(NULL, &ce.list, visit_cmp);
	while (nr < CTX_EVENTS_MAX && *budget &&
	       (gev = ctx_events_next(&ce))) {
		nr += gpubp_bind_ctx(gev, ctx, budget);
		event_follow_up(gev, *budget);
		ctx->pass.after = gev;
	}
	return ctx_events_end(&ce);
}

static void ctx_pass_begin(struct gpubp_ctx *ctx, u64 seen, u64 owners)
{
	if (!ctx->pass.running)
		ctx->pass = (struct gpubp_pass) { .running = true, .seen = seen,
						  .owners = owners };
}

static void ctx_pass_end(struct gpubp_ctx *ctx)
{
	ctx->pass.running = false;
	/* bindings, then the number; pairs with gpubp_ctx_is_reconciled() */
	smp_store_release(&ctx->reconciled, ctx->pass.seen);
	/* likewise, the owners */
	smp_store_release(&ctx->reconciled_owners, ctx->pass.owners);
}

/*
 * Bring the bindings to a context up to date if its names, queues or owners
 * changed. Return: false if more is left: it is a changed context again.
 */
static bool ctx_reconcile(struct gpubp_ctx *ctx, unsigned int *budget)
{
	u64 seen = atomic64_read_acquire(&ctx->changes), owners;

	scoped_guard(rcu)
		owners = gpubp_ctx_owners(ctx);
	if (ctx->reconciled == seen && ctx->reconciled_owners == owners)
		return true;
	ctx_pass_begin(ctx, seen, owners);
	if (bind_all_to_ctx(ctx, budget))
		ctx_pass_end(ctx);
	/* it may have changed again since the pass began */
	if (ctx->reconciled == seen && ctx->reconciled_owners == owners)
		return true;
	gpubp_changes_add_ctx(ctx);
	reconcile_later();
	return false;
}

/* ---- what has changed ---------------------------------------------------- */

static void events_reconcile_some(unsigned int *budget)
{
	struct gpubp_event *gev;
	unsigned int nr;

	for (nr = 0; nr < EVENTS_MAX && *budget; nr++) {
		gev = gpubp_changes_take_event();
		if (!gev)
			break;
		event_bind(gev, budget);
	}
}

static void ctxs_reconcile_some(unsigned int *budget)
{
	struct gpubp_ctx *ctx = gpubp_changes_take_ctx();

	if (!ctx)
		return;
	gpubp_revisit_ctx(ctx);
	ctx_reconcile(ctx, budget);
}

/*
 * Follow a part of the changes. @tick: (out) is there something to look at again
 */
static void reconcile_some(void *tick)
{
	unsigned int events = BIND_BUDGET, ctxs = BIND_BUDGET;

	events_reconcile_some(&events);
	ctxs_reconcile_some(&ctxs);
	*(bool *)tick = gpubp_revisit_any() || !list_empty(&gpubp_wide_events);
}

/* ---- what may have changed ----------------------------------------------- */

static bool event_may_have_changed(struct gpubp_event *gev)
{
	guard(rcu)();
	return gpubp_bind_is_partial(gev) || gev->lingers ||
	       gev->reconciled_target != gpubp_target_enabled_key(gev);
}

/* Return: its cost */
static unsigned int event_revisit(struct gpubp_event *gev)
{
	if (event_may_have_changed(gev)) {
		gpubp_changes_add_event(gev);
		return COST_CHANGED;
	}
	gpubp_bind_update_groups(gev);
	scoped_guard(rcu)
		gpubp_times_tick(gev);
	if (!event_needs_revisit(gev))
		gpubp_revisit_event_end(gev);
	return gev->nr_bindings ? COST_BOUND + gev->nr_bindings / COST_PART : 1;
}

static void ctx_revisit(struct gpubp_ctx *ctx)
{
	u64 owners;

	scoped_guard(rcu)
		owners = gpubp_ctx_owners(ctx);
	if (owners != ctx->reconciled_owners)
		gpubp_changes_add_ctx(ctx);
}

static void revisit_events(void)
{
	struct gpubp_event *gev;
	unsigned int cost;

	gpubp_revisit_tick();
	for (cost = 0; cost < TICK_EVENTS; cost += event_revisit(gev)) {
		gev = gpubp_revisit_next_event();
		if (!gev)
			break;
	}
}

static void revisit_ctxs(void)
{
	struct gpubp_ctx *ctx, *first = NULL;
	unsigned int nr;

	for (nr = 0; nr < TICK_CTXS; nr++) {
		ctx = gpubp_revisit_next_ctx();
		if (!ctx || ctx == first)
			break;
		first = first ?: ctx;
		ctx_revisit(ctx);
	}
}

static void revisit_some(void *unused)
{
	revisit_events();
	revisit_ctxs();
}

/**
 * gpubp_events_reconcile() - follow what has changed, and look for more
 *
 * May sleep. On return commits of the changes are requested; of large sets only
 * a part may be bound. Return: false if more is left.
 */
bool gpubp_events_reconcile(void)
{
	bool tick;

	gpubp_job_run(revisit_some, NULL);
	gpubp_job_run(reconcile_some, &tick);
	return !gpubp_changes_exist();
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_events_reconcile);

/*
 * Memory ordering, from a task that changes what is wanted and then dispatches,
 * to its watch in the hardware:
 *
 * 1. Names and queues of a context have a number. gpubp_ctx_changed()
 *    increments ctx->changes after the change (release); ctx_reconcile() reads
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
 * 4. After the bindings, round_end() stores first gev->incomplete, then the
 *    key (both release), and ctx_pass_end() stores ctx->reconciled, then
 *    ctx->reconciled_owners (likewise). They are read here with acquire, the
 *    key before gev->incomplete. A task that finds all of them up to date also
 *    finds the ctx->requested of the last change.
 * 5. It then waits for that number in gpubp_request_wait_ctx(). The committer
 *    reads the number of requests in gpubp_run_begin() (acquire), before the
 *    bindings, and gpubp_run_done() stores it (release) when what they want is
 *    in the hardware; request_is_done() and request_is_attempted() read it
 *    (acquire).
 */

static bool event_is_pending(struct gpubp_event *gev, void *ctx)
{
	return !event_is_reconciled(gev, ctx);
}

static bool any_wide_is_pending(struct gpubp_ctx *ctx)
{
	struct gpubp_event *gev;

	list_for_each_entry_rcu(gev, &gpubp_wide_events, wide_node)
		if (event_is_pending(gev, ctx))
			return true;
	return false;
}

/**
 * gpubp_ctx_is_reconciled() - do all events have their bindings in a context
 * @ctx: context
 *
 * Checks what changes without a notification: the state of each event of the
 * owners of its queues, these owners, and their cgroups. Bindings in other
 * contexts do not matter.
 */
bool gpubp_ctx_is_reconciled(struct gpubp_ctx *ctx)
{
	guard(rcu)();
	/* an event's enabling, then the keys; pairs with reconcile_begin() */
	smp_mb();
	/* pairs with ctx_pass_end() */
	if (smp_load_acquire(&ctx->reconciled) != atomic64_read(&ctx->changes))
		return false;
	/* likewise */
	if (smp_load_acquire(&ctx->reconciled_owners) != gpubp_ctx_owners(ctx))
		return false;
	return !gpubp_ctx_any_task_event(ctx, event_is_pending, ctx) &&
	       !any_wide_is_pending(ctx);
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_ctx_is_reconciled);

static bool any_arrives_unseen(void)
{
	struct gpubp_event *gev;

	guard(rcu)();
	list_for_each_entry_rcu(gev, &gpubp_wide_events, wide_node)
		if (gpubp_target_arrives_unseen(gev))
			return true;
	return false;
}

static void tick_if_due(void)
{
	if (time_before(jiffies, next_tick))
		return;
	next_tick = jiffies + msecs_to_jiffies(RECONCILE_MS);
	gpubp_job_run(revisit_some, NULL);
}

static void reconcile_fn(struct work_struct *work)
{
	u64 start = ktime_get_ns();
	bool tick;

	tick_if_due();
	gpubp_job_run(reconcile_some, &tick);
	WRITE_ONCE(backoff_until,
		   jiffies + backoff_after(ktime_get_ns() - start));
	/* a run queued during this one used the old backoff: requeue it */
	if (gpubp_changes_exist() || delayed_work_pending(&reconcile_work))
		reconcile_soon();
	else if (tick)
		reconcile_later();
	gpubp_switches_follow(any_arrives_unseen());
}

/**
 * gpubp_event_changed() - reconcile an event soon
 * @gev: event
 *
 * Callable in any context that may queue work.
 */
void gpubp_event_changed(struct gpubp_event *gev)
{
	gpubp_changes_add_event(gev);
	reconcile_soon();
}

static void ctx_changed(struct gpubp_ctx *ctx)
{
	gpubp_changes_add_ctx(ctx);
	if (gpubp_events_exist())
		reconcile_soon();
}

/**
 * gpubp_event_added() - a new event is in the list; may sleep
 * @gev: event, no child: a task that is being forked owns no queue
 *
 * perf has not installed it yet, so it has no target now. An event that is
 * opened disabled wants no bindings before it is enabled.
 */
void gpubp_event_added(struct gpubp_event *gev)
{
	if (!gpubp_target_will_have_ctx(gev))
		return;		/* its first queue will be a change */
	gpubp_changes_add_event(gev);
	if (gpubp_perf_enabled(gev->event))
		reconcile_soon();
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
	const void *task = gpubp_perf_task(gev->event);

	/* each context switch comes here */
	if (!gpubp_contexts_exist() ||
	    (task && task == READ_ONCE(gev->reconciled_target)))
		return;
	guard(rcu)();
	if (READ_ONCE(gev->reconciled_target) == gpubp_target_key(gev) ||
	    !gpubp_target_may_have_ctx(gev))
		return;
	gpubp_changes_add_event(gev);
	irq_work_queue(&changed_work);
}

/**
 * gpubp_event_withdraw() - an event is freed: it gets no binding any more
 * @gev: event that is in no list; gpubp_events_lock is held
 */
void gpubp_event_withdraw(struct gpubp_event *gev)
{
	lockdep_assert_held(&gpubp_events_lock);
	gev->removed = true;
	gpubp_changes_del_event(gev);
	gpubp_revisit_event_end(gev);
	list_del_init(&gev->partial_node);
}

/**
 * struct ctx_part - what is done to a context in parts
 * @ctx: context
 * @done: no more is left
 */
struct ctx_part {
	struct gpubp_ctx *ctx;
	bool done;
};

static void ctx_withdraw_changes(void *arg)
{
	struct ctx_part *part = arg;

	gpubp_changes_withdraw_ctx(part->ctx);
	gpubp_revisit_ctx_end(part->ctx);
	part->done = list_empty(&part->ctx->bindings);
}

static void ctx_unbind_some(void *arg)
{
	struct ctx_part *part = arg;

	part->done = gpubp_unbind_ctx(part->ctx, EVENTS_MAX);
}

/** gpubp_events_unbind_ctx() - remove a dead context's bindings; may sleep */
void gpubp_events_unbind_ctx(struct gpubp_ctx *ctx)
{
	struct ctx_part part = { .ctx = ctx };

	gpubp_job_run_short(ctx_withdraw_changes, &part);
	while (!part.done)
		gpubp_job_run(ctx_unbind_some, &part);
	gpubp_set_bindings_reap(NULL, ctx);
}

/**
 * gpubp_event_reconcile() - update the bindings of an event and its children
 * @gev: event that is no child; gpubp_events_lock is held
 * @pass: number from gpubp_event_new_pass()
 *
 * May sleep. On return commits of the changes are requested. Return: false if
 * that is only a part of the children, or of a large set: call it again, with
 * the same number. The lock may be released before that.
 */
bool gpubp_event_reconcile(struct gpubp_event *gev, u64 pass)
{
	unsigned int budget = BIND_BUDGET, nr;
	bool incomplete = false;
	struct gpubp_event *next;

	lockdep_assert_held(&gpubp_events_lock);
	for (nr = 0; nr < EVENTS_MAX; nr++) {
		next = gpubp_event_in_pass(gev, pass);
		if (!next)
			break;
		event_bind(next, &budget);
		incomplete |= next->incomplete;
		if (!budget)
			break;
		gpubp_event_passed(next, gev, pass);
	}
	if (incomplete)
		reconcile_later();
	return budget && !gpubp_event_in_pass(gev, pass);
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_event_reconcile);

/* a dispatch waits for its bindings */
static void bindings_are_old(struct gpubp_event *gev, void *unused)
{
	WRITE_ONCE(gev->incomplete, true);
	gev->modified = true;
	gev->modified_at = ktime_get_ns();
	gpubp_bind_again(gev);
	gpubp_changes_add_event(gev);
}

/**
 * gpubp_event_spec_changed() - rebind an event and its children to a new spec
 * @gev: event that is no child; gpubp_events_lock is held
 *
 * May sleep. On return commits of the change of @gev are requested; of a large
 * set only for as many members as one reconciliation binds. A worker binds all of
 * its children, unless gpubp_event_reconcile() is called before.
 */
void gpubp_event_spec_changed(struct gpubp_event *gev)
{
	gpubp_event_for_inherited(gev, bindings_are_old, NULL);
	reconcile_soon();
	gpubp_event_reconcile(gev, gpubp_event_new_pass());
	/* a copy whose spec differs from its reservation's is not pinned */
	gpubp_reserve_for_members(gev, gpubp_bind_update_pinned);
}

static void dispatch_bind_some(void *arg)
{
	unsigned int budget = BIND_BUDGET;
	struct ctx_part *part = arg;

	part->done = bind_pending(part->ctx, &budget) && budget &&
		     ctx_reconcile(part->ctx, &budget) && budget;
}

/* Return: false if more is left */
static bool reconcile_for_dispatch(struct gpubp_ctx *ctx)
{
	struct ctx_part part = { .ctx = ctx };

	gpubp_job_run(dispatch_bind_some, &part);
	return part.done;
}

#define RECORDS_MS	200	/* longest wait for hits that were recorded before */

static void end_unwanted_some(void *arg)
{
	struct ctx_part *part = arg;

	part->done = READ_ONCE(part->ctx->dead) ||
		     gpubp_bind_end_unwanted(part->ctx, EVENTS_MAX);
}

/* watches of before need no comparator in what is dispatched now */
static void ctx_end_unwanted(struct gpubp_ctx *ctx)
{
	struct ctx_part part = { .ctx = ctx };

	if (!READ_ONCE(ctx->nr_unwanted))
		return;
	gpubp_records_wait(ctx, ktime_get_ns(), msecs_to_jiffies(RECORDS_MS));
	while (!part.done)
		gpubp_job_run(end_unwanted_some, &part);
}

/* of a wait that began then; jiffies */
static unsigned long wait_left(unsigned long began, unsigned long limit)
{
	if (limit == MAX_SCHEDULE_TIMEOUT)
		return limit;
	return limit - min(limit, jiffies - began);
}

static int wait_reconciled(struct gpubp_ctx *ctx, unsigned long began,
			   unsigned long limit)
{
	while (!READ_ONCE(ctx->dead) && !gpubp_ctx_is_reconciled(ctx)) {
		if (reconcile_for_dispatch(ctx) &&
		    !gpubp_room_wait(wait_left(began, limit)))
			return 0;
		if (fatal_signal_pending(current))
			return -EINTR;
		if (!wait_left(began, limit))
			return -ETIMEDOUT;
	}
	return 0;
}

/**
 * gpubp_ctx_wait_armed_for() - as gpubp_ctx_wait_armed(), with a time limit
 * @ctx: context
 * @limit: jiffies; MAX_SCHEDULE_TIMEOUT: none
 *
 * May sleep; a little longer where a part of the bindings is being made. Return: 0,
 * -EINTR (a fatal signal), or -ETIMEDOUT: what is wanted is armed later.
 */
int gpubp_ctx_wait_armed_for(struct gpubp_ctx *ctx, unsigned long limit)
{
	unsigned long began = jiffies;
	int err;

	err = wait_reconciled(ctx, began, limit);
	if (err)
		return err;
	ctx_end_unwanted(ctx);
	/* breaks are inserted only once all waves take traps: wait again */
	err = gpubp_request_wait_ctx(ctx, wait_left(began, limit)) ?:
	      gpubp_trap_enable_wait_older(ctx, wait_left(began, limit)) ?:
	      gpubp_request_wait_ctx(ctx, wait_left(began, limit));
	if (!err)
		gpubp_values_catch_up(ctx);
	return err;
}

int __gpubp_ctx_wait_armed(struct gpubp_ctx *ctx)
{
	return gpubp_ctx_wait_armed_for(ctx, MAX_SCHEDULE_TIMEOUT);
}
EXPORT_SYMBOL_GPL(__gpubp_ctx_wait_armed);

static bool event_charges(const struct gpubp_event *gev,
			  const struct mem_cgroup *memcg)
{
	return gev->memcg == memcg || (gev->set && gev->set->memcg == memcg);
}

static void retry_charged_fn(void *memcg)
{
	struct gpubp_event *gev;

	list_for_each_entry(gev, &gpubp_partial_events, partial_node)
		if (event_charges(gev, memcg)) {
			WRITE_ONCE(gev->incomplete, true);
			gpubp_event_changed(gev);
		}
}

/* retry the bindings that are charged to @memcg, and no others */
static void retry_charged(struct mem_cgroup *memcg)
{
	gpubp_job_run(retry_charged_fn, memcg);
}

/** gpubp_reconcile_init() - before the first event or context */
void gpubp_reconcile_init(void)
{
	gpubp_room_set_on_made(retry_charged);
	gpubp_ctx_set_on_change(ctx_changed);
}

/** gpubp_reconcile_exit() - stop the worker; no event may exist any more */
void gpubp_reconcile_exit(void)
{
	irq_work_sync(&changed_work);
	cancel_delayed_work_sync(&reconcile_work);
	gpubp_switches_follow(false);
}
