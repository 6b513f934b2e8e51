// SPDX-License-Identifier: GPL-2.0
#include <linux/bitops.h>
#include <linux/kernel.h>
#include <linux/string.h>

#include "../tap.h"
#include "judge.h"
#include "lib/placement.h"

/* requests per slot in a quantum that policy.c guarantees not to exceed */
#define MOST_LOOKS	48
#define MOST_MATES	64

/* after this many requests in a quantum a slot may stay free */
#define LEAST_LOOKS	16

void world_print(const struct world *w)
{
	unsigned int i;

	tap_note("usable %#x banked %d modes %#x kind %d quantum %llu",
		 w->caps.usable, w->caps.cntl_banked, w->caps.modes,
		 w->caps.kind, w->p.fairq.quantum);
	for (i = 0; i < w->nr; i++) {
		const struct watch *x = w->watches[i];
		const struct gpubp_candidate *c = &x->c;

		tap_note("watch ctx %u mode %u%s%s group %u: %#llx/%#llx %#llx/%#llx: armed %d slots %#x waited %u",
			 c->ctx, c->mode, x->pinned ? " pinned" : "",
			 x->refused ? " refused" : "", x->group,
			 c->block[0].value, c->block[0].mask,
			 c->nr_blocks > 1 ? c->block[1].value : 0,
			 c->nr_blocks > 1 ? c->block[1].mask : 0,
			 c->armed, c->slots, x->waited);
	}
}

/* ---- the policy's view of a device --------------------------------------- */

static struct watch *watch_of(struct gpubp_fairq_entry *entry)
{
	return container_of(entry, struct watch, fq);
}

static unsigned int index_of(const struct world *w, const struct watch *x)
{
	unsigned int i;

	for (i = 0; i < w->nr && w->watches[i] != x; i++)
		;
	return i;
}

static unsigned int share_of(const struct world *w, const struct watch *x)
{
	return x->fq.flow - w->shares;
}

static void breaks(struct world *w, bool broken, const char *rule)
{
	if (broken && !w->broken)
		w->broken = rule;
}

/* output fields must not matter as input */
static void fill(struct gpubp_candidate *cand, struct watch *x)
{
	*cand = x->c;
	cand->priv = x;
	cand->armed = !x->c.armed;
	cand->fq = &x->fq;
	memset(cand->user, 0xa5, sizeof(cand->user));
	memset(cand->slot, 0xa5, sizeof(cand->slot));
}

static struct gpubp_candidate *describe(struct gpubp_fairq_entry *entry,
					void *arg)
{
	struct world *w = arg;
	struct watch *x = watch_of(entry);

	w->described++;
	breaks(w, !entry->flow, "asked for a watch that has no turns");
	breaks(w, x->out, "asked for a watch that is armed");
	if (x->refused) {
		w->unplaceable[share_of(w, x)]++;
		return NULL;
	}
	fill(&x->asked, x);
	x->out = true;
	return &x->asked;
}

static void drop(struct gpubp_candidate *cand, void *arg)
{
	struct world *w = arg;
	struct watch *x = cand->priv;

	breaks(w, !x->out, "dropped twice");
	x->out = false;
	w->unplaceable[share_of(w, x)]++;
}

static struct gpubp_fairq_entry *
group_next(struct gpubp_fairq_entry *entry,
	   struct gpubp_fairq_entry *prev, void *arg)
{
	struct world *w = arg;
	unsigned int i = prev ? index_of(w, watch_of(prev)) + 1 : 0;
	const struct watch *x = watch_of(entry);

	for (; x->group && !x->pinned && i < w->nr; i++)
		if (w->watches[i]->group == x->group && !w->watches[i]->pinned)
			return &w->watches[i]->fq;
	return NULL;
}

static bool wants_value(const struct watch *x, u64 value)
{
	return x->c.block[0].value == value ||
	       (x->c.nr_blocks > 1 && x->c.block[1].value == value);
}

static struct gpubp_fairq_entry *
share_next(u32 ctx, const struct gpubp_block *block,
	   struct gpubp_fairq_entry *prev, void *arg)
{
	struct world *w = arg;
	unsigned int i = prev ? index_of(w, watch_of(prev)) + 1 : 0;

