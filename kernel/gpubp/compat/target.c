// SPDX-License-Identifier: GPL-2.0
/* Targets: what events are opened for, and which hits belong to them. */
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

/* key of the target "all tasks on a CPU" */
static const char any_task;

/*
 * A sleeping task remains on its last CPU. If that goes offline, the task
 * counts as being on an online CPU, the same one for all events.
 */
static int task_home_cpu(const struct task_struct *task)
{
	int cpu = task ? task_cpu(task) : -1;

	return cpu >= 0 && cpu_online(cpu) ? cpu :
					     cpumask_first(cpu_online_mask);
}

/**
 * gpubp_owner_ids_fill() - record a hit's owner and where it is
 * @ids: (out) owner
 * @task: the owner, NULL if it is gone
 *
 * RCU section. Called once per hit: if it were called per event, a task that
 * migrates in between would match several of perf's per-CPU copies, or none.
 */
void gpubp_owner_ids_fill(struct gpubp_owner_ids *ids,
			  struct task_struct *task)
{
	ids->task = task;
	ids->cgroup = task ? gpubp_perf_cgroup(task) : NULL;
	ids->cpu = task_home_cpu(task);
}

/**
 * gpubp_target_pid() - thread group of an event's target
 * @event: perf event of a task
 *
 * perf has the task, but that may be reaped, and its pid with it. Any context.
 * Return: the pid with a reference, or NULL if the task has been reaped.
 */
struct pid *gpubp_target_pid(const struct perf_event *event)
{
	guard(rcu)();
	return get_pid(task_tgid(event->hw.target));
}

/**
 * gpubp_target_covers() - does a target include an owner, on any CPU
 * @t: target
 * @ids: owner
 *
 * RCU section. Hits without an owner are of no task and of no cgroup.
 */
bool gpubp_target_covers(const struct gpubp_target *t,
			 const struct gpubp_owner_ids *ids)
{
	switch (t->kind) {
	case GPUBP_TARGET_TASK:
		return ids->task && t->task == ids->task;
	case GPUBP_TARGET_CPU:
		return true;
	case GPUBP_TARGET_CGROUP:
		return gpubp_perf_cgroup_below(ids->cgroup, t->cgroup);
	case GPUBP_TARGET_NONE:
		break;
	}
	return false;
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_target_covers);

/**
 * gpubp_target_is_hit_owner() - does a target include an owner where it is
 * @t: target
 * @ids: the hit's owner, and where it is
 *
 * RCU section.
 */
bool gpubp_target_is_hit_owner(const struct gpubp_target *t,
			       const struct gpubp_owner_ids *ids)
{
	return gpubp_target_covers(t, ids) &&
	       (t->cpu < 0 || t->cpu == ids->cpu);
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_target_is_hit_owner);

static bool queue_owner_is_in(struct gpubp_queue *queue,
			      const struct gpubp_target *target, bool process)
{
	struct task_struct *leader = gpubp_owner_task(queue->leader);
	struct task_struct *owner = gpubp_owner_task(queue->creator) ?: leader;
	struct gpubp_owner_ids ids;

	gpubp_owner_ids_fill(&ids, process ? leader : owner);
	return gpubp_target_covers(target, &ids);
}

/* does a context have a queue whose hits can match a target */
static bool ctx_has_owner_in(struct gpubp_ctx *ctx,
			     const struct gpubp_target *target, bool process)
{
	struct gpubp_queue *queue;

	list_for_each_entry_rcu(queue, &ctx->queues, node)
		if (queue_owner_is_in(queue, target, process))
			return true;
	return false;
}

/**
 * gpubp_ctx_in_target() - does a target include the owners of all queues
 * @ctx: context
 * @target: target
 * @process: hits of every queue of the process
 *
 * RCU section.
 */
bool gpubp_ctx_in_target(struct gpubp_ctx *ctx,
			 const struct gpubp_target *target, bool process)
{
	struct gpubp_queue *queue;

	list_for_each_entry_rcu(queue, &ctx->queues, node)
		if (!queue_owner_is_in(queue, target, process))
			return false;
	return true;
}

/**
 * gpubp_target_includes_ctx() - can hits of a context match a target
 * @t: target
 * @process: hits of every queue of the process
 * @ctx: context
 *
 * RCU section.
 */
bool gpubp_target_includes_ctx(const struct gpubp_target *t, bool process,
			       struct gpubp_ctx *ctx)
{
	return t->kind == GPUBP_TARGET_CPU ||
	       ctx_has_owner_in(ctx, t, process);
}

static u64 owners_hash_add(u64 owners, struct gpubp_owner *owner)
{
	struct gpubp_owner_ids ids;

	gpubp_owner_ids_fill(&ids, gpubp_owner_task(owner));
	owners = owners * 31 + (uintptr_t)ids.task;
	return owners * 31 + (uintptr_t)ids.cgroup;
}

/**
 * gpubp_ctx_owners() - hash of the owners of a context's queues
 * @ctx: context
 *
 * RCU section. Compared to notice changes that no callback reports: an exiting
 * thread leaves its queues to its leader, or a task moves to another cgroup.
 */
u64 gpubp_ctx_owners(struct gpubp_ctx *ctx)
{
	struct gpubp_ctx_owner *co;
	u64 owners = 0;

	list_for_each_entry_rcu(co, &ctx->ctx_owners, node)
		owners = owners_hash_add(owners, co->owner);
	return owners;
}

