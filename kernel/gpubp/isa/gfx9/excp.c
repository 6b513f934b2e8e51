// SPDX-License-Identifier: GPL-2.0
/*
 * Which exceptions make a wave enter the trap handler.
 *
 * A wave takes STATUS.TRAP_EN and MODE.EXCP_EN at its launch and keeps them.
 * Comparators leave their bits in TRAPSTS whether or not they are enabled, so
 * a wave that was told late may have some of accesses that nobody watched: the
 * handler would take them for reasons of its next entry.
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
 * gfx9_excp_en() - GPUBP_EXC_* as EXCP_EN says them, of what it can mask
 * @exceptions: the others are taken in any case, or not at all
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
 * gfx9_exceptions() - GPUBP_EXC_* of what a wave entered the handler for
 * @trapsts: bits of TRAPSTS that were enabled
 * @mode: MODE
 *
 * With DX10_CLAMP floating point never is a reason: these bits have gathered.
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
 * struct masks - what is to trap
 * @mode: bits of MODE
 * @trapsts: what these are about
 */
struct masks {
	u32 mode;
	u32 trapsts;
};

/* @mine: what comparators leave in TRAPSTS */
static struct masks masks_of(bool watch, u32 exceptions, u32 mine)
{
	u32 excp_en = gfx9_excp_en(exceptions);

	return (struct masks){
		.mode = excp_en << MODE_EXCP_EN_SHIFT |
			(watch ? MODE_EXCP_EN_WATCH : 0),
		/* a memory violation is never masked, so it is on its way */
		.trapsts = (excp_en & ~TRAPSTS_MEM_VIOL) | (watch ? mine : 0),
	};
}

/* of @old those bits whose traps were on */
static u32 pending_traps(const u32 *old, u32 mine)
{
	u32 excp_en = old[MODE] >> MODE_EXCP_EN_SHIFT;

	if (!(old[STATUS] & STATUS_TRAP_EN))
		return 0;
	return (excp_en & (TRAPSTS_FP | TRAPSTS_INT_DIV0)) |
	       (old[MODE] & MODE_EXCP_EN_WATCH ? mine : 0);
}

static bool differs(const u32 *regs, const u32 *old)
{
	return memcmp(regs, old, GFX9_NR_TRAP_REGS * sizeof(*regs));
}

static bool trap_edit(u32 *regs, bool watch, u32 exceptions, u32 mine)
{
	struct masks on = masks_of(watch, exceptions, mine);
	u32 old[GFX9_NR_TRAP_REGS];

	memcpy(old, regs, sizeof(old));
	if (!watch)
		regs[MODE] &= ~MODE_EXCP_EN_WATCH;
	regs[MODE] |= on.mode;
	if (watch || exceptions)
		regs[STATUS] |= STATUS_TRAP_EN;
	regs[TRAPSTS] &= ~(on.trapsts & ~pending_traps(old, mine));
	return differs(regs, old);
}

/**
 * gfx9_trap_edit() - gpubp_isa.trap_edit
 * @regs: MODE, STATUS, TRAPSTS
 * @watch: comparator hits are to enter the handler
 * @exceptions: GPUBP_EXC_* that are to enter it, too
 *
 * Bits in TRAPSTS of what trapped already are reasons for which the wave is
 * about to enter the handler. Other exceptions, and EXCP_CYCLE, which says when
 * they happened, are left as they are, and so is TRAP_EN when hits are no reason
 * any more: s_trap may be one.
 */
bool gfx9_trap_edit(u32 *regs, bool watch, u32 exceptions)
{
	return trap_edit(regs, watch, exceptions, TRAPSTS_WATCH0_3);
}

/** gfx9_trap_edit_16() - of a device with up to 16 comparators: no EXCP_CYCLE */
bool gfx9_trap_edit_16(u32 *regs, bool watch, u32 exceptions)
{
	return trap_edit(regs, watch, exceptions, TRAPSTS_WATCH);
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
 * @on: the handler is entered behind the next instruction
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
