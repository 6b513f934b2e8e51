// SPDX-License-Identifier: GPL-2.0
/*
 * Catches: a session names a perf event, and each of its hits holds its wave.
 *
 * The resolver calls catch_hit() for a hit that was delivered to a caught event, and whose
 * wave is stopped still: it halts the wave once more and makes that halt a hold, before
 * it lets go of the hit. From then on the wave is like one that GPUBP_HALT halted.
 *
 * The resolver works for all users, so it waits for no session: it takes gpubp_holds_lock
 * and no op_sem, finds what is caught by the id of the event, and allocates nothing. Each
 * time that it takes the lock it looks again, as in between the catch may have ended.
 *
 * A catch ends with its attachment, with its event, and with its session.
 */
#include <kunit/visibility.h>
#include <linux/err.h>
#include <linux/export.h>
#include <linux/file.h>
#include <linux/hashtable.h>
#include <linux/jiffies.h>
#include <linux/ktime.h>
#include <linux/mutex.h>
#include <linux/pid.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <uapi/linux/gpubp.h>

#include "../compat/perf.h"
#include "../event/event.h"
#include "../event/job.h"
#include "../hit/hit.h"
#include "../trap/trap.h"
#include "attach.h"
#include "catch.h"
#include "hold.h"
#include "holding.h"
#include "notice.h"
#include "session.h"
#include "wait.h"

#define DEFAULT_WAVES	256
#define EFFECT_MS	1000	/* for a commit after which hits stop */

static DEFINE_HASHTABLE(by_event, 10);
static DEFINE_HASHTABLE(by_attachment, 8);
static unsigned int nr_caught;		/* events, of all sessions */

/* ---- caught events ------------------------------------------------------- */

static struct gpubp_caught_event *caught_find(u64 event)
{
	struct gpubp_caught_event *ce;

	lockdep_assert_held(&gpubp_holds_lock);
	hash_for_each_possible(by_event, ce, event_node, gpubp_hold_hash(event))
		if (ce->event == event)
			return ce;
	return NULL;
}

static void caught_free(struct gpubp_caught_event *ce)
{
	if (!ce)
		return;
	put_pid(ce->pid);
	kfree(ce->spare);
	kfree(ce);
}

static struct gpubp_caught_event *caught_alloc(struct gpubp_session *session,
					       const struct gpubp_catch *c)
{
	struct gpubp_caught_event *ce = kzalloc(sizeof(*ce), GPUBP_GFP_USER);

	if (!ce)
		return NULL;
	ce->spare = kzalloc(sizeof(*ce->spare), GPUBP_GFP_USER);
	if (!ce->spare) {
		caught_free(ce);
		return NULL;
	}
	ce->session = session;
	ce->attachment = c->event;
	return ce;
}

static void caught_add(struct gpubp_caught_event *ce)
{
	lockdep_assert_held(&gpubp_holds_lock);
	hash_add(by_event, &ce->event_node, gpubp_hold_hash(ce->event));
	hash_add(by_attachment, &ce->attachment_node,
		 gpubp_hold_hash(ce->attachment));
	list_add_tail(&ce->session_node, &ce->session->caught_events);
	ce->session->nr_caught_events++;
	WRITE_ONCE(nr_caught, nr_caught + 1);
}

/* what it holds stays held */
static void caught_remove(struct gpubp_caught_event *ce)
{
	struct gpubp_event *gev = gpubp_event_by_id(ce->event);

	lockdep_assert_held(&gpubp_holds_lock);
	if (gev)
		gpubp_event_set_caught(gev, false);
	hash_del(&ce->event_node);
	hash_del(&ce->attachment_node);
	list_del(&ce->session_node);
	ce->session->nr_caught_events--;
	WRITE_ONCE(nr_caught, nr_caught - 1);
	if (ce->holding)
		ce->holding->caught = NULL;
	caught_free(ce);
}

/**
 * gpubp_caught_event_end() - a catch is over, and what it holds is due
 * @ce: the caught event, which is freed; gpubp_events_lock and gpubp_holds_lock are held
 */
void gpubp_caught_event_end(struct gpubp_caught_event *ce)
{
	struct gpubp_holding *holding = ce->holding;

	caught_remove(ce);
	if (holding)
		gpubp_holding_set_over(holding);
}

