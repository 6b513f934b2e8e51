/* SPDX-License-Identifier: GPL-2.0 */
/* Resolve: from "a wave stopped" to instruction, lanes, addresses, values. */
#ifndef _GPUBP_RESOLVE_H
#define _GPUBP_RESOLVE_H

struct gpubp_device;

int gpubp_resolve_init(struct gpubp_device *dev);

#endif /* _GPUBP_RESOLVE_H */
