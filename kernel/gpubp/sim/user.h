/* SPDX-License-Identifier: GPL-2.0 */
/* Users: none has all contexts, all doorbells or all memory. */
#ifndef _GPUBP_SIM_USER_H
#define _GPUBP_SIM_USER_H

#include <linux/atomic.h>
#include <linux/list.h>
#include <linux/refcount.h>
#include <linux/spinlock.h>
#include <linux/uidgid.h>

struct sim_device;

/**
 * struct sim_user - what a user has of a device; under sim_device.lock but for @memory and
 *	the time of compute units
 * @ref: of @node, and one each address space
 * @node: in sim_device.user_list while it has something
 * @uid: gpubp_uid_of() it
 * @memory: bytes that its address spaces have
 * @nr_ctxs: contexts
 * @nr_queues: queues that have a doorbell, or are about to
 * @lock: of @used and @period, which are also read without
 * @used: ns that its waves ran, of which half counts after each period
 * @period: the last one in which they ran
 */
struct sim_user {
	refcount_t ref;
	struct list_head node;
	kuid_t uid;
	atomic64_t memory;
	unsigned int nr_ctxs;
	unsigned int nr_queues;
	raw_spinlock_t lock;
	u64 used;
	unsigned long period;
};

void sim_user_get(struct sim_user *user);
void sim_user_put(struct sim_user *user);
struct sim_user *sim_user_add_ctx(struct sim_device *dev);
void sim_user_del_ctx(struct sim_device *dev, struct sim_user *user);
int sim_user_add_queue(struct sim_device *dev, struct sim_user *user);
void sim_user_del_queue(struct sim_device *dev, struct sim_user *user);

void sim_user_ran(struct sim_user *user, u64 ns);
u64 sim_user_used(const struct sim_user *user);
bool sim_user_goes_before(const struct sim_user *user, const struct sim_user *other);

#endif /* _GPUBP_SIM_USER_H */
