// SPDX-License-Identifier: GPL-2.0
/* Sync: wait until what an event asks for is armed; its figures. */
#include <linux/bitops.h>
#include <linux/errno.h>
#include <linux/jiffies.h>
#include <linux/kref.h>
#include <linux/ktime.h>
#include <linux/mutex.h>
#include <linux/sched.h>
#include <uapi/linux/gpubp.h>

#include "../core/core.h"
#include "../event/event.h"
#include "../perf/perf.h"
#include "../sched/sched.h"
#include "../trap/trap.h"
#include "session.h"
#include "sync.h"

/* ---- waiting ------------------------------------------------------------- */

/* the device of the lowest number from @number on, with a reference, or NULL */
static struct gpubp_device *device_from(u32 number)
{
	struct gpubp_device *dev, *lowest = NULL;

	guard(mutex)(&gpubp_devices_lock);
	list_for_each_entry(dev, &gpubp_devices, node)
		if (dev->number >= number &&
		    (!lowest || dev->number < lowest->number))
			lowest = dev;
	if (lowest)
		kref_get(&lowest->ref);
	return lowest;
}

static unsigned long jiffies_until(unsigned long end)
{
	unsigned long now = jiffies;

	return time_before(now, end) ? end - now : 0;
}

/* until each device has done it */
static int wait_for_devices(unsigned int timeout_ms, unsigned long end,
			    int (*wait)(struct gpubp_device *dev,
					unsigned long timeout))
{
	struct gpubp_device *dev;
	u32 number = 0;
	int err = 0;

	while (!err && (dev = device_from(number))) {
		number = dev->number + 1;
		err = wait(dev, timeout_ms ? jiffies_until(end) : 0);
		gpubp_device_put(dev);
	}
	return err;
}

static void find_owed(struct gpubp_event *gev, void *arg)
{
	struct gpubp_ctx **owed = arg;
	struct gpubp_binding *b;

	list_for_each_entry(b, &gev->bindings, event_node) {
		if (*owed || !gpubp_trap_enable_needed(b->ctx))
			continue;
		kref_get(&b->ctx->ref);
		*owed = b->ctx;
	}
}

/* a context of the event's, with a reference, whose waves may soon trap */
static struct gpubp_ctx *owed_ctx(struct gpubp_session *session, u64 id)
{
	struct gpubp_ctx *owed = NULL;
	struct gpubp_event *gev;

	guard(mutex)(&gpubp_events_lock);
	gev = gpubp_session_event(session, id);
	if (gev)
		gpubp_event_for_inherited(gev, find_owed, &owed);
	return owed;
}

/* waves that run already were told to trap, or could not be told for now */
static int wait_for_waves(struct gpubp_session *session,
			  const struct gpubp_sync *sync, unsigned long end)
{
	struct gpubp_ctx *ctx;
	int err = 0;

	while (!err && (ctx = owed_ctx(session, sync->id))) {
		err = gpubp_trap_enable_wait(ctx, jiffies_until(end));
		gpubp_ctx_put(ctx);
	}
	return err;
}

static void find_coming(struct gpubp_event *gev, void *arg)
{
	struct gpubp_ctx **coming = arg;
	struct gpubp_binding *b;

	list_for_each_entry(b, &gev->bindings, event_node) {
		if (*coming || !b->trap)
			continue;
		guard(mutex)(&b->ctx->dev->lock);
		if (!gpubp_trap_is_pending(b->trap))
			continue;
		kref_get(&b->ctx->ref);
		*coming = b->ctx;
	}
}

/* a context of the event's, with a reference, where a break is to be put in */
static struct gpubp_ctx *coming_ctx(struct gpubp_session *session, u64 id)
{
	struct gpubp_ctx *coming = NULL;
	struct gpubp_event *gev;

	guard(mutex)(&gpubp_events_lock);
	gev = gpubp_session_event(session, id);
	if (gev)
		gpubp_event_for_inherited(gev, find_coming, &coming);
	return coming;
}

