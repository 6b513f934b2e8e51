// SPDX-License-Identifier: GPL-2.0
/* Slot set: see slotset.h. */
#include <linux/kernel.h>

#include "slotset.h"

/** gpubp_slotset_init() - none is granted, but @declared may be */
void gpubp_slotset_init(struct gpubp_slotset *set, u32 declared)
{
	*set = (struct gpubp_slotset) { .declared = declared };
}

/**
 * gpubp_slotset_acquired() - slots were requested, and these are granted
 * @set: slots
 * @slots: bitmap; slots that were returned during the request stay granted, too
 */
void gpubp_slotset_acquired(struct gpubp_slotset *set, u32 slots)
{
	/* gpubp_slots_granted() reads without the lock */
	WRITE_ONCE(set->granted, set->granted | (slots & set->declared));
}

static void slotset_change(struct gpubp_slotset *set, u32 lost, u32 returned)
{
	WRITE_ONCE(set->granted, (set->granted & ~lost) | returned);
	set->failed &= ~(lost | returned);
	set->forgotten |= lost | returned;
}

/** gpubp_slotset_lost() - another user took these slots */
void gpubp_slotset_lost(struct gpubp_slotset *set, u32 slots)
{
	slotset_change(set, slots, 0);
}

/** gpubp_slotset_returned() - another user gave these slots back */
void gpubp_slotset_returned(struct gpubp_slotset *set, u32 slots)
{
	slotset_change(set, 0, slots & set->declared);
}

/**
 * gpubp_slotset_quarantine() - slots could not be programmed
 * @set: slots
 * @slots: bitmap; those that another user took since are not counted as failed
 */
void gpubp_slotset_quarantine(struct gpubp_slotset *set, u32 slots)
{
	set->failed |= slots & set->granted & ~set->forgotten;
}

/** gpubp_slotset_forget() - what these slots compare is not known any more */
void gpubp_slotset_forget(struct gpubp_slotset *set, u32 slots)
{
	set->forgotten |= slots;
}

/** gpubp_slotset_take_forgotten() - bitmap of the forgotten slots, once */
u32 gpubp_slotset_take_forgotten(struct gpubp_slotset *set)
{
	u32 slots = set->forgotten;

	set->forgotten = 0;
	return slots;
}

/** gpubp_slotset_usable() - bitmap of those that are granted and work */
u32 gpubp_slotset_usable(const struct gpubp_slotset *set)
{
	return set->granted & ~set->failed;
}
