/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Debug registers of a graphics generation, as data made of amdgpu's headers.
 *
 * The register tables are one file per generation, regs_*.c: amdgpu's generated
 * headers differ in the name of a register ("mm" or "reg"), or in the value of
 * the same name, so two of them cannot be included in one file. Code that
 * programs registers (program.c) includes none of them.
 */
#ifndef _GPUBP_PROVIDERS_AMDGPU_REGS_H
#define _GPUBP_PROVIDERS_AMDGPU_REGS_H

#include <linux/types.h>

/* registers; of the registers of comparators, those of comparator 0 */
enum gpubp_amd_reg_id {
	AMD_TCP_ADDR_H,
	AMD_TCP_ADDR_L,
	AMD_TCP_CNTL,
	AMD_SQ_ADDR_H,
	AMD_SQ_ADDR_L,
	AMD_SQ_CNTL,
	AMD_TBA_LO,
	AMD_TBA_HI,
	AMD_TMA_LO,
	AMD_TMA_HI,
	AMD_WAVE_CNTL,
	AMD_TRAP_MASK,
	AMD_TRAP_CONFIG,
	AMD_TRAP_DATA0,
	AMD_TRAP_DATA1,
	AMD_NR_REGS
};

/* fields, as masks; 0 where a generation lacks one */
enum gpubp_amd_field_id {
	/* TCP_WATCHn: comparators of vector memory accesses */
	AMD_F_TCP_ADDR_H,
	AMD_F_TCP_ADDR_L,
	AMD_F_TCP_MASK,
	AMD_F_TCP_VMID,
	AMD_F_TCP_MODE,
	AMD_F_TCP_VALID,
	/* SQ_WATCHn: comparators of scalar loads */
	AMD_F_SQ_ADDR_H,
	AMD_F_SQ_ADDR_L,
	AMD_F_SQ_MASK,
	AMD_F_SQ_VMID,
	AMD_F_SQ_MODE,
	AMD_F_SQ_VALID,
	/* SQ_SHADER_TBA_HI */
	AMD_F_TBA_TRAP_EN,
	/* SPI_GDBG_WAVE_CNTL, TRAP_MASK, TRAP_CONFIG */
	AMD_F_STALL_RA,
	AMD_F_STALL_VMID,
	AMD_F_MASK_EXCP_EN,
	AMD_F_MASK_REPLACE,
	AMD_F_CONFIG_VMIDS,
	AMD_F_CONFIG_TRAP_EN,
	/* SPI_GDBG_PER_VMID_CNTL, a control word: loaded by firmware */
	AMD_F_VMID_TRAP_EN,
	AMD_F_VMID_EXCP_EN,
	AMD_F_VMID_REPLACE,
	AMD_F_VMID_START,
	AMD_F_VMID_END,
	/* SQ_CMD and GRBM_GFX_INDEX: address one wave, or all of a VMID */
	AMD_F_CMD_CMD,
	AMD_F_CMD_MODE,
	AMD_F_CMD_CHECK_VMID,
	AMD_F_CMD_DATA,
	AMD_F_CMD_WAVE,
	AMD_F_CMD_SIMD,
	AMD_F_CMD_VMID,
	AMD_F_GRBM_INSTANCE,
	AMD_F_GRBM_SH,
	AMD_F_GRBM_SE,
	AMD_F_GRBM_ALL_INSTANCES,
	AMD_F_GRBM_ALL_SH,
	AMD_F_GRBM_ALL_SE,
	AMD_NR_FIELDS
};

/**
 * struct gpubp_amd_reg - a register of the graphics core
 * @name: as in amdgpu's header; NULL if the generation lacks it
 * @offset: dwords from the start of its segment
 * @base: segment
 */
struct gpubp_amd_reg {
	const char *name;
	u16 offset;
	u8 base;
};

