/* SPDX-License-Identifier: GPL-2.0 */
/* Program: from wanted watches and traps to the table for the hardware. */
#ifndef _GPUBP_SCHED_PROGRAM_H
#define _GPUBP_SCHED_PROGRAM_H

#include <linux/types.h>

struct gpubp_commit;
struct gpubp_ctx;

int gpubp_program_prepare(struct gpubp_commit *c);
bool gpubp_program_keeps(const struct gpubp_commit *c,
			 const struct gpubp_ctx *ctx, unsigned int slot);

#endif /* _GPUBP_SCHED_PROGRAM_H */
