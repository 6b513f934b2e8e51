/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _GPUBP_PROVIDERS_AMDGPU_RUN_H
#define _GPUBP_PROVIDERS_AMDGPU_RUN_H

#include "program.h"

struct amdgpu_device;

void gpubp_amd_run(struct amdgpu_device *adev, const struct gpubp_amd_gen *gen,
		   unsigned int xcc, const struct gpubp_amd_steps *list);

#endif /* _GPUBP_PROVIDERS_AMDGPU_RUN_H */
