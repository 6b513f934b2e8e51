// SPDX-License-Identifier: GPL-2.0
/* Meters: see meter.h. */
#include <kunit/visibility.h>
#include <linux/bitops.h>
#include <linux/export.h>
#include <linux/jiffies.h>
#include <linux/kthread.h>
#include <linux/ktime.h>
#include <linux/limits.h>
#include <linux/perf_event.h>
#include <linux/slab.h>
#include <linux/wait.h>

#include "../compat/perf.h"
#include "../compat/target.h"
#include "../core/core.h"
#include "../lib/placement.h"
#include "../trap/trap.h"
#include "commit.h"
#include "handler_count.h"
#include "sched.h"
#include "watch.h"

#define COLLECT_MS	100	/* who reads without GPUBP_SYNC sees this much less */
#define FLUSH_MS	1000

/* ---- what events are told ------------------------------------------------ */

/** gpubp_count_sink_alloc() - of a new event; NULL without memory */
struct gpubp_count_sink *gpubp_count_sink_alloc(struct gpubp_event *gev)
{
	struct gpubp_count_sink *sink =
		kzalloc(sizeof(*sink), GFP_KERNEL_ACCOUNT);

	if (!sink)
		return NULL;
	refcount_set(&sink->ref, 1);
	raw_spin_lock_init(&sink->lock);
	sink->event = gev;
	return sink;
}

static void dial_put(struct gpubp_count_sink *sink)
{
	if (refcount_dec_and_test(&sink->ref))
		kfree(sink);
}

/** gpubp_count_sink_detach() - its event goes, or never was; NULL does nothing */
void gpubp_count_sink_detach(struct gpubp_count_sink *sink)
{
	if (!sink)
		return;
	scoped_guard(raw_spinlock_irqsave, &sink->lock)
		sink->event = NULL;
	dial_put(sink);
}

/* hits that stopped nobody */
static void dial_add(struct gpubp_count_sink *sink, u64 hits)
{
	guard(raw_spinlock_irqsave)(&sink->lock);
	if (!sink->event || !hits)
		return;
	atomic64_add(hits, &sink->event->matched);
	atomic64_add(hits, &sink->event->metered);
	gpubp_perf_count(sink->event->event, hits);
}

/* ---- which watches ------------------------------------------------------- */

static bool able(const struct gpubp_device *dev, unsigned int slot)
{
	const struct gpubp_caps *caps = &dev->desc.caps;
	const struct gpubp_isa *isa = dev->desc.isa;

	/* with skid, what stopped a wave is less sure than what is counted */
	return caps->precise && caps->atomics && isa && isa->handler &&
	       slot < isa->handler->nr_counters;
}

/* whatever the comparator sees, the watch wants */
static bool is_exact(const struct gpubp_watch *w,
		     const struct gpubp_candidate *cand)
{
	const struct gpubp_block *b = &cand->block[0];

	return cand->nr_blocks == 1 && b->value == w->start &&
	       gpubp_block_last(b) == w->last &&
	       gpubp_block_size(b) == w->last - w->start + 1 &&
	       gpubp_mode_accesses(cand->mode) == w->access;
}

/* 0: it cannot be counted so */
static u64 period_of(struct perf_event *event)
{
	u64 period = READ_ONCE(event->hw.sample_period);

	if (!is_sampling_event(event))
		return 1ULL << 32;
	return event->attr.freq || period > 1ULL << 32 ? 0 : period;
}

/* an event that would take each hit of its target, without looking at it */
static bool takes_all(const struct gpubp_event *gev)
{
	const struct perf_event_attr *attr = &gev->event->attr;

	return gev->spec.meter && gev->sink && !gev->spec.changed &&
	       !attr->sigtrap && !attr->exclude_user &&
	       gev->spec.precise_ip < 2 && period_of(gev->event) > 1;
}

/* nobody counts hits of a context's queues by the CPU where their owner is */
static bool is_whole_ctx(const struct gpubp_event *gev, struct gpubp_ctx *ctx)
{
	struct gpubp_target target;

	guard(rcu)();
	if (!gpubp_perf_enabled(gev->event) ||
	    gpubp_perf_on_cpu_counters(gev->event))
		return false;
	gpubp_target_of(gev, &target);
	return target.kind == GPUBP_TARGET_TASK && target.cpu < 0 &&
	       gpubp_ctx_in_target(ctx, &target, gev->spec.process);
}

