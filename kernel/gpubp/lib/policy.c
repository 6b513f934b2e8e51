// SPDX-License-Identifier: GPL-2.0
/*
 * Policy: pinned watches first, the others take turns, some are drawn.
 *
 * With F slots left by the pinned ones, a quantum of the fair policy fills F - 1
 * of them by turns and the last one by a draw; then whoever still fits comes, by
 * turns. A turn that needs more than F - 1 slots may have them all, but only if
 * the quantum before had its draw: with F = 1 that is every second quantum.
 *
 * A turn that does not fit beside those before it is put off, and is first in
 * the next quantum; meanwhile others come. As nobody is left behind when an epoch
 * ends, that costs no watch its turn.
 *
 * N watches of one user and of one slot each therefore get, F >= 2:
 *	- in t quanta in a row at least t (F - 1) / N - 1 armed ones,
 *	- no gap of more than 2 ceil(N / (F - 1)) quanta,
 *	- a share of F / N in the long run, by symmetry.
 * Of several users each has its part of the F - 1 slots that turns fill at every
 * moment, and of all F in the long run, less what it has too few watches for.
 * N counts those that come meanwhile.
 *
 * Work of a quantum: LOOKS_PER_SLOT proposals a slot, and SHARERS_PER_SLOT
 * watches that its slots may serve anyway, fewer if they have groups; each O(slots *
 * contexts that share one + log users). When most of very many watches cannot be
 * armed a slot may stay free for a quantum though there is somebody for it.
 */
#include <linux/bitops.h>
#include <linux/errno.h>
#include <linux/kernel.h>

#include "policy.h"

#define LOOKS_PER_SLOT		16
#define SHARERS_PER_SLOT	1024
#define GROUP_PRICE		32	/* sharers, for one that has a group */

/* members of a group: more than there are slots, for they may share */
#define MAX_MATES		(4 * GPUBP_MAX_SLOTS)

/**
 * struct round - one quantum in the making
 * @p: policy
 * @ops: the caller's
 * @arg: for @ops
 * @armed: candidates that are armed by turns, drawn or shared
 * @layout: of all that are armed
 * @pinned: of the pinned ones alone
 * @max: places there are
 * @fair: GPUBP_POLICY_FAIR
 * @looks: candidates that may still be asked for
 */
struct round {
	struct gpubp_policy *p;
	const struct gpubp_policy_ops *ops;
	void *arg;
	struct list_head *armed;
	struct gpubp_placement layout;
	struct gpubp_placement pinned;
	unsigned int max;
	bool fair;
	unsigned int looks;
};

/* ---- units: what is armed together --------------------------------------- */

static struct gpubp_cand *describe(struct round *r, struct gpubp_turn *turn)
{
	struct gpubp_cand *c = r->ops->describe(turn, r->arg);

	if (r->looks)
		r->looks--;
	if (c) {
		c->turn = turn;
		c->armed = false;
	}
	return c;
}

static void drop_all(struct round *r, struct list_head *unit)
{
	struct gpubp_cand *c, *next;

	list_for_each_entry_safe(c, next, unit, node) {
		list_del(&c->node);
		r->ops->drop(c, r->arg);
	}
}

static struct gpubp_turn *mate(struct round *r, struct gpubp_turn *turn,
			       struct gpubp_turn *prev)
{
	return r->ops->mate ? r->ops->mate(turn, prev, r->arg) : NULL;
}

/*
 * Whether @turn has others to be armed with. A group of which one is armed
 * already takes turns one by one, and so does one with too many members.
 */
static bool has_group(struct round *r, struct gpubp_turn *turn)
{
	struct gpubp_turn *m;
	unsigned int n = 0;

	for (m = mate(r, turn, NULL); m; m = mate(r, turn, m))
		if (m->share && (m->quantum == r->p->turns.quantum ||
				 ++n > MAX_MATES))
			return false;
	return n > 1;
}

/* one member, if those up to it fit where only the pinned ones are */
static int describe_mate(struct round *r, struct gpubp_turn *m,
			 struct list_head *unit)
{
	struct gpubp_cand *c = describe(r, m);

	if (!c)
		return -ENOENT;
	if (gpubp_placement_add(&r->pinned, c, r->max) < 0) {
		r->ops->drop(c, r->arg);
		return -ENOSPC;
	}
	list_add_tail(&c->node, unit);
	return 0;
}

static int describe_group(struct round *r, struct gpubp_turn *turn,
			  struct list_head *unit)
{
	struct gpubp_turn *m;
	int err = 0;

	for (m = mate(r, turn, NULL); m && !err; m = mate(r, turn, m))
		if (m->share)
			err = describe_mate(r, m, unit);
	gpubp_placement_undo_all(&r->pinned, unit);
	if (err)
		drop_all(r, unit);
	return err;
}

