/* SPDX-License-Identifier: GPL-2.0 */
/* Users: none has all contexts, all doorbells or all memory. */
#ifndef _GPUBP_PROVIDERS_SIM_DEVICE_USER_H
#define _GPUBP_PROVIDERS_SIM_DEVICE_USER_H

#include <linux/atomic.h>
#include <linux/list.h>
#include <linux/refcount.h>
#include <linux/uidgid.h>

#include "config.h"

struct sim_device;

/**
 * struct sim_used - of a compute unit; written by its thread, read without a lock
 * @ns: time in which waves ran, of which half counts after each period
 * @period: the last one in which they did
 * @next_slot: slot whose wave runs next, or the first one behind it; only by the thread
 */
struct sim_used {
	u64 ns;
	unsigned long period;
	unsigned int next_slot;
};

/**
 * struct sim_user - what a user has of a device; under sim_device.lock but for @memory
 *	and @used
 * @ref: of @node, and one each address space
 * @node: in sim_device.user_list while it has something, memory of contexts that have
 *	ended included, or has used much lately
 * @uid: gpubp_uid_of() it
 * @memory: bytes that its address spaces have
 * @nr_ctxs: contexts
 * @nr_queues: queues that have a doorbell, or are about to
 * @used: by compute unit
 */
struct sim_user {
	refcount_t ref;
	struct list_head node;
	kuid_t uid;
	atomic64_t memory;
	unsigned int nr_ctxs;
	unsigned int nr_queues;
	struct sim_used used[SIM_MAX_CUS];
};

void sim_user_get(struct sim_user *user);
void sim_user_put(struct sim_user *user);
struct sim_user *sim_user_add_ctx(struct sim_device *dev);
void sim_user_del_ctx(struct sim_device *dev, struct sim_user *user);
int sim_user_add_queue(struct sim_device *dev, struct sim_user *user);
void sim_user_del_queue(struct sim_device *dev, struct sim_user *user);

void sim_users_free(struct sim_device *dev);

void sim_user_ran(struct sim_user *user, unsigned int cu, u64 ns);
u64 sim_user_used_cu(const struct sim_user *user, unsigned int cu);
bool sim_user_precedes(const struct sim_user *user,
		       const struct sim_user *other);

#endif /* _GPUBP_PROVIDERS_SIM_DEVICE_USER_H */
