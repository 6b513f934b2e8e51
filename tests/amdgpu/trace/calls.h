/* SPDX-License-Identifier: GPL-2.0 */
/* The functions that are compared, with what inputs. */
#ifndef _AMDGPU_CALLS_H
#define _AMDGPU_CALLS_H

#include "trace.h"

struct kfd2kgd_calls;
struct kfd_event_interrupt_class;

/**
 * struct generation - what is compared with what
 * @gen: our registers
 * @kfd: amdgpu's functions
 * @interrupts: and those of amdkfd that take interrupts
 * @ip_version: of the device
 * @nr_xccs: graphics cores that are tried
 */
struct generation {
	const struct gpubp_amd_gen *gen;
	const struct kfd2kgd_calls *kfd;
	const struct kfd_event_interrupt_class *interrupts;
	u32 ip_version;
	u8 nr_xccs;
};

/**
 * struct input - arguments; each function uses some of them
 * @slot: comparator
 * @xcc: graphics core
 * @vmid: VMID
 * @mode: enum gpubp_mode
 * @address: compared address
 * @mask: as the KFD's user gives it
 * @tba: handler
 * @tma: its memory
 * @bits: KFD_DBG_TRAP_MASK_*
 * @cookie: context ids of an interrupt
 * @flag: restore registers, or keep traps
 * @fill: what registers hold before
 */
struct input {
	u8 slot;
	u8 xcc;
	u8 vmid;
	u8 mode;
	u64 address;
	u32 mask;
	u64 tba;
	u64 tma;
	u32 bits;
	u32 cookie[2];
	bool flag;
	u32 fill;
};

/**
 * struct call - a function
 * @name: its name in struct kfd2kgd_calls or kfd_event_interrupt_class
 * @exists: the generation has it
 * @input: write input number @n; false: there is none
 * @example: the input that the documentation shows
 * @theirs: call amdgpu's
 * @ours: do the same in our way
 */
struct call {
	const char *name;
	bool (*exists)(const struct generation *g);
	bool (*input)(const struct generation *g, unsigned int n,
		      struct input *in);
	struct input example;
	void (*theirs)(const struct generation *g, struct amdgpu_device *adev,
		       const struct input *in);
	void (*ours)(const struct generation *g, struct amdgpu_device *adev,
		     const struct input *in);
};

extern const struct call calls[];
extern const unsigned int nr_calls;

#endif /* _AMDGPU_CALLS_H */
