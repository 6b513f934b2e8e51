// SPDX-License-Identifier: GPL-2.0
/*
 * Drain: the last stage of the hit path.
 *
 * A sample of a task event must be written with current being the owner of the
 * hit, on the CPU on which perf has scheduled the event. The hit is queued as
 * a ticket with its owner. The owner's CPU is kicked, or the owner is woken,
 * and the ticket is drained in a hard interrupt there. A sample of a CPU-wide
 * event must be written on its CPU, with any task running there: that ticket
 * is queued with the CPU.
 *
 * Interrupts are off for a bounded amount of work (DRAIN_WORK). What is left
 * over is not drained in an interrupt that follows at once, or the CPU would
 * make no progress: the owner drains it, piece by piece, before it returns to
 * user mode. A kernel thread's tickets and those of a CPU are tried again after
 * RETRY_MS. A ticket that some events have already is continued with the
 * others, and tickets behind it wait, so that each event gets each hit once, in
 * their order.
 */
#include <kunit/visibility.h>
#include <linux/cpumask.h>
#include <linux/export.h>
#include <linux/irq_work.h>
#include <linux/ktime.h>
#include <linux/minmax.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/rcupdate.h>
#include <linux/sched/clock.h>
#include <linux/sched/signal.h>
#include <linux/seq_file.h>
#include <linux/smp.h>
#include <linux/task_work.h>
#include <linux/workqueue.h>

#include "../compat/perf.h"
#include "../compat/switches.h"
#include "../compat/target.h"
#include "../core/core.h"
#include "../event/event.h"
#include "../sched/sched.h"
#include "drain.h"
#include "perf.h"
#include "pmu.h"
#include "sample.h"

/*
 * Work done with interrupts off. The unit is a check of an event, of 50
 * instructions. A sample, with the wake-up of its reader, is 2400 instructions
 * or 48 checks, so there are 342 samples in a drain.
 */
#define DRAIN_WORK	(16 << 10)
#define SAMPLE_WORK	48
#define STACK_PER_WORK	128	/* bytes of a stack in a sample */
#define EXIT_DRAINS	3	/* an exiting task's last drain may do more */
#define DRAIN_TICKETS	512	/* taken off the queue at a time */

#define LATE_MS		200	/* for hits recorded before an event was disabled */
#define RETRY_MS	5
#define MISSES_MAX	3
#define MISSES_NS	(100 * NSEC_PER_MSEC)

static unsigned int unreachable_ms = 10000;
module_param(unreachable_ms, uint, 0644);
MODULE_PARM_DESC(unreachable_ms, "how long a hit waits for its owner to run, in ms");

/**
 * struct drain_cpu - state of a CPU that drains hits
 * @work: drains on this CPU, queued from callbacks under the runqueue lock
 * @csd: drains on request of another CPU
 * @kicked: @csd is pending; an async csd may have only one sender at a time
 * @tickets: tickets for CPU-wide events of this CPU
 * @paused_until: no drain in an interrupt before, ns of local_clock(): one that
 *	left work over is followed by a pause of its length
 * @longest: the longest drain, in ns
 */
struct drain_cpu {
	struct irq_work work;
	call_single_data_t csd;
	atomic_t kicked;
	struct gpubp_tickets tickets;
	u64 paused_until;
	u64 longest;
};

static DEFINE_PER_CPU(struct drain_cpu, drain_cpus);

/**
 * struct drain - a drain with interrupts off
 * @max: maximum work
 * @work: work done, in checks of an event
 * @sampled: at least one sample was written: it made progress
 */
struct drain {
	unsigned int max;
	unsigned int work;
	bool sampled;
};

static bool owner_work_used;	/* a task work was ever queued */

static void retry_fn(struct work_struct *work);
static DECLARE_DELAYED_WORK(retry_work, retry_fn);

/* now, or until it was disabled: see event_is_late_here() */
static bool event_may_sample(const struct perf_event *event)
{
	return event->state == PERF_EVENT_STATE_ACTIVE ||
	       !gpubp_perf_enabled(event);
}