/* the binding of the one event that wants the watch, if it can be counted for it */
static struct gpubp_binding *metered_for(const struct gpubp_watch *w)
{
	struct gpubp_binding *b;

	if (!list_is_singular(&w->bindings) || !hlist_empty(&w->members))
		return NULL;
	b = list_first_entry(&w->bindings, typeof(*b), watch_node);
	return takes_all(b->event) && is_whole_ctx(b->event, w->ctx) ? b : NULL;
}

/**
 * gpubp_handler_counts_choose() - a comparator is to compare for a watch, too
 * @ctx: context, of which ctx->next.valid says what was told before
 * @cand: the watch
 *
 * The committer only, under the device lock, before @ctx->next knows of it.
 */
void gpubp_handler_counts_choose(struct gpubp_ctx *ctx,
				 const struct gpubp_candidate *cand)
{
	const struct gpubp_watch *w = cand->priv;
	int i;

	for (i = 0; i < cand->nr_blocks; i++) {
		unsigned int slot = cand->slot[i];
		bool alone = !(ctx->next.valid & BIT(slot));

		ctx->sched->meters.next[slot] = 0;
		if (!alone || !able(ctx->dev, slot) || !is_exact(w, cand) ||
		    !metered_for(w))
			continue;
		ctx->sched->meters.next[slot] = w->id;
		ctx->dev->sched->metering.chosen = true;
	}
}

/* ---- the handler's memory ------------------------------------------------ */

static u64 counter_at(const struct gpubp_ctx *ctx, unsigned int slot)
{
	return ctx->trap->tma + ctx->dev->desc.isa->handler->counter_offset +
	       slot * sizeof(struct gpubp_handler_counter);
}

static int flush(struct gpubp_ctx *ctx)
{
	return ctx->dev->ops.flush(ctx->priv, GPUBP_FLUSH_DATA, FLUSH_MS);
}

static int write_limit(struct gpubp_ctx *ctx, unsigned int slot, u32 limit)
{
	u64 va = counter_at(ctx, slot) +
		 offsetof(struct gpubp_handler_counter, limit);

	if (gpubp_ctx_global_rw(ctx, va, &limit, sizeof(limit),
				GPUBP_MEM_WRITE) != sizeof(limit))
		return -EFAULT;
	return flush(ctx);
}

/* nothing is counted before the limit is there */
static int write_counter(struct gpubp_ctx *ctx, unsigned int slot, u32 limit,
			 u32 value)
{
	struct gpubp_handler_counter counter = { .value = value };

	if (gpubp_ctx_global_rw(ctx, counter_at(ctx, slot), &counter,
				sizeof(counter),
				GPUBP_MEM_WRITE) != sizeof(counter))
		return -EFAULT;
	return flush(ctx) ?: write_limit(ctx, slot, limit);
}

/* 0 if it cannot be read: then nothing is told */
static u32 read_value(struct gpubp_ctx *ctx, unsigned int slot)
{
	u64 va = counter_at(ctx, slot) +
		 offsetof(struct gpubp_handler_counter, value);
	u32 value;

	if (flush(ctx) ||
	    gpubp_ctx_global_rw(ctx, va, &value, sizeof(value), 0) !=
	    sizeof(value))
		return 0;
	return value;
}

/* ---- walks --------------------------------------------------------------- */

static bool any_meter(const struct gpubp_handler_counts *meters)
{
	unsigned int s;

	for (s = 0; s < GPUBP_MAX_SLOTS; s++)
		if (meters->meter[s].sink || meters->next[s])
			return true;
	return false;
}

/*
 * A context that is seen alive stays until the committer's run is over: ops may
 * be called for it.
 */
static struct gpubp_ctx *next_ctx(struct gpubp_device *dev)
{
	struct gpubp_ctx *ctx;

