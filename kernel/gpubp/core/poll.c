// SPDX-License-Identifier: GPL-2.0
/*
 * Poll: devices that do not tell by themselves that a wave stopped.
 *
 * They are asked while any event exists, and after every commit until hits of
 * the old program cannot come any more: the last commit may have disarmed what
 * a wave had hit already. And while waves are on their way past a break.
 */
#include <linux/jiffies.h>
#include <linux/jump_label.h>
#include <linux/kthread.h>
#include <linux/ktime.h>

#include "../event/event.h"
#include "../trap/trap_point.h"
#include "device.h"
#include "poll.h"

#define POLL_US	1000	/* where the provider leaves it to us */

static unsigned long interval(const struct gpubp_device *dev)
{
	return usecs_to_jiffies(dev->desc.caps.poll_us ?: POLL_US);
}

static void poll_fn(struct kthread_work *work)
{
	struct gpubp_device *dev = container_of(work, struct gpubp_device,
						poll_work.work);

	if (READ_ONCE(dev->suspended))
		return;		/* resuming commits, and that polls */
	dev->ops.poll(dev->priv);
	if (gpubp_events_exist() || ktime_get_ns() <= READ_ONCE(dev->poll_until) ||
	    gpubp_traps_linger(dev))
		kthread_queue_delayed_work(dev->resolver, &dev->poll_work,
					   interval(dev));
}

void gpubp_poll_init(struct gpubp_device *dev)
{
	kthread_init_delayed_work(&dev->poll_work, poll_fn);
}

/** gpubp_poll_start() - ask now, and on while events exist; any context */
void gpubp_poll_start(struct gpubp_device *dev)
{
	if (!dev->desc.caps.interrupts)
		kthread_mod_delayed_work(dev->resolver, &dev->poll_work, 0);
}

/** gpubp_poll_devices() - those that need it are being asked; may sleep */
void gpubp_poll_devices(void)
{
	struct gpubp_device *dev;

	guard(mutex)(&gpubp_devices_lock);
	list_for_each_entry(dev, &gpubp_devices, node)
		if (!dev->desc.caps.interrupts)
			kthread_queue_delayed_work(dev->resolver,
						   &dev->poll_work, 0);
}

/** gpubp_poll_stop() - it is not asked any more; may sleep */
void gpubp_poll_stop(struct gpubp_device *dev)
{
	kthread_cancel_delayed_work_sync(&dev->poll_work);
}
