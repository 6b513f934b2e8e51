// SPDX-License-Identifier: GPL-2.0
/*
 * Turns: see turns.h.
 *
 * Among shares this is weighted fair queueing by virtual time. Nobody who comes,
 * or who had nothing to propose, starts with less than those who go on. Draws
 * are no part of that: if they were, a share with good luck would have no turns,
 * and its entries no bound. By weight among all that can use one they are fair
 * on average, and who cannot because it is full has as much of later ones.
 *
 * In a share of N entries of weight 1 each has a turn in any 2 N - 1 turns of the
 * share in a row, and at least n / N - 1 in any n of them.
 */
#include <linux/bits.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/math64.h>
#include <linux/mm.h>
#include <linux/rbtree_augmented.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "fairq.h"

/* of gpubp_share.vtime: a comparator quantum at weight 1 */
#define SCALE		BIT_ULL(20)

/* draws that a share can be owed; it has them as soon as it is not full */
#define MOST_OWED	(2 * SCALE)

/* turns of watches that cannot be armed which count as one that can */
#define VAIN		4

/* entries looked at for one that may come, at random and then in a row */
#define TRIES		16
#define SCAN		64

#define LEAST_ROOM	8

/* ---- random numbers ------------------------------------------------------ */

/**
 * gpubp_turns_random() - a random number
 * @t: turns
 * @below: how many numbers there are to choose from
 *
 * Return: 0 to @below - 1, each with the same chance but for one in 2^64 /
 * @below; 0 if @below is 0.
 */
u64 gpubp_turns_random(struct gpubp_turns *t, u64 below)
{
	if (below < 2)
		return 0;
	return mul_u64_u64_shr(siphash_1u64(t->draws++, &t->key), below, 64);
}

/* ---- shares -------------------------------------------------------------- */

static struct gpubp_share *share_of(const struct rb_node *node)
{
	return rb_entry(node, struct gpubp_share, node);
}

static u64 sum_of(const struct rb_node *node)
{
	return node ? share_of(node)->sum : 0;
}

static bool add_up(struct gpubp_share *share, bool exit)
{
	u64 sum = share->weight + sum_of(share->node.rb_left) +
		  sum_of(share->node.rb_right);

	if (exit && share->sum == sum)
		return true;
	share->sum = sum;
	return false;
}

RB_DECLARE_CALLBACKS(static, share_sums, struct gpubp_share, node, sum, add_up);

static bool had_less(struct rb_node *na, const struct rb_node *nb)
{
	const struct gpubp_share *a = share_of(na), *b = share_of(nb);

	return a->vtime != b->vtime ? a->vtime < b->vtime : a->id < b->id;
}

static void line_up(struct gpubp_turns *t, struct gpubp_share *share)
{
	share->sum = share->weight;
	rb_add_augmented_cached(&share->node, &t->shares, had_less,
				&share_sums);
}

static void leave_line(struct gpubp_turns *t, struct gpubp_share *share)
{
	rb_erase_augmented_cached(&share->node, &t->shares, &share_sums);
	RB_CLEAR_NODE(&share->node);
}

/*
 * A turn that needs more places than others leave may be put off for ever: with
 * what its share has meanwhile for smaller ones, the share is never the first
 * of a quantum. So after some time the share has nothing else by turns, until
 * it is the first.
 */
static bool is_waiting(const struct gpubp_share *share)
{
	return share->put_off && share->waits == GPUBP_PATIENCE;
}

/**
 * gpubp_turns_least() - whose turn is next
 * @t: turns
 *
 * Return: the share that had least for its weight, or NULL.
 */
struct gpubp_share *gpubp_turns_least(const struct gpubp_turns *t)
{
	struct rb_node *first = rb_first_cached(&t->shares);

	return first ? share_of(first) : NULL;
}

/* where a share begins that comes, or comes back: what it did not use is gone */
static u64 present(const struct gpubp_turns *t)
{
	const struct gpubp_share *least = gpubp_turns_least(t);

	return least ? least->vtime : t->vtime;
}

static bool is_full(const struct gpubp_turns *t, const struct gpubp_share *share)
{
	return share->quantum == t->quantum && share->armed == share->nr;
}

