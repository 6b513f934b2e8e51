/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _GPUBP_ISA_GFX9_ACCESS_H
#define _GPUBP_ISA_GFX9_ACCESS_H

#include <linux/gpubp_isa.h>
#include "gfx9.h"

/**
 * gfx9_access_describe() - fill in the memory fields of @insn
 * @inst: the decoded instruction
 * @insn: its memory fields are zero
 */
void gfx9_access_describe(const struct gfx9_inst *inst,
			  struct gpubp_insn *insn);

/* gpubp_isa.lane_addrs */
u64 gfx9_lane_addrs(const struct gpubp_insn *insn, const u32 *regs, u64 exec,
		    u64 addrs[GPUBP_MAX_LANES]);

/* gpubp_isa.lanes_whole */
u64 gfx9_lanes_whole(const struct gpubp_insn *insn, const u32 *regs, u64 lanes);

/* gpubp_isa.lane_dropped */
unsigned int gfx9_lane_dropped(const struct gpubp_insn *insn, const u32 *regs,
			       unsigned int lane);

/* gpubp_isa.lane_data */
unsigned int gfx9_lane_data(const struct gpubp_insn *insn, bool loaded,
			    const u32 *regs, unsigned int lane, unsigned int nr,
			    u8 *bytes);

#endif /* _GPUBP_ISA_GFX9_ACCESS_H */
