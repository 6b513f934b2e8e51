// SPDX-License-Identifier: GPL-2.0
/*
 * Strays: hits of a comparator at bytes that no watch covers, in the statistics
 * of the watches that it compares for, and of their events.
 */
#include <linux/atomic.h>
#include <linux/bits.h>
#include <linux/limits.h>
#include <linux/list.h>
#include <linux/lockdep.h>
#include <linux/minmax.h>

#include "../core/core.h"
#include "sched.h"

/* the lowest byte of a mark, as of a hit's number, is that of the device */
#define MARK_SHIFT	8

#define STRAY_NS	2000	/* of a device that does not say */

/* a wave is in the handler twice as long to record a hit as for a stray */
#define RECORD_STRAYS	2

/**
 * gpubp_stray_mark() - mark of strays that were never reported as hits
 * @dev: device
 * @serial: differs from that of all other such marks of the device
 *
 * Return: the mark; no hit has that number.
 */
u64 gpubp_stray_mark(const struct gpubp_device *dev, u64 serial)
{
	return BIT_ULL(63) | serial << MARK_SHIFT | dev->number;
}

/** gpubp_stray_ns() - about how long a wave is in the handler for a stray, ns */
u64 gpubp_stray_ns(const struct gpubp_device *dev)
{
	return dev->desc.caps.stray_ns ?: STRAY_NS;
}

/** gpubp_record_ns() - likewise, to record a hit, ns */
u64 gpubp_record_ns(const struct gpubp_device *dev)
{
	return RECORD_STRAYS * gpubp_stray_ns(dev);
}

static void event_add_strays(struct gpubp_event *gev, u32 nr, u64 mark)
{
	u64 *last = &gev->hits->stray[(u8)mark % GPUBP_LAST_HITS];

	if (*last == mark)
		return;		/* counted already, for another watch */
	*last = mark;
	atomic64_add(nr, &gev->strays);
}

/**
 * gpubp_watch_add_strays() - count strays of a watch's comparator
 * @w: watch; the device lock is held
 * @nr: number of strays
 * @mark: number of the hit, or gpubp_stray_mark(): an event with several watches
 *	counts strays of one mark once
 */
void gpubp_watch_add_strays(struct gpubp_watch *w, u32 nr, u64 mark)
{
	struct gpubp_member_binding *mb;
	struct gpubp_binding *b;

	lockdep_assert_held(&w->ctx->dev->lock);
	w->strays = min_t(u64, U32_MAX, (u64)w->strays + nr);
	list_for_each_entry(b, &w->bindings, watch_node)
		event_add_strays(b->event, nr, mark);
	hlist_for_each_entry(mb, &w->members, watch_node)
		list_for_each_entry(b, &mb->set_binding->bindings, watch_node)
			event_add_strays(b->event, nr, mark);
}
