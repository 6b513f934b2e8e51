// SPDX-License-Identifier: GPL-2.0
/* Users: how many watches and breaks each has, shares of devices, waves it holds. */
#include <kunit/visibility.h>
#include <linux/atomic.h>
#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/err.h>
#include <linux/hashtable.h>
#include <linux/lockdep.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/refcount.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/user_namespace.h>
#include <uapi/linux/gpubp.h>

#include "device.h"
#include "quota.h"

/*
 * One set of the largest size in one context. Their memory, about a third of
 * a GiB then, is charged to the memory cgroup, which may well be the tighter
 * limit; this one keeps a user without one from having all there is.
 */
#define DEFAULT_MAX	GPUBP_SET_MAX

/* each run of a committer looks at all of them, several times */
#define DEFAULT_MAX_BREAKS	4096

/* 16 times all waves of one call; a hold is some 150 bytes */
#define DEFAULT_MAX_HOLDS	(16 * GPUBP_WAVES_MAX)

#define SHARE_WEIGHT	1	/* nobody is more important than others */

unsigned int gpubp_max_watches_per_user = DEFAULT_MAX;
EXPORT_SYMBOL_IF_KUNIT(gpubp_max_watches_per_user);
module_param_named(max_watches_per_user, gpubp_max_watches_per_user, uint,
		   0644);
MODULE_PARM_DESC(max_watches_per_user, "watches that a user without CAP_PERFMON may have on all devices together");

static unsigned int max_breaks_per_user = DEFAULT_MAX_BREAKS;
module_param(max_breaks_per_user, uint, 0644);
MODULE_PARM_DESC(max_breaks_per_user, "breaks that a user without CAP_PERFMON may have on all devices together");

unsigned int gpubp_max_holds_per_user = DEFAULT_MAX_HOLDS;
EXPORT_SYMBOL_IF_KUNIT(gpubp_max_holds_per_user);
module_param_named(max_holds_per_user, gpubp_max_holds_per_user, uint, 0644);
MODULE_PARM_DESC(max_holds_per_user, "waves that sessions of a user without CAP_PERFMON may hold together, one counted for each session that holds it");

/**
 * struct gpubp_user - who opens events and sessions, and makes sets
 * @node: in users
 * @uid: who
 * @unlimited: with CAP_PERFMON
 * @ref: by events, sets, shares, sessions and holds
 * @id: unique since the module was loaded
 * @nr: watches that are charged to its shares; under users_lock
 * @nr_breaks: of them, those that are breaks
 * @nr_holds: waves that its sessions hold
 * @shares: struct gpubp_user_share.user_node; under users_lock
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
	struct list_head shares;
};

/* a device lock may be held by who takes it; nothing is taken inside */
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

static struct gpubp_user *user_make(kuid_t uid, bool unlimited)
{
	struct gpubp_user *user = kzalloc(sizeof(*user), GFP_KERNEL_ACCOUNT);

	if (!user)
		return NULL;
	user->uid = uid;
	user->unlimited = unlimited;
	user->id = ++last_id;
	refcount_set(&user->ref, 1);
	INIT_LIST_HEAD(&user->shares);
	hash_add(users, &user->node, __kuid_val(uid));
	return user;
}

/**
 * gpubp_user_lookup() - a user, made if it is not known
 * @uid: who
 * @unlimited: holds CAP_PERFMON
 *
 * May sleep. Return: the user with a reference, or NULL without memory.
 */
struct gpubp_user *gpubp_user_lookup(kuid_t uid, bool unlimited)
{
	struct gpubp_user *user;

	guard(mutex)(&users_lock);
	user = user_find(uid, unlimited);
	if (!user)
		return user_make(uid, unlimited);
	refcount_inc(&user->ref);
	return user;
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

/** gpubp_user_current() - who is running now, with a reference, or NULL */
struct gpubp_user *gpubp_user_current(void)
{
	return gpubp_user_lookup(gpubp_uid_of(current_cred()),
				 perfmon_capable());
}

/** gpubp_user_get() - one more reference */
void gpubp_user_get(struct gpubp_user *user)
{
	refcount_inc(&user->ref);
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_user_get);

/** gpubp_user_put() - may sleep */
void gpubp_user_put(struct gpubp_user *user)
{
	if (!refcount_dec_and_mutex_lock(&user->ref, &users_lock))
		return;
	hash_del(&user->node);
	mutex_unlock(&users_lock);
	kfree(user);
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_user_put);

/* @promised: whatever the limit is */
static int charge_one(atomic_t *nr, unsigned int limit, bool promised)
{
	int max = min(limit, INT_MAX + 0u);

	if (atomic_inc_return(nr) <= max || promised)
		return 0;
	atomic_dec(nr);
	return -EDQUOT;
}

/* ---- holds --------------------------------------------------------------- */

/**
 * gpubp_user_charge_hold() - a session of a user's holds one more wave
 * @user: user
 *
 * Any context. Return: 0, with one more reference, or -EDQUOT.
 */
int gpubp_user_charge_hold(struct gpubp_user *user)
{
	int err = charge_one(&user->nr_holds,
			     READ_ONCE(gpubp_max_holds_per_user),
			     user->unlimited);

	if (!err)
		gpubp_user_get(user);
	return err;
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_user_charge_hold);

/** gpubp_user_uncharge_hold() - one less; may sleep */
void gpubp_user_uncharge_hold(struct gpubp_user *user)
{
	atomic_dec(&user->nr_holds);
	gpubp_user_put(user);
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_user_uncharge_hold);

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

