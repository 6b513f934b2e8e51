// SPDX-License-Identifier: GPL-2.0
/* Match: which watches and traps a stop concerns. */
#include <linux/bitops.h>
#include <linux/list.h>
#include <linux/minmax.h>

#include "../core/core.h"
#include "../event/event.h"
#include "../lib/block_cover.h"
#include "../sched/sched.h"
#include "../trap/trap.h"
#include "resolution.h"

#define MAX_TOLD	1024	/* watches that are told of a stray hit */

/* ---- watches ------------------------------------------------------------- */

/* a block that is no wider than the watch leaves no room for a stranger */
static bool cover_is_tight(const struct gpubp_watch *w, u64 time)
{
	struct gpubp_block block[GPUBP_MAX_BLOCKS];
	int i, nr = gpubp_watch_cover(w, GPUBP_MAX_BLOCKS, block);
	u64 covered = 0;

	if (w->wide_to && time <= w->wide_to)
		return false;
	for (i = 0; i < nr; i++)
		covered += gpubp_block_size(&block[i]);
	/* where slots are few one wider block may stand for two */
	return covered == w->last - w->start + 1 && hweight32(w->slots) >= nr;
}

/* of several reasons to be nobody's, the one that came closest */
static void raise_verdict(struct gpubp_hit_cell *cell, enum gpubp_stat s)
{
	cell->verdict = max(cell->verdict, s);
}

/*
 * Not where, but surely in the watched bytes and of a kind that is watched.
 * Never without precise memory: the hit may be older than the watch.
 */
static bool is_certain(const struct gpubp_watch *w,
		       const struct gpubp_hit_cell *cell)
{
	if (!w->ctx->dev->desc.caps.precise)
		return false;
	if (cell->record.addr_state == GPUBP_ADDR_UNKNOWN &&
	    w->access != (GPUBP_ACCESS_LOAD | GPUBP_ACCESS_STORE |
			  GPUBP_ACCESS_ATOMIC))
		return false;
	return cover_is_tight(w, cell->hit.gpu_time);
}

static bool watch_matches(struct gpubp_watch *w, struct gpubp_hit_cell *cell,
			  const struct gpubp_resolution *res,
			  struct gpubp_match *match)
{
	u32 slots = gpubp_watch_slots_at(w, cell->hit.gpu_time);

	if (res->access.addr_state == GPUBP_ADDR_EXACT &&
	    !gpubp_lane_filter(&res->access, w->start, w->last - w->start + 1,
			       GPUBP_ACCESS_LOAD | GPUBP_ACCESS_STORE |
			       GPUBP_ACCESS_ATOMIC, match))
		return false;
	raise_verdict(cell, GPUBP_STAT_STRAY_STALE);
	if (!(slots & res->trap.slots))
		return false;
	raise_verdict(cell, GPUBP_STAT_STRAY_KIND);
	if (!gpubp_lane_filter(&res->access, w->start, w->last - w->start + 1,
			       w->access, match))
		return false;
	raise_verdict(cell, GPUBP_STAT_STRAY_OWNER);
	return true;
}

/* NULL: there is no room for it */
static struct gpubp_hit_match *add_match(struct gpubp_hit_cell **cell)
{
	struct gpubp_hit_match *m;

	if ((*cell)->nr_matches == GPUBP_CELL_MATCHES) {
		struct gpubp_ctx *ctx = (*cell)->ctx;

		*cell = gpubp_cell_more(*cell);
		if (!*cell) {
			atomic64_inc(&ctx->lost);
			return NULL;
		}
	}
	m = &(*cell)->matches[(*cell)->nr_matches++];
	m->hit = (*cell)->first->number;
	m->weight = 1;
	m->credited = 0;
	return m;
}

static struct gpubp_hit_cell *
note_match(struct gpubp_hit_cell *cell, struct gpubp_watch *w,
	   const struct gpubp_member_binding *mb,
	   const struct gpubp_match *match)
{
	struct gpubp_hit_match *m = add_match(&cell);

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
	if (!match->exact && !is_certain(w, cell))
		m->flags = GPUBP_HIT_POSSIBLE;
	return cell;
}

/* a hit of a watch whose hits the handler counts stands for a period of them */
static void note_metered(struct gpubp_hit_cell *cell,
			 const struct gpubp_watch *w,
			 struct gpubp_resolution *res)
{
	struct gpubp_hit_match *m = &cell->matches[cell->nr_matches - 1];

	if (w->id != res->delta.watch)
		return;
	m->weight = res->delta.weight;
	m->credited = res->delta.credited;
	res->metered = true;
}

/* for its events, and for each member of a set that wants it */
static struct gpubp_hit_cell *note_watch(struct gpubp_hit_cell *cell,
					 struct gpubp_watch *w,
					 struct gpubp_resolution *res,
					 const struct gpubp_match *match)
{
	struct gpubp_member_binding *mb;

	if (!list_empty(&w->bindings)) {
		cell = note_match(cell, w, NULL, match);
		if (cell)
			note_metered(cell, w, res);
	}
	hlist_for_each_entry(mb, &w->members, watch_node) {
		if (!cell)
			break;
		cell = note_match(cell, w, mb, match);
	}
	return cell;
}

