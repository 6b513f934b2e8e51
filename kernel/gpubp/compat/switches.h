/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Task switches: a callback for each task that runs next, while needed.
 *
 * Replaced by: export of perf_sched_cb_inc(), or a ->sched_task of PMUs whose
 * events are in perf_sw_context.
 */
#ifndef _GPUBP_COMPAT_SWITCHES_H
#define _GPUBP_COMPAT_SWITCHES_H

#include <linux/sched.h>
#include <linux/types.h>

/**
 * gpubp_task_is_on_cpu() - does a CPU execute the task now
 * @task: task; preemption off
 *
 * In 6.12 a kernel without SMP has no task_struct::on_cpu.
 */
static inline bool gpubp_task_is_on_cpu(const struct task_struct *task)
{
#ifdef CONFIG_SMP
	return READ_ONCE(task->on_cpu);
#else
	return task == current;
#endif
}

void gpubp_switches_init(void (*fn)(struct task_struct *next));
void gpubp_switches_follow(bool follow_them);

#endif /* _GPUBP_COMPAT_SWITCHES_H */
