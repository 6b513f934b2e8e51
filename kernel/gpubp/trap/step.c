// SPDX-License-Identifier: GPL-2.0
/* Steps: stops at breaks and in XOL buffers, and where waves resume. */
#include <kunit/visibility.h>
#include <linux/bug.h>
#include <linux/errno.h>
#include <linux/export.h>
#include <linux/gpubp.h>
#include <linux/string.h>

#include "../core/core.h"
#include "handler.h"
#include "patch.h"
#include "precise.h"
#include "step.h"
#include "trap.h"
#include "trap_point.h"
#include "xol.h"

/* ---- classifying a stop -------------------------------------------------- */

static bool trap_is_break(const struct gpubp_hit_cell *cell,
			  const struct gpubp_trap_record *trap)
{
	return trap->trap_id &&
	       trap->trap_id == cell->dev->desc.isa->break_id;
}

static void step_move_to(struct gpubp_step *step, u64 to)
{
	step->moves = true;
	step->to = to;
}

/*
 * Behind the instruction in a buffer: move the wave back into the program. The
 * record gets the pc that it would have if the program had been executed there.
 */
static void step_leave_buffer(struct gpubp_step *step,
			      struct gpubp_trap_record *trap,
			      const struct gpubp_xol_place *place)
{
	step->leave_pc = place->to;
	step->behind = true;
	step_move_to(step, place->from + place->len);
	trap->pc = place->from + place->len;
}

/* the buffer counts the wave before the device lock is released */
static void step_at_patch(struct gpubp_ctx *ctx, struct gpubp_step *step,
			  const struct gpubp_patch *patch)
{
	/*
	 * The wave is not read at this patch, which may be a retired one: a
	 * precise point that is at this pc now is not conclusive any more.
	 */
	if (!patch->point)
		gpubp_precise_set_inconclusive(ctx, patch->pc);
	step->stop = GPUBP_STOP_BREAK;
	step->trap_point_id = patch->trap_point_id;
	step->insn = patch->insn;
	step->simulates = patch->insn.step == GPUBP_STEP_SIMULATED;
	step->enters = true;
	step->precise = patch->point;
	gpubp_xol_enter_begin(patch->buf, patch->insn.step == GPUBP_STEP_END);
	step_move_to(step, patch->buf->to);
}

/* the instruction in the buffer is an s_trap of the program */
static void step_own_trap_in_buffer(struct gpubp_step *step,
				    struct gpubp_trap_record *trap,
				    const struct gpubp_xol_place *place)
{
	step->stop = GPUBP_STOP_OWN;
	step->pc = place->from;
	step_leave_buffer(step, trap, place);
}

static void step_find_in_buffer(const struct gpubp_hit_cell *cell,
				struct gpubp_step *step,
				struct gpubp_trap_record *trap,
				const struct gpubp_xol_place *place)
{
	bool behind = gpubp_xol_is_behind(place, trap->pc);

	step->pc = place->from;
	if (trap_is_break(cell, trap) && behind) {
		step->stop = GPUBP_STOP_GUARD;
		step_leave_buffer(step, trap, place);
	} else if (trap->trap_id) {
		step_own_trap_in_buffer(step, trap, place);
	} else {
		step->stop = GPUBP_STOP_INSIDE;
		if (behind)
			step_leave_buffer(step, trap, place);
		else
			trap->pc = place->from;
	}
}

/* Return: false: the pc is in no buffer, and no patch was there then. */
static bool step_find_known(struct gpubp_hit_cell *cell,
			    struct gpubp_trap_record *trap,
			    struct gpubp_step *step)
{
	const struct gpubp_ctx *ctx = cell->ctx;
	const struct gpubp_patch *patch;
	struct gpubp_xol_place place;

	if (gpubp_xol_find(ctx, trap->pc, &place)) {
		step_find_in_buffer(cell, step, trap, &place);
		return true;
	}
	if (!trap_is_break(cell, trap))
		return false;
	patch = gpubp_patch_find(ctx, trap->pc, cell->hit.gpu_time);
	if (!patch)
		return false;
	step->pc = trap->pc;
	step_at_patch(cell->ctx, step, patch);
	return true;
}

static bool step_break_word_present(struct gpubp_hit_cell *cell, u64 pc)
{
	u32 len = cell->dev->desc.isa->break_len;
	u8 word[GPUBP_MAX_INSN];

	return gpubp_ctx_global_rw(cell->ctx, pc, word, len, 0) == len &&
	       gpubp_patch_is_break(cell->ctx, word);
}

