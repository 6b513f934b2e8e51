/* SPDX-License-Identifier: GPL-2.0 */
/*
 * An owner: a task that hits belong to, and the hits that wait for it.
 */
#ifndef _GPUBP_OWNER_H
#define _GPUBP_OWNER_H

#include <linux/kref.h>
#include <linux/pid.h>
#include <linux/rcupdate.h>

#include "tickets.h"

/**
 * struct gpubp_owner - a task, by its struct pid
 * @node: in the table of owners; RCU, written under its lock
 * @pid: the task; a reference is held
 * @ref: by queues and by whoever found it
 * @tickets: hits that wait for the task
 * @rcu: freed after lookups
 */
struct gpubp_owner {
	struct hlist_node node;
	struct pid *pid;
	struct kref ref;
	struct gpubp_tickets tickets;
	struct rcu_head rcu;
};

struct gpubp_owner *gpubp_owner_get(struct pid *pid);
struct gpubp_owner *gpubp_owner_get_leader(struct pid *thread);
void gpubp_owner_put(struct gpubp_owner *owner);
struct gpubp_owner *gpubp_owner_find(struct pid *pid);
struct task_struct *gpubp_owner_task(struct gpubp_owner *owner);
bool gpubp_owners_any(bool (*fn)(struct gpubp_owner *owner, void *arg), void *arg);

#endif /* _GPUBP_OWNER_H */
