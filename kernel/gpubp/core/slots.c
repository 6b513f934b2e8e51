// SPDX-License-Identifier: GPL-2.0
/*
 * Slots: the slot set of a device, under its table_lock, and the provider's
 * grants.
 */
#include <kunit/visibility.h>
#include <linux/export.h>

#include "device.h"
#include "slots.h"

/**
 * gpubp_slots_acquire() - acquire all declared slots from the provider
 * @dev: device being registered
 *
 * May sleep. It is no error if none is granted: they may be returned later.
 *
 * Return: 0 or a negative errno other than -EBUSY.
 */
int gpubp_slots_acquire(struct gpubp_device *dev)
{
	u32 declared = dev->slots.declared;
	int granted;

	if (!declared)
		return 0;
	granted = dev->ops.acquire(dev->priv, declared);
	if (granted < 0 && granted != -EBUSY)
		return granted;
	guard(raw_spinlock_irqsave)(&dev->table_lock);
	if (granted > 0)
		gpubp_slotset_acquired(&dev->slots, granted);
	return 0;
}

/** gpubp_slots_release() - release all granted slots; may sleep */
void gpubp_slots_release(struct gpubp_device *dev)
{
	u32 granted = gpubp_slots_granted(dev);

	if (granted)
		dev->ops.release(dev->priv, granted);
}

/** gpubp_slots_granted() - bitmap of granted slots; any context */
u32 gpubp_slots_granted(struct gpubp_device *dev)
{
	return READ_ONCE(dev->slots.granted);
}

/** gpubp_slots_usable() - bitmap of granted slots that work; any context */
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
