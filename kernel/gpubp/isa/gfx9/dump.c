// SPDX-License-Identifier: GPL-2.0
/*
 * Decoding of a wave's control registers, and which registers a program may
 * write.
 *
 * Fields: amdgpu's include/asic_reg/gc/gc_9_0_sh_mask.h (SQ_WAVE_*); umr shows
 * the same names, gc_9_4_2_sh_mask.h and gc_9_4_3_sh_mask.h. Units of allocations: those that
 * amdkfd's trap handler (cwsr_trap_handler_gfx9.asm) saves.
 */
#include <linux/kernel.h>
#include "dump.h"
#include "gfx9.h"

static const struct gpubp_reg_field mode_fields[] = {
	{ "FP_ROUND", 0, 3 }, { "FP_DENORM", 4, 7 }, { "DX10_CLAMP", 8, 8 },
	{ "IEEE", 9, 9 }, { "LOD_CLAMPED", 10, 10 }, { "DEBUG_EN", 11, 11 },
	{ "EXCP_EN", 12, 20 }, { "FP16_OVFL", 23, 23 },
	{ "POPS_PACKER0", 24, 24 }, { "POPS_PACKER1", 25, 25 },
	{ "DISABLE_PERF", 26, 26 }, { "GPR_IDX_EN", 27, 27 },
	{ "VSKIP", 28, 28 }, { "CSP", 29, 31 }, {}
};

static const struct gpubp_reg_field status_fields[] = {
	{ "SCC", 0, 0 }, { "SPI_PRIO", 1, 2 }, { "USER_PRIO", 3, 4 },
	{ "PRIV", 5, 5 }, { "TRAP_EN", 6, 6 }, { "TTRACE_EN", 7, 7 },
	{ "EXPORT_RDY", 8, 8 }, { "EXECZ", 9, 9 }, { "VCCZ", 10, 10 },
	{ "IN_TG", 11, 11 }, { "IN_BARRIER", 12, 12 }, { "HALT", 13, 13 },
	{ "TRAP", 14, 14 }, { "TTRACE_CU_EN", 15, 15 }, { "VALID", 16, 16 },
	{ "ECC_ERR", 17, 17 }, { "SKIP_EXPORT", 18, 18 }, { "PERF_EN", 19, 19 },
	{ "COND_DBG_USER", 20, 20 }, { "COND_DBG_SYS", 21, 21 },
	{ "ALLOW_REPLAY", 22, 22 }, { "FATAL_HALT", 23, 23 },
	{ "MUST_EXPORT", 27, 27 }, {}
};

static const struct gpubp_reg_field trapsts_fields[] = {
	{ "EXCP", 0, 8 }, { "SAVECTX", 10, 10 }, { "ILLEGAL_INST", 11, 11 },
	{ "EXCP_HI", 12, 14 }, { "EXCP_CYCLE", 16, 21 },
	{ "XNACK_ERROR", 28, 28 }, { "DP_RATE", 29, 31 }, {}
};

static const struct gpubp_reg_field trapsts_fields_gfx942[] = {
	{ "EXCP", 0, 8 }, { "SAVECTX", 10, 10 }, { "ILLEGAL_INST", 11, 11 },
	{ "EXCP_HI", 12, 14 }, { "EXCP_CYCLE", 16, 21 },
	{ "HOST_TRAP", 22, 22 }, { "WAVE_BEGIN", 23, 23 },
	{ "WAVE_END", 24, 24 }, { "TRAP_AFTER_INST", 25, 25 },
	{ "PERF_SNAPSHOT", 26, 26 }, { "XNACK_ERROR", 28, 28 },
	{ "DP_RATE", 29, 31 }, {}
};

static const struct gpubp_reg_field hw_id_fields[] = {
	{ "WAVE_ID", 0, 3 }, { "SIMD_ID", 4, 5 }, { "PIPE_ID", 6, 7 },
	{ "CU_ID", 8, 11 }, { "SH_ID", 12, 12 }, { "SE_ID", 13, 14 },
	{ "TG_ID", 16, 19 }, { "VM_ID", 20, 23 }, { "QUEUE_ID", 24, 26 },
	{ "STATE_ID", 27, 29 }, { "ME_ID", 30, 31 }, {}
};

static const struct gpubp_reg_field gpr_alloc_fields[] = {
	{ "VGPR_BASE", 0, 5 }, { "VGPR_SIZE", 8, 13 }, { "SGPR_BASE", 16, 21 },
	{ "SGPR_SIZE", 24, 27 }, {}
};

static const struct gpubp_reg_field gpr_alloc_fields_gfx90a[] = {
	{ "VGPR_BASE", 0, 5 }, { "VGPR_SIZE", 6, 11 }, { "ACCV_OFFSET", 12, 17 },
	{ "SGPR_BASE", 18, 23 }, { "SGPR_SIZE", 24, 27 }, {}
};

static const struct gpubp_reg_field lds_alloc_fields[] = {
	{ "LDS_BASE", 0, 7 }, { "LDS_SIZE", 12, 20 }, {}
};

static const struct gpubp_reg_field ib_sts_fields[] = {
	{ "VM_CNT", 0, 3 }, { "EXP_CNT", 4, 6 }, { "LGKM_CNT", 8, 11 },
	{ "VALU_CNT", 12, 14 }, { "FIRST_REPLAY", 15, 15 }, { "RCNT", 16, 20 },
	{ "VM_CNT_HI", 22, 23 }, {}
};

