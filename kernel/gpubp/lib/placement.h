/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Placement: which watches fit on a device together, and in which slots; and
 * which accesses a comparator mode matches.
 *
 * Candidates are placed in *virtual slots*, whose numbers are still open. When
 * all are placed, each virtual slot is assigned the slot that already compares
 * its value, if there is one, so that watches do not move because of others.
 *
 * Two watches share a virtual slot if they compare the same value and either
 * belong to different contexts (banked control words only), or belong to one
 * context and have the same mask.
 *
 * Pure: no lock, no time, no allocation; compiles in user space.
 */
#ifndef _GPUBP_LIB_PLACEMENT_H
#define _GPUBP_LIB_PLACEMENT_H

#include <linux/gpubp.h>
#include <linux/list.h>
#include <linux/types.h>

#include "block_cover.h"

struct gpubp_fairq_entry;

/**
 * struct gpubp_vslot_user - one block's use of a virtual slot; placement.c only
 * @next: another context's user of the same virtual slot
 * @mask: address bits compared
 * @hint: the virtual slot's, before the block was added
 * @ctx: context
 * @mode: enum gpubp_mode, the union over all watches that share this user. Of a
 *	block that joined another's user: that user's mode before.
 */
struct gpubp_vslot_user {
	struct gpubp_vslot_user *next;
	u64 mask;
	u32 hint;
	u32 ctx;
	u8 mode;
};

/**
 * struct gpubp_candidate - a watch that may be armed in this quantum
 * @node: in the caller's lists
 * @fq: its entry in the fair queue
 * @ctx: number of its context
 * @mode: enum gpubp_mode that the watch needs
 * @nr_blocks: 1 or 2, used entries of @block
 * @block: its cover
 * @slots: bitmap of slots; in: those that it uses now, 0 none; out: 0 if it is
 *	not armed
 * @priv: the caller's
 * @slot: out: slot of each of its blocks, if it is armed
 * @armed: out
 * @user: placement.c's, during a call
 */
struct gpubp_candidate {
	struct list_head node;
	struct gpubp_fairq_entry *fq;
	u32 ctx;
	u8 mode;
	u8 nr_blocks;
	struct gpubp_block block[GPUBP_MAX_BLOCKS];
	u32 slots;
	void *priv;
	u8 slot[GPUBP_MAX_BLOCKS];
	bool armed;
	struct gpubp_vslot_user user[GPUBP_MAX_BLOCKS];
};

/**
 * struct gpubp_vslot - a slot without a number
 * @value: what it compares
 * @hint: bitmap of slots that its watches used in the last quantum
 * @users: one for each context, the newest first; at least one
 */
struct gpubp_vslot {
	u64 value;
	u32 hint;
	struct gpubp_vslot_user *users;
};

/**
 * struct gpubp_placement - virtual slots in use
 * @modes: bitmap of enum gpubp_mode that the device has
 * @cntl_banked: each context has its own mask and mode of a slot
 * @nr: used entries of @vslots
 * @vslots: virtual slots
 */
struct gpubp_placement {
	u32 modes;
	bool cntl_banked;
	unsigned int nr;
	struct gpubp_vslot vslots[GPUBP_MAX_SLOTS];
};

/**
 * struct gpubp_slot_values - what the slots of a device compare
 * @used: bitmap of the slots that compare something
 * @value: compared value of each
 */
struct gpubp_slot_values {
	u32 used;
	u64 value[GPUBP_MAX_SLOTS];
};

int gpubp_mode_for(u8 accesses, u32 modes);
u8 gpubp_mode_accesses(enum gpubp_mode mode);
int gpubp_mode_union(enum gpubp_mode a, enum gpubp_mode b, u32 modes);

int gpubp_placement_add(struct gpubp_placement *p, struct gpubp_candidate *c,
			unsigned int max);
int gpubp_placement_add_all(struct gpubp_placement *p, struct list_head *cands,
			    unsigned int max);
void gpubp_placement_undo_all(struct gpubp_placement *p,
			      struct list_head *cands);

void gpubp_placement_assign(const struct gpubp_placement *p, u32 usable,
			    struct gpubp_slot_values *now,
			    u8 number[GPUBP_MAX_SLOTS]);
void gpubp_placement_set_slots(struct gpubp_candidate *c,
			       const u8 number[GPUBP_MAX_SLOTS]);

#endif /* _GPUBP_LIB_PLACEMENT_H */
