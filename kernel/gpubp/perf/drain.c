// SPDX-License-Identifier: GPL-2.0
/*
 * Drain: the far side of the hit road.
 *
 * A task's sample must be written with current being the owner, on the CPU
 * where perf has the event: the hit waits as a ticket with its owner, whose CPU
 * is kicked or who is woken, and is drained in a hard interrupt there. That of
 * a CPU-wide event must be written on its CPU, whoever runs there: the ticket
 * waits with the CPU.
 */
#include <linux/cpumask.h>
#include <linux/irq_work.h>
#include <linux/ktime.h>
#include <linux/moduleparam.h>
#include <linux/sched/signal.h>
#include <linux/smp.h>
#include <linux/workqueue.h>

#include "../compat/perf.h"
#include "../compat/switches.h"
#include "../compat/target.h"
#include "../core/core.h"
#include "../event/event.h"
#include "drain.h"
#include "perf.h"
#include "pmu.h"
#include "sample.h"

#define DRAIN_MAX	64	/* hits a drain, so that interrupts stay short */
#define DRAIN_CHECKS	64	/* of events at a hit's cells, on average over a drain */
#define RETRY_MS	5
#define MISSES_MAX	3
#define MISSES_NS	(100 * NSEC_PER_MSEC)

static unsigned int unreachable_ms = 10000;
module_param(unreachable_ms, uint, 0644);
MODULE_PARM_DESC(unreachable_ms, "how long a hit waits for its owner to run, in ms");

/**
 * struct drain_cpu - what drains hits on a CPU
 * @work: on this CPU, from callbacks that run under the run queue's lock
 * @csd: from another CPU
 * @kicked: @csd is on its way; an async csd has one sender at a time
 * @tickets: of hits for CPU-wide events here
 */
struct drain_cpu {
	struct irq_work work;
	call_single_data_t csd;
	atomic_t kicked;
	struct gpubp_tickets tickets;
};

static DEFINE_PER_CPU(struct drain_cpu, drain_cpus);

static void retry_fn(struct work_struct *work);
static DECLARE_DELAYED_WORK(retry_work, retry_fn);

/* the match of this ticket for @gev, which is to be served here, or NULL */
static const struct gpubp_hit_match *ticket_match(struct gpubp_event *gev,
						  struct gpubp_ticket *ticket)
{
	struct perf_event *event = gev->event;

	if (!is_sampling_event(event) ||
	    event->state != PERF_EVENT_STATE_ACTIVE ||
	    !(ticket->scopes & BIT(gev->spec.process)))
		return NULL;
	return gpubp_event_match(gev, ticket->cell);
}

/*
 * A task on its way into sleep would get its SIGTRAP when that ends: it is
 * woken for the ticket instead.
 */
static bool ticket_must_wake(struct gpubp_ticket *ticket)
{
	struct gpubp_event *gev;

	if (!READ_ONCE(current->__state) || (current->flags & PF_EXITING))
		return false;
	list_for_each_entry(gev, gpubp_pmu_active_list(), active_node)
		if (gev->event->attr.sigtrap &&
		    gpubp_target_is_here(gev, GPUBP_DELIVERY_TASK) &&
		    ticket_match(gev, ticket))
			return true;
	return false;
}

enum serve_result {
	SERVE_DONE,
	SERVE_RETRY,	/* none of the owner's events is here, or perf is busy */
	SERVE_UNWANTED,	/* they are here, and none wants it (any more) */
};

/* a task's events may be elsewhere, a CPU's are here or nowhere */
static enum serve_result serve_without_event(enum gpubp_delivery delivery)
{
	return delivery == GPUBP_DELIVERY_TASK ? SERVE_RETRY : SERVE_UNWANTED;
}

