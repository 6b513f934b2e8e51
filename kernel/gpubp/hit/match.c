// SPDX-License-Identifier: GPL-2.0
/* Match: find the watches and traps that a stop is a hit of. */
#include <linux/bitops.h>
#include <linux/limits.h>
#include <linux/list.h>
#include <linux/minmax.h>

#include "../core/core.h"
#include "../event/event.h"
#include "../lib/block_cover.h"
#include "../sched/sched.h"
#include "../trap/trap.h"
#include "resolution.h"

#define MAX_STRAY_WATCHES	1024	/* watches examined for a stray hit */

/* of one watch, tested at a hit: of one user, and of all */
#define MAX_CONDITIONS		8
#define MAX_CONDITIONS_ALL	32

/* ---- watches ------------------------------------------------------------- */

/* the slots of the watch compare no other bytes than the watched ones */
static bool watch_cover_is_tight(const struct gpubp_watch *w, u64 time)
{
	struct gpubp_block block[GPUBP_MAX_BLOCKS];
	int i, nr = gpubp_watch_cover(w, GPUBP_MAX_BLOCKS, block);
	u64 covered = 0;

	if (w->wide_to && time <= w->wide_to)
		return false;
	for (i = 0; i < nr; i++)
		covered += gpubp_block_size(&block[i]);
	/* if slots are scarce, one wider block may replace two */
	return covered == w->last - w->start + 1 && hweight32(w->slots) >= nr;
}

/*
 * Of the reasons why watches do not match, report the one of the watch that
 * matched most: the largest in the order of enum gpubp_stat.
 */
static void outcome_raise(struct gpubp_hit_cell *cell, enum gpubp_stat s)
{
	cell->outcome = max(cell->outcome, s);
}

/*
 * The address is unknown, but is certainly in the watched bytes, and the access
 * is of a watched kind. Never without precise memory: the hit may be older than
 * the watch.
 */
static bool watch_is_certain(const struct gpubp_watch *w,
			     const struct gpubp_hit_cell *cell,
			     const struct gpubp_resolution *res)
{
	if (!w->ctx->dev->desc.caps.precise ||
	    !(gpubp_watch_slots_certain(w, cell->hit.gpu_time) &
	      res->trap.slots))
		return false;
	if (cell->record.addr_state == GPUBP_ADDR_UNKNOWN &&
	    w->access != (GPUBP_ACCESS_LOAD | GPUBP_ACCESS_STORE |
			  GPUBP_ACCESS_ATOMIC))
		return false;
	return watch_cover_is_tight(w, cell->hit.gpu_time);
}

static bool watch_matches(struct gpubp_watch *w, struct gpubp_hit_cell *cell,
			  const struct gpubp_resolution *res,
			  struct gpubp_match *match)
{
	u32 slots = gpubp_watch_slots_at(w, cell->hit.gpu_time);

	if (!gpubp_lane_filter(&res->access, w->start, w->last - w->start + 1,
			       GPUBP_ACCESS_LOAD | GPUBP_ACCESS_STORE |
			       GPUBP_ACCESS_ATOMIC, match))
		return false;
	outcome_raise(cell, GPUBP_STAT_STRAY_STALE);
	if (!(slots & res->trap.slots))
		return false;
	outcome_raise(cell, GPUBP_STAT_STRAY_KIND);
	if (!gpubp_access_may_match(&res->access, w->access))
		return false;
	outcome_raise(cell, GPUBP_STAT_STRAY_OWNER);
	return true;
}

/* NULL if no cell is free for it */
static struct gpubp_hit_match *match_add(struct gpubp_hit_cell **cell)
{
	struct gpubp_hit_match *m;

	if ((*cell)->nr_matches == GPUBP_CELL_MATCHES) {
		struct gpubp_ctx *ctx = (*cell)->ctx;

		*cell = gpubp_cell_extend(*cell);
		if (!*cell) {
			atomic64_inc(&ctx->lost);
			return NULL;
		}
	}
	m = &(*cell)->matches[(*cell)->nr_matches++];
	*m = (struct gpubp_hit_match) {
		.hit = (*cell)->first->number,
		.weight = 1,
	};
	return m;
}

static void match_set_bytes(struct gpubp_hit_match *m,
			    const struct gpubp_match *match)
{
	if (!match->exact)
		return;
	m->hit_addr = match->hit_addr;
	m->hit_len = min_t(u16, match->hit_len, U8_MAX);
	m->flags |= GPUBP_HIT_BYTES;
}

static struct gpubp_hit_cell *
match_add_watch(struct gpubp_hit_cell *cell, struct gpubp_watch *w,
		const struct gpubp_member_binding *mb,
		const struct gpubp_match *match, u16 flags)
{
	struct gpubp_hit_match *m = match_add(&cell);

	if (!m)
		return NULL;
	m->kind = mb ? GPUBP_KIND_WATCH_SET : GPUBP_KIND_WATCH;
	m->watch = w->id;
	m->member = mb ? mb->member->id : 0;
	m->set = mb ? mb->set_binding->set->id : 0;
	m->start = w->start;
	m->last = w->last;
	m->addr = match->exact ? match->addr : w->start;
	m->lanes = match->lanes;
	m->touching = match->lanes;
	m->flags = flags;
	match_set_bytes(m, match);
	return cell;
}

