/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _GPUBP_PROVIDERS_SIM_DEVICE_SPI_H
#define _GPUBP_PROVIDERS_SIM_DEVICE_SPI_H

#include <linux/types.h>

struct sim_cu;

bool sim_spi_place(struct sim_cu *cu);

#endif /* _GPUBP_PROVIDERS_SIM_DEVICE_SPI_H */
