/* SPDX-License-Identifier: GPL-2.0 */
/* Index of events: by id, by perf_event, by parent. */
#ifndef _GPUBP_EVENT_INDEX_H
#define _GPUBP_EVENT_INDEX_H

#include <linux/list.h>
#include <linux/types.h>

struct gpubp_event;

extern struct list_head gpubp_wide_events;

void gpubp_event_index_add(struct gpubp_event *gev);
void gpubp_event_index_del(struct gpubp_event *gev);
struct gpubp_event *gpubp_event_in_pass(struct gpubp_event *gev, u64 pass);
void gpubp_event_passed(struct gpubp_event *next, struct gpubp_event *gev,
			u64 pass);

#endif /* _GPUBP_EVENT_INDEX_H */
