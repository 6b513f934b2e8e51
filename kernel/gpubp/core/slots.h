/* SPDX-License-Identifier: GPL-2.0 */
/* Slots: the comparators of a device that are granted and work. */
#ifndef _GPUBP_CORE_SLOTS_H
#define _GPUBP_CORE_SLOTS_H

#include <linux/types.h>

struct gpubp_device;

void gpubp_slots_acquire(struct gpubp_device *dev);
void gpubp_slots_release(struct gpubp_device *dev);
bool gpubp_slots_are_acquired(struct gpubp_device *dev);
u32 gpubp_slots_granted(struct gpubp_device *dev);
u32 gpubp_slots_usable(struct gpubp_device *dev);
void gpubp_slots_quarantine(struct gpubp_device *dev, u32 slots);
void gpubp_slots_forget(struct gpubp_device *dev, u32 slots);
u32 gpubp_slots_forgotten(struct gpubp_device *dev);

#endif /* _GPUBP_CORE_SLOTS_H */
