// SPDX-License-Identifier: GPL-2.0
/* Users: none has all contexts, all doorbells, all memory or all of the time. */
#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/err.h>
#include <linux/gpubp.h>
#include <linux/jiffies.h>
#include <linux/slab.h>

#include "device.h"
#include "user.h"

/* without CAP_SYS_RESOURCE */
#define MAX_CTXS	1024
#define MAX_QUEUES	(SIM_NR_DOORBELLS / 4)

/* jiffies after which half of the time that was used counts */
#define PERIOD		max(HZ / 10, 1)

/* for less than that nothing is taken away from others, ns */
#define BURST		NSEC_PER_MSEC

static u64 used_now(const struct sim_used *used)
{
	long nr = jiffies / PERIOD - READ_ONCE(used->period);
	u64 ns = READ_ONCE(used->ns);

	/* one that begins now may have been seen there first */
	return nr <= 0 ? ns : nr < BITS_PER_TYPE(ns) ? ns >> nr : 0;
}

/**
 * sim_user_ran() - a wave of @user ran
 * @user: user
 * @cu: number of the calling thread's compute unit
 * @ns: for how long
 */
void sim_user_ran(struct sim_user *user, unsigned int cu, u64 ns)
{
	struct sim_used *used = &user->used[cu];

	WRITE_ONCE(used->ns, used_now(used) + ns);
	WRITE_ONCE(used->period, jiffies / PERIOD);
}

/**
 * sim_user_used_cu() - how much of a compute unit's time a user had of late
 * @user: user
 * @cu: number of the compute unit
 *
 * Return: ns; older ones count less.
 */
u64 sim_user_used_cu(const struct sim_user *user, unsigned int cu)
{
	return used_now(&user->used[cu]);
}

static u64 used_all(const struct sim_user *user)
{
	u64 ns = 0;
	int i;

	for (i = 0; i < SIM_MAX_CUS; i++)
		ns += used_now(&user->used[i]);
	return ns;
}

/**
 * sim_user_precedes() - did @user use so much less than @other that it need not wait
 *	for the end of a quantum?
 * @user: who needs something
 * @other: who has it, or needs it, too
 */
bool sim_user_precedes(const struct sim_user *user,
		       const struct sim_user *other)
{
	return user != other && used_all(other) / 2 > used_all(user) + BURST;
}

/** sim_user_get() - for an address space that is charged to @user */
void sim_user_get(struct sim_user *user)
{
	refcount_inc(&user->ref);
}

/** sim_user_put() - which has given all of it back */
void sim_user_put(struct sim_user *user)
{
	if (refcount_dec_and_test(&user->ref))
		kfree(user);
}

static void user_unlist(struct sim_user *user)
{
	list_del(&user->node);
	sim_user_put(user);
}

/*
 * What was used is remembered for a while, and what a context had until it is freed, which
 * may be long after the context has ended: neither is undone by going and coming again.
 * A user who is left over goes when the next one comes.
 */
static void user_unlist_if_idle(struct sim_user *user)
{
	if (!user->nr_ctxs && !atomic64_read(&user->memory) &&
	    used_all(user) <= BURST)
		user_unlist(user);
}

static struct sim_user *user_find(struct sim_device *dev, kuid_t uid)
{
	struct sim_user *user, *tmp, *found = NULL;

	list_for_each_entry_safe(user, tmp, &dev->user_list, node)
		if (uid_eq(user->uid, uid))
			found = user;
		else
			user_unlist_if_idle(user);
	return found;
}

static struct sim_user *user_alloc(void)
{
	struct sim_user *user = kzalloc(sizeof(*user), GFP_KERNEL_ACCOUNT);

	if (!user)
		return NULL;
	refcount_set(&user->ref, 1);
	user->uid = gpubp_uid_of(current_cred());
	return user;
}

/* @new becomes a user of the device if it has no such one */
static int user_add_ctx(struct sim_device *dev, struct sim_user *new,
			struct sim_user **user)
{
	guard(mutex)(&dev->lock);
	*user = user_find(dev, new->uid);
	if (*user && (*user)->nr_ctxs >= MAX_CTXS && !capable(CAP_SYS_RESOURCE))
		return -ENOSPC;
	if (!*user) {
		*user = new;
		list_add_tail(&new->node, &dev->user_list);
	}
	(*user)->nr_ctxs++;
	return 0;
}

/**
 * sim_user_add_ctx() - the calling process gets one more context
 * @dev: device
 *
 * Return: who it is charged to, or ERR_PTR(-ENOSPC), ERR_PTR(-ENOMEM).
 */
struct sim_user *sim_user_add_ctx(struct sim_device *dev)
{
	struct sim_user *new = user_alloc(), *user;
	int err;

	if (!new)
		return ERR_PTR(-ENOMEM);
	err = user_add_ctx(dev, new, &user);
	if (err || user != new)
		kfree(new);
	return err ? ERR_PTR(err) : user;
}

/** sim_user_del_ctx() - one less, whose queues are gone */
void sim_user_del_ctx(struct sim_device *dev, struct sim_user *user)
{
	guard(mutex)(&dev->lock);
	user->nr_ctxs--;
	user_unlist_if_idle(user);
}

/** sim_users_free() - no context is left */
void sim_users_free(struct sim_device *dev)
{
	struct sim_user *user, *tmp;

	list_for_each_entry_safe(user, tmp, &dev->user_list, node)
		user_unlist(user);
}

/** sim_user_add_queue() - a context of @user's gets one more queue; 0 or -ENOSPC */
int sim_user_add_queue(struct sim_device *dev, struct sim_user *user)
{
	guard(mutex)(&dev->lock);
	if (user->nr_queues >= MAX_QUEUES && !capable(CAP_SYS_RESOURCE))
		return -ENOSPC;
	user->nr_queues++;
	return 0;
}

/** sim_user_del_queue() - one less */
void sim_user_del_queue(struct sim_device *dev, struct sim_user *user)
{
	guard(mutex)(&dev->lock);
	user->nr_queues--;
}
