// SPDX-License-Identifier: GPL-2.0
/*
 * Context save area of gfx90a.
 *
 * A record is made of vector registers (256 bytes each, those of accumulation behind
 * the others), scalar registers, 16 hardware registers, 16 ttmps, the LDS of the
 * workgroup if it is that of its first wave, and 64 bytes.
 */
#include <linux/bits.h>

#include "area.h"

/* words of the control stack: COMPUTE_RELAUNCH */
#define RELAUNCH_IS_EVENT	BIT(30)
#define RELAUNCH_IS_STATE	BIT(31)
#define RELAUNCH_FIRST_WAVE	BIT(17)
#define STATE_VGPRS(x)		(((x) & 0x3f) + 1)		/* by 8 */
#define STATE_SGPRS(x)		((x) >> 6 & 7)			/* by 16 */
#define STATE_LDS(x)		((x) >> 9 & 0x1ff)		/* by 512 bytes */
#define STATE_ACC_OFFSET(x)	(((x) >> 24 & 0x3f) + 1)	/* by 4 */

/* in front of them is the header of the packet that writes them */
#define HEADER_BYTES	8

#define VGPR_BYTES	256
#define TAIL_BYTES	(GPUBP_AMD_RECORD_TAIL * 4)
#define GAP_BYTES	64

/* numbers of scalar operands */
#define SGPR_ALIASES	102	/* FLAT_SCRATCH, XNACK_MASK, VCC */
#define TTMP0		GPUBP_AMD_SGPRS
#define TTMPS		16
#define M0		124
#define EXEC_LO		126
#define EXEC_HI		127

/* those that the handler stores */
#define SAVED_TTMPS	0x2ff0u	/* 4-11, 13 */

/* GPR_ALLOC and LDS_ALLOC, of which the positions are not saved */
#define GPR_ALLOC_VGPRS		6
#define GPR_ALLOC_ACC_OFFSET	12
#define GPR_ALLOC_SGPRS		24
#define LDS_ALLOC_SIZE		12
#define LDS_ALLOC_BLOCK		256

static u32 record_bytes(const struct gpubp_amd_record *shape, bool first)
{
	return shape->nr_vgprs * VGPR_BYTES + shape->nr_sgprs * 4 + TAIL_BYTES +
	       (first ? shape->lds_bytes : 0) + GAP_BYTES;
}

static struct gpubp_amd_record state_shape(u32 word)
{
	return (struct gpubp_amd_record){
		.nr_vgprs = STATE_VGPRS(word) * 8,
		.acc_offset = STATE_ACC_OFFSET(word) * 4,
		.nr_sgprs = STATE_SGPRS(word) * 16,
		.lds_bytes = STATE_LDS(word) * 512,
	};
}

/**
 * gpubp_amd_walk_begin() - begin at the wave that was saved last
 * @walk: (out) walk
 * @area: area
 * @stack: its control stack, of @area->stack_size bytes
 *
 * Return: false if there is none, or if the offsets make no sense.
 */
bool gpubp_amd_walk_begin(struct gpubp_amd_walk *walk,
			  const struct gpubp_amd_area *area, const u32 *stack)
{
	*walk = (struct gpubp_amd_walk){
		.stack = stack,
		.next = area->stack_offset + HEADER_BYTES,
		.end = area->stack_size,
		.base = area->base,
		.bottom = area->stack_size,
		.state = area->state_offset,
	};
	return area->base && !(area->stack_offset % 4) && !(area->stack_size % 4) &&
	       area->stack_offset < area->stack_size &&
	       area->stack_size - area->stack_offset > HEADER_BYTES &&
	       area->state_offset >= area->stack_size &&
	       area->state_offset <= area->size;
}

/* the record of the next wave ends where that of the last one began */
static bool walk_take(struct gpubp_amd_walk *walk, bool first,
		      struct gpubp_amd_record *rec)
{
	u32 bytes = record_bytes(&walk->shape, first);

	if (!walk->has_shape || walk->state - walk->bottom < bytes)
		return false;
	walk->state -= bytes;
	*rec = walk->shape;
	rec->at = walk->base + walk->state;
	return true;
}

/**
 * gpubp_amd_walk_next() - the next wave
 * @walk: walk
 * @rec: (out) where it is
 *
 * Return: false if there is no further one, or if the stack makes no sense.
 */
bool gpubp_amd_walk_next(struct gpubp_amd_walk *walk, struct gpubp_amd_record *rec)
{
	u32 word;

	while (walk->next < walk->end) {
		word = walk->stack[walk->next / 4];
		walk->next += 4;
		if (word & RELAUNCH_IS_STATE) {
			walk->shape = state_shape(word);
			walk->has_shape = walk->shape.acc_offset <=
					  walk->shape.nr_vgprs;
		} else if (!(word & RELAUNCH_IS_EVENT)) {
			return walk_take(walk, word & RELAUNCH_FIRST_WAVE, rec);
		}
	}
	return false;
}