	guard(mutex)(&dev->lock);
	if (dev->suspended || dev->requests.stopped)
		return NULL;
	list_for_each_entry(ctx, &dev->ctxs, node) {
		if (ctx->dead ||
		    ctx->sched->meters.round == dev->sched->metering.round)
			continue;
		ctx->sched->meters.round = dev->sched->metering.round;
		if (ctx->trap->tma && any_meter(&ctx->sched->meters))
			return ctx;
	}
	return NULL;
}

/* @fn for every meter, and for every comparator that may get one */
static void walk(struct gpubp_device *dev, struct gpubp_commit *c,
		 void (*fn)(struct gpubp_commit *c, struct gpubp_ctx *ctx,
			    unsigned int slot))
{
	struct gpubp_ctx *ctx;
	unsigned int s;

	dev->sched->metering.round++;
	while ((ctx = next_ctx(dev)))
		for (s = 0; s < dev->desc.caps.nr_slots; s++)
			if (ctx->sched->meters.meter[s].sink ||
			    ctx->sched->meters.next[s])
				fn(c, ctx, s);
}

/* what it counted since it was looked at last; no lock is held */
static void collect(struct gpubp_ctx *ctx, unsigned int slot)
{
	struct gpubp_handler_count *m = &ctx->sched->meters.meter[slot];
	u64 nr_limits = READ_ONCE(m->nr_limits);
	u32 value = read_value(ctx, slot);

	guard(mutex)(&ctx->dev->lock);
	/* a report came meanwhile: the value may be older */
	if (!m->sink || nr_limits != m->nr_limits || value <= m->credited)
		return;
	dial_add(m->sink, value - m->credited);
	m->credited = value;
}

/* from now on its hits are reported */
static void silence(struct gpubp_ctx *ctx, unsigned int slot)
{
	struct gpubp_handler_count *m = &ctx->sched->meters.meter[slot];

	if (!m->sink || !m->counts)
		return;
	write_limit(ctx, slot, 0);
	guard(mutex)(&ctx->dev->lock);
	m->counts = false;
}

/* where its next period goes on, if it has one */
static void keep_rest(struct gpubp_ctx *ctx,
		      const struct gpubp_handler_count *m)
{
	struct gpubp_watch *w;
	struct gpubp_binding *b;

	list_for_each_entry(w, &ctx->dev->armed, node) {
		if (w->id != m->watch)
			continue;
		list_for_each_entry(b, &w->bindings, watch_node)
			if (b->event->sink == m->sink)
				b->rest = m->credited;
	}
}

static void forget(struct gpubp_ctx *ctx, unsigned int slot)
{
	struct gpubp_handler_count *m = &ctx->sched->meters.meter[slot];

	guard(mutex)(&ctx->dev->lock);
	if (!m->sink)
		return;
	keep_rest(ctx, m);
	dial_put(m->sink);
	*m = (struct gpubp_handler_count) {};
	WRITE_ONCE(ctx->dev->sched->metering.nr,
		   ctx->dev->sched->metering.nr - 1);
}

/* ---- commits ------------------------------------------------------------- */

/* does the comparator compare the same for nobody else than before */
static bool stays(const struct gpubp_commit *c, const struct gpubp_ctx *ctx,
		  unsigned int slot)
{
	const struct gpubp_ctx_prog *a = &ctx->prog, *b = &ctx->next;
	u32 bit = BIT(slot);

	return !c->lost && !(c->forgotten & bit) &&
	       (a->valid & b->valid & bit) && a->mask[slot] == b->mask[slot] &&
	       a->mode[slot] == b->mode[slot] &&
	       c->dev->prog.slot[slot].value == c->prog.slot[slot].value;
}

static void silence_unless_wanted(struct gpubp_commit *c, struct gpubp_ctx *ctx,
				  unsigned int slot)
{
	struct gpubp_handler_count *m = &ctx->sched->meters.meter[slot];

	if (m->watch != ctx->sched->meters.next[slot] || !stays(c, ctx, slot))
		silence(ctx, slot);
}

/**
 * gpubp_handler_counts_end() - before a commit: what will not be counted is reported
 * @c: the commit
 *
 * The committer only; may sleep.
 */
void gpubp_handler_counts_end(struct gpubp_commit *c)
{
	if (c->dev->sched->metering.nr)
		walk(c->dev, c, silence_unless_wanted);
}