/* match of the ticket that @gev wants a sample of here, or NULL */
static const struct gpubp_hit_match *ticket_match(struct gpubp_event *gev,
						  struct gpubp_ticket *ticket)
{
	if (!is_sampling_event(gev->event) || !event_may_sample(gev->event) ||
	    !(ticket->scopes & BIT(gev->spec.process)))
		return NULL;
	return gpubp_event_match(gev, ticket->cell);
}

/*
 * True if current is about to sleep and must get a SIGTRAP. The signal would
 * only be taken after the sleep: the task is woken later for the ticket
 * instead.
 */
static bool ticket_must_wake(struct gpubp_ticket *ticket, struct drain *drain)
{
	struct gpubp_event *gev;

	if (!(ticket->scopes & GPUBP_TICKET_SIGNALS) ||
	    !READ_ONCE(current->__state) || (current->flags & PF_EXITING))
		return false;
	list_for_each_entry(gev, gpubp_pmu_active_list(), active_node) {
		drain->work++;
		if (gev->event->attr.sigtrap &&
		    gpubp_target_is_here(gev, GPUBP_DELIVERY_TASK) &&
		    ticket_match(gev, ticket))
			return true;
	}
	return false;
}

enum serve_result {
	SERVE_DONE,
	SERVE_RETRY,	/* no event of the owner here */
	SERVE_UNWANTED,	/* no event here wants the hit (any more) */
	SERVE_BUSY,	/* perf is busy: no ticket can be served now */
	SERVE_CUT,	/* too much work: some events have the hit already */
};

/* task events may be scheduled elsewhere; CPU events can only be here */
static enum serve_result serve_without_event(enum gpubp_delivery delivery)
{
	return delivery == GPUBP_DELIVERY_TASK ? SERVE_RETRY : SERVE_UNWANTED;
}

/* a drain that wrote no sample yet goes on: the next would get no further */
static bool drain_is_over(const struct drain *drain)
{
	return drain->sampled && drain->work >= drain->max;
}

static unsigned int sample_work(const struct perf_event *event)
{
	return SAMPLE_WORK + event->attr.sample_stack_user / STACK_PER_WORK;
}

/* SERVE_DONE: the event has the hit; SERVE_UNWANTED: it does not want it */
static enum serve_result event_serve(struct gpubp_event *gev,
				     struct gpubp_ticket *ticket,
				     const struct gpubp_sample_ids *ids,
				     struct drain *drain)
{
	const struct gpubp_hit_match *m;

	if (gpubp_sample_is_written(gev, ticket->cell))
		return SERVE_DONE;
	drain->work += ticket->more;
	m = ticket_match(gev, ticket);
	if (!m)
		return SERVE_UNWANTED;
	if (drain_is_over(drain))
		return SERVE_CUT;
	if (gpubp_sample_output(gev, ticket->cell, m, ids))
		return SERVE_BUSY;
	drain->work += sample_work(gev->event);
	drain->sampled = true;
	return SERVE_DONE;
}

/**
 * struct late_serve - serves events that were disabled after a hit was recorded
 * @ticket: the hit
 * @delivery: how it is delivered here
 * @drain: the drain
 * @result: of all of the ticket's events
 */
struct late_serve {
	struct gpubp_ticket *ticket;
	enum gpubp_delivery delivery;
	struct drain *drain;
	enum serve_result result;
};

/*
 * perf does not add it to our list, but this is where it would be active: no other CPU
 * writes to its buffer.
 */
static bool event_is_late_here(const struct gpubp_event *gev,
			       const struct late_serve *late)
{
	const struct perf_event *event = gev->event;

	return !gpubp_perf_enabled(event) &&
	       (event->cpu < 0 || event->cpu == smp_processor_id()) &&
	       gpubp_target_is_here(gev, late->delivery) &&
	       gpubp_event_was_on(gev, late->ticket->cell);
}

/* true: no more now */
static bool event_serve_late(struct gpubp_event *gev, void *arg)
{
	struct late_serve *late = arg;
	enum serve_result served;

	late->drain->work++;
	if (!event_is_late_here(gev, late))
		return false;
	served = event_serve(gev, late->ticket,
			     late->delivery == GPUBP_DELIVERY_CPU ?
				     &late->ticket->ids : NULL,
			     late->drain);
	if (late->result != SERVE_DONE || served == SERVE_BUSY ||
	    served == SERVE_CUT)
		late->result = served;
	return served == SERVE_BUSY || served == SERVE_CUT;
}

