// SPDX-License-Identifier: GPL-2.0
/*
 * Set bindings: a watch set in a context.
 *
 * A set binding is filled in the order of the members' ids, some at a time, so
 * that neither gpubp_events_lock nor the device lock is held for long. If a
 * member cannot be bound for lack of memory, filling continues at that member
 * when there is room again (core/room.h).
 */
#include <kunit/visibility.h>
#include <linux/bitops.h>
#include <linux/err.h>
#include <linux/ktime.h>
#include <linux/lockdep.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>
#include <linux/workqueue.h>
#include <uapi/linux/gpubp.h>

#include "../core/core.h"
#include "../sched/sched.h"
#include "bind.h"
#include "event.h"
#include "job.h"
#include "reconcile.h"
#include "set.h"

#define FILL_BATCH	16	/* members bound with the device lock held */
#define FREE_BATCH	32	/* likewise, unbound */

static struct kmem_cache *member_binding_cache;
static struct workqueue_struct *reap_wq;

/**
 * gpubp_member_of() - find the binding of a member among those of a watch
 * @watch: watch; the device lock is held
 * @id: id of the member
 *
 * Return: the member's binding, or NULL.
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
member_binding_find(const struct gpubp_set_binding *set_binding,
		    const struct gpubp_member *member)
{
	struct gpubp_member_binding *mb;

	lockdep_assert_held(&gpubp_events_lock);
	for (mb = member->bindings; mb; mb = mb->next)
		if (mb->set_binding == set_binding)
			return mb;
	return NULL;
}

static bool member_binding_is_current(const struct gpubp_member_binding *mb,
				      const struct gpubp_member *member)
{
	const struct gpubp_watch *w = mb->watch;

	return w->start == member->addr && w->access == member->access &&
	       w->last - w->start == member->len - 1;
}

/* account @by more watches, @armed_by of them armed, to each of its events */
static void set_binding_resize(struct gpubp_set_binding *set_binding, int by,
			       int armed_by)
{
	struct gpubp_binding *b;

	set_binding->nr += by;
	set_binding->nr_armed += armed_by;
	list_for_each_entry(b, &set_binding->bindings, watch_node)
		gpubp_ctx_time_resize(&b->ctx_time, by, armed_by);
}

/**
 * gpubp_set_binding_join() - add an event's binding to a set binding
 * @set_binding: set binding; the device lock is held
 * @b: binding of the event; its context time has begun with the set binding's watches
 */
void gpubp_set_binding_join(struct gpubp_set_binding *set_binding,
			    struct gpubp_binding *b)
{
	lockdep_assert_held(&set_binding->ctx->dev->lock);
	list_add_tail(&b->watch_node, &set_binding->bindings);
	if (set_binding->considered)
		gpubp_ctx_time_arm(&b->ctx_time, 0);
}

static void member_forget_binding(struct gpubp_member_binding *mb)
{
	struct gpubp_member_binding **link = &mb->member->bindings;

	while (*link != mb)
		link = &(*link)->next;
	*link = mb->next;
}

static void member_unbind(struct gpubp_member_binding *mb)
{
	struct gpubp_watch *watch = mb->watch;

	lockdep_assert_held(&watch->ctx->dev->lock);
	set_binding_resize(mb->set_binding, -1, -watch->accounted);
	mb->set_binding->nr_two -= watch->nr_blocks == 2;
	hlist_del(&mb->watch_node);
	member_forget_binding(mb);
	gpubp_watch_free_unused(watch);
	kmem_cache_free(member_binding_cache, mb);
}

static int member_bind(struct gpubp_set_binding *set_binding,
		       struct gpubp_member *member)
{
	struct gpubp_member_binding *mb;
	struct gpubp_watch *watch;

	if (!gpubp_room_left(set_binding->set->memcg))
		return -ENOMEM;
	mb = kmem_cache_alloc(member_binding_cache, GPUBP_GFP_LOCKED);
	if (!mb)
		return -ENOMEM;
	watch = gpubp_watch_get(set_binding->ctx, member->addr, member->len,
				member->access, set_binding->set->user, false);
	if (IS_ERR(watch)) {
		kmem_cache_free(member_binding_cache, mb);
		return PTR_ERR(watch);
	}
	mb->set_binding = set_binding;
	mb->member = member;
	mb->watch = watch;
	mb->next = member->bindings;
	mb->since = ktime_get_ns();
	hlist_add_head(&mb->watch_node, &watch->members);
	member->bindings = mb;
	gpubp_watch_binding_added(watch);
	set_binding_resize(set_binding, 1, watch->accounted);
	set_binding->nr_two += watch->nr_blocks == 2;
	return 0;
}

