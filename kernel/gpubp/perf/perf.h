/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The room of perf: the callbacks of perf core, and samples.
 *
 * pmu.c is the PMU, attrs.c and aliases.c are its files in sysfs;
 * kernel_watch.c has watches of kernel consumers. deliver.c
 * matches a resolved hit with events, drain.c writes samples where the owner of
 * the hit runs, and sample.c fills them.
 */
#ifndef _GPUBP_PERF_PERF_H
#define _GPUBP_PERF_PERF_H

#include <linux/types.h>

struct gpubp_event;
struct gpubp_hit_cell;
struct seq_file;

int gpubp_perf_init(void);
void gpubp_perf_exit(void);

/* aliases.c */
void gpubp_aliases_update(void);

/* deliver.c */
void gpubp_deliver(struct gpubp_hit_cell *first);

/* drain.c */
u64 gpubp_drain_longest(void);
void gpubp_drain_show(struct seq_file *m);
bool gpubp_drain_may_sample(const struct gpubp_event *gev, u64 before);
void gpubp_drain_exit(void);

/* pmu.c */
int gpubp_pmu_init(void);
void gpubp_pmu_exit(void);

#endif /* _GPUBP_PERF_PERF_H */
