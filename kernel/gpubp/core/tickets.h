/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Tickets: hits that wait, in order, for a task or a CPU. The number of cells
 * in a queue is limited, and they are charged to the user of the task.
 */
#ifndef _GPUBP_CORE_TICKETS_H
#define _GPUBP_CORE_TICKETS_H

#include <linux/atomic.h>
#include <linux/list.h>
#include <linux/spinlock.h>
#include <linux/types.h>

struct gpubp_ticket;

/*
 * Cells that may wait in one queue, and in the queues of all tasks together, on
 * all devices. A device has this many beyond those that its waves need
 * (cell.c).
 */
#define GPUBP_TICKETS_MAX	1024

/**
 * struct gpubp_tickets - a queue of tickets
 * @lock: protects the others; raw, interrupts off
 * @list: waiting hits, struct gpubp_ticket, oldest first
 * @nr: tickets waiting or being served
 * @cells: cells of these
 * @charged: counter of cells charged to the same user, or NULL; constant
 * @work: of a task: drains them when it returns to user mode
 * @work_queued: it is queued, with a reference to the owner
 * @late: that work first lets what was recorded before be resolved
 * @cut_at: when a drain last wrote samples and left work over, ns of
 *	CLOCK_MONOTONIC
 */
struct gpubp_tickets {
	raw_spinlock_t lock;
	struct list_head list;
	unsigned int nr;
	unsigned int cells;
	atomic_t *charged;
	struct callback_head work;
	atomic_t work_queued;
	atomic_t late;
	u64 cut_at;
};

void gpubp_tickets_init(struct gpubp_tickets *tickets, atomic_t *charged);
bool gpubp_tickets_push(struct gpubp_tickets *tickets,
			struct gpubp_ticket *ticket);
void gpubp_tickets_done(struct gpubp_tickets *tickets, unsigned int more);
struct gpubp_ticket *gpubp_tickets_pop(struct gpubp_tickets *tickets);
void gpubp_tickets_take(struct gpubp_tickets *tickets, struct list_head *list,
			unsigned int max);
void gpubp_tickets_return(struct gpubp_tickets *tickets,
			  struct list_head *list);
bool gpubp_tickets_empty(const struct gpubp_tickets *tickets);
u64 gpubp_tickets_since(struct gpubp_tickets *tickets);
bool gpubp_tickets_any_before(struct gpubp_tickets *tickets, u64 time);
bool gpubp_tickets_crowded(const struct gpubp_tickets *tickets);
bool gpubp_tickets_signal(struct gpubp_tickets *tickets);
bool gpubp_tickets_waiting(void);
unsigned int gpubp_tickets_cells(void);

#endif /* _GPUBP_CORE_TICKETS_H */
