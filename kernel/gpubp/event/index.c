// SPDX-License-Identifier: GPL-2.0
/*
 * Index of events: by perf's id, by perf_event, by parent, and those that have
 * no target task.
 *
 * The events of a task are found in perf's own context of it
 * (gpubp_perf_task_events()). Written under gpubp_events_lock.
 */
#include <linux/err.h>
#include <linux/hash.h>
#include <linux/lockdep.h>
#include <linux/perf_event.h>
#include <linux/rculist.h>
#include <linux/rhashtable.h>

#include "event.h"
#include "index.h"

LIST_HEAD(gpubp_wide_events);

/* of events that are no children */
static struct rhashtable events_by_id;
static struct rhashtable events_by_perf;

/* ids are consecutive, perf_events as random as their addresses */
static u32 index_hash(const void *key, u32 len, u32 seed)
{
	return hash_64(*(const u64 *)key ^ seed, 32);
}

static const struct rhashtable_params by_id = {
	.hashfn = index_hash,
	.key_len = sizeof_field(struct gpubp_event, id),
	.key_offset = offsetof(struct gpubp_event, id),
	.head_offset = offsetof(struct gpubp_event, id_node),
	.automatic_shrinking = true,
};

static const struct rhashtable_params by_perf = {
	.hashfn = index_hash,
	.key_len = sizeof_field(struct gpubp_event, event),
	.key_offset = offsetof(struct gpubp_event, event),
	.head_offset = offsetof(struct gpubp_event, perf_node),
	.automatic_shrinking = true,
};

static int index_add_parent(struct gpubp_event *gev)
{
	int err;

	gev->id = gev->event->id;
	err = rhashtable_insert_fast(&events_by_id, &gev->id_node, by_id);
	if (err)
		return err;
	err = rhashtable_insert_fast(&events_by_perf, &gev->perf_node, by_perf);
	if (err)
		rhashtable_remove_fast(&events_by_id, &gev->id_node, by_id);
	return err;
}

static void index_add_child(struct gpubp_event *gev)
{
	struct gpubp_event *parent = gev->event->parent->pmu_private;

	gev->id = parent->id;
	list_add_tail(&gev->child_node, &parent->children);
}

/**
 * gpubp_event_index_add() - index a new event
 * @gev: event; gpubp_events_lock is held
 *
 * Return: 0, -ENOMEM or -E2BIG; always 0 for a child.
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
	rhashtable_remove_fast(&events_by_id, &gev->id_node, by_id);
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
	return rhashtable_lookup_fast(&events_by_id, &id, by_id);
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
	int err = rhashtable_init(&events_by_id, &by_id);

	if (err)
		return err;
	err = rhashtable_init(&events_by_perf, &by_perf);
	if (err)
		rhashtable_destroy(&events_by_id);
	return err;
}

/** gpubp_event_index_exit() - no event exists any more */
void gpubp_event_index_exit(void)
{
	rhashtable_destroy(&events_by_perf);
	rhashtable_destroy(&events_by_id);
}
