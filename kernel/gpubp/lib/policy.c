// SPDX-License-Identifier: GPL-2.0
/*
 * Policy: pinned watches first, then the fair queue, and draws.
 *
 * With F slots left by the pinned watches, a quantum of the fair policy fills F
 * - 1 of them in the order of the queue and the last one by a draw; what still
 * fits beside them is added in order. An entry that needs more than F - 1 slots
 * may have all F, but only if the quantum before had its draw: with F = 1 that
 * is every second quantum.
 *
 * An entry that does not fit beside those before it is deferred, and is the
 * first of the next quantum; other entries are served in between. No entry
 * stays deferred when an epoch ends, so none loses its service.
 *
 * N watches of one user and of one slot each therefore get, F >= 2:
 *	- in t quanta in a row at least t (F - 1) / N - 1 armed ones,
 *	- no gap of more than 2 ceil(N / (F - 1)) quanta,
 *	- a share of F / N in the long run, by symmetry. Of several users each
 * has its part of the F - 1 ordered slots at every moment, and of all F in the
 * long run, less what it has too few watches for. N counts the watches that are
 * added in between.
 *
 * Work of a quantum: PROPOSALS_PER_SLOT candidates a slot, and SHARES_PER_SLOT
 * watches that its slots may serve as well, fewer if they have groups; each
 * O(slots * contexts that share one + log users). When most of very many
 * watches cannot be armed, a slot may stay unused for a quantum although some
 * watch could use it.
 */
#include <linux/bitops.h>
#include <linux/errno.h>
#include <linux/kernel.h>

#include "policy.h"

#define PROPOSALS_PER_SLOT	16
#define SHARES_PER_SLOT		1024
#define GROUP_COST		32	/* of SHARES_PER_SLOT, for one with a group */

/* members of a group: more than there are slots, for they may share */
#define MAX_GROUP		(4 * GPUBP_MAX_SLOTS)

/**
 * struct policy_round - the quantum being planned
 * @p: policy
 * @ops: the caller's
 * @arg: for @ops
 * @armed: candidates that are armed and not pinned
 * @placement: of all that are armed
 * @pinned: of the pinned ones alone
 * @max: usable slots
 * @fair: GPUBP_POLICY_FAIR
 * @budget: candidates that may still be described
 */
struct policy_round {
	struct gpubp_policy *p;
	const struct gpubp_policy_ops *ops;
	void *arg;
	struct list_head *armed;
	struct gpubp_placement placement;
	struct gpubp_placement pinned;
	unsigned int max;
	bool fair;
	unsigned int budget;
};

/* ---- units: entries armed together -------------------------------------- */

static struct gpubp_candidate *describe_entry(struct policy_round *r,
					      struct gpubp_fairq_entry *entry)
{
	struct gpubp_candidate *c = r->ops->describe(entry, r->arg);

	if (r->budget)
		r->budget--;
	if (c) {
		c->fq = entry;
		c->armed = false;
	}
	return c;
}

static void drop_unit(struct policy_round *r, struct list_head *unit)
{
	struct gpubp_candidate *c, *next;

	list_for_each_entry_safe(c, next, unit, node) {
		list_del(&c->node);
		r->ops->drop(c, r->arg);
	}
}

static struct gpubp_fairq_entry *group_next(struct policy_round *r,
					    struct gpubp_fairq_entry *entry,
					    struct gpubp_fairq_entry *prev)
{
	return r->ops->group_next ? r->ops->group_next(entry, prev, r->arg) :
				    NULL;
}

/*
 * Whether @entry has others to be armed with. The members of a group of which
 * one is armed already are served one by one, and so are those of a too large
 * group.
 */
static bool has_group(struct policy_round *r, struct gpubp_fairq_entry *entry)
{
	struct gpubp_fairq_entry *m;
	unsigned int n = 0;

	for (m = group_next(r, entry, NULL); m; m = group_next(r, entry, m))
		if (m->flow && (m->quantum == (u32)r->p->fairq.quantum ||
				++n > MAX_GROUP))
			return false;
	return n > 1;
}

/* one member, if those up to it fit beside the pinned watches */
static int describe_member(struct policy_round *r, struct gpubp_fairq_entry *m,
			   struct list_head *unit)
{
	struct gpubp_candidate *c = describe_entry(r, m);

	if (!c)
		return -ENOENT;
	if (gpubp_placement_add(&r->pinned, c, r->max) < 0) {
		r->ops->drop(c, r->arg);
		return -ENOSPC;
	}
	list_add_tail(&c->node, unit);
	return 0;
}

static int describe_group(struct policy_round *r,
			  struct gpubp_fairq_entry *entry,
			  struct list_head *unit)
{
	struct gpubp_fairq_entry *m;
	int err = 0;

	for (m = group_next(r, entry, NULL); m && !err;
	     m = group_next(r, entry, m))
		if (m->flow)
			err = describe_member(r, m, unit);
	gpubp_placement_undo_all(&r->pinned, unit);
	if (err)
		drop_unit(r, unit);
	return err;
}

