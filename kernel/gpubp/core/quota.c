// SPDX-License-Identifier: GPL-2.0
/*
 * Users: limits of watches, breaks, bindings, held waves, conditions, sets and
 * memory, and shares of devices.
 */
#include <kunit/visibility.h>
#include <linux/atomic.h>
#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/err.h>
#include <linux/hashtable.h>
#include <linux/lockdep.h>
#include <linux/module.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/refcount.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/user_namespace.h>
#include <linux/xarray.h>
#include <uapi/linux/gpubp.h>

#include "device.h"
#include "quota.h"
#include "room.h"

/*
 * One set of the largest size in one context. Its memory, about a third of a
 * GiB, is charged to the memory cgroup, which may have the tighter limit; this
 * limit bounds a user without a memory cgroup.
 */
#define DEFAULT_MAX	GPUBP_SET_MAX

/* each run of a committer visits all of them several times */
#define DEFAULT_MAX_BREAKS	4096

/* 16 times the waves of one ioctl; a hold takes some 150 bytes */
#define DEFAULT_MAX_HOLDS	(16 * GPUBP_WAVES_MAX)

/* half a MiB; a user with the capability may have as many as there are ids */
#define DEFAULT_MAX_CONDITIONS	4096

/* an empty one takes half a KiB */
#define DEFAULT_MAX_SETS	4096

/*
 * Of events in contexts, and of each name there. 64 times the breaks, and some
 * 100 MiB, which are charged to the memory cgroup
 */
#define DEFAULT_MAX_BINDINGS	(64 * DEFAULT_MAX_BREAKS)

#define SHARE_WEIGHT	1	/* all users have the same weight */

unsigned int gpubp_max_watches_per_user = DEFAULT_MAX;
EXPORT_SYMBOL_IF_KUNIT(gpubp_max_watches_per_user);
module_param_named(max_watches_per_user, gpubp_max_watches_per_user, uint,
		   0644);
MODULE_PARM_DESC(max_watches_per_user, "maximum number of watches of a user without CAP_PERFMON on all devices");

static unsigned int max_breaks_per_user = DEFAULT_MAX_BREAKS;
module_param(max_breaks_per_user, uint, 0644);
MODULE_PARM_DESC(max_breaks_per_user, "maximum number of breaks of a user without CAP_PERFMON on all devices");

unsigned int gpubp_max_holds_per_user = DEFAULT_MAX_HOLDS;
EXPORT_SYMBOL_IF_KUNIT(gpubp_max_holds_per_user);
module_param_named(max_holds_per_user, gpubp_max_holds_per_user, uint, 0644);
MODULE_PARM_DESC(max_holds_per_user, "maximum number of waves held by sessions of a user without CAP_PERFMON; a wave held by several sessions counts for each");

static unsigned int max_conditions_per_user = DEFAULT_MAX_CONDITIONS;
module_param(max_conditions_per_user, uint, 0644);
MODULE_PARM_DESC(max_conditions_per_user, "maximum number of conditions of a user without CAP_PERFMON");

unsigned int gpubp_max_bindings_per_user = DEFAULT_MAX_BINDINGS;
EXPORT_SYMBOL_IF_KUNIT(gpubp_max_bindings_per_user);
module_param_named(max_bindings_per_user, gpubp_max_bindings_per_user, uint,
		   0644);
MODULE_PARM_DESC(max_bindings_per_user, "maximum number of bindings of events of a user without CAP_PERFMON: of each event in each context, for each range that has the name it was opened with");

static unsigned int max_sets_per_user = DEFAULT_MAX_SETS;
module_param(max_sets_per_user, uint, 0644);
MODULE_PARM_DESC(max_sets_per_user, "maximum number of watch sets of a user without CAP_PERFMON");

static unsigned int max_memory_mb_per_user;
module_param(max_memory_mb_per_user, uint, 0644);
MODULE_PARM_DESC(max_memory_mb_per_user, "memory for names, code objects and members of watch sets of a user without CAP_PERFMON, MiB (default 0: a quarter of all memory)");

/**
 * struct gpubp_user - opens events and sessions, creates sets
 * @node: in users
 * @uid: user id
 * @unlimited: with CAP_PERFMON
 * @ref: held by events, sets, shares, sessions, holds and conditions
 * @id: unique since the module was loaded
 * @nr: watches charged to its shares; under users_lock
 * @nr_breaks: of them, breaks
 * @nr_holds: waves that its sessions hold
 * @nr_filters: conditions that it made
 * @nr_sets: watch sets that it made
 * @nr_bindings: bindings of its events
 * @memory: bytes of names, code objects and members that it made
 * @shares: struct gpubp_user_share.user_node; under users_lock
 * @revisits: its events that are looked at again in turn
 * @filters: conditions of its uid by id; of the user without CAP_PERFMON only
 */