static enum serve_result ticket_serve_late(struct gpubp_ticket *ticket,
					   enum gpubp_delivery delivery,
					   struct drain *drain,
					   enum serve_result result)
{
	struct late_serve late = {
		.ticket = ticket,
		.delivery = delivery,
		.drain = drain,
		.result = result,
	};

	if (delivery == GPUBP_DELIVERY_TASK)
		gpubp_perf_any_of_task(current, event_serve_late, &late);
	else
		gpubp_event_any_wide(event_serve_late, &late);
	return late.result;
}

static enum serve_result ticket_serve(struct gpubp_ticket *ticket,
				      enum gpubp_delivery delivery,
				      struct drain *drain)
{
	const struct gpubp_sample_ids *ids =
		delivery == GPUBP_DELIVERY_CPU ? &ticket->ids : NULL;
	enum serve_result result = serve_without_event(delivery), served;
	struct gpubp_event *gev;

	list_for_each_entry(gev, gpubp_pmu_active_list(), active_node) {
		drain->work++;
		if (!gpubp_target_is_here(gev, delivery))
			continue;
		served = event_serve(gev, ticket, ids, drain);
		if (served == SERVE_BUSY || served == SERVE_CUT)
			return served;
		if (result != SERVE_DONE)
			result = served;
	}
	if (ticket->scopes & GPUBP_TICKET_LATE)
		result = ticket_serve_late(ticket, delivery, drain, result);
	return result;
}

static void ticket_drop(struct gpubp_ticket *ticket, enum gpubp_stat stat)
{
	ticket->cell->first->outcome = stat;
	/* the statistics may say delivered, if other events got the hit */
	if (stat == GPUBP_STAT_DROP_UNREACHABLE)
		atomic64_inc(&ticket->cell->ctx->lost);
	gpubp_cell_put(ticket->cell);
}

/* false: there is no ticket */
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

/* only after several misses: perf may be rescheduling the event */
static bool ticket_give_up(struct gpubp_ticket *ticket)
{
	s64 age = ktime_get_ns() - ticket->since;

	return ++ticket->misses > MISSES_MAX && age > MISSES_NS;
}

static bool ticket_stays(struct gpubp_ticket *ticket, enum serve_result result)
{
	return result == SERVE_RETRY || result == SERVE_BUSY ||
	       result == SERVE_CUT ||
	       (result == SERVE_UNWANTED && !ticket_give_up(ticket));
}

/* the result says whether the ticket was removed, see ticket_stays() */
static enum serve_result ticket_settle(struct gpubp_tickets *tickets,
				       struct gpubp_ticket *ticket,
				       enum gpubp_delivery delivery,
				       struct drain *drain)
{
	unsigned int more = ticket->more;
	enum serve_result result;

	if (drain->work >= drain->max)
		return SERVE_CUT;
	if (delivery == GPUBP_DELIVERY_TASK && ticket_must_wake(ticket, drain))
		return SERVE_RETRY;
	result = ticket_serve(ticket, delivery, drain);
	if (ticket_stays(ticket, result))
		return result == SERVE_UNWANTED ? SERVE_RETRY : result;
	list_del(&ticket->node);
	if (result == SERVE_DONE)
		gpubp_cell_put(ticket->cell);
	else
		ticket_drop(ticket, GPUBP_STAT_DROP_EXITED);
	gpubp_tickets_done(tickets, more);
	return SERVE_DONE;
}

/*
 * A ticket is removed only if an event is here to take it: while perf switches
 * contexts, there may be none. True if there is more to do now: not if a ticket
 * stayed for another reason than the work, as perf must make progress first,
 * for which it needs this CPU.
 */
static bool drain_tickets(struct gpubp_tickets *tickets,
			  enum gpubp_delivery delivery, unsigned int max)
{
	enum serve_result result = SERVE_DONE;
	struct drain drain = { .max = max };
	struct gpubp_ticket *ticket, *tmp;
	bool all = true;
	LIST_HEAD(list);

