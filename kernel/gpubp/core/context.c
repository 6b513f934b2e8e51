// SPDX-License-Identifier: GPL-2.0
/*
 * Contexts and queues: creation, residency, lookup on the hit path.
 *
 * A context is allocated, completed by the rooms above, and listed; from then
 * on events bind to it. At its end it is dead first (provider.c): nothing can
 * bind to it any more and its bindings are removed. Then it is unlisted, and at
 * last the provider's reference is put. Queues and pending hits have references
 * of their own, so a context may outlive gpubp_ctx_destroy(); @dead says that
 * none of its ops may be called. A context has a reference to its device.
 *
 * The hit path looks up contexts by VMID and queues by doorbell in hard
 * interrupts, under RCU, and takes a reference for a hit that has a cell, unless
 * the last one is gone. So both are freed after a grace period, and what is
 * written to the tables is written under table_lock (VMIDs, the lists of queues)
 * or the xarray's own lock (doorbells, numbers of contexts).
 *
 * A context has its number until it is freed: bindings, owners and the
 * scheduler use numbers as keys. It is given again only after all others were.
 *
 * ctx->changes counts changes of names and queues that bindings depend on: see
 * gpubp_ctx_is_reconciled().
 */
#include <kunit/visibility.h>
#include <linux/array_size.h>
#include <linux/err.h>
#include <linux/export.h>
#include <linux/lockdep.h>
#include <linux/rculist.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/xarray.h>

#include "../compat/kcov.h"
#include "buffers.h"
#include "context.h"
#include "ctx_owner.h"
#include "device.h"
#include "owner.h"
#include "quota.h"
#include "room.h"

/* a walk by number goes on with the number after a context's: there is one */
#define ID_LIMIT	XA_LIMIT(1, U32_MAX - 1)

/*
 * Contexts by number. One that is not listed, but not freed either, has a zero
 * entry, which no lookup finds.
 */
static DEFINE_XARRAY_FLAGS(ctxs, XA_FLAGS_ALLOC1 | XA_FLAGS_LOCK_BH |
				 XA_FLAGS_ACCOUNT);
u32 gpubp_next_ctx_id;			/* under the lock of ctxs */
EXPORT_SYMBOL_IF_KUNIT(gpubp_next_ctx_id);

static atomic_t nr_ctxs = ATOMIC_INIT(0);
static atomic64_t last_id = ATOMIC64_INIT(0);
static void (*on_change)(struct gpubp_ctx *ctx);

/* unless the provider sets it */
#define MAX_STALL_US	(10 * USEC_PER_SEC)

/* reserves the number: lookups do not find the context yet */
static int ctx_get_number(struct gpubp_ctx *ctx)
{
	int err = xa_alloc_cyclic_bh(&ctxs, &ctx->id, NULL, ID_LIMIT,
				     &gpubp_next_ctx_id, GPUBP_GFP_USER);

	return min(err, 0);	/* 1: began at the lowest again */
}

/** gpubp_ctx_put_user() - a context has no name any more; may sleep */
void gpubp_ctx_put_user(struct gpubp_ctx *ctx)
{
	if (ctx->user)
		gpubp_user_put(ctx->user);
	ctx->user = NULL;
}

static struct gpubp_ctx *ctx_alloc(const struct gpubp_ctx_desc *desc)
{
	struct gpubp_ctx *ctx = kzalloc(sizeof(*ctx), GPUBP_GFP_USER);

	if (!ctx)
		return NULL;
	ctx->user = gpubp_user_current();
	ctx->owner = gpubp_owner_get(desc->pid);
	if (!ctx->user || !ctx->owner || ctx_get_number(ctx)) {
		gpubp_owner_put(ctx->owner);
		gpubp_ctx_put_user(ctx);
		kfree(ctx);
		return NULL;
	}
	ctx->pid = get_pid(desc->pid);
	ctx->pasid = desc->pasid;
	ctx->doorbells = desc->doorbells;
	ctx->fenced = desc->fenced;
	ctx->max_stall_ns = (u64)(desc->max_stall_us ?: MAX_STALL_US) *
			    NSEC_PER_USEC;
	return ctx;
}

