/* SPDX-License-Identifier: GPL-2.0 */
/* Debugfs: statistics and state, for root and for tests. */
#ifndef _GPUBP_DEBUGFS_H
#define _GPUBP_DEBUGFS_H

struct gpubp_device;

void gpubp_debugfs_init(void);
void gpubp_debugfs_exit(void);
void gpubp_debugfs_add_device(struct gpubp_device *dev);
void gpubp_debugfs_del_device(struct gpubp_device *dev);

#endif /* _GPUBP_DEBUGFS_H */
