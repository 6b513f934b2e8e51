// SPDX-License-Identifier: GPL-2.0
/* Register programs for the debug registers. Pure. */
#include <linux/bitops.h>
#include <linux/bits.h>
#include <linux/kernel.h>

#include "program.h"

/* bits of EXCP_EN, in the order of STATUS.EXCP_EN, on all generations */
#define EXCP_WATCH	BIT(7)

static const struct {
	u32 gpubp;
	u32 hw;
} excp_bits[] = {
	{ GPUBP_EXC_FP_INVALID,		BIT(0) },
	{ GPUBP_EXC_FP_DENORMAL,	BIT(1) },
	{ GPUBP_EXC_FP_DIV0,		BIT(2) },
	{ GPUBP_EXC_FP_OVERFLOW,	BIT(3) },
	{ GPUBP_EXC_FP_UNDERFLOW,	BIT(4) },
	{ GPUBP_EXC_FP_INEXACT,		BIT(5) },
	{ GPUBP_EXC_INT_DIV0,		BIT(6) },
	{ GPUBP_EXC_MEM_VIOL,		BIT(8) },
};

static void steps_add(struct gpubp_amd_steps *list, struct gpubp_amd_step step)
{
	if (list->nr < ARRAY_SIZE(list->step))
		list->step[list->nr++] = step;
}

static void steps_add_write(struct gpubp_amd_steps *list, u8 reg, u8 slot,
			    u32 value)
{
	steps_add(list, (struct gpubp_amd_step){
		.kind = AMD_WRITE, .reg = reg, .slot = slot, .value = value });
}

static void steps_add_update(struct gpubp_amd_steps *list, u8 reg, u32 mask,
			     u32 value)
{
	steps_add(list, (struct gpubp_amd_step){
		.kind = AMD_UPDATE, .reg = reg, .mask = mask, .value = value });
}

static void steps_add_step(struct gpubp_amd_steps *list, u8 kind, u8 reg,
			   u32 value)
{
	steps_add(list, (struct gpubp_amd_step){
		.kind = kind, .reg = reg, .value = value });
}

static bool gen_has_scalar(const struct gpubp_amd_gen *gen)
{
	return gen->reg[AMD_SQ_CNTL].name;
}

/** gpubp_amd_granule() - smallest block that a comparator can match */
u32 gpubp_amd_granule(const struct gpubp_amd_gen *gen)
{
	return 1U << __ffs(gen->field[AMD_F_TCP_ADDR_L]);
}

/** gpubp_amd_max_block() - largest block, by the width of MASK */
u64 gpubp_amd_max_block(const struct gpubp_amd_gen *gen)
{
	return (u64)gpubp_amd_granule(gen) <<
	       hweight32(gen->field[AMD_F_TCP_MASK]);
}

/**
 * gpubp_amd_exceptions() - GPUBP_EXC_* that can be enabled
 * @gen: generation
 * @ip_version: of the graphics core
 *
 * Illegal instructions always trap. Generations without control words share one
 * exception mask between all processes: only comparators, which match one
 * process, may be enabled there.
 */
u32 gpubp_amd_exceptions(const struct gpubp_amd_gen *gen, u32 ip_version)
{
	u32 exceptions = GPUBP_EXC_ILLEGAL;
	unsigned int i;

	if (!gen->banked)
		return exceptions;
	for (i = 0; i < ARRAY_SIZE(excp_bits); i++)
		exceptions |= excp_bits[i].gpubp;
	if (gen->field[AMD_F_VMID_START] && ip_version >= gen->wave_traps_from)
		exceptions |= GPUBP_EXC_WAVE_START | GPUBP_EXC_WAVE_END;
	return exceptions;
}

/* MASK begins at the granule's bit, the lowest one that is compared */
static u32 watch_mask_field(u32 field, u32 addr_l, u64 mask)
{
	return gpubp_amd_put(field, mask >> __ffs(addr_l));
}

