// SPDX-License-Identifier: GPL-2.0
/* Users: limits and fair shares of contexts, doorbells, memory and GPU time. */
#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/err.h>
#include <linux/gpubp.h>
#include <linux/jiffies.h>
#include <linux/slab.h>

#include "device.h"
#include "user.h"

/* limits without CAP_SYS_RESOURCE */
#define MAX_CTXS	1024
#define MAX_QUEUES	(SIM_NR_DOORBELLS / 4)

/* jiffies after which used time counts half */
#define PERIOD		max(HZ / 10, 1)

/* least difference in used time for precedence, ns */
#define BURST		NSEC_PER_MSEC

static u64 used_now(const struct sim_used *used)
{
	long nr = jiffies / PERIOD - READ_ONCE(used->period);
	u64 ns = READ_ONCE(used->ns);

	/*
	 * @used may have been updated in a period that began after jiffies was
	 * read
	 */
	return nr <= 0 ? ns : nr < BITS_PER_TYPE(ns) ? ns >> nr : 0;
}

/**
 * sim_user_ran() - account a slice of a wave of @user
 * @user: user
 * @cu: number of the calling thread's compute unit
 * @ns: length of the slice
 */
void sim_user_ran(struct sim_user *user, unsigned int cu, u64 ns)
{
	struct sim_used *used = &user->used[cu];

	WRITE_ONCE(used->ns, used_now(used) + ns);
	WRITE_ONCE(used->period, jiffies / PERIOD);
}

/**
 * sim_user_used_cu() - recent time of a user on a compute unit
 * @user: user
 * @cu: number of the compute unit
 *
 * Return: ns, decayed with age.
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
 * sim_user_precedes() - did @user use so much less than @other that it may
 *	preempt @other within its quantum?
 * @user: user that needs a resource
 * @other: user that has it, or needs it, too
 */
bool sim_user_precedes(const struct sim_user *user,
		       const struct sim_user *other)
{
	return user != other && used_all(other) / 2 > used_all(user) + BURST;
}

/*
 * sim_user_get() - get a reference, for an address space that is charged to
 * @user
 */
void sim_user_get(struct sim_user *user)
{
	refcount_inc(&user->ref);
}

/** sim_user_put() - put it, after all of its memory was uncharged */
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
 * Used time decays slowly, and memory stays charged until a context is freed,
 * which may be long after the context has ended: a user cannot evade either by
 * closing and reopening the device. An idle user is removed when the next one
 * is added.
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

/* @new is added to the device if its uid has no user there */
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
 * sim_user_add_ctx() - account a new context of the calling process
 * @dev: device
 *
 * Return: the user to charge, or ERR_PTR(-ENOSPC), ERR_PTR(-ENOMEM).
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

/** sim_user_del_ctx() - account the end of a context without queues */
void sim_user_del_ctx(struct sim_device *dev, struct sim_user *user)
{
	guard(mutex)(&dev->lock);
	user->nr_ctxs--;
	user_unlist_if_idle(user);
}

/** sim_users_free() - free all users; no context is left */
void sim_users_free(struct sim_device *dev)
{
	struct sim_user *user, *tmp;

	list_for_each_entry_safe(user, tmp, &dev->user_list, node)
		user_unlist(user);
}

/** sim_user_add_queue() - account a new queue of @user; 0 or -ENOSPC */
int sim_user_add_queue(struct sim_device *dev, struct sim_user *user)
{
	guard(mutex)(&dev->lock);
	if (user->nr_queues >= MAX_QUEUES && !capable(CAP_SYS_RESOURCE))
		return -ENOSPC;
	user->nr_queues++;
	return 0;
}

/** sim_user_del_queue() - account the end of a queue */
void sim_user_del_queue(struct sim_device *dev, struct sim_user *user)
{
	guard(mutex)(&dev->lock);
	user->nr_queues--;
}