/*
 * If the handler counts the hits of the watch, the match has a period's weight.
 */
static void match_set_count(struct gpubp_hit_cell *cell,
			    const struct gpubp_watch *w,
			    struct gpubp_resolution *res)
{
	struct gpubp_hit_match *m = &cell->matches[cell->nr_matches - 1];

	if (w->id != res->delta.watch)
		return;
	m->weight = res->delta.weight;
	m->credited = res->delta.credited;
	res->counted = true;
}

/* no user's conditions take the place of another's */
static bool filters_have_room(struct gpubp_filter *const *filters,
			      unsigned int nr, const struct gpubp_filter *filter)
{
	unsigned int i, own = 0;

	for (i = 0; i < nr; i++)
		own += filters[i]->user == filter->user;
	return own < MAX_CONDITIONS && nr < MAX_CONDITIONS_ALL;
}

/* different ones of the events of a watch; events with others lose the hit */
static unsigned int watch_filters(const struct gpubp_watch *w,
				  struct gpubp_filter **filters)
{
	struct gpubp_binding *b;
	unsigned int i, nr = 0;

	list_for_each_entry(b, &w->bindings, watch_node) {
		struct gpubp_filter *filter = b->event->filter;

		for (i = 0; i < nr && filters[i] != filter; i++)
			;
		if (!filter || i < nr)
			continue;
		if (filters_have_room(filters, nr, filter))
			filters[nr++] = filter;
		else
			gpubp_event_time_lose(&b->event->event_time);
	}
	return nr;
}

/* one match for each condition */
static struct gpubp_hit_cell *match_add_filtered(struct gpubp_hit_cell *cell,
						 struct gpubp_watch *w,
						 const struct gpubp_match *match,
						 u16 flags)
{
	struct gpubp_filter *filters[MAX_CONDITIONS_ALL];
	struct gpubp_hit_match *m;
	unsigned int i, nr;

	nr = watch_filters(w, filters);
	for (i = 0; i < nr; i++) {
		cell = match_add_watch(cell, w, NULL, match, flags);
		if (!cell)
			return NULL;
		m = &cell->matches[cell->nr_matches - 1];
		m->filter = gpubp_filter_share(filters[i]);
		m->filter_serial = filters[i]->serial;
	}
	return cell;
}

/* the trace has one hit of a watch, whatever the conditions of its events */
static bool watch_has_unfiltered(const struct gpubp_watch *w)
{
	struct gpubp_binding *b;

	list_for_each_entry(b, &w->bindings, watch_node)
		if (!b->event->filter)
			return true;
	return !list_empty(&w->bindings) && trace_gpubp_hit_enabled();
}

/*
 * One match for the events of a watch, one for each condition of such events, and
 * one for each member of a set.
 */
static struct gpubp_hit_cell *match_add_events(struct gpubp_hit_cell *cell,
					       struct gpubp_watch *w,
					       struct gpubp_resolution *res,
					       const struct gpubp_match *match,
					       u16 flags)
{
	struct gpubp_member_binding *mb;

	if (watch_has_unfiltered(w)) {
		cell = match_add_watch(cell, w, NULL, match, flags);
		if (cell)
			match_set_count(cell, w, res);
	}
	if (cell && w->filtered)
		cell = match_add_filtered(cell, w, match, flags);
	hlist_for_each_entry(mb, &w->members, watch_node) {
		if (!cell)
			break;
		/* its last event is closed, or it is newer than the record */
		if (list_empty(&mb->set_binding->bindings) ||
		    (cell->first->place && cell->hit.gpu_time < mb->since))
			continue;
		cell = match_add_watch(cell, w, mb, match, flags);
	}
	return cell;
}

/* very many watches may share a slot: stop after MAX_STRAY_WATCHES */
static void slots_add_stray(const struct gpubp_hit_cell *cell, u32 slots)
{
	unsigned int budget = MAX_STRAY_WATCHES;
	struct gpubp_watch *w = NULL;

	while (budget-- &&
	       (w = gpubp_watch_next_in_slots(cell->ctx, w, slots)))
		if (gpubp_watch_slots_at(w, cell->hit.gpu_time) & slots)
			gpubp_watch_add_strays(w, 1, cell->number);
}

/**
 * struct match_search - the watches that an access may match
 * @ctx: context
 * @exact: the address is known
 * @first: if @exact: its first byte
 * @last: if @exact: its last byte
 * @slots: else: slots that matched
 */
struct match_search {
	struct gpubp_ctx *ctx;
	bool exact;
	u64 first;
	u64 last;
	u32 slots;
};

static void search_init(struct match_search *search, struct gpubp_ctx *ctx,
			const struct gpubp_resolution *res)
{
	*search = (struct match_search) {
		.ctx = ctx,
		.exact = res->access.addr_state == GPUBP_ADDR_EXACT,
		.slots = res->trap.slots,
	};
	if (search->exact)
		gpubp_access_span(&res->access, &search->first, &search->last);
}

