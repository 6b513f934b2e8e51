// SPDX-License-Identifier: GPL-2.0
/* Users: none has all contexts, all doorbells or all memory. */
#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/err.h>
#include <linux/gpubp.h>
#include <linux/slab.h>

#include "device.h"
#include "user.h"

/* without CAP_SYS_RESOURCE */
#define MAX_CTXS	1024
#define MAX_QUEUES	(SIM_NR_DOORBELLS / 4)

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