/*
 * The group of @entry if it fits at all, else @entry alone; nothing if one of
 * them cannot be described.
 */
static void describe_unit(struct policy_round *r,
			  struct gpubp_fairq_entry *entry,
			  struct list_head *unit)
{
	struct gpubp_candidate *c;

	if (has_group(r, entry) && describe_group(r, entry, unit) != -ENOSPC)
		return;
	c = describe_entry(r, entry);
	if (c)
		list_add_tail(&c->node, unit);
}

static bool unit_fits_alone(struct policy_round *r, struct list_head *unit)
{
	if (gpubp_placement_add_all(&r->pinned, unit, r->max) < 0)
		return false;
	gpubp_placement_undo_all(&r->pinned, unit);
	return true;
}

static void arm_unit(struct policy_round *r, struct list_head *unit,
		     bool in_order)
{
	struct gpubp_candidate *c;

	list_for_each_entry(c, unit, node) {
		c->armed = true;
		gpubp_fairq_entry_armed(&r->p->fairq, c->fq);
		r->p->armed++;
		if (in_order)
			gpubp_fairq_entry_served(c->fq);
	}
	list_splice_tail_init(unit, r->armed);
}

/*
 * Arm an entry and all of its group, if they fit. Returns the slots that they
 * take, -EAGAIN if they may fit in another quantum, or -ENOENT if they cannot
 * be armed at all.
 */
static int propose_entry(struct policy_round *r,
			 struct gpubp_fairq_entry *entry, unsigned int max,
			 bool in_order)
{
	LIST_HEAD(unit);
	int slots;

	describe_unit(r, entry, &unit);
	if (list_empty(&unit))
		return -ENOENT;
	slots = gpubp_placement_add_all(&r->placement, &unit, max);
	if (slots >= 0) {
		arm_unit(r, &unit, in_order);
		return slots;
	}
	slots = unit_fits_alone(r, &unit) ? -EAGAIN : -ENOENT;
	drop_unit(r, &unit);
	return slots;
}

/* ---- passes -------------------------------------------------------------- */

static void serve_entry(struct policy_round *r, struct gpubp_fairq_flow *flow,
			struct gpubp_fairq_entry *entry, unsigned int max)
{
	struct gpubp_fairq *q = &r->p->fairq;
	int slots = propose_entry(r, entry, max, true);

	if (slots == -EAGAIN) {
		gpubp_fairq_entry_defer(entry);
		gpubp_fairq_entry_unplaceable(q, entry);
		return;
	}
	if (slots < 0) {
		gpubp_fairq_entry_served(entry);
		gpubp_fairq_flow_charge_unplaceable(q, flow);
		gpubp_fairq_entry_unplaceable(q, entry);
		return;
	}
	/*
	 * Also if it takes no slot: its flow must not stay the first for ever.
	 */
	gpubp_fairq_flow_charge(q, flow, max(slots, 1));
}

/* slots that may be in use after the next entry, if one is left for the draw */
static unsigned int max_slots_in_order(const struct policy_round *r)
{
	bool first = r->placement.nr == r->pinned.nr;

	return first && r->p->drawn ? r->max : r->max - 1;
}

static void serve_in_order(struct policy_round *r, bool leave_one)
{
	struct gpubp_fairq *q = &r->p->fairq;
	struct gpubp_fairq_flow *flow;
	struct gpubp_fairq_entry *entry;
	unsigned int max = r->max;

	gpubp_fairq_pass_begin(q);
	while (r->budget && (flow = gpubp_fairq_first_flow(q))) {
		if (leave_one)
			max = max_slots_in_order(r);
		if (r->placement.nr >= max)
			break;
		entry = gpubp_fairq_flow_next(q, flow, leave_one);
		if (entry)
			serve_entry(r, flow, entry, max);
		else
			gpubp_fairq_skip_flow(q, flow);
	}
	gpubp_fairq_pass_end(q, true);
}

static struct gpubp_fairq_flow *draw_flow(struct policy_round *r)
{
	struct gpubp_fairq_flow *flow = NULL;

	if (r->fair)
		flow = gpubp_fairq_deficit_flow(&r->p->fairq);
	return flow ?: gpubp_fairq_draw_flow(&r->p->fairq);
}

static void draw_entry(struct policy_round *r, struct gpubp_fairq_flow *flow,
		       struct gpubp_fairq_entry *entry)
{
	int slots = propose_entry(r, entry, r->max, false);

	if (slots < 0)
		gpubp_fairq_entry_unplaceable(&r->p->fairq, entry);
	else if (r->fair)
		gpubp_fairq_flow_drawn(&r->p->fairq, flow, slots);
}

