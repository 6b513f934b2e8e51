// SPDX-License-Identifier: GPL-2.0
/* Aqua Vanjaram: gfx9.4.3 and 9.4.4. */
#include "gc/gc_9_4_3_offset.h"
#include "gc/gc_9_4_3_sh_mask.h"

#include "regs.h"

const struct gpubp_amd_gen gpubp_amd_gfx9_4_3 = {
	.name		= "gfx9.4.3",
	.banked		= true,
	.stride		= regTCP_WATCH1_ADDR_H - regTCP_WATCH0_ADDR_H,
	/* both numbers are in ttmp11 */
	.ttmp11_own	= 0xffffffff,
	.ttmp_kept	= 13,
	.ttmp_kept_bits	= 0xfc800000,
	.reg = {
		AMD_TCP_REGS(reg),
		AMD_TRAP_REGS(reg),
	},
	.field = {
		AMD_TCP_FIELDS,
		AMD_VMID_FIELDS,
		AMD_VMID_WAVE_FIELDS,
		AMD_CMD_FIELDS(SH),
		[AMD_F_CMD_SIMD] = SQ_CMD__SIMD_ID_MASK,
	},
};
