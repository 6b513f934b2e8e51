/* SPDX-License-Identifier: GPL-2.0 */
/* Poll: devices that do not tell by themselves that a wave stopped. */
#ifndef _GPUBP_POLL_H
#define _GPUBP_POLL_H

struct gpubp_device;

void gpubp_poll_init(struct gpubp_device *dev);
void gpubp_poll_start(struct gpubp_device *dev);
void gpubp_poll_devices(void);
void gpubp_poll_stop(struct gpubp_device *dev);

#endif /* _GPUBP_POLL_H */