/**
 * gpubp_ctx_alloc() - allocate a context that is not listed yet
 * @dev: device; a reference is taken
 * @priv: provider's data
 * @desc: the provider's description
 *
 * May sleep. Return: the context, for gpubp_ctx_put(), or NULL without memory.
 */
struct gpubp_ctx *gpubp_ctx_alloc(struct gpubp_device *dev, void *priv,
				  const struct gpubp_ctx_desc *desc)
{
	struct gpubp_ctx *ctx = ctx_alloc(desc);

	if (!ctx)
		return NULL;
	ctx->dev = dev;
	ctx->priv = priv;
	ctx->watches = RB_ROOT_CACHED;
	ctx->kcov = gpubp_kcov_handle();
	ctx->prog.ctx = priv;
	INIT_LIST_HEAD(&ctx->unread);
	ctx->grouped = RB_ROOT;
	INIT_LIST_HEAD(&ctx->names);
	INIT_LIST_HEAD(&ctx->queues);
	INIT_LIST_HEAD(&ctx->holds);
	INIT_LIST_HEAD(&ctx->ctx_owners);
	mutex_init(&ctx->owners_lock);
	INIT_LIST_HEAD(&ctx->bindings);
	INIT_LIST_HEAD(&ctx->change_node);
	INIT_LIST_HEAD(&ctx->revisit_node);
	mutex_init(&ctx->unmapping);
	gpubp_stopped_time_init(&ctx->stopped_time);
	kref_init(&ctx->ref);
	kref_get(&dev->ref);
	return ctx;
}

/** gpubp_ctx_list() - make a new context visible; may sleep */
void gpubp_ctx_list(struct gpubp_ctx *ctx)
{
	struct gpubp_device *dev = ctx->dev;

	mutex_lock(&dev->lock);
	list_add_tail(&ctx->node, &dev->ctxs);
	WRITE_ONCE(dev->kcov, ctx->kcov);
	mutex_unlock(&dev->lock);
	/* the entry is there: nothing is allocated */
	xa_store_bh(&ctxs, ctx->id, ctx, 0);
	atomic_inc(&nr_ctxs);
}

/**
 * gpubp_ctx_unlist() - remove a context from its device's list
 * @ctx: context; nothing is bound to it
 *
 * May sleep.
 */
void gpubp_ctx_unlist(struct gpubp_ctx *ctx)
{
	LIST_HEAD(names);

	atomic_dec(&nr_ctxs);
	/* in an array that allocates, this keeps the number */
	xa_store_bh(&ctxs, ctx->id, NULL, 0);
	scoped_guard(mutex, &ctx->dev->lock) {
		list_del(&ctx->node);
		list_splice_init(&ctx->names, &names);
		ctx->names_by_hash = RB_ROOT;
	}
	gpubp_names_free(&names);
	gpubp_ctx_put_user(ctx);
}

/**
 * gpubp_ctx_find() - find a context by its number, and get a reference
 * @id: gpubp_ctx.id
 *
 * Any context but NMI. Return: the context, or NULL if there is none, or it is
 * being destroyed.
 */
struct gpubp_ctx *gpubp_ctx_find(u32 id)
{
	struct gpubp_ctx *ctx;

	guard(rcu)();
	ctx = xa_load(&ctxs, id);
	return ctx && !READ_ONCE(ctx->dead) &&
	       kref_get_unless_zero(&ctx->ref) ? ctx : NULL;
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_ctx_find);

/**
 * gpubp_ctx_next_of() - iterate over the contexts of a thread group
 * @pid: the thread group, NULL: of all
 * @after: number of the context before, 0 at first
 *
 * Looks at all contexts, without a lock. Those that are being destroyed are
 * skipped. Any context but NMI. Return: the next context by number, with a
 * reference, or NULL.
 */
struct gpubp_ctx *gpubp_ctx_next_of(struct pid *pid, u32 after)
{
	unsigned long id = after;
	struct gpubp_ctx *ctx;

	guard(rcu)();
	while ((ctx = xa_find_after(&ctxs, &id, U32_MAX, XA_PRESENT)))
		if ((!pid || ctx->pid == pid) && !READ_ONCE(ctx->dead) &&
		    kref_get_unless_zero(&ctx->ref))
			return ctx;
	return NULL;
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_ctx_next_of);

