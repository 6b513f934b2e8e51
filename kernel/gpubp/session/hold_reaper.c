// SPDX-License-Identifier: GPL-2.0
/*
 * Hold reaper: ends holds and resumes their waves.
 *
 * A hold ends when its session releases it or is closed, or when it is due
 * (holding.c). A hold that ended has no session. A session that is closed
 * resumes the waves of its own holds. A thread resumes all others, and retries
 * those that could not be resumed, e.g. because their device was suspended.
 */
#include <kunit/visibility.h>
#include <linux/err.h>
#include <linux/export.h>
#include <linux/jiffies.h>
#include <linux/kthread.h>
#include <linux/ktime.h>
#include <linux/sched.h>
#include <linux/semaphore.h>
#include <linux/slab.h>
#include <linux/wait.h>

#include "../compat/version.h"
#include "../core/core.h"
#include "../event/event.h"
#include "catch.h"
#include "displaced.h"
#include "hold.h"
#include "holding.h"
#include "notice.h"
#include "session.h"

#define REAP_SOON	(HZ / 50)
#define RETRY_MAX	HZ
#define MAX_AT_ONCE	1024	/* holds, under gpubp_holds_lock */

/*
 * Not a workqueue: lockdep counts a running work item as held locks, and ops
 * must be called without any.
 */
static struct kthread_worker *reaper;
static void reaper_fn(struct kthread_work *work);
static DEFINE_KTHREAD_DELAYED_WORK(reaper_work, reaper_fn);

/**
 * struct hold_batch - ended holds that one task releases; under
 *	gpubp_holds_lock
 * @todo: holds not tried yet, the oldest first
 * @active: the hold being tried; empty if it was destroyed with its context
 * @done: number of holds tried; also read without the lock
 */
struct hold_batch {
	struct list_head todo;
	struct list_head active;
	unsigned int done;
};

#define HOLD_BATCH_INIT(_name) {			\
	.todo = LIST_HEAD_INIT(_name.todo),	\
	.active = LIST_HEAD_INIT(_name.active),	\
}

/* ended holds in no batch, the oldest first: the next batch of the thread */
static LIST_HEAD(ended_holds);
static struct hold_batch reaper_batch = HOLD_BATCH_INIT(reaper_batch);
static DECLARE_WAIT_QUEUE_HEAD(batch_wait);
static unsigned long retry_wait = REAP_SOON;	/* jiffies */

/* ---- end holds ----------------------------------------------------------- */

static void hold_mark_ended(struct gpubp_hold *h)
{
	gpubp_hold_leave(h);
	h->session = NULL;
	list_add_tail(&h->ended_node, &ended_holds);
}

/* op_sem of the session is held; returns false if some may be left */
static bool session_end_some(struct gpubp_session *session)
{
	struct gpubp_hold *h;
	unsigned int i;

	lockdep_assert_held(&gpubp_holds_lock);
	for (i = 0; i < MAX_AT_ONCE; i++) {
		h = gpubp_session_due_hold(session);
		if (!h) {
			WRITE_ONCE(session->holds_ended, false);
			return true;
		}
		hold_mark_ended(h);
	}
	return false;
}

/*
 * Not while a call of the session runs, which may be using the holds: it ends
 * them. It looks at the flag after it has released op_sem.
 */
static bool reaper_end_some(void)
{
	struct gpubp_session *session;

	guard(mutex)(&gpubp_holds_lock);
	session = gpubp_session_next_due();
	if (!session)
		return false;
	WRITE_ONCE(session->holds_ended, true);
	if (down_trylock(&session->op_sem))
		return true;
	if (!session_end_some(session))
		gpubp_session_set_due(session);
	up(&session->op_sem);
	return true;
}

/* end the holds that are due; return when to check again, in jiffies */
static unsigned long reaper_end_holds(void)
{
	unsigned long wait = gpubp_holdings_look();

	wait = min(wait, gpubp_holds_expire(ktime_get_ns()));
	while (reaper_end_some())
		cond_resched();
	return wait;
}

/* ---- release holds ------------------------------------------------------- */

static void hold_set_moving(struct gpubp_hold *h)
{
	guard(mutex)(&gpubp_holds_lock);
	h->moving = true;
}

static void hold_finish_release(struct gpubp_hold *h, int err)
{
	scoped_guard(mutex, &gpubp_holds_lock) {
		if (err && err != -ESRCH)
			h->moving = false;
		else
			gpubp_hold_destroy(h);
	}
	gpubp_moves_wake();
}

/* a wave left in the buffer would run into its guard and might stay there */
static int hold_end_dstep(struct gpubp_hold *h, struct gpubp_ctx *ctx)
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
 * Without a ctx op reference, gpubp_holds_exit_ctx() may have freed the hold.
 * That function runs when all are put, also those of calls that wait for the
 * end of a move: so a move must begin and end with the reference held.
 */
