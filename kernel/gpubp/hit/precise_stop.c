// SPDX-License-Identifier: GPL-2.0
/*
 * Lookout: waves that come to an escalation, and what is known of their hits.
 *
 * A wave that stands there has not accessed anything. What it is about to access is
 * matched with the watches of its context; if it meets one, a note is taken, and
 * the hit that the comparator then tells of is what the note says. If not, a hit
 * that comes nevertheless met other bytes of the comparator's block, which is
 * just as certain, as long as every wave that is in the buffer was looked at.
 */
#include <linux/bitops.h>
#include <linux/ktime.h>
#include <linux/minmax.h>

#include "../core/core.h"
#include "../sched/sched.h"
#include "../trap/trap.h"
#include "resolution.h"

/* a hit that the GPU has not reported by then does not come */
#define LATE_NS		(100 * NSEC_PER_MSEC)

#define ANY_ACCESS	(GPUBP_ACCESS_LOAD | GPUBP_ACCESS_STORE | \
			 GPUBP_ACCESS_ATOMIC)

static struct gpubp_precise_point *escalation_at(const struct gpubp_ctx *ctx,
						 u64 pc)
{
	struct gpubp_precise_point *esc = gpubp_precise_point_find(ctx, pc);

	return esc && esc->patch ? esc : NULL;
}

/* false: the dispatcher told the wave nothing */
static bool name_wave(const struct gpubp_hit_cell *cell,
		      const struct gpubp_resolution *res,
		      struct gpubp_wave_key *name)
{
	const struct gpubp_trap_record *trap = &res->trap;

	if (!cell->queue || !trap->has_coords || !trap->has_dispatch)
		return false;
	*name = (struct gpubp_wave_key) {
		.queue = cell->queue, .dispatch = trap->dispatch,
		.wg = { trap->wg[0], trap->wg[1], trap->wg[2] },
		.in_group = trap->wave_in_group,
	};
	return true;
}

/* ---- before the access --------------------------------------------------- */

static struct gpubp_watch *find_met(struct gpubp_ctx *ctx,
				    const struct gpubp_access *acc)
{
	struct gpubp_match match;
	struct gpubp_watch *w;
	u64 first, last;

	gpubp_access_span(acc, &first, &last);
	for (w = gpubp_watch_first(ctx, first, last); w;
	     w = gpubp_watch_next(w, first, last))
		if (gpubp_lane_filter(acc, w->start, w->last - w->start + 1,
				      ANY_ACCESS, &match))
			return w;
	return NULL;
}

static bool take_note(struct gpubp_hit_cell *cell,
		      const struct gpubp_resolution *res)
{
	struct gpubp_wave_key wave;

	return name_wave(cell, res, &wave) &&
	       gpubp_pending_access_add(cell->ctx, &wave, res->step.pc,
					&res->access);
}

/* whoever is alone in the buffer is the only one whose hit can come from there */
static void begin_proof(const struct gpubp_ctx *ctx,
			struct gpubp_precise_point *esc)
{
	if (esc->patch->buf->inside > 1)
		return;
	esc->conclusive = true;
	esc->watches = ctx->trap->precise.watches;
}

static void lose(struct gpubp_ctx *ctx, struct gpubp_precise_point *esc)
{
	esc->conclusive = false;
	ctx->dev->trap->precise.lost++;
}

static void judge(struct gpubp_hit_cell *cell,
		  const struct gpubp_resolution *res, bool known)
{
	struct gpubp_ctx *ctx = cell->ctx;
	struct gpubp_precise_point *esc;
	struct gpubp_watch *w;

	guard(mutex)(&ctx->dev->lock);
	esc = escalation_at(ctx, res->step.pc);
	if (!esc)
		return;
	ctx->dev->trap->precise.stops++;
	begin_proof(ctx, esc);
	if (!known)
		return lose(ctx, esc);
	w = find_met(ctx, &res->access);
	if (!w)
		return gpubp_precise_miss(ctx, esc);
	gpubp_precise_hit(esc, w);
	ctx->dev->trap->precise.pending++;
	if (!take_note(cell, res))
		lose(ctx, esc);
}

/*
 * Without precise memory, a hit that did not come may come when its wave is in another
 * buffer, where it would be taken for one of another access.
 */
static void forget_last(struct gpubp_hit_cell *cell,
			const struct gpubp_resolution *res)
{
	struct gpubp_ctx *ctx = cell->ctx;
	const struct gpubp_pending_access *note;
	struct gpubp_wave_key wave;

	if ((res->step.stop == GPUBP_STOP_INSIDE && !res->step.behind) ||
	    !name_wave(cell, res, &wave))
		return;
	guard(mutex)(&ctx->dev->lock);
	note = gpubp_pending_access_find(ctx, &wave);
	if (note && !note->reported && !ctx->dev->desc.caps.precise)
		ctx->trap->precise.late_hits_until = ktime_get_ns() + LATE_NS;
	gpubp_pending_access_drop(ctx, &wave);
}

