// SPDX-License-Identifier: GPL-2.0
/* Targets: what events are for, and which hits are theirs. */
#include <kunit/static_stub.h>
#include <kunit/visibility.h>
#include <linux/cpumask.h>
#include <linux/export.h>
#include <linux/pid.h>
#include <linux/rculist.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>

#include "../compat/perf.h"
#include "../core/core.h"
#include "target.h"

/* what stands for "everybody" where targets are compared */
static const char everybody;

/*
 * A task that sleeps stays where it was, also when that CPU goes: then it is
 * on one that is there, the same one for all events.
 */
static int cpu_of(const struct task_struct *task)
{
	int cpu = task ? task_cpu(task) : -1;

	return cpu >= 0 && cpu_online(cpu) ? cpu :
					     cpumask_first(cpu_online_mask);
}

/**
 * gpubp_owner_ids_fill() - who a hit belongs to
 * @party: filled
 * @task: the owner, NULL nobody is left
 *
 * RCU section. Once a hit, or a task that moves meanwhile would get it in
 * several of perf's per-CPU copies, or in none.
 */
void gpubp_owner_ids_fill(struct gpubp_owner_ids *party,
			  struct task_struct *task)
{
	party->task = task;
	party->cgroup = task ? gpubp_perf_cgroup(task) : NULL;
	party->cpu = cpu_of(task);
}

/**
 * gpubp_target_pid() - thread group of the task that an event is for
 * @event: perf event of a task
 *
 * Perf has the task, but that may be reaped, and its pid with it. Any context.
 * Return: the pid with a reference, or NULL if the task has been reaped.
 */
struct pid *gpubp_target_pid(const struct perf_event *event)
{
	guard(rcu)();
	return get_pid(task_tgid(event->hw.target));
}

/**
 * gpubp_target_covers() - would this owner's hits be the event's, on its CPU
 * @t: target
 * @party: owner
 *
 * RCU section. Nobody's hits are of no task and of no cgroup.
 */
bool gpubp_target_covers(const struct gpubp_target *t,
			 const struct gpubp_owner_ids *party)
{
	switch (t->kind) {
	case GPUBP_TARGET_TASK:
		return party->task && t->task == party->task;
	case GPUBP_TARGET_CPU:
		return true;
	case GPUBP_TARGET_CGROUP:
		return gpubp_perf_cgroup_below(party->cgroup, t->cgroup);
	case GPUBP_TARGET_NONE:
		break;
	}
	return false;
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_target_covers);

/**
 * gpubp_target_is_hit_owner() - is this hit the event's
 * @t: target
 * @party: the hit's owner, and where that is
 *
 * RCU section.
 */
bool gpubp_target_is_hit_owner(const struct gpubp_target *t,
			       const struct gpubp_owner_ids *party)
{
	return gpubp_target_covers(t, party) &&
	       (t->cpu < 0 || t->cpu == party->cpu);
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_target_is_hit_owner);

static bool queue_concerns(struct gpubp_queue *queue,
			   const struct gpubp_target *target, bool process)
{
	struct task_struct *leader = gpubp_owner_task(queue->leader);
	struct task_struct *owner = gpubp_owner_task(queue->creator) ?: leader;
	struct gpubp_owner_ids party;

	gpubp_owner_ids_fill(&party, process ? leader : owner);
	return gpubp_target_covers(target, &party);
}

/* has a context a queue whose hits can be of a target */
static bool ctx_concerns(struct gpubp_ctx *ctx,
			 const struct gpubp_target *target, bool process)
{
	struct gpubp_queue *queue;

	list_for_each_entry_rcu(queue, &ctx->queues, node)
		if (queue_concerns(queue, target, process))
			return true;
	return false;
}

/**
 * gpubp_ctx_in_target() - can all its queues' hits be of a target, and of no other
 * @ctx: context
 * @target: target
 * @process: for every queue of the process
 *
 * RCU section.
 */
bool gpubp_ctx_in_target(struct gpubp_ctx *ctx,
			 const struct gpubp_target *target, bool process)
{
	struct gpubp_queue *queue;

	list_for_each_entry_rcu(queue, &ctx->queues, node)
		if (!queue_concerns(queue, target, process))
			return false;
	return true;
}

