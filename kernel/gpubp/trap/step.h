/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Steps: classify a stop with respect to breaks, and move the wave on.
 *
 * The resolver does not wait for a wave that steps. A wave that stopped at a
 * break is moved to the copy of the instruction in a XOL buffer, or the core
 * simulates the instruction for it. After the copy the wave stops again, as for
 * a hit, and is moved back into the program.
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
 * enum gpubp_stop_reason - why a wave stopped, with respect to breaks
 * @GPUBP_STOP_OTHER: has nothing to do with breaks
 * @GPUBP_STOP_BREAK: at a break word of the core's, which may have been removed
 *	since; the wave stays there until it is moved
 * @GPUBP_STOP_STALE: at a break word that was removed so long ago that no patch
 *	is known; the wave resumes where it is
 * @GPUBP_STOP_GUARD: in a XOL buffer, behind the instruction
 * @GPUBP_STOP_INSIDE: in a XOL buffer, for another reason than a trap
 * @GPUBP_STOP_OWN: at an s_trap of the program, in the program or in a buffer
 */
enum gpubp_stop_reason {
	GPUBP_STOP_OTHER,
	GPUBP_STOP_BREAK,
	GPUBP_STOP_STALE,
	GPUBP_STOP_GUARD,
	GPUBP_STOP_INSIDE,
	GPUBP_STOP_OWN,
};

/**
 * struct gpubp_step - a stop, and where its wave resumes; of the resolver
 * @stop: enum gpubp_stop_reason
 * @pc: address of the instruction in the program that the stop is about
 * @trap_point_id: of a break: gpubp_trap_point.id that hits are matched by;
 *	0: none
 * @moves: the wave is to be moved to @to
 * @to: new pc
 * @simulates: @insn is to be simulated instead of the move, if it can be
 * @enters: @to is in a XOL buffer
 * @leave_pc: address of the XOL buffer that the wave leaves; 0: it is in none
 * @behind: the wave executed the instruction in the buffer
 * @precise: the wave is at a precise point: its registers are to be read
 * @insn: the instruction; valid for GPUBP_STOP_BREAK
 */
struct gpubp_step {
	enum gpubp_stop_reason stop;
	u64 pc;
	u64 trap_point_id;
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
void gpubp_step_move(struct gpubp_hit_cell *cell, struct gpubp_step *step);
int gpubp_pc_catch_up(struct gpubp_ctx *ctx, u64 wave);

int gpubp_pc_read(const struct gpubp_device *dev, u64 wave, u64 *pc);
int gpubp_pc_write(struct gpubp_ctx *ctx, u64 wave, u64 pc);
void gpubp_pc_park(struct gpubp_ctx *ctx, u64 wave);
u64 gpubp_pc_in_program(struct gpubp_ctx *ctx, u64 pc);
int gpubp_pc_simulate(struct gpubp_ctx *ctx, u64 wave,
		      const struct gpubp_insn *insn, u64 pc);

#endif /* _GPUBP_TRAP_STEP_H */
