// SPDX-License-Identifier: GPL-2.0
/* Account: clocks of contexts, seats of events, and their sums. */
#include <kunit/visibility.h>
#include <linux/export.h>
#include <linux/ktime.h>
#include <linux/math64.h>

#include "account.h"
#include "context.h"
#include "device.h"
#include "types.h"

/** gpubp_account_add() - sums */
void gpubp_account_add(struct gpubp_account *to, const struct gpubp_account *acc)
{
	to->resident += acc->resident;
	to->armed += acc->armed;
	to->stopped += acc->stopped;
	to->stopped_armed += acc->stopped_armed;
	to->lost += acc->lost;
}

/* ---- standing ------------------------------------------------------------ */

void gpubp_standing_init(struct gpubp_standing *st)
{
	raw_spin_lock_init(&st->lock);
}

/**
 * gpubp_standing_begin() - a wave is stopped for a hit
 * @st: of its context
 * @since: since when, ns of CLOCK_MONOTONIC; not in the future
 *
 * Any context but NMI. Return: since when, for gpubp_standing_end().
 */
u64 gpubp_standing_begin(struct gpubp_standing *st, u64 since)
{
	guard(raw_spinlock_irqsave)(&st->lock);
	since = min(since, ktime_get_ns());
	st->nr++;
	st->since += since;
	return since;
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_standing_begin);

/** gpubp_standing_end() - a wave that was stopped @since then goes on; as above */
void gpubp_standing_end(struct gpubp_standing *st, u64 since)
{
	guard(raw_spinlock_irqsave)(&st->lock);
	st->ns += ktime_get_ns() - since;
	st->nr--;
	st->since -= since;
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_standing_end);

/**
 * gpubp_standing_ns() - how long waves were stopped, that of each counted
 * @st: of their context
 * @now: until when, ns of CLOCK_MONOTONIC: this moment
 *
 * Any context but NMI.
 */
u64 gpubp_standing_ns(struct gpubp_standing *st, u64 now)
{
	guard(raw_spinlock_irqsave)(&st->lock);
	return st->ns + st->nr * now - st->since;
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_standing_ns);

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
	s64 ns = gpubp_standing_ns(&ctx->standing, now) - at;

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
 * gpubp_clocks_go_on() - a commit that knew of the loss was made
 * @dev: device; each context was part of that commit
 *
 * Unless everything was lost once more meanwhile.
 */
void gpubp_clocks_go_on(struct gpubp_device *dev)
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
 * gpubp_clock_hold() - a context got something that makes it resident
 * @ctx: context; table_lock is held
 * @by: 1, or -1: it was taken away
 */
void gpubp_clock_hold(struct gpubp_ctx *ctx, int by)
{
	clock_advance(ctx);
	ctx->clock.holders += by;
}

/**
 * gpubp_clock_queue() - a context has one more queue
 * @ctx: context
 * @by: 1, or -1: one less
 *
 * Where the device does not report residency, that makes it resident.
 */
