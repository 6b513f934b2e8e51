// SPDX-License-Identifier: GPL-2.0
/* Record rings: see record_ring.h. */
#include <kunit/visibility.h>
#include <linux/atomic.h>
#include <linux/bitmap.h>
#include <linux/bitops.h>
#include <linux/jiffies.h>
#include <linux/kthread.h>
#include <linux/ktime.h>
#include <linux/list.h>
#include <linux/llist.h>
#include <linux/lockdep.h>
#include <linux/log2.h>
#include <linux/minmax.h>
#include <linux/moduleparam.h>
#include <linux/perf_event.h>
#include <linux/seq_file.h>
#include <linux/sizes.h>
#include <linux/slab.h>
#include <linux/wait.h>

#include "../core/core.h"
#include "../lib/policy.h"
#include "../trap/trap.h"
#include "commit.h"
#include "filter_plan.h"
#include "handler_ctxs.h"
#include "handler_filter.h"
#include "record_ring.h"
#include "sched.h"

#define MAX_BINDINGS	8192	/* of a context's watches, that are asked */
#define MAX_MEMORY	SZ_64M	/* of the rings of a device */
#define MAX_USER_MEMORY	SZ_32M	/* of them, those of contexts of one user */
#define MIN_PLACES	64
#define MAX_PLACES	4096

static unsigned int handler_records = 1;
module_param(handler_records, uint, 0644);
MODULE_PARM_DESC(handler_records, "0: waves stop at each hit that is not counted; else the trap handler records those that need no stop, where the device can; 2: also those of events that only count, where its driver does not see that work has ended, and counts may be some ms late");

static unsigned int record_places = 256;
module_param(record_places, uint, 0644);
MODULE_PARM_DESC(record_places, "hits that the trap handler can record in a context before they are delivered, 64 to 4096, besides one of each wave; of contexts whose hits are recorded from then on");

/* of all devices */
static atomic_t nr_rings = ATOMIC_INIT(0);

/* ---- what is recorded ---------------------------------------------------- */

static bool device_can_record(const struct gpubp_device *dev)
{
	const struct gpubp_caps *caps = &dev->desc.caps;

	return caps->records && READ_ONCE(handler_records) &&
	       gpubp_filters_wanted(dev);
}

/* a count is read as soon as work has ended, and nothing takes the ring before */
static bool count_needs_stop(const struct gpubp_device *dev,
			     struct perf_event *event)
{
	return dev->desc.caps.unseen_ends && READ_ONCE(handler_records) < 2 &&
	       !is_sampling_event(event);
}

/* what is done at its hits, or what they say, needs a wave that is stopped */
static bool event_needs_stop(const struct gpubp_device *dev,
			     const struct gpubp_event *gev)
{
	struct perf_event *event = gev->event;

	return event->attr.sigtrap || READ_ONCE(gev->spec.changed) ||
	       READ_ONCE(gev->caught) ||
	       event->overflow_handler_context || count_needs_stop(dev, event);
}

/* very many events may want the watches of a context: then hits of the last ones stop */
static bool bindings_need_stop(struct gpubp_record_ring *ring,
			       const struct list_head *bindings)
{
	const struct gpubp_binding *b;

	list_for_each_entry(b, bindings, watch_node)
		if (!ring->nr_left || !--ring->nr_left ||
		    event_needs_stop(ring->ctx->dev, b->event))
			return true;
	return false;
}

static bool watch_needs_stop(struct gpubp_record_ring *ring,
			     const struct gpubp_watch *w)
{
	struct gpubp_member_binding *mb;

	if (bindings_need_stop(ring, &w->bindings))
		return true;
	hlist_for_each_entry(mb, &w->members, watch_node)
		if (!ring->nr_left || !--ring->nr_left ||
		    bindings_need_stop(ring, &mb->set_binding->bindings))
			return true;
	return false;
}

/* a wave may be anywhere but in its program, or is to stop where it goes */
static bool ctx_needs_stops(const struct gpubp_ctx *ctx)
{
	return ctx->stepped || gpubp_traps_wanted(ctx) ||
	       gpubp_trap_ctx_has_xol(&ctx->trap->traps);
}

/** gpubp_records_reset() - a program is chosen anew; committer only */
void gpubp_records_reset(struct gpubp_ctx *ctx)
{
	struct gpubp_record_ring *ring = &ctx->sched->ring;

	ring->next = 0;
	ring->valued = 0;
	ring->nr_left = MAX_BINDINGS;
	ring->barred = 0;
	if (!device_can_record(ctx->dev) || READ_ONCE(ring->broken) ||
	    READ_ONCE(ring->stopped) || ctx_needs_stops(ctx))
		ring->barred = U32_MAX;
}

