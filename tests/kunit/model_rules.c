// SPDX-License-Identifier: GPL-2.0
/*
 * The model's reference: invariants of every quantum. It knows the rules, not
 * how the policy keeps them; the devices are small enough to check everything.
 */
#include <linux/bitops.h>
#include <linux/kernel.h>
#include <linux/string.h>

#include "lib/placement.h"
#include "model.h"

/* candidates per slot that the policy examines in a quantum at least */
#define LOOKS_PER_SLOT	16

/* unplaceable entries after which the policy may skip a flow for a pass */
#define MAX_UNPLACEABLE	8

/* ---- a table of slot contents -------------------------------------------- */

/**
 * struct table - physical or virtual slots
 * @regs: their contents
 * @used: bitmap of used slots
 * @usable: bitmap of usable slots
 */
struct table {
	struct model_regs regs;
	u32 used;
	u32 usable;
};

static void table_add(const struct model *m, struct table *t, unsigned int s,
		      u32 ctx, u8 mode, const struct gpubp_block *b)
{
	if (t->regs.valid[ctx] & BIT(s))
		mode = gpubp_mode_union(t->regs.mode[ctx][s], mode,
					m->caps.modes);
	t->regs.value[s] = b->value;
	t->regs.valid[ctx] |= BIT(s);
	t->regs.mask[ctx][s] = b->mask;
	t->regs.mode[ctx][s] = mode;
	t->used |= BIT(s);
}

static bool table_takes(const struct model *m, const struct table *t,
			unsigned int s, u32 ctx, u8 mode,
			const struct gpubp_block *b)
{
	if (!(t->used & BIT(s)) || t->regs.value[s] != b->value)
		return false;
	if (!(t->regs.valid[ctx] & BIT(s)))
		return m->caps.cntl_banked;
	return t->regs.mask[ctx][s] == b->mask &&
	       gpubp_mode_union(t->regs.mode[ctx][s], mode, m->caps.modes) >= 0;
}

static bool table_put(const struct model *m, struct table *t, u32 ctx, u8 mode,
		      const struct gpubp_block *b)
{
	u32 left = t->usable & ~t->used;
	unsigned int s;

	for (s = 0; s < MODEL_SLOTS; s++)
		if (table_takes(m, t, s, ctx, mode, b))
			break;
	if (s == MODEL_SLOTS && !left)
		return false;
	table_add(m, t, s < MODEL_SLOTS ? s : __ffs(left), ctx, mode, b);
	return true;
}

/* does not change the table if the watch does not fit */
static bool put_watch(const struct model *m, struct table *t,
		      const struct model_watch *w)
{
	struct table trial = *t;
	unsigned int i;

	for (i = 0; i < w->nr_blocks; i++)
		if (!table_put(m, &trial, w->ctx, w->mode, &w->block[i]))
			return false;
	*t = trial;
	return true;
}

static bool is_armed(const struct model_watch *w)
{
	return w->cand && w->cand->armed;
}

/* the quantum as the policy made it; or only its pinned watches */
static void table_of(const struct model *m, struct table *t, bool pinned_only)
{
	struct model_watch *w;
	unsigned int i, b;

	memset(t, 0, sizeof(*t));
	t->usable = m->caps.usable;
	for_each_watch(m, w, i)
		for (b = 0; b < w->nr_blocks; b++)
			if (is_armed(w) && (w->pinned || !pinned_only))
				table_add(m, t, w->cand->slot[b], w->ctx,
					  w->mode, &w->block[b]);
}

/* ---- candidates and slots -------------------------------------------------- */

static bool in_list(const struct list_head *list,
		    const struct gpubp_candidate *c)
{
	const struct gpubp_candidate *pos;
	unsigned int n = 0;

	list_for_each_entry(pos, list, node)
		n += pos == c;
	return n == 1;
}

static void check_cand(struct model *m, const struct model_watch *w)
{
	const struct gpubp_candidate *c = w->cand;

	if (!c)
		return;
	if (!in_list(w->pinned ? &m->pinned : &m->armed, c))
		model_break(m, "only armed and pinned candidates are kept");
	if (!w->pinned && !c->armed)
		model_break(m, "a candidate on the armed list is armed");
	if (!w->pinned && !model_wanted(m, w))
		model_break(m, "an unwanted watch is not armed");
}

