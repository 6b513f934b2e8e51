// SPDX-License-Identifier: GPL-2.0
/* Watch sets: create, find, update and destroy them. */
#include <kunit/visibility.h>
#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/err.h>
#include <linux/errno.h>
#include <linux/lockdep.h>
#include <linux/memcontrol.h>
#include <linux/mm.h>
#include <linux/overflow.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>
#include <linux/workqueue.h>
#include <uapi/linux/gpubp.h>

#include "../core/core.h"
#include "event.h"
#include "job.h"
#include "reconcile.h"
#include "set.h"

/* sets by id; an id is reused only when no event uses the set any more */
static DEFINE_XARRAY_FLAGS(sets, XA_FLAGS_ALLOC1 | XA_FLAGS_ACCOUNT);
static u32 last_set;

static struct kmem_cache *member_cache;

/* frees sets: the last reference may be put with shared locks held */
static struct workqueue_struct *free_wq;

/* of a member, and its place among those of the set */
#define MEMBER_SIZE	(sizeof(struct gpubp_member) + 2 * sizeof(void *))

static struct gpubp_member *member_alloc(struct gpubp_watch_set *set)
{
	struct gpubp_member *member;

	if (gpubp_user_charge_memory(set->user, MEMBER_SIZE))
		return NULL;
	member = kmem_cache_zalloc(member_cache, GPUBP_GFP_USER);
	if (!member)
		gpubp_user_uncharge_memory(set->user, MEMBER_SIZE);
	return member;
}

static void member_free(struct gpubp_watch_set *set, struct gpubp_member *member)
{
	gpubp_user_uncharge_memory(set->user, MEMBER_SIZE);
	kmem_cache_free(member_cache, member);
}

/**
 * gpubp_set_create() - create an empty set
 *
 * May sleep. Return: the set, or ERR_PTR: -ENOMEM, -EDQUOT.
 */
struct gpubp_watch_set *gpubp_set_create(void)
{
	struct gpubp_watch_set *set = kzalloc(sizeof(*set), GPUBP_GFP_USER);
	int err = -ENOMEM;

	if (!set)
		return ERR_PTR(-ENOMEM);
	set->user = gpubp_user_current();
	if (!set->user)
		goto free_set;
	err = gpubp_user_charge_set(set->user);
	if (err)
		goto put_user;
	kref_init(&set->ref);
	set->uid = current_uid();
	set->memcg = get_mem_cgroup_from_mm(current->mm);
	INIT_LIST_HEAD(&set->session_node);
	xa_init_flags(&set->members, XA_FLAGS_ACCOUNT);
	INIT_LIST_HEAD(&set->set_bindings);
	err = xa_alloc_cyclic(&sets, &set->id, set, xa_limit_32b, &last_set,
			      GPUBP_GFP_USER);
	if (err >= 0)
		return set;
	mem_cgroup_put(set->memcg);
	gpubp_user_uncharge_set(set->user);
put_user:
	gpubp_user_put(set->user);
free_set:
	kfree(set);
	return ERR_PTR(err);
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_set_create);

static void set_free_fn(struct work_struct *work)
{
	struct gpubp_watch_set *set =
		container_of(work, struct gpubp_watch_set, free_work);
	struct gpubp_member *member;
	unsigned long id;

	xa_erase(&sets, set->id);
	WARN_ON_ONCE(!list_empty(&set->set_bindings));
	xa_for_each(&set->members, id, member) {
		member_free(set, member);
		cond_resched();
	}
	xa_destroy(&set->members);
	mem_cgroup_put(set->memcg);
	gpubp_user_put(set->user);
	kfree(set);
}

static void set_free(struct kref *ref)
{
	struct gpubp_watch_set *set =
		container_of(ref, struct gpubp_watch_set, ref);

	/* at once: who destroys a set may make another one */
	gpubp_user_uncharge_set(set->user);
	INIT_WORK(&set->free_work, set_free_fn);
	queue_work(free_wq, &set->free_work);
}

/** gpubp_set_put() - put a reference; @set may be NULL; a worker frees it */
void gpubp_set_put(struct gpubp_watch_set *set)
{
	if (set)
		kref_put(&set->ref, set_free);
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_set_put);

/** gpubp_set_destroy() - put its creator's reference; no new event finds it */
void gpubp_set_destroy(struct gpubp_watch_set *set)
{
	xa_lock(&sets);
	set->dead = true;
	xa_unlock(&sets);
	gpubp_set_put(set);
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_set_destroy);

static struct gpubp_watch_set *set_find(u32 id)
{
	struct gpubp_watch_set *set;

