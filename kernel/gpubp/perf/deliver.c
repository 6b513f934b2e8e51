// SPDX-License-Identifier: GPL-2.0
/*
 * Deliver: who owns a hit, and which events get it.
 *
 * Counting events are counted here, in the resolver; for samples, the owner or
 * the CPU where it is gets a ticket.
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
 * struct claim - who owns the hit that is being delivered; RCU section
 * @party: [0] the owner; [1] its leader, for events of the whole process
 * @owner: their objects; [1] NULL, both are the same
 * @scopes: of the tickets for each of them, as sampling events are found
 */
struct claim {
	struct gpubp_owner_ids party[2];
	struct gpubp_owner *owner[2];
	u8 scopes[GPUBP_NR_DELIVERIES][2];
};

static void find_owners(struct claim *claim, const struct gpubp_hit_cell *cell)
{
	const struct gpubp_queue *queue = cell->queue;
	struct gpubp_owner *owner = queue ? queue->creator : cell->ctx->owner;
	struct gpubp_owner *head = queue ? queue->leader : cell->ctx->owner;
	struct task_struct *creator = gpubp_owner_task(owner);
	struct task_struct *leader = gpubp_owner_task(head);

	gpubp_owner_ids_fill(&claim->party[0], creator ?: leader);
	claim->owner[0] = creator ? owner : head;
	if (claim->owner[0] == head) {
		claim->party[1] = claim->party[0];
		return;
	}
	gpubp_owner_ids_fill(&claim->party[1], leader);
	claim->owner[1] = head;
}

/* is this hit the event's; if so, on which road samples get there */
static bool claims(const struct claim *claim, struct gpubp_event *gev,
		   enum gpubp_delivery *delivery)
{
	struct perf_event *event = gev->event;
	struct gpubp_target target;

	if (!gpubp_perf_enabled(event))
		return false;
	gpubp_target_of(gev, &target);
	*delivery = gpubp_target_delivery(&target);
	return gpubp_target_is_hit_owner(&target,
					 &claim->party[gev->spec.process]);
}

static bool offer(struct claim *claim, struct gpubp_event *gev,
		  struct gpubp_hit_cell *cell, const struct gpubp_hit_match *m)
{
	u64 *last = &gev->last_hit[cell->dev->number % GPUBP_LAST_HITS];
	bool process = gev->spec.process;
	enum gpubp_delivery delivery;

	if (!claims(claim, gev, &delivery))
		return false;
	if (READ_ONCE(gev->spec.changed) && m->unchanged)
		cell->first->verdict = GPUBP_STAT_STRAY_VALUE;
	if (!gpubp_event_wants(gev, cell, m))
		return false;
	if (*last == cell->first->number)
		return true;	/* another of its ranges is hit as well */
	*last = cell->first->number;
	if (is_sampling_event(gev->event)) {
		u8 *scopes =
			&claim->scopes[delivery][process && claim->owner[1]];

		*scopes |= BIT(process);
		if (gev->event->attr.sigtrap)
			*scopes |= GPUBP_TICKET_SIGNALS;
		return true;
	}
	gpubp_perf_count(gev->event, m->weight);
	gpubp_match_delivered(gev, cell, m);
	return true;
}

static void offer_watch(struct claim *claim, struct gpubp_hit_cell *cell,
			struct gpubp_watch *w, const struct gpubp_hit_match *m)
{
	struct gpubp_binding *b;

	list_for_each_entry(b, &w->bindings, watch_node)
		offer(claim, b->event, cell, m);
}

/* a member counts hits that an event of its set gets */
static void offer_member(struct claim *claim, struct gpubp_hit_cell *cell,
			 struct gpubp_watch *w, const struct gpubp_hit_match *m)
{
	struct gpubp_member_binding *mb = gpubp_member_of(w, m->member);
	struct gpubp_binding *b;
	bool wanted = false;

	if (!mb)
		return;
	list_for_each_entry(b, &mb->set_binding->bindings, watch_node)
		wanted |= offer(claim, b->event, cell, m);
	if (wanted)
		atomic64_inc(&mb->member->count);
}