	gpubp_tickets_take(tickets, &list, DRAIN_TICKETS);
	list_for_each_entry_safe(ticket, tmp, &list, node) {
		result = ticket_settle(tickets, ticket, delivery, &drain);
		if (result == SERVE_CUT || result == SERVE_BUSY)
			break;
		all &= result == SERVE_DONE;
	}
	gpubp_tickets_return(tickets, &list);
	if (result != SERVE_CUT)
		return result != SERVE_BUSY && all &&
		       !gpubp_tickets_empty(tickets);
	if (drain.sampled)
		WRITE_ONCE(tickets->cut_at, ktime_get_ns());
	return drain.sampled;
}

static struct gpubp_owner *owner_of_current(void)
{
	return gpubp_tickets_waiting() ? gpubp_owner_find(task_pid(current)) :
					 NULL;
}

/* likewise */
static bool drain_current_tickets(unsigned int max)
{
	struct gpubp_owner *owner;

	guard(rcu)();
	owner = owner_of_current();
	return owner && drain_tickets(&owner->tickets, GPUBP_DELIVERY_TASK,
				      max);
}

/* likewise */
static bool drain_cpu_tickets(void)
{
	struct gpubp_tickets *tickets = &this_cpu_ptr(&drain_cpus)->tickets;

	guard(rcu)();
	return !gpubp_tickets_empty(tickets) &&
	       drain_tickets(tickets, GPUBP_DELIVERY_CPU, DRAIN_WORK);
}

/* returns the time since @began, of the drain that ends */
static u64 drain_note_time(u64 began)
{
	struct drain_cpu *dc = this_cpu_ptr(&drain_cpus);
	u64 ns = local_clock() - began;

	WRITE_ONCE(dc->longest, max(dc->longest, ns));
	return ns;
}

/**
 * gpubp_drain_longest() - the longest time with interrupts off, in ns
 *
 * Of a drain in an interrupt, on return to user mode, or as perf took off
 * events.
 */
u64 gpubp_drain_longest(void)
{
	u64 longest = 0;
	int cpu;

	for_each_possible_cpu(cpu)
		longest = max(longest,
			      READ_ONCE(per_cpu(drain_cpus, cpu).longest));
	return longest;
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_drain_longest);

/* false: there is no more to do now */
static bool drain_piece(void)
{
	u64 began;
	bool more;

	guard(irqsave)();
	gpubp_pmu_batch_ended();
	began = local_clock();
	more = drain_current_tickets(DRAIN_WORK);
	drain_note_time(began);
	return more;
}

/* events have what its process recorded before, unless it is killed */
static void owner_take_records(u64 before)
{
	unsigned long end = jiffies + msecs_to_jiffies(LATE_MS);
	struct pid *process = task_tgid(current);
	struct gpubp_ctx *ctx;
	u32 id = 0;
	int err;

	while ((ctx = gpubp_ctx_next_of(process, id))) {
		id = ctx->id;
		/* many hits that wait for it hold back the others */
		do {
			while (drain_piece())
				cond_resched();
			err = gpubp_records_wait(ctx, before, 1);
		} while (err == -ETIMEDOUT && time_before(jiffies, end));
		gpubp_ctx_put(ctx);
	}
}

/*
 * The owner is about to return to user mode. The hits that were raised before
 * are drained now, piece by piece. For what was raised since, the CPU is
 * interrupted again.
 */
static void owner_drain_work(struct callback_head *work)
{
	struct gpubp_tickets *tickets =
		container_of(work, struct gpubp_tickets, work);
	u64 now = ktime_get_ns();

	if (atomic_xchg(&tickets->late, 0))
		owner_take_records(now);
	while (drain_piece() && gpubp_tickets_since(tickets) < now)
		cond_resched();
	atomic_set_release(&tickets->work_queued, 0);
	/*
	 * An interrupt may have come that pauses, and found the work queued: pairs
	 * with atomic_xchg_acquire() of owner_queue_work().
	 */
	smp_mb();
	if (!gpubp_tickets_empty(tickets))
		gpubp_drain_soon();
	gpubp_owner_put(container_of(tickets, struct gpubp_owner, tickets));
	module_put(THIS_MODULE);
}

