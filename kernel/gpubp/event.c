// SPDX-License-Identifier: GPL-2.0
/*
 * Events: the list of all, and what binds them to watches.
 *
 * Nothing tells a PMU that an event of a sleeping task was enabled, that a
 * context appeared in its process or that perf exchanged it with another
 * task's. So bindings are not edited on such occasions but reconciled: what
 * each event wants now is compared with what it is bound to. That is done
 * whenever something is known to have changed, before a context dispatches,
 * and every RECONCILE_MS while any event exists.
 */
#include <linux/irq_work.h>
#include <linux/jump_label.h>
#include <linux/export.h>
#include <linux/rculist.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/workqueue.h>
#include <uapi/linux/gpubp.h>

#include "compat/perf.h"
#include "context.h"
#include "device.h"
#include "event.h"
#include "names.h"
#include "sched.h"
#include "scope.h"
#include "watch.h"

#define RECONCILE_MS	10
#define CLOSED_DELAY	(60 * HZ)	/* patching interrupts every CPU */

DEFINE_STATIC_KEY_FALSE(gpubp_active);
EXPORT_SYMBOL_GPL(gpubp_active);

DEFINE_MUTEX(gpubp_events_lock);
static LIST_HEAD(events);
static u32 round;		/* of reconciliation; under gpubp_events_lock */

static atomic_t nr_closed;	/* events gone that gpubp_active still counts */
static void closed_fn(struct work_struct *work);
static DECLARE_DELAYED_WORK(closed_work, closed_fn);

static void reconcile_fn(struct work_struct *work);
static DECLARE_DELAYED_WORK(reconcile_work, reconcile_fn);

static void changed_fn(struct irq_work *work)
{
	mod_delayed_work(system_wq, &reconcile_work, 0);
}

/* from under the run queue's lock, where no work may be queued */
static struct irq_work changed_work = IRQ_WORK_INIT_HARD(changed_fn);

static struct gpubp_binding *binding_find(struct gpubp_event *gev,
					  struct gpubp_ctx *ctx, u64 start)
{
	struct gpubp_binding *b;

	list_for_each_entry(b, &gev->bindings, event_node)
		if (b->watch->ctx == ctx && b->watch->start == start)
			return b;
	return NULL;
}

static void watch_refresh(struct gpubp_watch *watch)
{
	struct gpubp_binding *b;

	watch->pinned = false;
	list_for_each_entry(b, &watch->bindings, watch_node)
		watch->pinned |= b->event->event->attr.pinned;
}

static void unbind(struct gpubp_binding *b)
{
	struct gpubp_watch *watch = b->watch;

	lockdep_assert_held(&watch->ctx->dev->lock);
	list_del(&b->watch_node);
	list_del_rcu(&b->event_node);
	watch_refresh(watch);
	gpubp_sched_kick(watch->ctx->dev);
	gpubp_watch_forget_if_unused(watch);
	kfree_rcu(b, rcu);
}

static void bind(struct gpubp_event *gev, struct gpubp_ctx *ctx, u64 start)
{
	struct gpubp_binding *b = kzalloc(sizeof(*b), GFP_KERNEL);
	struct gpubp_watch *watch;

	if (!b)
		return;		/* tried again at the next reconciliation */
	watch = gpubp_watch_get(ctx, start, gev->spec.len, gev->spec.access);
	if (IS_ERR(watch)) {
		kfree(b);
		return;
	}
	b->event = gev;
	b->watch = watch;
	b->watch_id = watch->id;
	b->round = round;
	list_add_tail(&b->watch_node, &watch->bindings);
	list_add_tail_rcu(&b->event_node, &gev->bindings);
	watch_refresh(watch);
	gpubp_sched_kick(ctx->dev);
}

static void want(struct gpubp_event *gev, struct gpubp_ctx *ctx, u64 start)
{
	struct gpubp_binding *b = binding_find(gev, ctx, start);

	if (b)
		b->round = round;
	else
		bind(gev, ctx, start);
}

