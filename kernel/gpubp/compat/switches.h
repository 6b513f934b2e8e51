/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Task switches: a callback for each task that runs next, while needed.
 *
 * Replaced by: export of perf_sched_cb_inc(), or a ->sched_task of PMUs whose
 * events are in perf_sw_context.
 */
#ifndef _GPUBP_COMPAT_SWITCHES_H
#define _GPUBP_COMPAT_SWITCHES_H

#include <linux/types.h>

struct task_struct;

void gpubp_switches_init(void (*fn)(struct task_struct *next));
void gpubp_switches_follow(bool follow_them);

#endif /* _GPUBP_COMPAT_SWITCHES_H */