/** gpubp_caught_event_join() - a hit of a caught event has this new hold */
void gpubp_caught_event_join(struct gpubp_caught_event *ce, struct gpubp_hold *h)
{
	lockdep_assert_held(&gpubp_holds_lock);
	if (!ce->holding) {
		swap(ce->holding, ce->spare);
		gpubp_holding_open(ce->holding, ce->session, ce->attachment);
		ce->holding->caught = ce;
	}
	gpubp_hold_join(h, ce->holding);
	gpubp_hold_set_until(h, ce->timeout_ns == U64_MAX ? U64_MAX :
				ktime_get_ns() + ce->timeout_ns);
}

/** gpubp_caught_event_emptied() - the last of its holds has gone */
void gpubp_caught_event_emptied(struct gpubp_caught_event *ce)
{
	lockdep_assert_held(&gpubp_holds_lock);
	ce->holding->caught = NULL;
	swap(ce->holding, ce->spare);
}

/**
 * struct caught_end - end what an event was for
 * @event: id of the event
 * @session: as of gpubp_caught_events_end()
 * @any: (out) a catch ended
 */
struct caught_end {
	u64 event;
	const struct gpubp_session *session;
	bool any;
};

static void caught_end_fn(void *arg)
{
	struct caught_end *end = arg;
	struct gpubp_caught_event *ce;
	struct hlist_node *next;

	guard(mutex)(&gpubp_holds_lock);
	hash_for_each_possible_safe(by_attachment, ce, next, attachment_node,
				    gpubp_hold_hash(end->event)) {
		if (ce->attachment != end->event ||
		    (end->session && ce->session != end->session))
			continue;
		gpubp_caught_event_end(ce);
		end->any = true;
	}
	ce = end->session ? NULL : caught_find(end->event);
	if (ce)
		gpubp_caught_event_end(ce);
	end->any |= !!ce;
}

/**
 * gpubp_caught_events_end() - an event is gone, or detached: end what it was for
 * @event: id of the event
 * @session: the session that has detached it; NULL: it is gone, for all
 *
 * May sleep. Return: true if a catch ended.
 */
bool gpubp_caught_events_end(u64 event, const struct gpubp_session *session)
{
	struct caught_end end = { .event = event, .session = session };

	if (READ_ONCE(nr_caught))
		gpubp_job_run(caught_end_fn, &end);
	return end.any;
}

static bool session_catches(struct gpubp_session *session)
{
	guard(mutex)(&gpubp_holds_lock);
	return !list_empty(&session->caught_events);
}

static void caught_exit_fn(void *arg)
{
	struct gpubp_session *session = arg;
	struct gpubp_caught_event *ce;

	guard(mutex)(&gpubp_holds_lock);
	ce = list_first_entry_or_null(&session->caught_events,
				      struct gpubp_caught_event, session_node);
	if (ce)
		caught_remove(ce);
}

/** gpubp_catches_exit_session() - a session is closed: it catches no event any more */
void gpubp_catches_exit_session(struct gpubp_session *session)
{
	while (session_catches(session))
		gpubp_job_run(caught_exit_fn, session);
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_catches_exit_session);

/* ---- hits ---------------------------------------------------------------- */

/**
 * struct wave_catch - a wave, and one of the events that caught it; of the resolver
 * @ctx: its context, with a ctx op reference
 * @wave: its id
 * @event: id of the event
 * @cell: the hit
 * @match: what the event has of it
 * @unsimulated: as of gpubp_hit_set_catch()
 */
struct wave_catch {
	struct gpubp_ctx *ctx;
	u64 wave;
	u64 event;
	const struct gpubp_hit_cell *cell;
	const struct gpubp_hit_match *match;
	bool unsimulated;
};

static struct gpubp_holder wave_catch_holder(const struct wave_catch *wc,
					     const struct gpubp_caught_event *ce)
{
	return (struct gpubp_holder) {
		.session = ce->session, .event = ce->attachment,
		.ctx = wc->ctx,
	};
}