struct gpubp_user {
	struct hlist_node node;
	kuid_t uid;
	bool unlimited;
	refcount_t ref;
	u64 id;
	unsigned int nr;
	atomic_t nr_breaks;
	atomic_t nr_holds;
	atomic_t nr_filters;
	atomic_t nr_sets;
	atomic_t nr_bindings;
	atomic64_t memory;
	struct list_head shares;
	struct gpubp_revisits revisits;
	struct xarray filters;
};

/* innermost mutex; may be taken under a device lock */
static DEFINE_MUTEX(users_lock);
static DEFINE_HASHTABLE(users, 6);	/* under users_lock */
static u64 last_id;			/* under users_lock */

static struct gpubp_user *user_find(kuid_t uid, bool unlimited)
{
	struct gpubp_user *user;

	hash_for_each_possible(users, user, node, __kuid_val(uid))
		if (uid_eq(user->uid, uid) && user->unlimited == unlimited)
			return user;
	return NULL;
}

static struct gpubp_user *user_get_existing(kuid_t uid, bool unlimited)
{
	struct gpubp_user *user;

	guard(mutex)(&users_lock);
	user = user_find(uid, unlimited);
	if (user)
		refcount_inc(&user->ref);
	return user;
}

/* another task may have added the same user: return that one */
static struct gpubp_user *user_add(struct gpubp_user *new)
{
	struct gpubp_user *user;

	guard(mutex)(&users_lock);
	user = user_find(new->uid, new->unlimited);
	if (user) {
		refcount_inc(&user->ref);
		kfree(new);
		return user;
	}
	new->id = ++last_id;
	hash_add(users, &new->node, __kuid_val(new->uid));
	return new;
}

static struct gpubp_user *user_make(kuid_t uid, bool unlimited)
{
	struct gpubp_user *user = kzalloc(sizeof(*user), GPUBP_GFP_USER);

	if (!user)
		return NULL;
	user->uid = uid;
	user->unlimited = unlimited;
	refcount_set(&user->ref, 1);
	INIT_LIST_HEAD(&user->revisits.node);
	INIT_LIST_HEAD(&user->revisits.events);
	INIT_LIST_HEAD(&user->shares);
	xa_init_flags(&user->filters, XA_FLAGS_ALLOC1 | XA_FLAGS_ACCOUNT);
	return user_add(user);
}

/**
 * gpubp_user_lookup() - look up a user, allocate it if necessary
 * @uid: user id
 * @unlimited: with CAP_PERFMON
 *
 * May sleep. Return: the user with a reference, or NULL without memory.
 */
struct gpubp_user *gpubp_user_lookup(kuid_t uid, bool unlimited)
{
	/* no allocation under users_lock, which is inside of device locks */
	return user_get_existing(uid, unlimited) ?: user_make(uid, unlimited);
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_user_lookup);

kuid_t gpubp_uid_of(const struct cred *cred)
{
	const struct user_namespace *ns;
	kuid_t uid = cred->uid;

	for (ns = cred->user_ns; ns != &init_user_ns; ns = ns->parent)
		uid = ns->owner;
	return uid;
}
EXPORT_SYMBOL_GPL(gpubp_uid_of);

/** gpubp_user_current() - the current user, with a reference, or NULL */
struct gpubp_user *gpubp_user_current(void)
{
	return gpubp_user_lookup(gpubp_uid_of(current_cred()),
				 perfmon_capable());
}

/** gpubp_user_get() - get a reference */
void gpubp_user_get(struct gpubp_user *user)
{
	refcount_inc(&user->ref);
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_user_get);

/** gpubp_user_put() - put a reference; may sleep */
void gpubp_user_put(struct gpubp_user *user)
{
	if (!refcount_dec_and_mutex_lock(&user->ref, &users_lock))
		return;
	hash_del(&user->node);
	mutex_unlock(&users_lock);
	kfree(user);
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_user_put);

/** gpubp_user_revisits() - a user's events that are looked at again in turn */
struct gpubp_revisits *gpubp_user_revisits(struct gpubp_user *user)
{
	return &user->revisits;
}

/** gpubp_user_filters() - a user's conditions: struct gpubp_filter by id */
struct xarray *gpubp_user_filters(struct gpubp_user *user)
{
	return &user->filters;
}

