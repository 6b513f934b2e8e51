/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Everything that reads or writes fields that belong to perf core, or makes
 * up for a symbol that it does not export; one function each, with the change
 * that would replace it upstream.
 */
#ifndef _GPUBP_COMPAT_PERF_H
#define _GPUBP_COMPAT_PERF_H

#include <linux/perf_event.h>
#include <linux/types.h>

struct gpubp_emission;
struct gpubp_event;

/* replaced by: a ->enable/->disable notification of the PMU */
bool gpubp_perf_enabled(const struct perf_event *event);

/* replaced by: the same */
struct task_struct *gpubp_perf_task(const struct perf_event *event);

/* replaced by: a PMU capability "counts while scheduled out" */
void gpubp_perf_count(struct perf_event *event);

/* replaced by: the same */
bool gpubp_perf_may_count(const struct perf_event *event);

/* replaced by: the same */
void gpubp_perf_note_time(struct perf_event *event);

/* replaced by: ->sched_task for software PMUs on the context switch fast path */
void gpubp_perf_block_swap(struct perf_event *event);

/* replaced by: export of perf_swevent_set_period() */
void gpubp_perf_start_period(struct perf_event *event);

/* replaced by: perf_event_overflow() exported, data filled by the caller */
int gpubp_perf_emit(struct gpubp_event *gev, struct gpubp_emission *em);
void gpubp_perf_overflow(struct perf_event *event,
			 struct perf_sample_data *data, struct pt_regs *regs);

/* replaced by: nothing; perf's own counter of samples that were not written */
void gpubp_perf_lost(struct perf_event *event);

/* replaced by: export of wake_up_state() */
void gpubp_wake_interruptible(struct task_struct *task);

#endif /* _GPUBP_COMPAT_PERF_H */
