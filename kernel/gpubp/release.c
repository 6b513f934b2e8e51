// SPDX-License-Identifier: GPL-2.0
/*
 * Release: what ends holds.
 *
 * A hold is over when its session lets go or is closed, its attachment stands
 * no more, its session's process is gone, or its time is up. Some of these
 * nobody tells: while there are holds, a thread looks. What is over is nobody's,
 * and the thread lets it go: now, or where a device has no power, then.
 */
#include <kunit/visibility.h>
#include <linux/err.h>
#include <linux/export.h>
#include <linux/jiffies.h>
#include <linux/kthread.h>
#include <linux/ktime.h>
#include <linux/sched/signal.h>
#include <linux/semaphore.h>
#include <linux/slab.h>

#include "attach.h"
#include "compat/version.h"
#include "context.h"
#include "displaced.h"
#include "event.h"
#include "hold.h"
#include "session.h"
#include "visit.h"

#define LOOK_EVERY	(HZ / 4)
#define LOOK_SOON	(HZ / 50)

/* a thread: in a work of a workqueue lockdep counts locks, and ops are called */
static struct kthread_worker *looker;
static void look_fn(struct kthread_work *work);
static DEFINE_KTHREAD_DELAYED_WORK(look_work, look_fn);

/* ---- what is over -------------------------------------------------------- */

static bool opener_is_there(const struct gpubp_session *session)
{
	struct task_struct *leader;

	guard(rcu)();
	leader = pid_task(session->opener, PIDTYPE_TGID);
	return leader && (!READ_ONCE(leader->exit_state) ||
			  !thread_group_empty(leader));
}

/* gpubp_events_lock is held */
static bool is_over(const struct gpubp_hold *h, u64 now)
{
	return h->until <= now ||
	       !gpubp_attachment_stands(h->session, h->event) ||
	       !opener_is_there(h->session);
}

/* a call of the session may be about to do something with it: not then */
static bool take_from(struct gpubp_hold *h)
{
	struct gpubp_session *session = h->session;

	if (down_trylock(&session->turn)) {
		WRITE_ONCE(session->over, true);
		return false;
	}
	h->session = NULL;
	up(&session->turn);
	return true;
}

/* when to look again, in jiffies */
static unsigned long find_over(void)
{
	unsigned long wait = LOOK_EVERY;
	u64 now = ktime_get_ns();
	struct gpubp_hold *h;

	guard(mutex)(&gpubp_events_lock);
	guard(mutex)(&gpubp_holds_lock);
	list_for_each_entry(h, &gpubp_holds, node) {
		if (!h->session)
			continue;
		if (is_over(h, now) && !take_from(h))
			wait = LOOK_SOON;
		else if (h->until > now)
			wait = min(wait, nsecs_to_jiffies(h->until - now) + 1);
	}
	return wait;
}

/* one that is nobody's, its context with a reference */
static struct gpubp_hold *next_over(unsigned int run, struct gpubp_ctx **ctx)
{
	struct gpubp_hold *h;

	guard(mutex)(&gpubp_holds_lock);
	list_for_each_entry(h, &gpubp_holds, node) {
		if (h->session || h->tried == run)
			continue;
		h->tried = run;
		*ctx = h->ctx;
		kref_get(&h->ctx->ref);
		return h;
	}
	return NULL;
}

static void move(struct gpubp_hold *h)
{
	guard(mutex)(&gpubp_holds_lock);
	h->moving = true;
}

static void put_back(struct gpubp_hold *h, int err)
{
	scoped_guard(mutex, &gpubp_holds_lock) {
		if (err && err != -ESRCH)
			h->moving = false;
		else
			gpubp_hold_destroy(h);
	}
	gpubp_hold_moved();
}

/* in the buffer it would meet the guard, and perhaps nobody to send it back */
static int end_dstep(struct gpubp_hold *h, struct gpubp_ctx *ctx)
{
	bool done;
	int err;

	if (!h->dstep)
		return 0;
	err = gpubp_dstep_end(ctx, h->wave, h->dstep, &done);
	if (err && err != -ESRCH)
		return err;
	kfree(h->dstep);
	h->dstep = NULL;
	return err;
}