/**
 * gpubp_records_choose() - record the hits of a candidate, if possible
 * @ctx: its context
 * @cand: candidate for a watch that is to be armed
 *
 * The committer only, under the device lock, once for each candidate.
 */
void gpubp_records_choose(struct gpubp_ctx *ctx,
			  const struct gpubp_candidate *cand)
{
	struct gpubp_record_ring *ring = &ctx->sched->ring;
	u32 slots = cand->slots & ~ring->barred;
	const struct gpubp_watch *w = cand->priv;

	lockdep_assert_held(&ctx->dev->lock);
	if (!slots)
		return;
	if (watch_needs_stop(ring, w))
		ring->barred |= slots;
	else
		ring->next |= slots;
	if (w->sampled || w->filtered || !hlist_empty(&w->members))
		ring->valued |= slots;
}

/** gpubp_records_chosen() - all candidates are added; committer only */
void gpubp_records_chosen(struct gpubp_ctx *ctx)
{
	struct gpubp_record_ring *ring = &ctx->sched->ring;

	ring->next &= ~ring->barred & gpubp_handler_filters_able(ctx);
	if (ring->next)
		ctx->dev->sched->recording.chosen = true;
}

/* gpubp_handler_ring.on of comparators: all that they see, atomics included */
static u32 on_bits(u32 slots)
{
	return slots | slots << GPUBP_HANDLER_ATOMICS_SHIFT;
}

static u32 on_slots(u32 on)
{
	return (on | on >> GPUBP_HANDLER_ATOMICS_SHIFT) &
	       (BIT(GPUBP_HANDLER_ATOMICS_SHIFT) - 1);
}

/* no register has what an atomic left in memory */
static u32 ring_next_on(const struct gpubp_record_ring *ring)
{
	return ring->next | (ring->next & ~ring->valued)
				    << GPUBP_HANDLER_ATOMICS_SHIFT;
}

/* ---- memory -------------------------------------------------------------- */

static u32 ring_offset(const struct gpubp_record_ring *ring, size_t member)
{
	return ring->ctx->dev->desc.isa->handler->ring_offset + member;
}

static int ring_write_on(struct gpubp_record_ring *ring, u32 on)
{
	return gpubp_handler_write(ring->ctx,
				   ring_offset(ring,
					       offsetof(struct gpubp_handler_ring,
							on)),
				   &on, sizeof(on)) ?:
	       gpubp_handler_flush(ring->ctx);
}

static unsigned int device_nr_waves(const struct gpubp_device *dev)
{
	return dev->desc.caps.nr_waves ?: dev->desc.isa->nr_records;
}

/* none of its places is in use, and no wave has seen it */
static int ring_describe(struct gpubp_record_ring *ring)
{
	struct gpubp_handler_ring desc = {
		.base = ring->va,
		.mask = ring->nr_places - 1,
		.limit = ring->nr_places - device_nr_waves(ring->ctx->dev),
	};

	return gpubp_handler_write(ring->ctx, ring_offset(ring, 0), &desc,
				   sizeof(desc)) ?:
	       gpubp_handler_flush(ring->ctx);
}

static size_t ring_place_size(const struct gpubp_record_ring *ring)
{
	return ring->ctx->dev->desc.isa->handler->place_size;
}

static u64 ring_size(const struct gpubp_record_ring *ring)
{
	return (u64)ring->nr_places * ring_place_size(ring);
}

/* of the place of a number */
static size_t place_offset(const struct gpubp_record_ring *ring, u64 number)
{
	return gpubp_record_ring_index(ring, number) * ring_place_size(ring);
}

/* all have a minimum size, so there are not many */
static u64 user_memory(struct gpubp_device *dev,
		       const struct gpubp_cell_user *user)
{
	const struct gpubp_record_ring *ring;
	u64 sum = 0;

	lockdep_assert_held(&dev->lock);
	list_for_each_entry(ring, &dev->sched->recording.rings, node)
		if (ring->ctx->owner->cell_user == user)
			sum += ring_size(ring);
	return sum;
}

/* of a context whose ring has no room, hits stop */
static u64 ring_memory_left(struct gpubp_ctx *ctx)
{
	struct gpubp_device *dev = ctx->dev;

	guard(mutex)(&dev->lock);
	return min(MAX_MEMORY - dev->sched->recording.memory,
		   MAX_USER_MEMORY - user_memory(dev, ctx->owner->cell_user));
}

/* of places that are checked: see gpubp_handler.place_memory */
static int ring_prepare_checks(struct gpubp_record_ring *ring)
{
	const struct gpubp_handler *h = ring->ctx->dev->desc.isa->handler;
	struct gpubp_ctx *ctx = ring->ctx;
	u64 tma = ctx->trap->tma;
	u32 i;

	ring->kept = kvcalloc(ring->nr_places, h->place_size,
			      GFP_KERNEL | __GFP_NORETRY | __GFP_NOWARN);
	if (!ring->kept)
		return -ENOMEM;
	for (i = 0; i < ring->nr_places; i++)
		if (gpubp_ctx_global_rw(ctx, ring->va + place_offset(ring, i) +
					h->place_memory, &tma,
					sizeof(tma), GPUBP_MEM_WRITE) !=
		    sizeof(tma))
			return -EFAULT;
	return 0;
}

