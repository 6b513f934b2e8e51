/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Event times: how long the watches of an event could be hit, and how long they
 * were armed.
 *
 * A context has a clock that runs while the context is resident, and a second
 * one that also stops while the context is pending. A context time (struct
 * gpubp_ctx_time) belongs to one event in one context: it has a number of
 * watches, some of which are armed. Its resident time is measured on the first
 * clock and its armed time on the second, so armed time never exceeds resident
 * time.
 *
 * Until the first commit that knows of a watch, what waits for that commit cannot
 * hit it: a third clock runs while the context is loose, i.e. resident, and may
 * have waves that did not wait. Until then resident time is measured on that one,
 * and is unseen.
 *
 * A wave that is stopped for a hit does not execute its program. The stopped
 * time of waves is measured on the same clocks; GPUBP_STATS returns it.
 *
 * Scheduler quanta are counted, too, resident or not: the number of quanta in
 * which the watches of a context time were wanted and armed, and the longest
 * gap.
 *
 * Clocks and context times are read and written under gpubp_device.table_lock.
 */
#ifndef _GPUBP_CORE_EVENT_TIME_H
#define _GPUBP_CORE_EVENT_TIME_H

#include <linux/list.h>
#include <linux/spinlock.h>
#include <linux/types.h>

struct gpubp_ctx;
struct gpubp_device;
struct gpubp_event;
struct gpubp_queue;

/**
 * struct gpubp_account - times of an event
 * @resident: contexts were resident, ns
 * @armed: of it, the share of watches that were armed, or throttled by
 *	throttle.c; ns
 * @stopped: waves were stopped for hits in resident time; sum over waves, ns
 * @stopped_armed: likewise in armed time
 * @lost: hits of these contexts that were dropped while it had watches there, and
 *	those of its own that were not tested
 * @unseen: of @resident, time before the first commit that knew of a watch
 */
struct gpubp_account {
	u64 resident;
	u64 armed;
	u64 stopped;
	u64 stopped_armed;
	u64 lost;
	u64 unseen;
};

/**
 * struct gpubp_gap - how long a watch was wanted and not armed
 * @quanta: quanta of its device
 * @ns: between two commits
 */
struct gpubp_gap {
	u64 quanta;
	u64 ns;
};

/**
 * struct gpubp_service - service in completed quanta, summed over watches
 * @wanted: quanta in which a watch was wanted
 * @armed: of them, quanta in which it was armed
 * @gap: the longest that a watch waited to be armed
 */
struct gpubp_service {
	u64 wanted;
	u64 armed;
	struct gpubp_gap gap;
};

/**
 * struct gpubp_stopped_time - how long waves of a context were stopped for hits
 * @lock: of the other fields; innermost
 * @nr: waves that are stopped now
 * @since: sum of their start times, ns of CLOCK_MONOTONIC, modulo 2^64
 * @ns: stopped time of waves that were resumed
 */
struct gpubp_stopped_time {
	raw_spinlock_t lock;
	unsigned int nr;
	u64 since;
	u64 ns;
};

/**
 * struct gpubp_ticks - readings of a context's clocks, ns
 * @resident: time resident
 * @ready: of it, time not pending
 * @stopped: waves were stopped for hits in resident time; sum over waves
 * @stopped_ready: likewise in time not pending
 * @loose: of @resident, waves may have run that did not wait for watches
 * @unheld: of @loose, no change of the context was held back for long enough
 */
struct gpubp_ticks {
	u64 resident;
	u64 ready;
	u64 stopped;
	u64 stopped_ready;
	u64 loose;
	u64 unheld;
};

/**
 * struct gpubp_clock - the clocks of a context
 * @at: ns of CLOCK_MONOTONIC up to which it is advanced
 * @stopped_at: gpubp_stopped_time_ns() up to which it is advanced
 * @ticks: readings
 * @holders: VMIDs, or queues if residency is not reported; 0 not resident
 * @pending: waves run without the traps that the last commit requested
 * @seq: number of that commit
 * @settled: the newest commit for which no wave runs without its traps
 * @dispatches: with caps.dispatch_waits: those that waited, and have not ended
 * @holds: changes of the context that are not used before a commit is over
 * @held_queues: of @holders, queues that are not used before that, if residency is not
 *	reported
 * @overdue: a hold ended before its commit was over, and none has ended behind one since
 * @loose: waves may run that did not wait for the watches that are wanted now
 * @loose_from: beginning of the last time in which it was loose, ns of CLOCK_MONOTONIC;
 *	0: there was none
 * @loose_to: its end, or up to when it is known to last
 */
struct gpubp_clock {
	u64 at;
	u64 stopped_at;
	struct gpubp_ticks ticks;
	unsigned int holders;
	bool pending;
	u64 seq;
	u64 settled;
	unsigned int dispatches;
	unsigned int holds;
	unsigned int held_queues;
	bool overdue;
	bool loose;
	u64 loose_from;
	u64 loose_to;
};

/**
 * struct gpubp_unseen - since when a watch is wanted that has no context time yet
 * @since: it is known that it was wanted then, ns of CLOCK_MONOTONIC
 * @maybe: it may have been wanted since then, not later than @since
 * @held: it is wanted because of a change that is held back
 */
struct gpubp_unseen {
	u64 since;
	u64 maybe;
	bool held;
};

