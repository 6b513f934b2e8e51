/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _GPUBP_PROVIDERS_SIM_DEVICE_WATCH_H
#define _GPUBP_PROVIDERS_SIM_DEVICE_WATCH_H

#include "compare.h"
#include "regs.h"

u32 sim_watch_compare(struct sim_regs *regs, u32 vmid,
		      const struct sim_request *req);

#endif /* _GPUBP_PROVIDERS_SIM_DEVICE_WATCH_H */
