// SPDX-License-Identifier: GPL-2.0
/*
 * Deliver: find the owner of a hit and the events that get it.
 *
 * Counting events are updated here, in the resolver. For samples, a ticket is
 * queued with the owner, or with the CPU on which the owner last ran.
 */
#include "../compat/perf.h"
#include "../compat/target.h"
#include "../core/core.h"
#include "../event/event.h"
#include "../sched/sched.h"
#include "../trap/trap.h"
#include "drain.h"
#include "perf.h"
#include "sample.h"

/**
 * struct hit_owners - owners of the hit being delivered; in an RCU section
 * @ids: [0] of the owner; [1] of its leader, for events of the whole process
 * @owner: likewise the objects; [1] is NULL if both are the same
 * @scopes: scopes of the ticket for each delivery and owner; set as sampling
 *	events are found
 */
struct hit_owners {
	struct gpubp_owner_ids ids[2];
	struct gpubp_owner *owner[2];
	u8 scopes[GPUBP_NR_DELIVERIES][2];
};

static void hit_owners_init(struct hit_owners *owners,
			    const struct gpubp_hit_cell *cell)
{
	const struct gpubp_queue *queue = cell->queue;
	struct gpubp_owner *owner = queue ? queue->creator : cell->ctx->owner;
	struct gpubp_owner *head = queue ? queue->leader : cell->ctx->owner;
	struct task_struct *creator = gpubp_owner_task(owner);
	struct task_struct *leader = gpubp_owner_task(head);

	gpubp_owner_ids_fill(&owners->ids[0], creator ?: leader);
	owners->owner[0] = creator ? owner : head;
	if (owners->owner[0] == head) {
		owners->ids[1] = owners->ids[0];
		return;
	}
	gpubp_owner_ids_fill(&owners->ids[1], leader);
	owners->owner[1] = head;
}

/* true if the event gets hits of this owner; also how samples are delivered */
static bool event_owns_hit(const struct hit_owners *owners,
			   struct gpubp_event *gev,
			   const struct gpubp_hit_cell *first,
			   enum gpubp_delivery *delivery)
{
	struct gpubp_target target;

	if (!gpubp_event_was_on(gev, first))
		return false;
	gpubp_target_of(gev, &target);
	*delivery = gpubp_target_delivery(&target);
	return gpubp_target_is_hit_owner(&target,
					 &owners->ids[gev->spec.process]);
}

static u64 *event_last_filtered(struct gpubp_event *gev,
				const struct gpubp_hit_cell *cell)
{
	return &gev->hits->filtered[cell->dev->number % GPUBP_LAST_HITS];
}

/* once, though several ranges of the event were hit */
static void event_filter_hit(struct gpubp_event *gev,
			     const struct gpubp_hit_cell *cell)
{
	u64 *last = event_last_filtered(gev, cell);

	if (*last == cell->first->number)
		return;
	*last = cell->first->number;
	atomic64_inc(&gev->filtered);
}

/* another range has a lane that meets the condition */
static void event_unfilter_hit(struct gpubp_event *gev,
			       const struct gpubp_hit_cell *cell)
{
	u64 *last = event_last_filtered(gev, cell);

	if (*last != cell->first->number)
		return;
	*last = 0;
	atomic64_dec(&gev->filtered);
}

/* what the hit did is not what it is to count */
static bool event_declines(struct gpubp_event *gev, struct gpubp_hit_cell *cell,
			   const struct gpubp_hit_match *m)
{
	if (m->filtered)
		event_filter_hit(gev, cell);
	else if (READ_ONCE(gev->spec.changed) && m->unchanged)
		atomic64_inc(&gev->unchanged);
	else
		return false;
	cell->first->outcome = GPUBP_STAT_STRAY_VALUE;
	return true;
}

/* several sessions may catch the events of one hit */
static void event_catch_hit(struct gpubp_event *gev, struct gpubp_hit_cell *first,
			    const struct gpubp_hit_match *m)
{
	if (!READ_ONCE(gev->caught) || first->place)
		return;
	if (first->nr_caught == GPUBP_HIT_CATCHES)
		atomic64_inc(&gev->uncaught);
	else
		first->caught[first->nr_caught++] = (struct gpubp_hit_caught) {
			.event = gev->event->id, .match = m,
		};
}

static bool event_offer_hit(struct hit_owners *owners,
			    const struct gpubp_binding *b,
			    struct gpubp_hit_cell *cell,
			    const struct gpubp_hit_match *m)
{
	struct gpubp_event *gev = b->event;
	u64 *last = &gev->hits->hit[cell->dev->number % GPUBP_LAST_HITS];
	bool process = gev->spec.process;
	enum gpubp_delivery delivery;

	if (m->filter_serial != gev->filter_serial ||
	    !gpubp_binding_has(b, cell->first) ||
	    !event_owns_hit(owners, gev, cell->first, &delivery))
		return false;
	if (!gpubp_event_would_want(gev, cell, m))
		return false;
	if (*last == cell->first->number)
		return true;	/* already counted for another range */
	if (event_declines(gev, cell, m))
		return false;
	*last = cell->first->number;
	event_unfilter_hit(gev, cell);
	event_catch_hit(gev, cell->first, m);
	if (is_sampling_event(gev->event)) {
		u8 *scopes =
			&owners->scopes[delivery][process && owners->owner[1]];

		*scopes |= BIT(process);
		if (gev->event->attr.sigtrap)
			*scopes |= GPUBP_TICKET_SIGNALS;
		if (!gpubp_perf_enabled(gev->event))
			*scopes |= GPUBP_TICKET_LATE;
		return true;
	}
	if (gpubp_perf_enabled(gev->event))
		gpubp_perf_count(gev->event, m->weight);
	else
		gpubp_perf_count_late(gev->event, m->weight);
	gpubp_match_delivered(gev, cell, m);
	return true;
}

