/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Policy: which watches are armed in the next quantum, and in which slots.
 *
 * One quantum is one call of gpubp_policy_next(). It examines the watches that
 * it arms and few others, so its cost does not depend on how many wait.
 *
 * Pure: no lock, no time; compiles in user space.
 */
#ifndef _GPUBP_LIB_POLICY_H
#define _GPUBP_LIB_POLICY_H

#include <linux/list.h>
#include <linux/types.h>

#include "fairq.h"
#include "placement.h"

/**
 * enum gpubp_policy_kind - how the slots that no pinned watch has are used
 * @GPUBP_POLICY_FAIR: all but one in the order of the fair queue: no watch
 *	waits longer than twice the length of an epoch; the last one is drawn at
 *	random, so that no program can predict when a watch is not armed. With a
 *	single slot every second quantum is drawn.
 * @GPUBP_POLICY_RANDOM: all are drawn at random: no bound, no pattern
 */
enum gpubp_policy_kind {
	GPUBP_POLICY_FAIR,
	GPUBP_POLICY_RANDOM,
};

/**
 * struct gpubp_policy_caps - the device as the policy sees it
 * @usable: bitmap of the slots that may be used in the next quantum, without
 *	those in quarantine
 * @modes: bitmap of enum gpubp_mode that the device has
 * @cntl_banked: each context has its own mask and mode of a slot
 * @kind: enum gpubp_policy_kind
 */
struct gpubp_policy_caps {
	u32 usable;
	u32 modes;
	bool cntl_banked;
	u8 kind;
};

/**
 * struct gpubp_policy_ops - callbacks of the policy to the caller
 * @describe: the candidate for an entry, all but the output filled. NULL: it
 *	cannot be armed now (no memory, say), and counts as served. A candidate
 *	that needs more slots than gpubp_policy.flexible is never armed.
 * @drop: a candidate that was described is not armed in this quantum
 * @group_next: iterate over the members of an entry's group, itself included,
 *	pinned ones left out: the first one if @prev is NULL, else the one after
 *	@prev; NULL: no more. All members are armed or none, if they fit at all.
 *	May be NULL: there are no groups.
 * @share_next: iterate likewise over entries that a slot which compares @block
 *	for context @ctx may serve as well; those of other contexts, too, where
 *	control words are banked. May be NULL: no slots are shared.
 *
 * The iterators may return entries that are not queued or armed already; these
 * are ignored. None of the operations may add or remove entries.
 */
struct gpubp_policy_ops {
	struct gpubp_candidate *(*describe)(struct gpubp_fairq_entry *entry,
					    void *arg);
	void (*drop)(struct gpubp_candidate *cand, void *arg);
	struct gpubp_fairq_entry *
		(*group_next)(struct gpubp_fairq_entry *entry,
			      struct gpubp_fairq_entry *prev, void *arg);
	struct gpubp_fairq_entry *
		(*share_next)(u32 ctx, const struct gpubp_block *block,
			      struct gpubp_fairq_entry *prev, void *arg);
};

/**
 * struct gpubp_policy - state of a device between quanta
 * @fairq: the watches that are not pinned
 * @now: what the slots compare
 * @flexible: slots that the pinned watches left in this quantum
 * @armed: entries that are armed in it
 * @drawn: a slot was left for a draw in it
 */
struct gpubp_policy {
	struct gpubp_fairq fairq;
	struct gpubp_slot_values now;
	unsigned int flexible;
	unsigned int armed;
	bool drawn;
};

void gpubp_policy_init(struct gpubp_policy *p, const siphash_key_t *key);
void gpubp_policy_next(struct gpubp_policy *p,
		       const struct gpubp_policy_caps *caps,
		       const struct gpubp_policy_ops *ops, void *arg,
		       struct list_head *pinned, struct list_head *armed);
bool gpubp_policy_rotates(const struct gpubp_policy *p);
u32 gpubp_policy_dither(struct gpubp_policy *p, u32 us);

#endif /* _GPUBP_LIB_POLICY_H */