/** gpubp_amd_tcp_cntl() - TCP_WATCHn_CNTL of a valid comparator */
u32 gpubp_amd_tcp_cntl(const struct gpubp_amd_gen *gen,
		       const struct gpubp_amd_watch *watch)
{
	const u32 *f = gen->field;

	return watch_mask_field(f[AMD_F_TCP_MASK], f[AMD_F_TCP_ADDR_L],
				watch->mask) |
	       gpubp_amd_put(f[AMD_F_TCP_VMID], watch->vmid) |
	       gpubp_amd_put(f[AMD_F_TCP_MODE], watch->mode) |
	       f[AMD_F_TCP_VALID];
}

static u32 watch_sq_cntl(const struct gpubp_amd_gen *gen,
			 const struct gpubp_amd_watch *watch)
{
	const u32 *f = gen->field;

	return watch_mask_field(f[AMD_F_SQ_MASK], f[AMD_F_SQ_ADDR_L],
				watch->mask) |
	       gpubp_amd_put(f[AMD_F_SQ_VMID], watch->vmid) |
	       gpubp_amd_put(f[AMD_F_SQ_MODE], watch->mode) | f[AMD_F_SQ_VALID];
}

static u32 traps_excp_en(const struct gpubp_amd_traps *traps)
{
	u32 bits = traps->watch ? EXCP_WATCH : 0;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(excp_bits); i++)
		if (traps->exceptions & excp_bits[i].gpubp)
			bits |= excp_bits[i].hw;
	return bits;
}

/**
 * gpubp_amd_trap_cntl() - trap bits of SPI_GDBG_PER_VMID_CNTL
 * @gen: generation
 * @traps: in addition to those that a wave's own program enables, so
 *	EXCP_REPLACE is 0
 */
u32 gpubp_amd_trap_cntl(const struct gpubp_amd_gen *gen,
			const struct gpubp_amd_traps *traps)
{
	const u32 *f = gen->field;
	u32 word = f[AMD_F_VMID_TRAP_EN];

	word |= gpubp_amd_put(f[AMD_F_VMID_EXCP_EN], traps_excp_en(traps));
	if (traps->exceptions & GPUBP_EXC_WAVE_START)
		word |= f[AMD_F_VMID_START];
	if (traps->exceptions & GPUBP_EXC_WAVE_END)
		word |= f[AMD_F_VMID_END];
	return word;
}

/** gpubp_amd_watch_clear() - disable a comparator; appends to @list */
void gpubp_amd_watch_clear(const struct gpubp_amd_gen *gen, unsigned int slot,
			   struct gpubp_amd_steps *list)
{
	steps_add_write(list, AMD_TCP_CNTL, slot, 0);
	if (gen_has_scalar(gen))
		steps_add_write(list, AMD_SQ_CNTL, slot, 0);
}

/** gpubp_amd_watch_address() - set the address of an invalid comparator */
void gpubp_amd_watch_address(const struct gpubp_amd_gen *gen,
			     unsigned int slot, u64 value,
			     struct gpubp_amd_steps *list)
{
	const u32 *f = gen->field;

	steps_add_write(list, AMD_TCP_ADDR_H, slot,
			upper_32_bits(value) & f[AMD_F_TCP_ADDR_H]);
	steps_add_write(list, AMD_TCP_ADDR_L, slot,
			lower_32_bits(value) & f[AMD_F_TCP_ADDR_L]);
	if (!gen_has_scalar(gen))
		return;
	steps_add_write(list, AMD_SQ_ADDR_H, slot,
			upper_32_bits(value) & f[AMD_F_SQ_ADDR_H]);
	steps_add_write(list, AMD_SQ_ADDR_L, slot,
			lower_32_bits(value) & f[AMD_F_SQ_ADDR_L]);
}

/** gpubp_amd_watch_validate() - enable a comparator, if firmware does not */
void gpubp_amd_watch_validate(const struct gpubp_amd_gen *gen,
			      unsigned int slot,
			      const struct gpubp_amd_watch *watch,
			      struct gpubp_amd_steps *list)
{
	steps_add_write(list, AMD_TCP_CNTL, slot,
			gpubp_amd_tcp_cntl(gen, watch));
	if (gen_has_scalar(gen))
		steps_add_write(list, AMD_SQ_CNTL, slot,
				watch_sq_cntl(gen, watch));
}

