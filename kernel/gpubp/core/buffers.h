/* SPDX-License-Identifier: GPL-2.0 */
/* Names of buffers and code objects: events bind to name + offset. */
#ifndef _GPUBP_CORE_BUFFERS_H
#define _GPUBP_CORE_BUFFERS_H

#include "context.h"
#include "quota.h"

/* per context: what looks for an address walks the list under the device lock */
#define GPUBP_NAMES_MAX		8192

int gpubp_name_check(u64 va, u64 size, const char *name);
struct gpubp_name *gpubp_name_alloc(struct gpubp_ctx *ctx, u64 va, u64 size,
				    const char *name);
int gpubp_name_charge(struct gpubp_name *n, struct gpubp_user *user,
		      const void *mem);
void gpubp_name_free(struct gpubp_name *n);
int gpubp_name_add(struct gpubp_ctx *ctx, struct gpubp_name *n);
void gpubp_name_unlist(struct gpubp_ctx *ctx, struct gpubp_name *n);
void gpubp_name_del(struct gpubp_ctx *ctx, struct gpubp_name *n);
bool gpubp_name_is_unmapping(const struct gpubp_ctx *ctx, u64 va, u64 size);
struct gpubp_name *gpubp_name_next(struct gpubp_ctx *ctx, u32 hash,
				   struct gpubp_name *after);
void gpubp_names_free(struct list_head *names);

#endif /* _GPUBP_CORE_BUFFERS_H */
