/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Everything that reads or writes fields of perf core, or replaces a symbol
 * that it does not export; one function each, with the upstream change that
 * would replace it.
 */
#ifndef _GPUBP_COMPAT_PERF_H
#define _GPUBP_COMPAT_PERF_H

#include <linux/perf_event.h>
#include <linux/types.h>
#include <uapi/linux/gpubp.h>

#include "../core/core.h"
#include "target.h"

struct cgroup;
struct file;
struct gpubp_sample_ids;
struct task_struct;

/**
 * struct gpubp_sample - one sample being written
 * @record: the raw record, which perf writes to the ring; perf rewrites its
 *	first 8 bytes
 * @weight: number of hits that it represents
 * @credited: earlier hits of the period that it ends, already counted
 * @ids: ids for the sample, NULL for those of current
 * @chain: if @ids, memory for a struct perf_callchain_entry
 * @sampled: perf wrote a sample, or called the overflow handler
 */
struct gpubp_sample {
	struct gpubp_hit_record record;
	u64 weight;
	u64 credited;
	const struct gpubp_sample_ids *ids;
	u64 chain[3];
	bool sampled;
};

/* replaced by: a ->enable/->disable notification of the PMU */
bool gpubp_perf_enabled(const struct perf_event *event);

/* replaced by: nothing; perf core's own list of the events of a task */
void gpubp_perf_set_pmu(const struct pmu *pmu);
bool gpubp_perf_any_of_task(struct task_struct *task,
			    bool (*fn)(struct gpubp_event *gev, void *arg),
			    void *arg);
bool gpubp_perf_is_installed(const struct perf_event *event);

/* replaced by: nothing; perf core's own knowledge of targets */
void gpubp_perf_target(const struct perf_event *event, struct gpubp_target *t);
const void *gpubp_perf_task(const struct perf_event *event);
enum gpubp_delivery gpubp_perf_delivery(const struct perf_event *event);
struct cgroup *gpubp_perf_cgroup(struct task_struct *task);
bool gpubp_perf_cgroup_below(struct cgroup *cgroup, struct cgroup *above);

/* replaced by: nothing; perf core's own knowledge of groups */
u64 gpubp_perf_group(const struct perf_event *event);
u64 gpubp_perf_group_id(const struct perf_event *event);

/* replaced by: a PMU capability "counts while scheduled out" */
void gpubp_perf_count(struct perf_event *event, u64 hits);
void gpubp_perf_count_late(struct perf_event *event, u64 hits);
void gpubp_perf_count_rest(struct perf_event *event);

/* replaced by: export of perf core's knowledge of groups */
bool gpubp_perf_on_cpu_counters(const struct perf_event *event);

/*
 * replaced by: ->sched_task for software PMUs on the context switch fast path
 */
void gpubp_perf_block_swap(struct perf_event *event, int by);

/* replaced by: export of perf_swevent_set_period() */
void gpubp_perf_start_period(struct perf_event *event);

/*
 * replaced by: perf_event_overflow() exported, with data filled by the caller,
 * and a return value that says whether a BPF program suppressed the sample
 */
int gpubp_perf_output(struct gpubp_event *gev, struct gpubp_sample *sample);
int gpubp_perf_output_late(struct gpubp_event *gev, struct gpubp_sample *sample);
void gpubp_perf_overflow(struct perf_event *event,
			 struct perf_sample_data *data, struct pt_regs *regs);

/* replaced by: perf_event_overflow() that returns whether there is a sample */
bool gpubp_perf_stopped(const struct perf_event *event);

/* replaced by: a PMU hook for PERF_EVENT_IOC_MODIFY_ATTRIBUTES */
void gpubp_perf_set_config(struct perf_event *event, u64 config, u64 config1,
			   u64 config2);
void gpubp_perf_copy_config(struct perf_event *event,
			    const struct perf_event *from);

/* replaced by: nothing; perf's own counter of samples that were not written */
void gpubp_perf_lost(struct perf_event *event, u64 hits);
void gpubp_perf_lost_own(struct gpubp_event *gev, u64 hits);

/* replaced by: export of perf_event_get() */
const void *gpubp_perf_file_event(const struct file *file);

/* replaced by: export of "may this event's opener still monitor its task" */
bool gpubp_perf_is_valid(const struct perf_event *event);

/* replaced by: perf_event_open() listing an event before it installs it */
void gpubp_perf_set_owner(struct gpubp_event *gev);
void gpubp_perf_clear_owner(struct gpubp_event *gev);

/* replaced by: export of wake_up_state() */
void gpubp_wake_interruptible(struct task_struct *task);

#endif /* _GPUBP_COMPAT_PERF_H */
