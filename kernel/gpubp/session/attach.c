// SPDX-License-Identifier: GPL-2.0
/*
 * Attachments: the process of a session passes the perf fd of an event that it
 * opened on another process. The session gets the rights of a tracer if perf
 * core checked, when the event was opened, that the opener may trace the
 * target. The rights last as long as the event is valid.
 *
 * An attachment stores only the id of the event. Ids are never reused, so no
 * reference is needed to detect that an event is gone: each operation looks the
 * event up again.
 */
#include <kunit/visibility.h>
#include <linux/err.h>
#include <linux/errno.h>
#include <linux/export.h>
#include <linux/file.h>
#include <linux/pid.h>
#include <linux/pid_namespace.h>
#include <linux/slab.h>
#include <linux/xarray.h>
#include <uapi/linux/gpubp.h>

#include "../compat/perf.h"
#include "../compat/target.h"
#include "../event/event.h"
#include "../event/job.h"
#include "attach.h"
#include "hold.h"
#include "holding.h"
#include "notice.h"
#include "session.h"

static void attach_fill(struct gpubp_attach *a, const struct gpubp_event *gev)
{
	struct pid_namespace *ns = task_active_pid_ns(gpubp_job_asker());

	a->id = gev->event->id;
	a->rights = gpubp_rights_now(gev);
	a->pid = task_tgid_nr_ns(gev->event->hw.target, ns);
}

/**
 * gpubp_attach_check() - may a session of current name an event for its target
 * @gev: event, or NULL; gpubp_events_lock is held
 *
 * perf may swap the contexts of a task and its inherited clone. An inherited
 * event can then outlive an exec of its task, which should have removed it.
 *
 * Return: 0; -EINVAL, not an event of this PMU on a task, or inherited; -EPERM, another
 * process opened it; -ESRCH, it is no longer valid.
 */
int gpubp_attach_check(const struct gpubp_event *gev)
{
	if (!gev || !gev->event->hw.target || gev->event->attr.inherit)
		return -EINVAL;
	if (gev->opener != task_tgid(gpubp_job_asker()))
		return -EPERM;
	return gpubp_perf_is_valid(gev->event) ? 0 : -ESRCH;
}

static int attach_insert(struct gpubp_session *session, struct gpubp_attached *attached,
			 struct pid *pid, struct gpubp_attach *a)
{
	u64 id = a->id;
	int err;

	guard(mutex)(&session->lock);
	if (xa_load(&session->attachments, id))
		return -EEXIST;
	if (session->nr_attachments == GPUBP_ATTACH_MAX)
		return -ENOSPC;
	err = gpubp_notices_alloc(session) ?:
	      xa_insert(&session->attachments, id, xa_mk_value(0),
			GFP_KERNEL_ACCOUNT);
	if (err)
		return err;
	session->nr_attachments++;
	/* without the right to list contexts there is nothing to say */
	if (a->rights & GPUBP_RIGHT_READ)
		gpubp_attached_add(attached, session, id, pid, &a->seq);
	return 0;
}

/**
 * struct attach_call - look up the event of a perf fd
 * @file: file of the fd
 * @a: (out) what it gives
 * @pid: (out) its target, with a reference
 * @err: (out) 0 or a negative errno
 */
struct attach_call {
	const struct file *file;
	struct gpubp_attach *a;
	struct pid *pid;
	int err;
};

static void attach_fn(void *arg)
{
	struct attach_call *call = arg;
	struct gpubp_event *gev = gpubp_event_of(gpubp_perf_file_event(call->file));

	call->err = gpubp_attach_check(gev);
	if (call->err)
		return;
	attach_fill(call->a, gev);
	call->pid = gpubp_target_pid(gev->event);
	call->err = call->pid ? 0 : -ESRCH;
}

static int attach_file(struct gpubp_session *session, const struct file *file,
		       struct gpubp_attach *a)
{
	struct attach_call call = { .file = file, .a = a };
	struct gpubp_attached *attached;
	struct pid *pid;
	int err;

	gpubp_job_run_short(attach_fn, &call);
	if (call.err)
		return call.err;
	pid = call.pid;
	attached = kzalloc(sizeof(*attached), GFP_KERNEL_ACCOUNT);
	err = attached ? attach_insert(session, attached, pid, a) : -ENOMEM;
	if (err || !(a->rights & GPUBP_RIGHT_READ))
		kfree(attached);
	else
		gpubp_holds_thread_wake();
	put_pid(pid);
	return err;
}

/** gpubp_attach_cmd() - GPUBP_ATTACH */
long gpubp_attach_cmd(struct gpubp_session *session, void *arg)
{
	struct gpubp_attach *a = arg;
	struct file *file;
	long err;

	file = fget(a->fd);
	if (!file)
		return -EBADF;
	err = attach_file(session, file, a);
	fput(file);
	return err;
}

/** gpubp_detach_cmd() - GPUBP_DETACH */
long gpubp_detach_cmd(struct gpubp_session *session, void *arg)
{
	const struct gpubp_attach *a = arg;

	guard(mutex)(&session->lock);
	if (!xa_erase(&session->attachments, a->id))
		return -ENOENT;
	session->nr_attachments--;
	gpubp_attached_end(session, a->id, GPUBP_DETACH_CALL);
	gpubp_holdings_detached(session, a->id);
	return 0;
}

