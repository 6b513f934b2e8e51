// SPDX-License-Identifier: GPL-2.0
/* Events: the list of all events, from open to close; their modification. */
#include <kunit/visibility.h>
#include <linux/err.h>
#include <linux/export.h>
#include <linux/gpubp.h>
#include <linux/jump_label.h>
#include <linux/kref.h>
#include <linux/ktime.h>
#include <linux/mutex.h>
#include <linux/rculist.h>
#include <linux/seq_file.h>
#include <linux/workqueue.h>
#include <uapi/linux/gpubp.h>

#include "../compat/perf.h"
#include "../compat/target.h"
#include "../compat/times.h"
#include "../compat/version.h"
#include "../sched/sched.h"
#include "bind.h"
#include "describe.h"
#include "event.h"
#include "index.h"
#include "job.h"
#include "reconcile.h"
#include "reserve.h"
#include "scope.h"
#include "set.h"

/* switching the static key interrupts every CPU */
#define DEACTIVATE_DELAY	(60 * HZ)

#define UNBIND_MAX	256	/* bindings of an event that is closed removed */

DEFINE_STATIC_KEY_FALSE(gpubp_active);
EXPORT_SYMBOL_GPL(gpubp_active);

static LIST_HEAD(all_events);		/* under gpubp_events_lock */

static unsigned int nr_open;		/* events that are not inherited */
/* outside of all other locks, as switching the static key waits for all CPUs */
static DEFINE_MUTEX(open_lock);
static void (*on_remove)(u64 id);
static void deactivate_fn(struct work_struct *work);
static DECLARE_DELAYED_WORK(deactivate_work, deactivate_fn);

/** gpubp_events_exist() - is any event open; callable in any context */
bool gpubp_events_exist(void)
{
	return !list_empty(&all_events);
}

/* children are not counted, as their parent outlives them: no work in fork() */
static bool count_open(void)
{
	guard(mutex)(&open_lock);
	if (nr_open++)
		return false;
	if (!static_key_enabled(&gpubp_active))
		static_branch_enable(&gpubp_active);
	return true;
}

static void event_opened(struct gpubp_event *gev)
{
	if (count_open())
		gpubp_poll_devices();
	gpubp_event_added(gev);
}

/* delayed: a loop of open and close must not make CPUs patch code each time */
static void count_closed(void)
{
	guard(mutex)(&open_lock);
	if (!--nr_open)
		mod_delayed_work(system_percpu_wq, &deactivate_work,
				 DEACTIVATE_DELAY);
}

static void deactivate_fn(struct work_struct *work)
{
	guard(mutex)(&open_lock);
	if (!nr_open)
		static_branch_disable(&gpubp_active);
}

/* perf may have copied the attr in the middle of a modification: copy again */
static void event_inherit(struct gpubp_event *gev)
{
	struct gpubp_event *parent = gev->event->parent->pmu_private;

	gev->spec = parent->spec;
	gev->set = parent->set;
	if (gev->set)
		kref_get(&gev->set->ref);
	gpubp_event_set_filter(gev, gpubp_filter_share(parent->filter));
	gpubp_perf_copy_config(gev->event, gev->event->parent);
	gpubp_reserve_inherit(gev, parent);
	gpubp_rights_inherit(gev, parent);
}

static enum gpubp_reason want_reason(const struct gpubp_event *gev,
				     const struct gpubp_spec *spec)
{
	if (gev->blind && spec->changed)
		return GPUBP_REASON_CHANGED_RIGHTS;
	if (!gev->filter)
		return GPUBP_REASON_NONE;
	if (gev->blind)
		return GPUBP_REASON_COND_RIGHTS;
	return gpubp_filter_fits(gev->filter, spec->len) ?
	       GPUBP_REASON_NONE : GPUBP_REASON_COND_LEN;
}

/**
 * gpubp_event_may_want() - may the opener learn what a spec would report
 * @gev: event, which has its filter
 * @spec: what the event would ask for
 *
 * Return: 0; -EACCES: whether bytes changed, or meet a condition, reveals their
 * values; or -EINVAL: they are not elements of the condition.
 */
int gpubp_event_may_want(const struct gpubp_event *gev,
			 const struct gpubp_spec *spec)
{
	return gpubp_refuse(want_reason(gev, spec));
}

static void event_list(void *arg)
{
	struct gpubp_event *gev = arg;

	gpubp_event_index_add(gev);
	if (gev->event->parent)
		event_inherit(gev);
	list_add_tail(&gev->node, &all_events);
}