static void hold_release_wave(struct gpubp_hold *h, struct gpubp_ctx *ctx)
{
	if (gpubp_ctx_op_begin(ctx))
		return;
	hold_set_moving(h);
	hold_finish_release(h, hold_end_dstep(h, ctx) ?:
				       gpubp_hold_resume(h));
	gpubp_ctx_op_end(ctx);
}

/* the hold being tried; NULL if there is none or it was destroyed */
static struct gpubp_hold *batch_active(struct hold_batch *b)
{
	lockdep_assert_held(&gpubp_holds_lock);
	return list_first_entry_or_null(&b->active, struct gpubp_hold,
					ended_node);
}

/* next hold to try, and its context with a reference; NULL if none is left */
static struct gpubp_hold *batch_next(struct hold_batch *b,
				     struct gpubp_ctx **ctx)
{
	struct gpubp_hold *h;

	guard(mutex)(&gpubp_holds_lock);
	h = list_first_entry_or_null(&b->todo, struct gpubp_hold, ended_node);
	if (!h)
		return NULL;
	list_move(&h->ended_node, &b->active);
	*ctx = h->ctx;
	kref_get(&h->ctx->ref);
	return h;
}

/* a hold that still exists could not be released: retry it after all others */
static void batch_end_active(struct hold_batch *b)
{
	struct gpubp_hold *h;

	scoped_guard(mutex, &gpubp_holds_lock) {
		h = batch_active(b);
		if (h)
			list_move_tail(&h->ended_node, &ended_holds);
		WRITE_ONCE(b->done, b->done + 1);
	}
	wake_up_all(&batch_wait);
}

static bool batch_release_one(struct hold_batch *b)
{
	struct gpubp_ctx *ctx;
	struct gpubp_hold *h = batch_next(b, &ctx);

	if (!h)
		return false;
	hold_release_wave(h, ctx);
	gpubp_ctx_put(ctx);
	batch_end_active(b);
	return true;
}

/* ---- the thread ---------------------------------------------------------- */

static void reaper_refill(void)
{
	guard(mutex)(&gpubp_holds_lock);
	if (list_empty(&reaper_batch.todo))
		list_splice_init(&ended_holds, &reaper_batch.todo);
}

static unsigned long retry_stop(void)
{
	retry_wait = REAP_SOON;
	return MAX_SCHEDULE_TIMEOUT;
}

/* a suspended device is not tried too often */
static unsigned long retry_later(bool progress)
{
	retry_wait = progress ? REAP_SOON :
				min_t(unsigned long, 2 * retry_wait, RETRY_MAX);
	return retry_wait;
}

/* for a limited time, as more may end; return when to continue, in jiffies */
static unsigned long reaper_release_some(void)
{
	unsigned long until = jiffies + REAP_SOON;
	unsigned int before = gpubp_holds_count();

	reaper_refill();
	do {
		if (batch_release_one(&reaper_batch))
			continue;
		if (list_empty(&ended_holds))
			return retry_stop();
		return retry_later(gpubp_holds_count() < before);
	} while (time_before(jiffies, until));
	return 0;
}

static void reaper_fn(struct kthread_work *work)
{
	unsigned long wait = min(reaper_end_holds(), gpubp_attached_look());

	wait = min(wait, reaper_release_some());
	if (wait != MAX_SCHEDULE_TIMEOUT)
		kthread_queue_delayed_work(reaper, &reaper_work, wait);
}

/** gpubp_holds_check() - let the thread end what is due now; any context */
void gpubp_holds_check(void)
{
	if (gpubp_holds_count())
		kthread_mod_delayed_work(reaper, &reaper_work, 0);
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_holds_check);

/** gpubp_holds_thread_wake() - let the thread look at attachments from now on */
void gpubp_holds_thread_wake(void)
{
	kthread_mod_delayed_work(reaper, &reaper_work, 0);
}

static bool session_end_due(struct gpubp_session *session)
{
	guard(mutex)(&gpubp_holds_lock);
	return session_end_some(session);
}

/**
 * gpubp_holds_yield() - end the holds that are due before op_sem is released
 * @session: session, whose op_sem the caller holds; no other lock is held
 *
 * If the calls of a session follow each other closely, the thread never gets
 * its op_sem. Then the holds are ended here.
 */
void gpubp_holds_yield(struct gpubp_session *session)
{
	if (!READ_ONCE(session->holds_ended))
		return;
	while (!session_end_due(session))
		cond_resched();
	gpubp_holds_check();
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_holds_yield);

/**
 * gpubp_holds_unlock() - release the op_sem of a session
 * @session: session, whose op_sem the caller holds; no other lock is held
 *
 * The thread leaves holds to the holder of op_sem. If it did so after
 * gpubp_holds_yield() looked, this function or the next holder ends them.
 */
