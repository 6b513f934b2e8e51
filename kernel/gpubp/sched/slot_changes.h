/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Slot changes: when commits changed what a slot compares. From the start of
 * such a commit until no hit of the old program can be raised any more, a hit
 * of the slot may be of the old program or of the new one.
 */
#ifndef _GPUBP_SCHED_SLOT_CHANGES_H
#define _GPUBP_SCHED_SLOT_CHANGES_H

#include <linux/types.h>

/**
 * struct gpubp_slot_changes - the last changes of a slot; device lock
 * @nr: number of changes so far
 * @from: start of each, ns of CLOCK_MONOTONIC; that of change n is at n modulo
 *	the size
 * @to: end of each; U64_MAX while the commit is not over
 */
struct gpubp_slot_changes {
	u64 nr;
	u64 from[4];
	u64 to[4];
};

void gpubp_slot_change_begin(struct gpubp_slot_changes *changes, u64 from);
void gpubp_slot_change_end(struct gpubp_slot_changes *changes, u64 to);
bool gpubp_slot_is_settled(const struct gpubp_slot_changes *changes, u64 time);

#endif /* _GPUBP_SCHED_SLOT_CHANGES_H */
