// SPDX-License-Identifier: GPL-2.0
/* Event times: clocks of contexts, context times of events, and their sums. */
#include <kunit/visibility.h>
#include <linux/export.h>
#include <linux/ktime.h>
#include <linux/math64.h>

#include "event_time.h"
#include "context.h"
#include "device.h"
#include "types.h"

/** gpubp_account_add() - add an account to another */
void gpubp_account_add(struct gpubp_account *to,
		       const struct gpubp_account *acc)
{
	to->resident += acc->resident;
	to->armed += acc->armed;
	to->stopped += acc->stopped;
	to->stopped_armed += acc->stopped_armed;
	to->lost += acc->lost;
	to->unseen += acc->unseen;
}

/* ---- stopped time -------------------------------------------------------- */

/** gpubp_stopped_time_init() - initialise that of a new context, all zero */
void gpubp_stopped_time_init(struct gpubp_stopped_time *st)
{
	raw_spin_lock_init(&st->lock);
}

/**
 * gpubp_stopped_time_begin() - a wave is stopped for a hit
 * @st: stopped time of its context
 * @since: when it was stopped, ns of CLOCK_MONOTONIC; not in the future
 *
 * Any context but NMI. Return: the start time, for gpubp_stopped_time_end().
 */
u64 gpubp_stopped_time_begin(struct gpubp_stopped_time *st, u64 since)
{
	guard(raw_spinlock_irqsave)(&st->lock);
	since = min(since, ktime_get_ns());
	st->nr++;
	st->since += since;
	return since;
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_stopped_time_begin);

/** gpubp_stopped_time_end() - a wave stopped at @since resumes; likewise */
void gpubp_stopped_time_end(struct gpubp_stopped_time *st, u64 since)
{
	guard(raw_spinlock_irqsave)(&st->lock);
	st->ns += ktime_get_ns() - since;
	st->nr--;
	st->since -= since;
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_stopped_time_end);

/**
 * gpubp_stopped_time_ns() - stopped time, summed over waves
 * @st: stopped time of a context
 * @now: current time, ns of CLOCK_MONOTONIC
 *
 * Any context but NMI.
 */
u64 gpubp_stopped_time_ns(struct gpubp_stopped_time *st, u64 now)
{
	guard(raw_spinlock_irqsave)(&st->lock);
	return st->ns + st->nr * now - st->since;
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_stopped_time_ns);

/* ---- clocks -------------------------------------------------------------- */

/* after a reset nothing is armed until the hardware is programmed again */
static u64 clock_ready_until(const struct gpubp_ctx *ctx, u64 now)
{
	u64 lost_at = ctx->dev->lost_at;

	return lost_at ? clamp(lost_at, ctx->clock.at, now) : now;
}

/*
 * A stop that began after @now, but before the lock was taken, counts the next
 * time.
 */
static u64 stopped_elapsed(struct gpubp_ctx *ctx, u64 at, u64 now)
{
	s64 ns = gpubp_stopped_time_ns(&ctx->stopped_time, now) - at;

	return max(ns, 0LL);
}

/* contexts that are loose now, and when one was so last; on all devices */
static atomic_t nr_loose = ATOMIC_INIT(0);
static atomic64_t last_loose = ATOMIC64_INIT(0);

static bool clock_is_resident(const struct gpubp_clock *clock)
{
	return clock->holders > clock->held_queues;
}

/*
 * May a wave run that did not wait for the watches that are wanted now? A device whose
 * dispatches do not wait may execute at any time.
 */
static bool clock_is_loose(const struct gpubp_ctx *ctx)
{
	return clock_is_resident(&ctx->clock) &&
	       (!ctx->dev->desc.caps.dispatch_waits || ctx->clock.dispatches);
}

static void clock_advance_loose(struct gpubp_ctx *ctx, u64 elapsed)
{
	struct gpubp_clock *clock = &ctx->clock;

	if (!clock->loose)
		return;
	clock->ticks.loose += elapsed;
	if (!clock->holds || clock->overdue)
		clock->ticks.unheld += elapsed;
	clock->loose_to = clock->at;
}