/**
 * gpubp_target_includes_ctx() - can hits of a context be the event's
 * @t: target
 * @process: the event is for every queue of a process
 * @ctx: context
 *
 * RCU section.
 */
bool gpubp_target_includes_ctx(const struct gpubp_target *t, bool process,
			       struct gpubp_ctx *ctx)
{
	return t->kind == GPUBP_TARGET_CPU ||
	       ctx_concerns(ctx, t, process);
}

static u64 mix_owner(u64 owners, struct gpubp_owner *owner)
{
	struct gpubp_owner_ids party;

	gpubp_owner_ids_fill(&party, gpubp_owner_task(owner));
	owners = owners * 31 + (uintptr_t)party.task;
	return owners * 31 + (uintptr_t)party.cgroup;
}

/**
 * gpubp_ctx_owners() - a number that differs when owners of its queues do
 * @ctx: context
 *
 * RCU section. A thread that exits leaves its queues to its leader, or a task
 * goes to another cgroup, and nothing tells.
 */
u64 gpubp_ctx_owners(struct gpubp_ctx *ctx)
{
	struct gpubp_queue *queue;
	u64 owners = 0;

	list_for_each_entry_rcu(queue, &ctx->queues, node) {
		owners = owners * 31 + queue->doorbell;
		owners = mix_owner(owners, queue->creator);
		owners = mix_owner(owners, queue->leader);
	}
	return owners;
}

/**
 * gpubp_target_of() - what an event is for at the moment
 * @gev: event
 * @t: filled
 *
 * RCU section. Enabled or not. Perf swaps the contexts of a parent and its
 * child, so it need not be what the event was opened on.
 */
void gpubp_target_of(const struct gpubp_event *gev, struct gpubp_target *t)
{
	gpubp_perf_target(gev->event, t);
}

/**
 * gpubp_target_is_here() - is an event to be served on this CPU now
 * @gev: event that perf has in this CPU's list
 * @delivery: on which hits come
 *
 * RCU section, interrupts off.
 */
bool gpubp_target_is_here(const struct gpubp_event *gev,
			  enum gpubp_delivery delivery)
{
	struct gpubp_target t;
	struct gpubp_owner_ids here;

	gpubp_target_of(gev, &t);
	if (gpubp_target_delivery(&t) != delivery)
		return false;
	gpubp_owner_ids_fill(&here, current);
	return gpubp_target_covers(&t, &here);
}

/**
 * gpubp_target_arrives_unseen() - does perf not tell when an owner is here
 * @gev: event
 *
 * It adds an event of a cgroup to a CPU when one of its tasks comes and the one
 * before was of another, but not each time. RCU section.
 */
bool gpubp_target_arrives_unseen(const struct gpubp_event *gev)
{
	struct gpubp_target t;

	gpubp_target_of(gev, &t);
	return t.kind == GPUBP_TARGET_CGROUP && is_sampling_event(gev->event);
}

/**
 * gpubp_target_key() - differs when what an event is for does
 * @gev: event
 *
 * RCU section. Return: to be compared only; NULL if it is for nobody.
 */
const void *gpubp_target_key(const struct gpubp_event *gev)
{
	struct gpubp_target t;

	gpubp_target_of(gev, &t);
	switch (t.kind) {
	case GPUBP_TARGET_TASK:
		return t.task;
	case GPUBP_TARGET_CPU:
		return &everybody;
	case GPUBP_TARGET_CGROUP:
		return t.cgroup;
	case GPUBP_TARGET_NONE:
		break;
	}
	return NULL;
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_target_key);

/** gpubp_target_enabled_key() - likewise; also NULL if it is not enabled */
const void *gpubp_target_enabled_key(const struct gpubp_event *gev)
{
	KUNIT_STATIC_STUB_REDIRECT(gpubp_target_enabled_key, gev);
	return gpubp_perf_enabled(gev->event) ? gpubp_target_key(gev) : NULL;
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_target_enabled_key);
