/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The pc of a wave that stands still, and instructions that are done for it.
 */
#ifndef _GPUBP_PC_H
#define _GPUBP_PC_H

#include <linux/types.h>

struct gpubp_ctx;
struct gpubp_device;
struct gpubp_insn;

int gpubp_pc_read(const struct gpubp_device *dev, u64 wave, u64 *pc);
int gpubp_pc_write(const struct gpubp_device *dev, u64 wave, u64 pc);
u64 gpubp_pc_shown(struct gpubp_ctx *ctx, u64 pc);
int gpubp_pc_simulate(struct gpubp_device *dev, u64 wave,
		      const struct gpubp_insn *insn, u64 pc);

#endif /* _GPUBP_PC_H */
