// SPDX-License-Identifier: GPL-2.0
/* Sync: wait until the watches of an event are armed; read its statistics. */
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
#include "../event/job.h"
#include "../perf/perf.h"
#include "../sched/sched.h"
#include "../trap/trap.h"
#include "session.h"
#include "sync.h"
#include "wait.h"

#define RECORDS_MS	200	/* longest wait for hits that were recorded before */

/* ---- jobs ---------------------------------------------------------------- */

/**
 * struct event_job - something is done to an event of a session
 * @session: session that asks
 * @id: its event
 * @fn: does it, with gpubp_events_lock held, if there is such an event; 0 or a negative
 *	errno
 * @arg: for @fn
 * @err: (out) result of @fn, or -ENOENT
 */
struct event_job {
	struct gpubp_session *session;
	u64 id;
	int (*fn)(struct gpubp_event *gev, void *arg);
	void *arg;
	int err;
};

static void event_job_fn(void *arg)
{
	struct event_job *job = arg;
	struct gpubp_event *gev = gpubp_session_event(job->session, job->id);

	job->err = gev ? job->fn(gev, job->arg) : -ENOENT;
}

static int event_run(struct gpubp_session *session, u64 id,
		     int (*fn)(struct gpubp_event *gev, void *arg), void *arg)
{
	struct event_job job = {
		.session = session, .id = id, .fn = fn, .arg = arg,
	};

	gpubp_job_run(event_job_fn, &job);
	return job.err;
}

/* ---- waiting ------------------------------------------------------------- */

/**
 * struct ctx_search - search for a context of which a binding needs something
 * @needs: does it?
 * @before: for @needs: ns of CLOCK_MONOTONIC
 * @found: the first such context, with a reference, or NULL
 */
struct ctx_search {
	bool (*needs)(const struct gpubp_binding *b, u64 before);
	u64 before;
	struct gpubp_ctx *found;
};

static void find_ctx(struct gpubp_event *gev, void *arg)
{
	struct ctx_search *search = arg;
	struct gpubp_binding *b;

	list_for_each_entry(b, &gev->bindings, event_node) {
		if (search->found || !search->needs(b, search->before))
			continue;
		kref_get(&b->ctx->ref);
		search->found = b->ctx;
	}
}

static int find_ctx_of_all(struct gpubp_event *gev, void *search)
{
	gpubp_event_for_inherited(gev, find_ctx, search);
	return 0;
}

/* such a context of the event, with a reference, or NULL */
static struct gpubp_ctx *ctx_that_needs(struct gpubp_session *session, u64 id,
					bool (*needs)(const struct gpubp_binding *b,
						      u64 before),
					u64 before)
{
	struct ctx_search search = { .needs = needs, .before = before };

	event_run(session, id, find_ctx_of_all, &search);
	return search.found;
}

static bool binding_needs_trap_update(const struct gpubp_binding *b, u64 unused)
{
	return gpubp_trap_enable_needed(b->ctx);
}

/* wait until traps are enabled in running waves, or cannot be for now */
static int sync_wait_waves(struct gpubp_session *session,
			   const struct gpubp_sync *sync, unsigned long end)
{
	struct gpubp_ctx *ctx;
	int err = 0;

	while (!err &&
	       (ctx = ctx_that_needs(session, sync->id,
				      binding_needs_trap_update, 0))) {
		err = gpubp_trap_enable_wait(ctx, gpubp_jiffies_until(end));
		gpubp_ctx_put(ctx);
	}
	return err;
}

static bool binding_has_pending_break(const struct gpubp_binding *b, u64 unused)
{
	if (!b->trap)
		return false;
	guard(mutex)(&b->ctx->dev->lock);
	return gpubp_trap_is_pending(b->trap);
}