/**
 * gpubp_attached_event() - the event of a valid attachment
 * @session: session
 * @id: perf id of the event
 *
 * gpubp_events_lock is held. Return: the event, or ERR_PTR() of -ENOENT, -ESRCH.
 */
struct gpubp_event *gpubp_attached_event(struct gpubp_session *session, u64 id)
{
	struct gpubp_event *gev;

	if (!xa_load(&session->attachments, id))
		return ERR_PTR(-ENOENT);
	gev = gpubp_event_by_id(id);
	if (!gev || !gpubp_perf_is_valid(gev->event))
		return ERR_PTR(-ESRCH);
	return gev;
}

/**
 * struct attached_call - look up the event of an attachment
 * @session: session
 * @id: id of the event
 * @right: GPUBP_RIGHT_* bits that are needed
 * @pid: target that is needed; (out) target with a reference
 * @a: (out) what it gives
 * @err: (out) 0 or a negative errno
 */
struct attached_call {
	struct gpubp_session *session;
	u64 id;
	u32 right;
	struct pid *pid;
	struct gpubp_attach *a;
	int err;
};

static void rights_fn(void *arg)
{
	struct attached_call *call = arg;
	struct gpubp_event *gev = gpubp_attached_event(call->session, call->id);

	call->err = PTR_ERR_OR_ZERO(gev);
	if (!call->err)
		attach_fill(call->a, gev);
}

/** gpubp_rights_cmd() - GPUBP_RIGHTS */
long gpubp_rights_cmd(struct gpubp_session *session, void *arg)
{
	struct gpubp_attach *a = arg;
	struct attached_call call = { .session = session, .id = a->id, .a = a };

	gpubp_job_run_short(rights_fn, &call);
	return call.err;
}

static int attached_may(struct gpubp_event *gev, u32 right, struct pid *pid)
{
	if (IS_ERR(gev))
		return PTR_ERR(gev);
	if (~gpubp_rights_now(gev) & right)
		return -EPERM;
	return task_tgid(gev->event->hw.target) == pid ? 0 : -ESRCH;
}

static void may_fn(void *arg)
{
	struct attached_call *call = arg;

	call->err = attached_may(gpubp_attached_event(call->session, call->id),
				 call->right, call->pid);
}

/**
 * gpubp_session_may() - check the rights of an attachment
 * @session: session
 * @id: perf id of the event
 * @right: GPUBP_RIGHT_* bits, all of which are needed
 * @pid: thread group that owns the object of the operation
 *
 * Each operation on a target calls this after it has looked up its object. An
 * object that the target creates after an exec that ended the rights did not
 * exist before the exec, so a check after the lookup sees that the rights
 * ended.
 *
 * Takes gpubp_events_lock, the outermost; may sleep.
 *
 * Return: 0; -ENOENT, not attached; -ESRCH, the event is no longer valid or
 * @pid is not its target; -EPERM, the attachment lacks a right.
 */
int gpubp_session_may(struct gpubp_session *session, u64 id, u32 right,
		      struct pid *pid)
{
	struct attached_call call = {
		.session = session, .id = id, .right = right, .pid = pid,
	};

	gpubp_job_run_short(may_fn, &call);
	return call.err;
}

static void target_fn(void *arg)
{
	struct attached_call *call = arg;
	struct gpubp_event *gev = gpubp_attached_event(call->session, call->id);

	call->err = PTR_ERR_OR_ZERO(gev);
	if (call->err)
		return;
	call->pid = gpubp_target_pid(gev->event);
	call->err = call->pid ? 0 : -ESRCH;
}

/**
 * gpubp_session_target() - get the target of an attachment
 * @session: session
 * @id: perf id of the event
 *
 * Return: the thread group of the target, with a reference; or ERR_PTR() of
 * -ENOENT, -ESRCH.
 */
struct pid *gpubp_session_target(struct gpubp_session *session, u64 id)
{
	struct attached_call call = { .session = session, .id = id };

	gpubp_job_run_short(target_fn, &call);
	return call.err ? ERR_PTR(call.err) : call.pid;
}

/*
 * gpubp_attachment_is_valid() - is event @id attached, and is it valid?
 * gpubp_events_lock is held.
 */
bool gpubp_attachment_is_valid(struct gpubp_session *session, u64 id)
{
	lockdep_assert_held(&gpubp_events_lock);
	return !IS_ERR(gpubp_attached_event(session, id));
}

/** gpubp_attachments_init() - initialise the attachments of a new session */
void gpubp_attachments_init(struct gpubp_session *session)
{
	xa_init_flags(&session->attachments, XA_FLAGS_ACCOUNT);
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_attachments_init);

/** gpubp_attachments_exit() - free the attachments of a closed session */
void gpubp_attachments_exit(struct gpubp_session *session)
{
	xa_destroy(&session->attachments);
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_attachments_exit);
