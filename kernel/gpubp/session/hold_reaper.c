// SPDX-License-Identifier: GPL-2.0
/*
 * Hold reaper: ends holds and resumes their waves.
 *
 * A hold ends when its session releases it or is closed, when its attachment
 * is no longer valid, when the process of its session exits, and when its time
 * limit expires. Some of these happen without a call, so a thread polls while
 * there are holds. A hold that ended has no session. A session that is closed
 * resumes the waves of its own holds. The thread resumes all others, and
 * retries those that could not be resumed, e.g. because their device was
 * suspended.
 */
#include <kunit/visibility.h>
#include <linux/err.h>
#include <linux/export.h>
#include <linux/jiffies.h>
#include <linux/kthread.h>
#include <linux/ktime.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/semaphore.h>
#include <linux/slab.h>
#include <linux/wait.h>

#include "../compat/version.h"
#include "../core/core.h"
#include "../event/event.h"
#include "attach.h"
#include "displaced.h"
#include "hold.h"
#include "session.h"

#define REAP_PERIOD	(HZ / 4)
#define REAP_SOON	(HZ / 50)

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

/* ---- end holds ----------------------------------------------------------- */

static bool opener_is_alive(const struct gpubp_session *session)
{
	struct task_struct *leader;

	guard(rcu)();
	leader = pid_task(session->opener, PIDTYPE_TGID);
	return leader && (!READ_ONCE(leader->exit_state) ||
			  !thread_group_empty(leader));
}

/* gpubp_events_lock is held */
static bool hold_has_ended(const struct gpubp_hold *h, u64 now)
{
	return h->until <= now ||
	       !gpubp_attachment_is_valid(h->session, h->event) ||
	       !opener_is_alive(h->session);
}

static void hold_mark_ended(struct gpubp_hold *h)
{
	h->session = NULL;
	list_add_tail(&h->ended_node, &ended_holds);
}

/* not while a call of the session runs, which may be using the hold */
static bool hold_try_end(struct gpubp_hold *h)
{
	struct gpubp_session *session = h->session;

	if (down_trylock(&session->op_sem)) {
		WRITE_ONCE(session->holds_ended, true);
		return false;
	}
	hold_mark_ended(h);
	up(&session->op_sem);
	return true;
}

/* end the holds that are due; return when to check again, in jiffies */
static unsigned long reaper_end_holds(void)
{
	unsigned long wait = REAP_PERIOD;
	u64 now = ktime_get_ns();
	struct gpubp_hold *h;

	guard(mutex)(&gpubp_events_lock);
	guard(mutex)(&gpubp_holds_lock);
	list_for_each_entry(h, &gpubp_holds, node) {
		if (!h->session)
			continue;
		if (hold_has_ended(h, now) && !hold_try_end(h))
			wait = REAP_SOON;
		else if (h->until > now)
			wait = min(wait,
				   nsecs_to_jiffies(h->until - now) + 1);
	}
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
				       gpubp_hold_resume(ctx, h->wave));
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

/* for a limited time, as more may end; return when to continue, in jiffies */
static unsigned long reaper_release_some(void)
{
	unsigned long until = jiffies + REAP_SOON;

	reaper_refill();
	do {
		if (!batch_release_one(&reaper_batch))
			return list_empty(&ended_holds) ? REAP_PERIOD :
							  REAP_SOON;
	} while (time_before(jiffies, until));
	return 0;
}

static void reaper_fn(struct kthread_work *work)
{
	unsigned long wait = reaper_end_holds();

	wait = min(wait, reaper_release_some());
	if (!list_empty(&gpubp_holds))
		kthread_queue_delayed_work(reaper, &reaper_work, wait);
}

/** gpubp_holds_check() - let the thread check all holds now; any context */
void gpubp_holds_check(void)
{
	if (!list_empty(&gpubp_holds))
		kthread_mod_delayed_work(reaper, &reaper_work, 0);
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_holds_check);

