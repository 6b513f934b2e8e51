// SPDX-License-Identifier: GPL-2.0
/*
 * Refusals: why the last event of a thread was refused.
 *
 * A fixed table, in which a thread has one entry that it shares with others:
 * the last refusal displaces the one before. An entry holds no reference to its
 * thread, but the time at which it started: ids are reused, and only the thread
 * itself may learn what it was refused.
 */
#include <kunit/visibility.h>
#include <linux/cleanup.h>
#include <linux/sched.h>
#include <linux/spinlock.h>

#include "event.h"
#include "job.h"

#define NR_REFUSALS	256

/**
 * struct refusal - the last refusal of a thread; under refusals_lock
 * @pid: its id in the initial pid namespace
 * @started: its start time
 * @reason: GPUBP_REASON_NONE if it was cleared
 */
struct refusal {
	pid_t pid;
	u64 started;
	enum gpubp_reason reason;
};

static struct refusal refusals[NR_REFUSALS];
/* innermost, and held for a few instructions only */
static DEFINE_SPINLOCK(refusals_lock);

static struct refusal *refusal_entry(void)
{
	return &refusals[task_pid_nr(gpubp_job_asker()) % NR_REFUSALS];
}

static bool refusal_is_own(const struct refusal *refusal)
{
	struct task_struct *asker = gpubp_job_asker();

	return refusal->pid == task_pid_nr(asker) &&
	       refusal->started == asker->start_time;
}

/**
 * gpubp_refuse() - refuse an event of current
 * @reason: why; GPUBP_REASON_NONE does nothing
 *
 * Return: 0 or the negative errno of @reason.
 */
int gpubp_refuse(enum gpubp_reason reason)
{
	struct task_struct *asker = gpubp_job_asker();

	if (!reason)
		return 0;
	guard(spinlock)(&refusals_lock);
	*refusal_entry() = (struct refusal) {
		.pid = task_pid_nr(asker),
		.started = asker->start_time,
		.reason = reason,
	};
	return -gpubp_reason_error(reason);
}

/**
 * gpubp_refusal_take() - read and clear why the last event of current was
 *	refused
 *
 * Return: the reason; GPUBP_REASON_NONE if there is none, or it was displaced.
 */
enum gpubp_reason gpubp_refusal_take(void)
{
	struct refusal *refusal = refusal_entry();
	enum gpubp_reason reason;

	guard(spinlock)(&refusals_lock);
	if (!refusal_is_own(refusal))
		return GPUBP_REASON_NONE;
	reason = refusal->reason;
	refusal->reason = GPUBP_REASON_NONE;
	return reason;
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_refusal_take);
