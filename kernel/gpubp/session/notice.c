// SPDX-License-Identifier: GPL-2.0
/*
 * Notices: records of what happens to the waves and the targets of a session.
 *
 * One is put into a ring of the session where it is made, under a spinlock and without
 * a wait. Each has a number. A record that does not fit has one, too, and is gone: a
 * reader finds that the numbers have a gap, which it returns as a record of what was lost.
 *
 * Contexts are shown to each attachment exactly once: attached_lock orders what is shown
 * at the attachment, and what is created and destroyed later.
 */
#include <kunit/visibility.h>
#include <linux/errno.h>
#include <linux/export.h>
#include <linux/fs.h>
#include <linux/hashtable.h>
#include <linux/jiffies.h>
#include <linux/ktime.h>
#include <linux/mm.h>
#include <linux/pid.h>
#include <linux/poll.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "../compat/perf.h"
#include "../core/core.h"
#include "../event/event.h"
#include "../event/job.h"
#include "hold.h"
#include "notice.h"
#include "session.h"

#define LOOK_PERIOD	(HZ / 4)
#define MAX_LOOKS	128

/* attachments of all sessions; nests outside gpubp_events_lock */
static DEFINE_MUTEX(attached_lock);
static LIST_HEAD(all_attached);
static DEFINE_HASHTABLE(by_pid, 8);
static DEFINE_HASHTABLE(by_event, 8);
static u64 look_round = 1;

/* ---- the ring ------------------------------------------------------------ */

/** gpubp_notices_init() - a new session has no notices before it attaches */
void gpubp_notices_init(struct gpubp_session *session)
{
	struct gpubp_notices *n = &session->notices;

	spin_lock_init(&n->lock);
	init_waitqueue_head(&n->wait);
	mutex_init(&n->reading);
	n->next = 1;
	INIT_LIST_HEAD(&session->attached);
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_notices_init);

/**
 * gpubp_notices_alloc() - let a session have notices, if it has none yet
 * @session: session, whose lock is held
 *
 * May sleep. Return: 0 or -ENOMEM.
 */
int gpubp_notices_alloc(struct gpubp_session *session)
{
	struct gpubp_notices *n = &session->notices;
	struct gpubp_any_notice *ring;

	if (n->ring)
		return 0;
	ring = kvcalloc(GPUBP_NOTICES, sizeof(*ring), GPUBP_GFP_USER);
	if (!ring)
		return -ENOMEM;
	scoped_guard(spinlock, &n->lock)
		n->ring = ring;
	return 0;
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_notices_alloc);

/** gpubp_notices_exit() - a session is closed; nothing puts notices any more */
void gpubp_notices_exit(struct gpubp_session *session)
{
	kvfree(session->notices.ring);
	session->notices.ring = NULL;
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_notices_exit);

/**
 * gpubp_notice_put() - a session has a notice
 * @session: session
 * @notice: it, with .size and .type
 *
 * Any context but interrupts; waits for nothing.
 */
void gpubp_notice_put(struct gpubp_session *session,
		      const struct gpubp_any_notice *notice)
{
	struct gpubp_notices *n = &session->notices;
	struct gpubp_any_notice *to;

	scoped_guard(spinlock, &n->lock) {
		if (!n->ring)
			return;
		n->seq++;
		if (n->head - n->tail < GPUBP_NOTICES) {
			to = &n->ring[n->head++ % GPUBP_NOTICES];
			*to = *notice;
			to->head.seq = n->seq;
			to->head.time = ktime_get_ns();
		}
	}
	wake_up_interruptible(&n->wait);
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_notice_put);

/** gpubp_notice_next() - number of the notice that comes next */
u64 gpubp_notice_next(struct gpubp_session *session)
{
	guard(spinlock)(&session->notices.lock);
	return session->notices.seq + 1;
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_notice_next);

static void notice_set_lost(struct gpubp_any_notice *notice, u64 next, u64 last)
{
	*notice = (struct gpubp_any_notice) {
		.lost = {
			.head = {
				.size = sizeof(notice->lost),
				.type = GPUBP_NOTICE_LOST,
				.seq = last,
				.time = ktime_get_ns(),
			},
			.nr = last - next + 1,
		},
	};
}

/* what a reader gets next, without taking it; false: there is none */
static bool notice_peek(struct gpubp_notices *n, struct gpubp_any_notice *notice)
{
	const struct gpubp_any_notice *first = NULL;

	guard(spinlock)(&n->lock);
	if (n->next > n->seq)
		return false;
	if (n->head != n->tail)
		first = &n->ring[n->tail % GPUBP_NOTICES];
	if (first && first->head.seq == n->next)
		*notice = *first;
	else
		notice_set_lost(notice, n->next,
				first ? first->head.seq - 1 : n->seq);
	return true;
}