/* offsets are checked against the range that has the name: no neighbours */
static void want_named(struct gpubp_event *gev, struct gpubp_ctx *ctx)
{
	const struct gpubp_spec *spec = &gev->spec;
	struct gpubp_name *name = NULL;

	while ((name = gpubp_name_next(ctx, spec->code, name)))
		if (spec->addr < name->size &&
		    spec->len <= name->size - spec->addr)
			want(gev, ctx, name->va + spec->addr);
}

static void want_in_ctx(struct gpubp_event *gev, struct gpubp_ctx *ctx)
{
	if (gev->spec.named)
		want_named(gev, ctx);
	else
		want(gev, ctx, gev->spec.addr);
}

static void want_on_device(struct gpubp_event *gev, struct gpubp_device *dev,
			   struct task_struct *task)
{
	struct gpubp_ctx *ctx;

	if (!gpubp_in_scope(&gev->spec, dev))
		return;
	guard(mutex)(&dev->lock);
	list_for_each_entry(ctx, &dev->ctxs, node)
		if (!ctx->dead &&
		    gpubp_ctx_concerns(ctx, task, gev->spec.process))
			want_in_ctx(gev, ctx);
}

static void unbind_if(struct gpubp_event *gev,
		      bool (*pred)(struct gpubp_binding *b, void *arg),
		      void *arg)
{
	struct gpubp_binding *b, *tmp;

	list_for_each_entry_safe(b, tmp, &gev->bindings, event_node) {
		struct gpubp_device *dev = b->watch->ctx->dev;

		if (!pred(b, arg))
			continue;
		mutex_lock(&dev->lock);
		unbind(b);
		mutex_unlock(&dev->lock);
	}
}

static bool outdated(struct gpubp_binding *b, void *arg)
{
	return b->round != round;
}

static bool any(struct gpubp_binding *b, void *arg)
{
	return true;
}

static bool in_ctx(struct gpubp_binding *b, void *arg)
{
	return b->watch->ctx == arg;
}

/* to be compared only; NULL if the event is not enabled */
static struct task_struct *enabled_task(struct gpubp_event *gev)
{
	guard(rcu)();
	return gpubp_perf_enabled(gev->event) ? gpubp_perf_task(gev->event) :
						NULL;
}

static void reconcile_event(struct gpubp_event *gev)
{
	struct task_struct *task = enabled_task(gev);
	struct gpubp_device *dev;

	WRITE_ONCE(gev->judged, task);
	if (task) {
		mutex_lock(&gpubp_devices_lock);
		list_for_each_entry(dev, &gpubp_devices, node)
			want_on_device(gev, dev, task);
		mutex_unlock(&gpubp_devices_lock);
	}
	unbind_if(gev, outdated, NULL);
	if (list_empty(&gev->bindings))
		return;
	guard(rcu)();
	gpubp_perf_note_time(gev->event);
}

/**
 * gpubp_events_reconcile() - bind every event to what it wants now
 *
 * May sleep. On return the devices' workers have been told.
 */
void gpubp_events_reconcile(void)
{
	struct gpubp_event *gev;

	guard(mutex)(&gpubp_events_lock);
	round++;
	list_for_each_entry(gev, &events, node)
		reconcile_event(gev);
}

static void reconcile_fn(struct work_struct *work)
{
	gpubp_events_reconcile();
	if (!list_empty(&events))
		schedule_delayed_work(&reconcile_work,
				      msecs_to_jiffies(RECONCILE_MS));
}

/** gpubp_events_changed() - something that bindings depend on; any context that may queue work */
void gpubp_events_changed(void)
{
	if (!list_empty(&events))
		mod_delayed_work(system_wq, &reconcile_work, 0);
}

/**
 * gpubp_event_scheduled() - perf added an event; interrupts off
 * @gev: event
 *
 * It may have been enabled, or exchanged with another task's, just now.
 */
