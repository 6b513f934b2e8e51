// SPDX-License-Identifier: GPL-2.0
/*
 * Recorded hits: the wave recorded the hit, with the registers of its access, in the
 * ring of its context, and went on (sched/record_ring.h).
 *
 * A ring is memory of a process that it may be able to write, and is resolved where it
 * is. The head of a place is read once, before anything in it is looked at, and each
 * register once. Nothing in a record is used before it is found to be possible, and what
 * a process makes up are at worst hits of its own watches by its own code.
 */
#include <linux/export.h>
#include <linux/kthread.h>
#include <linux/ktime.h>
#include <linux/minmax.h>
#include <linux/rcupdate.h>
#include <linux/time64.h>
#include <linux/wait.h>

#include "../compat/kcov.h"
#include "../core/core.h"
#include "../sched/sched.h"
#include "../trap/trap.h"
#include "hit.h"
#include "resolution.h"

#define BATCH	16U	/* records of a ring, before those of others */
#define AWAIT_NS	(50 * NSEC_PER_MSEC)

/** enum place_result - what became of a place */
enum place_result {
	PLACE_TAKEN,
	PLACE_CROWDED,	/* taken, and many hits wait for a task that gets it */
	PLACE_NOT_YET,	/* its wave has not published it */
	PLACE_NO_CELL,
};

static void record_raise(struct gpubp_device *dev)
{
	gpubp_stat_inc(&dev->stats, GPUBP_STAT_RAISED);
	atomic64_inc(&dev->sched->recording.nr_recorded);
}

static enum place_result record_drop(struct gpubp_ctx *ctx, enum gpubp_stat s)
{
	record_raise(ctx->dev);
	gpubp_stat_inc(&ctx->dev->stats, s);
	atomic64_inc(&ctx->lost);
	return PLACE_TAKEN;
}

/* the queue may be gone, or be none of the context's if the record was made up */
static struct gpubp_queue *record_queue(struct gpubp_record_ring *ring,
					u64 number, u32 doorbell)
{
	struct gpubp_ctx *ctx = ring->ctx;
	struct gpubp_queue *queue;

	queue = gpubp_record_ring_queue(ring, number, doorbell);
	if (queue)
		return queue;
	guard(rcu)();
	queue = gpubp_queue_by_doorbell(ctx->dev, ctx->doorbells | doorbell);
	if (!queue || queue->ctx == ctx)
		return queue;
	gpubp_queue_put(queue);
	return NULL;
}

/* not before hits of its comparator were recorded, nor in the future */
static u64 record_time(const struct gpubp_record_ring *ring, u64 number,
		       u32 slots, u64 clock)
{
	const struct gpubp_device *dev = ring->ctx->dev;
	u64 time = max(dev->ops.clock_ns(dev->priv, clock),
		       READ_ONCE(ring->since[__ffs(slots)]));

	return min(time, gpubp_record_ring_limit(ring, number));
}

static void cell_fill(struct gpubp_hit_cell *cell,
		      struct gpubp_record_ring *ring, u64 number,
		      const void *place, u32 slots,
		      const struct gpubp_recorded_place *where)
{
	kref_get(&ring->ctx->ref);
	cell->ctx = ring->ctx;
	cell->queue = record_queue(ring, number, where->doorbell);
	cell->place = place;
	cell->hit = (struct gpubp_hit) {
		.valid = GPUBP_HITF_CTX | GPUBP_HITF_POSITION |
			 GPUBP_HITF_TIME,
		.ctx = ring->ctx,
		.se = where->se,
		.sh = where->sh,
		.cu = where->cu,
		.simd = where->simd,
		.wave_slot = where->wave_slot,
		.gpu_time = record_time(ring, number, slots, where->clock),
		.stopped = GPUBP_STOPS_NONE,
	};
}

