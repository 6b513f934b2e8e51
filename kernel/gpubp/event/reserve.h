/* SPDX-License-Identifier: GPL-2.0 */
/* Reserve: comparators and trap slots reserved for pinned events at open. */
#ifndef _GPUBP_EVENT_RESERVE_H
#define _GPUBP_EVENT_RESERVE_H

#include <linux/types.h>

struct gpubp_event;
struct gpubp_spec;
struct perf_event;

void gpubp_reserve_inherit(struct gpubp_event *child,
			   struct gpubp_event *parent);
int gpubp_reserve_modify(struct gpubp_event *gev,
			 const struct gpubp_spec *spec);
unsigned int gpubp_reserve_slots(const struct gpubp_event *gev);
bool gpubp_reserve_is_of_process(const struct gpubp_event *gev);
void gpubp_reserve_for_members(const struct gpubp_event *gev,
			       void (*fn)(struct gpubp_event *gev));

#endif /* _GPUBP_EVENT_RESERVE_H */
