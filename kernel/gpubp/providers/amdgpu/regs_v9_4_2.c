// SPDX-License-Identifier: GPL-2.0
/* Aldebaran: gfx9.4.2. */
#include "gc/gc_9_4_2_offset.h"
#include "gc/gc_9_4_2_sh_mask.h"

#include "regs.h"

const struct gpubp_amd_gen gpubp_amd_gfx9_4_2 = {
	.name		= "gfx9.4.2",
	.banked		= true,
	.stride		= regTCP_WATCH1_ADDR_H - regTCP_WATCH0_ADDR_H,
	/* number of the dispatch, and of the wave in its workgroup */
	.ttmp6_own	= 0x01ffffff,
	.ttmp11_own	= 0x0000003f,
	.ttmp_kept	= 11,
	.ttmp_kept_bits	= 0xfc800000,
	.reg = {
		AMD_TCP_REGS(reg),
		AMD_TRAP_REGS(reg),
	},
	.field = {
		AMD_TCP_FIELDS,
		AMD_VMID_FIELDS,
		AMD_CMD_FIELDS(SH),
		[AMD_F_CMD_SIMD] = SQ_CMD__SIMD_ID_MASK,
	},
};