/* after a change that it depends on */
static void clock_update_loose(struct gpubp_ctx *ctx)
{
	struct gpubp_clock *clock = &ctx->clock;
	bool is = clock_is_loose(ctx);

	if (is == clock->loose)
		return;
	clock->loose = is;
	if (is) {
		clock->loose_from = clock->at;
		clock->loose_to = clock->at;
		atomic_inc(&nr_loose);
		return;
	}
	atomic64_set(&last_loose, clock->at);
	/* the time, then the number; pairs with gpubp_clocks_loose_since() */
	smp_mb__before_atomic();
	atomic_dec(&nr_loose);
}

/* if only for a moment; the clock is advanced */
static bool was_loose_since(const struct gpubp_clock *clock, u64 since)
{
	return clock->loose_from && clock->loose_to >= since;
}

/**
 * gpubp_clocks_loose_since() - has any context been loose
 * @since: since when, ns of CLOCK_MONOTONIC
 *
 * Any context. True also if that was a little earlier.
 */
bool gpubp_clocks_loose_since(u64 since)
{
	if (atomic_read(&nr_loose))
		return true;
	/* pairs with clock_update_loose() */
	smp_rmb();
	return (u64)atomic64_read(&last_loose) >= since;
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_clocks_loose_since);

static void clock_advance(struct gpubp_ctx *ctx)
{
	struct gpubp_clock *clock = &ctx->clock;
	u64 now, ready, elapsed, stopped;

	lockdep_assert_held(&ctx->dev->table_lock);
	now = ktime_get_ns();
	elapsed = now - clock->at;
	ready = clock_ready_until(ctx, now) - clock->at;
	clock->at = now;
	stopped = stopped_elapsed(ctx, clock->stopped_at, now);
	clock->stopped_at += stopped;
	if (!clock_is_resident(clock))
		return;
	clock->ticks.resident += elapsed;
	clock->ticks.stopped += stopped;
	clock_advance_loose(ctx, elapsed);
	if (clock->pending)
		return;
	clock->ticks.ready += ready;
	if (ready == elapsed)
		clock->ticks.stopped_ready += stopped;
}

static bool queues_make_resident(const struct gpubp_ctx *ctx)
{
	return ctx->dev->desc.caps.residency != GPUBP_RESIDENCY_REPORTED;
}

static void clock_change_held(struct gpubp_ctx *ctx, int by)
{
	ctx->clock.holds += by;
	if (queues_make_resident(ctx))
		ctx->clock.held_queues += by;
}

/**
 * gpubp_clock_hold_queue() - a queue is not used before a commit is over
 * @ctx: context; before the queue makes it resident
 * @by: 1, or -1 if the queue could not be created
 */
void gpubp_clock_hold_queue(struct gpubp_ctx *ctx, int by)
{
	guard(raw_spinlock_irqsave)(&ctx->dev->table_lock);
	clock_advance(ctx);
	clock_change_held(ctx, by);
	clock_update_loose(ctx);
}

static void queue_release(struct gpubp_queue *queue)
{
	if (queue->held)
		clock_change_held(queue->ctx, -1);
	queue->held = false;
}

/**
 * gpubp_clock_release_queue() - it may be used from now on
 * @queue: queue; it may have been removed
 * @armed: the commit is over
 */
void gpubp_clock_release_queue(struct gpubp_queue *queue, bool armed)
{
	struct gpubp_ctx *ctx = queue->ctx;

	guard(raw_spinlock_irqsave)(&ctx->dev->table_lock);
	clock_advance(ctx);
	if (armed || queue->held)
		WRITE_ONCE(ctx->clock.overdue, !armed);
	queue_release(queue);
	clock_update_loose(ctx);
}

/**
 * gpubp_clock_holds_back() - does a change of a context wait for its commit
 * @ctx: context
 *
 * Takes no lock. False also if an earlier change did not wait long enough.
 */