/* the break word is not in memory any more */
static void step_find_retired(struct gpubp_hit_cell *cell,
			      struct gpubp_step *step)
{
	const struct gpubp_patch *patch;

	patch = gpubp_patch_find_retired(cell->ctx, step->pc);
	if (patch)
		step_at_patch(cell->ctx, step, patch);
	else
		step->stop = GPUBP_STOP_STALE;
}

/* a break word without a patch: the program's own, or one that was removed */
static void step_find_by_word(struct gpubp_hit_cell *cell,
			      struct gpubp_trap_record *trap,
			      struct gpubp_step *step, bool there)
{
	step->pc = trap->pc;
	if (!there)
		return step_find_retired(cell, step);
	step->stop = GPUBP_STOP_OWN;
	trap->pc += cell->dev->desc.isa->break_len;
	step_move_to(step, trap->pc);
}

/*
 * Memory tells whether the word is the program's own, but it can be read only
 * without the lock: read again if a patch changed since the last search.
 */
static void step_find_unknown(struct gpubp_hit_cell *cell,
			      struct gpubp_trap_record *trap,
			      struct gpubp_step *step)
{
	bool known = false, there = false;
	u64 seq = 0;

	for (;;) {
		scoped_guard(mutex, &cell->dev->lock) {
			if (step_find_known(cell, trap, step))
				return;
			if (known && seq == cell->ctx->trap->traps.seq)
				return step_find_by_word(cell, trap, step,
							 there);
			seq = cell->ctx->trap->traps.seq;
		}
		there = step_break_word_present(cell, trap->pc);
		known = true;
	}
}

/**
 * gpubp_step_find() - classify a stop with respect to breaks
 * @cell: the hit
 * @trap: its record; a pc in a XOL buffer is replaced by the pc in the program
 * @step: (out) the stop; the caller calls gpubp_step_move() later
 *
 * The resolver only; takes the device lock; may sleep.
 */
void gpubp_step_find(struct gpubp_hit_cell *cell,
		     struct gpubp_trap_record *trap, struct gpubp_step *step)
{
	bool ours;

	*step = (struct gpubp_step) {};
	if (!cell->dev->can_trap)
		return;
	scoped_guard(mutex, &cell->dev->lock)
		ours = step_find_known(cell, trap, step);
	if (ours || !trap->trap_id)
		return;
	if (trap_is_break(cell, trap)) {
		step_find_unknown(cell, trap, step);
	} else {
		step->stop = GPUBP_STOP_OWN;
		step->pc = trap->trap_pc;
	}
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_step_find);

/* ---- moving the wave ----------------------------------------------------- */

/* account the wave in the buffers that it leaves and enters */
static void step_update_buffers(struct gpubp_hit_cell *cell,
				const struct gpubp_step *step, bool moved,
				bool simulated)
{
	if (!step->enters && !step->leave_pc)
		return;
	guard(mutex)(&cell->dev->lock);
	if (step->enters)
		gpubp_xol_enter_end(cell->ctx, step->to, moved && !simulated);
	if (step->leave_pc && moved)
		gpubp_xol_leave(cell->ctx, step->leave_pc);
}

static void step_trace(const struct gpubp_hit_cell *cell,
		       const struct gpubp_step *step, bool simulated)
{
	trace_gpubp_step(cell->dev->number, cell->ctx->id,
			 gpubp_cell_wave(cell), step->pc, step->to, simulated);
}

/**
 * gpubp_step_move() - move a stopped wave to where it resumes
 * @cell: the hit
 * @step: as gpubp_step_find() set it
 *
 * The resolver only, before ops->hit_done; takes the device lock; may sleep. If
 * the wave is gone, nothing is left to do; a wave that cannot be moved stops
 * again at the same place.
 *
 * A wave that may be caught executes nothing: an instruction that is to be simulated is
 * left to gpubp_pc_catch_up().
 */
void gpubp_step_move(struct gpubp_hit_cell *cell, struct gpubp_step *step)
{
	u64 wave = cell->hit.wave;
	bool simulated, moved;
	int err = -EILSEQ;

	if (!step->moves)
		return;
	if (step->simulates && !cell->nr_caught)
		err = gpubp_pc_simulate(cell->ctx, wave, &step->insn, step->pc);
	simulated = !err;
	/* an illegal instruction: let hardware report it from the buffer */
	if (err == -EILSEQ)
		err = gpubp_pc_write(cell->ctx, wave, step->to);
	moved = !err;
	if (moved)
		step_trace(cell, step, simulated);
	step_update_buffers(cell, step, moved, simulated);
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_step_move);