/* @reserved: the limit does not apply */
static int user_charge_counter(atomic_t *nr, unsigned int limit, bool reserved)
{
	int max = min(limit, INT_MAX + 0u);

	if (atomic_inc_return(nr) <= max || reserved)
		return 0;
	atomic_dec(nr);
	return -EDQUOT;
}

/* Return: 0, with a reference taken, or -EDQUOT */
static int user_charge_object(struct gpubp_user *user, atomic_t *nr,
			      unsigned int limit)
{
	int err = user_charge_counter(nr, limit, user->unlimited);

	if (!err)
		gpubp_user_get(user);
	return err;
}

/* ---- holds --------------------------------------------------------------- */

/**
 * gpubp_user_charge_hold() - charge a wave held by a session
 * @user: the session's user
 *
 * Any context. Return: 0, with a reference taken, or -EDQUOT.
 */
int gpubp_user_charge_hold(struct gpubp_user *user)
{
	return user_charge_object(user, &user->nr_holds,
				  READ_ONCE(gpubp_max_holds_per_user));
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_user_charge_hold);

/** gpubp_user_uncharge_hold() - undo gpubp_user_charge_hold(); may sleep */
void gpubp_user_uncharge_hold(struct gpubp_user *user)
{
	atomic_dec(&user->nr_holds);
	gpubp_user_put(user);
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_user_uncharge_hold);

/* ---- conditions ---------------------------------------------------------- */

/**
 * gpubp_user_charge_filter() - charge a condition to who made it
 * @user: with or without CAP_PERFMON
 *
 * Any context. Return: 0, with a reference taken, or -EDQUOT.
 */
int gpubp_user_charge_filter(struct gpubp_user *user)
{
	return user_charge_object(user, &user->nr_filters,
				  READ_ONCE(max_conditions_per_user));
}

/** gpubp_user_uncharge_filter() - undo gpubp_user_charge_filter(); may sleep */
void gpubp_user_uncharge_filter(struct gpubp_user *user)
{
	atomic_dec(&user->nr_filters);
	gpubp_user_put(user);
}

/* ---- watch sets ---------------------------------------------------------- */

/**
 * gpubp_user_charge_set() - charge a watch set to who made it
 * @user: with or without CAP_PERFMON; the set has a reference to it
 *
 * Any context. Return: 0 or -EDQUOT.
 */
int gpubp_user_charge_set(struct gpubp_user *user)
{
	return user_charge_counter(&user->nr_sets,
				   READ_ONCE(max_sets_per_user),
				   user->unlimited);
}

/** gpubp_user_uncharge_set() - undo gpubp_user_charge_set(); any context */
void gpubp_user_uncharge_set(struct gpubp_user *user)
{
	atomic_dec(&user->nr_sets);
}

/* ---- bindings ------------------------------------------------------------ */

/**
 * gpubp_user_charge_binding() - charge a binding to who opened its event
 * @user: with or without CAP_PERFMON; the event has a reference to it
 * @reserved: comparators or slots were reserved at open: the limit does not
 *	apply
 *
 * Any context. Return: 0 or -EDQUOT.
 */
int gpubp_user_charge_binding(struct gpubp_user *user, bool reserved)
{
	return user_charge_counter(&user->nr_bindings,
				   READ_ONCE(gpubp_max_bindings_per_user),
				   reserved || user->unlimited);
}

/** gpubp_user_uncharge_binding() - undo gpubp_user_charge_binding() */
void gpubp_user_uncharge_binding(struct gpubp_user *user)
{
	atomic_dec(&user->nr_bindings);
}

/* ---- memory -------------------------------------------------------------- */

static u64 user_max_memory(void)
{
	u64 mb = READ_ONCE(max_memory_mb_per_user);

	return mb ? mb << 20 : (u64)totalram_pages() << PAGE_SHIFT >> 2;
}

/**
 * gpubp_user_charge_memory() - charge memory that is limited for each user
 * @user: with or without CAP_PERFMON; the caller has a reference to it
 * @size: bytes
 *
 * It is charged to a memory cgroup as well, if there is one. Any context. Return: 0
 * or -ENOMEM.
 */
int gpubp_user_charge_memory(struct gpubp_user *user, size_t size)
{
	if (atomic64_add_return(size, &user->memory) <= user_max_memory() ||
	    user->unlimited)
		return 0;
	atomic64_sub(size, &user->memory);
	return -ENOMEM;
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_user_charge_memory);

/** gpubp_user_uncharge_memory() - undo gpubp_user_charge_memory() */
void gpubp_user_uncharge_memory(struct gpubp_user *user, size_t size)
{
	atomic64_sub(size, &user->memory);
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_user_uncharge_memory);