/* the group of @turn if it fits at all, else @turn; nothing if one cannot be */
static void describe_unit(struct round *r, struct gpubp_turn *turn,
			  struct list_head *unit)
{
	struct gpubp_cand *c;

	if (has_group(r, turn) && describe_group(r, turn, unit) != -ENOSPC)
		return;
	c = describe(r, turn);
	if (c)
		list_add_tail(&c->node, unit);
}

static bool fits_at_all(struct round *r, struct list_head *unit)
{
	if (gpubp_placement_add_all(&r->pinned, unit, r->max) < 0)
		return false;
	gpubp_placement_undo_all(&r->pinned, unit);
	return true;
}

static void arm(struct round *r, struct list_head *unit, bool by_turn)
{
	struct gpubp_cand *c;

	list_for_each_entry(c, unit, node) {
		c->armed = true;
		gpubp_turn_armed(&r->p->turns, c->turn);
		r->p->armed++;
		if (by_turn)
			gpubp_turn_had(c->turn);
	}
	list_splice_tail_init(unit, r->armed);
}

/*
 * Arm a turn, and all of its group, if they fit. Returns places that they took,
 * -EAGAIN if they may fit in another quantum, or -ENOENT if they cannot be armed
 * at all.
 */
static int propose(struct round *r, struct gpubp_turn *turn, unsigned int max,
		   bool by_turn)
{
	LIST_HEAD(unit);
	int places;

	describe_unit(r, turn, &unit);
	if (list_empty(&unit))
		return -ENOENT;
	places = gpubp_placement_add_all(&r->layout, &unit, max);
	if (places >= 0) {
		arm(r, &unit, by_turn);
		return places;
	}
	places = fits_at_all(r, &unit) ? -EAGAIN : -ENOENT;
	drop_all(r, &unit);
	return places;
}

/* ---- passes -------------------------------------------------------------- */

static void take_turn(struct round *r, struct gpubp_share *share,
		      struct gpubp_turn *turn, unsigned int max)
{
	struct gpubp_turns *t = &r->p->turns;
	int places = propose(r, turn, max, true);

	if (places == -EAGAIN) {
		gpubp_turn_put_off(turn);
		gpubp_turn_in_vain(t, turn);
		return;
	}
	if (places < 0) {
		gpubp_turn_had(turn);
		gpubp_share_charge_vain(t, share);
		gpubp_turn_in_vain(t, turn);
		return;
	}
	/* one that takes no place counts, too, or it would come for ever */
	gpubp_share_charge(t, share, max(places, 1));
}

/* places that may be in use after the next turn, if one is left for the draw */
static unsigned int turn_limit(const struct round *r)
{
	bool first = r->layout.nr == r->pinned.nr;

	return first && r->p->drawn ? r->max : r->max - 1;
}

static void take_turns(struct round *r, bool leave_one)
{
	struct gpubp_turns *t = &r->p->turns;
	struct gpubp_share *share;
	struct gpubp_turn *turn;
	unsigned int max = r->max;

	gpubp_turns_begin(t);
	while (r->looks && (share = gpubp_turns_least(t))) {
		if (leave_one)
			max = turn_limit(r);
		if (r->layout.nr >= max)
			break;
		turn = gpubp_share_next(t, share, leave_one);
		if (turn)
			take_turn(r, share, turn, max);
		else
			gpubp_turns_set_aside(t, share);
	}
	gpubp_turns_end(t, true);
}

static struct gpubp_share *draw_share(struct round *r)
{
	struct gpubp_share *share = NULL;

	if (r->fair)
		share = gpubp_turns_creditor(&r->p->turns);
	return share ?: gpubp_turns_draw(&r->p->turns);
}

static void take_draw(struct round *r, struct gpubp_share *share,
		      struct gpubp_turn *turn)
{
	int places = propose(r, turn, r->max, false);

	if (places < 0)
		gpubp_turn_in_vain(&r->p->turns, turn);
	else if (r->fair)
		gpubp_share_drawn(&r->p->turns, share, places);
}

static void draw(struct round *r)
{
	struct gpubp_turns *t = &r->p->turns;
	struct gpubp_share *share;
	struct gpubp_turn *turn;

	gpubp_turns_begin(t);
	while (r->looks && r->layout.nr < r->max && (share = draw_share(r))) {
		turn = gpubp_share_draw(t, share);
		if (turn)
			take_draw(r, share, turn);
		else
			gpubp_turns_set_aside(t, share);
	}
	gpubp_turns_end(t, false);
}

/* it is a search to find them */
static bool has_mates(struct round *r, struct gpubp_turn *turn)
{
	struct gpubp_turn *first = mate(r, turn, NULL);

	return first && (first != turn || mate(r, turn, turn));
}

