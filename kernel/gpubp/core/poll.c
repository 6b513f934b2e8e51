// SPDX-License-Identifier: GPL-2.0
/*
 * Poll: timing of polls of devices that raise no interrupt when a wave stops.
 */
#include <linux/jiffies.h>
#include <linux/kthread.h>

#include "device.h"
#include "poll.h"

#define POLL_US	1000	/* unless the provider sets it */

/**
 * gpubp_poll_init() - initialise polling of a new device
 * @dev: device
 * @fn: polls it, and calls gpubp_poll_again() to be called again
 */
void gpubp_poll_init(struct gpubp_device *dev, kthread_work_func_t fn)
{
	kthread_init_delayed_work(&dev->poll_work, fn);
}

/** gpubp_poll_again() - poll after the device's interval; any context */
void gpubp_poll_again(struct gpubp_device *dev)
{
	unsigned int us = dev->desc.caps.poll_us ?: POLL_US;

	kthread_queue_delayed_work(dev->resolver, &dev->poll_work,
				   usecs_to_jiffies(us));
}

/** gpubp_poll_start() - poll now and while events exist; any context */
void gpubp_poll_start(struct gpubp_device *dev)
{
	if (!dev->desc.caps.interrupts)
		kthread_mod_delayed_work(dev->resolver, &dev->poll_work, 0);
}

/**
 * gpubp_poll_devices() - start polling of all devices that need it; may sleep
 */
void gpubp_poll_devices(void)
{
	struct gpubp_device *dev;

	guard(mutex)(&gpubp_devices_lock);
	list_for_each_entry(dev, &gpubp_devices, node)
		if (!dev->desc.caps.interrupts)
			kthread_queue_delayed_work(dev->resolver,
						   &dev->poll_work, 0);
}

/** gpubp_poll_stop() - stop polling of a device; may sleep */
void gpubp_poll_stop(struct gpubp_device *dev)
{
	kthread_cancel_delayed_work_sync(&dev->poll_work);
}
