// SPDX-License-Identifier: GPL-2.0
/* Slot changes: see slot_changes.h. */
#include <kunit/visibility.h>
#include <linux/array_size.h>
#include <linux/export.h>
#include <linux/limits.h>
#include <linux/minmax.h>

#include "slot_changes.h"

/** gpubp_slot_change_begin() - a commit that changes the slot begins */
void gpubp_slot_change_begin(struct gpubp_slot_changes *changes, u64 from)
{
	unsigned int n = changes->nr++ % ARRAY_SIZE(changes->from);

	changes->from[n] = from;
	changes->to[n] = U64_MAX;
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_slot_change_begin);

/**
 * gpubp_slot_change_end() - the commit is over
 * @changes: of a slot whose last change has begun
 * @to: when the last hit of the old program can be raised, ns of
 *	CLOCK_MONOTONIC
 */
void gpubp_slot_change_end(struct gpubp_slot_changes *changes, u64 to)
{
	changes->to[(changes->nr - 1) % ARRAY_SIZE(changes->to)] = to;
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_slot_change_end);

/**
 * gpubp_slot_is_settled() - is it certain which program a hit is of
 * @changes: of the slot
 * @time: of the hit, ns of CLOCK_MONOTONIC
 *
 * Return: false if the slot was being changed at that time, or if that is too
 * long ago.
 */
bool gpubp_slot_is_settled(const struct gpubp_slot_changes *changes, u64 time)
{
	u64 kept = min(changes->nr, ARRAY_SIZE(changes->from)), first = U64_MAX;
	u64 n;

	for (n = 0; n < kept; n++) {
		if (time >= changes->from[n] && time <= changes->to[n])
			return false;
		first = min(first, changes->from[n]);
	}
	return kept == changes->nr || time > first;
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_slot_is_settled);