static void trace_match(const struct gpubp_owner_ids *party,
			const struct gpubp_hit_cell *cell,
			const struct gpubp_hit_match *m)
{
	struct gpubp_sample em;

	gpubp_sample_fill(&em, cell, m);
	trace_gpubp_hit(&em.record, party->task, party->task ? party->cpu : -1);
}

static void offer_trap(struct claim *claim, struct gpubp_hit_cell *cell,
		       const struct gpubp_hit_match *m)
{
	struct gpubp_trap *trap;
	struct gpubp_binding *b;

	trap = gpubp_trap_find(cell->ctx, m->kind, m->start);
	if (!trap || trap->id != m->watch)
		return;
	list_for_each_entry(b, &trap->bindings, watch_node)
		offer(claim, b->event, cell, m);
	if (trace_gpubp_hit_enabled())
		trace_match(&claim->party[0], cell, m);
}

static void offer_match(struct claim *claim, struct gpubp_hit_cell *cell,
			struct gpubp_hit_match *m)
{
	struct gpubp_watch *w;

	if (gpubp_kind_is_trap(m->kind))
		return offer_trap(claim, cell, m);
	w = gpubp_watch_find(cell->ctx, m->start, m->last, m->watch);
	if (!w)
		return;
	gpubp_value_update(w, m);
	if (m->member)
		offer_member(claim, cell, w, m);
	else
		offer_watch(claim, cell, w, m);
	if (trace_gpubp_hit_enabled())
		trace_match(&claim->party[0], cell, m);
}

/* of a hit that belongs to nobody any more, neither has a name */
static struct gpubp_sample_ids behalf_of(const struct claim *claim, int who)
{
	struct gpubp_sample_ids ids = {
		.owner = claim->owner[who],
		.leader = claim->owner[1] ?: claim->owner[0],
	};

	return claim->party[who].task ? ids : (struct gpubp_sample_ids) {};
}

static void issue_ticket(struct gpubp_hit_cell *cell, struct claim *claim,
			 enum gpubp_delivery delivery, int who)
{
	struct gpubp_ticket *ticket = &cell->tickets[delivery][who];
	struct gpubp_owner_ids *party = &claim->party[who];

	if (!claim->scopes[delivery][who])
		return;
	ticket->cell = cell;
	ticket->more = cell->nr_more;
	ticket->scopes = claim->scopes[delivery][who];
	ticket->ids = behalf_of(claim, who);
	gpubp_cell_get(cell);
	if (delivery == GPUBP_DELIVERY_TASK)
		gpubp_drain_queue(claim->owner[who], party->task, ticket);
	else
		gpubp_drain_queue_cpu(party->cpu, ticket);
}

static void issue_tickets(struct gpubp_hit_cell *cell, struct claim *claim)
{
	int delivery, who;

	for (delivery = 0; delivery < GPUBP_NR_DELIVERIES; delivery++)
		for (who = 0; who < 2; who++)
			issue_ticket(cell, claim, delivery, who);
}

static void offer_cell(struct claim *claim, struct gpubp_hit_cell *cell)
{
	unsigned int i;

	for (i = 0; i < cell->nr_matches; i++)
		offer_match(claim, cell, &cell->matches[i]);
}

/**
 * gpubp_deliver() - offer a resolved hit to every event that wants it
 * @first: its first cell, the resolver's reference to which is not consumed
 *
 * The resolver only; takes the device lock.
 */
void gpubp_deliver(struct gpubp_hit_cell *first)
{
	struct gpubp_hit_cell *cell;
	struct claim claim = {};

	if (!first->nr_matches)
		return;
	guard(mutex)(&first->dev->lock);
	guard(rcu)();
	find_owners(&claim, first);
	for (cell = first; cell; cell = cell->next)
		offer_cell(&claim, cell);
	issue_tickets(first, &claim);
	gpubp_drain_retry_later();
}
