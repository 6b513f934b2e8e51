/* SPDX-License-Identifier: GPL-2.0 */
/* Lift: watches side by side share one comparator. All under the device lock. */
#ifndef _GPUBP_LIFT_H
#define _GPUBP_LIFT_H

#include <linux/types.h>

#include "../lib/block_cover.h"

struct gpubp_ctx;
struct gpubp_watch;

extern unsigned int gpubp_max_stray;

void gpubp_lift_ctx(struct gpubp_ctx *ctx);
void gpubp_lift_join(struct gpubp_watch *w);
void gpubp_lift_leave(struct gpubp_watch *w);
int gpubp_lift_cover(const struct gpubp_watch *w, unsigned int max,
		     struct gpubp_block block[GPUBP_MAX_BLOCKS]);
bool gpubp_lift_is_wide(const struct gpubp_watch *w,
			const struct gpubp_block *block, int nr);
int gpubp_lift_init(void);
void gpubp_lift_exit(void);

#endif /* _GPUBP_LIFT_H */