/* the lock of ctxs is none of hard interrupts */
static void ctx_free_rcu(struct rcu_head *rcu)
{
	struct gpubp_ctx *ctx = container_of(rcu, struct gpubp_ctx, rcu);

	xa_erase_bh(&ctxs, ctx->id);
	kfree(ctx);
}

static void ctx_free(struct kref *ref)
{
	struct gpubp_ctx *ctx = container_of(ref, struct gpubp_ctx, ref);

	WARN_ON_ONCE(!RB_EMPTY_ROOT(&ctx->watches.rb_root));
	gpubp_owner_put(ctx->owner);
	put_pid(ctx->pid);
	gpubp_device_put(ctx->dev);
	kfree(ctx->sched);
	kfree(ctx->trap);
	call_rcu(&ctx->rcu, ctx_free_rcu);
}

/**
 * gpubp_ctx_put() - put a reference to a context
 * @ctx: context
 *
 * Any context but NMI and, as memory is freed, interrupts that are not threaded
 * with PREEMPT_RT: the last reference may be that of a pending hit, whose cell is
 * freed in an irq_work, and a context may have the last reference to its device.
 */
void gpubp_ctx_put(struct gpubp_ctx *ctx)
{
	lockdep_assert_RT_in_threaded_ctx();
	kref_put(&ctx->ref, ctx_free);
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_ctx_put);

u32 gpubp_ctx_id(const struct gpubp_ctx *ctx)
{
	return ctx->id;
}
EXPORT_SYMBOL_GPL(gpubp_ctx_id);

static void vmid_assign(struct gpubp_device *dev, u32 vmid,
			struct gpubp_ctx *ctx)
{
	struct gpubp_ctx *old = rcu_dereference_protected(dev->vmids[vmid],
				lockdep_is_held(&dev->table_lock));

	if (dev->desc.caps.residency == GPUBP_RESIDENCY_REPORTED) {
		if (old)
			gpubp_clock_residents(old, -1);
		if (ctx)
			gpubp_clock_residents(ctx, 1);
	}
	rcu_assign_pointer(dev->vmids[vmid], ctx);
}

void gpubp_ctx_resident(struct gpubp_ctx *ctx, u32 vmid)
{
	struct gpubp_device *dev = ctx->dev;
	unsigned long flags;

	if (WARN_ON_ONCE(vmid >= GPUBP_MAX_VMIDS))
		return;
	raw_spin_lock_irqsave(&dev->table_lock, flags);
	vmid_assign(dev, vmid, ctx);
	raw_spin_unlock_irqrestore(&dev->table_lock, flags);
	gpubp_ring_poll_soon(dev);
}
EXPORT_SYMBOL_GPL(gpubp_ctx_resident);

void gpubp_ctx_evicted(struct gpubp_ctx *ctx)
{
	struct gpubp_device *dev = ctx->dev;
	unsigned long flags;
	int i;

	raw_spin_lock_irqsave(&dev->table_lock, flags);
	for (i = 0; i < GPUBP_MAX_VMIDS; i++)
		if (rcu_access_pointer(dev->vmids[i]) == ctx)
			vmid_assign(dev, i, NULL);
	raw_spin_unlock_irqrestore(&dev->table_lock, flags);
}
EXPORT_SYMBOL_GPL(gpubp_ctx_evicted);

/**
 * gpubp_ctx_by_vmid() - look up the context that has a VMID now
 * @dev: device
 * @vmid: VMID
 *
 * RCU section; any context. Return: the context, valid in the section, or NULL.
 */
struct gpubp_ctx *gpubp_ctx_by_vmid(struct gpubp_device *dev, u32 vmid)
{
	return vmid < GPUBP_MAX_VMIDS ? rcu_dereference(dev->vmids[vmid]) : NULL;
}

/**
 * gpubp_ctx_set_on_change() - set the callback for changes of contexts
 * @fn: called in any context that may queue work
 *
 * Called once, before the first context exists.
 */
void gpubp_ctx_set_on_change(void (*fn)(struct gpubp_ctx *ctx))
{
	on_change = fn;
}

/**
 * gpubp_ctx_changed() - names or queues of a context changed
 * @ctx: context; its further dispatches wait until events are reconciled
 *
 * Any context that may queue work.
 */
