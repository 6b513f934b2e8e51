// SPDX-License-Identifier: GPL-2.0
/* Layout: see layout.h. */
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
 * gpubp_mode_accesses() - what a mode sees
 * @mode: mode
 *
 * Return: GPUBP_ACCESS_* it matches.
 */
u8 gpubp_mode_accesses(enum gpubp_mode mode)
{
	return mode_accesses[mode];
}

/**
 * gpubp_mode_for() - the mode that sees these accesses and the least others
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

/* ---- places -------------------------------------------------------------- */

static struct gpubp_use *use_of(const struct gpubp_place *p, u32 ctx)
{
	struct gpubp_use *use;

	for (use = p->uses; use; use = use->next)
		if (use->ctx == ctx)
			return use;
	return NULL;
}

/*
 * The address of a slot is the device's. Mask and mode are each context's if
 * they are banked, but one context has only one pair of them.
 */
static bool place_takes(const struct gpubp_layout *l,
			const struct gpubp_place *p, const struct gpubp_cand *c,
			const struct gpubp_block *b)
{
	const struct gpubp_use *use;

	if (p->value != b->value)
		return false;
	use = use_of(p, c->ctx);
	if (!use)
		return l->cntl_banked;
	return use->mask == b->mask &&
	       gpubp_mode_union(use->mode, c->mode, l->modes) >= 0;
}

/* a place that exists, or the next new one */
static unsigned int find_place(const struct gpubp_layout *l,
			       const struct gpubp_cand *c,
			       const struct gpubp_block *b)
{
	unsigned int i;

	for (i = 0; i < l->nr; i++)
		if (place_takes(l, &l->places[i], c, b))
			break;
	return i;
}

/* what a block changes is kept in its use, for leave_place() */
static void join_place(struct gpubp_layout *l, unsigned int place,
		       struct gpubp_cand *c, unsigned int block)
{
	struct gpubp_place *p = &l->places[place];
	struct gpubp_use *own = &c->use[block], *use;

	if (place == l->nr) {
		*p = (struct gpubp_place) { .value = c->block[block].value };
		l->nr++;
	}
	*own = (struct gpubp_use) {
		.next = p->uses,
		.mask = c->block[block].mask,
		.hint = p->hint,
		.ctx = c->ctx,
		.mode = c->mode,
	};
	use = use_of(p, c->ctx);
	if (use) {
		own->mode = use->mode;
		use->mode = gpubp_mode_union(use->mode, c->mode, l->modes);
	} else {
		p->uses = own;
	}
	p->hint |= c->slots;
	c->slot[block] = place;
}

/* as if the last block that joined never had */
static void leave_place(struct gpubp_layout *l, struct gpubp_cand *c,
			unsigned int block)
{
	struct gpubp_place *p = &l->places[c->slot[block]];
	struct gpubp_use *own = &c->use[block];

	p->hint = own->hint;
	if (p->uses == own)
		p->uses = own->next;
	else
		use_of(p, c->ctx)->mode = own->mode;
	if (!p->uses)
		l->nr--;
}

/* ---- candidates ---------------------------------------------------------- */

/**
 * gpubp_layout_put() - lay out a candidate
 * @l: layout
 * @c: candidate; gpubp_cand.slot are places on return
 * @max: places that may be used in all
 *
 * All of its blocks or none: half a watch would miss accesses unnoticed.
 *
 * O(places * contexts that share one). Return: places that are used now and were
 * not before, or -ENOSPC.
 */
int gpubp_layout_put(struct gpubp_layout *l, struct gpubp_cand *c,
		     unsigned int max)
{
	unsigned int i, needed = 0;

	for (i = 0; i < c->nr_blocks; i++)
		if (find_place(l, c, &c->block[i]) == l->nr)
			needed++;
	if (needed && l->nr + needed > max)
		return -ENOSPC;
	for (i = 0; i < c->nr_blocks; i++)
		join_place(l, find_place(l, c, &c->block[i]), c, i);
	return needed;
}

