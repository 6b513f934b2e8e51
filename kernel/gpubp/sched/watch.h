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
#include <uapi/linux/gpubp.h>

#include "../core/account.h"
#include "../lib/block_cover.h"
#include "../lib/fairq.h"

struct gpubp_ctx;
struct gpubp_device;
struct gpubp_rest;
struct gpubp_sync;
struct gpubp_user;
struct gpubp_user_share;

/**
 * struct gpubp_copy - what watched bytes were
 * @node: in gpubp_ctx.unread while bytes lack that were not mapped when the
 *	watch was armed; else empty
 * @watch: whose it is
 * @hit: number of the hit that found them so, 0 taken when armed
 * @old_value: first bytes before that hit, as a number
 * @had_old: @old_value is valid
 * @unchanged: that hit found all bytes as they were
 * @caught_up: taken when work came, not when the watch was armed: waves that ran
 *	may have stored before that
 * @len: valid bytes; 0 none
 * @bytes: the first bytes
 */
struct gpubp_copy {
	struct list_head node;
	struct gpubp_watch *watch;
	u64 hit;
	u64 old_value;
	bool had_old;
	bool unchanged;
	bool caught_up;
	u8 len;
	u8 bytes[GPUBP_CHANGED_MAX];
};

/**
 * struct gpubp_watch_stats - what a watch had since it was made
 * @since: first quantum of those in a row in which it is, or is not, armed
 * @quanta: quanta in which it was armed, up to @since
 * @gap: the longest that it waited until it was armed
 * @strays: hits of its slots that met bytes which nobody watches
 */
struct gpubp_watch_stats {
	u64 since;
	u64 quanta;
	struct gpubp_gap gap;
	u64 strays;
};

/**
 * struct gpubp_watch - watched bytes; all under the device lock
 * @rb: in gpubp_ctx.watches, by @start, @last, @access
 * @subtree_last: interval tree's
 * @start: first address
 * @last: last address, inclusive
 * @ctx: context
 * @refs: by its bindings as a whole, and by the committer
 * @access: GPUBP_ACCESS_* it matches
 * @nr_blocks: blocks of its cover (gpubp_watch_cover())
 * @pinned: some event that wants it is pinned
 * @accounted: its bindings are accounted as armed
 * @new_binding: some of its bindings is not accounted as yet
 * @rest: it stopped too many waves lately; NULL if not
 * @lifts: its neighbours may be lifted (gpubp_lift_join())
 * @id: unique since the module was loaded
 * @bindings: events that want it
 * @members: members of sets that want it (gpubp_member_binding.watch_node)
 * @node: in gpubp_device.armed while @slots or @copy; else in .fresh, if the
 *	committer is to look at it
 * @turn: its turn; it has none in a context that nothing can be armed in
 * @share: its user's, which it is charged to
 * @slots: bitmap of the slots that compare it now, 0 not armed
 * @armed_from: since when it has been so, ns of CLOCK_MONOTONIC
 * @old_slots: bitmap of the slots that compared it last before that
 * @old_from: since when
 * @old_to: until when
 * @wide_to: until when its slots compared more than its cover; U64_MAX they
 *	do now
 * @armed_ns: time armed before @armed_from
 * @stats: what it had
 * @copy: of the watched bytes; NULL if it was not armed lately
 *
 * There may be very many: what only the armed ones need is elsewhere.
 */
struct gpubp_watch {
	struct rb_node rb;
	u64 subtree_last;
	u64 start;
	u64 last;
	struct gpubp_ctx *ctx;
	unsigned int refs;
	u8 access;
	u8 nr_blocks;
	bool pinned:1;
	bool accounted:1;
	bool new_binding:1;
	bool lifts:1;
	struct gpubp_rest *rest;
	u64 id;
	struct list_head bindings;
	struct hlist_head members;
	struct list_head node;
	struct gpubp_turn turn;
	struct gpubp_user_share *share;
	u32 slots;
	u32 old_slots;
	u64 armed_from;
	u64 old_from;
	u64 old_to;
	u64 wide_to;
	u64 armed_ns;
	struct gpubp_watch_stats stats;
	struct gpubp_copy *copy;
};

struct gpubp_watch *gpubp_watch_get(struct gpubp_ctx *ctx, u64 start, u64 len,
				    u8 access, struct gpubp_user *user,
				    bool promised);
void gpubp_watch_joined(struct gpubp_watch *watch);
void gpubp_watch_forget_if_unused(struct gpubp_watch *watch);
void gpubp_watch_put(struct gpubp_watch *watch);
bool gpubp_watch_wanted(const struct gpubp_watch *watch);
void gpubp_watches_withdraw(struct gpubp_ctx *ctx);
void gpubp_watch_leave(struct gpubp_watch *watch);
bool gpubp_watch_return(struct gpubp_watch *watch);
struct gpubp_watch *gpubp_watch_find(struct gpubp_ctx *ctx, u64 start,
				     u64 last, u64 id);
int gpubp_watch_cover(const struct gpubp_watch *watch, unsigned int max,
		      struct gpubp_block block[GPUBP_MAX_BLOCKS]);
void gpubp_watch_set_copy(struct gpubp_watch *watch, const u8 *bytes, u8 len);
struct gpubp_watch *gpubp_watch_next_unread(struct gpubp_ctx *ctx);
void gpubp_watch_catch_up(struct gpubp_watch *watch, const u8 *bytes, u8 len);
void gpubp_watch_age_copy(struct gpubp_watch *watch, u64 now);
struct gpubp_watch *gpubp_watch_first(struct gpubp_ctx *ctx, u64 start,
				      u64 last);
struct gpubp_watch *gpubp_watch_next(struct gpubp_watch *watch, u64 start,
				     u64 last);
u32 gpubp_watch_slots_at(const struct gpubp_watch *watch, u64 time);
void gpubp_watch_set_slots(struct gpubp_watch *watch, u32 slots, u64 from,
			   u64 to);
void gpubp_watch_file(struct gpubp_watch *watch);
void gpubp_watch_set_wide(struct gpubp_watch *watch, bool wide, u64 to);
void gpubp_watch_account(struct gpubp_watch *watch, bool armed);
struct gpubp_gap gpubp_watch_waits(const struct gpubp_watch *watch);
struct gpubp_watch_stats gpubp_watch_stats_now(const struct gpubp_watch *watch);
void gpubp_watch_count(const struct gpubp_watch *watch, struct gpubp_sync *sync);
int gpubp_watch_init(void);
void gpubp_watch_exit(void);

#endif /* _GPUBP_WATCH_H */
