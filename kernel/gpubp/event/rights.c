// SPDX-License-Identifier: GPL-2.0
/* Rights: what opening an event on another process allows. */
#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/perf_event.h>
#include <linux/sched/signal.h>
#include <linux/user_namespace.h>

#include "event.h"
#include "rights.h"

static bool capable_silently(int cap)
{
	return ns_capable_noaudit(&init_user_ns, cap);
}

static struct gpubp_opener_creds opening_of(const struct perf_event *event)
{
	return (struct gpubp_opener_creds) {
		.tracer = event->attr.sigtrap && event->attr.remove_on_exec,
		.self = event->hw.target &&
			same_thread_group(current, event->hw.target),
		.perfmon = capable_silently(CAP_PERFMON) ||
			   capable_silently(CAP_SYS_ADMIN),
		.kill = capable_silently(CAP_KILL),
	};
}

/**
 * gpubp_rights_opened() - note what the opener of an event earned
 * @gev: event being opened by current
 *
 * The target may change until perf core asks whether current may open this;
 * so only current is judged here, whose credentials cannot change meanwhile.
 */
void gpubp_rights_opened(struct gpubp_event *gev)
{
	const struct gpubp_opener_creds opening = opening_of(gev->event);

	gev->opener_rights = gpubp_rights_of_opener(&opening);
}

static bool in_init_ns(struct task_struct *task)
{
	guard(rcu)();
	return __task_cred(task)->user_ns == &init_user_ns;
}

/**
 * gpubp_opener_may_patch() - may current have a break in an event's target
 * @event: being opened by current
 *
 * See gpubp_rights_opened() for who is judged.
 */
bool gpubp_opener_may_patch(const struct perf_event *event)
{
	const struct gpubp_opener_creds opening = opening_of(event);
	struct task_struct *target = event->hw.target;

	return gpubp_may_patch(&opening, capable_silently(CAP_SYS_PTRACE),
			       target && in_init_ns(target));
}

/** gpubp_rights_now() - GPUBP_RIGHT_* that attaching to an event gives now */
u32 gpubp_rights_now(const struct gpubp_event *gev)
{
	const struct gpubp_opener_rights *opener_rights = &gev->opener_rights;

	if (opener_rights->init_ns && !in_init_ns(gev->event->hw.target))
		return 0;
	return opener_rights->rights;
}

/**
 * gpubp_opener_may_use_precise() - may the kernel have breaks of its own for an event
 * @event: being opened by current
 *
 * As for a break of the event's; never for what the kernel itself watches.
 */
bool gpubp_opener_may_use_precise(const struct perf_event *event)
{
	return !event->overflow_handler_context &&
	       gpubp_opener_may_patch(event);
}