/* the reader has it */
static void notice_take(struct gpubp_notices *n,
			const struct gpubp_any_notice *notice)
{
	guard(spinlock)(&n->lock);
	n->next = notice->head.seq + 1;
	n->tail += notice->head.type != GPUBP_NOTICE_LOST;
}

static bool notice_is_there(struct gpubp_notices *n)
{
	guard(spinlock)(&n->lock);
	return n->next <= n->seq;
}

static bool notices_exist(struct gpubp_notices *n)
{
	guard(spinlock)(&n->lock);
	return n->ring;
}

/* ---- read and poll ------------------------------------------------------- */

/* bytes that were read, or the error of the first one */
static ssize_t notices_copy(struct gpubp_notices *n, char __user *buf, size_t len)
{
	struct gpubp_any_notice notice;
	ssize_t done = 0;

	while (notice_peek(n, &notice)) {
		if (len - done < notice.head.size)
			return done ?: -EINVAL;
		if (copy_to_user(buf + done, &notice, notice.head.size))
			return done ?: -EFAULT;
		notice_take(n, &notice);
		done += notice.head.size;
	}
	return done ?: -EAGAIN;
}

static ssize_t notices_try_read(struct gpubp_notices *n, char __user *buf,
				size_t len)
{
	ssize_t ret = mutex_lock_interruptible(&n->reading);

	if (ret)
		return ret == -EINTR ? -ERESTARTSYS : ret;
	ret = notices_copy(n, buf, len);
	mutex_unlock(&n->reading);
	return ret;
}

/** gpubp_notices_read() - read(2) of a session */
ssize_t gpubp_notices_read(struct file *file, char __user *buf, size_t len,
			   loff_t *pos)
{
	struct gpubp_session *session = file->private_data;
	struct gpubp_notices *n = &session->notices;
	ssize_t ret;

	if (task_tgid(current) != session->opener)
		return -EPERM;
	if (!notices_exist(n))
		return -EINVAL;
	for (;;) {
		ret = notices_try_read(n, buf, len);
		if (ret != -EAGAIN || (file->f_flags & O_NONBLOCK))
			return ret;
		if (wait_event_interruptible(n->wait, notice_is_there(n)))
			return -ERESTARTSYS;
	}
}

/** gpubp_notices_poll() - poll(2) of a session */
__poll_t gpubp_notices_poll(struct file *file, struct poll_table_struct *wait)
{
	struct gpubp_session *session = file->private_data;

	poll_wait(file, &session->notices.wait, wait);
	return notice_is_there(&session->notices) ? EPOLLIN | EPOLLRDNORM : 0;
}

/* ---- attachments --------------------------------------------------------- */

static void notice_context(const struct gpubp_attached *attached,
			   const struct gpubp_ctx *ctx, bool gone)
{
	struct gpubp_any_notice notice = {
		.context = {
			.head = {
				.size = sizeof(notice.context),
				.type = GPUBP_NOTICE_CONTEXT,
			},
			.event = attached->event,
			.context = ctx->id,
			.gone = gone,
			.device = ctx->dev->number,
		},
	};

	gpubp_notice_put(attached->session, &notice);
}

static void device_show_contexts(struct gpubp_device *dev,
				 const struct gpubp_attached *attached)
{
	struct gpubp_ctx *ctx;

	guard(mutex)(&dev->lock);
	list_for_each_entry(ctx, &dev->ctxs, node)
		if (ctx->pid == attached->pid && ctx->shown)
			notice_context(attached, ctx, false);
}

static void show_contexts(const struct gpubp_attached *attached)
{
	struct gpubp_device *dev;

	guard(mutex)(&gpubp_devices_lock);
	list_for_each_entry(dev, &gpubp_devices, node)
		device_show_contexts(dev, attached);
}

/* waves of its contexts that the session holds already, by another attachment */
static void show_holds(const struct gpubp_attached *attached)
{
	struct gpubp_hold *h;

	guard(mutex)(&gpubp_holds_lock);
	list_for_each_entry(h, &attached->session->holds, session_node)
		if (h->session && h->halts && h->ctx->pid == attached->pid)
			gpubp_hold_notice(h, attached->event, GPUBP_WHY_HELD);
}

/**
 * gpubp_attached_add() - a session has attached, and gets notices for that
 * @attached: attachment
 * @session: session, whose lock is held
 * @event: id of the event
 * @pid: target; a reference is taken
 * @seq: (out) number of the first notice
 *
 * What there is now is shown: contexts, and waves that the session holds. May sleep.
 */