static int ring_map(struct gpubp_record_ring *ring)
{
	struct gpubp_ctx *ctx = ring->ctx;
	const struct gpubp_ops *ops = &ctx->dev->ops;

	ring->places = ops->code_map(ctx->priv, ring->va);
	ring->desc = ops->code_map(ctx->priv, ctx->trap->tma +
				   ring_offset(ring, 0));
	return ring->places && ring->desc ? 0 : -ENOMEM;
}

static void ring_free(struct gpubp_record_ring *ring)
{
	struct gpubp_ctx *ctx = ring->ctx;

	ctx->dev->ops.code_free(ctx->priv, ring->va);
	ring->va = 0;
	kvfree(ring->kept);
	ring->kept = NULL;
	bitmap_free(ring->taken);
	ring->taken = NULL;
}

static int ring_alloc(struct gpubp_record_ring *ring)
{
	struct gpubp_ctx *ctx = ring->ctx;
	struct gpubp_device *dev = ctx->dev;
	u64 va;
	int err;

	ring->nr_places = roundup_pow_of_two(device_nr_waves(dev) +
					     clamp(READ_ONCE(record_places),
						   MIN_PLACES, MAX_PLACES));
	if (ring_size(ring) > ring_memory_left(ctx))
		return -EDQUOT;
	err = dev->ops.code_alloc(ctx->priv, ring_size(ring), &va);
	if (err)
		return err;
	ring->va = va;
	ring->taken = bitmap_zalloc(ring->nr_places,
				    GFP_KERNEL | __GFP_NORETRY | __GFP_NOWARN);
	err = ring->taken ? ring_map(ring) : -ENOMEM;
	if (!err && ctx->trap->checks)
		err = ring_prepare_checks(ring);
	if (!err)
		err = ring_describe(ring);
	if (err) {
		ring_free(ring);
		return err;
	}
	guard(mutex)(&dev->lock);
	dev->sched->recording.memory += ring_size(ring);
	list_add(&ring->node, &dev->sched->recording.rings);
	WRITE_ONCE(dev->nr_rings, dev->nr_rings + 1);
	atomic_inc(&nr_rings);
	/* pairs with ring_is_there() */
	smp_store_release(&ring->there, true);
	return 0;
}

/* for others than the committer, which may be making it now */
static bool ring_is_there(const struct gpubp_record_ring *ring)
{
	/* pairs with ring_alloc() */
	return smp_load_acquire(&ring->there);
}

/* ---- commits ------------------------------------------------------------- */

/* @always: see gpubp_handlers_next() */
static void rings_for_each(struct gpubp_commit *c, bool always,
			   void (*fn)(struct gpubp_commit *c,
				      struct gpubp_ctx *ctx))
{
	struct gpubp_ctx *ctx;

	gpubp_handlers_walk(c->dev);
	while ((ctx = gpubp_handlers_next(c->dev, always)))
		fn(c, ctx);
}

static void ring_set_on(struct gpubp_record_ring *ring, u32 on)
{
	atomic_add(!!on - !!ring->on, &ring->ctx->dev->nr_recording);
	WRITE_ONCE(ring->on, on);
}

/* comparators of which the same is compared and watched, also during the commit */
static u32 ring_slots_that_stay(const struct gpubp_commit *c,
				const struct gpubp_record_ring *ring)
{
	unsigned long slots = on_slots(ring->on);
	u32 stay = 0;
	unsigned int s;

	for_each_set_bit(s, &slots, GPUBP_MAX_SLOTS)
		if (gpubp_handler_filter_stays(c, ring->ctx, s))
			stay |= BIT(s);
	return stay;
}

static void ctx_records_end(struct gpubp_commit *c, struct gpubp_ctx *ctx)
{
	struct gpubp_record_ring *ring = &ctx->sched->ring;
	u32 stay;
	int err;

	stay = ring->on & ring_next_on(ring) &
	       on_bits(ring_slots_that_stay(c, ring));
	if (stay == ring->on && !READ_ONCE(ring->stuck))
		return;
	/*
	 * Waves in the handler may record until the provider has drained. Then no
	 * record may be on its way, of any comparator.
	 */
	c->barrier = true;
	WRITE_ONCE(ring->ending, true);
	err = ctx->handler_failed ? 0 : ring_write_on(ring, 0);
	if (err)
		gpubp_handler_not_ended(c, ctx, err);
	else
		ring_set_on(ring, 0);
}

