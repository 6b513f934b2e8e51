// SPDX-License-Identifier: GPL-2.0
/*
 * Precise stops: read waves that stop at a precise point, and resolve their
 * hits.
 *
 * A wave stops there before its access. What it is about to access is matched
 * with the watches of its context. If it will access watched bytes, the access
 * is kept as a pending access, and the hit that the comparator reports later is
 * resolved from it. If not, a hit that is reported nevertheless is of other
 * bytes of the comparator's block. That is certain, too, as long as every wave
 * in the buffer was read.
 */
#include <linux/bitops.h>
#include <linux/ktime.h>
#include <linux/minmax.h>

#include "../core/core.h"
#include "../sched/sched.h"
#include "../trap/trap.h"
#include "resolution.h"

/* a hit that the GPU has not reported by then is not reported at all */
#define LATE_NS		(100 * NSEC_PER_MSEC)

#define ANY_ACCESS	(GPUBP_ACCESS_LOAD | GPUBP_ACCESS_STORE | \
			 GPUBP_ACCESS_ATOMIC)

static struct gpubp_precise_point *patched_point_at(const struct gpubp_ctx *ctx,
						    u64 pc)
{
	struct gpubp_precise_point *point = gpubp_precise_point_find(ctx, pc);

	return point && point->patch ? point : NULL;
}

/* false if the dispatcher gave the wave no coordinates */
static bool wave_key_fill(const struct gpubp_hit_cell *cell,
			  const struct gpubp_resolution *res,
			  struct gpubp_wave_key *key)
{
	const struct gpubp_trap_record *trap = &res->trap;

	if (!cell->queue || !trap->has_coords || !trap->has_dispatch)
		return false;
	*key = (struct gpubp_wave_key) {
		.queue = cell->queue, .dispatch = trap->dispatch,
		.wg = { trap->wg[0], trap->wg[1], trap->wg[2] },
		.in_group = trap->wave_in_group,
	};
	return true;
}

/* ---- before the access --------------------------------------------------- */