	for (; i < w->nr; i++)
		if ((w->caps.cntl_banked || w->watches[i]->c.ctx == ctx) &&
		    wants_value(w->watches[i], block->value))
			return &w->watches[i]->fq;
	return NULL;
}

static const struct gpubp_policy_ops ops = {
	.describe = describe,
	.drop = drop,
	.group_next = group_next,
	.share_next = share_next,
};

/* ---- adding and removing ------------------------------------------------- */

void world_init(struct world *w, const struct gpubp_policy_caps *caps, u64 key,
		unsigned int nr_shares)
{
	const siphash_key_t k = { { key, ~key } };
	unsigned int i;

	memset(w, 0, sizeof(*w));
	w->caps = *caps;
	w->nr_shares = nr_shares;
	gpubp_policy_init(&w->p, &k);
	for (i = 0; i < nr_shares; i++)
		gpubp_fairq_flow_init(&w->shares[i], i, 1);
}

void world_exit(struct world *w)
{
	unsigned int i;

	while (w->nr)
		world_remove(w, w->nr - 1);
	for (i = 0; i < w->nr_shares; i++)
		gpubp_fairq_flow_exit(&w->shares[i]);
}

/*
 * Twice the turns that others may have before @x, in this epoch and the next.
 * With several users, one may have had a turn of two slots or of a small group:
 * then each other user gets that many turns of one slot, plus one.
 */
static unsigned int most_ahead(const struct world *w)
{
	unsigned int users = w->nr_shares > 1 ? 4 * w->nr_shares : 1;

	return 4 * w->p.fairq.nr * users;
}

struct watch *world_add(struct world *w, const struct gpubp_candidate *like,
			bool pinned, unsigned int group, unsigned int share)
{
	struct watch *x = calloc(1, sizeof(*x));
	unsigned int i;

	x->c = *like;
	x->pinned = pinned;
	x->group = group;
	w->watches[w->nr++] = x;
	if ((!pinned || w->all_have_turns) &&
	    gpubp_fairq_add(&w->p.fairq, &w->shares[share], &x->fq, 1))
		abort();
	/* each may have an additional turn in this epoch and in the next */
	for (i = 0; i < w->nr && x->fq.flow; i++)
		w->watches[i]->ahead += 4 * (w->nr_shares > 1 ?
					     4 * w->nr_shares : 1);
	x->ahead = most_ahead(w);
	return x;
}

void world_remove(struct world *w, unsigned int i)
{
	struct watch *x = w->watches[i];

	gpubp_fairq_remove(&w->p.fairq, &x->fq);
	w->watches[i] = w->watches[--w->nr];
	free(x);
}

/* ---- what fits ----------------------------------------------------------- */

/* true if two blocks may share a slot; modes: see slot_mode_exists() */
static bool may_share(const struct world *w, const struct gpubp_candidate *a,
		      int i, const struct gpubp_candidate *b, int j)
{
	if (a->block[i].value != b->block[j].value)
		return false;
	if (a->ctx != b->ctx)
		return w->caps.cntl_banked;
	return a->block[i].mask == b->block[j].mask;
}

/* the block of @c that is in slot @s, or -1 */
static int block_in(const struct gpubp_candidate *c, unsigned int s)
{
	int i;

	for (i = 0; c->armed && i < c->nr_blocks; i++)
		if (c->slot[i] == s)
			return i;
	return -1;
}

/* accesses that a context's watches want of a slot, unwanted ones included */
static u8 slot_accesses(const struct world *w, u32 ctx, unsigned int s,
			u8 extra)
{
	unsigned int i;

	for (i = 0; i < w->nr; i++) {
		const struct gpubp_candidate *c = &w->watches[i]->c;

		if (c->ctx == ctx && block_in(c, s) >= 0)
			extra |= gpubp_mode_accesses(c->mode);
	}
	return extra;
}

static bool slot_mode_exists(const struct world *w, u8 accesses)
{
	return gpubp_mode_for(accesses, w->caps.modes) >= 0;
}

