/* SPDX-License-Identifier: GPL-2.0 */
/* The PMU: perf core's callbacks. */
#ifndef _GPUBP_PERF_PMU_H
#define _GPUBP_PERF_PMU_H

#include <linux/list.h>
#include <linux/types.h>

extern const struct attribute_group gpubp_aliases_group;
extern const struct attribute_group *gpubp_attr_groups[];

struct kobject;

struct list_head *gpubp_pmu_active_list(void);
void gpubp_pmu_batch_ended(void);
bool gpubp_pmu_batch_leaving(void);
u32 gpubp_pmu_type(void);
struct kobject *gpubp_pmu_kobj(void);

#endif /* _GPUBP_PERF_PMU_H */
