// SPDX-License-Identifier: GPL-2.0
/*
 * Benches: a watch set in a context.
 *
 * A bench is filled in the order of the members' ids, some at a time, so that
 * neither the list of events nor the device is held for long. A member that
 * cannot be bound for want of memory is where filling goes on.
 */
#include <kunit/visibility.h>
#include <linux/err.h>
#include <linux/lockdep.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>
#include <uapi/linux/gpubp.h>

#include "../core/core.h"
#include "../sched/sched.h"
#include "bind.h"
#include "event.h"
#include "set.h"

#define FILL_BATCH	256	/* members bound with the device lock held */

static struct kmem_cache *binding_cache;

/**
 * gpubp_member_of() - the member of a set that a watch is for
 * @watch: watch; the device lock is held
 * @id: of the member
 */
struct gpubp_member_binding *gpubp_member_of(struct gpubp_watch *watch, u64 id)
{
	struct gpubp_member_binding *mb;

	lockdep_assert_held(&watch->ctx->dev->lock);
	hlist_for_each_entry(mb, &watch->members, watch_node)
		if (mb->member->id == id)
			return mb;
	return NULL;
}

static struct gpubp_member_binding *
binding_in(const struct gpubp_set_binding *set_binding,
	   const struct gpubp_member *member)
{
	struct gpubp_member_binding *mb;

	lockdep_assert_held(&gpubp_events_lock);
	hlist_for_each_entry(mb, &member->bindings, member_node)
		if (mb->set_binding == set_binding)
			return mb;
	return NULL;
}

static bool is_bound_to(const struct gpubp_member_binding *mb,
			const struct gpubp_member *member)
{
	const struct gpubp_watch *w = mb->watch;

	return w->start == member->addr && w->access == member->access &&
	       w->last - w->start == member->len - 1;
}

/* for each event that wants the bench: as many more watches, so many armed */
static void resize(struct gpubp_set_binding *set_binding, int by, int armed_by)
{
	struct gpubp_binding *b;

	set_binding->nr += by;
	set_binding->nr_armed += armed_by;
	list_for_each_entry(b, &set_binding->bindings, watch_node)
		gpubp_ctx_time_resize(&b->ctx_time, by, armed_by);
}

/** gpubp_set_binding_join() - an event wants it; the device lock is held */
void gpubp_set_binding_join(struct gpubp_set_binding *set_binding,
			    struct gpubp_binding *b)
{
	lockdep_assert_held(&set_binding->ctx->dev->lock);
	list_add_tail(&b->watch_node, &set_binding->bindings);
	gpubp_ctx_time_resize(&b->ctx_time, set_binding->nr,
			      set_binding->nr_armed);
	if (set_binding->taken_up)
		gpubp_ctx_time_arm(&b->ctx_time, 0);
}

static void unbind(struct gpubp_member_binding *mb)
{
	struct gpubp_watch *watch = mb->watch;

	lockdep_assert_held(&watch->ctx->dev->lock);
	resize(mb->set_binding, -1, -mb->armed);
	hlist_del(&mb->watch_node);
	hlist_del(&mb->member_node);
	gpubp_watch_free_unused(watch);
	kmem_cache_free(binding_cache, mb);
}

static int bind(struct gpubp_set_binding *set_binding,
		struct gpubp_member *member)
{
	struct gpubp_member_binding *mb;
	struct gpubp_watch *watch;

	/* who loads too much gets less, and is not killed for it */
	mb = kmem_cache_alloc(binding_cache, GFP_KERNEL | __GFP_RETRY_MAYFAIL |
			      __GFP_NOWARN);
	if (!mb)
		return -ENOMEM;
	watch = gpubp_watch_get(set_binding->ctx, member->addr, member->len,
				member->access, set_binding->set->user, false);
	if (IS_ERR(watch)) {
		kmem_cache_free(binding_cache, mb);
		return PTR_ERR(watch);
	}
	mb->set_binding = set_binding;
	mb->member = member;
	mb->watch = watch;
	mb->armed = false;
	hlist_add_head(&mb->watch_node, &watch->members);
	hlist_add_head(&mb->member_node, &member->bindings);
	gpubp_watch_binding_added(watch);
	resize(set_binding, 1, 0);
	return 0;
}

