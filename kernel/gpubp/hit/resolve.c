// SPDX-License-Identifier: GPL-2.0
/*
 * Resolve: the second step of the hit path, in the device's resolver thread.
 *
 * Finds which lanes accessed which addresses from the record of the trap
 * handler, the instruction in front of the wave's pc and the wave's registers.
 * Only the record, read_wave, mem_rw and, for memory violations, mem_translate
 * are used, because a GPU offers nothing else.
 *
 * The stop is classified once, and each cause has one handler. A plain watch
 * hit skips the code for breaks, precise points and handler counts, unless a
 * wave of its context has a pending access or its address is not exact.
 */
#include <linux/array_size.h>
#include <linux/kthread.h>
#include <linux/ktime.h>
#include <linux/slab.h>

#include "../compat/kcov.h"
#include "../core/core.h"
#include "../perf/perf.h"
#include "../sched/sched.h"
#include "../trap/trap.h"
#include "hit.h"
#include "resolution.h"

static void fill_record(struct gpubp_hit_cell *cell,
			const struct gpubp_resolution *res)
{
	const struct gpubp_trap_record *trap = &res->trap;
	struct gpubp_hit_record *rec = &cell->record;

	*rec = (struct gpubp_hit_record) {
		.pc = trap->pc - (res->pc_exact ? res->insn.len : 0),
		.exec = trap->exec,
		.gpu_time = cell->hit.gpu_time,
		.wave = gpubp_cell_wave(cell),
		.context = cell->ctx->id,
		.queue = cell->queue ? cell->queue->id : 0,
		.dispatch = trap->dispatch,
		.wg_x = trap->wg[0],
		.wg_y = trap->wg[1],
		.wg_z = trap->wg[2],
		.wave_in_group = trap->wave_in_group,
		.nr_merged = 1,
		.width = res->access.width,
		.addr_state = res->access.addr_state,
		.access = res->access.access,
		.device = cell->dev->number,
		.exceptions = trap->exceptions,
		.trap_id = res->step.stop == GPUBP_STOP_OWN ? trap->trap_id : 0,
		.flags = (res->pc_exact ? GPUBP_HIT_PC_EXACT : 0) |
			 (trap->has_coords ? GPUBP_HIT_COORDS : 0) |
			 (trap->has_dispatch ? GPUBP_HIT_DISPATCH : 0),
	};
}

static bool stalled_too_long(const struct gpubp_hit_cell *cell)
{
	return !gpubp_cell_went_on(cell) &&
	       (s64)(ktime_get_ns() - cell->hit.gpu_time) >
	       (s64)cell->ctx->max_stall_ns;
}

/*
 * With precise memory a wave stops right behind the access that hit. If it has
 * executed another instruction since, the comparator bits are not of a new hit:
 * programs can set these bits, and they accumulate in a wave that takes no
 * traps.
 */
static bool slots_are_old(const struct gpubp_hit_cell *cell,
			  const struct gpubp_trap_record *trap)
{
	return cell->dev->desc.caps.precise &&
	       (trap->trap_id || (trap->exceptions & GPUBP_EXC_ILLEGAL));
}

/*
 * The others have no cause here. A stale break word counts as a break whose
 * trap point is not known (trap_point_id 0), so that no event matches.
 */
static const u8 cause_of[] = {
	[GPUBP_STOP_BREAK]	= GPUBP_CAUSE_BREAK,
	[GPUBP_STOP_STALE]	= GPUBP_CAUSE_BREAK,
	[GPUBP_STOP_OWN]	= GPUBP_CAUSE_TRAP,
};

/*
 * Cause of a stop at an s_trap or in a XOL buffer; rewrites the record as if
 * the program's own code had been executed.
 */
static u8 stop_trap_cause(struct gpubp_hit_cell *cell,
			  struct gpubp_resolution *res)
{
	if (cell->place ||
	    (!res->trap.trap_id &&
	     !gpubp_xol_may_contain(&cell->ctx->trap->traps.xol, res->trap.pc)))
		return 0;
	gpubp_step_find(cell, &res->trap, &res->step);
	return cause_of[res->step.stop];
}

static u8 stop_classify(struct gpubp_hit_cell *cell,
			struct gpubp_resolution *res)
{
	const struct gpubp_trap_record *trap = &res->trap;
	u8 causes = stop_trap_cause(cell, res);

	if (trap->exceptions)
		causes |= GPUBP_CAUSE_EXCEPTION;
	if (!trap->slots)
		return causes;
	if (trap->at_limit)
		causes |= GPUBP_CAUSE_LIMIT;
	if (!slots_are_old(cell, trap))
		causes |= GPUBP_CAUSE_WATCH;
	return causes;
}