static void check_cand_slots(struct model *m, const struct gpubp_candidate *c)
{
	u32 slots = 0;
	unsigned int i;

	for (i = 0; c->armed && i < c->nr_blocks; i++)
		slots |= BIT(c->slot[i]);
	if (slots != c->slots)
		model_break(m, "a candidate's slots are those of its blocks");
	if (slots & ~m->caps.usable)
		model_break(m, "no slot is used that is not usable");
}

static void check_cands(struct model *m)
{
	struct model_watch *w;
	unsigned int i;

	for_each_watch(m, w, i) {
		check_cand(m, w);
		if (w->cand)
			check_cand_slots(m, w->cand);
	}
}

/* ---- the hardware ---------------------------------------------------------- */

static void check_compares(struct model *m, const struct model_watch *w)
{
	const struct model_regs *r = &m->regs;
	u8 accesses = gpubp_mode_accesses(w->mode);
	unsigned int i, s;

	for (i = 0; i < w->nr_blocks; i++) {
		s = w->cand->slot[i];
		if (r->value[s] != w->block[i].value ||
		    !(r->valid[w->ctx] & BIT(s)) ||
		    r->mask[w->ctx][s] != w->block[i].mask)
			model_break(m, "an armed watch is compared");
		else if (accesses & ~gpubp_mode_accesses(r->mode[w->ctx][s]))
			model_break(m, "an armed watch is compared in a mode that sees it");
	}
}

static bool some_watch_in(const struct model *m, u32 ctx, unsigned int slot)
{
	struct model_watch *w;
	unsigned int i;

	for_each_watch(m, w, i)
		if (is_armed(w) && w->ctx == ctx &&
		    (w->cand->slots & BIT(slot)))
			return true;
	return false;
}

static void check_slot(struct model *m, unsigned int slot)
{
	unsigned int c, n = 0;

	for (c = 0; c < MODEL_CTXS; c++) {
		if (!(m->regs.valid[c] & BIT(slot)))
			continue;
		n++;
		if (!some_watch_in(m, c, slot))
			model_break(m, "an unwanted value is not compared");
	}
	if (n > 1 && !m->caps.cntl_banked)
		model_break(m, "a tagged slot serves one context");
}

/* a failed slot affects only the watches that use it */
static void check_hardware(struct model *m, u32 failed)
{
	struct model_watch *w;
	unsigned int i;

	for_each_watch(m, w, i)
		if (is_armed(w) && !(w->cand->slots & failed))
			check_compares(m, w);
	for (i = 0; i < MODEL_SLOTS; i++)
		if (m->owner[i] != MODEL_THEIRS && !(failed & BIT(i)))
			check_slot(m, i);
}

/* the owner of each slot, by the reference */
static void check_usable(struct model *m)
{
	u32 usable = 0;
	unsigned int s;

	for (s = 0; s < MODEL_SLOTS; s++)
		if (m->owner[s] == MODEL_OURS)
			usable |= BIT(s);
	if (m->caps.usable != usable)
		model_break(m, "usable slots are ours and work");
}

/* ---- which watches are armed --------------------------------------------- */

/* in order of priority, as many as fit */
static void check_pinned(struct model *m)
{
	struct table t = { .usable = m->caps.usable };
	const struct gpubp_candidate *c;

	list_for_each_entry(c, &m->pinned, node)
		if (put_watch(m, &t, c->priv) != c->armed)
			model_break(m, "pinned watches are armed if they fit");
}

static bool mates(const struct model_watch *a, const struct model_watch *b)
{
	return a == b || (a->group && a->group == b->group &&
			  a->ctx == b->ctx);
}

static bool has_entry(const struct model_watch *w)
{
	return w->fq.flow;
}

/**
 * struct unit - a watch and the other members of its group that have entries
 * @nr: number of watches
 * @nr_armed: armed ones
 * @nr_able: ones that can be described
 * @fits: all of them fit in a table together
 */
struct unit {
	unsigned int nr;
	unsigned int nr_armed;
	unsigned int nr_able;
	bool fits;
};

