/* SPDX-License-Identifier: GPL-2.0 */
/* An event: one perf_event of PMU gpubp, and what it asks for. */
#ifndef _GPUBP_EVENT_H
#define _GPUBP_EVENT_H

#include "../core/types.h"

struct seq_file;

extern struct mutex gpubp_events_lock;
extern struct list_head gpubp_events;

int gpubp_spec_decode(const struct perf_event_attr *attr,
		      struct gpubp_spec *spec);
bool gpubp_spec_equal(const struct gpubp_spec *a, const struct gpubp_spec *b);
int gpubp_event_may_want(const struct gpubp_event *gev,
			 const struct gpubp_spec *spec);
void gpubp_event_add(struct gpubp_event *gev);
void gpubp_event_set_on_remove(void (*fn)(void));
void gpubp_event_remove(struct gpubp_event *gev);
bool gpubp_events_exist(void);
void gpubp_event_for_family(struct gpubp_event *gev,
			    void (*fn)(struct gpubp_event *gev, void *arg),
			    void *arg);
struct gpubp_event *gpubp_event_by_id(u64 id);
struct gpubp_event *gpubp_event_of(const void *event);
bool gpubp_events_any_for(struct task_struct *task);
int gpubp_events_init(void);
void gpubp_events_stop(void);
void gpubp_events_exit(void);
void gpubp_events_show(struct seq_file *m);

#endif /* _GPUBP_EVENT_H */