bool gpubp_clock_holds_back(const struct gpubp_ctx *ctx)
{
	return READ_ONCE(ctx->clock.holds) && !READ_ONCE(ctx->clock.overdue);
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_clock_holds_back);

/**
 * gpubp_clock_was_loose() - has a context been loose, if only for a moment
 * @ctx: context
 * @since: since when, ns of CLOCK_MONOTONIC
 *
 * Any context but NMI.
 */
bool gpubp_clock_was_loose(struct gpubp_ctx *ctx, u64 since)
{
	guard(raw_spinlock_irqsave)(&ctx->dev->table_lock);
	return ctx->clock.loose || was_loose_since(&ctx->clock, since);
}

/** gpubp_clocks_quantum() - a quantum begins */
void gpubp_clocks_quantum(struct gpubp_device *dev, u64 quantum)
{
	guard(raw_spinlock_irqsave)(&dev->table_lock);
	dev->quantum = quantum;
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_clocks_quantum);

/** gpubp_clocks_stop() - nothing of @dev is armed from now on; any context */
void gpubp_clocks_stop(struct gpubp_device *dev)
{
	guard(raw_spinlock_irqsave)(&dev->table_lock);
	dev->lost = true;
	if (!dev->lost_at)
		dev->lost_at = ktime_get_ns();
}

/**
 * gpubp_clocks_resume() - restart the clocks after a commit that followed a
 *	reset
 * @dev: device; each context was part of that commit
 *
 * Does nothing if the device was reset again during the commit.
 */
void gpubp_clocks_resume(struct gpubp_device *dev)
{
	struct gpubp_ctx *ctx;

	lockdep_assert_held(&dev->lock);
	guard(raw_spinlock_irqsave)(&dev->table_lock);
	if (dev->lost)
		return;
	list_for_each_entry(ctx, &dev->ctxs, node)
		clock_advance(ctx);
	dev->lost_at = 0;
}

/**
 * gpubp_clock_residents() - add a VMID or queue that makes a context resident
 * @ctx: context; table_lock is held
 * @by: 1, or -1 to remove one
 */
void gpubp_clock_residents(struct gpubp_ctx *ctx, int by)
{
	clock_advance(ctx);
	ctx->clock.holders += by;
	clock_update_loose(ctx);
}

/**
 * gpubp_clock_dispatches() - a dispatch that waited for watches begins
 * @ctx: context
 * @by: 1, or -1 if one has ended
 */
void gpubp_clock_dispatches(struct gpubp_ctx *ctx, int by)
{
	guard(raw_spinlock_irqsave)(&ctx->dev->table_lock);
	clock_advance(ctx);
	ctx->clock.dispatches += by;
	clock_update_loose(ctx);
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_clock_dispatches);

/**
 * gpubp_clock_holds() - a change of a context is not used before a commit is over
 * @ctx: context; before the change
 * @by: 1, or -1 if it may be used from now on
 */
void gpubp_clock_holds(struct gpubp_ctx *ctx, int by)
{
	guard(raw_spinlock_irqsave)(&ctx->dev->table_lock);
	clock_advance(ctx);
	ctx->clock.holds += by;
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_clock_holds);

/**
 * gpubp_clock_queue_added() - a queue was added to a context
 * @ctx: context
 *
 * Makes the context resident if the device does not report residency.
 */
void gpubp_clock_queue_added(struct gpubp_ctx *ctx)
{
	if (!queues_make_resident(ctx))
		return;
	guard(raw_spinlock_irqsave)(&ctx->dev->table_lock);
	gpubp_clock_residents(ctx, 1);
}

/**
 * gpubp_clock_queue_removed() - a queue was removed, maybe while it was held
 * @queue: queue
 */