static struct unit unit_of(const struct model *m, const struct model_watch *w,
			   const struct table *in)
{
	struct unit u = { .fits = true };
	struct table t = *in;
	struct model_watch *mate;
	unsigned int i;

	for_each_watch(m, mate, i) {
		if (!has_entry(mate) || !mates(w, mate))
			continue;
		u.nr++;
		u.nr_armed += is_armed(mate);
		u.nr_able += !mate->unable;
		u.fits &= put_watch(m, &t, mate);
	}
	return u;
}

/* without the mode for everything, a device may be unable to join some modes */
static bool joins_all(const struct model *m)
{
	return m->caps.modes & BIT(GPUBP_MODE_ALL);
}

static void check_groups(struct model *m, const struct table *pinned)
{
	struct model_watch *w;
	unsigned int i;

	for_each_watch(m, w, i) {
		struct unit u;

		if (!has_entry(w) || !w->group)
			continue;
		u = unit_of(m, w, pinned);
		if (u.fits && u.nr_armed && u.nr_armed < u.nr)
			model_break(m, "all of a group are armed, or none");
	}
}

/* the unit that is armed with @w; @w alone if its group never fits */
static struct unit armable(const struct model *m, const struct model_watch *w,
			   const struct table *pinned, const struct table *all)
{
	struct unit u = unit_of(m, w, pinned);
	struct table t = *all;

	if (u.nr > 1 && (u.fits || u.nr_able < u.nr)) {
		u = unit_of(m, w, all);
		u.fits &= u.nr_able == u.nr;
		return u;
	}
	return (struct unit) {
		.nr = 1,
		.fits = !w->unable && put_watch(m, &t, w),
	};
}

/*
 * The policy examines a limited number of watches. Is the limit above what this
 * quantum needs? Each of its three passes may examine all watches, and for
 * groups each member.
 */
static bool looks_suffice(const struct model *m, const struct table *pinned)
{
	unsigned int i, waiting = 0, looks = 0;
	struct model_watch *w;

	for_each_watch(m, w, i) {
		if (!has_entry(w))
			continue;
		waiting += !is_armed(w);
		looks += unit_of(m, w, pinned).nr + 1;
	}
	return waiting < MAX_UNPLACEABLE &&
	       3 * looks <= LOOKS_PER_SLOT * hweight32(m->caps.usable);
}

static void check_conserving(struct model *m, const struct table *pinned)
{
	struct model_watch *w;
	struct table all;
	unsigned int i;

	if (!looks_suffice(m, pinned))
		return;
	table_of(m, &all, false);
	for_each_watch(m, w, i)
		if (has_entry(w) && !is_armed(w) &&
		    armable(m, w, pinned, &all).fits)
			model_break(m, "a watch that fits does not wait");
}

/* ---- waiting times ------------------------------------------------------- */

static unsigned int turns_in_epoch(const struct model *m, unsigned int user)
{
	struct model_watch *w;
	unsigned int i, n = 0;

	for_each_watch(m, w, i)
		if (has_entry(w) && w->user == user)
			n += w->weight;
	return n;
}

/* largest number of virtual slots that a unit may take */
static unsigned int largest_unit(const struct model *m,
				 const struct table *pinned)
{
	struct model_watch *w, *mate;
	unsigned int i, k, largest = 1;

	for_each_watch(m, w, i) {
		unsigned int places = 0;

		if (!has_entry(w))
			continue;
		for_each_watch(m, mate, k)
			if (has_entry(mate) && mates(w, mate))
				places += mate->nr_blocks;
		largest = max(largest, places);
	}
	return min_t(unsigned int, largest, m->policy.flexible);
}

/*
 * An entry is scheduled within two epochs of its flow. Between two turns of its
 * flow each other flow gets virtual slots by weight, plus one unit. At least
 * every second quantum has a turn. A generous bound, but finite.
 */
static u64 longest_wait(const struct model *m, const struct model_watch *w,
			const struct table *pinned)
{
	unsigned int largest = largest_unit(m, pinned);
	u32 weight = m->users[w->user].weight;
	unsigned int i, turns = largest;

	for (i = 0; i < MODEL_USERS; i++)
		if (i != w->user && m->users[i].nr)
			turns += largest *
				 DIV_ROUND_UP(m->users[i].weight, weight) +
				 largest;
	return 2 * 2 * turns_in_epoch(m, w->user) * turns;
}

