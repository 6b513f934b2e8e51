// SPDX-License-Identifier: GPL-2.0
/* Watch sets: made, found and destroyed. */
#include <kunit/visibility.h>
#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/err.h>
#include <linux/memcontrol.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>
#include <uapi/linux/gpubp.h>

#include "../core/core.h"
#include "event.h"
#include "set.h"

/* sets by id; an id is used again only when no event has the set any more */
static DEFINE_XARRAY_FLAGS(sets, XA_FLAGS_ALLOC1 | XA_FLAGS_ACCOUNT);
static u32 last_set;

static struct kmem_cache *member_cache;

struct gpubp_member *gpubp_member_alloc(void)
{
	return kmem_cache_zalloc(member_cache, GFP_KERNEL);
}

void gpubp_member_free(struct gpubp_member *member)
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
	INIT_LIST_HEAD(&set->benches);
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
	struct gpubp_watch_set *set = container_of(ref, struct gpubp_watch_set, ref);
	struct gpubp_member *member;
	unsigned long id;

	xa_erase(&sets, set->id);
	WARN_ON_ONCE(!list_empty(&set->benches));
	xa_for_each(&set->members, id, member) {
		gpubp_member_free(member);
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