static struct gpubp_watch *access_find_watch(struct gpubp_ctx *ctx,
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

static bool pending_add(struct gpubp_hit_cell *cell,
			const struct gpubp_resolution *res)
{
	struct gpubp_wave_key wave;

	return wave_key_fill(cell, res, &wave) &&
	       gpubp_pending_access_add(cell->ctx, &wave, res->step.pc,
					&res->insn, &res->access);
}

/* if no other wave is in the buffer, no wave that was not read can hit there */
static void point_begin_conclusive(const struct gpubp_ctx *ctx,
				   struct gpubp_precise_point *point)
{
	if (point->patch->buf->inside > 1)
		return;
	point->conclusive = true;
	point->watches = ctx->trap->precise.watches;
}

static void point_lose_wave(struct gpubp_ctx *ctx,
			    struct gpubp_precise_point *point)
{
	point->conclusive = false;
	ctx->dev->trap->precise.lost++;
}

static void precise_stop_evaluate(struct gpubp_hit_cell *cell,
				  const struct gpubp_resolution *res,
				  bool known)
{
	struct gpubp_ctx *ctx = cell->ctx;
	struct gpubp_precise_point *point;
	struct gpubp_watch *w;

	guard(mutex)(&ctx->dev->lock);
	point = patched_point_at(ctx, res->step.pc);
	if (!point)
		return;
	ctx->dev->trap->precise.stops++;
	point_begin_conclusive(ctx, point);
	if (!known)
		return point_lose_wave(ctx, point);
	w = access_find_watch(ctx, &res->access);
	if (!w)
		return gpubp_precise_useless(ctx, point);
	gpubp_precise_useful(point, w);
	ctx->dev->trap->precise.matched++;
	if (!pending_add(cell, res))
		point_lose_wave(ctx, point);
}

/*
 * Drop the wave's previous pending access. Without precise memory its hit may
 * still be reported when the wave is in another buffer, where it would be taken
 * for a hit of another access: resolve no hit from pending accesses for a
 * while.
 */
static void pending_drop_old(struct gpubp_hit_cell *cell,
			     const struct gpubp_resolution *res)
{
	struct gpubp_ctx *ctx = cell->ctx;
	const struct gpubp_pending_access *pending;
	struct gpubp_wave_key wave;

	if ((res->step.stop == GPUBP_STOP_INSIDE && !res->step.behind) ||
	    !wave_key_fill(cell, res, &wave))
		return;
	guard(mutex)(&ctx->dev->lock);
	pending = gpubp_pending_access_find(ctx, &wave);
	if (pending && !pending->reported && !ctx->dev->desc.caps.precise)
		ctx->trap->precise.late_hits_until = ktime_get_ns() + LATE_NS;
	gpubp_pending_access_drop(ctx, &wave);
}

/**
 * gpubp_precise_stop() - read a stopped wave that is about to resume
 * @cell: its hit, which is resolved
 * @res: its resolution, which is overwritten
 *
 * Drops the wave's pending access, unless the access is still to be executed.
 * Reads the next access if the wave is at a precise point. The resolver only;
 * may sleep.
 */
void gpubp_precise_stop(struct gpubp_hit_cell *cell,
			struct gpubp_resolution *res)
{
	bool known;

	if (gpubp_pending_accesses_any(cell->ctx))
		pending_drop_old(cell, res);
	if (!res->step.precise)
		return;
	res->insn = res->step.insn;
	res->access.exec = res->trap.exec;
	known = cell->outcome != GPUBP_STAT_DROP_STALL &&
		gpubp_access_read(cell, res);
	precise_stop_evaluate(cell, res, known);
}

/* ---- after the access ---------------------------------------------------- */

static void recall_pending(struct gpubp_resolution *res,
			   const struct gpubp_pending_access *pending)
{
	res->access = pending->access;
	res->insn = pending->insn;
	res->pc_exact = true;
}

/* an exact access of no lane */
static void recall_other_bytes(struct gpubp_resolution *res)
{
	res->access.exec = res->trap.exec;
	res->access.lanes = 0;
	res->access.regular = false;
	res->access.addr_state = GPUBP_ADDR_EXACT;
}

/*
 * The point, if a hit without a pending access is not of watched bytes, or
 * NULL.
 */
static struct gpubp_precise_point *
conclusive_point_at(const struct gpubp_ctx *ctx, u64 pc)
{
	struct gpubp_precise_point *point = patched_point_at(ctx, pc);

	if (!point || !point->conclusive ||
	    point->watches != ctx->trap->precise.watches)
		return NULL;
	return point;
}

/**
 * gpubp_precise_stop_recall() - resolve a hit by its pending access
 * @cell: the hit, of a comparator
 * @res: its resolution; (out) the instruction and the access, if they are known
 *
 * The resolver only; takes the device lock. Return: true if they are known.
 */
bool gpubp_precise_stop_recall(struct gpubp_hit_cell *cell,
			       struct gpubp_resolution *res)
{
	struct gpubp_ctx *ctx = cell->ctx;
	struct gpubp_wave_key wave;
	struct gpubp_precise_point *point;
	struct gpubp_pending_access *pending;

	if (!res->step.behind || !wave_key_fill(cell, res, &wave))
		return false;
	guard(mutex)(&ctx->dev->lock);
	if (ktime_get_ns() < ctx->trap->precise.late_hits_until)
		return false;
	pending = gpubp_pending_access_find(ctx, &wave);
	if (pending && pending->pc == res->step.pc) {
		pending->reported = true;
		recall_pending(res, pending);
		ctx->dev->trap->precise.hits++;
		return true;
	}
	point = conclusive_point_at(ctx, res->step.pc);
	if (!point)
		return false;
	gpubp_precise_stray(point);
	recall_other_bytes(res);
	ctx->dev->trap->precise.strays++;
	return true;
}

/* ---- hits that are not exact --------------------------------------------- */

/* would a stop before the access make the next hit exact */
static bool precise_may_help(const struct gpubp_hit_cell *cell,
			     const struct gpubp_resolution *res)
{
	const struct gpubp_device *dev = cell->dev;

	if (!dev->can_trap || !READ_ONCE(gpubp_max_precise_points) ||
	    (cell->hit.valid & GPUBP_HITF_ADDR) ||
	    !gpubp_ctx_can_arm(cell->ctx))
		return false;
	if (dev->desc.caps.precise)
		return res->pc_exact;
	return dev->desc.isa->drain_len && !res->step.behind;
}

static u64 access_pc(const struct gpubp_resolution *res)
{
	return res->trap.pc - (res->pc_exact ? res->insn.len : 0);
}

/**
 * gpubp_precise_stop_request() - request a precise point after an inexact hit
 * @cell: the hit; the device lock is held
 * @res: its resolution
 * @watch: the watch
 * @certain: watched bytes were certainly accessed nevertheless
 */
void gpubp_precise_stop_request(const struct gpubp_hit_cell *cell,
				const struct gpubp_resolution *res,
				const struct gpubp_watch *watch, bool certain)
{
	if (precise_may_help(cell, res))
		gpubp_precise_request(cell->ctx, watch, access_pc(res),
				      res->pc_exact, certain);
}
