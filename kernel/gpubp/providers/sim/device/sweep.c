// SPDX-License-Identifier: GPL-2.0
/*
 * The sweep: an interrupt can get lost, and so can its message. A wave whose
 * stop was not reported would stay halted for ever; so while waves with a trap
 * handler exist, a periodic work item looks for such stops.
 */
#include <linux/jiffies.h>
#include <linux/moduleparam.h>

#include "device.h"
#include "stop.h"
#include "sweep.h"

static unsigned int sweep_ms = 100;
module_param(sweep_ms, uint, 0644);
MODULE_PARM_DESC(sweep_ms,
		 "Longest delay until a stop whose interrupt was lost is reported, ms; 0: never");

/* polling period while the sweep is off: the parameter may change */
#define PERIOD_OFF	(HZ / 10)

static unsigned long sweep_period(void)
{
	unsigned int ms = READ_ONCE(sweep_ms);

	return ms ? msecs_to_jiffies(ms) : PERIOD_OFF;
}

static void sweep_after(struct sim_device *dev, unsigned long delay)
{
	if (!READ_ONCE(dev->quiet))
		mod_delayed_work(system_long_wq, &dev->sweep, delay);
}

static void sweep_fn(struct work_struct *work)
{
	struct sim_device *dev = container_of(work, struct sim_device,
					      sweep.work);

	sim_sweep(dev);
	if (sim_stop_possible(dev))
		sim_sweep_start(dev);
}

/** sim_sweep_init() - of a new device */
void sim_sweep_init(struct sim_device *dev)
{
	INIT_DELAYED_WORK(&dev->sweep, sweep_fn);
}

/*
 * sim_sweep_start() - start the sweep: waves may stop from now on; any context
 */
void sim_sweep_start(struct sim_device *dev)
{
	if (!delayed_work_pending(&dev->sweep))
		sweep_after(dev, sweep_period());
}

/** sim_sweep_now() - sweep at once: a message was lost; any context */
void sim_sweep_now(struct sim_device *dev)
{
	sweep_after(dev, 0);
}

/*
 * sim_sweep_stop() - stop the sweep for good; the device is quiet. May sleep.
 */
void sim_sweep_stop(struct sim_device *dev)
{
	cancel_delayed_work_sync(&dev->sweep);
}

/** sim_sweep_slot() - sweep one slot, unless the sweep is off; may sleep */
void sim_sweep_slot(struct sim_slot *slot)
{
	if (READ_ONCE(sweep_ms))
		sim_stop_sweep_slot(slot);
}

/** sim_sweep() - report lost stops, unless the sweep is off; may sleep */
void sim_sweep(struct sim_device *dev)
{
	if (READ_ONCE(sweep_ms))
		sim_stop_sweep(dev);
}
