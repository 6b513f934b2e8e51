/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _GPUBP_PROVIDERS_SIM_DEVICE_CONFIGFS_H
#define _GPUBP_PROVIDERS_SIM_DEVICE_CONFIGFS_H

int sim_configfs_register(void);
void sim_configfs_unregister(void);

#endif /* _GPUBP_PROVIDERS_SIM_DEVICE_CONFIGFS_H */