/**
 * gpubp_records_end() - before a commit, end what it does not keep
 * @c: the commit
 *
 * The committer only; may sleep. Sets c->unreachable or c->busy if the handler of a
 * context cannot be reached.
 */
void gpubp_records_end(struct gpubp_commit *c)
{
	if (atomic_read(&c->dev->nr_recording))
		rings_for_each(c, true, ctx_records_end);
}

/*
 * No wave is in the handler: what it did not publish is not published any more. All are
 * hits of the old program, also those that were recorded after the commit had begun.
 */
static void ctx_records_ended(struct gpubp_commit *c, struct gpubp_ctx *ctx)
{
	struct gpubp_record_ring *ring = &ctx->sched->ring;
	u64 tail = READ_ONCE(ring->tail);
	u32 head;

	if (!ring->ending || !c->drained ||
	    gpubp_record_ring_head(ring, &head))
		return;
	WRITE_ONCE(ring->stuck, false);
	WRITE_ONCE(ring->gone_at, c->from - 1);
	/* pairs with gpubp_record_ring_limit() */
	smp_store_release(&ring->gone_to, tail + (u32)(head - (u32)tail));
}

static void ctx_records_allow(struct gpubp_commit *c, struct gpubp_ctx *ctx)
{
	struct gpubp_record_ring *ring = &ctx->sched->ring;

	WRITE_ONCE(ring->allowed, on_slots(ring->on));
	WRITE_ONCE(ring->ending, false);
}

static bool rings_were_taken(const struct gpubp_recording *recording, s64 asked)
{
	/* pairs with gpubp_recorded_take_ending() */
	return smp_load_acquire(&recording->answered) >= asked;
}

/*
 * Wait until the resolver has taken what is in the rings that end: before anything else,
 * and no more than fits into these.
 */
static void take_rings_that_end(struct gpubp_device *dev)
{
	struct gpubp_recording *recording = &dev->sched->recording;
	s64 asked = atomic64_inc_return(&recording->asked);

	kthread_queue_work(dev->resolver, &dev->resolve_work);
	wait_event(dev->resolved_wait, rings_were_taken(recording, asked));
}

static bool records_end(const struct gpubp_commit *c)
{
	return READ_ONCE(c->dev->nr_rings) && c->barrier;
}

/**
 * gpubp_records_ended() - the provider was called
 * @c: the commit; nothing is on yet that hits of the new program could be recorded by
 *
 * The committer only; may sleep.
 */
void gpubp_records_ended(struct gpubp_commit *c)
{
	if (records_end(c))
		rings_for_each(c, true, ctx_records_ended);
}

/**
 * gpubp_records_take() - let recorded hits of the old program be resolved
 * @c: the commit; its watches are finished, and the old ones still known
 *
 * The committer only; waits for the resolver, which has no more to do than fits into the
 * rings that end.
 */
void gpubp_records_take(struct gpubp_commit *c)
{
	u64 began = ktime_get_ns();

	if (!records_end(c))
		return;
	take_rings_that_end(c->dev);
	/* if waves are still in the handler, they may record those of before */
	c->dev->sched->recording.undrained = !c->drained;
	if (c->drained)
		rings_for_each(c, true, ctx_records_allow);
	c->cost += ktime_get_ns() - began;
}

/* no hit of the program before the last commit can arrive any more */
static void records_take_late(struct gpubp_device *dev)
{
	struct gpubp_commit end = {
		.dev = dev,
		.from = dev->sched->commit_from,
		.drained = true,
	};

	dev->sched->recording.undrained = false;
	rings_for_each(&end, true, ctx_records_ended);
	take_rings_that_end(dev);
	rings_for_each(&end, true, ctx_records_allow);
}

static void ring_set_since(struct gpubp_record_ring *ring, unsigned long slots)
{
	u64 now = ktime_get_ns();
	unsigned int s;

	for_each_set_bit(s, &slots, GPUBP_MAX_SLOTS)
		WRITE_ONCE(ring->since[s], now);
}

static void ctx_records_begin(struct gpubp_commit *c, struct gpubp_ctx *ctx)
{
	struct gpubp_record_ring *ring = &ctx->sched->ring;
	u32 on = ring_next_on(ring) &
		 on_bits(ctx->sched->filters.on & ~c->failed);
	int err;

	if (!(on & ~ring->on))
		return;
	err = ring->va ? 0 : ring_alloc(ring);
	c->busy |= err == -EAGAIN;
	if (err)
		return;
	ring_set_since(ring, on_slots(on) & ~on_slots(ring->on));
	on |= ring->on;
	WRITE_ONCE(ring->allowed, ring->allowed | on_slots(on));
	err = ring_write_on(ring, on);
	c->busy |= err == -EAGAIN;
	/* if the flush failed, waves may see it all the same */
	if (err != -EAGAIN)
		ring_set_on(ring, on);
}