static bool slot_takes(const struct world *w, const struct gpubp_candidate *c,
		       int block, unsigned int s)
{
	unsigned int i;

	for (i = 0; i < w->nr; i++) {
		int other = block_in(&w->watches[i]->c, s);

		if (other >= 0 &&
		    !may_share(w, c, block, &w->watches[i]->c, other))
			return false;
	}
	return slot_mode_exists(w, slot_accesses(w, c->ctx, s,
						 gpubp_mode_accesses(c->mode)));
}

static u32 slots_in_use(const struct world *w)
{
	u32 slots = 0;
	unsigned int i;

	for (i = 0; i < w->nr; i++)
		slots |= w->watches[i]->c.slots;
	return slots;
}

static bool block_has_a_slot(const struct world *w,
			     const struct gpubp_candidate *c, int block,
			     u32 in_use)
{
	unsigned long slots = in_use;
	unsigned int s;

	for_each_set_bit(s, &slots, GPUBP_MAX_SLOTS)
		if (slot_takes(w, c, block, s))
			return true;
	return false;
}

static unsigned int slots_needed(const struct world *w,
				 const struct gpubp_candidate *c, u32 in_use)
{
	unsigned int b, needed = 0;

	for (b = 0; b < c->nr_blocks; b++)
		needed += !block_has_a_slot(w, c, b, in_use);
	return needed;
}

/* blocks that pinned watches need, not counting sharing */
static unsigned int pinned_blocks(const struct world *w)
{
	unsigned int i, n = 0;

	for (i = 0; i < w->nr; i++)
		n += w->watches[i]->pinned ? w->watches[i]->c.nr_blocks : 0;
	return n;
}

unsigned int world_flexible(const struct world *w)
{
	unsigned int slots = hweight32(w->caps.usable);
	unsigned int pinned = pinned_blocks(w);

	return slots > pinned ? slots - pinned : 0;
}

/* it, or another watch of its group, cannot be described */
static bool unit_is_refused(const struct world *w, const struct watch *x)
{
	unsigned int i;

	for (i = 0; x->group && i < w->nr; i++)
		if (w->watches[i]->group == x->group && w->watches[i]->refused)
			return true;
	return x->refused;
}

/* blocks of a watch, or of all watches in its group */
static unsigned int blocks_of_unit(const struct world *w, const struct watch *x)
{
	unsigned int i, n = 0;

	if (!x->group)
		return x->c.nr_blocks;
	for (i = 0; i < w->nr; i++)
		if (w->watches[i]->group == x->group && !w->watches[i]->pinned)
			n += w->watches[i]->c.nr_blocks;
	return n;
}

/* ---- the rules ----------------------------------------------------------- */

static const char *slots_are_reported(const struct world *w)
{
	unsigned int i;
	int b;

	for (i = 0; i < w->nr; i++) {
		const struct gpubp_candidate *c = &w->watches[i]->c;
		u32 slots = 0;

		for (b = 0; c->armed && b < c->nr_blocks; b++)
			slots |= BIT(c->slot[b]);
		if (slots != c->slots)
			return "slots do not say where the blocks are";
		if (c->armed && hweight32(slots) != c->nr_blocks)
			return "armed, but not every block has its slot";
		if (slots & ~w->caps.usable)
			return "an unusable slot is used";
	}
	return NULL;
}

static const char *slots_are_consistent(const struct world *w)
{
	unsigned long in_use = slots_in_use(w);
	unsigned int i, j, s;

	for_each_set_bit(s, &in_use, GPUBP_MAX_SLOTS) {
		for (i = 0; i < w->nr; i++) {
			const struct gpubp_candidate *a = &w->watches[i]->c;
			int ba = block_in(a, s);

			if (ba < 0)
				continue;
			for (j = 0; j < i; j++) {
				int bb = block_in(&w->watches[j]->c, s);

				if (bb >= 0 &&
				    !may_share(w, a, ba, &w->watches[j]->c, bb))
					return "one slot, two things to compare";
			}
			if (!slot_mode_exists(w,
					      slot_accesses(w, a->ctx, s, 0)))
				return "no mode serves the watches of a slot";
		}
	}
	return NULL;
}

