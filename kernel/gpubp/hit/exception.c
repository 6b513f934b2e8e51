// SPDX-License-Identifier: GPL-2.0
/* Exceptions: whom they concern, and an end to those that concern nobody. */
#include <linux/list.h>
#include <linux/string.h>
#include <uapi/linux/gpubp.h>

#include "../core/core.h"
#include "../trap/trap.h"
#include "resolution.h"

/*
 * An illegal instruction is where the wave stands. It stands behind what failed
 * to access memory: right behind it with precise memory. Of arithmetic nothing is
 * known but that it came before.
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

/* one for each different wish, whatever number of its classes it was */
static void match_exceptions(struct gpubp_hit_cell *cell,
			     const struct gpubp_resolution *res)
{
	struct gpubp_hit_match *m;
	struct gpubp_trap *trap;

	guard(mutex)(&cell->dev->lock);
	list_for_each_entry(trap, &cell->ctx->trap->traps.traps, node) {
		if (trap->kind != GPUBP_KIND_EXCEPTION ||
		    !(gpubp_exceptions_of(cell->dev, trap->key) &
		      res->trap.exceptions))
			continue;
		m = gpubp_match_trap(&cell, res, trap);
		if (!m)
			break;
		m->flags = exception_pc(cell, res, &m->addr);
	}
}

static u32 unwanted_exceptions(const struct gpubp_hit_cell *cell, u32 raised)
{
	guard(mutex)(&cell->dev->lock);
	return raised & ~gpubp_exceptions_wanted(cell->ctx);
}

static bool can_mute(const struct gpubp_device *dev)
{
	return dev->trap->enable.supported && dev->desc.isa->trap_mute;
}

static int read_traps(const struct gpubp_hit_cell *cell, u32 *regs)
{
	const struct gpubp_device *dev = cell->dev;

	return dev->ops.read_wave(dev->priv, cell->hit.wave,
				  &dev->desc.isa->trap_regs, 1, regs);
}

static int write_traps(const struct gpubp_hit_cell *cell, const u32 *regs)
{
	const struct gpubp_device *dev = cell->dev;

	return dev->ops.write_wave(dev->priv, cell->hit.wave,
				   &dev->desc.isa->trap_regs, 1, regs);
}

/* some can be masked, others are taken in any case */
static bool traps_for(const struct gpubp_isa *isa, const u32 *regs,
		      u32 exceptions)
{
	u32 copy[GPUBP_MAX_TRAP_REGS];

	memcpy(copy, regs, isa->nr_trap_regs * sizeof(*regs));
	return isa->trap_mute(copy, exceptions);
}

/*
 * Nobody wants these any more, but the wave was launched to trap for them: it is
 * told not to, while it stands here anyway.
 */
static void mute(struct gpubp_hit_cell *cell, u32 exceptions)
{
	const struct gpubp_isa *isa = cell->dev->desc.isa;
	u32 regs[GPUBP_MAX_TRAP_REGS];

	guard(gpubp_wave_regs)(cell->dev);
	if (read_traps(cell, regs) || !traps_for(isa, regs, exceptions))
		return;
	exceptions = gpubp_trap_enable_mask(cell->ctx, exceptions);
	if (isa->trap_mute(regs, exceptions))
		write_traps(cell, regs);
}

/**
 * gpubp_match_exceptions() - whose exceptions a stop is
 * @cell: the hit: its matches
 * @res: its resolution
 *
 * The wave is told not to trap for what nobody wants. The resolver only; may
 * sleep.
 */
void gpubp_match_exceptions(struct gpubp_hit_cell *cell,
			    struct gpubp_resolution *res)
{
	u32 raised = res->trap.exceptions, unwanted;

	if (raised & GPUBP_EXC_MEM_VIOL)
		gpubp_access_find(cell, res);
	match_exceptions(cell, res);
	unwanted = unwanted_exceptions(cell, raised);
	if (unwanted && can_mute(cell->dev))
		mute(cell, unwanted);
}
