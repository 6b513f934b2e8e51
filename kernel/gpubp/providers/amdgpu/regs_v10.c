// SPDX-License-Identifier: GPL-2.0
/* Navi 1x: gfx10.1. */
#include "gc/gc_10_1_0_offset.h"
#include "gc/gc_10_1_0_sh_mask.h"

#include "regs.h"

const struct gpubp_amd_gen gpubp_amd_gfx10_1 = {
	.name		= "gfx10.1",
	.stride		= mmTCP_WATCH1_ADDR_H - mmTCP_WATCH0_ADDR_H,
	.drain_reads	= 110,
	.reg = {
		AMD_TCP_REGS(mm),
		AMD_SQ_REGS(mm),
		AMD_TRAP_REGS(mm),
		AMD_SPI_REGS(mm),
	},
	.field = {
		AMD_TCP_FIELDS,
		AMD_SQ_FIELDS,
		[AMD_F_SQ_MODE] = SQ_WATCH0_CNTL__MODE_MASK,
		[AMD_F_TBA_TRAP_EN] = SQ_SHADER_TBA_HI__TRAP_EN_MASK,
		AMD_SPI_FIELDS,
		AMD_CMD_FIELDS(SA),
	},
};