static enum serve_result ticket_serve(struct gpubp_ticket *ticket,
				      enum gpubp_delivery delivery,
				      unsigned int *checks)
{
	const struct gpubp_sample_ids *ids =
		delivery == GPUBP_DELIVERY_CPU ? &ticket->ids : NULL;
	enum serve_result result = serve_without_event(delivery);
	const struct gpubp_hit_match *m;
	struct gpubp_event *gev;

	list_for_each_entry(gev, gpubp_pmu_active_list(), active_node) {
		if (!gpubp_target_is_here(gev, delivery))
			continue;
		if (result == SERVE_RETRY)
			result = SERVE_UNWANTED;
		*checks += 1 + ticket->more;
		m = ticket_match(gev, ticket);
		if (!m)
			continue;
		if (gpubp_sample_output(gev, ticket->cell, m, ids))
			return SERVE_RETRY;
		result = SERVE_DONE;
	}
	return result;
}

static void ticket_drop(struct gpubp_ticket *ticket, enum gpubp_stat stat)
{
	ticket->cell->first->verdict = stat;
	/* others may have had it, so that the books say delivered */
	if (stat == GPUBP_STAT_DROP_UNREACHABLE)
		atomic64_inc(&ticket->cell->ctx->lost);
	gpubp_cell_put(ticket->cell);
}

/* the oldest one; false: there is none */
static bool tickets_drop_oldest(struct gpubp_tickets *tickets,
				enum gpubp_stat stat)
{
	struct gpubp_ticket *ticket = gpubp_tickets_pop(tickets);

	if (!ticket)
		return false;
	gpubp_tickets_done(tickets, ticket->more);
	ticket_drop(ticket, stat);
	return true;
}

static void tickets_drop_all(struct gpubp_tickets *tickets,
			     enum gpubp_stat stat)
{
	while (tickets_drop_oldest(tickets, stat))
		;
}

/* the event may be in the middle of being rescheduled: not the first time */
static bool ticket_give_up(struct gpubp_ticket *ticket)
{
	s64 age = ktime_get_ns() - ticket->cell->hit.gpu_time;

	return ++ticket->misses > MISSES_MAX && age > MISSES_NS;
}

/* false: the ticket stays where it was; adds the looks of events at cells to @checks */
static bool ticket_settle(struct gpubp_tickets *tickets,
			  struct gpubp_ticket *ticket,
			  enum gpubp_delivery delivery, unsigned int *checks)
{
	unsigned int more = ticket->more;
	enum serve_result result;

	if (delivery == GPUBP_DELIVERY_TASK && ticket_must_wake(ticket))
		return false;
	result = ticket_serve(ticket, delivery, checks);
	if (result == SERVE_RETRY ||
	    (result == SERVE_UNWANTED && !ticket_give_up(ticket)))
		return false;
	list_del(&ticket->node);
	if (result == SERVE_DONE)
		gpubp_cell_put(ticket->cell);
	else
		ticket_drop(ticket, GPUBP_STAT_DROP_EXITED);
	gpubp_tickets_done(tickets, more);
	return true;
}

/*
 * A ticket is taken only when some event is here to take it: while perf
 * switches contexts there are moments with none. Interrupts are off: where many
 * events look at each hit, fewer than @max are drained at a time, but one. It goes on
 * in the next interrupt only if no ticket stayed: else that would follow at once, and
 * again, until perf had got on, for which it needs the CPU.
 */
static void drain_tickets(struct gpubp_tickets *tickets,
			  enum gpubp_delivery delivery, unsigned int max)
{
	struct gpubp_ticket *ticket, *tmp;
	unsigned int checks = 0;
	bool all = true;
	LIST_HEAD(list);

	gpubp_tickets_take(tickets, &list, max);
	list_for_each_entry_safe(ticket, tmp, &list, node) {
		if (checks >= max * DRAIN_CHECKS)
			break;
		all &= ticket_settle(tickets, ticket, delivery, &checks);
	}
	gpubp_tickets_return(tickets, &list);
	if (all && !gpubp_tickets_empty(tickets))
		gpubp_drain_soon();
}

static void drain_current_tickets(void)
{
	struct gpubp_owner *owner;

	guard(rcu)();
	owner = gpubp_owner_find(task_pid(current));
	if (owner)
		drain_tickets(&owner->tickets, GPUBP_DELIVERY_TASK,
			      current->flags & PF_EXITING ? GPUBP_TICKETS_MAX :
							    DRAIN_MAX);
}

