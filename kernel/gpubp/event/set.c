// SPDX-License-Identifier: GPL-2.0
/* Watch sets: made, found, updated and destroyed. */
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
#include <uapi/linux/gpubp.h>

#include "../core/core.h"
#include "event.h"
#include "reconcile.h"
#include "set.h"

/* sets by id; an id is used again only when no event has the set any more */
static DEFINE_XARRAY_FLAGS(sets, XA_FLAGS_ALLOC1 | XA_FLAGS_ACCOUNT);
static u32 last_set;

static struct kmem_cache *member_cache;

static struct gpubp_member *member_alloc(void)
{
	return kmem_cache_zalloc(member_cache, GFP_KERNEL);
}

static void member_free(struct gpubp_member *member)
{
	kmem_cache_free(member_cache, member);
}

/** gpubp_set_create() - an empty set of the caller's, or ERR_PTR(-ENOMEM) */
struct gpubp_watch_set *gpubp_set_create(void)
{
	struct gpubp_watch_set *set = kzalloc(sizeof(*set), GFP_KERNEL_ACCOUNT);

	if (!set)
		return ERR_PTR(-ENOMEM);
	set->user = gpubp_user_current();
	if (!set->user)
		goto free_set;
	kref_init(&set->ref);
	set->uid = current_uid();
	set->memcg = get_mem_cgroup_from_mm(current->mm);
	INIT_LIST_HEAD(&set->session_node);
	xa_init_flags(&set->members, XA_FLAGS_ACCOUNT);
	INIT_LIST_HEAD(&set->set_bindings);
	if (xa_alloc_cyclic(&sets, &set->id, set, xa_limit_32b, &last_set,
			    GFP_KERNEL_ACCOUNT) < 0)
		goto forget_maker;
	return set;

forget_maker:
	mem_cgroup_put(set->memcg);
	gpubp_user_put(set->user);
free_set:
	kfree(set);
	return ERR_PTR(-ENOMEM);
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_set_create);

static void set_free(struct kref *ref)
{
	struct gpubp_watch_set *set =
		container_of(ref, struct gpubp_watch_set, ref);
	struct gpubp_member *member;
	unsigned long id;

	xa_erase(&sets, set->id);
	WARN_ON_ONCE(!list_empty(&set->set_bindings));
	xa_for_each(&set->members, id, member) {
		member_free(member);
		cond_resched();
	}
	xa_destroy(&set->members);
	mem_cgroup_put(set->memcg);
	gpubp_user_put(set->user);
	kfree(set);
}

/** gpubp_set_put() - may sleep */
void gpubp_set_put(struct gpubp_watch_set *set)
{
	if (set)
		kref_put(&set->ref, set_free);
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_set_put);

/** gpubp_set_destroy() - its creator's reference goes, no further event comes */
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
 * gpubp_set_get() - the set that an event of the caller's asks for
 * @id: its id
 *
 * Return: the set with a reference, or ERR_PTR: -EINVAL (there is none; perf
 * takes -ENOENT for "try another PMU"), -EACCES.
 */
struct gpubp_watch_set *gpubp_set_get(u32 id)
{
	struct gpubp_watch_set *set = set_find(id);

	if (!set)
		return ERR_PTR(-EINVAL);
	if (uid_eq(set->uid, current_uid()) || perfmon_capable())
		return set;
	gpubp_set_put(set);
	return ERR_PTR(-EACCES);
}

/** gpubp_sets_init() - 0 or -ENOMEM */
int gpubp_sets_init(void)
{
	member_cache = KMEM_CACHE(gpubp_member, SLAB_ACCOUNT);
	return member_cache ? 0 : -ENOMEM;
}

/** gpubp_sets_exit() - no session and no event is left */
void gpubp_sets_exit(void)
{
	kmem_cache_destroy(member_cache);
}

/* ---- updates --------------------------------------------------------------- */

/*
 * Members of a watch set are loaded, changed and removed, all that were named or
 * none.
 *
 * Everything that can fail is done first, on the side: the entries are checked,
 * members are made, places in the set reserved, ids told to user space. What follows
 * cannot fail, and is done in batches, between which others get at the list of events.
 */

#define BATCH	256

#define ACCESS_ALL (GPUBP_ACCESS_LOAD | GPUBP_ACCESS_STORE | \
		    GPUBP_ACCESS_ATOMIC)

/**
 * struct update - an update that runs; the session's lock is held
 * @set: set
 * @watches: entries
 * @members: member of each; those to be added are made here
 * @nr: entries
 */
struct update {
	struct gpubp_watch_set *set;
	struct gpubp_set_watch *watches;
	struct gpubp_member **members;
	unsigned int nr;
};

static bool is_new(const struct gpubp_member *member)
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

static int find_named(struct update *u, unsigned int i)
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

