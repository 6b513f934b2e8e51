/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Traces of register accesses: what amdgpu's own functions do, and what ours
 * do, on a device that is nothing but a struct.
 */
#ifndef _AMDGPU_TRACE_H
#define _AMDGPU_TRACE_H

#include "../../../kernel/gpubp/providers/amdgpu/program.h"

#define TRACE_MAX	512
#define TRACE_NR_XCC	2

struct amdgpu_device;

/**
 * enum trace_kind - what happened
 * @TRACE_WRITE: @value to @reg
 * @TRACE_READ: @reg, @value times in a row
 * @TRACE_SELECT: VMID @value
 * @TRACE_RETURN: a function returned @value: a control word
 * @TRACE_DECODED: @value was taken out of an interrupt
 */
enum trace_kind {
	TRACE_WRITE,
	TRACE_READ,
	TRACE_SELECT,
	TRACE_RETURN,
	TRACE_DECODED,
};

/* locks held, trace_entry.locks */
#define TRACE_SRBM	1
#define TRACE_GRBM	2

struct trace_entry {
	u8 kind;
	u8 locks;
	u8 xcc;
	u8 vmid;		/* selected */
	u32 reg;
	u32 value;
};

struct trace {
	unsigned int nr;
	bool overflow;
	struct trace_entry entry[TRACE_MAX];
};

struct amdgpu_device *trace_device_create(const struct gpubp_amd_gen *gen,
					  u32 ip_version);
void trace_device_destroy(struct amdgpu_device *adev);

void trace_begin(struct trace *trace, u32 fill);
void trace_return(u32 value);
void trace_decoded(u32 pasid, u32 doorbell, u64 code);
void trace_end(void);

const char *trace_name(const struct gpubp_amd_gen *gen,
		       const struct trace_entry *entry, unsigned int *slot);

#endif /* _AMDGPU_TRACE_H */
