/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _GPUBP_SIM_WATCH_H
#define _GPUBP_SIM_WATCH_H

#include "regs.h"
#include "wave.h"

u32 sim_watch_compare(struct sim_regs *regs, u32 vmid, enum sim_access kind,
		      unsigned int width, u64 lanes, const u64 *addrs);

#endif /* _GPUBP_SIM_WATCH_H */