void gpubp_ctx_changed(struct gpubp_ctx *ctx)
{
	atomic64_inc_return_release(&ctx->changes);
	on_change(ctx);
}

/**
 * gpubp_ctx_forget() - memory was unmapped, or a buffer freed: what was read
 *	there is not what the next owner of the addresses has
 * @ctx: context; the device lock is held
 * @va: first address
 * @size: bytes
 */
void gpubp_ctx_forget(struct gpubp_ctx *ctx, u64 va, u64 size)
{
	struct gpubp_forgotten *f = &ctx->forgotten;

	lockdep_assert_held(&ctx->dev->lock);
	if (!size)
		return;
	f->range[f->nr % ARRAY_SIZE(f->range)] = (struct gpubp_va_range) {
		.start = va, .last = va + (size - 1),
	};
	/* pairs with gpubp_ctx_nr_forgotten() */
	smp_store_release(&f->nr, f->nr + 1);
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_ctx_forget);

/**
 * gpubp_ctx_nr_forgotten() - how many ranges were forgotten
 * @ctx: context
 *
 * Called before memory is read: the read comes behind, so that one which found
 * what was there before a range was forgotten has a lower number. Any context.
 */
u64 gpubp_ctx_nr_forgotten(const struct gpubp_ctx *ctx)
{
	/* pairs with gpubp_ctx_forget() */
	return smp_load_acquire(&ctx->forgotten.nr);
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_ctx_nr_forgotten);

/**
 * gpubp_ctx_has_forgotten() - does what was read in a range not hold any more
 * @ctx: context; the device lock is held
 * @since: gpubp_ctx_nr_forgotten() before it was read
 * @start: first address
 * @last: last address
 *
 * Return: true also if it is not known: after very many ranges, and while memory there
 * is unmapped or written.
 */
bool gpubp_ctx_has_forgotten(const struct gpubp_ctx *ctx, u64 since, u64 start,
			     u64 last)
{
	const struct gpubp_forgotten *f = &ctx->forgotten;
	const struct gpubp_va_range *range;

	lockdep_assert_held(&ctx->dev->lock);
	if (f->nr - since > ARRAY_SIZE(f->range) ||
	    gpubp_name_is_unmapping(ctx, start, last - start + 1))
		return true;
	for (; since < f->nr; since++) {
		range = &f->range[since % ARRAY_SIZE(f->range)];
		if (range->start <= last && start <= range->last)
			return true;
	}
	return false;
}

/**
 * gpubp_ctx_global_rw() - read or write global memory of a context by
 *	ops->mem_rw
 * @ctx: context; no lock is held
 * @va: address
 * @buf: buffer
 * @len: its size
 * @how: GPUBP_MEM_*
 */
ssize_t gpubp_ctx_global_rw(struct gpubp_ctx *ctx, u64 va, void *buf,
			    size_t len, unsigned int how)
{
	struct gpubp_where where = { .space = GPUBP_SPACE_GLOBAL, .va = va };

	return ctx->dev->ops.mem_rw(ctx->priv, &where, buf, len, how);
}

/**
 * gpubp_new_id() - a new id, unique among watches, traps and members of sets
 */
u64 gpubp_new_id(void)
{
	return atomic64_inc_return(&last_id);
}

/** gpubp_contexts_exist() - is there any context */
bool gpubp_contexts_exist(void)
{
	return atomic_read(&nr_ctxs) > 0;
}

static struct gpubp_queue *queue_alloc(struct gpubp_ctx *ctx,
				       const struct gpubp_queue_desc *desc)
{
	struct gpubp_queue *queue = kzalloc(sizeof(*queue), GFP_KERNEL_ACCOUNT);

	if (!queue)
		return NULL;
	queue->ctx = ctx;
	queue->id = desc->id;
	queue->doorbell = desc->doorbell;
	queue->held = desc->held;
	kref_init(&queue->ref);
	return queue;
}

static int queue_set_owners(struct gpubp_queue *queue, struct pid *creator)
{
	queue->creator = gpubp_owner_get(creator);
	queue->leader = gpubp_owner_get_leader(creator);
	return queue->creator && queue->leader ? 0 : -ENOMEM;
}

