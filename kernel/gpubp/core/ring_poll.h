/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Ring poll: when the resolver looks at the rings of recorded hits without being asked.
 */
#ifndef _GPUBP_CORE_RING_POLL_H
#define _GPUBP_CORE_RING_POLL_H

#include <linux/kthread.h>
#include <linux/types.h>

struct gpubp_device;

/**
 * struct gpubp_ring_poll - polls of a device
 * @work: the next look; run by the resolver
 * @ms: interval, 0: none is due
 * @due: the resolver's run is one of these
 */
struct gpubp_ring_poll {
	struct kthread_delayed_work work;
	unsigned int ms;
	bool due;
};

void gpubp_ring_poll_init(struct gpubp_device *dev);
void gpubp_ring_poll_soon(struct gpubp_device *dev);
void gpubp_ring_poll_next(struct gpubp_device *dev, bool found, bool resident);
void gpubp_ring_poll_exit(struct gpubp_device *dev);

#endif /* _GPUBP_CORE_RING_POLL_H */
