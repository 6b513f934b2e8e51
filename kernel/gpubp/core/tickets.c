// SPDX-License-Identifier: GPL-2.0
/* Tickets: queues of hits that wait for delivery. */
#include <kunit/visibility.h>
#include <linux/atomic.h>
#include <linux/ktime.h>

#include "cell.h"
#include "tickets.h"

/* tickets in all queues, and those being served */
static atomic_t nr_tickets;
static atomic_t nr_cells;

/**
 * gpubp_tickets_init() - initialise the queue of a task or a CPU
 * @tickets: queue, all zero
 * @charged: counter to which its cells are charged; NULL for a CPU
 */
void gpubp_tickets_init(struct gpubp_tickets *tickets, atomic_t *charged)
{
	raw_spin_lock_init(&tickets->lock);
	INIT_LIST_HEAD(&tickets->list);
	tickets->charged = charged;
}

static void tickets_count_cells(struct gpubp_tickets *tickets, int by)
{
	WRITE_ONCE(tickets->cells, tickets->cells + by);
	if (!tickets->charged)
		return;
	atomic_add(by, &nr_cells);
	atomic_add(by, tickets->charged);
}

/**
 * gpubp_tickets_push() - queue a hit
 * @tickets: queue of a task or a CPU
 * @ticket: the hit's ticket; gpubp_tickets_done() ends its wait
 *
 * Return: false if too many cells wait already: a task that does not run must
 * not use all cells of a device.
 */
bool gpubp_tickets_push(struct gpubp_tickets *tickets,
			struct gpubp_ticket *ticket)
{
	unsigned int cells = 1 + ticket->more;

	guard(raw_spinlock_irqsave)(&tickets->lock);
	if (tickets->cells + cells > GPUBP_TICKETS_MAX)
		return false;
	tickets->nr++;
	atomic_inc(&nr_tickets);
	tickets_count_cells(tickets, cells);
	ticket->since = ktime_get_ns();
	list_add_tail(&ticket->node, &tickets->list);
	return true;
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_tickets_push);

/**
 * gpubp_tickets_done() - a ticket that was popped or taken is served
 * @tickets: its queue
 * @more: its gpubp_ticket.more
 */
void gpubp_tickets_done(struct gpubp_tickets *tickets, unsigned int more)
{
	scoped_guard(raw_spinlock_irqsave, &tickets->lock) {
		tickets->nr--;
		tickets_count_cells(tickets, -(1 + (int)more));
	}
	atomic_dec(&nr_tickets);
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_tickets_done);

/** gpubp_tickets_pop() - the oldest ticket, or NULL; any context */
struct gpubp_ticket *gpubp_tickets_pop(struct gpubp_tickets *tickets)
{
	struct gpubp_ticket *ticket;

	guard(raw_spinlock_irqsave)(&tickets->lock);
	ticket = list_first_entry_or_null(&tickets->list, struct gpubp_ticket,
					  node);
	if (ticket)
		list_del(&ticket->node);
	return ticket;
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_tickets_pop);

/**
 * gpubp_tickets_take() - take the oldest tickets to serve them
 * @tickets: queue
 * @list: receives them
 * @max: maximum number
 *
 * Any context. gpubp_tickets_return() puts back those that cannot be served.
 */
void gpubp_tickets_take(struct gpubp_tickets *tickets, struct list_head *list,
			unsigned int max)
{
	struct gpubp_ticket *ticket, *tmp;

	guard(raw_spinlock_irqsave)(&tickets->lock);
	list_for_each_entry_safe(ticket, tmp, &tickets->list, node) {
		if (!max--)
			break;
		list_move_tail(&ticket->node, list);
	}
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_tickets_take);

/** gpubp_tickets_return() - put taken tickets back at the head; any context */
void gpubp_tickets_return(struct gpubp_tickets *tickets,
			  struct list_head *list)
{
	guard(raw_spinlock_irqsave)(&tickets->lock);
	list_splice(list, &tickets->list);
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_tickets_return);

/** gpubp_tickets_empty() - is a queue empty; racy; any context */
bool gpubp_tickets_empty(const struct gpubp_tickets *tickets)
{
	return list_empty(&tickets->list);
}

/** gpubp_tickets_since() - since when the oldest hit waits, U64_MAX if none does */
u64 gpubp_tickets_since(struct gpubp_tickets *tickets)
{
	struct gpubp_ticket *ticket;

	guard(raw_spinlock_irqsave)(&tickets->lock);
	ticket = list_first_entry_or_null(&tickets->list, struct gpubp_ticket,
					  node);
	return ticket ? ticket->since : U64_MAX;
}

/**
 * gpubp_tickets_any_before() - is there a hit older than a time, or one being
 *	served
 * @tickets: queue
 * @time: compared with the times of waiting hits only
 *
 * Any context but NMI.
 */
bool gpubp_tickets_any_before(struct gpubp_tickets *tickets, u64 time)
{
	struct gpubp_ticket *ticket;
	unsigned int waiting = 0;

	if (!READ_ONCE(tickets->nr))
		return false;
	guard(raw_spinlock_irqsave)(&tickets->lock);
	list_for_each_entry(ticket, &tickets->list, node) {
		if (ticket->cell->hit.gpu_time < time)
			return true;
		waiting++;
	}
	return tickets->nr > waiting;
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_tickets_any_before);

/** gpubp_tickets_crowded() - is a queue more than half full; racy; any context */
bool gpubp_tickets_crowded(const struct gpubp_tickets *tickets)
{
	return READ_ONCE(tickets->cells) > GPUBP_TICKETS_MAX / 2;
}

/** gpubp_tickets_signal() - is a ticket for an event with attr.sigtrap */
bool gpubp_tickets_signal(struct gpubp_tickets *tickets)
{
	struct gpubp_ticket *ticket;

	guard(raw_spinlock_irqsave)(&tickets->lock);
	list_for_each_entry(ticket, &tickets->list, node)
		if (ticket->scopes & GPUBP_TICKET_SIGNALS)
			return true;
	return false;
}

/** gpubp_tickets_waiting() - is there any ticket in any queue; any context */
bool gpubp_tickets_waiting(void)
{
	return atomic_read(&nr_tickets) > 0;
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_tickets_waiting);

/**
 * gpubp_tickets_cells() - cells that wait for tasks or are being served; any
 * context
 */
unsigned int gpubp_tickets_cells(void)
{
	return atomic_read(&nr_cells);
}