void gpubp_clock_queue_removed(struct gpubp_queue *queue)
{
	struct gpubp_ctx *ctx = queue->ctx;

	guard(raw_spinlock_irqsave)(&ctx->dev->table_lock);
	clock_advance(ctx);
	queue_release(queue);
	ctx->clock.holders -= queues_make_resident(ctx);
	clock_update_loose(ctx);
}

/**
 * gpubp_clock_commit_ends() - a commit was made
 * @ctx: context that it changed
 * @seq: the commit's number
 * @pending: the provider reported waves that run without the requested traps
 *
 * Such waves may have ended before this call.
 */
void gpubp_clock_commit_ends(struct gpubp_ctx *ctx, u64 seq, bool pending)
{
	struct gpubp_clock *clock = &ctx->clock;

	guard(raw_spinlock_irqsave)(&ctx->dev->table_lock);
	clock_advance(ctx);
	clock->seq = seq;
	clock->pending = pending && clock->settled < seq;
}

/** gpubp_clock_set_pending() - some wave runs without a requested trap */
void gpubp_clock_set_pending(struct gpubp_ctx *ctx)
{
	guard(raw_spinlock_irqsave)(&ctx->dev->table_lock);
	clock_advance(ctx);
	ctx->clock.pending = true;
}

/** gpubp_clock_settle() - no wave runs without a requested trap any more */
void gpubp_clock_settle(struct gpubp_ctx *ctx)
{
	guard(raw_spinlock_irqsave)(&ctx->dev->table_lock);
	clock_advance(ctx);
	ctx->clock.pending = false;
}

/**
 * gpubp_clock_settle_seq() - likewise, for one commit
 * @ctx: context
 * @seq: number of the commit; says nothing of waves of later commits
 */
void gpubp_clock_settle_seq(struct gpubp_ctx *ctx, u64 seq)
{
	struct gpubp_clock *clock = &ctx->clock;

	guard(raw_spinlock_irqsave)(&ctx->dev->table_lock);
	clock_advance(ctx);
	clock->settled = max(clock->settled, seq);
	if (seq >= clock->seq)
		clock->pending = false;
}

/** gpubp_clock_pending() - do waves run without requested traps */
bool gpubp_clock_pending(const struct gpubp_ctx *ctx)
{
	return READ_ONCE(ctx->clock.pending);
}

/* ---- context times ------------------------------------------------------- */

/*
 * Share of armed watches of @ns. @rest: remainder below 1 ns, multiplied by the
 * number of all watches.
 */
static u64 ctx_time_armed_share(const struct gpubp_ctx_time *ctx_time, u64 ns,
				u64 *rest)
{
	u64 each, part;

	/* usually all are armed, which needs no division */
	if (ctx_time->nr_armed == ctx_time->nr)
		return ns;
	each = div64_u64_rem(ns, ctx_time->nr, &part);
	*rest += part * ctx_time->nr_armed;
	return each * ctx_time->nr_armed +
	       div64_u64_rem(*rest, ctx_time->nr, rest);
}

static void ctx_time_add_ticks(struct gpubp_ctx_time *ctx_time,
			       const struct gpubp_ticks *now)
{
	const struct gpubp_ticks *at = &ctx_time->at;
	struct gpubp_account *acc = &ctx_time->acc;
	u64 stopped_ready = now->stopped_ready - at->stopped_ready;

	acc->resident += now->resident - at->resident;
	acc->stopped += now->stopped - at->stopped;
	acc->armed += ctx_time_armed_share(ctx_time, now->ready - at->ready,
					   &ctx_time->rest);
	acc->stopped_armed += ctx_time_armed_share(ctx_time, stopped_ready,
						   &ctx_time->stopped_rest);
}

/* before a commit knows of its watches */
static void ctx_time_add_unseen(struct gpubp_ctx_time *ctx_time,
				const struct gpubp_ticks *now)
{
	const struct gpubp_ticks *at = &ctx_time->at;
	u64 ns = ctx_time->held ? now->unheld - at->unheld :
				  now->loose - at->loose;

	ctx_time->acc.resident += ns;
	ctx_time->acc.unseen += ns;
}