/* one run puts in so many */
static int wait_for_breaks(struct gpubp_session *session,
			   const struct gpubp_sync *sync, unsigned long end)
{
	struct gpubp_ctx *ctx;
	int err = 0;

	while (!err && (ctx = coming_ctx(session, sync->id))) {
		gpubp_request(ctx->dev);
		err = gpubp_request_wait_timeout(ctx->dev, jiffies_until(end));
		gpubp_ctx_put(ctx);
	}
	return err;
}

struct debt {
	u64 before;
	bool owed;
};

static void find_debt(struct gpubp_event *gev, void *arg)
{
	struct debt *debt = arg;

	debt->owed = debt->owed || gpubp_drain_may_sample(gev, debt->before);
}

static bool samples_are_owed(struct gpubp_session *session, u64 id, u64 before)
{
	struct debt debt = { .before = before };
	struct gpubp_event *gev;

	guard(mutex)(&gpubp_events_lock);
	gev = gpubp_session_event(session, id);
	if (gev)
		gpubp_event_for_inherited(gev, find_debt, &debt);
	return debt.owed;
}

/* owners were kicked; one that is stopped has them when it goes on */
static int wait_for_samples(struct gpubp_session *session,
			    const struct gpubp_sync *sync, u64 before,
			    unsigned long end)
{
	while (samples_are_owed(session, sync->id, before)) {
		if (!jiffies_until(end))
			return -ETIMEDOUT;
		if (schedule_timeout_interruptible(1))
			return -EINTR;
	}
	return 0;
}

/* others' sets may be large: only a part of those is bound */
static int bind_event(struct gpubp_session *session,
		      const struct gpubp_sync *sync, unsigned long end)
{
	struct gpubp_event *gev;
	bool done;

	for (;;) {
		scoped_guard(mutex, &gpubp_events_lock) {
			gev = gpubp_session_event(session, sync->id);
			done = !gev || gpubp_event_reconcile(gev);
		}
		if (done)
			break;
		if (!jiffies_until(end))
			return -ETIMEDOUT;
		if (signal_pending(current))
			return -EINTR;
		cond_resched();
	}
	gpubp_events_reconcile();
	return 0;
}

/* hits that were over: resolved, metered, and given to who samples them */
static int wait_for_hits(struct gpubp_session *session,
			 const struct gpubp_sync *sync, u64 called,
			 unsigned long end)
{
	int err;

	err = wait_for_devices(sync->timeout_ms, end, gpubp_hits_wait) ?:
		      wait_for_devices(sync->timeout_ms, end, gpubp_handler_counts_wait) ?:
		      wait_for_samples(session, sync, called, end);
	/* counts of events that are not on a CPU */
	gpubp_events_reconcile();
	return err;
}

/* ---- counting ------------------------------------------------------------ */

static void count_event(struct gpubp_event *gev, void *arg)
{
	struct gpubp_sync *sync = arg;
	struct gpubp_account acc;
	struct gpubp_binding *b;

	gpubp_event_time_read(gev, &acc);
	sync->nr_lost = min_t(u64, U32_MAX,
			      sync->nr_lost + acc.lost + gev->exited.lost);
	sync->nr_watches += gev->unserved;
	sync->nr_unserved += gev->unserved;
	list_for_each_entry(b, &gev->bindings, event_node) {
		guard(mutex)(&b->ctx->dev->lock);
		if (b->set_binding)
			gpubp_set_binding_sync(b->set_binding, sync);
		else if (b->trap)
			gpubp_trap_sync(b->trap, sync);
		else
			gpubp_watch_sync(b->watch, sync);
	}
}

static void clear_counts(struct gpubp_sync *sync)
{
	sync->nr_watches = 0;
	sync->nr_armed = 0;
	sync->nr_rotating = 0;
	sync->nr_pending = 0;
	sync->nr_unserved = 0;
	sync->nr_lost = 0;
}

static int count_session_event(struct gpubp_session *session,
			       struct gpubp_sync *sync)
{
	struct gpubp_event *gev;

