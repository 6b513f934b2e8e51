/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _GPUBP_PROVIDERS_SIM_DEVICE_SQ_H
#define _GPUBP_PROVIDERS_SIM_DEVICE_SQ_H

#include <linux/types.h>

struct sim_device;
struct sim_slot;
struct sim_wave;

u32 sim_sq_wave_reg(const struct sim_wave *wave, u32 index, u32 lane);
u32 sim_sq_ind_read(struct sim_device *dev);
void sim_sq_command(struct sim_device *dev, u32 cmd);
void sim_sq_message(struct sim_slot *slot, u32 payload);

#endif /* _GPUBP_PROVIDERS_SIM_DEVICE_SQ_H */
