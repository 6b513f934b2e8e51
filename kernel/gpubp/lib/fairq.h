/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Turns: in which order watches are armed, whoever wants them.
 *
 * Two levels. Users share a device's comparators in proportion to their
 * weights: each turn goes to the *share* that has had least for its weight. In
 * a share entries take turns by *epochs*: in an epoch each has its turn once,
 * in an order that is drawn anew for every epoch. Beside that, an entry can be
 * drawn at random from all, whatever turns it had. A share that is *full*, all
 * of whose entries are armed, has no part in a draw; it is owed that part, and
 * is drawn for sure once it is not full.
 *
 * Nothing here is O(entries): who was put off, who is to come in this epoch and
 * who was are three parts of one array, and whoever changes parts swaps places.
 *
 * Pure: no lock, no time; compiles in user space. Random numbers are SipHash
 * of a counter: who does not know the key cannot predict them from what was
 * drawn before, who does can replay it all.
 */
#ifndef _GPUBP_TURNS_H
#define _GPUBP_TURNS_H

#include <linux/list.h>
#include <linux/rbtree.h>
#include <linux/siphash.h>
#include <linux/types.h>

/* turns of a share that may be put off at a time; their order is kept */
#define GPUBP_MAX_PUT_OFF	4

/* fruitless proposals after which a share is left alone for the pass */
#define GPUBP_MAX_FRUITLESS	16

/* times that a turn is put off after which its share waits for it */
#define GPUBP_PATIENCE		4

struct gpubp_share;

/**
 * struct gpubp_turn - what has turns, part of a watch; there may be very many
 * @share: whose; NULL: it has no turns
 * @at: place in gpubp_share.entries
 * @weight: turns in an epoch, 1 to 255
 * @had: of them, those it had in this epoch
 * @quantum: last quantum in which it was armed, 0 never
 * @pass: last pass in which it was proposed in vain, 0 never
 */
struct gpubp_turn {
	struct gpubp_share *share;
	u32 at;
	u8 weight;
	u8 had;
	u64 quantum;
	u64 pass;
};

/**
 * struct gpubp_share - what one user wants of one device
 * @node: in gpubp_turns.shares, while it has entries and is not set aside
 * @aside: next one that is set aside, in a pass
 * @full: next one that is full, in a quantum
 * @creditors: in gpubp_turns.creditors if it is owed a comparator quantum
 * @owed: of draws, comparator quanta, scaled
 * @id: unique; decides between equals
 * @weight: 1 and more
 * @sum: weights of all in the subtree below @node
 * @vtime: comparator quanta that it had, divided by @weight, scaled
 * @quantum: last quantum in which an entry was armed, 0 never
 * @entries: those put off, then those that are to come in this epoch, then
 *	those that were
 * @armed: of them, armed in quantum @quantum
 * @nr: used entries of it
 * @left: of them, put off or to come
 * @put_off: of them, put off
 * @waits: how often the first of them was put off again, up to GPUBP_PATIENCE
 * @room: entries allocated
 * @heaviest: no entry weighs more
 * @fruitless: proposed in vain in pass @pass
 * @pass: see @fruitless
 * @epoch: number of the present one
 */
struct gpubp_share {
	struct rb_node node;
	struct gpubp_share *aside;
	struct gpubp_share *full;
	struct list_head creditors;
	u64 id;
	u32 weight;
	u32 owed;
	u64 sum;
	u64 vtime;
	u64 quantum;
	struct gpubp_turn **entries;
	u32 armed;
	u32 nr;
	u32 left;
	u32 put_off;
	u8 waits;
	u32 room;
	u8 heaviest;
	u8 fruitless;
	u64 pass;
	u64 epoch;
};

/**
 * struct gpubp_turns - of a device
 * @key: of the random numbers
 * @draws: random numbers used
 * @quantum: number of the present one, from 1
 * @pass: number of the present pass: proposals among which none is repeated
 * @vtime: gpubp_share.vtime of whoever had the last turn, when it was given
 * @shares: those with entries, by gpubp_share.vtime
 * @aside: those that have nothing to propose in this pass
 * @full: those that are full in this quantum
 * @creditors: those that the next draws are owed to
 * @weight: of all shares with entries
 * @nr: entries of all shares
 */
struct gpubp_turns {
	siphash_key_t key;
	u64 draws;
	u64 quantum;
	u64 pass;
	u64 vtime;
	struct rb_root_cached shares;
	struct gpubp_share *aside;
	struct gpubp_share *full;
	struct list_head creditors;
	u64 weight;
	unsigned int nr;
};

void gpubp_turns_init(struct gpubp_turns *t, const siphash_key_t *key);
void gpubp_share_init(struct gpubp_share *share, u64 id, u32 weight);
void gpubp_share_exit(struct gpubp_share *share);

int gpubp_turn_add(struct gpubp_turns *t, struct gpubp_share *share,
		   struct gpubp_turn *turn, u8 weight);
void gpubp_turn_remove(struct gpubp_turns *t, struct gpubp_turn *turn);

u64 gpubp_turns_random(struct gpubp_turns *t, u64 below);

/* for the policy, in a quantum */
void gpubp_turns_next(struct gpubp_turns *t);
void gpubp_turns_begin(struct gpubp_turns *t);
void gpubp_turns_end(struct gpubp_turns *t, bool by_turn);
struct gpubp_share *gpubp_turns_least(const struct gpubp_turns *t);
struct gpubp_share *gpubp_turns_creditor(const struct gpubp_turns *t);
struct gpubp_share *gpubp_turns_draw(struct gpubp_turns *t);
void gpubp_share_drawn(struct gpubp_turns *t, struct gpubp_share *share,
		       unsigned int places);
void gpubp_turns_set_aside(struct gpubp_turns *t, struct gpubp_share *share);
struct gpubp_turn *gpubp_share_next(struct gpubp_turns *t,
				    struct gpubp_share *share, bool wait);
struct gpubp_turn *gpubp_share_draw(struct gpubp_turns *t,
				    struct gpubp_share *share);
void gpubp_share_charge(struct gpubp_turns *t, struct gpubp_share *share,
			unsigned int places);
void gpubp_share_charge_vain(struct gpubp_turns *t, struct gpubp_share *share);
void gpubp_turn_armed(struct gpubp_turns *t, struct gpubp_turn *turn);
bool gpubp_turn_may_come(const struct gpubp_turns *t,
			 const struct gpubp_turn *turn);
void gpubp_turn_had(struct gpubp_turn *turn);
void gpubp_turn_put_off(struct gpubp_turn *turn);
void gpubp_turn_in_vain(struct gpubp_turns *t, struct gpubp_turn *turn);

#endif /* _GPUBP_TURNS_H */