void gpubp_clock_queue(struct gpubp_ctx *ctx, int by)
{
	if (ctx->dev->desc.caps.residency == GPUBP_RESIDENCY_REPORTED)
		return;
	guard(raw_spinlock_irqsave)(&ctx->dev->table_lock);
	gpubp_clock_hold(ctx, by);
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

/** gpubp_clock_unsettled() - there is a wave that does not trap for what is wanted */
void gpubp_clock_unsettled(struct gpubp_ctx *ctx)
{
	guard(raw_spinlock_irqsave)(&ctx->dev->table_lock);
	clock_advance(ctx);
	ctx->clock.pending = true;
}

/** gpubp_clock_settled() - no wave traps nothing, since the last commit */
void gpubp_clock_settled(struct gpubp_ctx *ctx)
{
	guard(raw_spinlock_irqsave)(&ctx->dev->table_lock);
	clock_advance(ctx);
	ctx->clock.pending = false;
}

/**
 * gpubp_clock_settled_for() - likewise, since a commit
 * @ctx: context
 * @seq: its number; what is said of an old one's waves is not true of a new one's
 */
void gpubp_clock_settled_for(struct gpubp_ctx *ctx, u64 seq)
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
static u64 armed_share(const struct gpubp_seat *seat, u64 ns, u64 *rest)
{
	u64 each, part;

	/* all armed is the rule, and needs no division */
	if (seat->nr_armed == seat->nr)
		return ns;
	each = div64_u64_rem(ns, seat->nr, &part);
	*rest += part * seat->nr_armed;
	return each * seat->nr_armed + div64_u64_rem(*rest, seat->nr, rest);
}

static void add_ticks(struct gpubp_seat *seat, const struct gpubp_ticks *now)
{
	const struct gpubp_ticks *at = &seat->at;
	struct gpubp_account *acc = &seat->acc;

	acc->resident += now->resident - at->resident;
	acc->stopped += now->stopped - at->stopped;
	acc->armed += armed_share(seat, now->ready - at->ready, &seat->rest);
	acc->stopped_armed += armed_share(seat,
					  now->stopped_ready - at->stopped_ready,
					  &seat->stopped_rest);
}

/* what comes while a quantum runs has its first chance in the next one */
static void count_quanta(struct gpubp_seat *seat)
{
	u64 now = seat->ctx->dev->quantum;

	if (now <= seat->quantum_at)
		return;
	seat->had.wanted += (now - seat->quantum_at) * seat->nr;
	seat->had.armed += (now - seat->quantum_at) * seat->nr_armed;
	seat->quantum_at = now;
}

static void seat_advance(struct gpubp_seat *seat)
{
	const struct gpubp_ticks *now = &seat->ctx->clock.ticks;
	u64 lost = atomic64_read(&seat->ctx->lost);

	clock_advance(seat->ctx);
	count_quanta(seat);
	if (seat->taken_up && seat->nr) {
		add_ticks(seat, now);
		seat->acc.lost += lost - seat->lost_at;
	}
	seat->at = *now;
	seat->lost_at = lost;
}

/**
 * gpubp_seat_join() - an event wants something in a context
 * @tally: the event's
 * @seat: seat, zeroed; for no watch as yet
 * @ctx: context
 */
void gpubp_seat_join(struct gpubp_tally *tally, struct gpubp_seat *seat,
		     struct gpubp_ctx *ctx)
{
	guard(raw_spinlock_irqsave)(&tally->lock);
	seat->ctx = ctx;
	seat->joined_at = ktime_get_ns();
	raw_spin_lock(&ctx->dev->table_lock);
	seat->joined_quantum = ctx->dev->quantum + 1;
	seat->quantum_at = seat->joined_quantum;
	raw_spin_unlock(&ctx->dev->table_lock);
	list_add_tail(&seat->node, &tally->seats);
	WRITE_ONCE(tally->bound, true);	/* gpubp_times only looks */
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_seat_join);

/**
 * gpubp_seat_leave() - the event wants nothing there any more
 * @tally: the event's
 * @seat: seat; its times are the event's
 */
void gpubp_seat_leave(struct gpubp_tally *tally, struct gpubp_seat *seat)
{
	guard(raw_spinlock_irqsave)(&tally->lock);
	list_del(&seat->node);
	raw_spin_lock(&seat->ctx->dev->table_lock);
	seat_advance(seat);
	raw_spin_unlock(&seat->ctx->dev->table_lock);
	gpubp_account_add(&tally->left, &seat->acc);
	gpubp_turns_had_add(&tally->had, &seat->had);
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_seat_leave);

/**
 * gpubp_seat_resize() - the event wants more or fewer watches there
 * @seat: seat; its times stand still while it is empty
 * @by: how many more
 * @armed_by: of them, armed; at once, or a seat would seem less than armed
 */
void gpubp_seat_resize(struct gpubp_seat *seat, int by, int armed_by)
{
	guard(raw_spinlock_irqsave)(&seat->ctx->dev->table_lock);
	seat_advance(seat);
	seat->nr += by;
	seat->nr_armed += armed_by;
	seat->rest = 0;
	seat->stopped_rest = 0;
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_seat_resize);

/**
 * gpubp_seat_arm() - the scheduler has dealt with a watch of a seat
 * @seat: seat; its times run from now on
 * @by: 1 the watch was armed, -1 disarmed, 0 it is as it was
 */
void gpubp_seat_arm(struct gpubp_seat *seat, int by)
{
	guard(raw_spinlock_irqsave)(&seat->ctx->dev->table_lock);
	seat_advance(seat);
	seat->taken_up = true;
	seat->nr_armed += by;
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_seat_arm);

/** gpubp_gap_raise() - the longest of gaps, in quanta and in time */
void gpubp_gap_raise(struct gpubp_gap *longest, const struct gpubp_gap *gap)
{
	longest->quanta = max(longest->quanta, gap->quanta);
	longest->ns = max(longest->ns, gap->ns);
}

/** gpubp_turns_had_add() - sums, and the longer gap */
void gpubp_turns_had_add(struct gpubp_turns_had *to,
			 const struct gpubp_turns_had *had)
{
	to->wanted += had->wanted;
	to->armed += had->armed;
	gpubp_gap_raise(&to->gap, &had->gap);
}

/**
 * gpubp_seat_waited() - a watch of a seat waits, or did until it was armed now
 * @seat: seat
 * @gap: how long; of the time before the seat was taken, nothing counts
 */
void gpubp_seat_waited(struct gpubp_seat *seat, const struct gpubp_gap *gap)
{
	struct gpubp_gap ours;
	u64 now;

	guard(raw_spinlock_irqsave)(&seat->ctx->dev->table_lock);
	now = seat->ctx->dev->quantum;
	if (!gap->quanta || now <= seat->joined_quantum)
		return;
	ours.quanta = min(gap->quanta, now - seat->joined_quantum);
	ours.ns = min(gap->ns, ktime_get_ns() - seat->joined_at);
	gpubp_gap_raise(&seat->had.gap, &ours);
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_seat_waited);

/* ---- events -------------------------------------------------------------- */

void gpubp_tally_init(struct gpubp_tally *tally)
{
	raw_spin_lock_init(&tally->lock);
	INIT_LIST_HEAD(&tally->seats);
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_tally_init);

static void advance_unserved(struct gpubp_tally *tally)
{
	u64 now = ktime_get_ns();

	if (tally->nr_unserved)
		tally->left.resident += now - tally->unserved_at;
	tally->unserved_at = now;
}

/**
 * gpubp_tally_unserved() - watches that the event wants and cannot have
 * @tally: the event's
 * @nr: how many: no memory, or no comparator can cover them
 *
 * They have no context's clock: their time counts as resident, not armed.
 */
void gpubp_tally_unserved(struct gpubp_tally *tally, unsigned int nr)
{
	guard(raw_spinlock_irqsave)(&tally->lock);
	advance_unserved(tally);
	tally->nr_unserved = nr;
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_tally_unserved);

static void add_seat(struct gpubp_seat *seat, struct gpubp_account *acc)
{
	raw_spin_lock(&seat->ctx->dev->table_lock);
	seat_advance(seat);
	gpubp_account_add(acc, &seat->acc);
	raw_spin_unlock(&seat->ctx->dev->table_lock);
}

/**
 * gpubp_event_account() - resident and armed time of an event so far
 * @gev: event
 * @acc: filled: sums of what it is and was bound to
 *
 * Any context but NMI, perf's ctx->lock included.
 */
void gpubp_event_account(struct gpubp_event *gev, struct gpubp_account *acc)
{
	struct gpubp_tally *tally = &gev->tally;
	struct gpubp_seat *seat;

	guard(raw_spinlock_irqsave)(&tally->lock);
	advance_unserved(tally);
	*acc = tally->left;
	list_for_each_entry(seat, &tally->seats, node)
		add_seat(seat, acc);
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_event_account);

static void add_turns(struct gpubp_seat *seat, struct gpubp_turns_had *had)
{
	raw_spin_lock(&seat->ctx->dev->table_lock);
	count_quanta(seat);
	gpubp_turns_had_add(had, &seat->had);
	raw_spin_unlock(&seat->ctx->dev->table_lock);
}

/**
 * gpubp_event_turns() - turns that an event had so far
 * @gev: event
 * @had: filled: of what it is and was bound to
 */
void gpubp_event_turns(struct gpubp_event *gev, struct gpubp_turns_had *had)
{
	struct gpubp_tally *tally = &gev->tally;
	struct gpubp_seat *seat;

	guard(raw_spinlock_irqsave)(&tally->lock);
	*had = tally->had;
	list_for_each_entry(seat, &tally->seats, node)
		add_turns(seat, had);
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_event_turns);
