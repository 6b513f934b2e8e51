/* SPDX-License-Identifier: GPL-2.0 */
/* Address spaces: memory of a context, and LDS and private memory of its waves. */
#ifndef _GPUBP_PROVIDERS_SIM_DEVICE_SPACE_H
#define _GPUBP_PROVIDERS_SIM_DEVICE_SPACE_H

#include <linux/types.h>

struct gpubp_where;

ssize_t sim_mem_rw(void *ctx, const struct gpubp_where *where, void *buf,
		   size_t len, unsigned int how);

#endif /* _GPUBP_PROVIDERS_SIM_DEVICE_SPACE_H */
