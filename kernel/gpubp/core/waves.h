/* SPDX-License-Identifier: GPL-2.0 */
/* Waves of a context, as its provider lists them. */
#ifndef _GPUBP_WAVES_H
#define _GPUBP_WAVES_H

#include <linux/types.h>

struct gpubp_ctx;
struct gpubp_wave_info;

int gpubp_waves_list(struct gpubp_ctx *ctx, struct gpubp_wave_info **info);
int gpubp_waves_ids(struct gpubp_ctx *ctx, u64 **waves);
int gpubp_waves_find(struct gpubp_ctx *ctx, u64 wave,
		     struct gpubp_wave_info *info);

#endif /* _GPUBP_WAVES_H */