static void catch_notice_fault(const struct wave_catch *wc,
			       const struct gpubp_caught_event *ce)
{
	const struct gpubp_hit_match *m = wc->match;
	struct gpubp_any_notice notice = {
		.fault = {
			.head = {
				.size = sizeof(notice.fault),
				.type = GPUBP_NOTICE_FAULT,
			},
			.event = ce->attachment,
			.wave = wc->wave,
			.addr = m->addr,
			.lanes = m->lanes,
			.context = wc->ctx->id,
			.width = m->width,
			.access = m->access,
			.addr_state = m->addr_state,
		},
	};

	gpubp_notice_put(ce->session, &notice);
}

static void catch_notice(const struct wave_catch *wc,
			 const struct gpubp_caught_event *ce, u32 why)
{
	const struct gpubp_hit_match *m = wc->match;
	struct gpubp_any_notice notice = {
		.stop = {
			.head = {
				.size = sizeof(notice.stop),
				.type = GPUBP_NOTICE_STOP,
			},
			.event = ce->attachment,
			.wave = wc->wave,
			.caught = ce->event,
			.pc = gpubp_kind_is_trap(m->kind) ? m->pc :
							    wc->cell->record.pc,
			.addr = m->addr,
			.lanes = m->lanes,
			.context = wc->ctx->id,
			.why = why,
		},
	};

	if (m->kind == GPUBP_KIND_EXCEPTION &&
	    (wc->cell->hit.exceptions & GPUBP_EXC_MEM_VIOL))
		catch_notice_fault(wc, ce);
	gpubp_notice_put(ce->session, &notice);
}

/* @held: (out) if not: the session holds the wave already */
static bool catch_needs_halt(const struct wave_catch *wc, bool *held)
{
	struct gpubp_caught_event *ce;
	struct gpubp_holder holder;
	int err;

	*held = false;
	guard(mutex)(&gpubp_holds_lock);
	ce = caught_find(wc->event);
	/* no process would resume it */
	if (!ce || !gpubp_session_is_alive(ce->session))
		return false;
	/* a task may have queues in a context of another process */
	if (wc->ctx->pid != ce->pid) {
		ce->missed++;
		return false;
	}
	holder = wave_catch_holder(wc, ce);
	if (gpubp_hold_needs_halt(&holder, wc->wave, &err))
		return true;
	ce->missed += !!err;
	*held = !err;
	if (*held)
		catch_notice(wc, ce, GPUBP_WHY_STEP);
	return false;
}

/* the wave was halted; returns false if that is to be undone */
static bool catch_make_hold(const struct wave_catch *wc, bool *held)
{
	struct gpubp_caught_event *ce;
	struct gpubp_holder holder;
	int err;

	guard(mutex)(&gpubp_holds_lock);
	ce = caught_find(wc->event);
	if (!ce)
		return false;
	holder = wave_catch_holder(wc, ce);
	if (gpubp_hold_needs_halt(&holder, wc->wave, &err)) {
		gpubp_hold_caught(&holder, wc->wave, ce, wc->unsimulated);
		catch_notice(wc, ce, GPUBP_WHY_CATCH);
		*held = true;
		return true;
	}
	ce->missed += !!err;
	*held = !err;
	return false;
}

static void catch_missed(const struct wave_catch *wc)
{
	struct gpubp_caught_event *ce;

	guard(mutex)(&gpubp_holds_lock);
	ce = caught_find(wc->event);
	if (ce)
		ce->missed++;
}

/* Return: true if the session holds the wave. */
static bool catch_for_event(const struct wave_catch *wc)
{
	const struct gpubp_device *dev = wc->ctx->dev;
	struct gpubp_waves waves = {
		.ctx = wc->ctx->priv, .wave = &wc->wave, .nr = 1,
	};
	bool held;

	if (!catch_needs_halt(wc, &held))
		return held;
	if (dev->ops.halt(dev->priv, &waves)) {
		catch_missed(wc);
		return false;
	}
	gpubp_pc_park(wc->ctx, wc->wave);
	if (!catch_make_hold(wc, &held))
		dev->ops.resume(dev->priv, &waves);
	return held;
}

static void catch_all_missed(const struct gpubp_hit_cell *cell)
{
	struct wave_catch wc;
	unsigned int i;

	for (i = 0; i < cell->nr_caught; i++) {
		wc.event = cell->caught[i].event;
		catch_missed(&wc);
	}
}

