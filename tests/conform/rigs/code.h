/* SPDX-License-Identifier: GPL-2.0 */
/* gfx90a code for a list of accesses. */
#ifndef _GPUBP_CONFORM_CODE_H
#define _GPUBP_CONFORM_CODE_H

#include <linux/gpubp_conform.h>

#define RIG_END		0xbf810000	/* s_endpgm */
#define RIG_BRANCH	0xbf820000	/* s_branch */

static inline bool rig_is_branch(u32 word)
{
	return word >> 16 == RIG_BRANCH >> 16;
}

u32 *rig_code(const struct gpubp_rig_access *acc, unsigned int nr, bool loop,
	      size_t *size);

#endif /* _GPUBP_CONFORM_CODE_H */