/**
 * gpubp_event_add() - add a new event
 * @gev: event
 *
 * May sleep, called in fork(), too.
 */
void gpubp_event_add(struct gpubp_event *gev)
{
	struct gpubp_event *parent = gev->event->parent ?
				     gev->event->parent->pmu_private : NULL;

	INIT_LIST_HEAD(&gev->change_node);
	INIT_LIST_HEAD(&gev->visit_node);
	INIT_LIST_HEAD(&gev->partial_node);
	INIT_LIST_HEAD(&gev->revisit_node);
	/* to share a reservation takes a mutex */
	if (parent && READ_ONCE(parent->reservation))
		gpubp_job_run(event_list, gev);
	else
		gpubp_job_run_short(event_list, gev);
	if (!parent)
		event_opened(gev);
}

static void counter_add(atomic64_t *to, const atomic64_t *from)
{
	atomic64_add(atomic64_read(from), to);
}

/*
 * Add the counters of a child to its parent's, if it was ever bound. After a
 * failed fork() the parent is removed first: it may be gone.
 */
static void sync_child_counters(struct gpubp_event *child)
{
	struct gpubp_service service;
	struct gpubp_account acc;
	struct gpubp_event *gev;

	if (!gpubp_event_time_is_used(&child->event_time))
		return;
	gev = gpubp_event_by_id(child->id);
	if (!gev)
		return;
	gpubp_event_time_read(child, &acc);
	gpubp_event_service(child, &service);
	counter_add(&gev->matched, &child->matched);
	counter_add(&gev->metered, &child->metered);
	counter_add(&gev->recorded, &child->recorded);
	counter_add(&gev->possible, &child->possible);
	counter_add(&gev->throttled, &child->throttled);
	counter_add(&gev->suppressed, &child->suppressed);
	counter_add(&gev->strays, &child->strays);
	counter_add(&gev->stall_throttled, &child->stall_throttled);
	counter_add(&gev->unchanged, &child->unchanged);
	counter_add(&gev->filtered, &child->filtered);
	gpubp_bind_places(child, &gev->past);
	gpubp_service_add(&gev->exited_service, &service);
	gpubp_account_add(&gev->exited, &acc);
	gev->handler_ns = max(gev->handler_ns, child->handler_ns);
}

/**
 * gpubp_event_set_on_remove() - set what is called when an event is removed
 * @fn: function of the event's id; not called for children
 *
 * Called once, before the first event is opened.
 */
void gpubp_event_set_on_remove(void (*fn)(u64 id))
{
	on_remove = fn;
}

/* lookups do not find it any more, hits do by the bindings that are left */
static void event_remove_begin(void *arg)
{
	struct gpubp_event *gev = arg;

	list_del(&gev->node);
	gpubp_event_index_del(gev);
	gpubp_event_withdraw(gev);
}

static void event_remove_some(void *arg)
{
	gpubp_unbind(arg, UNBIND_MAX);
}

static void event_remove_end(void *arg)
{
	struct gpubp_event *gev = arg;

	gpubp_count_sink_detach(gev->sink);
	gev->sink = NULL;
	if (gev->event->parent)
		sync_child_counters(gev);
}

/** gpubp_event_remove() - remove an event; may sleep, called in exit(), too */
void gpubp_event_remove(struct gpubp_event *gev)
{
	if (list_empty(&gev->children))
		gpubp_job_run_short(event_remove_begin, gev);
	else
		gpubp_job_run(event_remove_begin, gev);
	/* it gets none any more */
	while (!list_empty(&gev->bindings))
		gpubp_job_run(event_remove_some, gev);
	gpubp_job_run_short(event_remove_end, gev);
	if (gev->set)
		gpubp_set_bindings_reap(gev->set, NULL);
	if (gev->event->parent)
		return;
	on_remove(gev->event->id);
	count_closed();
}

/**
 * gpubp_event_set_caught() - a session catches the hits of an event, or ceases to
 * @gev: event, no child; gpubp_events_lock is held
 * @caught: it does
 *
 * Commits are requested, after which the trap handler decides none of its hits, or may
 * again.
 */
void gpubp_event_set_caught(struct gpubp_event *gev, bool caught)
{
	struct gpubp_binding *b;

	lockdep_assert_held(&gpubp_events_lock);
	WRITE_ONCE(gev->caught, caught);
	list_for_each_entry(b, &gev->bindings, event_node)
		if (!b->trap)
			gpubp_request_ctx(b->ctx);
}

