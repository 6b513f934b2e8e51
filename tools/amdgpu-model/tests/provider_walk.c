// SPDX-License-Identifier: GPL-2.0
#include "area.h"
#include "provider_walk.h"

unsigned int provider_walk(uint64_t base, uint32_t size, const uint32_t *stack,
			   uint32_t stack_size, uint32_t stack_offset,
			   uint32_t state_offset, struct walked *out, unsigned int max)
{
	const struct gpubp_amd_area area = {
		.base = base, .size = size, .stack_size = stack_size,
		.stack_offset = stack_offset, .state_offset = state_offset,
	};
	struct gpubp_amd_record rec;
	struct gpubp_amd_walk walk;
	unsigned int nr = 0;

	if (!gpubp_amd_walk_begin(&walk, &area, stack))
		return 0;
	while (nr < max && gpubp_amd_walk_next(&walk, &rec))
		out[nr++] = (struct walked){
			.at = rec.at, .accs = rec.at + rec.acc_offset * 256,
			.hwregs = gpubp_amd_record_tail(&rec),
		};
	return nr;
}
