// SPDX-License-Identifier: GPL-2.0
/* Navi 2x: gfx10.3. */
#include "gc/gc_10_3_0_offset.h"
#include "gc/gc_10_3_0_sh_mask.h"

#include "regs.h"

/* The header of 6.12 has the register, but not its fields, which are gfx10.1's. */
#ifndef SPI_GDBG_TRAP_CONFIG__TRAP_EN_MASK
#define SPI_GDBG_TRAP_CONFIG__TRAP_EN_MASK	0x00008000
#define SPI_GDBG_TRAP_CONFIG__VMID_SEL_MASK	0xFFFF0000
#endif

const struct gpubp_amd_gen gpubp_amd_gfx10_3 = {
	.name		= "gfx10.3",
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
		[AMD_F_TBA_TRAP_EN] = SQ_SHADER_TBA_HI__TRAP_EN_MASK,
		AMD_SPI_FIELDS,
		AMD_CMD_FIELDS(SA),
	},
};
