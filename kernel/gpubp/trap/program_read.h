/* SPDX-License-Identifier: GPL-2.0 */
/* Program read: memory as the program wrote it. */
#ifndef _GPUBP_TRAP_PROGRAM_READ_H
#define _GPUBP_TRAP_PROGRAM_READ_H

#include <linux/types.h>

struct gpubp_ctx;

ssize_t gpubp_program_read(struct gpubp_ctx *ctx, u64 va, void *buf, size_t len,
			   unsigned int how);

#endif /* _GPUBP_TRAP_PROGRAM_READ_H */