/*
 * Bind a member with its current range and access. After -ENOMEM or -EDQUOT
 * filling continues at this member. A member that no comparator can cover is
 * not bound, which is no error. Return: -ENOMEM, -EDQUOT, or whether anything
 * changed.
 */
static int member_rebind(struct gpubp_set_binding *set_binding,
			 struct gpubp_member *member)
{
	struct gpubp_member_binding *mb =
		member_binding_find(set_binding, member);
	int err;

	if (mb && member_binding_is_current(mb, member))
		return false;
	if (mb)
		member_unbind(mb);
	err = member_bind(set_binding, member);
	if (err != -ENOMEM && err != -EDQUOT)
		return true;
	set_binding->next = min(set_binding->next, member->id);
	return err;
}

/* ---- a set binding ------------------------------------------------------- */

/* a new event uses what is left of it; filling binds the rest again */
static struct gpubp_set_binding *
set_binding_revive(struct gpubp_set_binding *set_binding)
{
	list_del_init(&set_binding->dying_node);
	return set_binding;
}

/**
 * gpubp_set_binding_get() - find or create the set binding of a context
 * @set: set; gpubp_events_lock is held
 * @ctx: context; the device lock is held
 *
 * The caller adds a binding to it. Return: the set binding, or NULL if out of
 * memory.
 */
struct gpubp_set_binding *gpubp_set_binding_get(struct gpubp_watch_set *set,
						struct gpubp_ctx *ctx)
{
	struct gpubp_set_binding *set_binding;

	lockdep_assert_held(&gpubp_events_lock);
	lockdep_assert_held(&ctx->dev->lock);
	list_for_each_entry(set_binding, &set->set_bindings, node)
		if (set_binding->ctx == ctx)
			return set_binding_revive(set_binding);
	set_binding = kzalloc(sizeof(*set_binding), GPUBP_GFP_LOCKED);
	if (!set_binding)
		return NULL;
	kref_get(&set->ref);
	set_binding->set = set;
	set_binding->ctx = ctx;
	INIT_LIST_HEAD(&set_binding->bindings);
	INIT_LIST_HEAD(&set_binding->dying_node);
	list_add_tail(&set_binding->node, &set->set_bindings);
	return set_binding;
}

/*
 * Bind some members, from set_binding->next on. Return: 1 if there may be more,
 * 0 if all are bound, or an errno.
 */
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
			set_binding->next = GPUBP_SET_BINDING_FULL;
			return 0;
		}
		set_binding->next = member->id + 1;
		err = member_rebind(set_binding, member);
		if (err < 0)
			return err;
		id = set_binding->next;
	}
	return 1;
}

/**
 * gpubp_set_binding_fill() - bind the members that are not bound
 * @set_binding: set binding; gpubp_events_lock is held, the device lock is not
 * @budget: names that may be looked at, or GPUBP_MEMBER_COST times as few members
 *	bound; on return, what is left of it
 *
 * May sleep. Return: false if some members are not bound for lack of budget, or
 * of memory that is being made free; the next call continues with them. It also
 * continues with members above the user's quota, or for which no memory can be
 * made free, but returns true: a caller need not wait for them.
 */
bool gpubp_set_binding_fill(struct gpubp_set_binding *set_binding,
			    unsigned int *budget)
{
	unsigned int before = set_binding->nr;
	struct mem_cgroup *old;
	int ret = 1;

	lockdep_assert_held(&gpubp_events_lock);
	if (set_binding->next == GPUBP_SET_BINDING_FULL)
		return true;
	old = set_active_memcg(set_binding->set->memcg);
	while (*budget && (ret = fill_batch(set_binding)) > 0)
		*budget -= min(*budget, FILL_BATCH * GPUBP_MEMBER_COST);
	set_active_memcg(old);
	if (ret >= 0 || set_binding->nr != before)
		gpubp_request_ctx(set_binding->ctx);
	if (ret == -ENOMEM)
		return !gpubp_room_short(set_binding->set->memcg);
	return set_binding->next == GPUBP_SET_BINDING_FULL || ret == -EDQUOT;
}

