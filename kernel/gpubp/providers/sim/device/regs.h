/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The register file needed for debugging: offsets and bits of gfx900, or of gfx90a
 * (isa/gfx9/regs.h), with the same banks.
 */
#ifndef _GPUBP_PROVIDERS_SIM_DEVICE_REGS_H
#define _GPUBP_PROVIDERS_SIM_DEVICE_REGS_H

#include <linux/cleanup.h>
#include <linux/spinlock.h>
#include <linux/types.h>

#include "../../../isa/gfx9/regs.h"
#include "compare.h"
#include "config.h"

#define SIM_MAX_WATCH		16	/* GPUBP_MAX_SLOTS */
#define SIM_NR_VMIDS		16

#define GFX_CNTL_VMID_SHIFT	4

/*
 * Comparators 4 to 15, which silicon lacks, are at unused offsets. The first
 * four are followed by other registers of TCP.
 */
#define regSIM_WATCH4_ADDR_H	0x12c0
#define SIM_WATCH_FAR		4

/* segment 1 of the GC block starts 0x8000 dwords behind segment 0 */
#define regGRBM_GFX_INDEX	(0x8000 + 0x2200)
#define GFX_INDEX_INSTANCE(x)	((x) & 0xff)
#define GFX_INDEX_SH(x)		(((x) >> 8) & 0xff)
#define GFX_INDEX_SE(x)		(((x) >> 16) & 0xff)
#define GFX_INDEX_BROADCAST	0xe0000000

#define SQ_DEBUG_SINGLE_MEMOP	0x00000001

#define SQ_IND_WAVE(x)		((x) & 0xf)
#define SQ_IND_SIMD_SHIFT	4
#define SQ_IND_SIMD(x)		(((x) >> SQ_IND_SIMD_SHIFT) & 0x3)
#define SQ_IND_THREAD_SHIFT	6
#define SQ_IND_THREAD(x)	(((x) >> SQ_IND_THREAD_SHIFT) & 0x3f)
#define SQ_IND_AUTO_INCR	0x00001000
#define SQ_IND_INDEX_SHIFT	16

/* indices behind SQ_IND_INDEX */
#define SQ_WAVE_MODE		0x11
#define SQ_WAVE_STATUS		0x12
#define SQ_WAVE_TRAPSTS		0x13
#define SQ_WAVE_HW_ID		0x14
#define SQ_WAVE_GPR_ALLOC	0x15
#define SQ_WAVE_LDS_ALLOC	0x16
#define SQ_WAVE_IB_STS		0x17
#define SQ_WAVE_PC_LO		0x18
#define SQ_WAVE_PC_HI		0x19
#define SQ_WAVE_SCALAR0		0x200	/* by operand code: SGPRs, vcc, ... */
#define SQ_WAVE_VGPR0		0x400

#define SQ_CMD_SETHALT		1
#define SQ_CMD_CMD(x)		((x) & 0x7)
#define SQ_CMD_MODE(x)		(((x) >> 4) & 0x7)
#define SQ_CMD_CHECK_VMID	0x00000080
#define SQ_CMD_DATA_SHIFT	8
#define SQ_CMD_DATA(x)		(((x) >> SQ_CMD_DATA_SHIFT) & 0xf)
#define SQ_CMD_WAVE_SHIFT	16
#define SQ_CMD_SIMD_SHIFT	20
#define SQ_CMD_WAVE(x)		(((x) >> SQ_CMD_WAVE_SHIFT) & 0xf)
#define SQ_CMD_SIMD(x)		(((x) >> SQ_CMD_SIMD_SHIFT) & 0x3)

struct sim_device;

/**
 * struct sim_bank - registers of one VMID
 * @watch_cntl: TCP_WATCHn_CNTL, without a VMID
 * @tba_lo: SQ_SHADER_TBA_LO
 * @tba_hi: SQ_SHADER_TBA_HI
 * @tma_lo: SQ_SHADER_TMA_LO
 * @tma_hi: SQ_SHADER_TMA_HI
 * @per_vmid_cntl: SPI_GDBG_PER_VMID_CNTL
 * @debug: SQ_DEBUG, per process as MAP_PROCESS delivers it
 *
 * On gfx90a and gfx942 all of them are banked registers. On gfx900 only TBA and TMA are;
 * the others are written to registers of the device by sim_bank_write(), and
 * read back as waves of this VMID see them.
 */
