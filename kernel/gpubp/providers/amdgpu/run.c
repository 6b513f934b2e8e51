// SPDX-License-Identifier: GPL-2.0
/* Executes register programs. */
#include "amdgpu.h"

#include "run.h"

/*
 * 1. adev->srbm_mutex: which VMID's banked registers are meant
 * 2. adev->grbm_idx_mutex: SPI's stall, and which waves SQ_CMD means
 *
 * in this order, as amdgpu takes them. A list needs one of them or neither.
 */
static struct mutex *lock_of(struct amdgpu_device *adev,
			     const struct gpubp_amd_steps *list)
{
	unsigned int i;

	for (i = 0; i < list->nr; i++) {
		if (list->step[i].kind == AMD_SELECT)
			return &adev->srbm_mutex;
		if (list->step[i].reg >= AMD_WAVE_CNTL)
			return &adev->grbm_idx_mutex;
	}
	return NULL;
}

static u32 address(struct amdgpu_device *adev, const struct gpubp_amd_gen *gen,
		   unsigned int xcc, const struct gpubp_amd_step *step)
{
	const struct gpubp_amd_reg *reg = &gen->reg[step->reg];

	return adev->reg_offset[GC_HWIP][GET_INST(GC, xcc)][reg->base] +
	       reg->offset + step->slot * gen->stride;
}

static u32 read_times(struct amdgpu_device *adev, unsigned int xcc, u32 reg,
		      u32 times)
{
	u32 value = 0;

	while (times--)
		value = RREG32_XCC(reg, xcc);
	return value;
}

static void run_step(struct amdgpu_device *adev,
		     const struct gpubp_amd_gen *gen, unsigned int xcc,
		     const struct gpubp_amd_step *step, u32 *saved)
{
	u32 reg = address(adev, gen, xcc, step);
	u32 value;

	switch ((enum gpubp_amd_step_kind)step->kind) {
	case AMD_WRITE:
		WREG32_XCC(reg, step->value, xcc);
		break;
	case AMD_UPDATE:
		value = RREG32_XCC(reg, xcc) & ~step->mask;
		WREG32_XCC(reg, value | step->value, xcc);
		break;
	case AMD_READ:
		read_times(adev, xcc, reg, step->value);
		break;
	case AMD_SAVE:
		*saved = RREG32_XCC(reg, xcc);
		break;
	case AMD_RESTORE:
		WREG32_XCC(reg, *saved, xcc);
		break;
	case AMD_SELECT:
		amdgpu_gfx_select_me_pipe_q(adev, 0, 0, 0, step->value, xcc);
		break;
	}
}

/**
 * gpubp_amd_run() - do what a list says
 * @adev: device, its graphics core powered (amdgpu_gfx_off_ctrl())
 * @gen: its generation
 * @xcc: which of its graphics cores
 * @list: what; a list that selects a VMID selects none at its end
 */
void gpubp_amd_run(struct amdgpu_device *adev, const struct gpubp_amd_gen *gen,
		   unsigned int xcc, const struct gpubp_amd_steps *list)
{
	struct mutex *lock = lock_of(adev, list);
	unsigned int i;
	u32 saved = 0;

	if (lock)
		mutex_lock(lock);
	for (i = 0; i < list->nr; i++)
		run_step(adev, gen, xcc, &list->step[i], &saved);
	if (lock)
		mutex_unlock(lock);
}