void gpubp_event_scheduled(struct gpubp_event *gev)
{
	if (READ_ONCE(gev->judged) != gpubp_perf_task(gev->event) &&
	    gpubp_contexts_exist())
		irq_work_queue(&changed_work);
}

/* who opens and closes all the time makes no CPU patch code */
static void closed_fn(struct work_struct *work)
{
	int n = atomic_xchg(&nr_closed, 0);

	while (n--)
		static_branch_dec(&gpubp_active);
}

/** gpubp_event_add() - a new event; may sleep, also inside fork() */
void gpubp_event_add(struct gpubp_event *gev)
{
	/* not in fork(): a parent outlives its children */
	if (!gev->event->parent)
		static_branch_inc(&gpubp_active);
	mutex_lock(&gpubp_events_lock);
	list_add_tail_rcu(&gev->node, &events);
	mutex_unlock(&gpubp_events_lock);
	gpubp_events_changed();
}

/** gpubp_event_remove() - the event is going; may sleep, also inside exit() */
void gpubp_event_remove(struct gpubp_event *gev)
{
	mutex_lock(&gpubp_events_lock);
	list_del_rcu(&gev->node);
	unbind_if(gev, any, NULL);
	mutex_unlock(&gpubp_events_lock);
	if (!gev->event->parent) {
		atomic_inc(&nr_closed);
		mod_delayed_work(system_wq, &closed_work, CLOSED_DELAY);
	}
}

/** gpubp_events_unbind_ctx() - a dead context's watches go; may sleep */
void gpubp_events_unbind_ctx(struct gpubp_ctx *ctx)
{
	struct gpubp_event *gev;

	guard(mutex)(&gpubp_events_lock);
	list_for_each_entry(gev, &events, node)
		unbind_if(gev, in_ctx, ctx);
}

/**
 * gpubp_events_any_for() - does a task have an enabled event
 * @task: compared only
 *
 * RCU section.
 */
bool gpubp_events_any_for(struct task_struct *task)
{
	struct gpubp_event *gev;

	list_for_each_entry_rcu(gev, &events, node)
		if (gpubp_perf_task(gev->event) == task &&
		    gpubp_perf_enabled(gev->event))
			return true;
	return false;
}

static void show_event(struct gpubp_event *gev, struct seq_file *m)
{
	struct gpubp_binding *b;

	seq_printf(m, "event %llu matched %lld possible %lld throttled %lld\n",
		   gev->event->id, atomic64_read(&gev->matched),
		   atomic64_read(&gev->possible),
		   atomic64_read(&gev->throttled));
	list_for_each_entry(b, &gev->bindings, event_node)
		seq_printf(m, " watch %llu dev %u ctx %u [0x%llx-0x%llx] access %u slots 0x%x%s\n",
			   b->watch_id, b->watch->ctx->dev->number,
			   b->watch->ctx->id, b->watch->start, b->watch->last,
			   b->watch->access, READ_ONCE(b->watch->slots),
			   READ_ONCE(b->watch->ctx->pending) ? " pending" : "");
}

/** gpubp_events_show() - all events and their bindings; may sleep */
void gpubp_events_show(struct seq_file *m)
{
	struct gpubp_event *gev;

	guard(mutex)(&gpubp_events_lock);
	list_for_each_entry(gev, &events, node)
		show_event(gev, m);
}

int __gpubp_ctx_hold(struct gpubp_ctx *ctx)
{
	gpubp_events_reconcile();
	return gpubp_sched_wait(ctx->dev);
}
EXPORT_SYMBOL_GPL(__gpubp_ctx_hold);

/** gpubp_events_exit() - no event is left */
void gpubp_events_exit(void)
{
	irq_work_sync(&changed_work);
	cancel_delayed_work_sync(&reconcile_work);
	flush_delayed_work(&closed_work);
}
