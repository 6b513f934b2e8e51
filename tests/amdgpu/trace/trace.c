// SPDX-License-Identifier: GPL-2.0
/* The device that is none: registers that record who reads and writes them. */
#include <linux/slab.h>

#include "amdgpu.h"
#include "kfd_debug.h"

#include "trace.h"

#define NR_SEGMENTS	8
#define SEGMENT_SIZE	0x10000	/* dwords: more than any offset */
#define NR_STORED	32

/* what a register holds until it is written: set by trace_begin() */
static struct {
	struct trace *trace;
	u32 fill;
	u8 vmid;
	unsigned int nr;
	struct {
		u32 reg;
		u32 value;
	} stored[NR_STORED];
} state;

static u32 segments[TRACE_NR_XCC][NR_SEGMENTS];
static struct amdgpu_gfx_funcs gfx_funcs;

static u8 locks_held(struct amdgpu_device *adev)
{
	return (mutex_is_locked(&adev->srbm_mutex) ? TRACE_SRBM : 0) |
	       (mutex_is_locked(&adev->grbm_idx_mutex) ? TRACE_GRBM : 0);
}

static void record(struct amdgpu_device *adev, u8 kind, u8 xcc, u32 reg,
		   u32 value)
{
	struct trace *trace = state.trace;
	struct trace_entry entry = {
		.kind = kind, .xcc = xcc, .reg = reg, .value = value,
		.vmid = state.vmid, .locks = adev ? locks_held(adev) : 0,
	};
	struct trace_entry *last;

	if (!trace)
		return;
	last = trace->nr ? &trace->entry[trace->nr - 1] : NULL;
	if (kind == TRACE_READ && last && last->kind == TRACE_READ &&
	    last->reg == reg) {
		last->value++;
		return;
	}
	if (trace->nr == TRACE_MAX) {
		trace->overflow = true;
		return;
	}
	trace->entry[trace->nr++] = entry;
}

static u32 *stored(u32 reg)
{
	unsigned int i;

	for (i = 0; i < state.nr; i++)
		if (state.stored[i].reg == reg)
			return &state.stored[i].value;
	if (WARN_ON(i == NR_STORED))
		i--;
	else
		state.nr++;
	state.stored[i].reg = reg;
	state.stored[i].value = state.fill;
	return &state.stored[i].value;
}

static u8 xcc_of(u32 reg)
{
	return reg / (NR_SEGMENTS * SEGMENT_SIZE) % TRACE_NR_XCC;
}

static void write_reg(struct amdgpu_device *adev, u32 reg, u32 value)
{
	*stored(reg) = value;
	record(adev, TRACE_WRITE, xcc_of(reg), reg, value);
}

static u32 read_reg(struct amdgpu_device *adev, u32 reg)
{
	record(adev, TRACE_READ, xcc_of(reg), reg, 1);
	return *stored(reg);
}

static void select_vmid(struct amdgpu_device *adev, u32 vmid, u32 xcc)
{
	state.vmid = vmid;
	record(adev, TRACE_SELECT, xcc, 0, vmid);
}

/* ---- what amdgpu's objects and run.c call ------------------------------------ */

void amdgpu_device_wreg(struct amdgpu_device *adev, u32 reg, u32 v, u32 flags)
{
	write_reg(adev, reg, v);
}

u32 amdgpu_device_rreg(struct amdgpu_device *adev, u32 reg, u32 flags)
{
	return read_reg(adev, reg);
}

void amdgpu_device_xcc_wreg(struct amdgpu_device *adev, u32 reg, u32 v,
			    u32 flags, u32 xcc)
{
	WARN_ON(xcc != xcc_of(reg));
	write_reg(adev, reg, v);
}

u32 amdgpu_device_xcc_rreg(struct amdgpu_device *adev, u32 reg, u32 flags,
			   u32 xcc)
{
	WARN_ON(xcc != xcc_of(reg));
	return read_reg(adev, reg);
}

void soc15_grbm_select(struct amdgpu_device *adev, u32 me, u32 pipe, u32 queue,
		       u32 vmid, int xcc);