static struct gpubp_watch *search_next(const struct match_search *search,
				       struct gpubp_watch *prev)
{
	if (!search->exact)
		return gpubp_watch_next_in_slots(search->ctx, prev,
						 search->slots);
	if (prev)
		return gpubp_watch_next(prev, search->first, search->last);
	return gpubp_watch_first(search->ctx, search->first, search->last);
}

/* also by those who read the tracepoint; a set may get events that sample */
static bool watch_is_sampled(const struct gpubp_watch *w)
{
	return w->sampled || w->filtered || !hlist_empty(&w->members) ||
	       trace_gpubp_hit_enabled();
}

/**
 * gpubp_match_watches() - match an access to watches
 * @cell: the hit; (out) its matches, in further cells if need be
 * @res: its resolution
 *
 * The resolver only; takes the device lock.
 */
void gpubp_match_watches(struct gpubp_hit_cell *cell,
			 struct gpubp_resolution *res)
{
	const struct gpubp_hit_cell *hit = cell;
	struct match_search search;
	struct gpubp_match match;
	struct gpubp_watch *w = NULL;

	search_init(&search, cell->ctx, res);
	guard(mutex)(&cell->dev->lock);
	/* any watch might have been at an unknown address */
	if (!search.exact && !RB_EMPTY_ROOT(&cell->ctx->watches.rb_root))
		outcome_raise(cell, GPUBP_STAT_STRAY_STALE);
	while (cell && (w = search_next(&search, w)))
		if (watch_matches(w, cell->first, res, &match)) {
			bool certain = match.exact ||
				       watch_is_certain(w, hit, res);

			/* stop before the next such access: that is exact */
			if (!match.exact)
				gpubp_precise_stop_request(hit, res, w, certain);
			else
				res->sampled |= watch_is_sampled(w);
			cell = match_add_events(cell, w, res, &match, certain ?
						0 : GPUBP_HIT_POSSIBLE);
		}
	if (hit->outcome == GPUBP_STAT_STRAY_BYTES)
		slots_add_stray(hit, res->trap.slots);
}

/**
 * gpubp_match_any_watch() - does an access match a watch?
 * @cell: the hit
 * @res: its resolution
 *
 * The resolver only; takes the device lock.
 */
bool gpubp_match_any_watch(struct gpubp_hit_cell *cell,
			   const struct gpubp_resolution *res)
{
	struct match_search search;
	struct gpubp_match match;
	struct gpubp_watch *w = NULL;

	search_init(&search, cell->ctx, res);
	guard(mutex)(&cell->dev->lock);
	while ((w = search_next(&search, w)))
		if (watch_matches(w, cell, res, &match))
			return true;
	return false;
}

/* ---- traps --------------------------------------------------------------- */

/**
 * gpubp_match_trap() - add a match of a trap
 * @cell: last cell of the hit; (out) likewise, maybe a new one
 * @res: its resolution
 * @trap: the trap; the device lock is held
 *
 * Return: the match, or NULL if no cell is free for it.
 */
struct gpubp_hit_match *gpubp_match_trap(struct gpubp_hit_cell **cell,
					 const struct gpubp_resolution *res,
					 const struct gpubp_trap_point *trap)
{
	struct gpubp_hit_match *m;

	lockdep_assert_held(&(*cell)->dev->lock);
	m = match_add(cell);
	if (!m)
		return NULL;
	outcome_raise((*cell)->first, GPUBP_STAT_STRAY_OWNER);
	m->kind = trap->kind;
	m->watch = trap->id;
	m->start = trap->key;
	m->last = trap->key;
	m->pc = res->step.pc;
	m->addr = res->step.pc;
	m->addr_state = GPUBP_ADDR_EXACT;
	m->lanes = res->trap.exec;
	m->flags = GPUBP_HIT_PC_EXACT;
	return m;
}

/**
 * gpubp_match_break() - match a stop at a breakpoint to its trap
 * @cell: the hit; (out) its matches
 * @res: its resolution
 *
 * The stop matches the trap that the wave ran into, not one that was created at
 * the same pc since. The resolver only; takes the device lock.
 */
void gpubp_match_break(struct gpubp_hit_cell *cell,
		       struct gpubp_resolution *res)
{
	struct gpubp_trap_point *trap;

	guard(mutex)(&cell->dev->lock);
	trap = gpubp_trap_find(cell->ctx, GPUBP_KIND_BREAK, res->step.pc);
	if (trap && trap->id == res->step.trap_point_id)
		gpubp_match_trap(&cell, res, trap);
}

/** gpubp_match_own_trap() - likewise of a stop at an s_trap of the program */
void gpubp_match_own_trap(struct gpubp_hit_cell *cell,
			  struct gpubp_resolution *res)
{
	struct gpubp_trap_point *trap;

	guard(mutex)(&cell->dev->lock);
	trap = gpubp_trap_find(cell->ctx, GPUBP_KIND_TRAP, res->trap.trap_id);
	if (trap)
		gpubp_match_trap(&cell, res, trap);
}
