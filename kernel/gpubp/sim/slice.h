/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _GPUBP_SIM_SLICE_H
#define _GPUBP_SIM_SLICE_H

#include <linux/types.h>

struct sim_slot;

bool sim_slice_run(struct sim_slot *slot);

#endif /* _GPUBP_SIM_SLICE_H */
