/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _GPUBP_PROVIDERS_SIM_DEVICE_SLICE_H
#define _GPUBP_PROVIDERS_SIM_DEVICE_SLICE_H

#include <linux/types.h>

struct sim_device;
struct sim_slot;

bool sim_slice_is_urgent(const struct sim_slot *slot);
bool sim_slice_run(struct sim_slot *slot);
bool sim_slice_has_pending_hits(struct sim_device *dev);

#endif /* _GPUBP_PROVIDERS_SIM_DEVICE_SLICE_H */
