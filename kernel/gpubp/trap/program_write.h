/* SPDX-License-Identifier: GPL-2.0 */
/* Program write: memory as the program has it, below the break words of patches. */
#ifndef _GPUBP_TRAP_PROGRAM_WRITE_H
#define _GPUBP_TRAP_PROGRAM_WRITE_H

#include <linux/types.h>

struct gpubp_ctx;

ssize_t gpubp_program_write(struct gpubp_ctx *ctx, u64 va, const void *buf,
			    size_t len);

#endif /* _GPUBP_TRAP_PROGRAM_WRITE_H */