static void owe(struct gpubp_turns *t, struct gpubp_share *share, u64 part)
{
	share->owed = min(share->owed + part, MOST_OWED);
	if (share->owed >= SCALE && list_empty(&share->creditors))
		list_add_tail(&share->creditors, &t->creditors);
}

static void forgive(struct gpubp_share *share)
{
	share->owed = 0;
	list_del_init(&share->creditors);
}

/* each of the others had its weight's part of @places: so is each full one owed */
static void owe_full(struct gpubp_turns *t, const struct gpubp_share *drawn,
		     unsigned int places)
{
	struct gpubp_share *share;
	u64 others = t->weight;

	for (share = t->full; share; share = share->full)
		if (share != drawn)
			others -= share->weight;
	for (share = t->full; share; share = share->full)
		if (share != drawn)
			owe(t, share, div64_u64(places * SCALE * share->weight,
						others));
}

/**
 * gpubp_turns_creditor() - who is to have the next draw
 * @t: turns
 *
 * O(shares that are full, or set aside). Return: one that a draw is owed to and
 * that may use it, or NULL.
 */
struct gpubp_share *gpubp_turns_creditor(const struct gpubp_turns *t)
{
	struct gpubp_share *share;

	list_for_each_entry(share, &t->creditors, creditors)
		if (!RB_EMPTY_NODE(&share->node) && !is_full(t, share))
			return share;
	return NULL;
}

/**
 * gpubp_share_drawn() - a share had a draw
 * @t: turns
 * @share: a creditor; or drawn while there was none, and then each that had no
 *	part in the draw because it is full is owed one
 * @places: comparators that it got for a quantum
 *
 * O(shares that are full).
 */
void gpubp_share_drawn(struct gpubp_turns *t, struct gpubp_share *share,
		       unsigned int places)
{
	if (list_empty(&share->creditors)) {
		owe_full(t, share, places);
		return;
	}
	share->owed -= min(share->owed, places * SCALE);
	if (share->owed < SCALE)
		list_del_init(&share->creditors);
}

/* behind those who wait: to go and come back must not be better than to wait */
static u64 arrival(const struct gpubp_turns *t)
{
	return present(t) + 1;
}

/**
 * gpubp_turns_draw() - some share, by chance
 * @t: turns
 *
 * O(log shares). Return: a share, twice as often if it weighs twice as much, or
 * NULL if there are none.
 */
struct gpubp_share *gpubp_turns_draw(struct gpubp_turns *t)
{
	struct rb_node *node = t->shares.rb_root.rb_node;
	u64 ticket = gpubp_turns_random(t, sum_of(node));

	while (node) {
		struct gpubp_share *share = share_of(node);
		u64 before = sum_of(node->rb_left);

		if (ticket >= before && ticket - before < share->weight)
			return share;
		if (ticket < before) {
			node = node->rb_left;
		} else {
			ticket -= before + share->weight;
			node = node->rb_right;
		}
	}
	return NULL;
}

static void advance(struct gpubp_turns *t, struct gpubp_share *share, u64 by)
{
	leave_line(t, share);
	share->vtime += div_u64(by, share->weight);
	line_up(t, share);
}

/**
 * gpubp_share_charge() - a share had a turn
 * @t: turns
 * @share: not set aside
 * @places: comparators that it got for a quantum
 */
void gpubp_share_charge(struct gpubp_turns *t, struct gpubp_share *share,
			unsigned int places)
{
	t->vtime = max(t->vtime, share->vtime);
	advance(t, share, places * SCALE);
}

/**
 * gpubp_share_charge_vain() - a share had a turn for a watch that cannot be armed
 * @t: turns
 * @share: not set aside
 *
 * If that were for nothing, users of whom nobody can be armed would be looked at
 * before all others in each quantum.
 */
void gpubp_share_charge_vain(struct gpubp_turns *t, struct gpubp_share *share)
{
	advance(t, share, SCALE / VAIN);
}

/**
 * gpubp_turns_set_aside() - a share has nothing to propose in this pass
 * @t: turns
 * @share: has entries
 */