/**
 * struct gpubp_ctx_time - times of an event's watches in one context
 * @node: in gpubp_event_time.ctx_times; under gpubp_event_time.lock
 * @ctx: context
 * @nr: watches
 * @nr_armed: of them, armed
 * @considered: the scheduler has considered a watch: what is not armed from then on is
 *	not, for whatever is dispatched. With @held, not before it was armed or nothing is
 *	held back any more
 * @held: before that, only time in which nothing was held back counts
 * @at: the context's clocks up to which it is advanced
 * @lost_at: gpubp_ctx.lost up to which it is advanced
 * @acc: its account; armed time is the mean over its watches
 * @rest: remainder of @acc.armed below 1 ns, times @nr
 * @stopped_rest: likewise of @acc.stopped_armed
 * @quantum_at: quantum up to which @service is advanced, exclusive
 * @joined_quantum: the first quantum in which a watch was wanted
 * @joined_at: start of that, ns of CLOCK_MONOTONIC
 * @service: service in quanta
 */
struct gpubp_ctx_time {
	struct list_head node;
	struct gpubp_ctx *ctx;
	u32 nr;
	u32 nr_armed;
	bool considered;
	bool held;
	struct gpubp_ticks at;
	u64 lost_at;
	struct gpubp_account acc;
	u64 rest;
	u64 stopped_rest;
	u64 quantum_at;
	u64 joined_quantum;
	u64 joined_at;
	struct gpubp_service service;
};

/**
 * struct gpubp_event_time - times of an event in all contexts, past ones
 *	included
 * @lock: raw, interrupts off; see device.h
 * @ctx_times: struct gpubp_ctx_time
 * @past: sum of context times that were removed, and of unserved time
 * @service: likewise
 * @bound: it has, or had, a context time: there was something to count
 * @nr_unserved: watches that could not be made
 * @unserved_at: ns of CLOCK_MONOTONIC up to which they are in @past; 0 if there
 *	was none so far
 */
struct gpubp_event_time {
	raw_spinlock_t lock;
	struct list_head ctx_times;
	struct gpubp_account past;
	struct gpubp_service service;
	bool bound;
	unsigned int nr_unserved;
	u64 unserved_at;
};

void gpubp_account_add(struct gpubp_account *to,
		       const struct gpubp_account *acc);

void gpubp_stopped_time_init(struct gpubp_stopped_time *st);
u64 gpubp_stopped_time_begin(struct gpubp_stopped_time *st, u64 since);
void gpubp_stopped_time_end(struct gpubp_stopped_time *st, u64 since);
u64 gpubp_stopped_time_ns(struct gpubp_stopped_time *st, u64 now);

void gpubp_event_time_init(struct gpubp_event_time *event_time);
bool gpubp_event_time_is_used(const struct gpubp_event_time *event_time);
void gpubp_event_time_unserved(struct gpubp_event_time *event_time,
			       unsigned int nr);
void gpubp_event_time_lose(struct gpubp_event_time *event_time);
void gpubp_event_time_read(struct gpubp_event *gev, struct gpubp_account *acc);
void gpubp_event_service(struct gpubp_event *gev,
			 struct gpubp_service *service);
void gpubp_gap_raise(struct gpubp_gap *longest, const struct gpubp_gap *gap);
void gpubp_service_add(struct gpubp_service *to,
		       const struct gpubp_service *service);

void gpubp_ctx_time_join(struct gpubp_event_time *event_time,
			 struct gpubp_ctx_time *ctx_time,
			 struct gpubp_ctx *ctx);
void gpubp_ctx_time_begin(struct gpubp_ctx_time *ctx_time,
			  const struct gpubp_unseen *unseen, u32 nr,
			  u32 nr_armed);
void gpubp_ctx_time_leave(struct gpubp_event_time *event_time,
			  struct gpubp_ctx_time *ctx_time);
void gpubp_ctx_time_resize(struct gpubp_ctx_time *ctx_time, int by,
			   int armed_by);
void gpubp_ctx_time_arm(struct gpubp_ctx_time *ctx_time, int by);
void gpubp_ctx_time_add_gap(struct gpubp_ctx_time *ctx_time,
			    const struct gpubp_gap *gap);

void gpubp_clocks_quantum(struct gpubp_device *dev, u64 quantum);
void gpubp_clocks_stop(struct gpubp_device *dev);
void gpubp_clocks_resume(struct gpubp_device *dev);
void gpubp_clock_residents(struct gpubp_ctx *ctx, int by);
void gpubp_clock_queue_added(struct gpubp_ctx *ctx);
void gpubp_clock_queue_removed(struct gpubp_queue *queue);
void gpubp_clock_dispatches(struct gpubp_ctx *ctx, int by);
void gpubp_clock_holds(struct gpubp_ctx *ctx, int by);
bool gpubp_clock_holds_back(const struct gpubp_ctx *ctx);
void gpubp_clock_hold_queue(struct gpubp_ctx *ctx, int by);
void gpubp_clock_release_queue(struct gpubp_queue *queue, bool armed);
bool gpubp_clock_was_loose(struct gpubp_ctx *ctx, u64 since);
bool gpubp_clocks_loose_since(u64 since);
void gpubp_clock_commit_ends(struct gpubp_ctx *ctx, u64 seq, bool pending);
void gpubp_clock_settle(struct gpubp_ctx *ctx);
void gpubp_clock_settle_seq(struct gpubp_ctx *ctx, u64 seq);
void gpubp_clock_set_pending(struct gpubp_ctx *ctx);
bool gpubp_clock_pending(const struct gpubp_ctx *ctx);

#endif /* _GPUBP_CORE_EVENT_TIME_H */