/* a commit inserts a limited number of breaks: request as many as are needed */
static int sync_wait_breaks(struct gpubp_session *session,
			    const struct gpubp_sync *sync, unsigned long end)
{
	struct gpubp_ctx *ctx;
	int err = 0;

	while (!err &&
	       (ctx = ctx_that_needs(session, sync->id,
				      binding_has_pending_break, 0))) {
		gpubp_request(ctx->dev);
		err = gpubp_request_wait_timeout(ctx->dev, gpubp_jiffies_until(end));
		gpubp_ctx_put(ctx);
	}
	return err;
}

static bool binding_may_have_records(const struct gpubp_binding *b, u64 before)
{
	return !b->trap && !gpubp_records_are_taken(b->ctx, before);
}

/* of the event's contexts only: others may be held back for as long as they like */
static int sync_wait_records(struct gpubp_session *session, u64 id, u64 before,
			     unsigned long end)
{
	struct gpubp_ctx *ctx;
	int err = 0;

	while (!err &&
	       (ctx = ctx_that_needs(session, id, binding_may_have_records,
				     before))) {
		err = gpubp_records_wait_signal(ctx, before,
						gpubp_jiffies_until(end));
		gpubp_ctx_put(ctx);
	}
	return err;
}

/**
 * struct sample_wait - search for samples that are still pending
 * @before: hits until then, ns of CLOCK_MONOTONIC
 * @pending: there is one
 */
struct sample_wait {
	u64 before;
	bool pending;
};

static void find_pending_sample(struct gpubp_event *gev, void *arg)
{
	struct sample_wait *wait = arg;

	wait->pending = wait->pending ||
			gpubp_drain_may_sample(gev, wait->before);
}

static int find_sample_of_all(struct gpubp_event *gev, void *wait)
{
	gpubp_event_for_inherited(gev, find_pending_sample, wait);
	return 0;
}

static bool samples_are_pending(struct gpubp_session *session, u64 id,
				u64 before)
{
	struct sample_wait wait = { .before = before };

	event_run(session, id, find_sample_of_all, &wait);
	return wait.pending;
}

/* owners were kicked; a stopped owner gets its samples when it continues */
static int sync_wait_samples(struct gpubp_session *session,
			     const struct gpubp_sync *sync, u64 before,
			     unsigned long end)
{
	while (samples_are_pending(session, sync->id, before)) {
		if (!gpubp_jiffies_until(end))
			return -ETIMEDOUT;
		/* an owner of hits is woken to take them: that is no signal */
		schedule_timeout_interruptible(1);
		if (signal_pending(current))
			return -ERESTARTSYS;
	}
	return 0;
}

/**
 * struct bind_pass - an event's children, or sets, are bound in parts
 * @pass: as of gpubp_event_reconcile(), 0 at first
 * @end: when to end, in jiffies
 */
struct bind_pass {
	u64 pass;
	unsigned long end;
};

/*
 * Return: 0 or, if more is left, -EAGAIN, or -ETIMEDOUT: there is no time for a
 * set, which may be much larger than a family of threads.
 */
static int bind_some(struct gpubp_event *gev, void *arg)
{
	struct bind_pass *bp = arg;

	if (!bp->pass)
		bp->pass = gpubp_event_new_pass();
	if (gpubp_event_reconcile(gev, bp->pass))
		return 0;
	return gev->set && !gpubp_jiffies_until(bp->end) ? -ETIMEDOUT : -EAGAIN;
}

static int bind_all(struct gpubp_session *session, u64 id, unsigned long end)
{
	struct bind_pass bp = { .end = end };
	int err;

	while ((err = event_run(session, id, bind_some, &bp)) == -EAGAIN)
		if (signal_pending(current))
			return -ERESTARTSYS;
	return err == -ENOENT ? 0 : err;
}

/* @set: (out) the event's set with a reference, or NULL */
static int event_set_get(struct gpubp_event *gev, void *set)
{
	if (gev->set)
		kref_get(&gev->set->ref);
	*(struct gpubp_watch_set **)set = gev->set;
	return 0;
}

