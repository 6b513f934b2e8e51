// SPDX-License-Identifier: GPL-2.0
/* Placement: see placement.h. */
#include <linux/bitops.h>
#include <linux/errno.h>
#include <linux/kernel.h>

#include <uapi/linux/gpubp.h>

#include "placement.h"

/* ---- modes --------------------------------------------------------------- */

static const u8 mode_accesses[] = {
	[GPUBP_MODE_READ]	= GPUBP_ACCESS_LOAD,
	[GPUBP_MODE_NONREAD]	= GPUBP_ACCESS_STORE | GPUBP_ACCESS_ATOMIC,
	[GPUBP_MODE_ATOMIC]	= GPUBP_ACCESS_ATOMIC,
	[GPUBP_MODE_ALL]	= GPUBP_ACCESS_LOAD | GPUBP_ACCESS_STORE |
				  GPUBP_ACCESS_ATOMIC,
};

/**
 * gpubp_mode_accesses() - accesses that a mode matches
 * @mode: mode
 *
 * Return: GPUBP_ACCESS_*.
 */
u8 gpubp_mode_accesses(enum gpubp_mode mode)
{
	return mode_accesses[mode];
}

/**
 * gpubp_mode_for() - the mode that matches these accesses and the fewest others
 * @accesses: GPUBP_ACCESS_*
 * @modes: bitmap of enum gpubp_mode to choose from
 *
 * Return: enum gpubp_mode, -EINVAL (no access, or undefined bits) or
 * -EOPNOTSUPP (no such mode).
 */
int gpubp_mode_for(u8 accesses, u32 modes)
{
	int best = -EOPNOTSUPP;
	unsigned int mode;

	if (!accesses || (accesses & ~mode_accesses[GPUBP_MODE_ALL]))
		return -EINVAL;
	for (mode = 0; mode < ARRAY_SIZE(mode_accesses); mode++) {
		if (!(modes & BIT(mode)) || (accesses & ~mode_accesses[mode]))
			continue;
		if (best < 0 || hweight8(mode_accesses[mode]) <
				hweight8(mode_accesses[best]))
			best = mode;
	}
	return best;
}

/**
 * gpubp_mode_union() - the mode of a slot that serves two watches
 * @a: mode of one
 * @b: mode of the other
 * @modes: bitmap of enum gpubp_mode that the device has
 *
 * Return: enum gpubp_mode or -EOPNOTSUPP.
 */
int gpubp_mode_union(enum gpubp_mode a, enum gpubp_mode b, u32 modes)
{
	return gpubp_mode_for(mode_accesses[a] | mode_accesses[b],
			      modes | BIT(a) | BIT(b));
}

/* ---- virtual slots ------------------------------------------------------- */

static struct gpubp_vslot_user *vslot_user_of(const struct gpubp_vslot *v,
					      u32 ctx)
{
	struct gpubp_vslot_user *user;

	for (user = v->users; user; user = user->next)
		if (user->ctx == ctx)
			return user;
	return NULL;
}

/*
 * The address of a slot is the device's. Mask and mode are per context if they
 * are banked, but each context has only one pair of them.
 */
static bool vslot_accepts(const struct gpubp_placement *p,
			  const struct gpubp_vslot *v,
			  const struct gpubp_candidate *c,
			  const struct gpubp_block *b)
{
	const struct gpubp_vslot_user *user;

	if (v->value != b->value)
		return false;
	user = vslot_user_of(v, c->ctx);
	if (!user)
		return p->cntl_banked;
	return user->mask == b->mask &&
	       gpubp_mode_union(user->mode, c->mode, p->modes) >= 0;
}

/* index of one that accepts the block, or of the next unused one */
static unsigned int vslot_find(const struct gpubp_placement *p,
			       const struct gpubp_candidate *c,
			       const struct gpubp_block *b)
{
	unsigned int i;

	for (i = 0; i < p->nr; i++)
		if (vslot_accepts(p, &p->vslots[i], c, b))
			break;
	return i;
}

/* what the block changes is kept in its user, for vslot_undo() */
static void vslot_add(struct gpubp_placement *p, unsigned int index,
		      struct gpubp_candidate *c, unsigned int block)
{
	struct gpubp_vslot *v = &p->vslots[index];
	struct gpubp_vslot_user *own = &c->user[block], *user;

	if (index == p->nr) {
		*v = (struct gpubp_vslot) { .value = c->block[block].value };
		p->nr++;
	}
	*own = (struct gpubp_vslot_user) {
		.next = v->users,
		.mask = c->block[block].mask,
		.hint = v->hint,
		.ctx = c->ctx,
		.mode = c->mode,
	};
	user = vslot_user_of(v, c->ctx);
	if (user) {
		own->mode = user->mode;
		user->mode = gpubp_mode_union(user->mode, c->mode, p->modes);
	} else {
		v->users = own;
	}
	v->hint |= c->slots;
	c->slot[block] = index;
}

/* undo the last vslot_add() that is not undone yet */
static void vslot_undo(struct gpubp_placement *p, struct gpubp_candidate *c,
		       unsigned int block)
{
	struct gpubp_vslot *v = &p->vslots[c->slot[block]];
	struct gpubp_vslot_user *own = &c->user[block];

	v->hint = own->hint;
	if (v->users == own)
		v->users = own->next;
	else
		vslot_user_of(v, c->ctx)->mode = own->mode;
	if (!v->users)
		p->nr--;
}

