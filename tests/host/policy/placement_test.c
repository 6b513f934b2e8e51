// SPDX-License-Identifier: GPL-2.0
/*
 * The placement by itself: each candidate added to every small placement and
 * undone; and the assignment of slots to virtual slots.
 */
#include <linux/bitops.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/string.h>
#include <uapi/linux/gpubp.h>

#include "../tap.h"
#include "lib/placement.h"
#include "parts.h"

#define ALL_MODES	0xf
#define VALUE(n)	(0x1000 * (n))
#define NARROW		0xffffffffffc0ULL
#define WIDE		0xfffffffff000ULL

/* ---- every small placement -------------------------------------------------- */

/*
 * covers: some differ in the mask only, some have two blocks that others have
 */
static const struct {
	u8 nr;
	struct gpubp_block block[GPUBP_MAX_BLOCKS];
} covers[] = {
	{ 1, { { VALUE(1), NARROW } } },
	{ 1, { { VALUE(1), WIDE } } },
	{ 2, { { VALUE(1), NARROW }, { VALUE(2), NARROW } } },
	{ 2, { { VALUE(2), NARROW }, { VALUE(1), WIDE } } },
};

static const u8 modes[] = { GPUBP_MODE_READ, GPUBP_MODE_NONREAD };

#define NR_KINDS	(ARRAY_SIZE(covers) * 2 * ARRAY_SIZE(modes))
#define MOST		3

/* distinct slots, so that a hint identifies the candidate */
static struct gpubp_candidate cand_of(unsigned int kind, unsigned int nr)
{
	unsigned int cover = kind % ARRAY_SIZE(covers);
	unsigned int rest = kind / ARRAY_SIZE(covers);

	return (struct gpubp_candidate) {
		.ctx = rest & 1,
		.mode = modes[rest >> 1],
		.nr_blocks = covers[cover].nr,
		.block = { covers[cover].block[0], covers[cover].block[1] },
		.slots = BIT(nr),
	};
}

/**
 * struct seen - a virtual slot, without its users' storage
 * @mask: by context, 0 if it does not use the virtual slot
 * @mode: by context
 */
struct seen {
	u64 value;
	u32 hint;
	u64 mask[2];
	u8 mode[2];
};

struct picture {
	unsigned int nr;
	struct seen place[2 * MOST];
};

static void look(const struct gpubp_placement *l, struct picture *p)
{
	const struct gpubp_vslot_user *use;
	unsigned int i;

	memset(p, 0, sizeof(*p));
	p->nr = l->nr;
	for (i = 0; i < l->nr; i++) {
		p->place[i].value = l->vslots[i].value;
		p->place[i].hint = l->vslots[i].hint;
		for (use = l->vslots[i].users; use; use = use->next) {
			p->place[i].mask[use->ctx] = use->mask;
			p->place[i].mode[use->ctx] = use->mode;
		}
	}
}

/* reference: compares virtual slots without their users */
static bool takes(const struct gpubp_placement *l, const struct seen *s,
		  const struct gpubp_candidate *c, unsigned int block)
{
	if (s->value != c->block[block].value)
		return false;
	if (!s->mask[c->ctx])
		return l->cntl_banked;
	return s->mask[c->ctx] == c->block[block].mask &&
	       gpubp_mode_union(s->mode[c->ctx], c->mode, l->modes) >= 0;
}

static unsigned int place_for(const struct gpubp_placement *l,
			      const struct picture *p,
			      const struct gpubp_candidate *c,
			      unsigned int block)
{
	unsigned int i;

	for (i = 0; i < p->nr && !takes(l, &p->place[i], c, block); i++)
		;
	return i;
}

/* the expected result of adding a candidate; returns the new virtual slots */
static int expect(const struct gpubp_placement *l, struct picture *p,
		  const struct gpubp_candidate *c, unsigned int max)
{
	struct picture before = *p;
	unsigned int b, i;

	for (b = 0; b < c->nr_blocks; b++) {
		struct seen *s;

		i = place_for(l, p, c, b);
		s = &p->place[i];
		if (i == p->nr) {
			p->nr++;
			*s = (struct seen) { .value = c->block[b].value };
		}
		s->hint |= c->slots;
		s->mode[c->ctx] = s->mask[c->ctx] ?
			gpubp_mode_union(s->mode[c->ctx], c->mode, l->modes) :
			c->mode;
		s->mask[c->ctx] = c->block[b].mask;
	}
	if (p->nr == before.nr || p->nr <= max)
		return p->nr - before.nr;
	*p = before;
	return -ENOSPC;
}

static bool same(const struct picture *a, const struct picture *b)
{
	return !memcmp(a, b, sizeof(*a));
}

/* add @kinds one by one; undo and repeat each addition */
static bool add_and_undo(struct gpubp_placement *l, const unsigned int *kinds,
			      unsigned int n, unsigned int max)
{
	struct gpubp_candidate c[MOST];
	struct picture before, wanted, now;
	LIST_HEAD(one);
	unsigned int i;
	int places;

	look(l, &wanted);
	for (i = 0; i < n; i++) {
		c[i] = cand_of(kinds[i], i);
		before = wanted;
		places = expect(l, &wanted, &c[i], max);
		if (gpubp_placement_add(l, &c[i], max) != places)
			return false;
		look(l, &now);
		if (!same(&now, &wanted))
			return false;
		if (places < 0)
			continue;
		list_add(&c[i].node, &one);
		gpubp_placement_undo_all(l, &one);
		list_del(&c[i].node);
		look(l, &now);
		if (!same(&now, &before) ||
		    gpubp_placement_add(l, &c[i], max) != places)
			return false;
		look(l, &now);
		if (!same(&now, &wanted))
			return false;
	}
	return true;
}