/* its wave may still be about to publish it */
static bool place_is_awaited(const struct gpubp_record_ring *ring, u64 number)
{
	return number >= READ_ONCE(ring->gone_to) && !READ_ONCE(ring->closed);
}

/* what is left has no watch, or no owner, after this */
static bool ring_must_end(const struct gpubp_record_ring *ring)
{
	return ring->overtaken || READ_ONCE(ring->ending) ||
	       atomic_read(&ring->flushing);
}

static enum place_result place_resolve(struct gpubp_record_ring *ring,
				       u64 number,
				       struct gpubp_resolution *res)
{
	struct gpubp_ctx *ctx = ring->ctx;
	struct gpubp_device *dev = ctx->dev;
	struct gpubp_recorded_place where;
	const void *place = gpubp_record_ring_place(ring, number);
	struct gpubp_hit_cell *cell;
	bool crowded;
	int err;

	gpubp_place_copy(res->head, place, dev->desc.isa->handler->place_head);
	err = dev->desc.isa->recorded_parse(res->head, (u32)number,
					    &res->recorded, &where);
	if (err == -EAGAIN && place_is_awaited(ring, number))
		return PLACE_NOT_YET;
	if (err || (res->recorded.slots & ~READ_ONCE(ring->allowed)))
		return record_drop(ctx, GPUBP_STAT_DROP_RECORD);
	cell = gpubp_cell_alloc(dev);
	if (!cell)
		return ring_must_end(ring) ?
		       record_drop(ctx, GPUBP_STAT_DROP_CELLS) : PLACE_NO_CELL;
	record_raise(dev);
	cell_fill(cell, ring, number, place, res->recorded.slots, &where);
	res->number = number;
	gpubp_cell_get(cell);
	gpubp_resolve_one(cell, res);
	crowded = cell->crowded;
	gpubp_cell_put(cell);
	return crowded && !ring_must_end(ring) ? PLACE_CROWDED : PLACE_TAKEN;
}

/*
 * What a wave stored before it published a place is read after that was seen. Return: how
 * many of the first places may be resolved: published, or never to be.
 */
static u32 ring_await_places(const struct gpubp_record_ring *ring, u64 number,
			     u32 max)
{
	u32 nr = 0;

	while (nr < max &&
	       (gpubp_record_ring_is_published(ring, number + nr) ||
		!place_is_awaited(ring, number + nr)))
		nr++;
	/* pairs with the waits of the handler before it publishes */
	smp_rmb();
	return nr && !gpubp_handler_flush(ring->ctx) ? nr : 0;
}

/*
 * A wave fills its place within microseconds, or was killed in the handler: then nothing
 * behind it comes before the ring has ended for a moment.
 */
static void ring_await(struct gpubp_record_ring *ring)
{
	u64 now = ktime_get_ns();

	if (ring->awaited != ring->tail || !ring->awaited_since) {
		ring->awaited = ring->tail;
		ring->awaited_since = now;
	} else if (now - ring->awaited_since > AWAIT_NS &&
		   !READ_ONCE(ring->stuck)) {
		WRITE_ONCE(ring->stuck, true);
		gpubp_request(ring->ctx->dev);
	}
}

/*
 * Resolve some of the records before number @to. Return: there are more of them that
 * can be resolved now.
 */
static bool ring_resolve(struct gpubp_record_ring *ring, u64 to,
			 struct gpubp_resolution *res)
{
	enum place_result result = PLACE_TAKEN;
	u64 tail = ring->tail;
	u32 i = 0, nr;

