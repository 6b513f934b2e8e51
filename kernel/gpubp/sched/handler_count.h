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
#ifndef _GPUBP_METER_H
#define _GPUBP_METER_H

#include <linux/gpubp.h>
#include <linux/kthread.h>
#include <linux/refcount.h>
#include <linux/spinlock_types.h>
#include <linux/types.h>

struct gpubp_cand;
struct gpubp_commit;
struct gpubp_ctx;
struct gpubp_device;
struct gpubp_event;
struct gpubp_watch;

/**
 * struct gpubp_dial - where meters tell an event of what they counted
 * @ref: by the event and by its meters
 * @lock: raw, interrupts off; nothing is inside it
 * @event: the event; NULL once it is gone; under @lock
 */
struct gpubp_dial {
	refcount_t ref;
	raw_spinlock_t lock;
	struct gpubp_event *event;
};

/**
 * struct gpubp_meter - a comparator whose hits are counted; under the device lock
 * @dial: whose; NULL: the comparator is not counted
 * @watch: id of the watch
 * @limit: period - 1, as it is in the handler's memory while @counts
 * @credited: hits of the period that runs which the event was told of
 * @nr_limits: reports of whole periods that came
 * @counts: hits are counted; else they are reported, and what the counter says
 *	is still to be told
 */
struct gpubp_meter {
	struct gpubp_dial *dial;
	u64 watch;
	u32 limit;
	u32 credited;
	u64 nr_limits;
	bool counts;
};

/**
 * struct gpubp_meters - a context's; under the device lock
 * @meter: entry n for comparator n
 * @next: ids of the watches to be counted from the commit on that is being made,
 *	0 none; committer only
 * @round: of the last walk that was here; committer only
 */
struct gpubp_meters {
	struct gpubp_meter meter[GPUBP_MAX_SLOTS];
	u64 next[GPUBP_MAX_SLOTS];
	u64 round;
};

/**
 * struct gpubp_metering - a device's
 * @work: brings events up to date; runs on the committer
 * @nr: meters; under the device lock
 * @chosen: some comparator may get one; committer only
 * @round: number of the last walk; likewise
 * @hits_until: until when hits of what was compared before may come; ns of
 *	CLOCK_MONOTONIC; committer only
 * @asked: how often somebody waited to be brought up to date
 * @done: the last @asked that has been
 */
struct gpubp_metering {
	struct kthread_delayed_work work;
	unsigned int nr;
	bool chosen;
	u64 round;
	u64 hits_until;
	atomic64_t asked;
	u64 done;
};

/**
 * struct gpubp_reading - what a reported hit stands for
 * @watch: id of the watch that it is counted for, 0 for none
 * @dial: its event's; a reference is held
 * @weight: hits, this one included, that the event was not told of
 * @credited: hits of that period that it was told of
 */
struct gpubp_reading {
	u64 watch;
	struct gpubp_dial *dial;
	u64 weight;
	u64 credited;
};

struct gpubp_dial *gpubp_dial_alloc(struct gpubp_event *gev);
void gpubp_dial_leave(struct gpubp_dial *dial);

void gpubp_meters_init(struct gpubp_device *dev);
void gpubp_meters_quit(struct gpubp_device *dev);
void gpubp_meters_choose(struct gpubp_ctx *ctx, const struct gpubp_cand *cand);
void gpubp_meters_end(struct gpubp_commit *c);
void gpubp_meters_begin(struct gpubp_commit *c);
void gpubp_meters_queue_added(struct gpubp_ctx *ctx);
void gpubp_meters_finish(struct gpubp_ctx *ctx);
int gpubp_meters_wait(struct gpubp_device *dev, unsigned long timeout);

void gpubp_meter_read(struct gpubp_ctx *ctx, const struct gpubp_trap_record *trap,
		      struct gpubp_reading *reading);
void gpubp_meter_told(struct gpubp_reading *reading, bool matched);

#endif /* _GPUBP_METER_H */
