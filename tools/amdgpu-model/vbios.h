/* SPDX-License-Identifier: GPL-2.0 */
/* A synthetic VBIOS: the ATOM tables that amdgpu reads, and no code. */
#ifndef AMDGPU_MODEL_VBIOS_H
#define AMDGPU_MODEL_VBIOS_H

#include <stdint.h>

#include "personality.h"

#define VBIOS_SIZE	65536

/** vbios_build() - into @rom, of VBIOS_SIZE bytes */
void vbios_build(uint8_t *rom, const struct personality *personality);

#endif /* AMDGPU_MODEL_VBIOS_H */
