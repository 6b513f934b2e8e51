/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Layout: which watches fit on a device together, and in which slots.
 *
 * Candidates are put into *places*: slots whose number is still open. When all
 * are chosen, each place gets the slot that already compares what it wants, if
 * there is one: no watch has to move because another came.
 *
 * Watches share a place if they compare the same value and are of different
 * contexts (banked control words only), or of one context with the same mask.
 *
 * Pure: no lock, no time, no allocation; compiles in user space.
 */
#ifndef _GPUBP_LAYOUT_H
#define _GPUBP_LAYOUT_H

#include <linux/gpubp.h>
#include <linux/list.h>
#include <linux/types.h>

#include "block_cover.h"

struct gpubp_turn;

/**
 * struct gpubp_use - what one block asks of a place; the layout's
 * @next: another context's use of the same place
 * @mask: address bits compared
 * @hint: of the place, before the block came
 * @ctx: whose
 * @mode: enum gpubp_mode, for all watches that share it. Of a block that joined
 *	another's use: that use's mode before.
 */
struct gpubp_use {
	struct gpubp_use *next;
	u64 mask;
	u32 hint;
	u32 ctx;
	u8 mode;
};

/**
 * struct gpubp_cand - a watch that may be armed in this quantum
 * @node: in the list that it was found in, or is put in
 * @turn: its turn
 * @ctx: which context; equal numbers are the same one
 * @mode: enum gpubp_mode that the watch needs
 * @nr_blocks: 1 or 2, used entries of @block
 * @block: its cover
 * @slots: bitmap of the slots it uses; in: those it uses now, 0 none; out: 0 if
 *	it is not armed
 * @priv: the caller's
 * @slot: out: slot of each of its blocks, if it is armed
 * @armed: out
 * @use: the layout's, during a call
 */
struct gpubp_cand {
	struct list_head node;
	struct gpubp_turn *turn;
	u32 ctx;
	u8 mode;
	u8 nr_blocks;
	struct gpubp_block block[GPUBP_MAX_BLOCKS];
	u32 slots;
	void *priv;
	u8 slot[GPUBP_MAX_BLOCKS];
	bool armed;
	struct gpubp_use use[GPUBP_MAX_BLOCKS];
};

/**
 * struct gpubp_place - a slot that has no number yet
 * @value: what it compares
 * @hint: slots that its watches used in the last quantum
 * @uses: one for each context, the newest first; never none
 */
struct gpubp_place {
	u64 value;
	u32 hint;
	struct gpubp_use *uses;
};

/**
 * struct gpubp_layout - places in use
 * @modes: bitmap of enum gpubp_mode that the device has
 * @cntl_banked: each context has its own mask and mode of a slot
 * @nr: used entries of @places
 * @places: places
 */
struct gpubp_layout {
	u32 modes;
	bool cntl_banked;
	unsigned int nr;
	struct gpubp_place places[GPUBP_MAX_SLOTS];
};

/**
 * struct gpubp_residents - what is in the slots of a device
 * @used: bitmap of the slots that compare something
 * @value: what they compare
 */
struct gpubp_residents {
	u32 used;
	u64 value[GPUBP_MAX_SLOTS];
};

int gpubp_mode_for(u8 accesses, u32 modes);
u8 gpubp_mode_accesses(enum gpubp_mode mode);
int gpubp_mode_union(enum gpubp_mode a, enum gpubp_mode b, u32 modes);

int gpubp_layout_put(struct gpubp_layout *l, struct gpubp_cand *c,
		     unsigned int max);
int gpubp_layout_put_all(struct gpubp_layout *l, struct list_head *cands,
			 unsigned int max);
void gpubp_layout_take_all_back(struct gpubp_layout *l,
				struct list_head *cands);

void gpubp_layout_number(const struct gpubp_layout *l, u32 usable,
			 struct gpubp_residents *now,
			 u8 number[GPUBP_MAX_SLOTS]);
void gpubp_layout_tell(struct gpubp_cand *c, const u8 number[GPUBP_MAX_SLOTS]);

#endif /* _GPUBP_LAYOUT_H */
