/* SPDX-License-Identifier: GPL-2.0 */
/* Names of buffers and code objects: events bind to name + offset. */
#ifndef _GPUBP_NAMES_H
#define _GPUBP_NAMES_H

#include "context.h"

/* of a context: they are walked under the device lock */
#define GPUBP_NAMES_MAX		8192

bool gpubp_name_is_going(const struct gpubp_ctx *ctx, u64 va, u64 size);
bool gpubp_names_going(struct gpubp_ctx *ctx, u64 va, u64 size);
void gpubp_names_stay(struct gpubp_ctx *ctx);
void gpubp_names_gone(struct gpubp_ctx *ctx);
struct gpubp_name *gpubp_name_next(struct gpubp_ctx *ctx, u32 hash,
				   struct gpubp_name *after);

#endif /* _GPUBP_NAMES_H */