static void check_waiting(struct model *m, const struct table *pinned)
{
	struct model_watch *w;
	unsigned int i;

	for_each_watch(m, w, i) {
		w->waited = is_armed(w) ? 0 : w->waited + 1;
		if (!w->waited || !has_entry(w) || !m->policy.flexible ||
		    m->caps.kind == GPUBP_POLICY_RANDOM)
			continue;
		if (w->waited > longest_wait(m, w, pinned) &&
		    armable(m, w, pinned, pinned).fits)
			model_break(m, "no watch starves");
	}
}

/* ---- slots of watches that stay armed ------------------------------------ */

/* number of slots that compare a block of @value, before or in this quantum */
static unsigned int slots_with(const struct model *m, u64 value, bool before)
{
	struct model_watch *w;
	u32 slots = 0;
	unsigned int i, b;

	for_each_watch(m, w, i)
		for (b = 0; b < w->nr_blocks; b++) {
			if (w->block[b].value != value)
				continue;
			if (before && w->slots)
				slots |= BIT(w->slot[b]);
			else if (!before && is_armed(w))
				slots |= BIT(w->cand->slot[b]);
		}
	return hweight32(slots);
}

/* slots that compare equal values may swap */
static void check_staying(struct model *m)
{
	struct model_watch *w;
	unsigned int i, b;

	if (!m->stable)
		return;
	for_each_watch(m, w, i)
		for (b = 0; b < w->nr_blocks; b++) {
			u64 value = w->block[b].value;

			if (!is_armed(w) || !w->slots ||
			    slots_with(m, value, true) > 1 ||
			    slots_with(m, value, false) > 1)
				continue;
			if (w->slot[b] != w->cand->slot[b])
				model_break(m,
					    "staying watches keep their slots");
		}
}

/* ---- data structures ----------------------------------------------------- */

static void check_entries(struct model *m, const struct gpubp_fairq_flow *flow)
{
	u32 i;

	for (i = 0; i < flow->nr; i++)
		if (gpubp_fairq_flow_entry(flow, i)->at != i ||
		    gpubp_fairq_flow_entry(flow, i)->flow != flow)
			model_break(m, "an entry is at its index");
	if (flow->pending > flow->nr || flow->deferred > flow->pending)
		model_break(m, "the counts of a flow are ordered");
}

static void check_shares(struct model *m)
{
	const struct gpubp_fairq_flow *flow, *prev = NULL;
	unsigned int i, shares = 0, turns = 0;
	struct rb_node *node;

	for (i = 0; i < MODEL_USERS; i++) {
		check_entries(m, &m->users[i]);
		turns += m->users[i].nr;
		shares += m->users[i].nr > 0;
	}
	for (node = rb_first_cached(&m->policy.fairq.flows); node;
	     node = rb_next(node), prev = flow, shares--) {
		flow = rb_entry(node, struct gpubp_fairq_flow, node);
		if (prev && prev->vtime > flow->vtime)
			model_break(m, "flows are sorted by vtime");
	}
	if (shares)
		model_break(m, "flows with entries are queued, others are not");
	if (turns != m->policy.fairq.nr)
		model_break(m, "the queue counts the entries of all flows");
}

static void check_turns(struct model *m)
{
	struct model_watch *w;
	unsigned int i;

	for_each_watch(m, w, i)
		if (has_entry(w) != (model_wanted(m, w) && !w->pinned))
			model_break(m, "wanted flexible watches have entries");
}

/**
 * model_check() - check all invariants of the current quantum
 * @m: model; sets m->broken
 * @failed: bitmap of slots that could not be programmed
 */
void model_check(struct model *m, u32 failed)
{
	struct table pinned;

	check_usable(m);
	check_cands(m);
	if (m->broken)
		return;
	check_hardware(m, failed);
	check_pinned(m);
	check_turns(m);
	check_shares(m);
	check_staying(m);
	table_of(m, &pinned, true);
	if (joins_all(m)) {
		check_groups(m, &pinned);
		check_conserving(m, &pinned);
		check_waiting(m, &pinned);
	}
	m->stable++;
}
