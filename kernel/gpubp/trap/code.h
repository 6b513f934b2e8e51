/* SPDX-License-Identifier: GPL-2.0 */
/* Code objects of a context: address ranges that contain instructions. */
#ifndef _GPUBP_TRAP_CODE_H
#define _GPUBP_TRAP_CODE_H

#include <linux/types.h>

struct gpubp_ctx;

bool gpubp_code_unmap_begin(struct gpubp_ctx *ctx, u64 va, u64 size);
void gpubp_code_unmap_cancel(struct gpubp_ctx *ctx);
void gpubp_code_unmap_end(struct gpubp_ctx *ctx);

#endif /* _GPUBP_TRAP_CODE_H */
