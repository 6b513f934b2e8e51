// SPDX-License-Identifier: GPL-2.0
#include "item.h"

#define WAVE_LANES	64

bool item_of(uint32_t item[3], const struct grun_code *code, const char *name,
	     const struct gpubp_hit_record *rec)
{
	const struct grun_kernel *kernel = grun_code_find(code, name);
	const uint32_t *size;
	unsigned int lane;

	if (!kernel || !kernel->required[0] || !rec->lanes ||
	    !(rec->flags & GPUBP_HIT_COORDS))
		return false;
	size = kernel->required;
	lane = rec->wave_in_group * WAVE_LANES +
	       (unsigned int)__builtin_ctzll(rec->lanes);
	item[0] = rec->wg_x * size[0] + lane % size[0];
	item[1] = rec->wg_y * size[1] + lane / size[0] % size[1];
	item[2] = rec->wg_z * size[2] + lane / size[0] / size[1];
	return true;
}
