// SPDX-License-Identifier: GPL-2.0
/*
 * Register access by dword offset, the way a driver does it: banked registers
 * go to the VMID that GRBM_GFX_CNTL selects, SQ registers to the compute unit
 * that GRBM_GFX_INDEX selects.
 */
#include <linux/build_bug.h>
#include <linux/stddef.h>

#include "device.h"
#include "regs.h"
#include "sq.h"

/**
 * struct reg_desc - a register that is nothing but storage
 * @reg: dword offset
 * @mask: bits that exist
 * @offset: in struct sim_regs, or in struct sim_bank if @banked
 * @shader: each compute unit has one, and GRBM_GFX_INDEX says whose is
 *	written. Here is one copy, for all: nobody has a use for units that
 *	differ, so what does not go to all goes nowhere.
 * @banked: one a VMID
 */
struct reg_desc {
	u32 reg;
	u32 mask;
	u16 offset;
	bool shader;
	bool banked;
};

#define DEVICE_REG(_reg, _field, _mask) \
	{ (_reg), (_mask), offsetof(struct sim_regs, _field), false, false }
#define SHADER_REG(_reg, _field, _mask) \
	{ (_reg), (_mask), offsetof(struct sim_regs, _field), true, false }
#define BANK_REG(_reg, _field, _mask) \
	{ (_reg), (_mask), offsetof(struct sim_bank, _field), true, true }
#define WATCH_REGS(n)							   \
	SHADER_REG(regTCP_WATCH0_ADDR_H + (n) * TCP_WATCH_STRIDE,	   \
		   addr_h[n], 0x0000ffff),				   \
	SHADER_REG(regTCP_WATCH0_ADDR_H + (n) * TCP_WATCH_STRIDE + 1,	   \
		   addr_l[n], ~(SIM_WATCH_GRANULE - 1)),		   \
	BANK_REG(regTCP_WATCH0_ADDR_H + (n) * TCP_WATCH_STRIDE + 2,	   \
		 watch_cntl[n], 0xffffffff)

static const struct reg_desc reg_descs[] = {
	DEVICE_REG(regSQ_IND_INDEX, ind_index, 0xffffffff),
	DEVICE_REG(regGRBM_GFX_INDEX, gfx_index, 0xe0ffffff),
	DEVICE_REG(regGRBM_GFX_CNTL, gfx_cntl, 0x000007ff),
	WATCH_REGS(0), WATCH_REGS(1), WATCH_REGS(2), WATCH_REGS(3),
	BANK_REG(regSQ_SHADER_TBA_LO, tba_lo, 0xffffffff),
	BANK_REG(regSQ_SHADER_TBA_HI, tba_hi, 0x000000ff),
	BANK_REG(regSQ_SHADER_TMA_LO, tma_lo, 0xffffffff),
	BANK_REG(regSQ_SHADER_TMA_HI, tma_hi, 0x000000ff),
	BANK_REG(regSPI_GDBG_PER_VMID_CNTL, per_vmid_cntl, 0x00003fff),
	BANK_REG(regSQ_DEBUG, debug, SQ_DEBUG_SINGLE_MEMOP),
};

static const struct reg_desc *find_reg(u32 reg)
{
	unsigned int i;

	static_assert(SIM_NR_WATCH == 4);
	for (i = 0; i < ARRAY_SIZE(reg_descs); i++)
		if (reg_descs[i].reg == reg)
			return &reg_descs[i];
	return NULL;
}

static u32 selected_vmid(const struct sim_regs *regs)
{
	return (regs->gfx_cntl >> GFX_CNTL_VMID_SHIFT) & (SIM_NR_VMIDS - 1);
}

static bool is_broadcast(const struct sim_regs *regs)
{
	return (regs->gfx_index & GFX_INDEX_BROADCAST) == GFX_INDEX_BROADCAST;
}

static u32 *reg_storage(struct sim_regs *regs, const struct reg_desc *desc)
{
	void *base = regs;

	lockdep_assert_held(&regs->lock);
	if (desc->banked)
		base = &regs->bank[selected_vmid(regs)];
	return base + desc->offset;
}

