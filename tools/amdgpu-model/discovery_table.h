/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The discovery table at the end of VRAM: which IP blocks a GPU has, their versions,
 * and where their registers are.
 */
#ifndef AMDGPU_MODEL_DISCOVERY_TABLE_H
#define AMDGPU_MODEL_DISCOVERY_TABLE_H

#include "memory.h"
#include "personality.h"

/** discovery_table_write() - that of @personality, if it has one */
void discovery_table_write(struct memory *mem, const struct personality *personality);

#endif /* AMDGPU_MODEL_DISCOVERY_TABLE_H */