/**
 * struct gpubp_amd_gen - a generation of graphics cores
 * @name: for messages and tables
 * @banked: each process has control words with mask, mode and valid bit of the
 *	comparators, exceptions and launch mode; firmware loads them
 * @stride: dwords between the registers of consecutive comparators
 * @drain_reads: reads of SPI_GDBG_WAVE_CNTL until launches in progress are
 *	complete; 0 for @banked
 * @stall_all: a stall applies to launches of all VMIDs
 * @ttmp6_own: bits of ttmp6 that the dispatcher sets and nothing changes; only of
 *	generations with a trap handler of ours, as the next ones
 * @ttmp11_own: same of ttmp11
 * @ttmp_kept: number of the ttmp in which amdkfd's handler has IB_STS
 * @ttmp_kept_bits: and which bits of it are that handler's
 * @wave_traps_from: first IP version that traps at start and end of a wave; 0
 *	if the fields imply it
 * @reg: registers
 * @field: fields
 */
struct gpubp_amd_gen {
	const char *name;
	bool banked;
	bool stall_all;
	u8 stride;
	u8 drain_reads;
	u8 ttmp_kept;
	u32 ttmp_kept_bits;
	u32 ttmp6_own;
	u32 ttmp11_own;
	u32 wave_traps_from;
	struct gpubp_amd_reg reg[AMD_NR_REGS];
	u32 field[AMD_NR_FIELDS];
};

extern const struct gpubp_amd_gen gpubp_amd_gfx9_0;
extern const struct gpubp_amd_gen gpubp_amd_gfx9_4_2;
extern const struct gpubp_amd_gen gpubp_amd_gfx9_4_3;
extern const struct gpubp_amd_gen gpubp_amd_gfx10_1;
extern const struct gpubp_amd_gen gpubp_amd_gfx10_3;
extern const struct gpubp_amd_gen gpubp_amd_gfx11;
extern const struct gpubp_amd_gen gpubp_amd_gfx12;