/* what the fast path of a memory access looks at */
static void update_valid(struct sim_regs *regs, u32 vmid)
{
	u8 valid = 0;
	int n;

	for (n = 0; n < SIM_NR_WATCH; n++)
		if (regs->bank[vmid].watch_cntl[n] & TCP_WATCH_CNTL_VALID)
			valid |= BIT(n);
	WRITE_ONCE(regs->valid[vmid], valid);
}

/** sim_regs_init() - registers after power-on */
void sim_regs_init(struct sim_regs *regs)
{
	raw_spin_lock_init(&regs->lock);
	regs->gfx_index = GFX_INDEX_BROADCAST;
}

/**
 * sim_rreg() - read a register
 * @dev: device
 * @reg: dword offset
 *
 * Any context. What goes by a select needs sim_device.sq_lock, from the
 * selection on.
 *
 * Return: the value; of a register that does not exist all ones, as from a
 * bus.
 */
u32 sim_rreg(struct sim_device *dev, u32 reg)
{
	const struct reg_desc *desc = find_reg(reg);

	if (reg == regSQ_IND_DATA)
		return sim_sq_ind_read(dev);
	if (!desc)
		return U32_MAX;
	guard(raw_spinlock_irqsave)(&dev->regs.lock);
	return *reg_storage(&dev->regs, desc);
}

/**
 * sim_wreg() - write a register
 * @dev: device
 * @reg: dword offset
 * @value: bits that the register lacks are dropped
 *
 * As sim_rreg().
 */
void sim_wreg(struct sim_device *dev, u32 reg, u32 value)
{
	const struct reg_desc *desc = find_reg(reg);
	struct sim_regs *regs = &dev->regs;

	if (reg == regSQ_CMD)
		sim_sq_command(dev, value);
	if (!desc)
		return;
	guard(raw_spinlock_irqsave)(&regs->lock);
	if (desc->shader && !is_broadcast(regs))
		return;
	*reg_storage(regs, desc) = value & desc->mask;
	if (desc->banked)
		update_valid(regs, selected_vmid(regs));
}

/** sim_banks_lock() - shader registers are all compute units' */
unsigned long sim_banks_lock(struct sim_device *dev)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&dev->sq_lock, flags);
	sim_wreg(dev, regGRBM_GFX_INDEX, GFX_INDEX_BROADCAST);
	return flags;
}

/** sim_banks_unlock() - and banked ones the kernel's VMID's, as by default */
void sim_banks_unlock(struct sim_device *dev, unsigned long flags)
{
	sim_select_vmid(dev, 0);
	raw_spin_unlock_irqrestore(&dev->sq_lock, flags);
}

/** sim_select_vmid() - banked registers are @vmid's; under guard(sim_banks) */
void sim_select_vmid(struct sim_device *dev, u32 vmid)
{
	lockdep_assert_held(&dev->sq_lock);
	sim_wreg(dev, regGRBM_GFX_CNTL, vmid << GFX_CNTL_VMID_SHIFT);
}

/**
 * sim_bank_write() - load all banked registers, as a map of a process does
 * @dev: device
 * @vmid: whose
 * @bank: values
 *
 * Control words go last, so that nothing is compared before it can trap.
 */
void sim_bank_write(struct sim_device *dev, u32 vmid,
		    const struct sim_bank *bank)
{
	int n;

	guard(sim_banks)(dev);
	sim_select_vmid(dev, vmid);
	sim_wreg(dev, regSQ_SHADER_TBA_LO, bank->tba_lo);
	sim_wreg(dev, regSQ_SHADER_TBA_HI, bank->tba_hi);
	sim_wreg(dev, regSQ_SHADER_TMA_LO, bank->tma_lo);
	sim_wreg(dev, regSQ_SHADER_TMA_HI, bank->tma_hi);
	sim_wreg(dev, regSPI_GDBG_PER_VMID_CNTL, bank->per_vmid_cntl);
	sim_wreg(dev, regSQ_DEBUG, bank->debug);
	for (n = 0; n < SIM_NR_WATCH; n++)
		sim_wreg(dev, sim_reg_watch_cntl(n), bank->watch_cntl[n]);
}

/** sim_bank_read() - the banked registers as a wave of @vmid meets them */
void sim_bank_read(struct sim_device *dev, u32 vmid, struct sim_bank *bank)
{
	guard(raw_spinlock_irqsave)(&dev->regs.lock);
	*bank = dev->regs.bank[vmid];
}
