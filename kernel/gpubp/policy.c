// SPDX-License-Identifier: GPL-2.0
/*
 * Policy: pinned watches first, the others take turns.
 *
 * A quantum is laid out in two steps, so that no watch has to move because
 * another came. First candidates are put, in order of their turn, into
 * *places*: slots whose number is still open. Then each place gets the slot
 * that already compares what it wants, if there is one.
 *
 * Turns: least recently armed first, and who is armed goes to the end of the
 * queue. With F slots left by the pinned ones and candidates of at most B <= F
 * blocks, the first k = F / B (rounded down) of the queue always fit. While a
 * candidate waits, at least k others from before it are armed in each quantum
 * and are behind it from then on: of N flexible candidates each is armed at
 * least once in any ceil(N / k) quanta in a row, N counting those that come
 * meanwhile. The rest of a quantum goes to whoever still fits.
 *
 * A group has its turn when the first of its members has, and all of them go to
 * the end of the queue: N and B are then those of groups.
 */
#include <linux/bitops.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/sort.h>
#include <linux/string.h>

#include <uapi/linux/gpubp.h>

#include "policy.h"

/**
 * struct place - a slot that has no number yet
 * @value: what it compares
 * @hint: slots that its watches used in the last quantum
 * @uses: one for each context
 */
struct place {
	u64 value;
	u32 hint;
	struct gpubp_use *uses;
};

struct layout {
	const struct gpubp_policy_caps *caps;
	unsigned int nr_places;
	unsigned int max_places;
	struct place places[GPUBP_MAX_SLOTS];
};

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

static struct gpubp_use *use_of(const struct place *p, u32 ctx)
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
static bool place_takes(const struct layout *l, const struct place *p,
			const struct gpubp_cand *c,
			const struct gpubp_block *b)
{
	const struct gpubp_use *use;

	if (p->value != b->value)
		return false;
	use = use_of(p, c->ctx);
	if (!use)
		return l->caps->cntl_banked;
	return use->mask == b->mask &&
	       gpubp_mode_union(use->mode, c->mode, l->caps->modes) >= 0;
}

/* a place that exists, or nr_places */
static unsigned int find_place(const struct layout *l,
			       const struct gpubp_cand *c,
			       const struct gpubp_block *b)
{
	unsigned int i;

	for (i = 0; i < l->nr_places; i++)
		if (place_takes(l, &l->places[i], c, b))
			break;
	return i;
}

static void add_use(struct place *p, struct gpubp_cand *c, unsigned int block)
{
	struct gpubp_use *use = &c->use[block];

	*use = (struct gpubp_use) {
		.next = p->uses,
		.mask = c->block[block].mask,
		.ctx = c->ctx,
		.mode = c->mode,
	};
	p->uses = use;
}

static void join_place(struct layout *l, unsigned int place,
		       struct gpubp_cand *c, unsigned int block)
{
	struct place *p = &l->places[place];
	struct gpubp_use *use;

	if (place == l->nr_places) {
		*p = (struct place) { .value = c->block[block].value };
		l->nr_places++;
	}
	use = use_of(p, c->ctx);
	if (use)
		use->mode = gpubp_mode_union(use->mode, c->mode,
					     l->caps->modes);
	else
		add_use(p, c, block);
	p->hint |= c->slots;
	c->slot[block] = place;
}

/* all blocks of a watch or none: half a watch would miss accesses unnoticed */
static bool lay_out(struct layout *l, struct gpubp_cand *c)
{
	unsigned int i, needed = 0;

	for (i = 0; i < c->nr_blocks; i++)
		if (find_place(l, c, &c->block[i]) == l->nr_places)
			needed++;
	if (l->nr_places + needed > l->max_places)
		return false;
	for (i = 0; i < c->nr_blocks; i++)
		join_place(l, find_place(l, c, &c->block[i]), c, i);
	return true;
}

static bool same_unit(const struct gpubp_cand *a, const struct gpubp_cand *b)
{
	return a == b || (a->group && a->group == b->group &&
			  a->ctx == b->ctx && !a->pinned && !b->pinned);
}

/*
 * All members of a group among the @n candidates from @c on, or none. A mode
 * that was widened for one that finds no room stays so, during this call.
 */
static bool lay_out_unit(struct layout *l, struct gpubp_cand *c, unsigned int n)
{
	const struct layout before = *l;
	unsigned int i;

	for (i = 0; i < n; i++)
		if (same_unit(c, &c[i]) && !lay_out(l, &c[i])) {
			*l = before;
			return false;
		}
	return true;
}

/* a group that pinned watches leave no room for has its turns one by one */
static bool is_unit(const struct layout *pinned, struct gpubp_cand *c,
		    unsigned int n)
{
	struct layout trial;
	unsigned int i;

	if (!c->group || c->alone)
		return false;
	trial = *pinned;
	if (lay_out_unit(&trial, c, n))
		return true;
	for (i = 0; i < n; i++)
		if (same_unit(c, &c[i]))
			c[i].alone = true;
	return false;
}

static void decide(struct gpubp_policy_state *st, struct gpubp_cand *c,
		   bool armed)
{
	c->decided = true;
	c->armed = armed;
	if (armed)
		c->last_armed = ++st->ticket;
}

static void take_turn(struct gpubp_policy_state *st, struct layout *l,
		      const struct layout *pinned, struct gpubp_cand *c,
		      unsigned int n)
{
	unsigned int i;
	bool armed;

	if (!is_unit(pinned, c, n)) {
		decide(st, c, lay_out(l, c));
		return;
	}
	armed = lay_out_unit(l, c, n);
	for (i = 0; i < n; i++)
		if (same_unit(c, &c[i]))
			decide(st, &c[i], armed);
}

