// SPDX-License-Identifier: GPL-2.0
/*
 * Reset: the GPU loses all state but memory. Queues with work are lost, as
 * after an exception; others continue. Registers have their power-on values, no
 * context has a VMID, and entries of the interrupt ring are lost.
 */
#include <linux/delay.h>
#include <linux/gpubp.h>
#include <linux/printk.h>
#include <linux/ratelimit.h>
#include <uapi/linux/gpubp_sim.h>

#include "ctx.h"
#include "cu.h"
#include "device.h"
#include "queue.h"
#include "reset.h"

static bool queue_has_work(const struct sim_queue *queue)
{
	return queue->nr_groups || !list_empty(&queue->dispatches);
}

static void kill_all_queues(struct sim_device *dev)
{
	struct sim_queue *queue;

	guard(mutex)(&dev->lock);
	WRITE_ONCE(dev->resetting, true);
	dev->nr_resets++;
	list_for_each_entry(queue, &dev->queues, node)
		if (queue_has_work(queue))
			sim_queue_kill(queue, GPUBP_SIM_RESET, 0, 0);
}

static bool any_wave(struct sim_device *dev)
{
	struct sim_queue *queue;

	guard(mutex)(&dev->lock);
	list_for_each_entry(queue, &dev->queues, node)
		if (queue->nr_groups)
			return true;
	return false;
}

static void clear_registers(struct sim_device *dev)
{
	unsigned int n;

	sim_vmid_reset(dev);
	guard(sim_banks)(dev);
	for (n = 0; n < dev->config.nr_watch; n++) {
		sim_wreg(dev, sim_reg_watch_addr_h(n), 0);
		sim_wreg(dev, sim_reg_watch_addr_l(n), 0);
	}
}

/* notify the core before comparators become invalid */
static void reset_finish(struct sim_device *dev)
{
	guard(mutex)(&dev->lock);
	gpubp_device_reset(dev->core);
	clear_registers(dev);
	WRITE_ONCE(dev->resetting, false);
	sim_cu_kick_all(dev);
}

/**
 * sim_reset() - reset the GPU
 * @dev: device
 * @reason: reason, for the log
 *
 * Sleeps until the last wave has ended.
 */
void sim_reset(struct sim_device *dev, const char *reason)
{
	guard(mutex)(&dev->reset_lock);
	pr_info_ratelimited("%s: reset: %s\n", dev->name, reason);
	sim_stat_inc(dev, SIM_STAT_RESETS);
	kill_all_queues(dev);
	while (any_wave(dev))
		usleep_range(100, 1000);
	reset_finish(dev);
}

/**
 * sim_reset_wait() - wait for the end of a reset
 * @dev: device; none of its locks is held
 * @nr_resets: (out) number of resets so far, none of which is in progress
 *
 * Return: 0 or -ERESTARTSYS.
 */
int sim_reset_wait(struct sim_device *dev, unsigned int *nr_resets)
{
	if (mutex_lock_interruptible(&dev->reset_lock))
		return -ERESTARTSYS;
	*nr_resets = dev->nr_resets;
	mutex_unlock(&dev->reset_lock);
	return 0;
}

static void reset_fn(struct work_struct *work)
{
	sim_reset(container_of(work, struct sim_device, reset), "planted");
}

/** sim_reset_init() - initialise reset of a new device */
void sim_reset_init(struct sim_device *dev)
{
	mutex_init(&dev->reset_lock);
	INIT_WORK(&dev->reset, reset_fn);
}