/* gpubp_hit_set_catch() */
static bool catch_hit(struct gpubp_hit_cell *cell, bool unsimulated)
{
	struct wave_catch wc = {
		.ctx = cell->ctx, .wave = cell->hit.listed, .cell = cell,
		.unsimulated = unsimulated,
	};
	unsigned int i;
	bool held = false;

	if (!cell->dev->desc.caps.can_catch || !wc.wave ||
	    gpubp_ctx_op_begin(wc.ctx)) {
		catch_all_missed(cell);
		return false;
	}
	for (i = 0; i < cell->nr_caught; i++) {
		wc.event = cell->caught[i].event;
		wc.match = cell->caught[i].match;
		held |= catch_for_event(&wc);
	}
	gpubp_ctx_op_end(wc.ctx);
	/* for the new limits, and to look at the sessions */
	if (held)
		gpubp_holds_check();
	return held;
}

/* ---- ioctls -------------------------------------------------------------- */

static bool catch_is_possible(const struct gpubp_spec *spec)
{
	struct gpubp_device *dev;
	bool any = false;

	guard(mutex)(&gpubp_devices_lock);
	list_for_each_entry(dev, &gpubp_devices, node) {
		if (!gpubp_in_scope(spec, dev))
			continue;
		if (dev->desc.caps.can_catch)
			return true;
		any = true;
	}
	return !any;
}

static int catch_check(struct gpubp_session *session, u64 attachment,
		       const struct gpubp_event *gev)
{
	const struct gpubp_event *by = gpubp_attached_event(session, attachment);
	int err;

	if (IS_ERR(by))
		return PTR_ERR(by);
	if (!(gpubp_rights_now(by) & GPUBP_RIGHT_STOP))
		return -EPERM;
	err = gpubp_attach_check(gev);
	if (err)
		return err;
	if (gev->spec.lost)
		return -EINVAL;
	if (task_tgid(gev->event->hw.target) != task_tgid(by->event->hw.target))
		return -EXDEV;
	return catch_is_possible(&gev->spec) ? 0 : -EOPNOTSUPP;
}

static int catch_change(struct gpubp_caught_event *ce,
			const struct gpubp_caught_event *to)
{
	if (ce->session != to->session || ce->attachment != to->attachment)
		return -EBUSY;
	ce->timeout_ns = to->timeout_ns;
	return 0;
}

/* @ce is NULL if it was used; gpubp_events_lock is held */
static int catch_add(struct gpubp_caught_event **ce)
{
	struct gpubp_caught_event *old;

	guard(mutex)(&gpubp_holds_lock);
	old = caught_find((*ce)->event);
	if (old)
		return catch_change(old, *ce);
	if ((*ce)->session->nr_caught_events == GPUBP_CATCH_MAX)
		return -ENOSPC;
	caught_add(*ce);
	*ce = NULL;
	return 0;
}

static u64 catch_missed_by(const struct gpubp_event *gev)
{
	const struct gpubp_caught_event *ce;

	guard(mutex)(&gpubp_holds_lock);
	ce = caught_find(gev->event->id);
	return atomic64_read(&gev->uncaught) + (ce ? ce->missed : 0);
}

/* @stops: (out) its hits stop anyhow, without a commit */
static int catch_event(struct gpubp_session *session, struct gpubp_event *gev,
		       struct gpubp_catch *c, struct gpubp_caught_event **ce,
		       bool *stops)
{
	int err = catch_check(session, c->event, gev);

	if (err)
		return err;
	(*ce)->event = gev->event->id;
	(*ce)->pid = get_pid(task_tgid(gev->event->hw.target));
	(*ce)->timeout_ns = c->timeout_ms ?
		(u64)c->timeout_ms * NSEC_PER_MSEC : U64_MAX;
	err = catch_add(ce);
	if (err)
		return err;
	gpubp_event_set_caught(gev, true);
	c->id = gev->event->id;
	c->missed = catch_missed_by(gev);
	c->seq = gpubp_notice_next(session);
	*stops = gpubp_kind_is_trap(gev->spec.kind);
	return 0;
}

