/* SPDX-License-Identifier: GPL-2.0 */
/* Packets of the command processor: where they end. Pure. */
#ifndef AMDGPU_MODEL_PM4_H
#define AMDGPU_MODEL_PM4_H

#include <stdint.h>

/* dwords of the longest packet without its header */
#define PM4_MAX_BODY	0x3fff

/** pm4_type() - 0 to 3 */
static inline unsigned int pm4_type(uint32_t header)
{
	return header >> 30;
}

/** pm4_opcode() - of type 3 */
static inline unsigned int pm4_opcode(uint32_t header)
{
	return header >> 8 & 0xff;
}

/**
 * pm4_body() - dwords behind the header
 *
 * Type 2 is a filler of one dword, and so is type 3 with the largest count. Type
 * 1 does not exist any more: it is a dword, too.
 */
static inline unsigned int pm4_body(uint32_t header)
{
	unsigned int count = header >> 16 & 0x3fff;

	if (pm4_type(header) == 0)
		return count == 0x3fff ? PM4_MAX_BODY : count + 1;
	return pm4_type(header) == 3 && count != 0x3fff ? count + 1 : 0;
}

#endif /* AMDGPU_MODEL_PM4_H */
