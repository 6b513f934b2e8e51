// SPDX-License-Identifier: GPL-2.0
#include <linux/bitops.h>
#include <linux/kernel.h>
#include <linux/string.h>

#include "../tap.h"
#include "judge.h"

void world_print(const struct world *w)
{
	unsigned int i;

	tap_note("usable %#x banked %d modes %#x quantum %llu", w->caps.usable,
		 w->caps.cntl_banked, w->caps.modes, w->st.quantum);
	for (i = 0; i < w->nr; i++) {
		const struct gpubp_cand *c = &w->watches[i];

		tap_note("watch %llu ctx %u mode %u%s: %#llx/%#llx %#llx/%#llx: armed %d slots %#x turn %llu waited %u",
			 c->id, c->ctx, c->mode, c->pinned ? " pinned" : "",
			 c->block[0].value, c->block[0].mask,
			 c->nr_blocks > 1 ? c->block[1].value : 0,
			 c->nr_blocks > 1 ? c->block[1].mask : 0,
			 c->armed, c->slots, c->last_armed, w->waited[i]);
	}
}

static unsigned int nr_flexible(const struct world *w)
{
	unsigned int i, n = 0;

	for (i = 0; i < w->nr; i++)
		n += !w->watches[i].pinned;
	return n;
}

/* blocks that pinned watches ask for, none shared */
static unsigned int pinned_blocks(const struct world *w)
{
	unsigned int i, n = 0;

	for (i = 0; i < w->nr; i++)
		n += w->watches[i].pinned ? w->watches[i].nr_blocks : 0;
	return n;
}

unsigned int world_sure(const struct world *w)
{
	unsigned int slots = hweight32(w->caps.usable);
	unsigned int pinned = pinned_blocks(w);
	unsigned int i, largest = 1;

	for (i = 0; i < w->nr; i++)
		if (!w->watches[i].pinned)
			largest = max_t(unsigned int, largest,
					w->watches[i].nr_blocks);
	return slots > pinned ? (slots - pinned) / largest : 0;
}

void world_add(struct world *w, const struct gpubp_cand *watch)
{
	unsigned int i, new = w->nr++;

	w->watches[new] = *watch;
	w->waited[new] = 0;
	w->armed_count[new] = 0;
	if (!watch->pinned)
		for (i = 0; i < new; i++)
			w->ahead[i]++;
	w->ahead[new] = nr_flexible(w) - !watch->pinned;
}

void world_remove(struct world *w, unsigned int i)
{
	unsigned int last = --w->nr;

	w->watches[i] = w->watches[last];
	w->waited[i] = w->waited[last];
	w->ahead[i] = w->ahead[last];
	w->armed_count[i] = w->armed_count[last];
}

/* may two blocks share a slot? modes: see slot_mode_exists() */
static bool may_share(const struct world *w, const struct gpubp_cand *a, int i,
		      const struct gpubp_cand *b, int j)
{
	if (a->block[i].value != b->block[j].value)
		return false;
	if (a->ctx != b->ctx)
		return w->caps.cntl_banked;
	return a->block[i].mask == b->block[j].mask;
}

/* the block of @c that is in slot @s, or -1 */
static int block_in(const struct gpubp_cand *c, unsigned int s)
{
	int i;

	for (i = 0; c->armed && i < c->nr_blocks; i++)
		if (c->slot[i] == s)
			return i;
	return -1;
}

/* accesses that a context's watches want of a slot, extra ones included */
static u8 slot_accesses(const struct world *w, u32 ctx, unsigned int s,
			u8 extra)
{
	unsigned int i;

	for (i = 0; i < w->nr; i++)
		if (w->watches[i].ctx == ctx && block_in(&w->watches[i], s) >= 0)
			extra |= gpubp_mode_accesses(w->watches[i].mode);
	return extra;
}

static bool slot_mode_exists(const struct world *w, u8 accesses)
{
	return gpubp_mode_for(accesses, w->caps.modes) >= 0;
}