/**
 * gpubp_records_begin() - after a commit, let hits be recorded
 * @c: the commit, finished; its filters are on
 *
 * The committer only; may sleep.
 */
void gpubp_records_begin(struct gpubp_commit *c)
{
	struct gpubp_recording *recording = &c->dev->sched->recording;

	if (recording->undrained)
		records_take_late(c->dev);
	if (recording->chosen)
		rings_for_each(c, false, ctx_records_begin);
	recording->chosen = c->busy;
	gpubp_ring_poll_soon(c->dev);
}

#define STOP_TIMEOUT	(10 * HZ)

/**
 * gpubp_records_stop() - let no wave of a context record its hits any more
 * @ctx: context; a ctx op reference is held
 *
 * For devices that halt no single wave of a context that records. May sleep. Return:
 * true if waves have recorded until now, and do not any more.
 */
bool gpubp_records_stop(struct gpubp_ctx *ctx)
{
	struct gpubp_record_ring *ring = &ctx->sched->ring;

	if (!READ_ONCE(ring->on))
		return false;
	WRITE_ONCE(ring->stopped, true);
	gpubp_request(ctx->dev);
	return !gpubp_request_wait_timeout(ctx->dev, STOP_TIMEOUT) &&
	       !READ_ONCE(ring->on);
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_records_stop);

/* no queue, or only the one that ends: no wave exists */
static bool ctx_has_no_waves(struct gpubp_ctx *ctx)
{
	guard(raw_spinlock_irqsave)(&ctx->dev->table_lock);
	return list_empty(&ctx->queues) || list_is_singular(&ctx->queues);
}

/**
 * gpubp_records_flush() - let the resolver take what is in a context's ring
 * @ctx: context that is not dead; it ends, or one of its queues, without waves
 *
 * Waits for the resolver; no lock is held.
 */
void gpubp_records_flush(struct gpubp_ctx *ctx)
{
	struct gpubp_record_ring *ring = &ctx->sched->ring;

	if (!ring_is_there(ring))
		return;
	atomic_inc(&ring->flushing);
	WRITE_ONCE(ring->closed, ctx_has_no_waves(ctx));
	take_rings_that_end(ctx->dev);
	WRITE_ONCE(ring->closed, false);
	atomic_dec(&ring->flushing);
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_records_flush);

/* one for each queue of a process that goes while a place is awaited */
#define MAX_LATE_QUEUES	64

/* number of the next place that a wave takes, or that of the next record to be resolved */
static u64 ring_next_number(struct gpubp_record_ring *ring)
{
	u64 tail = READ_ONCE(ring->tail);
	u32 head;

	if (gpubp_record_ring_head(ring, &head) ||
	    head - (u32)tail > ring->nr_places)
		return tail;
	return tail + (u32)(head - (u32)tail);
}

static void ring_add_queue(struct gpubp_record_ring *ring,
			   struct gpubp_late_queue *late)
{
	guard(mutex)(&ring->ctx->dev->lock);
	if (list_count_nodes(&ring->queues) >= MAX_LATE_QUEUES) {
		kfree(late);
		return;
	}
	kref_get(&late->queue->ref);
	list_add_tail(&late->node, &ring->queues);
}

/**
 * gpubp_records_keep_queue() - a queue is destroyed after gpubp_records_flush()
 * @queue: queue, which lookups find
 *
 * A wave of another queue may have a place that it has not published: what is behind it
 * belongs to this queue nevertheless. May sleep.
 */
void gpubp_records_keep_queue(struct gpubp_queue *queue)
{
	struct gpubp_record_ring *ring = &queue->ctx->sched->ring;
	struct gpubp_late_queue *late;
	u64 next;

	if (!ring_is_there(ring) || READ_ONCE(queue->ctx->dev->suspended))
		return;
	next = ring_next_number(ring);
	if (next == READ_ONCE(ring->tail))
		return;
	late = kzalloc(sizeof(*late), GFP_KERNEL_ACCOUNT);
	if (!late)
		return;
	late->queue = queue;
	late->until = next;
	ring_add_queue(ring, late);
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_records_keep_queue);

static void ring_put_queues(struct gpubp_record_ring *ring, u64 tail)
{
	struct gpubp_late_queue *late, *tmp;
	LIST_HEAD(over);

	scoped_guard(mutex, &ring->ctx->dev->lock)
		list_for_each_entry_safe(late, tmp, &ring->queues, node)
			if (late->until <= tail)
				list_move(&late->node, &over);
	list_for_each_entry_safe(late, tmp, &over, node) {
		gpubp_queue_put(late->queue);
		kfree(late);
	}
}

