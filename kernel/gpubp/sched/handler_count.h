/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Handler counts: the trap handler counts the hits of a comparator of a
 * context, for one event. Only each period-th hit stops its wave and is
 * reported.
 *
 * While the handler counts, its counter must not be written; it counts modulo
 * the period. @credited are the hits of the current period that the event has
 * counted already. A reported hit adds the rest of its period to the event and
 * resets @credited to 0. While the report is in flight the counter seems to
 * have gone backwards: then nothing is added.
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
 * struct gpubp_count_sink - where handler counts are added to an event
 * @ref: by the event and by its handler counts
 * @lock: raw, interrupts off; no other lock is taken under it
 * @event: the event; NULL once it is gone; under @lock
 */
struct gpubp_count_sink {
	refcount_t ref;
	raw_spinlock_t lock;
	struct gpubp_event *event;
};

/**
 * struct gpubp_handler_count - a comparator with a count; under the device lock
 * @sink: of the event to count for; NULL: hits are not counted
 * @watch: id of the watch
 * @limit: period - 1, as in the handler's memory while @enabled
 * @credited: hits of the current period that the event has counted
 * @nr_limits: number of reported periods
 * @filtered: only what the handler's filter lets through is of the watch
 * @enabled: hits are counted; if not, each hit is reported, and the final value
 *	of the counter has yet to be added to the event
 */
struct gpubp_handler_count {
	struct gpubp_count_sink *sink;
	u64 watch;
	u32 limit;
	u32 credited;
	u64 nr_limits;
	bool filtered;
	bool enabled;
};

/**
 * struct gpubp_handler_counts - counts of a context; under the device lock
 * @slot: by comparator
 * @next: ids of the watches to count after the current commit, 0 none;
 *	committer only
 */
struct gpubp_handler_counts {
	struct gpubp_handler_count slot[GPUBP_MAX_SLOTS];
	u64 next[GPUBP_MAX_SLOTS];
};

/**
 * struct gpubp_handler_counting - handler counts of a device
 * @work: adds the counters to the events; runs on the committer
 * @nr: comparators with a count; under the device lock
 * @chosen: a count may begin after this commit; committer only
 * @requested_seq: number of the last request to collect
 * @done_seq: number of the last request that is done
 * @nr_busy: how often the next one has been tried; committer only
 */
struct gpubp_handler_counting {
	struct kthread_delayed_work work;
	unsigned int nr;
	bool chosen;
	atomic64_t requested_seq;
	u64 done_seq;
	unsigned int nr_busy;
};

/**
 * struct gpubp_count_delta - hits that a reported hit stands for
 * @watch: id of the watch that is counted, 0 for none
 * @sink: of its event; a reference is held
 * @weight: hits, this one included, that the event has not counted
 * @credited: hits of the same period that it has counted
 */
struct gpubp_count_delta {
	u64 watch;
	struct gpubp_count_sink *sink;
	u64 weight;
	u64 credited;
};

struct gpubp_count_sink *gpubp_count_sink_alloc(struct gpubp_event *gev);
void gpubp_count_sink_detach(struct gpubp_count_sink *sink);
void gpubp_count_sink_put(struct gpubp_count_sink *sink);
bool gpubp_count_sink_add(struct gpubp_count_sink *sink, u64 hits);
struct gpubp_count_sink *gpubp_watch_sink(const struct gpubp_watch *w, bool *only);

void gpubp_handler_counts_init(struct gpubp_device *dev);
void gpubp_handler_counts_exit(struct gpubp_device *dev);
void gpubp_handler_counts_choose(struct gpubp_ctx *ctx,
				 const struct gpubp_candidate *cand);
bool gpubp_handler_counts_any(const struct gpubp_ctx *ctx);
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