static bool slot_takes(const struct world *w, const struct gpubp_cand *c,
		       int block, unsigned int s)
{
	unsigned int i;

	for (i = 0; i < w->nr; i++) {
		int other = block_in(&w->watches[i], s);

		if (other >= 0 && !may_share(w, c, block, &w->watches[i], other))
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
		slots |= w->watches[i].slots;
	return slots;
}

static bool block_has_a_slot(const struct world *w, const struct gpubp_cand *c,
			     int block, u32 in_use)
{
	unsigned int s;

	for (s = 0; s < GPUBP_MAX_SLOTS; s++)
		if ((in_use & BIT(s)) && slot_takes(w, c, block, s))
			return true;
	return false;
}

/* ---- the rules ----------------------------------------------------------- */

static const char *slots_are_told(const struct world *w)
{
	unsigned int i;
	int b;

	for (i = 0; i < w->nr; i++) {
		const struct gpubp_cand *c = &w->watches[i];
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
	unsigned int i, j, s;

	for (s = 0; s < GPUBP_MAX_SLOTS; s++) {
		for (i = 0; i < w->nr; i++) {
			const struct gpubp_cand *a = &w->watches[i];
			int ba = block_in(a, s);

			if (ba < 0)
				continue;
			for (j = 0; j < i; j++) {
				int bb = block_in(&w->watches[j], s);

				if (bb >= 0 && !may_share(w, a, ba,
							  &w->watches[j], bb))
					return "one slot, two things to compare";
			}
			if (!slot_mode_exists(w, slot_accesses(w, a->ctx, s, 0)))
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
		if (w->watches[i].pinned && !w->watches[i].armed)
			return "a pinned watch is not armed";
	return NULL;
}

static const char *nothing_is_left_idle(const struct world *w)
{
	u32 in_use = slots_in_use(w);
	unsigned int free = hweight32(w->caps.usable & ~in_use);
	unsigned int i, b, needed;

	for (i = 0; i < w->nr; i++) {
		const struct gpubp_cand *c = &w->watches[i];

		if (c->armed)
			continue;
		for (needed = 0, b = 0; b < c->nr_blocks; b++)
			needed += !block_has_a_slot(w, c, b, in_use);
		if (needed <= free)
			return "a watch is not armed though it fits";
	}
	return NULL;
}

static const char *state_is_true(const struct world *w)
{
	unsigned int i, s;
	int b;

	if (w->st.used != slots_in_use(w))
		return "state: used slots";
	for (i = 0; i < w->nr; i++)
		for (s = 0; s < GPUBP_MAX_SLOTS; s++) {
			b = block_in(&w->watches[i], s);
			if (b >= 0 && w->st.value[s] !=
				      w->watches[i].block[b].value)
				return "state: value of a slot";
		}
	return NULL;
}

/* only one watch, or equal ones, want this value: nobody can swap with it */
static bool value_is_undisputed(const struct world *w, u64 value)
{
	const struct gpubp_cand *first = NULL;
	int i, b, first_b = 0;

	for (i = 0; i < (int)w->nr; i++)
		for (b = 0; b < w->watches[i].nr_blocks; b++) {
			const struct gpubp_cand *c = &w->watches[i];

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
					   const struct gpubp_cand *before)
{
	unsigned int i;
	int b;

	for (i = 0; i < w->nr; i++) {
		const struct gpubp_cand *c = &w->watches[i];
		const struct gpubp_cand *o = &before[i];

		if (!c->armed || !o->armed || (o->slots & ~w->caps.usable))
			continue;
		for (b = 0; b < c->nr_blocks; b++)
			if (value_is_undisputed(w, c->block[b].value) &&
			    c->slot[b] != o->slot[b])
				return "a watch moved without need";
	}
	return NULL;
}

/*
 * While a watch waits, at least @sure of those that may still come before it
 * come in each quantum.
 */
static const char *turns_come(struct world *w, unsigned int sure)
{
	unsigned int i;

	for (i = 0; i < w->nr; i++) {
		struct gpubp_cand *c = &w->watches[i];

		w->armed_count[i] += c->armed;
		w->waited[i] = c->armed ? 0 : w->waited[i] + 1;
		if (c->pinned)
			continue;
		if (c->armed)
			w->ahead[i] = nr_flexible(w) - 1;
		else if (sure > w->ahead[i])
			return "a flexible watch waited too long";
		else
			w->ahead[i] -= sure;
	}
	return NULL;
}

static const char *rotation_is_admitted(const struct world *w)
{
	struct world next = *w;
	unsigned int i, j;

	if (gpubp_policy_rotates(&w->caps, w->watches, w->nr))
		return NULL;
	gpubp_policy_next(&next.st, &next.caps, next.watches, next.nr);
	for (i = 0; i < next.nr; i++)
		for (j = 0; j < w->nr; j++)
			if (next.watches[i].id == w->watches[j].id &&
			    next.watches[i].armed != w->watches[j].armed)
				return "no rotation needed, but something changes";
	return NULL;
}

/* ---- one quantum --------------------------------------------------------- */

/* as the scheduler does: candidates are made anew, what is kept is copied */
static void ask(struct world *w)
{
	struct gpubp_cand cands[MAX_WATCHES];
	unsigned int i;

	for (i = 0; i < w->nr; i++) {
		struct gpubp_cand *c = &w->watches[i];

		cands[i] = *c;
		memset(cands[i].use, 0xa5, sizeof(cands[i].use));
		memset(cands[i].slot, 0xa5, sizeof(cands[i].slot));
		cands[i].armed = !c->armed;
		cands[i].priv = c;
	}
	gpubp_policy_next(&w->st, &w->caps, cands, w->nr);
	for (i = 0; i < w->nr; i++)
		*(struct gpubp_cand *)cands[i].priv = cands[i];
}

const char *world_step(struct world *w)
{
	struct gpubp_cand before[MAX_WATCHES];
	unsigned int sure = world_sure(w);
	const char *broken;

	memcpy(before, w->watches, w->nr * sizeof(*before));
	ask(w);
	w->nr_quanta++;
	broken = slots_are_told(w);
	broken = broken ?: slots_are_consistent(w);
	broken = broken ?: pinned_are_armed(w);
	broken = broken ?: nothing_is_left_idle(w);
	broken = broken ?: state_is_true(w);
	broken = broken ?: who_stays_does_not_move(w, before);
	broken = broken ?: turns_come(w, sure);
	broken = broken ?: rotation_is_admitted(w);
	if (broken) {
		tap_note("%s", broken);
		world_print(w);
	}
	return broken;
}
