/* SPDX-License-Identifier: GPL-2.0 */
/* Saved queues: what firmware left in the descriptor of a queue. Pure. */
#ifndef _GPUBP_PROVIDERS_AMDGPU_SAVED_H
#define _GPUBP_PROVIDERS_AMDGPU_SAVED_H

#include <linux/types.h>

/**
 * struct gpubp_amd_saved - control stack of a queue that is off the GPU
 * @size: bytes of the stack; 0: waves are not saved, they end before
 * @offset: of its newest entry; @size if the stack is empty
 */
struct gpubp_amd_saved {
	u32 size;
	u32 offset;
};

bool gpubp_amd_saved_waves(const struct gpubp_amd_saved *saved);

#endif /* _GPUBP_PROVIDERS_AMDGPU_SAVED_H */