/* by register number, from MODE */
#define CONTROL_REGS(trapsts, gpr_alloc) {					\
	[HWREG_MODE - HWREG_MODE]	= { "MODE", mode_fields },		\
	[HWREG_STATUS - HWREG_MODE]	= { "STATUS", status_fields },		\
	[HWREG_TRAPSTS - HWREG_MODE]	= { "TRAPSTS", trapsts },		\
	[HWREG_HW_ID - HWREG_MODE]	= { "HW_ID", hw_id_fields },		\
	[HWREG_GPR_ALLOC - HWREG_MODE]	= { "GPR_ALLOC", gpr_alloc },		\
	[HWREG_LDS_ALLOC - HWREG_MODE]	= { "LDS_ALLOC", lds_alloc_fields },	\
	[HWREG_IB_STS - HWREG_MODE]	= { "IB_STS", ib_sts_fields },		\
}

const struct gpubp_control_reg gfx900_control_regs[GFX9_NR_DUMP_REGS] =
	CONTROL_REGS(trapsts_fields, gpr_alloc_fields);

const struct gpubp_control_reg gfx90a_control_regs[GFX9_NR_DUMP_REGS] =
	CONTROL_REGS(trapsts_fields, gpr_alloc_fields_gfx90a);

const struct gpubp_control_reg gfx942_control_regs[GFX9_NR_DUMP_REGS] =
	CONTROL_REGS(trapsts_fields_gfx942, gpr_alloc_fields_gfx90a);

#define SGPR_BLOCK		16
#define LDS_UNIT		256

static u32 reg_field(u32 value, unsigned int low, unsigned int bits)
{
	return (value >> low) & ((1u << bits) - 1);
}

static void hw_id_decode(u32 hw_id, struct gpubp_wave_place *out)
{
	out->slot = HW_ID_WAVE(hw_id);
	out->simd = HW_ID_SIMD(hw_id);
	out->pipe = reg_field(hw_id, 6, 2);
	out->cu = HW_ID_CU(hw_id);
	out->sh = HW_ID_SH(hw_id);
	out->se = HW_ID_SE(hw_id);
	out->group = reg_field(hw_id, 16, 4);
	out->vmid = HW_ID_VMID(hw_id);
	out->queue = reg_field(hw_id, 24, 3);
	out->state = reg_field(hw_id, 27, 3);
	out->me = reg_field(hw_id, 30, 2);
}

static void wave_place_decode(const u32 *regs, unsigned int vgpr_at,
			      unsigned int vgpr_block,
			      struct gpubp_wave_place *out)
{
	u32 gpr = regs[HWREG_GPR_ALLOC - HWREG_MODE];
	u32 lds = regs[HWREG_LDS_ALLOC - HWREG_MODE];

	hw_id_decode(regs[HWREG_HW_ID - HWREG_MODE], out);
	out->nr_vectors = (reg_field(gpr, vgpr_at, 6) + 1) * vgpr_block;
	out->nr_scalars = (reg_field(gpr, 24, 3) + 1) * SGPR_BLOCK;
	out->lds_base = reg_field(lds, 0, 8) * LDS_UNIT;
	out->lds_bytes = reg_field(lds, 12, 9) * LDS_UNIT;
}

/** gfx900_wave_place() - gpubp_isa.wave_place */
void gfx900_wave_place(const u32 *regs, struct gpubp_wave_place *out)
{
	wave_place_decode(regs, 8, 4, out);
}

/** gfx90a_wave_place() - likewise; the shader engine field has one bit more */
void gfx90a_wave_place(const u32 *regs, struct gpubp_wave_place *out)
{
	wave_place_decode(regs, 6, 8, out);
	out->se = reg_field(regs[HWREG_HW_ID - HWREG_MODE], 13, 3);
}

/** gfx942_wave_place() - likewise */
void gfx942_wave_place(const u32 *regs, struct gpubp_wave_place *out)
{
	gfx90a_wave_place(regs, out);
}

/*
 * In a program, s_setreg changes MODE and the exception bits. The bits that
 * make waves trap for hits and for single steps belong to the kernel.
 */
static u32 control_may_write(unsigned int reg)
{
	switch (reg) {
	case HWREG_MODE:
		return ~(MODE_DEBUG_EN | MODE_EXCP_EN_WATCH);
	case HWREG_STATUS:
		return STATUS_SCC;
	case HWREG_TRAPSTS:
		return TRAPSTS_EXCP_MASK & ~TRAPSTS_WATCH0;
	case HWREG_PC_LO:
	case HWREG_PC_HI:
		return ~0u;
	default:
		return 0;
	}
}

/**
 * gfx9_may_write() - gpubp_isa.may_write
 * @file: enum gpubp_regfile
 * @reg: register
 *
 * ttmps belong to the trap handler. Return: mask of writable bits.
 */
u32 gfx9_may_write(u8 file, unsigned int reg)
{
	if (file == GPUBP_REG_CONTROL)
		return control_may_write(reg);
	if (file == GPUBP_REG_SCALAR)
		return reg >= GFX9_SRC_TTMP && reg < GFX9_SRC_TTMP + 16 ? 0 :
									  ~0u;
	return ~0u;
}
