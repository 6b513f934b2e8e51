/* SPDX-License-Identifier: GPL-2.0 */
/* Fields of registers, by the names in amdgpu's *_sh_mask.h. */
#ifndef AMDGPU_MODEL_FIELD_H
#define AMDGPU_MODEL_FIELD_H

/** FIELD_GET() - value of a field */
#define FIELD_GET(value, reg, field) \
	(((value) & reg##__##field##_MASK) >> reg##__##field##__SHIFT)

/** FIELD_PUT() - a register with that field, and 0 otherwise */
#define FIELD_PUT(reg, field, value) \
	(((uint32_t)(value) << reg##__##field##__SHIFT) & reg##__##field##_MASK)

#endif /* AMDGPU_MODEL_FIELD_H */
