/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Turns: in which order watches are armed, whoever wants them.
 *
 * Two levels. Users share a device's comparators in proportion to their
 * weights: each turn goes to the *share* that has had least for its weight. In
 * a share entries take turns by *epochs*: in an epoch each has its turn once,
 * in an order that is drawn anew for every epoch. Beside that, an entry can be
 * drawn at random from all, whatever turns it had.
 *
 * Nothing here is O(entries): who is to come in this epoch and who was are the
 * two halves of one array, and to draw is to swap two of its places.
 *
 * Pure: no lock, no time; compiles in user space. Random numbers are SipHash
 * of a counter: who does not know the key cannot predict them from what was
 * drawn before, who does can replay it all.
 */
#ifndef _GPUBP_TURNS_H
#define _GPUBP_TURNS_H

#include <linux/rbtree.h>
#include <linux/siphash.h>
#include <linux/types.h>

struct gpubp_share;

/**
 * struct gpubp_turn - what has turns, part of a watch; there may be very many
 * @share: whose; NULL: it has no turns
 * @at: place in gpubp_share.entries
 * @weight: turns in an epoch, 1 to 255
 * @had: of them, those it had in this epoch
 * @quantum: last quantum in which it was armed, 0 never
 */
struct gpubp_turn {
	struct gpubp_share *share;
	u32 at;
	u8 weight;
	u8 had;
	u64 quantum;
};

/**
 * struct gpubp_share - what one user wants of one device
 * @node: in gpubp_turns.shares, while it has entries
 * @id: unique; decides between equals
 * @weight: 1 and more
 * @vtime: comparator quanta that it had, divided by @weight, scaled
 * @entries: those that are to come in this epoch, then those that were
 * @nr: used entries of it
 * @left: of them, to come
 * @room: entries allocated
 * @epoch: number of the present one
 */
struct gpubp_share {
	struct rb_node node;
	u64 id;
	u32 weight;
	u64 vtime;
	struct gpubp_turn **entries;
	u32 nr;
	u32 left;
	u32 room;
	u64 epoch;
};

/**
 * struct gpubp_turns - of a device
 * @key: of the random numbers
 * @draws: random numbers used
 * @quantum: number of the present one, from 1
 * @shares: those with entries, by gpubp_share.vtime
 * @nr: entries of all shares
 */
struct gpubp_turns {
	siphash_key_t key;
	u64 draws;
	u64 quantum;
	struct rb_root_cached shares;
	unsigned int nr;
};

void gpubp_turns_init(struct gpubp_turns *t, const siphash_key_t *key);
void gpubp_share_init(struct gpubp_share *share, u64 id, u32 weight);
void gpubp_share_exit(struct gpubp_share *share);

int gpubp_turn_add(struct gpubp_turns *t, struct gpubp_share *share,
		   struct gpubp_turn *turn, u8 weight);
void gpubp_turn_remove(struct gpubp_turns *t, struct gpubp_turn *turn);

u64 gpubp_turns_random(struct gpubp_turns *t, u64 below);

#endif /* _GPUBP_TURNS_H */
