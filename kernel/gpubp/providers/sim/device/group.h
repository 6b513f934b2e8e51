/* SPDX-License-Identifier: GPL-2.0 */
/* Workgroups on a compute unit. Called by the thread of the unit only. */
#ifndef _GPUBP_PROVIDERS_SIM_DEVICE_GROUP_H
#define _GPUBP_PROVIDERS_SIM_DEVICE_GROUP_H

#include <linux/types.h>

struct sim_group;
struct sim_slot;

bool sim_group_alloc(struct sim_group *group, unsigned int nr_waves);
void sim_group_barrier(struct sim_group *group);
void sim_group_wave_ended(struct sim_slot *slot);
void sim_group_free(struct sim_group *group);
u32 sim_slot_hw_id(const struct sim_slot *slot);

#endif /* _GPUBP_PROVIDERS_SIM_DEVICE_GROUP_H */
