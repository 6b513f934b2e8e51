/* SPDX-License-Identifier: GPL-2.0 */
/* Trap handler of the core in a context's address space. */
#ifndef _GPUBP_TRAP_HANDLER_H
#define _GPUBP_TRAP_HANDLER_H

#include <linux/types.h>

struct gpubp_ctx;
struct gpubp_device;

void gpubp_handler_exit(struct gpubp_ctx *ctx);
u64 gpubp_handler_park_pc(const struct gpubp_ctx *ctx);
bool gpubp_handler_overlaps(const struct gpubp_ctx *ctx, u64 va, u64 len);

#endif /* _GPUBP_TRAP_HANDLER_H */