/**
 * gpubp_ctx_any_task_event() - call a function for events whose target owns a queue
 * @ctx: context
 * @fn: function; a return value of true ends the iteration
 * @arg: for @fn
 *
 * RCU section. For all events of tasks, enabled or not, that can have hits of
 * the context. Return: true if a call returned true.
 */
bool gpubp_ctx_any_task_event(struct gpubp_ctx *ctx,
			      bool (*fn)(struct gpubp_event *gev, void *arg),
			      void *arg)
{
	struct gpubp_ctx_owner *co;
	struct task_struct *task;

	list_for_each_entry_rcu(co, &ctx->ctx_owners, node) {
		task = gpubp_owner_task(co->owner);
		if (task && gpubp_perf_any_of_task(task, fn, arg))
			return true;
	}
	return false;
}

/**
 * gpubp_target_of() - read an event's target, enabled or not
 * @gev: event
 * @t: (out) target
 *
 * RCU section. perf swaps the contexts of a parent and its child, so this need
 * not be the target that the event was opened on.
 */
void gpubp_target_of(const struct gpubp_event *gev, struct gpubp_target *t)
{
	gpubp_perf_target(gev->event, t);
}

/* perf has a reference to the task that the event was opened on */
static bool target_is_as_opened(const struct gpubp_event *gev,
				const struct gpubp_target *t)
{
	return t->kind == GPUBP_TARGET_TASK &&
	       t->task == gev->event->hw.target;
}

/**
 * gpubp_target_owner() - the task of an event, to find its contexts
 * @gev: event
 *
 * Any context. Return: the task's pid with a reference; NULL if the target is
 * no task, or may be another task than the event was opened on.
 */
struct pid *gpubp_target_owner(const struct gpubp_event *gev)
{
	struct gpubp_target t;

	guard(rcu)();
	gpubp_target_of(gev, &t);
	return target_is_as_opened(gev, &t) ?
		get_pid(task_pid(gev->event->hw.target)) : NULL;
}

/** gpubp_target_process() - likewise, the thread group of that task */
struct pid *gpubp_target_process(const struct gpubp_event *gev)
{
	struct gpubp_target t;

	guard(rcu)();
	gpubp_target_of(gev, &t);
	return target_is_as_opened(gev, &t) ? gpubp_target_pid(gev->event) :
					      NULL;
}

/**
 * gpubp_target_will_have_ctx() - may a context have hits of a new event
 * @gev: event that perf has not installed yet; any context
 */
bool gpubp_target_will_have_ctx(const struct gpubp_event *gev)
{
	struct task_struct *task = gev->event->hw.target;

	guard(rcu)();
	return task ? gpubp_owner_has_ctx(task_pid(task)) :
		      gpubp_contexts_exist();
}

/**
 * gpubp_target_may_have_ctx() - may a context have hits of an event
 * @gev: event, enabled or not
 *
 * RCU section, any context.
 */
bool gpubp_target_may_have_ctx(const struct gpubp_event *gev)
{
	struct gpubp_target t;

	if (!gpubp_contexts_exist())
		return false;
	gpubp_target_of(gev, &t);
	if (target_is_as_opened(gev, &t))
		return gpubp_owner_has_ctx(task_pid(gev->event->hw.target));
	return t.kind != GPUBP_TARGET_NONE;
}

/** gpubp_target_task_pid() - that of a target that is a task, or NULL; RCU section */
struct pid *gpubp_target_task_pid(const struct gpubp_target *t)
{
	return t->kind == GPUBP_TARGET_TASK ? READ_ONCE(t->task->thread_pid) : NULL;
}

/**
 * gpubp_target_may_use_ctx() - may waves have run that an event has missed
 * @gev: event that has not all of its bindings
 * @since: since when it may be enabled, ns of CLOCK_MONOTONIC
 *
 * RCU section, any context but NMI. False while all that its task may use waits for its
 * bindings.
 */
bool gpubp_target_may_use_ctx(const struct gpubp_event *gev, u64 since)
{
	struct gpubp_target t;

	gpubp_target_of(gev, &t);
	if (t.kind == GPUBP_TARGET_TASK)
		return gpubp_owner_uses_ctx(gpubp_target_task_pid(&t), since);
	return t.kind != GPUBP_TARGET_NONE && gpubp_clocks_loose_since(since);
}

/**
 * gpubp_target_is_here() - may hits be delivered to an event on this CPU now
 * @gev: event that perf has in this CPU's list
 * @delivery: how the hits are delivered
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
 * gpubp_target_arrives_unseen() - may owners be scheduled in without a callback
 * @gev: event
 *
 * True for sampling events of cgroups: perf adds them to a CPU when a task of
 * the cgroup follows one of another cgroup, not at each switch. RCU section.
 */
bool gpubp_target_arrives_unseen(const struct gpubp_event *gev)
{
	struct gpubp_target t;

	gpubp_target_of(gev, &t);
	return t.kind == GPUBP_TARGET_CGROUP && is_sampling_event(gev->event);
}

/**
 * gpubp_target_key() - a key that differs between targets
 * @gev: event
 *
 * RCU section. Return: to be compared only; NULL if it has no target.
 */
const void *gpubp_target_key(const struct gpubp_event *gev)
{
	struct gpubp_target t;

	gpubp_target_of(gev, &t);
	switch (t.kind) {
	case GPUBP_TARGET_TASK:
		return t.task;
	case GPUBP_TARGET_CPU:
		return &any_task;
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
