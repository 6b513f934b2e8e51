/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A watch: (context, bytes, kinds of access). Equal watches are one object,
 * however many events want it.
 */
#ifndef _GPUBP_WATCH_H
#define _GPUBP_WATCH_H

#include <linux/list.h>
#include <linux/rbtree.h>
#include <linux/types.h>

#include "cover.h"

struct gpubp_ctx;
struct gpubp_device;

/**
 * struct gpubp_watch - watched bytes; all under the device lock
 * @rb: in gpubp_ctx.watches
 * @subtree_last: interval tree's
 * @start: first address
 * @last: last address, inclusive
 * @ctx: context
 * @refs: by its bindings as a whole, and by the committer
 * @id: unique since the module was loaded
 * @access: GPUBP_ACCESS_* it matches
 * @pinned: some event that wants it is pinned
 * @changed: some event that wants it compares values
 * @nr_blocks: blocks of its cover
 * @block: the cover
 * @bindings: events that want it
 * @last_armed: quantum, for the policy
 * @slots: bitmap of the slots that compare it now, 0 not armed
 * @armed_from: since when, ns of CLOCK_MONOTONIC
 * @old_slots: bitmap of the slots that compared it last before that
 * @old_from: since when
 * @old_to: until when
 * @armed_ns: time armed before @armed_from
 * @copy: the watched bytes, as many as @copy_len
 * @copy_len: 0 no copy yet
 */
struct gpubp_watch {
	struct rb_node rb;
	u64 subtree_last;
	u64 start;
	u64 last;
	struct gpubp_ctx *ctx;
	unsigned int refs;
	u64 id;
	u8 access;
	bool pinned;
	bool changed;
	u8 nr_blocks;
	struct gpubp_block block[2];
	struct list_head bindings;
	u64 last_armed;
	u32 slots;
	u64 armed_from;
	u32 old_slots;
	u64 old_from;
	u64 old_to;
	u64 armed_ns;
	u8 copy_len;
	u8 copy[64];
};

struct gpubp_watch *gpubp_watch_get(struct gpubp_ctx *ctx, u64 start, u64 len,
				    u8 access);
void gpubp_watch_forget_if_unused(struct gpubp_watch *watch);
void gpubp_watch_put(struct gpubp_watch *watch);
struct gpubp_watch *gpubp_watch_find(struct gpubp_ctx *ctx, u64 start, u64 id);
struct gpubp_watch *gpubp_watch_first(struct gpubp_ctx *ctx, u64 start,
				      u64 last);
struct gpubp_watch *gpubp_watch_next(struct gpubp_watch *watch, u64 start,
				     u64 last);
u32 gpubp_watch_slots_at(const struct gpubp_watch *watch, u64 time);
void gpubp_watch_set_slots(struct gpubp_watch *watch, u32 slots, u64 from,
			   u64 to);

#endif /* _GPUBP_WATCH_H */