/**
 * gpubp_record_ring_queue() - the queue of a record, if it was destroyed since
 * @ring: ring
 * @number: the record's number
 * @doorbell: of the queue
 *
 * The resolver only. Return: the queue with a reference, or NULL.
 */
struct gpubp_queue *gpubp_record_ring_queue(struct gpubp_record_ring *ring,
					    u64 number, u32 doorbell)
{
	struct gpubp_late_queue *late;

	if (list_empty_careful(&ring->queues))
		return NULL;
	guard(mutex)(&ring->ctx->dev->lock);
	list_for_each_entry(late, &ring->queues, node) {
		if (late->queue->doorbell != doorbell || number >= late->until)
			continue;
		kref_get(&late->queue->ref);
		return late->queue;
	}
	return NULL;
}

/** gpubp_records_flush_device() - likewise, of all contexts */
void gpubp_records_flush_device(struct gpubp_device *dev)
{
	if (!READ_ONCE(dev->nr_rings))
		return;
	kthread_queue_work(dev->resolver, &dev->resolve_work);
	kthread_flush_work(&dev->resolve_work);
}

/* ---- for those who wait -------------------------------------------------- */

/** gpubp_records_exist() - may any hit be in a ring; any context */
bool gpubp_records_exist(void)
{
	return atomic_read(&nr_rings);
}

/* it has ended, but not so that the device knows that no wave is in the handler */
static bool ring_is_given_up(const struct gpubp_record_ring *ring)
{
	return READ_ONCE(ring->stuck) && !READ_ONCE(ring->on);
}

/**
 * gpubp_records_are_taken() - have events what a context recorded before?
 * @ctx: context; a reference is held
 * @before: ns of CLOCK_MONOTONIC
 *
 * Samples may still wait for their task. Any context. Return: also true if there is
 * nothing to wait for.
 */
bool gpubp_records_are_taken(struct gpubp_ctx *ctx, u64 before)
{
	const struct gpubp_record_ring *ring = &ctx->sched->ring;

	/* pairs with ring_taken() of hit/recorded.c */
	return smp_load_acquire(&ring->taken_at) >= before ||
	       !READ_ONCE(ring->allowed) || READ_ONCE(ring->broken) ||
	       ring_is_given_up(ring) || READ_ONCE(ctx->dead) ||
	       READ_ONCE(ctx->dev->suspended);
}

/** gpubp_records_are_held_back() - by very many hits that wait for a task? */
bool gpubp_records_are_held_back(struct gpubp_ctx *ctx)
{
	return READ_ONCE(ctx->sched->ring.held_back);
}

/**
 * gpubp_records_want() - a task waits for what a context recorded before
 * @ctx: context; a reference is held
 * @before: ns of CLOCK_MONOTONIC
 *
 * Any context. The resolver's next run looks at its ring, and as many more as it takes.
 */
void gpubp_records_want(struct gpubp_ctx *ctx, u64 before)
{
	atomic64_t *wanted = &ctx->sched->ring.wanted;
	s64 old = atomic64_read(wanted);

	while (old < (s64)before &&
	       !atomic64_try_cmpxchg(wanted, &old, before))
		;
}

/**
 * gpubp_records_ask() - let the resolver take what a context recorded before
 * @ctx: context; a reference is held
 * @before: ns of CLOCK_MONOTONIC
 *
 * May sleep.
 */
void gpubp_records_ask(struct gpubp_ctx *ctx, u64 before)
{
	struct gpubp_device *dev = ctx->dev;

	gpubp_records_want(ctx, before);
	guard(mutex)(&dev->lock);
	/* the resolver exists as long as a context that is not dead */
	if (!ctx->dead && !dev->suspended)
		kthread_queue_work(dev->resolver, &dev->resolve_work);
}

/**
 * gpubp_records_wait() - wait until events have what a context recorded before
 * @ctx: context; a reference is held
 * @before: ns of CLOCK_MONOTONIC, not in the future
 * @timeout: jiffies
 *
 * May sleep. Return: 0, also if very many hits wait for a task, so that these could not
 * be taken; -ETIMEDOUT; -ERESTARTSYS if the caller is killed.
 */
int gpubp_records_wait(struct gpubp_ctx *ctx, u64 before,
		       unsigned long timeout)
{
	long left;

	if (gpubp_records_are_taken(ctx, before))
		return 0;
	gpubp_records_ask(ctx, before);
	left = wait_event_killable_timeout(ctx->dev->resolved_wait,
					   gpubp_records_are_taken(ctx, before) ||
					   gpubp_records_are_held_back(ctx),
					   timeout);
	return gpubp_wait_error(left);
}

/**
 * gpubp_records_wait_signal() - likewise, until a signal comes
 * @ctx: context; a reference is held
 * @before: ns of CLOCK_MONOTONIC, not in the future
 * @timeout: jiffies
 *
 * May sleep. Return: 0, -ETIMEDOUT or -ERESTARTSYS.
 */
