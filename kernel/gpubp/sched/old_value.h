/* SPDX-License-Identifier: GPL-2.0 */
/* Values: what watched bytes were and what they are. */
#ifndef _GPUBP_VALUE_H
#define _GPUBP_VALUE_H

#include <linux/types.h>

struct gpubp_ctx;
struct gpubp_hit_cell;
struct gpubp_hit_match;
struct gpubp_watch;

u8 gpubp_value_read(struct gpubp_ctx *ctx, u64 start, u64 last, u8 *bytes,
		    unsigned int how);
void gpubp_values_catch_up(struct gpubp_ctx *ctx);
void gpubp_values_read(struct gpubp_hit_cell *cell);
void gpubp_value_update(struct gpubp_watch *watch, struct gpubp_hit_match *m);

#endif /* _GPUBP_VALUE_H */