/* so long hits of before may be found after an event was disabled */
#define LATE_NS		NSEC_PER_SEC

static bool event_is_on(const struct gpubp_event *gev)
{
	return gpubp_perf_enabled(gev->event) ||
	       ktime_get_ns() - gpubp_times_paused_at(gev) < LATE_NS;
}

static bool event_can_hit(struct gpubp_event *gev, void *unused)
{
	return is_sampling_event(gev->event) && event_is_on(gev);
}

/**
 * gpubp_event_any_wide() - call a function for each event without a target task
 * @fn: function; a return value of true ends the iteration
 * @arg: for @fn
 *
 * RCU read-side section, any context. Return: true if a call returned true.
 */
bool gpubp_event_any_wide(bool (*fn)(struct gpubp_event *gev, void *arg),
			  void *arg)
{
	struct gpubp_event *gev;

	list_for_each_entry_rcu(gev, &gpubp_wide_events, wide_node)
		if (fn(gev, arg))
			return true;
	return false;
}

/**
 * gpubp_events_any_for() - can an event of a task sample hits when it runs again
 * @task: task
 *
 * RCU read-side section. Hits of CPU-wide events do not wait for a task.
 */
bool gpubp_events_any_for(struct task_struct *task)
{
	struct gpubp_target target;
	struct gpubp_event *gev;
	struct gpubp_owner_ids owner_ids;

	if (gpubp_perf_any_of_task(task, event_can_hit, NULL))
		return true;
	gpubp_owner_ids_fill(&owner_ids, task);
	list_for_each_entry_rcu(gev, &gpubp_wide_events, wide_node) {
		if (!is_sampling_event(gev->event))
			continue;
		gpubp_target_of(gev, &target);
		if (gpubp_target_delivery(&target) == GPUBP_DELIVERY_TASK &&
		    gpubp_target_covers(&target, &owner_ids) &&
		    event_is_on(gev))
			return true;
	}
	return false;
}

static void show_event(struct gpubp_event *gev, struct seq_file *m)
{
	struct gpubp_places places = {};
	struct gpubp_service service;
	struct gpubp_account acc;
	struct gpubp_binding *b;

	gpubp_event_time_read(gev, &acc);
	gpubp_bind_update_gaps(gev);
	gpubp_event_service(gev, &service);
	gpubp_bind_places(gev, &places);
	seq_printf(m, "event %llu matched %lld possible %lld throttled %lld resident_ns %llu armed_ns %llu stopped_ns %llu stopped_armed_ns %llu",
		   gev->event->id, atomic64_read(&gev->matched),
		   atomic64_read(&gev->possible),
		   atomic64_read(&gev->throttled), acc.resident, acc.armed,
		   acc.stopped, acc.stopped_armed);
	seq_printf(m, " wanted_quanta %llu armed_quanta %llu longest_gap %llu longest_gap_ns %llu strays %lld stall_throttled %lld suppressed %lld metered %lld lost %llu unchanged %lld filtered %lld elsewhere %u places %llu unmapped %llu recorded %lld",
		   service.wanted, service.armed, service.gap.quanta,
		   service.gap.ns, atomic64_read(&gev->strays),
		   atomic64_read(&gev->stall_throttled),
		   atomic64_read(&gev->suppressed),
		   atomic64_read(&gev->metered), acc.lost,
		   atomic64_read(&gev->unchanged),
		   atomic64_read(&gev->filtered), gpubp_bind_elsewhere(gev),
		   places.nr, places.unmapped,
		   atomic64_read(&gev->recorded));
	scoped_guard(rcu)
		seq_printf(m, " group %llu", gpubp_perf_group_id(gev->event));
	gpubp_event_describe(gev, m);
	seq_putc(m, '\n');
	list_for_each_entry(b, &gev->bindings, event_node)
		gpubp_binding_show(b, m);
}

/** gpubp_events_show() - print all events and their bindings; may sleep */
void gpubp_events_show(struct seq_file *m)
{
	struct gpubp_event *gev;

	guard(mutex)(&gpubp_events_lock);
	list_for_each_entry(gev, &all_events, node)
		show_event(gev, m);
}

/** gpubp_events_init() - before the first event; 0 or -ENOMEM */
int gpubp_events_init(void)
{
	int err = gpubp_jobs_init() ?: gpubp_room_init() ?: gpubp_sets_init() ?:
		  gpubp_set_bindings_init();

	if (err)
		gpubp_events_exit();
	else
		gpubp_reconcile_init();
	return err;
}