struct sim_bank {
	u32 watch_cntl[SIM_MAX_WATCH];
	u32 tba_lo, tba_hi, tma_lo, tma_hi;
	u32 per_vmid_cntl;
	u32 debug;
};

/**
 * struct sim_regs - the register file
 * @lock: protects all members
 * @config: configuration; constant
 * @gfx_cntl: GRBM_GFX_CNTL, selects the bank
 * @gfx_index: GRBM_GFX_INDEX, selects the compute unit
 * @ind_index: SQ_IND_INDEX, selects wave, lane and register
 * @addr_h: TCP_WATCHn_ADDR_H, not banked
 * @addr_l: TCP_WATCHn_ADDR_L, not banked
 * @watch_cntl: TCP_WATCHn_CNTL with its VMID tag (gfx900)
 * @trap_config: SPI_GDBG_TRAP_CONFIG (gfx900)
 * @trap_mask: SPI_GDBG_TRAP_MASK (gfx900)
 * @bank: registers of each VMID
 * @valid: bitmap of valid comparators of each VMID; read without @lock
 */
struct sim_regs {
	raw_spinlock_t lock;
	const struct sim_config *config;
	u32 gfx_cntl;
	u32 gfx_index;
	u32 ind_index;
	u32 addr_h[SIM_MAX_WATCH];
	u32 addr_l[SIM_MAX_WATCH];
	u32 watch_cntl[SIM_MAX_WATCH];
	u32 trap_config;
	u32 trap_mask;
	struct sim_bank bank[SIM_NR_VMIDS];
	u16 valid[SIM_NR_VMIDS];
};

/**
 * struct sim_selection - select registers of debugfs users; under
 *	sim_device.sq_lock
 * @gfx_cntl: GRBM_GFX_CNTL
 * @gfx_index: GRBM_GFX_INDEX
 * @ind_index: SQ_IND_INDEX
 */
struct sim_selection {
	u32 gfx_cntl;
	u32 gfx_index;
	u32 ind_index;
};

void sim_regs_init(struct sim_regs *regs, const struct sim_config *config);
u32 sim_regs_cntl(const struct sim_regs *regs, u32 vmid, unsigned int n);
u32 sim_rreg(struct sim_device *dev, u32 reg);
void sim_wreg(struct sim_device *dev, u32 reg, u32 value);
unsigned long sim_banks_lock(struct sim_device *dev);
void sim_banks_unlock(struct sim_device *dev, unsigned long flags);
void sim_select_vmid(struct sim_device *dev, u32 vmid);
void sim_bank_write(struct sim_device *dev, u32 vmid,
		    const struct sim_bank *bank);
void sim_bank_read(struct sim_device *dev, u32 vmid, struct sim_bank *bank);

/* selects all compute units, for shader registers, banked or not */
DEFINE_LOCK_GUARD_1(sim_banks, struct sim_device,
		    _T->flags = sim_banks_lock(_T->lock),
		    sim_banks_unlock(_T->lock, _T->flags),
		    unsigned long flags)

static inline u32 sim_reg_watch_addr_h(unsigned int n)
{
	if (n < SIM_WATCH_FAR)
		return regTCP_WATCH0_ADDR_H + n * TCP_WATCH_STRIDE;
	return regSIM_WATCH4_ADDR_H + (n - SIM_WATCH_FAR) * TCP_WATCH_STRIDE;
}

static inline u32 sim_reg_watch_addr_l(unsigned int n)
{
	return sim_reg_watch_addr_h(n) + 1;
}

static inline u32 sim_reg_watch_cntl(unsigned int n)
{
	return sim_reg_watch_addr_h(n) + 2;
}

/* TBA and TMA hold address bits 47:8 */
static inline u64 sim_bank_tba(const struct sim_bank *bank)
{
	return ((u64)bank->tba_hi << 40) | ((u64)bank->tba_lo << 8);
}

static inline u64 sim_bank_tma(const struct sim_bank *bank)
{
	return ((u64)bank->tma_hi << 40) | ((u64)bank->tma_lo << 8);
}

static inline u32 sim_bank_excp_en(const struct sim_bank *bank)
{
	return (bank->per_vmid_cntl >> PER_VMID_CNTL_EXCP_EN_SHIFT) & 0x1ff;
}

#endif /* _GPUBP_PROVIDERS_SIM_DEVICE_REGS_H */
