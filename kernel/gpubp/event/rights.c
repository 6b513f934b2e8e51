// SPDX-License-Identifier: GPL-2.0
/* Rights: what opening an event on another process allows. */
#include <linux/capability.h>
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

/* asks only for capabilities that matter: each takes a while */
static struct gpubp_opener_creds opener_creds(const struct perf_event *event)
{
	struct gpubp_opener_creds o = {
		.tracer = event->attr.sigtrap && event->attr.remove_on_exec,
		.self = event->hw.target &&
			same_thread_group(current, event->hw.target),
	};

	if (o.self)
		return o;
	o.perfmon = capable_noaudit(CAP_PERFMON) ||
		    capable_noaudit(CAP_SYS_ADMIN);
	o.kill = o.tracer && capable_noaudit(CAP_KILL);
	return o;
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

/**
 * gpubp_rights_opened() - store the rights that opening an event gives
 * @gev: event being opened by current
 *
 * The target may change until perf core checks whether current may open the
 * event. So only current is checked here: its credentials cannot change during
 * the open.
 */
void gpubp_rights_opened(struct gpubp_event *gev)
{
	const struct gpubp_opener_creds creds = opener_creds(gev->event);

	gev->opener_rights = gpubp_rights_of_opener(&creds);
	/* never for a watch of the kernel itself */
	gev->may_patch = !gev->event->overflow_handler_context &&
			 opener_may_patch(gev->event, &creds);
}

/**
 * gpubp_opener_may_patch() - may current have the code of a target patched
 * @event: event being opened by current
 *
 * The target may change until perf core checks it; see gpubp_rights_opened().
 */
bool gpubp_opener_may_patch(const struct perf_event *event)
{
	const struct gpubp_opener_creds creds = opener_creds(event);

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
