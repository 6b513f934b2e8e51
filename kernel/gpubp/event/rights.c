// SPDX-License-Identifier: GPL-2.0
/* Rights: what opening an event on another process allows. */
#include <linux/capability.h>
#include <linux/compiler.h>
#include <linux/cred.h>
#include <linux/perf_event.h>
#include <linux/sched/signal.h>
#include <linux/user_namespace.h>

#include "event.h"
#include "rights.h"

static bool capable_noaudit(int cap)
{
	return ns_capable_noaudit(&init_user_ns, cap);
}

static bool current_is_perfmon(void)
{
	return capable_noaudit(CAP_PERFMON) || capable_noaudit(CAP_SYS_ADMIN);
}

static struct gpubp_opener_creds opener_creds(const struct perf_event *event)
{
	return (struct gpubp_opener_creds) {
		.tracer = event->attr.sigtrap && event->attr.remove_on_exec,
		.self = event->hw.target &&
			same_thread_group(current, event->hw.target),
	};
}

/* asks only for capabilities that matter: each takes a while */
static void opener_add_caps(struct gpubp_opener_creds *o)
{
	if (o->self)
		return;
	o->perfmon = current_is_perfmon();
	o->kill = o->tracer && capable_noaudit(CAP_KILL);
}

static bool task_in_init_ns(struct task_struct *task)
{
	guard(rcu)();
	return __task_cred(task)->user_ns == &init_user_ns;
}

static bool opener_may_patch(const struct perf_event *event,
			     const struct gpubp_opener_creds *o)
{
	struct task_struct *target = event->hw.target;

	return gpubp_may_patch(o,
			       o->perfmon && capable_noaudit(CAP_SYS_PTRACE),
			       target && task_in_init_ns(target));
}

static const struct cred *cred_keep(const struct cred *cred)
{
	/* get_cred() clears non_rcu; others may do so at the same time */
	return data_race(get_cred(cred));
}

/**
 * gpubp_rights_opened() - store the rights that opening an event gives
 * @gev: event being opened by current
 *
 * The target may change until perf core checks whether current may open the
 * event. So only current is checked here: its credentials cannot change during
 * the open. Capabilities that matter only for patches are checked when there is
 * something to patch (gpubp_rights_bound()).
 */
void gpubp_rights_opened(struct gpubp_event *gev)
{
	struct gpubp_opener_creds creds = opener_creds(gev->event);

	if (creds.tracer)
		opener_add_caps(&creds);
	gev->opener_rights = gpubp_rights_of_opener(&creds);
	/* never for a watch of the kernel itself */
	if (gev->event->overflow_handler_context)
		return;
	if (creds.tracer || creds.self)
		gev->may_patch = opener_may_patch(gev->event, &creds);
	else
		gev->opener_cred = cred_keep(current_cred());
}

/**
 * gpubp_rights_inherit() - copy the rights of an event to its child
 * @gev: child
 * @parent: the event; gpubp_events_lock is held
 */
void gpubp_rights_inherit(struct gpubp_event *gev,
			  const struct gpubp_event *parent)
{
	lockdep_assert_held(&gpubp_events_lock);
	gev->may_patch = parent->may_patch;
	gev->opener_cred = cred_keep(parent->opener_cred);
}

/** gpubp_rights_put() - put what rights need; the event is freed */
void gpubp_rights_put(struct gpubp_event *gev)
{
	put_cred(gev->opener_cred);
	gev->opener_cred = NULL;
}

/**
 * gpubp_rights_bound() - an event gets a binding: what may be patched for it
 * @gev: event; gpubp_events_lock is held
 *
 * Its opener is neither a tracer nor in the target's thread group, or it is
 * known already.
 */
void gpubp_rights_bound(struct gpubp_event *gev)
{
	struct gpubp_opener_creds creds = {};
	const struct cred *old;

	lockdep_assert_held(&gpubp_events_lock);
	if (!gev->opener_cred)
		return;
	old = override_creds(gev->opener_cred);
	creds.perfmon = current_is_perfmon();
	gev->may_patch = opener_may_patch(gev->event, &creds);
	revert_creds(old);
	gpubp_rights_put(gev);
}

/**
 * gpubp_opener_may_patch() - may current have the code of a target patched
 * @event: event being opened by current
 *
 * The target may change until perf core checks it; see gpubp_rights_opened().
 */
bool gpubp_opener_may_patch(const struct perf_event *event)
{
	struct gpubp_opener_creds creds = opener_creds(event);

	opener_add_caps(&creds);
	return opener_may_patch(event, &creds);
}

/** gpubp_rights_now() - GPUBP_RIGHT_* that attaching to an event gives now */
u32 gpubp_rights_now(const struct gpubp_event *gev)
{
	const struct gpubp_opener_rights *opener_rights = &gev->opener_rights;

	if (opener_rights->init_ns && !task_in_init_ns(gev->event->hw.target))
		return 0;
	return opener_rights->rights;
}
