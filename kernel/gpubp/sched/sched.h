/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The room of the scheduler: which watch has which comparator, and when.
 *
 * sched.c is the worker of a device; each of its runs is a commit, and
 * quantum.c says when the next one begins. candidate.c chooses the watches to
 * arm, program.c builds the table for them, commit.c programs the hardware.
 * throttle.c disarms watches that stop too many waves, coalesce.c widens
 * comparators over several watches, which cover.c wants in place of turns.
 * handler_filter.c tells the trap handler which hits are strays, handler_count.c
 * lets it count hits, record_ring.c lets waves record them and go on; handler_ctxs.c
 * has the contexts where they do. ranges.c has the filters of devices that decide hits
 * without that handler. slot_changes.c says when a hit may be of either of
 * two programs.
 */
#ifndef _GPUBP_SCHED_SCHED_H
#define _GPUBP_SCHED_SCHED_H

#include <linux/kthread.h>
#include <linux/types.h>

#include "../core/core.h"
#include "../lib/block_cover.h"
#include "../lib/policy.h"
#include "coalesce.h"
#include "cover.h"
#include "handler_count.h"
#include "handler_ctxs.h"
#include "handler_filter.h"
#include "quantum.h"
#include "ranges.h"
#include "record_ring.h"
#include "slot_changes.h"
#include "throttle.h"

/**
 * struct gpubp_dev_sched - the scheduler's part of a device
 * @dev: the device
 * @policy: state of the policy; under the device lock
 * @policy_kind: enum gpubp_policy_kind, from the next quantum on
 * @quanta: when quanta end, and how long they were
 * @handlers: contexts whose trap handler decides hits
 * @counting: comparators whose hits the handler counts
 * @filtering: comparators whose strays the handler lets go on
 * @recording: comparators whose hits waves record
 * @nr_covers: contexts whose watches are widened in place of turns; likewise
 * @cover_run: number of the last run that chose covers; likewise
 * @hits_until: until when hits of the previous program may arrive, ns of
 *	CLOCK_MONOTONIC; U64_MAX: it is not known; the committer only
 * @window: how long after a hit that is, 0: commits wait for hits; likewise
 * @again: begins filters and counts when that is over
 * @barrier: the next run calls the provider although nothing differs; likewise
 * @throttle: watches that stop too many waves
 * @commit_from: start of the last commit, ns of CLOCK_MONOTONIC; device lock
 * @changes: by slot: when commits changed it; likewise
 * @hits_mark: gpubp_hits_mark() of an earlier commit; likewise
 * @marked_at: when that was, ns of CLOCK_MONOTONIC; likewise
 * @resolved: hits reported until then are resolved; likewise
 */
struct gpubp_dev_sched {
	struct gpubp_device *dev;
	struct gpubp_policy policy;
	u8 policy_kind;
	struct gpubp_quanta quanta;
	struct gpubp_handler_ctxs handlers;
	struct gpubp_handler_counting counting;
	struct gpubp_handler_filtering filtering;
	struct gpubp_recording recording;
	unsigned int nr_covers;
	u64 cover_run;
	u64 hits_until;
	u64 window;
	struct kthread_delayed_work again;
	bool barrier;
	struct gpubp_throttle throttle;
	u64 commit_from;
	struct gpubp_slot_changes changes[GPUBP_MAX_SLOTS];
	u64 hits_mark;
	u64 marked_at;
	u64 resolved;
};

/**
 * struct gpubp_ctx_sched - the scheduler's part of a context
 * @coalescing: which comparators may be widened; under the device lock
 * @cover: how far its watches are widened in place of turns
 * @handler: where the trap handler decides hits
 * @counts: comparators whose hits the handler counts
 * @filters: comparators whose strays the handler lets go on
 * @ring: comparators whose hits waves record, and where
 * @ranges: of @filters, for a device that decides hits by itself
 * @throttle: how long its waves are stopped
 * @plans: of @filters, two for each comparator of the device
 */
struct gpubp_ctx_sched {
	struct gpubp_coalescing coalescing;
	struct gpubp_cover cover;
	struct gpubp_handler_ctx handler;
	struct gpubp_handler_counts counts;
	struct gpubp_handler_filters filters;
	struct gpubp_record_ring ring;
	struct gpubp_ctx_ranges ranges;
	struct gpubp_throttle_ctx throttle;
	struct gpubp_filter_plan plans[];
};

int gpubp_sched_init(void);
void gpubp_sched_exit(void);
int gpubp_sched_init_device(struct gpubp_device *dev);
void gpubp_sched_exit_device(struct gpubp_device *dev);
int gpubp_sched_init_ctx(struct gpubp_ctx *ctx);
void gpubp_sched_suspended(struct gpubp_device *dev);
const char *gpubp_sched_policy(const struct gpubp_device *dev);
int gpubp_sched_set_policy(struct gpubp_device *dev, const char *name);

/* old_value.c */
void gpubp_values_catch_up(struct gpubp_ctx *ctx);
void gpubp_match_value_read(struct gpubp_ctx *ctx, struct gpubp_hit_match *m);
void gpubp_values_read(struct gpubp_hit_cell *cell);
void gpubp_value_update(struct gpubp_watch *watch, struct gpubp_hit_match *m);

/* strays.c */
u64 gpubp_stray_ns(const struct gpubp_device *dev);
u64 gpubp_record_ns(const struct gpubp_device *dev);
u64 gpubp_stray_mark(const struct gpubp_device *dev, u64 serial);
void gpubp_watch_add_strays(struct gpubp_watch *w, u32 nr, u64 mark);

/* group.c */
void gpubp_group_set(struct gpubp_binding *b, u64 group);
struct gpubp_watch *gpubp_group_next(const struct gpubp_ctx *ctx, u64 group,
				     const struct gpubp_watch *prev);

/* watch.c */
struct gpubp_watch *gpubp_watch_get(struct gpubp_ctx *ctx, u64 start, u64 len,
				    u8 access, struct gpubp_user *user,
				    bool reserved);
void gpubp_watch_binding_added(struct gpubp_watch *watch);
void gpubp_watch_free_unused(struct gpubp_watch *watch);
void gpubp_watches_withdraw(struct gpubp_ctx *ctx);
struct gpubp_watch *gpubp_watch_find(struct gpubp_ctx *ctx, u64 start,
				     u64 last, u64 id);
int gpubp_watch_cover(const struct gpubp_watch *watch, unsigned int max,
		      struct gpubp_block block[GPUBP_MAX_BLOCKS]);
struct gpubp_watch *gpubp_watch_first(struct gpubp_ctx *ctx, u64 start,
				      u64 last);
struct gpubp_watch *gpubp_watch_next(struct gpubp_watch *watch, u64 start,
				     u64 last);
struct gpubp_watch *gpubp_watch_next_in_slots(struct gpubp_ctx *ctx,
					      struct gpubp_watch *prev,
					      u32 slots);
u32 gpubp_watch_slots_at(const struct gpubp_watch *watch, u64 time);
u32 gpubp_watch_slots_certain(const struct gpubp_watch *watch, u64 time);
bool gpubp_watch_is_unmapped(const struct gpubp_watch *watch);
struct gpubp_gap gpubp_watch_gap(const struct gpubp_watch *watch);
struct gpubp_watch_stats gpubp_watch_stats_now(const struct gpubp_watch *watch);
void gpubp_watch_sync(const struct gpubp_watch *watch, struct gpubp_sync *sync);

#endif /* _GPUBP_SCHED_SCHED_H */