/*
 * A watch bound during a quantum can be armed in the next one at the earliest.
 */
static void ctx_time_count_quanta(struct gpubp_ctx_time *ctx_time)
{
	u64 now = ctx_time->ctx->dev->quantum;

	if (now <= ctx_time->quantum_at)
		return;
	ctx_time->service.wanted += (now - ctx_time->quantum_at) * ctx_time->nr;
	ctx_time->service.armed +=
		(now - ctx_time->quantum_at) * ctx_time->nr_armed;
	ctx_time->quantum_at = now;
}

static void ctx_time_advance(struct gpubp_ctx_time *ctx_time)
{
	const struct gpubp_ticks *now = &ctx_time->ctx->clock.ticks;
	u64 lost = atomic64_read(&ctx_time->ctx->lost);

	clock_advance(ctx_time->ctx);
	ctx_time_count_quanta(ctx_time);
	if (ctx_time->considered && ctx_time->nr) {
		ctx_time_add_ticks(ctx_time, now);
		ctx_time->acc.lost += lost - ctx_time->lost_at;
	} else if (ctx_time->nr) {
		ctx_time_add_unseen(ctx_time, now);
	}
	ctx_time->at = *now;
	ctx_time->lost_at = lost;
}

/**
 * gpubp_ctx_time_join() - add a context time to an event
 * @event_time: the event's
 * @ctx_time: zeroed; has no watch yet
 * @ctx: context
 */
void gpubp_ctx_time_join(struct gpubp_event_time *event_time,
			 struct gpubp_ctx_time *ctx_time, struct gpubp_ctx *ctx)
{
	guard(raw_spinlock_irqsave)(&event_time->lock);
	ctx_time->ctx = ctx;
	ctx_time->joined_at = ktime_get_ns();
	raw_spin_lock(&ctx->dev->table_lock);
	ctx_time->joined_quantum = ctx->dev->quantum + 1;
	ctx_time->quantum_at = ctx_time->joined_quantum;
	raw_spin_unlock(&ctx->dev->table_lock);
	list_add_tail(&ctx_time->node, &event_time->ctx_times);
	WRITE_ONCE(event_time->bound, true);	/* read without the lock */
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_ctx_time_join);

/* how long the context was loose since then, but for times before the last one */
static u64 loose_since(const struct gpubp_clock *clock, u64 since)
{
	u64 from = max(clock->loose_from, since);

	return clock->loose_from && clock->loose_to > from ?
		       clock->loose_to - from : 0;
}

/**
 * gpubp_ctx_time_begin() - its first watches, wanted before there was a context time
 * @ctx_time: context time that was just added, and has no watch yet
 * @unseen: since when
 * @nr: how many they are; in the same call, or the time in between would not count
 * @nr_armed: of them, armed
 *
 * Accounts the time in which hits are missing as unseen: at least 1 ns if there may be
 * one.
 */
void gpubp_ctx_time_begin(struct gpubp_ctx_time *ctx_time,
			  const struct gpubp_unseen *unseen, u32 nr,
			  u32 nr_armed)
{
	struct gpubp_ctx *ctx = ctx_time->ctx;
	u64 ns;

	guard(raw_spinlock_irqsave)(&ctx->dev->table_lock);
	ctx_time_advance(ctx_time);
	ctx_time->nr = nr;
	ctx_time->nr_armed = nr_armed;
	ctx_time->held = unseen->held;
	if (unseen->held)
		return;
	ns = loose_since(&ctx->clock, unseen->since) ?:
	     was_loose_since(&ctx->clock, unseen->maybe);
	ctx_time->acc.resident += ns;
	ctx_time->acc.unseen += ns;
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_ctx_time_begin);

/**
 * gpubp_ctx_time_leave() - remove a context time from an event
 * @event_time: the event's; the times are added to it
 * @ctx_time: context time
 */
