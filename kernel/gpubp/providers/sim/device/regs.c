// SPDX-License-Identifier: GPL-2.0
/*
 * Register access by dword offset, as a driver does it: banked registers are
 * those of the VMID that GRBM_GFX_CNTL selects, SQ registers those of the
 * compute unit that GRBM_GFX_INDEX selects. Which registers exist, and which of
 * them are banked, depends on the personality.
 */
#include <linux/stddef.h>

#include "device.h"
#include "regs.h"
#include "sq.h"

#define ON_GFX900	BIT(SIM_GFX900)
#define ON_LATER	(BIT(SIM_GFX90A) | BIT(SIM_GFX942))
#define ON_ALL		(ON_GFX900 | ON_LATER)

/**
 * struct reg_desc - a register without side effects
 * @reg: dword offset
 * @mask: implemented bits
 * @offset: in struct sim_regs, or in struct sim_bank if @banked
 * @shader: one per compute unit, written where GRBM_GFX_INDEX selects. There is
 *	a single copy here, as units never need to differ: writes that are not
 *	broadcast are dropped.
 * @banked: one per VMID
 * @cntl: it is a comparator's control word
 * @on: ON_*: personalities that have it
 */
struct reg_desc {
	u32 reg;
	u32 mask;
	u16 offset;
	bool shader;
	bool banked;
	bool cntl;
	u8 on;
};

#define DEVICE_REG(_on, _reg, _field, _mask)				\
	{ .reg = (_reg), .mask = (_mask), .on = (_on),			\
	  .offset = offsetof(struct sim_regs, _field) }
#define SHADER_REG(_on, _reg, _field, _mask)				\
	{ .reg = (_reg), .mask = (_mask), .on = (_on), .shader = true,	\
	  .offset = offsetof(struct sim_regs, _field) }
#define BANK_REG(_on, _reg, _field, _mask)				\
	{ .reg = (_reg), .mask = (_mask), .on = (_on), .shader = true,	\
	  .banked = true,						\
	  .offset = offsetof(struct sim_bank, _field) }

static const struct reg_desc reg_descs[] = {
	DEVICE_REG(ON_ALL, regSQ_IND_INDEX, ind_index, 0xffffffff),
	DEVICE_REG(ON_ALL, regGRBM_GFX_INDEX, gfx_index, 0xe0ffffff),
	DEVICE_REG(ON_ALL, regGRBM_GFX_CNTL, gfx_cntl, 0x000007ff),
	BANK_REG(ON_ALL, regSQ_SHADER_TBA_LO, tba_lo, 0xffffffff),
	BANK_REG(ON_ALL, regSQ_SHADER_TBA_HI, tba_hi, 0x000000ff),
	BANK_REG(ON_ALL, regSQ_SHADER_TMA_LO, tma_lo, 0xffffffff),
	BANK_REG(ON_ALL, regSQ_SHADER_TMA_HI, tma_hi, 0x000000ff),
	BANK_REG(ON_LATER, regSPI_GDBG_PER_VMID_CNTL, per_vmid_cntl,
		 0x00003fff),
	BANK_REG(ON_LATER, regSQ_DEBUG, debug, SQ_DEBUG_SINGLE_MEMOP),
	SHADER_REG(ON_GFX900, regSPI_GDBG_TRAP_CONFIG, trap_config,
		   0xffff83ff),
	SHADER_REG(ON_GFX900, regSPI_GDBG_TRAP_MASK, trap_mask,
		   TRAP_MASK_EXCP_EN | TRAP_MASK_REPLACE),
};

static bool is_banked(const struct sim_regs *regs)
{
	return sim_config_banked(regs->config);
}

static bool find_plain(const struct sim_regs *regs, u32 reg,
		       struct reg_desc *out)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(reg_descs); i++) {
		*out = reg_descs[i];
		if (out->reg == reg &&
		    (out->on & BIT(regs->config->personality)))
			return true;
	}
	return false;
}

/* register @part of comparator @n: ADDR_H, ADDR_L, CNTL */
static struct reg_desc watch_reg(const struct sim_regs *regs, unsigned int n,
				 u32 part)
{
	u32 granule_mask = ~(regs->config->granule - 1);

	switch (part) {
	case 0:
		return (struct reg_desc)SHADER_REG(ON_ALL, 0, addr_h[n],
						   0x0000ffff);
	case 1:
		return (struct reg_desc)SHADER_REG(ON_ALL, 0, addr_l[n],
						   granule_mask);
	default:
		return (struct reg_desc){
			.mask = 0xffffffff,
			.shader = true,
			.cntl = true,
			.banked = is_banked(regs),
			.offset = is_banked(regs) ?
				offsetof(struct sim_bank, watch_cntl[n]) :
				offsetof(struct sim_regs, watch_cntl[n]),
		};
	}
}

