// SPDX-License-Identifier: GPL-2.0
/* Account: clocks of contexts, seats of events, and their sums. */
#include <kunit/visibility.h>
#include <linux/export.h>
#include <linux/ktime.h>
#include <linux/math64.h>

#include "event_time.h"
#include "context.h"
#include "device.h"
#include "types.h"

/** gpubp_account_add() - sums */
void gpubp_account_add(struct gpubp_account *to,
		       const struct gpubp_account *acc)
{
	to->resident += acc->resident;
	to->armed += acc->armed;
	to->stopped += acc->stopped;
	to->stopped_armed += acc->stopped_armed;
	to->lost += acc->lost;
}

/* ---- standing ------------------------------------------------------------ */

void gpubp_stopped_time_init(struct gpubp_stopped_time *st)
{
	raw_spin_lock_init(&st->lock);
}

/**
 * gpubp_stopped_time_begin() - a wave is stopped for a hit
 * @st: of its context
 * @since: since when, ns of CLOCK_MONOTONIC; not in the future
 *
 * Any context but NMI. Return: since when, for gpubp_stopped_time_end().
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

/** gpubp_stopped_time_end() - a wave that was stopped @since then goes on; as above */
void gpubp_stopped_time_end(struct gpubp_stopped_time *st, u64 since)
{
	guard(raw_spinlock_irqsave)(&st->lock);
	st->ns += ktime_get_ns() - since;
	st->nr--;
	st->since -= since;
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_stopped_time_end);

/**
 * gpubp_stopped_time_ns() - how long waves were stopped, that of each counted
 * @st: of their context
 * @now: until when, ns of CLOCK_MONOTONIC: this moment
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

/* what the hardware forgot is not armed until it is told again */
static u64 ready_until(const struct gpubp_ctx *ctx, u64 now)
{
	u64 lost_at = ctx->dev->lost_at;

	return lost_at ? clamp(lost_at, ctx->clock.at, now) : now;
}

/* one that began after @now, before the lock was taken, counts the next time */
static u64 standing_since(struct gpubp_ctx *ctx, u64 at, u64 now)
{
	s64 ns = gpubp_stopped_time_ns(&ctx->stopped_time, now) - at;

	return max(ns, 0LL);
}

static void clock_advance(struct gpubp_ctx *ctx)
{
	struct gpubp_clock *clock = &ctx->clock;
	u64 now, ready, elapsed, stopped;

	lockdep_assert_held(&ctx->dev->table_lock);
	now = ktime_get_ns();
	elapsed = now - clock->at;
	ready = ready_until(ctx, now) - clock->at;
	clock->at = now;
	stopped = standing_since(ctx, clock->stopped_at, now);
	clock->stopped_at += stopped;
	if (!clock->holders)
		return;
	clock->ticks.resident += elapsed;
	clock->ticks.stopped += stopped;
	if (clock->pending)
		return;
	clock->ticks.ready += ready;
	if (ready == elapsed)
		clock->ticks.stopped_ready += stopped;
}

/** gpubp_clocks_quantum() - the quantum with this number begins */
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
 * gpubp_clocks_resume() - a commit that knew of the loss was made
 * @dev: device; each context was part of that commit
 *
 * Unless everything was lost once more meanwhile.
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
 * gpubp_clock_residents() - a context got something that makes it resident
 * @ctx: context; table_lock is held
 * @by: 1, or -1: it was taken away
 */
void gpubp_clock_residents(struct gpubp_ctx *ctx, int by)
{
	clock_advance(ctx);
	ctx->clock.holders += by;
}

/**
 * gpubp_clock_queues() - a context has one more queue
 * @ctx: context
 * @by: 1, or -1: one less
 *
 * Where the device does not report residency, that makes it resident.
 */
void gpubp_clock_queues(struct gpubp_ctx *ctx, int by)
{
	if (ctx->dev->desc.caps.residency == GPUBP_RESIDENCY_REPORTED)
		return;
	guard(raw_spinlock_irqsave)(&ctx->dev->table_lock);
	gpubp_clock_residents(ctx, by);
}

/**
 * gpubp_clock_commit_ends() - a commit was made
 * @ctx: context that it changed
 * @seq: the commit's number
 * @pending: the provider says that waves run without the traps asked for
 *
 * They may have ended meanwhile.
 */
void gpubp_clock_commit_ends(struct gpubp_ctx *ctx, u64 seq, bool pending)
{
	struct gpubp_clock *clock = &ctx->clock;

	guard(raw_spinlock_irqsave)(&ctx->dev->table_lock);
	clock_advance(ctx);
	clock->seq = seq;
	clock->pending = pending && clock->settled < seq;
}