	/* others may have taken more */
	if (to < tail)
		to = tail;
	nr = min3(to - tail, (u64)BATCH,
		  ring->nr_places - gpubp_record_ring_index(ring, tail));
	if (!nr) {
		WRITE_ONCE(ring->held_back, false);
		return false;
	}
	nr = ring_await_places(ring, tail, nr);
	while (i < nr && result == PLACE_TAKEN) {
		if (!__test_and_clear_bit(gpubp_record_ring_index(ring, tail + i),
					  ring->taken))
			result = place_resolve(ring, tail + i, res);
		if (result == PLACE_TAKEN || result == PLACE_CROWDED)
			i++;
	}
	WRITE_ONCE(ring->held_back, result == PLACE_CROWDED);
	ring->ctx->dev->sched->recording.found |= i > 0;
	if (i)
		gpubp_record_ring_taken(ring, tail + i);
	else if (!nr)
		ring_await(ring);
	return i && result == PLACE_TAKEN && ring->tail < to;
}

/* what is in the ring now are the records before this number */
static u64 ring_look(struct gpubp_record_ring *ring)
{
	u64 now = ktime_get_ns(), to = ring->tail;
	u32 head, nr;

	/* then there is nothing to wait for */
	if (READ_ONCE(ring->broken) || gpubp_record_ring_head(ring, &head)) {
		ring->looked_at = now;
		ring->goal = to;
		return to;
	}
	nr = head - (u32)to;
	if (nr > ring->nr_places)
		gpubp_record_ring_break(ring);
	else
		to += nr;
	ring->known = to;
	/* what came later does not hold back those who wait for what was before */
	if (ring->taken_at == ring->looked_at) {
		ring->looked_at = now;
		ring->goal = to;
	}
	return to;
}

/* some wait for what was recorded after the last look: look again in the next run */
static void ring_taken(struct gpubp_record_ring *ring)
{
	struct gpubp_device *dev = ring->ctx->dev;

	if (ring->tail < ring->goal)
		return;
	/* pairs with gpubp_records_are_taken() */
	smp_store_release(&ring->taken_at, ring->looked_at);
	if ((u64)atomic64_read(&ring->wanted) > ring->looked_at)
		kthread_queue_work(dev->resolver, &dev->resolve_work);
}

/* all that is in it now; returns the number of the next one */
static u64 ring_take(struct gpubp_record_ring *ring)
{
	u64 to = ring_look(ring);

	while (ring_resolve(ring, to, ring->ctx->dev->resolution))
		cond_resched();
	ring_taken(ring);
	return to;
}

/*
 * A wave is slow to publish its place, or was killed. Those behind it are of other waves,
 * and one of these has been reported since.
 */
static void ring_take_behind(struct gpubp_record_ring *ring, u64 to)
{
	struct gpubp_resolution *res = ring->ctx->dev->resolution;
	enum place_result result;
	u64 number;

	for (number = ring->tail + 1; number < to; number++) {
		if (test_bit(gpubp_record_ring_index(ring, number), ring->taken) ||
		    !ring_await_places(ring, number, 1))
			continue;
		result = place_resolve(ring, number, res);
		if (result == PLACE_TAKEN || result == PLACE_CROWDED)
			__set_bit(gpubp_record_ring_index(ring, number), ring->taken);
		cond_resched();
	}
}

/**
 * gpubp_recorded_take_ending() - resolve what is in rings that end, if a task waits
 * @dev: device
 *
 * The resolver only, often; it may be within a run. No more than fits into these rings.
 */
void gpubp_recorded_take_ending(struct gpubp_device *dev)
{
	struct gpubp_recording *recording = &dev->sched->recording;
	s64 asked = atomic64_read_acquire(&recording->asked);
	struct gpubp_record_ring *ring;

	if (recording->answered == asked)
		return;
	recording->round++;
	while ((ring = gpubp_record_ring_next(dev))) {
		if (!ring_must_end(ring))
			continue;
		gpubp_kcov_start(ring->ctx->kcov);
		ring_take(ring);
		kcov_remote_stop();
	}
	/* pairs with take_rings_that_end() of sched/record_ring.c */
	smp_store_release(&recording->answered, asked);
	wake_up_all(&dev->resolved_wait);
}

/* a task waits for records of it, or it is known to have some */
static bool ring_is_awaited(const struct gpubp_record_ring *ring)
{
	return ring->tail < ring->target || ring->tail < ring->goal;
}

