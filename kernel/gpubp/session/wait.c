// SPDX-License-Identifier: GPL-2.0
/* Waits: for something of each device, one after another. */
#include <linux/jiffies.h>
#include <linux/kref.h>
#include <linux/list.h>
#include <linux/mutex.h>

#include "../core/core.h"
#include "wait.h"

/* device with the lowest number >= @number, with a reference, or NULL */
static struct gpubp_device *device_next_from(u32 number)
{
	struct gpubp_device *dev, *lowest = NULL;

	guard(mutex)(&gpubp_devices_lock);
	list_for_each_entry(dev, &gpubp_devices, node)
		if (dev->number >= number &&
		    (!lowest || dev->number < lowest->number))
			lowest = dev;
	if (lowest)
		kref_get(&lowest->ref);
	return lowest;
}

/** gpubp_jiffies_until() - how long it is until @end, 0 if that is over */
unsigned long gpubp_jiffies_until(unsigned long end)
{
	unsigned long now = jiffies;

	return time_before(now, end) ? end - now : 0;
}

/**
 * gpubp_wait_devices() - call a function for each device until it fails
 * @timeout_ms: 0: it is not to wait
 * @end: until when it may, in jiffies
 * @wait: function of a device, and of how long it may wait
 *
 * Return: 0, or what @wait returned last.
 */
int gpubp_wait_devices(unsigned int timeout_ms, unsigned long end,
		       int (*wait)(struct gpubp_device *dev,
				   unsigned long timeout))
{
	struct gpubp_device *dev;
	u32 number = 0;
	int err = 0;

	while (!err && (dev = device_next_from(number))) {
		number = dev->number + 1;
		err = wait(dev, timeout_ms ? gpubp_jiffies_until(end) : 0);
		gpubp_device_put(dev);
	}
	return err;
}
