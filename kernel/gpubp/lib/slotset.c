// SPDX-License-Identifier: GPL-2.0
/*
 * A slot set: which comparators of a device are ours, and work.
 *
 * They are shared with others, a debugger of the vendor's, say, who may take
 * some at any time. One that could not be programmed is quarantined until it
 * was somebody else's in between.
 */
#include <linux/kernel.h>
#include "slotset.h"

/** gpubp_slotset_init() - none is ours, but @declared may be */
void gpubp_slotset_init(struct gpubp_slotset *set, u32 declared)
{
	*set = (struct gpubp_slotset) { .declared = declared };
}

/**
 * gpubp_slotset_acquired() - we asked for slots, and were given these
 * @set: slots
 * @slots: bitmap; what was returned to us while we asked is ours as well
 */
void gpubp_slotset_acquired(struct gpubp_slotset *set, u32 slots)
{
	/* gpubp_slots_granted() looks without the lock */
	WRITE_ONCE(set->granted, set->granted | (slots & set->declared));
}

static void change(struct gpubp_slotset *set, u32 lost, u32 returned)
{
	WRITE_ONCE(set->granted, (set->granted & ~lost) | returned);
	set->failed &= ~(lost | returned);
	set->forgotten |= lost | returned;
}

/** gpubp_slotset_lost() - somebody took these slots away */
void gpubp_slotset_lost(struct gpubp_slotset *set, u32 slots)
{
	change(set, slots, 0);
}

/** gpubp_slotset_returned() - somebody does not need these slots any more */
void gpubp_slotset_returned(struct gpubp_slotset *set, u32 slots)
{
	change(set, 0, slots & set->declared);
}

/**
 * gpubp_slotset_quarantine() - slots could not be programmed
 * @set: slots
 * @slots: bitmap; that is no failure of those that somebody took away meanwhile
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

/** gpubp_slotset_usable() - bitmap of those that are ours and work */
u32 gpubp_slotset_usable(const struct gpubp_slotset *set)
{
	return set->granted & ~set->failed;
}
