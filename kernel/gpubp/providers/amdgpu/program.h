/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Register programs: lists of register accesses, as data.
 *
 * Pure: functions from a generation and settings to a list. run.c executes
 * lists; tests/amdgpu compares their traces with those of amdgpu's own
 * functions.
 */
#ifndef _GPUBP_PROVIDERS_AMDGPU_PROGRAM_H
#define _GPUBP_PROVIDERS_AMDGPU_PROGRAM_H

#include <linux/gpubp.h>

#include "regs.h"

#define GPUBP_AMD_NR_SLOTS	4
#define GPUBP_AMD_MAX_STEPS	32

/**
 * enum gpubp_amd_step_kind - what a step does
 * @AMD_WRITE: write @value
 * @AMD_UPDATE: replace the bits of @mask by those of @value
 * @AMD_READ: read @value times, as a delay
 * @AMD_SAVE: save the register's value
 * @AMD_RESTORE: write the saved value
 * @AMD_SELECT: select banked registers of VMID @value
 */
enum gpubp_amd_step_kind {
	AMD_WRITE,
	AMD_UPDATE,
	AMD_READ,
	AMD_SAVE,
	AMD_RESTORE,
	AMD_SELECT,
};

/**
 * struct gpubp_amd_step - a step of a register program
 * @kind: enum gpubp_amd_step_kind
 * @reg: enum gpubp_amd_reg_id
 * @slot: comparator, for its registers
 * @mask: bits that AMD_UPDATE replaces
 * @value: see the kinds
 */
struct gpubp_amd_step {
	u8 kind;
	u8 reg;
	u8 slot;
	u32 mask;
	u32 value;
};

/**
 * struct gpubp_amd_steps - a register program
 * @nr: entries of @step
 * @step: in order; every program of program.c fits
 */
struct gpubp_amd_steps {
	unsigned int nr;
	struct gpubp_amd_step step[GPUBP_AMD_MAX_STEPS];
};

/**
 * struct gpubp_amd_watch - the control word of a comparator
 * @mask: address bits compared
 * @mode: enum gpubp_mode
 * @vmid: VMID to match; 0 if firmware sets it
 */
struct gpubp_amd_watch {
	u64 mask;
	u8 mode;
	u8 vmid;
};

/**
 * struct gpubp_amd_traps - traps of waves that are launched from now on
 * @watch: comparators
 * @exceptions: GPUBP_EXC_*
 */
struct gpubp_amd_traps {
	bool watch;
	u32 exceptions;
};

static inline u32 gpubp_amd_put(u32 field, u32 value)
{
	return field ? (value << __builtin_ctz(field)) & field : 0;
}

u32 gpubp_amd_granule(const struct gpubp_amd_gen *gen);
u64 gpubp_amd_max_block(const struct gpubp_amd_gen *gen);
u32 gpubp_amd_exceptions(const struct gpubp_amd_gen *gen, u32 ip_version);

u32 gpubp_amd_tcp_cntl(const struct gpubp_amd_gen *gen,
		       const struct gpubp_amd_watch *watch);
u32 gpubp_amd_trap_cntl(const struct gpubp_amd_gen *gen,
			const struct gpubp_amd_traps *traps);

void gpubp_amd_watch_clear(const struct gpubp_amd_gen *gen, unsigned int slot,
			   struct gpubp_amd_steps *list);
void gpubp_amd_watch_address(const struct gpubp_amd_gen *gen,
			     unsigned int slot, u64 value,
			     struct gpubp_amd_steps *list);
void gpubp_amd_watch_validate(const struct gpubp_amd_gen *gen,
			      unsigned int slot,
			      const struct gpubp_amd_watch *watch,
			      struct gpubp_amd_steps *list);
void gpubp_amd_handler(const struct gpubp_amd_gen *gen, unsigned int vmid,
		       u64 tba, u64 tma, struct gpubp_amd_steps *list);
void gpubp_amd_trap_config(const struct gpubp_amd_gen *gen, unsigned int vmid,
			   struct gpubp_amd_steps *list);
void gpubp_amd_trap_reset(const struct gpubp_amd_gen *gen, unsigned int vmid,
			  struct gpubp_amd_steps *list);
void gpubp_amd_trap_watch(const struct gpubp_amd_gen *gen, unsigned int vmid,
			  bool watch, struct gpubp_amd_steps *list);

#endif /* _GPUBP_PROVIDERS_AMDGPU_PROGRAM_H */
