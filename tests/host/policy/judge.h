/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The rules of a quantum, checked without knowing how the policy works.
 */
#ifndef _POLICY_JUDGE_H
#define _POLICY_JUDGE_H

#include "policy.h"

#define MAX_WATCHES	48

/**
 * struct world - a device and the watches that want to be armed on it
 * @caps: device
 * @st: the policy's state
 * @watches: what the scheduler would keep of each watch, in no order
 * @waited: quanta since it was last armed
 * @ahead: how many others may still be armed before it
 * @armed_count: quanta in which it was armed
 * @nr: number of watches
 * @nr_quanta: judged so far
 */
struct world {
	struct gpubp_policy_caps caps;
	struct gpubp_policy_state st;
	struct gpubp_cand watches[MAX_WATCHES];
	unsigned int waited[MAX_WATCHES];
	unsigned int ahead[MAX_WATCHES];
	unsigned int armed_count[MAX_WATCHES];
	unsigned int nr;
	u64 nr_quanta;
};

/* one quantum; NULL or which rule was broken */
const char *world_step(struct world *w);
void world_add(struct world *w, const struct gpubp_cand *watch);
void world_remove(struct world *w, unsigned int i);
void world_print(const struct world *w);

/* flexible slots / largest flexible cover: who is surely armed in a quantum */
unsigned int world_sure(const struct world *w);

#endif /* _POLICY_JUDGE_H */