/*
 * Without a visit the hold may be gone already, by gpubp_holds_forget(), which
 * in turn waits for who waits for its wave to have moved.
 */
static int let_go(struct gpubp_hold *h, struct gpubp_ctx *ctx)
{
	int err = gpubp_visit(ctx);

	if (err)
		return err == -ESRCH ? 0 : err;
	move(h);
	err = end_dstep(h, ctx) ?: gpubp_hold_resume(ctx, h->wave);
	put_back(h, err);
	gpubp_visit_end(ctx);
	return err == -ESRCH ? 0 : err;
}

static void look_fn(struct kthread_work *work)
{
	static unsigned int run;
	unsigned long wait = find_over();
	struct gpubp_hold *h;
	struct gpubp_ctx *ctx;

	if (!++run)
		run++;
	while ((h = next_over(run, &ctx))) {
		if (let_go(h, ctx))
			wait = min_t(unsigned long, wait, LOOK_SOON);
		gpubp_ctx_put(ctx);
	}
	if (gpubp_holds_count())
		kthread_queue_delayed_work(looker, &look_work, wait);
}

/** gpubp_holds_look() - something changed that may end a hold; any context */
void gpubp_holds_look(void)
{
	if (!list_empty(&gpubp_holds))
		kthread_mod_delayed_work(looker, &look_work, 0);
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_holds_look);

static void take_over(struct gpubp_session *session)
{
	u64 now = ktime_get_ns();
	struct gpubp_hold *h;

	guard(mutex)(&gpubp_events_lock);
	guard(mutex)(&gpubp_holds_lock);
	WRITE_ONCE(session->over, false);
	list_for_each_entry(h, &gpubp_holds, node)
		if (h->session == session && is_over(h, now))
			h->session = NULL;
}

/**
 * gpubp_holds_yield() - the end of a session's turn
 * @session: session, whose turn the caller still has; no lock is held
 *
 * Of one whose calls follow each other so closely that nobody else ever has the
 * turn, what is over is taken here.
 */
void gpubp_holds_yield(struct gpubp_session *session)
{
	if (!READ_ONCE(session->over))
		return;
	take_over(session);
	gpubp_holds_look();
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_holds_yield);

/* true: holds without a session are left, also those that look_fn() orphaned */
static bool disown(struct gpubp_session *session)
{
	struct gpubp_hold *h, *tmp;
	bool any = false;

	guard(mutex)(&gpubp_holds_lock);
	list_for_each_entry_safe(h, tmp, &gpubp_holds, node) {
		any |= !h->session;
		if (h->session != session)
			continue;
		h->session = NULL;
		any = true;
		/* next_over() need not pass all that others hold */
		list_move(&h->node, &gpubp_holds);
	}
	return any;
}

/**
 * gpubp_holds_release() - a session is closed
 * @session: session; no call of it runs
 *
 * On return its waves have been let go, but those of devices that are
 * suspended. May sleep.
 */
void gpubp_holds_release(struct gpubp_session *session)
{
	if (!disown(session))
		return;
	kthread_mod_delayed_work(looker, &look_work, 0);
	kthread_flush_worker(looker);
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_holds_release);

/** gpubp_holds_forget() - a context is gone, no visit to it is left */
void gpubp_holds_forget(struct gpubp_ctx *ctx)
{
	struct gpubp_hold *h, *tmp;

	scoped_guard(mutex, &gpubp_holds_lock)
		list_for_each_entry_safe(h, tmp, &gpubp_holds, node)
			if (h->ctx == ctx)
				gpubp_hold_destroy(h);
	gpubp_hold_moved();
}

/** gpubp_holds_init() - 0 or an errno */
int gpubp_holds_init(void)
{
	looker = kthread_run_worker(0, "gpubp/holds");
	return PTR_ERR_OR_ZERO(looker);
}

/** gpubp_holds_exit() - no session and no context is left */
void gpubp_holds_exit(void)
{
	kthread_cancel_delayed_work_sync(&look_work);
	kthread_destroy_worker(looker);
	WARN_ON_ONCE(!list_empty(&gpubp_holds));
}