static void serve_draws(struct policy_round *r)
{
	struct gpubp_fairq *q = &r->p->fairq;
	struct gpubp_fairq_flow *flow;
	struct gpubp_fairq_entry *entry;

	gpubp_fairq_pass_begin(q);
	while (r->budget && r->placement.nr < r->max && (flow = draw_flow(r))) {
		entry = gpubp_fairq_flow_draw(q, flow);
		if (entry)
			draw_entry(r, flow, entry);
		else
			gpubp_fairq_skip_flow(q, flow);
	}
	gpubp_fairq_pass_end(q, false);
}

/* ---- sharing ------------------------------------------------------------- */

/* iterating over a group is a search */
static bool group_is_costly(struct policy_round *r,
			    struct gpubp_fairq_entry *entry)
{
	struct gpubp_fairq_entry *first = group_next(r, entry, NULL);

	return first && (first != entry || group_next(r, entry, entry));
}

/* arm an entry if it takes no further slot; returns the cost of the attempt */
static int share_with_entry(struct policy_round *r,
			    struct gpubp_fairq_entry *entry)
{
	struct gpubp_fairq *q = &r->p->fairq;

	if (!r->budget || !gpubp_fairq_entry_is_eligible(q, entry))
		return 1;
	if (propose_entry(r, entry, r->placement.nr, false) < 0)
		gpubp_fairq_entry_unplaceable(q, entry);
	return group_is_costly(r, entry) ? GROUP_COST : 1;
}

static void share_vslot(struct policy_round *r, const struct gpubp_vslot *v)
{
	const struct gpubp_block block = { v->value, v->users->mask };
	int left = SHARES_PER_SLOT;
	u32 ctx = v->users->ctx;
	struct gpubp_fairq_entry *entry;

	for (entry = r->ops->share_next(ctx, &block, NULL, r->arg);
	     entry && left > 0;
	     entry = r->ops->share_next(ctx, &block, entry, r->arg))
		left -= share_with_entry(r, entry);
}

/* what the slots serve as well is armed for free, and stays pending */
static void share_all(struct policy_round *r)
{
	unsigned int i;

	if (!r->ops->share_next)
		return;
	r->budget = SHARES_PER_SLOT * r->placement.nr;
	gpubp_fairq_pass_begin(&r->p->fairq);
	for (i = 0; i < r->placement.nr; i++)
		share_vslot(r, &r->placement.vslots[i]);
	gpubp_fairq_pass_end(&r->p->fairq, false);
}

/* ---- a quantum ----------------------------------------------------------- */

/* a pinned watch that is queued as well: armed already, and served */
static void count_as_served(struct policy_round *r,
			    struct gpubp_fairq_entry *entry)
{
	gpubp_fairq_entry_armed(&r->p->fairq, entry);
	r->p->armed++;
	gpubp_fairq_entry_served(entry);
}

static void place_pinned(struct policy_round *r, struct list_head *pinned)
{
	struct gpubp_candidate *c;

	list_for_each_entry(c, pinned, node) {
		c->armed = gpubp_placement_add(&r->placement, c, r->max) >= 0;
		if (c->armed && c->fq->flow)
			count_as_served(r, c->fq);
	}
	r->pinned = r->placement;
	r->p->flexible = r->max - r->placement.nr;
}

static void place_flexible(struct policy_round *r)
{
	if (r->p->flexible && r->fair)
		serve_in_order(r, true);
	r->p->drawn = r->placement.nr < r->max;
	serve_draws(r);
	serve_in_order(r, false);
	share_all(r);
}

static void set_slots(struct list_head *cands, const u8 *number)
{
	struct gpubp_candidate *c;

	list_for_each_entry(c, cands, node)
		gpubp_placement_set_slots(c, number);
}

/**
 * gpubp_policy_next() - one quantum: which watches are armed, and where
 * @p: policy; that of the next quantum on return
 * @caps: device
 * @ops: the caller's
 * @arg: for @ops
 * @pinned: candidates that are pinned, in order of priority; they stay in this
 *	list, armed or not
 * @armed: empty; on return the other candidates that are armed
 *
 * The time does not depend on the number of entries, see the top of policy.c.
 */
void gpubp_policy_next(struct gpubp_policy *p,
		       const struct gpubp_policy_caps *caps,
		       const struct gpubp_policy_ops *ops, void *arg,
		       struct list_head *pinned, struct list_head *armed)
{
	struct policy_round r = {
		.p = p,
		.ops = ops,
		.arg = arg,
		.armed = armed,
		.placement.modes = caps->modes,
		.placement.cntl_banked = caps->cntl_banked,
		.max = hweight32(caps->usable),
		.fair = caps->kind == GPUBP_POLICY_FAIR,
		.budget = PROPOSALS_PER_SLOT * hweight32(caps->usable),
	};
	u8 number[GPUBP_MAX_SLOTS];

	gpubp_fairq_next_quantum(&p->fairq);
	p->armed = 0;
	place_pinned(&r, pinned);
	place_flexible(&r);
	gpubp_placement_assign(&r.placement, caps->usable, &p->now, number);
	set_slots(pinned, number);
	set_slots(armed, number);
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
 * Return: 1/2 to 3/2 of @us, uniformly.
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
