/* SPDX-License-Identifier: GPL-2.0 */
/*
 * An owner: a task that owns hits, and the tickets of hits that wait for it.
 */
#ifndef _GPUBP_CORE_OWNER_H
#define _GPUBP_CORE_OWNER_H

#include <linux/kref.h>
#include <linux/pid.h>
#include <linux/rcupdate.h>
#include <linux/uidgid.h>
#include <linux/xarray.h>

#include "tickets.h"

/**
 * struct gpubp_cell_user - a user that waiting cells are charged to
 * @node: in the table of cell users; RCU, written under the owners' lock
 * @uid: gpubp_uid_of() its tasks
 * @nr_owners: owners that refer to it; under the owners' lock
 * @cells: cells that wait for its tasks
 * @round: round in which gpubp_owners_most_cells() returned it last
 * @rcu: freed after lookups
 */
struct gpubp_cell_user {
	struct hlist_node node;
	kuid_t uid;
	unsigned int nr_owners;
	atomic_t cells;
	u64 round;
	struct rcu_head rcu;
};

/**
 * struct gpubp_owner - a task, by its struct pid
 * @node: in the table of owners; RCU, written under its lock
 * @pid: the task; a reference is held
 * @cell_user: user of the task at the time the owner was allocated
 * @ref: held by queues and by other users of the owner
 * @tickets: hits that wait for the task
 * @ctxs: struct gpubp_ctx_owner by id of the context
 * @ran_at: when it was seen running last, ns of CLOCK_MONOTONIC; written by the task itself
 * @rcu: freed after lookups
 */
struct gpubp_owner {
	struct hlist_node node;
	struct pid *pid;
	struct gpubp_cell_user *cell_user;
	struct kref ref;
	struct gpubp_tickets tickets;
	struct xarray ctxs;
	u64 ran_at;
	struct rcu_head rcu;
};

struct gpubp_owner *gpubp_owner_get(struct pid *pid);
struct gpubp_owner *gpubp_owner_get_leader(struct pid *thread);
void gpubp_owner_put(struct gpubp_owner *owner);
struct gpubp_owner *gpubp_owner_find(struct pid *pid);
void gpubp_owner_note_running(void);
u64 gpubp_owner_ran_at(struct pid *pid);
struct task_struct *gpubp_owner_task(struct gpubp_owner *owner);
struct gpubp_cell_user *gpubp_owners_most_cells(u64 round);
bool gpubp_owners_any(bool (*fn)(struct gpubp_owner *owner, void *arg),
		      void *arg);

#endif /* _GPUBP_CORE_OWNER_H */