int gpubp_records_wait_signal(struct gpubp_ctx *ctx, u64 before,
			      unsigned long timeout)
{
	long left;

	if (gpubp_records_are_taken(ctx, before))
		return 0;
	gpubp_records_ask(ctx, before);
	left = wait_event_interruptible_timeout(ctx->dev->resolved_wait,
						gpubp_records_are_taken(ctx, before),
						timeout);
	return gpubp_wait_error(left);
}

/* ---- for the resolver ---------------------------------------------------- */

/**
 * gpubp_record_ring_next() - next ring that the resolver's walk has not visited
 * @dev: device; recording.round is the number of the walk
 *
 * A context that is not dead exists until the resolver's work is over, so ops may be
 * called for it. The resolver only. Return: the ring, or NULL.
 */
struct gpubp_record_ring *gpubp_record_ring_next(struct gpubp_device *dev)
{
	struct gpubp_recording *recording = &dev->sched->recording;
	struct gpubp_record_ring *ring;

	guard(mutex)(&dev->lock);
	if (dev->suspended)
		return NULL;
	while ((ring = list_first_entry_or_null(&recording->rings,
						typeof(*ring), node)) &&
	       ring->round != recording->round) {
		ring->round = recording->round;
		list_move_tail(&ring->node, &recording->rings);
		if (!ring->ctx->dead)
			return ring;
	}
	return NULL;
}

/**
 * gpubp_record_ring_head() - number of the next place that a wave takes
 * @ring: ring of a context that is not dead
 * @head: result, as waves may have written it
 *
 * May sleep. Return: 0 or the provider's errno.
 */
int gpubp_record_ring_head(struct gpubp_record_ring *ring, u32 *head)
{
	int err = gpubp_handler_flush(ring->ctx);

	if (!err)
		*head = READ_ONCE(ring->desc->head);
	return err;
}

/**
 * gpubp_record_ring_is_last() - has there been no hit after this one until now?
 * @ring: ring of a context that is not dead
 * @number: number of a record
 *
 * None that was recorded, and none that is reported and not resolved; of a context with
 * handler_check each is reported, and not later. The resolver only; may sleep.
 */
bool gpubp_record_ring_is_last(struct gpubp_record_ring *ring, u64 number)
{
	const struct gpubp_ctx *ctx = ring->ctx;
	u32 head;

	/* most are not: no flush for each of them */
	if (number + 1 < ring->known)
		return false;
	if (!ctx->trap->checks &&
	    (ring->overtaken || !llist_empty(&ctx->dev->reported)))
		return false;
	return !gpubp_record_ring_head(ring, &head) &&
	       head == (u32)(number + 1);
}

/**
 * gpubp_record_ring_limit() - latest possible time of a record
 * @ring: ring
 * @number: its number
 *
 * Any context. Return: ns of CLOCK_MONOTONIC, not after now.
 */
u64 gpubp_record_ring_limit(const struct gpubp_record_ring *ring, u64 number)
{
	/* pairs with ctx_records_ended() */
	if (number < smp_load_acquire(&ring->gone_to))
		return READ_ONCE(ring->gone_at);
	return ktime_get_ns();
}

static void place_keep(struct gpubp_record_ring *ring, u64 number)
{
	size_t offset = place_offset(ring, number);

	gpubp_place_copy(ring->kept + offset, ring->places + offset,
			 ring_place_size(ring));
}

/**
 * gpubp_record_ring_is_published() - is the place of a number complete?
 * @ring: ring of a context that is not dead
 * @number: number of the record
 *
 * The resolver only. If so, a read barrier and gpubp_handler_flush() come before the rest
 * of the place is read.
 */
bool gpubp_record_ring_is_published(const struct gpubp_record_ring *ring,
				    u64 number)
{
	const u32 *seq = ring->places + place_offset(ring, number);

	return READ_ONCE(*seq) == gpubp_place_seq(number);
}

/**
 * gpubp_record_ring_place() - the place of a number, as it is to be resolved
 * @ring: ring of a context that is not dead
 * @number: number of the record
 *
 * The resolver only. Return: waves may write there at any time; or a copy that is kept,
 * as it will be checked.
 */
const void *gpubp_record_ring_place(struct gpubp_record_ring *ring, u64 number)
{
	if (!ring->kept)
		return ring->places + place_offset(ring, number);
	place_keep(ring, number);
	return gpubp_record_ring_kept(ring, number);
}

/**
 * gpubp_record_ring_keep_all() - keep copies of what was not taken yet, too
 * @ring: ring of a context that is not dead, with copies
 * @head: (out) number of the next place that a wave takes
 *
 * The resolver only; may sleep. Return: 0 or the provider's errno.
 */
