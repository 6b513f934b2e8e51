// SPDX-License-Identifier: GPL-2.0
/*
 * Ring poll: when the resolver looks at the rings of recorded hits without being asked.
 *
 * Each few milliseconds while waves record hits. A wave that records one after that sends
 * an interrupt (gpubp_recorded()), which may be lost, so the interval doubles up to a
 * second while contexts that may record are resident, and after that nothing is due until
 * one is.
 */
#include <linux/atomic.h>
#include <linux/jiffies.h>
#include <linux/kthread.h>
#include <linux/minmax.h>
#include <linux/mutex.h>

#include "device.h"
#include "ring_poll.h"

#define MIN_MS	5	/* maximum age of a record while there are some */
#define MAX_MS	1000

static void poll_fn(struct kthread_work *work)
{
	struct gpubp_device *dev = container_of(work, struct gpubp_device,
						ring_poll.work.work);

	dev->ring_poll.due = true;
	kthread_queue_work(dev->resolver, &dev->resolve_work);
}

/** gpubp_ring_poll_init() - initialise polls of a new device */
void gpubp_ring_poll_init(struct gpubp_device *dev)
{
	kthread_init_delayed_work(&dev->ring_poll.work, poll_fn);
}

/** gpubp_ring_poll_soon() - waves may record hits from now on; any context */
void gpubp_ring_poll_soon(struct gpubp_device *dev)
{
	if (!atomic_read(&dev->nr_recording))
		return;
	if (xchg(&dev->ring_poll.ms, MIN_MS) == MIN_MS)
		kthread_queue_delayed_work(dev->resolver, &dev->ring_poll.work,
					   msecs_to_jiffies(MIN_MS));
	else
		kthread_mod_delayed_work(dev->resolver, &dev->ring_poll.work,
					 msecs_to_jiffies(MIN_MS));
}

/**
 * gpubp_ring_poll_next() - a run of the resolver is over
 * @dev: device
 * @found: there were records, or something waits for some
 * @resident: a context whose waves may record hits is resident
 *
 * The resolver only; may sleep.
 */
void gpubp_ring_poll_next(struct gpubp_device *dev, bool found, bool resident)
{
	struct gpubp_ring_poll *poll = &dev->ring_poll;
	unsigned int ms = READ_ONCE(poll->ms), next = 0;

	if (found)
		next = MIN_MS;
	else if (resident)
		next = min(2 * ms, MAX_MS + 0u);
	/* the one that is due comes soon enough */
	if (!poll->due && (!next || (ms && ms <= next)))
		return;
	poll->due = false;
	guard(mutex)(&dev->lock);
	/* the commit after resume polls again */
	if (dev->suspended || dev->requests.stopped)
		next = 0;
	/* unless gpubp_ring_poll_soon() was called during the run */
	if (cmpxchg(&poll->ms, ms, next) == ms && next)
		kthread_mod_delayed_work(dev->resolver, &poll->work,
					 msecs_to_jiffies(next));
}

/** gpubp_ring_poll_exit() - dev->requests.stopped is set; may sleep */
void gpubp_ring_poll_exit(struct gpubp_device *dev)
{
	kthread_cancel_delayed_work_sync(&dev->ring_poll.work);
}