/* ---- shares -------------------------------------------------------------- */

static struct gpubp_user_share *share_find(struct gpubp_user *user,
					   struct gpubp_device *dev)
{
	struct gpubp_user_share *share;

	list_for_each_entry(share, &user->shares, user_node)
		if (share->dev == dev)
			return share;
	return NULL;
}

static struct gpubp_user_share *share_make(struct gpubp_user *user,
					   struct gpubp_device *dev)
{
	struct gpubp_user_share *share;

	share = kzalloc(sizeof(*share), GPUBP_GFP_LOCKED);
	if (!share)
		return NULL;
	gpubp_fairq_flow_init(&share->flow, user->id, SHARE_WEIGHT);
	share->dev = dev;
	share->user = user;
	gpubp_user_get(user);
	list_add_tail(&share->user_node, &user->shares);
	list_add_tail(&share->node, &dev->shares);
	return share;
}

static bool user_is_at_limit(const struct gpubp_user *user)
{
	return !user->unlimited &&
	       user->nr >= READ_ONCE(gpubp_max_watches_per_user);
}

/**
 * gpubp_user_charge() - charge a watch to a user
 * @user: user
 * @dev: device of the watch; its lock is held
 * @reserved: the watch is pinned: it was reserved when its event was opened, so
 *	the limit does not apply; reservations limit the number of such watches
 *
 * May sleep. Return: the share, for gpubp_user_uncharge(), or ERR_PTR: -EDQUOT,
 * -ENOMEM.
 */
struct gpubp_user_share *gpubp_user_charge(struct gpubp_user *user,
					   struct gpubp_device *dev,
					   bool reserved)
{
	struct gpubp_user_share *share;

	lockdep_assert_held(&dev->lock);
	guard(mutex)(&users_lock);
	if (!reserved && user_is_at_limit(user))
		return ERR_PTR(-EDQUOT);
	share = share_find(user, dev) ?: share_make(user, dev);
	if (!share)
		return ERR_PTR(-ENOMEM);
	share->nr++;
	user->nr++;
	return share;
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_user_charge);

/* Return: it was the last watch charged to @share */
static bool share_uncharge(struct gpubp_user_share *share)
{
	guard(mutex)(&users_lock);
	share->user->nr--;
	if (--share->nr)
		return false;
	list_del(&share->user_node);
	return true;
}

/**
 * gpubp_user_uncharge() - undo gpubp_user_charge()
 * @share: what that returned; the device lock is held, and the watch is not in
 *	the share's fair queue any more
 *
 * May sleep.
 */
void gpubp_user_uncharge(struct gpubp_user_share *share)
{
	lockdep_assert_held(&share->dev->lock);
	if (!share_uncharge(share))
		return;
	list_del(&share->node);
	gpubp_fairq_flow_exit(&share->flow);
	gpubp_user_put(share->user);
	kfree(share);
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_user_uncharge);

/**
 * gpubp_user_charge_break() - charge a watch that is a break
 * @share: what gpubp_user_charge() returned
 * @reserved: see there
 *
 * Any context. Return: 0, to be undone before gpubp_user_uncharge(), or
 * -EDQUOT.
 */
int gpubp_user_charge_break(struct gpubp_user_share *share, bool reserved)
{
	struct gpubp_user *user = share->user;

	return user_charge_counter(&user->nr_breaks,
				   READ_ONCE(max_breaks_per_user),
				   reserved || user->unlimited);
}

/** gpubp_user_uncharge_break() - undo gpubp_user_charge_break(); any context */
void gpubp_user_uncharge_break(struct gpubp_user_share *share)
{
	atomic_dec(&share->user->nr_breaks);
}

static void share_show(const struct gpubp_user_share *share, struct seq_file *m)
{
	const struct gpubp_user *user = share->user;

	seq_printf(m, "uid %u%s watches %u in_all %u weight %u vtime %llu\n",
		   from_kuid_munged(seq_user_ns(m), user->uid),
		   user->unlimited ? " unlimited" : "", share->nr,
		   READ_ONCE(user->nr), share->flow.weight,
		   share->flow.vtime);
}

/** gpubp_users_show() - print a line for each user of a device; may sleep */
void gpubp_users_show(struct gpubp_device *dev, struct seq_file *m)
{
	struct gpubp_user_share *share;

	guard(mutex)(&dev->lock);
	list_for_each_entry(share, &dev->shares, node)
		share_show(share, m);
}

/** gpubp_users_exit() - check that all users are gone */
void gpubp_users_exit(void)
{
	WARN_ON(!hash_empty(users));
}
