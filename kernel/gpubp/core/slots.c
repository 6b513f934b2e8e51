// SPDX-License-Identifier: GPL-2.0
/*
 * Slots: the slot set of a device, under its table_lock, and the provider's
 * grants.
 */
#include <kunit/visibility.h>
#include <linux/export.h>

#include "device.h"
#include "request.h"
#include "slots.h"

static bool slots_are_wanted(struct gpubp_device *dev)
{
	guard(mutex)(&dev->lock);
	return dev->nr_watches && !dev->suspended && !dev->requests.stopped;
}

static bool slots_acquire_begin(struct gpubp_device *dev)
{
	guard(raw_spinlock_irqsave)(&dev->table_lock);
	if (!dev->slots.declared || dev->slots.held)
		return false;
	gpubp_slotset_acquire(&dev->slots);
	return true;
}

/**
 * gpubp_slots_acquire() - acquire all declared slots if there is a watch
 * @dev: device
 *
 * The committer only; may sleep. It is no error if none is granted: they may be
 * returned later.
 */
void gpubp_slots_acquire(struct gpubp_device *dev)
{
	int granted;

	if (!slots_are_wanted(dev) || !slots_acquire_begin(dev))
		return;
	granted = dev->ops.acquire(dev->priv, dev->slots.declared);
	if (granted < 0 && granted != -EBUSY)
		pr_warn_once("gpubp: %s: no comparators: %d\n", dev->name,
			     granted);
	guard(raw_spinlock_irqsave)(&dev->table_lock);
	gpubp_slotset_acquired(&dev->slots, max(granted, 0));
}

/**
 * gpubp_slots_are_acquired() - may slots be programmed
 * @dev: device; true if it declares no slot to acquire
 *
 * Any context.
 */
bool gpubp_slots_are_acquired(struct gpubp_device *dev)
{
	guard(raw_spinlock_irqsave)(&dev->table_lock);
	return !dev->slots.declared || dev->slots.held;
}

static bool slots_release_begin(struct gpubp_device *dev)
{
	guard(raw_spinlock_irqsave)(&dev->table_lock);
	if (!dev->slots.held)
		return false;
	gpubp_slotset_release(&dev->slots);
	return true;
}

/**
 * gpubp_slots_release() - release all slots, if they are acquired
 * @dev: device, on which no slot is programmed
 *
 * The committer, or after its end; may sleep.
 */
void gpubp_slots_release(struct gpubp_device *dev)
{
	if (slots_release_begin(dev))
		dev->ops.release(dev->priv, dev->slots.declared);
}

/** gpubp_slots_granted() - bitmap of slots that are or may be granted */
u32 gpubp_slots_granted(struct gpubp_device *dev)
{
	guard(raw_spinlock_irqsave)(&dev->table_lock);
	return gpubp_slotset_granted(&dev->slots);
}

/** gpubp_slots_usable() - of these, those that work; any context */
u32 gpubp_slots_usable(struct gpubp_device *dev)
{
	guard(raw_spinlock_irqsave)(&dev->table_lock);
	return gpubp_slotset_usable(&dev->slots);
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_slots_usable);

/**
 * gpubp_slots_quarantine() - disable slots that could not be programmed
 * @dev: device
 * @slots: bitmap; slots that were lost during the commit are ignored
 *
 * Any context.
 */
void gpubp_slots_quarantine(struct gpubp_device *dev, u32 slots)
{
	guard(raw_spinlock_irqsave)(&dev->table_lock);
	gpubp_slotset_quarantine(&dev->slots, slots);
}

/**
 * gpubp_slots_forget() - the content of these slots is not known any more
 * @dev: device
 * @slots: bitmap
 *
 * Any context. The next commit programs them again, but for those that are not
 * granted any more.
 */
void gpubp_slots_forget(struct gpubp_device *dev, u32 slots)
{
	guard(raw_spinlock_irqsave)(&dev->table_lock);
	gpubp_slotset_forget(&dev->slots, slots);
}

/** gpubp_slots_forgotten() - get and clear the bitmap of these; any context */
u32 gpubp_slots_forgotten(struct gpubp_device *dev)
{
	guard(raw_spinlock_irqsave)(&dev->table_lock);
	return gpubp_slotset_take_forgotten(&dev->slots);
}

void gpubp_slots_lost(struct gpubp_device *dev, u32 slots)
{
	scoped_guard(raw_spinlock_irqsave, &dev->table_lock)
		gpubp_slotset_lost(&dev->slots, slots);
	gpubp_request_now(dev);
}
EXPORT_SYMBOL_GPL(gpubp_slots_lost);

void gpubp_slots_returned(struct gpubp_device *dev, u32 slots)
{
	scoped_guard(raw_spinlock_irqsave, &dev->table_lock)
		gpubp_slotset_returned(&dev->slots, slots);
	gpubp_request(dev);
}
EXPORT_SYMBOL_GPL(gpubp_slots_returned);
