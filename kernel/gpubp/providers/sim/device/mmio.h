/* SPDX-License-Identifier: GPL-2.0 */
/* Register access for root through debugfs. */
#ifndef _GPUBP_PROVIDERS_SIM_DEVICE_MMIO_H
#define _GPUBP_PROVIDERS_SIM_DEVICE_MMIO_H

struct dentry;
struct sim_device;

void sim_mmio_debugfs_add(struct sim_device *dev, struct dentry *dir);

#endif /* _GPUBP_PROVIDERS_SIM_DEVICE_MMIO_H */