void soc15_grbm_select(struct amdgpu_device *adev, u32 me, u32 pipe, u32 queue,
		       u32 vmid, int xcc)
{
	select_vmid(adev, vmid, xcc);
}

void nv_grbm_select(struct amdgpu_device *adev, u32 me, u32 pipe, u32 queue,
		    u32 vmid);
void nv_grbm_select(struct amdgpu_device *adev, u32 me, u32 pipe, u32 queue,
		    u32 vmid)
{
	select_vmid(adev, vmid, 0);
}

bool kfd_set_dbg_ev_from_interrupt(struct kfd_node *node, unsigned int pasid,
				   u32 doorbell, u64 code,
				   void *data, size_t size)
{
	trace_decoded(pasid, doorbell, code);
	return true;
}

static void select_me_pipe_q(struct amdgpu_device *adev, u32 me, u32 pipe,
			     u32 queue, u32 vmid, u32 xcc)
{
	select_vmid(adev, vmid, xcc);
}

/* ---- device --------------------------------------------------------------------- */

/** trace_device_create() - a device of one generation; NULL: no memory */
struct amdgpu_device *trace_device_create(const struct gpubp_amd_gen *gen,
					  u32 ip_version)
{
	struct amdgpu_device *adev = kvzalloc(sizeof(*adev), GFP_KERNEL);
	unsigned int xcc, i;

	if (!adev)
		return NULL;
	mutex_init(&adev->srbm_mutex);
	mutex_init(&adev->grbm_idx_mutex);
	for (xcc = 0; xcc < TRACE_NR_XCC; xcc++) {
		for (i = 0; i < NR_SEGMENTS; i++)
			segments[xcc][i] =
				(xcc * NR_SEGMENTS + i) * SEGMENT_SIZE;
		adev->reg_offset[GC_HWIP][xcc] = segments[xcc];
	}
	adev->ip_versions[GC_HWIP][0] = ip_version;
	gfx_funcs.select_me_pipe_q = select_me_pipe_q;
	adev->gfx.funcs = &gfx_funcs;
	return adev;
}

void trace_device_destroy(struct amdgpu_device *adev)
{
	kvfree(adev);
}

/**
 * trace_begin() - record from here on
 * @trace: where
 * @fill: what every register holds
 */
void trace_begin(struct trace *trace, u32 fill)
{
	trace->nr = 0;
	trace->overflow = false;
	memset(&state, 0, sizeof(state));
	state.fill = fill;
	state.trace = trace;
}

/** trace_return() - a function returned a control word */
void trace_return(u32 value)
{
	record(NULL, TRACE_RETURN, 0, 0, value);
}

/** trace_decoded() - what an interrupt told */
void trace_decoded(u32 pasid, u32 doorbell, u64 code)
{
	record(NULL, TRACE_DECODED, 0, 0, pasid);
	record(NULL, TRACE_DECODED, 0, 0, doorbell);
	record(NULL, TRACE_DECODED, 0, 0, lower_32_bits(code));
	record(NULL, TRACE_DECODED, 0, 0, upper_32_bits(code));
}

void trace_end(void)
{
	state.trace = NULL;
}

static bool is_watch(unsigned int reg)
{
	return reg <= AMD_SQ_CNTL;
}

/**
 * trace_name() - which register an entry is about
 * @gen: generation
 * @entry: the entry
 * @slot: number of the comparator, if it is one's
 *
 * Return: its name, NULL if it is none of those that we know.
 */
const char *trace_name(const struct gpubp_amd_gen *gen,
		       const struct trace_entry *entry, unsigned int *slot)
{
	u32 reg = entry->reg % (NR_SEGMENTS * SEGMENT_SIZE);
	unsigned int i;

	for (i = 0; i < AMD_NR_REGS; i++) {
		const struct gpubp_amd_reg *r = &gen->reg[i];
		u32 first = r->base * SEGMENT_SIZE + r->offset;

		if (!r->name)
			continue;
		for (*slot = 0; *slot < GPUBP_AMD_NR_SLOTS; ++*slot) {
			if (reg == first + *slot * gen->stride)
				return r->name;
			if (!is_watch(i))
				break;
		}
	}
	return NULL;
}
