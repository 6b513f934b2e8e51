// SPDX-License-Identifier: GPL-2.0
/*
 * Attachments: a session shows a perf fd of an event that its process opened
 * on another one, and has a tracer's rights if perf core asked whether the
 * opener may trace it, as long as the event stands.
 *
 * An attachment is the id of the event and nothing else: ids are never used
 * again, so that no reference is needed to know that an event has gone, and
 * each operation looks anew.
 */
#include <kunit/visibility.h>
#include <linux/errno.h>
#include <linux/export.h>
#include <linux/file.h>
#include <linux/pid.h>
#include <linux/xarray.h>
#include <uapi/linux/gpubp.h>

#include "../compat/perf.h"
#include "../compat/target.h"
#include "../event/event.h"
#include "attach.h"
#include "hold.h"
#include "session.h"

static void attach_fill(struct gpubp_attach *a, const struct gpubp_event *gev)
{
	a->id = gev->event->id;
	a->rights = gpubp_rights_now(gev);
	a->pid = task_tgid_vnr(gev->event->hw.target);
}

/*
 * perf exchanges the contexts of a task and its inherited clone: such an event
 * may live with one task when the other executes a program and loses its own.
 */
static int attach_check_event(const struct gpubp_event *gev)
{
	if (!gev || !gev->event->hw.target || gev->event->attr.inherit)
		return -EINVAL;
	if (gev->opener != task_tgid(current))
		return -EPERM;
	return gpubp_perf_is_valid(gev->event) ? 0 : -ESRCH;
}

static int attach_insert(struct gpubp_session *session, u64 id)
{
	int err;

	guard(mutex)(&session->lock);
	if (xa_load(&session->attachments, id))
		return -EEXIST;
	if (session->nr_attachments == GPUBP_ATTACH_MAX)
		return -ENOSPC;
	err = xa_insert(&session->attachments, id, xa_mk_value(0),
			GFP_KERNEL_ACCOUNT);
	if (!err)
		session->nr_attachments++;
	return err;
}

static int attach_file(struct gpubp_session *session, const struct file *file,
		       struct gpubp_attach *a)
{
	struct gpubp_event *gev;
	int err;

	scoped_guard(mutex, &gpubp_events_lock) {
		gev = gpubp_event_of(gpubp_perf_file_event(file));
		err = attach_check_event(gev);
		if (err)
			return err;
		attach_fill(a, gev);
	}
	return attach_insert(session, a->id);
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
	gpubp_holds_check();
	return 0;
}

/* gpubp_events_lock is held; the event of an attachment that stands */
static struct gpubp_event *attached_event(struct gpubp_session *session, u64 id)
{
	struct gpubp_event *gev;

	if (!xa_load(&session->attachments, id))
		return ERR_PTR(-ENOENT);
	gev = gpubp_event_by_id(id);
	if (!gev || !gpubp_perf_is_valid(gev->event))
		return ERR_PTR(-ESRCH);
	return gev;
}

/** gpubp_rights_cmd() - GPUBP_RIGHTS */
long gpubp_rights_cmd(struct gpubp_session *session, void *arg)
{
	struct gpubp_attach *a = arg;
	struct gpubp_event *gev;

	guard(mutex)(&gpubp_events_lock);
	gev = attached_event(session, a->id);
	if (IS_ERR(gev))
		return PTR_ERR(gev);
	attach_fill(a, gev);
	return 0;
}

/**
 * gpubp_session_may() - may a session do that now by one of its attachments
 * @session: session
 * @id: perf's id of the event
 * @right: GPUBP_RIGHT_*, all of which it takes
 * @pid: thread group whose object it is
 *
 * Each operation on a target asks, when it has got hold of the object that it
 * works on: what the target makes after an exec that ends the rights did not
 * exist before, so that a check after the look finds the rights ended.
 *
 * Takes gpubp_events_lock, the outermost; may sleep.
 *
 * Return: 0; -ENOENT, not attached; -ESRCH, the event stands no more, or @pid is
 * not its target; -EPERM, it lacks the right.
 */
int gpubp_session_may(struct gpubp_session *session, u64 id, u32 right,
		      struct pid *pid)
{
	struct gpubp_event *gev;

	guard(mutex)(&gpubp_events_lock);
	gev = attached_event(session, id);
	if (IS_ERR(gev))
		return PTR_ERR(gev);
	if (~gpubp_rights_now(gev) & right)
		return -EPERM;
	return task_tgid(gev->event->hw.target) == pid ? 0 : -ESRCH;
}

/**
 * gpubp_session_target() - whom an attachment is for
 * @session: session
 * @id: perf's id of the event
 *
 * Return: its thread group, with a reference; or ERR_PTR() of -ENOENT, -ESRCH.
 */
struct pid *gpubp_session_target(struct gpubp_session *session, u64 id)
{
	struct gpubp_event *gev;

	guard(mutex)(&gpubp_events_lock);
	gev = attached_event(session, id);
	if (IS_ERR(gev))
		return ERR_CAST(gev);
	return gpubp_target_pid(gev->event) ?: ERR_PTR(-ESRCH);
}

/** gpubp_attachment_is_valid() - is there one; gpubp_events_lock is held */
bool gpubp_attachment_is_valid(struct gpubp_session *session, u64 id)
{
	lockdep_assert_held(&gpubp_events_lock);
	return !IS_ERR(attached_event(session, id));
}

/** gpubp_attachments_init() - a session begins */
void gpubp_attachments_init(struct gpubp_session *session)
{
	xa_init_flags(&session->attachments, XA_FLAGS_ACCOUNT);
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_attachments_init);

/** gpubp_attachments_exit() - a session ends */
void gpubp_attachments_exit(struct gpubp_session *session)
{
	xa_destroy(&session->attachments);
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_attachments_exit);
