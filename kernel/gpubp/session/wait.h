/* SPDX-License-Identifier: GPL-2.0 */
/* Waits of ioctls for all devices. */
#ifndef _GPUBP_SESSION_WAIT_H
#define _GPUBP_SESSION_WAIT_H

struct gpubp_device;

unsigned long gpubp_jiffies_until(unsigned long end);
int gpubp_wait_devices(unsigned int timeout_ms, unsigned long end,
		       int (*wait)(struct gpubp_device *dev,
				   unsigned long timeout));

#endif /* _GPUBP_SESSION_WAIT_H */