void gpubp_ctx_time_leave(struct gpubp_event_time *event_time,
			  struct gpubp_ctx_time *ctx_time)
{
	guard(raw_spinlock_irqsave)(&event_time->lock);
	list_del(&ctx_time->node);
	raw_spin_lock(&ctx_time->ctx->dev->table_lock);
	ctx_time_advance(ctx_time);
	raw_spin_unlock(&ctx_time->ctx->dev->table_lock);
	gpubp_account_add(&event_time->past, &ctx_time->acc);
	gpubp_service_add(&event_time->service, &ctx_time->service);
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_ctx_time_leave);

/**
 * gpubp_ctx_time_resize() - change the number of watches
 * @ctx_time: context time; it does not advance while it has no watch
 * @by: difference in watches
 * @armed_by: difference in armed watches; in the same call, or the share of
 *	armed watches would be too small for a moment
 */
void gpubp_ctx_time_resize(struct gpubp_ctx_time *ctx_time, int by,
			   int armed_by)
{
	guard(raw_spinlock_irqsave)(&ctx_time->ctx->dev->table_lock);
	ctx_time_advance(ctx_time);
	ctx_time->nr += by;
	ctx_time->nr_armed += armed_by;
	ctx_time->rest = 0;
	ctx_time->stopped_rest = 0;
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_ctx_time_resize);

/**
 * gpubp_ctx_time_arm() - the scheduler has considered a watch
 * @ctx_time: context time of the watch; from now on all resident time counts, unless it
 *	is held back
 * @by: 1 the watch was armed, -1 disarmed, 0 no change
 */
void gpubp_ctx_time_arm(struct gpubp_ctx_time *ctx_time, int by)
{
	guard(raw_spinlock_irqsave)(&ctx_time->ctx->dev->table_lock);
	ctx_time_advance(ctx_time);
	/* what is held back waits until it is armed, whether that takes one commit or two */
	if (by > 0 || !ctx_time->held || !gpubp_clock_holds_back(ctx_time->ctx))
		ctx_time->considered = true;
	ctx_time->nr_armed += by;
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_ctx_time_arm);

/** gpubp_gap_raise() - maximum of two gaps, in quanta and in time */
void gpubp_gap_raise(struct gpubp_gap *longest, const struct gpubp_gap *gap)
{
	longest->quanta = max(longest->quanta, gap->quanta);
	longest->ns = max(longest->ns, gap->ns);
}

/** gpubp_service_add() - add a service to another; the gap is the longer one */
void gpubp_service_add(struct gpubp_service *to,
		       const struct gpubp_service *service)
{
	to->wanted += service->wanted;
	to->armed += service->armed;
	gpubp_gap_raise(&to->gap, &service->gap);
}

/**
 * gpubp_ctx_time_add_gap() - a watch waits, or waited until it was armed now
 * @ctx_time: context time of the watch
 * @gap: how long; only the part since the context time was added counts
 */
void gpubp_ctx_time_add_gap(struct gpubp_ctx_time *ctx_time,
			    const struct gpubp_gap *gap)
{
	struct gpubp_gap ours;
	u64 now;

	guard(raw_spinlock_irqsave)(&ctx_time->ctx->dev->table_lock);
	now = ctx_time->ctx->dev->quantum;
	if (!gap->quanta || now <= ctx_time->joined_quantum)
		return;
	ours.quanta = min(gap->quanta, now - ctx_time->joined_quantum);
	ours.ns = min(gap->ns, ktime_get_ns() - ctx_time->joined_at);
	gpubp_gap_raise(&ctx_time->service.gap, &ours);
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_ctx_time_add_gap);

/* ---- events -------------------------------------------------------------- */

/** gpubp_event_time_init() - initialise the times of a new event, all zero */
void gpubp_event_time_init(struct gpubp_event_time *event_time)
{
	raw_spin_lock_init(&event_time->lock);
	INIT_LIST_HEAD(&event_time->ctx_times);
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_event_time_init);

