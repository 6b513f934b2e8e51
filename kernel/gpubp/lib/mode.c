// SPDX-License-Identifier: GPL-2.0
/* Modes: see mode.h. */
#include <linux/bitops.h>
#include <linux/errno.h>
#include <linux/kernel.h>

#include <uapi/linux/gpubp.h>

#include "mode.h"

static const u8 mode_accesses[] = {
	[GPUBP_MODE_READ]	= GPUBP_ACCESS_LOAD,
	[GPUBP_MODE_NONREAD]	= GPUBP_ACCESS_STORE | GPUBP_ACCESS_ATOMIC,
	[GPUBP_MODE_ATOMIC]	= GPUBP_ACCESS_ATOMIC,
	[GPUBP_MODE_ALL]	= GPUBP_ACCESS_LOAD | GPUBP_ACCESS_STORE |
				  GPUBP_ACCESS_ATOMIC,
};

/**
 * gpubp_mode_accesses() - what a mode sees
 * @mode: mode
 *
 * Return: GPUBP_ACCESS_* it matches.
 */
u8 gpubp_mode_accesses(enum gpubp_mode mode)
{
	return mode_accesses[mode];
}

/**
 * gpubp_mode_for() - the mode that sees these accesses and the least others
 * @accesses: GPUBP_ACCESS_*
 * @modes: bitmap of enum gpubp_mode to choose from
 *
 * Return: enum gpubp_mode, -EINVAL (no access, or undefined bits) or
 * -EOPNOTSUPP (no such mode).
 */
int gpubp_mode_for(u8 accesses, u32 modes)
{
	int best = -EOPNOTSUPP;
	unsigned int mode;

	if (!accesses || (accesses & ~mode_accesses[GPUBP_MODE_ALL]))
		return -EINVAL;
	for (mode = 0; mode < ARRAY_SIZE(mode_accesses); mode++) {
		if (!(modes & BIT(mode)) || (accesses & ~mode_accesses[mode]))
			continue;
		if (best < 0 || hweight8(mode_accesses[mode]) <
				hweight8(mode_accesses[best]))
			best = mode;
	}
	return best;
}

/**
 * gpubp_mode_union() - the mode of a slot that serves two watches
 * @a: mode of one
 * @b: mode of the other
 * @modes: bitmap of enum gpubp_mode that the device has
 *
 * Return: enum gpubp_mode or -EOPNOTSUPP.
 */
int gpubp_mode_union(enum gpubp_mode a, enum gpubp_mode b, u32 modes)
{
	return gpubp_mode_for(mode_accesses[a] | mode_accesses[b],
			      modes | BIT(a) | BIT(b));
}
