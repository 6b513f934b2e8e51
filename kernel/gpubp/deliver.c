// SPDX-License-Identifier: GPL-2.0
/*
 * Deliver: the last step of the hit road.
 *
 * Counting events are counted here, in the resolver. A sample must be written
 * with current being the owner, on the CPU where perf has the event: the hit
 * waits as a ticket with its owner, whose CPU is kicked or who is woken, and
 * is drained in a hard interrupt there.
 */
#include <linux/irq_work.h>
#include <linux/jiffies.h>
#include <linux/ktime.h>
#include <linux/moduleparam.h>
#include <linux/sched/signal.h>
#include <linux/smp.h>
#include <linux/workqueue.h>

#include "compat/perf.h"
#include "context.h"
#include "deliver.h"
#include "device.h"
#include "event.h"
#include "hit.h"
#include "owner.h"
#include "pmu.h"
#include "tracepoint.h"
#include "value.h"
#include "watch.h"

#define DRAIN_MAX	64	/* hits a drain, so that interrupts stay short */
#define RETRY_MS	5
#define MISSES_MAX	3
#define MISSES_NS	(100 * NSEC_PER_MSEC)

static unsigned int max_sample_rate = 100000;
module_param(max_sample_rate, uint, 0644);
MODULE_PARM_DESC(max_sample_rate, "samples a second that one event may take");

/**
 * struct drain_cpu - what drains hits on a CPU
 * @work: on this CPU, from callbacks that run under the run queue's lock
 * @csd: from another CPU
 * @kicked: @csd is on its way; an async csd has one sender at a time
 */
struct drain_cpu {
	struct irq_work work;
	call_single_data_t csd;
	atomic_t kicked;
};

static DEFINE_PER_CPU(struct drain_cpu, drain_cpus);

static void retry_fn(struct work_struct *work);
static DECLARE_DELAYED_WORK(retry_work, retry_fn);

/* ---- to samples: in the owner's context --------------------------------- */

static void fill_emission(struct gpubp_emission *em,
			  const struct gpubp_hit_cell *cell,
			  const struct gpubp_hit_match *m)
{
	struct gpubp_hit_record *rec = &em->record;

	*rec = cell->record;
	rec->watch = m->watch;
	rec->addr = m->addr;
	rec->lanes = m->lanes;
	rec->flags |= m->flags;
	rec->old_value = m->old_value;
	rec->new_value = m->new_value;
	rec->value_len = min_t(u8, m->nr_bytes, sizeof(rec->new_value));
}

static bool over_rate(struct gpubp_event *gev)
{
	unsigned long tick = jiffies;
	unsigned int max = DIV_ROUND_UP(READ_ONCE(max_sample_rate), HZ);

	if (gev->tick != tick) {
		gev->tick = tick;
		gev->in_tick = 0;
	}
	if (++gev->in_tick <= max)
		return false;
	atomic64_inc(&gev->throttled);
	gpubp_perf_lost(gev->event);
	return true;
}

static void mark_delivered(struct gpubp_hit_cell *cell,
			   const struct gpubp_hit_match *m)
{
	if (m->flags & GPUBP_HIT_POSSIBLE)
		WRITE_ONCE(cell->first->possible, true);
	else
		WRITE_ONCE(cell->first->delivered, true);
}

static void note_match(struct gpubp_event *gev, const struct gpubp_hit_match *m)
{
	atomic64_inc(&gev->matched);
	if (m->flags & GPUBP_HIT_POSSIBLE)
		atomic64_inc(&gev->possible);
}

static bool precise_enough(const struct gpubp_spec *spec,
			   const struct gpubp_hit_cell *cell,
			   const struct gpubp_hit_match *m)
{
	bool addr = cell->record.addr_state == GPUBP_ADDR_EXACT;
	bool pc = cell->record.flags & GPUBP_HIT_PC_EXACT;

	switch (spec->precise_ip) {
	case 0:
		return true;
	case 1:
		return pc || addr;
	default:
		return pc && addr;
	}
}

static bool event_wants(const struct gpubp_event *gev,
			const struct gpubp_hit_cell *cell,
			const struct gpubp_hit_match *m)
{
	if (gev->event->attr.exclude_user)
		return false;	/* a wave is user mode */
	if (gev->spec.changed && m->unchanged)
		return false;
	return precise_enough(&gev->spec, cell, m);
}