static bool find_watch(const struct sim_regs *regs, u32 reg,
		       struct reg_desc *out)
{
	unsigned int n;

	for (n = 0; n < regs->config->nr_watch; n++) {
		u32 part = reg - sim_reg_watch_addr_h(n);

		if (part < TCP_WATCH_STRIDE) {
			*out = watch_reg(regs, n, part);
			return true;
		}
	}
	return false;
}

static bool find_reg(const struct sim_regs *regs, u32 reg, struct reg_desc *out)
{
	return find_plain(regs, reg, out) || find_watch(regs, reg, out);
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

/* the VMID tag of a gfx900 control word */
static u32 cntl_vmid(u32 cntl)
{
	return (cntl >> TCP_WATCH_CNTL_VMID_SHIFT) & (SIM_NR_VMIDS - 1);
}

/**
 * sim_regs_cntl() - a comparator's control word
 * @regs: registers, locked
 * @vmid: VMID
 * @n: comparator
 *
 * Return: the word; 0 if the only word is tagged with another VMID.
 */
u32 sim_regs_cntl(const struct sim_regs *regs, u32 vmid, unsigned int n)
{
	u32 cntl = regs->watch_cntl[n];

	lockdep_assert_held(&regs->lock);
	if (is_banked(regs))
		return regs->bank[vmid].watch_cntl[n];
	return cntl_vmid(cntl) == vmid ? cntl : 0;
}

/* update the bitmaps for the fast path of memory accesses */
static void update_valid(struct sim_regs *regs)
{
	unsigned int n;
	u32 vmid;

	for (vmid = 0; vmid < SIM_NR_VMIDS; vmid++) {
		u16 valid = 0;

		for (n = 0; n < regs->config->nr_watch; n++)
			if (sim_regs_cntl(regs, vmid, n) & TCP_WATCH_CNTL_VALID)
				valid |= BIT(n);
		WRITE_ONCE(regs->valid[vmid], valid);
	}
}

/**
 * sim_regs_init() - set registers to their values after power-on
 * @regs: registers, zeroed
 * @config: configuration of the device
 */
void sim_regs_init(struct sim_regs *regs, const struct sim_config *config)
{
	raw_spin_lock_init(&regs->lock);
	regs->config = config;
	regs->gfx_index = GFX_INDEX_BROADCAST;
}

/**
 * sim_rreg() - read a register
 * @dev: device
 * @reg: dword offset
 *
 * Any context. A register that depends on a select needs sim_device.sq_lock
 * from the selection on.
 *
 * Return: the value, or all ones if the register does not exist, as on a bus.
 */
u32 sim_rreg(struct sim_device *dev, u32 reg)
{
	struct sim_regs *regs = &dev->regs;
	struct reg_desc desc;

	if (reg == regSQ_IND_DATA)
		return sim_sq_ind_read(dev);
	if (!find_reg(regs, reg, &desc))
		return U32_MAX;
	guard(raw_spinlock_irqsave)(&regs->lock);
	return *reg_storage(regs, &desc);
}

/**
 * sim_wreg() - write a register
 * @dev: device
 * @reg: dword offset
 * @value: bits that are not implemented are dropped
 *
 * As sim_rreg().
 */
void sim_wreg(struct sim_device *dev, u32 reg, u32 value)
{
	struct sim_regs *regs = &dev->regs;
	struct reg_desc desc;

	if (reg == regSQ_CMD)
		sim_sq_command(dev, value);
	if (!find_reg(regs, reg, &desc))
		return;
	guard(raw_spinlock_irqsave)(&regs->lock);
	if (desc.shader && !is_broadcast(regs))
		return;
	*reg_storage(regs, &desc) = value & desc.mask;
	if (desc.cntl)
		update_valid(regs);
}

/** sim_banks_lock() - lock, and select shader registers of all compute units */
unsigned long sim_banks_lock(struct sim_device *dev)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&dev->sq_lock, flags);
	sim_wreg(dev, regGRBM_GFX_INDEX, GFX_INDEX_BROADCAST);
	return flags;
}

/** sim_banks_unlock() - select VMID 0, the default, and unlock */
void sim_banks_unlock(struct sim_device *dev, unsigned long flags)
{
	sim_select_vmid(dev, 0);
	raw_spin_unlock_irqrestore(&dev->sq_lock, flags);
}

/*
 * sim_select_vmid() - select banked registers of @vmid; under guard(sim_banks)
 */