static bool ring_may_get_records(const struct gpubp_record_ring *ring)
{
	return READ_ONCE(ring->on) && READ_ONCE(ring->ctx->clock.holders);
}

/*
 * Nothing was found for some milliseconds: where the next wave that records is to send an
 * interrupt. Interrupts are no more frequent than polls, then. Return: one of them has
 * recorded already, and may not send it.
 */
static bool rings_ask_notice(struct gpubp_device *dev)
{
	struct gpubp_recording *recording = &dev->sched->recording;
	struct gpubp_record_ring *ring;
	bool late = false;

	recording->round++;
	while ((ring = gpubp_record_ring_next(dev)))
		late |= gpubp_record_ring_ask_notice(ring);
	return late;
}

/**
 * gpubp_recorded_resolve() - resolve some records of each ring
 * @dev: device
 * @first: the first call of a run, which decides how much is to be resolved
 *
 * The resolver only. Return: call it again.
 */
bool gpubp_recorded_resolve(struct gpubp_device *dev, bool first)
{
	struct gpubp_recording *recording = &dev->sched->recording;
	bool more = false, left = false, resident = false;
	struct gpubp_record_ring *ring;

	if (first)
		recording->found = false;
	gpubp_recorded_take_ending(dev);
	if (!READ_ONCE(dev->nr_rings) && !READ_ONCE(dev->ring_poll.ms))
		return false;
	recording->round++;
	while ((ring = gpubp_record_ring_next(dev))) {
		gpubp_kcov_start(ring->ctx->kcov);
		if (first)
			ring->target = ring_look(ring);
		more |= ring_resolve(ring, ring->target, dev->resolution);
		ring_taken(ring);
		left |= ring_is_awaited(ring);
		resident |= ring_may_get_records(ring);
		kcov_remote_stop();
		cond_resched();
	}
	if (more)
		return true;
	left |= recording->found;
	if (!left && dev->ring_poll.due)
		left = rings_ask_notice(dev);
	gpubp_ring_poll_next(dev, left, resident);
	return false;
}

/**
 * gpubp_recorded_before() - resolve what a context recorded before a reported hit
 * @ctx: its context
 * @part: number of the part of a run; all of a part were reported before the first call
 *
 * The resolver only; no more than fits into the ring, once in a part.
 */
void gpubp_recorded_before(struct gpubp_ctx *ctx, u64 part)
{
	struct gpubp_record_ring *ring = &ctx->sched->ring;
	u64 to;

	if (!READ_ONCE(ring->allowed) || READ_ONCE(ctx->dead) ||
	    READ_ONCE(ctx->dev->suspended) || ring->part == part)
		return;
	ring->part = part;
	ring->overtaken = true;
	to = ring_take(ring);
	if (ring->tail < to)
		ring_take_behind(ring, to);
	ring->overtaken = false;
}

void gpubp_recorded(struct gpubp_device *dev)
{
	/* dev->suspended is read below: gpubp_device_suspend() waits for us */
	guard(rcu)();
	atomic64_inc(&dev->sched->recording.nr_notices);
	if (!READ_ONCE(dev->suspended))
		kthread_queue_work(dev->resolver, &dev->resolve_work);
}
EXPORT_SYMBOL_GPL(gpubp_recorded);

int gpubp_ctx_work_done(struct gpubp_ctx *ctx)
{
	struct gpubp_device *dev = ctx->dev;
	u64 now = ktime_get_ns();

	gpubp_owner_note_running();
	if (gpubp_records_are_taken(ctx, now))
		return 0;
	gpubp_records_want(ctx, now);
	kthread_queue_work(dev->resolver, &dev->resolve_work);
	return wait_event_interruptible(dev->resolved_wait,
					gpubp_records_are_taken(ctx, now));
}
EXPORT_SYMBOL_GPL(gpubp_ctx_work_done);
