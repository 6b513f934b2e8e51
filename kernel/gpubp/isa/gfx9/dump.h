/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _GPUBP_ISA_GFX9_DUMP_H
#define _GPUBP_ISA_GFX9_DUMP_H

#include <linux/gpubp_isa.h>
#include "regs.h"

/* MODE, STATUS, TRAPSTS, HW_ID, GPR_ALLOC, LDS_ALLOC, IB_STS */
#define GFX9_NR_DUMP_REGS	7
#define GFX9_DUMP_REGS		{ GPUBP_REG_CONTROL, GFX9_NR_DUMP_REGS, \
				  HWREG_MODE }

extern const struct gpubp_control_reg gfx900_control_regs[GFX9_NR_DUMP_REGS];
extern const struct gpubp_control_reg gfx90a_control_regs[GFX9_NR_DUMP_REGS];
extern const struct gpubp_control_reg gfx942_control_regs[GFX9_NR_DUMP_REGS];

/* gpubp_isa.wave_place, gpubp_isa.may_write */
void gfx900_wave_place(const u32 *regs, struct gpubp_wave_place *out);
void gfx90a_wave_place(const u32 *regs, struct gpubp_wave_place *out);
void gfx942_wave_place(const u32 *regs, struct gpubp_wave_place *out);
u32 gfx9_may_write(u8 file, unsigned int reg);

#endif /* _GPUBP_ISA_GFX9_DUMP_H */