/* RCU section: the match that an event's bindings ask for, or NULL */
static const struct gpubp_hit_match *match_of(struct gpubp_event *gev,
					      struct gpubp_hit_cell *cell)
{
	struct gpubp_binding *b;
	unsigned int i;

	list_for_each_entry_rcu(b, &gev->bindings, event_node)
		for (i = 0; i < cell->nr_matches; i++)
			if (cell->matches[i].watch == b->watch_id &&
			    event_wants(gev, cell, &cell->matches[i]))
				return &cell->matches[i];
	return NULL;
}

static int emit(struct gpubp_event *gev, struct gpubp_hit_cell *cell,
		const struct gpubp_hit_match *m)
{
	struct gpubp_emission em;
	int err;

	if (!over_rate(gev)) {
		fill_emission(&em, cell, m);
		err = gpubp_perf_emit(gev, &em);
		if (err)
			return err;
		trace_gpubp_deliver(gev->event->id, m->watch,
				    ktime_get_ns() - cell->hit.gpu_time);
	}
	note_match(gev, m);
	mark_delivered(cell, m);
	return 0;
}

/* the match of this ticket for @gev as current's event on this CPU, or NULL */
static const struct gpubp_hit_match *wanted_here(struct gpubp_event *gev,
						 struct gpubp_ticket *ticket)
{
	struct perf_event *event = gev->event;

	if (!is_sampling_event(event) ||
	    event->state != PERF_EVENT_STATE_ACTIVE ||
	    gpubp_perf_task(event) != current ||
	    !(ticket->scopes & BIT(gev->spec.process)))
		return NULL;
	return match_of(gev, ticket->cell);
}

/*
 * A task on its way into sleep would get its SIGTRAP when that ends: it is
 * woken for the ticket instead.
 */
static bool falls_asleep(struct gpubp_ticket *ticket)
{
	struct gpubp_event *gev;

	if (!READ_ONCE(current->__state) || (current->flags & PF_EXITING))
		return false;
	list_for_each_entry(gev, gpubp_pmu_active_list(), active_node)
		if (gev->event->attr.sigtrap && wanted_here(gev, ticket))
			return true;
	return false;
}

enum served {
	SERVED,
	NOT_NOW,	/* none of current's events is here, or perf is busy */
	NOT_WANTED,	/* they are here, and none wants it (any more) */
};

static enum served serve(struct gpubp_ticket *ticket)
{
	enum served result = NOT_NOW;
	const struct gpubp_hit_match *m;
	struct gpubp_event *gev;

	if (falls_asleep(ticket))
		return NOT_NOW;
	list_for_each_entry(gev, gpubp_pmu_active_list(), active_node) {
		if (gpubp_perf_task(gev->event) != current)
			continue;
		if (result == NOT_NOW)
			result = NOT_WANTED;
		m = wanted_here(gev, ticket);
		if (!m)
			continue;
		if (emit(gev, ticket->cell, m))
			return NOT_NOW;
		result = SERVED;
	}
	return result;
}

static void drop_ticket(struct gpubp_ticket *ticket, enum gpubp_stat why)
{
	ticket->cell->first->verdict = why;
	gpubp_cell_put(ticket->cell);
}

/* the event may be in the middle of being rescheduled: not the first time */
static bool give_up(struct gpubp_ticket *ticket)
{
	s64 age = ktime_get_ns() - ticket->cell->hit.gpu_time;

	return ++ticket->misses > MISSES_MAX && age > MISSES_NS;
}

/*
 * A ticket is taken only when some event of its owner is here to take it:
 * while perf switches contexts there are moments with none.
 */
static void drain_owner(struct gpubp_owner *owner)
{
	struct gpubp_ticket *ticket, *tmp;
	LIST_HEAD(list);

	gpubp_owner_take(owner, &list, current->flags & PF_EXITING ?
			 GPUBP_OWNER_TICKETS : DRAIN_MAX);
	list_for_each_entry_safe(ticket, tmp, &list, node) {
		enum served result = serve(ticket);

		if (result == NOT_NOW ||
		    (result == NOT_WANTED && !give_up(ticket)))
			continue;
		list_del(&ticket->node);
		gpubp_owner_done(owner);
		if (result == SERVED)
			gpubp_cell_put(ticket->cell);
		else
			drop_ticket(ticket, GPUBP_STAT_DROP_EXITED);
	}
	if (list_empty(&list) && !list_empty(&owner->tickets))
		gpubp_drain_soon();
	gpubp_owner_return(owner, &list);
}

