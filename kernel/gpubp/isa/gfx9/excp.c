// SPDX-License-Identifier: GPL-2.0
/*
 * Which exceptions make a wave enter the trap handler.
 *
 * A wave takes STATUS.TRAP_EN and MODE.EXCP_EN at its launch and keeps them.
 * Comparators leave their bits in TRAPSTS whether or not they are enabled, so
 * a wave that was told late may have some of accesses that nobody watched: the
 * handler would take them for reasons of its next entry.
 */
#include "excp.h"
#include "regs.h"

/* values of gpubp_isa.trap_regs */
enum {
	MODE = HWREG_MODE - GFX9_TRAP_REG_FIRST,
	STATUS = HWREG_STATUS - GFX9_TRAP_REG_FIRST,
	TRAPSTS = HWREG_TRAPSTS - GFX9_TRAP_REG_FIRST,
};

static bool traps_watches(const u32 *regs)
{
	return (regs[MODE] & MODE_EXCP_EN_WATCH) &&
	       (regs[STATUS] & STATUS_TRAP_EN);
}

/* @mine: what comparators leave in TRAPSTS */
static bool trap_edit(u32 *regs, bool watch, u32 mine)
{
	if (traps_watches(regs) == watch)
		return false;
	if (!watch) {
		regs[MODE] &= ~MODE_EXCP_EN_WATCH;
		return true;
	}
	regs[MODE] |= MODE_EXCP_EN_WATCH;
	regs[STATUS] |= STATUS_TRAP_EN;
	regs[TRAPSTS] &= ~mine;
	return true;
}

/**
 * gfx9_trap_edit() - gpubp_isa.trap_edit
 * @regs: MODE, STATUS, TRAPSTS
 * @watch: comparator hits are to enter the handler
 *
 * Bits in TRAPSTS of a wave that does so already are hits that it is about to
 * enter the handler for. Other exceptions, and EXCP_CYCLE, which says when they
 * happened, are left as they are, and so is TRAP_EN when hits are no reason any
 * more: s_trap may be one.
 */
bool gfx9_trap_edit(u32 *regs, bool watch)
{
	return trap_edit(regs, watch, TRAPSTS_WATCH0_3);
}

/** gfx9_trap_edit_16() - of a device with up to 16 comparators: no EXCP_CYCLE */
bool gfx9_trap_edit_16(u32 *regs, bool watch)
{
	return trap_edit(regs, watch, TRAPSTS_WATCH);
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