/* RCU section; the module stays, as the tickets' events pin it */
static bool owner_queue_work(struct gpubp_owner *owner)
{
	struct gpubp_tickets *tickets = &owner->tickets;

	if (atomic_xchg_acquire(&tickets->work_queued, 1))
		return true;
	if (!kref_get_unless_zero(&owner->ref))
		goto not_queued;
	WRITE_ONCE(owner_work_used, true);
	__module_get(THIS_MODULE);
	init_task_work(&tickets->work, owner_drain_work);
	if (!task_work_add(current, &tickets->work, TWA_RESUME))
		return true;
	module_put(THIS_MODULE);
	gpubp_owner_put(owner);
not_queued:
	atomic_set_release(&tickets->work_queued, 0);
	return false;
}

static bool current_returns(void)
{
	return !(current->flags & (PF_KTHREAD | PF_USER_WORKER | PF_EXITING));
}

/* kernel threads and exiting tasks do not return to user mode */
static void drain_on_return(void)
{
	struct gpubp_owner *owner;

	if (!current_returns())
		return;
	guard(rcu)();
	owner = owner_of_current();
	if (owner && !gpubp_tickets_empty(&owner->tickets))
		owner_queue_work(owner);
}

/* in an interrupt; tickets that are left over are tried again by retry_fn() */
static void drain_this_cpu(void)
{
	struct drain_cpu *dc = this_cpu_ptr(&drain_cpus);
	u64 began = local_clock();
	bool more;

	lockdep_assert_irqs_disabled();
	if (!gpubp_tickets_waiting())
		return;
	if ((s64)(began - dc->paused_until) < 0) {
		drain_on_return();
		return;
	}
	more = drain_cpu_tickets();
	if (drain_current_tickets(DRAIN_WORK)) {
		drain_on_return();
		more = true;
	}
	began += 2 * drain_note_time(began);
	if (more)
		dc->paused_until = began;
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
	/* drain sees tickets of skipped kicks; pairs with kick_cpu() */
	smp_mb__after_atomic();
	gpubp_pmu_batch_ended();
	drain_this_cpu();
}

/**
 * gpubp_drain_soon() - drain on this CPU as soon as interrupts are enabled
 *
 * Any context, also under the runqueue lock: at the time of the interrupt, the
 * task being scheduled in is current.
 */