/* ---- freeing ------------------------------------------------------------- */

/*
 * A set binding without events is freed some members at a time, with
 * gpubp_events_lock dropped between them: by the task that closed the last event
 * or destroys the context, else by a worker. Until then a new event may use it
 * again. Its members are still charged to the user, as their watches exist.
 */

static LIST_HEAD(dying);	/* under gpubp_events_lock */

static void reap_fn(struct work_struct *work)
{
	gpubp_set_bindings_reap(NULL, NULL);
}

static DECLARE_WORK(reap_work, reap_fn);

/**
 * gpubp_set_binding_free() - free a set binding that has no event any more
 * @set_binding: set binding; gpubp_events_lock is held
 *
 * It exists until gpubp_set_bindings_reap() or the worker has freed it.
 */
void gpubp_set_binding_free(struct gpubp_set_binding *set_binding)
{
	lockdep_assert_held(&gpubp_events_lock);
	/* an update does not bind its members any more */
	set_binding->next = 0;
	set_binding->free_from = 0;
	list_add_tail(&set_binding->dying_node, &dying);
	queue_work(reap_wq, &reap_work);
}

/* unbind some members; Return: false if no member is bound any more */
static bool unbind_batch(struct gpubp_set_binding *set_binding)
{
	struct gpubp_member_binding *mb;
	struct gpubp_member *member;
	unsigned long id = set_binding->free_from;
	unsigned int n;

	guard(mutex)(&set_binding->ctx->dev->lock);
	for (n = 0; n < FREE_BATCH && set_binding->nr; n++) {
		member = xa_find(&set_binding->set->members, &id, ULONG_MAX,
				 XA_PRESENT);
		if (!member)
			return false;
		mb = member_binding_find(set_binding, member);
		if (mb)
			member_unbind(mb);
		set_binding->free_from = ++id;
	}
	return set_binding->nr;
}

static void set_binding_destroy(struct gpubp_set_binding *set_binding)
{
	WARN_ON_ONCE(set_binding->nr);
	gpubp_request_ctx(set_binding->ctx);
	list_del(&set_binding->dying_node);
	list_del(&set_binding->node);
	gpubp_set_put(set_binding->set);
	kfree(set_binding);
}

static struct gpubp_set_binding *
dying_find(const struct gpubp_watch_set *set, const struct gpubp_ctx *ctx)
{
	struct gpubp_set_binding *set_binding;

	list_for_each_entry(set_binding, &dying, dying_node)
		if ((!set || set_binding->set == set) &&
		    (!ctx || set_binding->ctx == ctx))
			return set_binding;
	return NULL;
}

/**
 * struct reap - free set bindings
 * @set: only of this set, or NULL
 * @ctx: only in this context, or NULL
 * @done: there is none left
 */
struct reap {
	const struct gpubp_watch_set *set;
	const struct gpubp_ctx *ctx;
	bool done;
};

static void reap_batch(void *arg)
{
	struct gpubp_set_binding *set_binding;
	struct reap *reap = arg;

	set_binding = dying_find(reap->set, reap->ctx);
	reap->done = !set_binding;
	if (set_binding && !unbind_batch(set_binding))
		set_binding_destroy(set_binding);
}

/**
 * gpubp_set_bindings_reap() - complete gpubp_set_binding_free()
 * @set: only of this set; NULL: of all
 * @ctx: only in this context; NULL: in all
 *
 * No lock is held; may sleep. On return those that had no event before the call
 * are freed, or a new event uses them.
 */
void gpubp_set_bindings_reap(const struct gpubp_watch_set *set,
			     const struct gpubp_ctx *ctx)
{
	struct reap reap = { .set = set, .ctx = ctx };

	if (list_empty_careful(&dying))
		return;
	while (!reap.done)
		gpubp_job_run(reap_batch, &reap);
}

/* ---- updates and counts -------------------------------------------------- */

static bool remove_member_binding(struct gpubp_set_binding *set_binding,
				  struct gpubp_member *member)
{
	struct gpubp_member_binding *mb =
		member_binding_find(set_binding, member);

	if (mb)
		member_unbind(mb);
	return mb;
}

/* members from set_binding->next on are bound by filling */
static bool update_member_binding(struct gpubp_set_binding *set_binding,
				  struct gpubp_member *member)
{
	return member->id < set_binding->next &&
	       member_rebind(set_binding, member);
}

