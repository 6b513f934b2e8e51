// SPDX-License-Identifier: GPL-2.0
/* Exceptions: match them to events; mask exceptions that no event wants. */
#include <linux/list.h>
#include <linux/string.h>
#include <uapi/linux/gpubp.h>

#include "../core/core.h"
#include "../trap/trap.h"
#include "resolution.h"

/*
 * A wave stops at an illegal instruction. After a memory violation it stops
 * behind the access, right behind it with precise memory. The instruction of an
 * arithmetic exception is some instruction before the pc.
 */
static u16 exception_pc(const struct gpubp_hit_cell *cell,
			const struct gpubp_resolution *res, u64 *pc)
{
	*pc = res->trap.pc;
	if (res->trap.exceptions == GPUBP_EXC_ILLEGAL)
		return GPUBP_HIT_PC_EXACT;
	if (!(res->trap.exceptions & GPUBP_EXC_MEM_VIOL) || !res->pc_exact)
		return 0;
	*pc -= res->insn.len;
	return GPUBP_HIT_PC_EXACT;
}

/*
 * As in a signal's siginfo: the data of a memory violation, the instruction of
 * any other exception.
 */
static void exception_fill(const struct gpubp_hit_cell *cell,
			   const struct gpubp_resolution *res,
			   struct gpubp_hit_match *m)
{
	const struct gpubp_fault *fault = &res->fault;

	m->flags = exception_pc(cell, res, &m->pc);
	if (res->trap.exceptions & GPUBP_EXC_MEM_VIOL) {
		m->addr = fault->addr;
		m->addr_state = fault->addr_state;
		m->lanes = fault->lanes;
		m->width = fault->width;
		m->access = fault->access;
		return;
	}
	m->addr = m->pc;
	if (!m->flags)
		m->addr_state = GPUBP_ADDR_UNKNOWN;
}

/* one match for each trap, even if several of its classes were raised */
static void exception_match_traps(struct gpubp_hit_cell *cell,
				  const struct gpubp_resolution *res)
{
	struct gpubp_hit_match *m;
	struct gpubp_trap_point *trap;

	guard(mutex)(&cell->dev->lock);
	list_for_each_entry(trap, &cell->ctx->trap->traps.traps, node) {
		if (trap->kind != GPUBP_KIND_EXCEPTION ||
		    !(gpubp_exceptions_of(cell->dev, trap->key) &
		      res->trap.exceptions))
			continue;
		m = gpubp_match_trap(&cell, res, trap);
		if (!m)
			break;
		exception_fill(cell, res, m);
	}
}

static u32 exceptions_unwanted(const struct gpubp_hit_cell *cell, u32 raised)
{
	guard(mutex)(&cell->dev->lock);
	return raised & ~gpubp_exceptions_wanted(cell->ctx);
}

static bool exceptions_can_mask(const struct gpubp_device *dev)
{
	return dev->trap->enable.supported && dev->desc.isa->trap_mute;
}

static int trap_regs_read(const struct gpubp_hit_cell *cell, u32 *regs)
{
	const struct gpubp_device *dev = cell->dev;

	return dev->ops.read_wave(dev->priv, cell->hit.wave,
				  &dev->desc.isa->trap_regs, 1, regs);
}

static int trap_regs_write(const struct gpubp_hit_cell *cell, const u32 *regs)
{
	const struct gpubp_device *dev = cell->dev;

	return dev->ops.write_wave(dev->priv, cell->hit.wave,
				   &dev->desc.isa->trap_regs, 1, regs);
}

/* some exceptions cannot be masked */
static bool trap_regs_can_mask(const struct gpubp_isa *isa, const u32 *regs,
			       u32 exceptions)
{
	u32 copy[GPUBP_MAX_TRAP_REGS];

	memcpy(copy, regs, sizeof(copy));
	return isa->trap_mute(copy, exceptions);
}

/*
 * No event wants these any more, but the wave was launched with their traps
 * enabled: disable them while it is stopped anyway.
 */
static void exceptions_mask(struct gpubp_hit_cell *cell, u32 exceptions)
{
	const struct gpubp_isa *isa = cell->dev->desc.isa;
	u32 regs[GPUBP_MAX_TRAP_REGS] = {};

	guard(gpubp_wave_regs)(cell->dev);
	if (trap_regs_read(cell, regs) ||
	    !trap_regs_can_mask(isa, regs, exceptions))
		return;
	exceptions = gpubp_trap_enable_mask(cell->ctx, exceptions);
	if (isa->trap_mute(regs, exceptions))
		trap_regs_write(cell, regs);
}

/**
 * gpubp_match_exceptions() - match the exceptions of a stop to traps
 * @cell: the hit; (out) its matches
 * @res: its resolution
 *
 * Exceptions that no event wants are masked in the wave. The resolver only; may
 * sleep.
 */
void gpubp_match_exceptions(struct gpubp_hit_cell *cell,
			    struct gpubp_resolution *res)
{
	u32 raised = res->trap.exceptions, unwanted;

	if (raised & GPUBP_EXC_MEM_VIOL) {
		gpubp_access_find(cell, res);
		gpubp_fault_find(cell, res);
	}
	exception_match_traps(cell, res);
	unwanted = exceptions_unwanted(cell, raised);
	if (unwanted && exceptions_can_mask(cell->dev))
		exceptions_mask(cell, unwanted);
}