/* the handler records a hit only if it knows all addresses */
static bool record_is_possible(const struct gpubp_hit_cell *cell,
			       const struct gpubp_resolution *res)
{
	return !cell->place || res->access.addr_state == GPUBP_ADDR_EXACT;
}

static void resolve_watch(struct gpubp_hit_cell *cell,
			  struct gpubp_resolution *res)
{
	if (!res->step.behind || !gpubp_precise_stop_recall(cell, res)) {
		gpubp_access_find(cell, res);
		gpubp_access_find_lanes(cell, res, true);
	}
	fill_record(cell, res);
	cell->outcome = GPUBP_STAT_DROP_RECORD;
	if (!record_is_possible(cell, res))
		return;
	cell->outcome = GPUBP_STAT_STRAY_BYTES;
	gpubp_match_watches(cell, res);
}

/*
 * Handlers in the order of calls; the one of watches overwrites the access:
 * last.
 */
static const struct {
	u8 cause;
	void (*resolve)(struct gpubp_hit_cell *cell,
			struct gpubp_resolution *res);
} cause_handlers[] = {
	{ GPUBP_CAUSE_BREAK,		gpubp_match_break },
	{ GPUBP_CAUSE_TRAP,		gpubp_match_own_trap },
	{ GPUBP_CAUSE_EXCEPTION,	gpubp_match_exceptions },
	{ GPUBP_CAUSE_WATCH,		resolve_watch },
};

/* counter for a stop that no event wants */
static enum gpubp_stat stop_stat(const struct gpubp_step *step)
{
	switch (step->stop) {
	case GPUBP_STOP_GUARD:
		return GPUBP_STAT_STEP;
	case GPUBP_STOP_BREAK:
		return step->precise ? GPUBP_STAT_STEP :
					 GPUBP_STAT_STRAY_STALE;
	case GPUBP_STOP_STALE:
		return GPUBP_STAT_STRAY_STALE;
	default:
		return GPUBP_STAT_STRAY_TRAP;
	}
}

/* but for what is large, and written before it is read */
static void resolution_init(struct gpubp_resolution *res, bool recorded)
{
	memset(res, 0, offsetof(struct gpubp_resolution, step.insn));
	memset(&res->access, 0, offsetof(struct gpubp_access, dropped));
	if (recorded)
		return;
	memset(&res->insn, 0, sizeof(res->insn));
	res->decoded = false;
}

static void resolve_causes(struct gpubp_hit_cell *cell,
			   struct gpubp_resolution *res)
{
	bool stalled = stalled_too_long(cell);
	int i;

	resolution_init(res, cell->place);
	cell->outcome = GPUBP_STAT_DROP_STALL;
	if (stalled && !cell->ctx->trap->checks &&
	    !gpubp_trap_ctx_has_xol(&cell->ctx->trap->traps))
		return;
	cell->outcome = GPUBP_STAT_DROP_RECORD;
	if (cell->place)
		res->trap = res->recorded;
	else if (!gpubp_record_find(cell, &res->trap))
		return;
	if (res->trap.decision) {
		gpubp_check_decision(cell, res);
		return;
	}
	cell->hit.exceptions = res->trap.exceptions;
	/* a wave that was stalled for too long must step over its break, too */
	res->causes = stop_classify(cell, res);
	if (res->causes & GPUBP_CAUSE_LIMIT)
		gpubp_handler_count_read(cell->ctx, &res->trap, &res->delta);
	cell->outcome = GPUBP_STAT_DROP_STALL;
	if (stalled)
		return;
	cell->outcome = stop_stat(&res->step);
	/* that of watches fills it, and is the only one that most hits have */
	if (res->causes != GPUBP_CAUSE_WATCH)
		fill_record(cell, res);
	for (i = 0; i < ARRAY_SIZE(cause_handlers); i++)
		if (res->causes & cause_handlers[i].cause)
			cause_handlers[i].resolve(cell, res);
}

/*
 * Slots to charge for the stall: if unresolved, all, as it was probably a hit.
 */
static u32 stalling_slots(const struct gpubp_hit_cell *cell,
			  const struct gpubp_resolution *res)
{
	if (cell->outcome == GPUBP_STAT_DROP_STALL ||
	    cell->outcome == GPUBP_STAT_DROP_RECORD)
		return READ_ONCE(cell->ctx->prog.valid);
	return res->causes & GPUBP_CAUSE_WATCH ? res->trap.slots : 0;
}

static bool (*catch_fn)(struct gpubp_hit_cell *cell, bool unsimulated);

/**
 * gpubp_hit_set_catch() - set what lets sessions hold the wave of a hit
 * @fn: function of the first cell of a hit that has events in ->caught, of whether the
 *	wave is to be sent through gpubp_pc_catch_up() before it goes on; returns false
 *	if no session holds it. The resolver only, before ops->hit_done; it must not wait
 *	for a session
 *
 * Called once, before the first device is registered.
 */
