/* SPDX-License-Identifier: GPL-2.0 */
/* Values: old and new content of watched bytes. */
#ifndef _GPUBP_SCHED_OLD_VALUE_H
#define _GPUBP_SCHED_OLD_VALUE_H

#include <linux/types.h>

struct gpubp_ctx;
struct gpubp_hit_cell;
struct gpubp_hit_match;
struct gpubp_reading;
struct gpubp_watch;

void gpubp_value_read(struct gpubp_ctx *ctx, u64 start, u64 last,
		      struct gpubp_reading *read, unsigned int how);
bool gpubp_value_is_unmapped(struct gpubp_ctx *ctx, u64 start, u64 last);

#endif /* _GPUBP_SCHED_OLD_VALUE_H */
