// SPDX-License-Identifier: GPL-2.0
#include "soc15d.h"
#include "gc/gc_9_4_2_sh_mask.h"

#include "field.h"
#include "pm4.h"
#include "save_area.h"

/* COMPUTE_RELAUNCH, from PACKET3_SET_SH_REG_START on */
#define RELAUNCH_REGISTER	0x222

/* SET_SH_REG of @words dwords: PACKET3() shifts into the sign */
#define SET_SH_REG(words)	(3u << 30 | (words) << 16 | PACKET3_SET_SH_REG << 8)

/* its payload: that of a state, and that of a wave */
#define STATE_VGPRS(x)		((x) & 0x3f)
#define STATE_SGPRS(x)		((x) >> 6 & 7)
#define STATE_LDS(x)		((x) >> 9 & 0x1ff)
#define STATE_ACC_OFFSET(x)	((x) >> 24 & 0x3f)
#define WAVE_SCRATCH		0xffffu
#define WAVE_LAST		(1u << 16)
#define WAVE_FIRST		(1u << 17)

#define VGPR_BLOCK	8u
#define ACC_BLOCK	4u
#define SGPR_BLOCK	16u
#define LDS_BLOCK	512u
#define VGPR_BYTES	256u	/* 64 lanes */

/* behind the scalar registers, and behind all */
#define HWREGS_TTMPS	128u
#define GAP		64u

bool save_area_is_empty(const struct save_area *a)
{
	return a->stack_offset >= a->stack_size;
}

void save_area_clear(struct save_area *a)
{
	a->stack_offset = a->state_offset = a->stack_size;
}

static uint32_t record_bytes(const struct save_shape *shape, bool first)
{
	return shape->nr_vgprs * VGPR_BYTES + shape->nr_sgprs * 4 + HWREGS_TTMPS +
	       (first ? shape->lds_bytes : 0) + GAP;
}

uint64_t save_record(struct save_area *a, const struct save_shape *shape, bool first)
{
	uint32_t bytes = record_bytes(shape, first);
	uint64_t at = a->base + a->state_offset;

	if (a->state_offset > a->size || bytes > a->size - a->state_offset)
		return 0;
	a->state_offset += bytes;
	return at;
}

static bool push(struct save_area *a, struct vm_access *access, uint32_t word)
{
	if (a->stack_offset < 4)
		return false;
	a->stack_offset -= 4;
	return vm_write32(access, &vm_kernel, a->stack + a->stack_offset, word);
}

static bool top(struct save_area *a, struct vm_access *access, uint32_t *word)
{
	return a->stack_size - a->stack_offset >= 4 && !save_area_is_empty(a) &&
	       vm_read32(access, &vm_kernel, a->stack + a->stack_offset, word);
}

/* the payload has a block for ttmps, which are not among the scalar registers */
static uint32_t shape_word(const struct save_shape *shape)
{
	return FIELD_PUT(COMPUTE_RELAUNCH, IS_STATE, 1) |
	       (shape->nr_vgprs / VGPR_BLOCK - 1) |
	       shape->nr_sgprs / SGPR_BLOCK << 6 |
	       shape->lds_bytes / LDS_BLOCK << 9 |
	       (shape->acc_offset / ACC_BLOCK - 1) << 24;
}

static struct save_shape shape_of(uint32_t word)
{
	return (struct save_shape){
		.nr_vgprs = (STATE_VGPRS(word) + 1) * VGPR_BLOCK,
		.acc_offset = (STATE_ACC_OFFSET(word) + 1) * ACC_BLOCK,
		.nr_sgprs = STATE_SGPRS(word) * SGPR_BLOCK,
		.lds_bytes = STATE_LDS(word) * LDS_BLOCK,
	};
}

bool save_push_wave(struct save_area *a, struct vm_access *access,
		    const struct save_wave *wave)
{
	return push(a, access, wave->scratch | (wave->first ? WAVE_FIRST : 0) |
			       (wave->last ? WAVE_LAST : 0));
}

bool save_push_shape(struct save_area *a, struct vm_access *access,
		     const struct save_shape *shape)
{
	return push(a, access, shape_word(shape));
}

bool save_push_header(struct save_area *a, struct vm_access *access)
{
	uint32_t words = (a->stack_size - a->stack_offset) / 4;

	return push(a, access, RELAUNCH_REGISTER) &&
	       push(a, access, SET_SH_REG(words));
}

static uint32_t pop(struct save_area *a, struct vm_access *access)
{
	uint32_t word = 0;

	if (top(a, access, &word))
		a->stack_offset += 4;
	return word;
}

bool save_pop_header(struct save_area *a, struct vm_access *access)
{
	uint32_t words = (a->stack_size - a->stack_offset) / 4 - 2;

	return pop(a, access) == SET_SH_REG(words) &&
	       pop(a, access) == RELAUNCH_REGISTER;
}

bool save_pop_shape(struct save_area *a, struct vm_access *access,
		    struct save_shape *shape)
{
	uint32_t word;

	if (!top(a, access, &word) || !FIELD_GET(word, COMPUTE_RELAUNCH, IS_STATE))
		return false;
	*shape = shape_of(pop(a, access));
	return shape->acc_offset <= shape->nr_vgprs;
}

uint64_t save_pop_wave(struct save_area *a, struct vm_access *access,
		       const struct save_shape *shape, struct save_wave *wave)
{
	uint32_t word, bytes;

	if (!top(a, access, &word) || FIELD_GET(word, COMPUTE_RELAUNCH, IS_STATE))
		return 0;
	*wave = (struct save_wave){
		.first = word & WAVE_FIRST, .last = word & WAVE_LAST,
		.scratch = word & WAVE_SCRATCH,
	};
	bytes = record_bytes(shape, wave->first);
	if (a->state_offset - a->stack_size < bytes)
		return 0;
	pop(a, access);
	a->state_offset -= bytes;
	return a->base + a->state_offset;
}
