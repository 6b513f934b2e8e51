/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A step: what a stop has to do with breaks, and how the wave goes on.
 *
 * Nobody waits for a wave that steps. One that stands at a break is sent to the
 * instruction's copy, or what the instruction does is done for it; behind the copy
 * it stops again, like a wave that hits, and is sent back.
 */
#ifndef _GPUBP_TRAP_STEP_H
#define _GPUBP_TRAP_STEP_H

#include <linux/gpubp_isa.h>
#include <linux/types.h>

#include "../core/core.h"

struct gpubp_hit_cell;
struct gpubp_ctx;
struct gpubp_device;
struct gpubp_insn;

/**
 * enum gpubp_stop - what a stop has to do with breaks
 * @GPUBP_STOP_OTHER: nothing
 * @GPUBP_STOP_BREAK: at a break of ours, which may have been taken out since; it
 *	stays where it stands until it is sent on
 * @GPUBP_STOP_STALE: it met the word of a break that is long gone: it goes on
 *	where it stands
 * @GPUBP_STOP_GUARD: behind an instruction in a buffer
 * @GPUBP_STOP_INSIDE: in a buffer, for another reason
 * @GPUBP_STOP_OWN: the program's own s_trap, wherever it was executed
 */
enum gpubp_stop {
	GPUBP_STOP_OTHER,
	GPUBP_STOP_BREAK,
	GPUBP_STOP_STALE,
	GPUBP_STOP_GUARD,
	GPUBP_STOP_INSIDE,
	GPUBP_STOP_OWN,
};

/**
 * struct gpubp_step - a stop, and where its wave goes on; the resolver's
 * @stop: enum gpubp_stop
 * @pc: of the instruction that it is about, in the program
 * @trap_id: of a break, gpubp_trap.id of whose it is
 * @moves: the wave is sent to @to
 * @to: see @moves
 * @simulates: @insn is done for it instead, if that can be done
 * @enters: @to is in a buffer
 * @leave_pc: the pc in a buffer that it comes from, 0 none
 * @behind: it has executed the instruction in the buffer
 * @precise: it stands at an escalation, and is to be looked at
 * @insn: valid at a break of ours
 */
struct gpubp_step {
	enum gpubp_stop stop;
	u64 pc;
	u64 trap_id;
	bool moves;
	u64 to;
	bool simulates;
	bool enters;
	u64 leave_pc;
	bool behind;
	bool precise;
	struct gpubp_insn insn;
};

void gpubp_step_find(struct gpubp_hit_cell *cell,
		     struct gpubp_trap_record *trap, struct gpubp_step *step);
enum gpubp_stat gpubp_step_stat(const struct gpubp_step *step);
void gpubp_step_move(struct gpubp_hit_cell *cell, struct gpubp_step *step);

int gpubp_pc_read(const struct gpubp_device *dev, u64 wave, u64 *pc);
int gpubp_pc_write(const struct gpubp_device *dev, u64 wave, u64 pc);
u64 gpubp_pc_in_program(struct gpubp_ctx *ctx, u64 pc);
int gpubp_pc_simulate(struct gpubp_device *dev, u64 wave,
		      const struct gpubp_insn *insn, u64 pc);

#endif /* _GPUBP_TRAP_STEP_H */