void gpubp_attached_add(struct gpubp_attached *attached,
			struct gpubp_session *session, u64 event,
			struct pid *pid, u64 *seq)
{
	*attached = (struct gpubp_attached) {
		.session = session, .event = event, .pid = get_pid(pid),
	};
	guard(mutex)(&attached_lock);
	list_add(&attached->node, &all_attached);
	list_add(&attached->session_node, &session->attached);
	hash_add(by_pid, &attached->pid_node, (unsigned long)pid);
	hash_add(by_event, &attached->event_node, gpubp_hold_hash(event));
	*seq = gpubp_notice_next(session);
	show_contexts(attached);
	show_holds(attached);
}

static void attached_free(struct gpubp_attached *attached)
{
	list_del(&attached->node);
	list_del(&attached->session_node);
	hash_del(&attached->pid_node);
	hash_del(&attached->event_node);
	put_pid(attached->pid);
	kfree(attached);
}

static void attached_over(struct gpubp_attached *attached, u32 why)
{
	struct gpubp_any_notice notice = {
		.detached = {
			.head = {
				.size = sizeof(notice.detached),
				.type = GPUBP_NOTICE_DETACHED,
			},
			.event = attached->event,
			.why = why,
		},
	};

	gpubp_notice_put(attached->session, &notice);
	attached_free(attached);
}

/**
 * gpubp_attached_end() - attachments by an event are over
 * @session: session; NULL: of all
 * @event: id of the event
 * @why: enum gpubp_detach_why
 *
 * May sleep.
 */
void gpubp_attached_end(struct gpubp_session *session, u64 event, u32 why)
{
	struct gpubp_attached *attached;
	struct hlist_node *next;

	if (list_empty(&all_attached))
		return;
	guard(mutex)(&attached_lock);
	hash_for_each_possible_safe(by_event, attached, next, event_node,
				    gpubp_hold_hash(event))
		if (attached->event == event &&
		    (!session || attached->session == session))
			attached_over(attached, why);
}

/** gpubp_attached_exit_session() - a session is closed; may sleep */
void gpubp_attached_exit_session(struct gpubp_session *session)
{
	struct gpubp_attached *attached, *next;

	guard(mutex)(&attached_lock);
	list_for_each_entry_safe(attached, next, &session->attached, session_node)
		attached_free(attached);
}

/**
 * struct attached_look - find out whether an attachment has ended
 * @event: id of its event
 * @why: (out) enum gpubp_detach_why; 0: it is valid
 */
struct attached_look {
	u64 event;
	u32 why;
};

static u32 event_why(const struct gpubp_event *gev)
{
	if (!gev)
		return GPUBP_DETACH_CLOSED;
	if (gpubp_perf_is_valid(gev->event))
		return 0;
	return gev->event->hw.target->flags & PF_EXITING ? GPUBP_DETACH_EXIT :
							   GPUBP_DETACH_EXEC;
}

static void attached_look_fn(void *arg)
{
	struct attached_look *look = arg;

	look->why = event_why(gpubp_event_by_id(look->event));
}

static u32 attached_why(const struct gpubp_attached *attached)
{
	struct attached_look look = { .event = attached->event };

	gpubp_job_run_short(attached_look_fn, &look);
	return look.why;
}

/**
 * gpubp_attached_look() - find attachments that ended without a call
 *
 * The thread of holds only; may sleep. Return: when to call again, in jiffies;
 * MAX_SCHEDULE_TIMEOUT: there is none.
 */
unsigned long gpubp_attached_look(void)
{
	struct gpubp_attached *attached;
	unsigned int i;
	u32 why;

	guard(mutex)(&attached_lock);
	for (i = 0; i < MAX_LOOKS; i++) {
		attached = list_first_entry_or_null(&all_attached,
						    struct gpubp_attached, node);
		if (!attached)
			return MAX_SCHEDULE_TIMEOUT;
		if (attached->round == look_round)
			break;
		attached->round = look_round;
		list_move_tail(&attached->node, &all_attached);
		why = attached_why(attached);
		if (why)
			attached_over(attached, why);
	}
	if (i < MAX_LOOKS)
		look_round++;
	return i < MAX_LOOKS ? LOOK_PERIOD : HZ / 50;
}

/* ---- contexts ------------------------------------------------------------ */

static void ctx_show(struct gpubp_ctx *ctx, bool gone)
{
	struct gpubp_attached *attached;

	guard(mutex)(&attached_lock);
	ctx->shown = !gone;
	hash_for_each_possible(by_pid, attached, pid_node,
			       (unsigned long)ctx->pid)
		if (attached->pid == ctx->pid)
			notice_context(attached, ctx, gone);
}

/** gpubp_session_ctx_created() - a context is listed; may sleep */
void gpubp_session_ctx_created(struct gpubp_ctx *ctx)
{
	ctx_show(ctx, false);
}

/** gpubp_session_ctx_destroyed() - a context is about to be unlisted; may sleep */
void gpubp_session_ctx_destroyed(struct gpubp_ctx *ctx)
{
	ctx_show(ctx, true);
}