/* ---- pc of a stopped wave ------------------------------------------------ */

/**
 * gpubp_pc_read() - read the pc of a stopped wave, which may be in a buffer
 * @dev: device whose ISA has a pc register
 * @wave: stopped wave
 * @pc: (out) its pc
 *
 * May sleep. Return: as ops->read_wave.
 */
int gpubp_pc_read(const struct gpubp_device *dev, u64 wave, u64 *pc)
{
	u32 value[2];
	int err = dev->ops.read_wave(dev->priv, wave, &dev->desc.isa->pc_reg, 1,
				     value);

	if (!err)
		*pc = value[0] | (u64)value[1] << 32;
	return err;
}

/* the program would end there; memory, as waves read it */
static bool pc_is_end(struct gpubp_ctx *ctx, u64 pc)
{
	const struct gpubp_isa *isa = ctx->dev->desc.isa;
	u8 code[GPUBP_MAX_INSN];
	struct gpubp_insn insn;
	ssize_t n = gpubp_ctx_global_rw(ctx, pc, code, isa->insn_max, 0);

	return n > 0 && !isa->decode(code, n, &insn) &&
	       insn.step == GPUBP_STEP_END;
}

static void pc_put_value(u32 *value, u64 pc)
{
	value[0] = lower_32_bits(pc);
	value[1] = upper_32_bits(pc);
}

/*
 * Requests and values that move a wave: to where it is parked, if it could not be
 * halted at @pc. Return: how many requests, or an error of ops->read_wave.
 */
static int pc_put(struct gpubp_ctx *ctx, u64 wave, u64 pc,
		  struct gpubp_reg_req *req, u32 *value)
{
	const struct gpubp_device *dev = ctx->dev;
	const struct gpubp_isa *isa = dev->desc.isa;
	u64 park = gpubp_handler_park_pc(ctx);
	int err;

	if (!park || !pc_is_end(ctx, pc)) {
		*req = isa->pc_reg;
		pc_put_value(value, pc);
		return 1;
	}
	err = dev->ops.read_wave(dev->priv, wave, &isa->park_regs, 1, value);
	if (err)
		return err;
	isa->park_edit(value, pc, false);
	req[0] = isa->park_regs;
	req[1] = isa->pc_reg;
	pc_put_value(value + isa->park_regs.count, park);
	return 2;
}

#define PC_MAX_REGS	2
#define PC_MAX_VALUES	(GPUBP_MAX_PARK_REGS + 2)

/**
 * gpubp_pc_write() - set a stopped wave's pc
 * @ctx: its context
 * @wave: stopped wave
 * @pc: new pc
 *
 * Takes gpubp_wave_regs_lock(); may sleep. Return: as ops->write_wave.
 */
int gpubp_pc_write(struct gpubp_ctx *ctx, u64 wave, u64 pc)
{
	struct gpubp_device *dev = ctx->dev;
	struct gpubp_reg_req req[PC_MAX_REGS];
	u32 value[PC_MAX_VALUES];
	int n;

	guard(gpubp_wave_regs)(dev);
	n = pc_put(ctx, wave, pc, req, value);
	return n < 0 ? n :
	       dev->ops.write_wave(dev->priv, wave, req, n, value);
}

/**
 * gpubp_pc_park() - park a wave that was halted at the end of its program
 * @ctx: its context
 * @wave: stopped wave, or one that has ended
 *
 * Takes gpubp_wave_regs_lock(); may sleep.
 */
void gpubp_pc_park(struct gpubp_ctx *ctx, u64 wave)
{
	u64 pc;

	if (gpubp_handler_park_pc(ctx) && !gpubp_pc_read(ctx->dev, wave, &pc) &&
	    pc_is_end(ctx, pc))
		gpubp_pc_write(ctx, wave, pc);
}

/** gpubp_pc_in_program() - replace a pc in a buffer by that in the program */
u64 gpubp_pc_in_program(struct gpubp_ctx *ctx, u64 pc)
{
	struct gpubp_xol_place place;

	guard(mutex)(&ctx->dev->lock);
	return gpubp_xol_find(ctx, pc, &place) ?
		gpubp_xol_program_pc(&place, pc) : pc;
}

static unsigned int reg_req_count(const struct gpubp_reg_req *req,
				  unsigned int nr)
{
	unsigned int n = 0;

	for (; nr; nr--, req++)
		n += req->count;
	return n;
}