static void event_time_advance_unserved(struct gpubp_event_time *event_time)
{
	u64 now;

	if (!event_time->nr_unserved)
		return;
	now = ktime_get_ns();
	event_time->past.resident += now - event_time->unserved_at;
	event_time->unserved_at = now;
}

/**
 * gpubp_event_time_is_used() - was there ever anything to measure
 * @event_time: the event's
 *
 * Any context. False for an event that never had a binding, or lacked one, as
 * most copies of an event.
 */
bool gpubp_event_time_is_used(const struct gpubp_event_time *event_time)
{
	return READ_ONCE(event_time->bound) ||
	       READ_ONCE(event_time->unserved_at);
}

/**
 * gpubp_event_time_unserved() - set the number of watches that could not be
 *	made
 * @event_time: the event's
 * @nr: how many: no memory, or no comparator can cover them
 *
 * No context's clock measures them: their time counts as resident, not armed.
 * gpubp_events_lock is held, unless nothing else sets it.
 */
void gpubp_event_time_unserved(struct gpubp_event_time *event_time,
			       unsigned int nr)
{
	if (event_time->nr_unserved == nr)
		return;
	guard(raw_spinlock_irqsave)(&event_time->lock);
	event_time_advance_unserved(event_time);
	event_time->nr_unserved = nr;
	WRITE_ONCE(event_time->unserved_at, ktime_get_ns());
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_event_time_unserved);

static void ctx_time_add_account(struct gpubp_ctx_time *ctx_time,
				 struct gpubp_account *acc)
{
	raw_spin_lock(&ctx_time->ctx->dev->table_lock);
	ctx_time_advance(ctx_time);
	gpubp_account_add(acc, &ctx_time->acc);
	raw_spin_unlock(&ctx_time->ctx->dev->table_lock);
}

/** gpubp_event_time_lose() - count a hit that this event alone lost */
void gpubp_event_time_lose(struct gpubp_event_time *event_time)
{
	guard(raw_spinlock_irqsave)(&event_time->lock);
	event_time->past.lost++;
}

/**
 * gpubp_event_time_read() - resident and armed time of an event so far
 * @gev: event
 * @acc: (out) sums over all contexts that it is or was bound to
 *
 * Any context but NMI, perf's ctx->lock included.
 */
void gpubp_event_time_read(struct gpubp_event *gev, struct gpubp_account *acc)
{
	struct gpubp_event_time *event_time = &gev->event_time;
	struct gpubp_ctx_time *ctx_time;

	*acc = (struct gpubp_account) {};
	if (!gpubp_event_time_is_used(event_time))
		return;
	guard(raw_spinlock_irqsave)(&event_time->lock);
	event_time_advance_unserved(event_time);
	*acc = event_time->past;
	list_for_each_entry(ctx_time, &event_time->ctx_times, node)
		ctx_time_add_account(ctx_time, acc);
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_event_time_read);

static void ctx_time_add_service(struct gpubp_ctx_time *ctx_time,
				 struct gpubp_service *service)
{
	raw_spin_lock(&ctx_time->ctx->dev->table_lock);
	ctx_time_count_quanta(ctx_time);
	gpubp_service_add(service, &ctx_time->service);
	raw_spin_unlock(&ctx_time->ctx->dev->table_lock);
}

/**
 * gpubp_event_service() - quanta that an event was served in so far
 * @gev: event
 * @service: (out) sums over all contexts that it is or was bound to
 */
void gpubp_event_service(struct gpubp_event *gev, struct gpubp_service *service)
{
	struct gpubp_event_time *event_time = &gev->event_time;
	struct gpubp_ctx_time *ctx_time;

	*service = (struct gpubp_service) {};
	if (!gpubp_event_time_is_used(event_time))
		return;
	guard(raw_spinlock_irqsave)(&event_time->lock);
	*service = event_time->service;
	list_for_each_entry(ctx_time, &event_time->ctx_times, node)
		ctx_time_add_service(ctx_time, service);
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_event_service);