/** gpubp_access_span() - lowest and highest byte that an exact access can touch */
void gpubp_access_span(const struct gpubp_access *acc, u64 *first, u64 *last)
{
	u64 lanes = acc->lanes;

	*first = U64_MAX;
	*last = 0;
	for (; lanes; lanes &= lanes - 1) {
		u64 addr = acc->addr[__ffs64(lanes)];

		*first = min(*first, addr);
		*last = max(*last, addr + acc->width - 1);
	}
}

static void tell_stray(struct gpubp_event *gev,
		       const struct gpubp_hit_cell *cell)
{
	u64 *last = &gev->last_stray[cell->dev->number % GPUBP_LAST_HITS];

	if (*last == cell->number)
		return;		/* it has another watch there */
	*last = cell->number;
	atomic64_inc(&gev->strays);
}

static void tell_strays(struct gpubp_watch *w,
			const struct gpubp_hit_cell *cell)
{
	struct gpubp_member_binding *mb;
	struct gpubp_binding *b;

	w->stats.strays++;
	list_for_each_entry(b, &w->bindings, watch_node)
		tell_stray(b->event, cell);
	hlist_for_each_entry(mb, &w->members, watch_node)
		list_for_each_entry(b, &mb->set_binding->bindings, watch_node)
			tell_stray(b->event, cell);
}

/* those who share a slot may be many: nobody waits until all are told */
static void count_strays(const struct gpubp_hit_cell *cell, u32 slots)
{
	unsigned int budget = MAX_TOLD;
	struct gpubp_watch *w;

	list_for_each_entry(w, &cell->dev->armed, node) {
		if (!budget--)
			break;
		if (w->ctx == cell->ctx &&
		    gpubp_watch_slots_at(w, cell->hit.gpu_time) & slots)
			tell_strays(w, cell);
	}
}

/**
 * gpubp_match_watches() - whose watches an access concerns
 * @cell: the hit: its matches, in further cells if need be
 * @res: its resolution
 *
 * The resolver only; takes the device lock.
 */
void gpubp_match_watches(struct gpubp_hit_cell *cell,
			 struct gpubp_resolution *res)
{
	const struct gpubp_hit_cell *hit = cell;
	struct gpubp_ctx *ctx = cell->ctx;
	struct gpubp_match match;
	struct gpubp_watch *w;
	u64 first = 0, last = U64_MAX;

	if (res->access.addr_state == GPUBP_ADDR_EXACT)
		gpubp_access_span(&res->access, &first, &last);
	guard(mutex)(&cell->dev->lock);
	for (w = gpubp_watch_first(ctx, first, last); w && cell;
	     w = gpubp_watch_next(w, first, last))
		if (watch_matches(w, cell->first, res, &match)) {
			if (!match.exact)
				gpubp_precise_stop_request(hit, res, w,
							   is_certain(w, hit));
			cell = note_watch(cell, w, res, &match);
		}
	if (hit->verdict == GPUBP_STAT_STRAY_BYTES)
		count_strays(hit, res->trap.slots);
}

/* ---- traps --------------------------------------------------------------- */

/**
 * gpubp_match_trap() - a stop is of a trap
 * @cell: where its matches are; (out) where the next is to be put
 * @res: its resolution
 * @trap: the trap; the device lock is held
 *
 * Return: the match, or NULL: there is no room for it.
 */
struct gpubp_hit_match *gpubp_match_trap(struct gpubp_hit_cell **cell,
					 const struct gpubp_resolution *res,
					 const struct gpubp_trap *trap)
{
	struct gpubp_hit_match *m = add_match(cell);

	if (!m)
		return NULL;
	raise_verdict((*cell)->first, GPUBP_STAT_STRAY_OWNER);
	m->kind = trap->kind;
	m->watch = trap->id;
	m->start = trap->key;
	m->last = trap->key;
	m->addr = res->step.pc;
	m->lanes = res->trap.exec;
	m->flags = GPUBP_HIT_PC_EXACT;
	return m;
}

/**
 * gpubp_match_break() - a wave stopped at a breakpoint
 * @cell: the hit: its matches
 * @res: its resolution
 *
 * It is theirs who wanted the break that the wave met, not theirs who want one at the
 * same pc since then. The resolver only; takes the device lock.
 */
void gpubp_match_break(struct gpubp_hit_cell *cell,
		       struct gpubp_resolution *res)
{
	struct gpubp_trap *trap;

	guard(mutex)(&cell->dev->lock);
	trap = gpubp_trap_find(cell->ctx, GPUBP_KIND_BREAK, res->step.pc);
	if (trap && trap->id == res->step.trap_id)
		gpubp_match_trap(&cell, res, trap);
}

/** gpubp_match_own_trap() - a wave stopped at an s_trap of the program's; likewise */
void gpubp_match_own_trap(struct gpubp_hit_cell *cell,
			  struct gpubp_resolution *res)
{
	struct gpubp_trap *trap;

	guard(mutex)(&cell->dev->lock);
	trap = gpubp_trap_find(cell->ctx, GPUBP_KIND_TRAP, res->trap.trap_id);
	if (trap)
		gpubp_match_trap(&cell, res, trap);
}
