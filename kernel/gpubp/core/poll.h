/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Poll: timing of polls of devices that raise no interrupt when a wave stops.
 */
#ifndef _GPUBP_CORE_POLL_H
#define _GPUBP_CORE_POLL_H

#include <linux/kthread.h>

struct gpubp_device;

void gpubp_poll_init(struct gpubp_device *dev, kthread_work_func_t fn);
void gpubp_poll_again(struct gpubp_device *dev);
void gpubp_poll_start(struct gpubp_device *dev);
void gpubp_poll_devices(void);
void gpubp_poll_stop(struct gpubp_device *dev);

#endif /* _GPUBP_CORE_POLL_H */