static int make_new(struct update *u, unsigned int i)
{
	u->members[i] = member_alloc();
	return u->members[i] ? 0 : -ENOMEM;
}

static int prepare(struct update *u, unsigned int i)
{
	int err = check_range(&u->watches[i]);

	if (err)
		return err;
	return u->watches[i].id ? find_named(u, i) : make_new(u, i);
}

/* the entry that is one too many, or @nr */
static unsigned int check_size(const struct update *u)
{
	unsigned int i, nr = u->set->nr;

	for (i = 0; i < u->nr; i++)
		nr -= u->watches[i].id && !u->watches[i].len;
	for (i = 0; i < u->nr; i++)
		if (!u->watches[i].id && ++nr > GPUBP_SET_MAX)
			break;
	return i;
}

static int prepare_all(struct update *u, unsigned int *bad)
{
	int err;

	for (*bad = 0; *bad < u->nr; ++*bad) {
		err = prepare(u, *bad);
		if (err)
			return err;
		cond_resched();
	}
	*bad = check_size(u);
	return *bad < u->nr ? -ENOSPC : 0;
}

/* from here on a member that is not new has an id that user space may see */
static int reserve_ids(struct update *u, unsigned int *bad)
{
	int err;

	for (*bad = 0; *bad < u->nr; ++*bad) {
		struct gpubp_set_watch *w = &u->watches[*bad];

		if (w->id)
			continue;
		w->id = gpubp_new_id();
		err = xa_reserve(&u->set->members, w->id, GFP_KERNEL_ACCOUNT);
		if (err) {
			w->id = 0;
			return err;
		}
		cond_resched();
	}
	return 0;
}

static void undo(struct update *u)
{
	unsigned int i;

	for (i = 0; i < u->nr; i++) {
		if (!u->members[i] || !is_new(u->members[i]))
			continue;
		if (u->watches[i].id)
			xa_release(&u->set->members, u->watches[i].id);
		member_free(u->members[i]);
		cond_resched();
	}
}

/* ---- what cannot fail ---------------------------------------------------- */

static void write_member(struct update *u, unsigned int i)
{
	const struct gpubp_set_watch *w = &u->watches[i];
	struct gpubp_member *member = u->members[i];

	member->addr = w->addr;
	member->len = w->len;
	member->access = w->access ?: GPUBP_ACCESS_STORE | GPUBP_ACCESS_ATOMIC;
	if (!is_new(member))
		return;
	member->id = w->id;
	/* the place is reserved */
	xa_store(&u->set->members, w->id, member, GFP_KERNEL_ACCOUNT);
	u->set->nr++;
}

static void remove_member(struct update *u, unsigned int i)
{
	xa_erase(&u->set->members, u->members[i]->id);
	member_free(u->members[i]);
	u->set->nr--;
}

static void apply_batch(struct update *u, unsigned int from, unsigned int nr)
{
	unsigned int i;

	guard(mutex)(&gpubp_events_lock);
	for (i = from; i < from + nr; i++)
		if (u->watches[i].len)
			write_member(u, i);
	gpubp_set_bindings_update(u->set, u->members + from, u->watches + from,
				  nr);
	for (i = from; i < from + nr; i++)
		if (!u->watches[i].len)
			remove_member(u, i);
}

static void apply(struct update *u)
{
	unsigned int from;

	for (from = 0; from < u->nr; from += BATCH) {
		apply_batch(u, from, min(u->nr - from, BATCH));
		cond_resched();
	}
	/* a member that found no memory is bound when bindings are looked at */
	gpubp_events_changed();
}

/**
 * gpubp_set_update() - add, change and remove members
 * @set: set; nobody else updates it
 * @watches: entries; those added get their ids
 * @nr: entries
 * @bad: on failure, the entry that was refused
 * @publish: called with the ids known and nothing done yet; may fail, may be
 *	NULL
 * @arg: for @publish
 *
 * May sleep. Return: 0, or with nothing changed -EINVAL, -ENOENT, -ENOSPC,
 * -ENOMEM, or what @publish returned.
 */
int gpubp_set_update(struct gpubp_watch_set *set,
		     struct gpubp_set_watch *watches, unsigned int nr,
		     unsigned int *bad,
		     int (*publish)(struct gpubp_set_watch *watches,
				    unsigned int nr, void *arg), void *arg)
{
	struct update u = { .set = set, .watches = watches, .nr = nr };
	int err;

	u.members = kvcalloc(nr, sizeof(*u.members), GFP_KERNEL_ACCOUNT);
	if (nr && !u.members)
		return -ENOMEM;
	set->update++;
	err = prepare_all(&u, bad) ?: reserve_ids(&u, bad);
	if (!err && publish)
		err = publish(watches, nr, arg);
	if (err)
		undo(&u);
	else
		apply(&u);
	kvfree(u.members);
	return err;
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_set_update);
