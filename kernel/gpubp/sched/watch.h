/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A watch: (context, bytes, kinds of access). Equal watches are one object,
 * however many events want it.
 */
#ifndef _GPUBP_WATCH_H
#define _GPUBP_WATCH_H

#include "../core/types.h"
#include "../lib/block_cover.h"

struct gpubp_sync;

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
