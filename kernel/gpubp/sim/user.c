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

static struct sim_user *user_find(struct sim_device *dev, kuid_t uid)
{
	struct sim_user *user;

	list_for_each_entry(user, &dev->user_list, node)
		if (uid_eq(user->uid, uid))
			return user;
	return NULL;
}

static struct sim_user *user_alloc(void)
{
	struct sim_user *user = kzalloc(sizeof(*user), GFP_KERNEL_ACCOUNT);

	if (!user)
		return NULL;
	refcount_set(&user->ref, 1);
	raw_spin_lock_init(&user->lock);
	user->uid = gpubp_uid_of(current_cred());
	return user;
}

/* @new becomes a user of the device if it has no such one */
static int add_ctx(struct sim_device *dev, struct sim_user *new,
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
	err = add_ctx(dev, new, &user);
	if (err || user != new)
		kfree(new);
	return err ? ERR_PTR(err) : user;
}

/** sim_user_del_ctx() - one less, whose queues are gone */
void sim_user_del_ctx(struct sim_device *dev, struct sim_user *user)
{
	guard(mutex)(&dev->lock);
	if (--user->nr_ctxs)
		return;
	list_del(&user->node);
	sim_user_put(user);
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

static u64 used_in(const struct sim_user *user, unsigned long period)
{
	unsigned long nr = period - READ_ONCE(user->period);
	u64 used = READ_ONCE(user->used);

	return nr < BITS_PER_TYPE(used) ? used >> nr : 0;
}

/** sim_user_ran() - a wave of @user ran for so long; any context */
void sim_user_ran(struct sim_user *user, u64 ns)
{
	unsigned long period = jiffies / PERIOD;

	guard(raw_spinlock_irqsave)(&user->lock);
	WRITE_ONCE(user->used, used_in(user, period) + ns);
	WRITE_ONCE(user->period, period);
}

/**
 * sim_user_used() - how much of the compute units' time a user had of late
 * @user: user
 *
 * Return: ns; older ones count less.
 */
u64 sim_user_used(const struct sim_user *user)
{
	return used_in(user, jiffies / PERIOD);
}

/**
 * sim_user_goes_before() - did @user use so much less than @other that what @other has
 *	goes to him at once?
 * @user: who needs it
 * @other: who has it
 */
bool sim_user_goes_before(const struct sim_user *user, const struct sim_user *other)
{
	return sim_user_used(other) / 2 > sim_user_used(user) + BURST;
}
