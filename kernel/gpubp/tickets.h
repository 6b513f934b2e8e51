/* SPDX-License-Identifier: GPL-2.0 */
/* Tickets: hits that wait, in order, for a task or a CPU; so many at most. */
#ifndef _GPUBP_TICKETS_H
#define _GPUBP_TICKETS_H

#include <linux/list.h>
#include <linux/spinlock.h>
#include <linux/types.h>

struct gpubp_ticket;

#define GPUBP_TICKETS_MAX	1024	/* half of the cells of a device */

/**
 * struct gpubp_tickets - a queue of tickets
 * @lock: protects the others; raw, interrupts off
 * @list: hits that wait, struct gpubp_ticket, oldest first
 * @nr: of them, and of those being served
 */
struct gpubp_tickets {
	raw_spinlock_t lock;
	struct list_head list;
	unsigned int nr;
};

void gpubp_tickets_init(struct gpubp_tickets *tickets);
bool gpubp_tickets_push(struct gpubp_tickets *tickets,
			struct gpubp_ticket *ticket);
void gpubp_tickets_done(struct gpubp_tickets *tickets);
struct gpubp_ticket *gpubp_tickets_pop(struct gpubp_tickets *tickets);
void gpubp_tickets_take(struct gpubp_tickets *tickets, struct list_head *list,
			unsigned int max);
void gpubp_tickets_return(struct gpubp_tickets *tickets,
			  struct list_head *list);
bool gpubp_tickets_empty(const struct gpubp_tickets *tickets);
u64 gpubp_tickets_since(struct gpubp_tickets *tickets);
bool gpubp_tickets_any_before(struct gpubp_tickets *tickets, u64 time);
bool gpubp_tickets_signal(struct gpubp_tickets *tickets);
bool gpubp_tickets_waiting(void);

#endif /* _GPUBP_TICKETS_H */