/* as if @c, the last one that was put, had not been */
static void take_back(struct gpubp_layout *l, struct gpubp_cand *c)
{
	unsigned int i = c->nr_blocks;

	while (i--)
		leave_place(l, c, i);
}

/**
 * gpubp_layout_put_all() - lay out all candidates of a list, or none
 * @l: layout
 * @cands: struct gpubp_cand by node
 * @max: places that may be used in all
 *
 * Return: places that are used now and were not before, or -ENOSPC.
 */
int gpubp_layout_put_all(struct gpubp_layout *l, struct list_head *cands,
			 unsigned int max)
{
	unsigned int before = l->nr;
	struct gpubp_cand *c;

	list_for_each_entry(c, cands, node) {
		if (gpubp_layout_put(l, c, max) >= 0)
			continue;
		list_for_each_entry_continue_reverse(c, cands, node)
			take_back(l, c);
		return -ENOSPC;
	}
	return l->nr - before;
}

/**
 * gpubp_layout_take_all_back() - as if a list had not been put
 * @l: layout
 * @cands: as gpubp_layout_put_all() put it last
 */
void gpubp_layout_take_all_back(struct gpubp_layout *l, struct list_head *cands)
{
	struct gpubp_cand *c;

	list_for_each_entry_reverse(c, cands, node)
		take_back(l, c);
}

/* ---- numbers ------------------------------------------------------------- */

static u32 slots_with_value(const struct gpubp_residents *now, u64 value)
{
	u32 slots = 0;
	unsigned int s;

	for (s = 0; s < GPUBP_MAX_SLOTS; s++)
		if ((now->used & BIT(s)) && now->value[s] == value)
			slots |= BIT(s);
	return slots;
}

/* slots for @p among @free, the more rounds passed the worse */
static u32 choice(const struct gpubp_residents *now,
		  const struct gpubp_place *p, u32 free, int round)
{
	switch (round) {
	case 0:		/* nothing changes for the watches */
		return free & slots_with_value(now, p->value) & p->hint;
	case 1:		/* the address stays */
		return free & slots_with_value(now, p->value);
	case 2:		/* nobody's hits are in flight */
		return free & ~now->used;
	default:
		return free;
	}
}

static void remember(struct gpubp_residents *now, const struct gpubp_layout *l,
		     const u8 *number)
{
	unsigned int i;

	now->used = 0;
	for (i = 0; i < l->nr; i++) {
		now->used |= BIT(number[i]);
		now->value[number[i]] = l->places[i].value;
	}
}

/**
 * gpubp_layout_number() - places become slots
 * @l: layout, of no more places than @usable has slots
 * @usable: bitmap of slots
 * @now: what is in the slots; on return, what will be
 * @number: slot of each place, on return
 *
 * A watch that stays armed stays in its slots, unless slots that compare equal
 * values under different masks swap watches. O(slots^2).
 */
void gpubp_layout_number(const struct gpubp_layout *l, u32 usable,
			 struct gpubp_residents *now,
			 u8 number[GPUBP_MAX_SLOTS])
{
	u32 todo = BIT(l->nr) - 1;
	unsigned int i;
	u32 slots;
	int round;

	for (round = 0; round <= 3; round++) {
		for (i = 0; i < l->nr; i++) {
			slots = choice(now, &l->places[i], usable, round);
			if (!(todo & BIT(i)) || !slots)
				continue;
			number[i] = __ffs(slots);
			usable &= ~BIT(number[i]);
			todo &= ~BIT(i);
		}
	}
	remember(now, l, number);
}

/**
 * gpubp_layout_tell() - tell a candidate its slots
 * @c: candidate
 * @number: from gpubp_layout_number()
 */
void gpubp_layout_tell(struct gpubp_cand *c, const u8 number[GPUBP_MAX_SLOTS])
{
	unsigned int i;

	c->slots = 0;
	for (i = 0; c->armed && i < c->nr_blocks; i++) {
		c->slot[i] = number[c->slot[i]];
		c->slots |= BIT(c->slot[i]);
	}
}
