/* SPDX-License-Identifier: GPL-2.0 */
/* Modes: which accesses a comparator sees. Pure. */
#ifndef _GPUBP_MODE_H
#define _GPUBP_MODE_H

#include <linux/gpubp.h>
#include <linux/types.h>

int gpubp_mode_for(u8 accesses, u32 modes);
u8 gpubp_mode_accesses(enum gpubp_mode mode);
int gpubp_mode_union(enum gpubp_mode a, enum gpubp_mode b, u32 modes);

#endif /* _GPUBP_MODE_H */
