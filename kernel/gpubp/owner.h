/* SPDX-License-Identifier: GPL-2.0 */
/*
 * An owner: a task that hits belong to, and the hits that wait for it.
 */
#ifndef _GPUBP_OWNER_H
#define _GPUBP_OWNER_H

#include <linux/kref.h>
#include <linux/list.h>
#include <linux/pid.h>
#include <linux/rcupdate.h>
#include <linux/spinlock.h>

struct gpubp_ticket;

#define GPUBP_OWNER_TICKETS	1024	/* half of the cells of a device */

/**
 * struct gpubp_owner - a task, by its struct pid
 * @node: in the table of owners; RCU, written under its lock
 * @pid: the task; a reference is held
 * @ref: by queues and by whoever found it
 * @lock: protects @tickets; raw, interrupts off
 * @tickets: hits that wait for the task, struct gpubp_ticket, oldest first
 * @nr: of them, and of those being served; under @lock
 * @rcu: freed after lookups
 */
struct gpubp_owner {
	struct hlist_node node;
	struct pid *pid;
	struct kref ref;
	raw_spinlock_t lock;
	struct list_head tickets;
	unsigned int nr;
	struct rcu_head rcu;
};

struct gpubp_owner *gpubp_owner_get(struct pid *pid);
struct gpubp_owner *gpubp_owner_get_leader(struct pid *thread);
void gpubp_owner_put(struct gpubp_owner *owner);
struct gpubp_owner *gpubp_owner_find(struct pid *pid);
struct task_struct *gpubp_owner_task(struct gpubp_owner *owner);
bool gpubp_owner_push(struct gpubp_owner *owner, struct gpubp_ticket *ticket);
void gpubp_owner_done(struct gpubp_owner *owner);
struct gpubp_ticket *gpubp_owner_pop(struct gpubp_owner *owner);
void gpubp_owner_take(struct gpubp_owner *owner, struct list_head *list,
		      unsigned int max);
void gpubp_owner_return(struct gpubp_owner *owner, struct list_head *list);
bool gpubp_owners_waiting(void);
void gpubp_owners_for_each(void (*fn)(struct gpubp_owner *owner));

#endif /* _GPUBP_OWNER_H */
