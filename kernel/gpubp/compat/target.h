/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Targets: which hits belong to an event.
 *
 * Every hit has one owner, which is on one CPU: so of the copies of an event
 * that tools open for each task or each CPU, exactly one gets it.
 */
#ifndef _GPUBP_COMPAT_TARGET_H
#define _GPUBP_COMPAT_TARGET_H

#include <linux/types.h>

#include "../core/core.h"

struct cgroup;
struct gpubp_ctx;
struct gpubp_event;
struct perf_event;
struct pid;
struct task_struct;

/**
 * enum gpubp_target_kind - kind of an event's target
 * @GPUBP_TARGET_NONE: none: the event is being opened, or its target is gone
 * @GPUBP_TARGET_TASK: a task
 * @GPUBP_TARGET_CPU: all tasks on a CPU
 * @GPUBP_TARGET_CGROUP: tasks of a cgroup on a CPU
 */
enum gpubp_target_kind {
	GPUBP_TARGET_NONE,
	GPUBP_TARGET_TASK,
	GPUBP_TARGET_CPU,
	GPUBP_TARGET_CGROUP,
};

/**
 * struct gpubp_target - an event's target at the moment
 * @kind: which of the others apply
 * @task: to be compared only: fork() may free it concurrently
 * @cgroup: valid in the RCU section in which it was read
 * @cpu: CPU, -1 any
 */
struct gpubp_target {
	enum gpubp_target_kind kind;
	const struct task_struct *task;
	struct cgroup *cgroup;
	int cpu;
};

/**
 * struct gpubp_owner_ids - the owner of a hit, and where it is; RCU section
 * @task: the task, NULL if it is gone
 * @cgroup: its cgroup in perf's hierarchy, NULL none
 * @cpu: the task's CPU; any CPU for hits without an owner
 */
struct gpubp_owner_ids {
	struct task_struct *task;
	struct cgroup *cgroup;
	int cpu;
};

static inline enum gpubp_delivery
gpubp_target_delivery(const struct gpubp_target *t)
{
	return t->kind == GPUBP_TARGET_CPU ? GPUBP_DELIVERY_CPU :
					     GPUBP_DELIVERY_TASK;
}

void gpubp_owner_ids_fill(struct gpubp_owner_ids *ids,
			  struct task_struct *task);
bool gpubp_target_covers(const struct gpubp_target *t,
			 const struct gpubp_owner_ids *ids);
bool gpubp_target_is_hit_owner(const struct gpubp_target *t,
			       const struct gpubp_owner_ids *ids);
bool gpubp_ctx_in_target(struct gpubp_ctx *ctx,
			 const struct gpubp_target *target, bool process);
u64 gpubp_ctx_owners(struct gpubp_ctx *ctx);
bool gpubp_ctx_any_task_event(struct gpubp_ctx *ctx,
			      bool (*fn)(struct gpubp_event *gev, void *arg),
			      void *arg);
bool gpubp_target_includes_ctx(const struct gpubp_target *t, bool process,
			       struct gpubp_ctx *ctx);

struct pid *gpubp_target_pid(const struct perf_event *event);
void gpubp_target_of(const struct gpubp_event *gev, struct gpubp_target *t);
bool gpubp_target_is_here(const struct gpubp_event *gev,
			  enum gpubp_delivery delivery);
struct pid *gpubp_target_owner(const struct gpubp_event *gev);
struct pid *gpubp_target_process(const struct gpubp_event *gev);
bool gpubp_target_will_have_ctx(const struct gpubp_event *gev);
bool gpubp_target_may_have_ctx(const struct gpubp_event *gev);
struct pid *gpubp_target_task_pid(const struct gpubp_target *t);
bool gpubp_target_may_use_ctx(const struct gpubp_event *gev, u64 since);
bool gpubp_target_arrives_unseen(const struct gpubp_event *gev);
const void *gpubp_target_key(const struct gpubp_event *gev);
const void *gpubp_target_enabled_key(const struct gpubp_event *gev);

#endif /* _GPUBP_COMPAT_TARGET_H */
