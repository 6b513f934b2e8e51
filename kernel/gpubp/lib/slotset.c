// SPDX-License-Identifier: GPL-2.0
/* Slot set: see slotset.h. */
#include <linux/kernel.h>

#include "slotset.h"

/** gpubp_slotset_init() - none is acquired; @declared may be granted */
void gpubp_slotset_init(struct gpubp_slotset *set, u32 declared)
{
	*set = (struct gpubp_slotset) { .declared = declared };
}

/** gpubp_slotset_acquire() - slots are about to be acquired */
void gpubp_slotset_acquire(struct gpubp_slotset *set)
{
	set->acquiring = true;
}

/**
 * gpubp_slotset_acquired() - slots were requested, and these are granted
 * @set: slots
 * @slots: bitmap; slots that were returned during the request stay granted, too
 */
void gpubp_slotset_acquired(struct gpubp_slotset *set, u32 slots)
{
	set->acquiring = true;
	set->held = true;
	set->granted |= slots & set->declared;
}

/**
 * gpubp_slotset_release() - all slots are about to be given back
 * @set: slots
 *
 * Who has them until they are acquired again is not known, so that what failed
 * may work then.
 */
void gpubp_slotset_release(struct gpubp_slotset *set)
{
	set->acquiring = false;
	set->held = false;
	set->granted = 0;
	set->failed = 0;
}

static void slotset_change(struct gpubp_slotset *set, u32 lost, u32 returned)
{
	set->granted &= ~lost;
	if (set->acquiring)
		set->granted |= returned;
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

/** gpubp_slotset_granted() - bitmap of those that are or may be granted */
u32 gpubp_slotset_granted(const struct gpubp_slotset *set)
{
	return set->held ? set->granted : set->declared;
}

/** gpubp_slotset_usable() - of these, those that work */
u32 gpubp_slotset_usable(const struct gpubp_slotset *set)
{
	return gpubp_slotset_granted(set) & ~set->failed;
}
