/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A meter: a comparator of a context whose hits the trap handler counts, for one
 * event. Only each period-th hit stops its wave and is reported.
 *
 * The handler's counter is read only, while it counts, and the handler counts
 * modulo the period. So of what it says, an event was told up to @credited of the
 * period that runs; a report that comes tells of the rest of one that is over,
 * and makes it 0. While such a report is on its way the counter seems to have
 * gone back: then nothing is told.
 */
#ifndef _GPUBP_SCHED_HANDLER_COUNT_H
#define _GPUBP_SCHED_HANDLER_COUNT_H

#include <linux/gpubp.h>
#include <linux/kthread.h>
#include <linux/refcount.h>
#include <linux/spinlock_types.h>
#include <linux/types.h>

struct gpubp_candidate;
struct gpubp_commit;
struct gpubp_ctx;
struct gpubp_device;
struct gpubp_event;
struct gpubp_watch;

/**
 * struct gpubp_count_sink - where meters tell an event of what they counted
 * @ref: by the event and by its meters
 * @lock: raw, interrupts off; nothing is inside it
 * @event: the event; NULL once it is gone; under @lock
 */
struct gpubp_count_sink {
	refcount_t ref;
	raw_spinlock_t lock;
	struct gpubp_event *event;
};

/**
 * struct gpubp_handler_count - a comparator whose hits are counted; under the device lock
 * @sink: whose; NULL: the comparator is not counted
 * @watch: id of the watch
 * @limit: period - 1, as it is in the handler's memory while @counts
 * @credited: hits of the period that runs which the event was told of
 * @nr_limits: reports of whole periods that came
 * @counts: hits are counted; else they are reported, and what the counter says
 *	is still to be told
 */
struct gpubp_handler_count {
	struct gpubp_count_sink *sink;
	u64 watch;
	u32 limit;
	u32 credited;
	u64 nr_limits;
	bool counts;
};

/**
 * struct gpubp_handler_counts - a context's; under the device lock
 * @meter: entry n for comparator n
 * @next: ids of the watches to be counted from the commit on that is being made,
 *	0 none; committer only
 * @round: of the last walk that was here; committer only
 */
struct gpubp_handler_counts {
	struct gpubp_handler_count meter[GPUBP_MAX_SLOTS];
	u64 next[GPUBP_MAX_SLOTS];
	u64 round;
};

/**
 * struct gpubp_handler_counting - a device's
 * @work: brings events up to date; runs on the committer
 * @nr: meters; under the device lock
 * @chosen: some comparator may get one; committer only
 * @round: number of the last walk; likewise
 * @hits_until: until when hits of what was compared before may come; ns of
 *	CLOCK_MONOTONIC; committer only
 * @asked: how often somebody waited to be brought up to date
 * @done: the last @asked that has been
 */
struct gpubp_handler_counting {
	struct kthread_delayed_work work;
	unsigned int nr;
	bool chosen;
	u64 round;
	u64 hits_until;
	atomic64_t asked;
	u64 done;
};

/**
 * struct gpubp_count_delta - what a reported hit stands for
 * @watch: id of the watch that it is counted for, 0 for none
 * @sink: its event's; a reference is held
 * @weight: hits, this one included, that the event was not told of
 * @credited: hits of that period that it was told of
 */
struct gpubp_count_delta {
	u64 watch;
	struct gpubp_count_sink *sink;
	u64 weight;
	u64 credited;
};

struct gpubp_count_sink *gpubp_count_sink_alloc(struct gpubp_event *gev);
void gpubp_count_sink_detach(struct gpubp_count_sink *sink);

void gpubp_handler_counts_init(struct gpubp_device *dev);
void gpubp_handler_counts_exit(struct gpubp_device *dev);
void gpubp_handler_counts_choose(struct gpubp_ctx *ctx,
				 const struct gpubp_candidate *cand);
void gpubp_handler_counts_end(struct gpubp_commit *c);
void gpubp_handler_counts_begin(struct gpubp_commit *c);
void gpubp_handler_counts_queue_added(struct gpubp_ctx *ctx);
void gpubp_handler_counts_finish(struct gpubp_ctx *ctx);
int gpubp_handler_counts_wait(struct gpubp_device *dev, unsigned long timeout);

void gpubp_handler_count_read(struct gpubp_ctx *ctx,
			      const struct gpubp_trap_record *trap,
			      struct gpubp_count_delta *delta);
void gpubp_handler_count_reported(struct gpubp_count_delta *delta,
				  bool matched);

#endif /* _GPUBP_SCHED_HANDLER_COUNT_H */