void gpubp_turns_set_aside(struct gpubp_turns *t, struct gpubp_share *share)
{
	if (RB_EMPTY_NODE(&share->node))
		return;
	leave_line(t, share);
	share->aside = t->aside;
	t->aside = share;
}

/**
 * gpubp_turns_next() - the next quantum: nobody is armed
 * @t: turns
 */
void gpubp_turns_next(struct gpubp_turns *t)
{
	t->quantum++;
	t->full = NULL;
}

/**
 * gpubp_turns_begin() - begin a pass: whatever may come may be proposed again
 * @t: turns
 */
void gpubp_turns_begin(struct gpubp_turns *t)
{
	t->pass++;
}

/**
 * gpubp_turns_end() - end a pass: nobody is set aside any more
 * @t: turns
 * @by_turn: it was for turns, so who was set aside was passed over
 *
 * Who was passed over has not saved up anything, but for what it put off.
 */
void gpubp_turns_end(struct gpubp_turns *t, bool by_turn)
{
	u64 now = present(t);
	struct gpubp_share *share;

	while ((share = t->aside)) {
		t->aside = share->aside;
		if (by_turn && !share->put_off)
			share->vtime = max(share->vtime, now);
		line_up(t, share);
	}
}

/* ---- entries ------------------------------------------------------------- */

static void put_at(struct gpubp_share *share, u32 at, struct gpubp_turn *turn)
{
	share->entries[at] = turn;
	turn->at = at;
}

/* the last of a part fills a place that was left; the part ends before @last */
static u32 fill(struct gpubp_share *share, u32 at, u32 last)
{
	if (at != last)
		put_at(share, at, share->entries[last]);
	return last;
}

/* three parts: place @at was left, and which is free instead, behind the part */
static u32 close_put_off(struct gpubp_share *share, u32 at)
{
	if (!at)
		share->waits = 0;
	for (; at + 1 < share->put_off; at++)
		put_at(share, at, share->entries[at + 1]);
	return --share->put_off;
}

static u32 close_to_come(struct gpubp_share *share, u32 at)
{
	return fill(share, at, --share->left);
}

static u32 close_had(struct gpubp_share *share, u32 at)
{
	return fill(share, at, --share->nr);
}

/**
 * gpubp_turn_may_come() - may it be proposed now?
 * @t: turns
 * @turn: turn
 *
 * Return: false if it is armed in this quantum, was proposed in this pass, or
 * has no turns at all.
 */
bool gpubp_turn_may_come(const struct gpubp_turns *t,
			 const struct gpubp_turn *turn)
{
	return turn->share && turn->quantum != t->quantum &&
	       turn->pass != t->pass;
}

/**
 * gpubp_turn_armed() - it is armed in this quantum, and may not come any more
 * @t: turns
 * @turn: has a share; was not armed
 */
void gpubp_turn_armed(struct gpubp_turns *t, struct gpubp_turn *turn)
{
	struct gpubp_share *share = turn->share;

	turn->quantum = t->quantum;
	if (share->quantum != t->quantum)
		share->armed = 0;
	share->quantum = t->quantum;
	if (++share->armed < share->nr)
		return;
	share->full = t->full;
	t->full = share;
}

/* places of a part of @share in a row, from one by chance: who may come first */
static struct gpubp_turn *scan(struct gpubp_turns *t,
			       const struct gpubp_share *share, u32 from, u32 to)
{
	u32 start = gpubp_turns_random(t, to - from);
	u32 i, n = min_t(u32, to - from, SCAN);

	for (i = 0; i < n; i++) {
		u32 at = from + (start + i) % (to - from);

		if (gpubp_turn_may_come(t, share->entries[at]))
			return share->entries[at];
	}
	return NULL;
}

/*
 * One of a part of @share that may come, by chance, and by weight if one of
 * @heaviest would always be taken. Hardly anybody in a long part may not; a
 * short one is searched to its end.
 */
