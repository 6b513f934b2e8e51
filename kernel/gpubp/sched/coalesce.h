/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Coalescing: neighbouring watches share a comparator. All under the device
 * lock.
 */
#ifndef _GPUBP_SCHED_COALESCE_H
#define _GPUBP_SCHED_COALESCE_H

#include <linux/types.h>

#include "../lib/block_cover.h"

struct gpubp_ctx;
struct gpubp_watch;

extern unsigned int gpubp_max_stray;

void gpubp_coalesce_init_ctx(struct gpubp_ctx *ctx);
void gpubp_coalesce_add(struct gpubp_watch *w);
void gpubp_coalesce_remove(struct gpubp_watch *w);
int gpubp_coalesce_cover(const struct gpubp_watch *w, unsigned int max,
			 struct gpubp_block block[GPUBP_MAX_BLOCKS]);
bool gpubp_coalesce_is_wide(const struct gpubp_watch *w,
			    const struct gpubp_block *block, int nr);
int gpubp_coalesce_init(void);
void gpubp_coalesce_exit(void);

#endif /* _GPUBP_SCHED_COALESCE_H */