	guard(mutex)(&gpubp_events_lock);
	gev = gpubp_session_event(session, sync->id);
	if (!gev)
		return -ENOENT;
	clear_counts(sync);
	gpubp_event_for_inherited(gev, count_event, sync);
	return 0;
}

/** gpubp_sync_cmd() - GPUBP_SYNC */
long gpubp_sync_cmd(struct gpubp_session *session, void *arg)
{
	struct gpubp_sync *sync = arg;
	unsigned long end = jiffies + msecs_to_jiffies(sync->timeout_ms);
	u64 called = ktime_get_ns();
	int err;

	/* of a wrong id, nobody waits for */
	err = count_session_event(session, sync);
	if (err)
		return err;
	/* breaks come when all waves trap; what was asked for is committed */
	err = bind_event(session, sync, end) ?:
		      wait_for_devices(sync->timeout_ms, end, gpubp_request_wait_timeout) ?:
		      wait_for_waves(session, sync, end) ?:
		      wait_for_devices(sync->timeout_ms, end,
				       gpubp_request_wait_timeout);
	if (!err && sync->timeout_ms)
		err = wait_for_breaks(session, sync, end) ?:
		      wait_for_hits(session, sync, called, end);
	return count_session_event(session, sync) ?: err;
}

/* ---- figures ------------------------------------------------------------- */

static void add_turns(struct gpubp_event *gev, struct gpubp_event_stats *stats)
{
	struct gpubp_service service;

	gpubp_bind_update_gaps(gev);
	gpubp_event_service(gev, &service);
	gpubp_service_add(&service, &gev->exited_service);
	stats->wanted_quanta += service.wanted;
	stats->armed_quanta += service.armed;
	stats->longest_gap = max(stats->longest_gap, service.gap.quanta);
	stats->longest_gap_ns = max(stats->longest_gap_ns, service.gap.ns);
}

static void add_figures(struct gpubp_event *gev, void *arg)
{
	struct gpubp_event_stats *stats = arg;
	struct gpubp_account acc;

	gpubp_event_time_read(gev, &acc);
	gpubp_account_add(&acc, &gev->exited);
	stats->resident_ns += acc.resident;
	stats->armed_ns += acc.armed;
	stats->stopped_ns += acc.stopped;
	stats->stopped_armed_ns += acc.stopped_armed;
	stats->lost += acc.lost;
	stats->matched += atomic64_read(&gev->matched);
	stats->metered += atomic64_read(&gev->metered);
	stats->possible += atomic64_read(&gev->possible);
	stats->throttled += atomic64_read(&gev->throttled);
	stats->strays += atomic64_read(&gev->strays);
	add_turns(gev, stats);
	stats->stall_throttled += atomic64_read(&gev->stall_throttled);
}

/** gpubp_stats_cmd() - GPUBP_STATS */
long gpubp_stats_cmd(struct gpubp_session *session, void *arg)
{
	struct gpubp_event_stats *stats = arg;
	struct gpubp_event *gev;

	if (stats->reserved)
		return -EINVAL;
	*stats = (struct gpubp_event_stats) { .id = stats->id };
	guard(mutex)(&gpubp_events_lock);
	gev = gpubp_session_event(session, stats->id);
	if (!gev)
		return -ENOENT;
	gpubp_event_for_inherited(gev, add_figures, stats);
	return 0;
}

/* ---- what it watches ------------------------------------------------------ */

/** gpubp_modify_cmd() - GPUBP_MODIFY */
long gpubp_modify_cmd(struct gpubp_session *session, void *arg)
{
	const struct gpubp_modify *m = arg;
	struct gpubp_event *gev;

	if (m->reserved)
		return -EINVAL;
	guard(mutex)(&gpubp_events_lock);
	gev = gpubp_session_event(session, m->id);
	if (!gev)
		return -ENOENT;
	return gpubp_event_modify(gev, m->config, m->config1, m->config2);
}
