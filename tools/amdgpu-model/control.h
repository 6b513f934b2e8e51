/* SPDX-License-Identifier: GPL-2.0 */
/* What a test in the guest asks the model for, see control_registers.h. */
#ifndef AMDGPU_MODEL_CONTROL_H
#define AMDGPU_MODEL_CONTROL_H

#include "control_registers.h"
#include "engine.h"
#include "sq.h"

/**
 * struct control - their values
 * @value: what was written
 * @error: of the last CONTROL_STOP
 */
struct control {
	uint32_t value[CONTROL_NR];
	uint32_t error;
};

/** control_has() - whether the register at @index is one of these */
static inline bool control_has(uint32_t index)
{
	return index >= CONTROL_BASE && index < CONTROL_BASE + CONTROL_NR;
}

/** control_read() - register at @index */
uint32_t control_read(const struct control *control, const struct engine *e,
		      const struct sq *sq, uint32_t index);

/** control_write() - same */
void control_write(struct control *control, struct engine *e, struct sq *sq,
		   uint32_t index, uint32_t value);

#endif /* AMDGPU_MODEL_CONTROL_H */