/** gpubp_clock_not_done() - there is a wave that does not trap for what is wanted */
void gpubp_clock_not_done(struct gpubp_ctx *ctx)
{
	guard(raw_spinlock_irqsave)(&ctx->dev->table_lock);
	clock_advance(ctx);
	ctx->clock.pending = true;
}

/** gpubp_clock_done() - no wave traps nothing, since the last commit */
void gpubp_clock_done(struct gpubp_ctx *ctx)
{
	guard(raw_spinlock_irqsave)(&ctx->dev->table_lock);
	clock_advance(ctx);
	ctx->clock.pending = false;
}

/**
 * gpubp_clock_done_for() - likewise, since a commit
 * @ctx: context
 * @seq: its number; what is said of an old one's waves is not true of a new one's
 */
void gpubp_clock_done_for(struct gpubp_ctx *ctx, u64 seq)
{
	struct gpubp_clock *clock = &ctx->clock;

	guard(raw_spinlock_irqsave)(&ctx->dev->table_lock);
	clock_advance(ctx);
	clock->settled = max(clock->settled, seq);
	if (seq >= clock->seq)
		clock->pending = false;
}

/** gpubp_clock_pending() - does the context have waves that trap nothing */
bool gpubp_clock_pending(const struct gpubp_ctx *ctx)
{
	return READ_ONCE(ctx->clock.pending);
}

/* ---- seats --------------------------------------------------------------- */

/* the share of those that are armed in @ns; @rest: what is less than 1 ns, times all */
static u64 armed_share(const struct gpubp_ctx_time *ctx_time, u64 ns, u64 *rest)
{
	u64 each, part;

	/* all armed is the rule, and needs no division */
	if (ctx_time->nr_armed == ctx_time->nr)
		return ns;
	each = div64_u64_rem(ns, ctx_time->nr, &part);
	*rest += part * ctx_time->nr_armed;
	return each * ctx_time->nr_armed +
	       div64_u64_rem(*rest, ctx_time->nr, rest);
}

static void add_ticks(struct gpubp_ctx_time *ctx_time,
		      const struct gpubp_ticks *now)
{
	const struct gpubp_ticks *at = &ctx_time->at;
	struct gpubp_account *acc = &ctx_time->acc;

	acc->resident += now->resident - at->resident;
	acc->stopped += now->stopped - at->stopped;
	acc->armed +=
		armed_share(ctx_time, now->ready - at->ready, &ctx_time->rest);
	acc->stopped_armed +=
		armed_share(ctx_time, now->stopped_ready - at->stopped_ready,
			    &ctx_time->stopped_rest);
}

/* what comes while a quantum runs has its first chance in the next one */
static void count_quanta(struct gpubp_ctx_time *ctx_time)
{
	u64 now = ctx_time->ctx->dev->quantum;

	if (now <= ctx_time->quantum_at)
		return;
	ctx_time->service.wanted += (now - ctx_time->quantum_at) * ctx_time->nr;
	ctx_time->service.armed +=
		(now - ctx_time->quantum_at) * ctx_time->nr_armed;
	ctx_time->quantum_at = now;
}

static void seat_advance(struct gpubp_ctx_time *ctx_time)
{
	const struct gpubp_ticks *now = &ctx_time->ctx->clock.ticks;
	u64 lost = atomic64_read(&ctx_time->ctx->lost);

	clock_advance(ctx_time->ctx);
	count_quanta(ctx_time);
	if (ctx_time->taken_up && ctx_time->nr) {
		add_ticks(ctx_time, now);
		ctx_time->acc.lost += lost - ctx_time->lost_at;
	}
	ctx_time->at = *now;
	ctx_time->lost_at = lost;
}

/**
 * gpubp_ctx_time_join() - an event wants something in a context
 * @event_time: the event's
 * @ctx_time: seat, zeroed; for no watch as yet
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
	WRITE_ONCE(event_time->bound, true);	/* gpubp_times only looks */
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_ctx_time_join);

/**
 * gpubp_ctx_time_leave() - the event wants nothing there any more
 * @event_time: the event's
 * @ctx_time: seat; its times are the event's
 */
void gpubp_ctx_time_leave(struct gpubp_event_time *event_time,
			  struct gpubp_ctx_time *ctx_time)
{
	guard(raw_spinlock_irqsave)(&event_time->lock);
	list_del(&ctx_time->node);
	raw_spin_lock(&ctx_time->ctx->dev->table_lock);
	seat_advance(ctx_time);
	raw_spin_unlock(&ctx_time->ctx->dev->table_lock);
	gpubp_account_add(&event_time->left, &ctx_time->acc);
	gpubp_service_add(&event_time->service, &ctx_time->service);
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_ctx_time_leave);

/**
 * gpubp_ctx_time_resize() - the event wants more or fewer watches there
 * @ctx_time: seat; its times stand still while it is empty
 * @by: how many more
 * @armed_by: of them, armed; at once, or a seat would seem less than armed
 */
