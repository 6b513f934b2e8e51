/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Policy: which watches are armed in the next quantum, and in which slots.
 *
 * Pure: no lock, no time; compiles in user space. One quantum is one call of
 * gpubp_policy_next(). It looks at the watches that it arms and at few others,
 * so it costs the same however many wait.
 */
#ifndef _GPUBP_POLICY_H
#define _GPUBP_POLICY_H

#include <linux/list.h>
#include <linux/types.h>

#include "placement.h"
#include "fairq.h"

/**
 * enum gpubp_policy_kind - how the comparators that no pinned watch has are used
 * @GPUBP_POLICY_FAIR: all but one by turns: nobody waits longer than twice the
 *	length of an epoch; on the last one who is armed is drawn at random, so
 *	that no program can know when a watch is not armed. With a single
 *	comparator every second quantum is drawn.
 * @GPUBP_POLICY_RANDOM: all are drawn at random: no bound, no pattern
 */
enum gpubp_policy_kind {
	GPUBP_POLICY_FAIR,
	GPUBP_POLICY_RANDOM,
};

/**
 * struct gpubp_policy_caps - the device as the policy sees it
 * @usable: bitmap of the slots that may be used in the next quantum, those
 *	in quarantine left out
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
 * struct gpubp_policy_ops - what the policy asks of whoever keeps the watches
 * @describe: the candidate for a turn: all but the output filled. NULL: it
 *	cannot be armed now (no memory, say); it has had its turn then. One that
 *	needs more slots than gpubp_policy.flexible will never be armed.
 * @drop: a candidate that was described is not armed in this quantum
 * @group_next: members of a turn's group one by one, itself included, pinned ones left
 *	out: the first one if @prev is NULL, then the one behind @prev; NULL: no
 *	more. All of a group are armed or none, if they fit at all. NULL: there
 *	are no groups.
 * @share_next: turns that may be served by a slot that compares @value under @mask
 *	anyway for a candidate of @ctx: likewise one by one. Of other contexts,
 *	too, where control words are banked. NULL: nobody shares.
 *
 * A turn may be found that has no share or is armed already: it is passed over.
 * None may add or remove turns.
 */
struct gpubp_policy_ops {
	struct gpubp_cand *(*describe)(struct gpubp_fairq_entry *entry, void *arg);
	void (*drop)(struct gpubp_cand *cand, void *arg);
	struct gpubp_fairq_entry *(*group_next)(struct gpubp_fairq_entry *entry,
					  struct gpubp_fairq_entry *prev, void *arg);
	struct gpubp_fairq_entry *(*share_next)(u32 ctx, const struct gpubp_block *block,
					    struct gpubp_fairq_entry *prev, void *arg);
};

/**
 * struct gpubp_policy - what the policy remembers of a device
 * @fairq: whose turn it is
 * @now: what the slots compare
 * @flexible: slots that the pinned watches left in this quantum
 * @armed: turns that are armed in it
 * @drawn: in it a slot was left for the draw
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

#endif /* _GPUBP_POLICY_H */
