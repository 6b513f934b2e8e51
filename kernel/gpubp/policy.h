/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Policy: which watches are armed in the next quantum, and in which slots.
 *
 * Pure: no lock, no time, no allocation; compiles in user space. One quantum
 * is one call of gpubp_policy_next().
 */
#ifndef _GPUBP_POLICY_H
#define _GPUBP_POLICY_H

#include <linux/gpubp.h>
#include <linux/types.h>

#include "cover.h"

/**
 * struct gpubp_policy_caps - the device as the policy sees it
 * @usable: bitmap of the slots that may be used in the next quantum, those
 *	in quarantine left out
 * @modes: bitmap of enum gpubp_mode that the device has
 * @cntl_banked: each context has its own mask and mode of a slot
 */
struct gpubp_policy_caps {
	u32 usable;
	u32 modes;
	bool cntl_banked;
};

/**
 * struct gpubp_use - what one block asks of a slot; the policy's, during a call
 * @next: another context's use of the same slot
 * @mask: address bits compared
 * @ctx: whose
 * @mode: enum gpubp_mode, for all watches that share it
 */
struct gpubp_use {
	struct gpubp_use *next;
	u64 mask;
	u32 ctx;
	u8 mode;
};

/**
 * struct gpubp_cand - one watch that wants to be armed
 * @id: unique among the candidates
 * @ctx: which context; equal numbers are the same one
 * @mode: enum gpubp_mode that the watch needs
 * @group: candidates of one context with the same number are armed together
 *	or not at all, if they fit at all; 0 none. Of no effect if pinned.
 * @pinned: before all that are not
 * @nr_blocks: 1 or 2, used entries of @block
 * @block: its cover
 * @last_armed: the policy's, to be kept with the watch; 0 for a new one.
 *	Larger is more recent.
 * @slots: bitmap of the slots it uses; in: as the last call said, 0 for none;
 *	out: 0 if it is not armed
 * @priv: the caller's
 * @slot: out: slot of each of its blocks, if it is armed
 * @armed: out
 * @decided: the policy's, during a call
 * @alone: likewise: its group does not fit
 * @use: the policy's, during a call
 */
struct gpubp_cand {
	u64 id;
	u32 ctx;
	u64 group;
	u8 mode;
	bool pinned;
	u8 nr_blocks;
	struct gpubp_block block[GPUBP_MAX_BLOCKS];
	u64 last_armed;
	u32 slots;
	void *priv;
	u8 slot[GPUBP_MAX_BLOCKS];
	bool armed;
	bool decided;
	bool alone;
	struct gpubp_use use[GPUBP_MAX_BLOCKS];
};

/**
 * struct gpubp_policy_state - what the policy remembers; starts as zeroes
 * @quantum: number of the present quantum
 * @ticket: of the last candidate that was armed
 * @used: bitmap of the slots that compare something
 * @value: what they compare
 */
struct gpubp_policy_state {
	u64 quantum;
	u64 ticket;
	u32 used;
	u64 value[GPUBP_MAX_SLOTS];
};

void gpubp_policy_next(struct gpubp_policy_state *st,
		       const struct gpubp_policy_caps *caps,
		       struct gpubp_cand *cands, unsigned int n);
bool gpubp_policy_rotates(const struct gpubp_policy_caps *caps,
			  const struct gpubp_cand *cands, unsigned int n);
unsigned int gpubp_policy_flexible_slots(const struct gpubp_policy_caps *caps,
					 const struct gpubp_cand *cands,
					 unsigned int n);

int gpubp_mode_for(u8 accesses, u32 modes);
u8 gpubp_mode_accesses(enum gpubp_mode mode);
int gpubp_mode_union(enum gpubp_mode a, enum gpubp_mode b, u32 modes);

#endif /* _GPUBP_POLICY_H */
