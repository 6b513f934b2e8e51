/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Context save area of a queue on gfx90a: which waves are in it, and where their
 * registers are. Pure.
 *
 * Firmware pushes words on a control stack as it saves workgroups, and amdkfd's trap
 * handler (cwsr_trap_handler_gfx9.asm) stores a record of each wave. The stack grows
 * down, behind the descriptor of the queue; the records grow up, in memory of the
 * process. So the first word belongs to the last record.
 */
#ifndef _GPUBP_PROVIDERS_AMDGPU_AREA_H
#define _GPUBP_PROVIDERS_AMDGPU_AREA_H

#include <linux/gpubp.h>
#include <linux/types.h>

/* values of a record behind its scalar registers, and those that are in front */
#define GPUBP_AMD_RECORD_HWREGS	16
#define GPUBP_AMD_RECORD_TTMPS	16
#define GPUBP_AMD_RECORD_TAIL	(GPUBP_AMD_RECORD_HWREGS + GPUBP_AMD_RECORD_TTMPS)

/* numbers of control registers */
enum gpubp_amd_control {
	GPUBP_AMD_CONTROL_MODE		= 1,
	GPUBP_AMD_CONTROL_STATUS	= 2,
	GPUBP_AMD_CONTROL_TRAPSTS	= 3,
	GPUBP_AMD_CONTROL_GPR_ALLOC	= 5,
	GPUBP_AMD_CONTROL_LDS_ALLOC	= 6,
	GPUBP_AMD_CONTROL_PC_LO		= 8,
	GPUBP_AMD_CONTROL_PC_HI		= 9,
};

/* scalar registers of a wave's own; ttmps and others are behind them */
#define GPUBP_AMD_SGPRS		108

/* of a record's tail */
enum gpubp_amd_hwreg {
	GPUBP_AMD_HWREG_M0,
	GPUBP_AMD_HWREG_PC_LO,
	GPUBP_AMD_HWREG_PC_HI,
	GPUBP_AMD_HWREG_EXEC_LO,
	GPUBP_AMD_HWREG_EXEC_HI,
	GPUBP_AMD_HWREG_STATUS,
	GPUBP_AMD_HWREG_TRAPSTS,
	GPUBP_AMD_HWREG_XNACK_LO,
	GPUBP_AMD_HWREG_XNACK_HI,
	GPUBP_AMD_HWREG_MODE,
};

/**
 * struct gpubp_amd_area - of a queue that is off the GPU
 * @base: address in the process's space
 * @size: bytes there
 * @stack_size: bytes of the control stack
 * @stack_offset: of its newest word
 * @state_offset: behind the newest record, from @base
 */
struct gpubp_amd_area {
	u64 base;
	u32 size;
	u32 stack_size;
	u32 stack_offset;
	u32 state_offset;
};

/**
 * struct gpubp_amd_record - where a wave is
 * @at: address of its record
 * @nr_vgprs: vector registers, with accumulation registers
 * @acc_offset: number of the first of these
 * @nr_sgprs: scalar registers
 * @lds_bytes: LDS of its workgroup, in the record of the first wave
 */
struct gpubp_amd_record {
	u64 at;
	u16 nr_vgprs;
	u16 acc_offset;
	u16 nr_sgprs;
	u32 lds_bytes;
};

/**
 * struct gpubp_amd_walk - over an area
 * @stack: control stack, from its lowest address on
 * @next: offset of the next word
 * @end: behind the last word
 * @base: of the area
 * @bottom: the first record begins here, from @base
 * @state: what is left of the records ends here, from @base
 * @shape: of the waves that follow
 * @has_shape: it is known
 */
struct gpubp_amd_walk {
	const u32 *stack;
	u32 next;
	u32 end;
	u64 base;
	u32 bottom;
	u32 state;
	struct gpubp_amd_record shape;
	bool has_shape;
};

bool gpubp_amd_walk_begin(struct gpubp_amd_walk *walk,
			  const struct gpubp_amd_area *area, const u32 *stack);
bool gpubp_amd_walk_next(struct gpubp_amd_walk *walk, struct gpubp_amd_record *rec);
u64 gpubp_amd_record_tail(const struct gpubp_amd_record *rec);
s32 gpubp_amd_record_offset(const struct gpubp_amd_record *rec, u8 file, unsigned int reg);
u32 gpubp_amd_record_gpr_alloc(const struct gpubp_amd_record *rec);
struct gpubp_amd_record gpubp_amd_record_of_alloc(u32 gpr_alloc);
u32 gpubp_amd_record_lds_alloc(const struct gpubp_amd_record *rec);

#endif /* _GPUBP_PROVIDERS_AMDGPU_AREA_H */