static bool set_binding_update(struct gpubp_set_binding *set_binding,
			       struct gpubp_member **members,
			       const struct gpubp_set_watch *watches,
			       unsigned int nr)
{
	bool changed = false;
	unsigned int i;

	for (i = 0; i < nr; i++)
		if (watches[i].len)
			changed |= update_member_binding(set_binding,
							 members[i]);
		else
			changed |= remove_member_binding(set_binding,
							 members[i]);
	return changed;
}

/* the next reconciliation of its events retries */
static void mark_incomplete(struct gpubp_set_binding *set_binding)
{
	struct gpubp_binding *b;

	list_for_each_entry(b, &set_binding->bindings, watch_node) {
		WRITE_ONCE(b->event->incomplete, true);
		gpubp_event_changed(b->event);
	}
}

/**
 * gpubp_set_bindings_update() - rebind members of a set that have changed
 * @set: set; gpubp_events_lock is held
 * @members: the members, still in the set
 * @watches: the new watch of each; len 0: the member will be removed
 * @nr: number of @members and @watches
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
		if (set_binding_update(set_binding, members, watches, nr))
			gpubp_request_ctx(set_binding->ctx);
		if (set_binding->next != GPUBP_SET_BINDING_FULL)
			mark_incomplete(set_binding);
	}
	set_active_memcg(old);
}

/* members whose watch has slots; Return: of them, those with @nr_blocks */
static unsigned int sync_armed(const struct gpubp_set_binding *set_binding,
			       struct gpubp_sync *sync, unsigned int nr_blocks)
{
	struct gpubp_ctx *ctx = set_binding->ctx;
	struct gpubp_member_binding *mb;
	unsigned int nr_such = 0;
	struct gpubp_watch *w;

	list_for_each_entry(w, &ctx->dev->armed, node) {
		if (w->ctx != ctx || !w->slots)
			continue;
		hlist_for_each_entry(mb, &w->members, watch_node) {
			if (mb->set_binding != set_binding)
				continue;
			gpubp_watch_sync(w, sync);
			nr_such += w->nr_blocks == nr_blocks;
		}
	}
	return nr_such;
}

/*
 * Of @idle bound members whose watch has no slots, of which @idle_two need two
 * comparators: how many will have none.
 */
static unsigned int sync_unserved(struct gpubp_ctx *ctx, unsigned int idle,
				  unsigned int idle_two)
{
	unsigned int usable = hweight32(gpubp_slots_usable(ctx->dev));

	if (!gpubp_ctx_can_arm(ctx) || ctx->dev->suspended || !usable)
		return idle;
	return usable < 2 ? idle_two : 0;
}

/**
 * gpubp_set_binding_sync() - add the state of each member to a sync result
 * @set_binding: set binding; gpubp_events_lock and the device lock are held
 * @sync: result
 *
 * O(armed watches of the device).
 */
void gpubp_set_binding_sync(struct gpubp_set_binding *set_binding,
			    struct gpubp_sync *sync)
{
	unsigned int before = sync->nr_watches, armed, idle, unserved;
	unsigned int unbound = set_binding->set->nr - set_binding->nr;
	unsigned int two = set_binding->nr_two;

	two -= sync_armed(set_binding, sync, 2);
	armed = sync->nr_watches - before;
	idle = set_binding->nr - armed;
	unserved = sync_unserved(set_binding->ctx, idle, two);
	sync->nr_watches += unbound + idle;
	sync->nr_unserved += unbound + unserved;
	sync->nr_rotating += idle - unserved;
}

/**
 * gpubp_set_bindings_init() - create the slab cache and the workqueue
 *
 * Return: 0 or -ENOMEM; gpubp_set_bindings_exit() must be called in either case.
 */
int gpubp_set_bindings_init(void)
{
	member_binding_cache = KMEM_CACHE(gpubp_member_binding, SLAB_ACCOUNT);
	reap_wq = alloc_workqueue("gpubp_reap", WQ_UNBOUND, 0);
	return member_binding_cache && reap_wq ? 0 : -ENOMEM;
}

/** gpubp_set_bindings_exit() - free it; no event may exist any more */
void gpubp_set_bindings_exit(void)
{
	if (reap_wq)
		destroy_workqueue(reap_wq);
	kmem_cache_destroy(member_binding_cache);
}
