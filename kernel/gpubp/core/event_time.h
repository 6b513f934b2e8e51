/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Account: for how long what an event wants could have been hit, and for how
 * long it was armed.
 *
 * A context has a clock that runs while it is resident, and a second one that
 * stands still while it is pending, too. A *seat* is what one event wants in
 * one context: a number of watches, of which some are armed at the moment. Its
 * resident time is measured on the first clock and its armed time on the
 * second, so armed time never exceeds resident time.
 *
 * A wave that is stopped for a hit does not run its program. For how long waves are
 * is measured, too, on the same clocks, and GPUBP_STATS returns it.
 *
 * The scheduler's quanta are counted, too, resident or not: in how many of them
 * the watches of a seat were wanted and armed, and how long one waited.
 *
 * Clocks and seats are read and written under gpubp_device.table_lock.
 */
#ifndef _GPUBP_CORE_EVENT_TIME_H
#define _GPUBP_CORE_EVENT_TIME_H

#include <linux/list.h>
#include <linux/spinlock.h>
#include <linux/types.h>

struct gpubp_ctx;
struct gpubp_device;
struct gpubp_event;

/**
 * struct gpubp_account - what the figures of an event are worth
 * @resident: contexts were resident, ns
 * @armed: of it, share of the watches that were armed, or throttled by throttle.c; ns
 * @stopped: in resident time, waves were stopped for hits; the time of each, ns
 * @stopped_armed: likewise in armed time
 * @lost: hits of these contexts that were dropped meanwhile
 */
struct gpubp_account {
	u64 resident;
	u64 armed;
	u64 stopped;
	u64 stopped_armed;
	u64 lost;
};

/**
 * struct gpubp_gap - how long a watch was wanted and not armed
 * @quanta: of its device's
 * @ns: from one commit to another
 */
struct gpubp_gap {
	u64 quanta;
	u64 ns;
};

/**
 * struct gpubp_service - in quanta that are over, watches added up
 * @wanted: in which watches were wanted
 * @armed: of them, in which they were armed
 * @gap: the longest that one of them waited until it was armed
 */
struct gpubp_service {
	u64 wanted;
	u64 armed;
	struct gpubp_gap gap;
};

/**
 * struct gpubp_stopped_time - how long the waves of a context were stopped for hits
 * @lock: of what follows; innermost
 * @nr: waves that are
 * @since: since when, ns of CLOCK_MONOTONIC, added up modulo 2^64
 * @ns: how long waves were that are not any more
 */
struct gpubp_stopped_time {
	raw_spinlock_t lock;
	unsigned int nr;
	u64 since;
	u64 ns;
};

/**
 * struct gpubp_ticks - what a context's clocks show, ns
 * @resident: time resident
 * @ready: of it, time not pending
 * @stopped: in resident time, waves were stopped for hits; the time of each
 * @stopped_ready: likewise in time not pending
 */
struct gpubp_ticks {
	u64 resident;
	u64 ready;
	u64 stopped;
	u64 stopped_ready;
};

/**
 * struct gpubp_clock - of a context
 * @at: ns of CLOCK_MONOTONIC up to which it is advanced
 * @stopped_at: gpubp_stopped_time_ns() up to which it is advanced
 * @ticks: what it shows
 * @holders: VMIDs, or queues where residency is not reported; 0 not resident
 * @pending: waves run without the traps that the last commit asked for
 * @seq: that commit's number
 * @settled: the newest commit whose waves without traps are known to have ended
 */
struct gpubp_clock {
	u64 at;
	u64 stopped_at;
	struct gpubp_ticks ticks;
	unsigned int holders;
	bool pending;
	u64 seq;
	u64 settled;
};

/**
 * struct gpubp_ctx_time - watches that one event wants in one context
 * @node: in gpubp_event_time.ctx_times; under gpubp_event_time.lock
 * @ctx: context
 * @nr: watches
 * @nr_armed: of them, armed
 * @taken_up: the scheduler has dealt with it; its times run from then on
 * @at: the context's clocks up to which it is advanced
 * @lost_at: gpubp_ctx.lost up to which it is advanced
 * @acc: its account; of armed time the mean of its watches
 * @rest: of @acc.armed, what is less than 1 ns, times @nr
 * @stopped_rest: likewise of @acc.stopped_armed
 * @quantum_at: quantum up to which @service is advanced, that one left out
 * @joined_quantum: the first quantum in which something was wanted
 * @joined_at: since when, ns of CLOCK_MONOTONIC
 * @service: turns
 */
struct gpubp_ctx_time {
	struct list_head node;
	struct gpubp_ctx *ctx;
	u32 nr;
	u32 nr_armed;
	bool taken_up;
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
 * struct gpubp_event_time - the seats of an event, those that it left included
 * @lock: raw, interrupts off; see device.h
 * @ctx_times: struct gpubp_ctx_time
 * @left: sum of the seats that it left, and of time unserved
 * @service: likewise
 * @bound: it has, or had, a seat: there was something that it could count
 * @nr_unserved: watches wanted that could not be made
 * @unserved_at: ns of CLOCK_MONOTONIC up to which they are in @left
 */
struct gpubp_event_time {
	raw_spinlock_t lock;
	struct list_head ctx_times;
	struct gpubp_account left;
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
void gpubp_event_time_unserved(struct gpubp_event_time *event_time,
			       unsigned int nr);
void gpubp_event_time_read(struct gpubp_event *gev, struct gpubp_account *acc);
void gpubp_event_service(struct gpubp_event *gev,
			 struct gpubp_service *service);
void gpubp_gap_raise(struct gpubp_gap *longest, const struct gpubp_gap *gap);
void gpubp_service_add(struct gpubp_service *to,
		       const struct gpubp_service *service);

void gpubp_ctx_time_join(struct gpubp_event_time *event_time,
			 struct gpubp_ctx_time *ctx_time,
			 struct gpubp_ctx *ctx);
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
void gpubp_clock_queues(struct gpubp_ctx *ctx, int by);
void gpubp_clock_commit_ends(struct gpubp_ctx *ctx, u64 seq, bool pending);
void gpubp_clock_done(struct gpubp_ctx *ctx);
void gpubp_clock_done_for(struct gpubp_ctx *ctx, u64 seq);
void gpubp_clock_not_done(struct gpubp_ctx *ctx);
bool gpubp_clock_pending(const struct gpubp_ctx *ctx);

#endif /* _GPUBP_CORE_EVENT_TIME_H */