static struct gpubp_turn *pick(struct gpubp_turns *t,
			       const struct gpubp_share *share, u32 from, u32 to,
			       u8 heaviest)
{
	struct gpubp_turn *turn;
	unsigned int i;

	for (i = 0; i < TRIES && from < to; i++) {
		turn = share->entries[from + gpubp_turns_random(t, to - from)];
		if (gpubp_turn_may_come(t, turn) &&
		    gpubp_turns_random(t, heaviest) < turn->weight)
			return turn;
	}
	return scan(t, share, from, to);
}

static struct gpubp_turn *first_put_off(const struct gpubp_turns *t,
					const struct gpubp_share *share)
{
	u32 i;

	for (i = 0; i < share->put_off; i++)
		if (gpubp_turn_may_come(t, share->entries[i]))
			return share->entries[i];
	return NULL;
}

/**
 * gpubp_share_next() - whose turn it is in a share
 * @t: turns
 * @share: has entries
 * @wait: nothing else may come while it waits for one put off
 *
 * Those put off come first, then those that are to come in this epoch, or in a
 * new one if all were. If no such entry may come now, one that was is better
 * than nobody: it has an extra quantum then.
 *
 * Return: a turn that may come, or NULL.
 */
struct gpubp_turn *gpubp_share_next(struct gpubp_turns *t,
				    struct gpubp_share *share, bool wait)
{
	struct gpubp_turn *turn = first_put_off(t, share);

	if (wait && is_waiting(share))
		return turn == share->entries[0] ? turn : NULL;
	if (turn)
		return turn;
	if (!share->left) {
		share->left = share->nr;
		share->epoch++;
	}
	turn = pick(t, share, share->put_off, share->left, share->heaviest);
	return turn ?: scan(t, share, share->left, share->nr);
}

/**
 * gpubp_share_draw() - some entry of a share, by chance
 * @t: turns
 * @share: has entries
 *
 * Return: one of those that may come, whatever turns they had and whatever they
 * weigh, each with the same chance, or NULL.
 */
struct gpubp_turn *gpubp_share_draw(struct gpubp_turns *t,
				    struct gpubp_share *share)
{
	return pick(t, share, 0, share->nr, 1);
}

/**
 * gpubp_turn_had() - it had a turn of this epoch, if it had one left
 * @turn: has a share
 */
void gpubp_turn_had(struct gpubp_turn *turn)
{
	struct gpubp_share *share = turn->share;
	u32 at = turn->at;

	if (at >= share->left)
		return;
	if (at < share->put_off)
		at = close_put_off(share, at);
	if (++turn->had == turn->weight) {
		turn->had = 0;
		at = close_to_come(share, at);
	}
	put_at(share, at, turn);
}

/**
 * gpubp_turn_put_off() - it is first in the next pass
 * @turn: has a share
 *
 * Of no effect if it has no turn left, or if too many were put off: it is one of
 * those to come then, as it was.
 */
void gpubp_turn_put_off(struct gpubp_turn *turn)
{
	struct gpubp_share *share = turn->share;

	if (share->put_off && !turn->at)
		share->waits = min(share->waits + 1, GPUBP_PATIENCE);
	if (turn->at < share->put_off || turn->at >= share->left ||
	    share->put_off == GPUBP_MAX_PUT_OFF)
		return;
	put_at(share, turn->at, share->entries[share->put_off]);
	put_at(share, share->put_off++, turn);
}

/**
 * gpubp_turn_in_vain() - it was proposed, but cannot be armed now
 * @t: turns
 * @turn: has a share
 *
 * A share that proposes in vain too often in a pass is set aside.
 */
void gpubp_turn_in_vain(struct gpubp_turns *t, struct gpubp_turn *turn)
{
	struct gpubp_share *share = turn->share;

	turn->pass = t->pass;
	if (share->pass != t->pass)
		share->fruitless = 0;
	share->pass = t->pass;
	if (++share->fruitless == GPUBP_MAX_FRUITLESS)
		gpubp_turns_set_aside(t, share);
}

/* ---- who comes and goes -------------------------------------------------- */