/* for regs_*.c: "mm" or "reg", and the name in the header */
#define AMD_REG(prefix, reg)						\
	{ #reg, prefix ## reg, prefix ## reg ## _BASE_IDX }

#define AMD_TCP_REGS(prefix)						\
	[AMD_TCP_ADDR_H] = AMD_REG(prefix, TCP_WATCH0_ADDR_H),		\
	[AMD_TCP_ADDR_L] = AMD_REG(prefix, TCP_WATCH0_ADDR_L),		\
	[AMD_TCP_CNTL] = AMD_REG(prefix, TCP_WATCH0_CNTL)

#define AMD_SQ_REGS(prefix)						\
	[AMD_SQ_ADDR_H] = AMD_REG(prefix, SQ_WATCH0_ADDR_H),		\
	[AMD_SQ_ADDR_L] = AMD_REG(prefix, SQ_WATCH0_ADDR_L),		\
	[AMD_SQ_CNTL] = AMD_REG(prefix, SQ_WATCH0_CNTL)

#define AMD_TRAP_REGS(prefix)						\
	[AMD_TBA_LO] = AMD_REG(prefix, SQ_SHADER_TBA_LO),		\
	[AMD_TBA_HI] = AMD_REG(prefix, SQ_SHADER_TBA_HI),		\
	[AMD_TMA_LO] = AMD_REG(prefix, SQ_SHADER_TMA_LO),		\
	[AMD_TMA_HI] = AMD_REG(prefix, SQ_SHADER_TMA_HI)

#define AMD_SPI_REGS(prefix)						\
	[AMD_WAVE_CNTL] = AMD_REG(prefix, SPI_GDBG_WAVE_CNTL),		\
	[AMD_TRAP_MASK] = AMD_REG(prefix, SPI_GDBG_TRAP_MASK),		\
	[AMD_TRAP_CONFIG] = AMD_REG(prefix, SPI_GDBG_TRAP_CONFIG),	\
	[AMD_TRAP_DATA0] = AMD_REG(prefix, SPI_GDBG_TRAP_DATA0),	\
	[AMD_TRAP_DATA1] = AMD_REG(prefix, SPI_GDBG_TRAP_DATA1)

#define AMD_TCP_FIELDS							\
	[AMD_F_TCP_ADDR_H] = TCP_WATCH0_ADDR_H__ADDR_MASK,		\
	[AMD_F_TCP_ADDR_L] = TCP_WATCH0_ADDR_L__ADDR_MASK,		\
	[AMD_F_TCP_MASK] = TCP_WATCH0_CNTL__MASK_MASK,			\
	[AMD_F_TCP_VMID] = TCP_WATCH0_CNTL__VMID_MASK,			\
	[AMD_F_TCP_MODE] = TCP_WATCH0_CNTL__MODE_MASK,			\
	[AMD_F_TCP_VALID] = TCP_WATCH0_CNTL__VALID_MASK

#define AMD_SQ_FIELDS							\
	[AMD_F_SQ_ADDR_H] = SQ_WATCH0_ADDR_H__ADDR_MASK,		\
	[AMD_F_SQ_ADDR_L] = SQ_WATCH0_ADDR_L__ADDR_MASK,		\
	[AMD_F_SQ_MASK] = SQ_WATCH0_CNTL__MASK_MASK,			\
	[AMD_F_SQ_VMID] = SQ_WATCH0_CNTL__VMID_MASK,			\
	[AMD_F_SQ_VALID] = SQ_WATCH0_CNTL__VALID_MASK

#define AMD_SPI_FIELDS							\
	[AMD_F_STALL_RA] = SPI_GDBG_WAVE_CNTL__STALL_RA_MASK,		\
	[AMD_F_STALL_VMID] = SPI_GDBG_WAVE_CNTL__STALL_VMID_MASK,	\
	[AMD_F_MASK_EXCP_EN] = SPI_GDBG_TRAP_MASK__EXCP_EN_MASK,	\
	[AMD_F_MASK_REPLACE] = SPI_GDBG_TRAP_MASK__REPLACE_MASK,	\
	[AMD_F_CONFIG_VMIDS] = SPI_GDBG_TRAP_CONFIG__VMID_SEL_MASK,	\
	[AMD_F_CONFIG_TRAP_EN] = SPI_GDBG_TRAP_CONFIG__TRAP_EN_MASK

#define AMD_VMID_FIELDS							\
	[AMD_F_VMID_TRAP_EN] = SPI_GDBG_PER_VMID_CNTL__TRAP_EN_MASK,	\
	[AMD_F_VMID_EXCP_EN] = SPI_GDBG_PER_VMID_CNTL__EXCP_EN_MASK,	\
	[AMD_F_VMID_REPLACE] = SPI_GDBG_PER_VMID_CNTL__EXCP_REPLACE_MASK

#define AMD_VMID_WAVE_FIELDS						\
	[AMD_F_VMID_START] = SPI_GDBG_PER_VMID_CNTL__TRAP_ON_START_MASK, \
	[AMD_F_VMID_END] = SPI_GDBG_PER_VMID_CNTL__TRAP_ON_END_MASK

/* "sh": shader arrays are called SH before gfx10, SA from gfx10 on */
#define AMD_CMD_FIELDS(sh)						\
	[AMD_F_CMD_CMD] = SQ_CMD__CMD_MASK,				\
	[AMD_F_CMD_MODE] = SQ_CMD__MODE_MASK,				\
	[AMD_F_CMD_CHECK_VMID] = SQ_CMD__CHECK_VMID_MASK,		\
	[AMD_F_CMD_DATA] = SQ_CMD__DATA_MASK,				\
	[AMD_F_CMD_WAVE] = SQ_CMD__WAVE_ID_MASK,			\
	[AMD_F_CMD_VMID] = SQ_CMD__VM_ID_MASK,				\
	[AMD_F_GRBM_INSTANCE] = GRBM_GFX_INDEX__INSTANCE_INDEX_MASK,	\
	[AMD_F_GRBM_SH] = GRBM_GFX_INDEX__ ## sh ## _INDEX_MASK,	\
	[AMD_F_GRBM_SE] = GRBM_GFX_INDEX__SE_INDEX_MASK,		\
	[AMD_F_GRBM_ALL_INSTANCES] =					\
		GRBM_GFX_INDEX__INSTANCE_BROADCAST_WRITES_MASK,		\
	[AMD_F_GRBM_ALL_SH] =						\
		GRBM_GFX_INDEX__ ## sh ## _BROADCAST_WRITES_MASK,	\
	[AMD_F_GRBM_ALL_SE] = GRBM_GFX_INDEX__SE_BROADCAST_WRITES_MASK

#endif /* _GPUBP_PROVIDERS_AMDGPU_REGS_H */