static int queue_list_owners(struct gpubp_queue *queue)
{
	int err = gpubp_ctx_owner_add(queue->ctx, queue->creator, true);

	if (err)
		return err;
	err = gpubp_ctx_owner_add(queue->ctx, queue->leader, false);
	if (err)
		gpubp_ctx_owner_del(queue->ctx, queue->creator, true);
	return err;
}

static void queue_unlist_owners(struct gpubp_queue *queue)
{
	gpubp_ctx_owner_del(queue->ctx, queue->creator, true);
	gpubp_ctx_owner_del(queue->ctx, queue->leader, false);
}

/**
 * gpubp_queue_add() - add a queue, so that interrupts of its doorbell find it
 * @ctx: context; a reference is taken
 * @desc: the provider's description
 *
 * May sleep. Return: the queue, for gpubp_queue_del() and gpubp_queue_put(); or
 * -ENOMEM, -EBUSY (another queue has the doorbell).
 */
struct gpubp_queue *gpubp_queue_add(struct gpubp_ctx *ctx,
				    const struct gpubp_queue_desc *desc)
{
	struct gpubp_queue *queue = queue_alloc(ctx, desc);
	int err;

	if (!queue)
		return ERR_PTR(-ENOMEM);
	err = queue_set_owners(queue, desc->creator) ?:
	      queue_list_owners(queue);
	if (err)
		goto put_owners;
	err = xa_insert_irq(&ctx->dev->doorbells, desc->doorbell, queue,
			    GFP_KERNEL_ACCOUNT);
	if (err)
		goto unlist_owners;
	kref_get(&ctx->ref);
	scoped_guard(raw_spinlock_irqsave, &ctx->dev->table_lock)
		list_add_tail_rcu(&queue->node, &ctx->queues);
	gpubp_clock_queue_added(ctx);
	gpubp_ring_poll_soon(ctx->dev);
	gpubp_ctx_changed(ctx);
	return queue;

unlist_owners:
	queue_unlist_owners(queue);
put_owners:
	gpubp_owner_put(queue->leader);
	gpubp_owner_put(queue->creator);
	kfree(queue);
	return ERR_PTR(err);
}

static void queue_free(struct kref *ref)
{
	struct gpubp_queue *queue = container_of(ref, struct gpubp_queue, ref);

	gpubp_owner_put(queue->leader);
	gpubp_owner_put(queue->creator);
	gpubp_ctx_put(queue->ctx);
	kfree_rcu(queue, rcu);
}

/**
 * gpubp_queue_put() - put a reference to a queue
 * @queue: queue; the last put also puts its context
 *
 * Contexts as those of gpubp_ctx_put().
 */
void gpubp_queue_put(struct gpubp_queue *queue)
{
	kref_put(&queue->ref, queue_free);
}

/** gpubp_queue_del() - lookups do not find the queue any more; may sleep */
void gpubp_queue_del(struct gpubp_queue *queue)
{
	struct gpubp_device *dev = queue->ctx->dev;

	xa_erase_irq(&dev->doorbells, queue->doorbell);
	scoped_guard(raw_spinlock_irqsave, &dev->table_lock)
		list_del_rcu(&queue->node);
	queue_unlist_owners(queue);
}

/**
 * gpubp_queue_peek() - look up a queue by its doorbell, without a reference
 * @dev: device
 * @doorbell: as the interrupt reported it
 *
 * RCU section; any context. Return: the queue, with its context valid in the
 * section, or NULL.
 */
struct gpubp_queue *gpubp_queue_peek(struct gpubp_device *dev, u32 doorbell)
{
	return xa_load(&dev->doorbells, doorbell);
}

/**
 * gpubp_queue_by_doorbell() - look up a queue by its doorbell
 * @dev: device
 * @doorbell: as the interrupt reported it
 *
 * Any context. Return: the queue with a reference, or NULL.
 */
struct gpubp_queue *gpubp_queue_by_doorbell(struct gpubp_device *dev,
					    u32 doorbell)
{
	struct gpubp_queue *queue;

	guard(rcu)();
	queue = gpubp_queue_peek(dev, doorbell);
	return queue && kref_get_unless_zero(&queue->ref) ? queue : NULL;
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_queue_by_doorbell);