/** gpubp_amd_handler() - set the trap handler of a VMID */
void gpubp_amd_handler(const struct gpubp_amd_gen *gen, unsigned int vmid,
		       u64 tba, u64 tma, struct gpubp_amd_steps *list)
{
	steps_add_step(list, AMD_SELECT, 0, vmid);
	steps_add_write(list, AMD_TBA_LO, 0, lower_32_bits(tba >> 8));
	steps_add_write(list, AMD_TBA_HI, 0,
			upper_32_bits(tba >> 8) |
				gen->field[AMD_F_TBA_TRAP_EN]);
	steps_add_write(list, AMD_TMA_LO, 0, lower_32_bits(tma >> 8));
	steps_add_write(list, AMD_TMA_HI, 0, upper_32_bits(tma >> 8));
	steps_add_step(list, AMD_SELECT, 0, 0);
}

/*
 * SPI settings take effect for waves whose launch begins later. To know which
 * waves these are, launches are stalled during the change, and launches in
 * progress are waited for. As in amdgpu, clearing the stall clears it for all
 * VMIDs: only one VMID is debugged.
 */
static void steps_set_stall(const struct gpubp_amd_gen *gen, unsigned int vmid,
			    bool stall, struct gpubp_amd_steps *list)
{
	const u32 *f = gen->field;

	if (gen->stall_all)
		steps_add_update(list, AMD_WAVE_CNTL, f[AMD_F_STALL_RA],
				 stall ? f[AMD_F_STALL_RA] : 0);
	else
		steps_add_update(list, AMD_WAVE_CNTL, f[AMD_F_STALL_VMID],
				 gpubp_amd_put(f[AMD_F_STALL_VMID],
					       stall ? BIT(vmid) : 0));
	if (stall)
		steps_add_step(list, AMD_READ, AMD_WAVE_CNTL, gen->drain_reads);
}

/** gpubp_amd_trap_config() - let waves of a VMID trap, after GFXOFF lost it */
void gpubp_amd_trap_config(const struct gpubp_amd_gen *gen, unsigned int vmid,
			   struct gpubp_amd_steps *list)
{
	const u32 *f = gen->field;

	steps_set_stall(gen, vmid, true, list);
	steps_add_write(list, AMD_TRAP_CONFIG, 0,
			gpubp_amd_put(f[AMD_F_CONFIG_VMIDS], BIT(vmid)) |
			f[AMD_F_CONFIG_TRAP_EN]);
	steps_add_write(list, AMD_TRAP_DATA0, 0, 0);
	steps_add_write(list, AMD_TRAP_DATA1, 0, 0);
	steps_set_stall(gen, vmid, false, list);
}

/** gpubp_amd_trap_reset() - disable all traps that programs did not enable */
void gpubp_amd_trap_reset(const struct gpubp_amd_gen *gen, unsigned int vmid,
			  struct gpubp_amd_steps *list)
{
	steps_set_stall(gen, vmid, true, list);
	steps_add_write(list, AMD_TRAP_MASK, 0, 0);
	steps_set_stall(gen, vmid, false, list);
}

/** gpubp_amd_trap_watch() - let waves of all VMIDs trap on a comparator */
void gpubp_amd_trap_watch(const struct gpubp_amd_gen *gen, unsigned int vmid,
			  bool watch, struct gpubp_amd_steps *list)
{
	const u32 *f = gen->field;
	u32 bit = gpubp_amd_put(f[AMD_F_MASK_EXCP_EN], EXCP_WATCH);

	steps_add_step(list, AMD_SAVE, AMD_WAVE_CNTL, 0);
	steps_set_stall(gen, vmid, true, list);
	steps_add_update(list, AMD_TRAP_MASK, bit | f[AMD_F_MASK_REPLACE],
			 watch ? bit : 0);
	steps_add_step(list, AMD_RESTORE, AMD_WAVE_CNTL, 0);
}