/*
 * Bind a member as it is now. For want of memory, or where the user has as much
 * as he may, filling goes on here; what no slot can cover is not bound. Return:
 * -ENOMEM, -EDQUOT, or is anything new.
 */
static int rebind(struct gpubp_set_binding *set_binding,
		  struct gpubp_member *member)
{
	struct gpubp_member_binding *mb = binding_in(set_binding, member);
	int err;

	if (mb && is_bound_to(mb, member))
		return false;
	if (mb)
		unbind(mb);
	err = bind(set_binding, member);
	if (err != -ENOMEM && err != -EDQUOT)
		return true;
	set_binding->next = min(set_binding->next, member->id);
	return err;
}

/* ---- a bench -------------------------------------------------------------- */

/**
 * gpubp_set_binding_get() - the bench of a set in a context, made if there is none
 * @set: set; gpubp_events_lock is held
 * @ctx: context; the device lock is held
 *
 * The caller adds a binding to it. Return: the bench, or NULL without memory.
 */
struct gpubp_set_binding *gpubp_set_binding_get(struct gpubp_watch_set *set,
						struct gpubp_ctx *ctx)
{
	struct gpubp_set_binding *set_binding;

	lockdep_assert_held(&gpubp_events_lock);
	lockdep_assert_held(&ctx->dev->lock);
	list_for_each_entry(set_binding, &set->set_bindings, node)
		if (set_binding->ctx == ctx)
			return set_binding;
	set_binding = kzalloc(sizeof(*set_binding), GFP_KERNEL);
	if (!set_binding)
		return NULL;
	kref_get(&set->ref);
	set_binding->set = set;
	set_binding->ctx = ctx;
	INIT_LIST_HEAD(&set_binding->bindings);
	list_add_tail(&set_binding->node, &set->set_bindings);
	return set_binding;
}

/* some members, from bench->next on: 1 there may be more, 0 full, or an errno */
static int fill_batch(struct gpubp_set_binding *set_binding)
{
	struct gpubp_member *member;
	unsigned long id = set_binding->next;
	unsigned int n;
	int err;

	guard(mutex)(&set_binding->ctx->dev->lock);
	for (n = 0; n < FILL_BATCH; n++) {
		member = xa_find(&set_binding->set->members, &id, ULONG_MAX,
				 XA_PRESENT);
		if (!member) {
			set_binding->next = GPUBP_BENCH_FULL;
			return 0;
		}
		set_binding->next = member->id + 1;
		err = rebind(set_binding, member);
		if (err < 0)
			return err;
		id = set_binding->next;
	}
	return 1;
}

/**
 * gpubp_set_binding_fill() - bind the members that are not bound
 * @set_binding: bench; gpubp_events_lock is held, no device lock is
 * @budget: members that may be bound, about; what is left of it on return
 *
 * May sleep. Return: false if some are left, for want of budget or of memory:
 * it goes on with them at the next call. So it does with those that the user's
 * limit leaves out, but nobody need wait for them.
 */
bool gpubp_set_binding_fill(struct gpubp_set_binding *set_binding,
			    unsigned int *budget)
{
	unsigned int before = set_binding->nr;
	struct mem_cgroup *old;
	int ret = 1;

	lockdep_assert_held(&gpubp_events_lock);
	if (set_binding->next == GPUBP_BENCH_FULL)
		return true;
	old = set_active_memcg(set_binding->set->memcg);
	while (*budget && (ret = fill_batch(set_binding)) > 0) {
		*budget -= min(*budget, FILL_BATCH);
		cond_resched();
	}
	set_active_memcg(old);
	if (ret != -EDQUOT || set_binding->nr != before)
		gpubp_request_ctx(set_binding->ctx);
	return set_binding->next == GPUBP_BENCH_FULL || ret == -EDQUOT;
}

/**
 * gpubp_set_binding_free() - no event wants a bench any more
 * @set_binding: bench; gpubp_events_lock is held, no device lock is
 */
