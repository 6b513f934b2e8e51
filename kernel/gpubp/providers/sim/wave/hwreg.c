// SPDX-License-Identifier: GPL-2.0
/*
 * s_getreg and s_setreg.
 */
#include <linux/kernel.h>
#include "interp.h"

#define HWREG_ID(simm16)	((simm16) & 0x3f)
#define HWREG_OFFSET(simm16)	(((simm16) >> 6) & 0x1f)
#define HWREG_SIZE(simm16)	((((simm16) >> 11) & 0x1f) + 1)

#define SH_MEM_BASES		((u32)(SIM_SHARED_BASE >> 32) | \
				 (u32)(SIM_PRIVATE_BASE >> 48))

/* derived bits, or bits that only hardware writes */
#define STATUS_READONLY		(STATUS_PRIV | STATUS_EXECZ | STATUS_VCCZ | \
				 STATUS_IN_TG | STATUS_IN_BARRIER | \
				 STATUS_VALID)

static u32 status_value(const struct sim_wave *w)
{
	u32 status = w->status & ~(STATUS_EXECZ | STATUS_VCCZ);

	return status | (sim_exec(w) ? 0 : STATUS_EXECZ) |
	       (sim_vcc(w) ? 0 : STATUS_VCCZ);
}

/* TBA and TMA are accessible in the handler only */
static u32 base_value(const struct sim_wave *w, u64 base, unsigned int shift)
{
	return w->status & STATUS_PRIV ? (u32)(base >> shift) : 0;
}

/* the value, or -EILSEQ if there is no such register */
static s64 hwreg_read(const struct sim_wave *w, unsigned int id)
{
	switch (id) {
	case HWREG_MODE:		return w->mode;
	case HWREG_STATUS:		return status_value(w);
	case HWREG_TRAPSTS:		return w->trapsts;
	case HWREG_HW_ID:		return w->hw_id;
	case HWREG_GPR_ALLOC:		return w->gpr_alloc;
	case HWREG_LDS_ALLOC:		return w->lds_alloc;
	case HWREG_IB_STS:		return w->ib_sts;
	case HWREG_SH_MEM_BASES:	return SH_MEM_BASES;
	case HWREG_TBA_LO:		return base_value(w, w->tba, 8);
	case HWREG_TBA_HI:		return base_value(w, w->tba, 40);
	case HWREG_TMA_LO:		return base_value(w, w->tma, 8);
	case HWREG_TMA_HI:		return base_value(w, w->tma, 40);
	case HWREG_XCC_ID:
		return w->arch == GFX9_GFX942 ? w->xcc_id : -EILSEQ;
	default:			return -EILSEQ;
	}
}

/* bits of a register that s_setreg writes; writes to others are ignored */
static u32 hwreg_writable(const struct sim_wave *w, unsigned int id)
{
	bool priv = w->status & STATUS_PRIV;

	switch (id) {
	case HWREG_MODE:
		return ~0u;
	case HWREG_STATUS:
		return priv ? ~STATUS_READONLY : 0;
	case HWREG_TRAPSTS:
		return priv ? ~0u : TRAPSTS_EXCP_MASK | TRAPSTS_WATCH123;
	case HWREG_IB_STS:
		return priv ? ~0u : 0;
	default:
		return 0;
	}
}

static void hwreg_update(u32 *reg, u32 mask, u32 val)
{
	*reg = (*reg & ~mask) | (val & mask);
}

static void hwreg_write(struct sim_wave *w, unsigned int id, u32 mask, u32 val)
{
	mask &= hwreg_writable(w, id);
	switch (id) {
	case HWREG_MODE:
		hwreg_update(&w->mode, mask, val);
		break;
	case HWREG_STATUS:
		hwreg_update(&w->status, mask, val);
		break;
	case HWREG_TRAPSTS:
		hwreg_update(&w->trapsts, mask, val);
		/* an exception that was cleared is not taken any more */
		w->pending &= w->trapsts | SIM_PENDING_STEP;
		break;
	case HWREG_IB_STS:
		hwreg_update(&w->ib_sts, mask, val);
		break;
	}
}

static u32 field_mask(unsigned int simm16)
{
	unsigned int size = HWREG_SIZE(simm16);
	u32 ones = size == 32 ? ~0u : (1u << size) - 1;

	return ones << HWREG_OFFSET(simm16);
}

/**
 * sim_getreg() - s_getreg_b32
 * @w: wave
 * @simm16: id, offset, size
 * @val: the field
 *
 * Return: 0 or -EILSEQ (no such register).
 */
int sim_getreg(const struct sim_wave *w, unsigned int simm16, u32 *val)
{
	s64 reg = hwreg_read(w, HWREG_ID(simm16));

	if (reg < 0)
		return -EILSEQ;
	*val = ((u32)reg & field_mask(simm16)) >> HWREG_OFFSET(simm16);
	return 0;
}

/*
 * sim_setreg() - s_setreg_b32, s_setreg_imm32_b32
 */
int sim_setreg(struct sim_wave *w, unsigned int simm16, u32 val)
{
	if (hwreg_read(w, HWREG_ID(simm16)) < 0)
		return -EILSEQ;
	hwreg_write(w, HWREG_ID(simm16), field_mask(simm16),
		    val << HWREG_OFFSET(simm16));
	return 0;
}
