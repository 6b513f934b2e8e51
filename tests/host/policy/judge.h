/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The rules of a quantum, checked without knowing how the policy works.
 */
#ifndef _POLICY_JUDGE_H
#define _POLICY_JUDGE_H

#include "lib/policy.h"

#define MAX_WATCHES	48
#define MAX_SHARES	4

/**
 * struct watch - what the scheduler would keep of a watch, and the judge knows
 * @fq: its entry in the fair queue, if it has any
 * @c: what it wants, and what it got in the last quantum
 * @asked: the candidate that the policy sees when it asks for one
 * @given: the candidate that it is given of a pinned watch
 * @pinned: it is
 * @refused: it cannot be described
 * @out: it is described, and neither dropped nor armed
 * @group: watches of one number are armed together; 0 none
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
 * @shares: of users
 * @watches: in no order
 * @nr: number of watches
 * @nr_shares: number of shares in use
 * @all_have_turns: pinned ones, too, for the time when their slots are lost
 * @described: candidates that were asked for in this quantum
 * @unplaceable: of them, of each share, those that were not armed
 * @broken: what the policy did that breaks a rule
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

/* @like: ctx, mode and blocks; the new one has turns in share @share */
struct watch *world_add(struct world *w, const struct gpubp_candidate *like,
			bool pinned, unsigned int group, unsigned int share);
void world_remove(struct world *w, unsigned int i);
void world_print(const struct world *w);

/* one quantum; NULL or which rule was broken */
const char *world_step(struct world *w);

/* slots that pinned watches leave, at least */
unsigned int world_flexible(const struct world *w);
unsigned int world_longest_wait(const struct world *w);

#endif /* _POLICY_JUDGE_H */
