/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _GPUBP_PROVIDERS_SIM_DEVICE_ROUNDS_H
#define _GPUBP_PROVIDERS_SIM_DEVICE_ROUNDS_H

int sim_rounds_thread(void *data);

#endif /* _GPUBP_PROVIDERS_SIM_DEVICE_ROUNDS_H */