void gpubp_drain_soon(void)
{
	guard(preempt)();
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

/** gpubp_drain_pending() - does current have tickets; interrupts off */
bool gpubp_drain_pending(void)
{
	smp_mb();	/* set on_cpu, then read; pairs with kick_task() */
	return task_has_tickets(current);
}

/**
 * gpubp_drain_on_add() - perf adds an event: drain if there are tickets for it
 * @event: event; interrupts off
 *
 * Events of cgroups are added before the task switch, so tickets of current are
 * not checked for them: the interrupt comes when the next task is current.
 */
void gpubp_drain_on_add(const struct perf_event *event)
{
	if (gpubp_perf_delivery(event) == GPUBP_DELIVERY_TASK ?
	    gpubp_drain_pending() : gpubp_tickets_waiting())
		gpubp_drain_soon();
}

/*
 * A task is about to run here; interrupts off. perf may add no event then, as
 * an event of its cgroup may be scheduled already.
 */
static void drain_on_switch(struct task_struct *next)
{
	if (task_has_tickets(next))
		gpubp_drain_soon();
}

/*
 * perf removes the events of an exiting task with interrupts off: what is left
 * over then is lost, and is counted as such.
 */
static void drain_at_exit(void)
{
	struct gpubp_owner *owner;

	if (!drain_current_tickets(EXIT_DRAINS * DRAIN_WORK))
		return;
	guard(rcu)();
	owner = owner_of_current();
	if (owner)
		tickets_drop_all(&owner->tickets, GPUBP_STAT_DROP_UNREACHABLE);
}

/**
 * gpubp_drain_before_del() - write pending samples before an event is removed
 * @delivery: event of current or of this CPU
 *
 * Called from ->del, where the event is still ACTIVE and in the list. When
 * only events of its cgroup are removed, tickets of a task stay queued, as it
 * may have events of its own. Tickets that are left over wait until the events
 * are added again; an event that is not misses them.
 */
void gpubp_drain_before_del(enum gpubp_delivery delivery)
{
	u64 began;

	lockdep_assert_irqs_disabled();
	if (!gpubp_tickets_waiting())
		return;
	began = local_clock();
	if (delivery == GPUBP_DELIVERY_CPU)
		drain_cpu_tickets();
	else if (current->flags & PF_EXITING)
		drain_at_exit();
	else
		drain_current_tickets(DRAIN_WORK);
	drain_note_time(began);
}

/**
 * gpubp_drain_disabled() - an event of current is disabled, or removed
 * @event: event; ctx->lock is held
 *
 * Before it returns to user mode, the task waits until the event has what was recorded
 * before: a program that disables its own event finds it there.
 */
void gpubp_drain_disabled(const struct perf_event *event)
{
	struct gpubp_owner *owner;

	lockdep_assert_irqs_disabled();
	if (!gpubp_records_exist() || !current_returns() ||
	    gpubp_perf_task(event) != current)
		return;
	guard(rcu)();
	owner = gpubp_owner_find(task_pid(current));
	if (!owner)
		return;
	atomic_set(&owner->tickets.late, 1);
	owner_queue_work(owner);
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
 * Only sigtimedwait(), which sets real_blocked, returns on any wake-up. Wake
 * it up only for a signal that it would return for anyhow.
 */
static bool task_may_be_woken(struct task_struct *task, bool signals)
{
	return sigisemptyset(&task->real_blocked) ||
	       (signals && !sigismember(&task->blocked, SIGTRAP));
}

/*
 * Make a task drain its tickets; RCU section. A task that is runnable but not
 * on a CPU drains them when it is scheduled in.
 */
static void kick_task(struct task_struct *task, bool signals)
{
	guard(preempt)();
	/* ticket queued, then read on_cpu; pairs with gpubp_drain_pending() */
	smp_mb();
	if (gpubp_task_is_on_cpu(task))
		kick_cpu(task_cpu(task));
	else if (READ_ONCE(task->__state) & TASK_INTERRUPTIBLE &&
		 task_may_be_woken(task, signals))
		gpubp_wake_interruptible(task);
}

/* users to reclaim cells from at a time; the next caller continues */
#define RECLAIM_USERS_MAX	64

/**
 * struct reclaim - cells being reclaimed from the user with the most cells
 * @cell_user: the user
 * @keep: cells that are left to the user
 * @max_cells: largest number of cells of one task of the user
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

/* true: reclaimed enough */
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
 * Hits that wait for tasks may use at most half of the cells of a device, to
 * leave cells for new hits. Reclaim up to half of the cells of the user that
 * has most, from those of its tasks that have most. Cells being drained cannot
 * be reclaimed; then the next user is tried.
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
 * gpubp_drain_queue() - queue a hit for its owner
 * @owner: owner
 * @task: task of the owner
 * @ticket: ticket with a reference to its cell, both of which are consumed
 *
 * RCU section. Return: true if more than half of what may wait for the owner does.
 */
bool gpubp_drain_queue(struct gpubp_owner *owner, struct task_struct *task,
		       struct gpubp_ticket *ticket)
{
	bool signals = ticket->scopes & GPUBP_TICKET_SIGNALS;

	if (gpubp_tickets_push(&owner->tickets, ticket))
		kick_task(task, signals);
	else
		ticket_drop(ticket, GPUBP_STAT_DROP_UNREACHABLE);
	reclaim_cells();
	return gpubp_tickets_crowded(&owner->tickets);
}

/* drain in a hard interrupt, also if @cpu is this CPU */
static void drain_kick_cpu(int cpu)
{
	guard(preempt)();
	if (cpu == smp_processor_id())
		gpubp_drain_soon();
	else
		kick_cpu(cpu);
}

/**
 * gpubp_drain_queue_cpu() - queue a hit for the CPU-wide events of a CPU
 * @cpu: CPU
 * @ticket: ticket with a reference to its cell, both of which are consumed
 *
 * Return: true if more than half of what may wait for the CPU does.
 */
bool gpubp_drain_queue_cpu(int cpu, struct gpubp_ticket *ticket)
{
	struct gpubp_tickets *tickets = &per_cpu_ptr(&drain_cpus, cpu)->tickets;

	if (gpubp_tickets_push(tickets, ticket))
		drain_kick_cpu(cpu);
	else
		ticket_drop(ticket, GPUBP_STAT_DROP_UNREACHABLE);
	return gpubp_tickets_crowded(tickets);
}

/** gpubp_drain_retry_later() - retry tickets that are not drained in time */
void gpubp_drain_retry_later(void)
{
	if (gpubp_tickets_waiting())
		schedule_delayed_work(&retry_work, msecs_to_jiffies(RETRY_MS));
}

/**
 * struct sample_query - search for tickets that an event may sample
 * @target: target of the event
 * @before: hits until then, ns of CLOCK_MONOTONIC
 */
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
 * gpubp_drain_may_sample() - can a queued hit still become a sample of an event
 * @gev: event
 * @before: hits until then, ns of CLOCK_MONOTONIC
 *
 * Hits of other events on the same target count, too. Any context but NMI.
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

/* ---- tickets that were not drained --------------------------------------- */

/* not while they are being drained in pieces, however long that takes */
static bool tickets_too_old(struct gpubp_tickets *tickets)
{
	s64 limit = READ_ONCE(unreachable_ms) * (s64)NSEC_PER_MSEC;
	u64 since = gpubp_tickets_since(tickets);

	if (since == U64_MAX)
		return false;
	since = max(since, READ_ONCE(tickets->cut_at));
	return (s64)(ktime_get_ns() - since) > limit;
}

static bool owner_retry(struct gpubp_owner *owner, void *unused)
{
	struct task_struct *task;

	if (gpubp_tickets_empty(&owner->tickets))
		return false;
	/* an exiting task drains its tickets when perf removes its events */
	task = pid_task(owner->pid, PIDTYPE_PID);
	if (!task || !gpubp_events_any_for(task))
		tickets_drop_all(&owner->tickets, GPUBP_STAT_DROP_EXITED);
	else if (tickets_too_old(&owner->tickets))
		tickets_drop_all(&owner->tickets, GPUBP_STAT_DROP_UNREACHABLE);
	else
		kick_task(task, gpubp_tickets_signal(&owner->tickets));
	return false;
}

/* a CPU that is offline has no events */
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

/* fallback for lost kicks and for owners that exited or are stopped */
static void retry_fn(struct work_struct *work)
{
	int cpu;

	gpubp_owners_any(owner_retry, NULL);
	for_each_possible_cpu(cpu)
		cpu_retry(cpu);
	gpubp_drain_retry_later();
}

/** gpubp_drain_init() - initialise CPUs' queues; before the first event */
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

/** gpubp_drain_show() - for debugfs */
void gpubp_drain_show(struct seq_file *m)
{
	seq_printf(m, "longest_ns %llu\n", gpubp_drain_longest());
}

static void drain_csd_flush(void *info)
{
}

/** gpubp_drain_exit() - wait for drains, drop all tickets; no event is left */
void gpubp_drain_exit(void)
{
	int cpu;

	cancel_delayed_work_sync(&retry_work);
	if (owner_work_used)
		synchronize_rcu_tasks();	/* the last ones have returned */
	on_each_cpu(drain_csd_flush, NULL, 1);	/* pending csds have run */
	for_each_possible_cpu(cpu)
		irq_work_sync(&per_cpu_ptr(&drain_cpus, cpu)->work);
	for_each_possible_cpu(cpu)
		tickets_drop_all(&per_cpu_ptr(&drain_cpus, cpu)->tickets,
				 GPUBP_STAT_DROP_EXITED);
	gpubp_owners_any(owner_drop_tickets, NULL);
}