void gpubp_hit_set_catch(bool (*fn)(struct gpubp_hit_cell *cell, bool unsimulated))
{
	catch_fn = fn;
}

static void hit_catch(struct gpubp_hit_cell *cell,
		      const struct gpubp_resolution *res)
{
	bool unsimulated = res->step.moves && res->step.simulates;

	if (!catch_fn(cell, unsimulated) && unsimulated)
		gpubp_pc_catch_up(cell->ctx, cell->hit.wave);
}

/**
 * gpubp_resolve_one() - resolve and deliver a hit
 * @cell: the hit; its reference is consumed
 * @res: scratch; with a place, ->recorded is what that has
 *
 * The resolver only; may sleep.
 */
void gpubp_resolve_one(struct gpubp_hit_cell *cell,
		       struct gpubp_resolution *res)
{
	struct gpubp_device *dev = cell->dev;
	u64 began = gpubp_throttle_begin(cell);
	struct gpubp_hit_cell *next;
	u32 slots;

	/* unique among devices: an event may have hits on several */
	cell->number = (++dev->nr_resolved << 8) | dev->number;
	resolve_causes(cell, res);
	if (res->causes & GPUBP_CAUSE_LIMIT)
		gpubp_handler_count_reported(&res->delta, res->counted);
	/* of a wave that went on, those that its access did not touch */
	for (next = gpubp_cell_went_on(cell) ? NULL : cell; next; next = next->next)
		gpubp_values_read(next);
	gpubp_data_find(cell, res);
	if (!cell->place && !res->trap.decision &&
	    (res->step.precise || gpubp_pending_accesses_any(cell->ctx)))
		gpubp_precise_stop(cell, res);
	slots = stalling_slots(cell, res);
	/*
	 * Deliver before the wave resumes: once its dispatch signals
	 * completion, a read of the event must include this hit. And before it
	 * is moved: a wave that is caught executes nothing.
	 */
	gpubp_deliver(cell);
	if (res->step.moves)
		gpubp_step_move(cell, &res->step);
	if (cell->nr_caught)
		hit_catch(cell, res);
	/* before it can stop again: a wave is never stopped twice at a time */
	if (!gpubp_cell_went_on(cell))
		gpubp_stopped_time_end(&cell->ctx->stopped_time,
				       cell->stopped_at);
	if (!cell->place)
		dev->ops.hit_done(dev->priv, &cell->hit);
	gpubp_throttle_hit(cell, slots, &res->step, began);
	gpubp_cell_put(cell);
}

static void resolve_cell(struct gpubp_hit_cell *cell)
{
	gpubp_recorded_take_ending(cell->dev);
	gpubp_kcov_start(cell->ctx->kcov);
	gpubp_recorded_before(cell->ctx, cell->dev->nr_parts);
	gpubp_resolve_one(cell, cell->dev->resolution);
	kcov_remote_stop();
	cond_resched();
}

/* first those that need not wait for what their contexts recorded before */
static void resolve_reported(struct gpubp_device *dev)
{
	struct gpubp_hit_cell *cell, *tmp;
	struct llist_node *list;
	LLIST_HEAD(late);

	dev->nr_parts++;
	list = llist_reverse_order(gpubp_hits_take(dev));
	llist_for_each_entry_safe(cell, tmp, list, lnode) {
		if (READ_ONCE(cell->ctx->sched->ring.allowed))
			llist_add(&cell->lnode, &late);
		else
			resolve_cell(cell);
	}
	list = llist_reverse_order(llist_del_all(&late));
	llist_for_each_entry_safe(cell, tmp, list, lnode)
		resolve_cell(cell);
}

/* waves that stopped do not wait for those that recorded a lot and went on */
static void resolve_fn(struct kthread_work *work)
{
	struct gpubp_device *dev = container_of(work, struct gpubp_device,
						resolve_work);
	u64 asked = atomic64_read(&dev->round_asked), before;
	bool more, first = true;

	do {
		before = atomic64_read(&dev->round_asked);
		more = gpubp_recorded_resolve(dev, first);
		first = false;
		resolve_reported(dev);
		gpubp_hits_part_done(dev, before);
	} while (more);
	gpubp_hits_done(dev, asked);
}

/**
 * gpubp_resolve_init() - allocate scratch and initialise work of a device
 * @dev: device; frees dev->resolution when it is freed
 *
 * Return: 0 or -ENOMEM.
 */
int gpubp_resolve_init(struct gpubp_device *dev)
{
	kthread_init_work(&dev->resolve_work, resolve_fn);
	dev->resolution = kvzalloc(sizeof(*dev->resolution), GFP_KERNEL_ACCOUNT);
	return dev->resolution ? 0 : -ENOMEM;
}