void gpubp_holds_unlock(struct gpubp_session *session)
{
	do {
		gpubp_holds_yield(session);
		up(&session->op_sem);
	} while (READ_ONCE(session->holds_ended) &&
		 !down_trylock(&session->op_sem));
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_holds_unlock);

/* ---- a session is closed ------------------------------------------------- */

/** gpubp_holds_init_session() - initialise the holds of a new session */
void gpubp_holds_init_session(struct gpubp_session *session)
{
	INIT_LIST_HEAD(&session->holds);
	INIT_LIST_HEAD(&session->spare_holds);
	INIT_LIST_HEAD(&session->caught_events);
	INIT_LIST_HEAD(&session->holds_due);
	INIT_LIST_HEAD(&session->holdings_over);
	INIT_LIST_HEAD(&session->due_node);
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_holds_init_session);

/**
 * struct session_taken - holds of a session that is closed
 * @to: list of those taken
 * @busy: one was not taken because the thread is trying it
 * @done: after so many others
 */
struct session_taken {
	struct list_head *to;
	bool busy;
	unsigned int done;
};

static void session_take_hold(struct gpubp_hold *h, struct session_taken *taken)
{
	list_del_init(&h->session_node);
	if (h->session)
		gpubp_hold_leave(h);
	h->session = NULL;
	h->reserve = NULL;
	if (h == batch_active(&reaper_batch)) {
		taken->busy = true;
		taken->done = reaper_batch.done;
	} else {
		list_move_tail(&h->ended_node, taken->to);
	}
}

/* those that had ended included; returns false if some are left */
static bool session_take_some(struct gpubp_session *session,
			      struct session_taken *taken)
{
	unsigned int i;

	guard(mutex)(&gpubp_holds_lock);
	list_del_init(&session->due_node);
	for (i = 0; i < MAX_AT_ONCE && !list_empty(&session->holds); i++)
		session_take_hold(list_first_entry(&session->holds,
						   struct gpubp_hold,
						   session_node),
				  taken);
	return list_empty(&session->holds);
}

static void session_take_holds(struct gpubp_session *session,
			       struct session_taken *taken)
{
	while (!session_take_some(session, taken))
		cond_resched();
}

static void session_release_holds(struct gpubp_session *session)
{
	struct hold_batch own = HOLD_BATCH_INIT(own);
	struct session_taken taken = { .to = &own.todo };

	session_take_holds(session, &taken);
	while (batch_release_one(&own))
		cond_resched();
	if (taken.busy)
		wait_event(batch_wait,
			   READ_ONCE(reaper_batch.done) != taken.done);
}

/**
 * gpubp_holds_exit_session() - release all holds of a session that is closed
 * @session: session; none of its calls runs, and it catches no event
 *
 * On return its waves have been resumed, except on devices that are suspended.
 * A workqueue may put the last reference to a file for another task; there this
 * function leaves the work to the thread and does not wait. May sleep.
 */
void gpubp_holds_exit_session(struct gpubp_session *session)
{
	struct session_taken taken = { .to = &ended_holds };

	if (current->flags & PF_WQ_WORKER)
		session_take_holds(session, &taken);
	else
		session_release_holds(session);
	if (!list_empty(&ended_holds))
		gpubp_holds_check();
	gpubp_holds_unreserve(session, UINT_MAX);
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_holds_exit_session);

/* returns false if some are left */
static bool ctx_destroy_some(struct gpubp_ctx *ctx)
{
	unsigned int i;

	guard(mutex)(&gpubp_holds_lock);
	for (i = 0; i < MAX_AT_ONCE && !list_empty(&ctx->holds); i++)
		gpubp_hold_destroy(list_first_entry(&ctx->holds,
						    struct gpubp_hold,
						    ctx_node));
	return list_empty(&ctx->holds);
}

/*
 * gpubp_holds_exit_ctx() - destroy the holds of a context that is destroyed; no
 * ctx op reference is left
 */
void gpubp_holds_exit_ctx(struct gpubp_ctx *ctx)
{
	while (!ctx_destroy_some(ctx))
		cond_resched();
	gpubp_moves_wake();
}

/** gpubp_holds_init() - start the thread; 0 or a negative errno */
int gpubp_holds_init(void)
{
	reaper = kthread_run_worker(0, "gpubp/holds");
	if (IS_ERR(reaper))
		return PTR_ERR(reaper);
	gpubp_event_set_on_remove(gpubp_holdings_event_removed);
	gpubp_catch_init();
	return 0;
}

/** gpubp_holds_exit() - stop the thread; no session and no context is left */
void gpubp_holds_exit(void)
{
	kthread_cancel_delayed_work_sync(&reaper_work);
	kthread_destroy_worker(reaper);
	WARN_ON_ONCE(gpubp_holds_count());
}