static int resize(struct gpubp_share *share, u32 room)
{
	struct gpubp_turn **entries;

	entries = kvmalloc_array(room, sizeof(*entries),
				 GFP_KERNEL_ACCOUNT | __GFP_RETRY_MAYFAIL |
				 __GFP_NOWARN);
	if (!entries)
		return -ENOMEM;
	if (share->nr)
		memcpy(entries, share->entries, share->nr * sizeof(*entries));
	kvfree(share->entries);
	share->entries = entries;
	share->room = room;
	return 0;
}

static int make_room(struct gpubp_share *share)
{
	if (share->nr < share->room)
		return 0;
	if (share->nr > U32_MAX / 2)
		return -ENOMEM;
	return resize(share, max_t(u32, 2 * share->room, LEAST_ROOM));
}

/* far from where it would have to grow again; no matter if there is no memory */
static void give_room_back(struct gpubp_share *share)
{
	if (share->room > LEAST_ROOM && share->nr < share->room / 4)
		resize(share, share->room / 2);
}

/**
 * gpubp_turns_init() - no shares, first quantum not begun
 * @t: turns
 * @key: of the random numbers
 */
void gpubp_turns_init(struct gpubp_turns *t, const siphash_key_t *key)
{
	*t = (struct gpubp_turns) { .key = *key, .shares = RB_ROOT_CACHED };
	INIT_LIST_HEAD(&t->creditors);
}

/**
 * gpubp_share_init() - a share without entries
 * @share: share
 * @id: unique among those of a device
 * @weight: 1 and more
 */
void gpubp_share_init(struct gpubp_share *share, u64 id, u32 weight)
{
	*share = (struct gpubp_share) { .id = id, .weight = weight };
	RB_CLEAR_NODE(&share->node);
	INIT_LIST_HEAD(&share->creditors);
}

/**
 * gpubp_share_exit() - give back what a share allocated
 * @share: has no entries
 */
void gpubp_share_exit(struct gpubp_share *share)
{
	kvfree(share->entries);
	share->entries = NULL;
	share->room = 0;
}

static void share_comes(struct gpubp_turns *t, struct gpubp_share *share)
{
	line_up(t, share);
	t->weight += share->weight;
}

static void share_goes(struct gpubp_turns *t, struct gpubp_share *share)
{
	leave_line(t, share);
	t->weight -= share->weight;
}

/**
 * gpubp_turn_add() - one more has turns
 * @t: turns
 * @share: whose it is
 * @turn: has no turns now
 * @weight: turns in an epoch, 1 and more
 *
 * It is to come in the present epoch. A share that had no entries starts with as
 * much as the one that had least, and behind that. O(1) but for an allocation now and then,
 * O(log shares) for the first of a share. Not in a quantum. Return: 0 or
 * -ENOMEM, and nothing changed then.
 */
int gpubp_turn_add(struct gpubp_turns *t, struct gpubp_share *share,
		   struct gpubp_turn *turn, u8 weight)
{
	int err = make_room(share);

	if (err)
		return err;
	*turn = (struct gpubp_turn) { .share = share, .weight = weight };
	if (!share->nr) {
		share->vtime = max(share->vtime, arrival(t));
		share_comes(t, share);
		share->heaviest = 0;
	}
	share->heaviest = max(share->heaviest, weight);
	if (share->left < share->nr)
		put_at(share, share->nr, share->entries[share->left]);
	put_at(share, share->left++, turn);
	share->nr++;
	t->nr++;
	return 0;
}

/**
 * gpubp_turn_remove() - it has no turns any more
 * @t: turns
 * @turn: turn; nothing to do if it has none
 *
 * O(1) but for copying the rest of a share when most of it went, O(log shares)
 * for the last of a share. Not in a quantum.
 */
void gpubp_turn_remove(struct gpubp_turns *t, struct gpubp_turn *turn)
{
	struct gpubp_share *share = turn->share;
	u32 at = turn->at;

	if (!share)
		return;
	if (at < share->put_off)
		at = close_put_off(share, at);
	if (at < share->left)
		at = close_to_come(share, at);
	close_had(share, at);
	if (!share->nr) {
		share_goes(t, share);
		forgive(share);
	}
	give_room_back(share);
	turn->share = NULL;
	t->nr--;
}