/* add the last two as a list after the first: both or none must be added */
static bool all_or_none(struct gpubp_placement *l, const unsigned int *kinds,
			unsigned int max)
{
	struct gpubp_candidate c[MOST];
	struct picture before, both, now;
	LIST_HEAD(list);
	int i, places = 0, err;

	for (i = 0; i < MOST; i++)
		c[i] = cand_of(kinds[i], i);
	gpubp_placement_add(l, &c[0], GPUBP_MAX_SLOTS);
	look(l, &before);
	both = before;
	for (i = 1; i < MOST; i++) {
		list_add_tail(&c[i].node, &list);
		err = expect(l, &both, &c[i], max);
		places = err < 0 || places < 0 ? -ENOSPC : places + err;
	}
	if (gpubp_placement_add_all(l, &list, max) != places)
		return false;
	look(l, &now);
	if (places < 0)
		return same(&now, &before);
	if (!same(&now, &both))
		return false;
	gpubp_placement_undo_all(l, &list);
	look(l, &now);
	return same(&now, &before);
}

static bool placement_ok(const unsigned int *kinds, u32 has, bool banked,
			 unsigned int max)
{
	struct gpubp_placement one = { .modes = has, .cntl_banked = banked };
	struct gpubp_placement two = one;

	return add_and_undo(&one, kinds, MOST, max) &&
	       all_or_none(&two, kinds, max);
}

static void every_small_placement(void)
{
	const u32 some = BIT(GPUBP_MODE_READ) | BIT(GPUBP_MODE_NONREAD);
	unsigned int kinds[MOST], n, max;
	bool ok = true;

	for (n = 0; n < NR_KINDS * NR_KINDS * NR_KINDS; n++) {
		kinds[0] = n % NR_KINDS;
		kinds[1] = n / NR_KINDS % NR_KINDS;
		kinds[2] = n / NR_KINDS / NR_KINDS;
		for (max = 0; max <= 2 * MOST; max++)
			ok = ok && placement_ok(kinds, ALL_MODES, true, max) &&
			     placement_ok(kinds, ALL_MODES, false, max) &&
			     placement_ok(kinds, some, true, max) &&
			     placement_ok(kinds, some, false, max);
	}
	tap_ok(ok, "every_placement_of_3_watches_and_undone");
}

/* ---- slots --------------------------------------------------------------- */

#define SLOTS		4
#define VALUES		3

/* how well a slot suits a virtual slot: 0 best, as in slots_for_vslot() */
static unsigned int suits(const struct gpubp_slot_values *was,
			  const struct gpubp_vslot *p, unsigned int slot)
{
	bool in_use = was->used & BIT(slot);

	if (in_use && was->value[slot] == p->value)
		return p->hint & BIT(slot) ? 0 : 1;
	return in_use ? 3 : 2;
}

/*
 * No virtual slot would be better off in a free slot, or in the slot of another
 * one that suits that one less.
 */
static bool well_numbered(const struct gpubp_placement *l, u32 usable,
			  const struct gpubp_slot_values *was, const u8 *number)
{
	unsigned int i, j, slot;

	for (i = 0; i < l->nr; i++)
		for (slot = 0; slot < SLOTS; slot++) {
			const struct gpubp_vslot *p = &l->vslots[i];
			unsigned int better = suits(was, p, slot);

			if (!(usable & BIT(slot)) ||
			    better >= suits(was, p, number[i]))
				continue;
			for (j = 0; j < l->nr && number[j] != slot; j++)
				;
			if (j == l->nr ||
			    suits(was, &l->vslots[j], slot) > better)
				return false;
		}
	return true;
}

static bool number_ok(const struct gpubp_placement *l, u32 usable,
		      const struct gpubp_slot_values *was)
{
	struct gpubp_slot_values now = *was;
	u8 number[GPUBP_MAX_SLOTS];
	unsigned int i;
	u32 used = 0;

	gpubp_placement_assign(l, usable, &now, number);
	for (i = 0; i < l->nr; i++) {
		if (!(usable & BIT(number[i])) || used & BIT(number[i]) ||
		    now.value[number[i]] != l->vslots[i].value)
			return false;
		used |= BIT(number[i]);
	}
	return now.used == used && well_numbered(l, usable, was, number);
}

/* all current values of slots, none included; all wanted values and hints */
static bool numbers_of(unsigned int n, unsigned int nr, u32 usable)
{
	struct gpubp_slot_values was = {};
	struct gpubp_placement l = { .nr = nr };
	unsigned int i;

	for (i = 0; i < SLOTS; i++, n /= VALUES + 1) {
		was.value[i] = VALUE(n % (VALUES + 1));
		was.used |= n % (VALUES + 1) ? BIT(i) : 0;
	}
	for (i = 0; i < nr; i++) {
		l.vslots[i].value = VALUE(1 + n % VALUES);
		n /= VALUES;
		l.vslots[i].hint = n % (SLOTS + 1) ? BIT(n % (SLOTS + 1) - 1) :
						     0;
		n /= SLOTS + 1;
	}
	return number_ok(&l, usable, &was);
}

static void every_numbering(void)
{
	const unsigned int worlds = 256 * VALUES * (SLOTS + 1);
	unsigned int n;
	bool ok = true;
	u32 usable;

	for (n = 0; n < worlds * VALUES * (SLOTS + 1); n++)
		for (usable = 1; usable < BIT(SLOTS); usable++) {
			if (n < worlds)
				ok = ok && numbers_of(n, 1, usable);
			if (hweight32(usable) > 1)
				ok = ok && numbers_of(n, 2, usable);
		}
	tap_ok(ok, "no_place_has_a_worse_slot_than_need_be");
}

void placement_tests(void)
{
	every_small_placement();
	every_numbering();
}