static void drain(void)
{
	struct gpubp_owner *owner;

	lockdep_assert_irqs_disabled();
	guard(rcu)();
	owner = gpubp_owner_find(task_pid(current));
	if (owner)
		drain_owner(owner);
}

static void drain_work(struct irq_work *work)
{
	gpubp_pmu_arrived();
	drain();
}

static void drain_csd(void *info)
{
	struct drain_cpu *dc = this_cpu_ptr(&drain_cpus);

	atomic_set(&dc->kicked, 0);
	smp_mb__after_atomic();	/* a kick that came too late sees us drain */
	gpubp_pmu_arrived();
	drain();
}

/**
 * gpubp_drain_soon() - drain on this CPU as soon as interrupts are enabled
 *
 * Any context, also under the run queue's lock: when the interrupt comes, the
 * task being scheduled in is current.
 */
void gpubp_drain_soon(void)
{
	irq_work_queue(this_cpu_ptr(&drain_cpus.work));
}

/** gpubp_drain_pending() - current has tickets; interrupts off */
bool gpubp_drain_pending(void)
{
	struct gpubp_owner *owner;

	smp_mb();	/* on a CPU, then the look; pairs with kick() */
	if (!gpubp_owners_waiting())
		return false;
	guard(rcu)();
	owner = gpubp_owner_find(task_pid(current));
	return owner && !list_empty(&owner->tickets);
}

/**
 * gpubp_drain_before_del() - what was hit while an event was on is its own
 *
 * From ->del, where the event is still ACTIVE and in the list.
 */
void gpubp_drain_before_del(void)
{
	if (gpubp_owners_waiting())
		drain();
}

static void kick_cpu(int cpu)
{
	struct drain_cpu *dc = per_cpu_ptr(&drain_cpus, cpu);

	if (atomic_xchg(&dc->kicked, 1))
		return;
	if (smp_call_function_single_async(cpu, &dc->csd))
		atomic_set(&dc->kicked, 0);	/* offline; retried later */
}

/*
 * Make a task drain: RCU section. If it is runnable but not on a CPU it does
 * so when it is scheduled in.
 */
static void kick(struct task_struct *task)
{
	guard(preempt)();
	smp_mb();	/* the ticket, then the look; pairs with schedule-in */
	if (READ_ONCE(task->on_cpu))
		kick_cpu(task_cpu(task));
	else if (READ_ONCE(task->__state) & TASK_INTERRUPTIBLE &&
		 sigisemptyset(&task->real_blocked))
		/* sigtimedwait() alone, which sets it, ends at any wake-up */
		gpubp_wake_interruptible(task);
}

/* ---- from the resolver --------------------------------------------------- */

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