/**
 * gpubp_precise_stop() - a wave stands somewhere, and is about to go on
 * @cell: the hit, which is resolved
 * @res: its resolution, which is not needed any more
 *
 * Whatever was noted of it is over, unless it still has the access before it. If it
 * stands at an escalation it is looked at. The resolver only; may sleep.
 */
void gpubp_precise_stop(struct gpubp_hit_cell *cell,
			struct gpubp_resolution *res)
{
	bool known;

	if (gpubp_pending_accesses_any(cell->ctx))
		forget_last(cell, res);
	if (!res->step.precise)
		return;
	res->insn = res->step.insn;
	res->access.exec = res->trap.exec;
	known = cell->verdict != GPUBP_STAT_DROP_STALL &&
		gpubp_access_read(cell, res);
	judge(cell, res, known);
}

/* ---- behind it ----------------------------------------------------------- */

static void recall_note(struct gpubp_resolution *res,
			const struct gpubp_pending_access *note)
{
	res->access = note->access;
	res->insn = (struct gpubp_insn) { .len = res->trap.pc - note->pc };
	res->pc_exact = true;
}

/* exact, and nowhere */
static void recall_nothing(struct gpubp_resolution *res)
{
	res->access.exec = res->trap.exec;
	res->access.lanes = 0;
	res->access.addr_state = GPUBP_ADDR_EXACT;
}

/* that which proves that a hit without a note met no watch, or NULL */
static struct gpubp_precise_point *proof_at(const struct gpubp_ctx *ctx, u64 pc)
{
	struct gpubp_precise_point *esc = escalation_at(ctx, pc);

	return esc && esc->conclusive &&
			       esc->watches == ctx->trap->precise.watches ?
		       esc :
		       NULL;
}

/**
 * gpubp_precise_stop_recall() - what is known of a hit from before the access
 * @cell: the hit, of a comparator
 * @res: its resolution; its instruction and its access, if that is known
 *
 * The resolver only; takes the device lock. Return: it is.
 */
bool gpubp_precise_stop_recall(struct gpubp_hit_cell *cell,
			       struct gpubp_resolution *res)
{
	struct gpubp_ctx *ctx = cell->ctx;
	struct gpubp_wave_key wave;
	struct gpubp_precise_point *esc;
	struct gpubp_pending_access *note;

	if (!res->step.behind || !name_wave(cell, res, &wave))
		return false;
	guard(mutex)(&ctx->dev->lock);
	if (ktime_get_ns() < ctx->trap->precise.late_hits_until)
		return false;
	note = gpubp_pending_access_find(ctx, &wave);
	if (note && note->pc == res->step.pc) {
		note->reported = true;
		recall_note(res, note);
		ctx->dev->trap->precise.hits++;
		return true;
	}
	esc = proof_at(ctx, res->step.pc);
	if (!esc)
		return false;
	gpubp_precise_stray(esc);
	recall_nothing(res);
	ctx->dev->trap->precise.strays++;
	return true;
}

/* ---- hits that told too little ------------------------------------------- */

/* could a look before the access tell more */
static bool can_tell(const struct gpubp_hit_cell *cell,
		     const struct gpubp_resolution *res)
{
	const struct gpubp_device *dev = cell->dev;

	if (!dev->can_trap || !READ_ONCE(gpubp_max_precise_points) ||
	    (cell->hit.valid & GPUBP_HITF_ADDR) || !gpubp_ctx_serves(cell->ctx))
		return false;
	if (dev->desc.caps.precise)
		return res->pc_exact;
	return dev->desc.isa->drain_len && !res->step.behind;
}

static u64 pc_of(const struct gpubp_resolution *res)
{
	return res->trap.pc - (res->pc_exact ? res->insn.len : 0);
}

/**
 * gpubp_precise_stop_request() - a hit of a watch is not exact
 * @cell: the hit; the device lock is held
 * @res: its resolution
 * @watch: the watch
 * @certain: it is nevertheless certain that the watch was met
 */
void gpubp_precise_stop_request(const struct gpubp_hit_cell *cell,
				const struct gpubp_resolution *res,
				const struct gpubp_watch *watch, bool certain)
{
	if (can_tell(cell, res))
		gpubp_precise_request(cell->ctx, watch, pc_of(res),
				      res->pc_exact, certain);
}
