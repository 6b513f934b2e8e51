// SPDX-License-Identifier: GPL-2.0
/* Navi 4x: gfx12. */
#include "gc/gc_12_0_0_offset.h"
#include "gc/gc_12_0_0_sh_mask.h"

#include "regs.h"

const struct gpubp_amd_gen gpubp_amd_gfx12 = {
	.name		= "gfx12",
	.banked		= true,
	.stride		= regTCP_WATCH1_ADDR_H - regTCP_WATCH0_ADDR_H,
	.reg = {
		AMD_TCP_REGS(reg),
		AMD_TRAP_REGS(reg),
	},
	.field = {
		AMD_TCP_FIELDS,
		[AMD_F_TBA_TRAP_EN] = SQ_SHADER_TBA_HI__TRAP_EN_MASK,
		AMD_VMID_FIELDS,
		AMD_VMID_WAVE_FIELDS,
		AMD_CMD_FIELDS(SA),
	},
};
