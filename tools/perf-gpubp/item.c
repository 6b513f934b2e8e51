// SPDX-License-Identifier: GPL-2.0
#include <string.h>
#include "item.h"
#include "launches.h"

#define WAVE_LANES	64

/* of the launch; that of the code must be the same */
static const uint32_t *workgroup_of(const struct launch *launch,
				    const struct grun_kernel *kernel)
{
	const uint32_t *required = kernel && kernel->required[0] ? kernel->required : NULL;

	if (!launch)
		return required;
	return !required || !memcmp(required, launch->workgroup, sizeof(launch->workgroup)) ?
	       launch->workgroup : NULL;
}

/* where a workgroup begins, and its own size: it is cut at the end of the grid */
static bool workgroup_cut(uint64_t start[3], uint32_t size[3], const uint32_t workgroup[3],
			  const struct launch *launch, const struct gpubp_hit_record *rec)
{
	const uint32_t at[3] = { rec->wg_x, rec->wg_y, rec->wg_z };
	unsigned int i;

	for (i = 0; i < 3; i++) {
		start[i] = (uint64_t)at[i] * workgroup[i];
		size[i] = workgroup[i];
		if (!launch)
			continue;
		if (start[i] >= launch->grid[i])
			return false;
		if (launch->grid[i] - start[i] < size[i])
			size[i] = (uint32_t)(launch->grid[i] - start[i]);
	}
	return true;
}

/* lanes are numbered in the workgroup as it is cut, as rocgdb has it, too */
bool item_of(uint32_t item[3], const struct launch *launch,
	     const struct grun_kernel *kernel, const struct gpubp_hit_record *rec)
{
	const uint32_t *workgroup = workgroup_of(launch, kernel);
	uint64_t start[3];
	uint32_t size[3], lane;

	if (!workgroup || !rec->lanes || !(rec->flags & GPUBP_HIT_COORDS) ||
	    !workgroup_cut(start, size, workgroup, launch, rec))
		return false;
	lane = rec->wave_in_group * WAVE_LANES + (uint32_t)__builtin_ctzll(rec->lanes);
	if (lane / size[0] / size[1] >= size[2])
		return false;
	item[0] = (uint32_t)start[0] + lane % size[0];
	item[1] = (uint32_t)start[1] + lane / size[0] % size[1];
	item[2] = (uint32_t)start[2] + lane / size[0] / size[1];
	return true;
}
