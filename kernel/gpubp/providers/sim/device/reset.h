/* SPDX-License-Identifier: GPL-2.0 */
/* Reset: the GPU loses all state but memory. */
#ifndef _GPUBP_PROVIDERS_SIM_DEVICE_RESET_H
#define _GPUBP_PROVIDERS_SIM_DEVICE_RESET_H

struct sim_device;

void sim_reset_init(struct sim_device *dev);
void sim_reset(struct sim_device *dev, const char *reason);
int sim_reset_wait(struct sim_device *dev, unsigned int *nr_resets);

#endif /* _GPUBP_PROVIDERS_SIM_DEVICE_RESET_H */