/* Return: how many holds more were reserved, or a negative errno. */
static int catch_reserve(struct gpubp_session *session, u32 waves)
{
	int err, more;

	if (waves > GPUBP_CATCH_WAVES_MAX)
		return -EINVAL;
	more = (waves ?: DEFAULT_WAVES) - session->nr_reserved;
	if (more <= 0)
		return 0;
	err = gpubp_holds_reserve(session, more);
	if (err)
		return err;
	session->nr_reserved += more;
	return more;
}

/**
 * struct catch_call - catch the event of a perf fd
 * @session: session
 * @file: file of the fd
 * @c: argument of the ioctl
 * @ce: to be added, then NULL; NULL: check only
 * @stops: (out) as of catch_event()
 * @err: (out) 0 or a negative errno
 */
struct catch_call {
	struct gpubp_session *session;
	const struct file *file;
	struct gpubp_catch *c;
	struct gpubp_caught_event *ce;
	bool stops;
	int err;
};

static void catch_fn(void *arg)
{
	struct catch_call *call = arg;
	struct gpubp_event *gev = gpubp_event_of(gpubp_perf_file_event(call->file));

	call->err = call->ce ?
		    catch_event(call->session, gev, call->c, &call->ce,
				&call->stops) :
		    catch_check(call->session, call->c->event, gev);
}

static int catch_file(struct gpubp_session *session, const struct file *file,
		      struct gpubp_catch *c, bool *stops)
{
	struct catch_call call = { .session = session, .file = file, .c = c };
	int more;

	guard(mutex)(&session->lock);
	gpubp_job_run(catch_fn, &call);
	if (call.err)
		return call.err;
	more = catch_reserve(session, c->waves);
	if (more < 0)
		return more;
	call.ce = caught_alloc(session, c);
	call.err = -ENOMEM;
	if (call.ce)
		gpubp_job_run(catch_fn, &call);
	*stops = call.stops;
	caught_free(call.ce);
	if (call.err) {
		gpubp_holds_unreserve(session, more);
		session->nr_reserved -= more;
	}
	return call.err;
}

/** gpubp_catch_cmd() - GPUBP_CATCH */
long gpubp_catch_cmd(struct gpubp_session *session, void *arg)
{
	struct gpubp_catch *c = arg;
	struct file *file;
	bool stops = true;
	int err;

	file = fget(c->fd);
	if (!file)
		return -EBADF;
	err = catch_file(session, file, c, &stops);
	fput(file);
	if (err || stops)
		return err;
	/* a turn of the comparators may take longer: it is then in effect */
	err = gpubp_wait_devices(EFFECT_MS,
				 jiffies + msecs_to_jiffies(EFFECT_MS),
				 gpubp_request_wait_timeout);
	return err == -ETIMEDOUT ? 0 : err;
}

/**
 * struct uncatch_call - end a catch
 * @session: session
 * @c: argument of the ioctl
 * @done: (out) there was one
 */
struct uncatch_call {
	struct gpubp_session *session;
	struct gpubp_catch *c;
	bool done;
};

static bool catch_remove(struct gpubp_session *session, struct gpubp_catch *c)
{
	const struct gpubp_event *gev = gpubp_event_by_id(c->id);
	struct gpubp_caught_event *ce;

	guard(mutex)(&gpubp_holds_lock);
	ce = caught_find(c->id);
	if (!ce || ce->session != session || ce->attachment != c->event)
		return false;
	c->seq = gpubp_notice_next(session);
	c->missed = ce->missed + (gev ? atomic64_read(&gev->uncaught) : 0);
	caught_remove(ce);
	return true;
}

static void uncatch_fn(void *arg)
{
	struct uncatch_call *call = arg;

	call->done = catch_remove(call->session, call->c);
}

/** gpubp_uncatch_cmd() - GPUBP_UNCATCH */
long gpubp_uncatch_cmd(struct gpubp_session *session, void *arg)
{
	struct uncatch_call call = { .session = session, .c = arg };
	struct gpubp_catch *c = arg;

	if (c->fd || c->timeout_ms || c->waves)
		return -EINVAL;
	gpubp_job_run(uncatch_fn, &call);
	return call.done ? 0 : -ENOENT;
}

/** gpubp_catch_init() - hits can be caught from now on */
void gpubp_catch_init(void)
{
	gpubp_hit_set_catch(catch_hit);
}
