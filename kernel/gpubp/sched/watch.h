/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A watch: (context, bytes, kinds of access). Equal watches are one object,
 * shared by all events that want it.
 */
#ifndef _GPUBP_SCHED_WATCH_H
#define _GPUBP_SCHED_WATCH_H

#include "../core/core.h"
#include "../lib/block_cover.h"

struct gpubp_sync;

void gpubp_watch_put(struct gpubp_watch *watch);
bool gpubp_watch_is_wanted(const struct gpubp_watch *watch);
void gpubp_watch_dequeue(struct gpubp_watch *watch);
bool gpubp_watch_enqueue(struct gpubp_watch *watch);
void gpubp_watch_set_copy(struct gpubp_watch *watch,
			  const struct gpubp_reading *read);
struct gpubp_watch *gpubp_watch_next_unread(struct gpubp_ctx *ctx);
void gpubp_watch_catch_up(struct gpubp_watch *watch,
			  const struct gpubp_reading *read);
void gpubp_watch_set_unmapped(struct gpubp_watch *watch, bool unmapped);
void gpubp_watch_age(struct gpubp_watch *watch, u64 resolved);
void gpubp_watch_set_next_slots(struct gpubp_watch *watch, u32 slots);
void gpubp_watch_set_slots(struct gpubp_watch *watch, u32 slots, u64 from,
			   u64 to);
void gpubp_watch_update_list(struct gpubp_watch *watch);
void gpubp_watch_set_wide(struct gpubp_watch *watch, bool wide, u64 to);
void gpubp_watch_account(struct gpubp_watch *watch, bool armed);
int gpubp_watch_init(void);
void gpubp_watch_exit(void);

#endif /* _GPUBP_SCHED_WATCH_H */