static u32 tail_offset(const struct gpubp_amd_record *rec)
{
	return rec->nr_vgprs * VGPR_BYTES + rec->nr_sgprs * 4;
}

/** gpubp_amd_record_tail() - address of the hardware registers, before the ttmps */
u64 gpubp_amd_record_tail(const struct gpubp_amd_record *rec)
{
	return rec->at + tail_offset(rec);
}

static u32 hwreg_offset(const struct gpubp_amd_record *rec, enum gpubp_amd_hwreg nr)
{
	return tail_offset(rec) + nr * 4;
}

/* the last six of a wave have further names */
static u32 sgpr_offset(const struct gpubp_amd_record *rec, unsigned int reg)
{
	unsigned int nr = rec->nr_sgprs < GPUBP_AMD_SGPRS ? rec->nr_sgprs : GPUBP_AMD_SGPRS;

	if (reg >= SGPR_ALIASES)
		reg -= GPUBP_AMD_SGPRS - nr;
	return reg < nr ? rec->nr_vgprs * VGPR_BYTES + reg * 4 : 0;
}

static u32 scalar_offset(const struct gpubp_amd_record *rec, unsigned int reg)
{
	if (reg < GPUBP_AMD_SGPRS)
		return sgpr_offset(rec, reg);
	if (reg < TTMP0 + TTMPS)
		return SAVED_TTMPS >> (reg - TTMP0) & 1 ?
		       hwreg_offset(rec, GPUBP_AMD_RECORD_HWREGS + reg - TTMP0) : 0;
	switch (reg) {
	case M0:
		return hwreg_offset(rec, GPUBP_AMD_HWREG_M0);
	case EXEC_LO:
		return hwreg_offset(rec, GPUBP_AMD_HWREG_EXEC_LO);
	case EXEC_HI:
		return hwreg_offset(rec, GPUBP_AMD_HWREG_EXEC_HI);
	default:
		return 0;
	}
}

static u32 control_offset(const struct gpubp_amd_record *rec, unsigned int reg)
{
	switch (reg) {
	case GPUBP_AMD_CONTROL_MODE:
		return hwreg_offset(rec, GPUBP_AMD_HWREG_MODE);
	case GPUBP_AMD_CONTROL_STATUS:
		return hwreg_offset(rec, GPUBP_AMD_HWREG_STATUS);
	case GPUBP_AMD_CONTROL_TRAPSTS:
		return hwreg_offset(rec, GPUBP_AMD_HWREG_TRAPSTS);
	case GPUBP_AMD_CONTROL_PC_LO:
		return hwreg_offset(rec, GPUBP_AMD_HWREG_PC_LO);
	case GPUBP_AMD_CONTROL_PC_HI:
		return hwreg_offset(rec, GPUBP_AMD_HWREG_PC_HI);
	default:
		return 0;
	}
}

/**
 * gpubp_amd_record_offset() - where a register is
 * @rec: wave
 * @file: enum gpubp_regfile
 * @reg: number; a vector register has 64 values there
 *
 * Return: offset in the record, negative if it is not there.
 */
s32 gpubp_amd_record_offset(const struct gpubp_amd_record *rec, u8 file, unsigned int reg)
{
	u32 offset;

	if (file == GPUBP_REG_VECTOR)
		return reg < rec->nr_vgprs ? (s32)(reg * VGPR_BYTES) : -1;
	/* vector registers are in front of what follows */
	offset = file == GPUBP_REG_SCALAR ? scalar_offset(rec, reg) :
					    control_offset(rec, reg);
	return offset ? (s32)offset : -1;
}

/** gpubp_amd_record_gpr_alloc() - GPR_ALLOC, without what tells where they were */
u32 gpubp_amd_record_gpr_alloc(const struct gpubp_amd_record *rec)
{
	return (rec->nr_vgprs / 8 - 1) << GPR_ALLOC_VGPRS |
	       (rec->acc_offset / 4 - 1) << GPR_ALLOC_ACC_OFFSET |
	       (rec->nr_sgprs / 16 - 1) << GPR_ALLOC_SGPRS;
}

/** gpubp_amd_record_of_alloc() - the registers that GPR_ALLOC describes; it is nowhere */
struct gpubp_amd_record gpubp_amd_record_of_alloc(u32 gpr_alloc)
{
	return (struct gpubp_amd_record){
		.nr_vgprs = ((gpr_alloc >> GPR_ALLOC_VGPRS & 0x3f) + 1) * 8,
		.acc_offset = ((gpr_alloc >> GPR_ALLOC_ACC_OFFSET & 0x3f) + 1) * 4,
		.nr_sgprs = ((gpr_alloc >> GPR_ALLOC_SGPRS & 7) + 1) * 16,
	};
}

/** gpubp_amd_record_lds_alloc() - LDS_ALLOC, as gpubp_amd_record_gpr_alloc() */
u32 gpubp_amd_record_lds_alloc(const struct gpubp_amd_record *rec)
{
	return rec->lds_bytes / LDS_ALLOC_BLOCK << LDS_ALLOC_SIZE;
}
