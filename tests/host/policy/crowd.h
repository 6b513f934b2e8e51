/* SPDX-License-Identifier: GPL-2.0 */
/* Crowds: very many watches on a device, and their service. */
#ifndef _POLICY_CROWD_H
#define _POLICY_CROWD_H

#include "lib/policy.h"

#define MAX_USERS	8

/**
 * struct member - a watch of a crowd
 * @fq: its entry in the fair queue
 * @nr_blocks: slots that it needs
 * @refused: describing it fails
 * @shares: watches the same as others of which that is said
 * @armed: quanta in which it was armed
 * @asked: how often the policy asked for it
 * @last: last quantum in which it was armed
 */
struct member {
	struct gpubp_fairq_entry fq;
	u8 nr_blocks;
	bool refused;
	bool shares;
	u32 armed;
	u32 asked;
	u64 last;
};

/**
 * struct crowd - a device and its watches
 * @p: the policy
 * @caps: device
 * @users: their owners
 * @members: watches
 * @nr: number of members
 * @asked: candidates that the policy requested in the last quantum
 * @most_asked: maximum of @asked
 * @got: slots that each user had, summed over quanta
 * @on_armed: called for each member that is armed, before it is counted
 * @arg: for @on_armed
 */
struct crowd {
	struct gpubp_policy p;
	struct gpubp_policy_caps caps;
	struct gpubp_fairq_flow users[MAX_USERS];
	struct member *members;
	u32 nr;
	unsigned int asked;
	unsigned int most_asked;
	u64 got[MAX_USERS];
	void (*on_armed)(struct crowd *c, struct member *m);
	void *arg;
};

/* @nr one-slot watches that have no user yet */
void crowd_init(struct crowd *c, u32 nr, unsigned int slots, u8 kind, u64 key);
void crowd_exit(struct crowd *c);

/* add members @from .. @to - 1 to the user with this weight, or remove them */
void crowd_give(struct crowd *c, unsigned int user, u32 from, u32 to, u8 weight);
void crowd_take(struct crowd *c, u32 from, u32 to);
void crowd_run(struct crowd *c, u64 quanta);

#endif /* _POLICY_CROWD_H */