	xa_lock(&sets);
	set = xa_load(&sets, id);
	if (set && (set->dead || !kref_get_unless_zero(&set->ref)))
		set = NULL;
	xa_unlock(&sets);
	return set;
}

/**
 * gpubp_set_get() - get the set that an event of the caller asks for
 * @id: id of the set
 *
 * Return: the set with a reference, or ERR_PTR: -EINVAL (there is none; to perf
 * core -ENOENT means "try another PMU"), -EACCES (another user's, without
 * CAP_PERFMON).
 */
struct gpubp_watch_set *gpubp_set_get(u32 id)
{
	struct gpubp_watch_set *set = set_find(id);

	if (!set)
		return ERR_PTR(gpubp_refuse(GPUBP_REASON_NO_SUCH_SET));
	if (uid_eq(set->uid, current_uid()) || perfmon_capable())
		return set;
	gpubp_set_put(set);
	return ERR_PTR(gpubp_refuse(GPUBP_REASON_FOREIGN_SET));
}

/**
 * gpubp_sets_init() - create the slab cache and the workqueue
 *
 * Return: 0 or -ENOMEM; gpubp_sets_exit() must be called in either case.
 */
int gpubp_sets_init(void)
{
	member_cache = KMEM_CACHE(gpubp_member, SLAB_ACCOUNT);
	free_wq = alloc_workqueue("gpubp_sets", WQ_UNBOUND, 0);
	return member_cache && free_wq ? 0 : -ENOMEM;
}

/** gpubp_sets_exit() - free it; no session and no event may exist any more */
void gpubp_sets_exit(void)
{
	if (free_wq)
		destroy_workqueue(free_wq);
	kmem_cache_destroy(member_cache);
}

/* ---- updates ------------------------------------------------------------- */

/*
 * An update adds, changes and removes members of a set: all of its entries or
 * none.
 *
 * Everything that can fail is done first, without a change of the set: check
 * the entries, allocate members, reserve their places in the xarray, copy their
 * ids to user space. What follows cannot fail. It is done in batches and drops
 * gpubp_events_lock between them.
 */

#define UPDATE_BATCH	64

#define ACCESS_ALL (GPUBP_ACCESS_LOAD | GPUBP_ACCESS_STORE | \
		    GPUBP_ACCESS_ATOMIC)

/**
 * struct set_update - a running update; the session's lock is held
 * @set: set
 * @watches: entries
 * @members: member of each entry; those to be added are allocated for it
 * @nr: number of entries
 * @applied: so many of them are in the set
 */
struct set_update {
	struct gpubp_watch_set *set;
	struct gpubp_set_watch *watches;
	struct gpubp_member **members;
	unsigned int nr;
	unsigned int applied;
};

static bool member_is_new(const struct gpubp_member *member)
{
	return !member->id;
}

static int check_range(const struct gpubp_set_watch *w)
{
	u64 end;

	if (w->flags || w->access & ~ACCESS_ALL)
		return -EINVAL;
	if (!w->len)
		return w->id ? 0 : -EINVAL;
	return check_add_overflow(w->addr, w->len - 1, &end) ? -EINVAL : 0;
}

static int find_existing(struct set_update *u, unsigned int i)
{
	struct gpubp_member *member = xa_load(&u->set->members,
					      u->watches[i].id);

	if (!member)
		return -ENOENT;
	if (member->update == u->set->update)
		return -EINVAL;
	member->update = u->set->update;
	u->members[i] = member;
	return 0;
}

static int alloc_new(struct set_update *u, unsigned int i)
{
	u->members[i] = member_alloc(u->set);
	return u->members[i] ? 0 : -ENOMEM;
}

static int prepare_entry(struct set_update *u, unsigned int i)
{
	int err = check_range(&u->watches[i]);

	if (err)
		return err;
	return u->watches[i].id ? find_existing(u, i) : alloc_new(u, i);
}

/* Return: index of the first entry that exceeds GPUBP_SET_MAX, or u->nr. */
static unsigned int check_size(const struct set_update *u)
{
	unsigned int i, nr = u->set->nr;

	for (i = 0; i < u->nr; i++)
		nr -= u->watches[i].id && !u->watches[i].len;
	for (i = 0; i < u->nr; i++)
		if (!u->watches[i].id && ++nr > GPUBP_SET_MAX)
			break;
	return i;
}

static int prepare_entries(struct set_update *u, unsigned int *bad)
{
	int err;

	for (*bad = 0; *bad < u->nr; ++*bad) {
		err = prepare_entry(u, *bad);
		if (err)
			return err;
		cond_resched();
	}
	*bad = check_size(u);
	return *bad < u->nr ? -ENOSPC : 0;
}