void sim_select_vmid(struct sim_device *dev, u32 vmid)
{
	lockdep_assert_held(&dev->sq_lock);
	sim_wreg(dev, regGRBM_GFX_CNTL, vmid << GFX_CNTL_VMID_SHIFT);
}

static void write_banked(struct sim_device *dev, const struct sim_bank *bank)
{
	unsigned int n;

	sim_wreg(dev, regSPI_GDBG_PER_VMID_CNTL, bank->per_vmid_cntl);
	sim_wreg(dev, regSQ_DEBUG, bank->debug);
	for (n = 0; n < dev->config.nr_watch; n++)
		sim_wreg(dev, sim_reg_watch_cntl(n), bank->watch_cntl[n]);
}

/* all VMIDs share the mask: it is the union of requests until no VMID traps */
static void write_traps(struct sim_device *dev, u32 vmid,
			const struct sim_bank *bank)
{
	u32 sel = 1u << (TRAP_CONFIG_VMID_SEL_SHIFT + vmid);
	u32 config = sim_rreg(dev, regSPI_GDBG_TRAP_CONFIG) & ~sel;
	u32 mask = sim_rreg(dev, regSPI_GDBG_TRAP_MASK);

	if (bank->per_vmid_cntl & PER_VMID_CNTL_TRAP_EN)
		config |= sel;
	mask |= sim_bank_excp_en(bank);
	if (!(config >> TRAP_CONFIG_VMID_SEL_SHIFT))
		mask = 0;
	sim_wreg(dev, regSPI_GDBG_TRAP_CONFIG, config | TRAP_CONFIG_TRAP_EN);
	sim_wreg(dev, regSPI_GDBG_TRAP_MASK, mask);
}

/* comparators tagged with another VMID are not changed */
static void write_tagged(struct sim_device *dev, u32 vmid,
			 const struct sim_bank *bank)
{
	unsigned int n;

	write_traps(dev, vmid, bank);
	for (n = 0; n < dev->config.nr_watch; n++) {
		u32 reg = sim_reg_watch_cntl(n), cntl = bank->watch_cntl[n];

		if (cntl & TCP_WATCH_CNTL_VALID)
			sim_wreg(dev, reg, cntl |
				 vmid << TCP_WATCH_CNTL_VMID_SHIFT);
		else if (cntl_vmid(sim_rreg(dev, reg)) == vmid)
			sim_wreg(dev, reg, 0);
	}
}

/**
 * sim_bank_write() - load the registers of a VMID, as MAP_PROCESS does
 * @dev: device
 * @vmid: VMID
 * @bank: values
 *
 * Control words are written last, so that no comparator matches before its VMID
 * can trap.
 */
void sim_bank_write(struct sim_device *dev, u32 vmid,
		    const struct sim_bank *bank)
{
	guard(sim_banks)(dev);
	sim_select_vmid(dev, vmid);
	sim_wreg(dev, regSQ_SHADER_TBA_LO, bank->tba_lo);
	sim_wreg(dev, regSQ_SHADER_TBA_HI, bank->tba_hi);
	sim_wreg(dev, regSQ_SHADER_TMA_LO, bank->tma_lo);
	sim_wreg(dev, regSQ_SHADER_TMA_HI, bank->tma_hi);
	if (sim_config_banked(&dev->config))
		write_banked(dev, bank);
	else
		write_tagged(dev, vmid, bank);
}

/* PER_VMID_CNTL as seen by a wave of @vmid; the shared mask only adds causes */
static u32 shared_traps(const struct sim_regs *regs, u32 vmid)
{
	u32 sel = regs->trap_config >> TRAP_CONFIG_VMID_SEL_SHIFT;
	u32 cntl = (regs->trap_mask & TRAP_MASK_EXCP_EN) <<
		   PER_VMID_CNTL_EXCP_EN_SHIFT;

	if ((regs->trap_config & TRAP_CONFIG_TRAP_EN) && (sel & BIT(vmid)))
		cntl |= PER_VMID_CNTL_TRAP_EN;
	return cntl;
}

/** sim_bank_read() - read the registers of a VMID as its waves see them */
void sim_bank_read(struct sim_device *dev, u32 vmid, struct sim_bank *bank)
{
	struct sim_regs *regs = &dev->regs;
	unsigned int n;

	guard(raw_spinlock_irqsave)(&regs->lock);
	*bank = regs->bank[vmid];
	if (is_banked(regs))
		return;
	bank->per_vmid_cntl = shared_traps(regs, vmid);
	for (n = 0; n < regs->config->nr_watch; n++)
		bank->watch_cntl[n] = sim_regs_cntl(regs, vmid, n);
}
