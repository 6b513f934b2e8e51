// SPDX-License-Identifier: GPL-2.0
/*
 * Index of events: by perf's id, by perf_event, by parent, and those that have
 * no target task.
 *
 * The events of a task are found in perf's own context of it
 * (gpubp_perf_any_of_task()). Written under gpubp_events_lock.
 */
#include <kunit/visibility.h>
#include <linux/hashtable.h>
#include <linux/lockdep.h>
#include <linux/perf_event.h>
#include <linux/rculist.h>

#include "event.h"
#include "index.h"

LIST_HEAD(gpubp_wide_events);

/* of events that are no children */
#define INDEX_BITS	12
static DEFINE_HASHTABLE(events_by_id, INDEX_BITS);
static DEFINE_HASHTABLE(events_by_perf, INDEX_BITS);

static void index_add_parent(struct gpubp_event *gev)
{
	gev->id = gev->event->id;
	hash_add(events_by_id, &gev->id_node, gev->id);
	hash_add(events_by_perf, &gev->perf_node, (unsigned long)gev->event);
}

static void index_add_child(struct gpubp_event *gev)
{
	struct gpubp_event *parent = gev->event->parent->pmu_private;

	gev->id = parent->id;
	list_add_tail(&gev->child_node, &parent->children);
}

/** gpubp_event_index_add() - index a new event; gpubp_events_lock is held */
void gpubp_event_index_add(struct gpubp_event *gev)
{
	lockdep_assert_held(&gpubp_events_lock);
	INIT_LIST_HEAD(&gev->children);
	INIT_LIST_HEAD(&gev->child_node);
	if (gev->event->parent)
		index_add_child(gev);
	else
		index_add_parent(gev);
	if (!gev->event->hw.target)
		list_add_tail_rcu(&gev->wide_node, &gpubp_wide_events);
}

static void orphan_children(struct gpubp_event *gev)
{
	struct gpubp_event *child, *tmp;

	list_for_each_entry_safe(child, tmp, &gev->children, child_node)
		list_del_init(&child->child_node);
}

/** gpubp_event_index_del() - remove an event; gpubp_events_lock is held */
void gpubp_event_index_del(struct gpubp_event *gev)
{
	lockdep_assert_held(&gpubp_events_lock);
	if (!gev->event->hw.target)
		list_del_rcu(&gev->wide_node);
	if (gev->event->parent) {
		list_del_init(&gev->child_node);
		return;
	}
	orphan_children(gev);
	hash_del(&gev->id_node);
	hash_del(&gev->perf_node);
}

/**
 * gpubp_event_by_id() - find the event that has this perf event id
 * @id: as PERF_EVENT_IOC_ID returns it
 *
 * gpubp_events_lock is held. Return: the event, never a child, or NULL.
 */
struct gpubp_event *gpubp_event_by_id(u64 id)
{
	struct gpubp_event *gev;

	lockdep_assert_held(&gpubp_events_lock);
	hash_for_each_possible(events_by_id, gev, id_node, id)
		if (gev->id == id)
			return gev;
	return NULL;
}

/**
 * gpubp_event_of() - find the gpubp event of a perf event
 * @event: only compared; need not point to an event
 *
 * gpubp_events_lock is held. Return: the event, never a child, or NULL.
 */
struct gpubp_event *gpubp_event_of(const void *event)
{
	struct gpubp_event *gev;

	lockdep_assert_held(&gpubp_events_lock);
	hash_for_each_possible(events_by_perf, gev, perf_node,
			       (unsigned long)event)
		if (gev->event == event)
			return gev;
	return NULL;
}

/**
 * gpubp_event_for_inherited() - call a function for an event and its children
 * @gev: event that is no child; it comes first
 * @fn: function
 * @arg: for @fn
 *
 * gpubp_events_lock is held.
 */
void gpubp_event_for_inherited(struct gpubp_event *gev,
			       void (*fn)(struct gpubp_event *gev, void *arg),
			       void *arg)
{
	struct gpubp_event *child;

	lockdep_assert_held(&gpubp_events_lock);
	fn(gev, arg);
	list_for_each_entry(child, &gev->children, child_node)
		fn(child, arg);
}

/**
 * gpubp_event_new_pass() - begin a pass over an event and its children
 *
 * gpubp_events_lock is held, and may be released between two of the events.
 * Return: the number of the pass.
 */
u64 gpubp_event_new_pass(void)
{
	static u64 last;

	lockdep_assert_held(&gpubp_events_lock);
	return ++last;
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_event_new_pass);

/**
 * gpubp_event_in_pass() - the next event of a pass
 * @gev: event that is no child; it comes first
 * @pass: number of the pass
 *
 * Children that passes are done with are at the end of the list. One that is
 * forked during the pass may be missed. gpubp_events_lock is held.
 *
 * Return: the event, or NULL if the pass is done with all of them.
 */
struct gpubp_event *gpubp_event_in_pass(struct gpubp_event *gev, u64 pass)
{
	struct gpubp_event *child;

	lockdep_assert_held(&gpubp_events_lock);
	if (gev->passed < pass)
		return gev;
	child = list_first_entry_or_null(&gev->children, struct gpubp_event,
					 child_node);
	return child && child->passed < pass ? child : NULL;
}

/**
 * gpubp_event_passed() - a pass is done with an event
 * @next: as gpubp_event_in_pass() returned it
 * @gev: event that is no child
 * @pass: number of the pass
 *
 * gpubp_events_lock was held since then.
 */
void gpubp_event_passed(struct gpubp_event *next, struct gpubp_event *gev,
			u64 pass)
{
	lockdep_assert_held(&gpubp_events_lock);
	next->passed = pass;
	if (next != gev)
		list_move_tail(&next->child_node, &gev->children);
}