void gpubp_ctx_time_resize(struct gpubp_ctx_time *ctx_time, int by,
			   int armed_by)
{
	guard(raw_spinlock_irqsave)(&ctx_time->ctx->dev->table_lock);
	seat_advance(ctx_time);
	ctx_time->nr += by;
	ctx_time->nr_armed += armed_by;
	ctx_time->rest = 0;
	ctx_time->stopped_rest = 0;
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_ctx_time_resize);

/**
 * gpubp_ctx_time_arm() - the scheduler has dealt with a watch of a seat
 * @ctx_time: seat; its times run from now on
 * @by: 1 the watch was armed, -1 disarmed, 0 it is as it was
 */
void gpubp_ctx_time_arm(struct gpubp_ctx_time *ctx_time, int by)
{
	guard(raw_spinlock_irqsave)(&ctx_time->ctx->dev->table_lock);
	seat_advance(ctx_time);
	ctx_time->taken_up = true;
	ctx_time->nr_armed += by;
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_ctx_time_arm);

/** gpubp_gap_raise() - the longest of gaps, in quanta and in time */
void gpubp_gap_raise(struct gpubp_gap *longest, const struct gpubp_gap *gap)
{
	longest->quanta = max(longest->quanta, gap->quanta);
	longest->ns = max(longest->ns, gap->ns);
}

/** gpubp_service_add() - sums, and the longer gap */
void gpubp_service_add(struct gpubp_service *to,
		       const struct gpubp_service *service)
{
	to->wanted += service->wanted;
	to->armed += service->armed;
	gpubp_gap_raise(&to->gap, &service->gap);
}

/**
 * gpubp_ctx_time_add_gap() - a watch of a seat waits, or did until it was armed now
 * @ctx_time: seat
 * @gap: how long; of the time before the seat was taken, nothing counts
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

void gpubp_event_time_init(struct gpubp_event_time *event_time)
{
	raw_spin_lock_init(&event_time->lock);
	INIT_LIST_HEAD(&event_time->ctx_times);
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_event_time_init);

static void advance_unserved(struct gpubp_event_time *event_time)
{
	u64 now = ktime_get_ns();

	if (event_time->nr_unserved)
		event_time->left.resident += now - event_time->unserved_at;
	event_time->unserved_at = now;
}

/**
 * gpubp_event_time_unserved() - watches that the event wants and cannot have
 * @event_time: the event's
 * @nr: how many: no memory, or no comparator can cover them
 *
 * They have no context's clock: their time counts as resident, not armed.
 */
void gpubp_event_time_unserved(struct gpubp_event_time *event_time,
			       unsigned int nr)
{
	guard(raw_spinlock_irqsave)(&event_time->lock);
	advance_unserved(event_time);
	event_time->nr_unserved = nr;
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_event_time_unserved);

static void add_seat(struct gpubp_ctx_time *ctx_time, struct gpubp_account *acc)
{
	raw_spin_lock(&ctx_time->ctx->dev->table_lock);
	seat_advance(ctx_time);
	gpubp_account_add(acc, &ctx_time->acc);
	raw_spin_unlock(&ctx_time->ctx->dev->table_lock);
}

/**
 * gpubp_event_time_read() - resident and armed time of an event so far
 * @gev: event
 * @acc: filled: sums of what it is and was bound to
 *
 * Any context but NMI, perf's ctx->lock included.
 */
void gpubp_event_time_read(struct gpubp_event *gev, struct gpubp_account *acc)
{
	struct gpubp_event_time *event_time = &gev->event_time;
	struct gpubp_ctx_time *ctx_time;

	guard(raw_spinlock_irqsave)(&event_time->lock);
	advance_unserved(event_time);
	*acc = event_time->left;
	list_for_each_entry(ctx_time, &event_time->ctx_times, node)
		add_seat(ctx_time, acc);
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_event_time_read);

static void add_turns(struct gpubp_ctx_time *ctx_time,
		      struct gpubp_service *service)
{
	raw_spin_lock(&ctx_time->ctx->dev->table_lock);
	count_quanta(ctx_time);
	gpubp_service_add(service, &ctx_time->service);
	raw_spin_unlock(&ctx_time->ctx->dev->table_lock);
}

/**
 * gpubp_event_service() - turns that an event had so far
 * @gev: event
 * @service: filled: of what it is and was bound to
 */
void gpubp_event_service(struct gpubp_event *gev, struct gpubp_service *service)
{
	struct gpubp_event_time *event_time = &gev->event_time;
	struct gpubp_ctx_time *ctx_time;

	guard(raw_spinlock_irqsave)(&event_time->lock);
	*service = event_time->service;
	list_for_each_entry(ctx_time, &event_time->ctx_times, node)
		add_turns(ctx_time, service);
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_event_service);
