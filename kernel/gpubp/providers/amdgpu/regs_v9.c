// SPDX-License-Identifier: GPL-2.0
/* Vega: gfx9.0 to 9.2. */
#include "gc/gc_9_0_offset.h"
#include "gc/gc_9_0_sh_mask.h"

#include "regs.h"

const struct gpubp_amd_gen gpubp_amd_gfx9_0 = {
	.name		= "gfx9.0",
	.stride		= mmTCP_WATCH1_ADDR_H - mmTCP_WATCH0_ADDR_H,
	.drain_reads	= 3,
	.stall_all	= true,
	.reg = {
		AMD_TCP_REGS(mm),
		AMD_TRAP_REGS(mm),
		AMD_SPI_REGS(mm),
	},
	.field = {
		AMD_TCP_FIELDS,
		AMD_SPI_FIELDS,
		AMD_CMD_FIELDS(SH),
		[AMD_F_CMD_SIMD] = SQ_CMD__SIMD_ID_MASK,
	},
};
