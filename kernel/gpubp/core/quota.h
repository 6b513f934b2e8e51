/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Users: limits of watches, breaks, bindings, held waves, conditions, sets and
 * memory, and shares of devices.
 *
 * A watch is charged to the user who bound to it first, until its last binding
 * is removed. A user has at most max_watches_per_user watches on all devices
 * together, max_breaks_per_user of which are breaks, its events have at most
 * max_bindings_per_user bindings, sessions that it opened hold at most
 * max_holds_per_user waves, and of the conditions and watch sets that it made
 * max_conditions_per_user and max_sets_per_user exist. What is limited in number
 * for a context or a set only, of which it may have many, is charged to it in
 * bytes: names, code objects and members. Holders of
 * CAP_PERFMON are not limited: what a uid opens with that capability is charged
 * to another user than what it opens without.
 */
#ifndef _GPUBP_CORE_QUOTA_H
#define _GPUBP_CORE_QUOTA_H

#include <linux/list.h>
#include <linux/types.h>
#include <linux/uidgid.h>

#include "../lib/fairq.h"

struct gpubp_device;
struct gpubp_user;
struct seq_file;
struct xarray;

/**
 * struct gpubp_user_share - a user's share of a device; under the device lock
 * @flow: for the policy
 * @node: in gpubp_device.shares
 * @user_node: in the user's list of shares; quota.c's
 * @dev: device
 * @user: user; a reference is held
 * @nr: watches charged to it; it is freed with the last
 */
struct gpubp_user_share {
	struct gpubp_fairq_flow flow;
	struct list_head node;
	struct list_head user_node;
	struct gpubp_device *dev;
	struct gpubp_user *user;
	unsigned int nr;
};

/**
 * struct gpubp_revisits - a user's events that are looked at again in turn
 * @node: in the list of users that have such events
 * @events: gpubp_event.revisit_node
 *
 * Under gpubp_events_lock.
 */
struct gpubp_revisits {
	struct list_head node;
	struct list_head events;
};

extern unsigned int gpubp_max_watches_per_user;
extern unsigned int gpubp_max_holds_per_user;
extern unsigned int gpubp_max_bindings_per_user;

struct gpubp_user *gpubp_user_lookup(kuid_t uid, bool unlimited);
struct gpubp_user *gpubp_user_current(void);
void gpubp_user_get(struct gpubp_user *user);
void gpubp_user_put(struct gpubp_user *user);
struct gpubp_revisits *gpubp_user_revisits(struct gpubp_user *user);
struct xarray *gpubp_user_filters(struct gpubp_user *user);

int gpubp_user_charge_hold(struct gpubp_user *user);
void gpubp_user_uncharge_hold(struct gpubp_user *user);
int gpubp_user_charge_binding(struct gpubp_user *user, bool reserved);
void gpubp_user_uncharge_binding(struct gpubp_user *user);
int gpubp_user_charge_filter(struct gpubp_user *user);
void gpubp_user_uncharge_filter(struct gpubp_user *user);
int gpubp_user_charge_set(struct gpubp_user *user);
void gpubp_user_uncharge_set(struct gpubp_user *user);
int gpubp_user_charge_memory(struct gpubp_user *user, size_t size);
void gpubp_user_uncharge_memory(struct gpubp_user *user, size_t size);

struct gpubp_user_share *gpubp_user_charge(struct gpubp_user *user,
					   struct gpubp_device *dev,
					   bool reserved);
void gpubp_user_uncharge(struct gpubp_user_share *share);
int gpubp_user_charge_break(struct gpubp_user_share *share, bool reserved);
void gpubp_user_uncharge_break(struct gpubp_user_share *share);
void gpubp_users_show(struct gpubp_device *dev, struct seq_file *m);
void gpubp_users_exit(void);

#endif /* _GPUBP_CORE_QUOTA_H */
