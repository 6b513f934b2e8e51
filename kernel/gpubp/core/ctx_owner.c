// SPDX-License-Identifier: GPL-2.0
/*
 * Owners of a context, found from the context and from the task.
 *
 * An event of a task binds to the contexts that the task owns queues of, and a
 * dispatch of a context waits for the events of its owners: neither looks at
 * other tasks' contexts or events.
 */
#include <kunit/visibility.h>
#include <linux/ktime.h>
#include <linux/rculist.h>
#include <linux/slab.h>
#include <linux/xarray.h>

#include "context.h"
#include "ctx_owner.h"
#include "owner.h"

static struct gpubp_ctx_owner *ctx_owner_alloc(struct gpubp_ctx *ctx,
					       struct gpubp_owner *owner)
{
	struct gpubp_ctx_owner *co = kzalloc(sizeof(*co), GFP_KERNEL_ACCOUNT);

	if (!co)
		return NULL;
	co->ctx = ctx;
	co->owner = owner;
	co->since = ktime_get_ns();
	if (xa_err(xa_store(&owner->ctxs, ctx->id, co, GFP_KERNEL_ACCOUNT))) {
		kfree(co);
		return NULL;
	}
	list_add_tail_rcu(&co->node, &ctx->ctx_owners);
	return co;
}

/**
 * gpubp_ctx_owner_add() - a queue that is being created has an owner
 * @ctx: context of the queue
 * @owner: its creator or the leader; the queue holds a reference
 * @created: its creator
 *
 * May sleep. Return: 0 or -ENOMEM.
 */
int gpubp_ctx_owner_add(struct gpubp_ctx *ctx, struct gpubp_owner *owner,
			bool created)
{
	struct gpubp_ctx_owner *co;

	guard(mutex)(&ctx->owners_lock);
	co = xa_load(&owner->ctxs, ctx->id) ?: ctx_owner_alloc(ctx, owner);
	if (!co)
		return -ENOMEM;
	co->nr++;
	WRITE_ONCE(co->nr_created, co->nr_created + created);
	return 0;
}

/** gpubp_ctx_owner_del() - undo gpubp_ctx_owner_add(); may sleep */
void gpubp_ctx_owner_del(struct gpubp_ctx *ctx, struct gpubp_owner *owner,
			 bool created)
{
	struct gpubp_ctx_owner *co;

	guard(mutex)(&ctx->owners_lock);
	co = xa_load(&owner->ctxs, ctx->id);
	WRITE_ONCE(co->nr_created, co->nr_created - created);
	if (--co->nr)
		return;
	xa_erase(&owner->ctxs, ctx->id);
	list_del_rcu(&co->node);
	kfree_rcu(co, rcu);
}

/* RCU section */
static struct gpubp_ctx_owner *ctx_owner_find(struct gpubp_ctx *ctx,
					      struct pid *pid)
{
	struct gpubp_owner *owner = gpubp_owner_find(pid);

	return owner ? xa_load(&owner->ctxs, ctx->id) : NULL;
}

static bool owner_has_created(struct gpubp_ctx *ctx, struct pid *pid)
{
	const struct gpubp_ctx_owner *co = ctx_owner_find(ctx, pid);

	return co && READ_ONCE(co->nr_created);
}

/**
 * gpubp_ctx_owned_since() - since when a task owns queues of a context
 * @ctx: context
 * @pid: the task; NULL: any of its owners
 *
 * Any context that may take an RCU section. Return: ns of CLOCK_MONOTONIC; 0 if it owns
 * none now.
 */
u64 gpubp_ctx_owned_since(struct gpubp_ctx *ctx, struct pid *pid)
{
	struct gpubp_ctx_owner *co;

	guard(rcu)();
	if (pid)
		co = ctx_owner_find(ctx, pid);
	else
		/* the oldest one is first */
		co = list_first_or_null_rcu(&ctx->ctx_owners,
					    struct gpubp_ctx_owner, node);
	return co ? co->since : 0;
}

/**
 * gpubp_ctx_is_inherited() - does a task own queues only for threads that have exited
 * @ctx: context
 * @pid: the task, their leader
 * @ran_at: (out) none of these threads had exited then, ns of CLOCK_MONOTONIC
 * @cost: (in, out) the queues that it looks at are added
 *
 * Any context that may take an RCU section.
 */
bool gpubp_ctx_is_inherited(struct gpubp_ctx *ctx, struct pid *pid, u64 *ran_at,
			    unsigned int *cost)
{
	const struct gpubp_queue *queue;

	*ran_at = U64_MAX;
	guard(rcu)();
	if (owner_has_created(ctx, pid))
		return false;
	list_for_each_entry_rcu(queue, &ctx->queues, node) {
		++*cost;
		if (queue->leader->pid == pid && !gpubp_owner_task(queue->creator))
			*ran_at = min(*ran_at, READ_ONCE(queue->creator->ran_at));
	}
	return *ran_at != U64_MAX;
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_ctx_is_inherited);

/**
 * gpubp_owner_has_ctx() - does a task own a queue
 * @pid: the task
 *
 * RCU section; any context.
 */
bool gpubp_owner_has_ctx(struct pid *pid)
{
	struct gpubp_owner *owner = gpubp_owner_find(pid);

	return owner && !xa_empty(&owner->ctxs);
}

/* contexts of a task that are looked at one by one, as interrupts are off */
#define MAX_LOOKED_AT	64

static bool ctx_is_used(const struct gpubp_ctx_owner *co, u64 since)
{
	return (co->since <= since || !gpubp_clock_holds_back(co->ctx)) &&
	       gpubp_clock_was_loose(co->ctx, since);
}

/**
 * gpubp_owner_uses_ctx() - may waves of a task have run that did not wait
 * @pid: the task
 * @since: for what was wanted since then, ns of CLOCK_MONOTONIC
 *
 * RCU section; any context but NMI. Of a task with very many contexts: whether those of
 * any task may.
 */
bool gpubp_owner_uses_ctx(struct pid *pid, u64 since)
{
	struct gpubp_owner *owner = gpubp_owner_find(pid);
	struct gpubp_ctx_owner *co;
	unsigned int nr = 0;
	unsigned long id;

	if (!owner)
		return false;
	xa_for_each(&owner->ctxs, id, co) {
		if (nr++ == MAX_LOOKED_AT)
			return gpubp_clocks_loose_since(since);
		if (ctx_is_used(co, since))
			return true;
	}
	return false;
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_owner_uses_ctx);

/**
 * gpubp_owner_next_ctx() - iterate over the contexts that a task owns queues of
 * @pid: the task
 * @id: id of the context before, 0 at first; (out) id of the one returned
 *
 * Any context that may take an RCU section. Contexts whose last reference is
 * being put are skipped. Return: the next context with a reference, or NULL.
 */
struct gpubp_ctx *gpubp_owner_next_ctx(struct pid *pid, unsigned long *id)
{
	struct gpubp_ctx_owner *co;
	struct gpubp_owner *owner;

	guard(rcu)();
	owner = gpubp_owner_find(pid);
	if (!owner)
		return NULL;
	while ((co = xa_find_after(&owner->ctxs, id, ULONG_MAX, XA_PRESENT)))
		if (kref_get_unless_zero(&co->ctx->ref))
			return co->ctx;
	return NULL;
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_owner_next_ctx);
