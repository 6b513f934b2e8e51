/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _GPUBP_PROVIDERS_SIM_DEVICE_FILE_H
#define _GPUBP_PROVIDERS_SIM_DEVICE_FILE_H

struct sim_device;

int sim_file_register(struct sim_device *dev);
void sim_file_unregister(struct sim_device *dev);

#endif /* _GPUBP_PROVIDERS_SIM_DEVICE_FILE_H */
