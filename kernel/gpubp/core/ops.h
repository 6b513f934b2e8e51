/* SPDX-License-Identifier: GPL-2.0 */
/* Ops: checks of a provider's ops, and defaults for missing ones. */
#ifndef _GPUBP_CORE_OPS_H
#define _GPUBP_CORE_OPS_H

struct gpubp_device_desc;
struct gpubp_ops;

const char *gpubp_ops_fault(const struct gpubp_device_desc *desc);
void gpubp_ops_complete(struct gpubp_ops *ops);

#endif /* _GPUBP_CORE_OPS_H */
