/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Users: who wants watches, how many, what share of a device is theirs, and how
 * many waves their sessions hold.
 *
 * A watch is its first user's, as long as anybody wants it. Nobody
 * has more watches than max_watches_per_user on all devices together, but for
 * holders of CAP_PERFMON: what was opened with it is another user's than what
 * the same uid opened without, and not limited. Likewise max_breaks_per_user, of
 * the watches that are breaks, and max_holds_per_user, of the user who opened
 * the session.
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

/**
 * struct gpubp_user_share - what a user wants of a device; under the device lock
 * @flow: for the policy
 * @node: in gpubp_device.shares
 * @user_node: in the user's list of shares; quota.c's
 * @dev: of which device
 * @user: whose; a reference is held
 * @nr: watches that are charged to it; it goes with the last of them
 */
struct gpubp_user_share {
	struct gpubp_fairq_flow flow;
	struct list_head node;
	struct list_head user_node;
	struct gpubp_device *dev;
	struct gpubp_user *user;
	unsigned int nr;
};

extern unsigned int gpubp_max_watches_per_user;
extern unsigned int gpubp_max_holds_per_user;

struct gpubp_user *gpubp_user_lookup(kuid_t uid, bool unlimited);
struct gpubp_user *gpubp_user_current(void);
void gpubp_user_get(struct gpubp_user *user);
void gpubp_user_put(struct gpubp_user *user);

int gpubp_user_charge_hold(struct gpubp_user *user);
void gpubp_user_uncharge_hold(struct gpubp_user *user);

struct gpubp_user_share *gpubp_user_charge(struct gpubp_user *user,
					   struct gpubp_device *dev,
					   bool promised);
void gpubp_user_uncharge(struct gpubp_user_share *share);
int gpubp_user_charge_break(struct gpubp_user_share *share, bool promised);
void gpubp_user_uncharge_break(struct gpubp_user_share *share);
void gpubp_users_show(struct gpubp_device *dev, struct seq_file *m);
void gpubp_users_exit(void);

#endif /* _GPUBP_CORE_QUOTA_H */
