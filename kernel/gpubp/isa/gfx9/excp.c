// SPDX-License-Identifier: GPL-2.0
/*
 * Exceptions that make a wave enter the trap handler.
 *
 * A wave gets STATUS.TRAP_EN and MODE.EXCP_EN at its launch and keeps them.
 * Comparators set their bits in TRAPSTS even if they are not enabled. So a wave
 * for which they are enabled later may have bits of accesses to bytes that were
 * not watched, and the handler would take them for reasons of its next entry.
 */
#include <linux/build_bug.h>
#include <linux/export.h>
#include <linux/string.h>
#include <uapi/linux/gpubp.h>

#include "excp.h"
#include "regs.h"

/* values of gpubp_isa.trap_regs */
enum {
	MODE = HWREG_MODE - GFX9_TRAP_REG_FIRST,
	STATUS = HWREG_STATUS - GFX9_TRAP_REG_FIRST,
	TRAPSTS = HWREG_TRAPSTS - GFX9_TRAP_REG_FIRST,
};

/* GPUBP_EXC_FP_* are in the order of EXCP_EN and TRAPSTS */
#define FP_SHIFT	3
static_assert(TRAPSTS_FP << FP_SHIFT == GPUBP_EXC_FP);

/**
 * gfx9_excp_en() - the EXCP_EN bits for GPUBP_EXC_*
 * @exceptions: those without such a bit cannot be masked, or never trap
 */
u32 gfx9_excp_en(u32 exceptions)
{
	return (exceptions & GPUBP_EXC_FP) >> FP_SHIFT |
	       (exceptions & GPUBP_EXC_INT_DIV0 ? TRAPSTS_INT_DIV0 : 0) |
	       (exceptions & GPUBP_EXC_MEM_VIOL ? TRAPSTS_MEM_VIOL : 0);
}
EXPORT_SYMBOL_GPL(gfx9_excp_en);

/** gfx9_trap_reasons() - gpubp_isa.trap_reasons */
u32 gfx9_trap_reasons(u32 exceptions)
{
	return gfx9_excp_en(exceptions) |
	       (exceptions & GPUBP_EXC_ILLEGAL ? TRAPSTS_ILLEGAL_INST : 0);
}

/**
 * gfx9_exceptions() - the GPUBP_EXC_* that a wave entered the handler for
 * @trapsts: bits of TRAPSTS that were enabled
 * @mode: MODE
 *
 * With DX10_CLAMP floating point exceptions never trap: their bits only
 * accumulate.
 */
u32 gfx9_exceptions(u32 trapsts, u32 mode)
{
	u32 fp = mode & MODE_DX10_CLAMP ? 0 : trapsts & TRAPSTS_FP;

	return fp << FP_SHIFT |
	       (trapsts & TRAPSTS_INT_DIV0 ? GPUBP_EXC_INT_DIV0 : 0) |
	       (trapsts & TRAPSTS_MEM_VIOL ? GPUBP_EXC_MEM_VIOL : 0) |
	       (trapsts & TRAPSTS_ILLEGAL_INST ? GPUBP_EXC_ILLEGAL : 0);
}

/**
 * struct trap_bits - register bits of enabled traps
 * @mode: bits of MODE
 * @trapsts: the corresponding bits of TRAPSTS
 */
struct trap_bits {
	u32 mode;
	u32 trapsts;
};

/* @mine: bits of comparators in TRAPSTS */
static struct trap_bits trap_masks(bool watch, u32 exceptions, u32 mine)
{
	u32 excp_en = gfx9_excp_en(exceptions);

	return (struct trap_bits){
		.mode = excp_en << MODE_EXCP_EN_SHIFT |
			(watch ? MODE_EXCP_EN_WATCH : 0),
		/* a memory violation is never masked, so it is being handled */
		.trapsts = (excp_en & ~TRAPSTS_MEM_VIOL) | (watch ? mine : 0),
	};
}

/* bits of @old whose traps were enabled */
static u32 pending_traps(const u32 *old, u32 mine)
{
	u32 excp_en = old[MODE] >> MODE_EXCP_EN_SHIFT;

	if (!(old[STATUS] & STATUS_TRAP_EN))
		return 0;
	return (excp_en & (TRAPSTS_FP | TRAPSTS_INT_DIV0)) |
	       (old[MODE] & MODE_EXCP_EN_WATCH ? mine : 0);
}

static bool trap_regs_differ(const u32 *regs, const u32 *old)
{
	return memcmp(regs, old, GFX9_NR_TRAP_REGS * sizeof(*regs));
}

static bool trap_regs_edit(u32 *regs, bool watch, u32 exceptions, u32 mine)
{
	struct trap_bits on = trap_masks(watch, exceptions, mine);
	u32 old[GFX9_NR_TRAP_REGS];

	memcpy(old, regs, sizeof(old));
	if (!watch)
		regs[MODE] &= ~MODE_EXCP_EN_WATCH;
	regs[MODE] |= on.mode;
	if (watch || exceptions)
		regs[STATUS] |= STATUS_TRAP_EN;
	regs[TRAPSTS] &= ~(on.trapsts & ~pending_traps(old, mine));
	return trap_regs_differ(regs, old);
}

/**
 * gfx9_trap_edit() - gpubp_isa.trap_edit
 * @regs: MODE, STATUS, TRAPSTS
 * @watch: comparator hits enter the handler
 * @exceptions: GPUBP_EXC_* that enter it, too
 *
 * TRAPSTS bits whose traps were enabled already are kept: the wave is about to
 * enter the handler for them. Other exceptions are not changed, nor is
 * EXCP_CYCLE, which says when they happened, nor is TRAP_EN when hits are
 * disabled: s_trap may need it.
 */
bool gfx9_trap_edit(u32 *regs, bool watch, u32 exceptions)
{
	return trap_regs_edit(regs, watch, exceptions, TRAPSTS_WATCH0_3);
}

/** gfx9_trap_edit_16() - for up to 16 comparators: no EXCP_CYCLE */
bool gfx9_trap_edit_16(u32 *regs, bool watch, u32 exceptions)
{
	return trap_regs_edit(regs, watch, exceptions, TRAPSTS_WATCH);
}

/**
 * gfx9_trap_mute() - gpubp_isa.trap_mute
 * @regs: MODE, STATUS, TRAPSTS
 * @exceptions: GPUBP_EXC_*
 */
bool gfx9_trap_mute(u32 *regs, u32 exceptions)
{
	u32 mode = regs[MODE];

	regs[MODE] &= ~(gfx9_excp_en(exceptions) << MODE_EXCP_EN_SHIFT);
	return regs[MODE] != mode;
}

/**
 * gfx9_step_edit() - gpubp_isa.step_edit
 * @regs: MODE, STATUS, TRAPSTS
 * @on: enter the handler after the next instruction
 *
 * TRAP_EN stays: other traps may need it.
 */
bool gfx9_step_edit(u32 *regs, bool on)
{
	u32 mode = regs[MODE], status = regs[STATUS];

	regs[MODE] = on ? mode | MODE_DEBUG_EN : mode & ~MODE_DEBUG_EN;
	regs[STATUS] = status | (on ? STATUS_TRAP_EN : 0);
	return regs[MODE] != mode || regs[STATUS] != status;
}
