/* SPDX-License-Identifier: GPL-2.0 */
/* The sweep: finds stops that no interrupt reported. */
#ifndef _GPUBP_PROVIDERS_SIM_DEVICE_SWEEP_H
#define _GPUBP_PROVIDERS_SIM_DEVICE_SWEEP_H

struct sim_device;
struct sim_slot;

void sim_sweep_init(struct sim_device *dev);
void sim_sweep_start(struct sim_device *dev);
void sim_sweep_now(struct sim_device *dev);
void sim_sweep_stop(struct sim_device *dev);
void sim_sweep_slot(struct sim_slot *slot);
void sim_sweep(struct sim_device *dev);

#endif /* _GPUBP_PROVIDERS_SIM_DEVICE_SWEEP_H */