static void settle_old(struct gpubp_commit *c, struct gpubp_ctx *ctx,
		       unsigned int slot)
{
	const struct gpubp_handler_count *m = &ctx->sched->meters.meter[slot];

	if (!m->sink || m->counts)
		return;
	collect(ctx, slot);
	forget(ctx, slot);
}

/* the watch that a comparator is to be counted for, if that still is so */
static bool take(struct gpubp_ctx *ctx, unsigned int slot, u32 *rest)
{
	struct gpubp_handler_count *m = &ctx->sched->meters.meter[slot];
	struct gpubp_watch *w;
	struct gpubp_binding *b;

	guard(mutex)(&ctx->dev->lock);
	list_for_each_entry(w, &ctx->dev->armed, node) {
		if (w->id != ctx->sched->meters.next[slot] ||
		    w->slots != BIT(slot))
			continue;
		b = metered_for(w);
		if (!b)
			return false;
		*m = (struct gpubp_handler_count) {
			.sink = b->event->sink,
			.watch = w->id,
			.limit = period_of(b->event->event) - 1,
			.counts = true,
		};
		m->credited = min(b->rest, m->limit);
		*rest = m->credited;
		refcount_inc(&m->sink->ref);
		WRITE_ONCE(ctx->dev->sched->metering.nr,
			   ctx->dev->sched->metering.nr + 1);
		return true;
	}
	return false;
}

static void begin(struct gpubp_commit *c, struct gpubp_ctx *ctx,
		  unsigned int slot)
{
	struct gpubp_handler_count *m = &ctx->sched->meters.meter[slot];
	u32 rest;

	if (m->sink || !ctx->sched->meters.next[slot] ||
	    (c->failed & BIT(slot)) || !take(ctx, slot, &rest))
		return;
	if (write_counter(ctx, slot, m->limit, rest))
		silence(ctx, slot);
}

/* unless it is about to anyway: commits must not put it off */
static void collect_later(struct gpubp_device *dev)
{
	kthread_queue_delayed_work(dev->requests.worker,
				   &dev->sched->metering.work,
				   msecs_to_jiffies(COLLECT_MS));
}

/**
 * gpubp_handler_counts_begin() - after a commit: what is counted from now on
 * @c: the commit, settled
 *
 * The committer only; may sleep. A hit of what was compared before that is still
 * on its way would be counted for whoever has the comparator now, or tells of a
 * period of whoever had it: then nothing changes in this run.
 */
void gpubp_handler_counts_begin(struct gpubp_commit *c)
{
	struct gpubp_handler_counting *metering = &c->dev->sched->metering;

	if (c->committed)
		metering->hits_until = c->drained ? 0 : c->to;
	if (ktime_get_ns() < metering->hits_until)
		return;
	if (metering->nr) {
		/* reports tell of whole periods as long as their meter is there */
		kthread_flush_work(&c->dev->resolve_work);
		walk(c->dev, c, settle_old);
	}
	if (metering->chosen)
		walk(c->dev, c, begin);
	metering->chosen = false;
	if (metering->nr)
		collect_later(c->dev);
}

/**
 * gpubp_handler_counts_finish() - a context goes
 * @ctx: context, dead; no wave of it exists, and the committer is done with it
 */
void gpubp_handler_counts_finish(struct gpubp_ctx *ctx)
{
	unsigned int s;

	for (s = 0; s < GPUBP_MAX_SLOTS; s++) {
		if (!ctx->sched->meters.meter[s].sink)
			continue;
		collect(ctx, s);
		forget(ctx, s);
	}
}

/* ---- now and then -------------------------------------------------------- */

/* PERF_EVENT_IOC_PERIOD tells nobody */
static bool period_changed(struct gpubp_ctx *ctx,
			   const struct gpubp_handler_count *m)
{
	guard(mutex)(&ctx->dev->lock);
	guard(raw_spinlock_irqsave)(&m->sink->lock);
	return m->sink->event &&
	       period_of(m->sink->event->event) != (u64)m->limit + 1;
}

static void look(struct gpubp_commit *c, struct gpubp_ctx *ctx,
		 unsigned int slot)
{
	const struct gpubp_handler_count *m = &ctx->sched->meters.meter[slot];

	if (!m->sink)
		return;
	collect(ctx, slot);
	if (m->counts && period_changed(ctx, m))
		silence(ctx, slot);
}