	share = kzalloc(sizeof(*share), GFP_KERNEL_ACCOUNT |
			__GFP_RETRY_MAYFAIL | __GFP_NOWARN);
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

static bool has_enough(const struct gpubp_user *user)
{
	return !user->unlimited &&
	       user->nr >= READ_ONCE(gpubp_max_watches_per_user);
}

/**
 * gpubp_user_charge() - a user has one more watch
 * @user: user
 * @dev: of which device; its lock is held
 * @promised: of a pinned event: it was promised when that was opened, so the
 *	limit does not refuse it; how many there can be, reservations limit
 *
 * May sleep. Return: the share to uncharge later, or ERR_PTR: -EDQUOT, -ENOMEM.
 */
struct gpubp_user_share *gpubp_user_charge(struct gpubp_user *user,
					   struct gpubp_device *dev,
					   bool promised)
{
	struct gpubp_user_share *share;

	lockdep_assert_held(&dev->lock);
	guard(mutex)(&users_lock);
	if (!promised && has_enough(user))
		return ERR_PTR(-EDQUOT);
	share = share_find(user, dev) ?: share_make(user, dev);
	if (!share)
		return ERR_PTR(-ENOMEM);
	share->nr++;
	user->nr++;
	return share;
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_user_charge);

static bool is_last(struct gpubp_user_share *share)
{
	guard(mutex)(&users_lock);
	share->user->nr--;
	if (--share->nr)
		return false;
	list_del(&share->user_node);
	return true;
}

/**
 * gpubp_user_uncharge() - a user has one watch less
 * @share: what gpubp_user_charge() returned; the device lock is held, and the
 *	watch has no turn in it any more
 *
 * May sleep.
 */
void gpubp_user_uncharge(struct gpubp_user_share *share)
{
	lockdep_assert_held(&share->dev->lock);
	if (!is_last(share))
		return;
	list_del(&share->node);
	gpubp_fairq_flow_exit(&share->flow);
	gpubp_user_put(share->user);
	kfree(share);
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_user_uncharge);

/**
 * gpubp_user_charge_break() - what was charged is a break
 * @share: of whom: what gpubp_user_charge() returned
 * @promised: as for that
 *
 * Any context. Return: 0, to be undone before gpubp_user_uncharge(), or -EDQUOT.
 */
int gpubp_user_charge_break(struct gpubp_user_share *share, bool promised)
{
	struct gpubp_user *user = share->user;

	return charge_one(&user->nr_breaks, READ_ONCE(max_breaks_per_user),
			  promised || user->unlimited);
}

/** gpubp_user_uncharge_break() - one less; any context */
void gpubp_user_uncharge_break(struct gpubp_user_share *share)
{
	atomic_dec(&share->user->nr_breaks);
}

static void show_share(const struct gpubp_user_share *share, struct seq_file *m)
{
	const struct gpubp_user *user = share->user;

	seq_printf(m, "uid %u%s watches %u in_all %u weight %u vtime %llu\n",
		   from_kuid_munged(seq_user_ns(m), user->uid),
		   user->unlimited ? " unlimited" : "", share->nr,
		   READ_ONCE(user->nr), share->flow.weight,
		   share->flow.vtime);
}

/** gpubp_users_show() - a line for each user of a device; may sleep */
void gpubp_users_show(struct gpubp_device *dev, struct seq_file *m)
{
	struct gpubp_user_share *share;

	guard(mutex)(&dev->lock);
	list_for_each_entry(share, &dev->shares, node)
		show_share(share, m);
}

/** gpubp_users_exit() - no event, no set, no session and no watch is left */
void gpubp_users_exit(void)
{
	WARN_ON(!hash_empty(users));
}