/* give each new member an id, and reserve its place in the set */
static int reserve_ids(struct set_update *u, unsigned int *bad)
{
	int err;

	for (*bad = 0; *bad < u->nr; ++*bad) {
		struct gpubp_set_watch *w = &u->watches[*bad];

		if (w->id)
			continue;
		w->id = gpubp_new_id();
		err = xa_reserve(&u->set->members, w->id, GPUBP_GFP_USER);
		if (err) {
			w->id = 0;
			return err;
		}
		cond_resched();
	}
	return 0;
}

static void update_undo(struct set_update *u)
{
	unsigned int i;

	for (i = 0; i < u->nr; i++) {
		if (!u->members[i] || !member_is_new(u->members[i]))
			continue;
		if (u->watches[i].id)
			xa_release(&u->set->members, u->watches[i].id);
		member_free(u->set, u->members[i]);
		cond_resched();
	}
}

/* ---- the part that cannot fail ------------------------------------------- */

static void write_member(struct set_update *u, unsigned int i)
{
	const struct gpubp_set_watch *w = &u->watches[i];
	struct gpubp_member *member = u->members[i];

	member->addr = w->addr;
	member->len = w->len;
	member->access = w->access ?: GPUBP_ACCESS_STORE | GPUBP_ACCESS_ATOMIC;
	if (!member_is_new(member))
		return;
	member->id = w->id;
	/* cannot fail: the place is reserved */
	xa_store(&u->set->members, w->id, member, GPUBP_GFP_LOCKED);
	u->set->nr++;
}

static void remove_member(struct set_update *u, unsigned int i)
{
	xa_erase(&u->set->members, u->members[i]->id);
	member_free(u->set, u->members[i]);
	u->set->nr--;
}

/* members at a time: each is bound in all contexts that have the set */
static unsigned int update_batch(const struct set_update *u, unsigned int from)
{
	size_t nr_ctxs = list_count_nodes(&u->set->set_bindings);
	unsigned int batch = UPDATE_BATCH / max(nr_ctxs, 1u);

	return clamp(batch, 1u, u->nr - from);
}

static void update_apply_batch(void *arg)
{
	struct set_update *u = arg;
	unsigned int from = u->applied, i, nr;

	nr = update_batch(u, from);
	for (i = from; i < from + nr; i++)
		if (u->watches[i].len)
			write_member(u, i);
	gpubp_set_bindings_update(u->set, u->members + from, u->watches + from,
				  nr);
	for (i = from; i < from + nr; i++)
		if (!u->watches[i].len)
			remove_member(u, i);
	u->applied += nr;
}

static void update_apply(struct set_update *u)
{
	while (u->applied < u->nr)
		gpubp_job_run(update_apply_batch, u);
}

/* no member seems to be in it already, also after 2^32 updates */
static void update_number(struct gpubp_watch_set *set)
{
	struct gpubp_member *member;
	unsigned long id;

	if (++set->update)
		return;
	xa_for_each(&set->members, id, member) {
		member->update = 0;
		cond_resched();
	}
	set->update = 1;
}

/**
 * gpubp_set_update() - add, change and remove members
 * @set: set; no other update of it may run
 * @watches: entries; the ids of new members are written to them
 * @nr: number of entries
 * @bad: on failure, index of the refused entry
 * @publish: called when the ids are known and before the set changes; may fail;
 *	may be NULL
 * @arg: for @publish
 *
 * May sleep. Return: 0; or, with nothing changed, -EINVAL, -ENOENT, -ENOSPC,
 * -ENOMEM or what @publish returned.
 */
int gpubp_set_update(struct gpubp_watch_set *set,
		     struct gpubp_set_watch *watches, unsigned int nr,
		     unsigned int *bad,
		     int (*publish)(struct gpubp_set_watch *watches,
				    unsigned int nr, void *arg), void *arg)
{
	struct set_update u = { .set = set, .watches = watches, .nr = nr };
	int err;

	u.members = kvcalloc(nr, sizeof(*u.members), GPUBP_GFP_USER);
	if (nr && !u.members)
		return -ENOMEM;
	update_number(set);
	err = prepare_entries(&u, bad) ?: reserve_ids(&u, bad);
	if (!err && publish)
		err = publish(watches, nr, arg);
	if (err)
		update_undo(&u);
	else
		update_apply(&u);
	kvfree(u.members);
	return err;
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_set_update);