int gpubp_record_ring_keep_all(struct gpubp_record_ring *ring, u32 *head)
{
	u64 n = ring->tail;
	u32 left;
	int err;

	err = gpubp_record_ring_head(ring, head);
	if (err)
		return err;
	for (left = min(*head - (u32)n, ring->nr_places); left; left--, n++)
		place_keep(ring, n);
	return 0;
}

/** gpubp_record_ring_kept() - the copy of the last place with the position of a number */
const void *gpubp_record_ring_kept(const struct gpubp_record_ring *ring,
				   u64 number)
{
	return ring->kept + place_offset(ring, number);
}

/**
 * gpubp_record_ring_taken() - waves may use the places before a number again
 * @ring: ring of a context that is not dead
 * @tail: the number
 *
 * The resolver only; may sleep. Waves see an older number if it cannot be written, which
 * leaves them less room.
 */
void gpubp_record_ring_taken(struct gpubp_record_ring *ring, u64 tail)
{
	u32 low = tail;

	WRITE_ONCE(ring->tail, tail);
	if (!list_empty_careful(&ring->queues))
		ring_put_queues(ring, tail);
	if (gpubp_handler_write(ring->ctx,
				ring_offset(ring,
					    offsetof(struct gpubp_handler_ring,
						     tail)),
				&low, sizeof(low)))
		return;
	gpubp_handler_flush(ring->ctx);
}

/**
 * gpubp_record_ring_ask_notice() - the next wave that records is to send an interrupt
 * @ring: ring of a context that is not dead, all of which was taken
 *
 * The resolver only; may sleep. Return: true if there is a record by now, whose wave may
 * have seen that too late.
 */
bool gpubp_record_ring_ask_notice(struct gpubp_record_ring *ring)
{
	u32 next = ring->tail, head;

	if (!READ_ONCE(ring->on) || READ_ONCE(ring->broken) ||
	    ring->notify == next)
		return false;
	if (gpubp_handler_write(ring->ctx,
				ring_offset(ring,
					    offsetof(struct gpubp_handler_ring,
						     notify)),
				&next, sizeof(next)))
		return false;
	ring->notify = next;
	/* write, then read: waves add to the head, then read */
	smp_mb();
	return !gpubp_record_ring_head(ring, &head) && head != next;
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_record_ring_ask_notice);

/**
 * gpubp_record_ring_break() - a process wrote to its ring: never use it again
 * @ring: ring
 *
 * The resolver only.
 */
void gpubp_record_ring_break(struct gpubp_record_ring *ring)
{
	WRITE_ONCE(ring->broken, true);
	gpubp_request(ring->ctx->dev);
}

/* ---- devices and contexts ------------------------------------------------ */

/** gpubp_records_init() - initialise a new device's part */
void gpubp_records_init(struct gpubp_device *dev)
{
	INIT_LIST_HEAD(&dev->sched->recording.rings);
	gpubp_ring_poll_init(dev);
}

/** gpubp_records_exit() - dev->requests.stopped is set; may sleep */
void gpubp_records_exit(struct gpubp_device *dev)
{
	gpubp_ring_poll_exit(dev);
}

/** gpubp_records_init_ctx() - initialise a new context's part */
void gpubp_records_init_ctx(struct gpubp_ctx *ctx)
{
	ctx->sched->ring.ctx = ctx;
	INIT_LIST_HEAD(&ctx->sched->ring.node);
	INIT_LIST_HEAD(&ctx->sched->ring.queues);
}

/**
 * gpubp_records_exit_ctx() - free the ring of a dead context
 * @ctx: context; no wave of it exists, and no worker uses it any more
 */
void gpubp_records_exit_ctx(struct gpubp_ctx *ctx)
{
	struct gpubp_record_ring *ring = &ctx->sched->ring;
	struct gpubp_device *dev = ctx->dev;

	if (!ring->va)
		return;
	scoped_guard(mutex, &dev->lock) {
		list_del_init(&ring->node);
		dev->sched->recording.memory -= ring_size(ring);
		ring_set_on(ring, 0);
		WRITE_ONCE(dev->nr_rings, dev->nr_rings - 1);
		atomic_dec(&nr_rings);
	}
	ring_put_queues(ring, U64_MAX);
	ring_free(ring);
}

/** gpubp_records_show() - lines of the device's state */
void gpubp_records_show(struct gpubp_device *dev, struct seq_file *m)
{
	seq_printf(m, "recording %d\n", atomic_read(&dev->nr_recording));
	seq_printf(m, "recorded %lld\n",
		   atomic64_read(&dev->sched->recording.nr_recorded));
	seq_printf(m, "notices %lld\n",
		   atomic64_read(&dev->sched->recording.nr_notices));
}
