/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Owners of a context: the tasks that created its queues, and the leaders of
 * their thread groups.
 */
#ifndef _GPUBP_CORE_CTX_OWNER_H
#define _GPUBP_CORE_CTX_OWNER_H

#include <linux/list.h>
#include <linux/rcupdate.h>

struct gpubp_ctx;
struct gpubp_owner;
struct pid;

/**
 * struct gpubp_ctx_owner - an owner of queues in a context
 * @node: in gpubp_ctx.ctx_owners; RCU, written under gpubp_ctx.owners_lock
 * @ctx: the context
 * @owner: the owner
 * @nr: queues that it created, and queues whose leader it is; under
 *	gpubp_ctx.owners_lock
 * @nr_created: queues that it created; likewise, and read without
 * @since: when the first of these was being created, ns of CLOCK_MONOTONIC
 * @rcu: freed after readers
 */
struct gpubp_ctx_owner {
	struct list_head node;
	struct gpubp_ctx *ctx;
	struct gpubp_owner *owner;
	unsigned int nr;
	unsigned int nr_created;
	u64 since;
	struct rcu_head rcu;
};

int gpubp_ctx_owner_add(struct gpubp_ctx *ctx, struct gpubp_owner *owner,
			bool created);
void gpubp_ctx_owner_del(struct gpubp_ctx *ctx, struct gpubp_owner *owner,
			 bool created);
u64 gpubp_ctx_owned_since(struct gpubp_ctx *ctx, struct pid *pid);
bool gpubp_ctx_is_inherited(struct gpubp_ctx *ctx, struct pid *pid, u64 *ran_at,
			    unsigned int *cost);
bool gpubp_owner_has_ctx(struct pid *pid);
bool gpubp_owner_uses_ctx(struct pid *pid, u64 since);
struct gpubp_ctx *gpubp_owner_next_ctx(struct pid *pid, unsigned long *id);

#endif /* _GPUBP_CORE_CTX_OWNER_H */