static void find_owners(struct claim *claim, struct gpubp_queue *queue)
{
	struct task_struct *creator = gpubp_owner_task(queue->creator);
	struct task_struct *leader = gpubp_owner_task(queue->leader);

	claim->task[0] = creator ?: leader;
	claim->owner[0] = creator ? queue->creator : queue->leader;
	claim->task[1] = leader;
	claim->owner[1] = queue->leader;
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

static void offer(struct claim *claim, struct gpubp_event *gev,
		  struct gpubp_hit_cell *cell, const struct gpubp_hit_match *m)
{
	int who = claimant(claim, gev);

	if (who >= 0 && gev->spec.changed && m->unchanged)
		cell->first->verdict = GPUBP_STAT_STRAY_VALUE;
	if (who < 0 || !event_wants(gev, cell, m))
		return;
	if (is_sampling_event(gev->event)) {
		claim->scopes[who] |= BIT(gev->spec.process);
		return;
	}
	if (gev->last_hit == cell->first->number)
		return;		/* another of its ranges is hit as well */
	gev->last_hit = cell->first->number;
	gpubp_perf_count(gev->event);
	note_match(gev, m);
	mark_delivered(cell, m);
}

static void offer_match(struct claim *claim, struct gpubp_hit_cell *cell,
			struct gpubp_hit_match *m)
{
	struct gpubp_binding *b;
	struct gpubp_watch *w;

	w = gpubp_watch_find(cell->ctx, m->start, m->watch);
	if (!w)
		return;
	gpubp_value_update(w, m);
	list_for_each_entry(b, &w->bindings, watch_node)
		offer(claim, b->event, cell, m);
	if (trace_gpubp_hit_enabled()) {
		struct gpubp_emission em;

		fill_emission(&em, cell, m);
		trace_gpubp_hit(&em.record);
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
	if (gpubp_owner_push(claim->owner[who], ticket))
		kick(claim->task[who]);
	else
		drop_ticket(ticket, GPUBP_STAT_DROP_UNREACHABLE);
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
	find_owners(&claim, cell->queue);
	for (i = 0; i < cell->nr_matches; i++)
		offer_match(&claim, cell, &cell->matches[i]);
	issue_ticket(cell, &claim, 0);
	issue_ticket(cell, &claim, 1);
	if (gpubp_owners_waiting())
		schedule_delayed_work(&retry_work, msecs_to_jiffies(RETRY_MS));
}

/* ---- what nobody came for ------------------------------------------------ */

#define UNREACHABLE_NS	(10 * (s64)NSEC_PER_SEC)

static void drop_tickets(struct gpubp_owner *owner, enum gpubp_stat why)
{
	struct gpubp_ticket *ticket;

	while ((ticket = gpubp_owner_pop(owner))) {
		gpubp_owner_done(owner);
		drop_ticket(ticket, why);
	}
}

static bool too_old(struct gpubp_owner *owner)
{
	struct gpubp_ticket *ticket;
	unsigned long flags;
	u64 since = U64_MAX;

	raw_spin_lock_irqsave(&owner->lock, flags);
	ticket = list_first_entry_or_null(&owner->tickets, struct gpubp_ticket,
					  node);
	if (ticket)
		since = ticket->cell->hit.gpu_time;
	raw_spin_unlock_irqrestore(&owner->lock, flags);
	return since != U64_MAX &&
	       (s64)(ktime_get_ns() - since) > UNREACHABLE_NS;
}

static void retry_owner(struct gpubp_owner *owner)
{
	struct task_struct *task;

	if (list_empty(&owner->tickets))
		return;
	/* an exiting task still gets its hits when perf takes its events away */
	task = pid_task(owner->pid, PIDTYPE_PID);
	if (!task || !gpubp_events_any_for(task))
		drop_tickets(owner, GPUBP_STAT_DROP_EXITED);
	else if (too_old(owner))
		drop_tickets(owner, GPUBP_STAT_DROP_UNREACHABLE);
	else
		kick(task);
}

static void drop_all(struct gpubp_owner *owner)
{
	drop_tickets(owner, GPUBP_STAT_DROP_EXITED);
}

/* the safety net: kicks that were lost, owners that exited or were stopped */
static void retry_fn(struct work_struct *work)
{
	gpubp_owners_for_each(retry_owner);
	if (gpubp_owners_waiting())
		schedule_delayed_work(&retry_work, msecs_to_jiffies(RETRY_MS));
}

void gpubp_deliver_init(void)
{
	int cpu;

	for_each_possible_cpu(cpu) {
		struct drain_cpu *dc = per_cpu_ptr(&drain_cpus, cpu);

		dc->work = IRQ_WORK_INIT_HARD(drain_work);
		INIT_CSD(&dc->csd, drain_csd, NULL);
	}
}

static void nothing(void *info)
{
}

/** gpubp_deliver_exit() - no drain runs or is on its way; no event is left */
void gpubp_deliver_exit(void)
{
	int cpu;

	cancel_delayed_work_sync(&retry_work);
	on_each_cpu(nothing, NULL, 1);	/* a csd that was sent has run */
	for_each_possible_cpu(cpu)
		irq_work_sync(&per_cpu_ptr(&drain_cpus, cpu)->work);
	gpubp_owners_for_each(drop_all);
}