/* arm it, if that takes no place; what it cost to try */
static int serve_one(struct round *r, struct gpubp_turn *turn)
{
	if (!r->looks || !gpubp_turn_may_come(&r->p->turns, turn))
		return 1;
	if (propose(r, turn, r->layout.nr, false) < 0)
		gpubp_turn_in_vain(&r->p->turns, turn);
	return has_mates(r, turn) ? GROUP_PRICE : 1;
}

static void serve(struct round *r, const struct gpubp_vslot *place)
{
	const struct gpubp_block block = { place->value, place->users->mask };
	int left = SHARERS_PER_SLOT;
	u32 ctx = place->users->ctx;
	struct gpubp_turn *turn;

	for (turn = r->ops->sharer(ctx, &block, NULL, r->arg);
	     turn && left > 0;
	     turn = r->ops->sharer(ctx, &block, turn, r->arg))
		left -= serve_one(r, turn);
}

/* whoever the places serve anyway is armed for nothing, and keeps its turn */
static void serve_all(struct round *r)
{
	unsigned int i;

	if (!r->ops->sharer)
		return;
	r->looks = SHARERS_PER_SLOT * r->layout.nr;
	gpubp_turns_begin(&r->p->turns);
	for (i = 0; i < r->layout.nr; i++)
		serve(r, &r->layout.vslots[i]);
	gpubp_turns_end(&r->p->turns, false);
}

/* ---- a quantum ----------------------------------------------------------- */

/* it is armed already, and no turn of this epoch waits for it */
static void pass_over(struct round *r, struct gpubp_turn *turn)
{
	gpubp_turn_armed(&r->p->turns, turn);
	r->p->armed++;
	gpubp_turn_had(turn);
}

static void put_pinned(struct round *r, struct list_head *pinned)
{
	struct gpubp_cand *c;

	list_for_each_entry(c, pinned, node) {
		c->armed = gpubp_placement_add(&r->layout, c, r->max) >= 0;
		if (c->armed && c->turn->share)
			pass_over(r, c->turn);
	}
	r->pinned = r->layout;
	r->p->flexible = r->max - r->layout.nr;
}

static void choose(struct round *r)
{
	if (r->p->flexible && r->fair)
		take_turns(r, true);
	r->p->drawn = r->layout.nr < r->max;
	draw(r);
	take_turns(r, false);
	serve_all(r);
}

static void tell_all(struct list_head *cands, const u8 *number)
{
	struct gpubp_cand *c;

	list_for_each_entry(c, cands, node)
		gpubp_placement_set_slots(c, number);
}

/**
 * gpubp_policy_next() - one quantum: who is armed, and where
 * @p: policy; is the next quantum's on return
 * @caps: device
 * @ops: the caller's
 * @arg: for @ops
 * @pinned: candidates that are pinned, in order of their rights; they stay in
 *	this list, armed or not
 * @armed: empty; on return the other candidates that are armed
 *
 * Takes the same time for any number of turns, see the top of policy.c.
 */
void gpubp_policy_next(struct gpubp_policy *p,
		       const struct gpubp_policy_caps *caps,
		       const struct gpubp_policy_ops *ops, void *arg,
		       struct list_head *pinned, struct list_head *armed)
{
	struct round r = {
		.p = p,
		.ops = ops,
		.arg = arg,
		.armed = armed,
		.layout.modes = caps->modes,
		.layout.cntl_banked = caps->cntl_banked,
		.max = hweight32(caps->usable),
		.fair = caps->kind == GPUBP_POLICY_FAIR,
		.looks = LOOKS_PER_SLOT * hweight32(caps->usable),
	};
	u8 number[GPUBP_MAX_SLOTS];

	gpubp_turns_next(&p->turns);
	p->armed = 0;
	put_pinned(&r, pinned);
	choose(&r);
	gpubp_placement_assign(&r.layout, caps->usable, &p->now, number);
	tell_all(pinned, number);
	tell_all(armed, number);
}

/**
 * gpubp_policy_rotates() - can another quantum be any different?
 * @p: policy
 *
 * Return: false if the same watches need no other quantum: all are armed, or
 * there is no slot for those that are not.
 */
bool gpubp_policy_rotates(const struct gpubp_policy *p)
{
	return p->flexible && p->armed < p->turns.nr;
}

/**
 * gpubp_policy_dither() - length of the next quantum
 * @p: policy
 * @us: mean length, microseconds
 *
 * Return: 1/2 to 3/2 of @us, each length with the same chance.
 */
u32 gpubp_policy_dither(struct gpubp_policy *p, u32 us)
{
	return us - us / 2 + gpubp_turns_random(&p->turns, 2 * (us / 2) + 1);
}

/**
 * gpubp_policy_init() - no watches, nothing in the slots
 * @p: policy
 * @key: of its random numbers
 */
void gpubp_policy_init(struct gpubp_policy *p, const siphash_key_t *key)
{
	*p = (struct gpubp_policy) { .drawn = true };
	gpubp_turns_init(&p->turns, key);
}
