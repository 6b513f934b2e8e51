/* SPDX-License-Identifier: GPL-2.0 */
/* The rules of a quantum, checked independently of how the policy works. */
#ifndef _POLICY_JUDGE_H
#define _POLICY_JUDGE_H

#include "lib/policy.h"

#define MAX_WATCHES	48
#define MAX_SHARES	4

/**
 * struct watch - the scheduler's view of a watch, and data for the checks
 * @fq: its entry in the fair queue, if it has one
 * @c: its request, and its result in the last quantum
 * @asked: the candidate returned to the policy
 * @given: the candidate passed to the policy for a pinned watch
 * @pinned: it is pinned
 * @refused: describing it fails
 * @out: it is described, and neither dropped nor armed
 * @group: watches with the same number are armed together; 0 none
 * @waited: quanta since it was last armed
 * @ahead: twice the number of turns that others may still have before it
 * @armed_count: quanta in which it was armed
 */
struct watch {
	struct gpubp_fairq_entry fq;
	struct gpubp_candidate c;
	struct gpubp_candidate asked;
	struct gpubp_candidate given;
	bool pinned;
	bool refused;
	bool out;
	unsigned int group;
	unsigned int waited;
	unsigned int ahead;
	unsigned int armed_count;
};

/**
 * struct world - a device and the watches that want to be armed on it
 * @caps: device
 * @p: the policy
 * @shares: the users' flows
 * @watches: unordered
 * @nr: number of watches
 * @nr_shares: number of flows in use
 * @all_have_turns: pinned watches have entries as well, as when slots are lost
 * @described: candidates requested in this quantum
 * @unplaceable: by flow, how many of them were not armed
 * @broken: the rule that the policy broke, or NULL
 */
struct world {
	struct gpubp_policy_caps caps;
	struct gpubp_policy p;
	struct gpubp_fairq_flow shares[MAX_SHARES];
	struct watch *watches[MAX_WATCHES];
	unsigned int nr;
	unsigned int nr_shares;
	bool all_have_turns;
	unsigned int described;
	unsigned int unplaceable[MAX_SHARES];
	const char *broken;
};

void world_init(struct world *w, const struct gpubp_policy_caps *caps, u64 key,
		unsigned int nr_shares);
void world_exit(struct world *w);

/* @like: ctx, mode and blocks; the new watch has an entry in flow @share */
struct watch *world_add(struct world *w, const struct gpubp_candidate *like,
			bool pinned, unsigned int group, unsigned int share);
void world_remove(struct world *w, unsigned int i);
void world_print(const struct world *w);

/* runs one quantum; returns NULL or the broken rule */
const char *world_step(struct world *w);

/* lower bound of the slots that pinned watches leave */
unsigned int world_flexible(const struct world *w);

#endif /* _POLICY_JUDGE_H */
