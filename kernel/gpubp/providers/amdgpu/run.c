// SPDX-License-Identifier: GPL-2.0
/* Execution of register programs. */
#include "amdgpu.h"

#include "run.h"

/*
 * 1. adev->srbm_mutex: selects the VMID of banked registers
 * 2. adev->grbm_idx_mutex: SPI's stall, and the waves that SQ_CMD addresses; and
 *    all else that has to reach all of the GPU, as its holder may have selected a
 *    shader engine. (amdgpu writes comparators without.)
 *
 * in this order, as in amdgpu. A list needs one of them.
 */
static struct mutex *steps_lock(struct amdgpu_device *adev,
				const struct gpubp_amd_steps *list)
{
	unsigned int i;

	for (i = 0; i < list->nr; i++)
		if (list->step[i].kind == AMD_SELECT)
			return &adev->srbm_mutex;
	return &adev->grbm_idx_mutex;
}

static u32 step_reg_address(struct amdgpu_device *adev,
			    const struct gpubp_amd_gen *gen, unsigned int xcc,
			    const struct gpubp_amd_step *step)
{
	const struct gpubp_amd_reg *reg = &gen->reg[step->reg];

	return adev->reg_offset[GC_HWIP][GET_INST(GC, xcc)][reg->base] +
	       reg->offset + step->slot * gen->stride;
}

static u32 reg_read_times(struct amdgpu_device *adev, unsigned int xcc, u32 reg,
			  u32 times)
{
	u32 value = 0;

	while (times--)
		value = RREG32_XCC(reg, xcc);
	return value;
}

static void step_run(struct amdgpu_device *adev,
		     const struct gpubp_amd_gen *gen, unsigned int xcc,
		     const struct gpubp_amd_step *step, u32 *saved)
{
	u32 reg = step_reg_address(adev, gen, xcc, step);
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
		reg_read_times(adev, xcc, reg, step->value);
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
 * gpubp_amd_run() - execute a register program
 * @adev: device, its graphics core powered (amdgpu_gfx_off_ctrl())
 * @gen: its generation
 * @xcc: graphics core
 * @list: program; if it selects a VMID, it ends by selecting none
 */
void gpubp_amd_run(struct amdgpu_device *adev, const struct gpubp_amd_gen *gen,
		   unsigned int xcc, const struct gpubp_amd_steps *list)
{
	struct mutex *lock = steps_lock(adev, list);
	unsigned int i;
	u32 saved = 0;

	mutex_lock(lock);
	for (i = 0; i < list->nr; i++)
		step_run(adev, gen, xcc, &list->step[i], &saved);
	mutex_unlock(lock);
}