static void collect_fn(struct kthread_work *work)
{
	struct gpubp_device *dev = container_of(work, struct gpubp_dev_sched,
						metering.work.work)->dev;
	u64 asked = atomic64_read_acquire(&dev->sched->metering.asked);

	kthread_flush_work(&dev->resolve_work);
	walk(dev, NULL, look);
	/* what events were told, then the number; pairs with is_done() */
	smp_store_release(&dev->sched->metering.done, asked);
	wake_up_all(&dev->requests.waiters);
	if (dev->sched->metering.nr && !READ_ONCE(dev->requests.stopped))
		collect_later(dev);
}

static bool is_done(struct gpubp_device *dev, u64 asked)
{
	/* pairs with collect_fn() */
	return smp_load_acquire(&dev->sched->metering.done) >= asked ||
	       READ_ONCE(dev->requests.stopped);
}

/**
 * gpubp_handler_counts_wait() - events know of all hits that were over before
 * @dev: device; a reference is held
 * @timeout: jiffies
 *
 * May sleep. Return: 0, -EINTR or -ETIMEDOUT.
 */
int gpubp_handler_counts_wait(struct gpubp_device *dev, unsigned long timeout)
{
	u64 asked;
	long left;

	scoped_guard(mutex, &dev->lock) {
		if (!dev->sched->metering.nr || dev->requests.stopped)
			return 0;
		asked = atomic64_inc_return(&dev->sched->metering.asked);
		kthread_mod_delayed_work(dev->requests.worker,
					 &dev->sched->metering.work, 0);
	}
	if (!timeout)
		return -ETIMEDOUT;
	left = wait_event_interruptible_timeout(dev->requests.waiters,
						is_done(dev, asked), timeout);
	return gpubp_wait_error(left);
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_handler_counts_wait);

/** gpubp_handler_counts_init() - a new device's */
void gpubp_handler_counts_init(struct gpubp_device *dev)
{
	kthread_init_delayed_work(&dev->sched->metering.work, collect_fn);
}

/** gpubp_handler_counts_exit() - dev->requests.stopped is set; may sleep */
void gpubp_handler_counts_exit(struct gpubp_device *dev)
{
	kthread_cancel_delayed_work_sync(&dev->sched->metering.work);
	wake_up_all(&dev->requests.waiters);
}

/** gpubp_handler_counts_queue_added() - by its hits the handler cannot tell queues apart */
void gpubp_handler_counts_queue_added(struct gpubp_ctx *ctx)
{
	if (READ_ONCE(ctx->dev->sched->metering.nr))
		gpubp_request_ctx(ctx);
}

/* ---- the hit road -------------------------------------------------------- */

/**
 * gpubp_handler_count_read() - what a hit stands for
 * @ctx: its context
 * @trap: the handler's record
 * @delta: result
 *
 * The resolver only; takes the device lock. gpubp_handler_count_reported() follows.
 */
void gpubp_handler_count_read(struct gpubp_ctx *ctx,
			      const struct gpubp_trap_record *trap,
			      struct gpubp_count_delta *delta)
{
	struct gpubp_handler_count *m;

	*delta = (struct gpubp_count_delta) {};
	if (!trap->at_limit || !trap->slots)
		return;
	guard(mutex)(&ctx->dev->lock);
	m = &ctx->sched->meters.meter[__ffs(trap->slots)];
	if (!m->sink)
		return;
	refcount_inc(&m->sink->ref);
	*delta = (struct gpubp_count_delta) {
		.watch = m->watch,
		.sink = m->sink,
		.weight = (u64)m->limit + 1 - m->credited,
		.credited = m->credited,
	};
	m->credited = 0;
	m->nr_limits++;
}

/**
 * gpubp_handler_count_reported() - done with it
 * @delta: as read
 * @matched: the hit was a hit of its watch, for which its event has the weight
 *
 * What came before is the event's in any case.
 */
void gpubp_handler_count_reported(struct gpubp_count_delta *delta, bool matched)
{
	if (!delta->sink)
		return;
	if (!matched)
		dial_add(delta->sink, delta->weight - 1);
	dial_put(delta->sink);
}
