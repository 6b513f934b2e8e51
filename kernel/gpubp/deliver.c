// SPDX-License-Identifier: GPL-2.0
/*
 * Deliver: who owns a hit, and which events get it.
 *
 * Counting events are counted here, in the resolver; for samples, the owner is
 * given a ticket.
 */
#include <linux/sched.h>

#include "bind.h"
#include "compat/perf.h"
#include "context.h"
#include "deliver.h"
#include "device.h"
#include "drain.h"
#include "emit.h"
#include "event.h"
#include "hit.h"
#include "owner.h"
#include "set.h"
#include "tracepoint.h"
#include "value.h"
#include "watch.h"

/**
 * struct claim - who owns the hit that is being delivered; RCU section
 * @task: [0] the owner; [1] its leader, for events of the whole process
 * @owner: their tickets' queues
 * @cpu: where they run or last ran; read once, or a task that moves meanwhile
 *	would get the hit in several of perf's per-CPU copies, or in none
 * @scopes: of their tickets, as sampling events are found
 */
struct claim {
	struct task_struct *task[2];
	struct gpubp_owner *owner[2];
	int cpu[2];
	u8 scopes[2];
};

static int cpu_of(const struct task_struct *task)
{
	return task ? task_cpu(task) : -1;
}

static void find_owners(struct claim *claim, const struct gpubp_hit_cell *cell)
{
	const struct gpubp_queue *queue = cell->queue;
	struct gpubp_owner *owner = queue ? queue->creator : cell->ctx->owner;
	struct gpubp_owner *head = queue ? queue->leader : cell->ctx->owner;
	struct task_struct *creator = gpubp_owner_task(owner);
	struct task_struct *leader = gpubp_owner_task(head);

	claim->task[0] = creator ?: leader;
	claim->owner[0] = creator ? owner : head;
	claim->task[1] = leader;
	claim->owner[1] = head;
	claim->cpu[0] = cpu_of(claim->task[0]);
	claim->cpu[1] = cpu_of(leader);
	if (claim->owner[0] == claim->owner[1])
		claim->owner[1] = NULL;
}

/* index of the owner that @gev belongs to, or -1 */
static int claimant(const struct claim *claim, struct gpubp_event *gev)
{
	struct task_struct *task = claim->task[gev->spec.process];
	struct perf_event *event = gev->event;

	if (!task || gpubp_perf_task(event) != task ||
	    !gpubp_perf_enabled(event) || !gpubp_perf_may_count(event))
		return -1;
	if (event->cpu >= 0 && event->cpu != claim->cpu[gev->spec.process])
		return -1;
	return gev->spec.process && claim->owner[1];
}

static bool offer(struct claim *claim, struct gpubp_event *gev,
		  struct gpubp_hit_cell *cell, const struct gpubp_hit_match *m)
{
	u64 *last = &gev->last_hit[cell->dev->number % GPUBP_LAST_HITS];
	int who = claimant(claim, gev);

	if (who >= 0 && READ_ONCE(gev->spec.changed) && m->unchanged)
		cell->first->verdict = GPUBP_STAT_STRAY_VALUE;
	if (who < 0 || !gpubp_event_wants(gev, cell, m))
		return false;
	if (*last == cell->first->number)
		return true;	/* another of its ranges is hit as well */
	*last = cell->first->number;
	if (is_sampling_event(gev->event)) {
		claim->scopes[who] |= BIT(gev->spec.process);
		return true;
	}
	gpubp_perf_count(gev->event);
	gpubp_match_given(gev, cell, m);
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
	list_for_each_entry(b, &mb->bench->bindings, watch_node)
		wanted |= offer(claim, b->event, cell, m);
	if (wanted)
		atomic64_inc(&mb->member->count);
}

static void offer_match(struct claim *claim, struct gpubp_hit_cell *cell,
			struct gpubp_hit_match *m)
{
	struct gpubp_watch *w;

	w = gpubp_watch_find(cell->ctx, m->start, m->last, m->watch);
	if (!w)
		return;
	gpubp_value_update(w, m);
	if (m->member)
		offer_member(claim, cell, w, m);
	else
		offer_watch(claim, cell, w, m);
	if (trace_gpubp_hit_enabled()) {
		struct gpubp_emission em;

		gpubp_emission_fill(&em, cell, m);
		trace_gpubp_hit(&em.record, claim->task[0], claim->cpu[0]);
	}
}

static void issue_ticket(struct gpubp_hit_cell *cell, struct claim *claim,
			 int who)
{
	struct gpubp_ticket *ticket = &cell->tickets[who];

	if (!claim->scopes[who])
		return;
	ticket->cell = cell;
	ticket->scopes = claim->scopes[who];
	gpubp_cell_hold(cell);
	gpubp_drain_give(claim->owner[who], claim->task[who], ticket);
}

/**
 * gpubp_deliver() - offer a resolved hit to every event that wants it
 * @cell: cell, the resolver's reference to which is not consumed
 *
 * The resolver only; takes the device lock.
 */
void gpubp_deliver(struct gpubp_hit_cell *cell)
{
	struct claim claim = {};
	unsigned int i;

	if (!cell->nr_matches)
		return;
	guard(mutex)(&cell->dev->lock);
	guard(rcu)();
	find_owners(&claim, cell);
	for (i = 0; i < cell->nr_matches; i++)
		offer_match(&claim, cell, &cell->matches[i]);
	issue_ticket(cell, &claim, 0);
	issue_ticket(cell, &claim, 1);
	gpubp_drain_retry_later();
}