/* one write for all: either registers and pc change, or nothing does */
static int pc_write_effect(struct gpubp_ctx *ctx, u64 wave,
			   const struct gpubp_step_effect *effect)
{
	const struct gpubp_device *dev = ctx->dev;
	struct gpubp_reg_req req[GPUBP_MAX_EFFECT_REGS + PC_MAX_REGS];
	u32 value[GPUBP_MAX_EFFECT_VALUES + PC_MAX_VALUES];
	unsigned int n = reg_req_count(effect->reg, effect->nr);
	int nr;

	if (WARN_ON_ONCE(effect->nr > GPUBP_MAX_EFFECT_REGS ||
			 n > GPUBP_MAX_EFFECT_VALUES))
		return -EINVAL;
	memcpy(req, effect->reg, effect->nr * sizeof(*req));
	memcpy(value, effect->value, n * sizeof(*value));
	nr = pc_put(ctx, wave, effect->pc, req + effect->nr, value + n);
	return nr < 0 ? nr :
	       dev->ops.write_wave(dev->priv, wave, req, effect->nr + nr,
				   value);
}

/**
 * gpubp_pc_simulate() - simulate an instruction for a stopped wave
 * @ctx: context of the wave
 * @wave: stopped wave
 * @insn: the instruction, with GPUBP_STEP_SIMULATED
 * @pc: address of the instruction
 *
 * Takes gpubp_wave_regs_lock(); may sleep.
 *
 * Return: 0; -EILSEQ: the instruction is illegal or cannot be simulated; or as
 * ops->read_wave and ops->write_wave.
 */
int gpubp_pc_simulate(struct gpubp_ctx *ctx, u64 wave,
		      const struct gpubp_insn *insn, u64 pc)
{
	struct gpubp_device *dev = ctx->dev;
	const struct gpubp_isa *isa = dev->desc.isa;
	struct gpubp_step_effect effect = {};
	u32 regs[GPUBP_MAX_STEP_VALUES] = {};
	int err = 0;

	if (!isa->simulate || WARN_ON_ONCE(reg_req_count(insn->step_regs,
							 insn->nr_step_regs) >
					   GPUBP_MAX_STEP_VALUES))
		return -EILSEQ;
	guard(gpubp_wave_regs)(dev);
	if (insn->nr_step_regs)
		err = dev->ops.read_wave(dev->priv, wave, insn->step_regs,
					 insn->nr_step_regs, regs);
	if (!err)
		err = isa->simulate(insn, pc, regs, &effect);
	return err ?: pc_write_effect(ctx, wave, &effect);
}

/* decode what a wave at @pc is to execute in a buffer; false: nothing there, or it has */
static bool pc_find_unsimulated(struct gpubp_ctx *ctx, u64 pc,
				struct gpubp_xol_place *place,
				struct gpubp_insn *insn)
{
	u8 code[GPUBP_MAX_INSN];
	bool found;

	if (!gpubp_xol_may_contain(&ctx->trap->traps.xol, pc))
		return false;
	scoped_guard(mutex, &ctx->dev->lock)
		found = gpubp_xol_find(ctx, pc, place);
	return found && pc == place->to &&
	       gpubp_ctx_global_rw(ctx, pc, code, place->len, 0) == place->len &&
	       !ctx->dev->desc.isa->decode(code, place->len, insn) &&
	       insn->step == GPUBP_STEP_SIMULATED;
}

/**
 * gpubp_pc_catch_up() - simulate what a wave was caught in front of
 * @ctx: its context, whose device has an ISA
 * @wave: stopped wave
 *
 * A break was caught whose instruction cannot be executed in a buffer: the wave waits
 * there, and must not run on before this.
 *
 * Takes the device lock and gpubp_wave_regs_lock(); may sleep. Return: 1: it has been
 * simulated; 0: there was nothing to do, or hardware is to report it as illegal; or as
 * ops->read_wave and ops->write_wave.
 */
int gpubp_pc_catch_up(struct gpubp_ctx *ctx, u64 wave)
{
	struct gpubp_xol_place place;
	struct gpubp_insn insn;
	u64 pc;
	int err = gpubp_pc_read(ctx->dev, wave, &pc);

	if (err || !pc_find_unsimulated(ctx, pc, &place, &insn))
		return err;
	err = gpubp_pc_simulate(ctx, wave, &insn, place.from);
	if (err)
		return err == -EILSEQ ? 0 : err;
	guard(mutex)(&ctx->dev->lock);
	gpubp_xol_leave(ctx, pc);
	return 1;
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_pc_catch_up);