static void drain_cpu_tickets(void)
{
	struct gpubp_tickets *tickets = &this_cpu_ptr(&drain_cpus)->tickets;

	guard(rcu)();
	if (!gpubp_tickets_empty(tickets))
		drain_tickets(tickets, GPUBP_DELIVERY_CPU, DRAIN_MAX);
}

static void drain_this_cpu(void)
{
	lockdep_assert_irqs_disabled();
	drain_cpu_tickets();
	drain_current_tickets();
}

static void drain_work(struct irq_work *work)
{
	gpubp_pmu_batch_ended();
	drain_this_cpu();
}

static void drain_csd(void *info)
{
	struct drain_cpu *dc = this_cpu_ptr(&drain_cpus);

	atomic_set(&dc->kicked, 0);
	smp_mb__after_atomic();	/* a kick that came too late sees us drain */
	gpubp_pmu_batch_ended();
	drain_this_cpu();
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

static bool task_has_tickets(struct task_struct *task)
{
	struct gpubp_owner *owner;

	if (!gpubp_tickets_waiting())
		return false;
	guard(rcu)();
	owner = gpubp_owner_find(task_pid(task));
	return owner && !gpubp_tickets_empty(&owner->tickets);
}

/** gpubp_drain_pending() - current has tickets; interrupts off */
bool gpubp_drain_pending(void)
{
	smp_mb();	/* on a CPU, then the look; pairs with kick_task() */
	return task_has_tickets(current);
}

/**
 * gpubp_drain_on_add() - perf adds an event
 * @event: event; interrupts off
 *
 * Those of cgroups are added before the switch: then not current is asked, but
 * who will be when the interrupt comes.
 */
void gpubp_drain_on_add(const struct perf_event *event)
{
	if (gpubp_perf_delivery(event) == GPUBP_DELIVERY_TASK ?
	    gpubp_drain_pending() : gpubp_tickets_waiting())
		gpubp_drain_soon();
}

/*
 * A task is about to run here; interrupts off. perf need not tell: an event of its
 * cgroup may be on already.
 */
static void drain_on_switch(struct task_struct *next)
{
	if (task_has_tickets(next))
		gpubp_drain_soon();
}

/**
 * gpubp_drain_before_del() - what was hit while an event was on is its own
 * @delivery: whose event it is, current's or this CPU's
 *
 * From ->del, where the event is still ACTIVE and in the list. A task's hits
 * wait if only its cgroup's events go: it may have some of its own.
 */
void gpubp_drain_before_del(enum gpubp_delivery delivery)
{
	lockdep_assert_irqs_disabled();
	if (!gpubp_tickets_waiting())
		return;
	if (delivery == GPUBP_DELIVERY_TASK)
		drain_current_tickets();
	else
		drain_cpu_tickets();
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
static bool task_may_be_woken(struct task_struct *task, bool signals)
{
	return sigisemptyset(&task->real_blocked) ||
	       (signals && !sigismember(&task->blocked, SIGTRAP));
}

/*
 * Make a task drain: RCU section. If it is runnable but not on a CPU it does
 * so when it is scheduled in.
 */
static void kick_task(struct task_struct *task, bool signals)
{
	guard(preempt)();
	smp_mb();	/* the ticket, then the look; pairs with schedule-in */
	if (READ_ONCE(task->on_cpu))
		kick_cpu(task_cpu(task));
	else if (READ_ONCE(task->__state) & TASK_INTERRUPTIBLE &&
		 task_may_be_woken(task, signals))
		gpubp_wake_interruptible(task);
}

/* from whom cells are taken, for one that is short: what is left is the next one's */
#define RECLAIM_USERS_MAX	64

/**
 * struct reclaim - cells that are taken from who has most
 * @cell_user: who
 * @keep: so many he keeps
 * @max_cells: cells of the one of his tasks that has most
 */
struct reclaim {
	struct gpubp_cell_user *cell_user;
	int keep;
	unsigned int max_cells;
};

static bool owner_find_max(struct gpubp_owner *owner, void *arg)
{
	struct reclaim *r = arg;

	if (owner->cell_user == r->cell_user)
		r->max_cells =
			max(r->max_cells, READ_ONCE(owner->tickets.cells));
	return false;
}

/* true: that was enough */
static bool owner_reclaim(struct gpubp_owner *owner, void *arg)
{
	const struct reclaim *r = arg;

	if (owner->cell_user != r->cell_user)
		return false;
	while (READ_ONCE(owner->tickets.cells) > r->max_cells / 2) {
		if (atomic_read(&r->cell_user->cells) <= r->keep)
			return true;
		if (!tickets_drop_oldest(&owner->tickets,
					 GPUBP_STAT_DROP_UNREACHABLE))
			break;
	}
	return false;
}

static void reclaim_from_user(struct gpubp_cell_user *cell_user)
{
	struct reclaim r = {
		.cell_user = cell_user,
		.keep = atomic_read(&cell_user->cells) / 2,
	};

	gpubp_owners_any(owner_find_max, &r);
	gpubp_owners_any(owner_reclaim, &r);
}

/*
 * Hits that wait for tasks take half of a device's cells at most, so that others can
 * come. Who has most of them loses up to half, and of his tasks those that have most.
 * Those that are being served cannot be taken: then it is who comes next.
 */
static void reclaim_cells(void)
{
	static atomic64_t rounds;
	struct gpubp_cell_user *cell_user;
	unsigned int n;
	u64 round;

	if (gpubp_tickets_cells() <= GPUBP_TICKETS_MAX)
		return;
	round = atomic64_inc_return(&rounds);
	for (n = 0;
	     n < RECLAIM_USERS_MAX && gpubp_tickets_cells() > GPUBP_TICKETS_MAX;
	     n++) {
		cell_user = gpubp_owners_most_cells(round);
		if (!cell_user)
			return;
		reclaim_from_user(cell_user);
	}
}

/**
 * gpubp_drain_queue() - give a hit to its owner
 * @owner: owner
 * @task: its task
 * @ticket: ticket with a reference to its cell, both of which are consumed
 *
 * RCU section.
 */
void gpubp_drain_queue(struct gpubp_owner *owner, struct task_struct *task,
		       struct gpubp_ticket *ticket)
{
	bool signals = ticket->scopes & GPUBP_TICKET_SIGNALS;

	if (gpubp_tickets_push(&owner->tickets, ticket))
		kick_task(task, signals);
	else
		ticket_drop(ticket, GPUBP_STAT_DROP_UNREACHABLE);
	reclaim_cells();
}

/* in a hard interrupt, also on this CPU */
static void drain_kick_cpu(int cpu)
{
	guard(preempt)();
	if (cpu == smp_processor_id())
		gpubp_drain_soon();
	else
		kick_cpu(cpu);
}

/**
 * gpubp_drain_queue_cpu() - give a hit to the CPU-wide events of a CPU
 * @cpu: CPU
 * @ticket: ticket with a reference to its cell, both of which are consumed
 */
void gpubp_drain_queue_cpu(int cpu, struct gpubp_ticket *ticket)
{
	if (gpubp_tickets_push(&per_cpu_ptr(&drain_cpus, cpu)->tickets, ticket))
		drain_kick_cpu(cpu);
	else
		ticket_drop(ticket, GPUBP_STAT_DROP_UNREACHABLE);
}

/** gpubp_drain_retry_later() - look after tickets that nobody comes for */
void gpubp_drain_retry_later(void)
{
	if (gpubp_tickets_waiting())
		schedule_delayed_work(&retry_work, msecs_to_jiffies(RETRY_MS));
}

struct sample_query {
	struct gpubp_target target;
	u64 before;
};

static bool owner_has_ticket(struct gpubp_owner *owner, void *arg)
{
	const struct sample_query *query = arg;
	struct gpubp_owner_ids ids;

	if (!gpubp_tickets_any_before(&owner->tickets, query->before))
		return false;
	gpubp_owner_ids_fill(&ids, pid_task(owner->pid, PIDTYPE_PID));
	return ids.task && gpubp_target_covers(&query->target, &ids);
}

static bool cpu_has_ticket(int cpu, u64 before)
{
	return cpu >= 0 &&
	       gpubp_tickets_any_before(&per_cpu_ptr(&drain_cpus, cpu)->tickets,
					before);
}

/**
 * gpubp_drain_may_sample() - may a hit wait that an event is to have a sample of
 * @gev: event
 * @before: hits until then, ns of CLOCK_MONOTONIC
 *
 * Hits of other events of the same target count. Any context but NMI.
 */
bool gpubp_drain_may_sample(const struct gpubp_event *gev, u64 before)
{
	struct sample_query query = { .before = before };

	if (!is_sampling_event(gev->event) || !gpubp_tickets_waiting())
		return false;
	guard(rcu)();
	gpubp_target_of(gev, &query.target);
	if (gpubp_target_delivery(&query.target) == GPUBP_DELIVERY_CPU)
		return cpu_has_ticket(query.target.cpu, before);
	return gpubp_owners_any(owner_has_ticket, &query);
}

/* ---- what nobody came for ------------------------------------------------ */

static bool tickets_too_old(struct gpubp_tickets *tickets)
{
	s64 limit = READ_ONCE(unreachable_ms) * (s64)NSEC_PER_MSEC;
	u64 since = gpubp_tickets_since(tickets);

	return since != U64_MAX && (s64)(ktime_get_ns() - since) > limit;
}

static bool owner_retry(struct gpubp_owner *owner, void *unused)
{
	struct task_struct *task;

	if (gpubp_tickets_empty(&owner->tickets))
		return false;
	/* an exiting task still gets its hits when perf takes its events away */
	task = pid_task(owner->pid, PIDTYPE_PID);
	if (!task || !gpubp_events_any_for(task))
		tickets_drop_all(&owner->tickets, GPUBP_STAT_DROP_EXITED);
	else if (tickets_too_old(&owner->tickets))
		tickets_drop_all(&owner->tickets, GPUBP_STAT_DROP_UNREACHABLE);
	else
		kick_task(task, gpubp_tickets_signal(&owner->tickets));
	return false;
}

/* the events of a CPU go with it */
static void cpu_retry(int cpu)
{
	struct gpubp_tickets *tickets = &per_cpu_ptr(&drain_cpus, cpu)->tickets;

	if (gpubp_tickets_empty(tickets))
		return;
	if (cpu_online(cpu))
		drain_kick_cpu(cpu);
	else
		tickets_drop_all(tickets, GPUBP_STAT_DROP_EXITED);
}

static bool owner_drop_tickets(struct gpubp_owner *owner, void *unused)
{
	tickets_drop_all(&owner->tickets, GPUBP_STAT_DROP_EXITED);
	return false;
}

/* the safety net: kicks that were lost, who exited or was stopped */
static void retry_fn(struct work_struct *work)
{
	int cpu;

	gpubp_owners_any(owner_retry, NULL);
	for_each_possible_cpu(cpu)
		cpu_retry(cpu);
	gpubp_drain_retry_later();
}

void gpubp_drain_init(void)
{
	int cpu;

	gpubp_switches_init(drain_on_switch);
	for_each_possible_cpu(cpu) {
		struct drain_cpu *dc = per_cpu_ptr(&drain_cpus, cpu);

		dc->work = IRQ_WORK_INIT_HARD(drain_work);
		INIT_CSD(&dc->csd, drain_csd, NULL);
		gpubp_tickets_init(&dc->tickets, NULL);
	}
}

static void drain_csd_flush(void *info)
{
}

/** gpubp_drain_exit() - no drain runs or is on its way; no event is left */
void gpubp_drain_exit(void)
{
	int cpu;

	cancel_delayed_work_sync(&retry_work);
	on_each_cpu(drain_csd_flush, NULL, 1);	/* a csd that was sent has run */
	for_each_possible_cpu(cpu)
		irq_work_sync(&per_cpu_ptr(&drain_cpus, cpu)->work);
	for_each_possible_cpu(cpu)
		tickets_drop_all(&per_cpu_ptr(&drain_cpus, cpu)->tickets,
				 GPUBP_STAT_DROP_EXITED);
	gpubp_owners_any(owner_drop_tickets, NULL);
}
