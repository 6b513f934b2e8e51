/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _GPUBP_PROVIDERS_SIM_DEVICE_DEBUGFS_H
#define _GPUBP_PROVIDERS_SIM_DEVICE_DEBUGFS_H

struct sim_device;

void sim_debugfs_add(struct sim_device *dev);
void sim_debugfs_del(struct sim_device *dev);

#endif /* _GPUBP_PROVIDERS_SIM_DEVICE_DEBUGFS_H */