static void watch_offer_hit(struct hit_owners *owners,
			    struct gpubp_hit_cell *cell, struct gpubp_watch *w,
			    const struct gpubp_hit_match *m)
{
	struct gpubp_binding *b;

	list_for_each_entry(b, &w->bindings, watch_node)
		event_offer_hit(owners, b, cell, m);
}

/* a member counts a hit that at least one event of its set gets */
static void member_offer_hit(struct hit_owners *owners,
			     struct gpubp_hit_cell *cell, struct gpubp_watch *w,
			     const struct gpubp_hit_match *m)
{
	struct gpubp_member_binding *mb = gpubp_member_of(w, m->member);
	struct gpubp_binding *b;
	bool wanted = false;

	if (!mb)
		return;
	list_for_each_entry(b, &mb->set_binding->bindings, watch_node)
		wanted |= event_offer_hit(owners, b, cell, m);
	if (wanted)
		atomic64_inc(&mb->member->count);
}

static void match_trace(const struct gpubp_owner_ids *ids,
			const struct gpubp_hit_cell *cell,
			const struct gpubp_hit_match *m)
{
	struct gpubp_sample sample;

	gpubp_sample_fill(&sample, cell, m);
	trace_gpubp_hit(&sample.record, ids->task, ids->task ? ids->cpu : -1);
}

static void trap_offer_hit(struct hit_owners *owners,
			   struct gpubp_hit_cell *cell,
			   const struct gpubp_hit_match *m)
{
	struct gpubp_trap_point *trap;
	struct gpubp_binding *b;

	trap = gpubp_trap_find(cell->ctx, m->kind, m->start);
	if (!trap || trap->id != m->watch)
		return;
	list_for_each_entry(b, &trap->bindings, watch_node)
		event_offer_hit(owners, b, cell, m);
	if (trace_gpubp_hit_enabled())
		match_trace(&owners->ids[0], cell, m);
}

static void match_offer(struct hit_owners *owners, struct gpubp_hit_cell *cell,
			struct gpubp_hit_match *m)
{
	struct gpubp_watch *w;

	if (gpubp_kind_is_trap(m->kind))
		return trap_offer_hit(owners, cell, m);
	w = gpubp_watch_find(cell->ctx, m->start, m->last, m->watch);
	if (!w)
		return;
	gpubp_value_update(w, m);
	if (m->member)
		member_offer_hit(owners, cell, w, m);
	else
		watch_offer_hit(owners, cell, w, m);
	/* of the watch's other matches each is of the same access */
	if (!m->filter_serial && trace_gpubp_hit_enabled())
		match_trace(&owners->ids[0], cell, m);
}

/* the ids of a hit whose owner is gone are NULL */
static struct gpubp_sample_ids sample_ids_for(const struct hit_owners *owners,
					      int idx)
{
	struct gpubp_sample_ids ids = {
		.owner = owners->owner[idx],
		.leader = owners->owner[1] ?: owners->owner[0],
	};

	return owners->ids[idx].task ? ids : (struct gpubp_sample_ids) {};
}

static void ticket_issue(struct gpubp_hit_cell *cell, struct hit_owners *owners,
			 enum gpubp_delivery delivery, int idx)
{
	struct gpubp_ticket *ticket = &cell->tickets[delivery][idx];
	struct gpubp_owner_ids *ids = &owners->ids[idx];

	if (!owners->scopes[delivery][idx])
		return;
	*ticket = (struct gpubp_ticket) {
		.cell = cell,
		.ids = sample_ids_for(owners, idx),
		.more = cell->nr_more,
		.scopes = owners->scopes[delivery][idx],
	};
	gpubp_cell_get(cell);
	if (delivery == GPUBP_DELIVERY_TASK)
		cell->crowded |= gpubp_drain_queue(owners->owner[idx],
						   ids->task, ticket);
	else
		cell->crowded |= gpubp_drain_queue_cpu(ids->cpu, ticket);
}

static void tickets_issue(struct gpubp_hit_cell *cell,
			  struct hit_owners *owners)
{
	int delivery, idx;

	for (delivery = 0; delivery < GPUBP_NR_DELIVERIES; delivery++)
		for (idx = 0; idx < 2; idx++)
			ticket_issue(cell, owners, delivery, idx);
}

static void cell_offer(struct hit_owners *owners, struct gpubp_hit_cell *cell)
{
	unsigned int i;

	for (i = 0; i < cell->nr_matches; i++)
		match_offer(owners, cell, &cell->matches[i]);
}

/**
 * gpubp_deliver() - deliver a resolved hit to all events that want it
 * @first: first cell of the hit; the caller keeps its reference
 *
 * Called by the resolver only; takes the device lock.
 */
void gpubp_deliver(struct gpubp_hit_cell *first)
{
	struct gpubp_hit_cell *cell;
	struct hit_owners owners = {};

	if (!first->nr_matches)
		return;
	guard(mutex)(&first->dev->lock);
	guard(rcu)();
	hit_owners_init(&owners, first);
	for (cell = first; cell; cell = cell->next)
		cell_offer(&owners, cell);
	tickets_issue(first, &owners);
	gpubp_drain_retry_later();
}
