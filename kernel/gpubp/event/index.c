// SPDX-License-Identifier: GPL-2.0
/*
 * Index of events: by perf's id, by perf_event, by parent, and those that have
 * no target task.
 *
 * The events of a task are found in perf's own context of it
 * (gpubp_perf_task_events()). Written under gpubp_events_lock.
 */
#include <linux/err.h>
#include <linux/lockdep.h>
#include <linux/perf_event.h>
#include <linux/rculist.h>
#include <linux/rhashtable.h>
#include <linux/xarray.h>

#include "event.h"
#include "index.h"

LIST_HEAD(gpubp_wide_events);

static DEFINE_XARRAY(events_by_id);		/* no children */
static struct rhashtable events_by_perf;	/* no children */

static const struct rhashtable_params by_perf = {
	.key_len = sizeof_field(struct gpubp_event, event),
	.key_offset = offsetof(struct gpubp_event, event),
	.head_offset = offsetof(struct gpubp_event, perf_node),
	.automatic_shrinking = true,
};

/**
 * gpubp_event_index_reserve() - allocate what the index needs for a new event
 * @gev: event, neither in the index nor in the list of events
 *
 * May sleep; gpubp_events_lock is not held. gpubp_event_index_add() is to
 * follow. Return: 0 or -ENOMEM.
 */
int gpubp_event_index_reserve(struct gpubp_event *gev)
{
	return gev->event->parent ? 0 :
	       xa_reserve(&events_by_id, gev->event->id, GFP_KERNEL);
}

static int index_add_parent(struct gpubp_event *gev)
{
	int err = rhashtable_insert_fast(&events_by_perf, &gev->perf_node,
					 by_perf);

	if (err) {
		xa_release(&events_by_id, gev->event->id);
		return err;
	}
	/* reserved */
	xa_store(&events_by_id, gev->event->id, gev, GFP_NOWAIT);
	return 0;
}

static void index_add_child(struct gpubp_event *gev)
{
	struct gpubp_event *parent = gev->event->parent->pmu_private;

	list_add_tail(&gev->child_node, &parent->children);
}

/**
 * gpubp_event_index_add() - index a new event
 * @gev: event, reserved; gpubp_events_lock is held
 *
 * Return: 0; or -ENOMEM, and what was reserved is released; never for a child.
 */
int gpubp_event_index_add(struct gpubp_event *gev)
{
	int err;

	lockdep_assert_held(&gpubp_events_lock);
	INIT_LIST_HEAD(&gev->children);
	INIT_LIST_HEAD(&gev->child_node);
	if (gev->event->parent) {
		index_add_child(gev);
	} else {
		err = index_add_parent(gev);
		if (err)
			return err;
	}
	if (!gev->event->hw.target)
		list_add_tail_rcu(&gev->wide_node, &gpubp_wide_events);
	return 0;
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
	list_del_init(&gev->child_node);
	orphan_children(gev);
	if (!gev->event->hw.target)
		list_del_rcu(&gev->wide_node);
	if (gev->event->parent)
		return;
	xa_erase(&events_by_id, gev->event->id);
	rhashtable_remove_fast(&events_by_perf, &gev->perf_node, by_perf);
}

/**
 * gpubp_event_by_id() - find the event that has this perf event id
 * @id: as PERF_EVENT_IOC_ID returns it
 *
 * gpubp_events_lock is held. Return: the event, never a child, or NULL.
 */
struct gpubp_event *gpubp_event_by_id(u64 id)
{
	lockdep_assert_held(&gpubp_events_lock);
	return xa_load(&events_by_id, id);
}

/**
 * gpubp_event_of() - find the gpubp event of a perf event
 * @event: only compared; need not point to an event
 *
 * gpubp_events_lock is held. Return: the event, never a child, or NULL.
 */
struct gpubp_event *gpubp_event_of(const void *event)
{
	lockdep_assert_held(&gpubp_events_lock);
	return rhashtable_lookup_fast(&events_by_perf, &event, by_perf);
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

/** gpubp_event_index_init() - before the first event; 0 or -ENOMEM */
int gpubp_event_index_init(void)
{
	return rhashtable_init(&events_by_perf, &by_perf);
}

/** gpubp_event_index_exit() - no event exists any more */
void gpubp_event_index_exit(void)
{
	rhashtable_destroy(&events_by_perf);
}
