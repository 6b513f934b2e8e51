/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Throttling: limit the number of waves of a context that are stalled for hits.
 *
 * A wave that hits is stalled until the hit is resolved. That slows down its
 * own process, but others, too: the wave occupies the GPU while it is stalled,
 * and the resolver thread is busy. So the average number of stalled waves of a
 * context is limited. If it is exceeded, the watches in the slot that stalled
 * waves for longest are throttled: they are disarmed for 100 ms, and for longer
 * each time that this does not suffice. A throttled watch counts as armed, and
 * its events have a lost sample.
 */
#ifndef _GPUBP_SCHED_THROTTLE_H
#define _GPUBP_SCHED_THROTTLE_H

#include <linux/gpubp.h>
#include <linux/hashtable.h>
#include <linux/list.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>

#include "../lib/budget.h"

struct gpubp_ctx;
struct gpubp_device;
struct gpubp_hit_cell;
struct gpubp_step;
struct gpubp_watch;
struct seq_file;

/*
 * One entry for each slot and one for all breaks (gpubp_trap_point.stalled says
 * which).
 */
#define GPUBP_STALL_BREAKS	GPUBP_MAX_SLOTS
#define GPUBP_STALL_PLACES	(GPUBP_STALL_BREAKS + 1)

/**
 * struct gpubp_throttle_ctx - stall time of a context
 * @lock: protects the other members; taken by the resolver for each hit
 * @budget: how long waves may be stalled
 * @stall_ns: how long waves were stalled, by slot, for what the slot compares
 *	now; the last entry is of breaks
 * @since: when the slot began to compare that, by slot, ns of CLOCK_MONOTONIC
 * @over: the budget is exceeded, and the committer has not reacted yet
 */
struct gpubp_throttle_ctx {
	raw_spinlock_t lock;
	struct gpubp_budget budget;
	u64 stall_ns[GPUBP_STALL_PLACES];
	u64 since[GPUBP_MAX_SLOTS];
	bool over;
};

/**
 * struct gpubp_throttle - throttled watches of a device; under its lock
 * @watches: struct gpubp_watch_throttle, by gpubp_watch_throttle.node
 * @by_watch: likewise, by gpubp_watch_throttle.hash_node
 * @nr: how often a watch or a break was throttled
 * @work: requests a commit when the next backoff ends
 */
struct gpubp_throttle {
	struct list_head watches;
	DECLARE_HASHTABLE(by_watch, 6);
	u64 nr;
	struct delayed_work work;
};

/**
 * struct gpubp_watch_throttle - a watch that is, or lately was, throttled
 * @node: in gpubp_throttle.watches
 * @hash_node: in gpubp_throttle.by_watch, by the address of @watch
 * @watch: the watch
 * @backoff: until when, and for how long the next time
 * @active: the watch is throttled now
 */
struct gpubp_watch_throttle {
	struct list_head node;
	struct hlist_node hash_node;
	struct gpubp_watch *watch;
	struct gpubp_backoff backoff;
	bool active;
};

extern unsigned int gpubp_max_stall_percent;

void gpubp_throttle_init(struct gpubp_device *dev);
void gpubp_throttle_init_ctx(struct gpubp_ctx *ctx);
void gpubp_throttle_exit(struct gpubp_device *dev);
u64 gpubp_throttle_begin(const struct gpubp_hit_cell *cell);
void gpubp_throttle_hit(struct gpubp_hit_cell *cell, u32 slots,
			const struct gpubp_step *step, u64 began);
void gpubp_throttle_programmed(struct gpubp_device *dev, u32 slots, u64 from);
void gpubp_throttle_choose(struct gpubp_device *dev);
bool gpubp_watch_is_throttled(const struct gpubp_watch *watch);
void gpubp_throttle_free(struct gpubp_watch *watch);
void gpubp_throttle_show(struct gpubp_device *dev, struct seq_file *m);

#endif /* _GPUBP_SCHED_THROTTLE_H */
