/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Slot set: which comparators of a device may be used by gpubp, and work.
 *
 * They are shared with other users, a debugger of the vendor's, say, which may
 * take some at any time. gpubp holds them while it has a watch; until then all
 * are expected to be granted. A comparator that could not be programmed is in
 * quarantine until another user has had it, or may have had it.
 *
 * Pure: no lock, no time; compiles in user space.
 */
#ifndef _GPUBP_LIB_SLOTSET_H
#define _GPUBP_LIB_SLOTSET_H

#include <linux/types.h>

/**
 * struct gpubp_slotset - bitmaps of a device's slots
 * @declared: those that can be granted at all
 * @acquiring: they are being acquired, or are held
 * @held: they were acquired and not released since
 * @granted: of them, those that are granted to gpubp
 * @failed: of them, those that could not be programmed
 * @forgotten: slots that another user had, or may have had, since the last
 *	commit began: what they compare is not known
 */
struct gpubp_slotset {
	u32 declared;
	bool acquiring;
	bool held;
	u32 granted;
	u32 failed;
	u32 forgotten;
};

void gpubp_slotset_init(struct gpubp_slotset *set, u32 declared);
void gpubp_slotset_acquire(struct gpubp_slotset *set);
void gpubp_slotset_acquired(struct gpubp_slotset *set, u32 slots);
void gpubp_slotset_release(struct gpubp_slotset *set);
void gpubp_slotset_lost(struct gpubp_slotset *set, u32 slots);
void gpubp_slotset_returned(struct gpubp_slotset *set, u32 slots);
void gpubp_slotset_quarantine(struct gpubp_slotset *set, u32 slots);
void gpubp_slotset_forget(struct gpubp_slotset *set, u32 slots);
u32 gpubp_slotset_take_forgotten(struct gpubp_slotset *set);
u32 gpubp_slotset_granted(const struct gpubp_slotset *set);
u32 gpubp_slotset_usable(const struct gpubp_slotset *set);

#endif /* _GPUBP_LIB_SLOTSET_H */