static const char *pinned_are_armed(const struct world *w)
{
	unsigned int i;

	if (pinned_blocks(w) > hweight32(w->caps.usable))
		return NULL;
	for (i = 0; i < w->nr; i++)
		if (w->watches[i]->pinned && !w->watches[i]->c.armed)
			return "a pinned watch is not armed";
	return NULL;
}

/* a flow with this many unplaceable entries may be skipped in this pass */
static bool was_given_up(const struct world *w, const struct watch *x)
{
	return w->unplaceable[share_of(w, x)] >= GPUBP_FAIRQ_MAX_UNPLACEABLE ||
	       w->described >= LEAST_LOOKS * hweight32(w->caps.usable);
}

static const char *nothing_is_left_idle(const struct world *w)
{
	u32 in_use = slots_in_use(w);
	unsigned int free = hweight32(w->caps.usable & ~in_use);
	unsigned int i;

	for (i = 0; i < w->nr; i++) {
		const struct watch *x = w->watches[i];

		if (x->c.armed)
			continue;
		if (x->pinned) {
			if (slots_needed(w, &x->c, in_use) <= free)
				return "a pinned watch is not armed though it fits";
			continue;
		}
		if (unit_is_refused(w, x) || was_given_up(w, x))
			continue;
		if (!x->group && slots_needed(w, &x->c, in_use) <= free)
			return "a watch is not armed though it fits";
		if (x->group && blocks_of_unit(w, x) <= free)
			return "a group is not armed though it fits";
	}
	return NULL;
}

/*
 * A group that is partly armed must be too large. Not checked where members
 * share with each other or with pinned watches.
 */
static const char *groups_are_whole(const struct world *w)
{
	unsigned int i, j;

	for (i = 0; i < w->nr; i++)
		for (j = 0; j < i; j++) {
			const struct watch *a = w->watches[i];
			const struct watch *b = w->watches[j];

			if (!a->group || a->group != b->group ||
			    a->pinned || b->pinned ||
			    a->c.armed == b->c.armed)
				continue;
			if (blocks_of_unit(w, a) <= world_flexible(w))
				return "half a group is armed";
		}
	return NULL;
}

static const char *state_is_true(const struct world *w)
{
	unsigned int i, b, armed = 0;

	if (w->p.now.used != slots_in_use(w))
		return "state: used slots";
	for (i = 0; i < w->nr; i++) {
		const struct watch *x = w->watches[i];

		armed += x->c.armed && x->fq.flow;
		for (b = 0; x->c.armed && b < x->c.nr_blocks; b++)
			if (w->p.now.value[x->c.slot[b]] !=
			    x->c.block[b].value)
				return "state: value of a slot";
	}
	if (armed != w->p.armed)
		return "state: how many are armed";
	return NULL;
}

/* only one watch, or equal ones, want this value: no other watch can swap */
static bool value_is_undisputed(const struct world *w, u64 value)
{
	const struct gpubp_candidate *first = NULL;
	int i, b, first_b = 0;

	for (i = 0; i < (int)w->nr; i++)
		for (b = 0; b < w->watches[i]->c.nr_blocks; b++) {
			const struct gpubp_candidate *c = &w->watches[i]->c;

			if (c->block[b].value != value)
				continue;
			if (first && (c->ctx != first->ctx ||
				      c->block[b].mask !=
				      first->block[first_b].mask ||
				      c->mode != first->mode))
				return false;
			first = c;
			first_b = b;
		}
	return true;
}

static const char *who_stays_does_not_move(const struct world *w,
					   const struct gpubp_candidate *before)
{
	unsigned int i;
	int b;

	for (i = 0; i < w->nr; i++) {
		const struct gpubp_candidate *c = &w->watches[i]->c;
		const struct gpubp_candidate *o = &before[i];

		if (!c->armed || !o->armed || (o->slots & ~w->caps.usable))
			continue;
		for (b = 0; b < c->nr_blocks; b++)
			if (value_is_undisputed(w, c->block[b].value) &&
			    c->slot[b] != o->slot[b])
				return "a watch moved without need";
	}
	return NULL;
}