/* ---- candidates ---------------------------------------------------------- */

/**
 * gpubp_placement_add() - place a candidate
 * @p: placement
 * @c: candidate; @c->slot are indices of virtual slots on return
 * @max: virtual slots that may be used in all
 *
 * All of its blocks or none: a watch of which one half is armed would miss
 * accesses silently.
 *
 * O(virtual slots * contexts that share one). Return: number of virtual slots
 * that are newly used, or -ENOSPC.
 */
int gpubp_placement_add(struct gpubp_placement *p, struct gpubp_candidate *c,
			unsigned int max)
{
	unsigned int found[GPUBP_MAX_BLOCKS], nr = p->nr, i, needed = 0;

	for (i = 0; i < c->nr_blocks; i++) {
		found[i] = vslot_find(p, c, &c->block[i]);
		needed += found[i] == nr;
	}
	if (needed && nr + needed > max)
		return -ENOSPC;
	/* its blocks are disjoint: none fits where another one was added */
	for (i = 0; i < c->nr_blocks; i++)
		vslot_add(p, found[i] == nr ? p->nr : found[i], c, i);
	return needed;
}

/* undo the last gpubp_placement_add() that is not undone yet */
static void placement_undo(struct gpubp_placement *p, struct gpubp_candidate *c)
{
	unsigned int i = c->nr_blocks;

	while (i--)
		vslot_undo(p, c, i);
}

/**
 * gpubp_placement_add_all() - place all candidates of a list, or none
 * @p: placement
 * @cands: struct gpubp_candidate by node
 * @max: virtual slots that may be used in all
 *
 * Return: number of virtual slots that are newly used, or -ENOSPC.
 */
int gpubp_placement_add_all(struct gpubp_placement *p, struct list_head *cands,
			    unsigned int max)
{
	unsigned int before = p->nr;
	struct gpubp_candidate *c;

	list_for_each_entry(c, cands, node) {
		if (gpubp_placement_add(p, c, max) >= 0)
			continue;
		list_for_each_entry_continue_reverse(c, cands, node)
			placement_undo(p, c);
		return -ENOSPC;
	}
	return p->nr - before;
}

/**
 * gpubp_placement_undo_all() - undo gpubp_placement_add_all()
 * @p: placement
 * @cands: the list that was added last
 */
void gpubp_placement_undo_all(struct gpubp_placement *p,
			      struct list_head *cands)
{
	struct gpubp_candidate *c;

	list_for_each_entry_reverse(c, cands, node)
		placement_undo(p, c);
}

/* ---- slot numbers -------------------------------------------------------- */

static u32 slots_with_value(const struct gpubp_slot_values *now, u64 value)
{
	u32 slots = 0;
	unsigned int s;

	for (s = 0; s < GPUBP_MAX_SLOTS; s++)
		if ((now->used & BIT(s)) && now->value[s] == value)
			slots |= BIT(s);
	return slots;
}

/* slots for @v among @free; each round accepts worse ones */
static u32 slots_for_vslot(const struct gpubp_slot_values *now,
			   const struct gpubp_vslot *v, u32 free, int round)
{
	switch (round) {
	case 0:		/* nothing changes for its watches */
		return free & slots_with_value(now, v->value) & v->hint;
	case 1:		/* the address stays */
		return free & slots_with_value(now, v->value);
	case 2:		/* unused: no hits of other watches are in flight */
		return free & ~now->used;
	default:
		return free;
	}
}

static void slot_values_update(struct gpubp_slot_values *now,
			       const struct gpubp_placement *p,
			       const u8 *number)
{
	unsigned int i;

	now->used = 0;
	for (i = 0; i < p->nr; i++) {
		now->used |= BIT(number[i]);
		now->value[number[i]] = p->vslots[i].value;
	}
}

/**
 * gpubp_placement_assign() - assign slots to virtual slots
 * @p: placement, of no more virtual slots than @usable has slots
 * @usable: bitmap of slots
 * @now: what the slots compare; updated
 * @number: out: slot of each virtual slot
 *
 * A watch that stays armed keeps its slots, unless slots that compare equal
 * values under different masks swap watches. O(slots^2).
 */
void gpubp_placement_assign(const struct gpubp_placement *p, u32 usable,
			    struct gpubp_slot_values *now,
			    u8 number[GPUBP_MAX_SLOTS])
{
	u32 todo = BIT(p->nr) - 1;
	unsigned int i;
	u32 slots;
	int round;

	for (round = 0; round <= 3; round++) {
		for (i = 0; i < p->nr; i++) {
			slots = slots_for_vslot(now, &p->vslots[i], usable,
						round);
			if (!(todo & BIT(i)) || !slots)
				continue;
			number[i] = __ffs(slots);
			usable &= ~BIT(number[i]);
			todo &= ~BIT(i);
		}
	}
	slot_values_update(now, p, number);
}

/**
 * gpubp_placement_set_slots() - set the slots of a candidate
 * @c: candidate
 * @number: from gpubp_placement_assign()
 */
void gpubp_placement_set_slots(struct gpubp_candidate *c,
			       const u8 number[GPUBP_MAX_SLOTS])
{
	unsigned int i;

	c->slots = 0;
	for (i = 0; c->armed && i < c->nr_blocks; i++) {
		c->slot[i] = number[c->slot[i]];
		c->slots |= BIT(c->slot[i]);
	}
}