void gpubp_set_binding_free(struct gpubp_set_binding *set_binding)
{
	struct gpubp_device *dev = set_binding->ctx->dev;
	struct gpubp_member_binding *mb;
	struct gpubp_member *member;
	unsigned long id;

	lockdep_assert_held(&gpubp_events_lock);
	xa_for_each(&set_binding->set->members, id, member) {
		mb = binding_in(set_binding, member);
		if (!mb)
			continue;
		mutex_lock(&dev->lock);
		unbind(mb);
		mutex_unlock(&dev->lock);
		cond_resched();
	}
	gpubp_request_ctx(set_binding->ctx);
	list_del(&set_binding->node);
	gpubp_set_put(set_binding->set);
	kfree(set_binding);
}

/* ---- updates and counts -------------------------------------------------- */

static bool remove_one(struct gpubp_set_binding *set_binding,
		       struct gpubp_member *member)
{
	struct gpubp_member_binding *mb = binding_in(set_binding, member);

	if (mb)
		unbind(mb);
	return mb;
}

/* filling will come to those it has not been at */
static bool update_one(struct gpubp_set_binding *set_binding,
		       struct gpubp_member *member)
{
	return member->id < set_binding->next && rebind(set_binding, member);
}

static bool update_bench(struct gpubp_set_binding *set_binding,
			 struct gpubp_member **members,
			 const struct gpubp_set_watch *watches, unsigned int nr)
{
	bool changed = false;
	unsigned int i;

	for (i = 0; i < nr; i++)
		changed |= watches[i].len ?
				   update_one(set_binding, members[i]) :
				   remove_one(set_binding, members[i]);
	return changed;
}

/* what found no memory is bound when its events are looked at */
static void leave_incomplete(struct gpubp_set_binding *set_binding)
{
	struct gpubp_binding *b;

	list_for_each_entry(b, &set_binding->bindings, watch_node)
		WRITE_ONCE(b->event->incomplete, true);
}

/**
 * gpubp_set_bindings_update() - members of a set have changed
 * @set: set; gpubp_events_lock is held
 * @members: the members, still in the set
 * @watches: what was asked for; len 0: the member will be removed
 * @nr: how many
 */
void gpubp_set_bindings_update(struct gpubp_watch_set *set,
			       struct gpubp_member **members,
			       const struct gpubp_set_watch *watches,
			       unsigned int nr)
{
	struct mem_cgroup *old = set_active_memcg(set->memcg);
	struct gpubp_set_binding *set_binding;

	lockdep_assert_held(&gpubp_events_lock);
	list_for_each_entry(set_binding, &set->set_bindings, node) {
		guard(mutex)(&set_binding->ctx->dev->lock);
		if (update_bench(set_binding, members, watches, nr))
			gpubp_request_ctx(set_binding->ctx);
		if (set_binding->next != GPUBP_BENCH_FULL)
			leave_incomplete(set_binding);
	}
	set_active_memcg(old);
}

/** gpubp_set_binding_sync() - add the state of each member; the device lock is held */
void gpubp_set_binding_sync(struct gpubp_set_binding *set_binding,
			    struct gpubp_sync *sync)
{
	struct gpubp_member_binding *mb;
	struct gpubp_member *member;
	unsigned long id;

	xa_for_each(&set_binding->set->members, id, member) {
		cond_resched();
		mb = binding_in(set_binding, member);
		if (mb) {
			gpubp_watch_sync(mb->watch, sync);
		} else {
			sync->nr_watches++;
			sync->nr_unserved++;
		}
	}
}

/** gpubp_set_bindings_init() - 0 or -ENOMEM */
int gpubp_set_bindings_init(void)
{
	binding_cache = KMEM_CACHE(gpubp_member_binding, SLAB_ACCOUNT);
	return binding_cache ? 0 : -ENOMEM;
}

/** gpubp_set_bindings_exit() - no event is left */
void gpubp_set_bindings_exit(void)
{
	kmem_cache_destroy(binding_cache);
}