static int by_turn(const void *pa, const void *pb)
{
	const struct gpubp_cand *a = pa, *b = pb;

	if (a->pinned != b->pinned)
		return a->pinned ? -1 : 1;
	if (a->last_armed != b->last_armed)
		return a->last_armed < b->last_armed ? -1 : 1;
	return a->id < b->id ? -1 : a->id > b->id;
}

/* who keeps the watches in order of their turn saves the sorting */
static bool in_order(const struct gpubp_cand *cands, unsigned int n)
{
	unsigned int i;

	for (i = 1; i < n; i++)
		if (by_turn(&cands[i - 1], &cands[i]) > 0)
			return false;
	return true;
}

static u32 slots_with_value(const struct gpubp_policy_state *st, u64 value)
{
	u32 slots = 0;
	unsigned int s;

	for (s = 0; s < GPUBP_MAX_SLOTS; s++)
		if ((st->used & BIT(s)) && st->value[s] == value)
			slots |= BIT(s);
	return slots;
}

/* slots for @p among @free, the more rounds passed the worse */
static u32 choice(const struct gpubp_policy_state *st, const struct place *p,
		  u32 free, int round)
{
	switch (round) {
	case 0:		/* nothing changes for the watches */
		return free & slots_with_value(st, p->value) & p->hint;
	case 1:		/* the address stays */
		return free & slots_with_value(st, p->value);
	case 2:		/* nobody's hits are in flight */
		return free & ~st->used;
	default:
		return free;
	}
}

/* number the places: number[i] is the slot of place i */
static void number_places(const struct gpubp_policy_state *st,
			  const struct layout *l, u8 number[GPUBP_MAX_SLOTS])
{
	u32 free = l->caps->usable;
	u32 todo = BIT(l->nr_places) - 1;
	unsigned int i;
	u32 slots;
	int round;

	for (round = 0; round <= 3; round++) {
		for (i = 0; i < l->nr_places; i++) {
			slots = choice(st, &l->places[i], free, round);
			if (!(todo & BIT(i)) || !slots)
				continue;
			number[i] = __ffs(slots);
			free &= ~BIT(number[i]);
			todo &= ~BIT(i);
		}
	}
}

static void remember(struct gpubp_policy_state *st, const struct layout *l,
		     const u8 *number)
{
	unsigned int i;

	st->used = 0;
	for (i = 0; i < l->nr_places; i++) {
		st->used |= BIT(number[i]);
		st->value[number[i]] = l->places[i].value;
	}
}

/* the places that lay_out() noted become slots */
static void tell(struct gpubp_cand *c, const u8 *number)
{
	unsigned int i;

	c->slots = 0;
	for (i = 0; c->armed && i < c->nr_blocks; i++) {
		c->slot[i] = number[c->slot[i]];
		c->slots |= BIT(c->slot[i]);
	}
}

/**
 * gpubp_policy_next() - one quantum: who is armed, and where
 * @st: state; is the next quantum's on return
 * @caps: device
 * @cands: every watch that wants to be armed; left in order of their turn
 * @n: number of @cands
 *
 * Watches share a slot if they compare the same value and are of different
 * contexts (banked control words only), or of one context with the same mask.
 * A watch that stays armed stays in its slots, unless slots that compare equal
 * values under different masks swap watches.
 *
 * Takes O(n log n + n * slots * contexts that share a slot + n * groups); without
 * the first term if @cands come in order of their turn, pinned ones first.
 */
void gpubp_policy_next(struct gpubp_policy_state *st,
		       const struct gpubp_policy_caps *caps,
		       struct gpubp_cand *cands, unsigned int n)
{
	struct layout l = {
		.caps = caps,
		.max_places = hweight32(caps->usable),
	};
	u8 number[GPUBP_MAX_SLOTS];
	struct layout pinned;
	unsigned int i;

	st->quantum++;
	if (!in_order(cands, n))
		sort(cands, n, sizeof(*cands), by_turn, NULL);
	for (i = 0; i < n; i++) {
		cands[i].decided = false;
		cands[i].alone = false;
	}
	for (i = 0; i < n && cands[i].pinned; i++)
		decide(st, &cands[i], lay_out(&l, &cands[i]));
	pinned = l;
	for (; i < n; i++)
		if (!cands[i].decided)
			take_turn(st, &l, &pinned, &cands[i], n - i);
	number_places(st, &l, number);
	remember(st, &l, number);
	for (i = 0; i < n; i++)
		tell(&cands[i], number);
}

/**
 * gpubp_policy_rotates() - can another quantum be any different?
 * @caps: device
 * @cands: candidates as gpubp_policy_next() left them
 * @n: number of @cands
 *
 * Return: false if the same candidates need no rotation.
 */
bool gpubp_policy_rotates(const struct gpubp_policy_caps *caps,
			  const struct gpubp_cand *cands, unsigned int n)
{
	unsigned int slots = hweight32(caps->usable);
	unsigned int i;

	for (i = 0; i < n; i++)
		if (!cands[i].armed && cands[i].nr_blocks <= slots)
			return true;
	return false;
}

/**
 * gpubp_policy_flexible_slots() - slots that pinned candidates leave
 * @caps: device
 * @cands: candidates
 * @n: number of @cands
 *
 * A flexible candidate with more blocks than this may never have its turn:
 * cover it with fewer.
 *
 * Return: number of slots, at least.
 */
unsigned int gpubp_policy_flexible_slots(const struct gpubp_policy_caps *caps,
					 const struct gpubp_cand *cands,
					 unsigned int n)
{
	unsigned int slots = hweight32(caps->usable);
	unsigned int pinned = 0;
	unsigned int i;

	for (i = 0; i < n; i++)
		if (cands[i].pinned)
			pinned += cands[i].nr_blocks;
	return slots > pinned ? slots - pinned : 0;
}
