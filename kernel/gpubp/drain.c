// SPDX-License-Identifier: GPL-2.0
/*
 * Drain: the owner's side of the hit road.
 *
 * A sample must be written with current being the owner, on the CPU where perf
 * has the event: the hit waits as a ticket with its owner, whose CPU is kicked
 * or who is woken, and is drained in a hard interrupt there.
 */
#include <linux/irq_work.h>
#include <linux/ktime.h>
#include <linux/sched/signal.h>
#include <linux/smp.h>
#include <linux/workqueue.h>

#include "compat/perf.h"
#include "drain.h"
#include "emit.h"
#include "event.h"
#include "hit.h"
#include "owner.h"
#include "pmu.h"

#define DRAIN_MAX	64	/* hits a drain, so that interrupts stay short */
#define RETRY_MS	5
#define MISSES_MAX	3
#define MISSES_NS	(100 * NSEC_PER_MSEC)
#define UNREACHABLE_NS	(10 * (s64)NSEC_PER_SEC)

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
	return gpubp_event_match(gev, ticket->cell);
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
		if (gpubp_emit_once(gev, ticket->cell, m))
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
 * sigtimedwait() alone, which sets real_blocked, ends at any wake-up. It is woken
 * for a signal that will end it anyhow, as it would end any other call.
 */
static bool may_be_woken(struct task_struct *task, bool signals)
{
	return sigisemptyset(&task->real_blocked) ||
	       (signals && !sigismember(&task->blocked, SIGTRAP));
}

/*
 * Make a task drain: RCU section. If it is runnable but not on a CPU it does
 * so when it is scheduled in.
 */
static void kick(struct task_struct *task, bool signals)
{
	guard(preempt)();
	smp_mb();	/* the ticket, then the look; pairs with schedule-in */
	if (READ_ONCE(task->on_cpu))
		kick_cpu(task_cpu(task));
	else if (READ_ONCE(task->__state) & TASK_INTERRUPTIBLE &&
		 may_be_woken(task, signals))
		gpubp_wake_interruptible(task);
}

/**
 * gpubp_drain_give() - give a hit to its owner
 * @owner: owner
 * @task: its task
 * @ticket: ticket with a reference to its cell, both of which are consumed
 *
 * RCU section.
 */
void gpubp_drain_give(struct gpubp_owner *owner, struct task_struct *task,
		      struct gpubp_ticket *ticket)
{
	bool signals = ticket->scopes & GPUBP_TICKET_SIGNALS;

	if (gpubp_owner_push(owner, ticket))
		kick(task, signals);
	else
		drop_ticket(ticket, GPUBP_STAT_DROP_UNREACHABLE);
}

/** gpubp_drain_retry_later() - look after tickets that nobody comes for */
void gpubp_drain_retry_later(void)
{
	if (gpubp_owners_waiting())
		schedule_delayed_work(&retry_work, msecs_to_jiffies(RETRY_MS));
}

/* ---- what nobody came for ------------------------------------------------ */

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

static bool any_signals(struct gpubp_owner *owner)
{
	struct gpubp_ticket *ticket;

	guard(raw_spinlock_irqsave)(&owner->lock);
	list_for_each_entry(ticket, &owner->tickets, node)
		if (ticket->scopes & GPUBP_TICKET_SIGNALS)
			return true;
	return false;
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
		kick(task, any_signals(owner));
}

static void drop_all(struct gpubp_owner *owner)
{
	drop_tickets(owner, GPUBP_STAT_DROP_EXITED);
}

/* the safety net: kicks that were lost, owners that exited or were stopped */
static void retry_fn(struct work_struct *work)
{
	gpubp_owners_for_each(retry_owner);
	gpubp_drain_retry_later();
}

void gpubp_drain_init(void)
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

/** gpubp_drain_exit() - no drain runs or is on its way; no event is left */
void gpubp_drain_exit(void)
{
	int cpu;

	cancel_delayed_work_sync(&retry_work);
	on_each_cpu(nothing, NULL, 1);	/* a csd that was sent has run */
	for_each_possible_cpu(cpu)
		irq_work_sync(&per_cpu_ptr(&drain_cpus, cpu)->work);
	gpubp_owners_for_each(drop_all);
}