static void session_end_holds(struct gpubp_session *session)
{
	u64 now = ktime_get_ns();
	struct gpubp_hold *h;

	guard(mutex)(&gpubp_events_lock);
	guard(mutex)(&gpubp_holds_lock);
	WRITE_ONCE(session->holds_ended, false);
	list_for_each_entry(h, &gpubp_holds, node)
		if (h->session == session && hold_has_ended(h, now))
			hold_mark_ended(h);
}

/**
 * gpubp_holds_yield() - end the holds that are due before op_sem is released
 * @session: session, whose op_sem the caller still holds; no lock is held
 *
 * If the calls of a session follow each other closely, the thread never gets
 * its op_sem. Then the holds are ended here.
 */
void gpubp_holds_yield(struct gpubp_session *session)
{
	if (!READ_ONCE(session->holds_ended))
		return;
	session_end_holds(session);
	gpubp_holds_check();
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_holds_yield);

/* ---- a session is closed ------------------------------------------------- */

/*
 * Move all holds of a session to a list, those that had ended included. Return
 * true if one was not moved because the thread is trying it, after @done
 * others.
 */
static bool session_take_holds(struct gpubp_session *session,
			       struct list_head *to, unsigned int *done)
{
	struct gpubp_hold *h;
	bool busy = false;

	guard(mutex)(&gpubp_holds_lock);
	*done = reaper_batch.done;
	list_for_each_entry(h, &gpubp_holds, node) {
		if (h->last_session != session)
			continue;
		h->session = NULL;
		h->last_session = NULL;
		if (h == batch_active(&reaper_batch))
			busy = true;
		else
			list_move_tail(&h->ended_node, to);
	}
	return busy;
}

static void session_release_holds(struct gpubp_session *session)
{
	struct hold_batch own = HOLD_BATCH_INIT(own);
	unsigned int done;
	bool wait = session_take_holds(session, &own.todo, &done);

	while (batch_release_one(&own))
		cond_resched();
	if (wait)
		wait_event(batch_wait, READ_ONCE(reaper_batch.done) != done);
}

/**
 * gpubp_holds_exit_session() - release all holds of a session that is closed
 * @session: session; none of its calls runs
 *
 * On return its waves have been resumed, except on devices that are suspended.
 * A workqueue may put the last reference to a file for another task; there this
 * function leaves the work to the thread and does not wait. May sleep.
 */
void gpubp_holds_exit_session(struct gpubp_session *session)
{
	unsigned int done;

	if (current->flags & PF_WQ_WORKER)
		session_take_holds(session, &ended_holds, &done);
	else
		session_release_holds(session);
	if (!list_empty(&ended_holds))
		gpubp_holds_check();
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_holds_exit_session);

/*
 * gpubp_holds_exit_ctx() - destroy the holds of a context that is destroyed; no
 * ctx op reference is left
 */
void gpubp_holds_exit_ctx(struct gpubp_ctx *ctx)
{
	struct gpubp_hold *h, *tmp;

	scoped_guard(mutex, &gpubp_holds_lock)
		list_for_each_entry_safe(h, tmp, &gpubp_holds, node)
			if (h->ctx == ctx)
				gpubp_hold_destroy(h);
	gpubp_moves_wake();
}

/** gpubp_holds_init() - start the thread; 0 or a negative errno */
int gpubp_holds_init(void)
{
	reaper = kthread_run_worker(0, "gpubp/holds");
	if (IS_ERR(reaper))
		return PTR_ERR(reaper);
	gpubp_event_set_on_remove(gpubp_holds_check);
	return 0;
}

/** gpubp_holds_exit() - stop the thread; no session and no context is left */
void gpubp_holds_exit(void)
{
	kthread_cancel_delayed_work_sync(&reaper_work);
	kthread_destroy_worker(reaper);
	WARN_ON_ONCE(!list_empty(&gpubp_holds));
}
