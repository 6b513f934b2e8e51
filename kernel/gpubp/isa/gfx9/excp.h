/* SPDX-License-Identifier: GPL-2.0 */
/* Exceptions that make a wave enter the trap handler. */
#ifndef _GPUBP_ISA_GFX9_EXCP_H
#define _GPUBP_ISA_GFX9_EXCP_H

#include <linux/gpubp_isa.h>

/* s_getreg ids: MODE, STATUS, TRAPSTS; of every gfx9 */
#define GFX9_TRAP_REG_FIRST	1
#define GFX9_NR_TRAP_REGS	3

#define GFX9_TRAP_REGS {						\
	.file	= GPUBP_REG_CONTROL,					\
	.first	= GFX9_TRAP_REG_FIRST,					\
	.count	= GFX9_NR_TRAP_REGS,					\
}

u32 gfx9_excp_en(u32 exceptions);
u32 gfx9_trap_reasons(u32 exceptions);
u32 gfx9_exceptions(u32 trapsts, u32 mode);
bool gfx9_trap_edit(u32 *regs, bool watch, u32 exceptions);
bool gfx9_trap_edit_16(u32 *regs, bool watch, u32 exceptions);
bool gfx9_trap_mute(u32 *regs, u32 exceptions);
bool gfx9_step_edit(u32 *regs, bool on);

#endif /* _GPUBP_ISA_GFX9_EXCP_H */