/* set bindings without events are freed in pieces: on return this set's are */
static void set_reap(struct gpubp_watch_set *set)
{
	if (!set)
		return;
	gpubp_set_bindings_reap(set, NULL);
	gpubp_set_put(set);
}

static int sync_bind_event(struct gpubp_session *session,
			   const struct gpubp_sync *sync, unsigned long end)
{
	int err = bind_all(session, sync->id, end);
	struct gpubp_watch_set *set = NULL;
	struct event_job job = {
		.session = session, .id = sync->id, .fn = event_set_get, .arg = &set,
	};

	gpubp_job_run_short(event_job_fn, &job);
	set_reap(set);
	return err;
}

static bool binding_is_unwanted(const struct gpubp_binding *b, u64 unused)
{
	return b->until;
}

/* bindings that wait for records, as the event is disabled, go when these are taken */
static int sync_unbind(struct gpubp_session *session,
		       const struct gpubp_sync *sync, unsigned long end)
{
	unsigned long soon = jiffies + msecs_to_jiffies(RECORDS_MS);
	struct gpubp_ctx *ctx;
	int err;

	ctx = ctx_that_needs(session, sync->id, binding_is_unwanted, 0);
	if (!ctx)
		return 0;
	gpubp_ctx_put(ctx);
	err = sync_wait_records(session, sync->id, ktime_get_ns(),
				time_before(soon, end) ? soon : end);
	/* they do not wait for longer than that */
	if (err && err != -ETIMEDOUT)
		return err;
	return sync_bind_event(session, sync, end);
}

/* wait for completed hits: resolved, read from handler counts, and sampled */
static int sync_wait_hits(struct gpubp_session *session,
			  const struct gpubp_sync *sync, u64 called,
			  unsigned long end)
{
	int err;

	err = gpubp_wait_devices(sync->timeout_ms, end, gpubp_reports_wait) ?:
	      sync_wait_records(session, sync->id, called, end) ?:
	      gpubp_wait_devices(sync->timeout_ms, end,
				 gpubp_handler_counts_wait) ?:
	      sync_wait_samples(session, sync, called, end);
	/* counts of events that are not on a CPU */
	return bind_all(session, sync->id, end) ?: err;
}

/* ---- counting ------------------------------------------------------------ */

static void sync_add_event(struct gpubp_event *gev, void *arg)
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
		if (b->until)
			continue;
		guard(mutex)(&b->ctx->dev->lock);
		if (b->set_binding)
			gpubp_set_binding_sync(b->set_binding, sync);
		else if (b->trap)
			gpubp_trap_sync(b->trap, sync);
		else
			gpubp_watch_sync(b->watch, sync);
	}
}

static void sync_clear_counts(struct gpubp_sync *sync)
{
	sync->nr_watches = 0;
	sync->nr_armed = 0;
	sync->nr_rotating = 0;
	sync->nr_pending = 0;
	sync->nr_unserved = 0;
	sync->nr_lost = 0;
}

static int sync_count_all(struct gpubp_event *gev, void *sync)
{
	sync_clear_counts(sync);
	gpubp_event_for_inherited(gev, sync_add_event, sync);
	return 0;
}

static int sync_count(struct gpubp_session *session,
		      struct gpubp_sync *sync)
{
	return event_run(session, sync->id, sync_count_all, sync);
}

/* a restart of the call waits for the time that is left, 0 does not wait */
static void sync_set_left(struct gpubp_sync *sync, unsigned long end)
{
	/* more is no limit for msecs_to_jiffies() */
	if (sync->timeout_ms && sync->timeout_ms <= INT_MAX)
		sync->timeout_ms = clamp(jiffies_to_msecs(gpubp_jiffies_until(end)),
					 1U, sync->timeout_ms);
}

