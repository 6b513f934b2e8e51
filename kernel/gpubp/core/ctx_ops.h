/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Ctx op references: held while a provider's ops are called for a context by a
 * task other than the committer and the resolver.
 *
 * No lock can be held around an op, and no op may be called for a context that
 * is gone or a device without power. Context exit and device suspend wait until
 * the references taken before are put.
 */
#ifndef _GPUBP_CORE_CTX_OPS_H
#define _GPUBP_CORE_CTX_OPS_H

#include <linux/types.h>

struct gpubp_ctx;
struct gpubp_device;
struct gpubp_wave_info;

int gpubp_ctx_op_begin(struct gpubp_ctx *ctx);
int gpubp_ctx_op_check(struct gpubp_ctx *ctx);
void gpubp_ctx_op_end(struct gpubp_ctx *ctx);
void gpubp_ctx_ops_wait(struct gpubp_ctx *ctx);
void gpubp_ctx_ops_wait_device(struct gpubp_device *dev);

int gpubp_waves_list_once(struct gpubp_ctx *ctx,
			  struct gpubp_wave_info **info);
int gpubp_waves_list(struct gpubp_ctx *ctx, struct gpubp_wave_info **info);
int gpubp_waves_ids(struct gpubp_ctx *ctx, u64 **waves);
const struct gpubp_wave_info *
gpubp_wave_in_list(const struct gpubp_wave_info *info, int n, u64 wave);
int gpubp_waves_find(struct gpubp_ctx *ctx, u64 wave,
		     struct gpubp_wave_info *info);

#endif /* _GPUBP_CORE_CTX_OPS_H */