/* twice the turns that are guaranteed in a quantum */
static unsigned int sure_turns(const struct world *w)
{
	unsigned int flexible = world_flexible(w);
	unsigned int i;

	if (!flexible || w->caps.kind == GPUBP_POLICY_RANDOM)
		return 0;
	for (i = 0; i < w->nr; i++)
		if (!w->watches[i]->pinned &&
		    (w->watches[i]->c.nr_blocks > 1 || w->watches[i]->group))
			return 1;
	return flexible > 1 ? 2 * (flexible - 1) : 1;
}

/* a watch waits only while others are served */
static const char *waits_are_bounded(struct world *w)
{
	unsigned int sure = sure_turns(w);
	unsigned int i;

	for (i = 0; i < w->nr; i++) {
		struct watch *x = w->watches[i];

		x->armed_count += x->c.armed;
		x->waited = x->c.armed ? 0 : x->waited + 1;
		if (x->pinned || x->c.armed || unit_is_refused(w, x) ||
		    x->c.nr_blocks > world_flexible(w))
			x->ahead = most_ahead(w);
		else if (sure > x->ahead)
			return "a flexible watch waited too long";
		else
			x->ahead -= sure;
	}
	return NULL;
}

static const char *rotation_is_admitted(const struct world *w)
{
	unsigned int i;

	if (gpubp_policy_rotates(&w->p))
		return NULL;
	for (i = 0; i < w->nr; i++)
		if (!w->watches[i]->pinned && !w->watches[i]->c.armed &&
		    w->watches[i]->c.nr_blocks <= world_flexible(w))
			return "no rotation needed, but a watch waits";
	return NULL;
}

static const char *work_is_bounded(const struct world *w)
{
	if (w->described >
	    MOST_LOOKS * hweight32(w->caps.usable) + 2 * MOST_MATES)
		return "looked at too many watches";
	return NULL;
}

/* ---- one quantum --------------------------------------------------------- */

static void give(struct world *w, struct list_head *cands)
{
	struct gpubp_candidate *cand;

	list_for_each_entry(cand, cands, node) {
		struct watch *x = cand->priv;

		if (!cand->armed)
			continue;
		breaks(w, x->c.armed, "armed twice");
		x->c.armed = true;
		x->c.slots = cand->slots;
		memcpy(x->c.slot, cand->slot, sizeof(cand->slot));
		x->out = false;
	}
}

static void ask(struct world *w)
{
	LIST_HEAD(pinned);
	LIST_HEAD(armed);
	struct gpubp_candidate *cand;
	unsigned int i;

	w->described = 0;
	memset(w->unplaceable, 0, sizeof(w->unplaceable));
	for (i = 0; i < w->nr; i++)
		if (w->watches[i]->pinned) {
			fill(&w->watches[i]->given, w->watches[i]);
			list_add_tail(&w->watches[i]->given.node, &pinned);
		}
	gpubp_policy_next(&w->p, &w->caps, &ops, w, &pinned, &armed);
	list_for_each_entry(cand, &armed, node)
		breaks(w, !cand->armed, "listed as armed, but is not");
	for (i = 0; i < w->nr; i++) {
		w->watches[i]->c.armed = false;
		w->watches[i]->c.slots = 0;
	}
	give(w, &pinned);
	give(w, &armed);
	for (i = 0; i < w->nr; i++)
		breaks(w, w->watches[i]->out, "neither dropped nor armed");
}

const char *world_step(struct world *w)
{
	struct gpubp_candidate before[MAX_WATCHES];
	const char *broken;
	unsigned int i;

	for (i = 0; i < w->nr; i++)
		before[i] = w->watches[i]->c;
	ask(w);
	broken = w->broken;
	broken = broken ?: slots_are_reported(w);
	broken = broken ?: slots_are_consistent(w);
	broken = broken ?: pinned_are_armed(w);
	broken = broken ?: nothing_is_left_idle(w);
	broken = broken ?: groups_are_whole(w);
	broken = broken ?: state_is_true(w);
	broken = broken ?: who_stays_does_not_move(w, before);
	broken = broken ?: waits_are_bounded(w);
	broken = broken ?: rotation_is_admitted(w);
	broken = broken ?: work_is_bounded(w);
	if (broken) {
		tap_note("%s", broken);
		world_print(w);
	}
	return broken;
}
