/* SPDX-License-Identifier: GPL-2.0 */
/* Users: limits and fair shares of contexts, doorbells, memory and GPU time. */
#ifndef _GPUBP_PROVIDERS_SIM_DEVICE_USER_H
#define _GPUBP_PROVIDERS_SIM_DEVICE_USER_H

#include <linux/atomic.h>
#include <linux/list.h>
#include <linux/refcount.h>
#include <linux/uidgid.h>

#include "config.h"

struct sim_device;

/**
 * struct sim_used - time used on a compute unit; written by its thread, read
 *	without a lock
 * @ns: time in which waves ran, halved after each period
 * @period: the last period in which waves ran
 * @next_slot: slot from which the next wave is searched; thread only
 */
struct sim_used {
	u64 ns;
	unsigned long period;
	unsigned int next_slot;
};

/**
 * struct sim_user - resources of a user on a device; under sim_device.lock
 *	except @memory and @used
 * @ref: held by @node, and by each address space
 * @node: in sim_device.user_list while the user has resources, memory of ended
 *	contexts included, or has much recent time
 * @uid: gpubp_uid_of() it
 * @memory: bytes charged by its address spaces
 * @nr_ctxs: number of contexts
 * @nr_queues: queues with a doorbell, or about to get one
 * @used: time used, by compute unit
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