/**
 * gpubp_events_stop() - stop the workers of events
 *
 * No event may exist any more or be opened again. May sleep.
 */
void gpubp_events_stop(void)
{
	gpubp_reconcile_exit();
	flush_delayed_work(&deactivate_work);
}

/** gpubp_events_exit() - free caches; after the last event and rcu_barrier() */
void gpubp_events_exit(void)
{
	gpubp_set_bindings_exit();
	gpubp_sets_exit();
	gpubp_room_exit();
	gpubp_jobs_exit();
}

/* ---- modification -------------------------------------------------------- */

/*
 * A modification changes in place what an event watches: perf core keeps the
 * event, its counts and its state. It changes our spec, and the attr from which
 * perf makes children that are forked later.
 */

static int modify_decode(const struct gpubp_event *gev, u64 config, u64 config1,
			 u64 config2, struct gpubp_spec *spec)
{
	struct perf_event_attr attr = gev->event->attr;
	int err;

	attr.config = config;
	attr.config1 = config1;
	attr.config2 = config2;
	err = gpubp_refuse(gpubp_spec_decode(&attr, spec));
	if (err)
		return err;
	if (spec->kind != gev->spec.kind ||
	    spec->process != gev->spec.process ||
	    spec->possible != gev->spec.possible ||
	    spec->lost != gev->spec.lost ||
	    spec->device != gev->spec.device ||
	    spec->condition != gev->spec.condition)
		return gpubp_refuse(GPUBP_REASON_MODIFY_FIXED);
	spec->serial = gev->spec.serial;
	return gpubp_event_may_want(gev, spec);
}

/*
 * The hit path reads the spec without a lock: write field by field, and only
 * fields that a modification may change.
 */
static void spec_write(struct gpubp_spec *to, const struct gpubp_spec *from)
{
	to->access = from->access;
	WRITE_ONCE(to->changed, from->changed);
	to->named = from->named;
	WRITE_ONCE(to->code, from->code);
	to->addr = from->addr;
	to->len = from->len;
}

static void event_replace_set(struct gpubp_event *gev, void *arg)
{
	struct gpubp_watch_set *set = arg, *old = gev->set;

	kref_get(&set->ref);
	gev->set = set;
	/* its set bindings keep references until they are freed */
	gpubp_set_put(old);
}

static int modify_set(struct gpubp_event *gev, u32 id)
{
	struct gpubp_watch_set *set = gpubp_set_get(id);

	if (IS_ERR(set))
		return PTR_ERR(set);
	gpubp_event_for_inherited(gev, event_replace_set, set);
	gpubp_set_put(set);
	return 0;
}

static int modify_prepare(struct gpubp_event *gev, struct gpubp_spec *spec)
{
	int err = gpubp_scope_check(spec);

	if (err)
		return err;
	if (spec->kind == GPUBP_KIND_WATCH_SET)
		return modify_set(gev, spec->code);
	return gpubp_reserve_modify(gev, spec);
}

static void event_copy_spec(struct gpubp_event *gev, void *arg)
{
	struct gpubp_event *from = arg;

	if (gev == from)
		return;
	spec_write(&gev->spec, &from->spec);
	gpubp_perf_copy_config(gev->event, from->event);
}

/**
 * gpubp_event_modify() - change what an event and its children watch
 * @gev: event, no child; gpubp_events_lock is held
 * @config: as attr.config
 * @config1: as attr.config1
 * @config2: as attr.config2
 *
 * May sleep. On return commits of the change are requested; see
 * gpubp_request_wait().
 *
 * Return: 0; or, with nothing changed, what opening such an event returns, or
 * -EINVAL if kind, process, possible, lost, device or the condition differ.
 */
int gpubp_event_modify(struct gpubp_event *gev, u64 config, u64 config1,
		       u64 config2)
{
	struct gpubp_spec spec;
	int err;

	lockdep_assert_held(&gpubp_events_lock);
	gpubp_refusal_take();
	err = modify_decode(gev, config, config1, config2, &spec);
	if (err || gpubp_spec_equal(&gev->spec, &spec))
		return err;
	err = modify_prepare(gev, &spec);
	if (err)
		return err;
	spec_write(&gev->spec, &spec);
	gpubp_perf_set_config(gev->event, config, config1, config2);
	gpubp_event_for_inherited(gev, event_copy_spec, gev);
	gpubp_event_spec_changed(gev);
	return 0;
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_event_modify);
