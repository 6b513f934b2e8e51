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

static struct gpubp_cand *describe(struct round *r, struct gpubp_fairq_entry *entry)
{
	struct gpubp_cand *c = r->ops->describe(entry, r->arg);

	if (r->looks)
		r->looks--;
	if (c) {
		c->fq = entry;
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

static struct gpubp_fairq_entry *mate(struct round *r, struct gpubp_fairq_entry *entry,
				      struct gpubp_fairq_entry *prev)
{
	return r->ops->group_next ? r->ops->group_next(entry, prev, r->arg) : NULL;
}

/*
 * Whether @turn has others to be armed with. A group of which one is armed
 * already takes turns one by one, and so does one with too many members.
 */
static bool has_group(struct round *r, struct gpubp_fairq_entry *entry)
{
	struct gpubp_fairq_entry *m;
	unsigned int n = 0;

	for (m = mate(r, entry, NULL); m; m = mate(r, entry, m))
		if (m->flow && (m->quantum == r->p->fairq.quantum ||
				 ++n > MAX_MATES))
			return false;
	return n > 1;
}

/* one member, if those up to it fit where only the pinned ones are */
static int describe_mate(struct round *r, struct gpubp_fairq_entry *m,
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

static int describe_group(struct round *r, struct gpubp_fairq_entry *entry,
			  struct list_head *unit)
{
	struct gpubp_fairq_entry *m;
	int err = 0;

	for (m = mate(r, entry, NULL); m && !err; m = mate(r, entry, m))
		if (m->flow)
			err = describe_mate(r, m, unit);
	gpubp_placement_undo_all(&r->pinned, unit);
	if (err)
		drop_all(r, unit);
	return err;
}

/* the group of @turn if it fits at all, else @turn; nothing if one cannot be */
static void describe_unit(struct round *r, struct gpubp_fairq_entry *entry,
			  struct list_head *unit)
{
	struct gpubp_cand *c;

	if (has_group(r, entry) && describe_group(r, entry, unit) != -ENOSPC)
		return;
	c = describe(r, entry);
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
		gpubp_fairq_entry_armed(&r->p->fairq, c->fq);
		r->p->armed++;
		if (by_turn)
			gpubp_fairq_entry_served(c->fq);
	}
	list_splice_tail_init(unit, r->armed);
}

/*
 * Arm a turn, and all of its group, if they fit. Returns places that they took,
 * -EAGAIN if they may fit in another quantum, or -ENOENT if they cannot be armed
 * at all.
 */
static int propose(struct round *r, struct gpubp_fairq_entry *entry, unsigned int max,
		   bool by_turn)
{
	LIST_HEAD(unit);
	int places;

	describe_unit(r, entry, &unit);
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

static void take_turn(struct round *r, struct gpubp_fairq_flow *flow,
		      struct gpubp_fairq_entry *entry, unsigned int max)
{
	struct gpubp_fairq *t = &r->p->fairq;
	int places = propose(r, entry, max, true);

	if (places == -EAGAIN) {
		gpubp_fairq_entry_defer(entry);
		gpubp_fairq_entry_unplaceable(t, entry);
		return;
	}
	if (places < 0) {
		gpubp_fairq_entry_served(entry);
		gpubp_fairq_flow_charge_unplaceable(t, flow);
		gpubp_fairq_entry_unplaceable(t, entry);
		return;
	}
	/* one that takes no place counts, too, or it would come for ever */
	gpubp_fairq_flow_charge(t, flow, max(places, 1));
}

/* places that may be in use after the next turn, if one is left for the draw */
static unsigned int turn_limit(const struct round *r)
{
	bool first = r->layout.nr == r->pinned.nr;

	return first && r->p->drawn ? r->max : r->max - 1;
}

static void take_turns(struct round *r, bool leave_one)
{
	struct gpubp_fairq *t = &r->p->fairq;
	struct gpubp_fairq_flow *flow;
	struct gpubp_fairq_entry *entry;
	unsigned int max = r->max;

	gpubp_fairq_pass_begin(t);
	while (r->looks && (flow = gpubp_fairq_first_flow(t))) {
		if (leave_one)
			max = turn_limit(r);
		if (r->layout.nr >= max)
			break;
		entry = gpubp_fairq_flow_next(t, flow, leave_one);
		if (entry)
			take_turn(r, flow, entry, max);
		else
			gpubp_fairq_skip_flow(t, flow);
	}
	gpubp_fairq_pass_end(t, true);
}

static struct gpubp_fairq_flow *draw_share(struct round *r)
{
	struct gpubp_fairq_flow *flow = NULL;

	if (r->fair)
		flow = gpubp_fairq_deficit_flow(&r->p->fairq);
	return flow ?: gpubp_fairq_draw_flow(&r->p->fairq);
}

static void take_draw(struct round *r, struct gpubp_fairq_flow *flow,
		      struct gpubp_fairq_entry *entry)
{
	int places = propose(r, entry, r->max, false);

	if (places < 0)
		gpubp_fairq_entry_unplaceable(&r->p->fairq, entry);
	else if (r->fair)
		gpubp_fairq_flow_drawn(&r->p->fairq, flow, places);
}

static void draw(struct round *r)
{
	struct gpubp_fairq *t = &r->p->fairq;
	struct gpubp_fairq_flow *flow;
	struct gpubp_fairq_entry *entry;

	gpubp_fairq_pass_begin(t);
	while (r->looks && r->layout.nr < r->max && (flow = draw_share(r))) {
		entry = gpubp_fairq_flow_draw(t, flow);
		if (entry)
			take_draw(r, flow, entry);
		else
			gpubp_fairq_skip_flow(t, flow);
	}
	gpubp_fairq_pass_end(t, false);
}

/* it is a search to find them */
static bool has_mates(struct round *r, struct gpubp_fairq_entry *entry)
{
	struct gpubp_fairq_entry *first = mate(r, entry, NULL);

	return first && (first != entry || mate(r, entry, entry));
}

/* arm it, if that takes no place; what it cost to try */
static int serve_one(struct round *r, struct gpubp_fairq_entry *entry)
{
	if (!r->looks || !gpubp_fairq_entry_is_eligible(&r->p->fairq, entry))
		return 1;
	if (propose(r, entry, r->layout.nr, false) < 0)
		gpubp_fairq_entry_unplaceable(&r->p->fairq, entry);
	return has_mates(r, entry) ? GROUP_PRICE : 1;
}

static void serve(struct round *r, const struct gpubp_vslot *place)
{
	const struct gpubp_block block = { place->value, place->users->mask };
	int left = SHARERS_PER_SLOT;
	u32 ctx = place->users->ctx;
	struct gpubp_fairq_entry *entry;

	for (entry = r->ops->share_next(ctx, &block, NULL, r->arg);
	     entry && left > 0;
	     entry = r->ops->share_next(ctx, &block, entry, r->arg))
		left -= serve_one(r, entry);
}

/* whoever the places serve anyway is armed for nothing, and keeps its turn */
static void serve_all(struct round *r)
{
	unsigned int i;

	if (!r->ops->share_next)
		return;
	r->looks = SHARERS_PER_SLOT * r->layout.nr;
	gpubp_fairq_pass_begin(&r->p->fairq);
	for (i = 0; i < r->layout.nr; i++)
		serve(r, &r->layout.vslots[i]);
	gpubp_fairq_pass_end(&r->p->fairq, false);
}

/* ---- a quantum ----------------------------------------------------------- */

/* it is armed already, and no turn of this epoch waits for it */
static void pass_over(struct round *r, struct gpubp_fairq_entry *entry)
{
	gpubp_fairq_entry_armed(&r->p->fairq, entry);
	r->p->armed++;
	gpubp_fairq_entry_served(entry);
}

static void put_pinned(struct round *r, struct list_head *pinned)
{
	struct gpubp_cand *c;

	list_for_each_entry(c, pinned, node) {
		c->armed = gpubp_placement_add(&r->layout, c, r->max) >= 0;
		if (c->armed && c->fq->flow)
			pass_over(r, c->fq);
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

	gpubp_fairq_next_quantum(&p->fairq);
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
	return p->flexible && p->armed < p->fairq.nr;
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
	return us - us / 2 + gpubp_fairq_random(&p->fairq, 2 * (us / 2) + 1);
}

/**
 * gpubp_policy_init() - no watches, nothing in the slots
 * @p: policy
 * @key: of its random numbers
 */
void gpubp_policy_init(struct gpubp_policy *p, const siphash_key_t *key)
{
	*p = (struct gpubp_policy) { .drawn = true };
	gpubp_fairq_init(&p->fairq, key);
}