/** gpubp_sync_cmd() - GPUBP_SYNC */
long gpubp_sync_cmd(struct gpubp_session *session, void *arg)
{
	struct gpubp_sync *sync = arg;
	unsigned long end = jiffies + msecs_to_jiffies(sync->timeout_ms);
	u64 called = ktime_get_ns();
	int err;

	/* fail for a wrong id before any wait */
	err = sync_count(session, sync);
	if (err)
		return err;
	/* breaks are inserted when all waves trap, by another commit */
	err = sync_bind_event(session, sync, end) ?:
	      sync_unbind(session, sync, end) ?:
	      gpubp_wait_devices(sync->timeout_ms, end,
				 gpubp_request_wait_timeout) ?:
	      sync_wait_waves(session, sync, end) ?:
	      gpubp_wait_devices(sync->timeout_ms, end,
				 gpubp_request_wait_timeout);
	if (!err && sync->timeout_ms)
		err = sync_wait_breaks(session, sync, end) ?:
		      sync_wait_hits(session, sync, called, end);
	if (err == -ERESTARTSYS)
		sync_set_left(sync, end);
	return sync_count(session, sync) ?: err;
}

/* ---- statistics ---------------------------------------------------------- */

static void stats_add_service(struct gpubp_event *gev,
			      struct gpubp_event_stats *stats)
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

static void stats_add_event(struct gpubp_event *gev, void *arg)
{
	struct gpubp_event_stats *stats = arg;
	struct gpubp_places places = {};
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
	stats->recorded += atomic64_read(&gev->recorded);
	stats->handler_ns = max(stats->handler_ns, gev->handler_ns);
	stats->possible += atomic64_read(&gev->possible);
	stats->throttled += atomic64_read(&gev->throttled);
	stats->strays += atomic64_read(&gev->strays);
	stats_add_service(gev, stats);
	stats->stall_throttled += atomic64_read(&gev->stall_throttled);
	stats->unchanged += atomic64_read(&gev->unchanged);
	stats->filtered += atomic64_read(&gev->filtered);
	gpubp_bind_places(gev, &places);
	stats->places += places.nr;
	stats->unmapped += places.unmapped;
}

static int stats_add_all(struct gpubp_event *gev, void *arg)
{
	struct gpubp_event_stats *stats = arg;

	gpubp_event_for_inherited(gev, stats_add_event, stats);
	stats->elsewhere = gpubp_bind_elsewhere(gev);
	return 0;
}

/** gpubp_stats_cmd() - GPUBP_STATS */
long gpubp_stats_cmd(struct gpubp_session *session, void *arg)
{
	struct gpubp_event_stats *stats = arg;

	if (stats->reserved)
		return -EINVAL;
	*stats = (struct gpubp_event_stats) { .id = stats->id };
	return event_run(session, stats->id, stats_add_all, stats);
}

/* ---- modification -------------------------------------------------------- */

/**
 * struct modification - of an event
 * @m: what it is to be
 * @old: (out) the set that it had, with a reference, or NULL
 */
struct modification {
	const struct gpubp_modify *m;
	struct gpubp_watch_set *old;
};

static int modify_event(struct gpubp_event *gev, void *arg)
{
	struct modification *mod = arg;
	const struct gpubp_modify *m = mod->m;

	event_set_get(gev, &mod->old);
	return gpubp_event_modify(gev, m->config, m->config1, m->config2);
}

/** gpubp_modify_cmd() - GPUBP_MODIFY */
long gpubp_modify_cmd(struct gpubp_session *session, void *arg)
{
	const struct gpubp_modify *m = arg;
	struct modification mod = { .m = m };
	int err;

	if (m->reserved)
		return -EINVAL;
	/* hits of what it watched until now */
	if (gpubp_records_exist())
		sync_wait_records(session, m->id, ktime_get_ns(),
				  jiffies + msecs_to_jiffies(RECORDS_MS));
	err = event_run(session, m->id, modify_event, &mod);
	/* its children; what this does not bind a worker does */
	if (!err)
		bind_all(session, m->id, jiffies);
	/* nothing watches for the set that it had */
	set_reap(mod.old);
	return err;
}
